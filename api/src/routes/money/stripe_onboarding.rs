//! Stripe Connect onboarding, instead of pasted keys: to Stripe and back.
//!
//! The account is created by us for this business; its id is never taken from a link. The return link carries a token
//! that works once, for an hour, and only for the owner who started.

use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};
use shared::{
    conflicts::ConflictCode,
    domain::{
        money::{
            card_payments::CardPayments,
            connected_account::{self, AccountLook, ConnectedAccount, ReachedAccount},
        },
        tenancy::{audit::AuditAction, org::keys, trust_level::usage},
    },
    providers::payments::{
        StripeError,
        connect::{ConnectPlatform, StripeAccount},
    },
};
use utoipa::ToSchema;

use super::stripe_keys::card_settings_view;
use crate::{
    auth::{OrgMember, OrgOwner, RecentlyVerified},
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::Json as Typed,
    maintenance_mode, openapi,
    routes::tenancy::org::{OwnOrgAccess, load_profile, record_change},
    state::AppState,
};

/// Our tokens have 43 characters; a longer one is invalid.
const LONGEST: usize = 100;

/// What comes next
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = StripeConnectionBegun)]
pub struct StripeConnectionStarted {
    /// The page of Stripe's to open now, good once and for minutes. Null when Stripe needs nothing more.
    url: Option<String>,
    cards: CardPayments,
}

/// State token of Stripe's return address
#[derive(Deserialize, ToSchema)]
pub struct StripeReturn {
    /// The token in it.
    state: String,
}

/// Begins to connect the business's account at Stripe, or goes on with it
///
/// Makes the account the first time. Keys that are in place stay in force until the account is ready. Asks for a confirmed
/// email address.
#[utoipa::path(post, path = "/api/org/{orgId}/stripe/connect", operation_id = "beginStripeConnection", tag = "settings",
    security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "Where to go", body = StripeConnectionStarted), openapi::Unauthenticated,
        openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn begin_connection(
    _owner: RecentlyVerified<OrgOwner>,
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
) -> ApiResult<Json<StripeConnectionStarted>> {
    let platform = state.settings.connect.as_ref().ok_or(ConflictCode::StripeConnectNotOffered.into_error())?;
    maintenance_mode::refuse_if_frozen(&state, ConflictCode::InstallIsCopy).await?;
    let (connection, reached) = find_or_create_account(&state, platform, &member).await?;
    let account = reached.account.clone();
    let look = AccountLook::Reached(reached);
    let mut tx = state.db()?.begin().await?;
    member.require_live_session(&mut tx, &state).await?;
    if !connected_account::record_account_created(&mut tx, &state.origin, &connection, &account).await? {
        return Err(ConflictCode::StripeConnectionEnded.into());
    }
    record_change(&mut tx, &state, &who, &member, (AuditAction::StripeConnectBegun, member.org().0)).await?;
    if account.charges_enabled && account.details_submitted {
        connected_account::confirm_connection(&mut tx, &state.origin, member.org()).await?;
        tx.commit().await?;
        let cards = record_account(&state, &member, &connection, &look).await?;
        return Ok(Json(StripeConnectionStarted { url: None, cards }));
    }
    let person = member.session.account_id;
    let token = connected_account::create_return_state(&mut tx, &state.origin, member.org(), person).await?;
    tx.commit().await?;
    let url = onboarding_link(&state, platform, &account, &token).await?;
    let cards = record_account(&state, &member, &connection, &look).await?;
    Ok(Json(StripeConnectionStarted { url: Some(url), cards }))
}

/// Comes back from Stripe
///
/// With the token of the return address. Asks Stripe for the state of the account.
#[utoipa::path(post, path = "/api/org/{orgId}/stripe/connect/return", operation_id = "returnFromStripe",
    tag = "settings", security(("session" = ["owner"])), request_body = StripeReturn,
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "Its state", body = CardPayments), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Invalid,
        openapi::TooLarge, openapi::WrongMedia, openapi::Unavailable))]
pub async fn return_from_stripe(
    _owner: OrgOwner,
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
    Typed(back): Typed<StripeReturn>,
) -> ApiResult<Json<CardPayments>> {
    let platform = state.settings.connect.as_ref().ok_or(ConflictCode::StripeConnectNotOffered.into_error())?;
    let mut tx = state.db()?.begin().await?;
    member.require_live_session(&mut tx, &state).await?;
    let token = Some(back.state.as_str()).filter(|token| token.len() <= LONGEST).unwrap_or_default();
    let person = member.session.account_id;
    if !connected_account::consume_return_state(&mut tx, &state.origin, member.org(), person, token).await? {
        return Err(ConflictCode::StripeReturnExpired.into());
    }
    record_change(&mut tx, &state, &who, &member, (AuditAction::StripeConnectReturned, member.org().0)).await?;
    let connection = connected_account::find_current(&mut tx, member.org()).await?;
    tx.commit().await?;
    let Some(connection) = connection else { return Err(ConflictCode::StripeReturnExpired.into()) };
    let Some(account) = &connection.account else { return Err(ConflictCode::StripeReturnExpired.into()) };
    match connected_account::look_at_account(&state.stripe, platform, &connection, account).await {
        Ok(look) => Ok(Json(record_account(&state, &member, &connection, &look).await?)),
        Err(error) => {
            tracing::warn!(%error, "Stripe did not tell the state of a connected account; it is asked again");
            Ok(Json(schedule_account_check(&state, &member).await?))
        }
    }
}

