//! Data of a public form: business, consent, and a token of the time at which it was opened.

use axum::extract::State;
use serde::Serialize;
use shared::{
    documents::brand_color::BrandPalette,
    domain::{
        growth::review,
        intake::lead::consent,
        messaging::{alert::alert_channels, response_sla},
        tenancy::{
            org::{self, Org, OrgProfile, logo},
            trust_level::public_requests,
        },
    },
    platform::{
        db::{AsConn, Tx},
        error::Error,
        id::OrgId,
        spans::record_org,
    },
};
use utoipa::ToSchema;

use crate::{
    auth::Visitor,
    error::{ApiError, ApiResult, ErrorCode},
    extract::QueryParams,
    openapi,
    state::AppState,
};

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FormContext {
    org_id: OrgId,
    org_slug: String,
    org_name: String,
    org_phone: Option<String>,
    /// The owner has not confirmed their email address: the page says so, and few requests a day are taken.
    is_email_unconfirmed: bool,
    /// Whether it has a number to text from; otherwise the page promises no texts.
    has_sender: bool,
    /// To be sent back with the form. It proves when the form was opened, and which of our wordings it showed.
    form_token: String,
    consent_version: String,
    /// The words under the button.
    consent_text: String,
    /// The words beside the box that is not ticked.
    marketing_text: String,
    /// Within so many hours a quote is promised on the quote page; null out of business hours and while no one would be
    /// notified: then no time is promised.
    #[schema(minimum = 1, maximum = 168)]
    quote_hours: Option<i64>,
    /// The mean of the business's reviews in stars, to one decimal; null while there are fewer than five.
    #[schema(minimum = 0, maximum = 5)]
    rating: Option<f64>,
    /// Where a customer picks a time; null while the business takes no bookings.
    booking_url: Option<String>,
    look: FormLook,
}

/// Look of the business on its pages.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FormLook {
    logo_url: Option<String>,
    /// Null while the business has chosen no color.
    colors: Option<BrandPalette>,
    shows_powered_by: bool,
}

impl FormLook {
    fn new(profile: &OrgProfile) -> Self {
        let look = &profile.settings.look;
        Self {
            logo_url: logo::logo_url(&profile.org),
            colors: look.brand_palette(),
            shows_powered_by: look.shows_powered_by,
        }
    }
}

/// The public form of a business
///
/// Without `org` it is the install's own business; one that does not exist is 404.
#[utoipa::path(get, path = "/api/public/form", operation_id = "publicForm", tag = "public",
    params(("org" = Option<String>, Query, description = "The business, by slug or id")),
    responses((status = 200, description = "What the form shows", body = FormContext),
        openapi::NotFound, openapi::NoBusiness, openapi::Unavailable))]
pub async fn public_form(
    _: Visitor,
    State(state): State<AppState>,
    query: QueryParams,
) -> ApiResult<axum::Json<FormContext>> {
    let org = resolve_org(&state, requested_org_name(&query)?.as_deref()).await?;
    let mut conn = state.db()?.acquire_reader().await?;
    let is_email_unconfirmed = public_requests::load_unproven_mark(&mut conn, org.id).await?;
    let rating = review::list::load_public_rating(&mut conn, org.id).await?;
    let profile = org::load_profile(&mut conn, org).await?;
    let told_from = alert_channels::reachable_from(&mut conn, &state.origin, &profile, state.send_channels()).await?;
    let quote_hours = response_sla::quote_response_time(&profile, state.origin.now(), told_from).hours;
    let (booking_url, look) = (profile.booking_link(&state.settings.public_url), FormLook::new(&profile));
    let OrgProfile { org, .. } = profile;
    Ok(axum::Json(FormContext {
        form_token: state.settings.secret.issue_form_token(&org.slug, state.origin.now(), org.has_sender()),
        consent_version: consent::VERSION.to_owned(),
        consent_text: consent::consent_wording(&org.name, org.has_sender()),
        marketing_text: consent::marketing_wording(&org.name, org.has_sender()),
        quote_hours,
        rating,
        booking_url,
        look,
        is_email_unconfirmed,
        has_sender: org.has_sender(),
        org_id: org.id,
        org_slug: org.slug,
        org_name: org.name,
        org_phone: org.phone,
    }))
}

/// Counts a request to a business with an unproven address. Errors: 429 when it has had its requests of the day.
pub async fn count_unproven_request(tx: &mut Tx, state: &AppState, org: OrgId) -> ApiResult<()> {
    let counted = public_requests::count_unproven_request(tx, &state.origin, &state.settings.secret, org).await;
    counted.map_err(|e| match e {
        Error::RateLimited { retry_after_seconds } => ApiError::business_unconfirmed(retry_after_seconds),
        other => other.into(),
    })
}

const MAX_ORG_NAME: usize = 100;

/// Business named by the address: `org`, or the form's field name. Errors: 404 for an impossible name.
pub fn requested_org_name(query: &QueryParams) -> ApiResult<Option<String>> {
    let text = |name| query.parse_text(name, MAX_ORG_NAME).map_err(|_| unknown_org_error());
    match text("org")? {
        Some(name) => Ok(Some(name)),
        None => text("orgId"),
    }
}

/// Business of a public request; the install's own where none is named. Slugs are lower case; case is ignored. Errors:
/// 404 when the named one does not exist, 409 when none is registered.
pub async fn resolve_org(state: &AppState, asked: Option<&str>) -> ApiResult<Org> {
    find_requested_org(&mut state.db()?.acquire_point_reader().await?, state, asked).await
}

/// As [`resolve_org`], on a connection that reads more.
pub async fn find_requested_org(conn: &mut dyn AsConn, state: &AppState, asked: Option<&str>) -> ApiResult<Org> {
    let asked = asked.map(|name| name.trim().to_lowercase()).filter(|name| !name.is_empty());
    if asked.as_ref().is_some_and(|name| name.len() > MAX_ORG_NAME || name.chars().any(char::is_control)) {
        return Err(unknown_org_error());
    }
    let found = org::resolve_public(conn, asked.as_deref(), state.settings.default_org.as_deref()).await;
    found
        .inspect(|org| record_org(org.id))
        .map_err(|e| if matches!(e, Error::NotFound) { unknown_org_error() } else { e.into() })
}

fn unknown_org_error() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "No business has this address. Please check the link.")
}
