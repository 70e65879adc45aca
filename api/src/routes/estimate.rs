//! Estimates: made and downloaded in one go, looked at, sent again, made anew, taken back.

use axum::{
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use shared::{
    audit::{self, Action},
    error::Error,
    estimate::{
        self, Delivery, EstimateForm, EstimateView, Of, WaysForm,
        preview::{self, PreviewForm, PreviewView},
        view,
    },
    file,
    id::{EstimateId, LeadId},
    idempotency::{self, Keyed},
    lead::Intake,
    message::Channel,
    org::{self, Profile},
    work::Doer,
};
use utoipa::ToSchema;

use super::lead::intake::idempotency_key;
use crate::{
    auth::{OrgMember, OrgOffice},
    describe, disposition,
    error::{ApiError, ApiResult},
    extract::{Id, Json, Query},
    state::AppState,
    who::Who,
};

const ESTIMATE_ID: HeaderName = HeaderName::from_static("x-estimate-id");
const ESTIMATE_NUMBER: HeaderName = HeaderName::from_static("x-estimate-number");
/// By which ways it went out, and why not by the others.
const SENT: HeaderName = HeaderName::from_static("x-sent");
const NOT_SENT: HeaderName = HeaderName::from_static("x-not-sent");

/// Everything about the business that making and sending a paper looks at.
async fn profile(state: &AppState, member: &OrgMember) -> ApiResult<Profile> {
    let mut conn = state.db()?.read().await?;
    let org = org::find(&mut conn, member.org()).await?.ok_or(Error::NotFound)?;
    Ok(org::profile(&mut conn, org).await?)
}

/// A wish for an estimate.
struct Wish<'a> {
    state: &'a AppState,
    who: &'a Who,
    member: &'a OrgMember,
    operation: &'static str,
    headers: &'a HeaderMap,
    of: Of,
    form: &'a EstimateForm,
}

impl Wish<'_> {
    /// Makes it, once: a repeated request means the same estimate. What a first try left undone is done now.
    async fn make(&self, profile: &Profile) -> ApiResult<EstimateId> {
        let (state, org, house) = (self.state, self.member.org(), self.state.intake(profile));
        let key = idempotency_key(self.headers)?;
        let body_hash = Sha256::digest(format!("{:?} {:?}", self.of, self.form).as_bytes()).into();
        let keyed = key.as_deref().map(|key| Keyed { operation: self.operation, key, body_hash });
        let mut tx = state.db()?.begin().await?;
        let earlier = match &keyed {
            Some(keyed) => idempotency::earlier_answer(&mut tx, &state.origin, org, keyed).await?,
            None => None,
        };
        let id = if let Some(earlier) = earlier {
            // Finishing it takes a transaction of its own.
            drop(tx);
            serde_json::from_value(earlier["estimateId"].clone())
                .map_err(|e| ApiError::internal(format!("kept answer: {e}")))?
        } else {
            let by = Doer::of(&self.member.session);
            let id = estimate::begin(&mut tx, &house, self.of, self.form, &by).await?;
            if let Some(keyed) = &keyed {
                idempotency::keep_answer(&mut tx, org, keyed, &json!({ "estimateId": id })).await?;
            }
            let (actor, subject) = (self.who.actor(self.member), Some(id.0));
            audit::record(&mut tx, &state.origin, &actor, org, Action::EstimateMade, subject).await?;
            tx.commit().await?;
            id
        };
        complete(state, &house, id).await?;
        Ok(id)
    }
}

/// The second half. Should it fail here, the task does it.
async fn complete(state: &AppState, house: &Intake<'_>, id: EstimateId) -> ApiResult<()> {
    let mut conn = state.db()?.read().await?;
    let left = estimate::unfinished(&mut conn, house.profile.org.id, id).await?;
    drop(conn);
    let Some(left) = left else { return Ok(()) };
    let drawn = estimate::draw(&state.storage, house, left).await?;
    let mut tx = state.db()?.begin().await?;
    estimate::finish(&mut tx, house, &drawn).await?;
    tx.commit().await?;
    state.wake();
    Ok(())
}

/// The PDF as it is stored.
async fn stored_pdf(state: &AppState, member: &OrgMember, id: EstimateId, is_signed: bool) -> ApiResult<Response> {
    let mut conn = state.db()?.read().await?;
    let named = view::file(&mut conn, member.org(), id, is_signed).await?;
    let file = file::find(&mut conn, member.org(), named).await?;
    drop(conn);
    let bytes = state.storage.get(&file.full_key).await.map_err(Error::from)?;
    pdf(&file.name, bytes.into())
}

