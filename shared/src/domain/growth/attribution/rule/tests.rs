//! What counts as recovered, case by case, and what holds for every story.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::platform::money::Cents;

const ZONE: Tz = chrono_tz::America::Chicago;

/// Minutes after the request.
fn at(minutes: i64) -> DateTime<Utc> {
    "2026-09-17T15:00:00Z".parse::<DateTime<Utc>>().unwrap() + Duration::minutes(minutes)
}

const DAY: i64 = 24 * 60;

fn event(n: u128, what: What, minutes: i64) -> Event {
    Event { what, at: at(minutes), id: Uuid::from_u128(n), about: None, due_on: None }
}

fn paid(n: u128, minutes: i64, cents: i64) -> Money {
    let (id, received_on) = (Uuid::from_u128(n), day_of(ZONE, at(minutes)));
    let (kind, amount, at) = (Kind::Payment, Cents(cents), at(minutes));
    Money { id, kind, amount, received_on, at, refund_of: None, parts: Vec::new() }
}

fn back(n: u128, of: u128, minutes: i64, cents: i64) -> Money {
    Money { kind: Kind::Refund, refund_of: Some(Uuid::from_u128(of)), ..paid(n, minutes, cents) }
}

fn told(events: &[(What, i64)], money: Vec<Money>) -> Story {
    let events = (1..).zip(events).map(|(n, (what, minutes))| event(n, *what, *minutes));
    Story::new(at(0), events.collect(), money)
}

/// Which category the payment of a story counts in, that was made a month later.
fn category(events: &[(What, i64)]) -> Option<Category> {
    let story = told(events, vec![paid(99, 30 * DAY, 85_000)]);
    counted(&story, ZONE).first().map(|one| one.link.category)
}

#[test]
fn a_caller_who_comes_back_after_the_text_is_recovered() {
    use What::{BookedThemselves, ByPerson, CallText, Done, Missed, Nudge, Planned, Spoken, Wrote};
    let recovered = Some(Category::MissedCall);
    for (events, wanted) in [
        (&[(Missed, 0), (CallText, 1), (Wrote, 30)][..], recovered),
        (&[(Missed, 0), (CallText, 1), (Nudge, 120), (Wrote, 130), (ByPerson, 140), (Done, DAY)], recovered),
        // They ring once more and somebody takes it, or they choose a time by themselves.
        (&[(Missed, 0), (CallText, 1), (Spoken, 30)], recovered),
        (&[(Missed, 0), (CallText, 1), (Missed, 5), (BookedThemselves, 30)], recovered),
        // A person was faster.
        (&[(Missed, 0), (CallText, 1), (ByPerson, 5), (Wrote, 30)], None),
        (&[(Missed, 0), (CallText, 1), (Planned, 5), (Wrote, 30)], None),
        (&[(ByPerson, 0), (Missed, 1), (CallText, 2), (Wrote, 30)], None),
        (&[(Spoken, 0), (Missed, 1), (CallText, 2), (Wrote, 30)], None),
        // No text, no word, or a word of another week.
        (&[(Missed, 0), (Wrote, 30)], None),
        (&[(Missed, 0), (CallText, 1)], None),
        (&[(Missed, 0), (CallText, 1), (Wrote, 8 * DAY)], None),
        (&[(Missed, 0), (CallText, 1), (Wrote, 1)], None),
    ] {
        assert_eq!(category(events), wanted, "{events:?}");
    }
}

#[test]
fn an_answer_at_once_counts_when_the_customer_went_on_before_anybody_spoke() {
    use What::{Approved, AutoReply, ByPerson, CallText, Missed, Spoken, Wrote};
    for (events, wanted) in [
        (&[(AutoReply, 1), (Wrote, 10), (ByPerson, 20)][..], Some(Category::AutoReply)),
        // Who texts first has asked by it.
        (&[(Wrote, 0), (AutoReply, 1), (Wrote, 10)], Some(Category::AutoReply)),
        (&[(Wrote, 0), (AutoReply, 1), (ByPerson, 5), (Wrote, 10)], None),
        (&[(AutoReply, 1), (ByPerson, 5), (Approved, 10)], None),
        (&[(AutoReply, 1)], None),
        // That was no answer at once.
        (&[(AutoReply, 6), (Wrote, 10)], None),
        (&[(Spoken, 0), (AutoReply, 1), (Wrote, 10)], None),
        // The last word before theirs counts.
        (&[(AutoReply, 1), (Missed, 20), (CallText, 21), (Wrote, 30)], Some(Category::MissedCall)),
    ] {
        assert_eq!(category(events), wanted, "{events:?}");
    }
}

