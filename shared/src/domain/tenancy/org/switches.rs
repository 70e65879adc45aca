//! The five switches of the settings page.

use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::platform::{
    db::{AsConn, Tx, q},
    error::Result,
    id::OrgId,
};

/// The five switches of the settings page. Each gates its messages when they are sent, not only when they are queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Switches)]
pub struct FeatureSwitches {
    pub lead_intake: bool,
    pub automated_communications: bool,
    pub job_tracking: bool,
    pub review_collection: bool,
    pub kpi_reporting: bool,
}

impl FeatureSwitches {
    /// A new business has everything on, because it registered for the automation.
    pub const ALL_ON: Self = Self {
        lead_intake: true,
        automated_communications: true,
        job_tracking: true,
        review_collection: true,
        kpi_reporting: true,
    };

    /// Five characters, `1` for on, in column order.
    pub(super) fn parse_flags(letters: &str) -> Self {
        let is_on = |at: usize| letters.as_bytes().get(at) == Some(&b'1');
        Self {
            lead_intake: is_on(0),
            automated_communications: is_on(1),
            job_tracking: is_on(2),
            review_collection: is_on(3),
            kpi_reporting: is_on(4),
        }
    }
}

pub async fn save_switches(tx: &mut Tx, org: OrgId, on: FeatureSwitches) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO automation_switch (org_id, lead_intake, automated_communications, job_tracking, review_collection, kpi_reporting)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (org_id) DO UPDATE SET lead_intake = excluded.lead_intake,
             automated_communications = excluded.automated_communications, job_tracking = excluded.job_tracking,
             review_collection = excluded.review_collection, kpi_reporting = excluded.kpi_reporting",
        org,
        on.lead_intake,
        on.automated_communications,
        on.job_tracking,
        on.review_collection,
        on.kpi_reporting
    )?;
    Ok(())
}

/// The current switches, read again at send time.
pub async fn load_switches(conn: &mut dyn AsConn, org: OrgId) -> Result<FeatureSwitches> {
    let found = q!(conn, fetch_optional as FeatureSwitches, "SELECT * FROM automation_switch WHERE org_id = $1", org)?;
    Ok(found.unwrap_or(FeatureSwitches::ALL_ON))
}
