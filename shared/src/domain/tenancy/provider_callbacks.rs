//! How a provider's calls to us are doing: when the last one came, when one could not be taken, how many were refused.
//!
//! Settings shows it, so that somebody who has pasted an address sees whether it works.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;

use crate::platform::{
    db::{AsConn, Tx, q},
    error::Result,
    id::OrgId,
};

/// An address of ours that a provider calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum Address {
    Texts,
    Calls,
    Reports,
    /// Stripe's news of what businesses pay for the install.
    Subscriptions,
    /// Stripe's news of what customers pay a business: each business has an address of its own.
    Payments,
    /// Stripe's news of the accounts that businesses connected to the install's platform: one address for all.
    Connected,
}

/// Who brings texts and calls.
pub const TWILIO: &str = "twilio";
/// Who brings news of payments.
pub const STRIPE: &str = "stripe";

impl Address {
    /// Twilio's.
    pub const TWILIO: [Self; 3] = [Self::Texts, Self::Calls, Self::Reports];

    /// Who calls there.
    #[must_use]
    pub fn provider(self) -> &'static str {
        match self {
            Self::Texts | Self::Calls | Self::Reports => TWILIO,
            Self::Subscriptions | Self::Payments | Self::Connected => STRIPE,
        }
    }

    /// Under our public address; `org` is the business whose own address it is, none for the install's.
    #[must_use]
    pub fn path(self, org: Option<OrgId>) -> String {
        let path = match self {
            Self::Texts => "/webhooks/twilio/sms",
            Self::Calls => "/webhooks/twilio/voice",
            Self::Reports => "/webhooks/twilio/message-status",
            Self::Subscriptions | Self::Payments => "/webhooks/stripe",
            Self::Connected => "/webhooks/stripe/connect",
        };
        org.map_or_else(|| path.to_owned(), |org| format!("{path}/{org}"))
    }
}

/// What happened at one address since it was last written down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct News {
    /// One was taken.
    pub received_at: Option<DateTime<Utc>>,
    /// One was the provider's and could not be taken: our own fault.
    pub failed_at: Option<DateTime<Utc>>,
    /// One bore no valid signature.
    pub refused_at: Option<DateTime<Utc>>,
    pub refused: i64,
}

/// What is known of one address.
#[derive(Clone, Debug, FromRow)]
pub struct Health {
    pub address: Address,
    pub received_at: Option<DateTime<Utc>>,
    pub failed_at: Option<DateTime<Utc>>,
    pub refused_at: Option<DateTime<Utc>>,
    /// All signatures ever refused there.
    pub refused: i64,
}

/// Adds news to what is known of an address of the install. Processes write beside each other: the later instant stays.
pub async fn add(tx: &mut Tx, address: Address, news: &News) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO webhook_health (provider, address, received_at, failed_at, refused_at, refused)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (provider, address) DO UPDATE SET
             received_at = CASE WHEN webhook_health.received_at IS NULL OR excluded.received_at > webhook_health.received_at
                 THEN COALESCE(excluded.received_at, webhook_health.received_at) ELSE webhook_health.received_at END,
             failed_at = CASE WHEN webhook_health.failed_at IS NULL OR excluded.failed_at > webhook_health.failed_at
                 THEN COALESCE(excluded.failed_at, webhook_health.failed_at) ELSE webhook_health.failed_at END,
             refused_at = CASE WHEN webhook_health.refused_at IS NULL OR excluded.refused_at > webhook_health.refused_at
                 THEN COALESCE(excluded.refused_at, webhook_health.refused_at) ELSE webhook_health.refused_at END,
             refused = webhook_health.refused + excluded.refused",
        address.provider(),
        address,
        news.received_at,
        news.failed_at,
        news.refused_at,
        news.refused
    )?;
    Ok(())
}

/// The same for an address that is one business's alone. Of a business that is gone by now nothing is kept.
pub async fn add_own(tx: &mut Tx, org: OrgId, address: Address, news: &News) -> Result<()> {
    tx.guard_writable(org);
    q!(
        tx,
        execute,
        "INSERT INTO org_webhook_health AS h (org_id, provider, address, received_at, failed_at, refused_at, refused)
         SELECT o.id, $2, $3, $4, $5, $6, $7 FROM org o WHERE o.id = $1
         ON CONFLICT (org_id, provider, address) DO UPDATE SET
             received_at = CASE WHEN h.received_at IS NULL OR excluded.received_at > h.received_at
                 THEN COALESCE(excluded.received_at, h.received_at) ELSE h.received_at END,
             failed_at = CASE WHEN h.failed_at IS NULL OR excluded.failed_at > h.failed_at
                 THEN COALESCE(excluded.failed_at, h.failed_at) ELSE h.failed_at END,
             refused_at = CASE WHEN h.refused_at IS NULL OR excluded.refused_at > h.refused_at
                 THEN COALESCE(excluded.refused_at, h.refused_at) ELSE h.refused_at END,
             refused = h.refused + excluded.refused",
        org,
        address.provider(),
        address,
        news.received_at,
        news.failed_at,
        news.refused_at,
        news.refused
    )?;
    Ok(())
}

/// What is known of a provider's addresses at the install; one that was never called has no row.
pub async fn health(conn: &mut dyn AsConn, provider: &str) -> Result<Vec<Health>> {
    let sql = "SELECT address, received_at, failed_at, refused_at, refused FROM webhook_health WHERE provider = $1";
    Ok(q!(conn, fetch_all as Health, sql, provider)?)
}

/// What is known of a provider's addresses that are this business's alone.
pub async fn own_health(conn: &mut dyn AsConn, org: OrgId, provider: &str) -> Result<Vec<Health>> {
    Ok(q!(
        conn,
        fetch_all as Health,
        "SELECT address, received_at, failed_at, refused_at, refused FROM org_webhook_health
         WHERE org_id = $1 AND provider = $2",
        org,
        provider
    )?)
}
