//! What was said in a conversation since an instant, read from its own messages and calls: for conversations whose row
//! nobody kept meanwhile, because the two were one.

use chrono::{DateTime, Utc};

use super::{ANSWERED_CALL, MISSED_CALL, Moved, preview, words_of};
use crate::{
    domain::messaging::message::{Direction, Kind, Status},
    platform::{
        db::{AsConn, q},
        error::Result,
        id::{CustomerId, LeadId, OrgId},
    },
};

/// One thing that moved a conversation, as [`super::note`] would have been told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub at: DateTime<Utc>,
    pub moved: Moved,
    pub lead: Option<LeadId>,
    /// As the list shows it.
    pub preview: String,
}

/// What was said with this customer after `since`, oldest first. What is written for later than `now` was not said yet.
pub(crate) async fn since(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (since, now): (DateTime<Utc>, DateTime<Utc>),
) -> Result<Vec<Said>> {
    let mut said = messages(&mut *conn, org, customer, (since, now)).await?;
    said.extend(calls(conn, org, customer, since).await?);
    said.sort_by_key(|said| said.at);
    Ok(said)
}

#[derive(sqlx::FromRow)]
struct Row {
    created_at: DateTime<Utc>,
    direction: Direction,
    kind: Kind,
    status: Status,
    lead_id: Option<LeadId>,
    body: String,
    next_attempt_at: DateTime<Utc>,
}

impl Row {
    fn is_said(&self, now: DateTime<Utc>) -> bool {
        let waits = matches!(self.status, Status::Queued | Status::Held) && self.next_attempt_at > now;
        self.kind.stands_in_front() && self.status != Status::NotSent && !waits
    }

    fn said(self) -> Said {
        let moved = match (self.direction, self.kind) {
            (Direction::In, _) => Moved::In,
            (Direction::Out, Kind::Manual) => Moved::ByPerson,
            (Direction::Out, _) => Moved::Out,
        };
        let words = if moved == Moved::In { words_of(&self.body) } else { &self.body };
        Said { at: self.created_at, moved, lead: self.lead_id, preview: preview(words) }
    }
}

/// Of one instant the text stands after the email that says the same.
async fn messages(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (since, now): (DateTime<Utc>, DateTime<Utc>),
) -> Result<Vec<Said>> {
    let rows = q!(
        conn,
        fetch_all as Row,
        "SELECT created_at, direction, kind, status, lead_id, body, next_attempt_at FROM message
         WHERE org_id = $1 AND customer_id = $2 AND created_at > $3 ORDER BY created_at, channel, id",
        org,
        customer,
        since
    )?;
    Ok(rows.into_iter().filter(|row| row.is_said(now)).map(Row::said).collect())
}

/// Calls that somebody took, and those that nobody did.
async fn calls(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId, since: DateTime<Utc>) -> Result<Vec<Said>> {
    let rows = q!(
        conn,
        fetch_all as (DateTime<Utc>, String, Option<LeadId>),
        "SELECT COALESCE(accepted_at, ended_at, started_at), status, lead_id FROM call
         WHERE org_id = $1 AND customer_id = $2 AND status IN ('answered', 'missed')
             AND COALESCE(accepted_at, ended_at, started_at) > $3
         ORDER BY started_at, id",
        org,
        customer,
        since
    )?;
    let said = rows.into_iter().map(|(at, status, lead)| {
        let (moved, words) = match status.as_str() {
            "answered" => (Moved::AnsweredCall, ANSWERED_CALL),
            _ => (Moved::MissedCall, MISSED_CALL),
        };
        Said { at, moved, lead, preview: preview(words) }
    });
    Ok(said.collect())
}
