//! What a provider reports later about a text it took: on its way, delivered, or not.
//!
//! Reports come late, twice, in any order, and before the answer to the request they are about. A report never moves a
//! message back; one that comes for a message in doubt is the evidence that it was accepted (trust requirements 1.1 and
//! 76). What cannot be matched yet is kept, and joined when the provider's number of the text is known.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use super::{Status, refusal, settled};
use crate::{
    clock::Origin,
    db::{Tx, q},
    error::Result,
    id::{LeadId, MessageId, OrgId},
};

/// A report that belongs to nothing of ours is forgotten after this time.
const KEEP_UNMATCHED: Duration = Duration::days(7);

/// One report of Twilio's status callback (twilio.com/docs/messaging/guides/track-outbound-message-status).
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// Ours, if it stands in the address that Twilio called.
    pub message: Option<MessageId>,
    /// Twilio's own id of the text.
    pub provider_id: &'a str,
    /// `queued`, `sent`, `delivered`, `undelivered`, `failed`, …
    pub status: &'a str,
    pub code: Option<i32>,
    pub received_at: DateTime<Utc>,
}

/// What a report says, as far as it matters to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    /// The provider has it.
    Accepted,
    Delivered,
    NotDelivered,
}

fn says(status: &str) -> Option<Says> {
    match status {
        "accepted" | "scheduled" | "queued" | "sending" | "sent" => Some(Says::Accepted),
        "delivered" | "read" => Some(Says::Delivered),
        "undelivered" | "failed" | "canceled" => Some(Says::NotDelivered),
        _ => None,
    }
}

/// Which of our tries a report is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    /// The one that the message stands by.
    This,
    /// One before it, whose end is known.
    Earlier,
    /// One whose acceptance we did not know of.
    Unheard,
}

/// The state after a report, or none when the report changes nothing.
///
/// An arrival is believed of whichever try, so that nothing is repeated that a person already has. What the provider
/// merely took, or lost, counts only for the try that it is about.
fn next(now: Status, says: Says, about: About) -> Option<Status> {
    use Status::{Delivered, Failed, Held, NotSent, Queued, Sent, Unknown};
    match (says, now, about) {
        (Says::Delivered, Sent | Unknown | Queued | Held, _) | (Says::Delivered, NotSent | Failed, About::Unheard) => {
            Some(Delivered)
        }
        (Says::Accepted, Unknown | Queued | Held | NotSent | Failed, About::Unheard) => Some(Sent),
        (Says::NotDelivered, Sent, About::This) | (Says::NotDelivered, Unknown, About::Unheard) => Some(Failed),
        _ => None,
    }
}

/// The message of a report, and where it stands.
#[derive(Clone, Debug, FromRow)]
struct Known {
    org_id: OrgId,
    id: MessageId,
    lead_id: Option<LeadId>,
    status: Status,
    attempts: i64,
    provider_id: Option<String>,
}

/// Takes a report in, in the open transaction. The same one again changes nothing.
pub async fn report(tx: &mut Tx, origin: &Origin, report: &Report<'_>) -> Result<()> {
    let Some(says) = says(report.status) else { return Ok(()) };
    match find(tx, report).await? {
        None => keep(tx, report).await,
        // While it is being sent its worker holds it, and will ask for what was kept.
        Some(message) if message.status == Status::Sending => note(tx, &message, report).await,
        Some(message) => apply(tx, origin, &message, says, report).await,
    }
}

/// Finds the message and holds its row, so that reports and the worker that records come one after the other.
async fn find(tx: &mut Tx, report: &Report<'_>) -> Result<Option<Known>> {
    if let Some(id) = report.message {
        let found = q!(
            &mut *tx,
            fetch_optional as Known,
            "UPDATE message SET fence = fence WHERE id = $1 AND channel = 'sms' AND direction = 'out'
             RETURNING org_id, id, lead_id, status, attempts, provider_id",
            id
        )?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(q!(
        tx,
        fetch_optional as Known,
        "UPDATE message SET fence = fence WHERE provider_id = $1 AND channel = 'sms' AND direction = 'out'
         RETURNING org_id, id, lead_id, status, attempts, provider_id",
        report.provider_id
    )?)
}

async fn keep(tx: &mut Tx, report: &Report<'_>) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO early_report (provider_id, status, code, received_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (provider_id, status) DO NOTHING",
        report.provider_id,
        report.status,
        report.code.map(i64::from),
        report.received_at
    )?;
    Ok(())
}

