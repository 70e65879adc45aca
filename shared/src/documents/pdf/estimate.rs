//! The estimate, or the change order, as it is sent.

use super::{
    head::{address, head, parties, section},
    logo::{self, Logo},
    papers::EstimatePaper,
    save::{self, About},
    sheet::{LEFT, RIGHT, Sheet},
    style::{BODY, LABEL, SMALL, STRONG, Style},
    sums::{big, row, totals},
    table::table,
    words::Words,
};
use crate::platform::money::Cents;

/// How much the lines to sign on take.
const SIGN_HERE: f32 = 38.0;

/// The words of an estimate, or of a change order.
pub(super) fn words(of: &EstimatePaper) -> &'static Words {
    if of.change.is_some() { Words::of_change(of.language) } else { Words::of(of.language) }
}

pub(super) fn draw(of: &EstimatePaper) -> Vec<u8> {
    let words = words(of);
    let logo = of.sender.logo.as_deref().and_then(logo::read);
    let mut sheet = pages(of, words, logo.as_deref());
    // Two lines alone on a page would be wasted on who can sign online.
    if of.number.is_some() && (of.link.is_none() || sheet.fits(SIGN_HERE)) {
        sign_here(&mut sheet, words);
    }
    finish(sheet, of, words, logo.as_deref())
}

/// "Estimate EST-1001", or "Estimate" of a draft.
pub(super) fn name(of: &EstimatePaper, words: &Words) -> String {
    match &of.number {
        Some(number) => format!("{} {number}", words.estimate),
        None => words.estimate.to_owned(),
    }
}

/// The paper itself, without what is added at its end.
pub(super) fn pages(of: &EstimatePaper, words: &'static Words, logo: Option<&Logo>) -> Sheet {
    let running = format!("{} · {}", name(of, words), of.recipient.name);
    let stamp = of.number.is_none().then_some(words.draft);
    let mut sheet = Sheet::new((&of.sender.name, &running), stamp);
    let mut facts = Vec::new();
    facts.extend(of.number.clone().map(|number| (words.number, number)));
    facts.extend(of.change.as_ref().map(|change| (words.job, change.job.to_string())));
    facts.push((words.issued, words.day(of.issued_on)));
    facts.extend(of.expires_on.map(|day| (words.valid_until, words.day(day))));
    head(&mut sheet, &of.sender, logo, words.estimate, &facts);
    let about = [(words.work, of.title.as_deref()), (words.site, of.site.as_deref())];
    parties(&mut sheet, words.prepared_for, &of.recipient, &about);
    table(&mut sheet, words, &of.paper);
    sums(&mut sheet, of, words);
    sheet.y += 12.0;
    section(&mut sheet, words.notes, of.paper.notes.as_deref());
    section(&mut sheet, words.terms, of.paper.terms.as_deref());
    address(&mut sheet, words.read_online, of.link.as_deref());
    sheet
}

/// Of the recommended selection.
fn sums(sheet: &mut Sheet, of: &EstimatePaper, words: &Words) {
    let selection = of.paper.recommended();
    let sums = of.paper.totals(&selection);
    let option = of.paper.options.iter().find(|option| Some(&option.id) == selection.option_id.as_ref());
    let label = option.map(|option| format!("{} {}", words.total_with, option.name));
    totals(sheet, words, &of.paper, &sums, label.as_deref().unwrap_or(words.total));
    let deposit = of.deposit.of(sums.total);
    if deposit > Cents::ZERO {
        row(sheet, STRONG, words.deposit, deposit);
    }
    change(sheet, of, words, sums.total);
}

/// What a change order is added to, and what comes of it.
pub(super) fn change(sheet: &mut Sheet, of: &EstimatePaper, words: &Words, total: Cents) {
    let Some(change) = &of.change else { return };
    #[expect(clippy::cast_precision_loss, reason = "some rows")]
    let high = BODY.leading * change.before.len().min(20) as f32 + 40.0;
    sheet.need(high);
    sheet.y += 10.0;
    for (label, amount) in &change.before {
        row(sheet, BODY, label, *amount);
    }
    let all: Cents = change.before.iter().map(|(_, amount)| *amount).chain([total]).sum();
    big(sheet, words.new_total, all);
}

/// For those who sign on paper.
fn sign_here(sheet: &mut Sheet, words: &Words) {
    sheet.need(SIGN_HERE);
    let line = sheet.y + SIGN_HERE - LABEL.leading - 2.0;
    let date = RIGHT - 130.0;
    sheet.rule_at(LEFT, date - 24.0, line, 0.75, 0.0);
    sheet.rule_at(date, RIGHT, line, 0.75, 0.0);
    sheet.text(LEFT, line + 2.0, SMALL, words.accepted_by);
    sheet.text(date, line + 2.0, SMALL, words.date);
    sheet.y += SIGN_HERE;
}

/// Feet on the pages, and the file.
pub(super) fn finish(sheet: Sheet, of: &EstimatePaper, words: &Words, logo: Option<&Logo>) -> Vec<u8> {
    let pages = sheet.finish(&foot(&of.sender.name, of.sender.phone.as_deref()), |page, all| words.page_of(page, all));
    let about = About { title: name(of, words), author: &of.sender.name, issued_on: of.issued_on };
    save::bytes(pages, logo, &about)
}

/// "Acme Plumbing · (512) 555-0100".
pub(super) fn foot(name: &str, phone: Option<&str>) -> String {
    phone.map_or_else(|| name.to_owned(), |phone| format!("{name} · {phone}"))
}

/// A label and what it names, under each other with the same beginnings.
pub(super) fn fact(sheet: &mut Sheet, column: f32, label: &str, words: &str) {
    sheet.need(BODY.leading);
    let top = sheet.y;
    sheet.text(LEFT, top, Style { leading: BODY.leading, ..SMALL }, label);
    sheet.flow(LEFT + column, RIGHT - LEFT - column, BODY, words);
    sheet.y += 2.0;
}
