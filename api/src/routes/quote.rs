//! The public quote form.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use shared::domain::intake::lead::{LeadReceipt, NewLead, QuoteForm};
use utoipa::ToSchema;

use super::{
    form::resolve_org,
    lead::{
        intake::{self, LeadSubmission},
        photos::ReceivedPhotos,
    },
};
use crate::{
    auth::Visitor,
    client_info::RequestContext,
    error::ApiResult,
    extract::Json,
    idempotency::idempotency_key,
    openapi::{self, fields},
    state::AppState,
};

/// A request for a quote.
#[derive(ToSchema)]
#[schema(as = QuoteRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "only described; `QuoteForm` is what is read")]
pub struct QuoteRequest {
    #[schema(schema_with = fields::required_line::<120>)]
    customer_name: String,
    #[schema(schema_with = fields::email_address)]
    email: String,
    #[schema(schema_with = fields::nullable_phone)]
    phone: Option<String>,
    #[schema(schema_with = fields::nullable_line::<300>)]
    address: Option<String>,
    #[schema(schema_with = fields::required_line::<80>)]
    service_type: String,
    #[schema(schema_with = fields::nullable_text::<5000>)]
    project_description: Option<String>,
    #[schema(schema_with = fields::nullable_line::<60>)]
    timeline_preference: Option<String>,
    #[schema(schema_with = fields::nullable_line::<60>)]
    budget_range: Option<String>,
    /// Id or slug of the business; without it the install's default. One that does not exist is 404.
    org_id: Option<String>,
    page_url: Option<String>,
    referrer: Option<String>,
    form_token: Option<String>,
    /// Hidden from people; must stay empty.
    company: Option<String>,
    marketing_consent: Option<bool>,
}

/// Asks for a quote
#[utoipa::path(post, path = "/api/quotes/create", operation_id = "createQuote", tag = "public", request_body = QuoteRequest,
    params(openapi::IdempotencyKey),
    responses((status = 201, description = "Taken in", body = LeadReceipt),
        openapi::BadRequest, openapi::NotFound, openapi::NoBusiness, openapi::TooLarge, openapi::WrongMedia, openapi::Invalid,
        openapi::Unavailable, openapi::NoSpace))]
pub async fn create_quote(
    _: Visitor,
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Json(form): Json<QuoteForm>,
) -> ApiResult<(StatusCode, axum::Json<LeadReceipt>)> {
    let key = idempotency_key(&headers)?;
    let new = NewLead::from_quote_form(&form)?;
    let org = resolve_org(&state, form.org_id.as_deref()).await?;
    let submission = LeadSubmission { operation: "quote", key, new, photos: ReceivedPhotos::default() };
    let receipt = intake::submit_lead(&state, &who, org, submission).await?;
    Ok((StatusCode::CREATED, axum::Json(receipt)))
}
