//! The receipt: one payment or one refund, and how things stand after it.

use super::{
    estimate::{fact, foot},
    head::{head, parties},
    logo,
    papers::ReceiptPaper,
    save::{self, About},
    sheet::{LEFT, MEASURE, Sheet},
    style::{BODY, HEADING, Style, TITLE},
    sums::row,
    table::money,
    words::Words,
};
use crate::platform::money::Cents;

const COLUMN: f32 = 96.0;
const AMOUNT: Style = Style { size: 28.0, leading: 36.0, ..TITLE };

pub(super) fn draw(of: &ReceiptPaper) -> Vec<u8> {
    let words = Words::of(of.language);
    let logo = of.sender.logo.as_deref().and_then(logo::read);
    let (title, from, amount) = if of.is_refund {
        (words.refund, words.refunded_to, words.given_back)
    } else {
        (words.receipt, words.received_from, words.received)
    };
    let name = format!("{title} {}", of.number);
    let mut sheet = Sheet::new((&of.sender.name, &format!("{name} · {}", of.recipient.name)), None);
    let facts = [(words.number, of.number.clone()), (words.date, words.day(of.received_on))];
    head(&mut sheet, &of.sender, logo.as_deref(), title, &facts);
    parties(&mut sheet, from, &of.recipient, &[(words.work, of.title.as_deref())]);
    sheet.rule(0.5);
    sheet.y += 14.0;
    sheet.flow(LEFT, MEASURE, HEADING, amount);
    sheet.flow(LEFT, MEASURE, AMOUNT, &money(of.amount));
    sheet.y += 6.0;
    how(&mut sheet, of, words);
    stands(&mut sheet, of, words);
    if !of.is_refund {
        sheet.y += 14.0;
        sheet.flow(LEFT, MEASURE, BODY, words.thanks);
    }
    let pages = sheet.finish(&foot(&of.sender.name, of.sender.phone.as_deref()), |page, all| words.page_of(page, all));
    save::bytes(pages, logo.as_deref(), &About { title: name, author: &of.sender.name, issued_on: of.received_on })
}

/// By what it came, and what was said about it.
fn how(sheet: &mut Sheet, of: &ReceiptPaper, words: &Words) {
    fact(sheet, COLUMN, words.by_means, words.means(of.means));
    let said = [(words.reference, &of.reference), (words.note, &of.note)];
    for (label, text) in said {
        if let Some(text) = text {
            fact(sheet, COLUMN, label, text);
        }
    }
    for (number, part) in &of.invoices {
        fact(sheet, COLUMN, words.put_to, &format!("{} {number}: {}", words.invoice, money(*part)));
    }
    sheet.y += 10.0;
}

/// What is owed after it, or held.
fn stands(sheet: &mut Sheet, of: &ReceiptPaper, words: &Words) {
    let credit = Some(of.credit).filter(|credit| *credit > Cents::ZERO);
    if of.owed.or(credit).is_none() {
        return;
    }
    sheet.rule(0.5);
    sheet.y += 8.0;
    for (label, amount) in [(words.still_owed, of.owed), (words.credit, credit)] {
        if let Some(amount) = amount {
            row(sheet, BODY, label, amount);
        }
    }
}
