//! A business's own account at Stripe: its keys put in place, looked at, and taken away.

use axum::{Json, extract::State};
use shared::{
    domain::{
        money::{
            checkout,
            connected_account::{self, EndedBy},
            reconciliation,
        },
        tenancy::{
            audit::Action,
            org::{
                self,
                keys::{self, Cards, StripeForm},
            },
        },
    },
    platform::{db::AsConn, error::Error, id::OrgId},
    providers::payments::{Keys, PayError},
};
use utoipa::ToSchema;

use super::org::{Own, noted};
use crate::{
    auth::{Fresh, OrgOwner},
    client_info::Who,
    error::{ApiError, ApiResult},
    extract::Json as Typed,
    openapi,
    state::AppState,
};

/// A business's keys at Stripe
#[derive(ToSchema)]
#[schema(as = StripeKeys, rename_all = "camelCase")]
#[expect(dead_code, reason = "only described; what is read never prints itself")]
pub struct StripeKeysDoc {
    /// `sk_live_…` or a restricted `rk_live_…`. The one that is in place when absent.
    secret_key: Option<String>,
    /// `whsec_…` of the endpoint. The one before it ends after 24 hours, and at once with another `secretKey` alone.
    webhook_secret: Option<String>,
}

/// How card payments stand with these keys.
pub(super) async fn shown(
    state: &AppState,
    conn: &mut dyn AsConn,
    org: OrgId,
    keys: Option<&Keys>,
) -> ApiResult<Cards> {
    let url = state.settings.public_url.join(&keys::webhook_path(org, keys));
    let heard = keys::last_event_at(&mut *conn, org).await?;
    let reconciliation = reconciliation::shown(&mut *conn, org).await?;
    let key_refused_at = keys::refused_at(&mut *conn, org).await?;
    let connect = connected_account::shown(conn, org, keys, state.settings.connect.is_some()).await?;
    Ok(Cards { reconciliation, connect, key_refused_at, ..Cards::of(keys, url, heard) })
}

/// Whether the business takes cards
#[utoipa::path(get, path = "/api/org/{orgId}/stripe", operation_id = "getCardPayments", tag = "settings",
    security(("session" = ["owner", "office"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "How it stands; no key is ever shown again", body = Cards),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_cards(Own(member): Own, State(state): State<AppState>) -> ApiResult<Json<Cards>> {
    let mut conn = state.db()?.read().await?;
    let found = keys::stripe(&mut conn, &state.settings.secret, member.org()).await?;
    Ok(Json(shown(&state, &mut conn, member.org(), found.as_ref()).await?))
}

/// With the name of the account, where the key may ask for it: pages and payments are known by it after the key was
/// rolled.
async fn named(state: &AppState, keys: Keys) -> ApiResult<Keys> {
    match state.stripe.own_account(&keys).await {
        Ok(account) => Ok(Keys { own_account: Some(account.id), ..keys }),
        Err(PayError::Retry { reason, .. }) => Err(ApiError::unavailable(format!("Stripe {reason}"))),
        Err(PayError::Key(_) | PayError::Refused(_)) => Ok(keys),
    }
}

/// Puts a business's keys at Stripe in place
///
/// They are tried with one question before they are kept, and sealed with the install's secret.
#[utoipa::path(put, path = "/api/org/{orgId}/stripe", operation_id = "setStripeKeys", tag = "settings",
    security(("session" = ["owner"])), request_body = StripeKeysDoc,
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "In place", body = Cards), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Invalid,
        openapi::TooLarge, openapi::WrongMedia, openapi::Unavailable))]
pub async fn set_keys(
    _owner: Fresh<OrgOwner>,
    Own(member): Own,
    State(state): State<AppState>,
    who: Who,
    Typed(form): Typed<StripeForm>,
) -> ApiResult<Json<Cards>> {
    let mut conn = state.db()?.read().await?;
    let old = keys::stripe(&mut conn, &state.settings.secret, member.org()).await?;
    drop(conn);
    let new = form.read(old, state.origin.now())?;
    state.stripe.check(&new).await.map_err(|e| match e {
        PayError::Retry { .. } => ApiError::unavailable(format!("Stripe {e}")),
        PayError::Key(_) | PayError::Refused(_) => Error::Clash(format!("Stripe {e}.")).into(),
    })?;
    let new = named(&state, new).await?;
    let mut tx = state.db()?.begin().await?;
    org::lock(&mut tx, member.org()).await?;
    checkout::change_account(&mut tx, &state.origin, &state.settings.secret, member.org(), Some(&new)).await?;
    connected_account::end(&mut tx, &state.origin, member.org(), EndedBy::Keys).await?;
    keys::set_stripe(&mut tx, &state.origin, &state.settings.secret, member.org(), &new).await?;
    checkout::refunds_look_now(&mut tx, &state.origin, member.org()).await?;
    noted(&mut tx, &state, &who, &member, (Action::StripeKeysChanged, member.org().0)).await?;
    let cards = shown(&state, &mut tx, member.org(), Some(&new)).await?;
    tx.commit().await?;
    state.wake();
    Ok(Json(cards))
}

/// Takes a business's keys at Stripe away, or ends its connection: no card can be paid with any more
///
/// Open pages for payments are expired at Stripe. An account that was connected stays at Stripe, and connecting once more
/// takes it up again.
#[utoipa::path(delete, path = "/api/org/{orgId}/stripe", operation_id = "removeStripeKeys", tag = "settings",
    security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "Taken away", body = Cards), openapi::Unauthenticated,
        openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn remove_keys(
    _owner: Fresh<OrgOwner>,
    Own(member): Own,
    State(state): State<AppState>,
    who: Who,
) -> ApiResult<Json<Cards>> {
    let mut tx = state.db()?.begin().await?;
    org::lock(&mut tx, member.org()).await?;
    checkout::change_account(&mut tx, &state.origin, &state.settings.secret, member.org(), None).await?;
    let was_begun = connected_account::end(&mut tx, &state.origin, member.org(), EndedBy::Owner).await?;
    if keys::forget_stripe(&mut tx, member.org()).await? || was_begun {
        noted(&mut tx, &state, &who, &member, (Action::StripeKeysChanged, member.org().0)).await?;
    }
    let cards = shown(&state, &mut tx, member.org(), None).await?;
    tx.commit().await?;
    state.wake();
    Ok(Json(Cards { reconciliation: None, last_event_at: None, ..cards }))
}
