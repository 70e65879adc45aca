//! How a provider's calls to us are doing: when the last one came, when one could not be taken, how many were refused.
//!
//! Settings shows it, so that somebody who has pasted an address sees whether it works.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;

use crate::{
    db::{AsConn, Tx, q},
    error::Result,
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
}

/// The provider that each business shows its addresses to.
pub const TWILIO: &str = "twilio";
const STRIPE: &str = "stripe";

impl Address {
    /// Twilio's.
    pub const ALL: [Self; 3] = [Self::Texts, Self::Calls, Self::Reports];

    /// Who calls there.
    #[must_use]
    pub fn provider(self) -> &'static str {
        match self {
            Self::Texts | Self::Calls | Self::Reports => TWILIO,
            Self::Subscriptions => STRIPE,
        }
    }

    /// Under our public address.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::Texts => "/webhooks/twilio/sms",
            Self::Calls => "/webhooks/twilio/voice",
            Self::Reports => "/webhooks/twilio/message-status",
            Self::Subscriptions => "/webhooks/stripe",
        }
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

/// Adds news to what is known. Processes write beside each other: the later instant stays.
pub async fn add(tx: &mut Tx, provider: &str, address: Address, news: &News) -> Result<()> {
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
        provider,
        address,
        news.received_at,
        news.failed_at,
        news.refused_at,
        news.refused
    )?;
    Ok(())
}

/// What is known of a provider's addresses; one that was never called has no row.
pub async fn health(conn: &mut impl AsConn, provider: &str) -> Result<Vec<Health>> {
    let sql = "SELECT address, received_at, failed_at, refused_at, refused FROM webhook_health WHERE provider = $1";
    Ok(q!(conn, fetch_all as Health, sql, provider)?)
}
