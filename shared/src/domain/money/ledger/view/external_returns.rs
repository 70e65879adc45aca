//! Money of a payment that was refunded in Stripe's dashboard, or taken by the payer's bank.

use crate::platform::money::Cents;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ExternalReturns {
    pub in_stripe: Cents,
    pub by_bank: Cents,
}

impl ExternalReturns {
    /// Sentence about a failed refund of `amount`, with `left` of its payment still refundable; none where the money is
    /// still there.
    pub fn warning_text(self, amount: Cents, left: Cents) -> Option<String> {
        let how = match (self.in_stripe > Cents::ZERO, self.by_bank > Cents::ZERO) {
            (false, false) => return None,
            (true, false) => "refunded in Stripe",
            (false, true) => "reversed by the customer's bank",
            (true, true) => "refunded in Stripe and reversed by the customer's bank",
        };
        if left >= amount {
            return None;
        }
        if left <= Cents::ZERO {
            return Some(format!("It has gone back already ({how}). Do not give it back again."));
        }
        let gone = Cents(self.in_stripe.0 + self.by_bank.0).format_usd();
        let left = left.format_usd();
        Some(format!(
            "{gone} of the payment has gone back already ({how}), and {left} is left. Do not give back more than {left}."
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(in_stripe: i64, by_bank: i64, amount: i64, left: i64) -> Option<String> {
        ExternalReturns { in_stripe: Cents(in_stripe), by_bank: Cents(by_bank) }
            .warning_text(Cents(amount), Cents(left))
    }

    #[test]
    fn money_returned_elsewhere_warns_against_second_refund() {
        let all = |how: &str| Some(format!("It has gone back already ({how}). Do not give it back again."));
        assert_eq!(describe(9_000, 0, 9_000, 0), all("refunded in Stripe"));
        assert_eq!(describe(0, 12_000, 5_000, 0), all("reversed by the customer's bank"));
        let both = "refunded in Stripe and reversed by the customer's bank";
        assert_eq!(describe(4_500, 12_000, 5_000, -4_500), all(both));
        let part = "$60.00 of the payment has gone back already (refunded in Stripe), and $30.00 is left. Do not give back more than $30.00.";
        assert_eq!(describe(6_000, 0, 9_000, 3_000).as_deref(), Some(part));
    }

    #[test]
    fn warning_is_absent_without_relevant_return_elsewhere() {
        assert_eq!(describe(0, 0, 9_000, 9_000), None, "the card took it not");
        assert_eq!(describe(0, 0, 9_000, 0), None, "given back by us in another way since");
        assert_eq!(describe(2_000, 0, 5_000, 7_000), None);
    }
}
