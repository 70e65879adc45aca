//! Tests that the figures are right on every day of two years, with both clock changes, ends of months, and a leap day.

use std::collections::BTreeMap;

use chrono::Datelike;

use super::*;
use crate::platform::period::Period;

/// From January 1st of the year before a leap year to the end of the leap year.
fn days() -> impl Iterator<Item = NaiveDate> {
    let first = NaiveDate::from_ymd_opt(2027, 1, 1).unwrap();
    first.iter_days().take(731)
}

fn day_of(at: DateTime<Utc>) -> NaiveDate {
    at.with_timezone(&DEMO_TIMEZONE).date_naive()
}

fn worths(plan: &SeedPlan) -> BTreeMap<usize, Cents> {
    let mut worth = BTreeMap::new();
    for cue in &plan.cues {
        match cue.act {
            SeedAction::EstimateSent { value }
            | SeedAction::LeadEntered { value, .. }
            | SeedAction::VisitScheduled { value: Some(value), .. } => {
                worth.insert(cue.matter, value);
            }
            _ => {}
        }
    }
    worth
}

fn finished(plan: &SeedPlan) -> BTreeMap<(i32, u32), (i64, i64, i64)> {
    let worths = worths(plan);
    let mut months: BTreeMap<(i32, u32), (i64, i64, i64)> = BTreeMap::new();
    for cue in &plan.cues {
        let day = day_of(cue.at);
        let month = months.entry((day.year(), day.month())).or_default();
        match cue.act {
            SeedAction::JobFinished { cost } => {
                month.0 += worths[&cue.matter].0;
                month.1 += cost.0;
            }
            SeedAction::PaymentReceived(_) => month.2 += worths[&cue.matter].0,
            _ => {}
        }
    }
    months
}

#[test]
fn plan_is_deterministic_and_has_no_cue_after_today_begins() {
    for today in days() {
        let plan = SeedPlan::build_for_day(today, 1);
        let begins = to_instant(today, 0, 0);
        assert!(plan.cues.iter().all(|cue| cue.at <= begins), "{today}");
        assert_eq!(plan, SeedPlan::build_for_day(today, 1), "{today}");
    }
}

#[test]
fn month_revenue_is_89_042_on_every_day_at_65_percent_margin() {
    for today in days() {
        let months = finished(&SeedPlan::build_for_day(today, 1));
        let (worth, cost, paid) = months[&(today.year(), today.month())];
        assert_eq!(worth, 8_904_200, "{today}");
        assert_eq!(cost * 100, worth * 35, "{today}");
        assert_eq!(paid, worth, "{today}");
    }
}

#[test]
fn twelve_months_each_have_profit_and_revenue_grows() {
    for today in days() {
        let months = finished(&SeedPlan::build_for_day(today, 1));
        let listed: Vec<i64> = Period::months_to_date(today, 12)
            .into_iter()
            .map(|month| {
                let (worth, cost, paid) = months[&(month.from.year(), month.from.month())];
                assert!(worth > cost && cost * 100 == worth * 35 && paid == worth, "{today}: {month:?}");
                paid
            })
            .collect();
        assert!(listed[..3].iter().sum::<i64>() < listed[8..11].iter().sum::<i64>(), "{today}");
        assert_eq!(listed.len(), 12);
    }
}

#[test]
fn receivables_are_thirty_percent_overdue_with_three_past_thirty_days() {
    for today in days() {
        let plan = SeedPlan::build_for_day(today, 1);
        let mut open: BTreeMap<usize, (i64, NaiveDate)> = BTreeMap::new();
        for cue in &plan.cues {
            match cue.act {
                SeedAction::InvoiceSent {
                    due_on: Some(due),
                    what: DemoInvoiceBasis::Share(amount) | DemoInvoiceBasis::Line(_, amount),
                } => {
                    assert!(day_of(cue.at) <= due, "{today}");
                    open.insert(cue.matter, (amount.0, due));
                }
                SeedAction::PaymentReceived(_) => assert!(!open.contains_key(&cue.matter), "{today}"),
                _ => {}
            }
        }
        let sum = |days: i64| {
            let late = open.values().filter(|(_, due)| (today - *due).num_days() > days);
            late.fold((0, 0), |(count, sum), (amount, _)| (count + 1, sum + amount))
        };
        let all: i64 = open.values().map(|(amount, _)| amount).sum();
        assert_eq!((all, sum(0).1 * 10), (2_000_000, all * 3), "{today}");
        assert_eq!((sum(30).0, sum(60).0), (3, 1), "{today}");
    }
}

#[test]
fn weekly_time_saved_splits_forty_thirty_thirty_percent() {
    for today in days() {
        let plan = SeedPlan::build_for_day(today, 1);
        let week = Period::week_ending(today);
        let mut met = std::collections::BTreeSet::new();
        let (mut answers, mut reminders, mut bookings) = (0, 0, 0);
        let wrote =
            |matter| plan.cues.iter().any(|cue| cue.matter == matter && matches!(cue.act, SeedAction::TextReceived(_)));
        for cue in &plan.cues {
            let is_first = met.insert(cue.matter);
            if !week.contains_day(day_of(cue.at)) {
                continue;
            }
            match cue.act {
                SeedAction::CallMissed => {
                    answers += 1;
                    // Silent customers are reminded once.
                    reminders += i32::from(!wrote(cue.matter));
                }
                SeedAction::FormSubmitted { .. } => answers += 1,
                SeedAction::TextReceived(_) if is_first => answers += 1,
                SeedAction::FollowUpSent(_) => reminders += 1,
                SeedAction::VisitBooked { .. } => bookings += 1,
                _ => {}
            }
        }
        assert_eq!((answers * 5, reminders * 4, bookings * 10), (80, 60, 60), "{today}");
    }
}

