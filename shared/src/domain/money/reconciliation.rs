//! The books beside Stripe's: every night each connected account's charges, refunds, disputes, payouts and balance
//! transactions of the last 120 days are compared with the ledger. What is certain is booked, what is not is shown and
//! told (docs/card-payments.md).
//!
//! A look is made in slices of one page of a list, each in a transaction of its own that also says how far it came: a
//! worker that dies, a limit of Stripe's or an outage costs one page.

use chrono::{DateTime, Duration, Timelike, Utc};
use sqlx::FromRow;

use crate::{
    domain::{money::checkout, tenancy::org},
    platform::{
        clock::Origin,
        db::{AsConn, Db, Tx, q},
        error::Result,
        id::{CheckoutId, OrgId, PaymentId},
        tasks::{self, Kind, NewTask},
    },
};

mod compare;
mod look;
mod view;

pub use compare::{BESIDE, alert_key_refused, compare};
pub use look::{charges, dispute_payments, disputed, lines, payouts, refunds, transactions, unread_payout};
pub use view::{Difference, Reconciled, shown};

/// How far back a look goes: as long as a card payment is disputed at most.
const SPAN: Duration = Duration::days(120);
/// How much further back disputes are listed: a bank may decide months after it was asked.
const DISPUTES: Duration = Duration::days(245);
/// The hours of the night in which a look begins.
const NIGHT: std::ops::RangeInclusive<u32> = 1..=5;
/// A look that began this recently is tonight's.
const TONIGHT: Duration = Duration::hours(20);
/// A refund of this age has left its minute of grace: its own task should have asked for it.
const GRACE_OVER: Duration = Duration::minutes(2);
/// One that is overdue begins at any hour.
const OVERDUE: Duration = Duration::hours(30);

/// What a look does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum Phase {
    Charges,
    Refunds,
    Disputes,
    Payouts,
    /// What each payout holds.
    Lines,
    Transactions,
    Compare,
    Done,
}

