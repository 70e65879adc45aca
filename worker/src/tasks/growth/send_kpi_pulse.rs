//! Creates and sends the report of a period that is due.

use shared::{
    domain::{
        growth::kpi_pulse::{self, DuePulse, PulseMessage, PulseOutcome},
        tenancy::org::{self, OrgProfile},
    },
    platform::{db::tenant_scope::across_tenants, error::Result, id::PulseId},
};

use crate::Context;

/// Idempotent. No effect when it was sent or skipped.
pub async fn run(context: &Context, id: PulseId) -> Result<()> {
    let mut conn = context.db.acquire_reader().await?;
    let Some(due) = kpi_pulse::find_due_pulse(&mut conn, id).await? else { return Ok(()) };
    let Some(org) = org::find(&mut conn, due.org_id).await? else { return Ok(()) };
    let profile = org::load_profile(&mut conn, org).await?;
    drop(conn);
    match kpi_pulse::decide_outcome(&profile, &due, context.origin.now()) {
        // Boxed: the report is large, and most are skipped before it is read.
        Ok(outcome) => Box::pin(send_report(context, &profile, &due, outcome)).await?,
        Err(why) => {
            let mut tx = context.db.begin().await?;
            kpi_pulse::mark_left_out(&mut tx, &context.origin, &due, why).await?;
            tx.commit().await?;
        }
    }
    context.announcer.notify_changed();
    Ok(())
}

/// Reads the report in one snapshot, and stores it with its messages.
async fn send_report(context: &Context, profile: &OrgProfile, due: &DuePulse, outcome: PulseOutcome) -> Result<()> {
    let day = due.due_at.with_timezone(&profile.org.zone()).date_naive();
    let of = kpi_pulse::reporting_period(&profile.settings.pulse, day);
    // The report includes the worker's progress, which all businesses' work shows.
    let mut conn = across_tenants(context.db.begin_snapshot()).await?;
    let report = kpi_pulse::load_report(&mut conn, profile, context.origin.now(), of).await?;
    let letter = PulseMessage { profile, url: &context.public_url, report: &report, outcome, due };
    drop(conn);
    let mut tx = context.db.begin().await?;
    kpi_pulse::send_report(&mut tx, &context.origin, letter).await?;
    tx.commit().await
}
