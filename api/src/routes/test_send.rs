//! Test messages: really sent, or refused with what is missing.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use shared::{
    domain::{
        messaging::message::{Channel, outlook},
        tenancy::{
            audit::{self, Action},
            org::{
                self, Org, Recipient, recipients,
                test_send::{self, TestSent},
            },
        },
    },
    platform::{db::Tx, id::MessageId},
};

use super::org::{Own, Told};
use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::Who,
    error::{ApiError, ApiResult},
    idempotency::Once,
    openapi,
    state::AppState,
};

type Answer = ApiResult<(StatusCode, axum::Json<TestSent>)>;

/// To whom a test goes.
enum To {
    /// The signed-in person's own email.
    OwnEmail,
    /// The first phone on the list, else the business's own.
    Phone,
    Recipient(shared::platform::id::RecipientId),
}

impl To {
    async fn find(&self, tx: &mut Tx, org: &Org, member: &OrgMember) -> shared::platform::error::Result<Recipient> {
        match self {
            Self::OwnEmail => Ok(Recipient { channel: Channel::Email, address: member.session.email.clone() }),
            Self::Phone => test_send::phone(tx, org).await,
            Self::Recipient(id) => recipients::get(tx, org.id, *id).await,
        }
    }

    fn name(&self) -> String {
        match self {
            Self::OwnEmail => "email".to_owned(),
            Self::Phone => "sms".to_owned(),
            Self::Recipient(id) => id.to_string(),
        }
    }
}

async fn send(state: &AppState, who: &Who, member: &OrgMember, headers: &HeaderMap, to: To) -> Answer {
    let once = Once::new("test", headers, &to.name())?;
    let mut tx = state.db()?.begin().await?;
    if let Some(sent) = once.earlier(&mut tx, state, member.org()).await? {
        drop(tx);
        return foreseen(state, member, sent).await;
    }
    let sent = queue(&mut tx, state, who, member, &to).await?;
    once.keep(&mut tx, member.org(), &sent).await?;
    tx.commit().await?;
    state.wake();
    foreseen(state, member, sent).await
}

/// The same with what becomes of it.
async fn foreseen(state: &AppState, member: &OrgMember, mut sent: TestSent) -> Answer {
    let mut conn = state.db()?.read().await?;
    sent.outlook = outlook::of(&mut conn, &state.origin, state.set_up(), member.org(), sent.message_id).await?;
    Ok((StatusCode::ACCEPTED, axum::Json(sent)))
}

async fn queue(tx: &mut Tx, state: &AppState, who: &Who, member: &OrgMember, to: &To) -> ApiResult<TestSent> {
    org::lock(tx, member.org()).await?;
    let org = org::find(tx, member.org()).await?.ok_or_else(ApiError::not_found)?;
    let recipient = to.find(tx, &org, member).await?;
    let sent = test_send::send(tx, &state.origin, state.set_up(), &org, &recipient, member.account()).await?;
    let MessageId(id) = sent.message_id;
    audit::record(tx, &state.origin, &who.actor(member), org.id, Action::TestSent, Some(id)).await?;
    Ok(sent)
}

/// Sends a test email to oneself
///
/// Its state is that of any message. The 409 says what is missing. With an `Idempotency-Key` a repeated request is not
/// a second email.
#[utoipa::path(post, path = "/api/test/email", operation_id = "testEmail", tag = "settings",
    security(("session" = ["owner", "office"])),
    params(("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
        description = "The same key gets the first answer again")),
    responses((status = 202, description = "Queued", body = TestSent), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::Invalid, openapi::TooMany,
        openapi::Unavailable))]
pub async fn test_email(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
) -> Answer {
    send(&state, &who, &member, &headers, To::OwnEmail).await
}

/// Sends a test text to the business
///
/// To the first phone that is told of leads, else to the business's own. The 409 says what is missing. With an
/// `Idempotency-Key` a repeated request is not a second text.
#[utoipa::path(post, path = "/api/test/sms", operation_id = "testSms", tag = "settings",
    security(("session" = ["owner", "office"])),
    params(("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
        description = "The same key gets the first answer again")),
    responses((status = 202, description = "Queued", body = TestSent), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::Invalid, openapi::TooMany,
        openapi::Unavailable))]
pub async fn test_sms(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
) -> Answer {
    send(&state, &who, &member, &headers, To::Phone).await
}

/// Sends a test to one who is told
///
/// The 409 says what is missing. With an `Idempotency-Key` a repeated request is not a second message.
#[utoipa::path(post, path = "/api/org/{orgId}/recipients/{id}/test", operation_id = "testRecipient", tag = "settings",
    security(("session" = ["owner", "office"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug"),
        ("id" = uuid::Uuid, Path, description = "The one who is told"),
        ("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
            description = "The same key gets the first answer again")),
    responses((status = 202, description = "Queued", body = TestSent), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Invalid,
        openapi::TooMany, openapi::Unavailable))]
pub async fn test_recipient(
    Own(member): Own,
    State(state): State<AppState>,
    who: Who,
    told: Told,
    headers: HeaderMap,
) -> Answer {
    send(&state, &who, &member, &headers, To::Recipient(told.id())).await
}
