//! Rule of the steps planned for an invoice: reminders, and payment retries.

use futures::future::BoxFuture;

use super::decide_reminder;
use crate::{
    domain::{
        messaging::followup::{DueFollowUp, FollowUpDecision, FollowUpRule, FollowUpSubject, run_decided_step},
        money::checkout::payment_retry,
        tenancy::org::OrgContext,
    },
    platform::{
        db::{AsConn, Tx},
        error::Result,
    },
};

pub struct InvoiceFollowUps;

impl FollowUpRule for InvoiceFollowUps {
    fn subjects(&self) -> &'static [FollowUpSubject] {
        &[FollowUpSubject::Invoice]
    }

    fn event_name(&self, due: &DueFollowUp) -> &'static str {
        if payment_retry::is_retry_step(&due.step) { payment_retry::EVENT } else { "invoice_due" }
    }

    fn decide_step<'a>(
        &'a self,
        conn: &'a mut dyn AsConn,
        intake: &'a OrgContext<'a>,
        due: &'a DueFollowUp,
    ) -> BoxFuture<'a, Result<FollowUpDecision>> {
        if payment_retry::is_retry_step(&due.step) {
            return Box::pin(payment_retry::decide_retry(conn, intake, due));
        }
        Box::pin(decide_reminder(conn, intake, due))
    }

    fn run_step<'a>(
        &'a self,
        tx: &'a mut Tx,
        intake: &'a OrgContext<'a>,
        due: &'a DueFollowUp,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(run_decided_step(self, tx, intake, due))
    }
}
