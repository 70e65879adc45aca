//! What an email must hold that asks its reader for something, and emails with long values.

use serde::Serialize;
use shared::{
    documents::template::{
        self, BarChart, EmailPage, EmailSection, Language, SectionRow, TemplateAudience, TemplateKindName,
        WordingValues,
    },
    providers::mail::SentEmail,
};

const LONG_WORD: &str = "Donaudampfschifffahrtsgesellschaftskapitaenswitwenrente";
const LONG_BUSINESS: &str =
    "Donaudampfschifffahrtsgesellschaftskapitaen Heating, Plumbing and Roofing of Greater Austin";

/// Requires that the first address of the plain part is on a line of its own, and in the HTML part the button and a
/// link.
pub fn assert_button_and_link(letter: &SentEmail) {
    let address = letter.text.lines().find(|line| line.starts_with("https://"));
    let address = address.unwrap_or_else(|| panic!("{}: an address on its own line: {}", letter.subject, letter.text));
    let html = letter.html.as_deref().unwrap_or_default().replace("&#x2f;", "/");
    for class in ["main", "link"] {
        let opened = format!("<a class=\"{class}\" href=\"{address}\"");
        assert_eq!(html.matches(&opened).count(), 1, "{}: {class}: {html}", letter.subject);
    }
}

/// The HTML part of an email whose values are long.
#[derive(Debug, Serialize)]
pub struct LongEmail {
    pub name: String,
    pub html: String,
}

/// Every wording to customers in both languages, a notice with facts, and a report with figures.
#[must_use]
pub fn render_long_emails() -> Vec<LongEmail> {
    let kinds = TemplateKindName::ALL.into_iter().filter(|kind| kind.audience() == TemplateAudience::Customer);
    let wordings =
        kinds.flat_map(|kind| [Language::En, Language::Es].map(|language| render_long_wording(kind, language)));
    let pages = [("notice", build_long_notice()), ("report", build_long_report())];
    let pages = pages.map(|(name, page)| render_long_page(name.to_owned(), LONG_WORD, "", &page));
    wordings.chain(pages).collect()
}

fn render_long_wording(kind: TemplateKindName, language: Language) -> LongEmail {
    let values = long_values(language);
    let wording = template::default_wording(kind, language);
    let filled = template::render_wording(kind, &wording, &values).expect("a default wording is rendered");
    let body = template::strip_opt_out_sentence(&filled.body);
    let page = EmailPage {
        button: template::find_button(kind, &values, &body),
        links: true,
        language: Some(language),
        footer: format!("You get this email because you asked {LONG_BUSINESS} for work."),
        ..EmailPage::default()
    };
    render_long_page(format!("{kind:?} {language:?}"), filled.subject.as_deref().unwrap_or(LONG_WORD), &body, &page)
}

fn render_long_page(name: String, heading: &str, text: &str, page: &EmailPage) -> LongEmail {
    let from = template::EmailSender { postal_address: Some(LONG_WORD), brand: None };
    let html = template::render_html(LONG_BUSINESS, heading, text, page, from).expect("the layout is sound");
    LongEmail { name, html }
}

fn long_link(last: &str) -> String {
    format!("https://toolbox.example/p/{}/{last}", "x1Y".repeat(40))
}

fn long_values(language: Language) -> WordingValues {
    WordingValues {
        language,
        customer_name: LONG_WORD.to_owned(),
        customer_message: Some(LONG_WORD.repeat(3)),
        crew_name: Some(LONG_WORD.to_owned()),
        review_link: Some(long_link("review")),
        booking_link: Some(long_link("book")),
        times_link: Some(long_link("times")),
        estimate_link: Some(long_link("estimate")),
        change_order_link: Some(long_link("change")),
        invoice_link: Some(long_link("invoice")),
        visit_link: Some(long_link("visit")),
        ..WordingValues::example_values(LONG_BUSINESS)
    }
}

fn build_long_notice() -> EmailPage {
    let facts = [("Name", LONG_WORD.to_owned()), ("Address", LONG_WORD.repeat(3)), ("Email", long_link("email"))];
    EmailPage {
        text: Some(LONG_WORD.repeat(4)),
        button: Some(("Open the lead".to_owned(), long_link("lead"))),
        other_button: Some(("Text them from your phone".to_owned(), format!("sms:+15125550142?body={LONG_WORD}"))),
        facts: facts.map(|(label, value)| (label.to_owned(), value)).into(),
        footer: LONG_WORD.repeat(2),
        leave: Some((LONG_WORD.to_owned(), long_link("stop"))),
        ..EmailPage::default()
    }
}

fn build_long_report() -> EmailPage {
    let row = |label: &str, value: &str, link: Option<String>| SectionRow {
        label: label.to_owned(),
        value: value.to_owned(),
        link,
    };
    let rows = vec![
        row("1.", LONG_WORD, Some(long_link("todo"))),
        row(LONG_WORD, "$1,234,567.89", Some(long_link("figure"))),
        row("", LONG_WORD, None),
    ];
    let chart = BarChart {
        values: (1..=7).collect(),
        marked: 6,
        labels: (17..=23).map(|day: u32| day.to_string()).collect(),
        alt: LONG_WORD.repeat(2),
    };
    EmailPage {
        button: Some(("Open the dashboard".to_owned(), long_link("dashboard"))),
        sections: vec![EmailSection { title: LONG_WORD.to_owned(), rows }],
        chart: Some(chart),
        ..EmailPage::default()
    }
}
