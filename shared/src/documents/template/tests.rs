//! Stories of an owner at the template editor.

use super::{variables::Variables, *};

mod defaults;
mod mischief;

fn ann() -> Variables {
    Variables {
        business_name: "Acme Plumbing".into(),
        business_phone: Some("(512) 555-0100".into()),
        customer_name: "Ann".into(),
        ..Variables::default()
    }
}

fn text(body: &str) -> Wording {
    Wording { enabled: true, subject: None, body: body.to_owned() }
}

fn faults(kind: Kind, body: &str) -> Vec<Fault> {
    check(kind, &text(body)).err().unwrap_or_default()
}

fn codes(kind: Kind, body: &str) -> Vec<FaultCode> {
    faults(kind, body).into_iter().map(|fault| fault.code).collect()
}

/// A text that passes, with `middle` in it.
fn around(middle: &str) -> String {
    format!("Hi {{{{ customerName }}}}, {{{{ businessName }}}} here. {middle} Reply STOP to opt out.")
}

#[test]
fn an_unknown_variable_is_refused_with_its_place_and_what_was_meant() {
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
    for (typed, meant) in table {
        let found = faults(Kind::Sms, &around(&format!("\nAnd ¡é! {{{{ {typed} }}}}.")));
        let [fault] = found.as_slice() else { panic!("{typed}: {found:?}") };
        assert_eq!((fault.code, fault.name.as_deref()), (FaultCode::UnknownVariable, Some(typed)));
        assert_eq!(fault.suggestion.as_deref(), meant, "{typed}");
        let place = fault.place.as_ref().unwrap();
        assert_eq!((place.line, place.column, place.end - place.start), (2, 12, typed.len()));
    }
    let elsewhere = faults(Kind::Sms, &around("{{ invoiceNumber }}"));
    assert!(elsewhere[0].message.contains("cannot be used in this template"), "{elsewhere:?}");
}

#[test]
fn every_unknown_variable_is_marked_each_time_it_stands() {
    let found = faults(Kind::Sms, &around("{{ foo }} {% if bar %}{{ customerName or foo }}{% endif %}"));
    let names: Vec<_> = found.iter().map(|fault| fault.name.clone().unwrap()).collect();
    assert_eq!(names, ["foo", "bar", "foo"]);
}

#[test]
fn what_is_not_a_template_is_told_in_plain_words() {
    use FaultCode::{NotAllowed, StrayBrace, Syntax, UnknownFilter};
    let table = [
        ("{{ customerName", Syntax, "no }} after it"),
        ("{{ }}", Syntax, "empty"),
        ("{% if customerName %}hi", Syntax, "no {% endif %}"),
        ("{% endif %}", Syntax, "no {% if %} before it"),
        ("{% else %}", Syntax, "no {% if %} before it"),
        ("{% if %}a{% endif %}", Syntax, "does not say what it asks for"),
        ("{% if customerName %}a{% else %}b{% else %}c{% endif %}", Syntax, "stands after an"),
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
        let found = faults(Kind::Sms, &around(middle));
        assert!(
            found.iter().any(|f| f.code == code && f.message.contains(words) && f.place.is_some()),
            "{middle}: {found:#?}"
        );
    }
}

#[test]
fn what_a_wording_may_use_is_accepted_and_does_what_it_says() {
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
    for (middle, said) in table {
        let body = around(middle);
        assert!(check(Kind::Sms, &text(&body)).is_ok(), "{middle}: {:#?}", faults(Kind::Sms, &body));
        let filled = fill(middle, &ann()).unwrap();
        assert_eq!(filled, said, "{middle}");
    }
}

