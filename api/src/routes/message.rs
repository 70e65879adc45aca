//! What a person of the business writes, takes back, or has sent again.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shared::{
    domain::{
        messaging::{
            conversation::write::{self, Written},
            message::{
                self, Again, AgainMay, Channel, MessageView,
                outlook::{self, Outlook},
            },
        },
        tenancy::audit::{self, Action},
    },
    platform::{
        db::Tx,
        id::{CustomerId, LeadId, MessageId, OrgId},
    },
};
use utoipa::ToSchema;

use crate::{
    auth::OrgOffice,
    client_info::Who,
    error::{ApiError, ApiResult, ErrorCode},
    extract::{Id, Json, Query},
    idempotency::Once,
    openapi::{self, fields},
    state::AppState,
};

/// A message of one's own.
#[derive(ToSchema)]
#[schema(as = MessageRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "only described; `Written` is what is read")]
pub struct WrittenDoc {
    channel: Channel,
    /// A text has at most 1,530 characters, which is ten parts.
    #[schema(schema_with = fields::filled_lines::<20_000>)]
    body: String,
    /// Emails only.
    #[schema(schema_with = fields::line_or_null::<200>)]
    subject: Option<String>,
    /// Sent then, and not before; within 90 days.
    send_at: Option<DateTime<Utc>>,
    /// The lead it is about; the customer's newest when absent.
    #[schema(value_type = Option<uuid::Uuid>)]
    lead_id: Option<LeadId>,
    /// It was sent from one's own phone, and this only records it. Texts only.
    by_hand: Option<bool>,
}

/// Writes to a customer
///
/// Queued, and sent through the same gate as every message: what it stops or holds as things are, `statusText` says.
/// With an `Idempotency-Key` a repeated request is not a second message.
#[utoipa::path(post, path = "/api/customers/{id}/messages", operation_id = "writeMessage", tag = "messages",
    security(("session" = ["owner", "office"])), request_body = WrittenDoc,
    params(("id" = uuid::Uuid, Path, description = "The customer"),
        ("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
            description = "The same key and content get the first answer again, the same key and other content a 422")),
    responses((status = 201, description = "Queued, or recorded", body = MessageView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn write_message(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    headers: HeaderMap,
    Json(written): Json<Written>,
) -> ApiResult<(StatusCode, axum::Json<MessageView>)> {
    let org = member.org();
    let once = Once::new("message", &headers, &format!("{id} {written:?}"))?;
    let mut tx = state.db()?.begin().await?;
    if let Some(id) = once.earlier(&mut tx, &state, org).await? {
        let mut message = message::get(&mut tx, org, id).await?;
        foretell(&mut tx, &state, org, &mut message).await?;
        return Ok((StatusCode::CREATED, axum::Json(message)));
    }
    let mut message = write::write(&mut tx, &state.origin, org, member.account(), CustomerId(id), &written).await?;
    once.keep(&mut tx, org, &message.id).await?;
    let (actor, subject) = (who.actor(&member), Some(message.id.0));
    audit::record(&mut tx, &state.origin, &actor, org, Action::MessageWritten, subject).await?;
    foretell(&mut tx, &state, org, &mut message).await?;
    tx.commit().await?;
    state.wake();
    Ok((StatusCode::CREATED, axum::Json(message)))
}

/// Asks the gate what becomes of a message, as of a paper that is sent.
async fn foretell(tx: &mut Tx, state: &AppState, org: OrgId, message: &mut MessageView) -> ApiResult<()> {
    if let Some(outlook) = outlook::of(tx, &state.origin, state.set_up(), org, message.id).await? {
        message.foretell(&outlook);
    }
    Ok(())
}

/// Takes a message back
///
/// As long as it has not left: one that waits for its time, for the morning, or for its minute of grace.
#[utoipa::path(delete, path = "/api/messages/{id}", operation_id = "cancelMessage", tag = "messages",
    security(("session" = ["owner", "office"])),
    params(("id" = uuid::Uuid, Path, description = "The message")),
    responses((status = 200, description = "It will not be sent", body = MessageView),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn cancel_message(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
) -> ApiResult<axum::Json<MessageView>> {
    let mut tx = state.db()?.begin().await?;
    let name = &member.session.name;
    let message = message::cancel(&mut tx, &state.origin, member.org(), MessageId(id), name).await?;
    let actor = who.actor(&member);
    audit::record(&mut tx, &state.origin, &actor, member.org(), Action::MessageCancelled, Some(id)).await?;
    tx.commit().await?;
    state.wake();
    Ok(axum::Json(message))
}

/// What sending a message again would do
///
/// The rules are asked by what is known now: what it is about, STOP, the hours, the budgets. Nothing is changed.
#[utoipa::path(get, path = "/api/messages/{id}/retry", operation_id = "lookAtRetry", tag = "messages",
    security(("session" = ["owner", "office"])),
    params(("id" = uuid::Uuid, Path, description = "The message")),
    responses((status = 200, description = "Whether it may go, and what becomes of it", body = Again),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn look_at_retry(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    Id(id): Id,
) -> ApiResult<axum::Json<Again>> {
    let mut conn = state.db()?.read().await?;
    let org = member.org();
    Ok(axum::Json(message::look_again(&mut conn, &state.origin, state.set_up(), org, MessageId(id)).await?))
}

/// Whether what has changed since is overridden.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Anyway {
    Yes,
}

/// A message that goes again.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MessageRetried)]
pub struct Retried {
    message: MessageView,
    /// What becomes of it: a text may be held until morning.
    outlook: Option<Outlook>,
}

/// Sends a message again
///
/// One that failed, was not sent, or of which it is not known whether it arrived. The rules are asked again: what they
/// stop is refused with the reason. Where only what it is about has changed, `anyway=yes` sends it all the same.
#[utoipa::path(post, path = "/api/messages/{id}/retry", operation_id = "retryMessage", tag = "messages",
    security(("session" = ["owner", "office"])),
    params(("id" = uuid::Uuid, Path, description = "The message"),
        ("anyway" = inline(Option<Anyway>), Query, description = "Although what it is about has changed")),
    responses((status = 202, description = "Queued again", body = Retried),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Invalid,
        openapi::Unavailable))]
pub async fn retry_message(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    query: Query,
) -> ApiResult<(StatusCode, axum::Json<Retried>)> {
    let anyway = query.choice::<Anyway>("anyway")?.is_some();
    let mut tx = state.db()?.begin().await?;
    let again = message::look_again(&mut tx, &state.origin, state.set_up(), member.org(), MessageId(id)).await?;
    if again.may == AgainMay::No || (again.may == AgainMay::GoAnyway && !anyway) {
        let reason = again.reason.unwrap_or_default();
        return Err(ApiError::new(ErrorCode::Conflict, format!("Not sent: {reason}.")));
    }
    let message = message::retry(&mut tx, &state.origin, member.org(), MessageId(id)).await?;
    audit::record(&mut tx, &state.origin, &who.actor(&member), member.org(), Action::MessageRetried, Some(id)).await?;
    tx.commit().await?;
    state.wake();
    Ok((StatusCode::ACCEPTED, axum::Json(Retried { message, outlook: again.outlook })))
}
