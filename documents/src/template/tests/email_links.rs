//! Emails that ask their reader for something: a button, the address as text, and the address in the plain part.

use super::*;

/// The link that a kind asks its reader to open; none where it asks for nothing or carries its paper. Every kind is
/// listed: a new one must be decided here.
fn required_link(kind: TemplateKindName) -> Option<WordingVariable> {
    use TemplateKindName as Kind;
    match kind {
        Kind::Sms | Kind::Email => Some(WordingVariable::TimesLink),
        Kind::MissedCall
        | Kind::MissedCallAfterHours
        | Kind::MissedCallHoliday
        | Kind::MissedCallNudge
        | Kind::TextReply
        | Kind::TextReplyAfterHours => Some(WordingVariable::BookingLink),
        Kind::EstimateText | Kind::EstimateEmail | Kind::EstimateFollowUp => Some(WordingVariable::EstimateLink),
        Kind::ChangeOrderText | Kind::ChangeOrderEmail | Kind::ChangeOrderFollowUp => {
            Some(WordingVariable::ChangeOrderLink)
        }
        Kind::InvoiceText | Kind::InvoiceEmail | Kind::InvoiceDueSoon | Kind::UnpaidInvoice | Kind::PaymentFailed => {
            Some(WordingVariable::InvoiceLink)
        }
        Kind::VisitBooked
        | Kind::VisitMoved
        | Kind::VisitDayBefore
        | Kind::BookingQuestion
        | Kind::BookingQuestionEmail => Some(WordingVariable::VisitLink),
        Kind::ReviewRequest | Kind::ReviewFollowUp => Some(WordingVariable::ReviewLink),
        // The email about the day of a visit has its button beside the wording. The answers to emergencies and to a
        // caller whose visit is today ask for a call or a text. The others say what happened or carry a paper.
        Kind::VisitOnTheWay
        | Kind::VisitLate
        | Kind::VisitDone
        | Kind::MissedCallEmergency
        | Kind::MissedCallJobToday
        | Kind::TextReplyEmergency
        | Kind::HelpReply
        | Kind::StopConfirmation
        | Kind::Receipt
        | Kind::EstimateSigned
        | Kind::ChangeOrderSigned
        | Kind::VisitCancelled
        | Kind::VisitHourBefore
        | Kind::ReviewReply
        | Kind::Employee
        | Kind::OwnerAlert
        | Kind::OwnerDigest => None,
    }
}

fn customer_kinds() -> impl Iterator<Item = (TemplateKindName, Language)> {
    let kinds = TemplateKindName::ALL.into_iter().filter(|kind| kind.audience() == TemplateAudience::Customer);
    kinds.flat_map(|kind| [(kind, Language::En), (kind, Language::Es)])
}

/// Each link with an address of its own, longer than a line.
fn linked_values(language: Language) -> WordingValues {
    let long = format!("https://toolbox.example/p/{}", "x1Y".repeat(40));
    WordingValues {
        language,
        review_link: Some(format!("{long}/review")),
        booking_link: Some(format!("{long}/book")),
        times_link: Some(format!("{long}/times")),
        estimate_link: Some(format!("{long}/estimate")),
        change_order_link: Some(format!("{long}/change")),
        invoice_link: Some(format!("{long}/invoice")),
        visit_link: Some(format!("{long}/visit")),
        ..WordingValues::example_values("Acme Plumbing")
    }
}

fn links_of(kind: TemplateKindName) -> Vec<WordingVariable> {
    let is_link = |variable: &WordingVariable| variable.name().ends_with("Link");
    kind.allowed_variables().iter().copied().filter(is_link).collect()
}

/// An owner's words around a link.
fn own_wordings(name: &str) -> [String; 4] {
    [
        format!("Dear customer, look at {{{{ {name} }}}} when you can. Thank you."),
        format!("({{{{ {name} }}}}), please"),
        format!("{{{{ {name} }}}}"),
        format!("Hi.\n\n{{{{ {name} }}}}\n\nAcme"),
    ]
}

/// The plain and the HTML part. `links` is false where the text may quote a stranger: the form answer and the booking
/// question.
fn letter(kind: TemplateKindName, variables: &WordingValues, body: &str, links: bool) -> (String, String) {
    let button = find_button(kind, variables, body);
    let page = EmailPage { button, links, language: Some(variables.language), ..EmailPage::default() };
    let made = render_html("Acme", "Subject", body, &page, EmailSender::default()).unwrap().replace("&#x2f;", "/");
    (render_plain_text(body, Some(&page)), made)
}

/// Requires a button, the address as copyable text and on its own line in the plain part, and no remote content.
fn assert_opens(text: &str, html: &str, address: &str, what: &str) {
    let button = format!("<a class=\"main\" href=\"{address}\"");
    let shown =
        format!("<a class=\"link\" href=\"{address}\" style=\"color:#00616f;text-decoration:underline\">{address}</a>");
    assert_eq!(html.matches(&button).count(), 1, "{what}: {html}");
    assert_eq!(html.matches(&shown).count(), 1, "{what}: {html}");
    assert_eq!(text.lines().filter(|line| *line == address).count(), 1, "{what}: {text}");
    assert!(!html.contains("<img") && !html.contains("url(") && !html.contains("<script"), "{what}: {html}");
}

#[test]
fn default_wording_that_asks_has_button_and_plain_link_and_no_other_has() {
    for (kind, language) in customer_kinds() {
        let (values, what) = (linked_values(language), format!("{kind:?} {language:?}"));
        let body = strip_opt_out_sentence(&render_text(&default_wording(kind, language).body, &values).unwrap());
        let (text, html) = letter(kind, &values, &body, true);
        match required_link(kind) {
            Some(variable) => assert_opens(&text, &html, &values.printed_value(variable).unwrap(), &what),
            None => assert!(!html.contains("<a class=\"main\"") && !text.contains("https://"), "{what}: {html}"),
        }
    }
}

#[test]
fn wording_with_link_has_button_and_plain_link() {
    let mut seen = 0;
    for (kind, language) in customer_kinds() {
        let (values, default) = (linked_values(language), default_wording(kind, language).body);
        for variable in links_of(kind) {
            let (name, address) = (variable.name(), values.printed_value(variable).unwrap());
            let own = own_wordings(name);
            for wording in own.iter().chain([&default]).filter(|text| text.contains(name)) {
                let body = strip_opt_out_sentence(&render_text(wording, &values).unwrap());
                for links in [false, true] {
                    let (text, html) = letter(kind, &values, &body, links);
                    assert_opens(&text, &html, &address, &format!("{kind:?} {language:?} {links}: {wording}"));
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn visit_day_email_has_button_and_plain_link_beside_its_wording() {
    let kinds = [TemplateKindName::VisitOnTheWay, TemplateKindName::VisitLate, TemplateKindName::VisitDone];
    let address = "https://toolbox.example/p/visit";
    for (kind, language) in kinds.into_iter().flat_map(|kind| [(kind, Language::En), (kind, Language::Es)]) {
        let values = WordingValues { language, ..WordingValues::example_values("Acme Plumbing") };
        let body = render_text(&default_wording(kind, language).body, &values).unwrap();
        let button = build_visit_button(kind, language, address.to_owned());
        assert!(button.is_some(), "{kind:?}");
        let page = EmailPage { button, links: true, language: Some(language), ..EmailPage::default() };
        let html = render_html("Acme", "Subject", &body, &page, EmailSender::default()).unwrap().replace("&#x2f;", "/");
        assert_opens(&render_plain_text(&body, Some(&page)), &html, address, &format!("{kind:?} {language:?}"));
    }
}
