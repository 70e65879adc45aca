//! Totals of a paper. Every step is in whole cents and rounds half up where the value is produced.

use platform::money::{Cents, Ppm, divide_half_up};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Discount, DocumentContent, LineItem, OptionSelection, percentage_of};

/// One line that counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineTotal {
    pub id: String,
    /// Quantity times price.
    pub gross: Cents,
    /// The line's own discount.
    pub discount: Cents,
    /// `gross − discount`, as shown in the table.
    pub amount: Cents,
    /// Its share of the discount of the whole paper.
    pub share: Cents,
    /// On `amount − share`.
    pub tax: Cents,
}

/// One tax over all lines that bear it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaxTotal {
    pub name: Option<String>,
    pub rate: Ppm,
    /// What it is reckoned on.
    pub base: Cents,
    pub amount: Cents,
}

/// Totals of a selection. `total = subtotal − discount + tax`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Totals)]
pub struct DocumentTotals {
    /// In the order of the paper.
    pub lines: Vec<LineTotal>,
    /// Σ of the lines' amounts.
    pub subtotal: Cents,
    /// Σ of the shares.
    pub discount: Cents,
    /// In the order in which they first occur.
    pub taxes: Vec<TaxTotal>,
    pub tax: Cents,
    pub total: Cents,
}

pub(super) fn compute_totals(paper: &DocumentContent, selection: &OptionSelection) -> DocumentTotals {
    let counted: Vec<&LineItem> = paper.lines.iter().filter(|line| line.is_counted(selection)).collect();
    let mut lines: Vec<LineTotal> = counted.iter().map(|line| compute_line_total(line)).collect();
    let shares = discount_shares(paper.discount, &counted, &lines);
    for ((line, total), share_of_it) in counted.iter().zip(&mut lines).zip(shares) {
        total.share = share_of_it;
        total.tax = percentage_of(taxable_amount(total), line.tax);
    }
    let subtotal: Cents = lines.iter().map(|line| line.amount).sum();
    let discount: Cents = lines.iter().map(|line| line.share).sum();
    let tax: Cents = lines.iter().map(|line| line.tax).sum();
    let net: Cents = lines.iter().map(taxable_amount).sum();
    DocumentTotals {
        taxes: sum_taxes(&counted, &lines),
        lines,
        subtotal,
        discount,
        tax,
        total: [net, tax].into_iter().sum(),
    }
}

pub(super) fn net_amount(line: &LineItem) -> Cents {
    compute_line_total(line).amount
}

fn compute_line_total(line: &LineItem) -> LineTotal {
    let gross = Cents(divide_half_up(i128::from(line.quantity.0) * i128::from(line.unit_price.0), 1000));
    let discount = match line.discount {
        // A fixed amount cannot reduce a credit; a percentage can.
        Discount::Amount(_) if gross < Cents::ZERO => Cents::ZERO,
        other => other.apply_to(gross),
    };
    let amount = Cents(gross.0.saturating_sub(discount.0));
    LineTotal { id: line.id.clone(), gross, discount, amount, share: Cents::ZERO, tax: Cents::ZERO }
}

fn taxable_amount(line: &LineTotal) -> Cents {
    Cents(line.amount.0.saturating_sub(line.share.0))
}

fn discount_shares(discount: Discount, lines: &[&LineItem], totals: &[LineTotal]) -> Vec<Cents> {
    match discount {
        Discount::None => vec![Cents::ZERO; totals.len()],
        Discount::Percent(rate) => totals.iter().map(|line| percentage_of(line.amount, rate)).collect(),
        Discount::Amount(amount) => {
            let all: Cents = totals.iter().map(|line| line.amount).sum();
            allocate_proportionally(amount.min(all).max(Cents::ZERO), lines, totals)
        }
    }
}

/// Spreads an amount over the lines above zero in proportion, to the cent; cents left after rounding down go to the
/// largest remainders. Ties: larger line, then higher tax, then tax name, then earlier line, so the order of the lines
/// changes no total.
fn allocate_proportionally(amount: Cents, lines: &[&LineItem], totals: &[LineTotal]) -> Vec<Cents> {
    let weight = |at: usize| i128::from(totals[at].amount.0.max(0));
    let all: i128 = (0..totals.len()).map(weight).sum();
    let mut shares = vec![Cents::ZERO; totals.len()];
    if all == 0 {
        return shares;
    }
    let mut rest = amount.0;
    for (at, share) in shares.iter_mut().enumerate() {
        // Fits: a weight is at most the sum of all weights.
        share.0 = i64::try_from(i128::from(amount.0) * weight(at) / all).unwrap_or(amount.0);
        rest -= share.0;
    }
    let mut order: Vec<usize> = (0..totals.len()).collect();
    order.sort_by_key(|&at| {
        let remainder = i128::from(amount.0) * weight(at) % all;
        (-remainder, -weight(at), -lines[at].tax.0, lines[at].tax_name.as_deref(), at)
    });
    for at in order.into_iter().take(usize::try_from(rest).unwrap_or_default()) {
        shares[at].0 += 1;
    }
    shares
}

fn sum_taxes(lines: &[&LineItem], totals: &[LineTotal]) -> Vec<TaxTotal> {
    let mut taxes: Vec<TaxTotal> = Vec::new();
    for (line, total) in lines.iter().zip(totals).filter(|(line, _)| line.tax != Ppm::ZERO) {
        let base = taxable_amount(total);
        match taxes.iter_mut().find(|tax| tax.name == line.tax_name && tax.rate == line.tax) {
            Some(tax) => {
                tax.base = [tax.base, base].into_iter().sum();
                tax.amount = [tax.amount, total.tax].into_iter().sum();
            }
            None => taxes.push(TaxTotal { name: line.tax_name.clone(), rate: line.tax, base, amount: total.tax }),
        }
    }
    taxes
}
