//! Registration of a business's texts with the carriers: what it submits, and how far it is. A worker submits it.

use axum::{extract::State, http::StatusCode};
use shared::{
    conflicts::ConflictCode,
    domain::{
        messaging::texting_registration::{
            self, BusinessProfile, TextingRegistration, TextingRegistrationKind,
            ten_dlc::{TenDlcStep, store},
        },
        tenancy::{
            audit::AuditAction,
            org::{self, settings::CarrierRegistration},
            trust_level::{self, TrustLevel, usage, view},
        },
    },
    platform::{
        db::AsConn,
        throttle::{self, WindowLimit},
    },
    providers::SendError,
};

use crate::{
    auth::{OrgMember, OrgOwner},
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::{Json, QueryParams},
    maintenance_mode, openapi,
    routes::tenancy::org::record_change,
    state::AppState,
};

mod view_model;

use view_model::{RegistrationFacts, TextingRegistrationView, build_view};

const NO_TOLL_FREE_NUMBER: &str = "You have no toll-free number. Get one first.";
const ACCEPT_FEES: &str = "Read what it costs, and agree to it";
/// Texts about a registration that an owner asks for: each goes to their own phone.
const CONFIRMATION_TEXTS: WindowLimit = WindowLimit::per_hour(5);

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
    let sends_from = org.sms_number.clone();
    let takes_local = state.settings.sms.has_primary_profile();
    let place =
        texting_registration::find_number_to_register(&mut conn, org.id, sends_from.as_deref(), takes_local).await?;
    let stored = find_stored(&mut conn, &org, place.as_ref()).await?;
    let is_trusted = trust_level::load_trust_level(&mut conn, org.id).await? == TrustLevel::Trusted;
    let set_up = state.send_channels();
    let is_closed = view::sending_closed_reason(&mut conn, org.id, set_up.takes_money).await?.is_some();
    let sends_emails = set_up.email && !is_closed;
    let profile = org::load_profile(&mut conn, org).await?;
    let is_approved = profile.settings.sending.registration == CarrierRegistration::Approved;
    let facts = RegistrationFacts { place, stored, takes_local, is_trusted, is_approved, sends_emails };
    let known = (member.session.name.as_str(), member.session.email.as_str());
    Ok(build_view(&profile.org, &state.settings.public_url, known, facts))
}

/// What was submitted for the number.
async fn find_stored(
    conn: &mut dyn AsConn,
    org: &org::Org,
    place: Option<&(TextingRegistrationKind, String)>,
) -> ApiResult<Option<TextingRegistration>> {
    Ok(match place {
        Some((TextingRegistrationKind::TollFree, number)) => {
            texting_registration::find_by_number(conn, org.id, number).await?
        }
        Some((TextingRegistrationKind::TenDlc, _)) => store::find_ten_dlc(conn, org.id).await?,
        None => None,
    })
}

/// Submits the registration of the number that the business texts from
///
/// A toll-free number is verified; a local one (A2P 10DLC) gets a brand and a campaign, whose fees are in
/// `GET /api/texting-registration` and are accepted by `acceptsFees=true`. Twilio and the carriers review it within days;
/// the owners are alerted of the outcome. One that was turned down is corrected by submitting it again. The EIN is sent
/// and not kept. Asks for a confirmed email address and a sign-in that is not older than 15 minutes.
#[utoipa::path(post, path = "/api/texting-registration", operation_id = "submitTextingRegistration", tag = "settings",
    security(("session" = ["owner"])),
    params(("acceptsFees" = Option<bool>, Query, description = "Needed for a local number")),
    request_body = BusinessProfile,
    responses((status = 202, description = "It is being submitted", body = TextingRegistrationView), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn submit_texting_registration(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    who: RequestContext,
    query: QueryParams,
    Json(typed): Json<BusinessProfile>,
) -> ApiResult<(StatusCode, axum::Json<TextingRegistrationView>)> {
    member.require_fresh(state.origin.now())?;
    let profile = typed.parse_fields()?;
    let accepts_fees = query.parse_text("acceptsFees", 5)?.as_deref() == Some("true");
    if !state.settings.sms.is_set_up() {
        return Err(ConflictCode::SmsNotOnServer.into());
    }
    maintenance_mode::refuse_if_frozen(&state, ConflictCode::InstallIsCopy).await?;
    let mut tx = state.db()?.begin().await?;
    member.require_live_session(&mut tx, &state).await?;
    org::lock(&mut tx, member.org()).await?;
    usage::require_proven_address(&mut tx, member.org()).await?;
    let org = org::find(&mut tx, member.org()).await?.ok_or_else(ApiError::not_found)?;
    let (takes_local, from) = (state.settings.sms.has_primary_profile(), org.sms_number.as_deref());
    let place = texting_registration::find_number_to_register(&mut tx, member.org(), from, takes_local).await?;
    let by = (member.org(), member.account());
    match place {
        Some((TextingRegistrationKind::TollFree, number)) => {
            texting_registration::submit_registration(&mut tx, &state.origin, by, &number, profile).await?;
        }
        Some((TextingRegistrationKind::TenDlc, number)) if takes_local => {
            require_local(&mut tx, org, (&profile, accepts_fees)).await?;
            store::submit_ten_dlc(&mut tx, &state.origin, by, &number, profile).await?;
        }
        _ => return Err(ApiError::invalid_field("number", NO_TOLL_FREE_NUMBER)),
    }
    record_change(&mut tx, &state, &who, &member, (AuditAction::TextingRegistered, member.org().0)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::ACCEPTED, axum::Json(load_registration(&state, &member).await?)))
}

