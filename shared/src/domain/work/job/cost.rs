//! Job costs: materials, labor hours and other; and the margin (features 49).

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{find, lock_job, margin::compute_job_margin};
use crate::{
    conflicts::ConflictCode,
    domain::tenancy::activity_log::ActivityActor,
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, insert_row, q},
        error::{Error, FieldErrors, Result},
        field_schemas,
        id::{CostId, JobId, OrgId},
        live::{self, Topic},
        money::{Cents, DecimalInput, Milli, Ppm, divide_half_up},
        text::single_line,
    },
};

const LONGEST_NOTE: usize = 200;
/// Rows per job.
const MOST: i64 = 500;
/// A hundred million dollars.
const MOST_CENTS: Cents = Cents(10_000_000_000);
const ONE_WAY: &str = "Enter either an amount, or a quantity and a rate";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum JobCostKind {
    Materials,
    /// The quantity is hours.
    Labor,
    Other,
}

/// A cost: an amount, or a quantity at a rate.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = NewJobCost)]
pub struct JobCostForm {
    #[schema(value_type = JobCostKind, required)]
    pub kind: Option<JobCostKind>,
    /// Pieces, or hours of labor; up to three decimals.
    #[schema(value_type = Option<f64>, maximum = 1_000_000)]
    pub quantity: Option<DecimalInput>,
    /// US dollars for each.
    #[schema(value_type = Option<f64>, minimum = 0.01, maximum = 100_000_000)]
    pub rate: Option<DecimalInput>,
    /// US dollars, instead of quantity and rate.
    #[schema(value_type = Option<f64>, minimum = 0.01, maximum = 100_000_000)]
    pub amount: Option<DecimalInput>,
    #[schema(schema_with = field_schemas::nullable_line::<200>)]
    pub note: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedJobCost {
    kind: JobCostKind,
    quantity: Milli,
    rate: Cents,
    amount: Cents,
    note: Option<String>,
}

impl JobCostForm {
    /// # Errors
    /// [`Error::Invalid`], naming every field that does not fit.
    pub fn validate(&self) -> Result<CheckedJobCost> {
        let mut errors = FieldErrors::default();
        if self.kind.is_none() {
            errors.add("kind", "Choose materials, labor or other");
        }
        let (quantity, rate, amount) = self.validate_amounts(&mut errors);
        if amount > MOST_CENTS {
            errors.add("amount", "This is more than a job costs");
        }
        let note = single_line("note", self.note.as_deref(), LONGEST_NOTE).parse_optional(&mut errors);
        errors.into_result()?;
        Ok(CheckedJobCost { kind: self.kind.unwrap_or(JobCostKind::Other), quantity, rate, amount, note })
    }

