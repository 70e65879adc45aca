//! Invoices: the list and its file, drafts, what goes out, and what becomes of it.

use axum::{
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use shared::{
    audit::{self, Action},
    error::Error,
    estimate::{Delivery, WaysForm},
    file,
    id::InvoiceId,
    invoice::{
        self, InvoiceForm, InvoiceView,
        draw::Copy,
        dunning::{self, Reminder},
        export, finish,
        list::{self, ListFilter, Standing},
        send,
    },
    lead::Intake,
    ledger::{self, InvoiceSummary},
    org::Profile,
    total::Known,
    work::Doer,
};
use utoipa::ToSchema;

use super::{
    lead::ExportFormat,
    org::profile_of,
    task::TOTAL,
};
use crate::{
    auth::{OrgMember, OrgOffice},
    describe, disposition,
    error::{ApiError, ApiResult},
    extract::{Id, Json, Query},
    once::Once,
    state::AppState,
    who::Who,
};

pub mod change;

/// Invoices that one page may have.
const MOST: i64 = 500;

async fn profile(state: &AppState, member: &OrgMember) -> ApiResult<Profile> {
    let mut conn = state.db()?.read().await?;
    profile_of(&mut conn, member).await
}

fn filter(state: &AppState, profile: &Profile, query: &Query, limit: i64) -> ApiResult<ListFilter> {
    Ok(ListFilter {
        standing: query.choice::<Standing>("status")?,
        q: query.text("q", 200)?,
        today: ledger::today(profile, state.origin.now()),
        limit,
        cursor: query.text("cursor", 200)?,
    })
}

/// The invoices, newest first
#[utoipa::path(get, path = "/api/invoices", operation_id = "listInvoices", tag = "invoices",
    security(("session" = ["owner", "office"])),
    params(("status" = inline(Option<Standing>), Query, description = "Only these; open ones are not overdue"),
        ("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Words to look for in customer and number"),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 500, description = "At most so many; 100 when absent"),
        ("cursor" = Option<String>, Query, pattern = "^([0-9]{1,13}_[0-9a-f]{32})?$",
            description = "Where to go on, from the Link header")),
    responses((status = 200, description = "One page", body = Vec<InvoiceSummary>,
            headers(("X-Total-Count" = i64, description = "How many match in all"),
                ("Link" = String, description = "The next page, rel=\"next\""))),
        describe::Unauthenticated, describe::Forbidden, describe::Invalid, describe::Unavailable))]
pub async fn list_invoices(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    query: Query,
) -> ApiResult<(HeaderMap, axum::Json<Vec<InvoiceSummary>>)> {
    let mut conn = state.db()?.read().await?;
    let profile = profile_of(&mut conn, &member).await?;
    let filter = filter(&state, &profile, &query, query.number("limit", 1..=MOST, 100)?)?;
    let page = list::list(&mut conn, member.org(), &filter).await?;
    let what = format!("invoices {:?} {:?} {}", filter.standing, filter.q, filter.today);
    let total = match state.totals.known(&mut conn, state.origin.now(), member.org(), what).await? {
        Known::Still(total) => total,
        Known::Not(asked) => {
            let total = list::count(&mut conn, member.org(), &filter).await?;
            state.totals.keep(asked, total, total)
        }
    };
    let mut headers = HeaderMap::from_iter([(TOTAL, HeaderValue::from(total))]);
    if let Some(next) = page.next {
        let link = next_link(&query, &next);
        headers.extend(HeaderValue::from_str(&link).ok().map(|value| (header::LINK, value)));
    }
    Ok((headers, axum::Json(page.invoices)))
}

/// The same question, one page further.
fn next_link(query: &Query, cursor: &str) -> String {
    let mut next = url::form_urlencoded::Serializer::new(String::new());
    for name in ["status", "q", "limit"] {
        // What could not be read was refused before.
        if let Ok(Some(value)) = query.text(name, 200) {
            next.append_pair(name, &value);
        }
    }
    next.append_pair("cursor", cursor);
    format!("</api/invoices?{}>; rel=\"next\"", next.finish())
}

