//! The people who can sign in, as Client Management lists them, and a new password for one of them.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::Serialize;
use shared::{
    domain::tenancy::{
        account::{
            client::{self, Client, Of},
            reset,
        },
        audit::{self, Action},
        push_device,
        security::device,
        session,
        trust_level::{self, Reach},
    },
    platform::{
        error::Error,
        id::AccountId,
        live::{self, Topic},
        text, throttle,
    },
};
use utoipa::ToSchema;

use crate::{
    auth::OwnerOrOperator,
    client_info::Who,
    error::ApiResult,
    extract::{Id, Query},
    idempotency::Once,
    openapi, pagination,
    routes::account_mail,
    state::AppState,
};

/// Links that one person is sent by others within an hour.
const LINKS: i64 = 5;
const RESET: &str = "client reset";

const PATH: &str = "/api/admin/clients";

/// Whose people a caller looks after.
fn whose(caller: &OwnerOrOperator) -> Of {
    if caller.is_operator { Of::Install } else { Of::Business(caller.member.org()) }
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
    responses((status = 200, description = "One page, the newest first", body = Vec<Client>,
            headers(("X-Total-Count" = i64, description = "How many match in all"),
                ("Link" = String, description = "The next page, rel=\"next\""))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn list_clients(
    caller: OwnerOrOperator,
    State(state): State<AppState>,
    query: Query,
) -> ApiResult<(HeaderMap, axum::Json<Vec<Client>>)> {
    let filter = client::Filter {
        of: whose(&caller),
        q: query.text("q", 100)?,
        limit: query.number("limit", 1..=500, 100)?,
        cursor: query.text("cursor", 200)?,
    };
    let mut conn = caller.reaching(state.db()?.read()).await?;
    let page = client::list(&mut conn, &filter).await?;
    let next = page.next.map(|next| pagination::link(PATH, &query, &["q", "limit"], &next));
    Ok((pagination::headers(page.total, next), axum::Json(page.clients)))
}

/// That a link is on its way.
#[derive(Serialize, ToSchema)]
#[schema(as = ClientResetSent)]
pub struct ResetSent {
    /// Always `sent`.
    status: &'static str,
}

/// Has somebody choose a new password
///
/// They are signed out everywhere at once, and mailed a link that works once, for 30 minutes. Asks for a sign-in that is
/// not older than 15 minutes. With an `Idempotency-Key` a repeated request sends nothing twice.
#[utoipa::path(post, path = "/api/admin/clients/{id}/reset-password", operation_id = "resetClientPassword",
    tag = "security", security(("session" = ["owner"])),
    params(("id" = uuid::Uuid, Path, description = "The person"),
        ("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
            description = "The same key and content get the first answer again, the same key and other content a 422")),
    responses((status = 202, description = "The link is on its way", body = ResetSent, headers(
            ("X-Waiting" = String, description = "Why it does not leave now: email: saved as a file"))),
        openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Invalid,
        openapi::TooMany, openapi::Unavailable))]
pub async fn reset_client_password(
    caller: OwnerOrOperator,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    headers: HeaderMap,
) -> ApiResult<(StatusCode, HeaderMap, axum::Json<ResetSent>)> {
    const SENT: ResetSent = ResetSent { status: "sent" };
    caller.member.is_fresh(state.origin.now())?;
    let (by, once) = (caller.member.org(), Once::new("client_reset", &headers, &id.to_string())?);
    let (origin, secret) = (&state.origin, &state.settings.secret);
    let mut tx = caller.reaching(state.db()?.begin()).await?;
    if once.earlier::<AccountId>(&mut tx, &state, by).await?.is_some() {
        return Ok((StatusCode::ACCEPTED, account_mail::waiting(&state).await?, axum::Json(SENT)));
    }
    let account = client::find(&mut tx, whose(&caller), AccountId(id)).await?;
    once.keep(&mut tx, by, &account.id).await?;
    if !account.is_active {
        return Err(Error::Conflict("They cannot sign in. Activate them first.").into());
    }
    if trust_level::reach(&mut tx, account.org_id, &account.email, true).await? == Reach::Own {
        throttle::count(&mut tx, origin, secret, RESET, &text::mailbox(&account.email), LINKS).await?;
    } else {
        throttle::count_mail(&mut tx, origin, secret, (RESET, LINKS), &account.email).await?;
    }
    reset::send(&mut tx, origin, secret, &state.settings.public_url, &account).await?;
    session::end_all(&mut tx, account.org_id, account.id).await?;
    push_device::end_account(&mut tx, account.org_id, account.id).await?;
    device::forget(&mut tx, origin, account.org_id, account.id, None).await?;
    // Open pages look at who they are again, and theirs are closed.
    live::announce(&mut tx, origin, account.org_id, Topic::Settings, account.org_id.0, None).await?;
    // In the log of the business whose person it is, whoever asked for it.
    audit::note(&mut tx, origin, &who.actor(&caller.member), account.org_id, Action::ClientPasswordReset, Some(id));
    tx.commit().await?;
    state.wake();
    Ok((StatusCode::ACCEPTED, account_mail::waiting(&state).await?, axum::Json(SENT)))
}
