//! The people of a business: who they are, what they may do, and who is asked to join.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use shared::{
    domain::tenancy::{
        account::{
            Role,
            invite::{self, Found, InviteView, JoinForm, Joiner, Joins, NewInvite, Offer},
            one_time_token,
            password::Lane,
            second_factor,
            security_email::{self, SecurityEvent},
            team::{self, Member, MemberPatch},
        },
        audit::{self, Action, Actor},
        org::{self, Profile},
        trust_level::{What, usage},
    },
    platform::{
        access_link::{self, Kind, Link, Opened},
        db::{AsConn, Tx},
        error::Error,
        id::{AccountId, CrewId, InviteId, OrgId},
        throttle,
    },
};
use utoipa::ToSchema;

use super::session::{CurrentUser, NextStep, SignIn, chosen, enter};
use crate::{
    auth::{Fresh, OrgMember, OrgOffice, OrgOwner, Visitor},
    client_info::Who,
    error::{ApiError, ApiResult, ErrorCode},
    extract::{Id, Json, Word},
    idempotency::Once,
    min_response_time::Floor,
    openapi::{self, fields},
    state::AppState,
};

/// Looks at links that open nothing, per network and hour: nobody mistypes that often.
const MISSES: i64 = 60;
/// Tries to join, per link and hour, and with all the links of one business: an answer tells whether somebody signs in with
/// an address, and a business must not learn that of many.
const TRIES: i64 = 20;
const TRIES_OF_ALL: i64 = 60;
const NO_MORE: &str = "This invitation is not valid any more. Ask for a new one.";

/// The people of the business
#[utoipa::path(get, path = "/api/team", operation_id = "listTeam", tag = "team",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "Everybody, those who can sign in first", body = Vec<Member>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn list_team(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<Vec<Member>>> {
    let mut conn = state.db()?.read().await?;
    Ok(axum::Json(team::list(&mut conn, member.org()).await?))
}

/// What is changed about somebody: what is absent stays.
#[derive(ToSchema)]
#[schema(as = TeamMemberChange, rename_all = "camelCase")]
#[expect(dead_code, reason = "only described; `MemberPatch` is what is read")]
pub struct MemberDoc {
    role: Option<Role>,
    /// Who is not is signed out everywhere at once, and is told nothing any more.
    is_active: Option<bool>,
    /// All the crews they belong to from now on.
    #[schema(value_type = Option<Vec<uuid::Uuid>>, max_items = 50)]
    crew_ids: Option<Vec<CrewId>>,
}

