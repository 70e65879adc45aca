//! Attribution rules case by case, and invariants over generated stories.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::platform::money::Cents;

const ZONE: Tz = chrono_tz::America::Chicago;

fn at(minutes: i64) -> DateTime<Utc> {
    "2026-09-17T15:00:00Z".parse::<DateTime<Utc>>().unwrap() + Duration::minutes(minutes)
}

const DAY: i64 = 24 * 60;

fn event(n: u128, what: TimelineEventKind, minutes: i64) -> TimelineEvent {
    TimelineEvent { what, at: at(minutes), id: Uuid::from_u128(n), about: None, due_on: None }
}

fn paid(n: u128, minutes: i64, cents: i64) -> MoneyMovement {
    let (id, received_on) = (Uuid::from_u128(n), local_day(ZONE, at(minutes)));
    let (kind, amount, at) = (PaymentKind::Payment, Cents(cents), at(minutes));
    MoneyMovement { id, kind, amount, received_on, at, refund_of: None, parts: Vec::new() }
}

fn back(n: u128, of: u128, minutes: i64, cents: i64) -> MoneyMovement {
    MoneyMovement { kind: PaymentKind::Refund, refund_of: Some(Uuid::from_u128(of)), ..paid(n, minutes, cents) }
}

fn lead_timeline(events: &[(TimelineEventKind, i64)], money: Vec<MoneyMovement>) -> LeadTimeline {
    let events = (1..).zip(events).map(|(n, (what, minutes))| event(n, *what, *minutes));
    LeadTimeline::new(at(0), events.collect(), money)
}

/// Category of a payment made a month later.
fn category(events: &[(TimelineEventKind, i64)]) -> Option<AttributionCategory> {
    let story = lead_timeline(events, vec![paid(99, 30 * DAY, 85_000)]);
    attribute_payments(&story, ZONE).first().map(|one| one.link.category)
}

#[test]
fn caller_returning_after_missed_call_text_counts_as_recovered() {
    use TimelineEventKind::{BookedThemselves, ByPerson, CallText, Done, Missed, Nudge, Planned, Spoken, Wrote};
    let recovered = Some(AttributionCategory::MissedCall);
    for (events, wanted) in [
        (&[(Missed, 0), (CallText, 1), (Wrote, 30)][..], recovered),
        (&[(Missed, 0), (CallText, 1), (Nudge, 120), (Wrote, 130), (ByPerson, 140), (Done, DAY)], recovered),
        // They call again and are answered, or book online.
        (&[(Missed, 0), (CallText, 1), (Spoken, 30)], recovered),
        (&[(Missed, 0), (CallText, 1), (Missed, 5), (BookedThemselves, 30)], recovered),
        // A person was faster.
        (&[(Missed, 0), (CallText, 1), (ByPerson, 5), (Wrote, 30)], None),
        (&[(Missed, 0), (CallText, 1), (Planned, 5), (Wrote, 30)], None),
        (&[(ByPerson, 0), (Missed, 1), (CallText, 2), (Wrote, 30)], None),
        (&[(Spoken, 0), (Missed, 1), (CallText, 2), (Wrote, 30)], None),
        // No text, no answer, or an answer a week later.
        (&[(Missed, 0), (Wrote, 30)], None),
        (&[(Missed, 0), (CallText, 1)], None),
        (&[(Missed, 0), (CallText, 1), (Wrote, 8 * DAY)], None),
        (&[(Missed, 0), (CallText, 1), (Wrote, 1)], None),
    ] {
        assert_eq!(category(events), wanted, "{events:?}");
    }
}

