//! The visit that is coming.

use chrono::{DateTime, Utc};

use super::{Look, Next, What, Words};
use crate::{
    domain::{
        messaging::{
            automation::not_sent,
            message::{self, Channel},
        },
        work::visit,
    },
    platform::{
        db::{AsConn, q},
        error::Result,
        id::JobId,
    },
};

/// The next one that is planned.
pub(super) async fn coming(conn: &mut dyn AsConn, look: &Look<'_>) -> Result<Option<Next>> {
    let profile = look.intake.profile;
    let found = q!(
        &mut *conn,
        fetch_optional as (JobId, i64, DateTime<Utc>),
        "SELECT id, number, starts_at FROM job
         WHERE org_id = $1 AND lead_id = $2 AND status = 'scheduled' AND starts_at > $3
         ORDER BY starts_at, number LIMIT 1",
        look.org(),
        look.lead,
        look.intake.origin.now()
    )?;
    let Some((job, number, starts_at)) = found else { return Ok(None) };
    let Some((wording, variables, subject)) = visit::reminder(conn, look.intake, &look.partner, job).await? else {
        return Ok(None);
    };
    let decision = if profile.switches.job_tracking {
        let kind = message::Kind::Visit;
        look.worded(&Words { wording, kind, subject: &subject, variables: &variables })?
    } else {
        // The gate would stop it: better to say so at once.
        let saw = serde_json::json!({"switchJobTracking": false});
        not_sent(super::RULE, Channel::Sms, "job tracking is switched off", saw)
    };
    let when = starts_at.with_timezone(&profile.org.zone()).format("%a, %b %-d at %-I:%M %p");
    let why = format!("The visit of job #{number} is on {when}.");
    Ok(Some(Next { what: What::Visit, id: job.0, job: Some(job), why, decision, give_up_at: Some(starts_at) }))
}
