//! Agreed work still to be billed, less earlier invoices.

use std::fmt::Display;

use super::{AcceptedDocument, PriorInvoice, combine_documents};
use crate::{
    conflicts::ConflictCode,
    documents::{
        line_items::{DocumentContent, LineItem, PercentOrAmount},
        template::Language,
    },
    platform::{
        error::Result,
        money::{Cents, Milli},
    },
};

/// Id prefix of the line that deducts an earlier invoice.
const PRIOR_LINE_PREFIX: &str = "before:";

#[must_use]
pub(in crate::domain::money::invoice) fn document_total(paper: &DocumentContent) -> Cents {
    paper.compute_totals(&paper.recommended_selection()).total
}

/// The lines of the agreed work, less one line for each earlier invoice.
/// Errors: `Error::Conflict` when nothing is.
pub(in crate::domain::money::invoice) fn remaining_document(
    agreed: DocumentContent,
    before: &[PriorInvoice],
    language: Language,
) -> Result<DocumentContent> {
    let left = document_total(&agreed).0 - sum_invoiced(before).0;
    if left <= 0 {
        return Err(ConflictCode::AllInvoiced.into_error());
    }
    if before.is_empty() {
        return Ok(agreed);
    }
    let mut paper = inline_discount(&agreed);
    paper.lines.extend(before.iter().map(|one| deduction_line(&one.id, &one.number, one.total, language)));
    Ok(paper)
}

fn deduction_line(id: &impl Display, number: &str, total: Cents, language: Language) -> LineItem {
    let word = match language {
        Language::En => "Invoiced before",
        Language::Es => "Facturado antes",
    };
    LineItem {
        id: format!("{PRIOR_LINE_PREFIX}{id}"),
        name: format!("{word}: {number}"),
        unit: "each".to_owned(),
        unit_price: Cents(-total.0),
        ..LineItem::default()
    }
}

/// What change orders changed since the final invoice: their lines, less what counted then and no longer does.
#[derive(Debug)]
pub(in crate::domain::money::invoice) struct ChangesSinceFinal {
    pub accepted: Vec<AcceptedDocument>,
    pub paper: DocumentContent,
    /// Invoices issued after the final one.
    pub before: Vec<PriorInvoice>,
}

/// None without a final invoice, or when nothing changed since.
pub(in crate::domain::money::invoice) fn changes_since_final(
    accepted: &[AcceptedDocument],
    before: &[PriorInvoice],
    language: Language,
) -> Option<ChangesSinceFinal> {
    let at = before.iter().rposition(|one| one.is_final)?;
    let counted = &before[at].changes;
    let is_new = |one: &&AcceptedDocument| one.changes.is_some() && !counted.iter().any(|then| Some(then.id) == one.id);
    let new: Vec<AcceptedDocument> = accepted.iter().filter(is_new).cloned().collect();
    let gone = counted.iter().filter(|then| !accepted.iter().any(|one| one.id == Some(then.id)));
    let gone: Vec<LineItem> = gone.map(|then| deduction_line(&then.id, &then.number, then.total, language)).collect();
    if new.is_empty() && gone.is_empty() {
        return None;
    }
    let mut paper = combine_documents(&new, language).unwrap_or_default();
    paper.lines.extend(gone);
    Some(ChangesSinceFinal { accepted: new, paper, before: before[at + 1..].to_vec() })
}

#[must_use]
pub(in crate::domain::money::invoice) fn sum_invoiced(before: &[PriorInvoice]) -> Cents {
    before.iter().map(|one| one.total).sum()
}

/// Same lines, taxes and total, with the discount of the paper moved into the lines, so that it does not apply to lines
/// added later.
pub(super) fn inline_discount(paper: &DocumentContent) -> DocumentContent {
    if paper.discount == PercentOrAmount::None {
        return paper.clone();
    }
    let totals = paper.compute_totals(&paper.recommended_selection());
    let settle = |(line, sum): (&LineItem, &crate::documents::line_items::LineTotal)| {
        if sum.share == Cents::ZERO {
            return line.clone();
        }
        if sum.gross > Cents::ZERO {
            return LineItem { discount: PercentOrAmount::Amount(Cents(sum.discount.0 + sum.share.0)), ..line.clone() };
        }
        // A credit takes no discount amount, so it states the net amount.
        let unit_price = Cents(sum.amount.0 - sum.share.0);
        LineItem { quantity: Milli::default(), unit_price, discount: PercentOrAmount::None, ..line.clone() }
    };
    let lines = paper.lines.iter().zip(&totals.lines).map(settle).collect();
    DocumentContent { lines, discount: PercentOrAmount::None, ..paper.clone() }
}
