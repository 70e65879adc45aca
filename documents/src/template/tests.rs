//! Tests of the template editor.

use super::{variables::WordingValues, *};

mod defaults;
mod email_links;
mod mischief;

fn ann_values() -> WordingValues {
    WordingValues {
        business_name: "Acme Plumbing".into(),
        business_phone: Some("(512) 555-0100".into()),
        customer_name: "Ann".into(),
        ..WordingValues::default()
    }
}

fn text_wording(body: &str) -> TemplateWording {
    TemplateWording { enabled: true, subject: None, body: body.to_owned() }
}

fn find_faults(kind: TemplateKindName, body: &str) -> Vec<TemplateFault> {
    validate_wording(kind, &text_wording(body)).err().unwrap_or_default()
}

fn fault_codes(kind: TemplateKindName, body: &str) -> Vec<TemplateFaultCode> {
    find_faults(kind, body).into_iter().map(|fault| fault.code).collect()
}

fn valid_text_with(middle: &str) -> String {
    format!("Hi {{{{ customerName }}}}, {{{{ businessName }}}} here. {middle} Reply STOP to opt out.")
}

#[test]
fn unknown_variable_is_rejected_with_position_and_suggestion() {
    let table = [
        ("custmerName", Some("customerName")),
        ("customer_name", Some("customerName")),
        ("CustomerName", Some("customerName")),
        ("bookinglink", Some("bookingLink")),
        ("message", Some("customerMessage")),
        ("weather", None),
        ("namespace", None),
        ("__class__", None),
    ];
    for (typed, suggested) in table {
        let found = find_faults(TemplateKindName::Sms, &valid_text_with(&format!("\nAnd ¡é! {{{{ {typed} }}}}.")));
        let [fault] = found.as_slice() else { panic!("{typed}: {found:?}") };
        assert_eq!((fault.code, fault.name.as_deref()), (TemplateFaultCode::UnknownVariable, Some(typed)));
        assert_eq!(fault.suggestion.as_deref(), suggested, "{typed}");
        let place = fault.place.as_ref().unwrap();
        assert_eq!((place.line, place.column, place.end - place.start), (2, 12, typed.len()));
    }
    let elsewhere = find_faults(TemplateKindName::Sms, &valid_text_with("{{ invoiceNumber }}"));
    assert!(elsewhere[0].message.contains("cannot be used in this template"), "{elsewhere:?}");
}

#[test]
fn unknown_variable_is_reported_at_each_occurrence() {
    let found = find_faults(
        TemplateKindName::Sms,
        &valid_text_with("{{ foo }} {% if bar %}{{ customerName or foo }}{% endif %}"),
    );
    let names: Vec<_> = found.iter().map(|fault| fault.name.clone().unwrap()).collect();
    assert_eq!(names, ["foo", "bar", "foo"]);
}

#[test]
fn invalid_template_syntax_is_explained_in_plain_words() {
    use TemplateFaultCode::{NotAllowed, StrayBrace, Syntax, UnknownFilter};
    let table = [
        ("{{ customerName", Syntax, "no }} after it"),
        ("{{ }}", Syntax, "empty"),
        ("{% if customerName %}hi", Syntax, "no {% endif %}"),
        ("{% endif %}", Syntax, "no {% if %} before it"),
        ("{% else %}", Syntax, "no {% if %} before it"),
        ("{% if %}a{% endif %}", Syntax, "does not say what it asks for"),
        ("{% if customerName %}a{% else %}b{% else %}c{% endif %}", Syntax, "comes after an"),
        ("{% %}", Syntax, "says nothing"),
        ("{# note", Syntax, "no #} after it"),
        ("{{ \"open }}", Syntax, "not closed"),
        ("{{ customerName businessName }}", Syntax, "cannot be read"),
        ("{{ or customerName }}", Syntax, "cannot be read"),
        ("{{ customerName | }}", Syntax, "cannot be read"),
        ("{customerName}", StrayBrace, "two braces"),
        ("customerName }}", StrayBrace, "two braces"),
        ("{{ customerName|reverse }}", UnknownFilter, "reverse"),
        ("{{ customerName.first }}", NotAllowed, "cannot stand here"),
        ("{{ customerName[0] }}", NotAllowed, "cannot stand here"),
        ("{{ customerName * 9999999 }}", NotAllowed, "cannot stand here"),
        ("{{ customerName() }}", NotAllowed, "called"),
        ("{{ customerName|upper(1) }}", NotAllowed, "called"),
        ("{{ customerName is defined }}", NotAllowed, "“is”"),
        ("{% for c in customerName %}x{% endfor %}", NotAllowed, "“for”"),
        ("{% set customerName = 1 %}", NotAllowed, "cannot stand here"),
        ("{% include \"x\" %}", NotAllowed, "“include”"),
        ("{% raw %}{{ x }}{% endraw %}", NotAllowed, "“raw”"),
        ("{% macro f() %}{% endmacro %}", NotAllowed, "“macro”"),
        ("{% do customerName %}", NotAllowed, "“do”"),
    ];
    for (middle, code, words) in table {
        let found = find_faults(TemplateKindName::Sms, &valid_text_with(middle));
        assert!(
            found.iter().any(|f| f.code == code && f.message.contains(words) && f.place.is_some()),
            "{middle}: {found:#?}"
        );
    }
}