fn pdf(name: &str, bytes: Vec<u8>) -> ApiResult<Response> {
    let named = HeaderValue::from_str(&disposition::of(name, false))
        .map_err(|e| ApiError::internal(format!("file name: {e}")))?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/pdf")),
        (header::CONTENT_DISPOSITION, named),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, no-store")),
    ];
    Ok((headers, bytes).into_response())
}

fn channel_name(channel: Channel) -> &'static str {
    match channel {
        Channel::Sms => "sms",
        Channel::Email => "email",
    }
}

/// What became of it, in the headers of the answer: its body is the file.
fn told(id: EstimateId, number: &str, delivery: &Delivery) -> ApiResult<HeaderMap> {
    let sent: Vec<_> = delivery.sent.iter().map(|sent| channel_name(sent.channel)).collect();
    let not_sent = delivery.not_sent.iter().map(|not| format!("{}: {}", channel_name(not.channel), not.reason));
    let said = [
        (ESTIMATE_ID, id.to_string()),
        (ESTIMATE_NUMBER, number.to_owned()),
        (SENT, sent.join(",")),
        (NOT_SENT, not_sent.collect::<Vec<_>>().join("; ")),
    ];
    let value = |text: &str| HeaderValue::from_str(text).map_err(|e| ApiError::internal(format!("header: {e}")));
    said.into_iter().map(|(name, text)| Ok((name, value(&text)?))).collect()
}

/// Makes an estimate, sends it, and answers with its PDF
///
/// Of one amount, or of lines. The customer gets it by email with the file and by text with the link, as far as these
/// ways are open and asked for; `X-Sent` and `X-Not-Sent` say what became of it. A lead that is New becomes Quoted. Where
/// the lead has an estimate already, this is its next version. With an `Idempotency-Key` a repeated request gets the same
/// estimate, byte by byte.
#[utoipa::path(post, path = "/api/leads/{id}/estimate", operation_id = "makeEstimate", tag = "estimates",
    security(("session" = ["owner", "office"])), request_body = EstimateForm,
    params(("id" = Uuid, Path, description = "The lead"),
        ("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
            description = "The same key and content get the first answer again, the same key and other content a 422")),
    responses((status = 200, description = "The file, named after the lead", body = String,
            content_type = "application/pdf", headers(
                ("X-Estimate-Id" = Uuid, description = "The estimate"),
                ("X-Estimate-Number" = String, description = "As it is shown: EST-1001"),
                ("X-Sent" = String, description = "By which ways it goes out: email, sms; empty when by none"),
                ("X-Not-Sent" = String, description = "Why not by the others"))),
        describe::BadRequest, describe::Unauthenticated, describe::Forbidden, describe::NotFound, describe::Conflict,
        describe::TooLarge, describe::WrongMedia, describe::Invalid, describe::Unavailable, describe::NoSpace))]
pub async fn make_estimate(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    headers: HeaderMap,
    Json(form): Json<EstimateForm>,
) -> ApiResult<Response> {
    let profile = profile(&state, &member).await?;
    let of = Of::Lead(LeadId(id));
    let wish =
        Wish { state: &state, who: &who, member: &member, operation: "estimate", headers: &headers, of, form: &form };
    let made = wish.make(&profile).await?;
    let mut conn = state.db()?.read().await?;
    let delivery = estimate::first_delivery(&mut conn, member.org(), made).await?;
    let number = estimate::view(&mut conn, &state.intake(&profile), made).await?.number;
    drop(conn);
    let answer = stored_pdf(&state, &member, made, false).await?;
    Ok((told(made, &number, &delivery)?, answer).into_response())
}

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PreviewFormat {
    Json,
    Pdf,
}

/// What an estimate would come to
///
/// Of each option; or as a PDF that says it is a draft. Nothing is stored.
#[utoipa::path(post, path = "/api/estimates/preview", operation_id = "previewEstimate", tag = "estimates",
    security(("session" = ["owner", "office"])), request_body = PreviewForm,
    params(("format" = inline(Option<PreviewFormat>), Query, description = "json when absent")),
    responses((status = 200, description = "The amounts, or the draft",
            content((PreviewView = "application/json"), (String = "application/pdf"))),
        describe::BadRequest, describe::Unauthenticated, describe::Forbidden, describe::NotFound, describe::TooLarge,
        describe::WrongMedia, describe::Invalid, describe::Unavailable))]
pub async fn preview_estimate(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    query: Query,
    Json(asked): Json<PreviewForm>,
) -> ApiResult<Response> {
    let format = query.choice::<PreviewFormat>("format")?.unwrap_or(PreviewFormat::Json);
    let profile = profile(&state, &member).await?;
    let mut conn = state.db()?.read().await?;
    let read = preview::read(&mut conn, &state.intake(&profile), &asked).await?;
    drop(conn);
    match format {
        PreviewFormat::Json => Ok(axum::Json(read.totals()).into_response()),
        PreviewFormat::Pdf => pdf("Estimate draft.pdf", read.draft(&state.storage, &profile).await?),
    }
}

