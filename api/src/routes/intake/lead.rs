//! Leads: public form, list, single lead, export, photos, release of held ones.

use axum::{
    extract::{Multipart, State, multipart::MultipartRejection},
    http::{HeaderMap, HeaderName, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use shared::{
    domain::{
        growth::metrics::drilldown::AnsweredBy,
        intake::{
            contact_point,
            customer::CustomerErasureStatus,
            lead::{self, LeadReceipt, PipelineStage},
        },
        messaging::{
            followup::compose,
            lead_response,
            message::{
                cost::{self, TextCost},
                outlook,
            },
        },
        tenancy::{
            audit::{self, AuditAction},
            org,
        },
        work::activity::{self, UndoableEvent},
    },
    ops::erasure,
    platform::{
        db::AsConn,
        error::Error,
        id::{LeadId, PhotoId},
    },
    views::lead::{self as view, LeadDetail, LeadSort, LeadSummary, export},
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    auth::{OrgMember, OrgOffice, Visitor},
    client_info::RequestContext,
    csp,
    error::ApiResult,
    extract::{BooleanParam, PathId, PathIdPair, PathWord, QueryParams},
    idempotency::idempotency_key,
    openapi, pagination,
    report_export::{ExportFormat, build_export_response, read_report},
    state::AppState,
};

mod drilldown;
mod filter;
pub mod intake;
pub mod manual_answer;
pub mod owner;
mod photo_space;
pub(super) mod photos;
pub mod typed_lead;
pub(crate) mod upload;

use intake::LeadSubmission;

/// Asks for work
///
/// `errors` of a 422 names every field that does not fit; refused photos are named under `photos`. 429
/// `business_unconfirmed`: the business has not confirmed its email address, and has had its requests of the day.
#[utoipa::path(post, path = "/api/leads/create", operation_id = "createLead", tag = "public",
    request_body(content = upload::ReceivedLeadForm, content_type = "multipart/form-data",
        encoding(("photos" = (content_type = "image/png, image/jpeg, image/webp")))),
    params(openapi::IdempotencyKey),
    responses((status = 201, description = "Taken in", body = LeadReceipt),
        openapi::BadRequest, openapi::NotFound, openapi::NoBusiness, openapi::TooLarge, openapi::WrongMedia, openapi::Invalid,
        openapi::TooMany, openapi::Unavailable, openapi::NoSpace))]
pub async fn create_lead(
    _: Visitor,
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    multipart: Result<Multipart, MultipartRejection>,
) -> ApiResult<(StatusCode, axum::Json<LeadReceipt>)> {
    let key = idempotency_key(&headers)?;
    let sent = upload::read_form(&state, &who, upload::require_multipart(multipart)?).await?;
    let (new, org_asked, photos) = sent.validate_form()?;
    let submission = LeadSubmission { operation: "lead", key, org_asked, new, photos };
    let receipt = intake::submit_lead(&state, &who, submission).await?;
    Ok((StatusCode::CREATED, axum::Json(receipt)))
}

/// A list, or one.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = LeadsAnswer)]
pub enum LeadListResponse {
    List(Vec<LeadSummary>),
    One(Box<LeadDetailView>),
}

