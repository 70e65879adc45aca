//! Webhooks: addresses chosen by a business that receive events of its work.
//!
//! In the transaction of the event, `enqueue` writes one call for each subscribed address; a task makes it, signed and
//! to the internet only ([`crate::platform::outbound`]), and retries after growing pauses until it is taken. Every try
//! is logged. An address at which nothing is taken for five days is turned off, and the owner is notified.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    conflicts::ConflictCode,
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, insert_row, q},
        encryption::renewal::{ReencryptionCount, SecretRenewal},
        error::{Error, FieldErrors, Result},
        field_schemas,
        id::{OrgId, WebhookId},
        outbound::OutboundRules,
        secret::SecretKey,
        text::{given, single_line},
    },
};

mod attempt_outcome;
mod delivery;
mod delivery_log;
mod enqueue;
mod event;
mod signing_secret;

pub use delivery::{
    DueDelivery, load_due_delivery, prune_deliveries, record_attempt, refuse_delivery, requeue_overdue_deliveries,
    retry_delivery,
};
pub use delivery_log::{WebhookAttemptView, WebhookDeliveryState, WebhookDeliveryView, list_deliveries};
pub(crate) use enqueue::{enqueue_webhook_events, has_webhook_events};
pub use event::WebhookEvent;

use signing_secret::WebhookSigningSecret;

/// Limit of addresses of a business.
const MAX_WEBHOOKS: i64 = 10;
pub const MAX_URL: usize = 2_048;
pub const MAX_ABOUT: usize = 100;
/// Time in which the previous secret signs beside the new one.
const SECRET_OVERLAP: Duration = Duration::hours(24);

/// One address, as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Webhook)]
pub struct WebhookEndpoint {
    pub id: WebhookId,
    pub url: String,
    pub about: Option<String>,
    pub events: Vec<WebhookEvent>,
    pub is_on: bool,
    /// Since when nothing was taken there.
    pub failing_since: Option<DateTime<Utc>>,
    /// When and why we turned it off.
    pub stopped_at: Option<DateTime<Utc>>,
    pub stopped_why: Option<String>,
    /// Until when the secret before the present one signs too.
    pub old_secret_until: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}

/// An address with the secret that proves our calls: this once.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewWebhook {
    /// `whsec_…`
    pub secret: String,
    #[serde(flatten)]
    pub hook: WebhookEndpoint,
}

/// A webhook to be added.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookRequest {
    /// An https address on the internet, on port 443.
    #[schema(required, schema_with = field_schemas::webhook_url)]
    pub url: Option<String>,
    /// What it is, for people.
    #[schema(schema_with = field_schemas::nullable_line::<100>)]
    pub about: Option<String>,
    #[schema(value_type = Vec<WebhookEvent>, required, min_items = 1)]
    pub events: Option<Vec<WebhookEvent>>,
    /// On when absent.
    #[schema(value_type = bool, required = false)]
    pub is_on: Option<bool>,
}

/// A change: what is absent stays as it is.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookPatch)]
pub struct WebhookForm {
    #[schema(schema_with = field_schemas::webhook_url)]
    pub url: Option<String>,
    #[serde(default, deserialize_with = "given")]
    #[schema(schema_with = field_schemas::nullable_line::<100>)]
    pub about: Option<Option<String>>,
    #[schema(value_type = Vec<WebhookEvent>, required = false, min_items = 1)]
    pub events: Option<Vec<WebhookEvent>>,
    /// Turned on, it starts again; turned off, pending messages end.
    #[schema(value_type = bool, required = false)]
    pub is_on: Option<bool>,
}

impl From<WebhookRequest> for WebhookForm {
    fn from(sent: WebhookRequest) -> Self {
        Self { url: sent.url, about: sent.about.map(Some), events: sent.events, is_on: sent.is_on }
    }
}

#[derive(FromRow)]
struct WebhookRow {
    id: WebhookId,
    url: String,
    about: Option<String>,
    events: String,
    is_on: bool,
    failing_since: Option<DateTime<Utc>>,
    stopped_at: Option<DateTime<Utc>>,
    stopped_why: Option<String>,
    old_until: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
}

impl WebhookRow {
    fn into_endpoint(self, now: DateTime<Utc>) -> WebhookEndpoint {
        WebhookEndpoint {
            id: self.id,
            url: self.url,
            about: self.about,
            events: event::parse_events(&self.events),
            is_on: self.is_on,
            failing_since: self.failing_since,
            stopped_at: self.stopped_at,
            stopped_why: self.stopped_why,
            old_secret_until: self.old_until.filter(|until| now < *until),
            created_at: self.created_at,
        }
    }
}

