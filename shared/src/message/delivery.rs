//! What a provider reports later about a text it took: on its way, delivered, or not.
//!
//! Reports come late, twice and in any order. A report never moves a message back, and one that comes for a message in
//! doubt is the evidence that it was accepted (trust requirements 1.1 and 76).

use super::{Status, settled};
use crate::{
    clock::Origin,
    db::{Tx, q},
    error::Result,
    id::{LeadId, MessageId, OrgId},
    providers::sms::codes,
};

/// One report of Twilio's status callback (twilio.com/docs/messaging/guides/track-outbound-message-status).
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// Ours: it stands in the address that Twilio was given.
    pub message: MessageId,
    /// Twilio's own id of the text.
    pub provider_id: &'a str,
    /// `queued`, `sent`, `delivered`, `undelivered`, `failed`, …
    pub status: &'a str,
    pub code: Option<i32>,
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

/// The state after a report, or none when the report changes nothing.
fn next(now: Status, says: Says) -> Option<Status> {
    match (now, says) {
        (Status::Unknown, Says::Accepted) => Some(Status::Sent),
        (Status::Sending | Status::Unknown | Status::Sent, Says::Delivered) => Some(Status::Delivered),
        (Status::Sending | Status::Unknown | Status::Sent, Says::NotDelivered) => Some(Status::Failed),
        // Also `sending`, when the provider has it: its worker is about to record that itself.
        _ => None,
    }
}

/// Takes a report in, in the open transaction. One for a message we do not have is passed over.
pub async fn take_report(tx: &mut Tx, origin: &Origin, report: &Report<'_>) -> Result<()> {
    let found = q!(
        &mut *tx,
        fetch_optional as (OrgId, Option<LeadId>, Status),
        "SELECT org_id, lead_id, status FROM message WHERE id = $1 AND channel = 'sms'",
        report.message
    )?;
    let Some((org, lead, now)) = found else { return Ok(()) };
    let Some(then) = says(report.status).and_then(|says| next(now, says)) else { return Ok(()) };
    let delivered_at = (then == Status::Delivered).then(|| origin.now());
    let reason = (then == Status::Failed)
        .then(|| report.code.and_then(codes::find).map_or("the phone network did not deliver it", |row| row.words));
    q!(
        &mut *tx,
        execute,
        "UPDATE message SET status = $4, reason = $5, provider_id = $6, delivered_at = $7, fence = fence + 1,
             sent_at = COALESCE(sent_at, $8)
         WHERE org_id = $1 AND id = $2 AND status = $3",
        org,
        report.message,
        now,
        then,
        reason,
        report.provider_id,
        delivered_at,
        (then != Status::Failed).then(|| origin.now())
    )?;
    settled(tx, origin, org, lead, report.message).await
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORTS: [&str; 4] = ["queued", "sending", "sent", "delivered"];

    fn after(mut status: Status, reports: &[&str]) -> Status {
        for report in reports {
            status = says(report).and_then(|s| next(status, s)).unwrap_or(status);
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
                        assert_eq!(after(Status::Sent, &reports), Status::Delivered, "{reports:?}");
                        assert_eq!(after(Status::Unknown, &reports), Status::Delivered, "{reports:?}");
                        orders += 1;
                    }
                }
            }
        }
        assert_eq!(orders, 24);
    }

    #[test]
    fn a_report_is_the_evidence_that_settles_a_doubt() {
        assert_eq!(after(Status::Unknown, &["queued"]), Status::Sent);
        assert_eq!(after(Status::Unknown, &["undelivered"]), Status::Failed);
        assert_eq!(after(Status::Sending, &["queued"]), Status::Sending);
    }

    #[test]
    fn nothing_moves_back() {
        for end in [Status::Delivered, Status::Failed, Status::NotSent, Status::Filed] {
            assert_eq!(after(end, &["queued", "sent", "delivered", "undelivered", "nonsense"]), end);
        }
    }
}