/// The leads of the business, latest activity first, or one lead
///
/// With the id or slug of one's own business it is the list, with the id of one of its leads that lead. For an API key
/// without `messages:read` the subject and the details of each message are null and its body is empty.
#[utoipa::path(get, path = "/api/leads/{x}", operation_id = "getLeads", tag = "leads",
    security(("session" = ["owner", "office"])),
    params(("x" = String, Path, min_length = 1, description = "The business by id or slug, or a lead by id"),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 500, description = "At most so many; 100 when absent"),
        ("cursor" = Option<String>, Query, pattern = "^([novw]?[0-9]{1,13}_[0-9a-f]{32})?$",
            description = "Where to go on, from the Link header, in the same order"),
        ("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Words to look for"),
        ("from" = Option<String>, Query, format = Date,
            description = "Only what a figure counts from this date on; with `to`"),
        ("to" = Option<String>, Query, format = Date, description = "And up to this date"),
        ("answered" = inline(Option<AnsweredBy>), Query,
            description = "By who answered; one of answered, calls, by, promise and quotes, and by the day they came in without any"),
        ("calls" = inline(Option<drilldown::CallFilterParam>), Query, description = "By the calls that were missed, or recovered later"),
        ("by" = inline(Option<drilldown::DateBasisParam>), Query, description = "By the day they were booked or paid, or something was done for them without a person"),
        ("promise" = inline(Option<drilldown::PromiseFilterParam>), Query, description = "By the answer they were promised: on these days kept or broken; without days those that wait for it now"),
        ("quotes" = inline(Option<drilldown::QuoteFilterParam>), Query, description = "By their estimates: sent, won or lost"),
        ("texts" = inline(Option<filter::TextFilterParam>), Query,
            description = "refused: only those with a text that the day's limit stopped, and no text since"),
        ("source" = Option<String>, Query, max_length = 60, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Only what first came from there; with days by themselves, with by=booked or with quotes=won"),
        ("stage" = Option<PipelineStage>, Query, description = "Only these"),
        ("waiting" = inline(Option<BooleanParam>), Query,
            description = "true: only those that wait for a person's answer"),
        ("owner" = Option<String>, Query, pattern = "^(none|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$",
            description = "Only those of this person, by id; none: those without an owner"),
        ("sort" = inline(Option<LeadSort>), Query,
            description = "last_touch when absent; longest_waiting only with waiting=true")),
    responses((status = 200, description = "The list, or the lead", body = LeadListResponse,
            headers(("X-Total-Count" = i64, description = "How many match in all, at most 2001: more are not counted unless a figure is asked for; lists only"),
                ("X-Total-Counted" = i64, description = "What the figure counts in them: calls, estimates, or requests"),
                ("X-Total-Amount" = f64, description = "What the estimates sent or won come to, in US dollars"),
                ("Link" = String, description = "The next page, rel=\"next\"; lists only"))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Invalid, openapi::Unavailable))]
pub async fn get_leads(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    PathWord(x): PathWord,
    query: QueryParams,
) -> ApiResult<(HeaderMap, axum::Json<LeadListResponse>)> {
    let id = x.parse::<Uuid>().ok();
    if id == Some(member.org().0) || x.eq_ignore_ascii_case(&member.session.org_slug) {
        return list_leads(&state, &member, &query).await;
    }
    let id = LeadId(id.ok_or(Error::NotFound)?);
    let mut conn = state.db()?.acquire_reader().await?;
    let lead = load_lead_detail(&mut conn, &state, &member, id).await?;
    Ok((HeaderMap::new(), axum::Json(LeadListResponse::One(Box::new(lead)))))
}

/// One lead with the cost of its texts and the actions that can be undone.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LeadDetail)]
pub struct LeadDetailView {
    #[serde(flatten)]
    lead: LeadDetail,
    /// Why its number gets no texts: they said STOP, or may have. Null when it does.
    no_text: Option<&'static str>,
    /// Why the business cannot text its number, where one's own phone can: it has no number to send from. Null when it
    /// can.
    texts_blocked: Option<&'static str>,
    /// What was paid for texts about it; null while none has left.
    texts: Option<TextCost>,
    /// The last manual move, while it can be undone.
    undo: Option<UndoableEvent>,
    /// Of its customer; null while no erasure waits and none was done.
    erasure: Option<CustomerErasureStatus>,
}