struct WebhookFields {
    url: String,
    about: Option<String>,
    events: String,
}

impl WebhookForm {
    /// `old` is the stored address.
    fn validate_fields(&self, rules: &OutboundRules, old: Option<&WebhookEndpoint>) -> Result<WebhookFields> {
        let mut errors = FieldErrors::default();
        let url = match (&self.url, old) {
            (None, Some(old)) => old.url.clone(),
            (typed, _) => match rules.check_address(typed.as_deref().unwrap_or_default().trim()) {
                Ok(target) => target.as_str().to_owned(),
                Err(fault) => {
                    errors.add("url", format!("This address {fault}"));
                    String::new()
                }
            },
        };
        let about = match &self.about {
            None => old.and_then(|old| old.about.clone()),
            Some(typed) => single_line("about", typed.as_deref(), MAX_ABOUT).parse_optional(&mut errors),
        };
        let events = self.events.as_deref().or(old.map(|old| old.events.as_slice())).unwrap_or_default();
        if events.is_empty() {
            errors.add("events", "Choose at least one event");
        }
        errors.into_result()?;
        Ok(WebhookFields { url, about, events: event::format_events(events) })
    }
}

/// Oldest first.
pub async fn list(conn: &mut dyn AsConn, now: DateTime<Utc>, org: OrgId) -> Result<Vec<WebhookEndpoint>> {
    let sql = "SELECT id, url, about, events, is_on, failing_since, stopped_at, stopped_why, old_until, created_at
         FROM webhook WHERE org_id = $1 ORDER BY created_at, id";
    Ok(q!(conn, fetch_all as WebhookRow, sql, org)?.into_iter().map(|row| row.into_endpoint(now)).collect())
}

/// Errors: [`Error::NotFound`] when the business has no such address.
pub async fn get(conn: &mut dyn AsConn, now: DateTime<Utc>, org: OrgId, id: WebhookId) -> Result<WebhookEndpoint> {
    let sql = "SELECT id, url, about, events, is_on, failing_since, stopped_at, stopped_why, old_until, created_at
         FROM webhook WHERE org_id = $1 AND id = $2";
    Ok(q!(conn, fetch_optional as WebhookRow, sql, org, id)?.ok_or(Error::NotFound)?.into_endpoint(now))
}

/// It receives events from now on, unless the form turns it off. Errors: [`Error::Invalid`] on the fields that do not
/// fit, [`Error::Conflict`] when there are ten already.
pub async fn create_webhook(
    tx: &mut Tx,
    origin: &ClockRng,
    key: &SecretKey,
    rules: &OutboundRules,
    org: OrgId,
    form: &WebhookForm,
) -> Result<NewWebhook> {
    tx.guard_writable(org);
    let WebhookFields { url, about, events } = form.validate_fields(rules, None)?;
    let count = q!(&mut *tx, fetch_one scalar i64, "SELECT COUNT(*) FROM webhook WHERE org_id = $1", org)?;
    if count >= MAX_WEBHOOKS {
        return Err(ConflictCode::WebhooksFull.into_error());
    }
    let (id, now) = (WebhookId(origin.uuid_v7()), origin.now());
    let secret = WebhookSigningSecret::new(&origin.entropy);
    insert_row!(
        &mut *tx,
        execute,
        webhook {
            org_id: org,
            id,
            url,
            about,
            events,
            secret: secret.to_encrypted(key, &origin.entropy, org, id),
            is_on: form.is_on.unwrap_or(true),
            created_at: now,
        }
    )?;
    Ok(NewWebhook { secret: secret.to_encoded(), hook: get(tx, now, org, id).await? })
}

/// An address with its secret, for a repeated request whose answer was lost.
/// Errors: [`Error::Conflict`] when it was removed or its secret changed meanwhile: a newer one is not shown for an
/// older request.
pub async fn load_webhook_with_secret(
    conn: &mut dyn AsConn,
    now: DateTime<Utc>,
    key: &SecretKey,
    org: OrgId,
    id: WebhookId,
) -> Result<NewWebhook> {
    const OVER: Error = ConflictCode::WebhookChanged.into_error();
    let sql = "SELECT secret FROM webhook WHERE org_id = $1 AND id = $2 AND old_until IS NULL";
    let sealed = q!(&mut *conn, fetch_optional scalar Vec<u8>, sql, org, id)?.ok_or(OVER)?;
    let secret = WebhookSigningSecret::from_encrypted(key, org, id, &sealed).ok_or(OVER)?;
    Ok(NewWebhook { secret: secret.to_encoded(), hook: get(conn, now, org, id).await? })
}

