//! Head of the first page (sender, title, recipient) and the closing sections of every paper.

use super::{
    logo::Logo,
    pdf_content::{PdfRecipient, PdfSender},
    sheet::{LEFT, MEASURE, PdfSheet, RIGHT},
    style::{BODY, LABEL, NAME, SMALL, STRONG, TITLE, TextStyle, text_width},
};

const SENDER_WIDTH: f32 = 300.0;
const COLUMN: f32 = 250.0;
const SECOND: f32 = RIGHT - COLUMN;

pub(super) fn draw_header(
    sheet: &mut PdfSheet,
    sender: &PdfSender,
    logo: Option<&Logo>,
    title: &str,
    facts: &[(&str, String)],
) {
    let top = sheet.y;
    let right = draw_header_facts(sheet, top, title, facts);
    draw_business(sheet, sender, logo);
    sheet.y = sheet.y.max(right) + 12.0;
    match sender.color {
        Some(color) => sheet.draw_brand_rule(color),
        None => sheet.draw_rule(1.0),
    }
    sheet.y += 14.0;
}

fn draw_header_facts(sheet: &mut PdfSheet, top: f32, title: &str, facts: &[(&str, String)]) -> f32 {
    // Aligns the capitals with the top margin, as the logo.
    sheet.draw_text_right(RIGHT, top - 5.5, TITLE, title);
    let column = facts.iter().map(|(_, fact)| text_width(STRONG, fact)).fold(0.0, f32::max);
    let mut y = top + TITLE.leading + 2.0;
    for (label, fact) in facts {
        sheet.draw_text_right(RIGHT, y, STRONG, fact);
        sheet.draw_text_right(RIGHT - column - 10.0, y, TextStyle { leading: STRONG.leading, ..SMALL }, label);
        y += STRONG.leading;
    }
    y
}

fn draw_business(sheet: &mut PdfSheet, sender: &PdfSender, logo: Option<&Logo>) {
    if let Some(logo) = logo {
        let top = sheet.y;
        sheet.draw_logo(LEFT, top, logo.width, logo.height);
        sheet.y += logo.height + 8.0;
    } else {
        sheet.y -= 3.0;
    }
    sheet.draw_wrapped_text(LEFT, SENDER_WIDTH, NAME, &sender.name);
    let address = sender.address.as_deref().unwrap_or_default();
    draw_joined(sheet, ", ", address.lines());
    draw_joined(
        sheet,
        " · ",
        [&sender.phone, &sender.email, &sender.website].into_iter().flatten().map(String::as_str),
    );
    draw_joined(sheet, " · ", sender.licence_line.as_deref());
}

fn draw_joined<'a>(sheet: &mut PdfSheet, by: &str, parts: impl IntoIterator<Item = &'a str>) {
    let mut line = String::new();
    for part in parts.into_iter().map(str::trim).filter(|part| !part.is_empty()) {
        let longer = if line.is_empty() { part.to_owned() } else { format!("{line}{by}{part}") };
        if line.is_empty() || text_width(SMALL, &longer) <= SENDER_WIDTH {
            line = longer;
        } else {
            sheet.draw_wrapped_text(LEFT, SENDER_WIDTH, SMALL, &line);
            part.clone_into(&mut line);
        }
    }
    if !line.is_empty() {
        sheet.draw_wrapped_text(LEFT, SENDER_WIDTH, SMALL, &line);
    }
}

pub(super) fn draw_parties(
    sheet: &mut PdfSheet,
    label: &str,
    recipient: &PdfRecipient,
    about: &[(&str, Option<&str>)],
) {
    let top = sheet.y;
    sheet.draw_wrapped_text(LEFT, COLUMN, LABEL, label);
    sheet.draw_wrapped_text(LEFT, COLUMN, STRONG, &recipient.name);
    for line in [&recipient.address, &recipient.phone, &recipient.email].into_iter().flatten() {
        sheet.draw_wrapped_text(LEFT, COLUMN, BODY, line);
    }
    let left = sheet.y;
    sheet.y = top;
    for (label, words) in about {
        let Some(words) = words else { continue };
        sheet.draw_wrapped_text(SECOND, COLUMN, LABEL, label);
        sheet.draw_wrapped_text(SECOND, COLUMN, BODY, words);
        sheet.y += 5.0;
    }
    sheet.y = sheet.y.max(left) + 12.0;
}

pub(super) fn draw_section(sheet: &mut PdfSheet, label: &str, words: Option<&str>) {
    let Some(words) = words.map(str::trim).filter(|words| !words.is_empty()) else { return };
    sheet.ensure_room(LABEL.leading + 2.0 * BODY.leading);
    sheet.draw_wrapped_text(LEFT, MEASURE, LABEL, label);
    sheet.y += 1.0;
    sheet.draw_wrapped_text(LEFT, MEASURE, BODY, words);
    sheet.y += 10.0;
}

/// A clickable address, printed in full so that it can be typed.
pub(super) fn draw_link_line(sheet: &mut PdfSheet, label: &str, link: Option<&str>) {
    let Some(link) = link else { return };
    let wide = text_width(SMALL, label) + 5.0;
    sheet.ensure_room(SMALL.leading);
    let top = sheet.y;
    sheet.draw_text(LEFT, top, SMALL, label);
    let (x, room) =
        if wide + text_width(SMALL, link) > MEASURE { (LEFT, MEASURE) } else { (LEFT + wide, MEASURE - wide) };
    if x <= LEFT {
        sheet.y += SMALL.leading;
    }
    let top = sheet.y;
    sheet.draw_wrapped_text(x, room, TextStyle { grey: 0.0, ..SMALL }, link);
    if link.is_ascii() && link.starts_with("http") && sheet.y > top {
        let high = sheet.y - top;
        sheet.add_link(x, top, text_width(SMALL, link).min(room), high, link);
    }
    sheet.y += 4.0;
}
