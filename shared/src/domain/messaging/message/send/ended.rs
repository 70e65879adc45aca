//! Check whether the subject of a message has ended (paid, answered). A confirmation, such as a receipt, leaves anyway.

use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;

use super::ClaimedMessage;
use crate::{
    domain::{
        messaging::message::MessageKind,
        money::{estimate, invoice},
        tenancy::org,
        work::job,
    },
    platform::{
        db::{AsConn, q},
        error::Result,
    },
};

/// Reason not to ask whether they keep their time: they have answered.
pub(super) const ALREADY_BOOKED: &str = "the visit is booked already";

pub(super) async fn why_obsolete(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    about: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<&'static str>> {
    match message.kind {
        MessageKind::Estimate
        | MessageKind::EstimateFollowUp
        | MessageKind::ChangeOrder
        | MessageKind::ChangeOrderFollowUp => why_estimate_obsolete(conn, message, about, now).await,
        MessageKind::Invoice | MessageKind::Dunning => why_invoice_obsolete(conn, message, about).await,
        MessageKind::Visit | MessageKind::OnTheWay => why_visit_obsolete(conn, message, about).await,
        MessageKind::AutoReply => why_booking_obsolete(conn, message, about, now).await,
        _ => Ok(None),
    }
}

/// Whether it ended after a person last sent it. A rule's message about an ended subject is never sent.
fn is_obsolete_since(message: &ClaimedMessage, ended_at: Option<DateTime<Utc>>) -> bool {
    let said_at = message.resent_at.unwrap_or(message.created_at);
    message.kind.is_automatic() || ended_at.is_none_or(|at| at > said_at)
}

async fn why_estimate_obsolete(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    about: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<&'static str>> {
    use estimate::EstimateStatus::{Approved, Declined, Expired, Open, Preparing, Replaced, Superseded, Withdrawn};
    let found = q!(
        conn,
        fetch_optional as (estimate::EstimateStatus, Option<DateTime<Utc>>, Option<NaiveDate>),
        "SELECT status, settled_at, expires_on FROM estimate WHERE org_id = $1 AND id = $2",
        message.org_id,
        about
    )?;
    let Some((status, settled_at, expires_on)) = found else { return Ok(None) };
    let today = now.with_timezone(&org::zone_named(&message.timezone)).date_naive();
    let (of_estimate, of_change) = match status {
        Approved if is_obsolete_since(message, settled_at) => {
            ("the estimate was approved", "the change order was approved")
        }
        Declined if is_obsolete_since(message, settled_at) => {
            ("the estimate was declined", "the change order was declined")
        }
        Replaced | Superseded => ("a newer version was made", "a newer version was made"),
        Withdrawn => ("the estimate was withdrawn", "the change order was withdrawn"),
        Expired => ("the estimate has expired", "the change order has expired"),
        Open if expires_on.is_some_and(|last| last < today) => {
            ("the estimate has expired", "the change order has expired")
        }
        Approved | Declined | Open | Preparing => return Ok(None),
    };
    let is_change = matches!(message.kind, MessageKind::ChangeOrder | MessageKind::ChangeOrderFollowUp);
    Ok(Some(if is_change { of_change } else { of_estimate }))
}

async fn why_invoice_obsolete(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    about: Uuid,
) -> Result<Option<&'static str>> {
    use invoice::InvoiceStatus::{Draft, Open, Paid, Preparing, Void};
    let sql = "SELECT status, settled_at FROM invoice WHERE org_id = $1 AND id = $2";
    let found =
        q!(conn, fetch_optional as (invoice::InvoiceStatus, Option<DateTime<Utc>>), sql, message.org_id, about)?;
    let Some((status, settled_at)) = found else { return Ok(None) };
    Ok(match status {
        Void => Some("the invoice was voided"),
        Paid if is_obsolete_since(message, settled_at) => Some("the invoice was paid"),
        Draft | Preparing | Open | Paid => None,
    })
}

/// Notices of a cancelled or a finished visit are worded after its cancellation or end.
async fn why_visit_obsolete(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    about: Uuid,
) -> Result<Option<&'static str>> {
    let found = q!(
        conn,
        fetch_optional as (job::JobState, Option<DateTime<Utc>>, Option<DateTime<Utc>>),
        "SELECT status, cancelled_at, on_my_way_at FROM job WHERE org_id = $1 AND id = $2",
        message.org_id,
        about
    )?;
    Ok(match found {
        Some((job::JobState::Cancelled, Some(at), _)) if at > message.created_at => Some("the visit was cancelled"),
        Some((job::JobState::Completed, ..)) if message.kind == MessageKind::Visit => Some("the work is done"),
        Some((job::JobState::InProgress, ..)) if message.kind == MessageKind::Visit => Some("the work has begun"),
        Some((job::JobState::Scheduled, _, Some(at)))
            if message.kind == MessageKind::Visit && at >= message.created_at =>
        {
            Some("the crew is on its way")
        }
        _ => None,
    })
}

async fn why_booking_obsolete(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    about: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<&'static str>> {
    let found = q!(
        conn,
        fetch_optional as (Option<DateTime<Utc>>, DateTime<Utc>),
        "SELECT confirmed_at, expires_at FROM booking_request WHERE org_id = $1 AND id = $2",
        message.org_id,
        about
    )?;
    Ok(match found {
        Some((Some(_), _)) => Some(ALREADY_BOOKED),
        Some((None, expires_at)) if expires_at <= now => Some("the time it asks about is not held any more"),
        _ => None,
    })
}
