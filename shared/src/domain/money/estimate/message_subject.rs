//! Messages about an estimate or a change order: whether they are still of use.

use chrono::{DateTime, NaiveDate, Utc};
use futures::future::BoxFuture;
use sqlx::FromRow;
use uuid::Uuid;

use crate::{
    documents::template::Language,
    domain::{
        messaging::message::{ClaimedMessage, MessageKind, MessageSubject, ResendObstacle},
        money::{checkout, estimate::EstimateStatus},
    },
    platform::{
        db::{AsConn, Tx, q},
        error::Result,
        id::OrgId,
    },
};

pub struct EstimateMessages;

impl MessageSubject for EstimateMessages {
    fn message_kinds(&self) -> &'static [MessageKind] {
        &[
            MessageKind::Estimate,
            MessageKind::EstimateFollowUp,
            MessageKind::ChangeOrder,
            MessageKind::ChangeOrderFollowUp,
        ]
    }

    fn why_obsolete<'a>(
        &'a self,
        conn: &'a mut dyn AsConn,
        message: &'a ClaimedMessage,
        about: Uuid,
        now: DateTime<Utc>,
    ) -> BoxFuture<'a, Result<Option<&'static str>>> {
        Box::pin(why_estimate_obsolete(conn, message, about, now))
    }

    fn find_resend_obstacle<'a>(
        &'a self,
        conn: &'a mut dyn AsConn,
        message: &'a ClaimedMessage,
        about: Uuid,
        now: DateTime<Utc>,
    ) -> BoxFuture<'a, Result<Option<ResendObstacle>>> {
        Box::pin(find_estimate_obstacle(conn, message, about, now))
    }

    fn subject_name<'a>(
        &'a self,
        tx: &'a mut Tx,
        org: OrgId,
        about: Uuid,
        language: Language,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        Box::pin(checkout::load_document_title(tx, org, about, language))
    }
}

#[derive(FromRow)]
struct ResendEstimate {
    status: EstimateStatus,
    settled_at: Option<DateTime<Utc>>,
    expires_on: Option<NaiveDate>,
    created_at: DateTime<Utc>,
    /// Of a change order: end of its own job.
    job_done_at: Option<DateTime<Utc>>,
}

impl ResendEstimate {
    /// Since when its work is done. A change order that was written after that is about extra work.
    fn work_done_at(&self, is_change: bool) -> Option<DateTime<Utc>> {
        self.job_done_at.filter(|done| !is_change || *done > self.created_at)
    }
}

async fn why_estimate_obsolete(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    about: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<&'static str>> {
    use EstimateStatus::{Approved, Declined, Expired, Open, Preparing, Replaced, Superseded, Withdrawn};
    let found = q!(
        conn,
        fetch_optional as (EstimateStatus, Option<DateTime<Utc>>, Option<NaiveDate>),
        "SELECT status, settled_at, expires_on FROM estimate WHERE org_id = $1 AND id = $2",
        message.org_id,
        about
    )?;
    let Some((status, settled_at, expires_on)) = found else { return Ok(None) };
    let today = message.local_date(now);
    let (of_estimate, of_change) = match status {
        Approved if message.is_obsolete_since(settled_at) => {
            ("the estimate was approved", "the change order was approved")
        }
        Declined if message.is_obsolete_since(settled_at) => {
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

async fn find_estimate_obstacle(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    about: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<ResendObstacle>> {
    use EstimateStatus::{Approved, Declined, Expired, Open, Preparing, Replaced, Superseded, Withdrawn};
    let found = q!(
        conn,
        fetch_optional as ResendEstimate,
        "SELECT e.status, e.settled_at, e.expires_on, e.created_at, (SELECT MAX(j.completed_at) FROM job j
             WHERE j.org_id = e.org_id AND j.lead_id = e.lead_id AND (e.job_id IS NULL OR j.id = e.job_id)
                 AND j.status = 'completed') AS job_done_at
         FROM estimate e WHERE e.org_id = $1 AND e.id = $2",
        message.org_id,
        about
    )?;
    let Some(offer) = found else { return Ok(None) };
    let is_change = matches!(message.kind, MessageKind::ChangeOrder | MessageKind::ChangeOrderFollowUp);
    let what = if is_change { "this change order" } else { "this estimate" };
    let on =
        |at: Option<DateTime<Utc>>| at.map_or_else(String::new, |at| format!(" on {}", message.format_local_day(at)));
    // A rule's follow-up question has its time and is not repeated after an answer.
    let by_person = !message.kind.is_automatic();
    let today = message.local_date(now);
    Ok(match offer.status {
        Approved => {
            Some(ResendObstacle::with_reason(format!("{what} was approved{}", on(offer.settled_at)), by_person))
        }
        Declined => {
            Some(ResendObstacle::with_reason(format!("{what} was declined{}", on(offer.settled_at)), by_person))
        }
        Replaced | Superseded => {
            Some(ResendObstacle::with_reason(format!("a newer version of {what} was made"), false))
        }
        Withdrawn => Some(ResendObstacle::with_reason(format!("{what} was withdrawn{}", on(offer.settled_at)), false)),
        Preparing => Some(ResendObstacle::with_reason(format!("{what} is being made right now"), false)),
        Expired => Some(ResendObstacle::with_reason(format!("{what} has expired"), false)),
        Open if offer.expires_on.is_some_and(|last| last < today) => {
            Some(ResendObstacle::with_reason(format!("{what} has expired"), false))
        }
        // Work that is done is no answer to a change order: it can still be approved, and is billed then.
        Open => offer.work_done_at(is_change).map(|done| {
            ResendObstacle::with_reason(format!("the job was done{}", on(Some(done))), is_change || by_person)
        }),
    })
}
