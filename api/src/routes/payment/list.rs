//! The list of payments, and its file.

use axum::{
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
use shared::domain::{
    money::ledger::{
        export,
        list::{self, ListFilter, PaymentSummary, Way},
    },
    tenancy::{audit::Action, org},
};

use crate::{
    auth::OrgOffice, client_info::Who, error::ApiResult, extract::Query, openapi, pagination,
    routes::lead::ExportFormat, state::AppState,
};

/// Payments that one page may have.
const MOST: i64 = 500;

fn filter(query: &Query, limit: i64) -> ApiResult<ListFilter> {
    Ok(ListFilter {
        way: query.choice::<Way>("kind")?,
        period: query.period()?,
        q: query.text("q", 200)?,
        limit,
        cursor: query.text("cursor", 200)?,
    })
}

/// Money that came in and money that went back, the newest day first
///
/// What was taken back or given up, and what is on its way, is no money and not among them.
#[utoipa::path(get, path = "/api/payments", operation_id = "listPayments", tag = "money",
    security(("session" = ["owner", "office"])),
    params(("kind" = inline(Option<Way>), Query, description = "Only what came in, or what went back"),
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
    query: Query,
) -> ApiResult<(HeaderMap, axum::Json<Vec<PaymentSummary>>)> {
    let filter = filter(&query, query.number("limit", 1..=MOST, 100)?)?;
    let mut conn = state.db()?.read().await?;
    let page = list::list(&mut conn, member.org(), &filter).await?;
    let what = format!("payments {:?}", ListFilter { limit: 0, cursor: None, ..filter.clone() });
    let total = pagination::total(&state, &mut conn, member.org(), what, async |conn| {
        list::total(conn, member.org(), &filter).await
    })
    .await?;
    let words = ["kind", "from", "to", "q", "limit"];
    let next = page.next.map(|next| pagination::link("/api/payments", &query, &words, &next));
    Ok((pagination::headers(total, next), axum::Json(page.payments)))
}

/// Payments as a file
#[utoipa::path(get, path = "/api/payments/export", operation_id = "exportPayments", tag = "money",
    security(("session" = ["owner", "office"])),
    params(("format" = inline(Option<ExportFormat>), Query, description = "csv when absent"),
        ("kind" = inline(Option<Way>), Query, description = "Only what came in, or what went back"),
        ("from" = Option<String>, Query, format = Date, description = "Only from this date on; with `to`"),
        ("to" = Option<String>, Query, format = Date, description = "Only up to this date; with `from`"),
        ("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Words to look for in customer, reference and receipt number")),
    responses((status = 200, description = "The file", content((String = "text/csv"), (serde_json::Value = "application/json"))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn export_payments(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    query: Query,
) -> ApiResult<Response> {
    let format = query.choice::<ExportFormat>("format")?.unwrap_or(ExportFormat::Csv);
    let filter = filter(&query, MOST)?;
    // Read outside the transaction: a long export must not keep the one writer from its work.
    let mut conn = state.db()?.read().await?;
    let payments = export::rows(&mut conn, member.org(), &filter).await?;
    drop(conn);
    who.took(&state, &member, Action::PaymentsExported, None).await?;
    let (now, zone) = (state.origin.now(), org::zone_named(&member.session.org_timezone));
    let (kind, ending, body) = match format {
        ExportFormat::Csv => ("text/csv; charset=utf-8", "csv", export::csv(&payments)?),
        ExportFormat::Json => ("application/json", "json", format!("{:#}", export::json(&payments, now))),
    };
    let disposition = format!("attachment; filename=\"{}\"", export::file_name(ending, now, zone));
    Ok(([(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, disposition)], body).into_response())
}
