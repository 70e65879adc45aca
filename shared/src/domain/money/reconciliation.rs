//! Reconciliation with Stripe: every night the charges, refunds, disputes, payouts and balance transactions of each
//! connected account of the last 120 days are compared with the ledger. Certain results are booked; the others are
//! shown and reported (docs/card-payments.md).
//!
//! A run works in slices of one page of a list. Each slice is one transaction that also stores the progress: a crashed
//! worker, a rate limit or an outage costs one page.

use chrono::{DateTime, Duration, Timelike, Utc};
use sqlx::FromRow;

use crate::{
    domain::{money::checkout, tenancy::org},
    platform::{
        clock::ClockRng,
        db::{AsConn, Db, Tx, q},
        error::Result,
        id::{CheckoutId, OrgId, PaymentId},
        tasks::{self, NewTask, TaskKind},
    },
};

mod apply_lists;
mod compare;
mod difference;
mod view;

pub(crate) use apply_lists::discard_unread_payouts;
pub use apply_lists::{
    apply_charges, apply_disputes, apply_payouts, apply_refunds, find_unread_payout, list_disputed_payments,
    mark_payout_read, store_payout_lines, store_transactions,
};
pub use compare::{COMPARISON_SQL, alert_key_refused, compare_payments};
pub use view::{MoneyDifference, ReconciliationReport, load_reconciliation};

/// Period of a run: the longest time for disputing a card payment.
const LOOKBACK: Duration = Duration::days(120);
/// Additional period for disputes: a bank may decide months after the inquiry.
const DISPUTE_LOOKBACK: Duration = Duration::days(245);
/// Local hours in which a run begins.
const NIGHT_HOURS: std::ops::RangeInclusive<u32> = 1..=5;
/// A run that began this recently is tonight's.
const SAME_NIGHT: Duration = Duration::hours(20);
/// A refund of this age is past the undo period: its own task should have requested it.
const GRACE_OVER: Duration = Duration::minutes(2);
/// An overdue run begins at any hour.
const OVERDUE: Duration = Duration::hours(30);

#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum ReconciliationPhase {
    Charges,
    Refunds,
    Disputes,
    Payouts,
    /// Content of each payout.
    Lines,
    Transactions,
    Compare,
    Done,
}

impl ReconciliationPhase {
    #[must_use]
    pub fn next_phase(self) -> Self {
        match self {
            Self::Charges => Self::Refunds,
            Self::Refunds => Self::Disputes,
            Self::Disputes => Self::Payouts,
            Self::Payouts => Self::Lines,
            Self::Lines => Self::Transactions,
            Self::Transactions => Self::Compare,
            Self::Compare | Self::Done => Self::Done,
        }
    }

    /// Stripe's name of the list.
    #[must_use]
    pub fn stripe_list(self) -> &'static str {
        match self {
            Self::Charges => "charges",
            Self::Refunds => "refunds",
            Self::Disputes => "disputes",
            Self::Payouts => "payouts",
            Self::Lines | Self::Transactions => "balance_transactions",
            Self::Compare | Self::Done => "",
        }
    }
}

#[derive(Clone, Debug, FromRow)]
pub struct ReconciliationRun {
    pub org_id: OrgId,
    pub account: String,
    pub phase: ReconciliationPhase,
    pub cursor: Option<String>,
    pub since: DateTime<Utc>,
    pub started_at: DateTime<Utc>,
    pub unread: String,
}

impl ReconciliationRun {
    #[must_use]
    pub fn listed_since(&self) -> DateTime<Utc> {
        if self.phase == ReconciliationPhase::Disputes { self.since - DISPUTE_LOOKBACK } else { self.since }
    }

    #[must_use]
    pub fn is_unreadable(&self, list: &str) -> bool {
        self.unread.split(' ').any(|one| one == list)
    }

    /// Whether money that went back may be missing in the books, so that equal sums prove nothing.
    #[must_use]
    pub fn lacks_returned_money(&self) -> bool {
        self.is_unreadable("refunds") || self.is_unreadable("disputes")
    }