/// The estimates of a lead, newest first
#[utoipa::path(get, path = "/api/leads/{id}/estimates", operation_id = "listEstimates", tag = "estimates",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The lead")),
    responses((status = 200, description = "Every version", body = Vec<EstimateView>),
        describe::Unauthenticated, describe::Forbidden, describe::NotFound, describe::Unavailable))]
pub async fn list_estimates(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    Id(id): Id,
) -> ApiResult<axum::Json<Vec<EstimateView>>> {
    let profile = profile(&state, &member).await?;
    let mut conn = state.db()?.read().await?;
    Ok(axum::Json(estimate::of_lead(&mut conn, &state.intake(&profile), LeadId(id)).await?))
}

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PaperCopy {
    Signed,
}

/// The PDF of an estimate, byte by byte as it was sent
#[utoipa::path(get, path = "/api/estimates/{id}/pdf", operation_id = "estimatePdf", tag = "estimates",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The estimate"),
        ("copy" = inline(Option<PaperCopy>), Query, description = "What the customer signed")),
    responses((status = 200, description = "The file", body = String, content_type = "application/pdf"),
        describe::Unauthenticated, describe::Forbidden, describe::NotFound, describe::Invalid, describe::Unavailable))]
pub async fn estimate_pdf(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    Id(id): Id,
    query: Query,
) -> ApiResult<Response> {
    let is_signed = query.choice::<PaperCopy>("copy")?.is_some();
    stored_pdf(&state, &member, EstimateId(id), is_signed).await
}

/// Sends an estimate again
///
/// By email with the file and by text with the link, unless one of them is refused. With an `Idempotency-Key` a repeated
/// request sends nothing twice.
#[utoipa::path(post, path = "/api/estimates/{id}/send", operation_id = "sendEstimate", tag = "estimates",
    security(("session" = ["owner", "office"])), request_body = WaysForm,
    params(("id" = Uuid, Path, description = "The estimate"),
        ("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
            description = "The same key and content get the first answer again, the same key and other content a 422")),
    responses((status = 202, description = "What is on its way, and what is not", body = Delivery),
        describe::BadRequest, describe::Unauthenticated, describe::Forbidden, describe::NotFound, describe::Conflict,
        describe::TooLarge, describe::WrongMedia, describe::Invalid, describe::Unavailable))]
pub async fn send_estimate(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    headers: HeaderMap,
    Json(ways): Json<WaysForm>,
) -> ApiResult<(StatusCode, axum::Json<Delivery>)> {
    let (org, key) = (member.org(), idempotency_key(&headers)?);
    let profile = profile(&state, &member).await?;
    let body_hash = Sha256::digest(format!("{id} {ways:?}").as_bytes()).into();
    let keyed = key.as_deref().map(|key| Keyed { operation: "paper_send", key, body_hash });
    let mut tx = state.db()?.begin().await?;
    if let Some(keyed) = &keyed
        && let Some(earlier) = idempotency::earlier_answer(&mut tx, &state.origin, org, keyed).await?
    {
        let sent = serde_json::from_value(earlier).map_err(|e| ApiError::internal(format!("kept answer: {e}")))?;
        return Ok((StatusCode::ACCEPTED, axum::Json(sent)));
    }
    let by = Doer::of(&member.session);
    let sent = estimate::send_again(&mut tx, &state.intake(&profile), EstimateId(id), ways.into(), &by).await?;
    if let Some(keyed) = &keyed {
        let answer = serde_json::to_value(&sent).map_err(|e| ApiError::internal(e.to_string()))?;
        idempotency::keep_answer(&mut tx, org, keyed, &answer).await?;
    }
    audit::record(&mut tx, &state.origin, &who.actor(&member), org, Action::EstimateSent, Some(id)).await?;
    tx.commit().await?;
    state.wake();
    Ok((StatusCode::ACCEPTED, axum::Json(sent)))
}

/// Makes a new version of an estimate, and sends it
///
/// An open or declined version gives way to it. One that was approved stays as it was signed, until the new one is
/// approved.
#[utoipa::path(post, path = "/api/estimates/{id}/revise", operation_id = "reviseEstimate", tag = "estimates",
    security(("session" = ["owner", "office"])), request_body = EstimateForm,
    params(("id" = Uuid, Path, description = "The estimate"),
        ("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
            description = "The same key and content get the first answer again, the same key and other content a 422")),
    responses((status = 201, description = "The new version", body = EstimateView),
        describe::BadRequest, describe::Unauthenticated, describe::Forbidden, describe::NotFound, describe::Conflict,
        describe::TooLarge, describe::WrongMedia, describe::Invalid, describe::Unavailable, describe::NoSpace))]
