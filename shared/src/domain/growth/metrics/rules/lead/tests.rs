//! Facts of leads.

use chrono::NaiveDate;

use super::*;

const ZONE: Tz = chrono_tz::America::Chicago;

fn at(written: &str) -> DateTime<Utc> {
    written.parse().unwrap()
}

/// Nine in the morning of a Thursday in Chicago.
fn lead(form: LeadFormKind) -> LeadMetricInput {
    LeadMetricInput::new(at("2026-09-17T14:00:00Z"), form, "Website".to_owned())
}

fn sent(kind: MessageKind, written: &str) -> SentMessage {
    SentMessage { kind, at: at(written), made_at: at(written) }
}

fn fact_lines(lead: &LeadMetricInput) -> Vec<String> {
    let contribution = lead.build_contribution(ZONE);
    contribution.facts().iter().map(|fact| format!("{} {} {}", fact.day, fact.measure.name(), fact.amount)).collect()
}

fn waits(lead: &LeadMetricInput) -> (Option<i64>, Option<i64>) {
    lead.build_contribution(ZONE).answer.map(|answer| (answer.auto_ms, answer.human_ms)).unwrap()
}

#[test]
fn lead_counts_on_its_day_for_its_source() {
    let contribution = lead(LeadFormKind::Lead).build_contribution(ZONE);
    let day = NaiveDate::from_ymd_opt(2026, 9, 17).unwrap();
    assert_eq!(contribution.facts(), [MetricFact::count_one(day, Measure::Leads).with_source("Website")]);
    assert_eq!(contribution.answer.unwrap().auto_ms, None, "it waits");
}

#[test]
fn held_lead_counts_nothing_and_waits_from_its_release() {
    let mut lead = lead(LeadFormKind::Lead);
    lead.is_held = true;
    lead.sent = vec![sent(MessageKind::AutoReply, "2026-09-17T14:00:03Z")];
    assert!(lead.build_contribution(ZONE).is_empty());
    lead.is_held = false;
    lead.decided_at = Some(at("2026-09-17T16:00:00Z"));
    lead.sent = vec![sent(MessageKind::AutoReply, "2026-09-17T16:00:03Z")];
    assert_eq!(waits(&lead), (Some(3_000), None));
    assert_eq!(fact_lines(&lead)[0], "2026-09-17 leads 1");
    // Its own decision, a moment after it was stored, is no second start.
    lead.decided_at = Some(at("2026-09-17T14:00:00.250Z"));
    lead.sent = vec![sent(MessageKind::AutoReply, "2026-09-17T14:00:03Z")];
    assert_eq!(waits(&lead), (Some(3_000), None));
}

#[test]
fn auto_reply_wait_counts_and_is_not_attributed_to_a_person() {
    let mut lead = lead(LeadFormKind::Lead);
    lead.sent =
        vec![sent(MessageKind::AutoReply, "2026-09-17T14:00:03Z"), sent(MessageKind::Manual, "2026-09-17T14:20:00Z")];
    assert_eq!(waits(&lead), (Some(3_000), Some(1_200_000)));
    let facts = fact_lines(&lead);
    for wanted in ["auto_replied 1", "answered 1", "answer_ms 3000", "auto_replies 1"] {
        assert!(facts.contains(&format!("2026-09-17 {wanted}")), "{wanted} in {facts:?}");
    }
    lead.sent = vec![sent(MessageKind::AutoReply, "2026-09-17T14:00:00Z")];
    assert_eq!(waits(&lead), (Some(1), None));
}

#[test]
fn person_answers_by_message_estimate_or_taken_call() {
    let mut lead = lead(LeadFormKind::Call);
    lead.sent = vec![sent(MessageKind::Estimate, "2026-09-17T15:00:00Z")];
    assert_eq!(waits(&lead), (None, Some(3_600_000)));
    lead.spoken_at = vec![at("2026-09-17T13:59:00Z"), at("2026-09-17T14:04:00Z")];
    assert_eq!(waits(&lead), (None, Some(240_000)), "a call from before the request answers nothing");
    lead.spoken_at.clear();
    lead.sent = vec![sent(MessageKind::Manual, "2026-12-17T15:00:00Z")];
    assert_eq!(waits(&lead), (None, None), "three months later something else is answered");
}

