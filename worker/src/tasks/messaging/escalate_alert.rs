//! Escalates an unseen urgent alert to the next person.

use shared::{
    domain::messaging::alert::escalation,
    platform::{
        error::Result,
        id::{AlertId, OrgId},
    },
};

use crate::Context;

/// Idempotent. No effect when the alert was seen.
pub async fn run(context: &Context, org: Option<OrgId>, id: AlertId) -> Result<()> {
    let Some(org) = org else { return Ok(()) };
    let mut tx = context.db.begin().await?;
    escalation::run_step(&mut tx, &context.origin, &context.public_url, (org, id)).await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}
