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
                invite::{self, InviteRole, NewInvite},
                team::{self, MemberPatch, TeamMemberView},
            },
            audit::{self, AuditAction},
            org::{self, OrgProfile},
            trust_level::{TrustSubject, usage},
        },
    },
    platform::{
        db::{AsConn, Tx},
        error::Error,
        id::{AccountId, InviteId, OrgId},
    },
};

use crate::{
    auth::{OrgMember, OrgOffice, OrgOwner, RecentlyVerified},
    client_info::RequestContext,
    error::ApiResult,
    extract::{Json, PathId},
    idempotency::IdempotentOperation,
    openapi,
    state::AppState,
};

pub mod invitation_link;

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
