//! The lines of a paper as a table that goes on over as many pages as it takes.

use std::rc::Rc;

use super::{
    fonts::printable,
    sheet::{LEFT, RIGHT, Sheet},
    style::{BODY, HEADING, SMALL, STRONG, Style, fitted, width, wrapped},
    words::Words,
};
use crate::{
    documents::line_items::{Discount, Line, Paper, Selection},
    platform::money::{Cents, Ppm},
};

const NAME_WIDTH: f32 = 250.0;
const HEADING_WIDTH: f32 = 380.0;
const QUANTITY: f32 = 376.0;
const QUANTITY_WIDTH: f32 = QUANTITY - LEFT - NAME_WIDTH - 6.0;
const PRICE: f32 = 468.0;
/// From the rule above a row to its text, and from its text to the rule below.
const PAD: f32 = 5.0;

/// The whole table: the lines of every option under its name with its total, and the add-ons after them.
pub(super) fn table(sheet: &mut Sheet, words: &'static Words, paper: &Paper) {
    heads(sheet, words);
    sheet.carry(Some(Rc::new(move |sheet: &mut Sheet| heads(sheet, words))));
    let taxes = Taxes::of(paper);
    let rows = |sheet: &mut Sheet, of: &dyn Fn(&Line) -> bool| {
        for line in paper.lines.iter().filter(|line| of(line)) {
            let asides = asides(words, paper, line, taxes);
            row(sheet, paper, line, line.description.as_deref(), &asides);
        }
    };
    let common = |line: &Line| line.option_id.is_none() && !line.is_optional;
    if !paper.options.is_empty() && paper.lines.iter().any(common) {
        heading(sheet, words.in_each_option, None, None);
    }
    rows(sheet, &common);
    for option in &paper.options {
        let is_recommended = paper.recommended().option_id.as_ref() == Some(&option.id);
        heading(
            sheet,
            &format!("{} – {}", words.option, option.name),
            is_recommended.then_some(words.recommended),
            option.description.as_deref(),
        );
        rows(sheet, &|line| line.option_id.as_ref() == Some(&option.id) && !line.is_optional);
        let selection = Selection { option_id: Some(option.id.clone()), ..Selection::default() };
        sum(sheet, &format!("{} {}", words.total_with, option.name), paper.totals(&selection).total);
    }
    if paper.lines.iter().any(|line| line.is_optional) {
        heading(sheet, words.add_ons, None, Some(words.add_ons_hint));
        rows(sheet, &|line| line.is_optional);
    }
    sheet.carry(None);
}

/// Only the lines that were chosen, in short: what is said about them stands in the estimate.
pub(super) fn chosen(sheet: &mut Sheet, words: &'static Words, paper: &Paper, selection: &Selection) {
    heads(sheet, words);
    sheet.carry(Some(Rc::new(move |sheet: &mut Sheet| heads(sheet, words))));
    for line in paper.lines.iter().filter(|line| line.counts(selection)) {
        row(sheet, paper, line, None, "");
    }
    sheet.carry(None);
}

fn heads(sheet: &mut Sheet, words: &Words) {
    let style = Style { grey: 0.32, size: 8.0, leading: 12.0, ..STRONG };
    let top = sheet.y;
    sheet.text(LEFT, top, style, words.description);
    sheet.right(QUANTITY, top, style, words.quantity);
    sheet.right(PRICE, top, style, words.unit_price);
    sheet.right(RIGHT, top, style, words.amount);
    sheet.y += style.leading + 4.0;
    sheet.rule(1.0);
    sheet.y += 3.0;
}

/// What is worth a word about the tax of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taxes {
    /// All lines bear the same, or none.
    Alike,
    /// Some bear the one tax, others none: those are named.
    SomeFree,
    /// There are several: each line names its own.
    Several,
}