#[test]
fn permitted_template_constructs_are_accepted_and_rendered() {
    let table = [
        ("{{ customerName|upper }}", "ANN"),
        ("{{ customerMessage|default(\"your request\") }}", "your request"),
        ("{{ customerMessage|default('it', true) }}", "it"),
        ("{{ customerMessage }}", "your request"),
        ("{{ (customerMessage or \"a job\")|capitalize }}", "A job"),
        ("{{ customerName if customerName != \"Bob\" else \"you\" }}", "Ann"),
        ("{% if customerName and not customerMessage %}y{% elif timestamp %}n{% else %}m{% endif %}", "y"),
        ("a {#- a note -#} b", "ab"),
        ("a {{- customerName -}} b", "aAnnb"),
    ];
    for (middle, expected) in table {
        let body = valid_text_with(middle);
        assert!(
            validate_wording(TemplateKindName::Sms, &text_wording(&body)).is_ok(),
            "{middle}: {:#?}",
            find_faults(TemplateKindName::Sms, &body)
        );
        let filled = render_text(middle, &ann_values()).unwrap();
        assert_eq!(filled, expected, "{middle}");
    }
}

#[test]
fn subject_is_for_emails_only_and_lengths_are_limited() {
    let email = |subject: Option<&str>| TemplateWording {
        subject: subject.map(Into::into),
        ..default_wording(TemplateKindName::Email, Language::En)
    };
    let found = |kind, wording: &TemplateWording| {
        validate_wording(kind, wording).unwrap_err().iter().map(|f| (f.field, f.code)).collect::<Vec<_>>()
    };
    assert_eq!(
        found(TemplateKindName::Email, &email(None)),
        [(TemplateField::Subject, TemplateFaultCode::SubjectMissing)]
    );
    assert_eq!(
        found(TemplateKindName::Email, &email(Some("  "))),
        [(TemplateField::Subject, TemplateFaultCode::SubjectMissing)]
    );
    assert_eq!(
        found(TemplateKindName::Email, &email(Some(&"x".repeat(151)))),
        [(TemplateField::Subject, TemplateFaultCode::TooLong)]
    );
    assert_eq!(
        found(TemplateKindName::Email, &email(Some("two\nlines"))),
        [(TemplateField::Subject, TemplateFaultCode::ForbiddenCharacter)]
    );
    assert_eq!(
        found(TemplateKindName::Email, &email(Some("{{ invoice }}"))),
        [(TemplateField::Subject, TemplateFaultCode::UnknownVariable)]
    );
    let with_subject =
        TemplateWording { subject: Some("Hi".into()), ..default_wording(TemplateKindName::Sms, Language::En) };
    assert_eq!(
        found(TemplateKindName::Sms, &with_subject),
        [(TemplateField::Subject, TemplateFaultCode::SubjectNotUsed)]
    );
    assert_eq!(fault_codes(TemplateKindName::Sms, " \n "), [TemplateFaultCode::Empty]);
    assert_eq!(fault_codes(TemplateKindName::Sms, &valid_text_with(&"x".repeat(1_600))), [TemplateFaultCode::TooLong]);
    assert_eq!(fault_codes(TemplateKindName::Sms, &valid_text_with("\u{0}")), [TemplateFaultCode::ForbiddenCharacter]);
}

