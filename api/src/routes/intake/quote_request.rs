//! The public quote form.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use shared::domain::intake::lead::{LeadReceipt, NewLead, QuoteForm};

use super::lead::{
    intake::{self, LeadSubmission},
    photos::ReceivedPhotos,
};
use crate::{
    auth::Visitor, client_info::RequestContext, error::ApiResult, extract::Json, idempotency::idempotency_key, openapi,
    state::AppState,
};

/// Asks for a quote
///
/// 429 `business_unconfirmed`: the business has not confirmed its email address, and has had its requests of the day.
#[utoipa::path(post, path = "/api/quotes/create", operation_id = "createQuote", tag = "public", request_body = QuoteForm,
    params(openapi::IdempotencyKey),
    responses((status = 201, description = "Taken in", body = LeadReceipt),
        openapi::BadRequest, openapi::NotFound, openapi::NoBusiness, openapi::TooLarge, openapi::WrongMedia, openapi::Invalid,
        openapi::TooMany, openapi::Unavailable, openapi::NoSpace))]
pub async fn create_quote(
    _: Visitor,
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Json(form): Json<QuoteForm>,
) -> ApiResult<(StatusCode, axum::Json<LeadReceipt>)> {
    let key = idempotency_key(&headers)?;
    let new = NewLead::from_quote_form(&form)?;
    let (org_asked, photos) = (form.org_id.clone(), ReceivedPhotos::default());
    let submission = LeadSubmission { operation: "quote", key, org_asked, new, photos };
    let receipt = intake::submit_lead(&state, &who, submission).await?;
    Ok((StatusCode::CREATED, axum::Json(receipt)))
}
