//! Payments and the logo of papers.

use serde_json::json;
use tests::http::{Multipart, pixel};

use super::Wants;
use crate::authorization::fixtures::{
    Fixtures,
    money::{DIFFERENCE, STATE},
};

pub(super) fn of(operation: &str, _: &Fixtures, _: usize) -> Option<Wants> {
    Some(match operation {
        "markPaid" => Wants::Json(json!({"amount": 120.5, "method": "check", "reference": "1042"})),
        "refundPayment" => Wants::Json(json!({"amount": 5})),
        "settleDifference" => Wants::Json(json!({"key": DIFFERENCE, "note": "Booked as cash"})),
        "reopenDifference" => Wants::Json(json!({"key": DIFFERENCE})),
        "settleRefund" => Wants::Json(json!({"outcome": "refunded"})),
        "setStripeKeys" => Wants::Json(json!({"secretKey": tests::fake_stripe::KEY})),
        "returnFromStripe" => Wants::Json(json!({"state": STATE})),
        "setLogo" => Wants::Form(Multipart::default().file("logo", "logo.png", &pixel())),
        _ => return None,
    })
}