/// The fees are on the operator's bill: only for businesses that may get numbers too. Errors: 409 for others and for a
/// number that is registered already, 422 for what is missing.
async fn require_local(
    conn: &mut dyn AsConn,
    org: org::Org,
    (profile, accepts_fees): (&BusinessProfile, bool),
) -> ApiResult<()> {
    if trust_level::load_trust_level(&mut *conn, org.id).await? != TrustLevel::Trusted {
        return Err(ConflictCode::TextingRegistrationNotAllowed.into());
    }
    if store::find_ten_dlc(&mut *conn, org.id).await?.is_none() {
        let registration = org::load_profile(conn, org).await?.settings.sending.registration;
        if registration == CarrierRegistration::Approved {
            return Err(ConflictCode::TextingRegistrationFinal.into());
        }
    }
    profile.require_local_fields()?;
    if !accepts_fees {
        return Err(ApiError::invalid_field("acceptsFees", ACCEPT_FEES));
    }
    Ok(())
}

/// Sends the text again that a sole proprietor answers with YES
///
/// Twilio sends it to the phone of the registration. Five an hour.
#[utoipa::path(post, path = "/api/texting-registration/text", operation_id = "resendRegistrationText", tag = "settings",
    security(("session" = ["owner"])),
    responses((status = 204, description = "It is on its way"), openapi::Unauthenticated, openapi::Forbidden,
        openapi::NotFound, openapi::Conflict, openapi::TooMany, openapi::Unavailable))]
pub async fn resend_registration_text(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    who: RequestContext,
) -> ApiResult<StatusCode> {
    maintenance_mode::refuse_if_frozen(&state, ConflictCode::InstallIsCopy).await?;
    let mut tx = state.db()?.begin().await?;
    let stored = store::find_ten_dlc(&mut tx, member.org()).await?;
    let waiting = stored.filter(|one| one.confirmation_phone().is_some());
    let progress = waiting.as_ref().and_then(TextingRegistration::ten_dlc_progress);
    let brand = progress.and_then(|progress| progress.find_sid(TenDlcStep::Brand)).map(ToOwned::to_owned);
    let brand = brand.ok_or(ConflictCode::RegistrationTextNotDue)?;
    let (secret, place) = (&state.settings.secret, member.org().to_string());
    throttle::count_action(&mut tx, &state.origin, secret, "registration text", &place, CONFIRMATION_TEXTS).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::TextingRegistered, member.org().0)).await?;
    tx.commit().await?;
    state.sms.resend_brand_otp(&brand).await.map_err(|error| resend_error(&error))?;
    Ok(StatusCode::NO_CONTENT)
}

fn resend_error(error: &SendError) -> ApiError {
    tracing::warn!(%error, "Twilio sent no text about a registration");
    match error {
        SendError::Refused { .. } | SendError::NotSetUp { .. } => ConflictCode::SmsAccountRefused.into(),
        _ => ApiError::unavailable("Twilio could not be asked"),
    }
}
