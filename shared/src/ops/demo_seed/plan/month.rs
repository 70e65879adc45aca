//! Finished and paid work: this month's, with the same total on each of its days, and eleven months before it.

use chrono::{DateTime, Datelike, Months, NaiveDate, Utc};

use super::{
    DemoInvoiceBasis, DemoLeadSource, DemoPaymentMethod, DemoVisit, REVIEW_ASK, SeedAction, SeedPlan, dollars,
    shift_days, to_instant, work_cost,
};
use crate::{
    ops::demo_seed::work_catalog::{MONTHLY_WORK, REQUEST_TEXTS, REVIEW_TEXTS},
    platform::money::Cents,
};

/// Income of the eleven months before this one, oldest first, in dollars: a growing firm.
const EARLIER: [i64; 11] = [51_400, 53_900, 49_800, 56_200, 60_100, 58_700, 64_300, 68_900, 73_500, 78_200, 83_600];
/// Each month's works: share of the month in percent (the last takes the rest), and the day they were done.
const WORKS: [(usize, i64, u32); 4] = [(4, 38, 6), (2, 30, 12), (0, 21, 18), (6, 0, 24)];
/// Of so many works this one is paid after a reminder: the last of each third month, including last month.
const REMINDED: (usize, usize) = (12, 7);
/// Days between request and completion: enough that nothing of it falls into the last week.
const ASKED_BEFORE: i64 = 15;
/// So many stars or less wait on the worklist for an answer.
const LOW_STARS: i64 = 3;
/// Recent reviews: so many days ago, more recent than all others.
const FRESH: [i64; 3] = [1, 3, 5];

/// Customers who come again this month, by their earlier matter: the first was last asked for a review long enough ago
/// to be asked again, the others left one within half a year.
const AGAIN: [(usize, bool); 3] = [(9, true), (26, false), (33, false)];

/// Declined estimates: one in each of so many months, with these reasons.
const LOST: u32 = 8;
const WHY_NOT: [&str; 4] = [
    "We decided to wait until spring",
    "Another company was a bit cheaper, thank you for the quick estimate",
    "We are selling the house instead",
    "My brother-in-law will do it",
];

fn first_of_month(today: NaiveDate, months_ago: u32) -> NaiveDate {
    let first = today.with_day(1).unwrap_or(today);
    first.checked_sub_months(Months::new(months_ago)).unwrap_or(first)
}

struct CompletedWork {
    matter: usize,
    begun: NaiveDate,
    on: NaiveDate,
    value: Cents,
    crew: usize,
    way: DemoPaymentMethod,
    /// Not paid on its day: an automatic reminder brings the money.
    reminders_enabled: bool,
}

impl CompletedWork {
    /// Two weeks before, with an estimate that is approved.
    fn add_estimate_request(&self, plan: &mut SeedPlan) {
        let at = |days: i64, hour, minute| to_instant(shift_days(self.on, days), hour, minute);
        let (n, matter) = (self.matter, self.matter);
        let source =
            [DemoLeadSource::Website, DemoLeadSource::Google, DemoLeadSource::Website, DemoLeadSource::Neighbours]
                [n % 4];
        let service = plan.matters[matter].work.service;
        let minute = u32::try_from(n * 7 % 50).unwrap_or_default();
        plan.add_event(
            matter,
            at(-ASKED_BEFORE, 9, minute),
            SeedAction::FormSubmitted { words: REQUEST_TEXTS[n % REQUEST_TEXTS.len()], service, source },
        );
        plan.add_event(
            matter,
            at(-ASKED_BEFORE, 9, minute + 8),
            SeedAction::TextSent(
                "Thanks for reaching out! I can send someone by tomorrow morning to take a look, would 9:30 work?",
            ),
        );
        plan.add_event(matter, at(1 - ASKED_BEFORE, 15, minute), SeedAction::EstimateSent { value: self.value });
        plan.add_event(matter, at(2 - ASKED_BEFORE, 8, minute), SeedAction::EstimateApproved);
        plan.add_event(
            matter,
            at(2 - ASKED_BEFORE, 10, minute),
            SeedAction::VisitScheduled { visit: self.visit(), value: None },
        );
        plan.add_event(matter, at(2 - ASKED_BEFORE, 10, minute + 2), SeedAction::FollowUpSent("booked"));
    }

    fn add_phone_request(&self, plan: &mut SeedPlan) {
        let at = to_instant(shift_days(self.on, 2 - ASKED_BEFORE), 11, 20);
        plan.add_event(self.matter, at, SeedAction::LeadEntered { visit: self.visit(), value: self.value });
    }

    fn visit(&self) -> DemoVisit {
        DemoVisit { starts_at: to_instant(self.begun, 8, 0), crew: self.crew, minutes: 360 }
    }

    fn add_job_and_payment(&self, plan: &mut SeedPlan) {
        let at = |days: i64, hour, minute| to_instant(shift_days(self.on, days), hour, minute);
        plan.add_event(self.matter, to_instant(self.begun, 8, 6), SeedAction::JobStarted);
        plan.add_event(self.matter, at(0, 14, 40), SeedAction::JobFinished { cost: work_cost(self.value) });
        let due_on = self.reminders_enabled.then_some(self.on);
        plan.add_event(self.matter, at(0, 14, 52), SeedAction::InvoiceSent { due_on, what: DemoInvoiceBasis::Job });
        if self.reminders_enabled {
            plan.add_event(self.matter, at(3, 10, 5), SeedAction::FollowUpSent("due_3"));
            plan.add_event(self.matter, at(4, 9, 40), SeedAction::PaymentReceived(self.way));
        } else {
            plan.add_event(self.matter, at(0, 16, 5), SeedAction::PaymentReceived(self.way));
        }
    }

