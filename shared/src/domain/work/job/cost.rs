//! What a job has cost: materials, hours of labor, and whatever else; and what is left of its price (features 49).

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{find, hold};
use crate::{
    domain::{growth::metrics::figures, work::activity::Doer},
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        id::{CostId, JobId, OrgId},
        live::{self, Topic},
        money::{Cents, Milli, Ppm, Typed, half_up},
        text::line,
    },
};

const LONGEST_NOTE: usize = 200;
/// More than this stands on no job.
const MOST: i64 = 500;
/// A hundred million dollars.
const MOST_CENTS: Cents = Cents(10_000_000_000);
const ONE_WAY: &str = "Enter either an amount, or a quantity and a rate";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = JobCostKind)]
pub enum Kind {
    Materials,
    /// The quantity is hours.
    Labor,
    Other,
}

/// A cost as it is typed: an amount, or a quantity at a rate.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CostForm {
    pub kind: Option<Kind>,
    pub quantity: Option<Typed>,
    pub rate: Option<Typed>,
    pub amount: Option<Typed>,
    pub note: Option<String>,
}

/// A cost that may be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCost {
    kind: Kind,
    quantity: Milli,
    rate: Cents,
    amount: Cents,
    note: Option<String>,
}

impl CostForm {
    /// # Errors
    /// [`Error::Invalid`], naming every field that does not fit.
    pub fn check(&self) -> Result<NewCost> {
        let mut errors = FieldErrors::default();
        if self.kind.is_none() {
            errors.add("kind", "Choose materials, labor or other");
        }
        let (quantity, rate, amount) = self.amounts(&mut errors);
        if amount > MOST_CENTS {
            errors.add("amount", "This is more than a job costs");
        }
        let note = line("note", self.note.as_deref(), LONGEST_NOTE).optional(&mut errors);
        errors.finish()?;
        Ok(NewCost { kind: self.kind.unwrap_or(Kind::Other), quantity, rate, amount, note })
    }

    fn amounts(&self, errors: &mut FieldErrors) -> (Milli, Cents, Cents) {
        let positive = |typed: &Typed| typed.cents().filter(|cents| *cents > Cents::ZERO);
        match (&self.amount, &self.quantity, &self.rate) {
            (Some(amount), None, None) => {
                let amount = positive(amount);
                if amount.is_none() {
                    errors.add("amount", "Enter an amount above $0.00");
                }
                let amount = amount.unwrap_or_default();
                (Milli::ONE, amount, amount)
            }
            (None, Some(quantity), Some(rate)) => {
                let (quantity, rate) = (Milli::read(quantity), positive(rate));
                if quantity.is_none() {
                    errors.add("quantity", "Enter a number above 0");
                }
                if rate.is_none() {
                    errors.add("rate", "Enter an amount above $0.00");
                }
                let (quantity, rate) = (quantity.unwrap_or_default(), rate.unwrap_or_default());
                (quantity, rate, Cents(half_up(i128::from(quantity.0) * i128::from(rate.0), 1000)))
            }
            _ => {
                errors.add("amount", ONE_WAY);
                (Milli::ONE, Cents::ZERO, Cents::ZERO)
            }
        }
    }
}

/// One line of what a job has cost.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = JobCost)]
pub struct Cost {
    pub id: CostId,
    pub kind: Kind,
    /// Pieces, or hours of labor.
    pub quantity: Milli,
    /// US dollars for each.
    pub rate: Cents,
    pub amount: Cents,
    pub note: Option<String>,
    /// Who noted it, by name; null for somebody who is not there any more.
    pub by: Option<String>,
    pub at: DateTime<Utc>,
}

/// What is left of a job's price.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobMargin)]
pub struct JobMargin {
    /// US dollars.
    pub amount: Cents,
    pub percent: f64,
    /// Nothing was noted: it is the business's own percentage.
    pub is_estimate: bool,
}

/// What a job has cost, in all.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = JobCosts)]
pub struct Costs {
    /// Oldest first.
    pub costs: Vec<Cost>,
    /// Of all of them, in US dollars.
    pub total: Cents,
    /// What the job is worth; null when nobody said.
    pub revenue: Option<Cents>,
    /// Null without a revenue.
    pub margin: Option<JobMargin>,
}

#[derive(FromRow)]
struct Row {
    id: CostId,
    kind: Kind,
    quantity_milli: i64,
    rate_cents: Cents,
    amount_cents: Cents,
    note: Option<String>,
    by_name: Option<String>,
    created_at: DateTime<Utc>,
}

impl From<Row> for Cost {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            kind: row.kind,
            quantity: Milli(row.quantity_milli),
            rate: row.rate_cents,
            amount: row.amount_cents,
            note: row.note,
            by: row.by_name,
            at: row.created_at,
        }
    }
}

