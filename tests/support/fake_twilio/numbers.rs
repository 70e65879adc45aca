//! The numbers of the account, listed in pages, and calls placed from them.

use axum::{
    body::Bytes,
    extract::{Path, RawQuery, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::{
    ACCOUNT_SID, FakeTwilio,
    account::broken,
    resource::{problem, refuse_stranger},
};

#[derive(Debug, Clone)]
pub(super) struct Owned {
    pub(super) sid: String,
    pub(super) number: String,
    pub(super) can_text: bool,
    pub(super) sms_url: String,
    pub(super) voice_url: String,
    pub(super) status_callback: String,
    /// What takes its texts or calls instead of the addresses: the field, and the id in it.
    pub(super) routed_to: Option<(&'static str, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    pub to: String,
    pub from: String,
    pub twiml: String,
}

impl FakeTwilio {
    pub fn owns(&self, number: &str, can_text: bool) {
        self.owns_with_webhook(number, can_text, "");
    }

    /// A number of the account whose texts go to this address.
    pub fn owns_with_webhook(&self, number: &str, can_text: bool, sms_url: &str) {
        let mut book = self.book();
        let sid = book.next_sid("PN");
        let (number, sms_url) = (number.to_owned(), sms_url.to_owned());
        let (voice_url, status_callback) = (String::new(), String::new());
        book.numbers.push(Owned { sid, number, can_text, sms_url, voice_url, status_callback, routed_to: None });
    }

    /// A number of the account whose texts or calls a SIP trunk or a `TwiML` application takes: `trunk_sid`,
    /// `voice_application_sid` or `sms_application_sid`.
    pub fn owns_routed(&self, number: &str, field: &'static str, sid: &str) {
        self.owns(number, true);
        if let Some(one) = self.book().numbers.last_mut() {
            one.routed_to = Some((field, sid.to_owned()));
        }
    }

    /// Addresses of a number of the account: of its texts, its calls, and the ends of its calls.
    #[must_use]
    pub fn webhooks_of(&self, number: &str) -> Option<[String; 3]> {
        let book = self.book();
        let one = book.numbers.iter().find(|one| one.number == number)?;
        Some([one.sms_url.clone(), one.voice_url.clone(), one.status_callback.clone()])
    }

    /// How often the account has the number.
    #[must_use]
    pub fn count_owned(&self, number: &str) -> usize {
        self.book().numbers.iter().filter(|one| one.number == number).count()
    }

    #[must_use]
    pub fn placed_calls(&self) -> Vec<Placed> {
        self.book().placed.clone()
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
    let parameter = |name: &str| asked.iter().find(|(n, _)| n == name).map(|(_, value)| value.clone());
    let only = parameter("PhoneNumber");
    // Twilio matches the digits anywhere in the number.
    let digits = only.as_deref().map(|number| number.trim_start_matches('+').to_owned()).unwrap_or_default();
    let all = fake.book().numbers.clone();
    let found: Vec<&Owned> = all.iter().filter(|one| one.number.contains(&digits)).collect();
    let size = parameter("PageSize").and_then(|size| size.parse().ok()).unwrap_or(50_usize).min(2);
    let page = parameter("Page").and_then(|page| page.parse().ok()).unwrap_or(0_usize);
    let shown: Vec<Value> = found.iter().skip(page * size).take(size).map(|one| row(one)).collect();
    let path = format!("/2010-04-01/Accounts/{account}/IncomingPhoneNumbers.json");
    let next = (found.len() > (page + 1) * size).then(|| format!("{path}?PageSize={size}&Page={}", page + 1));
    axum::Json(json!({ "incoming_phone_numbers": shown, "page": page, "page_size": size, "next_page_uri": next }))
        .into_response()
}

/// The fields that the product reads.
pub(super) fn row(one: &Owned) -> Value {
    let routed = |field: &str| one.routed_to.as_ref().filter(|(name, _)| *name == field).map(|(_, sid)| sid.as_str());
    json!({
        "sid": one.sid, "account_sid": ACCOUNT_SID, "phone_number": one.number, "friendly_name": format!("Line {}", one.number),
        "capabilities": { "voice": true, "sms": one.can_text, "mms": one.can_text, "fax": false },
        "sms_url": one.sms_url, "voice_url": one.voice_url, "status_callback": one.status_callback,
        "trunk_sid": routed("trunk_sid"), "voice_application_sid": routed("voice_application_sid").unwrap_or_default(),
        "sms_application_sid": routed("sms_application_sid").unwrap_or_default(), "status": "in-use",
    })
}

pub(super) async fn call(
    State(fake): State<FakeTwilio>,
    Path(account): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if let Some(refusal) = refuse_stranger(&headers, &account, "Messages.json") {
        return refusal;
    }
    let form: Vec<(String, String)> = url::form_urlencoded::parse(&body).into_owned().collect();
    let field = |name: &str| form.iter().find(|(n, _)| n == name).map(|(_, value)| value.clone());
    let (Some(to), Some(from), Some(twiml)) = (field("To"), field("From"), field("Twiml")) else {
        return problem(400, 21201, "No 'To' number is specified");
    };
    let sid = fake.book().next_sid("CA");
    fake.book().placed.push(Placed { to, from, twiml });
    (StatusCode::CREATED, axum::Json(json!({ "sid": sid, "status": "queued" }))).into_response()
}