pub async fn revise_estimate(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    headers: HeaderMap,
    Json(form): Json<EstimateForm>,
) -> ApiResult<(StatusCode, axum::Json<EstimateView>)> {
    let profile = profile(&state, &member).await?;
    let (operation, of) = ("estimate_revise", Of::Version(EstimateId(id)));
    let wish = Wish { state: &state, who: &who, member: &member, operation, headers: &headers, of, form: &form };
    let made = wish.make(&profile).await?;
    let mut conn = state.db()?.read().await?;
    let shown = estimate::view(&mut conn, &state.intake(&profile), made).await?;
    Ok((StatusCode::CREATED, axum::Json(shown)))
}

/// Why it is taken back.
#[derive(Debug, Deserialize)]
pub struct Withdrawal {
    #[serde(default)]
    reason: Option<String>,
}

#[derive(ToSchema)]
#[schema(as = WithdrawalRequest)]
#[expect(dead_code, reason = "only described; `Withdrawal` is what is read")]
pub struct WithdrawalDoc {
    #[schema(schema_with = describe::fields::filled_lines::<1000>)]
    reason: String,
}

/// Takes an open estimate back
///
/// Its address says so, what was still to leave about it does not, and the lead is New again where nothing else is open.
#[utoipa::path(post, path = "/api/estimates/{id}/withdraw", operation_id = "withdrawEstimate", tag = "estimates",
    security(("session" = ["owner", "office"])), request_body = WithdrawalDoc,
    params(("id" = Uuid, Path, description = "The estimate")),
    responses((status = 200, description = "The estimate as it is now", body = EstimateView),
        describe::BadRequest, describe::Unauthenticated, describe::Forbidden, describe::NotFound, describe::Conflict,
        describe::TooLarge, describe::WrongMedia, describe::Invalid, describe::Unavailable))]
pub async fn withdraw_estimate(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    Json(asked): Json<Withdrawal>,
) -> ApiResult<axum::Json<EstimateView>> {
    let profile = profile(&state, &member).await?;
    let (house, by) = (state.intake(&profile), Doer::of(&member.session));
    let mut tx = state.db()?.begin().await?;
    estimate::withdraw(&mut tx, &house, EstimateId(id), asked.reason.as_deref(), &by).await?;
    let (actor, org) = (who.actor(&member), member.org());
    audit::record(&mut tx, &state.origin, &actor, org, Action::EstimateWithdrawn, Some(id)).await?;
    let shown = estimate::view(&mut tx, &house, EstimateId(id)).await?;
    tx.commit().await?;
    state.wake();
    Ok(axum::Json(shown))
}

/// What is to become of the address.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = LinkRequest)]
pub struct LinkChange {
    /// Always true: the address that was given away opens nothing from now on.
    revoke: bool,
}

impl LinkChange {
    /// # Errors
    /// When it asks for nothing.
    pub fn check(&self) -> ApiResult<()> {
        if self.revoke { Ok(()) } else { Err(ApiError::field("revoke", "Say true to take the old address back")) }
    }
}

/// Gives an estimate a new address
#[utoipa::path(post, path = "/api/estimates/{id}/link", operation_id = "renewEstimateLink", tag = "estimates",
    security(("session" = ["owner", "office"])), request_body = LinkChange,
    params(("id" = Uuid, Path, description = "The estimate")),
    responses((status = 200, description = "The estimate with its new address", body = EstimateView),
        describe::BadRequest, describe::Unauthenticated, describe::Forbidden, describe::NotFound, describe::TooLarge,
        describe::WrongMedia, describe::Invalid, describe::Unavailable))]
pub async fn renew_estimate_link(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    Json(asked): Json<LinkChange>,
) -> ApiResult<axum::Json<EstimateView>> {
    asked.check()?;
    let profile = profile(&state, &member).await?;
    let mut tx = state.db()?.begin().await?;
    estimate::new_link(&mut tx, &state.origin, member.org(), EstimateId(id)).await?;
    let (actor, org) = (who.actor(&member), member.org());
    audit::record(&mut tx, &state.origin, &actor, org, Action::LinkRevoked, Some(id)).await?;
    let shown = estimate::view(&mut tx, &state.intake(&profile), EstimateId(id)).await?;
    tx.commit().await?;
    state.wake();
    Ok(axum::Json(shown))
}
