//! The spend brake: how many texts left on a day of the business, to one number, and to the numbers of one exchange.
//!
//! A form that strangers fill in can be made to text whole blocks of numbers by somebody who earns with each of them.
//! Such a fraud is seen as "a spike of messages sent to a block of adjacent numbers" that never answer
//! (support.twilio.com, "SMS Traffic Pumping Fraud"), and is held off by limits per number and per range of numbers
//! (twilio.com/docs/messaging/guides/preventing-messaging-fraud). So besides the day's budget there are caps on what
//! rules text to people who never wrote to us: per number, and, where a form asked for it, per exchange, which are the
//! ten thousand numbers that share area code and prefix. Who rings has shown a number that can be rung from, and pays
//! for the call; a whole town may do so in a storm.
//!
//! An email costs nothing, and a form can name anybody's address: to one that nothing but forms names go a few a day.
//!
//! Nor is a booking the customer's because their phone or email was typed there (`booking::unproven`): to one address go a
//! few messages a day about such visits, known customer or not, and at most a part of the day's budget goes to them all.

use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;
use sqlx::FromRow;

use crate::platform::{
    db::{AsConn, Db, Tx, q},
    error::Result,
    id::OrgId,
    sms_segments, text,
};

/// Within this time the numbers of one exchange are counted.
const LATELY: Duration = Duration::hours(1);
/// Counts by number are forgotten after this time.
const KEEP: Duration = Duration::days(2);
/// `+1`, area code and prefix.
const EXCHANGE_CHARACTERS: usize = 8;

/// What left already, as far as it concerns one number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromRow)]
pub struct Spent {
    /// Texts to customers on this day of the business.
    pub texts: i64,
    /// Automatic texts to this number, or emails to this address, on this day.
    pub to_number: i64,
    /// How many other numbers of its exchange were texted within an hour because of a form.
    pub in_exchange: i64,
    /// Texts on this day about visits that nothing shows the customers to have booked.
    pub by_bookings: i64,
    /// Those among them that went to this number.
    pub booked_to_number: i64,
}

/// The day in the org's zone: `2026-11-21`.
#[must_use]
pub fn day(zone: Tz, now: DateTime<Utc>) -> String {
    now.with_timezone(&zone).format("%Y-%m-%d").to_string()
}

fn exchange(number: &str) -> &str {
    number.get(..EXCHANGE_CHARACTERS).unwrap_or(number)
}

/// Where numbers are counted that were not texted because of a form: in no exchange.
const NO_EXCHANGE: &str = "";
/// Where numbers are counted that were texted about a visit that nothing shows the customer to have booked, beside the
/// exchanges.
const BOOKING: &str = "booking";

/// What left to customers on that day, to this number, and around it.
pub async fn spent(conn: &mut dyn AsConn, org: OrgId, day: &str, to: &str, now: DateTime<Utc>) -> Result<Spent> {
    Ok(q!(
        conn,
        fetch_one as Spent,
        "SELECT COALESCE((SELECT texts FROM text_count WHERE org_id = $1 AND day = $2), 0) AS texts,
             CAST(COALESCE((SELECT SUM(texts) FROM text_reach WHERE org_id = $1 AND exchange IN ($3, $6) AND number = $4
                 AND day = $2), 0) AS BIGINT) AS to_number,
             (SELECT COUNT(*) FROM text_reach WHERE org_id = $1 AND exchange = $3 AND number <> $4 AND last_at > $5)
                 AS in_exchange,
             CAST(COALESCE((SELECT SUM(texts) FROM text_reach WHERE org_id = $1 AND exchange = $7 AND day = $2), 0)
                 AS BIGINT) AS by_bookings,
             COALESCE((SELECT texts FROM text_reach WHERE org_id = $1 AND exchange = $7 AND number = $4 AND day = $2), 0)
                 AS booked_to_number",
        org,
        day,
        exchange(to),
        to,
        now - LATELY,
        NO_EXCHANGE,
        BOOKING
    )?)
}

