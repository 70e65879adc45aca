//! What a paper comes to, under its table at the right: subtotal, discount, taxes, total, and what is asked for of it.

use super::{
    fonts::printable,
    papers::PaymentLine,
    sheet::{LEFT, RIGHT, Sheet},
    style::{BODY, SMALL, STRONG, Style, fitted},
    table::{money, percent},
    words::Words,
};
use crate::{
    documents::line_items::{Discount, Paper, Totals},
    platform::money::Cents,
};

const AMOUNTS: f32 = 100.0;
const LABELS: f32 = RIGHT - AMOUNTS;
const LABEL_WIDTH: f32 = LABELS - LEFT - 40.0;
const ROW: f32 = 15.0;
const BIG: Style = Style { size: 12.5, leading: 17.0, ..STRONG };

/// One line: its words end where the amounts begin.
pub(super) fn row(sheet: &mut Sheet, style: Style, label: &str, amount: Cents) {
    let leading = style.leading.max(ROW);
    sheet.need(leading);
    let (top, style) = (sheet.y, Style { leading, ..style });
    sheet.right(LABELS, top, style, &fitted(style, &printable(label), LABEL_WIDTH));
    sheet.right(RIGHT, top, style, &money(amount));
    sheet.y += leading;
}

/// The sum that matters, under a rule.
pub(super) fn big(sheet: &mut Sheet, label: &str, amount: Cents) {
    sheet.need(BIG.leading + 10.0);
    sheet.y += 4.0;
    let y = sheet.y;
    sheet.rule_at(RIGHT - 240.0, RIGHT, y, 1.0, 0.0);
    sheet.y += 4.0;
    row(sheet, BIG, label, amount);
    sheet.y += 2.0;
}

/// Subtotal, discount and taxes where there are any, and the total.
pub(super) fn totals(sheet: &mut Sheet, words: &Words, paper: &Paper, totals: &Totals, label: &str) {
    #[expect(clippy::cast_precision_loss, reason = "some rows")]
    let high = ROW * (totals.taxes.len() as f32 + 4.0) + 40.0;
    sheet.need(high);
    sheet.y += 8.0;
    let is_plain = totals.discount == Cents::ZERO && totals.taxes.is_empty();
    if !is_plain {
        row(sheet, BODY, words.subtotal, totals.subtotal);
    }
    if totals.discount != Cents::ZERO {
        let label = match paper.discount {
            Discount::Percent(rate) => format!("{} {}", words.discount, percent(rate)),
            _ => words.discount.to_owned(),
        };
        row(sheet, BODY, &label, Cents(-totals.discount.0));
    }
    for tax in &totals.taxes {
        let name = tax.name.as_deref().unwrap_or(words.tax);
        let label = format!("{name} {} {} {}", percent(tax.rate), words.tax_on, money(tax.base));
        row(sheet, BODY, &label, tax.amount);
    }
    big(sheet, label, totals.total);
}

/// What came in for an invoice, oldest first, and what is left.
pub(super) fn payments(sheet: &mut Sheet, words: &Words, payments: &[PaymentLine], balance: Cents) {
    for payment in payments {
        let mut label = format!("{} · {}", words.short_day(payment.on), words.means(payment.means));
        if let Some(reference) = &payment.reference {
            label = format!("{label} · {reference}");
        }
        row(sheet, SMALL, &label, Cents(-payment.amount.0));
    }
    let label = if balance.0 <= 0 { words.paid_in_full } else { words.balance };
    big(sheet, label, balance);
}
