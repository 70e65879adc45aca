//! Messages and follow-ups that wait when a business changes hands.

use futures::future::{BoxFuture, FutureExt, ready};

use super::cancel_all_waiting;
use crate::{
    domain::{messaging::followup, tenancy::account::AccessEvent},
    platform::{clock::ClockRng, db::Tx, error::Result, id::OrgId},
};

/// Listener of the ends of access.
pub(crate) fn handle_message_access_event<'a>(
    tx: &'a mut Tx,
    _origin: &'a ClockRng,
    org: OrgId,
    event: AccessEvent<'a>,
) -> BoxFuture<'a, Result<()>> {
    match event {
        AccessEvent::StrangerSuspected { reason } => Box::pin(cancel_waiting(tx, org, reason)),
        AccessEvent::CrewsLeft(_) | AccessEvent::FirstProof => ready(Ok(())).boxed(),
    }
}

async fn cancel_waiting(tx: &mut Tx, org: OrgId, reason: &str) -> Result<()> {
    cancel_all_waiting(&mut *tx, org, reason).await?;
    followup::cancel_all_plans(tx, org, reason).await
}
