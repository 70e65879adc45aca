//! Reviews: every customer whose work is done is asked, in the same words and by the same link; reviews are taken in
//! from all sources.
//!
//! A sequence (`review_request`) is one row per completed job: who was asked, or why not. Its steps are follow-ups
//! ([`crate::domain::messaging::followup`]): a request, and two more after three and seven days, until the customer
//! opens the public site, leaves a review or answers, or another reason ends it. No code reads star ratings before
//! asking, and all customers get the same link (16 CFR 465.7); a test reads these files for it.

pub mod export;
mod form;
pub mod import;
pub mod intake;
pub mod key;
pub mod list;
mod low_rating;
pub mod matching;
mod own_phone;
pub mod page;
pub mod reply;
pub mod report;
pub mod request;
pub mod request_lifecycle;
pub mod request_list;
mod rule;
pub(crate) mod sequence;
mod sheet;

pub use rule::{ReviewRequestCause, ReviewRequestReason, ReviewRequestState, ReviewSequenceStep};

#[cfg(test)]
mod tests {
    /// Files that decide who is asked, when, by which channel, in which words, and with which link.
    const BEFORE: [(&str, &str); 12] = [
        ("request_lifecycle", include_str!("review/request_lifecycle.rs")),
        ("request_lifecycle/cause", include_str!("review/request_lifecycle/cause.rs")),
        ("request_lifecycle/ends", include_str!("review/request_lifecycle/ends.rs")),
        ("request", include_str!("review/request.rs")),
        ("rule", include_str!("review/rule.rs")),
        ("sequence", include_str!("review/sequence.rs")),
        ("sequence/eligibility", include_str!("review/sequence/eligibility.rs")),
        ("sequence/delivery_outcome", include_str!("review/sequence/delivery_outcome.rs")),
        ("sequence/words", include_str!("review/sequence/words.rs")),
        ("site", include_str!("../tenancy/org/review_site.rs")),
        ("request_list", include_str!("review/request_list.rs")),
        ("decent", include_str!("../../../../platform/src/contact_hours/courtesy.rs")),
    ];

    fn code(file: &str) -> String {
        let code = file.split("#[cfg(test)]\nmod tests").next().unwrap();
        code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n").to_lowercase()
    }

    #[test]
    fn review_request_code_never_mentions_rating() {
        for (name, file) in BEFORE {
            for word in ["stars", "rating", "sentiment", "score", "mood", "low", "happy"] {
                let found = code(file).split(|c: char| !c.is_alphanumeric()).any(|found_word| found_word == word);
                assert!(!found, "{name} speaks of {word}");
            }
        }
    }

    #[test]
    fn customer_review_page_branches_on_review_given_and_not_on_rating() {
        let page = include_str!("../../../../api/src/pages/review.html");
        let branches: Vec<&str> =
            page.split("{% ").filter_map(|part| part.split_once(" %}")).map(|(tag, _)| tag).collect();
        let branches: Vec<&str> =
            branches.into_iter().filter(|tag| tag.starts_with("if ") || tag.starts_with("elif ")).collect();
        let wanted = [
            "if error and error.fields[name]",
            "if is_given",
            "if error and error.text",
            "if site",
            // Marks the chosen star.
            "if star.is_chosen",
            "if is_given",
        ];
        assert_eq!(branches, wanted);
        // A low rating is reported to the business only; the customer's page does not depend on it.
        let page = code(include_str!("review/page.rs"));
        assert!(!page.contains("low") && !page.contains("stars <") && !page.contains("stars >"), "{page}");
    }
}
