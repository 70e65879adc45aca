//! What was agreed with the customer and what was billed of it before: the lines that are still to be invoiced.

use std::collections::BTreeSet;

use sqlx::{FromRow, types::Json};

use crate::{
    db::{AsConn, q},
    error::{Error, Result},
    estimate::{self, content::Content as Estimate},
    id::{EstimateId, InvoiceId, JobId, LeadId, OrgId},
    lead::form::service_in,
    money::{Cents, Milli},
    paper::{Line, Paper, Part, Selection},
    template::Language,
};

/// How the line of an earlier invoice is known.
const BEFORE: &str = "before:";

/// An estimate, as far as it was chosen.
#[derive(Clone, Debug)]
pub(crate) struct Accepted {
    pub id: EstimateId,
    /// `EST-1001`.
    pub number: String,
    pub title: Option<String>,
    /// What counts of it, and nothing that could still be chosen.
    pub paper: Paper,
}

#[derive(FromRow)]
struct Row {
    id: EstimateId,
    status: estimate::Status,
    content: Json<Estimate>,
    option_id: Option<String>,
    add_ons: Option<Json<BTreeSet<String>>>,
}

impl Row {
    fn accepted(self) -> Accepted {
        let Json(content) = self.content;
        let selection = match self.add_ons {
            Some(Json(add_ons)) => Selection { option_id: self.option_id, add_ons },
            None => content.paper.recommended(),
        };
        let paper = chosen(&content.paper, &selection);
        Accepted { id: self.id, number: content.number, title: content.title, paper }
    }
}

/// What counts under a selection, as a paper of its own with the same total.
fn chosen(paper: &Paper, selection: &Selection) -> Paper {
    let lines = paper.lines.iter().filter(|line| line.counts(selection));
    let fixed = |line: &Line| Line { is_optional: false, option_id: None, ..line.clone() };
    Paper { lines: lines.map(fixed).collect(), discount: paper.discount, ..Paper::default() }
}

/// The approved estimates of a lead, else the newest that is open; or this one, whichever it is.
///
/// # Errors
/// [`Error::NotFound`] or [`Error::Conflict`] when this one is not there, or nothing is to be had by it any more.
pub(crate) async fn accepted(
    conn: &mut impl AsConn,
    org: OrgId,
    lead: LeadId,
    only: Option<EstimateId>,
) -> Result<Vec<Accepted>> {
    let rows = q!(
        conn,
        fetch_all as Row,
        "SELECT e.id, e.status, e.content, a.option_id, a.add_ons FROM estimate e
         LEFT JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id
         WHERE e.org_id = $1 AND e.lead_id = $2 AND e.status IN ('approved', 'open')
         ORDER BY e.created_at DESC, e.id DESC",
        org,
        lead
    )?;
    if let Some(only) = only {
        let found = rows.into_iter().find(|row| row.id == only);
        let row = found.ok_or(Error::Conflict("This estimate is not open any more. Choose the one that counts."))?;
        return Ok(vec![row.accepted()]);
    }
    let is_approved = |row: &Row| row.status == estimate::Status::Approved;
    if rows.iter().any(is_approved) {
        let mut approved: Vec<Accepted> = rows.into_iter().filter(is_approved).map(Row::accepted).collect();
        approved.reverse();
        return Ok(approved);
    }
    Ok(rows.into_iter().take(1).map(Row::accepted).collect())
}

/// An invoice that was issued and not taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Before {
    pub id: InvoiceId,
    pub number: String,
    pub total: Cents,
}

/// The issued invoices of a lead, oldest first; also those whose PDF is still being made.
pub(super) async fn before(conn: &mut impl AsConn, org: OrgId, lead: LeadId) -> Result<Vec<Before>> {
    let rows = q!(
        conn,
        fetch_all as (InvoiceId, i64, Json<serde_json::Value>, Cents),
        "SELECT id, number, content, total_cents FROM invoice
         WHERE org_id = $1 AND lead_id = $2 AND status IN ('preparing', 'open', 'paid') AND number IS NOT NULL
         ORDER BY number, id",
        org,
        lead
    )?;
    let shown = |(id, number, content, total): (InvoiceId, i64, Json<serde_json::Value>, Cents)| Before {
        id,
        number: format!("{}{number}", content.0["prefix"].as_str().unwrap_or("INV-")),
        total,
    };
    Ok(rows.into_iter().map(shown).collect())
}

/// What a job is worth, where nothing was agreed by an estimate.
pub(super) async fn by_job(
    conn: &mut impl AsConn,
    org: OrgId,
    job: JobId,
    language: Language,
) -> Result<Option<(Cents, String)>> {
    let sql = "SELECT value_cents, service FROM job WHERE org_id = $1 AND id = $2";
    let found = q!(conn, fetch_optional as (Option<Cents>, String), sql, org, job)?;
    let (value, service) = found.ok_or(Error::NotFound)?;
    let service = service_in(language, if service == "other" { "" } else { &service });
    let words = match (language, service) {
        (Language::En, "") => "Work as discussed".to_owned(),
        (Language::En, service) => format!("Work as discussed: {service}"),
        (Language::Es, "") => "Trabajo acordado".to_owned(),
        (Language::Es, service) => format!("Trabajo acordado: {service}"),
    };
    let words: String = words.chars().take(200).collect();
    Ok(value.filter(|value| *value > Cents::ZERO).map(|value| (value, words)))
}

