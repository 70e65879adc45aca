//! Table of line items, over as many pages as needed.

use std::rc::Rc;

use platform::money::{Cents, Ppm};

use super::{
    fonts::to_printable,
    sheet::{LEFT, PdfSheet, RIGHT},
    style::{BODY, HEADING, SMALL, STRONG, TextStyle, text_width, truncate_to_width, wrap_lines},
    words::PdfLabels,
};
use crate::line_items::{Discount, DocumentContent, LineItem, OptionSelection};

const NAME_WIDTH: f32 = 250.0;
const HEADING_WIDTH: f32 = 380.0;
const QUANTITY: f32 = 376.0;
const QUANTITY_WIDTH: f32 = QUANTITY - LEFT - NAME_WIDTH - 6.0;
const PRICE: f32 = 468.0;
const PAD: f32 = 5.0;

pub(super) fn draw_table(sheet: &mut PdfSheet, words: &'static PdfLabels, paper: &DocumentContent) {
    draw_column_heads(sheet, words);
    sheet.set_repeated_header(Some(Rc::new(move |sheet: &mut PdfSheet| draw_column_heads(sheet, words))));
    let taxes = TaxLabels::for_paper(paper);
    let rows = |sheet: &mut PdfSheet, of: &dyn Fn(&LineItem) -> bool| {
        for line in paper.lines.iter().filter(|line| of(line)) {
            let asides = line_notes(words, paper, line, taxes);
            draw_line_row(sheet, paper, line, line.description.as_deref(), &asides);
        }
    };
    let common = |line: &LineItem| line.option_id.is_none() && !line.is_optional;
    if !paper.options.is_empty() && paper.lines.iter().any(common) {
        draw_group_heading(sheet, words.in_each_option, None, None);
    }
    rows(sheet, &common);
    for option in &paper.options {
        let is_recommended = paper.recommended_selection().option_id.as_ref() == Some(&option.id);
        draw_group_heading(
            sheet,
            &format!("{} – {}", words.option, option.name),
            is_recommended.then_some(words.recommended),
            option.description.as_deref(),
        );
        rows(sheet, &|line| line.option_id.as_ref() == Some(&option.id) && !line.is_optional);
        let selection = OptionSelection { option_id: Some(option.id.clone()), ..OptionSelection::default() };
        draw_option_total(
            sheet,
            &format!("{} {}", words.total_with, option.name),
            paper.compute_totals(&selection).total,
        );
    }
    if paper.lines.iter().any(|line| line.is_optional) {
        draw_group_heading(sheet, words.add_ons, None, Some(words.add_ons_hint));
        rows(sheet, &|line| line.is_optional);
    }
    sheet.set_repeated_header(None);
}

/// Chosen lines only, without descriptions (the estimate has them).
pub(super) fn draw_chosen_lines(
    sheet: &mut PdfSheet,
    words: &'static PdfLabels,
    paper: &DocumentContent,
    selection: &OptionSelection,
) {
    draw_column_heads(sheet, words);
    sheet.set_repeated_header(Some(Rc::new(move |sheet: &mut PdfSheet| draw_column_heads(sheet, words))));
    for line in paper.lines.iter().filter(|line| line.is_counted(selection)) {
        draw_line_row(sheet, paper, line, None, "");
    }
    sheet.set_repeated_header(None);
}

