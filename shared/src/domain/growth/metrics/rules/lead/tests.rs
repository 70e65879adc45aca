//! The rules of a request, told in figures.

use chrono::NaiveDate;

use super::*;

const ZONE: Tz = chrono_tz::America::Chicago;

fn at(written: &str) -> DateTime<Utc> {
    written.parse().unwrap()
}

/// Nine in the morning of a Thursday in Chicago.
fn lead(form: Form) -> Lead {
    Lead::new(at("2026-09-17T14:00:00Z"), form, "Website".to_owned())
}

fn sent(kind: Kind, written: &str) -> Sent {
    Sent { kind, at: at(written), made_at: at(written) }
}

/// What it contributes, as `day measure amount`.
fn said(lead: &Lead) -> Vec<String> {
    let said = lead.contribution(ZONE);
    said.facts().iter().map(|fact| format!("{} {} {}", fact.day, fact.measure.name(), fact.amount)).collect()
}

fn waits(lead: &Lead) -> (Option<i64>, Option<i64>) {
    lead.contribution(ZONE).answer.map(|answer| (answer.auto_ms, answer.human_ms)).unwrap()
}

#[test]
fn a_request_counts_on_its_day_for_its_source() {
    let said = lead(Form::Lead).contribution(ZONE);
    let day = NaiveDate::from_ymd_opt(2026, 9, 17).unwrap();
    assert_eq!(said.facts(), [Fact::one(day, Measure::Leads).from("Website")]);
    assert_eq!(said.answer.unwrap().auto_ms, None, "it waits");
}

#[test]
fn what_is_held_counts_for_nothing_until_it_is_let_through_and_waits_from_then() {
    let mut lead = lead(Form::Lead);
    lead.is_held = true;
    lead.sent = vec![sent(Kind::AutoReply, "2026-09-17T14:00:03Z")];
    assert!(lead.contribution(ZONE).is_empty());
    lead.is_held = false;
    lead.decided_at = Some(at("2026-09-17T16:00:00Z"));
    lead.sent = vec![sent(Kind::AutoReply, "2026-09-17T16:00:03Z")];
    assert_eq!(waits(&lead), (Some(3_000), None));
    assert_eq!(said(&lead)[0], "2026-09-17 leads 1");
    // Its own decision, a moment after it was stored, is no second beginning.
    lead.decided_at = Some(at("2026-09-17T14:00:00.250Z"));
    lead.sent = vec![sent(Kind::AutoReply, "2026-09-17T14:00:03Z")];
    assert_eq!(waits(&lead), (Some(3_000), None));
}

#[test]
fn a_reply_of_three_seconds_counts_and_is_never_a_persons() {
    let mut lead = lead(Form::Lead);
    lead.sent = vec![sent(Kind::AutoReply, "2026-09-17T14:00:03Z"), sent(Kind::Manual, "2026-09-17T14:20:00Z")];
    assert_eq!(waits(&lead), (Some(3_000), Some(1_200_000)));
    let facts = said(&lead);
    for wanted in ["auto_replied 1", "answered 1", "answer_ms 3000", "auto_replies 1"] {
        assert!(facts.contains(&format!("2026-09-17 {wanted}")), "{wanted} in {facts:?}");
    }
    // Taken at the very instant of the request it still counts for something.
    lead.sent = vec![sent(Kind::AutoReply, "2026-09-17T14:00:00Z")];
    assert_eq!(waits(&lead), (Some(1), None));
}

#[test]
fn a_person_answers_by_writing_by_an_estimate_and_by_taking_a_call() {
    let mut lead = lead(Form::Call);
    lead.sent = vec![sent(Kind::Estimate, "2026-09-17T15:00:00Z")];
    assert_eq!(waits(&lead), (None, Some(3_600_000)));
    lead.spoken_at = vec![at("2026-09-17T13:59:00Z"), at("2026-09-17T14:04:00Z")];
    assert_eq!(waits(&lead), (None, Some(240_000)), "a call from before the request answers nothing");
    lead.spoken_at.clear();
    lead.sent = vec![sent(Kind::Manual, "2026-12-17T15:00:00Z")];
    assert_eq!(waits(&lead), (None, None), "three months later something else is answered");
}

