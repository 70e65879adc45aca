//! Card payments of a business, as its settings show them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{connected_account::StripeConnection, reconciliation::ReconciliationReport};
use crate::providers::payments::StripeCredentials;

/// Whether a business takes cards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardPayments {
    pub is_set_up: bool,
    /// `sk_live_…4242`, or `acct_…` of a connected account.
    pub hint: Option<String>,
    /// What is paid with it is not real money.
    pub is_test: bool,
    /// Since when Stripe refuses the key, or this server's access to the connected account; null otherwise.
    pub key_refused_at: Option<DateTime<Utc>>,
    /// Address of Stripe's webhook.
    pub webhook_url: String,
    /// Whether what comes there can be believed. Without it, a payment can show hours later.
    pub has_webhook_secret: bool,
    /// When the last authentic event of Stripe arrived.
    pub last_event_at: Option<DateTime<Utc>>,
    /// Result of the comparison with Stripe; null before the first one.
    pub reconciliation: Option<ReconciliationReport>,
    /// State of the Stripe account connected by the business.
    pub connect: StripeConnection,
}

impl CardPayments {
    /// The settings view. `webhook_url` is the full URL.
    #[must_use]
    pub fn from_keys(
        keys: Option<&StripeCredentials>,
        webhook_url: String,
        last_event_at: Option<DateTime<Utc>>,
    ) -> Self {
        Self {
            is_set_up: keys.is_some(),
            hint: keys.map(StripeCredentials::masked_key),
            is_test: keys.is_some_and(StripeCredentials::is_test_mode),
            key_refused_at: None,
            webhook_url,
            has_webhook_secret: keys.is_some_and(|keys| keys.connected.is_some() || !keys.webhook.is_empty()),
            last_event_at,
            reconciliation: None,
            connect: StripeConnection::default(),
        }
    }
}
