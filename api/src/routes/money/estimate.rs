//! Estimates: create and download in one request, preview, view.

use axum::{
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, header},
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use shared::{
    domain::{
        messaging::message::outlook::OutlookState,
        money::estimate::{
            self, DocumentSendResult, EstimateForm, EstimateTarget, EstimateView, QueuedDocumentMessage,
            preview::{self, EstimatePreview, PreviewForm},
            view,
        },
        tenancy::org::{self, OrgProfile},
        work::file,
    },
    platform::{
        error::Error,
        id::{EstimateId, LeadId, OrgId},
    },
};
use utoipa::ToSchema;

use crate::{
    auth::{OrgMember, OrgOffice},
    channel_reason,
    client_info::RequestContext,
    disposition,
    error::{ApiError, ApiResult},
    extract::{Json, PathId, QueryParams},
    openapi,
    state::AppState,
};

pub mod change;
pub(super) mod creation;

use creation::EstimateCreation;

const ESTIMATE_ID: HeaderName = HeaderName::from_static("x-estimate-id");
const ESTIMATE_NUMBER: HeaderName = HeaderName::from_static("x-estimate-number");
/// Channels used, and reasons for those that were not.
const SENT: HeaderName = HeaderName::from_static("x-sent");
const WAITING: HeaderName = HeaderName::from_static("x-waiting");
const NOT_SENT: HeaderName = HeaderName::from_static("x-not-sent");

pub(super) async fn load_profile(state: &AppState, member: &OrgMember) -> ApiResult<OrgProfile> {
    let mut conn = state.db()?.acquire_reader().await?;
    let org = org::find(&mut conn, member.org()).await?.ok_or(Error::NotFound)?;
    Ok(org::load_profile(&mut conn, org).await?)
}

async fn stored_pdf_response(
    state: &AppState,
    member: &OrgMember,
    id: EstimateId,
    is_signed: bool,
) -> ApiResult<Response> {
    let mut conn = state.db()?.acquire_reader().await?;
    let named = view::find_file_id(&mut conn, member.org(), id, is_signed).await?;
    let file = file::find(&mut conn, member.org(), named).await?;
    drop(conn);
    let bytes = state.storage.get(&file.full_key).await.map_err(Error::from)?;
    pdf_response(&file.name, bytes.into())
}

pub(super) fn pdf_response(name: &str, bytes: Vec<u8>) -> ApiResult<Response> {
    let named = HeaderValue::from_str(&disposition::content_disposition(name, false))
        .map_err(|e| ApiError::internal(format!("file name: {e}")))?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/pdf")),
        (header::CONTENT_DISPOSITION, named),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, no-store")),
    ];
    Ok((headers, bytes).into_response())
}

/// Adds the expected fate of each message.
pub(super) async fn with_outlooks(
    state: &AppState,
    org: OrgId,
    delivery: DocumentSendResult,
) -> ApiResult<DocumentSendResult> {
    let mut conn = state.db()?.acquire_reader().await?;
    Ok(delivery.with_outlook(&mut conn, &state.origin, state.send_channels(), org).await?)
}

/// Delivery headers, since the body is the file. Only a message that leaves now counts as sent.
fn delivery_headers(id: EstimateId, number: &str, delivery: &DocumentSendResult) -> ApiResult<HeaderMap> {
    let fate =
        |sent: &QueuedDocumentMessage| sent.outlook.as_ref().map_or(OutlookState::Leaves, |outlook| outlook.state);
    let of =
        |wanted: &[OutlookState]| delivery.sent.iter().filter(|sent| wanted.contains(&fate(sent))).collect::<Vec<_>>();
    let worded = |sent: &QueuedDocumentMessage| {
        let text = sent.outlook.as_ref().map_or("", |outlook| outlook.text.as_str());
        channel_reason::encode_channel_reason(&sent.channel.to_string(), text)
    };
    let sent: Vec<_> = of(&[OutlookState::Leaves]).into_iter().map(|sent| sent.channel.to_string()).collect();
    let waiting: Vec<_> =
        of(&[OutlookState::Held, OutlookState::Waits, OutlookState::Filed]).into_iter().map(worded).collect();
    let stopped = of(&[OutlookState::NotSent]).into_iter().map(worded);
    let not_sent = delivery
        .not_sent
        .iter()
        .map(|not| channel_reason::encode_channel_reason(&not.channel.to_string(), &not.reason));
    let not_sent = not_sent.chain(stopped);
    let filters = [
        (ESTIMATE_ID, id.to_string()),
        (ESTIMATE_NUMBER, number.to_owned()),
        (SENT, sent.join(",")),
        (WAITING, waiting.join("; ")),
        (NOT_SENT, not_sent.collect::<Vec<_>>().join("; ")),
    ];
    let ascii = |text: &str| text.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect::<String>();
    let value =
        |text: &str| HeaderValue::from_str(&ascii(text)).map_err(|e| ApiError::internal(format!("header: {e}")));
    filters.into_iter().map(|(name, text)| Ok((name, value(&text)?))).collect()
}

