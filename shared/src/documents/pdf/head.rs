//! The top of a first page: whose paper it is, what it is, for whom; and the words at the end that go with any paper.

use super::{
    logo::Logo,
    papers::{Recipient, Sender},
    sheet::{LEFT, MEASURE, RIGHT, Sheet},
    style::{BODY, LABEL, NAME, SMALL, STRONG, Style, TITLE, width},
};

/// Room for the business, left of what the paper is.
const SENDER_WIDTH: f32 = 300.0;
const COLUMN: f32 = 250.0;
const SECOND: f32 = RIGHT - COLUMN;

/// The business at the left; what it is and its number and dates at the right; a rule under both.
pub(super) fn head(sheet: &mut Sheet, sender: &Sender, logo: Option<&Logo>, title: &str, facts: &[(&str, String)]) {
    let top = sheet.y;
    let right = facts_at_the_right(sheet, top, title, facts);
    business(sheet, sender, logo);
    sheet.y = sheet.y.max(right) + 12.0;
    sheet.rule(1.0);
    sheet.y += 14.0;
}

fn facts_at_the_right(sheet: &mut Sheet, top: f32, title: &str, facts: &[(&str, String)]) -> f32 {
    // Its capitals begin at the margin, as the logo does.
    sheet.right(RIGHT, top - 5.5, TITLE, title);
    let column = facts.iter().map(|(_, fact)| width(STRONG, fact)).fold(0.0, f32::max);
    let mut y = top + TITLE.leading + 2.0;
    for (label, fact) in facts {
        sheet.right(RIGHT, y, STRONG, fact);
        sheet.right(RIGHT - column - 10.0, y, Style { leading: STRONG.leading, ..SMALL }, label);
        y += STRONG.leading;
    }
    y
}

fn business(sheet: &mut Sheet, sender: &Sender, logo: Option<&Logo>) {
    if let Some(logo) = logo {
        let top = sheet.y;
        sheet.logo(LEFT, top, logo.width, logo.height);
        sheet.y += logo.height + 8.0;
    } else {
        sheet.y -= 3.0;
    }
    sheet.flow(LEFT, SENDER_WIDTH, NAME, &sender.name);
    let address = sender.address.as_deref().unwrap_or_default();
    joined(sheet, ", ", address.lines());
    joined(sheet, " · ", [&sender.phone, &sender.email, &sender.website].into_iter().flatten().map(String::as_str));
    joined(sheet, " · ", sender.licence_line.as_deref());
}

/// As many to a line as fit beside each other.
fn joined<'a>(sheet: &mut Sheet, by: &str, parts: impl IntoIterator<Item = &'a str>) {
    let mut line = String::new();
    for part in parts.into_iter().map(str::trim).filter(|part| !part.is_empty()) {
        let longer = if line.is_empty() { part.to_owned() } else { format!("{line}{by}{part}") };
        if line.is_empty() || width(SMALL, &longer) <= SENDER_WIDTH {
            line = longer;
        } else {
            sheet.flow(LEFT, SENDER_WIDTH, SMALL, &line);
            part.clone_into(&mut line);
        }
    }
    if !line.is_empty() {
        sheet.flow(LEFT, SENDER_WIDTH, SMALL, &line);
    }
}

/// Whom it is for at the left; what work and where at the right.
pub(super) fn parties(sheet: &mut Sheet, label: &str, recipient: &Recipient, about: &[(&str, Option<&str>)]) {
    let top = sheet.y;
    sheet.flow(LEFT, COLUMN, LABEL, label);
    sheet.flow(LEFT, COLUMN, STRONG, &recipient.name);
    for line in [&recipient.address, &recipient.phone, &recipient.email].into_iter().flatten() {
        sheet.flow(LEFT, COLUMN, BODY, line);
    }
    let left = sheet.y;
    sheet.y = top;
    for (label, words) in about {
        let Some(words) = words else { continue };
        sheet.flow(SECOND, COLUMN, LABEL, label);
        sheet.flow(SECOND, COLUMN, BODY, words);
        sheet.y += 5.0;
    }
    sheet.y = sheet.y.max(left) + 12.0;
}

/// A heading and what the business wrote under it, over as many pages as it takes.
pub(super) fn section(sheet: &mut Sheet, label: &str, words: Option<&str>) {
    let Some(words) = words.map(str::trim).filter(|words| !words.is_empty()) else { return };
    sheet.need(LABEL.leading + 2.0 * BODY.leading);
    sheet.flow(LEFT, MEASURE, LABEL, label);
    sheet.y += 1.0;
    sheet.flow(LEFT, MEASURE, BODY, words);
    sheet.y += 10.0;
}

/// An address that opens on a screen and can be typed from paper.
pub(super) fn address(sheet: &mut Sheet, label: &str, link: Option<&str>) {
    let Some(link) = link else { return };
    let wide = width(SMALL, label) + 5.0;
    sheet.need(SMALL.leading);
    let top = sheet.y;
    sheet.text(LEFT, top, SMALL, label);
    let (x, room) = if wide + width(SMALL, link) > MEASURE { (LEFT, MEASURE) } else { (LEFT + wide, MEASURE - wide) };
    if x <= LEFT {
        sheet.y += SMALL.leading;
    }
    let top = sheet.y;
    sheet.flow(x, room, Style { grey: 0.0, ..SMALL }, link);
    if link.is_ascii() && link.starts_with("http") && sheet.y > top {
        let high = sheet.y - top;
        sheet.link(x, top, width(SMALL, link).min(room), high, link);
    }
    sheet.y += 4.0;
}
