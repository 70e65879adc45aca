//! Looks at the worker once a minute: if it stands still, nobody but this process can tell the people of the business.

use std::time::Duration;

use shared::{
    domain::{
        growth::kpi_pulse::failure,
        messaging::alert::deliver::{self, Delivery},
    },
    ops::send_freeze,
    platform::{
        error::Result,
        id::{AlertId, OrgId},
    },
    providers::push::Push,
};

use crate::state::AppState;

const LOOK_EVERY: Duration = Duration::from_mins(1);

/// Runs until the process stops.
pub async fn run(state: &AppState) {
    let push = match Push::from_config(&state.settings.push) {
        Ok(push) => push,
        Err(e) => return tracing::error!(cause = %e, "alerts cannot be sent by this process"),
    };
    loop {
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = state.until_stopped() => return,
        }
        if let Err(e) = look(state, &push).await {
            tracing::warn!(error = %e, "could not look at the worker");
        }
    }
}

/// Looks once. Returns how many businesses were told that the worker stands still.
///
/// # Errors
/// When the database is away.
pub async fn look(state: &AppState, push: &Push) -> Result<usize> {
    let Some(db) = state.db_if_ready() else { return Ok(0) };
    if send_freeze::frozen(&mut db.read().await?).await?.is_some() {
        // The devices are those of the install that this is a copy of.
        return Ok(0);
    }
    let alerts = failure::look_at_worker(db, &state.origin).await?;
    for (org, alert) in &alerts {
        show(state, push, *org, *alert).await?;
    }
    if !alerts.is_empty() {
        tracing::error!(businesses = alerts.len(), "the worker stands still");
        state.wake();
    }
    Ok(alerts.len())
}

/// Shows an alert on the devices of the business. Those it cannot reach now are the worker's, once it goes on.
async fn show(state: &AppState, push: &Push, org: OrgId, id: AlertId) -> Result<()> {
    let Some(db) = state.db_if_ready() else { return Ok(()) };
    let found = deliver::pending(&mut db.read().await?, &state.origin, org, id).await?;
    let Some(delivery) = found else { return Ok(()) };
    let Delivery { alert, devices, .. } = &delivery;
    for device in devices {
        let outcome = push.send(&device.subscription(), &delivery.notice(device)).await;
        let mut tx = db.begin().await?;
        deliver::record(&mut tx, &state.origin, alert, device, &outcome).await?;
        tx.commit().await?;
    }
    Ok(())
}
