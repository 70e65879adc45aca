//! The prices of the account.

use std::collections::HashMap;

use axum::{
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use serde_json::json;

use super::{
    FakeStripe,
    calls::{answer, problem, stranger},
};

/// Id, cents, and months of the interval when recurring.
const PRICES: [(&str, i64, Option<i64>); 4] = [
    ("price_monthly", 35_000, Some(1)),
    ("price_setup", 250_000, None),
    ("price_six_months", 210_000, Some(6)),
    ("price_setup_six_months", 200_000, None),
];

#[derive(Clone, Debug)]
struct Price {
    cents: i64,
    months: Option<i64>,
    currency: &'static str,
    is_active: bool,
}

#[derive(Debug)]
pub(super) struct Book(HashMap<String, Price>);

impl Default for Book {
    fn default() -> Self {
        let all = PRICES.into_iter();
        let price = |cents, months| Price { cents, months, currency: "usd", is_active: true };
        Self(all.map(|(id, cents, months)| (id.to_owned(), price(cents, months))).collect())
    }
}

impl Book {
    /// Amount and interval of an active price.
    pub(super) fn find(&self, id: &str) -> Option<(i64, Option<i64>)> {
        self.0.get(id).filter(|price| price.is_active).map(|price| (price.cents, price.months))
    }
}

impl FakeStripe {
    /// Adds a price with another amount or currency, or an inactive one. Its interval follows from the beginning of
    /// its id.
    pub fn set_price(&self, id: &str, cents: i64, currency: &'static str, is_active: bool) {
        let months = PRICES.iter().find(|(known, ..)| id.starts_with(known)).and_then(|(.., months)| *months);
        self.book().billing.prices.0.insert(id.to_owned(), Price { cents, months, currency, is_active });
    }
}

pub(super) async fn look(State(fake): State<FakeStripe>, headers: HeaderMap, Path(id): Path<String>) -> Response {
    if let Some(refused) = stranger(&headers) {
        return refused;
    }
    let found = fake.book().billing.prices.0.get(&id).cloned();
    answer(found.map_or_else(
        || problem(StatusCode::NOT_FOUND, "invalid_request_error", "resource_missing"),
        |price| {
            let recurring = price.months.map(|months| json!({"interval": "month", "interval_count": months}));
            let drawn = json!({"id": id, "object": "price", "unit_amount": price.cents, "currency": price.currency,
                "active": price.is_active, "recurring": recurring});
            (StatusCode::OK, drawn)
        },
    ))
}
