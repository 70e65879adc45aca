//! Users of a business: list, rights, invitations.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use shared::{
    conflicts::ConflictCode,
    domain::{
        messaging::account_email::{
            invitation::{self, InviteView},
            security_email::{self, SecurityEvent},
        },
        tenancy::{
            account::{
                Role,
                invite::{self, InviteOffer, InviteRole, JoinForm, LinkedInvite, NewInvite, NewTeamMember},
                one_time_token,
                password::HashingLane,
                second_factor,
                team::{self, MemberPatch, TeamMemberView},
            },
            audit::{self, AuditAction, AuditActor},
            org::{self, OrgProfile},
            trust_level::{TrustSubject, usage},
        },
    },
    platform::{
        access_link::{self, AccessLink, LinkKind, LinkLookup},
        db::{AsConn, Tx},
        error::Error,
        id::{AccountId, InviteId, OrgId},
        throttle::{self, WindowLimit},
    },
};

use super::session::{CurrentUser, NextSignInStep, SignInOutcome, clear_attempts_after_reset, open_session};
use crate::{
    auth::{OrgMember, OrgOffice, OrgOwner, RecentlyVerified, Visitor},
    client_info::RequestContext,
    error::{ApiError, ApiResult, ErrorCode},
    extract::{Json, PathId, PathWord},
    idempotency::IdempotentOperation,
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

/// The people of the business
#[utoipa::path(get, path = "/api/team", operation_id = "listTeam", tag = "team",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "Everybody, those who can sign in first", body = Vec<TeamMemberView>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn list_team(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<Vec<TeamMemberView>>> {
    let mut conn = state.db()?.acquire_reader().await?;
    Ok(axum::Json(team::list(&mut conn, member.org()).await?))
}

/// Changes a member's role or access
///
/// The business always has an owner: the last one stays. The other owners get a mail about a new one.
#[utoipa::path(patch, path = "/api/team/{id}", operation_id = "changeTeamMember", tag = "team",
    security(("session" = ["owner"])), request_body = MemberPatch,
    params(("id" = uuid::Uuid, Path, description = "The person")),
    responses((status = 200, description = "The person as they are now", body = TeamMemberView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn change_team_member(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    Json(patch): Json<MemberPatch>,
) -> ApiResult<axum::Json<TeamMemberView>> {
    let mut tx = state.db()?.begin().await?;
    org::lock(&mut tx, member.org()).await?;
    let stored_member = team::get(&mut tx, member.org(), AccountId(id)).await?;
    // Crew assignment is done on site; a change of rights needs re-authentication, for a phone may be stolen.
    if patch.changes_permissions(&stored_member) {
        member.require_fresh(state.origin.now())?;
        member.require_live_session(&mut tx, &state).await?;
    }
    let changed = team::update_member(&mut tx, &state.origin, member.org(), AccountId(id), &patch).await?;
    if changed.is_owner() && !stored_member.is_owner() {
        let subject = (member.org(), Some(changed.id));
        notify_owner_change(&mut tx, &state, subject, &changed.name).await?;
    }
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), member.org(), AuditAction::MemberChanged, Some(id))
        .await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(changed))
}

async fn notify_owner_change(
    tx: &mut Tx,
    state: &AppState,
    subject: (OrgId, Option<AccountId>),
    who: &str,
) -> ApiResult<()> {
    let url = &state.settings.public_url;
    Ok(security_email::notify_owners(tx, &state.origin, url, subject, SecurityEvent::OwnerMade { who }).await?)
}

