//! The Messages resource itself: create, list, fetch.

use std::{collections::BTreeMap, time::Duration};

use axum::{
    body::Body,
    extract::{ConnectInfo, Path, RawQuery, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use chrono::{DateTime, NaiveDate};
use futures::{StreamExt, stream};
use serde_json::{Value, json};
use url::{Host, Url};

use super::{ACCOUNT_SID, AUTH_TOKEN, FakeTwilio, Fault, Received, Seen, now_us, wire::Wire};

type Form = BTreeMap<String, String>;

pub async fn create(
    State(fake): State<FakeTwilio>,
    ConnectInfo(wire): ConnectInfo<Wire>,
    Path((account, messages)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let form: Form = url::form_urlencoded::parse(&body).into_owned().collect();
    let (to, text) = (form.get("To").cloned(), form.get("Body").cloned());
    fake.book().requests.push(Seen { to, body: text, at_us: wire.take_first_byte_us() });
    if let Some(refusal) = refuse_stranger(&headers, &account, &messages) {
        return refusal;
    }
    let fault = fake.book().script.pop_front();
    match fault {
        Some(Fault::ResetBeforeAccept) => {
            wire.cut();
            return StatusCode::OK.into_response();
        }
        Some(Fault::Error500BeforeAccept) => return server_error(),
        Some(Fault::TooManyRequests { retry_after }) => return too_many(retry_after),
        Some(Fault::Code { status, code }) => return problem(status, code, "Scripted refusal"),
        _ => {}
    }
    let text = match check(&form) {
        Ok(text) => accept(&fake, text),
        Err((code, message)) => return problem(400, code, &message),
    };
    answer(fault, &wire, &message_json(&text, "queued")).await
}

/// The answer to a text that was taken.
async fn answer(fault: Option<Fault>, wire: &Wire, message: &Value) -> Response {
    let created = || (StatusCode::CREATED, axum::Json(message.clone())).into_response();
    match fault {
        Some(Fault::AcceptThenHang { millis }) => {
            tokio::time::sleep(Duration::from_millis(millis)).await;
            created()
        }
        Some(Fault::AcceptThenReset) => {
            wire.cut();
            created()
        }
        Some(Fault::Error500AfterAccept) => server_error(),
        Some(Fault::SlowDrip { millis }) => {
            let bytes = stream::iter(message.to_string().into_bytes());
            let slow = bytes.then(move |byte| async move {
                tokio::time::sleep(Duration::from_millis(millis)).await;
                Ok::<_, std::io::Error>(Bytes::from(vec![byte]))
            });
            in_parts(message, Body::from_stream(slow))
        }
        Some(Fault::HalfResponse) => {
            let whole = message.to_string();
            let half = Bytes::copy_from_slice(&whole.as_bytes()[..whole.len() / 2]);
            let broken = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
            in_parts(message, Body::from_stream(stream::iter([Ok(half), Err(broken)])))
        }
        Some(Fault::WrongJson) => (StatusCode::CREATED, "<html>created</html>").into_response(),
        _ => created(),
    }
}

/// A body that comes in pieces, with the length of the whole announced.
fn in_parts(message: &Value, body: Body) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/json".to_owned()),
        (header::CONTENT_LENGTH, message.to_string().len().to_string()),
    ];
    (StatusCode::CREATED, headers, body).into_response()
}

pub async fn list(
    State(fake): State<FakeTwilio>,
    Path((account, messages)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    if let Some(refusal) = refuse_stranger(&headers, &account, &messages) {
        return refusal;
    }
    let query = query.unwrap_or_default();
    let asked: Vec<(String, String)> = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let mut found: Vec<Received> =
        fake.received().into_iter().filter(|m| asked.iter().all(|a| matches(m, a))).collect();
    found.reverse();
    let messages: Vec<Value> = found.iter().map(|m| message_json(m, "sent")).collect();
    axum::Json(json!({
        "messages": messages, "page": 0, "page_size": 50, "start": 0, "end": messages.len().saturating_sub(1),
        "first_page_uri": format!("/2010-04-01/Accounts/{account}/Messages.json?{query}&PageSize=50&Page=0"),
        "next_page_uri": null, "previous_page_uri": null,
        "uri": format!("/2010-04-01/Accounts/{account}/Messages.json?{query}"),
    }))
    .into_response()
}

/// `DateSent>` and `DateSent<` include the day they name, as Twilio's do. What is no filter lets everything through.
fn matches(message: &Received, (name, value): &(String, String)) -> bool {
    let day = || value.get(..10).and_then(|d| d.parse::<NaiveDate>().ok());
    let sent = instant(message.at_us).date_naive();
    match name.as_str() {
        "To" => message.to == *value,
        "From" => message.from.as_deref() == Some(value),
        "DateSent" => day() == Some(sent),
        "DateSent>" => day().is_none_or(|d| sent >= d),
        "DateSent<" => day().is_none_or(|d| sent <= d),
        _ => true,
    }
}

pub async fn fetch(
    State(fake): State<FakeTwilio>,
    Path((account, sid)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    if let Some(refusal) = refuse_stranger(&headers, &account, "Messages.json") {
        return refusal;
    }
    let sid = sid.trim_end_matches(".json");
    match fake.received().into_iter().find(|m| m.sid == sid) {
        Some(message) => axum::Json(message_json(&message, "sent")).into_response(),
        None => not_found(),
    }
}

fn refuse_stranger(headers: &HeaderMap, account: &str, messages: &str) -> Option<Response> {
    let expected = format!("Basic {}", STANDARD.encode(format!("{ACCOUNT_SID}:{AUTH_TOKEN}")));
    if headers.get(header::AUTHORIZATION).is_none_or(|given| given.as_bytes() != expected.as_bytes()) {
        return Some(problem(401, 20003, "Authenticate"));
    }
    (account != ACCOUNT_SID || messages != "Messages.json").then(not_found)
}

/// Twilio's own checks, in its order, its magic numbers included.
fn check(form: &Form) -> Result<Received, (i32, String)> {
    let field = |name: &str| form.get(name).filter(|v| !v.is_empty()).cloned();
    let to = field("To").ok_or_else(|| (21604, "A 'To' phone number is required.".to_owned()))?;
    let (from, service) = (field("From"), field("MessagingServiceSid"));
    if from.is_none() && service.is_none() {
        return Err((21603, "A 'From' phone number is required.".into()));
    }
    let body = field("Body").ok_or_else(|| (21602, "Message body is required.".to_owned()))?;
    if body.chars().count() > 1600 {
        return Err((21617, "The concatenated message body exceeds the 1600 character limit".into()));
    }
    check_from(from.as_deref())?;
    check_to(&to)?;
    let status_callback = field("StatusCallback");
    if status_callback.as_deref().is_some_and(|url| !is_public(url)) {
        return Err((21609, "The 'StatusCallback' URL is not a valid URL.".into()));
    }
    let validity = field("ValidityPeriod").map(|v| v.parse::<u32>().ok().filter(|s| (1..=36_000).contains(s)));
    if validity == Some(None) {
        return Err((21621, "The 'ValidityPeriod' is not between 1 and 36000.".into()));
    }
    let validity_period = validity.flatten();
    let at_us = now_us();
    let messaging_service_sid = service;
    let sid = String::new();
    Ok(Received { sid, to, from, messaging_service_sid, body, status_callback, validity_period, at_us })
}

fn check_from(from: Option<&str>) -> Result<(), (i32, String)> {
    match from {
        Some("+15005550007") => Err((21606, "The 'From' phone number +15005550007 is not a valid number.".into())),
        Some("+15005550008") => Err((21611, "The queue of 'From' number +15005550008 is full.".into())),
        Some(number) if !is_e164(number) || number == "+15005550001" => {
            Err((21212, format!("The 'From' number {number} is not a valid phone number.")))
        }
        _ => Ok(()),
    }
}

fn check_to(to: &str) -> Result<(), (i32, String)> {
    let code = match to {
        "+15005550002" => 21612,
        "+15005550003" => 21408,
        "+15005550004" => 21610,
        "+15005550009" => 21614,
        number if !is_e164(number) || number == "+15005550001" => 21211,
        _ => return Ok(()),
    };
    Err((code, format!("Message cannot be sent with the current combination: 'To' number {to}.")))
}

fn is_e164(number: &str) -> bool {
    number.strip_prefix('+').is_some_and(|digits| {
        (7..=15).contains(&digits.len()) && !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit())
    })
}

/// Whether Twilio could call it: http or https on a name or address of the internet.
fn is_public(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    matches!(url.scheme(), "http" | "https")
        && match url.host() {
            Some(Host::Domain(name)) => {
                name.contains('.') && !matches!(name.rsplit('.').next(), Some("localhost" | "local"))
            }
            Some(Host::Ipv4(ip)) => !(ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_unspecified()),
            Some(Host::Ipv6(ip)) => !(ip.is_loopback() || ip.is_unspecified() || ip.is_unique_local()),
            None => false,
        }
}

fn accept(fake: &FakeTwilio, text: Received) -> Received {
    let mut book = fake.book();
    book.given_sids += 1;
    let text = Received { sid: format!("SM{:032x}", book.given_sids), ..text };
    book.received.push(text.clone());
    text
}

fn instant(at_us: u64) -> DateTime<chrono::Utc> {
    i64::try_from(at_us).ok().and_then(DateTime::from_timestamp_micros).unwrap_or_default()
}

fn message_json(message: &Received, status: &str) -> Value {
    let made = instant(message.at_us).to_rfc2822();
    let uri = format!("/2010-04-01/Accounts/{ACCOUNT_SID}/Messages/{}", message.sid);
    // Through a service the number is not chosen yet, so the text is only "accepted".
    let waits_for_number = message.from.is_none() && status == "queued";
    json!({
        "account_sid": ACCOUNT_SID, "api_version": "2010-04-01", "body": message.body,
        "date_created": made, "date_sent": if status == "sent" { json!(made) } else { Value::Null },
        "date_updated": made, "direction": "outbound-api", "error_code": null, "error_message": null,
        "from": message.from, "messaging_service_sid": message.messaging_service_sid, "num_media": "0",
        "num_segments": if waits_for_number { "0".to_owned() } else { segments(&message.body).to_string() },
        "price": null, "price_unit": "USD", "sid": message.sid,
        "status": if waits_for_number { "accepted" } else { status },
        "subresource_uris": { "media": format!("{uri}/Media.json") }, "to": message.to, "uri": format!("{uri}.json"),
    })
}

/// Parts a text is cut into, taking ASCII for the GSM alphabet.
fn segments(body: &str) -> usize {
    let (units, alone, each) =
        if body.is_ascii() { (body.len(), 160, 153) } else { (body.encode_utf16().count(), 70, 67) };
    if units <= alone { 1 } else { units.div_ceil(each) }
}

fn problem(status: u16, code: i32, message: &str) -> Response {
    let more_info = format!("https://www.twilio.com/docs/errors/{code}");
    let body = json!({ "code": code, "message": message, "more_info": more_info, "status": status });
    (StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST), axum::Json(body)).into_response()
}

fn not_found() -> Response {
    problem(404, 20404, "The requested resource was not found")
}

fn too_many(retry_after: Option<u64>) -> Response {
    let mut answer = problem(429, 20429, "Too Many Requests");
    if let Some(seconds) = retry_after {
        answer.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    answer
}

fn server_error() -> Response {
    problem(500, 20500, "Internal Server Error")
}