pub(in crate::routes) async fn load_lead_detail(
    conn: &mut dyn AsConn,
    state: &AppState,
    member: &OrgMember,
    id: LeadId,
) -> ApiResult<LeadDetailView> {
    let org = member.org();
    let mut lead = view::get(&mut *conn, &state.origin, org, id).await?;
    let to = contact_point::load_lead_recipient(&mut *conn, org, id).await?;
    let business = org::find(&mut *conn, org).await?.ok_or(Error::NotFound)?;
    let profile = org::load_profile(&mut *conn, business).await?;
    let (no_text, texts_blocked) = match &to.phone {
        Some(phone) => (
            compose::why_number_refused(&mut *conn, org, phone).await?,
            compose::why_texting_unavailable(&mut *conn, &state.org_context(&profile), lead.customer_id, phone).await?,
        ),
        None => (None, None),
    };
    lead.summary.set_recipient(to);
    if !member.can_read_customers {
        lead.hide_other_customers();
    }
    for message in &mut lead.messages {
        message.hide_resend_until_setup(state.send_channels());
        if !member.can_read_messages {
            message.hide_content();
        }
    }
    outlook::mark_stalled_messages(&mut *conn, lead.messages.iter_mut().collect(), state.origin.now()).await?;
    let texts = cost::load_text_cost_of_lead(&mut *conn, org, id, state.settings.sms_segment_price).await?;
    let undo = activity::find_undoable(&mut *conn, org, id, None, state.origin.now()).await?;
    let erasure = erasure::request::find_erasure_status(conn, org, lead.customer_id).await?;
    Ok(LeadDetailView { lead, no_text, texts_blocked, texts, undo, erasure })
}

/// Query parameters of the list, except the cursor.
const WORDS: [&str; 15] = [
    "q", "stage", "from", "to", "answered", "calls", "by", "promise", "quotes", "texts", "source", "waiting", "owner",
    "sort", "limit",
];

async fn list_leads(
    state: &AppState,
    member: &OrgMember,
    query: &QueryParams,
) -> ApiResult<(HeaderMap, axum::Json<LeadListResponse>)> {
    let filter = filter::parse_filter(query, query.parse_number("limit", 1..=500, 100)?, state.origin.now())?;
    let mut conn = state.db()?.acquire_reader().await?;
    let page = view::list(&mut conn, member.org(), &filter).await?;
    let what = filter::describe_matches(&filter);
    let whole = pagination::total_if_complete(filter.cursor.as_deref(), page.next.as_deref(), page.leads.len())
        .filter(|_| filter.behind.is_none());
    let total = match whole {
        Some(total) => total,
        None => {
            pagination::load_total(state, &mut conn, member.org(), what, async |conn| {
                view::load_total(conn, member.org(), &filter).await
            })
            .await?
        }
    };
    let path = format!("/api/leads/{}", member.org());
    let next = page.next.map(|next| pagination::next_page_link(&path, query, &WORDS, &next));
    Ok((pagination::pagination_headers(total, next), axum::Json(LeadListResponse::List(page.leads))))
}