#[test]
fn subjects_belong_to_emails_and_lengths_have_ends() {
    let email = |subject: Option<&str>| Wording {
        subject: subject.map(Into::into),
        ..default_wording(Kind::Email, Language::En)
    };
    let found = |kind, wording: &Wording| {
        check(kind, wording).unwrap_err().iter().map(|f| (f.field, f.code)).collect::<Vec<_>>()
    };
    assert_eq!(found(Kind::Email, &email(None)), [(TextField::Subject, FaultCode::SubjectMissing)]);
    assert_eq!(found(Kind::Email, &email(Some("  "))), [(TextField::Subject, FaultCode::SubjectMissing)]);
    assert_eq!(found(Kind::Email, &email(Some(&"x".repeat(151)))), [(TextField::Subject, FaultCode::TooLong)]);
    assert_eq!(found(Kind::Email, &email(Some("two\nlines"))), [(TextField::Subject, FaultCode::ForbiddenCharacter)]);
    assert_eq!(found(Kind::Email, &email(Some("{{ invoice }}"))), [(TextField::Subject, FaultCode::UnknownVariable)]);
    let with_subject = Wording { subject: Some("Hi".into()), ..default_wording(Kind::Sms, Language::En) };
    assert_eq!(found(Kind::Sms, &with_subject), [(TextField::Subject, FaultCode::SubjectNotUsed)]);
    assert_eq!(codes(Kind::Sms, " \n "), [FaultCode::Empty]);
    assert_eq!(codes(Kind::Sms, &around(&"x".repeat(1_600))), [FaultCode::TooLong]);
    assert_eq!(codes(Kind::Sms, &around("\u{0}")), [FaultCode::ForbiddenCharacter]);
}

