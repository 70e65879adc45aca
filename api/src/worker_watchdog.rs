//! Watches the worker once a minute: if it stops, only this process can alert the businesses.

use std::time::Duration;

use shared::{
    domain::{
        growth::kpi_pulse::failure,
        messaging::alert::deliver::{self, AlertPushDelivery},
    },
    ops::send_freeze,
    platform::{
        error::Result,
        id::{AlertId, OrgId},
    },
    providers::push::PushProvider,
};

use crate::state::AppState;

const WORKER_CHECK_INTERVAL: Duration = Duration::from_mins(1);

pub async fn run(state: &AppState) {
    let push = match PushProvider::from_config(&state.settings.push) {
        Ok(push) => push,
        Err(e) => return tracing::error!(cause = %e, "alerts cannot be sent by this process"),
    };
    loop {
        tokio::select! {
            () = tokio::time::sleep(WORKER_CHECK_INTERVAL) => {}
            () = state.wait_for_shutdown() => return,
        }
        if let Err(e) = check_worker(state, &push).await {
            tracing::warn!(error = %e, "could not look at the worker");
        }
    }
}

/// Returns how many businesses were alerted. Errors: when the database is away.
pub async fn check_worker(state: &AppState, push: &PushProvider) -> Result<usize> {
    let Some(db) = state.db_if_ready() else { return Ok(0) };
    if send_freeze::find_freeze(&mut db.acquire_reader().await?).await?.is_some() {
        // A copy's devices are those of the original install.
        return Ok(0);
    }
    let alerts = failure::check_worker(db, &state.origin).await?;
    for (org, alert) in &alerts {
        push_to_devices(state, push, *org, *alert).await?;
    }
    if !alerts.is_empty() {
        tracing::error!(businesses = alerts.len(), "no worker is working");
        state.notify_committed();
    }
    Ok(alerts.len())
}

/// Shows an alert on the devices of the business. The worker retries unreachable ones once it runs again.
async fn push_to_devices(state: &AppState, push: &PushProvider, org: OrgId, id: AlertId) -> Result<()> {
    let Some(db) = state.db_if_ready() else { return Ok(()) };
    let found = deliver::load_pending_delivery(&mut db.acquire_reader().await?, &state.origin, org, id).await?;
    let Some(delivery) = found else { return Ok(()) };
    let AlertPushDelivery { alert, devices, .. } = &delivery;
    for device in devices {
        let outcome = push.send(&device.subscription(), &delivery.build_push_notice(device)).await;
        let mut tx = db.begin().await?;
        deliver::record_push_result(&mut tx, &state.origin, alert, device, &outcome).await?;
        tx.commit().await?;
    }
    Ok(())
}
