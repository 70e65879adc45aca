//! Connecting a business's account at Stripe instead of pasting its keys: on the way there, and back.
//!
//! The account is made by us for this business, and its id is taken from no link. The way back carries a token of ours,
//! good once and for an hour, for the owner who went and for no other person or business.

use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};
use shared::{
    domain::{
        money::connected_account::{self, ConnectedAccount},
        tenancy::{
            audit::Action,
            org::keys::{self, Cards},
        },
    },
    platform::error::Error,
    providers::payments::{
        PayError,
        connect::{Account, Platform},
    },
};
use utoipa::ToSchema;

use super::{
    card::shown,
    org::{Own, noted, profile_of},
};
use crate::{
    auth::{Fresh, OrgMember, OrgOwner},
    client_info::Who,
    error::{ApiError, ApiResult},
    extract::Json as Typed,
    maintenance_mode, openapi,
    state::AppState,
};

const NOT_OFFERED: &str = "This server cannot connect Stripe accounts. Paste the keys of your account instead.";
const NOT_OURS: &str = "This way back from Stripe is no longer good. Press Continue at Stripe.";
/// Tokens of ours have 43 characters; what is longer is none.
const LONGEST: usize = 100;

/// What comes next
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = StripeConnectionBegun)]
pub struct Begun {
    /// The page of Stripe's to open now, good once and for minutes. Null when Stripe needs nothing more.
    url: Option<String>,
    cards: Cards,
}

/// What the address had that Stripe sent somebody back to
#[derive(Deserialize, ToSchema)]
#[schema(as = StripeReturn)]
pub struct Return {
    /// The token in it.
    state: String,
}

/// Begins to connect the business's account at Stripe, or goes on with it
///
/// Makes the account the first time. Keys that are in place stay in force until the account is ready.
#[utoipa::path(post, path = "/api/org/{orgId}/stripe/connect", operation_id = "beginStripeConnection", tag = "settings",
    security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "Where to go", body = Begun), openapi::Unauthenticated,
        openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn begin_connection(
    _owner: Fresh<OrgOwner>,
    Own(member): Own,
    State(state): State<AppState>,
    who: Who,
) -> ApiResult<Json<Begun>> {
    let platform = state.settings.connect.as_ref().ok_or(Error::Conflict(NOT_OFFERED))?;
    maintenance_mode::refuse(&state, maintenance_mode::COPY).await?;
    let (connection, account) = account_of(&state, platform, &member).await?;
    let mut tx = state.db()?.begin().await?;
    member.still_in(&mut tx, &state).await?;
    if !connected_account::made(&mut tx, &state.origin, &connection, &account).await? {
        return Err(Error::Conflict("The connection was ended a moment ago. Please try again.").into());
    }
    noted(&mut tx, &state, &who, &member, (Action::StripeConnectBegun, member.org().0)).await?;
    if account.charges_enabled && account.details_submitted {
        connected_account::confirm(&mut tx, &state.origin, member.org()).await?;
        tx.commit().await?;
        let cards = note(&state, &member, &connection, Some(&account)).await?;
        return Ok(Json(Begun { url: None, cards }));
    }
    let person = member.session.account_id;
    let token = connected_account::open_way_back(&mut tx, &state.origin, member.org(), person).await?;
    tx.commit().await?;
    let url = link(&state, platform, &account, &token).await?;
    let cards = note(&state, &member, &connection, Some(&account)).await?;
    Ok(Json(Begun { url: Some(url), cards }))
}

/// Comes back from Stripe
///
/// With the token that the address of the way back had. Stripe is asked how the account stands.
#[utoipa::path(post, path = "/api/org/{orgId}/stripe/connect/return", operation_id = "returnFromStripe",
    tag = "settings", security(("session" = ["owner"])), request_body = Return,
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "How it stands", body = Cards), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Invalid,
        openapi::TooLarge, openapi::WrongMedia, openapi::Unavailable))]
pub async fn return_from_stripe(
    _owner: OrgOwner,
    Own(member): Own,
    State(state): State<AppState>,
    who: Who,
    Typed(back): Typed<Return>,
) -> ApiResult<Json<Cards>> {
    let platform = state.settings.connect.as_ref().ok_or(Error::Conflict(NOT_OFFERED))?;
    let mut tx = state.db()?.begin().await?;
    member.still_in(&mut tx, &state).await?;
    let token = Some(back.state.as_str()).filter(|token| token.len() <= LONGEST).unwrap_or_default();
    let person = member.session.account_id;
    if !connected_account::come_back(&mut tx, &state.origin, member.org(), person, token).await? {
        return Err(Error::Conflict(NOT_OURS).into());
    }
    noted(&mut tx, &state, &who, &member, (Action::StripeConnectReturned, member.org().0)).await?;
    let connection = connected_account::current(&mut tx, member.org()).await?;
    tx.commit().await?;
    let Some(connection) = connection else { return Err(Error::Conflict(NOT_OURS).into()) };
    let Some(account) = &connection.account else { return Err(Error::Conflict(NOT_OURS).into()) };
    match state.stripe.account(platform, account).await {
        Ok(said) => Ok(Json(note(&state, &member, &connection, said.as_ref()).await?)),
        Err(error) => {
            tracing::warn!(%error, "Stripe did not say how a connected account stands; it is asked again");
            Ok(Json(ask_later(&state, &member).await?))
        }
    }
}