    fn validate_amounts(&self, errors: &mut FieldErrors) -> (Milli, Cents, Cents) {
        let positive = |typed: &DecimalInput| typed.to_cents().filter(|cents| *cents > Cents::ZERO);
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
                let (quantity, rate) = (Milli::from_input(quantity), positive(rate));
                if quantity.is_none() {
                    errors.add("quantity", "Enter a number above 0");
                }
                if rate.is_none() {
                    errors.add("rate", "Enter an amount above $0.00");
                }
                let (quantity, rate) = (quantity.unwrap_or_default(), rate.unwrap_or_default());
                (quantity, rate, Cents(divide_half_up(i128::from(quantity.0) * i128::from(rate.0), 1000)))
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
pub struct JobCost {
    pub id: CostId,
    pub kind: JobCostKind,
    /// Pieces, or hours of labor.
    pub quantity: Milli,
    /// US dollars for each.
    pub rate: Cents,
    pub amount: Cents,
    pub note: Option<String>,
    /// Who noted it, by name; null for a removed account.
    pub by: Option<String>,
    pub at: DateTime<Utc>,
}

/// What is left of a job's price.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobMargin {
    /// US dollars.
    pub amount: Cents,
    pub percent: f64,
    /// Nothing was noted: it is the business's own percentage.
    pub is_estimate: bool,
}

/// What a job has cost, in all.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct JobCosts {
    /// Oldest first.
    pub costs: Vec<JobCost>,
    /// Of all of them, in US dollars.
    pub total: Cents,
    /// Price of the job; null when unknown.
    pub revenue: Option<Cents>,
    /// Null without a revenue.
    pub margin: Option<JobMargin>,
}

#[derive(FromRow)]
struct JobCostRow {
    id: CostId,
    kind: JobCostKind,
    quantity_milli: i64,
    rate_cents: Cents,
    amount_cents: Cents,
    note: Option<String>,
    by_name: Option<String>,
    created_at: DateTime<Utc>,
}

impl From<JobCostRow> for JobCost {
    fn from(row: JobCostRow) -> Self {
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

/// `usual` is the margin of jobs without recorded costs.
pub async fn load_job_costs(conn: &mut dyn AsConn, org: OrgId, id: JobId, usual: Ppm) -> Result<JobCosts> {
    let revenue = find(&mut *conn, org, id).await?.value_cents;
    let rows = q!(
        conn,
        fetch_all as JobCostRow,
        "SELECT c.id, c.kind, c.quantity_milli, c.rate_cents, c.amount_cents, c.note, a.name AS by_name, c.created_at
         FROM job_cost c LEFT JOIN account a ON a.org_id = c.org_id AND a.id = c.account_id
         WHERE c.org_id = $1 AND c.job_id = $2 ORDER BY c.created_at, c.id",
        org,
        id
    )?;
    let costs: Vec<JobCost> = rows.into_iter().map(JobCost::from).collect();
    let total: Cents = costs.iter().map(|cost| cost.amount).sum();
    let noted = (!costs.is_empty()).then_some(total);
    let margin = compute_job_margin(revenue, noted, usual).map(|(amount, percent, is_estimate)| JobMargin {
        amount,
        percent,
        is_estimate,
    });
    Ok(JobCosts { costs, total, revenue, margin })
}

/// The caller writes the audit line.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such job; [`Error::Conflict`] when it has too many.
pub async fn add_cost(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    job: JobId,
    new: &CheckedJobCost,
    by: &ActivityActor,
) -> Result<CostId> {
    let held = lock_job(&mut *tx, org, job).await?;
    let sql = "SELECT COUNT(*) FROM job_cost WHERE org_id = $1 AND job_id = $2";
    if q!(&mut *tx, fetch_one scalar i64, sql, org, job)? >= MOST {
        return Err(ConflictCode::JobCostsFull.into_error());
    }
    let id = CostId(origin.uuid_v7());
    insert_row!(
        &mut *tx,
        execute,
        job_cost {
            org_id: org,
            id,
            job_id: job,
            kind: new.kind,
            quantity_milli: new.quantity.0,
            rate_cents: new.rate,
            amount_cents: new.amount,
            note: new.note.as_deref(),
            account_id: by.account_id(),
            created_at: origin.now(),
        }
    )?;
    live::publish_event(tx, origin, org, Topic::Job, job.0, Some(held.lead_id.0)).await?;
    Ok(id)
}

/// The caller writes the audit line.
pub async fn remove_cost(tx: &mut Tx, origin: &ClockRng, org: OrgId, job: JobId, id: CostId) -> Result<()> {
    let held = lock_job(&mut *tx, org, job).await?;
    let sql = "DELETE FROM job_cost WHERE org_id = $1 AND job_id = $2 AND id = $3";
    if q!(&mut *tx, execute, sql, org, job, id)? == 0 {
        return Err(Error::NotFound);
    }
    live::publish_event(tx, origin, org, Topic::Job, job.0, Some(held.lead_id.0)).await
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::tests::IntoMessages;

    fn checked(form: Value) -> Result<CheckedJobCost> {
        serde_json::from_value::<JobCostForm>(form).unwrap().validate()
    }

    #[test]
    fn cost_is_an_amount_or_quantity_times_rate() {
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
    fn invalid_cost_fields_are_reported_by_name() {
        let fields = |form: Value| match checked(form) {
            Err(Error::Invalid(errors)) => {
                errors.into_messages().into_iter().map(|(field, _)| field).collect::<Vec<_>>()
            }
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
