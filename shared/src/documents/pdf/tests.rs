//! What holds for every paper, without a reader's program.

use chrono::NaiveDate;

use super::*;
use crate::{
    documents::{
        line_items::{DepositRule, Paper},
        template::Language,
    },
    platform::money::Cents,
};

fn estimate_of(paper: Paper) -> EstimatePaper {
    EstimatePaper {
        language: Language::En,
        sender: Sender { name: "Acme Plumbing".into(), ..Sender::default() },
        recipient: Recipient { name: "Ann Miller".into(), ..Recipient::default() },
        number: Some("EST-1001".into()),
        issued_on: NaiveDate::from_ymd_opt(2026, 11, 21).unwrap(),
        expires_on: None,
        title: None,
        site: None,
        paper,
        deposit: DepositRule::None,
        change: None,
        link: None,
    }
}

fn holds(bytes: &[u8], part: &str) -> bool {
    bytes.windows(part.len()).any(|window| window == part.as_bytes())
}

#[test]
fn the_same_values_are_the_same_bytes_whatever_was_drawn_between() {
    let one = estimate_of(Paper::one_line("Work as discussed", Cents(125_050)));
    let first = estimate(&one);
    drop(estimate(&estimate_of(Paper::one_line("Other work", Cents(1)))));
    assert_eq!(estimate(&one), first);
    assert!(first.starts_with(b"%PDF-1.7") && first.ends_with(b"%%EOF"), "a whole file");
}

#[test]
fn a_file_says_when_its_paper_was_issued_and_nothing_of_when_it_was_made() {
    let bytes = estimate(&estimate_of(Paper::one_line("Work", Cents(100))));
    assert!(holds(&bytes, "D:20261121000000"));
    assert!(!holds(&bytes, "/ID"), "the identifier is counted up over the life of a process");
}

#[test]
fn a_letter_is_eight_and_a_half_by_eleven_inches() {
    let bytes = estimate(&estimate_of(Paper::one_line("Work", Cents(100))));
    assert!(holds(&bytes, "[0 0 612 792]"));
}
