//! Times that are held until somebody confirms them, as the office sees them on the schedule.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::{CrewId, HoldId, LeadId, OrgId},
};

/// A time that is held for a visitor who was asked to confirm it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema, FromRow)]
#[serde(rename_all = "camelCase")]
pub struct WaitingHold {
    #[schema(value_type = Uuid)]
    pub id: HoldId,
    pub lead_id: LeadId,
    pub crew_id: CrewId,
    /// Of the customer.
    pub name: String,
    pub starts_at: DateTime<Utc>,
    pub ends_at: DateTime<Utc>,
    /// The time is free again then.
    pub expires_at: DateTime<Utc>,
}

/// Held times that overlap a period. The times that visitors are still choosing have no name yet and are left out.
pub async fn list_waiting_holds(
    conn: &mut dyn AsConn,
    org: OrgId,
    [from, to]: [DateTime<Utc>; 2],
    now: DateTime<Utc>,
) -> Result<Vec<WaitingHold>> {
    Ok(q!(
        conn,
        fetch_all as WaitingHold,
        "SELECT h.id, r.lead_id, h.crew_id, l.name, h.starts_at, h.ends_at, h.expires_at
         FROM slot_hold h JOIN booking_request r ON r.org_id = h.org_id AND r.id = h.id
             JOIN lead l ON l.org_id = r.org_id AND l.id = r.lead_id
         WHERE h.org_id = $1 AND h.expires_at > $2 AND h.starts_at < $3 AND h.ends_at > $4
         ORDER BY h.starts_at, h.id",
        org,
        now,
        to,
        from
    )?)
}
