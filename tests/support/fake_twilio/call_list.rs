//! The list of calls: filtered by number and time, newest first.

use axum::{
    extract::{Path, RawQuery, State},
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use chrono::{DateTime, Duration, Utc};
use serde_json::json;

use super::{ACCOUNT_SID, Call, FakeTwilio, TwilioWebhooks, account::broken, resource::refuse_stranger};

#[derive(Debug, Clone)]
pub(super) struct Remembered {
    pub(super) sid: String,
    from: String,
    to: String,
    /// None while it goes on.
    over: Option<(String, DateTime<Utc>)>,
    started_at: DateTime<Utc>,
}

impl TwilioWebhooks {
    /// A call that is not reported to the product: it is down, and Twilio hangs up after some seconds, or the call is
    /// answered elsewhere and lasts long. Returns Twilio's id.
    #[must_use]
    pub fn unreported_call(&self, call: &Call, seconds: i64) -> String {
        let mut book = self.fake.book();
        let (sid, started_at) = (book.next_sid("CA"), book.now());
        let over = Some(("completed".to_owned(), started_at + Duration::seconds(seconds)));
        let remembered =
            Remembered { sid: sid.clone(), from: call.from.clone(), to: call.to.clone(), over, started_at };
        book.calls.push(remembered);
        sid
    }

    pub(super) fn remember(&self, sid: &str, call: &Call) {
        let mut book = self.fake.book();
        let started_at = book.now();
        book.calls.push(Remembered {
            sid: sid.into(),
            from: call.from.clone(),
            to: call.to.clone(),
            over: None,
            started_at,
        });
    }

    pub(super) fn is_over(&self, sid: &str, status: &str) {
        let mut book = self.fake.book();
        let now = book.now();
        if let Some(call) = book.calls.iter_mut().find(|call| call.sid == sid) {
            call.over = Some((status.to_owned(), now));
        }
    }
}

pub(super) async fn list(
    State(fake): State<FakeTwilio>,
    Path(account): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    if let Some(refusal) = refuse_stranger(&headers, &account, "Messages.json").or_else(|| broken(&fake)) {
        return refusal;
    }
    let query = query.unwrap_or_default();
    let asked: Vec<(String, String)> = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let matches = |call: &Remembered| {
        asked.iter().all(|(name, value)| match name.as_str() {
            "To" => call.to == *value,
            "From" => call.from == *value,
            "StartTime>" => DateTime::parse_from_rfc3339(value).is_ok_and(|since| call.started_at >= since),
            _ => true,
        })
    };
    let mut found: Vec<Remembered> = fake.book().calls.iter().filter(|call| matches(call)).cloned().collect();
    found.reverse();
    let calls: Vec<_> = found.iter().map(json).collect();
    axum::Json(json!({ "calls": calls, "page": 0, "page_size": 50, "next_page_uri": null })).into_response()
}

fn json(call: &Remembered) -> serde_json::Value {
    let (status, ended) = match &call.over {
        Some((status, at)) => (status.as_str(), Some(at.to_rfc2822())),
        None => ("in-progress", None),
    };
    json!({
        "account_sid": ACCOUNT_SID, "sid": call.sid, "direction": "inbound", "from": call.from, "to": call.to,
        "status": status, "start_time": call.started_at.to_rfc2822(), "end_time": ended, "price": null,
    })
}