/// Takes a colleague's second factor away
///
/// For who has lost the phone and the recovery codes. They are signed out everywhere and get a mail; their next sign-in
/// asks for the password alone, or leads to setting up another phone where the business wants that.
#[utoipa::path(delete, path = "/api/team/{id}/second-factor", operation_id = "forgetSecondFactor", tag = "team",
    security(("session" = ["owner"])),
    params(("id" = uuid::Uuid, Path, description = "The person")),
    responses((status = 204, description = "Their sign-in asks for no code"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn forget_second_factor(
    RecentlyVerified(OrgOwner(member)): RecentlyVerified<OrgOwner>,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<StatusCode> {
    if member.account().0 == id {
        return Err(ConflictCode::OwnSecondFactorReset.into());
    }
    let mut tx = state.db()?.begin().await?;
    let account = team::reset_second_factor(&mut tx, &state.origin, member.org(), AccountId(id)).await?;
    let url = &state.settings.public_url;
    security_email::notify_account(&mut tx, &state.origin, url, &account, SecurityEvent::SecondFactorForgotten).await?;
    let action = AuditAction::SecondFactorForgotten;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), member.org(), action, Some(id)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(StatusCode::NO_CONTENT)
}

async fn load_profile(conn: &mut dyn AsConn, member: &OrgMember) -> ApiResult<OrgProfile> {
    let org = org::find(&mut *conn, member.org()).await?.ok_or(Error::NotFound)?;
    Ok(org::load_profile(conn, org).await?)
}

/// The invitations that wait
///
/// The links are shown only after a recent verification: each lets its reader join.
#[utoipa::path(get, path = "/api/team/invites", operation_id = "listInvites", tag = "team",
    security(("session" = ["owner"])),
    responses((status = 200, description = "The newest first, those that expired too", body = Vec<InviteView>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn list_invites(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<Vec<InviteView>>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let profile = load_profile(&mut conn, &member).await?;
    let shows_links = member.require_fresh(state.origin.now()).is_ok();
    Ok(axum::Json(invitation::list(&mut conn, &state.org_context(&profile), shows_links).await?))
}

/// Invites a member
///
/// By text where a number is given and texts leave, else by email. The link works once, for seven days; where it could
/// not be sent it is handed over by hand. What waits for the same address is replaced. With an `Idempotency-Key` a
/// repeated request sends nothing twice. Where they are to own the business, all its owners are told by mail.
#[utoipa::path(post, path = "/api/team/invites", operation_id = "inviteMember", tag = "team",
    security(("session" = ["owner"])), request_body = NewInvite,
    params(openapi::IdempotencyKey),
    responses((status = 201, description = "They are asked", body = InviteView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn invite_member(
    RecentlyVerified(OrgOwner(member)): RecentlyVerified<OrgOwner>,
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Json(new): Json<NewInvite>,
) -> ApiResult<(StatusCode, axum::Json<InviteView>)> {
    let (org, once) = (member.org(), IdempotentOperation::new("invite", &headers, &format!("{new:?}"))?);
    let mut tx = state.db()?.begin().await?;
    member.require_live_session(&mut tx, &state).await?;
    let profile = load_profile(&mut tx, &member).await?;
    let ctx = state.org_context(&profile);
    // The link grants access, so only the invitation's id is kept for a repeat.
    if let Some(id) = once.find_stored_response(&mut tx, &state, org).await? {
        return Ok((StatusCode::CREATED, axum::Json(invitation::get_for_retry(&mut tx, &ctx, id).await?)));
    }
    let by = (member.account(), member.session.name.as_str());
    let takes_money = state.settings.billing.is_some();
    usage::consume_budget(&mut tx, &state.origin, (org, TrustSubject::Invitation), 1, takes_money).await?;
    let made = invitation::create_invite(&mut tx, &ctx, &new, by).await?;
    once.store_response(&mut tx, org, &made.id).await?;
    if made.role == InviteRole::Owner {
        let (url, subject) = (&state.settings.public_url, (org, None));
        security_email::notify_owners(
            &mut tx,
            &state.origin,
            url,
            subject,
            SecurityEvent::OwnerInvited { who: &made.name },
        )
        .await?;
    }
    let (actor, id) = (who.actor_for(&member), Some(made.id.0));
    audit::record(&mut tx, &state.origin, &actor, org, AuditAction::MemberInvited, id).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::CREATED, axum::Json(made)))
}

/// Takes an invitation back
#[utoipa::path(delete, path = "/api/team/invites/{id}", operation_id = "revokeInvite", tag = "team",
    security(("session" = ["owner"])),
    params(("id" = uuid::Uuid, Path, description = "The invitation")),
    responses((status = 204, description = "Its link opens nothing from now on"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn revoke_invite(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<StatusCode> {
    let mut tx = state.db()?.begin().await?;
    invite::revoke(&mut tx, &state.origin, member.org(), InviteId(id)).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), member.org(), AuditAction::InviteRevoked, Some(id))
        .await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(StatusCode::NO_CONTENT)
}

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
    match find_open_invite(&state, &who, token).await? {
        Ok((found, _)) => Ok(axum::Json(found.into_offer(&state.settings.secret, proof))),
        Err(_) => Err(ApiError::new(ErrorCode::NotFound, NO_MORE)),
    }
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
    invite::proof::send_join_mail(&mut tx, origin, ours, (found, link.id), joiner).await?;
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
