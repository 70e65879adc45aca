//! What is left to be billed of what was agreed, and how earlier invoices are taken off.

use std::fmt::Display;

use super::{Accepted, Before, together};
use crate::{
    documents::{
        line_items::{Line, Paper, Part},
        template::Language,
    },
    platform::{
        error::{Error, Result},
        money::{Cents, Milli},
    },
};

/// How the line of an earlier invoice is known.
const BEFORE: &str = "before:";

/// What it comes to.
#[must_use]
pub(in crate::domain::money::invoice) fn total(paper: &Paper) -> Cents {
    paper.totals(&paper.recommended()).total
}

/// What is left to be billed of the agreed work: its lines, less a line for each earlier invoice.
///
/// # Errors
/// [`Error::Conflict`] when nothing is.
pub(in crate::domain::money::invoice) fn rest(agreed: Paper, before: &[Before], language: Language) -> Result<Paper> {
    let left = total(&agreed).0 - billed(before).0;
    if left <= 0 {
        return Err(Error::Conflict("Everything agreed has been invoiced."));
    }
    if before.is_empty() {
        return Ok(agreed);
    }
    let mut paper = settled(&agreed);
    paper.lines.extend(before.iter().map(|one| taken_off(&one.id, &one.number, one.total, language)));
    Ok(paper)
}

/// "Invoiced before: INV-1001".
fn taken_off(id: &impl Display, number: &str, total: Cents, language: Language) -> Line {
    let word = match language {
        Language::En => "Invoiced before",
        Language::Es => "Facturado antes",
    };
    Line {
        id: format!("{BEFORE}{id}"),
        name: format!("{word}: {number}"),
        unit: "each".to_owned(),
        unit_price: Cents(-total.0),
        ..Line::default()
    }
}

/// What change orders changed since the last invoice went out: their lines, less what counted then and does not any more.
#[derive(Debug)]
pub(in crate::domain::money::invoice) struct Since {
    pub accepted: Vec<Accepted>,
    pub paper: Paper,
    /// What was issued after it.
    pub before: Vec<Before>,
}

/// None: no last invoice has gone out, or nothing was changed since.
pub(in crate::domain::money::invoice) fn since(
    accepted: &[Accepted],
    before: &[Before],
    language: Language,
) -> Option<Since> {
    let at = before.iter().rposition(|one| one.is_final)?;
    let counted = &before[at].changes;
    let is_new = |one: &&Accepted| one.changes.is_some() && !counted.iter().any(|then| Some(then.id) == one.id);
    let new: Vec<Accepted> = accepted.iter().filter(is_new).cloned().collect();
    let gone = counted.iter().filter(|then| !accepted.iter().any(|one| one.id == Some(then.id)));
    let gone: Vec<Line> = gone.map(|then| taken_off(&then.id, &then.number, then.total, language)).collect();
    if new.is_empty() && gone.is_empty() {
        return None;
    }
    let mut paper = together(&new, language).unwrap_or_default();
    paper.lines.extend(gone);
    Some(Since { accepted: new, paper, before: before[at + 1..].to_vec() })
}

/// The sum of earlier invoices.
#[must_use]
pub(in crate::domain::money::invoice) fn billed(before: &[Before]) -> Cents {
    before.iter().map(|one| one.total).sum()
}

/// The same lines with the same taxes and the same total, where the discount of the whole paper stands in the lines: so
/// that a line which is added to it is none of the discount's business.
pub(super) fn settled(paper: &Paper) -> Paper {
    if paper.discount == Part::None {
        return paper.clone();
    }
    let totals = paper.totals(&paper.recommended());
    let settle = |(line, sum): (&Line, &crate::documents::line_items::LineTotal)| {
        if sum.share == Cents::ZERO {
            return line.clone();
        }
        if sum.gross > Cents::ZERO {
            return Line { discount: Part::Amount(Cents(sum.discount.0 + sum.share.0)), ..line.clone() };
        }
        // A credit bears no discount in money: it is stated as what it comes to.
        let unit_price = Cents(sum.amount.0 - sum.share.0);
        Line { quantity: Milli::default(), unit_price, discount: Part::None, ..line.clone() }
    };
    let lines = paper.lines.iter().zip(&totals.lines).map(settle).collect();
    Paper { lines, discount: Part::None, ..paper.clone() }
}