#[test]
fn whom_the_office_typed_in_counts_and_waits_for_nothing() {
    let mut lead = lead(Form::Typed);
    lead.sent = vec![sent(Kind::Manual, "2026-09-17T15:00:00Z")];
    assert_eq!((said(&lead), lead.contribution(ZONE).answer), (vec!["2026-09-17 leads 1".to_owned()], None));
}

#[test]
fn a_booking_is_answered_by_its_confirmation_and_a_visit_answers_nobody_else() {
    let mut booked = lead(Form::Booking);
    booked.sent = vec![sent(Kind::Visit, "2026-09-17T14:01:00Z")];
    booked.booked_at = Some(booked.created_at);
    booked.by_themselves_at = vec![booked.created_at];
    assert_eq!(waits(&booked), (Some(60_000), None));
    let facts = said(&booked);
    for wanted in ["booked 1", "schedulings 1", "follow_ups 1", "auto_replied 1"] {
        assert!(facts.contains(&format!("2026-09-17 {wanted}")), "{wanted} in {facts:?}");
    }
    let mut asked = lead(Form::Lead);
    asked.sent = vec![sent(Kind::Visit, "2026-09-17T14:01:00Z")];
    assert_eq!(waits(&asked), (None, None));
}

#[test]
fn what_goes_out_by_text_and_by_email_in_one_breath_spares_one_deed() {
    let mut lead = lead(Form::Lead);
    let by_text = sent(Kind::AutoReply, "2026-09-17T14:00:03Z");
    let by_email = Sent { at: at("2026-09-17T14:00:09Z"), ..by_text };
    let reminder = sent(Kind::Dunning, "2026-09-18T14:00:00Z");
    let copy = sent(Kind::Receipt, "2026-09-18T15:00:00Z");
    lead.sent = vec![by_email, by_text, reminder, Sent { at: at("2026-09-19T14:00:00Z"), ..reminder }, copy];
    let facts = said(&lead);
    assert!(facts.contains(&"2026-09-17 auto_replies 1".to_owned()), "{facts:?}");
    assert!(facts.contains(&"2026-09-18 follow_ups 1".to_owned()), "{facts:?}");
    assert!(!facts.iter().any(|fact| fact.contains("09-19")), "{facts:?}");
}

#[test]
fn a_missed_call_is_recovered_by_what_comes_after_it() {
    let mut lead = lead(Form::Call);
    lead.missed_at = vec![at("2026-09-17T14:00:00Z"), at("2026-09-18T14:00:00Z")];
    let count = |lead: &Lead, name: &str| said(lead).iter().filter(|fact| fact.contains(name)).count();
    assert_eq!((count(&lead, "missed_calls"), count(&lead, "recovered")), (2, 0));
    for again in ["heard", "spoken", "booked"] {
        let mut heard = lead.clone();
        let then = at("2026-09-17T18:00:00Z");
        match again {
            "heard" => heard.heard_at = Some(then),
            "spoken" => heard.spoken_at = vec![then],
            _ => heard.booked_at = Some(then),
        }
        assert_eq!((count(&heard, "missed_calls"), count(&heard, "recovered")), (2, 1), "{again}");
    }
}

#[test]
fn it_counts_as_paid_and_booked_on_the_days_it_was() {
    let mut lead = lead(Form::Lead);
    // Late in the evening in Chicago it is tomorrow in London.
    lead.booked_at = Some(at("2026-09-19T03:00:00Z"));
    lead.paid_at = Some(at("2026-09-21T04:59:59Z"));
    assert!(said(&lead).contains(&"2026-09-18 booked 1".to_owned()));
    assert!(said(&lead).contains(&"2026-09-20 paid_leads 1".to_owned()));
}

#[test]
fn a_promise_counts_on_the_day_it_was_due_whenever_it_was_settled() {
    // A minute before midnight of Saturday, and at midnight.
    let promised = vec![(at("2026-09-20T04:59:00Z"), true), (at("2026-09-20T05:00:00Z"), false)];
    let lead = Lead { promised, ..lead(Form::Quote) };
    let said = said(&lead);
    assert!(said.contains(&"2026-09-19 promises_kept 1".to_owned()), "{said:?}");
    assert!(said.contains(&"2026-09-20 promises_broken 1".to_owned()), "{said:?}");
    assert!(Lead { is_held: true, ..lead }.contribution(ZONE).is_empty());
}
