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
            for rendered_text in subject.iter().chain([&body]) {
                let small = rendered_text.to_lowercase();
                assert!(
                    !rendered_text.contains(['{', '}']) && !small.contains("none") && !small.contains("null"),
                    "{kind:?}: {rendered_text}"
                );
                assert!(
                    !rendered_text.contains("  ") && !rendered_text.contains(" .") && !rendered_text.contains(" ,"),
                    "{kind:?}: {rendered_text}"
                );
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
    for (kind, expected) in table {
        assert_eq!(render_wording(kind, &kind.default_wording(), &ann_values()).unwrap().body, expected);
    }
}

#[test]
fn default_texts_include_known_links_numbers_and_amounts() {
    let all = WordingValues::example_values("Acme Plumbing");
    let default_text = |kind: TemplateKindName| render_wording(kind, &kind.default_wording(), &all).unwrap().body;
    assert!(
        default_text(TemplateKindName::MissedCall).contains("Book a time: https://example.com/book or reply here.")
    );
    assert!(default_text(TemplateKindName::ReviewRequest).contains("review? https://example.com/rate Reply"));
    assert!(default_text(TemplateKindName::UnpaidInvoice).contains("Invoice 1042 for $350.00 is still open."));
    assert!(default_text(TemplateKindName::MissedCallAfterHours).contains("open again Monday 8:00 AM."));
    assert!(default_text(TemplateKindName::MissedCallJobToday).contains("Dave's crew has your visit today"));
}

#[test]
fn refund_wording_names_refund_and_does_not_thank_for_payment() {
    let table = [
        (Language::En, "Refund RCP-1001 from Acme Plumbing", "We refunded $350.00 to you."),
        (Language::Es, "Reembolso RCP-1001 de Acme Plumbing", "Le reembolsamos $350.00."),
    ];
    for (language, subject, expected) in table {
        let wording = refund_wording(language);
        let checked = validate_wording(TemplateKindName::Receipt, &wording);
        assert!(checked.as_ref().is_ok_and(|c| c.warnings.is_empty()), "{language:?}: {checked:#?}");
        let variables = WordingValues { language, ..WordingValues::example_values("Acme Plumbing") };
        let rendered = render_wording(TemplateKindName::Receipt, &wording, &variables).unwrap();
        assert_eq!(rendered.subject.as_deref(), Some(subject));
        assert!(rendered.body.contains(expected), "{}", rendered.body);
        assert!(!rendered.body.contains("Thank you") && !rendered.body.contains("Gracias"), "{}", rendered.body);
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
        let sms_text = render_text(&default_wording(TemplateKindName::Sms, language).body, &ann_values()).unwrap();
        assert!(sms_text.len() <= 160, "{sms_text}");
    }
}

#[test]
fn help_reply_has_name_phone_and_opt_out_in_one_segment() {
    for language in [Language::En, Language::Es] {
        let body = default_wording(TemplateKindName::HelpReply, language).body;
        let help_text =
            render_text(&body, &WordingValues::example_values("Barton Creek Plumbing & Heating LLC")).unwrap();
        assert!(
            help_text.contains("Barton Creek") && help_text.contains("(512) 555-0100") && help_text.contains("STOP"),
            "{help_text}"
        );
        assert!(help_text.chars().count() <= 160 && help_text.chars().all(lint::is_gsm7_char), "{help_text}");
    }
    assert_eq!(
        fault_codes(
            TemplateKindName::HelpReply,
            "{{ businessName }} helps. Reply STOP to opt out. ¡Ánimo! And another eighty letters or so follow here"
        ),
        [TemplateFaultCode::TooManySegments]
    );
}
