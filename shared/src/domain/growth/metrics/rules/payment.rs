//! Money that came in, and money that went back, each on its own day.

use chrono::NaiveDate;

use crate::{
    domain::{
        growth::metrics::{
            fact::{Contribution, Fact},
            measure::Measure,
        },
        money::ledger::{Kind, Status},
    },
    platform::money::Cents,
};

/// A row of the ledger.
#[derive(Clone, Debug)]
pub struct Payment {
    pub kind: Kind,
    pub status: Status,
    pub is_undone: bool,
    pub amount: Cents,
    pub received_on: NaiveDate,
    /// Where its request first came from.
    pub source: String,
}

impl Payment {
    /// Only what has moved counts, and what was given up never came in.
    #[must_use]
    pub fn contribution(&self) -> Contribution {
        if self.is_undone || self.status != Status::Settled {
            return Contribution::default();
        }
        let (day, cents) = (self.received_on, self.amount.0);
        let facts = match self.kind {
            Kind::Payment => vec![
                Fact::one(day, Measure::Payments),
                Fact::new(day, Measure::CollectedCents, cents).from(&self.source),
            ],
            Kind::Refund => vec![Fact::new(day, Measure::RefundedCents, cents).from(&self.source)],
            Kind::WriteOff => Vec::new(),
        };
        Contribution::new(facts, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::growth::metrics::fact::{OfSource, Totals};

    fn of(kind: Kind, cents: i64, day: &str) -> Payment {
        Payment {
            kind,
            status: Status::Settled,
            is_undone: false,
            amount: Cents(cents),
            received_on: day.parse().unwrap(),
            source: "Website".to_owned(),
        }
    }

    #[test]
    fn what_goes_back_a_month_later_is_taken_from_that_day() {
        let mut totals = Totals::default();
        totals.add(&of(Kind::Payment, 85_000, "2026-09-17").contribution());
        totals.add(&of(Kind::Refund, 5_000, "2026-10-02").contribution());
        let sums: Vec<(String, i64, i64)> = totals
            .days
            .iter()
            .map(|(day, sums)| (day.to_string(), sums.get(Measure::CollectedCents), sums.get(Measure::RefundedCents)))
            .collect();
        assert_eq!(sums, [("2026-09-17".to_owned(), 85_000, 0), ("2026-10-02".to_owned(), 0, 5_000)]);
        let paid: Vec<OfSource> = totals.sources.values().copied().collect();
        assert_eq!(paid.iter().map(|of| of.paid_cents).collect::<Vec<_>>(), [85_000, -5_000]);
    }

    #[test]
    fn what_was_undone_failed_is_on_its_way_or_was_given_up_is_no_money() {
        let paid = of(Kind::Payment, 100, "2026-09-17");
        for payment in [
            Payment { is_undone: true, ..paid.clone() },
            Payment { status: Status::Pending, kind: Kind::Refund, ..paid.clone() },
            Payment { status: Status::Failed, kind: Kind::Refund, ..paid.clone() },
            Payment { kind: Kind::WriteOff, ..paid },
        ] {
            assert!(payment.contribution().is_empty(), "{payment:?}");
        }
    }
}
