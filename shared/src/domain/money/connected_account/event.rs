//! Webhooks about a connected account itself. They are taken once and only say where to look.

use super::{ConnectedAccount, look};
use crate::{
    domain::money::checkout,
    platform::{clock::Origin, db::Tx, error::Result, tasks},
    providers::payments::Event,
};

/// The kinds that are news of the account and not of a payment.
const NEWS: [&str; 2] = ["account.updated", "account.application.deauthorized"];

/// Whether an event is about the account itself.
#[must_use]
pub fn is_about_account(event: &Event) -> bool {
    NEWS.contains(&event.kind.as_str())
}

/// Takes an event whose signature was good. One that comes again changes nothing.
///
/// # Errors
/// When the database is away.
pub async fn take(tx: &mut Tx, origin: &Origin, connection: &ConnectedAccount, event: &Event) -> Result<()> {
    let org = connection.org_id;
    let is_new = checkout::event_is_new(&mut *tx, origin, org, event, "taken").await?;
    if !is_new || connection.ended_at.is_some() {
        return Ok(());
    }
    tasks::enqueue(tx, origin, vec![look(origin, org, &event.id)]).await.map(|_| ())
}