#[test]
fn the_first_text_must_name_the_business_and_say_how_to_stop() {
    use FaultCode::{BusinessNotNamed, StopMissing};
    let table: [(&str, &[FaultCode]); 9] = [
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
    for kind in Kind::ALL.into_iter().filter(|k| k.first_of_thread() && k.variables().contains(&Variable::BookingLink))
    {
        for (body, expected) in table {
            assert_eq!(codes(kind, body), expected, "{kind:?}: {body}");
        }
    }
    assert_eq!(codes(Kind::MissedCallNudge, "Still there?"), []);
}

#[test]
fn a_review_request_has_the_link_and_offers_nothing() {
    let ask = |words: &str| format!("{{{{ businessName }}}}: {words} {{{{ reviewLink }}}} Reply STOP to opt out.");
    assert_eq!(codes(Kind::ReviewRequest, &ask("how did we do?")), []);
    assert_eq!(
        codes(Kind::ReviewRequest, "{{ businessName }}: how did we do? Reply STOP."),
        [FaultCode::ReviewLinkMissing]
    );
    let found = faults(Kind::ReviewRequest, &ask("tell us and get a gift card!"));
    assert_eq!((found[0].code, found[0].name.as_deref()), (FaultCode::IncentiveForReview, Some("gift")));
    assert_eq!(codes(Kind::Sms, &around("Review us for 10% off.")), [FaultCode::IncentiveForReview]);
    assert_eq!(codes(Kind::Sms, &around("10% off drain cleaning.")), []);
    let split = "{% if customerName %}Leave a review. {% endif %}{% if bookingLink %}Get a coupon.{% endif %}";
    assert_eq!(codes(Kind::Sms, &around(split)), [FaultCode::IncentiveForReview]);
}

#[test]
fn the_confirmation_of_stop_advertises_nothing() {
    let said =
        |words: &str| codes(Kind::StopConfirmation, &format!("{{{{ businessName }}}}: you get no more texts. {words}"));
    assert_eq!(said("Reply START to resume."), []);
    assert_eq!(said("See www.example.org"), [FaultCode::LinkNotAllowed]);
    assert_eq!(said("10% off if you stay!"), [FaultCode::PromotionNotAllowed]);
    assert_eq!(said("Leave us a review."), [FaultCode::PromotionNotAllowed]);
    assert_eq!(said("{{ bookingLink }}"), [FaultCode::UnknownVariable]);
}

#[test]
fn more_than_three_segments_are_refused() {
    let of = |letters: usize| format!("{{{{ businessName }}}}. Reply STOP.{}", "x".repeat(letters));
    // "Acme Plumbing. Reply STOP." is 26 letters; three segments hold 459.
    assert_eq!(codes(Kind::Sms, &of(459 - 26)), []);
    assert_eq!(codes(Kind::Sms, &of(460 - 26)), [FaultCode::TooManySegments]);
    assert_eq!(codes(Kind::Sms, &format!("{}…", of(201 - 27))), []);
    assert_eq!(codes(Kind::Sms, &format!("{}…", of(202 - 27))), [FaultCode::TooManySegments]);
}

#[test]
fn dear_letters_are_shown_with_the_cheaper_spelling_and_saved_all_the_same() {
    let checked = check(Kind::Sms, &text(&around("It’s “on”… día ’ 🙂"))).unwrap();
    let found: Vec<_> = checked.warnings.iter().map(|w| (w.found.as_deref().unwrap(), w.instead.as_deref())).collect();
    assert_eq!(
        found,
        [("’", Some("'")), ("“", Some("\"")), ("”", Some("\"")), ("…", Some("...")), ("í", Some("i")), ("🙂", None)]
    );
    assert!(checked.warnings.iter().all(|w| w.code == WarningCode::CostlyCharacter && w.place.is_some()));
}

#[test]
fn an_unused_name_and_a_link_that_may_be_missing_are_pointed_out() {
    let warned = |kind: Kind, body: &str| {
        check(kind, &text(body)).unwrap().warnings.into_iter().map(|w| w.code).collect::<Vec<_>>()
    };
    let plain = "{{ businessName }} got it. Reply STOP.";
    assert_eq!(warned(Kind::Sms, plain), [WarningCode::CustomerNotNamed]);
    assert_eq!(warned(Kind::MissedCall, plain), []);
    assert_eq!(warned(Kind::Sms, &around("Book: {{ bookingLink }}")), [WarningCode::LinkNotOptional]);
    assert_eq!(warned(Kind::Sms, &around("{% if bookingLink %}Book: {{ bookingLink }}{% endif %}")), []);
    assert_eq!(warned(Kind::Sms, &around("{{ bookingLink or businessPhone }}")), []);
}

#[test]
fn a_preview_shows_the_words_and_everything_wrong_with_them() {
    let shown = preview(Kind::Sms, &text("Hi {{ customerName }}, we got it."), &ann());
    assert_eq!(
        (shown.body.as_deref(), shown.segments.map(|cost| cost.segments)),
        (Some("Hi Ann, we got it."), Some(1))
    );
    assert_eq!(
        shown.faults.iter().map(|f| f.code).collect::<Vec<_>>(),
        [FaultCode::BusinessNotNamed, FaultCode::StopMissing]
    );
    let broken = preview(Kind::Sms, &text("Hi {{ customerName"), &ann());
    assert_eq!((broken.body, broken.faults.len()), (None, 1));
    let email = preview(Kind::Email, &Kind::Email.default_wording(), &ann());
    assert_eq!((email.subject.as_deref(), email.segments), (Some("We received your request, Ann"), None));
    let json = serde_json::to_value(preview(Kind::Sms, &text("{{ nam }}"), &ann())).unwrap();
    assert_eq!(json["faults"][0]["code"], "unknown_variable");
    assert_eq!(json["faults"][0]["place"], serde_json::json!({"line": 1, "column": 4, "start": 3, "end": 6}));
}

#[test]
fn a_missing_value_has_other_words_for_the_customer_and_for_the_team() {
    let nobody = Variables { customer_name: String::new(), ..ann() };
    let said = |kind: Kind, language| {
        render(kind, &text("Hi {{ customerName }}"), &Variables { language, ..nobody.clone() }).unwrap().body
    };
    assert_eq!(said(Kind::Sms, Language::En), "Hi there");
    assert_eq!(said(Kind::Sms, Language::Es), "Hi cliente");
    assert_eq!(said(Kind::Employee, Language::En), "Hi someone");
}

#[test]
fn a_subject_stays_one_line_whatever_was_put_into_it() {
    let mischief = Variables { customer_name: "Ann\r\nBcc: x@example.com".into(), ..ann() };
    let subject = render(Kind::Email, &Kind::Email.default_wording(), &mischief).unwrap().subject.unwrap();
    assert_eq!(subject, "We received your request, Ann Bcc:");
}

#[test]
fn the_defaults_promise_an_hour_by_text_two_by_email_and_nothing_that_cannot_be_timed() {
    for kind in Kind::ALL {
        for language in [Language::En, Language::Es] {
            let variables = Variables { language, ..Variables::example("Acme Plumbing") };
            let seen = preview(kind, &default_wording(kind, language), &variables);
            let wanted = match kind {
                Kind::Sms | Kind::TextReply => Some(60),
                Kind::Email => Some(120),
                _ => None,
            };
            assert_eq!(seen.promise.map(|promise| promise.minutes), wanted, "{kind:?} {language:?}");
            let untimed = seen.warnings.iter().find(|warning| warning.code == WarningCode::PromiseNotTimed);
            assert_eq!(untimed, None, "{kind:?} {language:?}");
        }
    }
}