/// The agreed work as one paper.
pub(super) fn together(accepted: &[Accepted], language: Language) -> Option<Paper> {
    match accepted {
        [] => None,
        [one] => Some(one.paper.clone()),
        // Discounts of several papers cannot stand on one: each is one line.
        several => {
            let word = match language {
                Language::En => "Estimate",
                Language::Es => "Presupuesto",
            };
            let line = |(at, one): (usize, &Accepted)| Line {
                id: (at + 1).to_string(),
                name: format!("{word} {}", one.number),
                unit: "each".to_owned(),
                unit_price: total(&one.paper),
                ..Line::default()
            };
            Some(Paper { lines: several.iter().enumerate().map(line).collect(), ..Paper::default() })
        }
    }
}

/// What it comes to.
#[must_use]
pub(super) fn total(paper: &Paper) -> Cents {
    paper.totals(&paper.recommended()).total
}

/// What is left to be billed of the agreed work: its lines, less a line for each earlier invoice.
///
/// # Errors
/// [`Error::Conflict`] when nothing is.
pub(super) fn rest(agreed: Paper, before: &[Before], language: Language) -> Result<Paper> {
    let left = total(&agreed).0 - billed(before).0;
    if left <= 0 {
        return Err(Error::Conflict("Everything agreed has been invoiced."));
    }
    if before.is_empty() {
        return Ok(agreed);
    }
    let word = match language {
        Language::En => "Invoiced before",
        Language::Es => "Facturado antes",
    };
    let mut paper = settled(&agreed);
    paper.lines.extend(before.iter().map(|one| Line {
        id: format!("{BEFORE}{}", one.id),
        name: format!("{word}: {}", one.number),
        unit: "each".to_owned(),
        unit_price: Cents(-one.total.0),
        ..Line::default()
    }));
    Ok(paper)
}

/// The sum of earlier invoices.
#[must_use]
pub(super) fn billed(before: &[Before]) -> Cents {
    before.iter().map(|one| one.total).sum()
}

/// The same lines with the same taxes and the same total, where the discount of the whole paper stands in the lines: so
/// that a line which is added to it is none of the discount's business.
fn settled(paper: &Paper) -> Paper {
    if paper.discount == Part::None {
        return paper.clone();
    }
    let totals = paper.totals(&paper.recommended());
    let settle = |(line, sum): (&Line, &crate::paper::LineTotal)| {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use crate::money::Ppm;

    fn before(cents: &[i64]) -> Vec<Before> {
        let one = |(n, cents): (usize, &i64)| Before {
            id: InvoiceId(Uuid::from_u128(n as u128)),
            number: format!("INV-{}", 1001 + n),
            total: Cents(*cents),
        };
        cents.iter().enumerate().map(one).collect()
    }

    #[test]
    fn what_was_invoiced_before_is_taken_off_by_name() {
        let agreed = Paper::one_line("Water heater", Cents(125_050));
        let paper = rest(agreed.clone(), &before(&[30_000, 20_050]), Language::En).unwrap();
        let names: Vec<_> = paper.lines.iter().map(|line| (line.name.as_str(), line.unit_price.0)).collect();
        let wanted =
            [("Water heater", 125_050), ("Invoiced before: INV-1001", -30_000), ("Invoiced before: INV-1002", -20_050)];
        assert_eq!((names, total(&paper)), (wanted.to_vec(), Cents(75_000)));
        assert!(matches!(rest(agreed.clone(), &before(&[125_050]), Language::En), Err(Error::Conflict(_))));
        assert_eq!(rest(agreed.clone(), &[], Language::Es).unwrap(), agreed);
    }

    fn line() -> impl Strategy<Value = Line> {
        let part = prop_oneof![
            Just(Part::None),
            (0_i64..=1_000_000).prop_map(|ppm| Part::Percent(Ppm(ppm))),
            (0_i64..50_000).prop_map(|cents| Part::Amount(Cents(cents))),
        ];
        (1_i64..20_000, -50_000_i64..200_000, part, 0_i64..120_000).prop_map(|(quantity, price, discount, tax)| Line {
            name: "Work".into(),
            unit: "each".into(),
            quantity: Milli(quantity),
            unit_price: Cents(price),
            discount,
            tax: Ppm(tax),
            ..Line::default()
        })
    }

    proptest! {
        #[test]
        fn a_discount_of_the_whole_may_stand_in_the_lines_without_changing_a_cent(
            lines in prop::collection::vec(line(), 1..8),
            percent in prop::option::of(0_i64..=1_000_000),
            amount in 0_i64..300_000,
        ) {
            let discount = percent.map_or(Part::Amount(Cents(amount)), |percent| Part::Percent(Ppm(percent)));
            let lines = lines.into_iter().enumerate().map(|(n, line)| Line { id: n.to_string(), ..line }).collect();
            let paper = Paper { lines, discount, ..Paper::default() };
            let (whole, apart) = (paper.totals(&paper.recommended()), settled(&paper).totals(&paper.recommended()));
            prop_assert_eq!((apart.total, apart.tax, apart.discount), (whole.total, whole.tax, Cents::ZERO));
            for (a, b) in apart.lines.iter().zip(&whole.lines) {
                prop_assert_eq!((a.amount.0, a.tax), (b.amount.0 - b.share.0, b.tax));
            }
        }
    }
}
