//! PDF of an invoice: lines, payments, balance.

use platform::money::Cents;

use super::{
    estimate::footer_text,
    header::{draw_header, draw_link_line, draw_parties, draw_section},
    logo,
    pdf_content::InvoicePdf,
    save::{self, PdfMetadata},
    sheet::PdfSheet,
    sum_rows::{draw_payments, draw_totals},
    table::draw_table,
    words::PdfLabels,
};

pub(super) fn draw_invoice(of: &InvoicePdf) -> Vec<u8> {
    let words = PdfLabels::for_language(of.language);
    let logo = of.sender.logo.as_deref().and_then(logo::load_logo);
    let mut sheet = PdfSheet::new(
        (&of.sender.name, &format!("{} · {}", document_name(of, words), of.recipient.name)),
        stamp_label(of, words),
    );
    let mut facts = Vec::new();
    facts.extend(of.number.clone().map(|number| (words.number, number)));
    facts.push((words.issued, words.format_day(of.issued_on)));
    facts.extend(of.due_on.map(|day| (words.due, words.format_day(day))));
    facts.extend(of.about.clone().map(|about| (words.about, about)));
    draw_header(&mut sheet, &of.sender, logo.as_deref(), words.invoice, &facts);
    let about = [(words.work, of.title.as_deref()), (words.site, of.site.as_deref())];
    draw_parties(&mut sheet, words.bill_to, &of.recipient, &about);
    draw_table(&mut sheet, words, &of.paper);
    let sums = of.paper.compute_totals(&of.paper.recommended_selection());
    draw_totals(&mut sheet, words, &of.paper, &sums, words.total);
    let paid: Cents = of.payments.iter().map(|payment| payment.amount).sum();
    let asks = !of.is_void;
    if asks {
        draw_payments(&mut sheet, words, &of.payments, Cents(sums.total.0.saturating_sub(paid.0)));
    }
    sheet.y += 12.0;
    draw_section(&mut sheet, words.how_to_pay, of.how_to_pay.as_deref().filter(|_| asks));
    draw_section(&mut sheet, words.notes, of.paper.notes.as_deref());
    draw_section(&mut sheet, words.terms, of.paper.terms.as_deref());
    draw_link_line(&mut sheet, words.pay_online, of.link.as_deref().filter(|_| asks));
    let foot = footer_text(&of.sender.name, of.sender.phone.as_deref());
    let pages = sheet.into_pages(&foot, |page, all| words.page_number_label(page, all));
    let about = PdfMetadata { title: document_name(of, words), author: &of.sender.name, issued_on: of.issued_on };
    save::save_document(pages, logo.as_deref(), &about)
}

fn document_name(of: &InvoicePdf, words: &PdfLabels) -> String {
    match &of.number {
        Some(number) => format!("{} {number}", words.invoice),
        None => words.invoice.to_owned(),
    }
}

fn stamp_label(of: &InvoicePdf, words: &PdfLabels) -> Option<&'static str> {
    match (&of.number, of.is_void) {
        (_, true) => Some(words.void),
        (None, false) => Some(words.draft),
        (Some(_), false) => None,
    }
}