/// The report came before the answer. It is kept, and the message remembers that the provider has it: should the
/// answer never come, there is no doubt.
async fn note(tx: &mut Tx, message: &Known, report: &Report<'_>) -> Result<()> {
    if is_earlier(tx, message, report.provider_id).await? {
        return Ok(());
    }
    q!(
        &mut *tx,
        execute,
        "UPDATE message SET provider_id = $3 WHERE org_id = $1 AND id = $2 AND provider_id IS NULL",
        message.org_id,
        message.id,
        report.provider_id
    )?;
    keep(tx, report).await
}

/// Whether an attempt whose end is known bears this number of the provider's.
async fn is_earlier(tx: &mut Tx, message: &Known, provider_id: &str) -> Result<bool> {
    Ok(q!(
        tx,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM message_attempt WHERE org_id = $1 AND message_id = $2 AND detail = $3)",
        message.org_id,
        message.id,
        provider_id
    )?)
}

async fn apply(tx: &mut Tx, origin: &Origin, message: &Known, says: Says, report: &Report<'_>) -> Result<()> {
    if message.attempts == 0 {
        return Ok(());
    }
    let about = if message.provider_id.as_deref() == Some(report.provider_id) {
        About::This
    } else if is_earlier(tx, message, report.provider_id).await? {
        About::Earlier
    } else {
        About::Unheard
    };
    let Some(then) = next(message.status, says, about) else { return Ok(()) };
    if about == About::Unheard {
        remember(tx, message.org_id, message.id, message.attempts, report.provider_id).await?;
    }
    move_on(tx, message, then, report).await?;
    if then == Status::Failed {
        return refusal::not_delivered(tx, origin, message.id, report.code).await;
    }
    settled(tx, origin, message.org_id, message.lead_id, message.id).await
}

async fn move_on(tx: &mut Tx, message: &Known, then: Status, report: &Report<'_>) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE message SET status = $3, reason = NULL, provider_id = $4, delivered_at = $5, doubt_since = NULL,
             fence = fence + 1, sent_at = COALESCE(sent_at, $6)
         WHERE org_id = $1 AND id = $2",
        message.org_id,
        message.id,
        then,
        report.provider_id,
        (then == Status::Delivered).then_some(report.received_at),
        report.received_at
    )?;
    Ok(())
}

/// Writes the provider's number of an attempt into its row: what comes later about it is known again.
async fn remember(tx: &mut Tx, org: OrgId, id: MessageId, number: i64, provider_id: &str) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE message_attempt SET outcome = 'accepted', detail = $4
         WHERE org_id = $1 AND message_id = $2 AND number = $3",
        org,
        id,
        number,
        provider_id
    )?;
    Ok(())
}

/// The provider has the message under this number: from its answer, its list or its report. Joins what was reported
/// before that was known.
pub(super) async fn accepted(
    tx: &mut Tx,
    origin: &Origin,
    (org, id): (OrgId, MessageId),
    provider_id: &str,
    at: DateTime<Utc>,
) -> Result<()> {
    let message = q!(
        &mut *tx,
        fetch_optional as Known,
        "UPDATE message SET status = 'sent', reason = NULL, provider_id = $3, sent_at = COALESCE(sent_at, $4),
             doubt_since = NULL, fence = fence + 1
         WHERE org_id = $1 AND id = $2 RETURNING org_id, id, lead_id, status, attempts, provider_id",
        org,
        id,
        provider_id,
        at
    )?;
    let Some(message) = message else { return Ok(()) };
    remember(tx, org, id, message.attempts, provider_id).await?;
    settled(tx, origin, org, message.lead_id, id).await?;
    join(tx, origin, provider_id).await
}

/// What the provider reported of a message while it was being sent: its number there, if anything.
pub(super) async fn noted(tx: &mut Tx, org: OrgId, id: MessageId) -> Result<Option<String>> {
    let sql = "SELECT provider_id FROM message WHERE org_id = $1 AND id = $2 AND channel = 'sms'";
    Ok(q!(tx, fetch_optional scalar Option<String>, sql, org, id)?.flatten())
}

