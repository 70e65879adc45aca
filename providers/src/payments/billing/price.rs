//! Prices of the install's own account at Stripe.

use platform::money::Cents;
use serde::Deserialize;

use super::{Stripe, StripeCredentials, StripeError, subscription::PriceRecurrence};

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct StripePrice {
    /// In the currency's smallest unit; none for metered prices.
    unit_amount: Option<i64>,
    currency: String,
    active: bool,
    recurring: Option<PriceRecurrence>,
}

impl StripePrice {
    /// Whether it is this amount in dollars: one-time, or recurring every `months`.
    #[must_use]
    pub fn matches_cost(&self, cost: Cents, months: Option<i64>) -> bool {
        let every = self.recurring.as_ref().map(|every| (every.interval.as_deref(), every.interval_count));
        let wanted = months.map(|months| (Some("month"), Some(months)));
        self.active && self.currency == "usd" && self.unit_amount == Some(cost.0) && every == wanted
    }
}

impl Stripe {
    pub async fn fetch_price(&self, keys: &StripeCredentials, id: &str) -> Result<StripePrice, StripeError> {
        self.send_and_parse(keys, self.http.get(self.endpoint_url(&format!("prices/{id}")))).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn price_matches_only_in_amount_currency_interval_and_activity() {
        let there = |text: &str| serde_json::from_str::<StripePrice>(text).unwrap();
        let monthly = r#"{"unit_amount":35000,"currency":"usd","active":true,"recurring":{"interval":"month","interval_count":1}}"#;
        assert!(there(monthly).matches_cost(Cents(35_000), Some(1)));
        for (cost, months) in [(35_000, None), (35_000, Some(6)), (35_001, Some(1))] {
            assert!(!there(monthly).matches_cost(Cents(cost), months), "{cost} {months:?}");
        }
        for (old, new) in [("usd", "eur"), ("true", "false"), ("35000", "null"), ("\"month\"", "\"year\"")] {
            assert!(!there(&monthly.replace(old, new)).matches_cost(Cents(35_000), Some(1)), "{new}");
        }
        let once = r#"{"unit_amount":250000,"currency":"usd","active":true,"recurring":null}"#;
        assert!(there(once).matches_cost(Cents(250_000), None) && !there(once).matches_cost(Cents(250_000), Some(1)));
    }
}