#[test]
fn typed_in_lead_counts_without_answer_time() {
    let mut lead = lead(LeadFormKind::Typed);
    lead.sent = vec![sent(MessageKind::Manual, "2026-09-17T15:00:00Z")];
    assert_eq!(
        (fact_lines(&lead), lead.build_contribution(ZONE).answer),
        (vec!["2026-09-17 leads 1".to_owned()], None)
    );
}

#[test]
fn booking_is_answered_by_its_confirmation_and_other_lead_is_not() {
    let mut booked = lead(LeadFormKind::Booking);
    booked.sent = vec![sent(MessageKind::Visit, "2026-09-17T14:01:00Z")];
    booked.booked_at = Some(booked.created_at);
    booked.by_themselves_at = vec![booked.created_at];
    assert_eq!(waits(&booked), (Some(60_000), None));
    let facts = fact_lines(&booked);
    for wanted in ["booked 1", "schedulings 1", "follow_ups 1", "auto_replied 1"] {
        assert!(facts.contains(&format!("2026-09-17 {wanted}")), "{wanted} in {facts:?}");
    }
    let mut asked = lead(LeadFormKind::Lead);
    asked.sent = vec![sent(MessageKind::Visit, "2026-09-17T14:01:00Z")];
    assert_eq!(waits(&asked), (None, None));
}

#[test]
fn text_and_email_sent_together_count_as_one_saved_task() {
    let mut lead = lead(LeadFormKind::Lead);
    let by_text = sent(MessageKind::AutoReply, "2026-09-17T14:00:03Z");
    let by_email = SentMessage { at: at("2026-09-17T14:00:09Z"), ..by_text };
    let reminder = sent(MessageKind::Dunning, "2026-09-18T14:00:00Z");
    let copy = sent(MessageKind::Receipt, "2026-09-18T15:00:00Z");
    lead.sent = vec![by_email, by_text, reminder, SentMessage { at: at("2026-09-19T14:00:00Z"), ..reminder }, copy];
    let facts = fact_lines(&lead);
    assert!(facts.contains(&"2026-09-17 auto_replies 1".to_owned()), "{facts:?}");
    assert!(facts.contains(&"2026-09-18 follow_ups 1".to_owned()), "{facts:?}");
    assert!(!facts.iter().any(|fact| fact.contains("09-19")), "{facts:?}");
}

#[test]
fn missed_call_is_recovered_by_later_contact_or_booking() {
    let mut lead = lead(LeadFormKind::Call);
    lead.missed_at = vec![at("2026-09-17T14:00:00Z"), at("2026-09-18T14:00:00Z")];
    let count = |lead: &LeadMetricInput, name: &str| fact_lines(lead).iter().filter(|fact| fact.contains(name)).count();
    assert_eq!((count(&lead, "missed_calls"), count(&lead, "recovered")), (2, 0));
    for again in ["heard", "spoken", "booked"] {
        let mut contacted = lead.clone();
        let then = at("2026-09-17T18:00:00Z");
        match again {
            "heard" => contacted.heard_at = Some(then),
            "spoken" => contacted.spoken_at = vec![then],
            _ => contacted.booked_at = Some(then),
        }
        assert_eq!((count(&contacted, "missed_calls"), count(&contacted, "recovered")), (2, 1), "{again}");
    }
}

#[test]
fn paid_and_booked_lead_counts_on_local_days_of_payment_and_booking() {
    let mut lead = lead(LeadFormKind::Lead);
    // Late in the evening in Chicago it is tomorrow in London.
    lead.booked_at = Some(at("2026-09-19T03:00:00Z"));
    lead.paid_at = Some(at("2026-09-21T04:59:59Z"));
    assert!(fact_lines(&lead).contains(&"2026-09-18 booked 1".to_owned()));
    assert!(fact_lines(&lead).contains(&"2026-09-20 paid_leads 1".to_owned()));
}

#[test]
fn promise_counts_on_its_due_day() {
    // A minute before midnight of Saturday, and at midnight.
    let promised = vec![(at("2026-09-20T04:59:00Z"), true), (at("2026-09-20T05:00:00Z"), false)];
    let lead = LeadMetricInput { promised, ..lead(LeadFormKind::Quote) };
    let lines = fact_lines(&lead);
    assert!(lines.contains(&"2026-09-19 promises_kept 1".to_owned()), "{lines:?}");
    assert!(lines.contains(&"2026-09-20 promises_broken 1".to_owned()), "{lines:?}");
    assert!(LeadMetricInput { is_held: true, ..lead }.build_contribution(ZONE).is_empty());
}
