//! The list of payments, and its CSV file.

use axum::{extract::State, http::HeaderMap, response::Response};
use shared::domain::{
    money::ledger::{
        export,
        list::{self, PaymentDirection, PaymentFilter, PaymentSummary},
    },
    tenancy::{audit::AuditAction, org},
};

use crate::{
    auth::OrgOffice,
    client_info::RequestContext,
    error::ApiResult,
    extract::QueryParams,
    openapi, pagination,
    report_export::{ExportFormat, build_export_response, read_report},
    state::AppState,
};

const MOST: i64 = 500;

fn parse_filter(query: &QueryParams, limit: i64) -> ApiResult<PaymentFilter> {
    Ok(PaymentFilter {
        way: query.parse_choice::<PaymentDirection>("kind")?,
        period: query.parse_period()?,
        q: query.parse_text("q", 200)?,
        limit,
        cursor: query.parse_text("cursor", 200)?,
    })
}

/// Money that came in and money that went back, the newest day first
///
/// Undone, failed and pending ones are left out.
#[utoipa::path(get, path = "/api/payments", operation_id = "listPayments", tag = "money",
    security(("session" = ["owner", "office"])),
    params(("kind" = inline(Option<PaymentDirection>), Query, description = "Only what came in, or what went back"),
        ("from" = Option<String>, Query, format = Date, description = "Only from this date on; with `to`"),
        ("to" = Option<String>, Query, format = Date, description = "Only up to this date; with `from`"),
        ("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Words to look for in customer, reference and receipt number"),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 500, description = "At most so many; 100 when absent"),
        ("cursor" = Option<String>, Query, pattern = "^([0-9]{1,13}_[0-9a-f]{32})?$",
            description = "Where to go on, from the Link header")),
    responses((status = 200, description = "One page", body = Vec<PaymentSummary>,
            headers(("X-Total-Count" = i64, description = "How many match in all"),
                ("X-Total-Amount" = f64, description = "What came in less what went back, in US dollars; of refunds alone what went back"),
                ("Link" = String, description = "The next page, rel=\"next\""))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn list_payments(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    query: QueryParams,
) -> ApiResult<(HeaderMap, axum::Json<Vec<PaymentSummary>>)> {
    let filter = parse_filter(&query, query.parse_number("limit", 1..=MOST, 100)?)?;
    let mut conn = state.db()?.acquire_reader().await?;
    let page = list::list(&mut conn, member.org(), &filter).await?;
    let what = format!("payments {:?}", PaymentFilter { limit: 0, cursor: None, ..filter.clone() });
    let total = pagination::load_total(&state, &mut conn, member.org(), what, async |conn| {
        list::load_total(conn, member.org(), &filter).await
    })
    .await?;
    let words = ["kind", "from", "to", "q", "limit"];
    let next = page.next.map(|next| pagination::next_page_link("/api/payments", &query, &words, &next));
    Ok((pagination::pagination_headers(total, next), axum::Json(page.payments)))
}

/// Payments as a file
#[utoipa::path(get, path = "/api/payments/export", operation_id = "exportPayments", tag = "money",
    security(("session" = ["owner", "office"])),
    params(("format" = inline(Option<ExportFormat>), Query, description = "csv when absent"),
        ("kind" = inline(Option<PaymentDirection>), Query, description = "Only what came in, or what went back"),
        ("from" = Option<String>, Query, format = Date, description = "Only from this date on; with `to`"),
        ("to" = Option<String>, Query, format = Date, description = "Only up to this date; with `from`"),
        ("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Words to look for in customer, reference and receipt number")),
    responses((status = 200, description = "The file", content((String = "text/csv"), (serde_json::Value = "application/json"))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn export_payments(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    query: QueryParams,
) -> ApiResult<Response> {
    let format = query.parse_choice::<ExportFormat>("format")?.unwrap_or(ExportFormat::Csv);
    let filter = parse_filter(&query, MOST)?;
    let payments = read_report!(state, |reader| export::list_all(reader, member.org(), &filter));
    who.record_data_export(&state, &member, AuditAction::PaymentsExported, None).await?;
    let (now, zone) = (state.origin.now(), org::zone_named(&member.session.org_timezone));
    build_export_response(
        format,
        |ending| export::file_name(ending, now, zone),
        || export::to_csv(&payments),
        || export::to_json(&payments, now),
    )
}
