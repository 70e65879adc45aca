//! One page of a list: how many match in all, what they come to, and where the next page is.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use shared::platform::{
    count_cache::{Known, Total},
    db::Conn,
    error::Result,
    id::OrgId,
};

use crate::{error::ApiResult, extract::Query, state::AppState};

/// How many match in all, whatever fits on a page.
pub const TOTAL: HeaderName = HeaderName::from_static("x-total-count");

/// What a figure counts in them where that is not the rows: calls, estimates.
pub const COUNTED: HeaderName = HeaderName::from_static("x-total-counted");

/// What they come to, in US dollars with cents, where that is a figure.
pub const AMOUNT: HeaderName = HeaderName::from_static("x-total-amount");

/// How many there are when a page has all of them: a search is not made twice to say so.
pub fn whole(cursor: Option<&str>, next: Option<&str>, rows: usize) -> Option<Total> {
    let is_all = cursor.is_none() && next.is_none();
    is_all.then(|| Total::of(i64::try_from(rows).unwrap_or(i64::MAX)))
}

/// How many match in all, and what they come to: counted once, and anew after the business has changed. `what` names the
/// list with its filter.
pub async fn total(
    state: &AppState,
    conn: &mut Conn,
    org: OrgId,
    what: String,
    count: impl AsyncFnOnce(&mut Conn) -> Result<Total>,
) -> ApiResult<Total> {
    match state.totals.known(&mut *conn, state.origin.now(), org, what).await? {
        Known::Still(total) => Ok(total),
        Known::Not(asked) => {
            let total = count(conn).await?;
            Ok(state.totals.keep(asked, total.rows, total))
        }
    }
}

/// What stands above a page; `next` is the link to the one after it.
pub fn headers(total: impl Into<Total>, next: Option<String>) -> HeaderMap {
    let total = total.into();
    let mut headers = HeaderMap::from_iter([(TOTAL, HeaderValue::from(total.rows))]);
    headers.extend(total.counted.map(|counted| (COUNTED, HeaderValue::from(counted))));
    let amount = total.amount.and_then(|amount| HeaderValue::from_str(&amount.plain()).ok());
    headers.extend(amount.map(|amount| (AMOUNT, amount)));
    let next = next.and_then(|link| HeaderValue::from_str(&link).ok());
    headers.extend(next.map(|link| (header::LINK, link)));
    headers
}

/// The same question, one page further: of what was asked, these words.
pub fn link(path: &str, query: &Query, words: &[&str], cursor: &str) -> String {
    let mut next = url::form_urlencoded::Serializer::new(String::new());
    for word in words {
        // What could not be read was refused before.
        if let Ok(Some(value)) = query.text(word, 200) {
            next.append_pair(word, &value);
        }
    }
    next.append_pair("cursor", cursor);
    format!("<{path}?{}>; rel=\"next\"", next.finish())
}
