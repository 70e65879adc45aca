//! Takes an urgent alert that nobody has seen to the next person.

use shared::{
    domain::messaging::alert::escalation,
    platform::{
        error::Result,
        id::{AlertId, OrgId},
    },
};

use crate::Context;

/// Runs once; harmless when somebody has seen it.
pub async fn run(context: &Context, org: Option<OrgId>, id: AlertId) -> Result<()> {
    let Some(org) = org else { return Ok(()) };
    let mut tx = context.db.begin().await?;
    escalation::step(&mut tx, &context.origin, &context.public_url, (org, id)).await?;
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}
