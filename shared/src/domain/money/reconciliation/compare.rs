//! Comparison of each payment in the ledger with Stripe's balance transactions.

use chrono::{DateTime, Datelike, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use super::{
    ReconciliationRun,
    difference::{
        alert_new_differences, end_difference, end_recorded_payments, has_unconfirmed_differences, list_open_payments,
        record_difference,
    },
    uncompared::alert_uncompared_payments,
};
use crate::{
    domain::{
        messaging::alert::{self, NewAlert},
        tenancy::org::OrgContext,
    },
    platform::{
        db::{Tx, q},
        error::Result,
        id::{LeadId, PaymentId},
        money::Cents,
    },
};

const BATCH_SIZE: usize = 500;

/// A slice of payments with their state in the ledger and at Stripe. Parameters: business, first and last instant,
/// account, instant and id to continue after, limit. Payments in doubt are not compared. A settled card refund without
/// Stripe's id was marked as refunded by the business: it counts, so that one that Stripe does not list is a
/// difference. The lines of every refund and dispute that Stripe lists for the payment count, also of those without a
/// row in the ledger. Stripe's lists come newest first: the line of a refund or dispute that was booked or requested since the
/// run began may be on a page that was read before.
pub const COMPARISON_SQL: &str = "SELECT p.id, p.created_at, p.provider_id AS payment, p.lead_id, p.charge_id,
         CAST(p.amount_cents - COALESCE((SELECT SUM(r.amount_cents) FROM payment r WHERE r.org_id = $1
             AND r.refund_of = p.id AND r.status IN ('settled', 'pending')
             AND (r.provider_id IS NOT NULL OR (r.status = 'settled' AND r.method = 'card'))
             AND r.undone_at IS NULL), 0) AS BIGINT) AS books,
         CAST(COALESCE((SELECT SUM(t.amount_cents) FROM stripe_transaction t WHERE t.org_id = $1
                 AND t.source = p.charge_id), 0)
             + COALESCE((SELECT SUM(t.amount_cents) FROM payment r JOIN stripe_transaction t
                 ON t.org_id = r.org_id AND t.source = r.provider_id
                 WHERE r.org_id = $1 AND r.refund_of = p.id), 0)
             + COALESCE((SELECT SUM(t.amount_cents) FROM stripe_transaction l JOIN stripe_transaction t
                 ON t.org_id = l.org_id AND t.source = l.id
                 WHERE l.org_id = $1 AND l.source = p.provider_id AND l.kind = 'listed_return'
                     AND NOT EXISTS (SELECT 1 FROM payment r WHERE r.org_id = $1 AND r.refund_of = p.id
                         AND r.provider_id = l.id)), 0) AS BIGINT) AS stripe,
         (SELECT COUNT(*) FROM stripe_transaction t WHERE t.org_id = $1 AND t.source = p.charge_id
             AND t.currency <> 'usd') AS foreign_lines,
         EXISTS (SELECT 1 FROM payment u WHERE u.org_id = $1 AND u.refund_of = p.id AND u.status = 'unknown')
             AS is_in_doubt,
         EXISTS (SELECT 1 FROM payment n WHERE n.org_id = $1 AND n.refund_of = p.id
             AND (n.created_at >= $3 OR n.attempted_at >= $3)) AS has_new_return
     FROM payment p WHERE p.org_id = $1 AND p.kind = 'payment' AND p.status = 'settled' AND p.undone_at IS NULL
         AND p.provider_id IS NOT NULL AND p.created_at >= $2 AND p.created_at < $3 AND COALESCE(p.account, $4) = $4
         AND p.created_at >= $5 AND (p.created_at > $5 OR p.id > $6)
     ORDER BY p.created_at, p.id LIMIT $7";

#[derive(FromRow)]
struct PaymentComparisonRow {
    id: PaymentId,
    created_at: DateTime<Utc>,
    payment: String,
    lead_id: LeadId,
    charge_id: Option<String>,
    books: Cents,
    stripe: Cents,
    /// Lines in a currency other than dollars: the account is not kept in dollars, and sums mean nothing.
    foreign_lines: i64,
    is_in_doubt: bool,
    /// Money went back since the run began, perhaps after its page was read.
    has_new_return: bool,
}

/// What follows a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComparisonStep {
    /// The next slice, with its cursor.
    Continue(String),
    /// Sums differ that agreed before: everything is read and compared once more.
    CompareAgain,
    /// The end. New differences were reported.
    Finish,
}

