//! Links of invitations: what one offers, and joining with it.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use shared::{
    domain::tenancy::{
        account::{
            Role,
            invite::{self, InviteOffer, JoinForm, LinkedInvite, NewTeamMember},
            one_time_token,
            password::HashingLane,
            second_factor,
        },
        audit::{self, AuditAction, AuditActor},
        org,
    },
    platform::{
        access_link::{self, AccessLink, LinkKind, LinkLookup},
        error::Error,
        throttle::{self, WindowLimit},
    },
};

use super::{
    super::session::{CurrentUser, NextSignInStep, SignInOutcome, clear_attempts_after_reset, open_session},
    notify_owner_change,
};
use crate::{
    auth::Visitor,
    client_info::RequestContext,
    error::{ApiError, ApiResult, ErrorCode},
    extract::{Json, PathWord},
    min_response_time::MinResponseTime,
    openapi,
    state::AppState,
};

/// Tries at invalid links, per network and hour. Typing mistakes do not reach this.
const MISSES: i64 = 60;
/// Tries to join per link and hour, and over all links of a business: an answer reveals whether an address has an
/// account, and a business must not probe many addresses. A try beyond those of its link counts for no other link.
const TRIES: WindowLimit = WindowLimit::per_hour(20);
const TRIES_OF_ALL: WindowLimit = WindowLimit::per_hour(60);
const NO_MORE: &str = "This invitation is no longer valid. Ask for a new one.";

/// The invitation of a link, or why a once valid link is dead.
async fn find_open_invite(
    state: &AppState,
    who: &RequestContext,
    token: &str,
) -> ApiResult<Result<(LinkedInvite, AccessLink), Error>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let now = state.origin.now();
    let opened = access_link::resolve_token(&mut conn, &state.settings.secret, now, token, &[LinkKind::Invite]).await?;
    let (link, is_late) = match opened {
        LinkLookup::Active(link) => (link, false),
        LinkLookup::Expired(link) => (link, true),
        LinkLookup::Gone => {
            drop(conn);
            count_miss(state, who).await?;
            return Err(ApiError::not_found());
        }
    };
    let found = invite::find_invite(&mut conn, link.org_id, link.subject_id).await?;
    Ok(match (found.is_used(), is_late) {
        (true, _) => Err(invite::already_used_error()),
        (false, true) => Err(invite::expired_error()),
        (false, false) => Ok((found, link)),
    })
}

async fn count_miss(state: &AppState, who: &RequestContext) -> ApiResult<()> {
    if who.is_exempt {
        return Ok(());
    }
    let mut tx = state.db()?.begin().await?;
    let counted =
        throttle::count_by_network(&mut tx, &state.origin, &state.settings.secret, "invite", who.ip, MISSES).await;
    tx.commit().await?;
    Ok(counted?)
}

/// What an invitation is for
#[utoipa::path(get, path = "/api/public/invite/{token}", operation_id = "getInvite", tag = "team",
    params(("token" = String, Path, description = "Of the link", max_length = 100)),
    responses((status = 200, description = "It can be accepted", body = InviteOffer),
        openapi::NotFound, openapi::TooMany, openapi::Unavailable))]
pub async fn get_invite(
    _: Visitor,
    State(state): State<AppState>,
    who: RequestContext,
    PathWord(token): PathWord,
) -> ApiResult<axum::Json<InviteOffer>> {
    let (token, proof) = invite::proof::split_token(&token);
    let Ok((found, _)) = find_open_invite(&state, &who, token).await? else {
        return Err(ApiError::new(ErrorCode::NotFound, NO_MORE));
    };
    let mut conn = state.db()?.acquire_reader().await?;
    let takes_money = state.settings.billing.is_some();
    let is_closed = proof.is_none() && invite::proof::is_join_mail_closed(&mut conn, found.org_id, takes_money).await?;
    Ok(axum::Json(found.into_offer(&state.settings.secret, proof, is_closed)))
}

