//! Facts of payments and refunds, each on its own day.

use chrono::NaiveDate;

use crate::{
    domain::{
        growth::metrics::{
            fact::{MetricContribution, MetricFact},
            measure::Measure,
        },
        money::ledger::{PaymentKind, PaymentStatus},
    },
    platform::money::Cents,
};

#[derive(Clone, Debug)]
pub struct PaymentMetricInput {
    pub kind: PaymentKind,
    pub status: PaymentStatus,
    pub is_undone: bool,
    pub amount: Cents,
    pub received_on: NaiveDate,
    pub source: String,
}

impl PaymentMetricInput {
    /// Only settled rows count; a payment that was undone never came in.
    #[must_use]
    pub fn build_contribution(&self) -> MetricContribution {
        if self.is_undone || self.status != PaymentStatus::Settled {
            return MetricContribution::default();
        }
        let (day, cents) = (self.received_on, self.amount.0);
        let facts = match self.kind {
            PaymentKind::Payment => vec![
                MetricFact::count_one(day, Measure::Payments),
                MetricFact::new(day, Measure::CollectedCents, cents).with_source(&self.source),
            ],
            PaymentKind::Refund => vec![MetricFact::new(day, Measure::RefundedCents, cents).with_source(&self.source)],
            PaymentKind::WriteOff => Vec::new(),
        };
        MetricContribution::new(facts, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::growth::metrics::fact::{MetricTotals, SourceSums};

    fn of(kind: PaymentKind, cents: i64, day: &str) -> PaymentMetricInput {
        PaymentMetricInput {
            kind,
            status: PaymentStatus::Settled,
            is_undone: false,
            amount: Cents(cents),
            received_on: day.parse().unwrap(),
            source: "Website".to_owned(),
        }
    }

    #[test]
    fn refund_is_deducted_on_its_own_day() {
        let mut totals = MetricTotals::default();
        totals.add_contribution(&of(PaymentKind::Payment, 85_000, "2026-09-17").build_contribution());
        totals.add_contribution(&of(PaymentKind::Refund, 5_000, "2026-10-02").build_contribution());
        let sums: Vec<(String, i64, i64)> = totals
            .days
            .iter()
            .map(|(day, sums)| (day.to_string(), sums.get(Measure::CollectedCents), sums.get(Measure::RefundedCents)))
            .collect();
        assert_eq!(sums, [("2026-09-17".to_owned(), 85_000, 0), ("2026-10-02".to_owned(), 0, 5_000)]);
        let paid: Vec<SourceSums> = totals.sources.values().copied().collect();
        assert_eq!(paid.iter().map(|of| of.paid_cents).collect::<Vec<_>>(), [85_000, -5_000]);
    }

    #[test]
    fn undone_unsettled_or_written_off_money_is_not_counted() {
        let paid = of(PaymentKind::Payment, 100, "2026-09-17");
        for payment in [
            PaymentMetricInput { is_undone: true, ..paid.clone() },
            PaymentMetricInput { status: PaymentStatus::Pending, kind: PaymentKind::Refund, ..paid.clone() },
            PaymentMetricInput { status: PaymentStatus::Failed, kind: PaymentKind::Refund, ..paid.clone() },
            PaymentMetricInput { kind: PaymentKind::WriteOff, ..paid },
        ] {
            assert!(payment.build_contribution().is_empty(), "{payment:?}");
        }
    }
}
