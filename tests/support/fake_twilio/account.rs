//! The account itself, and the fault mode of reads.

use axum::{
    extract::{Path, State},
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use serde_json::json;

use super::{
    ACCOUNT_SID, FakeTwilio,
    resource::{problem, refuse_stranger},
};

pub(super) async fn fetch(State(fake): State<FakeTwilio>, Path(account): Path<String>, headers: HeaderMap) -> Response {
    let account = account.trim_end_matches(".json");
    if let Some(refusal) = refuse_stranger(&headers, account, "Messages.json").or_else(|| broken(&fake)) {
        return refusal;
    }
    let status = fake.book().account_status.clone().unwrap_or_else(|| "active".into());
    axum::Json(json!({
        "sid": ACCOUNT_SID, "owner_account_sid": ACCOUNT_SID, "friendly_name": "Fake", "status": status,
        "type": "Full", "uri": format!("/2010-04-01/Accounts/{ACCOUNT_SID}.json"), "subresource_uris": {},
    }))
    .into_response()
}

/// The scripted answer to every read.
pub(super) fn broken(fake: &FakeTwilio) -> Option<Response> {
    fake.book().broken_reading.map(|status| problem(status, 20500, "Internal Server Error"))
}