    /// Two days after completion.
    fn review_request_at(&self) -> DateTime<Utc> {
        to_instant(shift_days(self.on, 2), 11, 30)
    }
}

const PAYMENT_METHODS: [DemoPaymentMethod; 4] =
    [DemoPaymentMethod::Card, DemoPaymentMethod::Check, DemoPaymentMethod::Card, DemoPaymentMethod::Bank];

/// Four works in each of eleven months, with reviews of the later ones.
pub fn add_earlier_months(plan: &mut SeedPlan) {
    let mut reviewed = 0;
    let all = EARLIER.len() * WORKS.len();
    for (ago, target) in (1..).zip(EARLIER.iter().rev()).collect::<Vec<_>>().into_iter().rev() {
        let mut left = *target;
        for (work, share, day) in WORKS {
            let value = if share == 0 { left } else { target * share / 100 };
            left -= value;
            let n = plan.matters.len();
            let matter = plan.add_case(work + usize::try_from(ago).unwrap_or_default());
            let on = first_of_month(plan.today, ago).with_day(day).unwrap_or(plan.today);
            let (way, reminders_enabled) = (PAYMENT_METHODS[n % PAYMENT_METHODS.len()], n % REMINDED.0 == REMINDED.1);
            let done =
                CompletedWork { matter, begun: on, on, value: dollars(value), crew: n % 3, way, reminders_enabled };
            if n % 3 == 1 {
                done.add_estimate_request(plan);
            } else {
                done.add_phone_request(plan);
            }
            done.add_job_and_payment(plan);
            if all - n <= REVIEW_TEXTS.len() {
                add_review(plan, &done, reviewed);
                reviewed += 1;
            } else {
                plan.add_event(matter, done.review_request_at(), SeedAction::FollowUpSent(REVIEW_ASK));
            }
        }
    }
}

/// Estimates lost to competitors, one in each of the last months.
pub fn add_declined_estimates(plan: &mut SeedPlan) {
    for ago in 1..=LOST {
        let index = usize::try_from(ago).unwrap_or_default();
        let matter = plan.add_case(index * 3);
        let asked = first_of_month(plan.today, ago).with_day(9).unwrap_or(plan.today);
        let at = |days: i64, hour| to_instant(shift_days(asked, days), hour, 25);
        let service = plan.matters[matter].work.service;
        let words = REQUEST_TEXTS[(index * 5 + 3) % REQUEST_TEXTS.len()];
        plan.add_event(matter, at(0, 13), SeedAction::FormSubmitted { words, service, source: DemoLeadSource::Google });
        plan.add_event(matter, at(1, 10), SeedAction::EstimateSent { value: dollars(plan.matters[matter].work.price) });
        plan.add_event(matter, at(4, 18), SeedAction::EstimateDeclined(WHY_NOT[index % WHY_NOT.len()]));
    }
}

/// Requested, and written two days later, or on the next day for recent ones; half of them are answered. That of three
/// stars waits for its answer.
fn add_review(plan: &mut SeedPlan, done: &CompletedWork, number: usize) {
    let late = (REVIEW_TEXTS.len() - number).checked_sub(1).and_then(|left| FRESH.get(left));
    let (asked, at) = match late {
        Some(ago) => (plan.local_instant(-ago - 1, 10, 30), plan.local_instant(-ago, 18, 25)),
        None => (done.review_request_at(), to_instant(shift_days(done.on, 4), 19, 10)),
    };
    plan.add_event(done.matter, asked, SeedAction::FollowUpSent(REVIEW_ASK));
    plan.add_event(done.matter, at, SeedAction::ReviewReceived(number));
    let (_, stars, _) = REVIEW_TEXTS[number % REVIEW_TEXTS.len()];
    if number.is_multiple_of(2) && stars > LOW_STARS {
        plan.add_event(done.matter, at + chrono::Duration::hours(2), SeedAction::ReviewReplied);
    }
}

/// This month's works, spread over the past days; on the first of a month all are at its first instant, when the
/// night's books are closed.
pub fn add_current_month(plan: &mut SeedPlan) {
    let days = plan.today.day();
    for (n, work) in MONTHLY_WORK.iter().enumerate() {
        let index = u32::try_from(n).unwrap_or_default();
        let count = u32::try_from(MONTHLY_WORK.len()).unwrap_or(1);
        let day = if days == 1 { 1 } else { 1 + index * (days - 1) / count };
        let on = plan.today.with_day(day).unwrap_or(plan.today);
        let again = if n % 4 == 3 { AGAIN.get(n / 4) } else { None };
        let matter = match again {
            Some((person, _)) => plan.add_case_for(*person, n),
            None => plan.add_case(n),
        };
        // Early in a month finished work was begun in the month before: three crews do three works a day.
        let begun = if days < 6 { shift_days(on, -1 - i64::from(index / 3)) } else { on };
        let way = PAYMENT_METHODS[n % PAYMENT_METHODS.len()];
        let done =
            CompletedWork { matter, begun, on, value: dollars(work.price), crew: n % 3, way, reminders_enabled: false };
        if work.price < 2_000 {
            done.add_phone_request(plan);
        } else {
            done.add_estimate_request(plan);
        }
        done.add_job_and_payment(plan);
        // Customers served yesterday or the day before are asked in the coming days.
        let asked = done.review_request_at();
        if asked < plan.local_instant(0, 0, 0) {
            let is_asked = again.is_none_or(|(_, is_asked)| *is_asked);
            let act =
                if is_asked { SeedAction::FollowUpSent(REVIEW_ASK) } else { SeedAction::FollowUpSkipped(REVIEW_ASK) };
            plan.add_event(matter, asked, act);
        }
    }
}
