//! Bodies about reviews, review requests, and the intake from another program.

use serde_json::json;

use super::Wants;
use crate::authorization::fixtures::Fixtures;

pub(super) fn of(operation: &str, fixtures: &Fixtures, serial: usize) -> Option<Wants> {
    Some(Wants::Json(match operation {
        "importReviews" => return Some(Wants::Csv("Date,Customer,Rating\n2026-09-01,Ann Lee,5\n")),
        "addReview" => json!({"rating": 4.5, "customer_name": "Ann Lee", "source": "Google"}),
        "bringReview" => json!({"rating": 5, "id": format!("r-{serial}"), "source": "Google"}),
        "matchReview" => json!({"customerId": fixtures.other}),
        "replyToReview" => json!({"text": "Thank you"}),
        "stopReviewAsk" | "requestLeadReview" | "requestJobReview" => json!({}),
        _ => return None,
    }))
}