/// Changes an address. Turned on, it starts again; turned off, its waiting calls end.
/// Errors: [`Error::NotFound`], or [`Error::Invalid`] on the fields that do not fit.
pub async fn update_webhook(
    tx: &mut Tx,
    origin: &ClockRng,
    rules: &OutboundRules,
    org: OrgId,
    id: WebhookId,
    form: &WebhookForm,
) -> Result<WebhookEndpoint> {
    tx.guard_writable(org);
    let now = origin.now();
    let old = get(&mut *tx, now, org, id).await?;
    let WebhookFields { url, about, events } = form.validate_fields(rules, Some(&old))?;
    let is_on = form.is_on.unwrap_or(old.is_on);
    q!(
        &mut *tx,
        execute,
        "UPDATE webhook SET url = $3, about = $4, events = $5, is_on = $6 WHERE org_id = $1 AND id = $2",
        org,
        id,
        url,
        about,
        events,
        is_on
    )?;
    if is_on && !old.is_on {
        let anew = "UPDATE webhook SET failing_since = NULL, stopped_at = NULL, stopped_why = NULL
             WHERE org_id = $1 AND id = $2";
        q!(&mut *tx, execute, anew, org, id)?;
    } else if !is_on {
        delivery::fail_pending_deliveries(tx, origin, org, id).await?;
    }
    get(tx, now, org, id).await
}

/// Removes an address with its log.
/// Errors: [`Error::NotFound`] when the business has no such address.
pub async fn delete_webhook(tx: &mut Tx, org: OrgId, id: WebhookId) -> Result<()> {
    tx.guard_writable(org);
    let sql = "DELETE FROM webhook WHERE org_id = $1 AND id = $2";
    if q!(tx, execute, sql, org, id)? == 0 { Err(Error::NotFound) } else { Ok(()) }
}

/// Replaces the secret; the previous one signs beside it for a day.
/// Errors: [`Error::NotFound`] when the business has no such address.
pub async fn rotate_secret(
    tx: &mut Tx,
    origin: &ClockRng,
    key: &SecretKey,
    org: OrgId,
    id: WebhookId,
) -> Result<NewWebhook> {
    tx.guard_writable(org);
    let (now, secret) = (origin.now(), WebhookSigningSecret::new(&origin.entropy));
    q!(
        &mut *tx,
        execute,
        "UPDATE webhook SET old_secret = secret, old_until = $4, secret = $3 WHERE org_id = $1 AND id = $2",
        org,
        id,
        secret.to_encrypted(key, &origin.entropy, org, id),
        now + SECRET_OVERLAP
    )?;
    Ok(NewWebhook { secret: secret.to_encoded(), hook: get(tx, now, org, id).await? })
}

/// Seals the secrets of a business's addresses anew with the key in force.
pub(crate) async fn reencrypt_secrets(
    tx: &mut Tx,
    renewal: &SecretRenewal<'_>,
    org: OrgId,
) -> Result<ReencryptionCount> {
    let mut count = ReencryptionCount::default();
    for (select, update) in REENCRYPTION_QUERIES {
        for (id, sealed) in q!(&mut *tx, fetch_all as (WebhookId, Vec<u8>), select, org)? {
            let renewed = signing_secret::renew_secret(renewal, org, id, &sealed);
            count.record_result(&renewed);
            if let Some(new) = renewed.into_new_value() {
                // A secret changed meanwhile stays.
                q!(&mut *tx, execute, update, org, id, new, sealed)?;
            }
        }
    }
    Ok(count)
}

const REENCRYPTION_QUERIES: [(&str, &str); 2] = [
    (
        "SELECT id, secret FROM webhook WHERE org_id = $1",
        "UPDATE webhook SET secret = $3 WHERE org_id = $1 AND id = $2 AND secret = $4",
    ),
    (
        "SELECT id, old_secret FROM webhook WHERE org_id = $1 AND old_secret IS NOT NULL",
        "UPDATE webhook SET old_secret = $3 WHERE org_id = $1 AND id = $2 AND old_secret = $4",
    ),
];

/// Makes one test call, whether the address is on or off.
/// Errors: [`Error::NotFound`] when the business has no such address.
pub async fn send_test_delivery(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    id: WebhookId,
) -> Result<WebhookDeliveryView> {
    get(&mut *tx, origin.now(), org, id).await?;
    let made = enqueue::enqueue_test_event(tx, origin, org, id).await?;
    delivery_log::find_delivery(tx, org, id, made).await
}