#[test]
fn auto_reply_counts_when_customer_acts_before_a_person_answers() {
    use TimelineEventKind::{Approved, AutoReply, ByPerson, CallText, Missed, Spoken, Wrote};
    for (events, wanted) in [
        (&[(AutoReply, 1), (Wrote, 10), (ByPerson, 20)][..], Some(AttributionCategory::AutoReply)),
        // A customer who texts first has asked by that text.
        (&[(Wrote, 0), (AutoReply, 1), (Wrote, 10)], Some(AttributionCategory::AutoReply)),
        (&[(Wrote, 0), (AutoReply, 1), (ByPerson, 5), (Wrote, 10)], None),
        (&[(AutoReply, 1), (ByPerson, 5), (Approved, 10)], None),
        (&[(AutoReply, 1)], None),
        // Not an answer at once.
        (&[(AutoReply, 6), (Wrote, 10)], None),
        (&[(Spoken, 0), (AutoReply, 1), (Wrote, 10)], None),
        // The last message before the answer counts.
        (&[(AutoReply, 1), (Missed, 20), (CallText, 21), (Wrote, 30)], Some(AttributionCategory::MissedCall)),
    ] {
        assert_eq!(category(events), wanted, "{events:?}");
    }
}

#[test]
fn follow_up_counts_when_it_led_to_timely_approval_or_booking() {
    use TimelineEventKind::{Approved, ByPerson, FollowUp, Planned, Wrote};
    let asked = (FollowUp, 2 * DAY);
    for (events, wanted) in [
        (&[(ByPerson, 60), asked, (Approved, 2 * DAY + 60)][..], Some(AttributionCategory::FollowUp)),
        (
            &[(ByPerson, 60), asked, (Wrote, 3 * DAY), (ByPerson, 3 * DAY + 1), (Planned, 4 * DAY)],
            Some(AttributionCategory::FollowUp),
        ),
        (&[(ByPerson, 60), asked, (ByPerson, 3 * DAY), (Approved, 4 * DAY)], None),
        // Declined, then persuaded by a person a month later.
        (&[(ByPerson, 60), asked, (Wrote, 3 * DAY), (ByPerson, 20 * DAY), (Approved, 25 * DAY)], None),
        (&[(ByPerson, 60), (Approved, DAY), asked], None),
        (&[(ByPerson, 60), asked, (Approved, 10 * DAY)], None),
    ] {
        assert_eq!(category(events), wanted, "{events:?}");
    }
}

#[test]
fn reminder_counts_for_overdue_invoice_paid_without_contact_by_person() {
    let due = |minutes: i64, on: &str| TimelineEvent {
        due_on: on.parse().ok(),
        ..event(2, TimelineEventKind::Reminder, minutes)
    };
    let of = |events: Vec<TimelineEvent>, minutes: i64| {
        let story = LeadTimeline::new(at(0), events, vec![paid(99, minutes, 500)]);
        attribute_payments(&story, ZONE).first().map(|one| one.link.category)
    };
    let person = event(1, TimelineEventKind::ByPerson, 60);
    let late = || vec![person, due(3 * DAY, "2026-09-17")];
    assert_eq!(of(late(), 4 * DAY), Some(AttributionCategory::Reminder));
    assert_eq!(of(late(), 3 * DAY - 1), None, "it was paid before");
    assert_eq!(of(late(), 18 * DAY), None, "weeks later");
    assert_eq!(of(vec![person, due(3 * DAY, "2026-09-20")], 4 * DAY), None, "it was not overdue on its last day");
    let spoke = |minutes: i64| [late(), vec![event(3, TimelineEventKind::ByPerson, minutes)]].concat();
    assert_eq!(of(spoke(3 * DAY + 1), 4 * DAY), None, "a person wrote");
    assert_eq!(of(spoke(5 * DAY), 4 * DAY), Some(AttributionCategory::Reminder));
    let wrote = [late(), vec![event(3, TimelineEventKind::Wrote, 3 * DAY + 1)]].concat();
    assert_eq!(of(wrote, 4 * DAY), Some(AttributionCategory::Reminder), "\"will do\" is no reason of its own");
}

