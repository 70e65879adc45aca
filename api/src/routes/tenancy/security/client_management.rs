//! Users as listed in Client Management, and password resets for them.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::Serialize;
use shared::{
    conflicts::ConflictCode,
    domain::{
        messaging::account_email::password_reset,
        tenancy::{
            account::client::{self, ClientAccount, ClientScope},
            audit::{self, AuditAction},
            push_device,
            security::device,
            session,
            trust_level::context::{RecipientScope, classify_recipient},
        },
    },
    platform::{
        id::AccountId,
        live::{self, Topic},
        text,
        throttle::{self, WindowLimit},
    },
};
use utoipa::ToSchema;

use crate::{
    auth::OwnerOrOperator,
    client_info::RequestContext,
    error::ApiResult,
    extract::{PathId, QueryParams},
    idempotency::IdempotentOperation,
    openapi, pagination,
    routes::tenancy::account_mail_status,
    state::AppState,
};

/// Reset links per user and hour.
const LINKS: i64 = 5;
const RESET: &str = "client reset";

const PATH: &str = "/api/admin/clients";

fn client_scope(caller: &OwnerOrOperator) -> ClientScope {
    if caller.is_operator { ClientScope::Install } else { ClientScope::Business(caller.member.org()) }
}

/// Who can sign in
///
/// The owner sees the people of the business; an operator of the install sees everybody.
#[utoipa::path(get, path = "/api/admin/clients", operation_id = "listClients", tag = "security",
    security(("session" = ["owner"])),
    params(("q" = Option<String>, Query, description = "Found in name, email or business", max_length = 100),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 500, description = "At most so many; 100 when absent"),
        ("cursor" = Option<String>, Query, pattern = "^([0-9]{1,13}_[0-9a-f]{32})?$",
            description = "Where to go on, from the Link header")),
    responses((status = 200, description = "One page, the newest first", body = Vec<ClientAccount>,
            headers(("X-Total-Count" = i64, description = "How many match in all"),
                ("Link" = String, description = "The next page, rel=\"next\""))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn list_clients(
    caller: OwnerOrOperator,
    State(state): State<AppState>,
    query: QueryParams,
) -> ApiResult<(HeaderMap, axum::Json<Vec<ClientAccount>>)> {
    let filter = client::ClientFilter {
        of: client_scope(&caller),
        q: query.parse_text("q", 100)?,
        limit: query.parse_number("limit", 1..=500, 100)?,
        cursor: query.parse_text("cursor", 200)?,
    };
    let mut conn = caller.with_caller_scope(state.db()?.acquire_reader()).await?;
    let page = client::list(&mut conn, &filter).await?;
    let next = page.next.map(|next| pagination::next_page_link(PATH, &query, &["q", "limit"], &next));
    Ok((pagination::pagination_headers(page.total, next), axum::Json(page.clients)))
}

/// That a link is on its way.
#[derive(Serialize, ToSchema)]
pub struct ClientResetSent {
    /// Always `sent`.
    status: &'static str,
}

/// Sends a password reset to a member
///
/// They are signed out everywhere at once, and mailed a link that works once, for 30 minutes. Asks for a sign-in that is
/// not older than 15 minutes. With an `Idempotency-Key` a repeated request sends nothing twice.
#[utoipa::path(post, path = "/api/admin/clients/{id}/reset-password", operation_id = "resetClientPassword",
    tag = "security", security(("session" = ["owner"])),
    params(("id" = uuid::Uuid, Path, description = "The person"),
        openapi::IdempotencyKey),
    responses((status = 202, description = "The link is on its way", body = ClientResetSent, headers(
            ("X-Waiting" = String, description = "Why it does not leave now: email: saved as a file"))),
        openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Invalid,
        openapi::TooMany, openapi::Unavailable))]
pub async fn reset_client_password(
    caller: OwnerOrOperator,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    headers: HeaderMap,
) -> ApiResult<(StatusCode, HeaderMap, axum::Json<ClientResetSent>)> {
    const SENT: ClientResetSent = ClientResetSent { status: "sent" };
    caller.member.require_fresh(state.origin.now())?;
    let (by, once) = (caller.member.org(), IdempotentOperation::new("client_reset", &headers, &id.to_string())?);
    let (origin, secret) = (&state.origin, &state.settings.secret);
    let mut tx = caller.with_caller_scope(state.db()?.begin()).await?;
    if once.find_stored_response::<AccountId>(&mut tx, &state, by).await?.is_some() {
        return Ok((StatusCode::ACCEPTED, account_mail_status::waiting_headers(&state).await?, axum::Json(SENT)));
    }
    let account = client::find_account(&mut tx, client_scope(&caller), AccountId(id)).await?;
    once.store_response(&mut tx, by, &account.id).await?;
    if !account.is_active {
        return Err(ConflictCode::MemberInactive.into());
    }
    if classify_recipient(&mut tx, account.org_id, &account.email, true).await? == RecipientScope::Own {
        let mailbox = text::normalize_mailbox(account.email.as_str());
        throttle::count_action(&mut tx, origin, secret, RESET, &mailbox, WindowLimit::per_hour(LINKS)).await?;
    } else {
        throttle::count_mail(&mut tx, origin, secret, (RESET, LINKS), account.email.as_str()).await?;
    }
    password_reset::send_reset_mail(&mut tx, origin, secret, &state.settings.public_url, &account).await?;
    session::revoke_all_sessions(&mut tx, account.org_id, account.id).await?;
    push_device::delete_account_devices(&mut tx, account.org_id, account.id).await?;
    device::forget_other_devices(&mut tx, origin, account.org_id, account.id, None).await?;
    // Open pages of others reload; those of this user are closed.
    live::publish_event(&mut tx, origin, account.org_id, Topic::Settings, account.org_id.0, None).await?;
    // In the log of the user's business, even if an operator is the caller.
    audit::emit_event(
        &mut tx,
        origin,
        &who.actor_for(&caller.member),
        account.org_id,
        AuditAction::ClientPasswordReset,
        Some(id),
    );
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::ACCEPTED, account_mail_status::waiting_headers(&state).await?, axum::Json(SENT)))
}
