//! PDF of an estimate or a change order as sent.

use platform::money::Cents;

use super::{
    header::{draw_header, draw_link_line, draw_parties, draw_section},
    logo::{self, Logo},
    pdf_content::EstimatePdf,
    save::{self, PdfMetadata},
    sheet::{LEFT, PdfSheet, RIGHT},
    style::{BODY, LABEL, SMALL, STRONG, TextStyle},
    sum_rows::{draw_grand_total, draw_sum_row, draw_totals},
    table::draw_table,
    words::PdfLabels,
};

const SIGN_HERE: f32 = 38.0;

pub(super) fn estimate_labels(of: &EstimatePdf) -> &'static PdfLabels {
    if of.change.is_some() { PdfLabels::for_change_order(of.language) } else { PdfLabels::for_language(of.language) }
}

pub(super) fn draw_estimate(of: &EstimatePdf) -> Vec<u8> {
    let words = estimate_labels(of);
    let logo = of.sender.logo.as_deref().and_then(logo::load_logo);
    let mut sheet = draw_pages(of, words, logo.as_deref());
    // No new page for two signature lines when the paper can be signed online.
    if of.number.is_some() && (of.link.is_none() || sheet.has_room(SIGN_HERE)) {
        draw_signature_lines(&mut sheet, words);
    }
    finish_document(sheet, of, words, logo.as_deref())
}

pub(super) fn document_name(of: &EstimatePdf, words: &PdfLabels) -> String {
    match &of.number {
        Some(number) => format!("{} {number}", words.estimate),
        None => words.estimate.to_owned(),
    }
}

pub(super) fn draw_pages(of: &EstimatePdf, words: &'static PdfLabels, logo: Option<&Logo>) -> PdfSheet {
    let running = format!("{} · {}", document_name(of, words), of.recipient.name);
    let stamp = of.number.is_none().then_some(words.draft);
    let mut sheet = PdfSheet::new((&of.sender.name, &running), stamp);
    let mut facts = Vec::new();
    facts.extend(of.number.clone().map(|number| (words.number, number)));
    facts.extend(of.change.as_ref().map(|change| (words.job, change.job.to_string())));
    facts.push((words.issued, words.format_day(of.issued_on)));
    facts.extend(of.expires_on.map(|day| (words.valid_until, words.format_day(day))));
    draw_header(&mut sheet, &of.sender, logo, words.estimate, &facts);
    let about = [(words.work, of.title.as_deref()), (words.site, of.site.as_deref())];
    draw_parties(&mut sheet, words.prepared_for, &of.recipient, &about);
    draw_table(&mut sheet, words, &of.paper);
    draw_sums(&mut sheet, of, words);
    sheet.y += 12.0;
    draw_section(&mut sheet, words.notes, of.paper.notes.as_deref());
    draw_section(&mut sheet, words.terms, of.paper.terms.as_deref());
    draw_link_line(&mut sheet, words.read_online, of.link.as_deref());
    sheet
}

fn draw_sums(sheet: &mut PdfSheet, of: &EstimatePdf, words: &PdfLabels) {
    let selection = of.paper.recommended_selection();
    let sums = of.paper.compute_totals(&selection);
    let option = of.paper.options.iter().find(|option| Some(&option.id) == selection.option_id.as_ref());
    let label = option.map(|option| format!("{} {}", words.total_with, option.name));
    draw_totals(sheet, words, &of.paper, &sums, label.as_deref().unwrap_or(words.total));
    let deposit = of.deposit.apply_to(sums.total);
    if deposit > Cents::ZERO {
        draw_sum_row(sheet, STRONG, words.deposit, deposit);
    }
    draw_change_order(sheet, of, words, sums.total);
}

pub(super) fn draw_change_order(sheet: &mut PdfSheet, of: &EstimatePdf, words: &PdfLabels, total: Cents) {
    let Some(change) = &of.change else { return };
    #[expect(clippy::cast_precision_loss, reason = "some rows")]
    let high = BODY.leading * change.before.len().min(20) as f32 + 40.0;
    sheet.ensure_room(high);
    sheet.y += 10.0;
    for (label, amount) in &change.before {
        draw_sum_row(sheet, BODY, label, *amount);
    }
    let all: Cents = change.before.iter().map(|(_, amount)| *amount).chain([total]).sum();
    draw_grand_total(sheet, words.new_total, all);
}

fn draw_signature_lines(sheet: &mut PdfSheet, words: &PdfLabels) {
    sheet.ensure_room(SIGN_HERE);
    let line = sheet.y + SIGN_HERE - LABEL.leading - 2.0;
    let date = RIGHT - 130.0;
    sheet.draw_rule_at(LEFT, date - 24.0, line, 0.75, 0.0);
    sheet.draw_rule_at(date, RIGHT, line, 0.75, 0.0);
    sheet.draw_text(LEFT, line + 2.0, SMALL, words.accepted_by);
    sheet.draw_text(date, line + 2.0, SMALL, words.date);
    sheet.y += SIGN_HERE;
}

pub(super) fn finish_document(sheet: PdfSheet, of: &EstimatePdf, words: &PdfLabels, logo: Option<&Logo>) -> Vec<u8> {
    let pages = sheet.into_pages(&footer_text(&of.sender.name, of.sender.phone.as_deref()), |page, all| {
        words.page_number_label(page, all)
    });
    let about = PdfMetadata { title: document_name(of, words), author: &of.sender.name, issued_on: of.issued_on };
    save::save_document(pages, logo, &about)
}

pub(super) fn footer_text(name: &str, phone: Option<&str>) -> String {
    phone.map_or_else(|| name.to_owned(), |phone| format!("{name} · {phone}"))
}

pub(super) fn draw_fact(sheet: &mut PdfSheet, column: f32, label: &str, words: &str) {
    sheet.ensure_room(BODY.leading);
    let top = sheet.y;
    sheet.draw_text(LEFT, top, TextStyle { leading: BODY.leading, ..SMALL }, label);
    sheet.draw_wrapped_text(LEFT + column, RIGHT - LEFT - column, BODY, words);
    sheet.y += 2.0;
}
