//! Registration of local numbers (A2P 10DLC): profiles and their parts (`TrustHub`, v1), brands, Messaging Services,
//! campaigns (Messaging, v1), and addresses of the account.
//!
//! A collection is named by its path: `CustomerProfiles`, `a2p/BrandRegistrations`, `Services/MG…/Compliance/Usa2p`.

use axum::{
    Router,
    body::Bytes,
    extract::{ConnectInfo, State},
    http::{HeaderMap, Uri},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde_json::{Value, json};

use super::{
    ACCOUNT_SID, FakeTwilio, Fault,
    account::broken,
    resource::{answer, not_found, problem, refuse_by_fault, refuse_stranger},
    service_pool,
    wire::Wire,
};

mod actions;
mod checks;

/// Rows of a page: few, so that every list is read to its end.
const PAGE_SIZE: usize = 3;

#[derive(Debug, Default)]
pub(super) struct A2pBook {
    parts: Vec<A2pPart>,
    /// Faults of the next change in a collection, by the last word of its path.
    faults: Vec<(String, Fault)>,
    /// Why evaluations find profiles not compliant.
    noncompliant: Option<String>,
    /// Brands whose owners got a text again.
    texted: Vec<String>,
}

/// What a registration has created.
#[derive(Debug, Clone)]
pub struct A2pPart {
    collection: String,
    pub sid: String,
    pub status: String,
    /// Reasons, in Twilio's spelling of the collection.
    faults: Value,
    is_verified: bool,
    /// Names and values as they were sent; a name may come more than once.
    pub form: Vec<(String, String)>,
}

impl A2pPart {
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&str> {
        self.form.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    fn is_in(&self, word: &str) -> bool {
        self.collection.rsplit('/').next() == Some(word)
    }

    fn row(&self) -> Value {
        let mut row = json!({
            "sid": self.sid, "account_sid": ACCOUNT_SID, "friendly_name": self.field("FriendlyName"),
            "date_created": "2026-01-05T09:00:00Z", "date_updated": "2026-01-05T09:00:00Z",
        });
        let more = if self.is_in("BrandRegistrations") {
            let is_alone = self.field("BrandType") == Some("SOLE_PROPRIETOR");
            let identity = if is_alone && !self.is_verified { "UNVERIFIED" } else { "VERIFIED" };
            json!({
                "status": self.status, "identity_status": identity, "brand_type": self.field("BrandType"),
                "customer_profile_bundle_sid": self.field("CustomerProfileBundleSid"),
                "a2p_profile_bundle_sid": self.field("A2PProfileBundleSid"),
                "failure_reason": null, "brand_feedback": self.faults, "errors": [],
            })
        } else if self.is_in("Usa2p") {
            json!({
                "campaign_status": self.status, "brand_registration_sid": self.field("BrandRegistrationSid"),
                "us_app_to_person_usecase": self.field("UsAppToPersonUsecase"), "errors": self.faults,
            })
        } else if self.is_in("EntityAssignments") {
            json!({ "object_sid": self.field("ObjectSid") })
        } else {
            json!({ "status": self.status, "errors": self.faults })
        };
        if let (Some(row), Value::Object(more)) = (row.as_object_mut(), more) {
            row.extend(more);
        }
        row
    }
}

impl FakeTwilio {
    /// Of all collections whose path ends with this word, oldest first.
    #[must_use]
    pub fn a2p_parts(&self, word: &str) -> Vec<A2pPart> {
        self.book().a2p.parts.iter().filter(|part| part.is_in(word)).cloned().collect()
    }

    /// Twilio or the carriers have decided about everything in these collections. `faults` are `brand_feedback` of a
    /// brand, `errors` of the others.
    pub fn decide_a2p(&self, word: &str, status: &str, faults: &Value) {
        for part in self.book().a2p.parts.iter_mut().filter(|part| part.is_in(word)) {
            status.clone_into(&mut part.status);
            part.faults = faults.clone();
        }
    }

    /// A fault of the next change in such a collection.
    pub fn script_a2p(&self, word: &str, fault: Fault) {
        self.book().a2p.faults.push((word.to_owned(), fault));
    }

    /// Evaluations name this reason from now on; `None` ends it.
    pub fn find_noncompliant(&self, reason: Option<&str>) {
        self.book().a2p.noncompliant = reason.map(ToOwned::to_owned);
    }

    /// The owners of sole proprietors' brands have answered YES.
    pub fn answer_brand_texts(&self) {
        for part in &mut self.book().a2p.parts {
            part.is_verified = true;
        }
    }

    /// Brands whose text was sent again.
    #[must_use]
    pub fn resent_brand_texts(&self) -> Vec<String> {
        self.book().a2p.texted.clone()
    }

    /// A brand of the account with this id.
    pub fn has_brand(&self, sid: &str) {
        let brand = A2pPart {
            collection: "a2p/BrandRegistrations".into(),
            sid: sid.into(),
            status: "APPROVED".into(),
            faults: json!([]),
            is_verified: false,
            form: vec![("BrandType".into(), "SOLE_PROPRIETOR".into())],
        };
        self.book().a2p.parts.push(brand);
    }
}

pub(super) fn a2p_routes() -> Router<FakeTwilio> {
    let list = || get(list).post(create);
    let one = || get(fetch).post(change);
    Router::new()
        .route("/v1/CustomerProfiles", list())
        .route("/v1/CustomerProfiles/{sid}", one())
        .route("/v1/CustomerProfiles/{sid}/EntityAssignments", list())
        .route("/v1/CustomerProfiles/{sid}/Evaluations", post(actions::evaluate_bundle))
        .route("/v1/TrustProducts", list())
        .route("/v1/TrustProducts/{sid}", one())
        .route("/v1/TrustProducts/{sid}/EntityAssignments", list())
        .route("/v1/TrustProducts/{sid}/Evaluations", post(actions::evaluate_bundle))
        .route("/v1/EndUsers", list())
        .route("/v1/EndUsers/{sid}", one())
        .route("/v1/SupportingDocuments", list())
        .route("/v1/a2p/BrandRegistrations", list())
        .route("/v1/a2p/BrandRegistrations/{sid}", one())
        .route("/v1/a2p/BrandRegistrations/{sid}/SmsOtp", post(actions::resend_text))
        .route("/v1/Services", list())
        .route("/v1/Services/{service}/Compliance/Usa2p", list())
        .route("/v1/Services/{service}/Compliance/Usa2p/{sid}", one())
        .route("/v1/Services/{service}/PhoneNumbers", get(service_pool::list).post(actions::add_number))
        .route("/2010-04-01/Accounts/{account}/Addresses.json", list())
        .route("/2010-04-01/Accounts/{account}/Addresses/{sid}", one())
}

/// The collection's path without the API's.
fn collection_of(path: &str) -> String {
    let path = path.trim_end_matches(".json");
    let of_account = || path.split_once(&format!("/{ACCOUNT_SID}/")).map(|(_, rest)| rest);
    path.strip_prefix("/v1/").or_else(of_account).unwrap_or(path).to_owned()
}

/// The path of one resource: its collection, and its id.
fn resource_of(path: &str) -> (String, String) {
    let whole = collection_of(path);
    let (collection, sid) = whole.rsplit_once('/').unwrap_or((&whole, ""));
    (collection.to_owned(), sid.to_owned())
}

fn read_form(body: &Bytes) -> Vec<(String, String)> {
    url::form_urlencoded::parse(body).into_owned().collect()
}

impl FakeTwilio {
    fn next_a2p_fault(&self, collection: &str) -> Option<Fault> {
        let mut book = self.book();
        let word = collection.rsplit('/').next().unwrap_or_default();
        let at = book.a2p.faults.iter().position(|(name, _)| name == word)?;
        Some(book.a2p.faults.remove(at).1)
    }

    fn find_a2p(&self, collection: &str, sid: &str) -> Option<A2pPart> {
        self.book().a2p.parts.iter().find(|part| part.collection == collection && part.sid == sid).cloned()
    }
}

async fn list(State(fake): State<FakeTwilio>, uri: Uri, headers: HeaderMap) -> Response {
    if let Some(refusal) = refuse_stranger(&headers, ACCOUNT_SID, "Messages.json").or_else(|| broken(&fake)) {
        return refusal;
    }
    let collection = collection_of(uri.path());
    let asked: Vec<(String, String)> =
        url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
    let parameter = |name: &str| asked.iter().find(|(given, _)| given == name).map(|(_, value)| value.clone());
    let all = fake.book().a2p.parts.clone();
    let is_listed = |part: &&A2pPart| part.collection == collection;
    let mut found: Vec<&A2pPart> = all.iter().rev().filter(is_listed).collect();
    if collection == "Addresses" {
        let name = parameter("FriendlyName");
        found.retain(|part| name.is_none() || part.field("FriendlyName") == name.as_deref());
        let rows: Vec<Value> = found.iter().map(|part| part.row()).collect();
        return axum::Json(json!({ "addresses": rows, "page": 0, "page_size": 50, "next_page_uri": null }))
            .into_response();
    }
    let page = parameter("Page").and_then(|page| page.parse().ok()).unwrap_or(0_usize);
    let rows: Vec<Value> = found.iter().skip(page * PAGE_SIZE).take(PAGE_SIZE).map(|part| part.row()).collect();
    let next = (found.len() > (page + 1) * PAGE_SIZE)
        .then(|| format!("{}{}?PageSize={PAGE_SIZE}&Page={}", fake.url(), uri.path(), page + 1));
    let key = match collection.rsplit('/').next() {
        Some("BrandRegistrations") => "data",
        Some("Services") => "services",
        Some("Usa2p") => "compliance",
        _ => "results",
    };
    let meta = json!({ "page": page, "page_size": PAGE_SIZE, "key": key, "next_page_url": next });
    let mut body = json!({ "meta": meta });
    body[key] = Value::Array(rows);
    axum::Json(body).into_response()
}

async fn fetch(State(fake): State<FakeTwilio>, uri: Uri, headers: HeaderMap) -> Response {
    if let Some(refusal) = refuse_stranger(&headers, ACCOUNT_SID, "Messages.json").or_else(|| broken(&fake)) {
        return refusal;
    }
    let (collection, sid) = resource_of(uri.path());
    fake.find_a2p(&collection, &sid).map_or_else(not_found, |part| axum::Json(part.row()).into_response())
}

async fn create(
    State(fake): State<FakeTwilio>,
    ConnectInfo(wire): ConnectInfo<Wire>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if let Some(refusal) = refuse_stranger(&headers, ACCOUNT_SID, "Messages.json") {
        return refusal;
    }
    let collection = collection_of(uri.path());
    let fault = fake.next_a2p_fault(&collection);
    if let Some(refusal) = refuse_by_fault(fault, &wire).await {
        return refusal;
    }
    let form = read_form(&body);
    if let Some((status, code, message)) = checks::find_fault(&fake.book().a2p.parts, &collection, &form) {
        return problem(status, code, &message);
    }
    let made = {
        let mut book = fake.book();
        let (prefix, status) = checks::birth_of(&collection);
        let sid = book.next_sid(prefix);
        let (faults, is_verified) = (json!([]), false);
        let made = A2pPart { collection, sid, status: status.to_owned(), faults, is_verified, form };
        book.a2p.parts.push(made.clone());
        made
    };
    answer(fault, &wire, &made.row()).await
}

async fn change(
    State(fake): State<FakeTwilio>,
    ConnectInfo(wire): ConnectInfo<Wire>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if let Some(refusal) = refuse_stranger(&headers, ACCOUNT_SID, "Messages.json") {
        return refusal;
    }
    let (collection, sid) = resource_of(uri.path());
    let fault = fake.next_a2p_fault(&collection);
    if let Some(refusal) = refuse_by_fault(fault, &wire).await {
        return refusal;
    }
    let changed = {
        let mut book = fake.book();
        let found = book.a2p.parts.iter_mut().find(|part| part.collection == collection && part.sid == sid);
        let Some(part) = found else { return not_found() };
        if (part.is_in("BrandRegistrations") || part.is_in("Usa2p")) && part.status != "FAILED" {
            return problem(400, 20001, "Only a failed registration can be sent again");
        }
        apply_change(part, read_form(&body));
        part.row()
    };
    answer(fault, &wire, &changed).await
}

fn apply_change(part: &mut A2pPart, sent: Vec<(String, String)>) {
    if let Some((_, status)) = sent.iter().find(|(name, _)| name == "Status") {
        status.clone_into(&mut part.status);
    } else if part.is_in("BrandRegistrations") {
        part.status = "PENDING".into();
    } else if part.is_in("Usa2p") {
        part.status = "IN_PROGRESS".into();
    }
    part.faults = json!([]);
    part.form.retain(|(name, _)| !sent.iter().any(|(given, _)| given == name));
    part.form.extend(sent);
}
