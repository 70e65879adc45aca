//! Toll-free verifications (Twilio, "Toll-free verification resource", Messaging API, v1).

use axum::{
    body::Bytes,
    extract::{ConnectInfo, Path, RawQuery, State},
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::{
    ACCOUNT_SID, FakeTwilio,
    account::broken,
    resource::{answer, not_found, problem, refuse_by_fault, refuse_stranger},
    wire::Wire,
};

/// Fields without which Twilio refuses a verification.
const REQUIRED: [&str; 10] = [
    "BusinessName",
    "BusinessWebsite",
    "NotificationEmail",
    "UseCaseCategories",
    "UseCaseSummary",
    "ProductionMessageSample",
    "OptInImageUrls",
    "OptInType",
    "MessageVolume",
    "TollfreePhoneNumberSid",
];
const VOLUMES: [&str; 11] = [
    "10",
    "100",
    "1,000",
    "10,000",
    "100,000",
    "250,000",
    "500,000",
    "750,000",
    "1,000,000",
    "5,000,000",
    "10,000,000+",
];

#[derive(Debug, Clone)]
pub struct SubmittedVerification {
    pub sid: String,
    pub status: String,
    pub rejection_reason: Option<String>,
    /// Names and values as they were sent; a name may come more than once.
    pub form: Vec<(String, String)>,
}

impl SubmittedVerification {
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&str> {
        self.form.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    fn row(&self) -> Value {
        json!({
            "sid": self.sid, "account_sid": ACCOUNT_SID, "status": self.status,
            "tollfree_phone_number_sid": self.field("TollfreePhoneNumberSid"),
            "external_reference_id": self.field("ExternalReferenceId"),
            "business_name": self.field("BusinessName"), "rejection_reason": self.rejection_reason,
            "edit_allowed": (self.status == "TWILIO_REJECTED").then_some(true),
            "date_created": "2026-01-05T09:00:00Z", "date_updated": "2026-01-05T09:00:00Z",
        })
    }
}

impl FakeTwilio {
    #[must_use]
    pub fn verifications(&self) -> Vec<SubmittedVerification> {
        self.book().verifications.clone()
    }

    /// Twilio has decided about every verification.
    pub fn decide_verifications(&self, status: &str, rejection_reason: Option<&str>) {
        for one in &mut self.book().verifications {
            status.clone_into(&mut one.status);
            one.rejection_reason = rejection_reason.map(ToOwned::to_owned);
        }
    }
}

fn read_form(body: &Bytes) -> Vec<(String, String)> {
    url::form_urlencoded::parse(body).into_owned().collect()
}

/// The first fault of the fields.
fn find_fault(form: &[(String, String)]) -> Option<String> {
    let field = |name: &str| form.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str());
    let missing = REQUIRED.iter().find(|name| field(name).is_none_or(str::is_empty));
    if let Some(name) = missing {
        return Some(format!("Missing required parameter {name}"));
    }
    let is_volume = field("MessageVolume").is_some_and(|volume| VOLUMES.contains(&volume));
    (!is_volume).then(|| "Invalid MessageVolume".to_owned())
}

pub(super) async fn create(
    State(fake): State<FakeTwilio>,
    ConnectInfo(wire): ConnectInfo<Wire>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if let Some(refusal) = refuse_stranger(&headers, ACCOUNT_SID, "Messages.json") {
        return refusal;
    }
    let fault = fake.book().change_script.pop_front();
    if let Some(refusal) = refuse_by_fault(fault, &wire).await {
        return refusal;
    }
    let form = read_form(&body);
    if let Some(message) = find_fault(&form) {
        return problem(400, 20001, &message);
    }
    let made = {
        let mut book = fake.book();
        let sid = book.next_sid("HH");
        let made = SubmittedVerification { sid, status: "PENDING_REVIEW".into(), rejection_reason: None, form };
        book.verifications.push(made.clone());
        made
    };
    answer(fault, &wire, &made.row()).await
}

pub(super) async fn update(
    State(fake): State<FakeTwilio>,
    ConnectInfo(wire): ConnectInfo<Wire>,
    Path(sid): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if let Some(refusal) = refuse_stranger(&headers, ACCOUNT_SID, "Messages.json") {
        return refusal;
    }
    let fault = fake.book().change_script.pop_front();
    if let Some(refusal) = refuse_by_fault(fault, &wire).await {
        return refusal;
    }
    let changed = {
        let mut book = fake.book();
        let Some(one) = book.verifications.iter_mut().find(|one| one.sid == sid) else { return not_found() };
        if one.status != "TWILIO_REJECTED" {
            return problem(400, 20001, "Only a rejected verification can be edited");
        }
        let sent = read_form(&body);
        one.form.retain(|(name, _)| !sent.iter().any(|(given, _)| given == name));
        one.form.extend(sent);
        one.status = "IN_REVIEW".into();
        one.rejection_reason = None;
        one.row()
    };
    answer(fault, &wire, &changed).await
}

pub(super) async fn list(State(fake): State<FakeTwilio>, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    if let Some(refusal) = refuse_stranger(&headers, ACCOUNT_SID, "Messages.json").or_else(|| broken(&fake)) {
        return refusal;
    }
    let query = query.unwrap_or_default();
    let number = url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "TollfreePhoneNumberSid");
    let number = number.map(|(_, value)| value.into_owned());
    let all = fake.verifications();
    let shown =
        all.iter().rev().filter(|one| number.is_none() || one.field("TollfreePhoneNumberSid") == number.as_deref());
    let shown: Vec<Value> = shown.map(SubmittedVerification::row).collect();
    let meta = json!({ "page": 0, "page_size": 50, "key": "verifications", "next_page_url": null });
    axum::Json(json!({ "meta": meta, "verifications": shown })).into_response()
}