/// Leads as a file
#[utoipa::path(get, path = "/api/leads/export", operation_id = "exportLeads", tag = "leads",
    security(("session" = ["owner", "office"])),
    params(("format" = inline(Option<ExportFormat>), Query, description = "csv when absent"),
        ("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Words to look for"),
        ("from" = Option<String>, Query, format = Date,
            description = "Only what a figure counts from this date on; with `to`"),
        ("to" = Option<String>, Query, format = Date, description = "And up to this date"),
        ("answered" = inline(Option<AnsweredBy>), Query,
            description = "By who answered; one of answered, calls, by, promise and quotes, and by the day they came in without any"),
        ("calls" = inline(Option<drilldown::CallFilterParam>), Query, description = "By the calls that were missed, or recovered later"),
        ("by" = inline(Option<drilldown::DateBasisParam>), Query, description = "By the day they were booked or paid, or something was done for them without a person"),
        ("promise" = inline(Option<drilldown::PromiseFilterParam>), Query, description = "By the answer they were promised: on these days kept or broken; without days those that wait for it now"),
        ("quotes" = inline(Option<drilldown::QuoteFilterParam>), Query, description = "By their estimates: sent, won or lost"),
        ("texts" = inline(Option<filter::TextFilterParam>), Query,
            description = "refused: only those with a text that the day's limit stopped, and no text since"),
        ("source" = Option<String>, Query, max_length = 60, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Only what first came from there; with days by themselves, with by=booked or with quotes=won"),
        ("stage" = Option<PipelineStage>, Query, description = "Only these"),
        ("waiting" = inline(Option<BooleanParam>), Query,
            description = "true: only those that wait for a person's answer"),
        ("owner" = Option<String>, Query, pattern = "^(none|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$",
            description = "Only those of this person, by id; none: those without an owner"),
        ("sort" = inline(Option<LeadSort>), Query,
            description = "last_touch when absent; longest_waiting only with waiting=true")),
    responses((status = 200, description = "The file", content((String = "text/csv"), (serde_json::Value = "application/json"))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn export_leads(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    query: QueryParams,
) -> ApiResult<Response> {
    let format = query.parse_choice::<ExportFormat>("format")?.unwrap_or(ExportFormat::Csv);
    let now = state.origin.now();
    let filter = filter::parse_filter(&query, i64::MAX, now)?;
    let zone = member.session.org_timezone.parse().unwrap_or(org::DEFAULT_TIMEZONE);
    let leads = read_report!(state, |reader| export::load_export_rows(reader, member.org(), &filter));
    who.record_data_export(&state, &member, AuditAction::LeadsExported, None).await?;
    build_export_response(
        format,
        |ending| export::export_file_name(ending, now, zone),
        || export::render_csv(&leads, zone),
        || export::build_json(&leads, now),
    )
}

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PhotoSize {
    Thumb,
    Full,
}

/// A photo of a lead
#[utoipa::path(get, path = "/api/leads/{id}/photos/{photoId}", operation_id = "leadPhoto", tag = "leads",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The lead"), ("photoId" = Uuid, Path, description = "The photo"),
        ("size" = inline(Option<PhotoSize>), Query, description = "full when absent")),
    responses((status = 200, description = "The picture", body = String, content_type = "image/jpeg"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Invalid, openapi::Unavailable))]
pub async fn lead_photo(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    PathIdPair(lead, photo): PathIdPair,
    query: QueryParams,
) -> ApiResult<Response> {
    let size = query.parse_choice::<PhotoSize>("size")?.unwrap_or(PhotoSize::Full);
    let mut conn = state.db()?.acquire_reader().await?;
    let (full, thumb) = lead::find_photo_keys(&mut conn, member.org(), LeadId(lead), PhotoId(photo)).await?;
    drop(conn);
    let key = if matches!(size, PhotoSize::Thumb) { thumb } else { full };
    let picture = state.storage.get(&key).await.map_err(Error::from)?;
    // A stored picture never changes: a new one has another id.
    let headers = [
        (header::CONTENT_TYPE, "image/jpeg"),
        (header::CACHE_CONTROL, "private, max-age=31536000, immutable"),
        (header::CONTENT_SECURITY_POLICY, csp::STORED),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    Ok((headers, picture).into_response())
}

/// Lets a held lead through
///
/// The automatic messages go out as if it had just come in.
#[utoipa::path(post, path = "/api/leads/{id}/release", operation_id = "releaseLead", tag = "leads",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The lead")),
    responses((status = 200, description = "The lead as it is now", body = LeadDetailView),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn release_lead(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<axum::Json<LeadDetailView>> {
    let mut tx = state.db()?.begin().await?;
    let org = org::find(&mut tx, member.org()).await?.ok_or(Error::NotFound)?;
    let profile = org::load_profile(&mut tx, org).await?;
    lead_response::release_lead(&mut tx, &state.org_context(&profile), LeadId(id)).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), member.org(), AuditAction::LeadReleased, Some(id))
        .await?;
    let detail = load_lead_detail(&mut tx, &state, &member, LeadId(id)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(detail))
}

/// Holds a lead again
///
/// Within a minute after the release; stops the messages caused by it.
#[utoipa::path(post, path = "/api/leads/{id}/hold", operation_id = "holdLead", tag = "leads",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The lead")),
    responses((status = 200, description = "The lead as it is now", body = LeadDetailView),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn quarantine_lead_again(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<axum::Json<LeadDetailView>> {
    let mut tx = state.db()?.begin().await?;
    lead_response::quarantine_again(&mut tx, &state.origin, member.org(), LeadId(id), &member.session.name).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), member.org(), AuditAction::LeadHeldAgain, Some(id))
        .await?;
    let detail = load_lead_detail(&mut tx, &state, &member, LeadId(id)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(detail))
}
