//! Reviews: everybody whose work is done is asked, in the same words and by the same link, and what they say is taken in
//! from wherever it comes.
//!
//! A sequence (`review_ask`) is one row for each job that was done: who was asked, or why not. Its steps are follow-ups
//! ([`crate::domain::messaging::followup`]): a request, and two more after three and seven days, until they open the public site, leave a
//! review, answer, or something speaks against it. Nothing here looks at how many stars anybody gave before it asks,
//! and nothing shows one customer another link than the next (16 CFR 465.7); a test reads these files for it.

pub mod ask;
pub mod export;
mod form;
pub mod import;
pub mod intake;
pub mod key;
pub mod list;
mod low_rating;
pub mod matching;
pub mod page;
pub mod reply;
pub mod report;
pub mod request;
mod rule;
pub(crate) mod sequence;
mod sheet;
pub mod site;
pub mod standing;

pub use rule::{Cause, State, Turn, Why};

#[cfg(test)]
mod tests {
    /// Everything that decides who is asked, when, by which way, in which words, and what they are shown.
    const BEFORE: [(&str, &str); 12] = [
        ("ask", include_str!("review/ask.rs")),
        ("ask/cause", include_str!("review/ask/cause.rs")),
        ("ask/ends", include_str!("review/ask/ends.rs")),
        ("request", include_str!("review/request.rs")),
        ("rule", include_str!("review/rule.rs")),
        ("sequence", include_str!("review/sequence.rs")),
        ("sequence/seen", include_str!("review/sequence/seen.rs")),
        ("sequence/went", include_str!("review/sequence/went.rs")),
        ("sequence/words", include_str!("review/sequence/words.rs")),
        ("site", include_str!("review/site.rs")),
        ("standing", include_str!("review/standing.rs")),
        ("decent", include_str!("../../platform/contact_hours/decent.rs")),
    ];

    /// The code of a file without its comments and tests.
    fn code(file: &str) -> String {
        let code = file.split("#[cfg(test)]\nmod tests").next().unwrap();
        code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n").to_lowercase()
    }

    #[test]
    fn nothing_that_asks_looks_at_stars() {
        for (name, file) in BEFORE {
            for word in ["stars", "rating", "sentiment", "score", "mood", "low", "happy"] {
                let found = code(file).split(|c: char| !c.is_alphanumeric()).any(|said| said == word);
                assert!(!found, "{name} speaks of {word}");
            }
        }
    }

    #[test]
    fn what_a_customer_is_shown_branches_on_whether_they_gave_a_review_and_never_on_which() {
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
            // Which of the five is marked as theirs.
            "if star.is_chosen",
            "if is_given",
        ];
        assert_eq!(branches, wanted);
        // What follows a low one is told to the business; the customer's page knows nothing of it.
        let page = code(include_str!("review/page.rs"));
        assert!(!page.contains("low") && !page.contains("stars <") && !page.contains("stars >"), "{page}");
    }
}
