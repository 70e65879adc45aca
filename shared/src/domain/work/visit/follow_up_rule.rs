//! Rule of the steps planned for a visit.

use futures::future::BoxFuture;

use super::{VisitNoticeKind, rule::decide_due_step};
use crate::{
    domain::{
        messaging::followup::{DueFollowUp, FollowUpDecision, FollowUpRule, FollowUpSubject, run_decided_step},
        tenancy::org::OrgContext,
    },
    platform::{
        db::{AsConn, Tx},
        error::Result,
    },
};

pub struct VisitFollowUps;

impl FollowUpRule for VisitFollowUps {
    fn subjects(&self) -> &'static [FollowUpSubject] {
        &[FollowUpSubject::Job]
    }

    fn event_name(&self, due: &DueFollowUp) -> &'static str {
        match VisitNoticeKind::from_step(&due.step) {
            Some(VisitNoticeKind::Booked) => "job_scheduled",
            Some(VisitNoticeKind::Moved) => "job_moved",
            Some(VisitNoticeKind::Cancelled) => "job_cancelled",
            Some(VisitNoticeKind::DayBefore | VisitNoticeKind::HourBefore) | None => "visit_due",
        }
    }

    fn decide_step<'a>(
        &'a self,
        conn: &'a mut dyn AsConn,
        intake: &'a OrgContext<'a>,
        due: &'a DueFollowUp,
    ) -> BoxFuture<'a, Result<FollowUpDecision>> {
        Box::pin(decide_due_step(conn, intake, due))
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
