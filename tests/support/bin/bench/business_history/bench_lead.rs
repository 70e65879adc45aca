//! One request, its job and its money: stage, times and amounts are derived from its age.

use chrono::{DateTime, Datelike, Days, Duration, NaiveDate, Utc};
use serde_json::{Value, json};
use shared::{
    documents::line_items::{DocumentContent, LineItem},
    platform::{
        id::{CustomerId, JobId, LeadId},
        money::{Cents, Ppm},
    },
};
use tests::sample_documents;
use uuid::Uuid;

use super::CREWS;

/// Monday to Friday.
const JOBS_A_DAY: u64 = 12;
/// Counts among the newest requests: new, quoted and in the tray, booked, and done but unpaid.
const NEW: u64 = 60;
const QUOTED: u64 = 60;
const BOOKED: u64 = 480;
const DONE: u64 = 60;
/// 8:00 or 9:00 in Chicago.
const FIRST_HOUR_UTC: u32 = 14;

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Stage {
    New,
    Quoted,
    Booked,
    Done,
    Paid,
}

/// The newest has number 0.
pub(super) struct BenchLead {
    pub(super) age: u64,
    pub(super) stage: Stage,
    pub(super) customer: CustomerId,
    pub(super) lead: LeadId,
    pub(super) job: JobId,
    pub(super) invoice: Uuid,
    pub(super) payment: Uuid,
    pub(super) numbers: [i64; 3],
    pub(super) cents: i64,
    pub(super) asked_at: DateTime<Utc>,
    pub(super) starts_at: Option<DateTime<Utc>>,
}

/// The Monday after the present week: its 60 jobs are in every business.
pub fn monday(now: DateTime<Utc>) -> NaiveDate {
    let today = now.date_naive();
    today + Days::new(u64::from(7 - today.weekday().num_days_from_monday()))
}

pub fn name(age: u64) -> String {
    format!("Ann Visitor {:06}", age / 2)
}

impl Stage {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Quoted => "quoted",
            Self::Booked => "scheduled",
            Self::Done => "done",
            Self::Paid => "paid",
        }
    }
}

impl BenchLead {
    pub(super) fn phone(&self) -> String {
        format!("+1512{:07}", 2_000_000 + self.age / 2)
    }

    /// The job's index within its day.
    pub(super) fn place(&self) -> usize {
        usize::try_from(self.age % JOBS_A_DAY).unwrap_or_default()
    }

    pub(super) fn status(&self) -> &'static str {
        match self.stage {
            Stage::Done | Stage::Paid => "completed",
            Stage::Booked => "scheduled",
            Stage::Quoted if self.is_recent() => "scheduled",
            Stage::New | Stage::Quoted => "cancelled",
        }
    }

    fn is_recent(&self) -> bool {
        self.age < NEW + QUOTED
    }

    pub(super) fn done_at(&self) -> Option<DateTime<Utc>> {
        matches!(self.stage, Stage::Done | Stage::Paid).then_some(self.starts_at? + Duration::hours(2))
    }

    pub(super) fn content(&self) -> Value {
        let line = LineItem {
            tax: Ppm::ZERO,
            unit_price: Cents(self.cents),
            ..sample_documents::line("1", "Repair", 1000, "each", 0)
        };
        let paper = DocumentContent { lines: vec![line], ..DocumentContent::default() };
        let address = "1200 Barton Springs Rd\nAustin, TX 78704";
        json!({
            "prefix": "INV-", "isFinal": true, "language": "en", "title": "Plumbing", "about": format!("Job {}", self.numbers[0]),
            "from": {"name": "Acme Plumbing", "address": address, "phone": "(512) 555-0100"},
            "to": {"name": name(self.age), "phone": self.phone(), "address": "12 Elm Street"}, "paper": paper,
        })
    }
}

/// Sixty a week, the rate at which they are done.
pub fn asked_at(now: DateTime<Utc>, age: u64) -> DateTime<Utc> {
    now - Duration::minutes(i64::try_from(age).unwrap_or_default() * 7 * 24)
}

/// Of older ones most were paid, and the rest stayed open.
pub(super) fn stage(age: u64) -> Stage {
    const DONE_UNTIL: u64 = NEW + QUOTED + BOOKED + DONE;
    const BOOKED_UNTIL: u64 = NEW + QUOTED + BOOKED;
    match age {
        0..NEW => Stage::New,
        NEW..120 => Stage::Quoted,
        120..BOOKED_UNTIL => Stage::Booked,
        BOOKED_UNTIL..DONE_UNTIL => Stage::Done,
        _ if age.is_multiple_of(10) => Stage::New,
        _ if age % 10 < 3 => Stage::Quoted,
        _ => Stage::Paid,
    }
}

/// Booked jobs fill the weeks from the next one on, done ones those up to the last, five days each.
pub(super) fn starts_at(now: DateTime<Utc>, age: u64, stage: Stage) -> Option<DateTime<Utc>> {
    let first = monday(now);
    let day = match stage {
        Stage::New | Stage::Quoted => return None,
        Stage::Booked => {
            let day = (age - NEW - QUOTED) / JOBS_A_DAY;
            first + Days::new(day / 5 * 7 + day % 5)
        }
        Stage::Done | Stage::Paid => {
            let day = (age - NEW - QUOTED - BOOKED) / JOBS_A_DAY;
            first - Days::new(14 + day / 5 * 7) + Days::new(4 - day % 5)
        }
    };
    // Eight crews begin in the morning; four of them have a second job.
    let later = if age % JOBS_A_DAY < u64::try_from(CREWS).unwrap_or_default() { 0 } else { 4 };
    Some(day.and_hms_opt(FIRST_HOUR_UTC + later, 0, 0)?.and_utc())
}
