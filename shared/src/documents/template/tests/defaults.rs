//! The wordings the product comes with: they pass their own check and read well, whatever is missing.

use super::*;

/// Every wording the product comes with.
fn defaults() -> impl Iterator<Item = (Kind, Language, Wording)> {
    Kind::ALL.into_iter().flat_map(|kind| {
        let languages = kind.describe().languages;
        languages.into_iter().map(move |language| (kind, language, default_wording(kind, language)))
    })
}

#[test]
fn every_default_passes_its_own_check_without_a_warning() {
    for (kind, language, wording) in defaults() {
        let checked = check(kind, &wording);
        assert!(checked.as_ref().is_ok_and(|c| c.warnings.is_empty()), "{kind:?} {language:?}: {checked:#?}");
        assert_eq!(checked.unwrap().wording, wording);
    }
}

#[test]
fn no_default_prints_braces_or_none_or_leaves_a_gap_even_when_everything_is_missing() {
    for (kind, language, wording) in defaults() {
        let full = Variables { language, ..Variables::example("Acme Plumbing") };
        let each = Variable::ALL.into_iter().map(|variable| full.without(variable));
        let nothing = Variables { language, ..Variables::default() };
        for variables in [full.clone(), Variables { language, ..ann() }, nothing].into_iter().chain(each) {
            let Filled { subject, body } = render(kind, &wording, &variables).unwrap();
            for said in subject.iter().chain([&body]) {
                let small = said.to_lowercase();
                assert!(
                    !said.contains(['{', '}']) && !small.contains("none") && !small.contains("null"),
                    "{kind:?}: {said}"
                );
                assert!(!said.contains("  ") && !said.contains(" .") && !said.contains(" ,"), "{kind:?}: {said}");
            }
        }
    }
}

#[test]
fn the_texts_of_the_six_are_what_they_were_for_a_business_without_links() {
    let table = [
        (
            Kind::Sms,
            "Hi Ann, Acme Plumbing got your request. We'll reply within 1 hour. Call (512) 555-0100. Reply STOP to opt out.",
        ),
        (
            Kind::MissedCall,
            "Hi, Acme Plumbing here. Sorry we missed your call. What can we help with? Reply here and we get right back to you. Reply STOP to opt out.",
        ),
        (
            Kind::ReviewRequest,
            "Hi Ann, thank you for choosing Acme Plumbing. Would you leave us a review? Reply STOP to opt out.",
        ),
        (
            Kind::UnpaidInvoice,
            "Hi Ann, this is Acme Plumbing. An invoice is still open. Please call (512) 555-0100 with any question. Reply STOP to opt out.",
        ),
        (Kind::Employee, "New lead: Ann"),
    ];
    for (kind, said) in table {
        assert_eq!(render(kind, &kind.default_wording(), &ann()).unwrap().body, said);
    }
}

#[test]
fn links_numbers_and_amounts_are_said_when_they_are_known() {
    let all = Variables::example("Acme Plumbing");
    let said = |kind: Kind| render(kind, &kind.default_wording(), &all).unwrap().body;
    assert!(said(Kind::MissedCall).contains("Book a time: https://example.com/book or reply here."));
    assert!(said(Kind::ReviewRequest).contains("review? https://example.com/rate Reply"));
    assert!(said(Kind::UnpaidInvoice).contains("Invoice 1042 for $350.00 is still open."));
    assert!(said(Kind::MissedCallAfterHours).contains("open again Monday 8:00 AM."));
    assert!(said(Kind::MissedCallJobToday).contains("Dave's crew has your visit today"));
}

#[test]
fn refund_wording_says_refund_and_thanks_for_no_payment() {
    let table = [
        (Language::En, "Refund RCP-1001 from Acme Plumbing", "We refunded $350.00 to you."),
        (Language::Es, "Reembolso RCP-1001 de Acme Plumbing", "Le reembolsamos $350.00."),
    ];
    for (language, subject, told) in table {
        let wording = refund_wording(language);
        let checked = check(Kind::Receipt, &wording);
        assert!(checked.as_ref().is_ok_and(|c| c.warnings.is_empty()), "{language:?}: {checked:#?}");
        let variables = Variables { language, ..Variables::example("Acme Plumbing") };
        let said = render(Kind::Receipt, &wording, &variables).unwrap();
        assert_eq!(said.subject.as_deref(), Some(subject));
        assert!(said.body.contains(told), "{}", said.body);
        assert!(!said.body.contains("Thank you") && !said.body.contains("Gracias"), "{}", said.body);
    }
}

#[test]
fn the_promises_are_an_hour_by_text_and_two_by_email() {
    for (language, hour, hours) in [(Language::En, "1 hour", "2 hours"), (Language::Es, "1 hora", "2 horas")] {
        assert!(fill(&default_wording(Kind::Sms, language).body, &ann()).unwrap().contains(hour));
        assert!(fill(&default_wording(Kind::Email, language).body, &ann()).unwrap().contains(hours));
    }
}

#[test]
fn every_default_text_is_sent_in_the_cheap_alphabet_and_the_first_answer_in_one_segment() {
    for (kind, language, wording) in defaults().filter(|(kind, ..)| kind.channel() != Channel::Email) {
        for variables in [ann(), Variables::example("Acme Plumbing")] {
            let shown = preview(kind, &wording, &Variables { language, ..variables });
            let body = shown.body.unwrap();
            assert!(body.chars().all(lint::is_cheap), "{kind:?} {language:?}: {body}");
            assert!(shown.segments.unwrap().segments <= 2, "{kind:?} {language:?}: {body}");
        }
    }
    for language in [Language::En, Language::Es] {
        let said = fill(&default_wording(Kind::Sms, language).body, &ann()).unwrap();
        assert!(said.len() <= 160, "{said}");
    }
}

#[test]
fn help_is_answered_with_name_phone_and_stop_in_one_text() {
    for language in [Language::En, Language::Es] {
        let body = default_wording(Kind::HelpReply, language).body;
        let said = fill(&body, &Variables::example("Barton Creek Plumbing & Heating LLC")).unwrap();
        assert!(said.contains("Barton Creek") && said.contains("(512) 555-0100") && said.contains("STOP"), "{said}");
        assert!(said.chars().count() <= 160 && said.chars().all(lint::is_cheap), "{said}");
    }
    assert_eq!(
        codes(
            Kind::HelpReply,
            "{{ businessName }} helps. Reply STOP to opt out. ¡Ánimo! And another eighty letters or so follow here"
        ),
        [FaultCode::TooManySegments]
    );
}
