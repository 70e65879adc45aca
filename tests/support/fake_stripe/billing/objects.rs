//! Customers and subscriptions as JSON objects of Stripe.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::Subscription;

pub(super) fn drawn(of: &Subscription) -> Value {
    let instant = |at: DateTime<Utc>| at.timestamp();
    let marks: serde_json::Map<String, Value> = of
        .fields
        .iter()
        .filter_map(|(name, value)| {
            let name = name.strip_prefix("metadata[")?.strip_suffix(']')?;
            Some((name.to_owned(), json!(value)))
        })
        .collect();
    json!({
        "id": of.id, "object": "subscription", "customer": of.customer, "status": of.status,
        "current_period_start": of.period.map(|(from, _)| instant(from)),
        "current_period_end": of.period.map(|(_, to)| instant(to)),
        "livemode": false,
        "cancel_at": of.cancel_at, "cancel_at_period_end": of.with_period, "ended_at": of.ended_at, "trial_end": null,
        "cancellation_details": {"reason": of.reason}, "metadata": marks,
        "items": {"object": "list", "data": [
            {"id": "si_1", "price": {"id": "price_x", "recurring": {"interval": "month", "interval_count": of.months}}},
        ]},
        "latest_invoice": "in_1", "default_payment_method": null,
    })
}

/// With card and first payment, as in an expanded response.
pub(super) fn expanded(of: &Subscription) -> Value {
    let mut drawn = drawn(of);
    if of.status == "incomplete" {
        let secret = format!("pi_{}_secret_story", of.id);
        drawn["latest_invoice"] =
            json!({"id": "in_1", "payment_intent": {"id": format!("pi_{}", of.id), "client_secret": secret}});
    } else {
        let card = json!({"brand": "visa", "last4": "4242", "exp_month": 4, "exp_year": 2029});
        drawn["default_payment_method"] = json!({"id": "pm_1", "card": card});
    }
    drawn
}

pub(super) fn marks(fields: &HashMap<String, String>) -> Value {
    let mark = |(name, value): (&String, &String)| {
        Some((name.strip_prefix("metadata[")?.strip_suffix(']')?.to_owned(), json!(value)))
    };
    Value::Object(fields.iter().filter_map(mark).collect())
}
