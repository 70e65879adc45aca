//! Webhook health: when a provider's call was last received, failed, or rejected. Shown in Settings, so that a pasted
//! webhook address can be checked.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;

use crate::platform::{
    clock::ClockRng,
    db::{AsConn, Tx, q},
    error::Result,
    id::OrgId,
    live::{self, Topic},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum CallbackEndpoint {
    Texts,
    Calls,
    Reports,
    /// Stripe: payments of businesses for the install.
    Subscriptions,
    /// Stripe: payments of customers to a business; one address per business.
    Payments,
    /// Stripe: accounts connected to the install's platform; one address for all.
    Connected,
}

pub const TWILIO: &str = "twilio";
pub const STRIPE: &str = "stripe";

impl CallbackEndpoint {
    pub const TWILIO: [Self; 3] = [Self::Texts, Self::Calls, Self::Reports];

    #[must_use]
    pub fn provider(self) -> &'static str {
        match self {
            Self::Texts | Self::Calls | Self::Reports => TWILIO,
            Self::Subscriptions | Self::Payments | Self::Connected => STRIPE,
        }
    }

    /// Whether somebody may wait for it on an open page: by a test call or a test text.
    fn is_awaited(self) -> bool {
        matches!(self, Self::Texts | Self::Calls)
    }

    /// Path below our public URL; `org` for a business's own address, none for the install's.
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

/// Counts since the last write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallbackTally {
    pub received_at: Option<DateTime<Utc>>,
    /// Last valid call that we failed to process.
    pub failed_at: Option<DateTime<Utc>>,
    /// Last call without a valid signature.
    pub refused_at: Option<DateTime<Utc>>,
    pub refused: i64,
}

#[derive(Clone, Debug, FromRow)]
pub struct CallbackHealth {
    pub address: CallbackEndpoint,
    pub received_at: Option<DateTime<Utc>>,
    pub failed_at: Option<DateTime<Utc>>,
    pub refused_at: Option<DateTime<Utc>>,
    pub refused: i64,
}

/// Adds to an install address. Concurrent processes: the later time wins.
pub async fn record_install_callbacks(tx: &mut Tx, address: CallbackEndpoint, news: &CallbackTally) -> Result<()> {
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

/// The same for a business's own address, with a live event of calls and texts; ignored for a deleted business.
pub async fn record_org_callbacks(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    address: CallbackEndpoint,
    news: &CallbackTally,
) -> Result<()> {
    tx.guard_writable(org);
    let stored = q!(
        &mut *tx,
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
    if stored > 0 && news.received_at.is_some() && address.is_awaited() {
        live::publish_event(tx, origin, org, Topic::ProviderCall, org.0, None).await?;
    }
    Ok(())
}

/// State of a provider's install addresses; an address never called has no row.
pub async fn list_install_health(conn: &mut dyn AsConn, provider: &str) -> Result<Vec<CallbackHealth>> {
    let sql = "SELECT address, received_at, failed_at, refused_at, refused FROM webhook_health WHERE provider = $1";
    Ok(q!(conn, fetch_all as CallbackHealth, sql, provider)?)
}

pub async fn list_org_health(conn: &mut dyn AsConn, org: OrgId, provider: &str) -> Result<Vec<CallbackHealth>> {
    Ok(q!(
        conn,
        fetch_all as CallbackHealth,
        "SELECT address, received_at, failed_at, refused_at, refused FROM org_webhook_health
         WHERE org_id = $1 AND provider = $2",
        org,
        provider
    )?)
}
