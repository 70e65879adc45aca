//! What a public form shows: whose it is, what sending it agrees to, and the token that tells when it was opened.

use axum::extract::State;
use serde::Serialize;
use shared::{
    domain::{
        growth::review,
        intake::lead::consent,
        messaging::{alert::ways, response_sla},
        tenancy::org::{self, Org, Profile},
    },
    platform::{error::Error, id::OrgId},
};
use utoipa::ToSchema;

use crate::{
    auth::Visitor,
    error::{ApiError, ApiResult, ErrorCode},
    extract::Query,
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
    /// To be sent back with the form.
    form_token: String,
    consent_version: String,
    /// The words under the button.
    consent_text: String,
    /// The words beside the box that is not ticked.
    marketing_text: String,
    /// Within so many hours a quote is promised on the quote page; null out of business hours, and while nobody of the
    /// business would be told of the request: then no time is promised.
    #[schema(minimum = 1, maximum = 168)]
    quote_hours: Option<i64>,
    /// The mean of the business's reviews in stars, to one decimal; null while there are fewer than five.
    #[schema(minimum = 0, maximum = 5)]
    rating: Option<f64>,
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
    query: Query,
) -> ApiResult<axum::Json<FormContext>> {
    let org = resolve(&state, named_in(&query)?.as_deref()).await?;
    let mut conn = state.db()?.read().await?;
    let rating = review::list::rating(&mut conn, org.id).await?;
    let profile = org::profile(&mut conn, org).await?;
    let told_from = ways::told_from(&mut conn, &state.origin, &profile, state.set_up()).await?;
    let quote_hours = response_sla::quote_time(&profile, state.origin.now(), told_from).hours;
    let Profile { org, .. } = profile;
    Ok(axum::Json(FormContext {
        form_token: state.settings.secret.form_token(&org.slug, state.origin.now()),
        consent_version: consent::VERSION.to_owned(),
        consent_text: consent::wording(&org.name),
        marketing_text: consent::marketing(&org.name),
        quote_hours,
        rating,
        org_id: org.id,
        org_slug: org.slug,
        org_name: org.name,
        org_phone: org.phone,
    }))
}

const MAX_ORG_NAME: usize = 100;

/// The business that an address names: as `org`, or as the field of the form is called.
///
/// # Errors
/// 404 for a name that no business can have: it is one that none has.
pub fn named_in(query: &Query) -> ApiResult<Option<String>> {
    let text = |name| query.text(name, MAX_ORG_NAME).map_err(|_| unknown());
    match text("org")? {
        Some(name) => Ok(Some(name)),
        None => text("orgId"),
    }
}

/// The business that a public request is for: the install's own where none is named. Slugs are lower case, and people
/// type as they like.
///
/// # Errors
/// 404 when the one that is named does not exist, 409 when none is registered.
pub async fn resolve(state: &AppState, asked: Option<&str>) -> ApiResult<Org> {
    let asked = asked.map(|name| name.trim().to_lowercase()).filter(|name| !name.is_empty());
    if asked.as_ref().is_some_and(|name| name.len() > MAX_ORG_NAME || name.chars().any(char::is_control)) {
        return Err(unknown());
    }
    let mut conn = state.db()?.look_up().await?;
    let found = org::resolve_public(&mut conn, asked.as_deref(), state.settings.default_org.as_deref()).await;
    found.map_err(|e| if matches!(e, Error::NotFound) { unknown() } else { e.into() })
}

fn unknown() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "No business has this address. Please check the link.")
}
