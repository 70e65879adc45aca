//! The visit that a lead asked for online and that is not booked, as the office sees it on the lead.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{hold::SlotHold, not_held::NotHeldReason, take};
use crate::{
    domain::tenancy::org,
    platform::{
        db::{AsConn, q},
        error::{Error, Result},
        id::{CrewId, HoldId, LeadId, OrgId},
    },
};

/// What is true of the time of a request that is not booked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HeldVisitState {
    /// Until `expiresAt`.
    Held,
    /// No longer held, but still free.
    Free,
    Taken,
    Past,
    /// They confirmed by email beyond the day's share: a person of the business answers.
    WithOffice,
    /// The phone that was asked wrote that the request is not theirs.
    Denied,
    /// Not held: a limit of held times was reached.
    LimitReached,
    /// Not held: the limit of one network, or of the networks around it, was reached.
    NetworkLimit,
    /// Not held: three questions to the customer had no answer.
    Unanswered,
    /// Not held: the day's share for people known only by an email was used up.
    ShareUsed,
    /// Not held: no question could be sent.
    NoChannel,
}

/// A visit that was asked for online and is not booked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeldVisit {
    pub starts_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    pub state: HeldVisitState,
}

#[derive(FromRow)]
struct HeldVisitRow {
    id: HoldId,
    crew_id: CrewId,
    starts_at: DateTime<Utc>,
    ends_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
    confirmed_at: Option<DateTime<Utc>>,
    denied_at: Option<DateTime<Utc>>,
    not_held: Option<NotHeldReason>,
}

impl HeldVisitRow {
    fn state_at(&self, now: DateTime<Utc>, is_free: bool) -> HeldVisitState {
        if self.denied_at.is_some() {
            HeldVisitState::Denied
        } else if self.starts_at <= now {
            HeldVisitState::Past
        } else if let Some(reason) = self.not_held {
            reason.to_state()
        } else if self.confirmed_at.is_some() {
            HeldVisitState::WithOffice
        } else if !is_free {
            HeldVisitState::Taken
        } else if self.expires_at > now {
            HeldVisitState::Held
        } else {
            HeldVisitState::Free
        }
    }
}

/// The newest of a lead; none once one of its requests is booked.
pub async fn find_held_visit(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    now: DateTime<Utc>,
) -> Result<Option<HeldVisit>> {
    let found = q!(
        &mut *conn,
        fetch_optional as HeldVisitRow,
        "SELECT r.id, r.crew_id, r.starts_at, r.ends_at, r.expires_at, r.confirmed_at, r.denied_at, r.not_held
         FROM booking_request r WHERE r.org_id = $1 AND r.lead_id = $2
             AND NOT EXISTS (SELECT 1 FROM booking_request b WHERE b.org_id = $1 AND b.lead_id = $2
                 AND b.job_id IS NOT NULL)
         ORDER BY r.created_at DESC, r.id DESC LIMIT 1",
        org,
        lead
    )?;
    let Some(row) = found else { return Ok(None) };
    let business = org::find(&mut *conn, org).await?.ok_or(Error::NotFound)?;
    let profile = org::load_profile(&mut *conn, business).await?;
    let (id, crew_id, starts_at, ends_at) = (row.id, row.crew_id, row.starts_at, row.ends_at);
    let held = SlotHold { id, crew_id, starts_at, ends_at, expires_at: row.expires_at };
    let is_free = take::find_crew_of_business(conn, &profile, now, &held).await?.is_some();
    Ok(Some(HeldVisit { starts_at, expires_at: row.expires_at, state: row.state_at(now, is_free) }))
}
