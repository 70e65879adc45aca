//! The invoice: what is billed, what came in, what is still owed.

use super::{
    estimate::foot,
    head::{address, head, parties, section},
    logo,
    papers::InvoicePaper,
    save::{self, About},
    sheet::Sheet,
    sums::{payments, totals},
    table::table,
    words::Words,
};
use crate::platform::money::Cents;

pub(super) fn draw(of: &InvoicePaper) -> Vec<u8> {
    let words = Words::of(of.language);
    let logo = of.sender.logo.as_deref().and_then(logo::read);
    let mut sheet =
        Sheet::new((&of.sender.name, &format!("{} · {}", name(of, words), of.recipient.name)), stamp(of, words));
    let mut facts = Vec::new();
    facts.extend(of.number.clone().map(|number| (words.number, number)));
    facts.push((words.issued, words.day(of.issued_on)));
    facts.extend(of.due_on.map(|day| (words.due, words.day(day))));
    facts.extend(of.about.clone().map(|about| (words.about, about)));
    head(&mut sheet, &of.sender, logo.as_deref(), words.invoice, &facts);
    let about = [(words.work, of.title.as_deref()), (words.site, of.site.as_deref())];
    parties(&mut sheet, words.bill_to, &of.recipient, &about);
    table(&mut sheet, words, &of.paper);
    let sums = of.paper.totals(&of.paper.recommended());
    totals(&mut sheet, words, &of.paper, &sums, words.total);
    let paid: Cents = of.payments.iter().map(|payment| payment.amount).sum();
    // What is void is not to be paid.
    let asks = !of.is_void;
    if asks {
        payments(&mut sheet, words, &of.payments, Cents(sums.total.0.saturating_sub(paid.0)));
    }
    sheet.y += 12.0;
    section(&mut sheet, words.how_to_pay, of.how_to_pay.as_deref().filter(|_| asks));
    section(&mut sheet, words.notes, of.paper.notes.as_deref());
    section(&mut sheet, words.terms, of.paper.terms.as_deref());
    address(&mut sheet, words.pay_online, of.link.as_deref().filter(|_| asks));
    let foot = foot(&of.sender.name, of.sender.phone.as_deref());
    let pages = sheet.finish(&foot, |page, all| words.page_of(page, all));
    let about = About { title: name(of, words), author: &of.sender.name, issued_on: of.issued_on };
    save::bytes(pages, logo.as_deref(), &about)
}

fn name(of: &InvoicePaper, words: &Words) -> String {
    match &of.number {
        Some(number) => format!("{} {number}", words.invoice),
        None => words.invoice.to_owned(),
    }
}

fn stamp(of: &InvoicePaper, words: &Words) -> Option<&'static str> {
    match (&of.number, of.is_void) {
        (_, true) => Some(words.void),
        (None, false) => Some(words.draft),
        (Some(_), false) => None,
    }
}