impl Taxes {
    fn of(paper: &Paper) -> Self {
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

fn heading(sheet: &mut Sheet, title: &str, tag: Option<&str>, words: Option<&str>) {
    sheet.need(HEADING.leading + 2.0 * (BODY.leading + 2.0 * PAD));
    sheet.y += 8.0;
    let top = sheet.y;
    sheet.flow(LEFT, HEADING_WIDTH, HEADING, title);
    if let Some(tag) = tag {
        let x = LEFT + width(HEADING, title).min(HEADING_WIDTH) + 10.0;
        sheet.text(x, top, Style { leading: HEADING.leading, ..SMALL }, tag);
    }
    if let Some(words) = words {
        sheet.flow(LEFT, HEADING_WIDTH, SMALL, words);
    }
    sheet.y += 5.0;
    sheet.rule(0.5);
}

fn row(sheet: &mut Sheet, paper: &Paper, line: &Line, description: Option<&str>, asides: &str) {
    let names = wrapped(STRONG, &line.name, NAME_WIDTH);
    let (quantity, unit) = quantity(line);
    // The name and its figures stay together, with the beginning of what is said about it.
    let about = if description.is_some() { 2.0 * SMALL.leading } else { 0.0 };
    #[expect(clippy::cast_precision_loss, reason = "a name of at most 200 letters")]
    let high = names.len() as f32 * STRONG.leading;
    sheet.need(high + about + 2.0 * PAD);
    sheet.y += PAD;
    let top = sheet.y;
    let mut below = top + BODY.leading;
    sheet.right(QUANTITY, top, BODY, &quantity);
    if let Some(unit) = unit {
        sheet.right(QUANTITY, below, SMALL, &unit);
        below += SMALL.leading;
    }
    sheet.right(PRICE, top, BODY, &money(line.unit_price));
    sheet.right(RIGHT, top, BODY, &money(paper.price_of(line)));
    for name in names {
        let top = sheet.y;
        sheet.text(LEFT, top, STRONG, &name);
        sheet.y += STRONG.leading;
    }
    let page = sheet.count();
    for words in [description.unwrap_or_default(), asides] {
        if !words.is_empty() {
            sheet.flow(LEFT, NAME_WIDTH, SMALL, words);
        }
    }
    // On the page where it began, a short row is as high as its figures.
    if sheet.count() == page {
        sheet.y = sheet.y.max(below);
    }
    sheet.y += PAD;
    sheet.rule(0.5);
}

/// The number, and the unit under it where both are too wide for the column.
fn quantity(line: &Line) -> (String, Option<String>) {
    let number = line.quantity.shown();
    let unit = line.unit.trim();
    let is_plain = unit.is_empty() || unit.eq_ignore_ascii_case("each");
    let both = format!("{number} {unit}");
    if is_plain {
        (number, None)
    } else if width(BODY, &both) <= QUANTITY_WIDTH {
        (both, None)
    } else {
        (number, Some(fitted(SMALL, &printable(unit), QUANTITY_WIDTH)))
    }
}

/// What is said small under a line: its discount, its tax, the option it goes with.
fn asides(words: &Words, paper: &Paper, line: &Line, taxes: Taxes) -> String {
    let mut asides = Vec::new();
    let gross = paper.price_of(&Line { discount: Discount::None, ..line.clone() });
    let off = Cents(paper.price_of(line).0.saturating_sub(gross.0));
    if off != Cents::ZERO {
        let rate = match line.discount {
            Discount::Percent(rate) => format!(" {}", percent(rate)),
            _ => String::new(),
        };
        asides.push(format!("{}{rate}: {}", words.discount, money(off)));
    }
    match taxes {
        Taxes::SomeFree | Taxes::Several if line.tax == Ppm::ZERO => asides.push(words.not_taxed.to_owned()),
        Taxes::Several => {
            asides.push(format!("{} {}", line.tax_name.as_deref().unwrap_or(words.tax), percent(line.tax)));
        }
        Taxes::Alike | Taxes::SomeFree => {}
    }
    let with = paper.options.iter().find(|option| line.is_optional && line.option_id.as_ref() == Some(&option.id));
    if let Some(option) = with {
        asides.push(format!("{} {}", words.only_with, option.name));
    }
    asides.join(" · ")
}

/// A row that says what an option comes to.
fn sum(sheet: &mut Sheet, words: &str, total: Cents) {
    sheet.need(STRONG.leading + 2.0 * PAD);
    sheet.y += PAD;
    let top = sheet.y;
    sheet.right(PRICE, top, STRONG, words);
    sheet.right(RIGHT, top, STRONG, &money(total));
    sheet.y += STRONG.leading + PAD;
}

/// `8.25%`.
pub(super) fn percent(rate: Ppm) -> String {
    format!("{}%", rate.percent())
}

/// `$1,250.50`, `−$5.00`: with the sign that is as wide as a figure.
pub(super) fn money(amount: Cents) -> String {
    amount.shown().replace('-', "−")
}
