//! A business's own Stripe account: set, check and remove its keys.

use axum::{Json, extract::State};
use shared::{
    conflicts::ConflictReason,
    domain::{
        money::{
            card_payments::CardPayments,
            checkout,
            connected_account::{self, EndedBy},
            reconciliation,
        },
        tenancy::{
            audit::AuditAction,
            org::{
                self,
                keys::{self, stripe_form::StripeForm},
            },
        },
    },
    platform::{db::AsConn, id::OrgId},
    providers::payments::{StripeCredentials, StripeError},
};

use crate::{
    auth::{OrgOwner, RecentlyVerified},
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::Json as Typed,
    openapi,
    routes::tenancy::org::{OwnOrgAccess, record_change},
    state::AppState,
};

pub(super) async fn card_settings_view(
    state: &AppState,
    conn: &mut dyn AsConn,
    org: OrgId,
    keys: Option<&StripeCredentials>,
) -> ApiResult<CardPayments> {
    let url = state.settings.public_url.join(&keys::webhook_path(org, keys));
    let last_event_at = keys::last_event_at(&mut *conn, org).await?;
    let account = keys.map(StripeCredentials::account_key);
    let reconciliation =
        reconciliation::load_reconciliation(&mut *conn, org, account.as_deref(), state.origin.now()).await?;
    let key_refused_at = match keys {
        Some(keys) if keys.connected.is_some() => connected_account::unreachable_since(&mut *conn, org).await?,
        _ => keys::refused_at(&mut *conn, org).await?,
    };
    let connect = connected_account::load_connection(conn, org, keys, state.settings.connect.is_some()).await?;
    Ok(CardPayments { reconciliation, connect, key_refused_at, ..CardPayments::from_keys(keys, url, last_event_at) })
}

/// Whether the business takes cards
#[utoipa::path(get, path = "/api/org/{orgId}/stripe", operation_id = "getCardPayments", tag = "settings",
    security(("session" = ["owner", "office"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "Its state, without keys", body = CardPayments),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_cards(
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
) -> ApiResult<Json<CardPayments>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let found = keys::load_stripe_keys(&mut conn, &state.settings.secret, member.org()).await?;
    Ok(Json(card_settings_view(&state, &mut conn, member.org(), found.as_ref()).await?))
}

/// Adds the account id, where the key may read it: pages and payments stay attributable after the key is rolled.
async fn with_account_name(state: &AppState, keys: StripeCredentials) -> ApiResult<StripeCredentials> {
    match state.stripe.fetch_own_account(&keys).await {
        Ok(account) => Ok(StripeCredentials { own_account: Some(account.id), ..keys }),
        Err(StripeError::Retry { reason, .. }) => Err(ApiError::unavailable(format!("Stripe {reason}"))),
        Err(StripeError::Key(_) | StripeError::Refused(_)) => Ok(keys),
    }
}

/// Puts a business's keys at Stripe in place
///
/// They are tried with one question before they are kept, and sealed with the install's secret.
#[utoipa::path(put, path = "/api/org/{orgId}/stripe", operation_id = "setStripeKeys", tag = "settings",
    security(("session" = ["owner"])), request_body = StripeForm,
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "In place", body = CardPayments), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Invalid,
        openapi::TooLarge, openapi::WrongMedia, openapi::Unavailable))]
pub async fn set_keys(
    _owner: RecentlyVerified<OrgOwner>,
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
    Typed(form): Typed<StripeForm>,
) -> ApiResult<Json<CardPayments>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let old = keys::load_stripe_keys(&mut conn, &state.settings.secret, member.org()).await?;
    drop(conn);
    let new = form.validate_keys(old, state.origin.now())?;
    state.stripe.verify_keys(&new).await.map_err(|e| match e {
        StripeError::Retry { .. } => ApiError::unavailable(format!("Stripe {e}")),
        StripeError::Key(_) | StripeError::Refused(_) => ConflictReason::stripe_refused(&e.to_string()).into(),
    })?;
    let new = with_account_name(&state, new).await?;
    let mut tx = state.db()?.begin().await?;
    org::lock(&mut tx, member.org()).await?;
    checkout::switch_account(&mut tx, &state.origin, &state.settings.secret, member.org(), Some(&new)).await?;
    connected_account::end_connection(&mut tx, &state.origin, member.org(), EndedBy::Keys).await?;
    keys::store_stripe_keys(&mut tx, &state.origin, &state.settings.secret, member.org(), &new).await?;
    checkout::enqueue_refund_checks_with_new_keys(&mut tx, &state.origin, member.org()).await?;
    checkout::enqueue_expiry_with_new_keys(&mut tx, &state.origin, member.org()).await?;
    reconciliation::begin_run_with_new_keys(&mut tx, &state.origin, member.org()).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::StripeKeysChanged, member.org().0)).await?;
    let cards = card_settings_view(&state, &mut tx, member.org(), Some(&new)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(Json(cards))
}

/// Takes a business's keys at Stripe away, or ends its connection: no card can be paid with any more
///
/// Open pages for payments are expired at Stripe. An account that was connected stays at Stripe, and connecting once more
/// takes it up again.
#[utoipa::path(delete, path = "/api/org/{orgId}/stripe", operation_id = "removeStripeKeys", tag = "settings",
    security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "Taken away", body = CardPayments), openapi::Unauthenticated,
        openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn remove_keys(
    _owner: RecentlyVerified<OrgOwner>,
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
) -> ApiResult<Json<CardPayments>> {
    let mut tx = state.db()?.begin().await?;
    org::lock(&mut tx, member.org()).await?;
    checkout::switch_account(&mut tx, &state.origin, &state.settings.secret, member.org(), None).await?;
    let was_begun = connected_account::end_connection(&mut tx, &state.origin, member.org(), EndedBy::Owner).await?;
    if keys::delete_stripe_keys(&mut tx, member.org()).await? || was_begun {
        record_change(&mut tx, &state, &who, &member, (AuditAction::StripeKeysChanged, member.org().0)).await?;
    }
    let cards = card_settings_view(&state, &mut tx, member.org(), None).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(Json(CardPayments { last_event_at: None, ..cards }))
}
