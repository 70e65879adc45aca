//! PDF of a receipt: one payment or refund and the balance after it.

use platform::money::Cents;

use super::{
    estimate::{draw_fact, footer_text},
    header::{draw_header, draw_parties},
    logo,
    pdf_content::ReceiptPdf,
    save::{self, PdfMetadata},
    sheet::{LEFT, MEASURE, PdfSheet},
    style::{BODY, HEADING, TITLE, TextStyle},
    sum_rows::draw_sum_row,
    table::format_money,
    words::PdfLabels,
};

const COLUMN: f32 = 96.0;
const AMOUNT: TextStyle = TextStyle { size: 28.0, leading: 36.0, ..TITLE };

pub(super) fn draw_receipt(of: &ReceiptPdf) -> Vec<u8> {
    let words = PdfLabels::for_language(of.language);
    let logo = of.sender.logo.as_deref().and_then(logo::load_logo);
    let (title, from, amount) = if of.is_refund {
        (words.refund, words.refunded_to, words.given_back)
    } else {
        (words.receipt, words.received_from, words.received)
    };
    let name = format!("{title} {}", of.number);
    let mut sheet = PdfSheet::new((&of.sender.name, &format!("{name} · {}", of.recipient.name)), None);
    let facts = [(words.number, of.number.clone()), (words.date, words.format_day(of.received_on))];
    draw_header(&mut sheet, &of.sender, logo.as_deref(), title, &facts);
    draw_parties(&mut sheet, from, &of.recipient, &[(words.work, of.title.as_deref())]);
    sheet.draw_rule(0.5);
    sheet.y += 14.0;
    sheet.draw_wrapped_text(LEFT, MEASURE, HEADING, amount);
    sheet.draw_wrapped_text(LEFT, MEASURE, AMOUNT, &format_money(of.amount));
    sheet.y += 6.0;
    draw_payment_details(&mut sheet, of, words);
    draw_balance(&mut sheet, of, words);
    if !of.is_refund {
        sheet.y += 14.0;
        sheet.draw_wrapped_text(LEFT, MEASURE, BODY, words.thanks);
    }
    let pages = sheet.into_pages(&footer_text(&of.sender.name, of.sender.phone.as_deref()), |page, all| {
        words.page_number_label(page, all)
    });
    save::save_document(
        pages,
        logo.as_deref(),
        &PdfMetadata { title: name, author: &of.sender.name, issued_on: of.received_on },
    )
}

fn draw_payment_details(sheet: &mut PdfSheet, of: &ReceiptPdf, words: &PdfLabels) {
    draw_fact(sheet, COLUMN, words.by_means, words.payment_means_label(of.means));
    let details = [(words.reference, &of.reference), (words.note, &of.note)];
    for (label, text) in details {
        if let Some(text) = text {
            draw_fact(sheet, COLUMN, label, text);
        }
    }
    for (number, part) in &of.invoices {
        draw_fact(sheet, COLUMN, words.put_to, &format!("{} {number}: {}", words.invoice, format_money(*part)));
    }
    sheet.y += 10.0;
}

fn draw_balance(sheet: &mut PdfSheet, of: &ReceiptPdf, words: &PdfLabels) {
    let credit = Some(of.credit).filter(|credit| *credit > Cents::ZERO);
    if of.owed.or(credit).is_none() {
        return;
    }
    sheet.draw_rule(0.5);
    sheet.y += 8.0;
    for (label, amount) in [(words.still_owed, of.owed), (words.credit, credit)] {
        if let Some(amount) = amount {
            draw_sum_row(sheet, BODY, label, amount);
        }
    }
}
