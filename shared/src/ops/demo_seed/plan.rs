//! Plan of the demonstration's year: pure, derived from its current day alone.
//!
//! A **matter** is one customer's piece of work, a **cue** an event on it at an instant. All cues lie before the first
//! instant of today, so that the figures are complete from the first minute of each day; only visits lie ahead.
//! visits lie ahead.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};

use super::{
    DEMO_TIMEZONE,
    work_catalog::{DemoWork, MONTHLY_WORK},
};
use crate::{
    domain::intake::lead::PipelineStage,
    platform::{business_hours, money::Cents},
};

mod lately;
mod month;
mod owed;
#[cfg(test)]
mod tests;

#[derive(Clone, Debug, PartialEq)]
pub enum SeedAction {
    FormSubmitted {
        words: &'static str,
        service: &'static str,
        source: DemoLeadSource,
    },
    /// The customer calls without an answer.
    CallMissed,
    /// A text of the customer: the first of a matter, or a later one.
    TextReceived(&'static str),
    VisitBooked {
        words: &'static str,
        visit: DemoVisit,
    },
    /// The office enters the customer, with a job.
    LeadEntered {
        visit: DemoVisit,
        value: Cents,
    },
    TextSent(&'static str),
    EstimateSent {
        value: Cents,
    },
    EstimateApproved,
    EstimateDeclined(&'static str),
    /// The office plans the visit; its value is what was approved, or this.
    VisitScheduled {
        visit: DemoVisit,
        value: Option<Cents>,
    },
    /// A planned message is sent automatically: the name of the step.
    FollowUpSent(&'static str),
    /// The time of such a step comes, with a reason not to send it.
    FollowUpSkipped(&'static str),
    JobStarted,
    /// Done, at this cost.
    JobFinished {
        cost: Cents,
    },
    InvoiceSent {
        due_on: Option<NaiveDate>,
        what: DemoInvoiceBasis,
    },
    /// The whole invoice.
    PaymentReceived(DemoPaymentMethod),
    /// By hand, where no job determines the stage.
    StageMoved(PipelineStage),
    /// A review of the firm, by its number in `work_catalog::REVIEW_TEXTS`.
    ReviewReceived(usize),
    ReviewReplied,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemoLeadSource {
    Website,
    Google,
    Neighbours,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemoPaymentMethod {
    Card,
    Check,
    Bank,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemoInvoiceBasis {
    Job,
    /// This part of the agreed amount.
    Share(Cents),
    /// A line of this text and amount.
    Line(&'static str, Cents),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DemoVisit {
    pub starts_at: DateTime<Utc>,
    pub crew: usize,
    pub minutes: i64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DemoCase {
    /// Number in the cast.
    pub person: usize,
    pub work: DemoWork,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SeedEvent {
    pub at: DateTime<Utc>,
    /// Index of the matter in the plan.
    pub matter: usize,
    pub act: SeedAction,
}

/// In the order of events.
#[derive(Clone, Debug, PartialEq)]
pub struct SeedPlan {
    pub today: NaiveDate,
    /// Random seed.
    pub chance: u64,
    pub matters: Vec<DemoCase>,
    pub cues: Vec<SeedEvent>,
}

impl SeedPlan {
    #[must_use]
    pub fn build_for_day(today: NaiveDate, chance: u64) -> Self {
        let mut plan = Self { today, chance, matters: Vec::new(), cues: Vec::new() };
        month::add_earlier_months(&mut plan);
        month::add_current_month(&mut plan);
        month::add_declined_estimates(&mut plan);
        owed::add_overdue_invoices(&mut plan);
        owed::add_upcoming_work(&mut plan);
        lately::add_jobs_in_progress(&mut plan);
        lately::add_last_week(&mut plan);
        lately::limit_reminders(&mut plan);
        // Stable: cues of one instant stay in the order in which they were added.
        plan.cues.sort_by_key(|cue| cue.at);
        plan
    }

    /// Adds a matter of the next person; returns its index.
    fn add_case(&mut self, work: usize) -> usize {
        let person = self.matters.len();
        self.add_case_for(person, work)
    }

    fn add_case_for(&mut self, person: usize, work: usize) -> usize {
        self.matters.push(DemoCase { person, work: MONTHLY_WORK[work % MONTHLY_WORK.len()] });
        self.matters.len() - 1
    }

    /// Never after the first instant of today.
    fn add_event(&mut self, matter: usize, at: DateTime<Utc>, act: SeedAction) {
        let at = at.min(self.local_instant(0, 0, 0));
        self.cues.push(SeedEvent { at, matter, act });
    }

    /// So many days from today, at this local time.
    fn local_instant(&self, days: i64, hour: u32, minute: u32) -> DateTime<Utc> {
        to_instant(self.day_offset(days), hour, minute)
    }

    fn day_offset(&self, days: i64) -> NaiveDate {
        shift_days(self.today, days)
    }
}

const REVIEW_ASK: &str = "review_ask";

fn shift_days(day: NaiveDate, days: i64) -> NaiveDate {
    let by = Days::new(days.unsigned_abs());
    let other = if days < 0 { day.checked_sub_days(by) } else { day.checked_add_days(by) };
    other.unwrap_or(day)
}

fn to_instant(day: NaiveDate, hour: u32, minute: u32) -> DateTime<Utc> {
    let time = NaiveTime::from_hms_opt(hour, minute, 0).unwrap_or(NaiveTime::MIN);
    business_hours::local_to_utc(DEMO_TIMEZONE, day.and_time(time))
}

const fn dollars(dollars: i64) -> Cents {
    Cents(dollars * 100)
}

/// 35 percent of the value (decisions: a margin of 65).
const fn work_cost(value: Cents) -> Cents {
    Cents(value.0 * 35 / 100)
}
