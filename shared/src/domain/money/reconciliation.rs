//! Reconciliation with Stripe: every night the charges, refunds, disputes, payouts and balance transactions of each
//! connected account of the last 120 days are compared with the ledger. Certain results are booked; the others are
//! shown and reported (docs/card-payments.md).
//!
//! A run works in slices of one page of a list. Each slice is one transaction that also stores the progress: a crashed
//! worker, a rate limit or an outage costs one page.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use crate::platform::{
    clock::ClockRng,
    db::{AsConn, Tx, q},
    error::Result,
    id::OrgId,
    tasks::{self, NewTask, TaskKind},
};

mod apply_lists;
mod compare;
mod difference;
mod nightly_run;
mod settlement;
mod uncompared;
mod view;

pub(crate) use apply_lists::discard_unread_payouts;
pub use apply_lists::{
    apply_charges, apply_disputes, apply_payouts, apply_refunds, find_unread_payout, list_disputed_payments,
    mark_payout_read, store_payout_lines, store_transactions,
};
pub use compare::{COMPARISON_SQL, ComparisonStep, alert_key_refused, compare_payments};
pub(crate) use nightly_run::demand_all_runs;
pub use nightly_run::{begin_run_with_new_keys, is_check_after_restore_pending, restart_run, schedule_nightly_runs};
pub use settlement::{
    DifferenceReopening, DifferenceSettlementForm, SettlingPerson, reopen_difference, settle_difference,
};
pub(crate) use settlement::{erase_settlement_notes, erase_unknown_payment_notes};
pub use uncompared::UncomparedPayments;
pub(crate) use uncompared::record_account_left;
pub use view::{MoneyDifference, ReconciliationReport, SettledDifference, load_reconciliation};

/// Period of a run: the longest time for disputing a card payment.
const LOOKBACK: Duration = Duration::days(120);
/// Comparisons are repeated until so long after the first one began.
const REPEAT_PERIOD: Duration = Duration::hours(1);
/// Additional period for disputes: a bank may decide months after the inquiry.
const DISPUTE_LOOKBACK: Duration = Duration::days(245);
/// Additional period for charges and what follows them: a bank payment is booked days after its charge.
const CHARGE_LOOKBACK: Duration = Duration::days(14);
/// Pause before a second comparison: a webhook that is on its way arrives meanwhile.
const SECOND_COMPARISON_PAUSE: Duration = Duration::minutes(10);
/// End of the last run where none has ended since the books were put back from a copy.
const SINCE_RESTORE: DateTime<Utc> = DateTime::UNIX_EPOCH;
/// Cursor of a run that waits for its second comparison.
const AWAITS_SECOND_COMPARISON: &str = "again";

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
        let earlier = if self.phase == ReconciliationPhase::Disputes { DISPUTE_LOOKBACK } else { CHARGE_LOOKBACK };
        self.since - earlier
    }

    /// Whether differences that only this comparison found are left to another one. Each could find new ones.
    pub(crate) fn may_be_repeated(&self) -> bool {
        self.started_at - self.since <= LOOKBACK + REPEAT_PERIOD
    }

    #[must_use]
    pub fn awaits_second_comparison(&self) -> bool {
        self.phase == ReconciliationPhase::Compare && self.cursor.as_deref() == Some(AWAITS_SECOND_COMPARISON)
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
    let is_moved = store_position(&mut *tx, look, phase, cursor).await?;
    if is_moved && phase != ReconciliationPhase::Done {
        tasks::enqueue(tx, origin, vec![build_slice_task(look, phase, cursor, origin.now())]).await?;
    }
    Ok(is_moved)
}

/// Everything is read and compared once more after a pause. Does nothing when another worker was faster.
pub async fn schedule_second_comparison(tx: &mut Tx, origin: &ClockRng, look: &ReconciliationRun) -> Result<bool> {
    let (phase, cursor) = (ReconciliationPhase::Compare, Some(AWAITS_SECOND_COMPARISON));
    let is_moved = store_position(&mut *tx, look, phase, cursor).await?;
    if is_moved {
        let run_at = origin.now() + SECOND_COMPARISON_PAUSE;
        tasks::enqueue(tx, origin, vec![build_slice_task(look, phase, cursor, run_at)]).await?;
    }
    Ok(is_moved)
}

/// False when another worker was faster.
async fn store_position(
    tx: &mut Tx,
    look: &ReconciliationRun,
    phase: ReconciliationPhase,
    cursor: Option<&str>,
) -> Result<bool> {
    let moved = q!(
        tx,
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
    // Another worker may have read it meanwhile.
    if !advance_run(&mut *tx, origin, look, look.phase.next_phase(), None).await? {
        return Ok(());
    }
    if !look.is_unreadable(list) {
        let unread = format!("{} {list}", look.unread).trim().to_owned();
        let sql = "UPDATE reconciliation SET unread = $3 WHERE org_id = $1 AND started_at = $2";
        q!(tx, execute, sql, look.org_id, look.started_at, unread)?;
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
    fn lists_reach_further_back_than_compared_payments() {
        let since = DateTime::UNIX_EPOCH;
        let mut look = ReconciliationRun {
            org_id: OrgId(uuid::Uuid::nil()),
            account: "acct_1".into(),
            phase: ReconciliationPhase::Charges,
            cursor: None,
            since,
            started_at: since + Duration::days(120),
            unread: String::new(),
        };
        for (phase, days) in [
            (ReconciliationPhase::Charges, 14),
            (ReconciliationPhase::Disputes, 245),
            (ReconciliationPhase::Transactions, 14),
        ] {
            look.phase = phase;
            assert_eq!(look.listed_since(), since - Duration::days(days), "{phase:?}");
        }
    }

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