impl Phase {
    #[must_use]
    pub fn next(self) -> Self {
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

    /// The list that it reads, as Stripe calls it.
    #[must_use]
    pub fn list(self) -> &'static str {
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

/// How far the look at a business's books has come.
#[derive(Clone, Debug, FromRow)]
pub struct Look {
    pub org_id: OrgId,
    pub account: String,
    pub phase: Phase,
    pub cursor: Option<String>,
    pub since: DateTime<Utc>,
    pub started_at: DateTime<Utc>,
    pub unread: String,
}

impl Look {
    /// The first instant of the list that is read now.
    #[must_use]
    pub fn listed_since(&self) -> DateTime<Utc> {
        if self.phase == Phase::Disputes { self.since - DISPUTES } else { self.since }
    }

    /// Whether the key may not read a list.
    #[must_use]
    pub fn misses(&self, list: &str) -> bool {
        self.unread.split(' ').any(|one| one == list)
    }

    /// Whether the key may read none of them: it was revoked, or belongs to nobody any more.
    #[must_use]
    pub fn misses_all(&self) -> bool {
        [Phase::Charges, Phase::Refunds, Phase::Disputes, Phase::Payouts, Phase::Transactions]
            .iter()
            .all(|phase| self.misses(phase.list()))
    }
}

/// Where the look of a business stands; none while nothing is to be looked at.
pub async fn find(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<Look>> {
    Ok(q!(
        conn,
        fetch_optional as Look,
        "SELECT org_id, account, phase, cursor, since, started_at, unread FROM reconciliation
         WHERE org_id = $1 AND phase <> 'done'",
        org
    )?)
}

/// The next slice.
fn slice(look: &Look, phase: Phase, cursor: Option<&str>, run_at: DateTime<Utc>) -> NewTask {
    let (began, at) = (look.started_at.timestamp_millis(), cursor.unwrap_or_default());
    NewTask {
        org: Some(look.org_id),
        kind: Kind::Reconcile,
        subject: Some(look.org_id.0),
        run_at,
        unique_key: format!("reconcile:{}:{began}:{phase:?}:{at}", look.org_id),
    }
}

/// A slice is done: the next one goes on from here. Whoever was overtaken by another worker changes nothing.
pub async fn moved(tx: &mut Tx, origin: &Origin, look: &Look, phase: Phase, cursor: Option<&str>) -> Result<bool> {
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
    if moved > 0 && phase != Phase::Done {
        tasks::enqueue(tx, origin, vec![slice(look, phase, cursor, origin.now())]).await?;
    }
    Ok(moved > 0)
}

/// Stripe asked for silence: the same slice again after it.
pub async fn wait(tx: &mut Tx, origin: &Origin, look: &Look, pause: Duration) -> Result<()> {
    let mut task = slice(look, look.phase, look.cursor.as_deref(), origin.now() + pause);
    task.unique_key = format!("{}:{}", task.unique_key, origin.uuid());
    tasks::enqueue(tx, origin, vec![task]).await.map(|_| ())
}

/// The key may not read a list: the look goes on without it, and the settings say so.
pub async fn skip(tx: &mut Tx, origin: &Origin, look: &Look) -> Result<()> {
    let list = look.phase.list();
    if !look.misses(list) {
        let unread = format!("{} {list}", look.unread).trim().to_owned();
        let sql = "UPDATE reconciliation SET unread = $3 WHERE org_id = $1 AND started_at = $2";
        q!(&mut *tx, execute, sql, look.org_id, look.started_at, unread)?;
    }
    moved(tx, origin, look, look.phase.next(), None).await.map(|_| ())
}

/// Another account is in force: its books are looked through from the beginning.
pub async fn begin_anew(tx: &mut Tx, origin: &Origin, org: OrgId, account: &str) -> Result<()> {
    begin(tx, origin, org, account).await
}

async fn begin(tx: &mut Tx, origin: &Origin, org: OrgId, account: &str) -> Result<()> {
    let now = origin.now();
    let look = q!(
        &mut *tx,
        fetch_one as Look,
        "INSERT INTO reconciliation (org_id, account, phase, since, started_at, agreed, unread)
         VALUES ($1, $2, 'charges', $3, $4, 0, '')
         ON CONFLICT (org_id) DO UPDATE SET account = excluded.account, phase = excluded.phase, cursor = NULL,
             since = excluded.since, started_at = excluded.started_at, unread = excluded.unread
         RETURNING org_id, account, phase, cursor, since, started_at, unread",
        org,
        account,
        now - SPAN,
        now
    )?;
    let mut wanted = vec![slice(&look, Phase::Charges, None, now)];
    wanted.extend(open_refunds(&mut *tx, &look, now).await?);
    wanted.extend(transfers_under_way(&mut *tx, origin, &look).await?);
    tasks::enqueue(tx, origin, wanted).await.map(|_| ())
}

/// Refunds that are in doubt, on their way or still to be asked for are looked at again, however old they are.
async fn open_refunds(tx: &mut Tx, look: &Look, now: DateTime<Utc>) -> Result<Vec<NewTask>> {
    let sql = "SELECT id FROM payment WHERE org_id = $1 AND kind = 'refund' AND status IN ('pending', 'unknown')
         AND undone_at IS NULL AND (attempted_at IS NOT NULL OR created_at < $2)";
    let open = q!(tx, fetch_all scalar PaymentId, sql, look.org_id, now - GRACE_OVER)?;
    let task = |id: PaymentId| NewTask {
        org: Some(look.org_id),
        kind: Kind::RefundCard,
        subject: Some(id.0),
        run_at: now,
        unique_key: format!("refund:{id}:night:{}", now.timestamp()),
    };
    Ok(open.into_iter().map(task).collect())
}

/// Pages on which the customer did their part and the bank has not answered: no list tells of a debit that failed.
async fn transfers_under_way(tx: &mut Tx, origin: &Origin, look: &Look) -> Result<Vec<NewTask>> {
    let sql = "SELECT id FROM checkout WHERE org_id = $1 AND status = 'open' AND url IS NULL";
    let open = q!(tx, fetch_all scalar CheckoutId, sql, look.org_id)?;
    Ok(open.into_iter().map(|id| checkout::look_at(origin, look.org_id, id, "night")).collect())
}

/// Begins tonight's look at the books of every business that takes cards. Any number of workers may do it.
///
/// # Errors
/// When the database is away.
pub async fn plan(db: &Db, origin: &Origin) -> Result<()> {
    let now = origin.now();
    let sql = "SELECT o.id, o.timezone, r.started_at FROM org o LEFT JOIN reconciliation r ON r.org_id = o.id
         WHERE EXISTS (SELECT 1 FROM org_secret s WHERE s.org_id = o.id AND s.name = 'stripe')
             AND (r.started_at IS NULL OR r.started_at < $1)";
    let due = q!(&mut db.read().await?, fetch_all as (OrgId, String, Option<DateTime<Utc>>), sql, now - TONIGHT)?;
    for (org, zone, began) in due {
        let hour = now.with_timezone(&org::zone_named(&zone)).hour();
        let is_overdue = began.is_none_or(|began| now - began > OVERDUE);
        if !is_overdue && !NIGHT.contains(&hour) {
            continue;
        }
        let mut tx = db.begin().await?;
        // Of two workers one begins it.
        let sql = "SELECT COUNT(*) FROM reconciliation WHERE org_id = $1 AND started_at >= $2";
        if q!(&mut tx, fetch_one scalar i64, sql, org, now - TONIGHT)? == 0 {
            // Whose account it is, the first slice finds out.
            begin(&mut tx, origin, org, "").await?;
        }
        tx.commit().await?;
    }
    Ok(())
}

/// Notes whose account is looked at.
pub async fn named(tx: &mut Tx, look: &Look, account: &str) -> Result<()> {
    let sql = "UPDATE reconciliation SET account = $3 WHERE org_id = $1 AND started_at = $2";
    q!(tx, execute, sql, look.org_id, look.started_at, account)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_walks_every_list_and_ends() {
        let mut phase = Phase::Charges;
        let mut lists = vec![phase.list()];
        while phase != Phase::Done {
            phase = phase.next();
            lists.push(phase.list());
        }
        lists.dedup();
        assert_eq!(lists, ["charges", "refunds", "disputes", "payouts", "balance_transactions", ""]);
    }
}