/// Invoices as a file
#[utoipa::path(get, path = "/api/invoices/export", operation_id = "exportInvoices", tag = "invoices",
    security(("session" = ["owner", "office"])),
    params(("format" = inline(Option<ExportFormat>), Query, description = "csv when absent"),
        ("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Words to look for"),
        ("status" = inline(Option<Standing>), Query, description = "Only these")),
    responses((status = 200, description = "The file", content((String = "text/csv"), (serde_json::Value = "application/json"))),
        describe::Unauthenticated, describe::Forbidden, describe::Invalid, describe::Unavailable))]
pub async fn export_invoices(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    query: Query,
) -> ApiResult<Response> {
    let format = query.choice::<ExportFormat>("format")?.unwrap_or(ExportFormat::Csv);
    // Read outside the transaction: a long export must not keep the one writer from its work.
    let mut conn = state.db()?.read().await?;
    let profile = profile_of(&mut conn, &member).await?;
    let filter = filter(&state, &profile, &query, MOST)?;
    let invoices = export::rows(&mut conn, member.org(), &filter).await?;
    drop(conn);
    let mut tx = state.db()?.begin().await?;
    audit::record(&mut tx, &state.origin, &who.actor(&member), member.org(), Action::InvoicesExported, None).await?;
    tx.commit().await?;
    let (now, zone) = (state.origin.now(), profile.org.zone());
    let (kind, ending, body) = match format {
        ExportFormat::Csv => ("text/csv; charset=utf-8", "csv", export::csv(&invoices)?),
        ExportFormat::Json => ("application/json", "json", format!("{:#}", export::json(&invoices, now))),
    };
    let disposition = format!("attachment; filename=\"{}\"", export::file_name(ending, now, zone));
    Ok(([(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, disposition)], body).into_response())
}

/// One invoice with everything about it
#[utoipa::path(get, path = "/api/invoices/{id}", operation_id = "getInvoice", tag = "invoices",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The invoice")),
    responses((status = 200, description = "The invoice", body = InvoiceView),
        describe::Unauthenticated, describe::Forbidden, describe::NotFound, describe::Unavailable))]
pub async fn get_invoice(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    Id(id): Id,
) -> ApiResult<axum::Json<InvoiceView>> {
    let mut conn = state.db()?.read().await?;
    let profile = profile_of(&mut conn, &member).await?;
    Ok(axum::Json(invoice::view(&mut conn, &state.intake(&profile), InvoiceId(id)).await?))
}

/// The PDF of an invoice
///
/// Byte by byte as it was sent. A draft, and one that was taken back, is drawn now and says what it is.
#[utoipa::path(get, path = "/api/invoices/{id}/pdf", operation_id = "invoicePdf", tag = "invoices",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The invoice")),
    responses((status = 200, description = "The file", body = String, content_type = "application/pdf"),
        describe::Unauthenticated, describe::Forbidden, describe::NotFound, describe::Unavailable))]
pub async fn invoice_pdf(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    Id(id): Id,
) -> ApiResult<Response> {
    let mut conn = state.db()?.read().await?;
    let profile = profile_of(&mut conn, &member).await?;
    let house = state.intake(&profile);
    let (name, bytes) = match invoice::draw::copy(&mut conn, &house, InvoiceId(id)).await? {
        Copy::Stored(stored) => {
            let file = file::find(&mut conn, member.org(), stored).await?;
            drop(conn);
            (file.name, state.storage.get(&file.full_key).await.map_err(Error::from)?.into())
        }
        Copy::Fresh(fresh) => {
            drop(conn);
            (fresh.file_name(), fresh.bytes(&state.storage, &house).await?)
        }
    };
    let named = HeaderValue::from_str(&disposition::of(&name, false))
        .map_err(|e| ApiError::internal(format!("file name: {e}")))?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/pdf")),
        (header::CONTENT_DISPOSITION, named),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, no-store")),
    ];
    let bytes: Vec<u8> = bytes;
    Ok((headers, bytes).into_response())
}