/// The same, and nobody else counts a text of this business until the transaction ends: of two at the same instant the
/// second sees the first.
pub(super) async fn hold(tx: &mut Tx, org: OrgId, day: &str, to: &str, now: DateTime<Utc>) -> Result<Spent> {
    q!(
        &mut *tx,
        execute,
        "INSERT INTO text_count (org_id, day, texts, segments) VALUES ($1, $2, 0, 0)
         ON CONFLICT (org_id, day) DO UPDATE SET texts = text_count.texts",
        org,
        day
    )?;
    spent(tx, org, day, to, now).await
}

/// Counts one that is about to leave.
pub(super) async fn take(tx: &mut Tx, org: OrgId, day: &str, body: &str) -> Result<()> {
    let segments = i64::try_from(sms_segments::count(body).segments).unwrap_or(i64::MAX);
    let sql = "UPDATE text_count SET texts = texts + 1, segments = segments + $3 WHERE org_id = $1 AND day = $2";
    q!(tx, execute, sql, org, day, segments)?;
    Ok(())
}

/// Counts one to a person who never wrote to us; `by_form` when a form asked for it.
pub(super) async fn reach(tx: &mut Tx, org: OrgId, at: (&str, DateTime<Utc>), to: &str, by_form: bool) -> Result<()> {
    count(tx, org, at, (if by_form { exchange(to) } else { NO_EXCHANGE }, to)).await
}

/// Counts one about a visit that nothing shows the customer to have booked.
pub(super) async fn reach_by_booking(tx: &mut Tx, org: OrgId, at: (&str, DateTime<Utc>), to: &str) -> Result<()> {
    count(tx, org, at, (BOOKING, to)).await
}

async fn count(tx: &mut Tx, org: OrgId, (day, now): (&str, DateTime<Utc>), (exchange, to): (&str, &str)) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO text_reach (org_id, exchange, number, last_at, day, texts) VALUES ($1, $2, $3, $4, $5, 1)
         ON CONFLICT (org_id, exchange, number) DO UPDATE SET last_at = excluded.last_at, day = excluded.day,
             texts = CASE WHEN text_reach.day = excluded.day THEN text_reach.texts + 1 ELSE 1 END",
        org,
        exchange,
        to,
        now,
        day
    )?;
    Ok(())
}

/// Where mailboxes are counted, beside the exchanges: one has as many addresses as somebody makes up.
const EMAIL: &str = "email";

/// How many automatic emails left to the mailbox of this address on that day.
pub(super) async fn emailed(conn: &mut dyn AsConn, org: OrgId, day: &str, to: &str) -> Result<i64> {
    let sql = "SELECT texts FROM text_reach WHERE org_id = $1 AND exchange = $2 AND number = $3 AND day = $4";
    Ok(q!(conn, fetch_optional scalar i64, sql, org, EMAIL, text::mailbox(to), day)?.unwrap_or_default())
}

/// Counts one that is about to leave; false when `most` have left on that day. Of two at the same instant the second
/// sees the first.
pub(super) async fn reach_by_email(
    tx: &mut Tx,
    org: OrgId,
    (day, now): (&str, DateTime<Utc>),
    to: &str,
    most: i64,
) -> Result<bool> {
    let counted = q!(
        tx,
        execute,
        "INSERT INTO text_reach (org_id, exchange, number, last_at, day, texts) VALUES ($1, $2, $3, $4, $5, 1)
         ON CONFLICT (org_id, exchange, number) DO UPDATE SET last_at = excluded.last_at, day = excluded.day,
             texts = CASE WHEN text_reach.day = excluded.day THEN text_reach.texts + 1 ELSE 1 END
         WHERE text_reach.day <> excluded.day OR text_reach.texts < $6",
        org,
        EMAIL,
        text::mailbox(to),
        now,
        day,
        most
    )?;
    Ok(counted == 1)
}

/// Forgets which numbers and addresses were reached long ago.
pub async fn prune(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM text_reach WHERE last_at < $1", now - KEEP)?;
    tx.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exchange_is_area_code_and_prefix() {
        assert_eq!(exchange("+15125550142"), "+1512555");
        assert_eq!(exchange("12345"), "12345", "what is no number of ours stands for itself");
    }
}
