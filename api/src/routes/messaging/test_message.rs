//! Test messages: really sent, or refused with the missing setting.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use shared::{
    domain::{
        messaging::message::{
            outlook,
            test_send::{self, TestSent},
        },
        tenancy::{
            audit::{self, AuditAction},
            org::{self, Org, recipients},
        },
    },
    platform::{db::Tx, id::MessageId, recipient::Recipient},
};

use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    idempotency::IdempotentOperation,
    openapi,
    routes::tenancy::org::{OwnOrgAccess, RecipientParam},
    state::AppState,
};

type TestSendResult = ApiResult<(StatusCode, axum::Json<TestSent>)>;

enum TestTarget {
    OwnEmail,
    /// The first phone on the recipient list, else the business's own.
    Phone,
    Recipient(shared::platform::id::RecipientId),
}

impl TestTarget {
    async fn find_recipient(
        &self,
        tx: &mut Tx,
        org: &Org,
        member: &OrgMember,
    ) -> shared::platform::error::Result<Recipient> {
        match self {
            Self::OwnEmail => Ok(member.session.email.clone().into()),
            Self::Phone => test_send::find_test_phone(tx, org).await,
            Self::Recipient(id) => recipients::get(tx, org.id, *id).await,
        }
    }

    fn target_name(&self) -> String {
        match self {
            Self::OwnEmail => "email".to_owned(),
            Self::Phone => "sms".to_owned(),
            Self::Recipient(id) => id.to_string(),
        }
    }
}

async fn send_test(
    state: &AppState,
    who: &RequestContext,
    member: &OrgMember,
    headers: &HeaderMap,
    to: TestTarget,
) -> TestSendResult {
    let once = IdempotentOperation::new("test", headers, &to.target_name())?;
    let mut tx = state.db()?.begin().await?;
    if let Some(sent) = once.find_stored_response(&mut tx, state, member.org()).await? {
        drop(tx);
        return with_outlook(state, member, sent).await;
    }
    let sent = queue_test(&mut tx, state, who, member, &to).await?;
    once.store_response(&mut tx, member.org(), &sent).await?;
    tx.commit().await?;
    state.notify_committed();
    with_outlook(state, member, sent).await
}

/// Adds the expected fate of the message.
async fn with_outlook(state: &AppState, member: &OrgMember, mut sent: TestSent) -> TestSendResult {
    let mut conn = state.db()?.acquire_reader().await?;
    sent.outlook =
        outlook::load_outlook(&mut conn, &state.origin, state.send_channels(), member.org(), sent.message_id).await?;
    Ok((StatusCode::ACCEPTED, axum::Json(sent)))
}

async fn queue_test(
    tx: &mut Tx,
    state: &AppState,
    who: &RequestContext,
    member: &OrgMember,
    to: &TestTarget,
) -> ApiResult<TestSent> {
    org::lock(tx, member.org()).await?;
    let org = org::find(tx, member.org()).await?.ok_or_else(ApiError::not_found)?;
    let recipient = to.find_recipient(tx, &org, member).await?;
    let sent =
        test_send::send_test_message(tx, &state.origin, state.send_channels(), &org, &recipient, member.account())
            .await?;
    let MessageId(id) = sent.message_id;
    audit::record(tx, &state.origin, &who.actor_for(member), org.id, AuditAction::TestSent, Some(id)).await?;
    Ok(sent)
}

/// Sends a test email to oneself
///
/// Its state is that of any message. The 409 says what is missing. With an `Idempotency-Key` a repeated request is not
/// a second email.
#[utoipa::path(post, path = "/api/test/email", operation_id = "testEmail", tag = "settings",
    security(("session" = ["owner", "office"])),
    params(openapi::IdempotencyKey),
    responses((status = 202, description = "Queued", body = TestSent), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::Invalid, openapi::TooMany,
        openapi::Unavailable))]
pub async fn test_email(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
) -> TestSendResult {
    send_test(&state, &who, &member, &headers, TestTarget::OwnEmail).await
}

/// Sends a test text to the business
///
/// To the first phone of the recipient list, else to the business's own. The 409 says what is missing. With an
/// `Idempotency-Key` a repeated request is not a second text.
#[utoipa::path(post, path = "/api/test/sms", operation_id = "testSms", tag = "settings",
    security(("session" = ["owner", "office"])),
    params(openapi::IdempotencyKey),
    responses((status = 202, description = "Queued", body = TestSent), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::Invalid, openapi::TooMany,
        openapi::Unavailable))]
pub async fn test_sms(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
) -> TestSendResult {
    send_test(&state, &who, &member, &headers, TestTarget::Phone).await
}

/// Sends a test to a recipient
///
/// The 409 says what is missing. With an `Idempotency-Key` a repeated request is not a second message.
#[utoipa::path(post, path = "/api/org/{orgId}/recipients/{id}/test", operation_id = "testRecipient", tag = "settings",
    security(("session" = ["owner", "office"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug"),
        ("id" = uuid::Uuid, Path, description = "The recipient"),
        openapi::IdempotencyKey),
    responses((status = 202, description = "Queued", body = TestSent), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Invalid,
        openapi::TooMany, openapi::Unavailable))]
pub async fn test_recipient(
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
    recipient: RecipientParam,
    headers: HeaderMap,
) -> TestSendResult {
    send_test(&state, &who, &member, &headers, TestTarget::Recipient(recipient.id())).await
}
