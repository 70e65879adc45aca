//! Log of an address: its latest calls, with every try.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::platform::{
    db::{AsConn, q, qb},
    error::{Error, Result},
    id::{OrgId, WebhookDeliveryId, WebhookId},
};

const MAX_LISTED: i64 = 50;

/// State of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = WebhookCallState)]
pub enum WebhookDeliveryState {
    /// It is tried, or tried again.
    Waiting,
    /// The receiver has answered with 2xx.
    Taken,
    /// Nothing more is tried by itself.
    Failed,
}

/// One call, as the log of its address shows it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookCall)]
pub struct WebhookDeliveryView {
    pub id: WebhookDeliveryId,
    /// The header `webhook-id`: the same for every try and for every address of the event.
    pub event_id: Uuid,
    /// `lead.created`, or `test`.
    pub event: String,
    pub state: WebhookDeliveryState,
    pub created_at: DateTime<Utc>,
    pub next_at: Option<DateTime<Utc>>,
    /// What was sent.
    pub body: String,
    /// Oldest first.
    pub tries: Vec<WebhookAttemptView>,
}

/// What became of one try.
#[derive(Clone, Debug, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookTry)]
pub struct WebhookAttemptView {
    pub at: DateTime<Utc>,
    /// Of the answer; none when no answer came.
    pub status: Option<i64>,
    pub took_ms: Option<i64>,
    /// "it answered HTTP 500".
    pub outcome: String,
    #[serde(skip)]
    delivery_id: WebhookDeliveryId,
}

#[derive(FromRow)]
struct WebhookDeliveryRow {
    id: WebhookDeliveryId,
    event_id: Uuid,
    event: String,
    state: WebhookDeliveryState,
    created_at: DateTime<Utc>,
    next_at: Option<DateTime<Utc>>,
    body: String,
}

pub(super) async fn find_delivery(
    conn: &mut dyn AsConn,
    org: OrgId,
    hook: WebhookId,
    id: WebhookDeliveryId,
) -> Result<WebhookDeliveryView> {
    let sql = "SELECT id, event_id, event, state, created_at, next_at, body FROM webhook_delivery
         WHERE org_id = $1 AND webhook_id = $2 AND id = $3";
    let row = q!(&mut *conn, fetch_optional as WebhookDeliveryRow, sql, org, hook, id)?.ok_or(Error::NotFound)?;
    with_attempts(conn, org, vec![row]).await?.pop().ok_or(Error::NotFound)
}

/// Newest first.
/// Errors: [`Error::NotFound`] when the business has no such address.
pub async fn list_deliveries(conn: &mut dyn AsConn, org: OrgId, hook: WebhookId) -> Result<Vec<WebhookDeliveryView>> {
    let exists = "SELECT EXISTS (SELECT 1 FROM webhook WHERE org_id = $1 AND id = $2)";
    if !q!(&mut *conn, fetch_one scalar bool, exists, org, hook)? {
        return Err(Error::NotFound);
    }
    let sql = "SELECT id, event_id, event, state, created_at, next_at, body FROM webhook_delivery
         WHERE org_id = $1 AND webhook_id = $2 ORDER BY created_at DESC, id DESC LIMIT $3";
    let rows = q!(&mut *conn, fetch_all as WebhookDeliveryRow, sql, org, hook, MAX_LISTED)?;
    with_attempts(conn, org, rows).await
}

async fn with_attempts(
    conn: &mut dyn AsConn,
    org: OrgId,
    rows: Vec<WebhookDeliveryRow>,
) -> Result<Vec<WebhookDeliveryView>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let tries = qb!(conn, fetch_all as WebhookAttemptView, |b| {
        b.push("SELECT delivery_id, at, status, took_ms, outcome FROM webhook_attempt WHERE org_id = ").push_bind(org);
        b.push(" AND delivery_id IN (");
        let mut list = b.separated(", ");
        for row in &rows {
            list.push_bind(row.id);
        }
        b.push(") ORDER BY delivery_id, number");
    })?;
    let of = |id: WebhookDeliveryId| tries.iter().filter(|one| one.delivery_id == id).cloned().collect();
    Ok(rows
        .into_iter()
        .map(|row| WebhookDeliveryView {
            id: row.id,
            event_id: row.event_id,
            event: row.event,
            state: row.state,
            created_at: row.created_at,
            next_at: row.next_at,
            body: row.body,
            tries: of(row.id),
        })
        .collect())
}