#[test]
fn reminder_counts_payments_and_refunds_of_its_own_invoice() {
    let [first, second] = [11, 12].map(Uuid::from_u128);
    let reminds = |n: u128, invoice: Uuid, minutes: i64| TimelineEvent {
        about: Some(invoice),
        due_on: "2026-09-17".parse().ok(),
        ..event(n, TimelineEventKind::Reminder, minutes)
    };
    let pays = |parts: &[(Uuid, i64)]| MoneyMovement { parts: parts.to_vec(), ..paid(99, 4 * DAY, 540_000) };
    let of = |events: &[TimelineEvent], money: Vec<MoneyMovement>| {
        let story = LeadTimeline::new(at(0), events.to_vec(), money);
        attribute_payments(&story, ZONE).iter().map(|one| one.cents).collect::<Vec<_>>()
    };
    let one = [reminds(1, first, 3 * DAY)];
    assert_eq!(of(&one, vec![pays(&[(second, 540_000)])]), [0; 0], "it paid the next stage");
    assert_eq!(of(&one, vec![pays(&[])]), [0; 0], "a deposit");
    let both = pays(&[(first, 40_000), (second, 500_000)]);
    assert_eq!(of(&one, vec![both.clone()]), [40_000]);
    let two = [reminds(1, first, 3 * DAY), reminds(2, second, 3 * DAY + 1)];
    assert_eq!(of(&two, vec![both.clone()]), [40_000, 500_000], "each for its own");
    // A refund of the other invoice takes nothing from this one.
    let takes = |n: u128, parts: &[(Uuid, i64)], cents: i64| MoneyMovement {
        parts: parts.to_vec(),
        ..back(n, 99, 5 * DAY, cents)
    };
    let returned = vec![both, takes(100, &[(second, -500_000)], 500_000), takes(101, &[(first, -15_000)], 15_000)];
    assert_eq!(of(&one, returned), [40_000, -15_000]);
}

#[test]
fn review_click_counts_within_90_days_unless_another_rule_applies() {
    use TimelineEventKind::{CallText, Missed, ReviewClick, Wrote};
    assert_eq!(category(&[(ReviewClick, -30 * DAY)]), Some(AttributionCategory::ReviewClick));
    assert_eq!(category(&[(ReviewClick, -91 * DAY)]), None);
    let called = [(ReviewClick, -30 * DAY), (Missed, 0), (CallText, 1), (Wrote, 30)];
    assert_eq!(category(&called), Some(AttributionCategory::MissedCall));
}

#[test]
fn earlier_payment_is_ignored_and_refund_is_deducted() {
    let events =
        [(TimelineEventKind::Missed, 0), (TimelineEventKind::CallText, 1), (TimelineEventKind::Wrote, 2 * DAY)];
    let early = MoneyMovement { received_on: NaiveDate::from_ymd_opt(2026, 9, 18).unwrap(), ..paid(1, 3 * DAY, 100) };
    let money = vec![early, paid(2, 3 * DAY, 85_000), back(3, 2, 5 * DAY, 5_000), back(4, 1, 5 * DAY, 100)];
    let counted = attribute_payments(&lead_timeline(&events, money), ZONE);
    let attributed: Vec<(u128, i64)> = counted.iter().map(|one| (one.money.id.as_u128(), one.cents)).collect();
    assert_eq!(attributed, [(2, 85_000), (3, -5_000)]);
}

#[test]
fn caller_progress_counts_on_day_of_call() {
    let events =
        [(TimelineEventKind::Missed, 0), (TimelineEventKind::CallText, 1), (TimelineEventKind::Wrote, 2 * DAY)];
    let story = lead_timeline(&events, vec![paid(2, 3 * DAY, 85_000)]);
    let fact_rows = |booked| {
        let facts = build_facts(&story, ZONE, booked);
        facts.iter().map(|fact| (fact.day.to_string(), fact.measure.name(), fact.amount)).collect::<Vec<_>>()
    };
    let day = || "2026-09-17".to_owned();
    let paid = ("2026-09-20".to_owned(), "recovered_call_cents", 85_000);
    let [missed, texted] = ["missed_callers", "texted_callers"].map(|name| (day(), name, 1));
    let [back, booked, paying] = ["returned_callers", "booked_callers", "paying_callers"].map(|name| (day(), name, 1));
    let without = vec![paid.clone(), missed.clone(), texted.clone(), back.clone(), paying.clone()];
    assert_eq!(fact_rows(None), without);
    assert_eq!(fact_rows(Some(at(3 * DAY))), [paid, missed, texted, back, booked, paying]);
    assert_eq!(fact_rows(Some(at(0))), without, "they had that visit before");
}