/// What a job has cost. `usual` is what is left of a price where nobody noted anything.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such job.
pub async fn of_job(conn: &mut dyn AsConn, org: OrgId, id: JobId, usual: Ppm) -> Result<Costs> {
    let revenue = find(&mut *conn, org, id).await?.value_cents;
    let rows = q!(
        conn,
        fetch_all as Row,
        "SELECT c.id, c.kind, c.quantity_milli, c.rate_cents, c.amount_cents, c.note, a.name AS by_name, c.created_at
         FROM job_cost c LEFT JOIN account a ON a.org_id = c.org_id AND a.id = c.account_id
         WHERE c.org_id = $1 AND c.job_id = $2 ORDER BY c.created_at, c.id",
        org,
        id
    )?;
    let costs: Vec<Cost> = rows.into_iter().map(Cost::from).collect();
    let total: Cents = costs.iter().map(|cost| cost.amount).sum();
    let noted = (!costs.is_empty()).then_some(total);
    let margin = figures::of_job(revenue, noted, usual).map(|(amount, percent, is_estimate)| JobMargin {
        amount,
        percent,
        is_estimate,
    });
    Ok(Costs { costs, total, revenue, margin })
}

/// Notes a cost. The caller writes the audit line.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such job; [`Error::Conflict`] when it has too many.
pub async fn add(tx: &mut Tx, origin: &Origin, org: OrgId, job: JobId, new: &NewCost, by: &Doer) -> Result<CostId> {
    let held = hold(&mut *tx, org, job).await?;
    let sql = "SELECT COUNT(*) FROM job_cost WHERE org_id = $1 AND job_id = $2";
    if q!(&mut *tx, fetch_one scalar i64, sql, org, job)? >= MOST {
        return Err(Error::Conflict("This job has as many costs as can be noted. Remove one first."));
    }
    let id = CostId(origin.uuid());
    q!(
        &mut *tx,
        execute,
        "INSERT INTO job_cost (org_id, id, job_id, kind, quantity_milli, rate_cents, amount_cents, note, account_id,
             created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        org,
        id,
        job,
        new.kind,
        new.quantity.0,
        new.rate,
        new.amount,
        new.note.as_deref(),
        by.account(),
        origin.now()
    )?;
    live::announce(tx, origin, org, Topic::Job, job.0, Some(held.lead_id.0)).await?;
    Ok(id)
}

/// Takes a cost away. The caller writes the audit line.
///
/// # Errors
/// [`Error::NotFound`] when the job has no such cost.
pub async fn remove(tx: &mut Tx, origin: &Origin, org: OrgId, job: JobId, id: CostId) -> Result<()> {
    let held = hold(&mut *tx, org, job).await?;
    let sql = "DELETE FROM job_cost WHERE org_id = $1 AND job_id = $2 AND id = $3";
    if q!(&mut *tx, execute, sql, org, job, id)? == 0 {
        return Err(Error::NotFound);
    }
    live::announce(tx, origin, org, Topic::Job, job.0, Some(held.lead_id.0)).await
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn checked(form: Value) -> Result<NewCost> {
        serde_json::from_value::<CostForm>(form).unwrap().check()
    }

    #[test]
    fn a_cost_is_an_amount_or_so_many_at_a_rate() {
        let hours = checked(json!({"kind": "labor", "quantity": 2.5, "rate": "45.50", "note": " Sam "})).unwrap();
        assert_eq!((hours.quantity, hours.rate, hours.amount), (Milli(2_500), Cents(4_550), Cents(11_375)));
        assert_eq!(hours.note.as_deref(), Some("Sam"));
        let pipe = checked(json!({"kind": "materials", "amount": "$1,250.50"})).unwrap();
        assert_eq!((pipe.quantity, pipe.rate, pipe.amount), (Milli::ONE, Cents(125_050), Cents(125_050)));
        // A third of a cent is rounded once.
        let odd = checked(json!({"kind": "other", "quantity": 0.333, "rate": 0.01})).unwrap();
        assert_eq!(odd.amount, Cents(0));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let fields = |form: Value| match checked(form) {
            Err(Error::Invalid(errors)) => errors.said().into_iter().map(|(field, _)| field).collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        };
        for (form, wanted) in [
            (json!({}), &["amount", "kind"][..]),
            (json!({"kind": "labor"}), &["amount"]),
            (json!({"kind": "labor", "quantity": 1}), &["amount"]),
            (json!({"kind": "labor", "amount": 1, "rate": 1}), &["amount"]),
            (json!({"kind": "labor", "amount": 0}), &["amount"]),
            (json!({"kind": "labor", "amount": -5}), &["amount"]),
            (json!({"kind": "labor", "amount": "much"}), &["amount"]),
            (json!({"kind": "labor", "quantity": 0, "rate": "x"}), &["quantity", "rate"]),
            (json!({"kind": "labor", "quantity": 1_000_000, "rate": 100_000_000}), &["amount"]),
            (json!({"kind": "labor", "amount": 1, "note": "x".repeat(201)}), &["note"]),
        ] {
            assert_eq!(fields(form.clone()), wanted, "{form}");
        }
    }
}
