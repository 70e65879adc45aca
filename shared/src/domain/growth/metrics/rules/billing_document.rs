//! Facts of estimates and invoices.

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;

use crate::{
    domain::{
        growth::metrics::{
            fact::{MetricContribution, MetricFact, local_day},
            measure::Measure,
        },
        money::{estimate, invoice},
    },
    platform::money::Cents,
};

#[derive(Clone, Debug)]
pub struct EstimateMetricInput {
    pub status: estimate::EstimateStatus,
    pub issued_on: NaiveDate,
    pub total: Cents,
    /// Time of the approval, and the sum of the chosen options.
    pub approved: Option<(DateTime<Utc>, Cents)>,
    pub settled_at: Option<DateTime<Utc>>,
    pub source: String,
}

impl EstimateMetricInput {
    /// Only the current version of a number is read: a replaced version is no other quote.
    #[must_use]
    pub fn build_contribution(&self, zone: Tz) -> MetricContribution {
        use estimate::EstimateStatus::{Approved, Declined, Expired, Open, Preparing, Replaced, Superseded, Withdrawn};
        if matches!(self.status, Preparing | Replaced | Superseded) {
            return MetricContribution::default();
        }
        let day = self.issued_on;
        let mut facts = vec![
            MetricFact::count_one(day, Measure::QuotesSent),
            MetricFact::new(day, Measure::QuotedCents, self.total.0),
        ];
        match (self.status, self.approved, self.settled_at) {
            (Approved, Some((at, total)), _) => {
                let day = local_day(zone, at);
                facts.push(MetricFact::count_one(day, Measure::QuotesWon).with_source(&self.source));
                facts.push(MetricFact::new(day, Measure::WonCents, total.0));
            }
            (Declined, _, Some(at)) => facts.push(MetricFact::count_one(local_day(zone, at), Measure::QuotesLost)),
            (Approved | Declined | Open | Expired | Withdrawn | Preparing | Replaced | Superseded, ..) => {}
        }
        MetricContribution::new(facts, None)
    }
}

#[derive(Clone, Debug)]
pub struct InvoiceMetricInput {
    pub status: invoice::InvoiceStatus,
    pub issued_on: Option<NaiveDate>,
    pub total: Cents,
    pub paid: Cents,
}

impl InvoiceMetricInput {
    #[must_use]
    pub fn build_contribution(&self) -> MetricContribution {
        use invoice::InvoiceStatus::{Draft, Open, Paid, Preparing, Void};
        let (Some(day), Open | Paid) = (self.issued_on, self.status) else { return MetricContribution::default() };
        let mut facts = vec![
            MetricFact::count_one(day, Measure::Invoices),
            MetricFact::new(day, Measure::InvoicedCents, self.total.0),
        ];
        match self.status {
            Open => {
                facts.push(MetricFact::count_one(day, Measure::OpenInvoices));
                facts.push(MetricFact::new(day, Measure::OpenCents, self.total.0 - self.paid.0));
            }
            Draft | Preparing | Paid | Void => {}
        }
        MetricContribution::new(facts, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZONE: Tz = chrono_tz::America::New_York;

    fn day(written: &str) -> NaiveDate {
        written.parse().unwrap()
    }

    fn fact_lines(contribution: &MetricContribution) -> Vec<String> {
        let facts = contribution.facts().iter();
        facts.map(|fact| format!("{} {} {}", fact.day, fact.measure.name(), fact.amount)).collect()
    }

    #[test]
    fn estimate_counts_once_issued_unless_replaced() {
        let of = |status| EstimateMetricInput {
            status,
            issued_on: day("2026-09-17"),
            total: Cents(125_050),
            approved: None,
            settled_at: None,
            source: "google".to_owned(),
        };
        for status in estimate::EstimateStatus::ALL {
            let counts = !matches!(
                status,
                estimate::EstimateStatus::Preparing
                    | estimate::EstimateStatus::Replaced
                    | estimate::EstimateStatus::Superseded
            );
            let wanted = ["2026-09-17 quotes_sent 1", "2026-09-17 quoted_cents 125050"];
            let lines = fact_lines(&of(status).build_contribution(ZONE));
            assert_eq!(lines, if counts { &wanted[..] } else { &[] }, "{status:?}");
        }
    }

    #[test]
    fn estimate_is_won_on_approval_day_with_approved_amount() {
        let won = EstimateMetricInput {
            status: estimate::EstimateStatus::Approved,
            issued_on: day("2026-09-17"),
            total: Cents(125_050),
            approved: Some(("2026-09-20T03:30:00Z".parse().unwrap(), Cents(90_000))),
            settled_at: None,
            source: "google".to_owned(),
        };
        let contribution = won.build_contribution(ZONE);
        let wanted = [
            "2026-09-17 quotes_sent 1",
            "2026-09-17 quoted_cents 125050",
            "2026-09-19 quotes_won 1",
            "2026-09-19 won_cents 90000",
        ];
        assert_eq!(fact_lines(&contribution), wanted);
        assert_eq!(contribution.facts()[2].source.as_deref(), Some("google"));
        let at = "2026-09-20T12:00:00Z".parse().ok();
        let lost =
            EstimateMetricInput { status: estimate::EstimateStatus::Declined, approved: None, settled_at: at, ..won };
        assert!(fact_lines(&lost.build_contribution(ZONE)).contains(&"2026-09-20 quotes_lost 1".to_owned()));
    }

    #[test]
    fn invoice_counts_from_issue_until_void() {
        let of = |status, paid| InvoiceMetricInput {
            status,
            issued_on: Some(day("2026-09-17")),
            total: Cents(10_000),
            paid: Cents(paid),
        };
        let open = [
            "2026-09-17 invoices 1",
            "2026-09-17 invoiced_cents 10000",
            "2026-09-17 open_invoices 1",
            "2026-09-17 open_cents 7500",
        ];
        assert_eq!(fact_lines(&of(invoice::InvoiceStatus::Open, 2_500).build_contribution()), open);
        assert_eq!(fact_lines(&of(invoice::InvoiceStatus::Paid, 10_000).build_contribution()), open[..2]);
        for status in [invoice::InvoiceStatus::Draft, invoice::InvoiceStatus::Preparing, invoice::InvoiceStatus::Void] {
            assert!(of(status, 0).build_contribution().is_empty(), "{status:?}");
        }
        assert!(
            InvoiceMetricInput { issued_on: None, ..of(invoice::InvoiceStatus::Open, 0) }
                .build_contribution()
                .is_empty()
        );
    }
}
