//! The list of messages: filtered, in pages, and one by one.

use axum::{
    extract::{Path, RawQuery, State},
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    ACCOUNT_SID, AcceptedText, FakeTwilio, MmsPicture,
    account::broken,
    reports::Status,
    resource::{not_found, refuse_stranger},
};

#[derive(Debug, Clone, Serialize)]
pub struct Message {
    #[serde(flatten)]
    pub text: AcceptedText,
    pub status: Status,
    pub code: Option<i32>,
    pub is_inbound: bool,
    #[serde(skip)]
    pub pictures: Vec<(String, MmsPicture)>,
    pub created_at: DateTime<Utc>,
}

pub(super) async fn list(
    State(fake): State<FakeTwilio>,
    Path((account, messages)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    if let Some(refusal) = refuse_stranger(&headers, &account, &messages).or_else(|| broken(&fake)) {
        return refusal;
    }
    let query = query.unwrap_or_default();
    let asked: Vec<(String, String)> = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let mut found: Vec<Message> = fake.messages().into_iter().filter(|m| asked.iter().all(|a| matches(m, a))).collect();
    found.reverse();
    axum::Json(page(&found, &account, &asked)).into_response()
}

/// `PageSize` messages, and the address of the next page.
fn page(found: &[Message], account: &str, asked: &[(String, String)]) -> Value {
    let number = |name: &str| asked.iter().find(|(n, _)| n == name).and_then(|(_, v)| v.parse::<usize>().ok());
    let size = number("PageSize").unwrap_or(50).clamp(1, 1000);
    let page = number("Page").unwrap_or(0);
    let start = (page * size).min(found.len());
    let end = (start + size).min(found.len());
    let shown = &found[start..end];
    let filters = asked.iter().filter(|(name, _)| !["Page", "PageToken", "PageSize"].contains(&name.as_str()));
    let uri = |page: usize, token: Option<&str>| {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(filters.clone()).append_pair("PageSize", &size.to_string());
        query.append_pair("Page", &page.to_string());
        if let Some(token) = token {
            query.append_pair("PageToken", token);
        }
        format!("/2010-04-01/Accounts/{account}/Messages.json?{}", query.finish())
    };
    let after = shown.last().filter(|_| end < found.len()).map(|last| format!("PA{}", last.text.sid));
    json!({
        "messages": shown.iter().map(Message::json).collect::<Vec<_>>(),
        "page": page, "page_size": size, "start": start, "end": end.saturating_sub(1),
        "first_page_uri": uri(0, None), "next_page_uri": after.map(|token| uri(page + 1, Some(&token))),
        "previous_page_uri": page.checked_sub(1).map(|before| uri(before, None)), "uri": uri(page, None),
    })
}

/// `DateSent>` and `DateSent<` include their day, as at Twilio. Unknown filters match everything; an unsent message
/// matches no date filter.
fn matches(message: &Message, (name, value): &(String, String)) -> bool {
    let sent = message.sent_at();
    let instant = DateTime::parse_from_rfc3339(value).ok().map(|at| at.with_timezone(&Utc));
    let day = value.get(..10).and_then(|d| d.parse::<NaiveDate>().ok());
    let by_date = |fits: fn(&DateTime<Utc>, &DateTime<Utc>) -> bool, day_fits: fn(&NaiveDate, &NaiveDate) -> bool| {
        sent.is_some_and(|sent| match (instant, day) {
            (Some(instant), _) => fits(&sent, &instant),
            (None, Some(day)) => day_fits(&sent.date_naive(), &day),
            (None, None) => true,
        })
    };
    match name.as_str() {
        "To" => message.text.to == *value,
        "From" => message.text.from.as_deref() == Some(value),
        "DateSent" => by_date(|sent, at| sent.date_naive() == at.date_naive(), NaiveDate::eq),
        "DateSent>" => by_date(DateTime::ge, NaiveDate::ge),
        "DateSent<" => by_date(DateTime::le, NaiveDate::le),
        _ => true,
    }
}

pub(super) async fn fetch(
    State(fake): State<FakeTwilio>,
    Path((account, sid)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    if let Some(refusal) = refuse_stranger(&headers, &account, "Messages.json").or_else(|| broken(&fake)) {
        return refusal;
    }
    let sid = sid.trim_end_matches(".json");
    match fake.messages().into_iter().find(|m| m.text.sid == sid) {
        Some(message) => axum::Json(message.json()).into_response(),
        None => not_found(),
    }
}

impl Message {
    fn sent_at(&self) -> Option<DateTime<Utc>> {
        (self.is_inbound || self.status.rank() >= Status::Sent.rank()).then_some(self.created_at)
    }

    pub(super) fn json(&self) -> Value {
        let made = self.created_at.to_rfc2822();
        let uri = format!("/2010-04-01/Accounts/{ACCOUNT_SID}/Messages/{}", self.text.sid);
        // With a service the number is not chosen yet, so the text is only "accepted".
        let waits_for_number = self.text.from.is_none() && self.status == Status::Queued;
        let status = if waits_for_number { "accepted" } else { self.status.name() };
        json!({
            "account_sid": ACCOUNT_SID, "api_version": "2010-04-01", "body": self.text.body,
            "date_created": made, "date_sent": self.sent_at().map(|at| at.to_rfc2822()), "date_updated": made,
            "direction": if self.is_inbound { "inbound" } else { "outbound-api" },
            "error_code": self.code, "error_message": null, "from": self.text.from,
            "messaging_service_sid": self.text.messaging_service_sid, "num_media": self.pictures.len().to_string(),
            "num_segments": if waits_for_number { "0".to_owned() } else { segments(&self.text.body).to_string() },
            // The price is known once the text was delivered: 0.0083 dollars a segment.
            "price": (self.status == Status::Delivered).then(|| format!("-0.{:05}", 830 * segments(&self.text.body))), "price_unit": "USD", "sid": self.text.sid,
            "status": if self.is_inbound { "received" } else { status },
            "subresource_uris": { "media": format!("{uri}/Media.json") }, "to": self.text.to,
            "uri": format!("{uri}.json"),
        })
    }
}

/// Segments of a text, treating ASCII as the GSM alphabet.
pub(super) fn segments(body: &str) -> usize {
    let (units, alone, each) =
        if body.is_ascii() { (body.len(), 160, 153) } else { (body.encode_utf16().count(), 70, 67) };
    if units <= alone { 1 } else { units.div_ceil(each) }
}
