//! Papers: estimates that went out, were approved or declined, and invoices with what is still to be paid of them.

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;

use crate::{
    domain::{
        growth::metrics::{
            fact::{Contribution, Fact, day_of},
            measure::Measure,
        },
        money::{estimate, invoice},
    },
    platform::money::Cents,
};

/// One version of an estimate.
#[derive(Clone, Debug)]
pub struct Estimate {
    pub status: estimate::Status,
    pub issued_on: NaiveDate,
    pub total: Cents,
    /// When it was approved, and what was chosen of it comes to.
    pub approved: Option<(DateTime<Utc>, Cents)>,
    pub settled_at: Option<DateTime<Utc>>,
    /// Where its request first came from.
    pub source: String,
}

impl Estimate {
    /// Of the versions of a number the one that stands counts (the others are not read): what was replaced was never
    /// another quote.
    #[must_use]
    pub fn contribution(&self, zone: Tz) -> Contribution {
        use estimate::Status::{Approved, Declined, Expired, Open, Preparing, Replaced, Superseded, Withdrawn};
        if matches!(self.status, Preparing | Replaced | Superseded) {
            return Contribution::default();
        }
        let day = self.issued_on;
        let mut facts = vec![Fact::one(day, Measure::QuotesSent), Fact::new(day, Measure::QuotedCents, self.total.0)];
        match (self.status, self.approved, self.settled_at) {
            (Approved, Some((at, total)), _) => {
                let day = day_of(zone, at);
                facts.push(Fact::one(day, Measure::QuotesWon).from(&self.source));
                facts.push(Fact::new(day, Measure::WonCents, total.0));
            }
            (Declined, _, Some(at)) => facts.push(Fact::one(day_of(zone, at), Measure::QuotesLost)),
            (Approved | Declined | Open | Expired | Withdrawn | Preparing | Replaced | Superseded, ..) => {}
        }
        Contribution::new(facts, None)
    }
}

/// An invoice.
#[derive(Clone, Debug)]
pub struct Invoice {
    pub status: invoice::Status,
    /// None for a draft.
    pub issued_on: Option<NaiveDate>,
    pub total: Cents,
    pub paid: Cents,
}

impl Invoice {
    /// What was taken back asks for nothing.
    #[must_use]
    pub fn contribution(&self) -> Contribution {
        use invoice::Status::{Draft, Open, Paid, Preparing, Void};
        let (Some(day), Open | Paid) = (self.issued_on, self.status) else { return Contribution::default() };
        let mut facts = vec![Fact::one(day, Measure::Invoices), Fact::new(day, Measure::InvoicedCents, self.total.0)];
        match self.status {
            Open => {
                facts.push(Fact::one(day, Measure::OpenInvoices));
                facts.push(Fact::new(day, Measure::OpenCents, self.total.0 - self.paid.0));
            }
            Draft | Preparing | Paid | Void => {}
        }
        Contribution::new(facts, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZONE: Tz = chrono_tz::America::New_York;

    fn day(written: &str) -> NaiveDate {
        written.parse().unwrap()
    }

    fn said(contribution: &Contribution) -> Vec<String> {
        let facts = contribution.facts().iter();
        facts.map(|fact| format!("{} {} {}", fact.day, fact.measure.name(), fact.amount)).collect()
    }

    #[test]
    fn a_quote_counts_when_it_is_out_and_once_for_its_number() {
        let of = |status| Estimate {
            status,
            issued_on: day("2026-09-17"),
            total: Cents(125_050),
            approved: None,
            settled_at: None,
            source: "google".to_owned(),
        };
        for status in estimate::Status::ALL {
            let counts = !matches!(
                status,
                estimate::Status::Preparing | estimate::Status::Replaced | estimate::Status::Superseded
            );
            let wanted = ["2026-09-17 quotes_sent 1", "2026-09-17 quoted_cents 125050"];
            let said = said(&of(status).contribution(ZONE));
            assert_eq!(said, if counts { &wanted[..] } else { &[] }, "{status:?}");
        }
    }

    #[test]
    fn it_is_won_on_the_day_it_was_approved_with_what_was_chosen() {
        let won = Estimate {
            status: estimate::Status::Approved,
            issued_on: day("2026-09-17"),
            total: Cents(125_050),
            approved: Some(("2026-09-20T03:30:00Z".parse().unwrap(), Cents(90_000))),
            settled_at: None,
            source: "google".to_owned(),
        };
        let contribution = won.contribution(ZONE);
        let wanted = [
            "2026-09-17 quotes_sent 1",
            "2026-09-17 quoted_cents 125050",
            "2026-09-19 quotes_won 1",
            "2026-09-19 won_cents 90000",
        ];
        assert_eq!(said(&contribution), wanted);
        assert_eq!(contribution.facts()[2].source.as_deref(), Some("google"));
        let at = "2026-09-20T12:00:00Z".parse().ok();
        let lost = Estimate { status: estimate::Status::Declined, approved: None, settled_at: at, ..won };
        assert!(said(&lost.contribution(ZONE)).contains(&"2026-09-20 quotes_lost 1".to_owned()));
    }

    #[test]
    fn an_invoice_counts_from_when_it_is_out_until_it_is_taken_back() {
        let of = |status, paid| Invoice {
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
        assert_eq!(said(&of(invoice::Status::Open, 2_500).contribution()), open);
        assert_eq!(said(&of(invoice::Status::Paid, 10_000).contribution()), open[..2]);
        for status in [invoice::Status::Draft, invoice::Status::Preparing, invoice::Status::Void] {
            assert!(of(status, 0).contribution().is_empty(), "{status:?}");
        }
        assert!(Invoice { issued_on: None, ..of(invoice::Status::Open, 0) }.contribution().is_empty());
    }
}
