//! Webhooks about a connected account itself. Each is taken once and only triggers a look.

use super::{ConnectedAccount, build_check_task};
use crate::{
    domain::money::checkout,
    platform::{clock::ClockRng, db::Tx, error::Result, tasks},
    providers::payments::StripeEvent,
};

/// Event kinds about the account, not about a payment.
const ACCOUNT_EVENT_KINDS: [&str; 2] = ["account.updated", "account.application.deauthorized"];

#[must_use]
pub fn is_about_account(event: &StripeEvent) -> bool {
    ACCOUNT_EVENT_KINDS.contains(&event.kind.as_str())
}

/// The caller has verified the signature. A repeated event changes nothing.
pub async fn handle_account_event(
    tx: &mut Tx,
    origin: &ClockRng,
    connection: &ConnectedAccount,
    event: &StripeEvent,
) -> Result<()> {
    let org = connection.org_id;
    let is_new = checkout::record_event_if_new(&mut *tx, origin, org, event, "taken").await?;
    if !is_new || connection.ended_at.is_some() {
        return Ok(());
    }
    tasks::enqueue(tx, origin, vec![build_check_task(origin, org, &event.id)]).await.map(|_| ())
}
