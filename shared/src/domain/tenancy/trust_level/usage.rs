//! Budget usage, counted in the using transaction, so that concurrent uses see each other.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use super::{TrustBudget, TrustSubject, budget_exceeded_reason, load_trust_facts, load_trust_level};
use crate::platform::{
    clock::ClockRng,
    db::{AsConn, Tx, q},
    error::{Error, Result},
    id::{DEMO_ORG, OrgId},
};

const KEEP: Duration = Duration::days(30);
const ALL_DAYS: &str = "";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromRow)]
pub struct BudgetUsage {
    pub today: i64,
    pub in_all: i64,
}

impl BudgetUsage {
    pub const NONE: Self = Self { today: 0, in_all: 0 };

    #[must_use]
    pub fn fits_budget(self, more: i64, budget: TrustBudget) -> bool {
        self.today.saturating_add(more) <= budget.a_day && self.in_all.saturating_add(more) <= budget.in_all
    }
}

/// Days are in UTC, regardless of the business's time zone.
pub(super) fn usage_day(now: DateTime<Utc>) -> String {
    now.format("%Y-%m-%d").to_string()
}

pub async fn load_usage(
    conn: &mut dyn AsConn,
    org: OrgId,
    what: TrustSubject,
    now: DateTime<Utc>,
) -> Result<BudgetUsage> {
    Ok(q!(
        conn,
        fetch_one as BudgetUsage,
        "SELECT COALESCE((SELECT used FROM trust_usage WHERE org_id = $1 AND what = $2 AND day = $3), 0) AS today,
             COALESCE((SELECT used FROM trust_usage WHERE org_id = $1 AND what = $2 AND day = $4), 0) AS in_all",
        org,
        what,
        usage_day(now),
        ALL_DAYS
    )?)
}

/// Uses an amount if the budget allows. Updates the total's row first, which serializes concurrent uses.
pub async fn try_consume_budget(
    tx: &mut Tx,
    (org, what): (OrgId, TrustSubject),
    more: i64,
    budget: TrustBudget,
    now: DateTime<Utc>,
) -> Result<bool> {
    add_usage(tx, (org, what), ALL_DAYS, more).await?;
    add_usage(tx, (org, what), &usage_day(now), more).await?;
    let used = load_usage(&mut *tx, org, what, now).await?;
    if used.fits_budget(0, budget) {
        return Ok(true);
    }
    refund_budget(tx, (org, what), more, now).await?;
    Ok(false)
}

/// Gives back what was used at `charged_at`, to the budget of that day.
pub(crate) async fn refund_budget(
    tx: &mut Tx,
    (org, what): (OrgId, TrustSubject),
    more: i64,
    charged_at: DateTime<Utc>,
) -> Result<()> {
    add_usage(tx, (org, what), ALL_DAYS, -more).await?;
    add_usage(tx, (org, what), &usage_day(charged_at), -more).await
}

async fn add_usage(tx: &mut Tx, (org, what): (OrgId, TrustSubject), day: &str, more: i64) -> Result<()> {
    let sql = "INSERT INTO trust_usage (org_id, what, day, used) VALUES ($1, $2, $3, $4)
         ON CONFLICT (org_id, what, day) DO UPDATE SET used = trust_usage.used + excluded.used";
    q!(tx, execute, sql, org, what, day, more)?;
    Ok(())
}

/// Uses an amount of invitations or imported customers.
///
/// # Errors
/// [`Error::TrustLimit`] with a sentence on how to get more; nothing is used then.
pub async fn consume_budget(
    tx: &mut Tx,
    origin: &ClockRng,
    (org, what): (OrgId, TrustSubject),
    more: i64,
    takes_money: bool,
) -> Result<()> {
    // The demonstration rejects every change by itself.
    if org == DEMO_ORG {
        return Ok(());
    }
    let level = load_trust_level(&mut *tx, org).await?;
    let Some(budget) = level.budget_for(what, takes_money) else { return Ok(()) };
    if more > 0 && !try_consume_budget(tx, (org, what), more, budget, origin.now()).await? {
        return Err(Error::TrustLimit(to_sentence(&budget_exceeded_reason(level, takes_money, what, budget))));
    }
    Ok(())
}

/// # Errors
/// [`Error::TrustLimit`] before an owner's proof.
pub async fn require_proven_address(conn: &mut dyn AsConn, org: OrgId) -> Result<()> {
    if org == DEMO_ORG || load_trust_facts(conn, org).await?.is_proven {
        return Ok(());
    }
    Err(Error::TrustLimit(to_sentence(super::NOT_PROVEN)))
}

/// For what a business posts to addresses of its choice.
///
/// # Errors
/// [`Error::TrustLimit`] while nothing goes to others: before an owner's proof, and before payment where businesses pay.
pub async fn require_open_sending(conn: &mut dyn AsConn, org: OrgId, takes_money: bool) -> Result<()> {
    if org == DEMO_ORG {
        return Ok(());
    }
    let (level, what) = (load_trust_level(conn, org).await?, TrustSubject::Email);
    match level.budget_for(what, takes_money) {
        Some(budget) if budget.in_all == 0 => {
            Err(Error::TrustLimit(to_sentence(&budget_exceeded_reason(level, takes_money, what, budget))))
        }
        _ => Ok(()),
    }
}

pub(super) fn to_sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

pub async fn prune_daily_usage(tx: &mut Tx, now: DateTime<Utc>) -> Result<()> {
    q!(tx, execute, "DELETE FROM trust_usage WHERE day < $1 AND day <> $2", usage_day(now - KEEP), ALL_DAYS)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budget_is_limited_per_day_and_in_total() {
        let budget = TrustBudget { a_day: 3, in_all: 5 };
        let fits = |today, in_all, more| BudgetUsage { today, in_all }.fits_budget(more, budget);
        assert!(fits(0, 0, 3) && fits(2, 4, 1) && fits(3, 5, 0));
        assert!(!fits(3, 3, 1) && !fits(0, 5, 1) && !fits(0, 0, 4));
        assert!(!fits(1, 1, i64::MAX), "nothing overflows");
    }

    #[test]
    fn clause_is_capitalized_and_ends_with_period() {
        assert_eq!(to_sentence("nothing leaves yet"), "Nothing leaves yet.");
        assert_eq!(to_sentence(""), ".");
    }
}
