//! Spend limits: texts that left on a day of the business, to one number, and to the numbers of one exchange.
//!
//! A public form can be abused to text whole blocks of numbers for profit. Such fraud shows as "a spike of messages
//! sent to a block of adjacent numbers" that never answer (support.twilio.com, "SMS Traffic Pumping Fraud"), and is
//! held off by limits per number and per range of numbers
//! (twilio.com/docs/messaging/guides/preventing-messaging-fraud). So besides the day's budget, automatic texts to
//! people who never wrote to us are capped per number and, where a form caused them, per exchange: the ten thousand
//! numbers that share area code and prefix. A caller shows a number that can be called and pays for the call; a whole
//! town may call in a storm.
//!
//! Emails cost nothing, but a form can name any address: an address known only from forms gets a few a day.
//!
//! A booking is not the customer's because their phone or email was typed there (`booking::unproven`): one address gets
//! a few messages a day about such visits, known customer or not, and all of them at most a part of the day's budget.

use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;
use sqlx::FromRow;

use crate::platform::{
    clock::ClockRng,
    db::{AsConn, Db, Tx, q},
    email_address::EmailAddress,
    error::Result,
    id::OrgId,
    live,
    phone::Phone,
    sms_segments, text,
};

/// Time within which the numbers of one exchange are counted.
const LATELY: Duration = Duration::hours(1);
/// Counts by number are deleted after this time.
const KEEP: Duration = Duration::days(2);
/// `+1`, area code and prefix.
const EXCHANGE_CHARACTERS: usize = 8;
/// Age up to which a waiting text may still be refused.
const OLDEST_REFUSED: Duration = Duration::days(2);
/// Stored reason of a text that the day's budget refused, with any budget.
pub(crate) const USED_UP_PATTERN: &str = "today's budget of % automatic texts is used up";
/// The same for the part of the budget that visits booked in the customers' names may use.
pub(crate) const BOOKINGS_USED_UP_PATTERN: &str =
    "today's % texts about visits that others may have booked are used up";
/// How long a person is shown the leads whose texts the day's budget refused.
pub const REFUSED_TEXTS_SHOWN: Duration = Duration::days(14);
/// List of those leads.
pub(crate) const REFUSED_TEXTS_PATH: &str = "/app/leads?texts=refused";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromRow)]
pub struct SendBudgetUsage {
    pub texts: i64,
    /// Automatic texts to this number, or emails to this address, on this day.
    pub to_number: i64,
    /// Other numbers of its exchange that were texted within an hour because of a form.
    pub in_exchange: i64,
    /// Texts on this day about visits that the customers are not proven to have booked.
    pub by_bookings: i64,
    /// Those of them to this number.
    pub booked_to_number: i64,
}

/// The day in the org's zone: `2026-11-21`.
#[must_use]
pub fn budget_day(zone: Tz, now: DateTime<Utc>) -> String {
    now.with_timezone(&zone).format("%Y-%m-%d").to_string()
}

fn exchange_prefix(number: &str) -> &str {
    number.get(..EXCHANGE_CHARACTERS).unwrap_or(number)
}

/// Key for numbers that were not texted because of a form.
const NO_EXCHANGE: &str = "";
/// Key for numbers texted about a visit that the customer is not proven to have booked.
const BOOKING: &str = "booking";

/// Without `to` only the counts of the whole business mean something.
pub async fn load_budget_usage(
    conn: &mut dyn AsConn,
    org: OrgId,
    day: &str,
    to: Option<&Phone>,
    now: DateTime<Utc>,
) -> Result<SendBudgetUsage> {
    let to = to.map(Phone::as_e164).unwrap_or_default();
    Ok(q!(
        conn,
        fetch_one as SendBudgetUsage,
        "SELECT COALESCE((SELECT texts FROM sms_daily_usage WHERE org_id = $1 AND day = $2), 0) AS texts,
             CAST(COALESCE((SELECT SUM(texts) FROM sms_recipient_window WHERE org_id = $1 AND exchange IN ($3, $6) AND number = $4
                 AND day = $2), 0) AS BIGINT) AS to_number,
             (SELECT COUNT(*) FROM sms_recipient_window WHERE org_id = $1 AND exchange = $3 AND number <> $4 AND last_at > $5)
                 AS in_exchange,
             CAST(COALESCE((SELECT SUM(texts) FROM sms_recipient_window WHERE org_id = $1 AND exchange = $7 AND day = $2), 0)
                 AS BIGINT) AS by_bookings,
             COALESCE((SELECT texts FROM sms_recipient_window WHERE org_id = $1 AND exchange = $7 AND number = $4 AND day = $2), 0)
                 AS booked_to_number",
        org,
        day,
        exchange_prefix(to),
        to,
        now - LATELY,
        NO_EXCHANGE,
        BOOKING
    )?)
}

/// Texts due since then that the day's budget refused and nobody sent again.
pub async fn count_budget_refusals(conn: &mut dyn AsConn, org: OrgId, since: DateTime<Utc>) -> Result<i64> {
    Ok(q!(
        conn,
        fetch_one scalar i64,
        "SELECT COUNT(*) FROM message WHERE org_id = $1 AND id >= $2 AND direction = 'out' AND channel = 'sms'
             AND status = 'not_sent' AND next_attempt_at >= $3 AND reason LIKE $4",
        org,
        // Ids sort by time, and messages of one org are looked up by id.
        live::min_id_at(since - OLDEST_REFUSED),
        since,
        USED_UP_PATTERN
    )?)
}

