//! Reminder of the coming visit.

use chrono::{DateTime, Utc};

use super::{NextReminder, ReminderContext, ReminderSubject, ReminderWording};
use crate::{
    domain::{
        messaging::{
            automation::decide_skip,
            followup,
            message::{self, MessageChannel},
        },
        work::visit,
    },
    platform::{
        db::{AsConn, q},
        error::Result,
        id::JobId,
    },
};

pub(super) async fn find_upcoming_visit(
    conn: &mut dyn AsConn,
    look: &ReminderContext<'_>,
) -> Result<Option<NextReminder>> {
    let profile = look.intake.profile;
    let found = q!(
        &mut *conn,
        fetch_optional as (JobId, i64, DateTime<Utc>),
        "SELECT id, number, starts_at FROM job
         WHERE org_id = $1 AND lead_id = $2 AND status = 'scheduled' AND starts_at > $3
         ORDER BY starts_at, number LIMIT 1",
        look.org_id(),
        look.lead,
        look.intake.origin.now()
    )?;
    let Some((job, number, starts_at)) = found else { return Ok(None) };
    let partner = followup::load_recipient_of_visit(&mut *conn, look.intake, (look.lead, job)).await?;
    let look = ReminderContext { intake: look.intake, lead: look.lead, partner, turn: look.turn };
    let Some((wording, variables, subject)) = visit::build_reminder(conn, look.intake, &look.partner, job).await?
    else {
        return Ok(None);
    };
    let decision = if profile.switches.job_tracking {
        let kind = message::MessageKind::Visit;
        look.compose_decision(&ReminderWording { wording, kind, subject: &subject, variables: &variables })?
    } else {
        // The send policy would stop it, so that is said at once.
        let evidence = serde_json::json!({"switchJobTracking": false});
        decide_skip(super::RULE, MessageChannel::Sms, "job tracking is switched off", evidence)
    };
    let when = starts_at.with_timezone(&profile.org.zone()).format("%a, %b %-d at %-I:%M %p");
    let why = format!("The visit of job #{number} is on {when}.");
    Ok(Some(NextReminder {
        what: ReminderSubject::Visit,
        id: job.0,
        job: Some(job),
        why,
        decision,
        expires_at: Some(starts_at),
    }))
}
