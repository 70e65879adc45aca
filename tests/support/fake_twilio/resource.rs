//! The request to send a text: its fault and its answer.

use std::{collections::BTreeMap, time::Duration};

use axum::{
    body::Body,
    extract::{ConnectInfo, Path, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use futures::{StreamExt, stream};
use serde_json::{Value, json};

use super::{
    ACCOUNT_SID, AUTH_TOKEN, AcceptedText, FakeTwilio, Fault, Message, RecordedRequest, checks::check, reports::Status,
    wire::Wire,
};

pub(super) type Form = BTreeMap<String, String>;

pub async fn create(
    State(fake): State<FakeTwilio>,
    ConnectInfo(wire): ConnectInfo<Wire>,
    Path((account, messages)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let form: Form = url::form_urlencoded::parse(&body).into_owned().collect();
    let (to, text) = (form.get("To").cloned(), form.get("Body").cloned());
    fake.record_request(RecordedRequest { to, body: text, at_us: wire.take_first_byte_us() });
    if let Some(refusal) = refuse_stranger(&headers, &account, &messages) {
        return refusal;
    }
    let fault = fake.book().script.pop_front();
    if let Some(refusal) = refuse_by_fault(fault, &wire).await {
        return refusal;
    }
    if let Some(turn) = fake.next_turn() {
        tokio::time::sleep_until(turn).await;
    }
    let message = match check(&form) {
        Ok(text) => accept(&fake, text),
        Err((code, message)) => return problem(400, code, &message),
    };
    let reporting = fake.book().reporting.clone();
    if let Some(reporting) = &reporting {
        reporting.tell(&fake, &message, &reporting.before_the_answer).await;
    }
    // The answer has the state when the text was accepted, whatever happened since.
    let answer = answer(fault, &wire, &Message { status: Status::Queued, ..message.clone() }.json()).await;
    if let Some(reporting) = reporting {
        tokio::spawn(async move { reporting.tell(&fake, &message, &reporting.after_the_answer).await });
    }
    answer
}

/// The answer of a fault by which nothing is accepted.
pub(super) async fn refuse_by_fault(fault: Option<Fault>, wire: &Wire) -> Option<Response> {
    match fault? {
        Fault::ResetBeforeAccept => {
            wire.cut();
            Some(StatusCode::OK.into_response())
        }
        Fault::Error500BeforeAccept => Some(server_error()),
        Fault::TooManyRequests { retry_after } => Some(too_many(retry_after)),
        Fault::Code { status, code } => Some(problem(status, code, "Scripted refusal")),
        Fault::HangThenAccept { millis } => {
            tokio::time::sleep(Duration::from_millis(millis)).await;
            None
        }
        _ => None,
    }
}

pub(super) async fn answer(fault: Option<Fault>, wire: &Wire, message: &Value) -> Response {
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

/// A body in pieces, with the length of the whole announced.
fn in_parts(message: &Value, body: Body) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/json".to_owned()),
        (header::CONTENT_LENGTH, message.to_string().len().to_string()),
    ];
    (StatusCode::CREATED, headers, body).into_response()
}

pub(super) fn refuse_stranger(headers: &HeaderMap, account: &str, messages: &str) -> Option<Response> {
    let expected = format!("Basic {}", STANDARD.encode(format!("{ACCOUNT_SID}:{AUTH_TOKEN}")));
    if headers.get(header::AUTHORIZATION).is_none_or(|given| given.as_bytes() != expected.as_bytes()) {
        return Some(problem(401, 20003, "Authenticate"));
    }
    (account != ACCOUNT_SID || messages != "Messages.json").then(not_found)
}

fn accept(fake: &FakeTwilio, text: AcceptedText) -> Message {
    let mut book = fake.book();
    let text = AcceptedText { sid: book.next_sid("SM"), ..text };
    let status = if book.keeps_texts_queued { Status::Queued } else { Status::Sent };
    let message = Message { text, status, code: None, is_inbound: false, pictures: Vec::new(), created_at: book.now() };
    book.messages.push(message.clone());
    message
}

pub(super) fn problem(status: u16, code: i32, message: &str) -> Response {
    let more_info = format!("https://www.twilio.com/docs/errors/{code}");
    let body = json!({ "code": code, "message": message, "more_info": more_info, "status": status });
    (StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST), axum::Json(body)).into_response()
}

pub(super) fn not_found() -> Response {
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
