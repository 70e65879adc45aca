//! Messages by users: write, cancel, resend.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::{Deserialize, Serialize};
use shared::{
    conflicts::ConflictReason,
    domain::{
        messaging::{
            conversation::write::{self, ComposedMessage},
            message::{
                self, MessageChannel, MessageView, ResendCheck, ResendPermission,
                outlook::{self, SendOutlook},
            },
        },
        money::own_phone,
        tenancy::{
            activity_log::ActivityActor,
            audit::{self, AuditAction},
        },
    },
    ops::erasure::opt_outs,
    platform::{
        db::Tx,
        id::{CustomerId, MessageId, OrgId},
    },
};
use utoipa::ToSchema;

use crate::{
    auth::OrgOffice,
    client_info::RequestContext,
    error::ApiResult,
    extract::{Json, PathId, QueryParams},
    idempotency::IdempotentOperation,
    openapi,
    routes::tenancy::org::load_profile,
    state::AppState,
};

/// Writes to a customer
///
/// Queued, and sent through the same gate as every message: what it stops or holds as things are, `statusText` says.
/// With an `Idempotency-Key` a repeated request is not a second message. Where `byHand` records the text of an estimate,
/// change order or invoice that has not left, that document counts as sent.
#[utoipa::path(post, path = "/api/customers/{id}/messages", operation_id = "writeMessage", tag = "messages",
    security(("session" = ["owner", "office"])), request_body = ComposedMessage,
    params(("id" = uuid::Uuid, Path, description = "The customer"),
        openapi::IdempotencyKey),
    responses((status = 201, description = "Queued, or recorded", body = MessageView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn write_message(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    headers: HeaderMap,
    Json(written): Json<ComposedMessage>,
) -> ApiResult<(StatusCode, axum::Json<MessageView>)> {
    let org = member.org();
    let once = IdempotentOperation::new("message", &headers, &format!("{id} {written:?}"))?;
    if written.channel == MessageChannel::Sms {
        restore_erased_opt_out(&state, org, CustomerId(id)).await?;
    }
    let mut tx = state.db()?.begin().await?;
    if let Some(id) = once.find_stored_response(&mut tx, &state, org).await? {
        let mut message = message::get_message(&mut tx, org, id).await?;
        attach_outlook(&mut tx, &state, org, &mut message).await?;
        return Ok((StatusCode::CREATED, axum::Json(message)));
    }
    let customer = CustomerId(id);
    // Before anything of the conversation is locked, as each sending of a document does.
    let document = match written.own_phone_text() {
        Some(words) => own_phone::lock_unsent_document(&mut tx, org, customer, words).await?,
        None => None,
    };
    let mut message = write::send_or_record(&mut tx, &state.origin, org, member.account(), customer, &written).await?;
    if let Some(document) = document {
        let profile = load_profile(&mut tx, &member).await?;
        let by = ActivityActor::from_session(&member.session);
        own_phone::mark_document_sent(&mut tx, &state.org_context(&profile), document, message.id, &by).await?;
        message = message::get_message(&mut tx, org, message.id).await?;
    }
    once.store_response(&mut tx, org, &message.id).await?;
    let (actor, subject) = (who.actor_for(&member), Some(message.id.0));
    audit::record(&mut tx, &state.origin, &actor, org, AuditAction::MessageWritten, subject).await?;
    attach_outlook(&mut tx, &state, org, &mut message).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::CREATED, axum::Json(message)))
}

/// Looks up whether an erased person said STOP at this number: it stays stored, so that the screen shows it.
async fn restore_erased_opt_out(state: &AppState, org: OrgId, customer: CustomerId) -> ApiResult<()> {
    let mut tx = state.db()?.begin().await?;
    let secret = &state.settings.secret;
    if opt_outs::restore_customer_opt_out(&mut tx, &state.origin, secret, org, customer).await? {
        tx.commit().await?;
        state.notify_committed();
    }
    Ok(())
}

/// Adds the expected fate of a message, by the rules of sending.
async fn attach_outlook(tx: &mut Tx, state: &AppState, org: OrgId, message: &mut MessageView) -> ApiResult<()> {
    if let Some(outlook) = outlook::load_outlook(tx, &state.origin, state.send_channels(), org, message.id).await? {
        message.apply_outlook(&outlook);
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
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<axum::Json<MessageView>> {
    let mut tx = state.db()?.begin().await?;
    let name = &member.session.name;
    let message = message::cancel_message(&mut tx, &state.origin, member.org(), MessageId(id), name).await?;
    let actor = who.actor_for(&member);
    audit::record(&mut tx, &state.origin, &actor, member.org(), AuditAction::MessageCancelled, Some(id)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(message))
}

/// What sending a message again would do
///
/// Evaluates the send policy now: subject, opt-out, hours, budgets. Nothing is changed.
#[utoipa::path(get, path = "/api/messages/{id}/retry", operation_id = "lookAtRetry", tag = "messages",
    security(("session" = ["owner", "office"])),
    params(("id" = uuid::Uuid, Path, description = "The message")),
    responses((status = 200, description = "Whether it may go, and what becomes of it", body = ResendCheck),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn preview_message_retry(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    PathId(id): PathId,
) -> ApiResult<axum::Json<ResendCheck>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let org = member.org();
    Ok(axum::Json(message::check_resend(&mut conn, &state.origin, state.send_channels(), org, MessageId(id)).await?))
}

/// Whether what has changed since is overridden.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ResendOverride {
    Yes,
}

/// A message that goes again.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MessageRetried)]
pub struct RetriedMessage {
    message: MessageView,
    /// What becomes of it: a text may be held until morning.
    outlook: Option<SendOutlook>,
}

/// Sends a message again
///
/// One that failed, was not sent, or of which it is not known whether it arrived. The rules are asked again: what they
/// stop is refused with the reason. Where only what it is about has changed, `anyway=yes` sends it all the same.
#[utoipa::path(post, path = "/api/messages/{id}/retry", operation_id = "retryMessage", tag = "messages",
    security(("session" = ["owner", "office"])),
    params(("id" = uuid::Uuid, Path, description = "The message"),
        ("anyway" = inline(Option<ResendOverride>), Query, description = "Although what it is about has changed")),
    responses((status = 202, description = "Queued again", body = RetriedMessage),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Invalid,
        openapi::Unavailable))]
pub async fn retry_message(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    query: QueryParams,
) -> ApiResult<(StatusCode, axum::Json<RetriedMessage>)> {
    let anyway = query.parse_choice::<ResendOverride>("anyway")?.is_some();
    let mut tx = state.db()?.begin().await?;
    let again =
        message::check_resend(&mut tx, &state.origin, state.send_channels(), member.org(), MessageId(id)).await?;
    if again.may == ResendPermission::No || (again.may == ResendPermission::GoAnyway && !anyway) {
        let reason = again.reason.unwrap_or_default();
        return Err(ConflictReason::message_not_resendable(&reason).into());
    }
    let message = message::retry_message(&mut tx, &state.origin, member.org(), MessageId(id)).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), member.org(), AuditAction::MessageRetried, Some(id))
        .await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::ACCEPTED, axum::Json(RetriedMessage { message, outlook: again.outlook })))
}
