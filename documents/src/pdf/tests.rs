//! Properties of every paper, checked without a PDF reader.

use chrono::NaiveDate;
use platform::{language::Language, money::Cents};

use super::*;
use crate::{
    brand_color::BrandColor,
    line_items::{DepositRule, DocumentContent},
};

fn estimate_with_paper(paper: DocumentContent) -> EstimatePdf {
    EstimatePdf {
        language: Language::En,
        sender: PdfSender { name: "Acme Plumbing".into(), ..PdfSender::default() },
        recipient: PdfRecipient { name: "Ann Miller".into(), ..PdfRecipient::default() },
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

fn contains_bytes(bytes: &[u8], part: &str) -> bool {
    bytes.windows(part.len()).any(|window| window == part.as_bytes())
}

#[test]
fn pdf_with_same_values_has_same_bytes() {
    let one = estimate_with_paper(DocumentContent::with_single_line("Work as discussed", Cents(125_050)));
    let first = render_estimate(&one);
    drop(render_estimate(&estimate_with_paper(DocumentContent::with_single_line("Other work", Cents(1)))));
    assert_eq!(render_estimate(&one), first);
    assert!(first.starts_with(b"%PDF-1.7") && first.ends_with(b"%%EOF"), "a whole file");
}

#[test]
fn pdf_holds_issue_date_and_no_file_identifier() {
    let bytes = render_estimate(&estimate_with_paper(DocumentContent::with_single_line("Work", Cents(100))));
    assert!(contains_bytes(&bytes, "D:20261121000000"));
    assert!(!contains_bytes(&bytes, "/ID"), "the identifier is counted up over the life of a process");
}

#[test]
fn business_color_is_drawn() {
    let plain = estimate_with_paper(DocumentContent::with_single_line("Work", Cents(100)));
    let mut branded = plain.clone();
    branded.sender.color = BrandColor::parse_hex("#1d4ed8");
    assert!(branded.sender.color.is_some());
    assert_ne!(render_estimate(&branded), render_estimate(&plain));
}

#[test]
fn page_size_is_us_letter() {
    let bytes = render_estimate(&estimate_with_paper(DocumentContent::with_single_line("Work", Cents(100))));
    assert!(contains_bytes(&bytes, "[0 0 612 792]"));
}