/// Connected account of the business as Stripe describes it, created if needed. One that was disconnected at Stripe, or
/// that is not in use and out of the platform's reach, is replaced by a new one.
async fn find_or_create_account(
    state: &AppState,
    platform: &ConnectPlatform,
    member: &OrgMember,
) -> ApiResult<(ConnectedAccount, ReachedAccount)> {
    let mut tx = state.db()?.begin().await?;
    member.require_live_session(&mut tx, state).await?;
    // The account is made on the operator's platform, under the address of the owner.
    usage::require_proven_address(&mut tx, member.org()).await?;
    drop(tx);
    let stripe = &state.stripe;
    let own = connected_account::fetch_platform_id(stripe, platform).await.map_err(|e| to_api_error(&e))?;
    for _ in 0..2 {
        let connection = find_or_begin_connection(state, platform, member, own.as_deref()).await?;
        let Some(id) = &connection.account else {
            let account = create_account(state, platform, member, &connection).await?;
            return Ok((connection, ReachedAccount { account, platform: own }));
        };
        let look = connected_account::look_at_account(stripe, platform, &connection, id).await;
        match look.map_err(|e| to_api_error(&e))? {
            AccountLook::Reached(reached) => return Ok((connection, reached)),
            AccountLook::OutOfReach => require_not_in_use(state, &connection).await?,
            AccountLook::Ended => {}
        }
        drop(record_account(state, member, &connection, &AccountLook::Ended).await?);
    }
    Err(ConflictCode::StripeEndedConnection.into())
}

/// Errors: 409 where the account in use was connected to another platform than `own`, the one in force: a new account
/// does not take its place.
async fn find_or_begin_connection(
    state: &AppState,
    platform: &ConnectPlatform,
    member: &OrgMember,
    own: Option<&str>,
) -> ApiResult<ConnectedAccount> {
    let org = member.org();
    let mut tx = state.db()?.begin().await?;
    member.require_live_session(&mut tx, state).await?;
    let keys = keys::load_stripe_keys(&mut tx, &state.settings.secret, org).await?;
    let current = connected_account::find_current(&mut tx, org).await?;
    if current.is_some_and(|one| one.is_of_other_platform(own) && one.matches_keys(keys.as_ref())) {
        return Err(ConflictCode::StripePlatformRefused.into());
    }
    let connection =
        connected_account::begin_connection(&mut tx, &state.origin, org, (platform.is_live_mode(), own)).await?;
    tx.commit().await?;
    Ok(connection)
}

/// Errors: 409 where payments are taken with the account.
async fn require_not_in_use(state: &AppState, connection: &ConnectedAccount) -> ApiResult<()> {
    let mut conn = state.db()?.acquire_reader().await?;
    let keys = keys::load_stripe_keys(&mut conn, &state.settings.secret, connection.org_id).await?;
    if connection.matches_keys(keys.as_ref()) {
        return Err(ConflictCode::StripePlatformRefused.into());
    }
    Ok(())
}

async fn create_account(
    state: &AppState,
    platform: &ConnectPlatform,
    member: &OrgMember,
    connection: &ConnectedAccount,
) -> ApiResult<StripeAccount> {
    let (org, key) = (member.org().to_string(), connection.idempotency_key());
    let error = match state.stripe.create_account(platform, (member.session.email.as_str(), &org), &key).await {
        Ok(made) => return Ok(made),
        Err(error) => error,
    };
    // In doubt the key stays: Stripe answers a repeat with the same account.
    if error.has_stored_error() || !matches!(error, StripeError::Retry { .. }) {
        let mut tx = state.db()?.begin().await?;
        connected_account::discard_failed_connection(&mut tx, connection).await?;
        tx.commit().await?;
    }
    Err(to_api_error(&error))
}

/// Stripe's onboarding page. Both return addresses lead to the settings; only one says that onboarding is done.
async fn onboarding_link(
    state: &AppState,
    platform: &ConnectPlatform,
    account: &StripeAccount,
    token: &str,
) -> ApiResult<String> {
    let url = &state.settings.public_url;
    let back = url.join(&format!("/app/settings?tab=money&stripe=return&state={token}"));
    let again = url.join("/app/settings?tab=money&stripe=refresh");
    let made = state.stripe.create_account_link(platform, &account.id, (&back, &again)).await;
    let made = made.map_err(|e| to_api_error(&e))?;
    if made.starts_with("https://") { Ok(made) } else { Err(ApiError::internal("Stripe's page has no https address")) }
}

fn to_api_error(error: &StripeError) -> ApiError {
    match error {
        StripeError::Retry { .. } => ApiError::unavailable(format!("Stripe {error}")),
        StripeError::Key(_) | StripeError::Refused(_) => {
            tracing::warn!(%error, "Stripe refused the platform of this install");
            ConflictCode::StripePlatformRefused.into()
        }
    }
}

async fn record_account(
    state: &AppState,
    member: &OrgMember,
    connection: &ConnectedAccount,
    look: &AccountLook,
) -> ApiResult<CardPayments> {
    let mut tx = state.db()?.begin().await?;
    let profile = load_profile(&mut tx, member).await?;
    connected_account::apply_account_status(&mut tx, &state.org_context(&profile), connection, look).await?;
    let keys = keys::load_stripe_keys(&mut tx, &state.settings.secret, member.org()).await?;
    let cards = card_settings_view(state, &mut tx, member.org(), keys.as_ref()).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(cards)
}

/// Stripe does not answer now; the worker will ask it.
async fn schedule_account_check(state: &AppState, member: &OrgMember) -> ApiResult<CardPayments> {
    let mut tx = state.db()?.begin().await?;
    connected_account::enqueue_account_check(&mut tx, &state.origin, member.org()).await?;
    let keys = keys::load_stripe_keys(&mut tx, &state.settings.secret, member.org()).await?;
    let cards = card_settings_view(state, &mut tx, member.org(), keys.as_ref()).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(cards)
}
