//! What would be said if nothing happened.

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::{Decision, Due, run::rule};
use crate::{
    domain::{intake::lead::Intake, messaging::automation::Draft},
    platform::{
        db::{AsConn, q},
        error::Result,
        id::LeadId,
    },
};

/// More than this nobody reads.
const MOST_FORESEEN: i64 = 500;

/// A step that waits, worded as it would be now.
#[derive(Clone, Debug)]
pub struct Foreseen {
    pub lead: LeadId,
    pub due_at: DateTime<Utc>,
    pub draft: Draft,
}

/// What would be said until then if nothing happened, in the order of its time.
pub async fn preview(conn: &mut dyn AsConn, intake: &Intake<'_>, until: DateTime<Utc>) -> Result<Vec<Foreseen>> {
    let waiting = q!(
        &mut *conn,
        fetch_all as Waiting,
        "SELECT org_id, id, lead_id, about, about_id, step, give_up_at, created_at, due_at FROM follow_up
         WHERE org_id = $1 AND state = 'waiting' AND due_at <= $2 ORDER BY due_at, id LIMIT $3",
        intake.profile.org.id,
        until,
        MOST_FORESEEN
    )?;
    let mut foreseen = Vec::new();
    for Waiting { due, due_at } in waiting {
        let Decision::Say(decisions) = rule(&mut *conn, intake, &due).await? else { continue };
        foreseen.extend(decisions.into_iter().filter_map(|decision| decision.message).map(|draft| {
            let draft = Draft { about: Some(due.about_id), give_up_at: Some(due.give_up_at), ..draft };
            Foreseen { lead: due.lead_id, due_at, draft }
        }));
    }
    Ok(foreseen)
}

#[derive(FromRow)]
struct Waiting {
    #[sqlx(flatten)]
    due: Due,
    due_at: DateTime<Utc>,
}
