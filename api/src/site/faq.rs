//! The seven cards of the FAQ. An operator may word each answer anew, and says which figures they stand behind.

use serde::Serialize;

use super::{
    config::SiteConfig,
    words::{MONTHLY, PREPAID_SETUP_FEE, PREPAY_SAVES, SETUP_FEE, dollars},
};

/// The card that states what customers may expect.
pub const PAYS: &str = "payback";
/// The cards, in the order of the page.
pub const KEYS: [&str; 7] = ["price", "others", "setup", PAYS, "timeline", "guarantee", "contract"];
/// What customers may expect, as the product says it; an operator who cannot substantiate it says something else.
const CLAIMS: [&str; 3] = ["15-30% more leads convert", "300%+ more reviews", "payback within 1-2 months"];

/// A question with its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Card {
    pub key: &'static str,
    pub question: String,
    pub answer: Vec<String>,
}

/// The seven cards as this install says them.
#[must_use]
pub fn cards(config: &SiteConfig) -> Vec<Card> {
    let own = |key: &str| config.faq.get(key).cloned();
    let card = |key| Card { key, question: question(key), answer: own(key).unwrap_or_else(|| answer(key, config)) };
    KEYS.into_iter().map(card).collect()
}

fn question(key: &str) -> String {
    let (setup, month) = (dollars(SETUP_FEE), dollars(MONTHLY));
    match key {
        "price" => format!("Why {month} a month?"),
        "others" => "Why not other CRM software?".to_owned(),
        "setup" => format!("What does the {setup} setup cover?"),
        PAYS => "How does it pay for itself?".to_owned(),
        "timeline" => "How long does setup take?".to_owned(),
        "guarantee" => "What if it does not work?".to_owned(),
        _ => "What are the contract terms?".to_owned(),
    }
}

fn answer(key: &str, config: &SiteConfig) -> Vec<String> {
    match key {
        "price" => price(),
        "others" => owned(&[
            "Most CRM software is a filing cabinet: somebody in the office has to fill it in and keep it up. Toolbox does \
             the work between the jobs by itself. It answers, schedules, reminds and asks for the review, and shows you \
             each message it sent and why.",
            "There are no tiers and no add-ons, nothing is counted by the user, and you are never asked to upgrade to get \
             at a feature.",
        ]),
        "setup" => setup(),
        PAYS => payback(config.claims.as_deref()),
        "timeline" => owned(&[
            "1-3 weeks from payment to go-live. Behind that are 15-25 hours of technical work over 2-3 weeks.",
            "It takes two appointments of your time: one 60-minute onboarding call and one 30-minute training session.",
        ]),
        "guarantee" => owned(&[
            "If technical issues on our side prevent your data from being collected, the setup fee is refunded. That is \
             the only case in which it is, and after 60 days it is non-refundable.",
            "You do not have to take our word for how it goes: your dashboard shows every request, every answer and \
             every message that could not be sent.",
        ]),
        _ => owned(&[
            "The monthly plan is month-to-month. You can cancel with 30 days notice.",
            "You keep your data when you leave: customers, jobs, messages, estimates and invoices are yours to take along.",
        ]),
    }
}

fn price() -> Vec<String> {
    let month = dollars(MONTHLY);
    vec![
        format!(
            "{month} a month is the whole price: all five tools, unlimited usage, no tiers and no add-ons. It stays the \
             same however many leads, jobs and people you have."
        ),
        "One job that would have gone to whoever called back first can pay for a month. You know what yours bring in: do \
         the sum with your own numbers."
            .to_owned(),
    ]
}

fn setup() -> Vec<String> {
    let (off, reduced) = (dollars(PREPAY_SAVES), dollars(PREPAID_SETUP_FEE));
    vec![
        "15-25 hours of technical work: your forms, your number for texts and calls, your templates and booking links, \
         your estimates and invoices in your name, and your recipients and reports. One 60-minute onboarding call and one \
         30-minute training session are part of it."
            .to_owned(),
        format!("It is paid once. A 6-month prepay saves {off} on setup: {reduced} instead."),
    ]
}

/// What customers may expect, where the operator stands behind it, and where everybody finds their own figures.
fn payback(claims: Option<&[String]>) -> Vec<String> {
    let expected = claims.map_or_else(|| owned(&CLAIMS), <[String]>::to_vec);
    let counted = "Your own figures stand on your dashboard: Toolbox counts which jobs and payments came in after its \
                   messages, so after the first weeks you judge it by your numbers and not by ours.";
    let mut said = vec![
        "Work is lost when the phone rings out, when an estimate is never followed up and when an invoice is forgotten. \
         Toolbox answers, follows up and reminds each time."
            .to_owned(),
    ];
    if !expected.is_empty() {
        said.push(format!("What to expect: {}.", expected.join(", ")));
    }
    said.push(counted.to_owned());
    said
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(config: &SiteConfig) -> String {
        cards(config).into_iter().flat_map(|card| card.answer).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_seven_cards_say_what_the_product_promises() {
        let config = SiteConfig::default();
        let keys: Vec<_> = cards(&config).iter().map(|card| card.key).collect();
        assert_eq!(keys, KEYS);
        let text = said(&config);
        for fact in [
            "1-3 weeks from payment to go-live",
            "15-25 hours of technical work over 2-3 weeks",
            "60-minute onboarding call",
            "30-minute training session",
            "after 60 days it is non-refundable",
            "month-to-month",
            "30 days notice",
            "15-30% more leads convert, 300%+ more reviews, payback within 1-2 months",
            "$500 on setup: $2,000",
        ] {
            assert!(text.contains(fact), "{fact}");
        }
    }

    #[test]
    fn an_operator_who_claims_nothing_has_no_figure_on_the_page() {
        let config = SiteConfig { claims: Some(Vec::new()), ..SiteConfig::default() };
        let text = said(&config);
        assert!(!text.contains("What to expect") && !text.contains("15-30%"), "{text}");
        assert!(text.contains("Your own figures"));
    }

    #[test]
    fn an_answer_of_the_operators_own_stands_in_place_of_ours() {
        let own = [(PAYS.to_owned(), vec!["Ask Ray in Galveston.".to_owned()])];
        let config = SiteConfig { faq: own.into(), ..SiteConfig::default() };
        let text = said(&config);
        assert!(text.contains("Ask Ray in Galveston.") && !text.contains("15-30%"));
    }
}
