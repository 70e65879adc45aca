//! The public quote form.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use shared::domain::intake::lead::{NewLead, QuoteForm, Receipt};
use utoipa::ToSchema;

use super::{
    form::resolve,
    lead::{
        intake::{self, Submission},
        photos::Photos,
    },
};
use crate::{
    auth::Visitor,
    client_info::Who,
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
pub struct QuoteDoc {
    #[schema(schema_with = fields::filled::<120>)]
    customer_name: String,
    #[schema(schema_with = fields::email)]
    email: String,
    #[schema(schema_with = fields::phone_or_null)]
    phone: Option<String>,
    #[schema(schema_with = fields::line_or_null::<300>)]
    address: Option<String>,
    #[schema(schema_with = fields::filled::<80>)]
    service_type: String,
    #[schema(schema_with = fields::lines_or_null::<5000>)]
    project_description: Option<String>,
    #[schema(schema_with = fields::line_or_null::<60>)]
    timeline_preference: Option<String>,
    #[schema(schema_with = fields::line_or_null::<60>)]
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
#[utoipa::path(post, path = "/api/quotes/create", operation_id = "createQuote", tag = "public", request_body = QuoteDoc,
    params(("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
        description = "The same key and content get the first answer again, the same key and other content a 422")),
    responses((status = 201, description = "Taken in", body = Receipt),
        openapi::BadRequest, openapi::NotFound, openapi::NoBusiness, openapi::TooLarge, openapi::WrongMedia, openapi::Invalid,
        openapi::Unavailable, openapi::NoSpace))]
pub async fn create_quote(
    _: Visitor,
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
    Json(form): Json<QuoteForm>,
) -> ApiResult<(StatusCode, axum::Json<Receipt>)> {
    let key = idempotency_key(&headers)?;
    let new = NewLead::from_quote_form(&form)?;
    let org = resolve(&state, form.org_id.as_deref()).await?;
    let submission = Submission { operation: "quote", key, new, photos: Photos::default() };
    let receipt = intake::take_in(&state, &who, org, submission).await?;
    Ok((StatusCode::CREATED, axum::Json(receipt)))
}