/// Applies the reports that were kept for this number, and forgets them.
async fn join(tx: &mut Tx, origin: &Origin, provider_id: &str) -> Result<()> {
    let mut kept = q!(
        &mut *tx,
        fetch_all as (String, Option<i64>, DateTime<Utc>),
        "DELETE FROM early_report WHERE provider_id = $1 RETURNING status, code, received_at",
        provider_id
    )?;
    kept.sort_by_key(|(_, _, received_at)| *received_at);
    for (status, code, received_at) in kept {
        let code = code.and_then(|code| i32::try_from(code).ok());
        let early = Report { message: None, provider_id, status: &status, code, received_at };
        // A boxed step back into the ordinary way: a join holds no more than a report each of a handful of states.
        Box::pin(report(tx, origin, &early)).await?;
    }
    Ok(())
}

/// Joins reports whose message became known at the same moment as they came in, and forgets those of strangers.
pub(super) async fn tidy(tx: &mut Tx, origin: &Origin) -> Result<()> {
    let missed = q!(
        &mut *tx,
        fetch_all scalar String,
        "SELECT DISTINCT e.provider_id FROM early_report e JOIN message m ON m.provider_id = e.provider_id
         WHERE m.channel = 'sms' AND m.direction = 'out' AND m.status <> 'sending'"
    )?;
    for provider_id in missed {
        join(tx, origin, &provider_id).await?;
    }
    q!(tx, execute, "DELETE FROM early_report WHERE received_at < $1", origin.now() - KEEP_UNMATCHED)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORTS: [&str; 4] = ["queued", "sending", "sent", "delivered"];

    fn after(mut status: Status, about: About, reports: &[&str]) -> Status {
        let mut about = about;
        for report in reports {
            if let Some(then) = says(report).and_then(|says| next(status, says, about)) {
                (status, about) = (then, About::This);
            }
        }
        status
    }

    #[test]
    fn reports_in_every_order_end_in_the_same_state() {
        let mut orders = 0;
        for a in 0..4 {
            for b in 0..4 {
                for c in 0..4 {
                    let d = 6_usize.wrapping_sub(a + b + c);
                    let order = [a, b, c, d];
                    if (0..4).all(|i| order.contains(&i)) {
                        let reports = order.map(|i| REPORTS[i]);
                        assert_eq!(after(Status::Sent, About::This, &reports), Status::Delivered, "{reports:?}");
                        assert_eq!(after(Status::Unknown, About::Unheard, &reports), Status::Delivered, "{reports:?}");
                        orders += 1;
                    }
                }
            }
        }
        assert_eq!(orders, 24);
    }

    #[test]
    fn a_report_is_the_evidence_that_settles_a_doubt() {
        assert_eq!(after(Status::Unknown, About::Unheard, &["queued"]), Status::Sent);
        assert_eq!(after(Status::Unknown, About::Unheard, &["undelivered"]), Status::Failed);
    }

    #[test]
    fn what_was_to_be_sent_once_more_is_not_when_the_first_try_shows_up_after_all() {
        for waiting in [Status::Queued, Status::Held, Status::NotSent, Status::Failed] {
            assert_eq!(after(waiting, About::Unheard, &["sent"]), Status::Sent, "{waiting:?}");
            assert_eq!(after(waiting, About::Unheard, &["delivered"]), Status::Delivered, "{waiting:?}");
            assert_eq!(after(waiting, About::Unheard, &["undelivered"]), waiting);
        }
    }

    #[test]
    fn late_words_about_an_earlier_try_neither_stop_nor_fail_the_next() {
        for now in [Status::Queued, Status::Held, Status::Sent, Status::Unknown] {
            assert_eq!(after(now, About::Earlier, &["queued", "sent", "undelivered"]), now, "{now:?}");
            assert_eq!(after(now, About::Earlier, &["delivered"]), Status::Delivered, "{now:?}");
        }
    }

    #[test]
    fn nothing_moves_back() {
        for end in [Status::Delivered, Status::Failed, Status::NotSent, Status::Filed] {
            let reports = ["queued", "sent", "delivered", "undelivered", "nonsense"];
            assert_eq!(after(end, About::This, &reports), end);
        }
    }
}