/// Progress: the number that agreed, and the last payment compared.
struct ComparisonCursor {
    agreed: i64,
    instant: DateTime<Utc>,
    id: Uuid,
}

impl ComparisonCursor {
    fn from_run(look: &ReconciliationRun) -> Self {
        let first = Self { agreed: 0, instant: look.since, id: Uuid::nil() };
        let Some(cursor) = look.cursor.as_deref() else { return first };
        let mut parts = cursor.split(' ');
        let mut next = || parts.next().unwrap_or_default();
        let (agreed, millis, id) = (next().parse(), next().parse(), next().parse());
        let at = millis.ok().and_then(DateTime::from_timestamp_millis);
        match (agreed, at, id) {
            (Ok(agreed), Some(instant), Ok(id)) => Self { agreed, instant, id },
            _ => first,
        }
    }

    fn encode_cursor(agreed: i64, last: &PaymentComparisonRow) -> String {
        format!("{agreed} {} {}", last.created_at.timestamp_millis(), last.id)
    }
}

/// Compares a slice of the payments since the first day of the run; differences are shown, and reported once.
pub async fn compare_payments(tx: &mut Tx, ctx: &OrgContext<'_>, look: &ReconciliationRun) -> Result<ComparisonStep> {
    let mut at = ComparisonCursor::from_run(look);
    let most = i64::try_from(BATCH_SIZE).unwrap_or(i64::MAX);
    let (since, until) = (look.since, look.started_at);
    let (org, account) = (look.org_id, &look.account);
    let rows = q!(
        &mut *tx,
        fetch_all as PaymentComparisonRow,
        COMPARISON_SQL,
        org,
        since,
        until,
        account,
        at.instant,
        at.id,
        most
    )?;
    let open = list_open_payments(&mut *tx, org).await?;
    for row in &rows {
        let verdict = compare_row(row, look);
        if open.contains(&row.payment) {
            for kind in disproved_kinds(row, verdict) {
                end_difference(&mut *tx, org, (kind, &row.payment)).await?;
            }
        }
        match verdict {
            ComparisonVerdict::Mismatch(kind) => {
                let sums = (row.stripe, row.books);
                record_difference(&mut *tx, ctx, look, (kind, &row.payment), Some(row.lead_id), sums).await?;
            }
            ComparisonVerdict::Matches => at.agreed += 1,
            ComparisonVerdict::Unreadable => {}
        }
    }
    if let Some(last) = rows.last().filter(|_| rows.len() == BATCH_SIZE) {
        return Ok(ComparisonStep::Continue(ComparisonCursor::encode_cursor(at.agreed, last)));
    }
    if look.may_be_repeated() && has_unconfirmed_differences(&mut *tx, look).await? {
        return Ok(ComparisonStep::CompareAgain);
    }
    finish_run(tx, ctx, look, at.agreed).await?;
    Ok(ComparisonStep::Finish)
}

/// Reports what was found since the last run that ended, also by runs that were interrupted or began anew, and which
/// accounts are not compared.
async fn finish_run(tx: &mut Tx, ctx: &OrgContext<'_>, look: &ReconciliationRun, agreed: i64) -> Result<()> {
    end_recorded_payments(&mut *tx, look.org_id).await?;
    let sql = "SELECT finished_at FROM reconciliation WHERE org_id = $1 AND started_at = $2";
    let finished = q!(&mut *tx, fetch_optional scalar Option<DateTime<Utc>>, sql, look.org_id, look.started_at)?;
    let sql = "UPDATE reconciliation SET finished_at = $3, agreed = $4 WHERE org_id = $1 AND started_at = $2";
    q!(&mut *tx, execute, sql, look.org_id, look.started_at, ctx.origin.now(), agreed)?;
    alert_uncompared_payments(&mut *tx, ctx.origin, ctx.profile, Some(look.account.as_str())).await?;
    alert_new_differences(tx, ctx, look, finished.flatten().unwrap_or(DateTime::UNIX_EPOCH)).await
}