/// Changes what somebody may do
///
/// The business always has an owner: the last one stays. Of a new one the others are told by mail.
#[utoipa::path(patch, path = "/api/team/{id}", operation_id = "changeTeamMember", tag = "team",
    security(("session" = ["owner"])), request_body = MemberDoc,
    params(("id" = uuid::Uuid, Path, description = "The person")),
    responses((status = 200, description = "The person as they are now", body = Member),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn change_team_member(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    Json(patch): Json<MemberPatch>,
) -> ApiResult<axum::Json<Member>> {
    let mut tx = state.db()?.begin().await?;
    org::lock(&mut tx, member.org()).await?;
    let stands = team::get(&mut tx, member.org(), AccountId(id)).await?;
    // A crew more or less is changed in the yard; what somebody may do is not, with a phone that lies about.
    if patch.is_about_rights(&stands) {
        member.is_fresh(state.origin.now())?;
        member.still_in(&mut tx, &state).await?;
    }
    let changed = team::change(&mut tx, &state.origin, member.org(), AccountId(id), &patch).await?;
    if changed.is_owner() && !stands.is_owner() {
        let told = (member.org(), Some(changed.id));
        owner_made(&mut tx, &state, told, &changed.name).await?;
    }
    audit::record(&mut tx, &state.origin, &who.actor(&member), member.org(), Action::MemberChanged, Some(id)).await?;
    tx.commit().await?;
    state.wake();
    Ok(axum::Json(changed))
}

/// Tells the others who own the business.
async fn owner_made(tx: &mut Tx, state: &AppState, told: (OrgId, Option<AccountId>), who: &str) -> ApiResult<()> {
    let url = &state.settings.public_url;
    Ok(security_email::tell_owners(tx, &state.origin, url, told, SecurityEvent::OwnerMade { who }).await?)
}

/// Takes a colleague's second factor away
///
/// For who has lost the phone and the recovery codes. They are signed out everywhere and told by mail; their next sign-in
/// asks for the password alone, or leads to setting up another phone where the business wants that.
#[utoipa::path(delete, path = "/api/team/{id}/second-factor", operation_id = "forgetSecondFactor", tag = "team",
    security(("session" = ["owner"])),
    params(("id" = uuid::Uuid, Path, description = "The person")),
    responses((status = 204, description = "Their sign-in asks for no code"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn forget_second_factor(
    Fresh(OrgOwner(member)): Fresh<OrgOwner>,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
) -> ApiResult<StatusCode> {
    if member.account().0 == id {
        return Err(Error::Conflict("Change your own in your account.").into());
    }
    let mut tx = state.db()?.begin().await?;
    let account = team::forget_second_factor(&mut tx, &state.origin, member.org(), AccountId(id)).await?;
    let url = &state.settings.public_url;
    security_email::tell(&mut tx, &state.origin, url, &account, SecurityEvent::SecondFactorForgotten).await?;
    let action = Action::SecondFactorForgotten;
    audit::record(&mut tx, &state.origin, &who.actor(&member), member.org(), action, Some(id)).await?;
    tx.commit().await?;
    state.wake();
    Ok(StatusCode::NO_CONTENT)
}

async fn profile(conn: &mut dyn AsConn, member: &OrgMember) -> ApiResult<Profile> {
    let org = org::find(&mut *conn, member.org()).await?.ok_or(Error::NotFound)?;
    Ok(org::profile(conn, org).await?)
}

/// The invitations that wait
///
/// Their links are shown only to who proved a short while ago who they are: each lets somebody in.
#[utoipa::path(get, path = "/api/team/invites", operation_id = "listInvites", tag = "team",
    security(("session" = ["owner"])),
    responses((status = 200, description = "The newest first, those that expired too", body = Vec<InviteView>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn list_invites(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<Vec<InviteView>>> {
    let mut conn = state.db()?.read().await?;
    let profile = profile(&mut conn, &member).await?;
    let shows_links = member.is_fresh(state.origin.now()).is_ok();
    Ok(axum::Json(invite::list(&mut conn, &state.intake(&profile), shows_links).await?))
}

/// Somebody who is to join, reached by email or by text.
#[derive(ToSchema)]
#[schema(as = NewInvite, rename_all = "camelCase")]
#[expect(dead_code, reason = "only described; `NewInvite` is what is read")]
pub struct NewInviteDoc {
    #[schema(schema_with = fields::filled::<100>)]
    name: String,
    /// This or `phone`.
    #[schema(schema_with = fields::email_or_empty)]
    email: Option<String>,
    #[schema(schema_with = fields::phone_or_null)]
    phone: Option<String>,
    role: Joins,
    /// The crew they go out with.
    #[schema(value_type = Option<uuid::Uuid>)]
    crew_id: Option<CrewId>,
}

/// Asks somebody to join
///
/// By text where a number is given and texts leave, else by email. The link works once, for seven days; where it could
/// not be sent it is handed over by hand. What waits for the same address is replaced. With an `Idempotency-Key` a repeated
/// request asks nobody twice. Where they are to own the business, all its owners are told by mail.
#[utoipa::path(post, path = "/api/team/invites", operation_id = "inviteMember", tag = "team",
    security(("session" = ["owner"])), request_body = NewInviteDoc,
    params(("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
        description = "The same key and content get the first answer again, the same key and other content a 422")),
    responses((status = 201, description = "They are asked", body = InviteView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn invite_member(
    Fresh(OrgOwner(member)): Fresh<OrgOwner>,
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
    Json(new): Json<NewInvite>,
) -> ApiResult<(StatusCode, axum::Json<InviteView>)> {
    let (org, once) = (member.org(), Once::new("invite", &headers, &format!("{new:?}"))?);
    let mut tx = state.db()?.begin().await?;
    member.still_in(&mut tx, &state).await?;
    let profile = profile(&mut tx, &member).await?;
    let house = state.intake(&profile);
    // The link lets somebody in, so only which invitation it was is kept.
    if let Some(id) = once.earlier(&mut tx, &state, org).await? {
        return Ok((StatusCode::CREATED, axum::Json(invite::again(&mut tx, &house, id).await?)));
    }
    let by = (member.account(), member.session.name.as_str());
    let takes_money = state.settings.billing.is_some();
    usage::spend(&mut tx, &state.origin, (org, What::Invitation), 1, takes_money).await?;
    let made = invite::add(&mut tx, &house, &new, by).await?;
    once.keep(&mut tx, org, &made.id).await?;
    if made.role == Joins::Owner {
        let (url, told) = (&state.settings.public_url, (org, None));
        security_email::tell_owners(&mut tx, &state.origin, url, told, SecurityEvent::OwnerInvited { who: &made.name })
            .await?;
    }
    let (actor, id) = (who.actor(&member), Some(made.id.0));
    audit::record(&mut tx, &state.origin, &actor, org, Action::MemberInvited, id).await?;
    tx.commit().await?;
    state.wake();
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
    who: Who,
    Id(id): Id,
) -> ApiResult<StatusCode> {
    let mut tx = state.db()?.begin().await?;
    invite::revoke(&mut tx, &state.origin, member.org(), InviteId(id)).await?;
    audit::record(&mut tx, &state.origin, &who.actor(&member), member.org(), Action::InviteRevoked, Some(id)).await?;
    tx.commit().await?;
    state.wake();
    Ok(StatusCode::NO_CONTENT)
}

/// The invitation of a link, or why a link that was good once opens nothing any more.
async fn open_invite(state: &AppState, who: &Who, token: &str) -> ApiResult<Result<(Found, Link), Error>> {
    let mut conn = state.db()?.read().await?;
    let now = state.origin.now();
    let opened = access_link::open(&mut conn, &state.settings.secret, now, token, &[Kind::Invite]).await?;
    let (link, is_late) = match opened {
        Opened::Here(link) => (link, false),
        Opened::Expired(link) => (link, true),
        Opened::Gone => {
            drop(conn);
            count_miss(state, who).await?;
            return Err(ApiError::not_found());
        }
    };
    let found = invite::find(&mut conn, link.org_id, link.subject_id).await?;
    Ok(match (found.is_used(), is_late) {
        (true, _) => Err(invite::used()),
        (false, true) => Err(invite::expired()),
        (false, false) => Ok((found, link)),
    })
}

async fn count_miss(state: &AppState, who: &Who) -> ApiResult<()> {
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
    responses((status = 200, description = "It can be accepted", body = Offer),
        openapi::NotFound, openapi::TooMany, openapi::Unavailable))]
pub async fn get_invite(
    _: Visitor,
    State(state): State<AppState>,
    who: Who,
    Word(token): Word,
) -> ApiResult<axum::Json<Offer>> {
    let (token, proof) = invite::proof::split(&token);
    match open_invite(&state, &who, token).await? {
        Ok((found, _)) => Ok(axum::Json(found.offer_for(&state.settings.secret, proof))),
        Err(_) => Err(ApiError::new(ErrorCode::NotFound, NO_MORE)),
    }
}

/// Who joins.
#[derive(ToSchema)]
#[schema(as = JoinRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "only described; `JoinForm` is what is read")]
pub struct JoinDoc {
    #[schema(schema_with = fields::filled::<100>)]
    name: String,
    /// What they sign in with from now on.
    #[schema(schema_with = fields::email)]
    email: String,
    #[schema(schema_with = fields::new_password)]
    password: String,
}

/// Accepts an invitation
///
/// Works once. With a link that was mailed to the address they join with, they are in. With any other, that address is
/// mailed a link first (202, `confirm_email`), whether somebody signs in with it or not. Whoever joins is signed in on this browser, or led to set up the second factor that the business wants of
/// everybody.
#[utoipa::path(post, path = "/api/public/invite/{token}", operation_id = "acceptInvite", tag = "team",
    request_body = JoinDoc, params(("token" = String, Path, description = "Of the link", max_length = 100)),
    responses((status = 201, description = "Joined; the cookie is set", body = CurrentUser),
        (status = 202, description = "Joined, and a step is left", body = NextStep),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn accept_invite(
    _: Visitor,
    State(state): State<AppState>,
    who: Who,
    Word(token): Word,
    headers: HeaderMap,
    Json(form): Json<JoinForm>,
) -> ApiResult<SignIn> {
    let (token, proof) = invite::proof::split(&token);
    let (found, link) = open_invite(&state, &who, token).await??;
    let joiner = match form.check(&found.org_name) {
        Ok(joiner) => joiner,
        Err(refused) => {
            count_try(&state, &link).await?;
            return Err(refused.into());
        }
    };
    let secret = &state.settings.secret;
    if !proof.is_some_and(|proof| invite::proof::fits(secret, found.org_id, &joiner.email, proof)) {
        return ask_for_proof(&state, &who, (&found, &link), &joiner).await;
    }
    let place = state.hasher.turn(who.asker(Lane::Join, &found.id)).await?;
    count_try(&state, &link).await?;
    let hash = place.hash(joiner.password.clone()).await?;
    drop(place);
    let mut tx = state.db()?.begin().await?;
    // Asked again: it may have been taken back while the password was made safe, and is not from here on. Nor does the
    // owner begin to want a second factor of everybody.
    org::lock(&mut tx, link.org_id).await?;
    let opened = access_link::open(&mut tx, &state.settings.secret, state.origin.now(), token, &[Kind::Invite]).await?;
    if !matches!(opened, Opened::Here(_)) {
        return Err(ApiError::not_found());
    }
    let account = invite::accept(&mut tx, &state.origin, &found, &joiner, &hash).await?;
    if account.role == Role::Owner {
        owner_made(&mut tx, &state, (account.org_id, Some(account.id)), &account.name).await?;
    }
    let by = (Action::InviteAccepted, found.id.0);
    let answer = if let Some(left) = second_factor::still_needed(&mut tx, &account).await? {
        let ticket = one_time_token::open(&mut tx, &state.origin, &account, left).await?;
        let actor = Actor { account: Some(account.id), ..who.visitor() };
        audit::record(&mut tx, &state.origin, &actor, account.org_id, by.0, Some(by.1)).await?;
        SignIn::NextInProved(chosen(&mut tx, &state, &who, &account).await?, NextStep::of(left, ticket))
    } else {
        // Wrong passwords may have been tried for the address before it had an account.
        throttle::start_anew(&mut tx, secret, &account.email, who.ip).await?;
        enter(&mut tx, &state, &who, &headers, &account, by).await?.with(StatusCode::CREATED)
    };
    tx.commit().await?;
    state.wake();
    Ok(answer)
}

/// Answers alike, and as late, whether somebody signs in with the address or not.
async fn ask_for_proof(
    state: &AppState,
    who: &Who,
    (found, link): (&Found, &Link),
    joiner: &Joiner,
) -> ApiResult<SignIn> {
    count_try(state, link).await?;
    let floor = Floor::from_now(state.config.floor);
    let (origin, ours) = (&state.origin, (&state.settings.secret, &state.settings.public_url));
    let mut tx = state.db()?.begin().await?;
    invite::proof::ask(&mut tx, origin, ours, (found, link.id), joiner).await?;
    let action = Action::InviteAddressAsked;
    audit::record(&mut tx, origin, &who.visitor(), found.org_id, action, Some(found.id.0)).await?;
    tx.commit().await?;
    state.wake();
    floor.wait().await;
    Ok(SignIn::Next(NextStep::confirm_email()))
}

/// Counts a try before anything is looked at.
async fn count_try(state: &AppState, link: &Link) -> ApiResult<()> {
    let mut tx = state.db()?.begin().await?;
    let (origin, secret) = (&state.origin, &state.settings.secret);
    let (one, all) = (link.id.to_string(), link.org_id.to_string());
    let counted = throttle::count(&mut tx, origin, secret, "invite try", &one, TRIES).await;
    let of_all = throttle::count(&mut tx, origin, secret, "invite tries", &all, TRIES_OF_ALL).await;
    tx.commit().await?;
    Ok(counted.and(of_all)?)
}
