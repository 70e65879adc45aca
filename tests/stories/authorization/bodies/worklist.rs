//! Bodies about items of the worklist: the held request of the fixtures.

use chrono::Duration;
use serde_json::json;

use super::Wants;
use crate::authorization::fixtures::Fixtures;

pub(super) fn of(operation: &str, fixtures: &Fixtures, _: usize) -> Option<Wants> {
    let since = fixtures.since;
    Some(Wants::Json(match operation {
        "finishWorkItem" => json!({ "since": since }),
        "snoozeWorkItem" => json!({ "since": since, "until": since + Duration::days(7) }),
        "assignWorkItem" => json!({ "accountId": fixtures.shop.owner().id }),
        _ => return None,
    }))
}