/// Reports, weekly while it lasts, that Stripe refuses the key for every list: card payments, refunds and
/// reconciliation have stopped.
pub async fn alert_key_refused(tx: &mut Tx, ctx: &OrgContext<'_>, look: &ReconciliationRun) -> Result<()> {
    let week = look.started_at.iso_week();
    let alert = NewAlert::new(
        alert::AlertKind::CardPayments,
        format!("stripe-key-refused:{}:{}-{}", look.account, week.year(), week.week()),
        "Stripe does not accept your key".to_owned(),
        "Card payments and refunds do not work, and your books were not compared. Make a new key in Stripe, and enter it \
         in Settings, Card payments."
            .to_owned(),
    );
    alert::raise_alert(tx, ctx.origin, ctx.profile, alert).await.map(|_| ())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ComparisonVerdict {
    Matches,
    /// A list could not be read, the account is in another currency, a refund is in doubt, or money went back meanwhile.
    Unreadable,
    Mismatch(&'static str),
}

fn compare_row(row: &PaymentComparisonRow, look: &ReconciliationRun) -> ComparisonVerdict {
    match row.charge_id {
        _ if row.is_in_doubt => ComparisonVerdict::Unreadable,
        None if look.is_unreadable("charges") => ComparisonVerdict::Unreadable,
        None => ComparisonVerdict::Mismatch("not_at_stripe"),
        Some(_) if look.is_unreadable("balance_transactions") || row.foreign_lines > 0 => ComparisonVerdict::Unreadable,
        Some(_) if row.books != row.stripe && row.has_new_return => ComparisonVerdict::Unreadable,
        Some(_) if row.books != row.stripe => ComparisonVerdict::Mismatch("balance"),
        Some(_) if look.lacks_returned_money() => ComparisonVerdict::Unreadable,
        Some(_) => ComparisonVerdict::Matches,
    }
}

/// Kinds of difference that do not hold for this payment. What could not be judged proves nothing about its sums.
fn disproved_kinds(row: &PaymentComparisonRow, verdict: ComparisonVerdict) -> Vec<&'static str> {
    let has_no_sum_at_stripe = verdict == ComparisonVerdict::Mismatch("not_at_stripe");
    let kinds = [
        ("balance", verdict == ComparisonVerdict::Matches || has_no_sum_at_stripe),
        ("not_at_stripe", row.charge_id.is_some()),
    ];
    kinds.into_iter().filter(|(_, is_disproved)| *is_disproved).map(|(kind, _)| kind).collect()
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use uuid::Uuid;

    use super::*;
    use crate::{domain::money::reconciliation::ReconciliationPhase, platform::id::OrgId};

    fn look(unread: &str, cursor: Option<String>) -> ReconciliationRun {
        ReconciliationRun {
            org_id: OrgId(Uuid::nil()),
            account: "acct_1".into(),
            phase: ReconciliationPhase::Compare,
            cursor,
            since: DateTime::UNIX_EPOCH,
            started_at: DateTime::UNIX_EPOCH,
            unread: unread.into(),
        }
    }

    fn row(charge: Option<&str>, sums: (i64, i64)) -> PaymentComparisonRow {
        PaymentComparisonRow {
            id: PaymentId(Uuid::from_u128(7)),
            created_at: DateTime::UNIX_EPOCH,
            payment: "pi_1".into(),
            lead_id: LeadId(Uuid::nil()),
            charge_id: charge.map(Into::into),
            books: Cents(sums.0),
            stripe: Cents(sums.1),
            foreign_lines: 0,
            is_in_doubt: false,
            has_new_return: false,
        }
    }

    fn of(charge: Option<&str>, sums: (i64, i64), foreign_lines: i64, unread: &str) -> ComparisonVerdict {
        compare_row(&PaymentComparisonRow { foreign_lines, ..row(charge, sums) }, &look(unread, None))
    }

    #[test]
    fn comparison_resumes_at_cursor_with_its_count() {
        let millis = 1_789_650_000_123;
        let last =
            PaymentComparisonRow { created_at: DateTime::from_timestamp_millis(millis).unwrap(), ..row(None, (0, 0)) };
        let at = ComparisonCursor::from_run(&look("", Some(ComparisonCursor::encode_cursor(499, &last))));
        assert_eq!((at.agreed, at.instant, at.id), (499, last.created_at, last.id.0));
        for cursor in [None, Some("po_1 txn_1".to_owned())] {
            let at = ComparisonCursor::from_run(&look("", cursor));
            assert_eq!((at.agreed, at.instant, at.id), (0, DateTime::UNIX_EPOCH, Uuid::nil()));
        }
    }

    #[test]
    fn comparison_of_unread_or_doubtful_row_is_left_unjudged() {
        assert_eq!(of(Some("ch_1"), (100, 100), 0, ""), ComparisonVerdict::Matches);
        assert_eq!(of(Some("ch_1"), (100, 0), 0, ""), ComparisonVerdict::Mismatch("balance"));
        assert_eq!(of(None, (100, 0), 0, ""), ComparisonVerdict::Mismatch("not_at_stripe"));
        assert_eq!(of(None, (100, 0), 0, "charges"), ComparisonVerdict::Unreadable);
        assert_eq!(of(Some("ch_1"), (100, 0), 0, "payouts balance_transactions"), ComparisonVerdict::Unreadable);
        for list in ["refunds", "disputes"] {
            assert_eq!(of(Some("ch_1"), (100, 100), 0, list), ComparisonVerdict::Unreadable, "no {list}");
            assert_eq!(of(Some("ch_1"), (100, 90), 0, list), ComparisonVerdict::Mismatch("balance"), "no {list}");
        }
        assert_eq!(of(Some("ch_1"), (100, 100), 0, "payouts"), ComparisonVerdict::Matches);
        assert_eq!(of(Some("ch_1"), (100, 134), 1, ""), ComparisonVerdict::Unreadable, "kept in another currency");
        let in_doubt = PaymentComparisonRow { is_in_doubt: true, ..row(Some("ch_1"), (100, 50)) };
        assert_eq!(compare_row(&in_doubt, &look("", None)), ComparisonVerdict::Unreadable, "a refund is in doubt");
        for (stripe, verdict) in [(50, ComparisonVerdict::Matches), (100, ComparisonVerdict::Unreadable)] {
            let returned = PaymentComparisonRow { has_new_return: true, ..row(Some("ch_1"), (50, stripe)) };
            assert_eq!(compare_row(&returned, &look("", None)), verdict, "money went back meanwhile");
        }
    }

    #[test]
    fn difference_is_disproved_only_by_a_comparison_of_its_payment() {
        let disproved = |charge: Option<&str>, verdict| disproved_kinds(&row(charge, (100, 100)), verdict);
        assert_eq!(disproved(Some("ch_1"), ComparisonVerdict::Matches), ["balance", "not_at_stripe"]);
        assert_eq!(disproved(Some("ch_1"), ComparisonVerdict::Mismatch("balance")), ["not_at_stripe"]);
        assert_eq!(disproved(Some("ch_1"), ComparisonVerdict::Unreadable), ["not_at_stripe"]);
        assert_eq!(disproved(None, ComparisonVerdict::Mismatch("not_at_stripe")), ["balance"]);
        assert_eq!(disproved(None, ComparisonVerdict::Unreadable), [""; 0]);
    }
}