    /// Whether the key may read no list: it was revoked, or its account is gone.
    #[must_use]
    pub fn is_all_unreadable(&self) -> bool {
        [
            ReconciliationPhase::Charges,
            ReconciliationPhase::Refunds,
            ReconciliationPhase::Disputes,
            ReconciliationPhase::Payouts,
            ReconciliationPhase::Transactions,
        ]
        .iter()
        .all(|phase| self.is_unreadable(phase.stripe_list()))
    }
}

/// None while nothing is to be reconciled.
pub async fn find_run(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<ReconciliationRun>> {
    Ok(q!(
        conn,
        fetch_optional as ReconciliationRun,
        "SELECT org_id, account, phase, cursor, since, started_at, unread FROM reconciliation
         WHERE org_id = $1 AND phase <> 'done'",
        org
    )?)
}

fn build_slice_task(
    look: &ReconciliationRun,
    phase: ReconciliationPhase,
    cursor: Option<&str>,
    run_at: DateTime<Utc>,
) -> NewTask {
    let (began, at) = (look.started_at.timestamp_millis(), cursor.unwrap_or_default());
    NewTask {
        org: Some(look.org_id),
        kind: TaskKind::Reconcile,
        subject: Some(look.org_id.0),
        run_at,
        unique_key: format!("reconcile:{}:{began}:{phase:?}:{at}", look.org_id),
    }
}

/// Continues with the next slice. Does nothing when another worker was faster.
pub async fn advance_run(
    tx: &mut Tx,
    origin: &ClockRng,
    look: &ReconciliationRun,
    phase: ReconciliationPhase,
    cursor: Option<&str>,
) -> Result<bool> {
    let moved = q!(
        &mut *tx,
        execute,
        "UPDATE reconciliation SET phase = $3, cursor = $4 WHERE org_id = $1 AND started_at = $2 AND phase = $5
             AND COALESCE(cursor, '') = $6",
        look.org_id,
        look.started_at,
        phase,
        cursor,
        look.phase,
        look.cursor.as_deref().unwrap_or_default()
    )?;
    if moved > 0 && phase != ReconciliationPhase::Done {
        tasks::enqueue(tx, origin, vec![build_slice_task(look, phase, cursor, origin.now())]).await?;
    }
    Ok(moved > 0)
}

/// Rate limit of Stripe: repeats the slice after the pause.
pub async fn postpone_slice(tx: &mut Tx, origin: &ClockRng, look: &ReconciliationRun, pause: Duration) -> Result<()> {
    let mut task = build_slice_task(look, look.phase, look.cursor.as_deref(), origin.now() + pause);
    task.unique_key = format!("{}:{}", task.unique_key, origin.uuid_v7());
    tasks::enqueue(tx, origin, vec![task]).await.map(|_| ())
}

/// The key may not read a list: the run continues without it, and the settings say so.
pub async fn skip_unreadable_list(tx: &mut Tx, origin: &ClockRng, look: &ReconciliationRun) -> Result<()> {
    let list = look.phase.stripe_list();
    if !look.is_unreadable(list) {
        let unread = format!("{} {list}", look.unread).trim().to_owned();
        let sql = "UPDATE reconciliation SET unread = $3 WHERE org_id = $1 AND started_at = $2";
        q!(&mut *tx, execute, sql, look.org_id, look.started_at, unread)?;
    }
    advance_run(tx, origin, look, look.phase.next_phase(), None).await.map(|_| ())
}

/// Another account is in force: it is reconciled from the beginning. What was found before is reported when it ends.
pub async fn restart_run(tx: &mut Tx, origin: &ClockRng, org: OrgId, account: &str) -> Result<()> {
    begin_run(tx, origin, org, account).await
}

async fn begin_run(tx: &mut Tx, origin: &ClockRng, org: OrgId, account: &str) -> Result<()> {
    let now = origin.now();
    let look = q!(
        &mut *tx,
        fetch_one as ReconciliationRun,
        "INSERT INTO reconciliation (org_id, account, phase, since, started_at, agreed, unread)
         VALUES ($1, $2, 'charges', $3, $4, 0, '')
         ON CONFLICT (org_id) DO UPDATE SET account = excluded.account, phase = excluded.phase, cursor = NULL,
             since = excluded.since, started_at = excluded.started_at, unread = excluded.unread
         RETURNING org_id, account, phase, cursor, since, started_at, unread",
        org,
        account,
        now - LOOKBACK,
        now
    )?;
    let mut wanted = vec![build_slice_task(&look, ReconciliationPhase::Charges, None, now)];
    wanted.extend(build_open_refund_tasks(&mut *tx, &look, now).await?);
    wanted.extend(build_pending_transfer_tasks(&mut *tx, origin, &look).await?);
    tasks::enqueue(tx, origin, wanted).await.map(|_| ())
}

/// Refunds in doubt, pending or not requested yet are looked at again at any age.
async fn build_open_refund_tasks(tx: &mut Tx, look: &ReconciliationRun, now: DateTime<Utc>) -> Result<Vec<NewTask>> {
    let sql = "SELECT id FROM payment WHERE org_id = $1 AND kind = 'refund' AND status IN ('pending', 'unknown')
         AND undone_at IS NULL AND (attempted_at IS NOT NULL OR created_at < $2)";
    let open = q!(tx, fetch_all scalar PaymentId, sql, look.org_id, now - GRACE_OVER)?;
    let task = |id: PaymentId| NewTask {
        org: Some(look.org_id),
        kind: TaskKind::RefundCard,
        subject: Some(id.0),
        run_at: now,
        unique_key: format!("refund:{id}:night:{}", now.timestamp()),
    };
    Ok(open.into_iter().map(task).collect())
}

/// Pages with a payment at the bank: no list reports a debit that failed.
async fn build_pending_transfer_tasks(
    tx: &mut Tx,
    origin: &ClockRng,
    look: &ReconciliationRun,
) -> Result<Vec<NewTask>> {
    let sql = "SELECT id FROM checkout WHERE org_id = $1 AND status = 'open' AND url IS NULL";
    let open = q!(tx, fetch_all scalar CheckoutId, sql, look.org_id)?;
    Ok(open.into_iter().map(|id| checkout::build_recheck_task(origin, look.org_id, id, "night")).collect())
}

/// Begins tonight's run for every business that takes cards. Safe with any number of workers.
pub async fn schedule_nightly_runs(db: &Db, origin: &ClockRng) -> Result<()> {
    let now = origin.now();
    let sql = "SELECT o.id, o.timezone, r.started_at FROM org o LEFT JOIN reconciliation r ON r.org_id = o.id
         WHERE EXISTS (SELECT 1 FROM org_secret s WHERE s.org_id = o.id AND s.name = 'stripe')
             AND (r.started_at IS NULL OR r.started_at < $1)";
    let due = q!(
        &mut db.acquire_reader().await?,
        fetch_all as (OrgId, String, Option<DateTime<Utc>>),
        sql,
        now - SAME_NIGHT
    )?;
    for (org, zone, began) in due {
        let hour = now.with_timezone(&org::zone_named(&zone)).hour();
        let is_overdue = began.is_none_or(|began| now - began > OVERDUE);
        if !is_overdue && !NIGHT_HOURS.contains(&hour) {
            continue;
        }
        let mut tx = db.begin().await?;
        // Only one of several workers begins it.
        let sql = "SELECT COUNT(*) FROM reconciliation WHERE org_id = $1 AND started_at >= $2";
        if q!(&mut tx, fetch_one scalar i64, sql, org, now - SAME_NIGHT)? == 0 {
            // The first slice finds out which account it is.
            begin_run(&mut tx, origin, org, "").await?;
        }
        tx.commit().await?;
    }
    Ok(())
}

pub async fn record_run_account(tx: &mut Tx, look: &ReconciliationRun, account: &str) -> Result<()> {
    let sql = "UPDATE reconciliation SET account = $3 WHERE org_id = $1 AND started_at = $2";
    q!(tx, execute, sql, look.org_id, look.started_at, account)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_cover_every_stripe_list_and_end_at_done() {
        let mut phase = ReconciliationPhase::Charges;
        let mut lists = vec![phase.stripe_list()];
        while phase != ReconciliationPhase::Done {
            phase = phase.next_phase();
            lists.push(phase.stripe_list());
        }
        lists.dedup();
        assert_eq!(lists, ["charges", "refunds", "disputes", "payouts", "balance_transactions", ""]);
    }
}
