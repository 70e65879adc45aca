//! The figures of the demonstration come out on every day: of two years, with both nights on which the clocks change, the
//! first and the last of each month, and a leap day.

use std::collections::BTreeMap;

use chrono::Datelike;

use super::*;
use crate::domain::growth::metrics::figures::Period;

/// From the first of January of a year before a leap year's to the end of that.
fn days() -> impl Iterator<Item = NaiveDate> {
    let first = NaiveDate::from_ymd_opt(2027, 1, 1).unwrap();
    first.iter_days().take(731)
}

fn day_of(at: DateTime<Utc>) -> NaiveDate {
    at.with_timezone(&ZONE).date_naive()
}

/// What a matter's work is worth: what was approved, or typed in.
fn worths(plan: &Plan) -> BTreeMap<usize, Cents> {
    let mut worth = BTreeMap::new();
    for cue in &plan.cues {
        match cue.act {
            Act::Offers { value } | Act::TypedIn { value, .. } | Act::Schedules { value: Some(value), .. } => {
                worth.insert(cue.matter, value);
            }
            _ => {}
        }
    }
    worth
}

/// Worth and cost of what was finished, by month.
fn finished(plan: &Plan) -> BTreeMap<(i32, u32), (i64, i64, i64)> {
    let worths = worths(plan);
    let mut months: BTreeMap<(i32, u32), (i64, i64, i64)> = BTreeMap::new();
    for cue in &plan.cues {
        let day = day_of(cue.at);
        let month = months.entry((day.year(), day.month())).or_default();
        match cue.act {
            Act::Finishes { cost } => {
                month.0 += worths[&cue.matter].0;
                month.1 += cost.0;
            }
            Act::Pays(_) => month.2 += worths[&cue.matter].0,
            _ => {}
        }
    }
    months
}

#[test]
fn nothing_lies_ahead_but_visits_and_each_day_is_the_same_day() {
    for today in days() {
        let plan = Plan::of(today, 1);
        let begins = instant(today, 0, 0);
        assert!(plan.cues.iter().all(|cue| cue.at <= begins), "{today}");
        assert_eq!(plan, Plan::of(today, 1), "{today}");
    }
}

#[test]
fn the_month_is_worth_eighty_nine_thousand_on_each_of_its_days_at_a_margin_of_sixty_five() {
    for today in days() {
        let months = finished(&Plan::of(today, 1));
        let (worth, cost, paid) = months[&(today.year(), today.month())];
        assert_eq!(worth, 8_904_200, "{today}");
        assert_eq!(cost * 100, worth * 35, "{today}");
        assert_eq!(paid, worth, "{today}");
    }
}

