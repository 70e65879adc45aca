//! Payment by payment: what the books say beside what Stripe's balance transactions say.

use chrono::{DateTime, Datelike, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use super::Look;
use crate::{
    domain::{
        intake::lead::Intake,
        messaging::alert::{self, NewAlert},
    },
    platform::{
        db::{Tx, q},
        error::Result,
        id::{LeadId, PaymentId},
        money::Cents,
    },
};

/// A payment may be booked later than it was charged: of those at the edge of the look the charge is not listed.
const EDGE: chrono::Duration = chrono::Duration::days(2);

/// So many payments are compared in one slice.
const SLICE: usize = 500;

/// A slice of payments, each with what became of it, here and there: its business, the first and the last instant, the
/// account, the instant and the id after which it goes on, and how many. What is in doubt is not compared. A settled refund
/// to a card without Stripe's id was marked as refunded by the business: it counts, so that one that Stripe does not list is
/// a difference.
pub const BESIDE: &str = "SELECT p.id, p.created_at, p.provider_id AS payment, p.lead_id, p.charge_id,
         CAST(p.amount_cents - COALESCE((SELECT SUM(r.amount_cents) FROM payment r WHERE r.org_id = $1
             AND r.refund_of = p.id AND r.status IN ('settled', 'pending')
             AND (r.provider_id IS NOT NULL OR (r.status = 'settled' AND r.method = 'card'))
             AND r.undone_at IS NULL), 0) AS BIGINT) AS books,
         CAST(COALESCE((SELECT SUM(t.amount_cents) FROM stripe_transaction t WHERE t.org_id = $1
                 AND t.source = p.charge_id), 0)
             + COALESCE((SELECT SUM(t.amount_cents) FROM payment r JOIN stripe_transaction t
                 ON t.org_id = r.org_id AND t.source = r.provider_id
                 WHERE r.org_id = $1 AND r.refund_of = p.id), 0) AS BIGINT) AS stripe,
         (SELECT COUNT(*) FROM stripe_transaction t WHERE t.org_id = $1 AND t.source = p.charge_id
             AND t.currency <> 'usd') AS foreign_lines,
         EXISTS (SELECT 1 FROM payment u WHERE u.org_id = $1 AND u.refund_of = p.id AND u.status = 'unknown')
             AS is_in_doubt
     FROM payment p WHERE p.org_id = $1 AND p.kind = 'payment' AND p.status = 'settled' AND p.undone_at IS NULL
         AND p.provider_id IS NOT NULL AND p.created_at >= $2 AND p.created_at < $3 AND COALESCE(p.account, $4) = $4
         AND p.created_at >= $5 AND (p.created_at > $5 OR p.id > $6)
     ORDER BY p.created_at, p.id LIMIT $7";

#[derive(FromRow)]
struct Beside {
    id: PaymentId,
    created_at: DateTime<Utc>,
    payment: String,
    lead_id: LeadId,
    charge_id: Option<String>,
    books: Cents,
    stripe: Cents,
    /// Lines in another currency than dollars: the account is not kept in dollars, and sums say nothing.
    foreign_lines: i64,
    is_in_doubt: bool,
}

/// A difference that this look was the first to find.
#[derive(FromRow)]
struct New {
    kind: String,
    object: String,
    lead_id: Option<LeadId>,
    stripe_cents: Cents,
    books_cents: Cents,
}

/// How far the comparison has come: how many agreed, and the last payment that was looked at.
struct At {
    agreed: i64,
    instant: DateTime<Utc>,
    id: Uuid,
}

impl At {
    fn read(look: &Look) -> Self {
        let first = Self { agreed: 0, instant: look.since + EDGE, id: Uuid::nil() };
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

    fn cursor(agreed: i64, last: &Beside) -> String {
        format!("{agreed} {} {}", last.created_at.timestamp_millis(), last.id)
    }
}

/// What the books and Stripe say of a slice of the payments since the look's first day. What differs is shown, and told
/// once. Where it goes on; none when all were compared: what differs no more is forgotten then, and what is new is told.
pub async fn compare(tx: &mut Tx, house: &Intake<'_>, look: &Look) -> Result<Option<String>> {
    let mut at = At::read(look);
    let most = i64::try_from(SLICE).unwrap_or(i64::MAX);
    let (since, until) = (look.since + EDGE, look.started_at);
    let (org, account) = (look.org_id, &look.account);
    let rows = q!(&mut *tx, fetch_all as Beside, BESIDE, org, since, until, account, at.instant, at.id, most)?;
    for row in &rows {
        match verdict(row, look) {
            Verdict::Wrong(kind) => {
                let sums = (row.stripe, row.books);
                differs(&mut *tx, house, look, (kind, &row.payment), Some(row.lead_id), sums).await?;
            }
            Verdict::Agrees => at.agreed += 1,
            Verdict::Unread => {}
        }
    }
    if let Some(last) = rows.last().filter(|_| rows.len() == SLICE) {
        return Ok(Some(At::cursor(at.agreed, last)));
    }
    // Only a list that was read shows that a difference is over.
    let gone = "DELETE FROM money_difference WHERE org_id = $1 AND seen_at < $2
         AND ((kind = 'balance' AND $3) OR (kind <> 'balance' AND $4))";
    let (reads_lines, reads_charges) = (!look.misses("balance_transactions"), !look.misses("charges"));
    q!(&mut *tx, execute, gone, look.org_id, look.started_at, reads_lines, reads_charges)?;
    let sql = "UPDATE reconciliation SET finished_at = $3, agreed = $4 WHERE org_id = $1 AND started_at = $2";
    q!(&mut *tx, execute, sql, look.org_id, look.started_at, house.origin.now(), at.agreed)?;
    tell_new(tx, house, look).await?;
    Ok(None)
}

/// Tells the business that Stripe refuses its key for every list, once in a week while it does: card payments, refunds and
/// the nightly comparison have stopped.
pub async fn alert_key_refused(tx: &mut Tx, house: &Intake<'_>, look: &Look) -> Result<()> {
    let week = look.started_at.iso_week();
    let alert = NewAlert::new(
        alert::Kind::CardPayments,
        format!("stripe-key-refused:{}:{}-{}", look.account, week.year(), week.week()),
        "Stripe does not accept your key".to_owned(),
        "Card payments and refunds do not work, and your books were not compared. Make a new key in Stripe, and enter it \
         in Settings, Money."
            .to_owned(),
    );
    alert::raise(tx, house.origin, house.profile, alert).await.map(|_| ())
}

/// How a payment stands beside Stripe's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Agrees,
    /// The list that would tell could not be read, is in another currency, or a refund is in doubt.
    Unread,
    Wrong(&'static str),
}

fn verdict(row: &Beside, look: &Look) -> Verdict {
    match row.charge_id {
        _ if row.is_in_doubt => Verdict::Unread,
        None if look.misses("charges") => Verdict::Unread,
        None => Verdict::Wrong("not_at_stripe"),
        Some(_) if look.misses("balance_transactions") || row.foreign_lines > 0 => Verdict::Unread,
        Some(_) if row.books == row.stripe => Verdict::Agrees,
        Some(_) => Verdict::Wrong("balance"),
    }
}

/// Notes a difference. What is new of them is told when the look ends.
pub(super) async fn differs(
    tx: &mut Tx,
    house: &Intake<'_>,
    look: &Look,
    (kind, object): (&str, &str),
    lead: Option<LeadId>,
    (stripe, books): (Cents, Cents),
) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO money_difference (org_id, kind, object, lead_id, stripe_cents, books_cents, found_at, seen_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
         ON CONFLICT (org_id, kind, object) DO UPDATE SET stripe_cents = excluded.stripe_cents,
             books_cents = excluded.books_cents, seen_at = excluded.seen_at",
        look.org_id,
        kind,
        object,
        lead,
        stripe,
        books,
        house.origin.now()
    )?;
    Ok(())
}

/// Tells of what this look was the first to find: one alert, however many they are. The list stands in the settings.
async fn tell_new(tx: &mut Tx, house: &Intake<'_>, look: &Look) -> Result<()> {
    let new = q!(
        &mut *tx,
        fetch_all as New,
        "SELECT kind, object, lead_id, stripe_cents, books_cents FROM money_difference
         WHERE org_id = $1 AND found_at >= $2 ORDER BY found_at, object",
        look.org_id,
        look.started_at
    )?;
    let Some(first) = new.first() else { return Ok(()) };
    let said = super::view::said(&first.kind, &first.object, first.stripe_cents, first.books_cents);
    let (title, body) = match new.len() {
        1 => ("Stripe and your books differ".to_owned(), said),
        many => (
            format!("Stripe and your books differ in {many} places"),
            format!("The first: {said} The whole list is in Settings, Money, Card payments."),
        ),
    };
    let key = format!("differences:{}", look.started_at.timestamp_millis());
    let alert = NewAlert {
        lead: first.lead_id.filter(|_| new.len() == 1),
        path: Some("/app/settings?tab=money".to_owned()).filter(|_| new.len() > 1),
        ..NewAlert::new(alert::Kind::PaymentFailed, key, title, body)
    };
    alert::raise(tx, house.origin, house.profile, alert).await.map(|_| ())
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use uuid::Uuid;

    use super::*;
    use crate::{domain::money::reconciliation::Phase, platform::id::OrgId};

    fn look(unread: &str, cursor: Option<String>) -> Look {
        Look {
            org_id: OrgId(Uuid::nil()),
            account: "acct_1".into(),
            phase: Phase::Compare,
            cursor,
            since: DateTime::UNIX_EPOCH,
            started_at: DateTime::UNIX_EPOCH,
            unread: unread.into(),
        }
    }

    fn row(charge: Option<&str>, sums: (i64, i64)) -> Beside {
        Beside {
            id: PaymentId(Uuid::from_u128(7)),
            created_at: DateTime::UNIX_EPOCH,
            payment: "pi_1".into(),
            lead_id: LeadId(Uuid::nil()),
            charge_id: charge.map(Into::into),
            books: Cents(sums.0),
            stripe: Cents(sums.1),
            foreign_lines: 0,
            is_in_doubt: false,
        }
    }

    fn of(charge: Option<&str>, sums: (i64, i64), foreign_lines: i64, unread: &str) -> Verdict {
        verdict(&Beside { foreign_lines, ..row(charge, sums) }, &look(unread, None))
    }

    #[test]
    fn a_comparison_goes_on_where_it_stopped_and_counts_on() {
        let millis = 1_789_650_000_123;
        let last = Beside { created_at: DateTime::from_timestamp_millis(millis).unwrap(), ..row(None, (0, 0)) };
        let at = At::read(&look("", Some(At::cursor(499, &last))));
        assert_eq!((at.agreed, at.instant, at.id), (499, last.created_at, last.id.0));
        for cursor in [None, Some("po_1 txn_1".to_owned())] {
            let at = At::read(&look("", cursor));
            assert_eq!((at.agreed, at.instant, at.id), (0, DateTime::UNIX_EPOCH + EDGE, Uuid::nil()));
        }
    }

    #[test]
    fn only_what_could_be_read_is_judged() {
        assert_eq!(of(Some("ch_1"), (100, 100), 0, ""), Verdict::Agrees);
        assert_eq!(of(Some("ch_1"), (100, 0), 0, ""), Verdict::Wrong("balance"));
        assert_eq!(of(None, (100, 0), 0, ""), Verdict::Wrong("not_at_stripe"));
        assert_eq!(of(None, (100, 0), 0, "charges"), Verdict::Unread);
        assert_eq!(of(Some("ch_1"), (100, 0), 0, "payouts balance_transactions"), Verdict::Unread);
        assert_eq!(of(Some("ch_1"), (100, 134), 1, ""), Verdict::Unread, "kept in another currency");
        let in_doubt = Beside { is_in_doubt: true, ..row(Some("ch_1"), (100, 50)) };
        assert_eq!(verdict(&in_doubt, &look("", None)), Verdict::Unread, "a refund is in doubt");
    }
}
