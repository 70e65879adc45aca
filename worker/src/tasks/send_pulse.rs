//! Makes the report of a period that has come, and sends it.

use shared::{
    domain::{
        growth::kpi_pulse::{self, Due, Letter, Outcome},
        tenancy::org::{self, Profile},
    },
    platform::{db::tenant_scope::across_businesses, error::Result, id::PulseId},
};

use crate::Context;

/// Runs once; harmless when it was sent or left out already.
pub async fn run(context: &Context, id: PulseId) -> Result<()> {
    let mut conn = context.db.read().await?;
    let Some(due) = kpi_pulse::due(&mut conn, id).await? else { return Ok(()) };
    let Some(org) = org::find(&mut conn, due.org_id).await? else { return Ok(()) };
    let profile = org::profile(&mut conn, org).await?;
    drop(conn);
    match kpi_pulse::decide(&profile, &due, context.origin.now()) {
        // The report is large, and most reports are left out before it is read.
        Ok(outcome) => Box::pin(send(context, &profile, &due, outcome)).await?,
        Err(why) => {
            let mut tx = context.db.begin().await?;
            kpi_pulse::leave_out(&mut tx, &context.origin, &due, why).await?;
            tx.commit().await?;
        }
    }
    context.announcer.changed();
    Ok(())
}

/// Reads all of it as it stands at one instant, and writes it down with its messages.
async fn send(context: &Context, profile: &Profile, due: &Due, outcome: Outcome) -> Result<()> {
    let day = due.due_at.with_timezone(&profile.org.zone()).date_naive();
    let of = kpi_pulse::period(&profile.settings.pulse, day);
    // Whether the worker moves is seen by the work of all, and stands in the report.
    let mut conn = across_businesses(context.db.snapshot()).await?;
    let report = kpi_pulse::read(&mut conn, profile, context.origin.now(), of).await?;
    let letter = Letter { profile, url: &context.public_url, report: &report, outcome, due };
    drop(conn);
    let mut tx = context.db.begin().await?;
    kpi_pulse::send(&mut tx, &context.origin, letter).await?;
    tx.commit().await
}
