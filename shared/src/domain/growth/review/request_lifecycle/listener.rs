//! Events of other domains that begin or end asks.

use futures::future::{BoxFuture, FutureExt, ready};

use super::{
    cause::{on_job_completed, on_lead_paid},
    ends::{
        on_customer_changed, on_customer_replied, on_event_undone, on_job_reverted, on_lead_changed,
        on_number_opted_out,
    },
};
use crate::{
    domain::{intake::customer::CustomerEvent, money::listener::LeadMoneyEvent, work::listener::JobEvent},
    platform::{clock::ClockRng, db::Tx, error::Result, id::OrgId},
};

/// Listener of the customers.
pub(crate) fn handle_customer_event<'a>(
    tx: &'a mut Tx,
    origin: &'a ClockRng,
    org: OrgId,
    event: CustomerEvent<'a>,
) -> BoxFuture<'a, Result<()>> {
    match event {
        CustomerEvent::Replied(customer) => Box::pin(on_customer_replied(tx, origin, org, customer)),
        CustomerEvent::Changed(customer) => Box::pin(on_customer_changed(tx, origin, org, customer)),
        CustomerEvent::OptedOut(number) => Box::pin(on_number_opted_out(tx, origin, org, number)),
    }
}

/// Listener of the jobs.
pub(crate) fn handle_job_event<'a>(
    tx: &'a mut Tx,
    origin: &'a ClockRng,
    org: OrgId,
    event: JobEvent<'a>,
) -> BoxFuture<'a, Result<()>> {
    match event {
        JobEvent::Completed { profile, job, event } => Box::pin(on_job_completed(tx, origin, profile, job, event)),
        JobEvent::Reopened { job, event } => Box::pin(on_job_reverted(tx, origin, org, job, event)),
        JobEvent::ChangeUndone(event) => Box::pin(on_event_undone(tx, origin, org, event)),
        JobEvent::Cancelled { .. } | JobEvent::Repriced { .. } | JobEvent::Restored { .. } => ready(Ok(())).boxed(),
    }
}

/// Listener of the leads' money.
pub(crate) fn handle_money_event<'a>(
    tx: &'a mut Tx,
    origin: &'a ClockRng,
    org: OrgId,
    event: LeadMoneyEvent,
) -> BoxFuture<'a, Result<()>> {
    match event {
        LeadMoneyEvent::Paid(lead) => Box::pin(on_lead_paid(tx, origin, org, lead)),
        LeadMoneyEvent::Disputed(lead) => Box::pin(on_lead_changed(tx, origin, org, lead)),
    }
}