fn draw_column_heads(sheet: &mut PdfSheet, words: &PdfLabels) {
    let style = TextStyle { grey: 0.32, size: 8.0, leading: 12.0, ..STRONG };
    let top = sheet.y;
    sheet.draw_text(LEFT, top, style, words.description);
    sheet.draw_text_right(QUANTITY, top, style, words.quantity);
    sheet.draw_text_right(PRICE, top, style, words.unit_price);
    sheet.draw_text_right(RIGHT, top, style, words.amount);
    sheet.y += style.leading + 4.0;
    sheet.draw_rule(1.0);
    sheet.y += 3.0;
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TaxLabels {
    Alike,
    /// One tax; the untaxed lines are marked.
    SomeFree,
    /// Several taxes; each line names its own.
    Several,
}

impl TaxLabels {
    fn for_paper(paper: &DocumentContent) -> Self {
        let mut taxes: Vec<(Ppm, Option<&str>)> = paper
            .lines
            .iter()
            .map(|line| (line.tax, line.tax_name.as_deref().filter(|_| line.tax != Ppm::ZERO)))
            .collect();
        taxes.sort_unstable();
        taxes.dedup();
        match taxes[..] {
            [] | [_] => Self::Alike,
            [(Ppm::ZERO, _), _] => Self::SomeFree,
            _ => Self::Several,
        }
    }
}

fn draw_group_heading(sheet: &mut PdfSheet, title: &str, tag: Option<&str>, words: Option<&str>) {
    sheet.ensure_room(HEADING.leading + 2.0 * (BODY.leading + 2.0 * PAD));
    sheet.y += 8.0;
    let top = sheet.y;
    sheet.draw_wrapped_text(LEFT, HEADING_WIDTH, HEADING, title);
    if let Some(tag) = tag {
        let x = LEFT + text_width(HEADING, title).min(HEADING_WIDTH) + 10.0;
        sheet.draw_text(x, top, TextStyle { leading: HEADING.leading, ..SMALL }, tag);
    }
    if let Some(words) = words {
        sheet.draw_wrapped_text(LEFT, HEADING_WIDTH, SMALL, words);
    }
    sheet.y += 5.0;
    sheet.draw_rule(0.5);
}

fn draw_line_row(
    sheet: &mut PdfSheet,
    paper: &DocumentContent,
    line: &LineItem,
    description: Option<&str>,
    asides: &str,
) {
    let names = wrap_lines(STRONG, &line.name, NAME_WIDTH);
    let (quantity, unit) = format_quantity(line);
    // Keeps the name, its figures and the start of the description together.
    let about = if description.is_some() { 2.0 * SMALL.leading } else { 0.0 };
    #[expect(clippy::cast_precision_loss, reason = "a name of at most 200 letters")]
    let high = names.len() as f32 * STRONG.leading;
    sheet.ensure_room(high + about + 2.0 * PAD);
    sheet.y += PAD;
    let top = sheet.y;
    let mut below = top + BODY.leading;
    sheet.draw_text_right(QUANTITY, top, BODY, &quantity);
    if let Some(unit) = unit {
        sheet.draw_text_right(QUANTITY, below, SMALL, &unit);
        below += SMALL.leading;
    }
    sheet.draw_text_right(PRICE, top, BODY, &format_money(line.unit_price));
    sheet.draw_text_right(RIGHT, top, BODY, &format_money(paper.net_price_of(line)));
    for name in names {
        let top = sheet.y;
        sheet.draw_text(LEFT, top, STRONG, &name);
        sheet.y += STRONG.leading;
    }
    let page = sheet.page_number();
    for words in [description.unwrap_or_default(), asides] {
        if !words.is_empty() {
            sheet.draw_wrapped_text(LEFT, NAME_WIDTH, SMALL, words);
        }
    }
    // If the row did not break, it is at least as high as its figures.
    if sheet.page_number() == page {
        sheet.y = sheet.y.max(below);
    }
    sheet.y += PAD;
    sheet.draw_rule(0.5);
}

/// The unit goes on a second line when both are too wide for the column.
fn format_quantity(line: &LineItem) -> (String, Option<String>) {
    let number = line.quantity.format_quantity();
    let unit = line.unit.trim();
    let is_plain = unit.is_empty() || unit.eq_ignore_ascii_case("each");
    let both = format!("{number} {unit}");
    if is_plain {
        (number, None)
    } else if text_width(BODY, &both) <= QUANTITY_WIDTH {
        (both, None)
    } else {
        (number, Some(truncate_to_width(SMALL, &to_printable(unit), QUANTITY_WIDTH)))
    }
}

fn line_notes(words: &PdfLabels, paper: &DocumentContent, line: &LineItem, taxes: TaxLabels) -> String {
    let mut asides = Vec::new();
    let gross = paper.net_price_of(&LineItem { discount: Discount::None, ..line.clone() });
    let off = Cents(paper.net_price_of(line).0.saturating_sub(gross.0));
    if off != Cents::ZERO {
        let rate = match line.discount {
            Discount::Percent(rate) => format!(" {}", format_percent(rate)),
            _ => String::new(),
        };
        asides.push(format!("{}{rate}: {}", words.discount, format_money(off)));
    }
    match taxes {
        TaxLabels::SomeFree | TaxLabels::Several if line.tax == Ppm::ZERO => asides.push(words.not_taxed.to_owned()),
        TaxLabels::Several => {
            asides.push(format!("{} {}", line.tax_name.as_deref().unwrap_or(words.tax), format_percent(line.tax)));
        }
        TaxLabels::Alike | TaxLabels::SomeFree => {}
    }
    let with = paper.options.iter().find(|option| line.is_optional && line.option_id.as_ref() == Some(&option.id));
    if let Some(option) = with {
        asides.push(format!("{} {}", words.only_with, option.name));
    }
    asides.join(" · ")
}

fn draw_option_total(sheet: &mut PdfSheet, words: &str, total: Cents) {
    sheet.ensure_room(STRONG.leading + 2.0 * PAD);
    sheet.y += PAD;
    let top = sheet.y;
    sheet.draw_text_right(PRICE, top, STRONG, words);
    sheet.draw_text_right(RIGHT, top, STRONG, &format_money(total));
    sheet.y += STRONG.leading + PAD;
}

pub(super) fn format_percent(rate: Ppm) -> String {
    format!("{}%", rate.format_percent())
}

/// `$1,250.50`, `−$5.00`: the minus sign is as wide as a digit.
pub(super) fn format_money(amount: Cents) -> String {
    amount.format_usd().replace('-', "−")
}