#[test]
fn first_text_without_business_name_or_opt_out_is_rejected() {
    use TemplateFaultCode::{BusinessNotNamed, StopMissing};
    let table: [(&str, &[TemplateFaultCode]); 9] = [
        ("{{ businessName }} here. Reply STOP to opt out.", &[]),
        ("{{ businessName }} aquí. Responda alto para no recibir nada.", &[]),
        ("{{ businessName }}: text stop to end.", &[]),
        ("We got your request. Reply STOP to opt out.", &[BusinessNotNamed]),
        ("{{ businessName }} got your request.", &[StopMissing]),
        ("{{ businessName }}: we will stop by tomorrow.", &[StopMissing]),
        ("{{ businessName }}: PLEASE STOP BY.", &[StopMissing]),
        ("{% if customerName %}{{ businessName }}{% endif %} here. Reply STOP.", &[BusinessNotNamed]),
        ("{{ businessName }}{% if not bookingLink %} Reply STOP.{% endif %}", &[StopMissing]),
    ];
    for kind in TemplateKindName::ALL
        .into_iter()
        .filter(|k| k.is_first_in_conversation() && k.allowed_variables().contains(&WordingVariable::BookingLink))
    {
        for (body, expected) in table {
            assert_eq!(fault_codes(kind, body), expected, "{kind:?}: {body}");
        }
    }
    assert_eq!(fault_codes(TemplateKindName::MissedCallNudge, "Still there?"), []);
}

#[test]
fn review_request_without_link_or_with_incentive_is_rejected() {
    let ask = |words: &str| format!("{{{{ businessName }}}}: {words} {{{{ reviewLink }}}} Reply STOP to opt out.");
    assert_eq!(fault_codes(TemplateKindName::ReviewRequest, &ask("how did we do?")), []);
    assert_eq!(
        fault_codes(TemplateKindName::ReviewRequest, "{{ businessName }}: how did we do? Reply STOP."),
        [TemplateFaultCode::ReviewLinkMissing]
    );
    let found = find_faults(TemplateKindName::ReviewRequest, &ask("tell us and get a gift card!"));
    assert_eq!((found[0].code, found[0].name.as_deref()), (TemplateFaultCode::IncentiveForReview, Some("gift")));
    assert_eq!(
        fault_codes(TemplateKindName::Sms, &valid_text_with("Review us for 10% off.")),
        [TemplateFaultCode::IncentiveForReview]
    );
    assert_eq!(fault_codes(TemplateKindName::Sms, &valid_text_with("10% off drain cleaning.")), []);
    let split = "{% if customerName %}Leave a review. {% endif %}{% if bookingLink %}Get a coupon.{% endif %}";
    assert_eq!(fault_codes(TemplateKindName::Sms, &valid_text_with(split)), [TemplateFaultCode::IncentiveForReview]);
}

#[test]
fn stop_confirmation_with_link_or_promotion_is_rejected() {
    let faults_with = |words: &str| {
        fault_codes(
            TemplateKindName::StopConfirmation,
            &format!("{{{{ businessName }}}}: you get no more texts. {words}"),
        )
    };
    assert_eq!(faults_with("Reply START to resume."), []);
    assert_eq!(faults_with("See www.example.org"), [TemplateFaultCode::LinkNotAllowed]);
    assert_eq!(faults_with("10% off if you stay!"), [TemplateFaultCode::PromotionNotAllowed]);
    assert_eq!(faults_with("Leave us a review."), [TemplateFaultCode::PromotionNotAllowed]);
    assert_eq!(faults_with("{{ bookingLink }}"), [TemplateFaultCode::UnknownVariable]);
}

#[test]
fn text_longer_than_three_segments_is_rejected() {
    let of = |letters: usize| format!("{{{{ businessName }}}}. Reply STOP.{}", "x".repeat(letters));
    // "Acme Plumbing. Reply STOP." is 26 letters; three segments hold 459.
    assert_eq!(fault_codes(TemplateKindName::Sms, &of(459 - 26)), []);
    assert_eq!(fault_codes(TemplateKindName::Sms, &of(460 - 26)), [TemplateFaultCode::TooManySegments]);
    assert_eq!(fault_codes(TemplateKindName::Sms, &format!("{}…", of(201 - 27))), []);
    assert_eq!(fault_codes(TemplateKindName::Sms, &format!("{}…", of(202 - 27))), [TemplateFaultCode::TooManySegments]);
}

#[test]
fn costly_character_gives_warning_with_cheaper_spelling() {
    let checked =
        validate_wording(TemplateKindName::Sms, &text_wording(&valid_text_with("It’s “on”… día ’ 🙂"))).unwrap();
    let found: Vec<_> = checked.warnings.iter().map(|w| (w.found.as_deref().unwrap(), w.instead.as_deref())).collect();
    assert_eq!(
        found,
        [("’", Some("'")), ("“", Some("\"")), ("”", Some("\"")), ("…", Some("...")), ("í", Some("i")), ("🙂", None)]
    );
    assert!(checked.warnings.iter().all(|w| w.code == TemplateWarningCode::CostlyCharacter && w.place.is_some()));
}