#[test]
fn a_follow_up_counts_when_it_was_the_last_word_and_a_yes_came_of_it() {
    use What::{Approved, ByPerson, FollowUp, Planned, Wrote};
    let asked = (FollowUp, 2 * DAY);
    for (events, wanted) in [
        (&[(ByPerson, 60), asked, (Approved, 2 * DAY + 60)][..], Some(Category::FollowUp)),
        (
            &[(ByPerson, 60), asked, (Wrote, 3 * DAY), (ByPerson, 3 * DAY + 1), (Planned, 4 * DAY)],
            Some(Category::FollowUp),
        ),
        (&[(ByPerson, 60), asked, (ByPerson, 3 * DAY), (Approved, 4 * DAY)], None),
        // "No, thank you", and somebody talked them into it a month later.
        (&[(ByPerson, 60), asked, (Wrote, 3 * DAY), (ByPerson, 20 * DAY), (Approved, 25 * DAY)], None),
        (&[(ByPerson, 60), (Approved, DAY), asked], None),
        (&[(ByPerson, 60), asked, (Approved, 10 * DAY)], None),
    ] {
        assert_eq!(category(events), wanted, "{events:?}");
    }
}

#[test]
fn a_reminder_counts_when_the_invoice_was_overdue_and_nobody_spoke_before_it_was_paid() {
    let due = |minutes: i64, on: &str| Event { due_on: on.parse().ok(), ..event(2, What::Reminder, minutes) };
    let of = |events: Vec<Event>, minutes: i64| {
        let story = Story::new(at(0), events, vec![paid(99, minutes, 500)]);
        counted(&story, ZONE).first().map(|one| one.link.category)
    };
    let person = event(1, What::ByPerson, 60);
    let late = || vec![person, due(3 * DAY, "2026-09-17")];
    assert_eq!(of(late(), 4 * DAY), Some(Category::Reminder));
    assert_eq!(of(late(), 3 * DAY - 1), None, "it was paid before");
    assert_eq!(of(late(), 18 * DAY), None, "weeks later");
    assert_eq!(of(vec![person, due(3 * DAY, "2026-09-20")], 4 * DAY), None, "it was not overdue on its last day");
    let spoke = |minutes: i64| [late(), vec![event(3, What::ByPerson, minutes)]].concat();
    assert_eq!(of(spoke(3 * DAY + 1), 4 * DAY), None, "a person wrote");
    assert_eq!(of(spoke(5 * DAY), 4 * DAY), Some(Category::Reminder));
    let wrote = [late(), vec![event(3, What::Wrote, 3 * DAY + 1)]].concat();
    assert_eq!(of(wrote, 4 * DAY), Some(Category::Reminder), "\"will do\" is no reason of its own");
}

#[test]
fn a_reminder_counts_what_paid_its_own_invoice_and_what_went_back_from_there() {
    let [first, second] = [11, 12].map(Uuid::from_u128);
    let reminds = |n: u128, invoice: Uuid, minutes: i64| Event {
        about: Some(invoice),
        due_on: "2026-09-17".parse().ok(),
        ..event(n, What::Reminder, minutes)
    };
    let pays = |parts: &[(Uuid, i64)]| Money { parts: parts.to_vec(), ..paid(99, 4 * DAY, 540_000) };
    let of = |events: &[Event], money: Vec<Money>| {
        let story = Story::new(at(0), events.to_vec(), money);
        counted(&story, ZONE).iter().map(|one| one.cents).collect::<Vec<_>>()
    };
    let one = [reminds(1, first, 3 * DAY)];
    assert_eq!(of(&one, vec![pays(&[(second, 540_000)])]), [0; 0], "it paid the next stage");
    assert_eq!(of(&one, vec![pays(&[])]), [0; 0], "a deposit");
    let both = pays(&[(first, 40_000), (second, 500_000)]);
    assert_eq!(of(&one, vec![both.clone()]), [40_000]);
    let two = [reminds(1, first, 3 * DAY), reminds(2, second, 3 * DAY + 1)];
    assert_eq!(of(&two, vec![both.clone()]), [40_000, 500_000], "each for its own");
    // What goes back from the other invoice takes nothing from this one.
    let takes =
        |n: u128, parts: &[(Uuid, i64)], cents: i64| Money { parts: parts.to_vec(), ..back(n, 99, 5 * DAY, cents) };
    let returned = vec![both, takes(100, &[(second, -500_000)], 500_000), takes(101, &[(first, -15_000)], 15_000)];
    assert_eq!(of(&one, returned), [40_000, -15_000]);
}

#[test]
fn who_pressed_the_link_and_asks_again_comes_back_by_it_unless_something_else_did() {
    use What::{CallText, Missed, ReviewClick, Wrote};
    assert_eq!(category(&[(ReviewClick, -30 * DAY)]), Some(Category::ReviewClick));
    assert_eq!(category(&[(ReviewClick, -91 * DAY)]), None);
    let called = [(ReviewClick, -30 * DAY), (Missed, 0), (CallText, 1), (Wrote, 30)];
    assert_eq!(category(&called), Some(Category::MissedCall));
}