/// The account of the business's connection, as Stripe describes it: made now, or before. One that was disconnected in
/// Stripe is followed by another.
async fn account_of(
    state: &AppState,
    platform: &Platform,
    member: &OrgMember,
) -> ApiResult<(ConnectedAccount, Account)> {
    for _ in 0..2 {
        let mut tx = state.db()?.begin().await?;
        member.still_in(&mut tx, state).await?;
        let connection = connected_account::begin(&mut tx, &state.origin, member.org(), platform.is_live()).await?;
        tx.commit().await?;
        let Some(id) = &connection.account else {
            let made = make(state, platform, member, &connection).await?;
            return Ok((connection, made));
        };
        match state.stripe.account(platform, id).await.map_err(|e| unanswered(&e))? {
            Some(account) => return Ok((connection, account)),
            None => drop(note(state, member, &connection, None).await?),
        }
    }
    Err(Error::Conflict("Stripe ended the connection a moment ago. Please try again.").into())
}

async fn make(
    state: &AppState,
    platform: &Platform,
    member: &OrgMember,
    connection: &ConnectedAccount,
) -> ApiResult<Account> {
    let (org, key) = (member.org().to_string(), connection.key());
    let error = match state.stripe.make_account(platform, (&member.session.email, &org), &key).await {
        Ok(made) => return Ok(made),
        Err(error) => error,
    };
    // In doubt the key stays: asked again, Stripe answers with the same account.
    if error.is_stored() || !matches!(error, PayError::Retry { .. }) {
        let mut tx = state.db()?.begin().await?;
        connected_account::not_made(&mut tx, connection).await?;
        tx.commit().await?;
    }
    Err(unanswered(&error))
}

/// Stripe's page for the owner. Both ways back lead to the settings; only one of them says that they are done.
async fn link(state: &AppState, platform: &Platform, account: &Account, token: &str) -> ApiResult<String> {
    let url = &state.settings.public_url;
    let back = url.join(&format!("/app/settings?tab=money&stripe=return&state={token}"));
    let again = url.join("/app/settings?tab=money&stripe=refresh");
    let made = state.stripe.account_link(platform, &account.id, (&back, &again)).await;
    let made = made.map_err(|e| unanswered(&e))?;
    if made.starts_with("https://") { Ok(made) } else { Err(ApiError::internal("Stripe's page has no https address")) }
}

fn unanswered(error: &PayError) -> ApiError {
    match error {
        PayError::Retry { .. } => ApiError::unavailable(format!("Stripe {error}")),
        PayError::Key(_) | PayError::Refused(_) => {
            tracing::warn!(%error, "Stripe refused the platform of this install");
            Error::Conflict("Stripe does not let this server connect accounts now. Ask who runs it.").into()
        }
    }
}

/// Writes down what Stripe said, and how it stands then.
async fn note(
    state: &AppState,
    member: &OrgMember,
    connection: &ConnectedAccount,
    said: Option<&Account>,
) -> ApiResult<Cards> {
    let mut tx = state.db()?.begin().await?;
    let profile = profile_of(&mut tx, member).await?;
    connected_account::note(&mut tx, &state.intake(&profile), connection, said).await?;
    let keys = keys::stripe(&mut tx, &state.settings.secret, member.org()).await?;
    let cards = shown(state, &mut tx, member.org(), keys.as_ref()).await?;
    tx.commit().await?;
    state.wake();
    Ok(cards)
}

/// Stripe does not answer now; the worker asks it.
async fn ask_later(state: &AppState, member: &OrgMember) -> ApiResult<Cards> {
    let mut tx = state.db()?.begin().await?;
    connected_account::look_soon(&mut tx, &state.origin, member.org()).await?;
    let keys = keys::stripe(&mut tx, &state.settings.secret, member.org()).await?;
    let cards = shown(state, &mut tx, member.org(), keys.as_ref()).await?;
    tx.commit().await?;
    state.wake();
    Ok(cards)
}
