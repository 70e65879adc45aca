//! Default wordings: they pass their own check and read well with any value missing.

use super::*;

fn default_wordings() -> impl Iterator<Item = (TemplateKindName, Language, TemplateWording)> {
    TemplateKindName::ALL.into_iter().flat_map(|kind| {
        let languages = kind.to_template_kind().languages;
        languages.into_iter().map(move |language| (kind, language, default_wording(kind, language)))
    })
}

#[test]
fn default_wordings_pass_validation_without_warnings() {
    for (kind, language, wording) in default_wordings() {
        let checked = validate_wording(kind, &wording);
        assert!(checked.as_ref().is_ok_and(|c| c.warnings.is_empty()), "{kind:?} {language:?}: {checked:#?}");
        assert_eq!(checked.unwrap().wording, wording);
    }
}

#[test]
fn default_wordings_leave_no_braces_or_gaps_with_missing_values() {
    for (kind, language, wording) in default_wordings() {
        let full = WordingValues { language, ..WordingValues::example_values("Acme Plumbing") };
        let each = WordingVariable::ALL.into_iter().map(|variable| full.without_variable(variable));
        let nothing = WordingValues { language, ..WordingValues::default() };
        for variables in [full.clone(), WordingValues { language, ..ann_values() }, nothing].into_iter().chain(each) {
            let RenderedWording { subject, body } = render_wording(kind, &wording, &variables).unwrap();
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
fn default_texts_without_links_have_expected_words() {
    let table = [
        (
            TemplateKindName::Sms,
            "Hi Ann, Acme Plumbing got your request. We'll reply within 1 hour. Call (512) 555-0100. Reply STOP to opt out.",
        ),
        (
            TemplateKindName::MissedCall,
            "Hi, Acme Plumbing here. Sorry we missed your call. What can we help with? Reply here and we get right back to you. Reply STOP to opt out.",
        ),
        (
            TemplateKindName::ReviewRequest,
            "Hi Ann, thank you for choosing Acme Plumbing. Would you leave us a review? Reply STOP to opt out.",
        ),
        (
            TemplateKindName::UnpaidInvoice,
            "Hi Ann, this is Acme Plumbing. An invoice is still open. Please call (512) 555-0100 with any question. Reply STOP to opt out.",
        ),
        (TemplateKindName::Employee, "New lead: Ann"),
    ];
    for (kind, said) in table {
        assert_eq!(render_wording(kind, &kind.default_wording(), &ann_values()).unwrap().body, said);
    }
}

#[test]
fn default_texts_include_known_links_numbers_and_amounts() {
    let all = WordingValues::example_values("Acme Plumbing");
    let said = |kind: TemplateKindName| render_wording(kind, &kind.default_wording(), &all).unwrap().body;
    assert!(said(TemplateKindName::MissedCall).contains("Book a time: https://example.com/book or reply here."));
    assert!(said(TemplateKindName::ReviewRequest).contains("review? https://example.com/rate Reply"));
    assert!(said(TemplateKindName::UnpaidInvoice).contains("Invoice 1042 for $350.00 is still open."));
    assert!(said(TemplateKindName::MissedCallAfterHours).contains("open again Monday 8:00 AM."));
    assert!(said(TemplateKindName::MissedCallJobToday).contains("Dave's crew has your visit today"));
}

#[test]
fn refund_wording_names_refund_and_does_not_thank_for_payment() {
    let table = [
        (Language::En, "Refund RCP-1001 from Acme Plumbing", "We refunded $350.00 to you."),
        (Language::Es, "Reembolso RCP-1001 de Acme Plumbing", "Le reembolsamos $350.00."),
    ];
    for (language, subject, told) in table {
        let wording = refund_wording(language);
        let checked = validate_wording(TemplateKindName::Receipt, &wording);
        assert!(checked.as_ref().is_ok_and(|c| c.warnings.is_empty()), "{language:?}: {checked:#?}");
        let variables = WordingValues { language, ..WordingValues::example_values("Acme Plumbing") };
        let said = render_wording(TemplateKindName::Receipt, &wording, &variables).unwrap();
        assert_eq!(said.subject.as_deref(), Some(subject));
        assert!(said.body.contains(told), "{}", said.body);
        assert!(!said.body.contains("Thank you") && !said.body.contains("Gracias"), "{}", said.body);
    }
}

#[test]
fn default_promises_are_one_hour_by_text_and_two_by_email() {
    for (language, hour, hours) in [(Language::En, "1 hour", "2 hours"), (Language::Es, "1 hora", "2 horas")] {
        assert!(
            render_text(&default_wording(TemplateKindName::Sms, language).body, &ann_values()).unwrap().contains(hour)
        );
        assert!(
            render_text(&default_wording(TemplateKindName::Email, language).body, &ann_values())
                .unwrap()
                .contains(hours)
        );
    }
}

#[test]
fn default_texts_use_cheap_characters_and_first_reply_fits_one_segment() {
    for (kind, language, wording) in default_wordings().filter(|(kind, ..)| kind.channel() != TemplateChannel::Email) {
        for variables in [ann_values(), WordingValues::example_values("Acme Plumbing")] {
            let shown = render_preview(kind, &wording, &WordingValues { language, ..variables });
            let body = shown.body.unwrap();
            assert!(body.chars().all(lint::is_gsm7_char), "{kind:?} {language:?}: {body}");
            assert!(shown.segments.unwrap().segments <= 2, "{kind:?} {language:?}: {body}");
        }
    }
    for language in [Language::En, Language::Es] {
        let said = render_text(&default_wording(TemplateKindName::Sms, language).body, &ann_values()).unwrap();
        assert!(said.len() <= 160, "{said}");
    }
}

#[test]
fn help_reply_has_name_phone_and_opt_out_in_one_segment() {
    for language in [Language::En, Language::Es] {
        let body = default_wording(TemplateKindName::HelpReply, language).body;
        let said = render_text(&body, &WordingValues::example_values("Barton Creek Plumbing & Heating LLC")).unwrap();
        assert!(said.contains("Barton Creek") && said.contains("(512) 555-0100") && said.contains("STOP"), "{said}");
        assert!(said.chars().count() <= 160 && said.chars().all(lint::is_gsm7_char), "{said}");
    }
    assert_eq!(
        fault_codes(
            TemplateKindName::HelpReply,
            "{{ businessName }} helps. Reply STOP to opt out. ¡Ánimo! And another eighty letters or so follow here"
        ),
        [TemplateFaultCode::TooManySegments]
    );
}