#[test]
fn unused_customer_name_and_unconditional_link_give_warnings() {
    let warned = |kind: TemplateKindName, body: &str| {
        validate_wording(kind, &text_wording(body)).unwrap().warnings.into_iter().map(|w| w.code).collect::<Vec<_>>()
    };
    let plain = "{{ businessName }} got it. Reply STOP.";
    assert_eq!(warned(TemplateKindName::Sms, plain), [TemplateWarningCode::CustomerNotNamed]);
    assert_eq!(warned(TemplateKindName::MissedCall, plain), []);
    assert_eq!(
        warned(TemplateKindName::Sms, &valid_text_with("Book: {{ bookingLink }}")),
        [TemplateWarningCode::LinkNotOptional]
    );
    assert_eq!(
        warned(TemplateKindName::Sms, &valid_text_with("{% if bookingLink %}Book: {{ bookingLink }}{% endif %}")),
        []
    );
    assert_eq!(warned(TemplateKindName::Sms, &valid_text_with("{{ bookingLink or businessPhone }}")), []);
}

#[test]
fn preview_shows_rendered_text_and_all_faults() {
    let shown =
        render_preview(TemplateKindName::Sms, &text_wording("Hi {{ customerName }}, we got it."), &ann_values());
    assert_eq!(
        (shown.body.as_deref(), shown.segments.map(|cost| cost.segments)),
        (Some("Hi Ann, we got it."), Some(1))
    );
    assert_eq!(
        shown.faults.iter().map(|f| f.code).collect::<Vec<_>>(),
        [TemplateFaultCode::BusinessNotNamed, TemplateFaultCode::StopMissing]
    );
    let broken = render_preview(TemplateKindName::Sms, &text_wording("Hi {{ customerName"), &ann_values());
    assert_eq!((broken.body, broken.faults.len()), (None, 1));
    let email = render_preview(TemplateKindName::Email, &TemplateKindName::Email.default_wording(), &ann_values());
    assert_eq!((email.subject.as_deref(), email.segments), (Some("We received your request, Ann"), None));
    let json =
        serde_json::to_value(render_preview(TemplateKindName::Sms, &text_wording("{{ nam }}"), &ann_values())).unwrap();
    assert_eq!(json["faults"][0]["code"], "unknown_variable");
    assert_eq!(json["faults"][0]["place"], serde_json::json!({"line": 1, "column": 4, "start": 3, "end": 6}));
}

#[test]
fn missing_customer_name_has_fallback_for_customer_and_team() {
    let nobody = WordingValues { customer_name: String::new(), ..ann_values() };
    let greeting = |kind: TemplateKindName, language| {
        render_wording(kind, &text_wording("Hi {{ customerName }}"), &WordingValues { language, ..nobody.clone() })
            .unwrap()
            .body
    };
    assert_eq!(greeting(TemplateKindName::Sms, Language::En), "Hi there");
    assert_eq!(greeting(TemplateKindName::Sms, Language::Es), "Hi cliente");
    assert_eq!(greeting(TemplateKindName::Employee, Language::En), "Hi someone");
}

#[test]
fn subject_stays_single_line_with_line_breaks_in_values() {
    let mischief = WordingValues { customer_name: "Ann\r\nBcc: x@example.com".into(), ..ann_values() };
    let subject = render_wording(TemplateKindName::Email, &TemplateKindName::Email.default_wording(), &mischief)
        .unwrap()
        .subject
        .unwrap();
    assert_eq!(subject, "We received your request");
}

#[test]
fn default_wordings_promise_one_hour_by_text_and_two_by_email() {
    for kind in TemplateKindName::ALL {
        for language in [Language::En, Language::Es] {
            let variables = WordingValues { language, ..WordingValues::example_values("Acme Plumbing") };
            let seen = render_preview(kind, &default_wording(kind, language), &variables);
            let wanted = match kind {
                TemplateKindName::Sms | TemplateKindName::TextReply => Some(60),
                TemplateKindName::Email => Some(120),
                _ => None,
            };
            assert_eq!(seen.promise.map(|promise| promise.minutes), wanted, "{kind:?} {language:?}");
            let untimed = seen.warnings.iter().find(|warning| warning.code == TemplateWarningCode::PromiseNotTimed);
            assert_eq!(untimed, None, "{kind:?} {language:?}");
        }
    }
}