/// Also locks this business's counts until the transaction ends: of two at the same instant the second sees the first.
pub(super) async fn lock_budget_usage(
    tx: &mut Tx,
    org: OrgId,
    day: &str,
    to: &Phone,
    now: DateTime<Utc>,
) -> Result<SendBudgetUsage> {
    q!(
        &mut *tx,
        execute,
        "INSERT INTO sms_daily_usage (org_id, day, texts, segments) VALUES ($1, $2, 0, 0)
         ON CONFLICT (org_id, day) DO UPDATE SET texts = sms_daily_usage.texts",
        org,
        day
    )?;
    load_budget_usage(tx, org, day, Some(to), now).await
}

pub(super) async fn count_text(tx: &mut Tx, org: OrgId, day: &str, body: &str) -> Result<()> {
    let segments = i64::try_from(sms_segments::count_segments(body).segments).unwrap_or(i64::MAX);
    let sql = "UPDATE sms_daily_usage SET texts = texts + 1, segments = segments + $3 WHERE org_id = $1 AND day = $2";
    q!(tx, execute, sql, org, day, segments)?;
    Ok(())
}

/// Counts a text to a person who never wrote to us; `by_form` when a form caused it.
pub(super) async fn count_recipient(
    tx: &mut Tx,
    org: OrgId,
    at: (&str, DateTime<Utc>),
    to: &Phone,
    by_form: bool,
) -> Result<()> {
    let exchange = if by_form { exchange_prefix(to.as_e164()) } else { NO_EXCHANGE };
    count_in_window(tx, org, at, (exchange, to)).await
}

pub(super) async fn count_booking_recipient(
    tx: &mut Tx,
    org: OrgId,
    at: (&str, DateTime<Utc>),
    to: &Phone,
) -> Result<()> {
    count_in_window(tx, org, at, (BOOKING, to)).await
}

async fn count_in_window(
    tx: &mut Tx,
    org: OrgId,
    (day, now): (&str, DateTime<Utc>),
    (exchange, to): (&str, &Phone),
) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO sms_recipient_window (org_id, exchange, number, last_at, day, texts) VALUES ($1, $2, $3, $4, $5, 1)
         ON CONFLICT (org_id, exchange, number) DO UPDATE SET last_at = excluded.last_at, day = excluded.day,
             texts = CASE WHEN sms_recipient_window.day = excluded.day THEN sms_recipient_window.texts + 1 ELSE 1 END",
        org,
        exchange,
        to.as_e164(),
        now,
        day
    )?;
    Ok(())
}

/// Key for mailboxes; one mailbox has any number of addresses.
const EMAIL: &str = "email";

pub(super) async fn count_emails_to(conn: &mut dyn AsConn, org: OrgId, day: &str, to: &EmailAddress) -> Result<i64> {
    let sql = "SELECT texts FROM sms_recipient_window WHERE org_id = $1 AND exchange = $2 AND number = $3 AND day = $4";
    let mailbox = text::normalize_mailbox(to.as_str());
    Ok(q!(conn, fetch_optional scalar i64, sql, org, EMAIL, mailbox, day)?.unwrap_or_default())
}

/// Counts one about to leave; false after `most` on that day. Of two at the same instant the second sees the first.
pub(super) async fn claim_email_slot(
    tx: &mut Tx,
    org: OrgId,
    (day, now): (&str, DateTime<Utc>),
    to: &EmailAddress,
    most: i64,
) -> Result<bool> {
    let counted = q!(
        tx,
        execute,
        "INSERT INTO sms_recipient_window (org_id, exchange, number, last_at, day, texts) VALUES ($1, $2, $3, $4, $5, 1)
         ON CONFLICT (org_id, exchange, number) DO UPDATE SET last_at = excluded.last_at, day = excluded.day,
             texts = CASE WHEN sms_recipient_window.day = excluded.day THEN sms_recipient_window.texts + 1 ELSE 1 END
         WHERE sms_recipient_window.day <> excluded.day OR sms_recipient_window.texts < $6",
        org,
        EMAIL,
        text::normalize_mailbox(to.as_str()),
        now,
        day,
        most
    )?;
    Ok(counted == 1)
}

/// Replaces an erased person's addresses by random ids: the counts of their exchanges and of the business stay.
pub async fn anonymize_recipients(tx: &mut Tx, origin: &ClockRng, org: OrgId, addresses: &[String]) -> Result<()> {
    let sql = "UPDATE sms_recipient_window SET number = $4 WHERE org_id = $1 AND exchange = $2 AND number = $3";
    for address in addresses {
        for exchange in [exchange_prefix(address), NO_EXCHANGE, BOOKING] {
            q!(&mut *tx, execute, sql, org, exchange, address, origin.random_uuid().to_string())?;
        }
        let mailbox = text::normalize_mailbox(address);
        q!(&mut *tx, execute, sql, org, EMAIL, mailbox, origin.random_uuid().to_string())?;
    }
    Ok(())
}

pub async fn prune_reached_recipients(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM sms_recipient_window WHERE last_at < $1", now - KEEP)?;
    tx.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchange_is_area_code_and_prefix() {
        assert_eq!(exchange_prefix("+15125550142"), "+1512555");
        assert_eq!(exchange_prefix("12345"), "12345", "another number is its own prefix");
    }
}
