//! The seven FAQ cards. An operator may reword each answer and choose the claims.

use serde::Serialize;

use super::{
    config::SiteConfig,
    words::{MONTHLY, PREPAID_SETUP_FEE, PREPAY_SAVES, SETUP_FEE, format_dollars},
};

pub const PAYS: &str = "payback";
pub const KEYS: [&str; 7] = ["price", "others", "setup", PAYS, "timeline", "guarantee", "contract"];
/// The product's own claims; an operator who cannot substantiate them must replace them.
const CLAIMS: [&str; 3] = ["15-30% more leads convert", "300%+ more reviews", "payback within 1-2 months"];

/// A question with its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FaqCard {
    pub key: &'static str,
    pub question: String,
    pub answer: Vec<String>,
}

#[must_use]
pub fn faq_cards(config: &SiteConfig) -> Vec<FaqCard> {
    let own = |key: &str| config.faq.get(key).cloned();
    let card = |key| FaqCard {
        key,
        question: question_text(key),
        answer: own(key).unwrap_or_else(|| answer_text(key, config)),
    };
    KEYS.into_iter().map(card).collect()
}

fn question_text(key: &str) -> String {
    let (setup, month) = (format_dollars(SETUP_FEE), format_dollars(MONTHLY));
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

fn answer_text(key: &str, config: &SiteConfig) -> Vec<String> {
    match key {
        "price" => price_answer(),
        "others" => to_strings(&[
            "Most CRM software is a filing cabinet: someone in the office has to fill it in and keep it up to date. \
             Toolbox does the work between the jobs for you. It answers, schedules, reminds and asks for the review, and \
             shows you each message it sent and why.",
            "There are no tiers and no add-ons, you do not pay per user, and you are never asked to upgrade to get a \
             feature.",
        ]),
        "setup" => setup_answer(),
        PAYS => payback_answer(config.claims.as_deref()),
        "timeline" => to_strings(&[
            "1-3 weeks from payment to go-live. Behind that are 15-25 hours of technical work over 2-3 weeks.",
            "It takes two appointments of your time: one 60-minute onboarding call and one 30-minute training session.",
        ]),
        "guarantee" => to_strings(&[
            "If technical issues on our side prevent your data from being collected, the setup fee is refunded. That is \
             the only case in which it is, and after 60 days it is non-refundable.",
            "You do not have to take our word for how it goes: your dashboard shows every request, every answer and \
             every message that could not be sent.",
        ]),
        _ => to_strings(&[
            "The monthly plan is month-to-month. You can cancel with 30 days notice.",
            "You keep your data when you leave: customers, jobs, messages, estimates and invoices are yours to take.",
        ]),
    }
}

fn price_answer() -> Vec<String> {
    let month = format_dollars(MONTHLY);
    vec![
        format!(
            "{month} a month is the whole price: all five tools, unlimited usage, no tiers and no add-ons. It stays the \
             same however many leads, jobs and people you have."
        ),
        "One job that would have gone to the first business to call back can pay for a month. You know what your jobs \
         bring in: do the math with your own numbers."
            .to_owned(),
    ]
}

fn setup_answer() -> Vec<String> {
    let (off, reduced) = (format_dollars(PREPAY_SAVES), format_dollars(PREPAID_SETUP_FEE));
    vec![
        "15-25 hours of technical work: your forms, your number for texts and calls, your templates and booking links, \
         your estimates and invoices in your name, and your recipients and reports. One 60-minute onboarding call and one \
         30-minute training session are part of it."
            .to_owned(),
        format!("It is paid once. A 6-month prepay saves {off} on setup: {reduced} instead."),
    ]
}

/// The claims, if any, and where a business finds its own figures.
fn payback_answer(claims: Option<&[String]>) -> Vec<String> {
    let expected = claims.map_or_else(|| to_strings(&CLAIMS), <[String]>::to_vec);
    let counted = "Your own figures are on your dashboard: Toolbox counts which jobs and payments came in after its \
                   messages, so after the first weeks you judge it by your numbers and not by ours.";
    let mut paragraphs = vec![
        "You lose work when a call goes unanswered, when no one follows up on an estimate and when an invoice is \
         forgotten. Toolbox answers, follows up and reminds each time."
            .to_owned(),
    ];
    if !expected.is_empty() {
        paragraphs.push(format!("What to expect: {}.", expected.join(", ")));
    }
    paragraphs.push(counted.to_owned());
    paragraphs
}

fn to_strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers_text(config: &SiteConfig) -> String {
        faq_cards(config).into_iter().flat_map(|card| card.answer).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn default_faq_has_its_cards_with_the_promised_facts() {
        let config = SiteConfig::default();
        let keys: Vec<_> = faq_cards(&config).iter().map(|card| card.key).collect();
        assert_eq!(keys, KEYS);
        let text = answers_text(&config);
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
    fn faq_without_claims_shows_no_figures() {
        let config = SiteConfig { claims: Some(Vec::new()), ..SiteConfig::default() };
        let text = answers_text(&config);
        assert!(!text.contains("What to expect") && !text.contains("15-30%"), "{text}");
        assert!(text.contains("Your own figures"));
    }

    #[test]
    fn operator_answer_replaces_the_default_one() {
        let own = [(PAYS.to_owned(), vec!["Ask Ray in Galveston.".to_owned()])];
        let config = SiteConfig { faq: own.into(), ..SiteConfig::default() };
        let text = answers_text(&config);
        assert!(text.contains("Ask Ray in Galveston.") && !text.contains("15-30%"));
    }
}
