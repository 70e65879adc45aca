//! What a business has set up, what is missing, and the address of its form to test it with.

use axum::extract::State;
use serde::Serialize;
use shared::{
    domain::tenancy::{account::qr::QrPicture, org},
    views::setup::{self, SetupStep},
};
use utoipa::ToSchema;

use super::org::load_profile;
use crate::{
    auth::OrgOffice,
    error::{ApiError, ApiResult},
    openapi,
    state::AppState,
};

/// The steps of the set-up
///
/// In the order of the guided start. Each follows from what the business has: none is marked as done by hand.
#[utoipa::path(get, path = "/api/setup", operation_id = "listSetupSteps", tag = "settings",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "All steps", body = Vec<SetupStep>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn list_setup_steps(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<Vec<SetupStep>>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let profile = load_profile(&mut conn, &member).await?;
    Ok(axum::Json(setup::load_setup_steps(&mut conn, &state.settings.secret, &profile).await?))
}

/// Where customers find the form of the business.
#[derive(Serialize, ToSchema)]
pub struct FormAddress {
    url: String,
    /// The address, for the camera of a phone.
    qr: QrPicture,
}

/// Where customers find the form of the business
#[utoipa::path(get, path = "/api/setup/form", operation_id = "getFormAddress", tag = "settings",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "Its address, and the same as a QR code", body = FormAddress),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_form_address(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<FormAddress>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let org = org::find(&mut conn, member.org()).await?.ok_or_else(ApiError::not_found)?;
    let url = state.settings.public_url.join(&format!("/lead?org={}", org.slug));
    Ok(axum::Json(FormAddress { qr: QrPicture::from_text(&url)?, url }))
}
