//! Whether what a message is about has ended since it was worded: nobody is asked for what is paid or answered. A
//! confirmation, such as a receipt, leaves all the same.

use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;

use super::Outgoing;
use crate::{
    domain::{
        messaging::message::Kind,
        money::{estimate, invoice},
        tenancy::org,
        work::job,
    },
    platform::{
        db::{AsConn, q},
        error::Result,
    },
};

/// Why a question whether they keep their time is not asked: they have answered.
pub(super) const BOOKED: &str = "the visit is booked already";

/// Why it is not needed any more, as the owner reads it.
pub(super) async fn why(
    conn: &mut dyn AsConn,
    message: &Outgoing,
    about: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<&'static str>> {
    match message.kind {
        Kind::Estimate | Kind::EstimateFollowUp | Kind::ChangeOrder | Kind::ChangeOrderFollowUp => {
            of_offer(conn, message, about, now).await
        }
        Kind::Invoice | Kind::Dunning => of_invoice(conn, message, about).await,
        Kind::Visit | Kind::OnTheWay => of_visit(conn, message, about).await,
        Kind::AutoReply => of_booking(conn, message, about, now).await,
        _ => Ok(None),
    }
}

/// Whether it ended after a person last had it sent. A rule says nothing about what has ended, whenever it did.
fn is_overtaken(message: &Outgoing, ended_at: Option<DateTime<Utc>>) -> bool {
    let said_at = message.resent_at.unwrap_or(message.created_at);
    message.kind.is_automatic() || ended_at.is_none_or(|at| at > said_at)
}

async fn of_offer(
    conn: &mut dyn AsConn,
    message: &Outgoing,
    about: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<&'static str>> {
    use estimate::Status::{Approved, Declined, Expired, Open, Preparing, Replaced, Superseded, Withdrawn};
    let found = q!(
        conn,
        fetch_optional as (estimate::Status, Option<DateTime<Utc>>, Option<NaiveDate>),
        "SELECT status, settled_at, expires_on FROM estimate WHERE org_id = $1 AND id = $2",
        message.org_id,
        about
    )?;
    let Some((status, settled_at, expires_on)) = found else { return Ok(None) };
    let today = now.with_timezone(&org::zone_named(&message.timezone)).date_naive();
    let (of_estimate, of_change) = match status {
        Approved if is_overtaken(message, settled_at) => ("the estimate was approved", "the change order was approved"),
        Declined if is_overtaken(message, settled_at) => ("the estimate was declined", "the change order was declined"),
        Replaced | Superseded => ("a newer version was made", "a newer version was made"),
        Withdrawn => ("the estimate was withdrawn", "the change order was withdrawn"),
        Expired => ("the estimate has expired", "the change order has expired"),
        Open if expires_on.is_some_and(|last| last < today) => {
            ("the estimate has expired", "the change order has expired")
        }
        Approved | Declined | Open | Preparing => return Ok(None),
    };
    let is_change = matches!(message.kind, Kind::ChangeOrder | Kind::ChangeOrderFollowUp);
    Ok(Some(if is_change { of_change } else { of_estimate }))
}

async fn of_invoice(conn: &mut dyn AsConn, message: &Outgoing, about: Uuid) -> Result<Option<&'static str>> {
    use invoice::Status::{Draft, Open, Paid, Preparing, Void};
    let sql = "SELECT status, settled_at FROM invoice WHERE org_id = $1 AND id = $2";
    let found = q!(conn, fetch_optional as (invoice::Status, Option<DateTime<Utc>>), sql, message.org_id, about)?;
    let Some((status, settled_at)) = found else { return Ok(None) };
    Ok(match status {
        Void => Some("the invoice was voided"),
        Paid if is_overtaken(message, settled_at) => Some("the invoice was paid"),
        Draft | Preparing | Open | Paid => None,
    })
}

/// The notice of a cancelled visit is worded after it was cancelled, and that of work that is done after it was.
async fn of_visit(conn: &mut dyn AsConn, message: &Outgoing, about: Uuid) -> Result<Option<&'static str>> {
    let found = q!(
        conn,
        fetch_optional as (job::Status, Option<DateTime<Utc>>, Option<DateTime<Utc>>),
        "SELECT status, cancelled_at, on_my_way_at FROM job WHERE org_id = $1 AND id = $2",
        message.org_id,
        about
    )?;
    Ok(match found {
        Some((job::Status::Cancelled, Some(at), _)) if at > message.created_at => Some("the visit was cancelled"),
        Some((job::Status::Completed, ..)) if message.kind == Kind::Visit => Some("the work is done"),
        Some((job::Status::InProgress, ..)) if message.kind == Kind::Visit => Some("the work has begun"),
        Some((job::Status::Scheduled, _, Some(at))) if message.kind == Kind::Visit && at >= message.created_at => {
            Some("the crew is on its way")
        }
        _ => None,
    })
}

async fn of_booking(
    conn: &mut dyn AsConn,
    message: &Outgoing,
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
        Some((Some(_), _)) => Some(BOOKED),
        Some((None, expires_at)) if expires_at <= now => Some("the time it asks about is not held any more"),
        _ => None,
    })
}
