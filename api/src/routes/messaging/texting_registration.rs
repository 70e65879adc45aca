//! Registration of a business's texts with the carriers: what it submits, and how far it is. A worker submits it.

use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use serde::Serialize;
use shared::{
    conflicts::ConflictCode,
    domain::{
        messaging::texting_registration::{
            self, BusinessProfile, TextingRegistration, TextingRegistrationKind, TextingRegistrationState,
            kit::RegistrationKit,
        },
        tenancy::{
            audit::AuditAction,
            org::{self, Org},
            trust_level::{usage, view},
        },
    },
};
use utoipa::ToSchema;

use crate::{
    auth::{OrgMember, OrgOwner},
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::Json,
    maintenance_mode, openapi,
    routes::tenancy::org::record_change,
    state::AppState,
};

const TOLL_FREE_UNVERIFIED: &str = "Until it is verified, the carriers block texts from your toll-free number.";
const LOCAL_UNREGISTERED: &str = "Carriers block texts from a local number that is not registered (A2P 10DLC). The people who run this Toolbox register it.";
const EMAILS_INSTEAD: &str =
    "Where texts are blocked, customers get emails instead, and you can text from your own phone.";
const NO_EMAILS_EITHER: &str = "You can text from your own phone.";
const NO_TOLL_FREE_NUMBER: &str = "You have no toll-free number. Get one first.";

/// The registration of the business's texts.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TextingRegistration)]
pub struct TextingRegistrationView {
    /// What the number needs; null without a number.
    kind: Option<TextingRegistrationKind>,
    /// The number, E.164.
    number: Option<String>,
    /// Null where nothing was submitted here.
    state: Option<TextingRegistrationState>,
    /// Why it was turned down, or could not be sent.
    reason: Option<String>,
    /// Whether it can be submitted now.
    can_submit: bool,
    #[schema(value_type = Option<DateTime<Utc>>)]
    submitted_at: Option<DateTime<Utc>>,
    /// When its state was last read.
    #[schema(value_type = Option<DateTime<Utc>>)]
    checked_at: Option<DateTime<Utc>>,
    /// What leaves how until it is approved.
    meanwhile: Option<String>,
    /// What was submitted, else what is known of the business.
    profile: BusinessProfile,
    kit: RegistrationKit,
}

/// The registration of the business's texts, and the kit for it
#[utoipa::path(get, path = "/api/texting-registration", operation_id = "getTextingRegistration", tag = "settings",
    security(("session" = ["owner"])),
    responses((status = 200, description = "Its state, and what is submitted", body = TextingRegistrationView),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_texting_registration(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<TextingRegistrationView>> {
    load_registration(&state, &member).await.map(axum::Json)
}

async fn load_registration(state: &AppState, member: &OrgMember) -> ApiResult<TextingRegistrationView> {
    let mut conn = state.db()?.acquire_reader().await?;
    let org = org::find(&mut conn, member.org()).await?.ok_or_else(ApiError::not_found)?;
    let sends_from = org.sms_number.as_deref();
    let toll_free = texting_registration::find_toll_free_number(&mut conn, org.id, sends_from).await?;
    let stored = match &toll_free {
        Some(number) => texting_registration::find_by_number(&mut conn, org.id, number).await?,
        None => None,
    };
    let set_up = state.send_channels();
    let is_closed = view::sending_closed_reason(&mut conn, org.id, set_up.takes_money).await?.is_some();
    let instead = if set_up.email && !is_closed { EMAILS_INSTEAD } else { NO_EMAILS_EITHER };
    Ok(build_view(state, member, &org, (toll_free, stored), instead))
}

fn build_view(
    state: &AppState,
    member: &OrgMember,
    org: &Org,
    (toll_free, stored): (Option<String>, Option<TextingRegistration>),
    instead: &str,
) -> TextingRegistrationView {
    let kind = match (&toll_free, &org.sms_number) {
        (Some(_), _) => Some(TextingRegistrationKind::TollFree),
        (None, Some(_)) => Some(TextingRegistrationKind::TenDlc),
        (None, None) => None,
    };
    let progress = stored.as_ref().map(|one| one.state);
    let is_approved = progress == Some(TextingRegistrationState::Approved);
    let meanwhile = match kind {
        Some(TextingRegistrationKind::TollFree) if !is_approved => Some(format!("{TOLL_FREE_UNVERIFIED} {instead}")),
        Some(TextingRegistrationKind::TenDlc) => Some(format!("{LOCAL_UNREGISTERED} {instead}")),
        _ => None,
    };
    let known = (member.session.name.as_str(), member.session.email.as_str());
    let profile = stored.as_ref().map(|one| one.stored_profile().clone());
    TextingRegistrationView {
        kind,
        state: progress,
        reason: stored.as_ref().and_then(|one| one.reason.clone()),
        can_submit: toll_free.is_some() && stored.as_ref().is_none_or(|one| one.refusal_code().is_none()),
        submitted_at: stored.as_ref().map(|one| one.created_at),
        checked_at: stored.as_ref().and_then(|one| one.checked_at),
        meanwhile,
        profile: profile.unwrap_or_else(|| BusinessProfile::suggest_profile(org, known)),
        kit: RegistrationKit::from_org(org, &state.settings.public_url),
        number: toll_free.or_else(|| org.sms_number.clone()),
    }
}

/// Submits the registration of the business's toll-free number
///
/// Twilio and the carriers review it within days; the owners are alerted of the outcome. One that was turned down is
/// corrected by submitting it again. Asks for a confirmed email address and a sign-in that is not older than 15 minutes.
#[utoipa::path(post, path = "/api/texting-registration", operation_id = "submitTextingRegistration", tag = "settings",
    security(("session" = ["owner"])), request_body = BusinessProfile,
    responses((status = 202, description = "It is being submitted", body = TextingRegistrationView), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn submit_texting_registration(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    who: RequestContext,
    Json(typed): Json<BusinessProfile>,
) -> ApiResult<(StatusCode, axum::Json<TextingRegistrationView>)> {
    member.require_fresh(state.origin.now())?;
    let profile = typed.parse_fields()?;
    if !state.settings.sms.is_set_up() {
        return Err(ConflictCode::SmsNotOnServer.into());
    }
    maintenance_mode::refuse_if_frozen(&state, ConflictCode::InstallIsCopy).await?;
    let mut tx = state.db()?.begin().await?;
    member.require_live_session(&mut tx, &state).await?;
    org::lock(&mut tx, member.org()).await?;
    usage::require_proven_address(&mut tx, member.org()).await?;
    let org = org::find(&mut tx, member.org()).await?.ok_or_else(ApiError::not_found)?;
    let number = texting_registration::find_toll_free_number(&mut tx, member.org(), org.sms_number.as_deref()).await?;
    let number = number.ok_or_else(|| ApiError::invalid_field("number", NO_TOLL_FREE_NUMBER))?;
    let by = (member.org(), member.account());
    texting_registration::submit_registration(&mut tx, &state.origin, by, &number, profile).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::TextingRegistered, member.org().0)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::ACCEPTED, axum::Json(load_registration(&state, &member).await?)))
}