#[test]
fn review_request_follows_finished_job_and_precedes_review() {
    for today in days() {
        let plan = SeedPlan::build_for_day(today, 1);
        let of = |is: &dyn Fn(&SeedAction) -> bool| -> BTreeMap<usize, DateTime<Utc>> {
            plan.cues.iter().filter(|cue| is(&cue.act)).map(|cue| (cue.matter, cue.at)).collect()
        };
        let done = of(&|act| matches!(act, SeedAction::JobFinished { .. }));
        let asked =
            of(&|act| matches!(act, SeedAction::FollowUpSent(REVIEW_ASK) | SeedAction::FollowUpSkipped(REVIEW_ASK)));
        let left = of(&|act| matches!(act, SeedAction::ReviewReceived(_)));
        for (matter, at) in &done {
            let is_new = day_of(*at) >= shift_days(today, -2);
            assert_eq!(asked.contains_key(matter), !is_new, "{today}: {at}");
        }
        assert!(asked.iter().all(|(matter, at)| *at > done[matter]), "{today}");
        assert!(left.iter().all(|(matter, at)| *at > asked[matter]), "{today}");
        let week = Period::week_ending(today);
        let in_week = |at: &&DateTime<Utc>| week.contains_day(day_of(**at));
        assert_eq!(left.values().filter(in_week).count(), 3, "{today}");
        assert!(asked.values().filter(in_week).count() >= 3, "{today}");
    }
}

#[test]
fn payment_follows_reminder_at_least_three_times() {
    for today in days() {
        let plan = SeedPlan::build_for_day(today, 1);
        let reminded = |matter| {
            let at = |is: fn(&SeedAction) -> bool| plan.cues.iter().find(|cue| cue.matter == matter && is(&cue.act));
            let paid = at(|act| matches!(act, SeedAction::PaymentReceived(_))).map(|cue| cue.at);
            at(|act| matches!(act, SeedAction::FollowUpSent("due_3")))
                .is_some_and(|reminder| paid.is_some_and(|paid| reminder.at < paid))
        };
        // One that falls into the week may be left out.
        assert!((0..plan.matters.len()).filter(|matter| reminded(*matter)).count() >= 3, "{today}");
    }
}

#[test]
fn today_board_is_full_and_crews_are_not_double_booked() {
    for today in days() {
        let plan = SeedPlan::build_for_day(today, 1);
        let ahead: Vec<DemoVisit> = plan
            .cues
            .iter()
            .filter_map(|cue| match cue.act {
                SeedAction::VisitScheduled { visit, .. }
                | SeedAction::LeadEntered { visit, .. }
                | SeedAction::VisitBooked { visit, .. } => Some(visit),
                _ => None,
            })
            .filter(|visit| visit.starts_at >= to_instant(today, 0, 0))
            .collect();
        assert!(ahead.iter().filter(|visit| day_of(visit.starts_at) == today).count() >= 6, "{today}");
        assert!((18..=32).contains(&ahead.len()), "{today}: {}", ahead.len());
        let ends = |visit: &DemoVisit| visit.starts_at + chrono::Duration::minutes(visit.minutes);
        for (n, one) in ahead.iter().enumerate() {
            let other = ahead[..n]
                .iter()
                .find(|other| other.crew == one.crew && other.starts_at < ends(one) && one.starts_at < ends(other));
            assert!(other.is_none(), "{today}: {one:?} {other:?}");
        }
    }
}

#[test]
fn cues_of_a_matter_follow_lifecycle_order() {
    for today in days().step_by(7) {
        let plan = SeedPlan::build_for_day(today, 1);
        let mut progress = vec![0; plan.matters.len()];
        for cue in &plan.cues {
            let (least, then) = match cue.act {
                SeedAction::FormSubmitted { .. }
                | SeedAction::CallMissed
                | SeedAction::TextReceived(_)
                | SeedAction::StageMoved(_)
                | SeedAction::VisitBooked { .. }
                | SeedAction::LeadEntered { .. } => (0, 1),
                SeedAction::TextSent(_) | SeedAction::EstimateSent { .. } => (1, 2),
                SeedAction::EstimateApproved | SeedAction::EstimateDeclined(_) => (2, 3),
                SeedAction::VisitScheduled { .. } => (1, 4),
                SeedAction::FollowUpSent(_)
                | SeedAction::FollowUpSkipped(_)
                | SeedAction::JobStarted
                | SeedAction::InvoiceSent { .. } => (1, 5),
                SeedAction::JobFinished { .. } => (5, 6),
                SeedAction::PaymentReceived(_) => (5, 7),
                SeedAction::ReviewReceived(_) => (7, 8),
                SeedAction::ReviewReplied => (8, 8),
            };
            assert!(progress[cue.matter] >= least, "{today}: {cue:?} at {}", progress[cue.matter]);
            progress[cue.matter] = then.max(progress[cue.matter]);
        }
        assert!(progress.iter().all(|step| *step > 0), "{today}");
    }
}