/// Makes an estimate, sends it, and answers with its PDF
///
/// Of one amount, or of lines. The customer gets it by email with the file and by text with the link, as far as these
/// ways are open and asked for; `X-Sent`, `X-Waiting` and `X-Not-Sent` say what becomes of it. A lead that is New
/// becomes Quoted. Where the lead has an estimate already, this is its next version. With an `Idempotency-Key` a
/// repeated request gets the same estimate, byte by byte.
#[utoipa::path(post, path = "/api/leads/{id}/estimate", operation_id = "makeEstimate", tag = "estimates",
    security(("session" = ["owner", "office"])), request_body = EstimateForm,
    params(("id" = Uuid, Path, description = "The lead"),
        openapi::IdempotencyKey),
    responses((status = 200, description = "The file, named after the lead", body = String,
            content_type = "application/pdf", headers(
                ("X-Estimate-Id" = Uuid, description = "The estimate"),
                ("X-Estimate-Number" = String, description = "As it is shown: EST-1001"),
                ("X-Sent" = String, description = "By which ways it goes out now: email, sms; empty when by none"),
                ("X-Waiting" = String, description = "Messages that are held, queued or saved as a file, and why: sms: held until 8:00 AM"),
                ("X-Not-Sent" = String, description = "Why not by the others"))),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable, openapi::NoSpace))]
pub async fn create_estimate(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    headers: HeaderMap,
    Json(form): Json<EstimateForm>,
) -> ApiResult<Response> {
    let profile = load_profile(&state, &member).await?;
    let of = EstimateTarget::Lead(LeadId(id));
    let wish = EstimateCreation {
        state: &state,
        who: &who,
        member: &member,
        operation: "estimate",
        headers: &headers,
        of,
        form: &form,
    };
    let made = wish.create_once(&profile).await?;
    let mut conn = state.db()?.acquire_reader().await?;
    let delivery = estimate::load_first_delivery(&mut conn, member.org(), made).await?;
    let number = estimate::load_view(&mut conn, &state.org_context(&profile), made).await?.number;
    drop(conn);
    let delivery = with_outlooks(&state, member.org(), delivery).await?;
    let answer = stored_pdf_response(&state, &member, made, false).await?;
    Ok((delivery_headers(made, &number, &delivery)?, answer).into_response())
}

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PreviewFormat {
    Json,
    Pdf,
}

/// Totals of an estimate preview
///
/// Of each option; or as a PDF that says it is a draft. Nothing is stored.
#[utoipa::path(post, path = "/api/estimates/preview", operation_id = "previewEstimate", tag = "estimates",
    security(("session" = ["owner", "office"])), request_body = PreviewForm,
    params(("format" = inline(Option<PreviewFormat>), Query, description = "json when absent")),
    responses((status = 200, description = "The amounts, or the draft",
            content((EstimatePreview = "application/json"), (String = "application/pdf"))),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn preview_estimate(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    query: QueryParams,
    Json(asked): Json<PreviewForm>,
) -> ApiResult<Response> {
    let format = query.parse_choice::<PreviewFormat>("format")?.unwrap_or(PreviewFormat::Json);
    let profile = load_profile(&state, &member).await?;
    let mut conn = state.db()?.acquire_reader().await?;
    let read = preview::build_draft(&mut conn, &state.org_context(&profile), &asked).await?;
    drop(conn);
    match format {
        PreviewFormat::Json => Ok(axum::Json(read.to_view()).into_response()),
        PreviewFormat::Pdf => pdf_response("Estimate draft.pdf", read.render_draft(&state.storage, &profile).await?),
    }
}

/// The estimates of a lead, newest first
#[utoipa::path(get, path = "/api/leads/{id}/estimates", operation_id = "listEstimates", tag = "estimates",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The lead")),
    responses((status = 200, description = "Every version", body = Vec<EstimateView>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn list_estimates(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    PathId(id): PathId,
) -> ApiResult<axum::Json<Vec<EstimateView>>> {
    let profile = load_profile(&state, &member).await?;
    let mut conn = state.db()?.acquire_reader().await?;
    Ok(axum::Json(estimate::list_for_lead(&mut conn, &state.org_context(&profile), LeadId(id)).await?))
}

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DocumentCopy {
    Signed,
}

/// The PDF of an estimate, byte by byte as it was sent
#[utoipa::path(get, path = "/api/estimates/{id}/pdf", operation_id = "estimatePdf", tag = "estimates",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The estimate"),
        ("copy" = inline(Option<DocumentCopy>), Query, description = "What the customer signed")),
    responses((status = 200, description = "The file", body = String, content_type = "application/pdf"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Invalid, openapi::Unavailable))]
pub async fn estimate_pdf(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    PathId(id): PathId,
    query: QueryParams,
) -> ApiResult<Response> {
    let is_signed = query.parse_choice::<DocumentCopy>("copy")?.is_some();
    stored_pdf_response(&state, &member, EstimateId(id), is_signed).await
}