#[test]
fn each_of_twelve_months_has_revenue_and_profit_and_the_firm_grows() {
    for today in days() {
        let months = finished(&Plan::of(today, 1));
        let listed: Vec<i64> = Period::months(today, 12)
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
fn thirty_percent_of_what_is_owed_is_overdue_and_three_of_it_for_more_than_thirty_days() {
    for today in days() {
        let plan = Plan::of(today, 1);
        let mut open: BTreeMap<usize, (i64, NaiveDate)> = BTreeMap::new();
        for cue in &plan.cues {
            match cue.act {
                Act::Bills { due_on: Some(due), what: Bill::Share(amount) | Bill::Line(_, amount) } => {
                    assert!(day_of(cue.at) <= due, "{today}");
                    open.insert(cue.matter, (amount.0, due));
                }
                Act::Pays(_) => assert!(!open.contains_key(&cue.matter), "{today}"),
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
fn of_the_time_saved_this_week_forty_thirty_and_thirty_percent() {
    for today in days() {
        let plan = Plan::of(today, 1);
        let week = Period::week(today);
        let mut met = std::collections::BTreeSet::new();
        let (mut answers, mut reminders, mut bookings) = (0, 0, 0);
        let wrote = |matter| plan.cues.iter().any(|cue| cue.matter == matter && matches!(cue.act, Act::Texts(_)));
        for cue in &plan.cues {
            let is_first = met.insert(cue.matter);
            if !week.holds(day_of(cue.at)) {
                continue;
            }
            match cue.act {
                Act::Rings => {
                    answers += 1;
                    // Who stays silent is reminded once.
                    reminders += i32::from(!wrote(cue.matter));
                }
                Act::Asks { .. } => answers += 1,
                Act::Texts(_) if is_first => answers += 1,
                Act::Told(_) => reminders += 1,
                Act::Books { .. } => bookings += 1,
                _ => {}
            }
        }
        assert_eq!((answers * 5, reminders * 4, bookings * 10), (80, 60, 60), "{today}");
    }
}

#[test]
fn whoever_had_their_work_done_is_asked_for_a_review_before_they_leave_one() {
    for today in days() {
        let plan = Plan::of(today, 1);
        let of = |is: &dyn Fn(&Act) -> bool| -> BTreeMap<usize, DateTime<Utc>> {
            plan.cues.iter().filter(|cue| is(&cue.act)).map(|cue| (cue.matter, cue.at)).collect()
        };
        let done = of(&|act| matches!(act, Act::Finishes { .. }));
        let asked = of(&|act| matches!(act, Act::Told(REVIEW_ASK) | Act::PassedOver(REVIEW_ASK)));
        let left = of(&|act| matches!(act, Act::Reviews(_)));
        for (matter, at) in &done {
            let is_new = day_of(*at) >= shifted(today, -2);
            assert_eq!(asked.contains_key(matter), !is_new, "{today}: {at}");
        }
        assert!(asked.iter().all(|(matter, at)| *at > done[matter]), "{today}");
        assert!(left.iter().all(|(matter, at)| *at > asked[matter]), "{today}");
        let week = Period::week(today);
        let in_week = |at: &&DateTime<Utc>| week.holds(day_of(**at));
        assert_eq!(left.values().filter(in_week).count(), 3, "{today}");
        assert!(asked.values().filter(in_week).count() >= 3, "{today}");
    }
}

#[test]
fn money_comes_after_a_reminder() {
    for today in days() {
        let plan = Plan::of(today, 1);
        let reminded = |matter| {
            let at = |is: fn(&Act) -> bool| plan.cues.iter().find(|cue| cue.matter == matter && is(&cue.act));
            let paid = at(|act| matches!(act, Act::Pays(_))).map(|cue| cue.at);
            at(|act| matches!(act, Act::Told("due_3"))).is_some_and(|told| paid.is_some_and(|paid| told.at < paid))
        };
        // One that falls into the week may be left out of it.
        assert!((0..plan.matters.len()).filter(|matter| reminded(*matter)).count() >= 3, "{today}");
    }
}

#[test]
fn todays_board_is_full_and_no_crew_is_at_two_places() {
    for today in days() {
        let plan = Plan::of(today, 1);
        let ahead: Vec<Visit> = plan
            .cues
            .iter()
            .filter_map(|cue| match cue.act {
                Act::Schedules { visit, .. } | Act::TypedIn { visit, .. } | Act::Books { visit, .. } => Some(visit),
                _ => None,
            })
            .filter(|visit| visit.starts_at >= instant(today, 0, 0))
            .collect();
        assert!(ahead.iter().filter(|visit| day_of(visit.starts_at) == today).count() >= 6, "{today}");
        assert!((18..=32).contains(&ahead.len()), "{today}: {}", ahead.len());
        let ends = |visit: &Visit| visit.starts_at + chrono::Duration::minutes(visit.minutes);
        for (n, one) in ahead.iter().enumerate() {
            let other = ahead[..n]
                .iter()
                .find(|other| other.crew == one.crew && other.starts_at < ends(one) && one.starts_at < ends(other));
            assert!(other.is_none(), "{today}: {one:?} {other:?}");
        }
    }
}

#[test]
fn what_happens_to_a_matter_happens_in_order() {
    for today in days().step_by(7) {
        let plan = Plan::of(today, 1);
        let mut stands = vec![0; plan.matters.len()];
        for cue in &plan.cues {
            let (least, then) = match cue.act {
                Act::Asks { .. }
                | Act::Rings
                | Act::Texts(_)
                | Act::Moves(_)
                | Act::Books { .. }
                | Act::TypedIn { .. } => (0, 1),
                Act::Writes(_) | Act::Offers { .. } => (1, 2),
                Act::Approves | Act::Declines(_) => (2, 3),
                Act::Schedules { .. } => (1, 4),
                Act::Told(_) | Act::PassedOver(_) | Act::Starts | Act::Bills { .. } => (1, 5),
                Act::Finishes { .. } => (5, 6),
                Act::Pays(_) => (5, 7),
                Act::Reviews(_) => (7, 8),
                Act::Thanks => (8, 8),
            };
            assert!(stands[cue.matter] >= least, "{today}: {cue:?} at {}", stands[cue.matter]);
            stands[cue.matter] = then.max(stands[cue.matter]);
        }
        assert!(stands.iter().all(|stands| *stands > 0), "{today}");
    }
}
