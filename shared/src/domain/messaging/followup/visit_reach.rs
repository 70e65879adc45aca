//! Visits whose reminders reach the customer no more: the business is told once for each visit, while it can still call.

use chrono::{DateTime, Utc};

use super::compose::{self, FollowUpRecipient};
use crate::{
    domain::{
        intake::lead,
        messaging::alert::{self, AlertKind, NewAlert},
        tenancy::org::OrgContext,
    },
    platform::{
        db::{AsConn, Tx, q},
        error::Result,
        id::{CustomerId, JobId, LeadId, OrgId},
    },
};

/// The alert for a visit whose reminder has no recipient. None where one is left, and where texts were never possible.
pub(crate) fn build_unreachable_visit_alert(
    intake: &OrgContext<'_>,
    (lead, job, visit_at): (LeadId, JobId, DateTime<Utc>),
    partner: &FollowUpRecipient,
) -> Option<NewAlert> {
    let advice = partner.unreachable_advice(intake).filter(|_| partner.has_lost_texts(intake))?;
    let when = visit_at.with_timezone(&intake.profile.org.zone()).format("%a, %b %-d at %-I:%M %p");
    let alert = NewAlert::new(
        AlertKind::TextNotSent,
        format!("visit-unreachable:{job}"),
        format!("No reminder can reach {}", partner.name),
        format!("Their visit is on {when}. Nothing can be sent: {advice}"),
    );
    Some(NewAlert { lead: Some(lead), path: Some(format!("/app/jobs/{job}")), ..alert })
}

/// After an opt-out: alerts for each visit of the customer that waits for a reminder and can get none any more.
pub(crate) async fn alert_unreachable_visits(tx: &mut Tx, intake: &OrgContext<'_>, customer: CustomerId) -> Result<()> {
    let jobs = &intake.profile.settings.jobs;
    if !intake.profile.switches.job_tracking || !(jobs.day_before || jobs.hour_before) {
        return Ok(());
    }
    let org = intake.profile.org.id;
    for lead in lead::list_lead_ids(&mut *tx, org, customer).await? {
        for (job, visit_at) in list_visits_with_reminder(&mut *tx, org, lead).await? {
            let partner = compose::load_recipient_of_visit(&mut *tx, intake, (lead, job)).await?;
            if let Some(alert) = build_unreachable_visit_alert(intake, (lead, job, visit_at), &partner) {
                alert::raise_alert(&mut *tx, intake.origin, intake.profile, alert).await?;
            }
        }
    }
    Ok(())
}

async fn list_visits_with_reminder(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
) -> Result<Vec<(JobId, DateTime<Utc>)>> {
    Ok(q!(
        conn,
        fetch_all as (JobId, DateTime<Utc>),
        "SELECT DISTINCT about_id, visit_at FROM follow_up WHERE org_id = $1 AND lead_id = $2 AND about = 'job'
             AND state = 'waiting' AND step IN ('day_before', 'hour_before') AND visit_at IS NOT NULL ORDER BY about_id",
        org,
        lead
    )?)
}