/// Makes a draft of an invoice
///
/// Of a job, an estimate or a lead: what is left of what was agreed, a part of it, or lines. It has no number before it
/// is sent. With an `Idempotency-Key` a repeated request is not a second draft.
#[utoipa::path(post, path = "/api/invoices", operation_id = "makeInvoice", tag = "invoices",
    security(("session" = ["owner", "office"])), request_body = InvoiceForm,
    params(("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
        description = "The same key and content get the first answer again, the same key and other content a 422")),
    responses((status = 201, description = "The draft", body = InvoiceView),
        describe::BadRequest, describe::Unauthenticated, describe::Forbidden, describe::NotFound, describe::Conflict,
        describe::TooLarge, describe::WrongMedia, describe::Invalid, describe::Unavailable))]
pub async fn make_invoice(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
    Json(form): Json<InvoiceForm>,
) -> ApiResult<(StatusCode, axum::Json<InvoiceView>)> {
    let org = member.org();
    let once = Once::new("invoice", &headers, &format!("{form:?}"))?;
    let profile = profile(&state, &member).await?;
    let house = state.intake(&profile);
    let mut tx = state.db()?.begin().await?;
    let id = if let Some(Made { invoice_id }) = once.earlier(&mut tx, &state, org).await? {
        invoice_id
    } else {
        let id = invoice::make(&mut tx, &house, &form, &Doer::of(&member.session)).await?;
        once.keep(&mut tx, org, &Made { invoice_id: id }).await?;
        audit::record(&mut tx, &state.origin, &who.actor(&member), org, Action::InvoiceMade, Some(id.0)).await?;
        id
    };
    let made = invoice::view(&mut tx, &house, id).await?;
    tx.commit().await?;
    state.wake();
    Ok((StatusCode::CREATED, axum::Json(made)))
}

/// What is kept of a request that made an invoice, or gave one its number.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Made {
    invoice_id: InvoiceId,
}

/// What is kept of a request that sent one: it was issued, and what went out is read from there, or it went out again.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WentOut {
    Issued(Made),
    Again(Delivery),
}

/// The second half of what is issued. Should it fail here, the task does it.
async fn complete(state: &AppState, house: &Intake<'_>, id: InvoiceId) -> ApiResult<()> {
    let mut conn = state.db()?.read().await?;
    let left = invoice::unfinished(&mut conn, house, id).await?;
    drop(conn);
    let Some(left) = left else { return Ok(()) };
    let drawn = invoice::draw(&state.storage, house, left).await?;
    let mut tx = state.db()?.begin().await?;
    invoice::finish(&mut tx, house, &drawn).await?;
    tx.commit().await?;
    state.wake();
    Ok(())
}

/// Sends an invoice
///
/// A draft gets its number and its PDF, takes what was paid ahead, and is reminded of from then on if the settings say
/// so; one that has gone out before goes out again. By email with the file and by text with the link, unless one of them
/// is refused; with both refused it is issued only. With an `Idempotency-Key` a repeated request sends nothing twice.
#[utoipa::path(post, path = "/api/invoices/{id}/send", operation_id = "sendInvoice", tag = "invoices",
    security(("session" = ["owner", "office"])), request_body = WaysForm,
    params(("id" = Uuid, Path, description = "The invoice"),
        ("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
            description = "The same key and content get the first answer again, the same key and other content a 422")),
    responses((status = 202, description = "What is on its way, and what is not", body = Delivery),
        describe::BadRequest, describe::Unauthenticated, describe::Forbidden, describe::NotFound, describe::Conflict,
        describe::TooLarge, describe::WrongMedia, describe::Invalid, describe::Unavailable, describe::NoSpace))]
