//! What a paper comes to: every step in whole cents, rounded half up where it is made and nowhere else.

use serde::Serialize;
use utoipa::ToSchema;

use super::{Discount, Line, Paper, Selection, share};
use crate::platform::money::{Cents, Ppm, half_up};

/// One line that counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineTotal {
    pub id: String,
    /// Quantity times price.
    pub gross: Cents,
    /// The line's own discount.
    pub discount: Cents,
    /// `gross − discount`: what stands in the table.
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

/// What a selection comes to. `total = subtotal − discount + tax`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
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

pub(super) fn of(paper: &Paper, selection: &Selection) -> Totals {
    let counted: Vec<&Line> = paper.lines.iter().filter(|line| line.counts(selection)).collect();
    let mut lines: Vec<LineTotal> = counted.iter().map(|line| alone(line)).collect();
    let shares = shares(paper.discount, &counted, &lines);
    for ((line, total), share_of_it) in counted.iter().zip(&mut lines).zip(shares) {
        total.share = share_of_it;
        total.tax = share(taxable(total), line.tax);
    }
    let subtotal: Cents = lines.iter().map(|line| line.amount).sum();
    let discount: Cents = lines.iter().map(|line| line.share).sum();
    let tax: Cents = lines.iter().map(|line| line.tax).sum();
    let net: Cents = lines.iter().map(taxable).sum();
    Totals { taxes: taxes(&counted, &lines), lines, subtotal, discount, tax, total: [net, tax].into_iter().sum() }
}

/// What a line comes to after its own discount.
pub(super) fn net(line: &Line) -> Cents {
    alone(line).amount
}

/// A line by itself, before the paper's discount and its tax.
fn alone(line: &Line) -> LineTotal {
    let gross = Cents(half_up(i128::from(line.quantity.0) * i128::from(line.unit_price.0), 1000));
    let discount = match line.discount {
        // A credit cannot be made smaller by a sum of money, only by a part of itself.
        Discount::Amount(_) if gross < Cents::ZERO => Cents::ZERO,
        other => other.of(gross),
    };
    let amount = Cents(gross.0.saturating_sub(discount.0));
    LineTotal { id: line.id.clone(), gross, discount, amount, share: Cents::ZERO, tax: Cents::ZERO }
}

fn taxable(line: &LineTotal) -> Cents {
    Cents(line.amount.0.saturating_sub(line.share.0))
}

/// Each line's share of the paper's discount.
fn shares(discount: Discount, lines: &[&Line], totals: &[LineTotal]) -> Vec<Cents> {
    match discount {
        Discount::None => vec![Cents::ZERO; totals.len()],
        Discount::Percent(rate) => totals.iter().map(|line| share(line.amount, rate)).collect(),
        Discount::Amount(amount) => {
            let all: Cents = totals.iter().map(|line| line.amount).sum();
            spread(amount.min(all).max(Cents::ZERO), lines, totals)
        }
    }
}

/// Shares an amount over the lines above nothing in proportion to them, to the cent: what is left after rounding down
/// goes to the largest remainders. Between equal ones the larger line, then the higher tax, then its name, then the earlier
/// line comes first, so that the order of the lines changes no total.
fn spread(amount: Cents, lines: &[&Line], totals: &[LineTotal]) -> Vec<Cents> {
    let weight = |at: usize| i128::from(totals[at].amount.0.max(0));
    let all: i128 = (0..totals.len()).map(weight).sum();
    let mut shares = vec![Cents::ZERO; totals.len()];
    if all == 0 {
        return shares;
    }
    let mut rest = amount.0;
    for (at, share) in shares.iter_mut().enumerate() {
        // Below the whole amount, because a weight is at most their sum.
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

fn taxes(lines: &[&Line], totals: &[LineTotal]) -> Vec<TaxTotal> {
    let mut taxes: Vec<TaxTotal> = Vec::new();
    for (line, total) in lines.iter().zip(totals).filter(|(line, _)| line.tax != Ppm::ZERO) {
        let base = taxable(total);
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
