//! A price of the install's own account, as it stands at Stripe.

use serde::Deserialize;

use super::{Keys, PayError, Recurring, Stripe};
use crate::platform::money::Cents;

/// A price as it stands at Stripe.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PriceThere {
    /// In the smallest coin of the currency; none where it depends on how much is used.
    unit_amount: Option<i64>,
    currency: String,
    active: bool,
    recurring: Option<Recurring>,
}

impl PriceThere {
    /// Whether it can be charged, in dollars, this much: once, or with `months` again after so many.
    #[must_use]
    pub fn is(&self, cost: Cents, months: Option<i64>) -> bool {
        let every = self.recurring.as_ref().map(|every| (every.interval.as_deref(), every.interval_count));
        let wanted = months.map(|months| (Some("month"), Some(months)));
        self.active && self.currency == "usd" && self.unit_amount == Some(cost.0) && every == wanted
    }
}

impl Stripe {
    /// A price by its id.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn price(&self, keys: &Keys, id: &str) -> Result<PriceThere, PayError> {
        self.call(keys, self.http.get(self.at(&format!("prices/{id}")))).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_the_one_that_is_shown_or_it_is_another() {
        let there = |text: &str| serde_json::from_str::<PriceThere>(text).unwrap();
        let monthly = r#"{"unit_amount":35000,"currency":"usd","active":true,"recurring":{"interval":"month","interval_count":1}}"#;
        assert!(there(monthly).is(Cents(35_000), Some(1)));
        for (cost, months) in [(35_000, None), (35_000, Some(6)), (35_001, Some(1))] {
            assert!(!there(monthly).is(Cents(cost), months), "{cost} {months:?}");
        }
        for (old, new) in [("usd", "eur"), ("true", "false"), ("35000", "null"), ("\"month\"", "\"year\"")] {
            assert!(!there(&monthly.replace(old, new)).is(Cents(35_000), Some(1)), "{new}");
        }
        let once = r#"{"unit_amount":250000,"currency":"usd","active":true,"recurring":null}"#;
        assert!(there(once).is(Cents(250_000), None) && !there(once).is(Cents(250_000), Some(1)));
    }
}
