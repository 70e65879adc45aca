//! What of its budgets a business has used, counted in the transaction that uses it: of two at the same instant the second
//! sees the first.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use super::{Budget, What, level, standing, why_not};
use crate::platform::{
    clock::Origin,
    db::{AsConn, Tx, q},
    error::{Error, Result},
    id::{DEMO_ORG, OrgId},
};

/// Counts of single days are forgotten after this time.
const KEEP: Duration = Duration::days(30);
/// Stands for all days together.
const ALL_DAYS: &str = "";

/// What was used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromRow)]
pub struct Used {
    pub today: i64,
    pub in_all: i64,
}

impl Used {
    pub const NONE: Self = Self { today: 0, in_all: 0 };

    /// Whether so many more are within the budget.
    #[must_use]
    pub fn fits(self, more: i64, budget: Budget) -> bool {
        self.today.saturating_add(more) <= budget.a_day && self.in_all.saturating_add(more) <= budget.in_all
    }
}

/// Days are counted in UTC, whatever zone a business chooses.
fn day(now: DateTime<Utc>) -> String {
    now.format("%Y-%m-%d").to_string()
}

/// What was used of something today and in all.
pub async fn used(conn: &mut dyn AsConn, org: OrgId, what: What, now: DateTime<Utc>) -> Result<Used> {
    Ok(q!(
        conn,
        fetch_one as Used,
        "SELECT COALESCE((SELECT used FROM trust_usage WHERE org_id = $1 AND what = $2 AND day = $3), 0) AS today,
             COALESCE((SELECT used FROM trust_usage WHERE org_id = $1 AND what = $2 AND day = $4), 0) AS in_all",
        org,
        what,
        day(now),
        ALL_DAYS
    )?)
}

/// Uses so many, if the budget has them. The row of all days is taken first, so that whoever asks at the same instant
/// waits.
pub async fn take(
    tx: &mut Tx,
    (org, what): (OrgId, What),
    more: i64,
    budget: Budget,
    now: DateTime<Utc>,
) -> Result<bool> {
    add(tx, (org, what), ALL_DAYS, more).await?;
    add(tx, (org, what), &day(now), more).await?;
    let used = used(&mut *tx, org, what, now).await?;
    if used.fits(0, budget) {
        return Ok(true);
    }
    give_back(tx, (org, what), more, now).await?;
    Ok(false)
}

/// Takes back what was not used after all.
pub(crate) async fn give_back(tx: &mut Tx, (org, what): (OrgId, What), more: i64, now: DateTime<Utc>) -> Result<()> {
    add(tx, (org, what), ALL_DAYS, -more).await?;
    add(tx, (org, what), &day(now), -more).await
}

async fn add(tx: &mut Tx, (org, what): (OrgId, What), day: &str, more: i64) -> Result<()> {
    let sql = "INSERT INTO trust_usage (org_id, what, day, used) VALUES ($1, $2, $3, $4)
         ON CONFLICT (org_id, what, day) DO UPDATE SET used = trust_usage.used + excluded.used";
    q!(tx, execute, sql, org, what, day, more)?;
    Ok(())
}

/// Uses so many invitations or imported customers.
///
/// # Errors
/// [`Error::TrustLimit`] in a sentence that says what opens more; nothing was used then.
pub async fn spend(
    tx: &mut Tx,
    origin: &Origin,
    (org, what): (OrgId, What),
    more: i64,
    takes_money: bool,
) -> Result<()> {
    // The demonstration refuses every change by itself.
    if org == DEMO_ORG {
        return Ok(());
    }
    let level = level(&mut *tx, org).await?;
    let Some(budget) = level.budget(what, takes_money) else { return Ok(()) };
    if more > 0 && !take(tx, (org, what), more, budget, origin.now()).await? {
        return Err(Error::TrustLimit(sentence(&why_not(level, takes_money, what, budget))));
    }
    Ok(())
}

/// For what needs a proven address and is not counted.
///
/// # Errors
/// [`Error::TrustLimit`] before an owner has proved theirs.
pub async fn needs_proof(conn: &mut dyn AsConn, org: OrgId) -> Result<()> {
    if org == DEMO_ORG || standing(conn, org).await?.is_proven {
        return Ok(());
    }
    Err(Error::TrustLimit(sentence(super::NOT_PROVEN)))
}

/// A clause as a sentence of its own.
pub(super) fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

/// Forgets single days that are long over.
pub async fn prune(tx: &mut Tx, now: DateTime<Utc>) -> Result<()> {
    q!(tx, execute, "DELETE FROM trust_usage WHERE day < $1 AND day <> $2", day(now - KEEP), ALL_DAYS)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends_with_the_day_or_with_all() {
        let budget = Budget { a_day: 3, in_all: 5 };
        let fits = |today, in_all, more| Used { today, in_all }.fits(more, budget);
        assert!(fits(0, 0, 3) && fits(2, 4, 1) && fits(3, 5, 0));
        assert!(!fits(3, 3, 1) && !fits(0, 5, 1) && !fits(0, 0, 4));
        assert!(!fits(1, 1, i64::MAX), "nothing overflows");
    }

    #[test]
    fn a_clause_becomes_a_sentence() {
        assert_eq!(sentence("nothing leaves yet"), "Nothing leaves yet.");
        assert_eq!(sentence(""), ".");
    }
}