const ANYTHING: [TimelineEventKind; 14] = [
    TimelineEventKind::Missed,
    TimelineEventKind::CallText,
    TimelineEventKind::Nudge,
    TimelineEventKind::AutoReply,
    TimelineEventKind::FollowUp,
    TimelineEventKind::Reminder,
    TimelineEventKind::ByPerson,
    TimelineEventKind::Planned,
    TimelineEventKind::Done,
    TimelineEventKind::Wrote,
    TimelineEventKind::Spoken,
    TimelineEventKind::BookedThemselves,
    TimelineEventKind::Approved,
    TimelineEventKind::ReviewClick,
];

fn invoice(n: u128) -> Uuid {
    Uuid::from_u128(5_000 + n % 2)
}

/// Events in any order, with payments of two invoices and partial refunds.
fn any_story() -> impl Strategy<Value = LeadTimeline> {
    let events = prop::collection::vec((0..ANYTHING.len(), -100 * DAY..40 * DAY), 0..14);
    let money = prop::collection::vec((-DAY..60 * DAY, 1_i64..100_000, prop::option::of(0.0_f64..=1.0)), 0..6);
    (events, money).prop_map(|(events, money)| {
        let due_on = Some(local_day(ZONE, at(0)));
        let events = (1..).zip(events).map(|(n, (what, minutes))| TimelineEvent {
            due_on,
            about: Some(invoice(n)),
            ..event(n, ANYTHING[what], minutes)
        });
        let money = (1_u128..).zip(money).flat_map(|(n, (minutes, cents, share))| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a share of little")]
            let part = share.map(|share| (cents as f64 * share) as i64).filter(|part| *part > 0);
            let parts = |cents: i64| vec![(invoice(n), cents)];
            let returned =
                part.map(|part| MoneyMovement { parts: parts(-part), ..back(1_000 + n, n, minutes + DAY, part) });
            [Some(MoneyMovement { parts: parts(cents), ..paid(n, minutes, cents) }), returned].into_iter().flatten()
        });
        LeadTimeline::new(at(0), events.collect(), money.collect())
    })
}

proptest! {
    #[test]
    fn dollars_count_once_and_never_exceed_money_kept(story in any_story()) {
        let counted = attribute_payments(&story, ZONE);
        let ids: BTreeSet<Uuid> = counted.iter().map(|one| one.money.id).collect();
        prop_assert_eq!(ids.len(), counted.len(), "each row of the ledger once");
        let sum: i64 = counted.iter().map(|one| one.cents).sum();
        let stayed: i64 = story.money.iter().map(|one| if one.kind == PaymentKind::Refund { -one.amount.0 } else { one.amount.0 }).sum();
        prop_assert!((0..=stayed).contains(&sum), "{} of {}", sum, stayed);
        for one in &counted {
            let own_event = one.link.events.iter().find(|event| !event.what.is_by_customer() && event.what != TimelineEventKind::Missed);
            prop_assert!(own_event.is_some(), "nothing is recovered without a message or a press");
            prop_assert!(one.link.events.iter().all(|event| event.at <= one.money.at), "what comes later brought nothing");
        }
        let by_day: i64 = build_facts(&story, ZONE, None).iter().filter(|fact| fact.measure.name().starts_with("recovered_")).map(|fact| fact.amount).sum();
        prop_assert_eq!(by_day, sum, "the days are the same dollars");
    }

    #[test]
    fn story_without_our_messages_recovers_nothing(story in any_story()) {
        let ours = [TimelineEventKind::CallText, TimelineEventKind::Nudge, TimelineEventKind::AutoReply, TimelineEventKind::FollowUp, TimelineEventKind::Reminder, TimelineEventKind::ReviewClick];
        let events = story.events.iter().filter(|event| !ours.contains(&event.what)).copied().collect();
        prop_assert_eq!(attribute_payments(&LeadTimeline { events, ..story }, ZONE), vec![]);
    }
}