pub async fn send_invoice(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    headers: HeaderMap,
    Json(ways): Json<WaysForm>,
) -> ApiResult<(StatusCode, axum::Json<Delivery>)> {
    let (org, invoice) = (member.org(), InvoiceId(id));
    let once = Once::new("paper_send", &headers, &format!("invoice {id} {ways:?}"))?;
    let profile = profile(&state, &member).await?;
    let (house, by) = (state.intake(&profile), Doer::of(&member.session));
    let mut tx = state.db()?.begin().await?;
    let answer = if let Some(earlier) = once.earlier(&mut tx, &state, org).await? {
        earlier
    } else {
        let answer = if finish::is_draft(&mut tx, org, invoice).await? {
            invoice::begin(&mut tx, &house, invoice, ways.into(), &by).await?;
            WentOut::Issued(Made { invoice_id: invoice })
        } else {
            WentOut::Again(invoice::send_again(&mut tx, &house, invoice, ways.into(), &by).await?)
        };
        once.keep(&mut tx, org, &answer).await?;
        audit::record(&mut tx, &state.origin, &who.actor(&member), org, Action::InvoiceSent, Some(id)).await?;
        answer
    };
    tx.commit().await?;
    state.wake();
    let sent = match answer {
        WentOut::Issued(_) => {
            complete(&state, &house, invoice).await?;
            send::first_delivery(&mut state.db()?.read().await?, org, invoice).await?
        }
        WentOut::Again(sent) => sent,
    };
    Ok((StatusCode::ACCEPTED, axum::Json(sent)))
}

/// The open invoices that nobody is reminded of
///
/// With what ticking each would cause: when they would be reminded, by which way, and in which words.
#[utoipa::path(get, path = "/api/invoices/reminders", operation_id = "previewInvoiceReminders", tag = "invoices",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "What is due first comes first", body = Vec<Reminder>),
        describe::Unauthenticated, describe::Forbidden, describe::Unavailable))]
pub async fn preview_invoice_reminders(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<Vec<Reminder>>> {
    let mut conn = state.db()?.read().await?;
    let profile = profile_of(&mut conn, &member).await?;
    Ok(axum::Json(dunning::unticked(&mut conn, &state.intake(&profile)).await?))
}

/// Invoices to be reminded of.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = InvoiceTicks)]
pub struct Ticks {
    #[schema(max_items = 500)]
    invoice_ids: Vec<InvoiceId>,
}

/// How many of them will be reminded of.
#[derive(Serialize, ToSchema)]
#[schema(as = InvoicesTicked)]
pub struct Ticked {
    planned: usize,
}

/// Has invoices reminded of that were there before reminders were turned on
#[utoipa::path(post, path = "/api/invoices/reminders", operation_id = "tickInvoiceReminders", tag = "invoices",
    security(("session" = ["owner", "office"])), request_body = Ticks,
    responses((status = 200, description = "How many of them will be reminded of", body = Ticked),
        describe::BadRequest, describe::Unauthenticated, describe::Forbidden, describe::NotFound, describe::Conflict,
        describe::TooLarge, describe::WrongMedia, describe::Invalid, describe::Unavailable))]
pub async fn tick_invoice_reminders(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Json(ticks): Json<Ticks>,
) -> ApiResult<axum::Json<Ticked>> {
    if ticks.invoice_ids.len() > 500 {
        return Err(ApiError::field("invoiceIds", "Please tick at most 500 at once"));
    }
    let profile = profile(&state, &member).await?;
    let mut tx = state.db()?.begin().await?;
    let planned = dunning::tick(&mut tx, &state.intake(&profile), &ticks.invoice_ids).await?;
    audit::record(&mut tx, &state.origin, &who.actor(&member), member.org(), Action::DunningTicked, None).await?;
    tx.commit().await?;
    state.wake();
    Ok(axum::Json(Ticked { planned }))
}
