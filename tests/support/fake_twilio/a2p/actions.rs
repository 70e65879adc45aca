//! Evaluations, texts to sole proprietors, and numbers put into a Messaging Service.

use axum::{
    body::Bytes,
    extract::{ConnectInfo, State},
    http::{HeaderMap, StatusCode, Uri},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::{
    super::{
        ACCOUNT_SID, FakeTwilio,
        resource::{answer, not_found, problem, refuse_by_fault, refuse_stranger},
        wire::Wire,
    },
    read_form, resource_of,
};

pub(super) async fn evaluate_bundle(State(fake): State<FakeTwilio>, headers: HeaderMap, body: Bytes) -> Response {
    if let Some(refusal) = refuse_stranger(&headers, ACCOUNT_SID, "Messages.json") {
        return refusal;
    }
    if !read_form(&body).iter().any(|(name, _)| name == "PolicySid") {
        return problem(400, 20001, "Missing required parameter PolicySid");
    }
    let mut book = fake.book();
    let sid = book.next_sid("EL");
    let invalid = book.a2p.noncompliant.clone().map(|reason| {
        json!({ "friendly_name": "Business Name", "object_field": "business_name", "failure_reason": reason, "error_code": 22215 })
    });
    let passed = invalid.is_none();
    let status = if passed { "compliant" } else { "noncompliant" };
    let invalid: Vec<Value> = invalid.into_iter().collect();
    let result = json!({ "friendly_name": "Business", "object_type": "customer_profile_business_information", "passed": passed, "failure_reason": null, "error_code": null, "valid": [], "invalid": invalid });
    let row = json!({ "sid": sid, "account_sid": ACCOUNT_SID, "status": status, "results": [result], "date_created": "2026-01-05T09:00:00Z" });
    (StatusCode::CREATED, axum::Json(row)).into_response()
}

pub(super) async fn resend_text(State(fake): State<FakeTwilio>, uri: Uri, headers: HeaderMap) -> Response {
    if let Some(refusal) = refuse_stranger(&headers, ACCOUNT_SID, "Messages.json") {
        return refusal;
    }
    let (collection, sid) = resource_of(uri.path().trim_end_matches("/SmsOtp"));
    if fake.find_a2p(&collection, &sid).is_none() {
        return not_found();
    }
    fake.book().a2p.texted.push(sid.clone());
    let row = json!({ "account_sid": ACCOUNT_SID, "brand_registration_sid": sid });
    (StatusCode::CREATED, axum::Json(row)).into_response()
}

pub(super) async fn add_number(
    State(fake): State<FakeTwilio>,
    ConnectInfo(wire): ConnectInfo<Wire>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if let Some(refusal) = refuse_stranger(&headers, ACCOUNT_SID, "Messages.json") {
        return refusal;
    }
    let fault = fake.next_a2p_fault("PhoneNumbers");
    if let Some(refusal) = refuse_by_fault(fault, &wire).await {
        return refusal;
    }
    let (collection, _) = resource_of(uri.path());
    let service = collection.trim_start_matches("Services/").to_owned();
    let form = read_form(&body);
    let sid = form.iter().find(|(name, _)| name == "PhoneNumberSid").map(|(_, sid)| sid.clone()).unwrap_or_default();
    let row = {
        let mut book = fake.book();
        let Some(number) = book.numbers.iter().find(|one| one.sid == sid).map(|one| one.number.clone()) else {
            return not_found();
        };
        match book.pools.iter().find(|(_, pooled)| *pooled == number) {
            Some((of, _)) if *of == service => {
                return problem(409, 21710, "Phone Number is already in the Messaging Service");
            }
            Some(_) => return problem(409, 21712, "Phone Number is associated with another Messaging Service"),
            None => {}
        }
        book.pools.push((service.clone(), number.clone()));
        json!({ "sid": sid, "account_sid": ACCOUNT_SID, "service_sid": service, "phone_number": number })
    };
    answer(fault, &wire, &row).await
}
