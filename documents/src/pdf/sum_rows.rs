//! Totals block under the table at the right: subtotal, discount, taxes, total and amount due.

use platform::money::Cents;

use super::{
    fonts::to_printable,
    pdf_content::PaymentLine,
    sheet::{LEFT, PdfSheet, RIGHT},
    style::{BODY, SMALL, STRONG, TextStyle, truncate_to_width},
    table::{format_money, format_percent},
    words::PdfLabels,
};
use crate::line_items::{Discount, DocumentContent, DocumentTotals};

const AMOUNTS: f32 = 100.0;
const LABELS: f32 = RIGHT - AMOUNTS;
const LABEL_WIDTH: f32 = LABELS - LEFT - 40.0;
const ROW: f32 = 15.0;
const BIG: TextStyle = TextStyle { size: 12.5, leading: 17.0, ..STRONG };

pub(super) fn draw_sum_row(sheet: &mut PdfSheet, style: TextStyle, label: &str, amount: Cents) {
    let leading = style.leading.max(ROW);
    sheet.ensure_room(leading);
    let (top, style) = (sheet.y, TextStyle { leading, ..style });
    sheet.draw_text_right(LABELS, top, style, &truncate_to_width(style, &to_printable(label), LABEL_WIDTH));
    sheet.draw_text_right(RIGHT, top, style, &format_money(amount));
    sheet.y += leading;
}

pub(super) fn draw_grand_total(sheet: &mut PdfSheet, label: &str, amount: Cents) {
    sheet.ensure_room(BIG.leading + 10.0);
    sheet.y += 4.0;
    let y = sheet.y;
    sheet.draw_rule_at(RIGHT - 240.0, RIGHT, y, 1.0, 0.0);
    sheet.y += 4.0;
    draw_sum_row(sheet, BIG, label, amount);
    sheet.y += 2.0;
}

pub(super) fn draw_totals(
    sheet: &mut PdfSheet,
    words: &PdfLabels,
    paper: &DocumentContent,
    totals: &DocumentTotals,
    label: &str,
) {
    #[expect(clippy::cast_precision_loss, reason = "some rows")]
    let high = ROW * (totals.taxes.len() as f32 + 4.0) + 40.0;
    sheet.ensure_room(high);
    sheet.y += 8.0;
    let is_plain = totals.discount == Cents::ZERO && totals.taxes.is_empty();
    if !is_plain {
        draw_sum_row(sheet, BODY, words.subtotal, totals.subtotal);
    }
    if totals.discount != Cents::ZERO {
        let label = match paper.discount {
            Discount::Percent(rate) => format!("{} {}", words.discount, format_percent(rate)),
            _ => words.discount.to_owned(),
        };
        draw_sum_row(sheet, BODY, &label, Cents(-totals.discount.0));
    }
    for tax in &totals.taxes {
        let name = tax.name.as_deref().unwrap_or(words.tax);
        let label = format!("{name} {} {} {}", format_percent(tax.rate), words.tax_on, format_money(tax.base));
        draw_sum_row(sheet, BODY, &label, tax.amount);
    }
    draw_grand_total(sheet, label, totals.total);
}

pub(super) fn draw_payments(sheet: &mut PdfSheet, words: &PdfLabels, payments: &[PaymentLine], balance: Cents) {
    for payment in payments {
        let mut label =
            format!("{} · {}", words.format_short_day(payment.on), words.payment_means_label(payment.means));
        if let Some(reference) = &payment.reference {
            label = format!("{label} · {reference}");
        }
        draw_sum_row(sheet, SMALL, &label, Cents(-payment.amount.0));
    }
    let label = if balance.0 <= 0 { words.paid_in_full } else { words.balance };
    draw_grand_total(sheet, label, balance);
}
