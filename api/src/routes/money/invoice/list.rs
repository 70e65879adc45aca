//! The list of invoices, and its CSV file.

use axum::{extract::State, http::HeaderMap, response::Response};
use shared::domain::{
    money::{
        invoice::{
            export,
            list::{self, InvoiceCollectionState, InvoiceFilter, OverdueRange},
            list_order::InvoiceSort,
        },
        ledger::{self, InvoiceSummary},
    },
    tenancy::{audit::AuditAction, org::OrgProfile},
};

use crate::{
    auth::OrgOffice,
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::QueryParams,
    openapi, pagination,
    report_export::{ExportFormat, build_export_response, read_report},
    routes::tenancy::org::load_profile,
    state::AppState,
};

const MOST: i64 = 500;
/// Days: a hundred years.
const LONGEST_OVERDUE: i64 = 36_500;

fn parse_filter(state: &AppState, profile: &OrgProfile, query: &QueryParams, limit: i64) -> ApiResult<InvoiceFilter> {
    let status = query.parse_choice::<InvoiceCollectionState>("status")?;
    Ok(InvoiceFilter {
        status,
        issued: query.parse_period()?,
        late: parse_overdue_range(query, status)?,
        q: query.parse_text("q", 200)?,
        today: ledger::org_today(profile, state.origin.now()),
        sort: query.parse_choice::<InvoiceSort>("sort")?.unwrap_or_default(),
        limit,
        cursor: query.parse_text("cursor", 200)?,
    })
}

/// Overdue range; only valid for overdue invoices.
fn parse_overdue_range(query: &QueryParams, status: Option<InvoiceCollectionState>) -> ApiResult<OverdueRange> {
    let days = |name: &str| -> ApiResult<Option<u32>> {
        let days = query.parse_number(name, 1..=LONGEST_OVERDUE, 0)?;
        Ok(u32::try_from(days).ok().filter(|days| *days > 0))
    };
    let late = OverdueRange { from: days("overdueFrom")?, to: days("overdueTo")? };
    if status != Some(InvoiceCollectionState::Overdue) {
        let named = [("overdueFrom", late.from), ("overdueTo", late.to)].into_iter().find(|(_, days)| days.is_some());
        return named
            .map_or(Ok(late), |(name, _)| Err(ApiError::invalid_field(name, "Ask for this with status=overdue")));
    }
    if late.to.is_some_and(|to| to < late.from.unwrap_or(1)) {
        return Err(ApiError::invalid_field("overdueTo", "This is less than the days from which on they are overdue"));
    }
    Ok(late)
}

/// The invoices, newest first unless asked otherwise
#[utoipa::path(get, path = "/api/invoices", operation_id = "listInvoices", tag = "invoices",
    security(("session" = ["owner", "office"])),
    params(("status" = inline(Option<InvoiceCollectionState>), Query, description = "Only these; open ones are not overdue, unpaid ones may be"),
        ("from" = Option<String>, Query, format = Date, description = "Only what was issued from this date on; with `to`"),
        ("to" = Option<String>, Query, format = Date, description = "Only what was issued up to this date; with `from`"),
        ("overdueFrom" = Option<i64>, Query, minimum = 1, maximum = 36500,
            description = "Only what is overdue for so many days or more; with status=overdue"),
        ("overdueTo" = Option<i64>, Query, minimum = 1, maximum = 36500,
            description = "Only what is overdue for so many days or less; with status=overdue"),
        ("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Words to look for in customer and number"),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 500, description = "At most so many; 100 when absent"),
        ("sort" = inline(Option<InvoiceSort>), Query,
            description = "newest when absent; due: the first due first; amount: the highest total first"),
        ("cursor" = Option<String>, Query, pattern = "^([da]?[0-9]{1,13}_[0-9a-f]{32})?$",
            description = "Where to go on, from the Link header, in the same order")),
    responses((status = 200, description = "One page", body = Vec<InvoiceSummary>,
            headers(("X-Total-Count" = i64, description = "How many match in all"),
                ("X-Total-Amount" = f64, description = "Of open, overdue and unpaid ones: what is still to be paid, in US dollars"),
                ("Link" = String, description = "The next page, rel=\"next\""))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn list_invoices(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    query: QueryParams,
) -> ApiResult<(HeaderMap, axum::Json<Vec<InvoiceSummary>>)> {
    let mut conn = state.db()?.acquire_reader().await?;
    let profile = load_profile(&mut conn, &member).await?;
    let filter = parse_filter(&state, &profile, &query, query.parse_number("limit", 1..=MOST, 100)?)?;
    let page = list::list(&mut conn, member.org(), &filter).await?;
    let what =
        format!("invoices {:?}", InvoiceFilter { sort: InvoiceSort::Newest, limit: 0, cursor: None, ..filter.clone() });
    let total = pagination::load_total(&state, &mut conn, member.org(), what, async |conn| {
        list::load_total(conn, member.org(), &filter).await
    })
    .await?;
    let words = ["status", "from", "to", "overdueFrom", "overdueTo", "q", "sort", "limit"];
    let next = page.next.map(|next| pagination::next_page_link("/api/invoices", &query, &words, &next));
    Ok((pagination::pagination_headers(total, next), axum::Json(page.invoices)))
}

/// Invoices as a file
#[utoipa::path(get, path = "/api/invoices/export", operation_id = "exportInvoices", tag = "invoices",
    security(("session" = ["owner", "office"])),
    params(("format" = inline(Option<ExportFormat>), Query, description = "csv when absent"),
        ("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Words to look for"),
        ("from" = Option<String>, Query, format = Date, description = "Only what was issued from this date on; with `to`"),
        ("to" = Option<String>, Query, format = Date, description = "Only what was issued up to this date; with `from`"),
        ("overdueFrom" = Option<i64>, Query, minimum = 1, maximum = 36500,
            description = "Only what is overdue for so many days or more; with status=overdue"),
        ("overdueTo" = Option<i64>, Query, minimum = 1, maximum = 36500,
            description = "Only what is overdue for so many days or less; with status=overdue"),
        ("status" = inline(Option<InvoiceCollectionState>), Query, description = "Only these"),
        ("sort" = inline(Option<InvoiceSort>), Query,
            description = "newest when absent; due: the first due first; amount: the highest total first")),
    responses((status = 200, description = "The file", content((String = "text/csv"), (serde_json::Value = "application/json"))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn export_invoices(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    query: QueryParams,
) -> ApiResult<Response> {
    let format = query.parse_choice::<ExportFormat>("format")?.unwrap_or(ExportFormat::Csv);
    let mut conn = state.db()?.acquire_reader().await?;
    let profile = load_profile(&mut conn, &member).await?;
    let filter = parse_filter(&state, &profile, &query, MOST)?;
    drop(conn);
    let invoices = read_report!(state, |reader| export::list_all(reader, member.org(), &filter));
    who.record_data_export(&state, &member, AuditAction::InvoicesExported, None).await?;
    let (now, zone) = (state.origin.now(), profile.org.zone());
    build_export_response(
        format,
        |ending| export::file_name(ending, now, zone),
        || export::to_csv(&invoices),
        || export::to_json(&invoices, now),
    )
}
