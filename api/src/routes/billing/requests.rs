//! Who asked for a demo, for whoever runs this install: the list, and the letter once more to who has paid and never got
//! it.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::{Deserialize, Serialize};
use shared::{
    domain::{
        intake::demo_request::{self, DemoRequest},
        tenancy::audit::Action,
    },
    ops::subscription,
    platform::{db::tenant_scope::across_businesses, id::DemoRequestId, text},
};
use utoipa::ToSchema;

use super::house;
use crate::{
    auth::{Fresh, OrgMember},
    client_info::Who,
    error::{ApiError, ApiResult, ErrorCode},
    extract::{Id, Json as Typed, Query},
    idempotency::Once,
    openapi::{self, fields},
    pagination,
    routes::{account_mail, org::noted},
    state::AppState,
};

/// # Errors
/// 403 for everybody else, 404 for the demonstration's viewer.
fn operator(member: OrgMember, state: &AppState) -> ApiResult<OrgMember> {
    let member = member.of_this_install()?;
    if !state.is_operator(&member.session) {
        return Err(ApiError::new(ErrorCode::Forbidden, "This is for the operator of this install."));
    }
    Ok(member)
}

/// Who asked for a demo, newest first: for the install's operator
#[utoipa::path(get, path = "/api/demo-requests", operation_id = "listDemoRequests", tag = "billing",
    security(("session" = ["operator"])),
    params(("limit" = Option<i64>, Query, minimum = 1, maximum = 500, description = "At most so many; 100 when absent"),
        ("cursor" = Option<String>, Query, pattern = "^([0-9]{1,13}_[0-9a-f]{32})?$",
            description = "Where to go on, from the Link header")),
    responses((status = 200, description = "One page", body = Vec<DemoRequest>,
            headers(("X-Total-Count" = i64, description = "How many there are in all"),
                ("Link" = String, description = "The next page, rel=\"next\""))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Invalid, openapi::Unavailable))]
pub async fn list_demo_requests(
    member: OrgMember,
    State(state): State<AppState>,
    query: Query,
) -> ApiResult<(HeaderMap, Json<Vec<DemoRequest>>)> {
    operator(member, &state)?;
    let (limit, cursor) = (query.number("limit", 1..=500, 100)?, query.text("cursor", 200)?);
    let mut conn = across_businesses(state.db()?.read()).await?;
    let page = demo_request::list(&mut conn, limit, cursor.as_deref()).await?;
    let next = page.next.map(|next| pagination::link("/api/demo-requests", &query, &["limit"], &next));
    Ok((pagination::headers(page.total, next), Json(page.requests)))
}

/// Where the letter goes.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = DemoInvitation)]
pub struct InvitationForm {
    /// Theirs, where they mistyped it; the one they gave when absent.
    #[schema(schema_with = fields::email)]
    email: Option<String>,
}

/// That a letter is on its way.
#[derive(Serialize, ToSchema)]
#[schema(as = DemoInvited)]
pub struct Invited {
    /// Always `sent`.
    status: &'static str,
}

/// Sends the link to a subscription that was paid for once more
///
/// For who paid before they had an account and mistyped their address, or lost the letter. Once to each address. Asks for
/// a sign-in that is not older than 15 minutes. With an `Idempotency-Key` a repeated request sends nothing twice.
#[utoipa::path(post, path = "/api/demo-requests/{id}/invite", operation_id = "inviteDemoRequest", tag = "billing",
    security(("session" = ["operator"])), request_body = InvitationForm,
    params(("id" = uuid::Uuid, Path, description = "The request"),
        ("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
            description = "The same key and content get the first answer again, the same key and other content a 422")),
    responses((status = 202, description = "The letter is on its way", body = Invited, headers(
            ("X-Waiting" = String, description = "Why it does not leave now: email: saved as a file"))),
        openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn invite_demo_request(
    Fresh(member): Fresh<OrgMember>,
    State(state): State<AppState>,
    Id(id): Id,
    who: Who,
    headers: HeaderMap,
    Typed(form): Typed<InvitationForm>,
) -> ApiResult<(StatusCode, HeaderMap, Json<Invited>)> {
    const SENT: Invited = Invited { status: "sent" };
    let member = operator(member, &state)?;
    let once = Once::new("demo_invite", &headers, &format!("{id} {form:?}"))?;
    let read = |typed| text::email(typed).ok_or_else(|| ApiError::field("email", text::why_no_email(typed)));
    let email = form.email.as_deref().map(read).transpose()?;
    let mut tx = across_businesses(state.db()?.begin()).await?;
    if once.earlier::<DemoRequestId>(&mut tx, &state, member.org()).await?.is_some() {
        return Ok((StatusCode::ACCEPTED, account_mail::waiting(&state).await?, Json(SENT)));
    }
    once.keep(&mut tx, member.org(), &DemoRequestId(id)).await?;
    subscription::claim::invite_again(&mut tx, house(&state), DemoRequestId(id), email.as_deref()).await?;
    noted(&mut tx, &state, &who, &member, (Action::SubscriptionInvited, id)).await?;
    tx.commit().await?;
    state.wake();
    Ok((StatusCode::ACCEPTED, account_mail::waiting(&state).await?, Json(SENT)))
}
