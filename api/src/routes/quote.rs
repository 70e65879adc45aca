//! The public quote form.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use shared::lead::{NewLead, QuoteForm, Receipt};

use super::{
    form::resolve,
    lead::intake::{self, Submission},
};
use crate::{auth::Visitor, describe, error::ApiResult, extract::Json, state::AppState, who::Who};

/// Asks for a quote
#[utoipa::path(post, path = "/api/quotes/create", operation_id = "createQuote", tag = "public", request_body = QuoteForm,
    params(("Idempotency-Key" = Option<String>, Header, description = "The same key and content get the first answer again")),
    responses((status = 201, description = "Taken in", body = Receipt),
        describe::BadRequest, describe::NoBusiness, describe::TooLarge, describe::WrongMedia, describe::Invalid,
        describe::Unavailable, describe::NoSpace))]
pub async fn create_quote(
    _: Visitor,
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
    Json(form): Json<QuoteForm>,
) -> ApiResult<(StatusCode, axum::Json<Receipt>)> {
    let key = intake::idempotency_key(&headers)?;
    let new = NewLead::from_quote_form(&form)?;
    let org = resolve(&state, form.org_id.as_deref()).await?;
    let submission = Submission { operation: "quote", key, new, photos: Vec::new() };
    let receipt = intake::take_in(&state, &who, org, submission).await?;
    Ok((StatusCode::CREATED, axum::Json(receipt)))
}
