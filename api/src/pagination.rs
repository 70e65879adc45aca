//! Pagination headers of a list: total count, total amount, link to the next page.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use shared::platform::{
    count_cache::{CountLookup, ListTotal},
    db::Conn,
    error::Result,
    id::OrgId,
};

use crate::{error::ApiResult, extract::QueryParams, state::AppState};

/// Matches in all, over all pages.
pub const TOTAL: HeaderName = HeaderName::from_static("x-total-count");

/// Counted things where they are not the rows: calls, estimates.
pub const COUNTED: HeaderName = HeaderName::from_static("x-total-counted");

/// Sum of the matches in US dollars with cents, where there is one.
pub const AMOUNT: HeaderName = HeaderName::from_static("x-total-amount");

/// Total of a list that fits on one page: saves the count query.
pub fn total_if_complete(cursor: Option<&str>, next: Option<&str>, rows: usize) -> Option<ListTotal> {
    let is_all = cursor.is_none() && next.is_none();
    is_all.then(|| ListTotal::from_row_count(i64::try_from(rows).unwrap_or(i64::MAX)))
}

/// Total of the matches, cached until the business changes. `what` names the list with its filter.
pub async fn load_total(
    state: &AppState,
    conn: &mut Conn,
    org: OrgId,
    what: String,
    count: impl AsyncFnOnce(&mut Conn) -> Result<ListTotal>,
) -> ApiResult<ListTotal> {
    match state.totals.lookup_total(&mut *conn, state.origin.now(), org, what).await? {
        CountLookup::Hit(total) => Ok(total),
        CountLookup::Miss(asked) => {
            let total = count(conn).await?;
            Ok(state.totals.store_total(asked, total.rows, total))
        }
    }
}

pub fn pagination_headers(total: impl Into<ListTotal>, next: Option<String>) -> HeaderMap {
    let total = total.into();
    let mut headers = HeaderMap::from_iter([(TOTAL, HeaderValue::from(total.rows))]);
    headers.extend(total.counted.map(|counted| (COUNTED, HeaderValue::from(counted))));
    let amount = total.amount.and_then(|amount| HeaderValue::from_str(&amount.to_decimal_string()).ok());
    headers.extend(amount.map(|amount| (AMOUNT, amount)));
    let next = next.and_then(|link| HeaderValue::from_str(&link).ok());
    headers.extend(next.map(|link| (header::LINK, link)));
    headers
}

/// Link with the same query parameters (`words`) and the next cursor.
pub fn next_page_link(path: &str, query: &QueryParams, words: &[&str], cursor: &str) -> String {
    let mut next = url::form_urlencoded::Serializer::new(String::new());
    for word in words {
        // Unreadable values were refused before.
        if let Ok(Some(value)) = query.parse_text(word, 200) {
            next.append_pair(word, &value);
        }
    }
    next.append_pair("cursor", cursor);
    format!("<{path}?{}>; rel=\"next\"", next.finish())
}