/// Accepts an invitation
///
/// Works once. With a link that was mailed to the address they join with, they are in. With any other, that address is
/// mailed a link first (202, `confirm_email`), whether or not it has an account. Anyone who joins is signed in on this
/// browser, or led to set up the second factor that the business wants of everybody.
#[utoipa::path(post, path = "/api/public/invite/{token}", operation_id = "acceptInvite", tag = "team",
    request_body = JoinForm, params(("token" = String, Path, description = "Of the link", max_length = 100)),
    responses((status = 201, description = "Joined; the cookie is set", body = CurrentUser),
        (status = 202, description = "Joined, and a step is left", body = NextSignInStep),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn accept_invite(
    _: Visitor,
    State(state): State<AppState>,
    who: RequestContext,
    PathWord(token): PathWord,
    headers: HeaderMap,
    Json(form): Json<JoinForm>,
) -> ApiResult<SignInOutcome> {
    let (token, proof) = invite::proof::split_token(&token);
    let (found, link) = find_open_invite(&state, &who, token).await??;
    let joiner = match form.validate_join(&found.org_name) {
        Ok(joiner) => joiner,
        Err(refused) => {
            count_try(&state, &link).await?;
            return Err(refused.into());
        }
    };
    let secret = &state.settings.secret;
    if !proof.is_some_and(|proof| invite::proof::is_valid_proof(secret, found.org_id, joiner.email.as_str(), proof)) {
        return request_address_proof(&state, &who, (&found, &link), &joiner).await;
    }
    let place = state.hasher.acquire_permit(who.hashing_requester(HashingLane::Join, &found.id)).await?;
    count_try(&state, &link).await?;
    let hash = place.hash_password(joiner.password.clone()).await?;
    drop(place);
    let mut tx = state.db()?.begin().await?;
    // Checked again under the lock: it may have been revoked while the password was hashed. The lock also keeps the
    // owner from starting to require a second factor meanwhile.
    org::lock(&mut tx, link.org_id).await?;
    let opened =
        access_link::resolve_token(&mut tx, &state.settings.secret, state.origin.now(), token, &[LinkKind::Invite])
            .await?;
    if !matches!(opened, LinkLookup::Active(_)) {
        return Err(ApiError::not_found());
    }
    let account = invite::accept_invite(&mut tx, &state.origin, &found, &joiner, &hash).await?;
    if account.role == Role::Owner {
        notify_owner_change(&mut tx, &state, (account.org_id, Some(account.id)), &account.name).await?;
    }
    let by = (AuditAction::InviteAccepted, found.id.0);
    let answer = if let Some(left) = second_factor::required_step(&mut tx, &account).await? {
        let ticket = one_time_token::create_token(&mut tx, &state.origin, &account, left).await?;
        let actor = AuditActor { account: Some(account.id), ..who.anonymous_actor() };
        audit::record(&mut tx, &state.origin, &actor, account.org_id, by.0, Some(by.1)).await?;
        SignInOutcome::StepRequiredKnownDevice(
            clear_attempts_after_reset(&mut tx, &state, &who, &account).await?,
            NextSignInStep::from_purpose(left, ticket),
        )
    } else {
        // Wrong passwords may have been tried for the address before the account existed.
        throttle::sign_in::reset_account(&mut tx, secret, account.email.as_str(), who.ip).await?;
        open_session(&mut tx, &state, &who, &headers, &account, by).await?.with_status(StatusCode::CREATED)
    };
    tx.commit().await?;
    state.notify_committed();
    Ok(answer)
}

/// Same answer and same timing whether the address has an account or not.
async fn request_address_proof(
    state: &AppState,
    who: &RequestContext,
    (found, link): (&LinkedInvite, &AccessLink),
    joiner: &NewTeamMember,
) -> ApiResult<SignInOutcome> {
    count_try(state, link).await?;
    let floor = MinResponseTime::from_now(state.config.floor);
    let (origin, ours) = (&state.origin, (&state.settings.secret, &state.settings.public_url));
    let mut tx = state.db()?.begin().await?;
    let takes_money = state.settings.billing.is_some();
    invite::proof::send_join_mail(&mut tx, origin, ours, (found, link.id), joiner, takes_money).await?;
    let action = AuditAction::InviteAddressAsked;
    audit::record(&mut tx, origin, &who.anonymous_actor(), found.org_id, action, Some(found.id.0)).await?;
    tx.commit().await?;
    state.notify_committed();
    floor.wait_until_due().await;
    Ok(SignInOutcome::StepRequired(NextSignInStep::confirm_email()))
}

/// Counts a try before anything is checked.
async fn count_try(state: &AppState, link: &AccessLink) -> ApiResult<()> {
    let mut tx = state.db()?.begin().await?;
    let (origin, secret) = (&state.origin, &state.settings.secret);
    let (one, all) = (link.id.to_string(), link.org_id.to_string());
    let counted = throttle::count_action(&mut tx, origin, secret, "invite try", &one, TRIES).await;
    let counted = match counted {
        Ok(()) => throttle::count_action(&mut tx, origin, secret, "invite tries", &all, TRIES_OF_ALL).await,
        refused => refused,
    };
    tx.commit().await?;
    Ok(counted?)
}
