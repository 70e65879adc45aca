//! Preview of the follow-ups that would be sent if nothing happened.

use chrono::{DateTime, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use super::{DueFollowUp, FollowUpDecision, subject::FollowUpRules};
use crate::{
    domain::{messaging::automation::MessageDraft, tenancy::org::OrgContext},
    platform::{
        db::{AsConn, q},
        error::Result,
        id::LeadId,
    },
};

const MOST_FORESEEN: i64 = 500;

#[derive(Clone, Debug)]
pub struct UpcomingStep {
    pub lead: LeadId,
    pub due_at: DateTime<Utc>,
    pub draft: MessageDraft,
}

pub async fn preview_upcoming_steps(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    until: DateTime<Utc>,
) -> Result<Vec<UpcomingStep>> {
    let waiting = q!(
        &mut *conn,
        fetch_all as WaitingStep,
        "SELECT org_id, id, lead_id, about, about_id, step, expires_at, created_at, due_at FROM follow_up
         WHERE org_id = $1 AND state = 'waiting' AND due_at <= $2 ORDER BY due_at, id LIMIT $3",
        intake.profile.org.id,
        until,
        MOST_FORESEEN
    )?;
    let mut upcoming = Vec::new();
    for WaitingStep { due, due_at } in waiting {
        let rule = FollowUpRules::find_rule(&*conn, due.about)?;
        let FollowUpDecision::Say(decisions) = rule.decide_step(&mut *conn, intake, &due).await? else { continue };
        upcoming.extend(decisions.into_iter().filter_map(|decision| decision.message).map(|draft| {
            let draft = MessageDraft { about: Some(due.about_id), expires_at: Some(due.expires_at), ..draft };
            UpcomingStep { lead: due.lead_id, due_at, draft }
        }));
    }
    Ok(upcoming)
}

/// Whether the waiting step of this subject would be a message if it were due now.
pub(crate) async fn is_step_worded(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    (about_id, step): (Uuid, &str),
) -> Result<bool> {
    let waiting = q!(
        &mut *conn,
        fetch_optional as DueFollowUp,
        "SELECT org_id, id, lead_id, about, about_id, step, expires_at, created_at FROM follow_up
         WHERE org_id = $1 AND about_id = $2 AND step = $3 AND state = 'waiting' ORDER BY generation DESC LIMIT 1",
        intake.profile.org.id,
        about_id,
        step
    )?;
    let Some(due) = waiting else { return Ok(false) };
    let rule = FollowUpRules::find_rule(&*conn, due.about)?;
    let decided = rule.decide_step(&mut *conn, intake, &due).await?;
    Ok(match decided {
        FollowUpDecision::Say(decisions) => decisions.iter().any(|decision| decision.message.is_some()),
        FollowUpDecision::Skip(_) => false,
    })
}

#[derive(FromRow)]
struct WaitingStep {
    #[sqlx(flatten)]
    due: DueFollowUp,
    due_at: DateTime<Utc>,
}