#[test]
fn what_was_received_before_or_goes_back_does_not_stay() {
    let events = [(What::Missed, 0), (What::CallText, 1), (What::Wrote, 2 * DAY)];
    let early = Money { received_on: NaiveDate::from_ymd_opt(2026, 9, 18).unwrap(), ..paid(1, 3 * DAY, 100) };
    let money = vec![early, paid(2, 3 * DAY, 85_000), back(3, 2, 5 * DAY, 5_000), back(4, 1, 5 * DAY, 100)];
    let counted = counted(&told(&events, money), ZONE);
    let said: Vec<(u128, i64)> = counted.iter().map(|one| (one.money.id.as_u128(), one.cents)).collect();
    assert_eq!(said, [(2, 85_000), (3, -5_000)]);
}

#[test]
fn how_far_a_caller_has_come_counts_on_the_day_of_the_call() {
    let events = [(What::Missed, 0), (What::CallText, 1), (What::Wrote, 2 * DAY)];
    let story = told(&events, vec![paid(2, 3 * DAY, 85_000)]);
    let said = |booked| {
        let facts = facts(&story, ZONE, booked);
        facts.iter().map(|fact| (fact.day.to_string(), fact.measure.name(), fact.amount)).collect::<Vec<_>>()
    };
    let day = || "2026-09-17".to_owned();
    let paid = ("2026-09-20".to_owned(), "recovered_call_cents", 85_000);
    let [missed, texted] = ["missed_callers", "texted_callers"].map(|name| (day(), name, 1));
    let [back, booked, paying] = ["returned_callers", "booked_callers", "paying_callers"].map(|name| (day(), name, 1));
    let without = vec![paid.clone(), missed.clone(), texted.clone(), back.clone(), paying.clone()];
    assert_eq!(said(None), without);
    assert_eq!(said(Some(at(3 * DAY))), [paid, missed, texted, back, booked, paying]);
    assert_eq!(said(Some(at(0))), without, "they had that visit before");
}

const ANYTHING: [What; 14] = [
    What::Missed,
    What::CallText,
    What::Nudge,
    What::AutoReply,
    What::FollowUp,
    What::Reminder,
    What::ByPerson,
    What::Planned,
    What::Done,
    What::Wrote,
    What::Spoken,
    What::BookedThemselves,
    What::Approved,
    What::ReviewClick,
];

/// One of two invoices.
fn invoice(n: u128) -> Uuid {
    Uuid::from_u128(5_000 + n % 2)
}

/// Any order of anything, with payments of one invoice or the other, of which parts go back.
fn any_story() -> impl Strategy<Value = Story> {
    let events = prop::collection::vec((0..ANYTHING.len(), -100 * DAY..40 * DAY), 0..14);
    let money = prop::collection::vec((-DAY..60 * DAY, 1_i64..100_000, prop::option::of(0.0_f64..=1.0)), 0..6);
    (events, money).prop_map(|(events, money)| {
        let due_on = Some(day_of(ZONE, at(0)));
        let events = (1..).zip(events).map(|(n, (what, minutes))| Event {
            due_on,
            about: Some(invoice(n)),
            ..event(n, ANYTHING[what], minutes)
        });
        let money = (1_u128..).zip(money).flat_map(|(n, (minutes, cents, share))| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a share of little")]
            let part = share.map(|share| (cents as f64 * share) as i64).filter(|part| *part > 0);
            let parts = |cents: i64| vec![(invoice(n), cents)];
            let returned = part.map(|part| Money { parts: parts(-part), ..back(1_000 + n, n, minutes + DAY, part) });
            [Some(Money { parts: parts(cents), ..paid(n, minutes, cents) }), returned].into_iter().flatten()
        });
        Story::new(at(0), events.collect(), money.collect())
    })
}

proptest! {
    #[test]
    fn each_dollar_counts_once_and_no_more_than_came_in_and_stayed(story in any_story()) {
        let counted = counted(&story, ZONE);
        let ids: BTreeSet<Uuid> = counted.iter().map(|one| one.money.id).collect();
        prop_assert_eq!(ids.len(), counted.len(), "each row of the ledger once");
        let sum: i64 = counted.iter().map(|one| one.cents).sum();
        let stayed: i64 = story.money.iter().map(|one| if one.kind == Kind::Refund { -one.amount.0 } else { one.amount.0 }).sum();
        prop_assert!((0..=stayed).contains(&sum), "{} of {}", sum, stayed);
        for one in &counted {
            let said = one.link.events.iter().find(|event| !event.what.is_theirs() && event.what != What::Missed);
            prop_assert!(said.is_some(), "nothing is recovered without a message or a press");
            prop_assert!(one.link.events.iter().all(|event| event.at <= one.money.at), "what comes later brought nothing");
        }
        let by_day: i64 = facts(&story, ZONE, None).iter().filter(|fact| fact.measure.name().starts_with("recovered_")).map(|fact| fact.amount).sum();
        prop_assert_eq!(by_day, sum, "the days are the same dollars");
    }

    #[test]
    fn without_a_word_of_a_rule_nothing_is_recovered(story in any_story()) {
        let ours = [What::CallText, What::Nudge, What::AutoReply, What::FollowUp, What::Reminder, What::ReviewClick];
        let events = story.events.iter().filter(|event| !ours.contains(&event.what)).copied().collect();
        prop_assert_eq!(counted(&Story { events, ..story }, ZONE), vec![]);
    }
}
