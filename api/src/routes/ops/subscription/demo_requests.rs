//! Demo requests, for the operator: list, and resending the welcome mail to a payer who never got it.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::{Deserialize, Serialize};
use shared::{
    domain::{
        intake::demo_request::{self, DemoRequest},
        tenancy::audit::AuditAction,
    },
    ops::subscription,
    platform::{db::tenant_scope::across_tenants, email_address::EmailAddress, id::DemoRequestId, text},
};
use utoipa::ToSchema;

use super::billing_context;
use crate::{
    auth::{OrgMember, RecentlyVerified},
    client_info::RequestContext,
    error::{ApiError, ApiResult, ErrorCode},
    extract::{Json as Typed, PathId, QueryParams},
    idempotency::IdempotentOperation,
    openapi::{self, fields},
    pagination,
    routes::tenancy::{account_mail_status, org::record_change},
    state::AppState,
};

/// Errors: 403 for other callers, 404 for the demonstration's viewer.
fn require_operator(member: OrgMember, state: &AppState) -> ApiResult<OrgMember> {
    let member = member.reject_demo()?;
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
    query: QueryParams,
) -> ApiResult<(HeaderMap, Json<Vec<DemoRequest>>)> {
    require_operator(member, &state)?;
    let (limit, cursor) = (query.parse_number("limit", 1..=500, 100)?, query.parse_text("cursor", 200)?);
    let mut conn = across_tenants(state.db()?.acquire_reader()).await?;
    let page = demo_request::list(&mut conn, limit, cursor.as_deref()).await?;
    let next = page.next.map(|next| pagination::next_page_link("/api/demo-requests", &query, &["limit"], &next));
    Ok((pagination::pagination_headers(page.total, next), Json(page.requests)))
}

/// Where the letter goes.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DemoInvitation {
    /// Theirs, where they mistyped it; the one they gave when absent.
    #[schema(schema_with = fields::email_address)]
    email: Option<String>,
}

/// That a letter is on its way.
#[derive(Serialize, ToSchema)]
#[schema(as = DemoInvited)]
pub struct DemoInvitationSent {
    /// Always `sent`.
    status: &'static str,
}

/// Sends the link to a subscription that was paid for once more
///
/// For who paid before they had an account and mistyped their address, or lost the letter. Once to each address. Asks for
/// a sign-in that is not older than 15 minutes. With an `Idempotency-Key` a repeated request sends nothing twice.
#[utoipa::path(post, path = "/api/demo-requests/{id}/invite", operation_id = "inviteDemoRequest", tag = "billing",
    security(("session" = ["operator"])), request_body = DemoInvitation,
    params(("id" = uuid::Uuid, Path, description = "The request"),
        openapi::IdempotencyKey),
    responses((status = 202, description = "The letter is on its way", body = DemoInvitationSent, headers(
            ("X-Waiting" = String, description = "Why it does not leave now: email: saved as a file"))),
        openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn invite_demo_request(
    RecentlyVerified(member): RecentlyVerified<OrgMember>,
    State(state): State<AppState>,
    PathId(id): PathId,
    who: RequestContext,
    headers: HeaderMap,
    Typed(form): Typed<DemoInvitation>,
) -> ApiResult<(StatusCode, HeaderMap, Json<DemoInvitationSent>)> {
    const SENT: DemoInvitationSent = DemoInvitationSent { status: "sent" };
    let member = require_operator(member, &state)?;
    let once = IdempotentOperation::new("demo_invite", &headers, &format!("{id} {form:?}"))?;
    let read = |typed| {
        EmailAddress::parse(typed).ok_or_else(|| ApiError::invalid_field("email", text::invalid_email_reason(typed)))
    };
    let email = form.email.as_deref().map(read).transpose()?;
    let mut tx = across_tenants(state.db()?.begin()).await?;
    if once.find_stored_response::<DemoRequestId>(&mut tx, &state, member.org()).await?.is_some() {
        return Ok((StatusCode::ACCEPTED, account_mail_status::waiting_headers(&state).await?, Json(SENT)));
    }
    once.store_response(&mut tx, member.org(), &DemoRequestId(id)).await?;
    subscription::claim::resend_claim_invite(&mut tx, billing_context(&state), DemoRequestId(id), email.as_ref())
        .await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::SubscriptionInvited, id)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::ACCEPTED, account_mail_status::waiting_headers(&state).await?, Json(SENT)))
}
