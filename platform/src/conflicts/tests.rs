use std::collections::BTreeSet;

use chrono::{TimeZone, Utc};

use super::*;
use crate::money::Cents;

const LANGUAGES: [Language; 2] = [Language::En, Language::Es];

fn placeholders(template: &str) -> BTreeSet<&str> {
    template.split('{').skip(1).map(|rest| rest.split('}').next().unwrap()).collect()
}

/// One of every refusal with placeholders.
fn filled_reasons() -> [ConflictReason; 22] {
    let (at, zone) = (Utc.with_ymd_and_hms(2026, 11, 24, 16, 12, 0).unwrap(), chrono_tz::US::Pacific);
    [
        ConflictReason::refund_exceeds_rest(Cents(1_250)),
        ConflictReason::stripe_rest_smaller(Cents(1_250)),
        ConflictReason::other_refund_pending(Cents(8_000), Cents(4_000)),
        ConflictReason::other_refund_pending(Cents(8_000), Cents::ZERO),
        ConflictReason::other_refund_in_doubt(Cents(5_000)),
        ConflictReason::stripe_refused("is closed"),
        ConflictReason::stripe_refused_refund("is closed"),
        ConflictReason::stripe_asked_until(at, zone),
        ConflictReason::money_under_way(&[OpenMoneyItem::Page { id: "cs_1".into(), amount: Cents(1_250) }]),
        ConflictReason::receipt_not_sendable("the address bounced"),
        ConflictReason::job_cancelled_by("Olive", at, zone),
        ConflictReason::job_changed(None),
        ConflictReason::job_not_done(1007),
        ConflictReason::crew_has_coming_jobs(3),
        ConflictReason::newer_merge_exists("Maria"),
        ConflictReason::merge_blocked_by_erasure("Maria"),
        ConflictReason::unmerge_blocked_by_erasure("Maria"),
        ConflictReason::review_not_askable("They were asked before"),
        ConflictReason::review_request_not_sendable("it is night"),
        ConflictReason::message_held(|_| "8:00 AM".to_owned(), "it is night"),
        ConflictReason::message_not_resendable("it is night"),
        ConflictReason::reminder_not_sendable("it is night"),
    ]
}

#[test]
fn every_code_has_own_words_in_both_languages() {
    for language in LANGUAGES {
        let words: BTreeSet<_> = ConflictCode::ALL.iter().map(|code| code.template_in(language)).collect();
        assert_eq!(words.len(), ConflictCode::ALL.len(), "two codes of {language:?} say the same");
        for template in words {
            assert!(template.ends_with('.') && template.trim() == template, "{template}");
        }
    }
    for (at, code) in ConflictCode::ALL.iter().enumerate() {
        assert_eq!((*code as usize, TEXTS[at].code), (at, *code));
        assert_ne!(code.template_in(Language::En), code.template_in(Language::Es));
    }
}

#[test]
fn placeholders_are_the_same_in_both_languages() {
    for code in ConflictCode::ALL {
        let [english, spanish] = LANGUAGES.map(|language| placeholders(code.template_in(language)));
        assert_eq!(english, spanish, "{code:?}");
    }
}

#[test]
fn every_code_with_placeholders_is_filled_in_both_languages() {
    let with_some: BTreeSet<_> =
        ConflictCode::ALL.iter().copied().filter(|code| code.english_text().contains('{')).collect();
    let reasons = filled_reasons();
    assert_eq!(reasons.iter().map(ConflictReason::conflict_code).collect::<BTreeSet<_>>(), with_some);
    for reason in reasons {
        let named: BTreeSet<_> = reason.values.iter().map(|(name, _)| *name).collect();
        assert_eq!(named, placeholders(reason.code.english_text()), "{:?}", reason.code);
        for language in LANGUAGES {
            let text = reason.text_in(language);
            assert!(!text.contains(['{', '}']), "{text}");
        }
    }
}

#[test]
fn values_are_written_in_the_language_asked_for() {
    let (at, zone) = (Utc.with_ymd_and_hms(2026, 11, 24, 18, 12, 0).unwrap(), chrono_tz::US::Pacific);
    let cancelled = ConflictReason::job_cancelled_by("Olive", at, zone);
    assert_eq!(cancelled.to_string(), "Olive cancelled this job at 10:12 AM.");
    assert_eq!(cancelled.text_in(Language::Es), "Olive canceló este trabajo a las 10:12 AM.");
    let changed = ConflictReason::job_changed(Some(""));
    assert_eq!(changed.to_string(), "Someone changed this job a moment ago. Look again.");
    assert_eq!(changed.text_in(Language::Es), "Alguien cambió este trabajo hace un momento. Mírelo otra vez.");
    let asked = ConflictReason::stripe_asked_until(at, zone).to_string();
    assert!(asked.contains("until Tue 10:12 AM; then"), "{asked}");
    assert_eq!(ConflictReason::crew_has_coming_jobs(1).to_string(), "Move its coming job first.");
}

#[test]
fn open_money_is_named_up_to_a_few_items() {
    let page = OpenMoneyItem::Page { id: String::new(), amount: Cents(25_000) };
    let refund = OpenMoneyItem::Refund { payment: "pi_1".into(), amount: Cents(2_000) };
    let few = ConflictReason::money_under_way(&[page, refund.clone()]);
    assert!(few.to_string().contains(": a page over $250.00, a refund of $20.00 (pi_1). "), "{few}");
    let many = ConflictReason::money_under_way(&vec![refund; 8]).text_in(Language::Es);
    assert!(many.contains("un reembolso de $20.00 (pi_1), y 3 más. "), "{many}");
}
