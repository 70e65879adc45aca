//! Registration of a business and its owner.

use axum::{extract::State, http::StatusCode};
use serde::Serialize;
use shared::{
    domain::{
        messaging::{
            account_email::{address_proof, known_address},
            sending_number,
        },
        tenancy::{
            account::{self, RegisterForm, RegistrationOutcome, password::HashingLane, proof},
            audit::{self, AuditAction},
            registration, trust_level,
        },
    },
    platform::{
        db::Tx,
        email_address::EmailAddress,
        error::Error,
        id::{AccountId, OrgId},
        throttle,
    },
};
use utoipa::ToSchema;

use crate::{
    auth::Visitor, client_info::RequestContext, error::ApiResult, extract::Json, min_response_time::MinResponseTime,
    openapi, state::AppState,
};

#[derive(Serialize, ToSchema)]
#[schema(as = Registered)]
pub struct RegistrationResponse {
    /// Always `created`, whether or not the address was known.
    status: &'static str,
}

/// Registers a business and its owner
#[utoipa::path(post, path = "/api/auth/register", operation_id = "register", tag = "auth", request_body = RegisterForm,
    responses((status = 201, description = "Registered; also when the address was known", body = RegistrationResponse),
        openapi::BadRequest, openapi::Forbidden, openapi::Conflict, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn register_business(
    _: Visitor,
    State(state): State<AppState>,
    who: RequestContext,
    Json(form): Json<RegisterForm>,
) -> ApiResult<(StatusCode, axum::Json<RegistrationResponse>)> {
    let invitation = form.invitation.clone();
    let new = form.validate_registration()?;
    let db = state.db()?;
    // Before the hash: a refused registration must cost nothing.
    check_registration_allowed(&state, &who, &new.email, invitation.as_deref()).await?;
    let place = state.hasher.acquire_permit(who.hashing_requester(HashingLane::Registration, &new.email)).await?;
    if !who.is_exempt {
        let mut tx = db.begin().await?;
        throttle::count_registration(&mut tx, &state.origin, &state.settings.secret, who.ip).await?;
        tx.commit().await?;
    }
    let hash = place.hash_password(new.password.clone()).await?;
    drop(place);
    let floor = MinResponseTime::from_now(state.config.floor);
    let mut tx = db.begin().await?;
    let is_invited = can_register(&state, &mut tx, new.email.as_str(), invitation.as_deref()).await?;
    let (org, action, account) = match account::register(&mut tx, &state.origin, &new, &hash).await? {
        RegistrationOutcome::New { org, account } => {
            begin_trust_level(&mut tx, &state, (org, account), is_invited).await?;
            (org, AuditAction::OrgRegistered, account)
        }
        RegistrationOutcome::Known { org, account, may_be_planted } => {
            mail_known_address(&mut tx, &state, (org, account), may_be_planted).await?;
            (org, AuditAction::RegistrationOfKnownEmail, account)
        }
    };
    audit::record(&mut tx, &state.origin, &who.anonymous_actor(), org, action, Some(account.0)).await?;
    let (sender, first) = (state.settings.sms.sender(), state.settings.default_org.as_deref());
    sending_number::sync_default_sender(&mut tx, &state.origin, sender, first).await?;
    tx.commit().await?;
    state.notify_committed();
    floor.wait_until_due().await;
    Ok((StatusCode::CREATED, axum::Json(RegistrationResponse { status: "created" })))
}

/// Refusals count as registrations of the network, and reveal nothing about an address: an operator's one gets the same
/// answer at the same time, and an invitation by mail.
async fn check_registration_allowed(
    state: &AppState,
    who: &RequestContext,
    email: &EmailAddress,
    invitation: Option<&str>,
) -> ApiResult<()> {
    let floor = MinResponseTime::from_now(state.config.floor);
    let (settings, origin) = (&state.settings, &state.origin);
    let (secret, operators) = (&settings.secret, &settings.platform_admins);
    let mut tx = state.db()?.begin().await?;
    let refusal = match can_register(state, &mut tx, email.as_str(), invitation).await {
        Ok(_) => return Ok(()),
        Err(refusal @ (Error::RegistrationClosed(_) | Error::RegistrationByInvitation(_))) => refusal,
        Err(other) => return Err(other.into()),
    };
    if !who.is_exempt {
        throttle::count_registration(&mut tx, origin, secret, who.ip).await?;
    }
    registration::mail_operator_invitation(&mut tx, origin, secret, &settings.public_url, operators, email).await?;
    tx.commit().await?;
    state.notify_committed();
    floor.wait_until_due().await;
    Err(refusal.into())
}

/// Whether `email` may register now. True when the operator's invitation was mailed to it.
async fn can_register(state: &AppState, tx: &mut Tx, email: &str, invitation: Option<&str>) -> Result<bool, Error> {
    let settings = &state.settings;
    let how = (settings.registration, settings.billing.is_some());
    registration::authorize_registration(tx, &state.origin, &settings.secret, how, (email, invitation)).await
}

/// A new business starts at the first trust level; an invited user has proved the address.
async fn begin_trust_level(
    tx: &mut Tx,
    state: &AppState,
    (org, account): (OrgId, AccountId),
    is_invited: bool,
) -> ApiResult<()> {
    let settings = &state.settings;
    trust_level::initialize_trust(&mut *tx, &state.origin, org, settings.billing.is_some()).await?;
    let account = account::get(&mut *tx, org, account).await?;
    if is_invited {
        proof::record_address_proof(tx, &state.origin, &account, None).await?;
    } else if throttle::try_count_mail(tx, &state.origin, &settings.secret, proof::REGISTERED, account.email.as_str())
        .await?
    {
        address_proof::send_proof_mail(tx, &state.origin, &settings.secret, &settings.public_url, &account).await?;
    }
    Ok(())
}

/// Where the address is registered but unproven, its holder confirms or disowns the registration by the links of the
/// first mail.
async fn mail_known_address(
    tx: &mut Tx,
    state: &AppState,
    (org, account): (OrgId, AccountId),
    may_be_planted: bool,
) -> ApiResult<()> {
    let settings = &state.settings;
    let account = account::get(&mut *tx, org, account).await?;
    if !may_be_planted {
        known_address::notify_existing_account(tx, &state.origin, &settings.public_url, &account).await?;
    } else if throttle::try_count_mail(
        tx,
        &state.origin,
        &settings.secret,
        proof::REGISTERED_AGAIN,
        account.email.as_str(),
    )
    .await?
    {
        address_proof::resend_proof_mail(tx, &state.origin, &settings.secret, &settings.public_url, &account).await?;
    }
    Ok(())
}
