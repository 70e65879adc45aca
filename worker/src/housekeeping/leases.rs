//! Leases of tasks: those of this worker are kept, those of dead workers end.

use std::{sync::Arc, time::Duration};

use shared::{
    ops::system_status,
    platform::{error::Result, failure_log::is_counted_as_full, liveness, tasks::queue as table},
};

use super::log_failure;
use crate::Context;

/// Interval between searches for dead workers of this machine.
const REAP_EVERY: Duration = Duration::from_secs(2);

/// Extends this worker's leases, and releases expired ones. Separate from the queue's loop: a busy loop must not cost a
/// lease.
pub async fn renew_leases(context: Arc<Context>) {
    let lease = context.config.lease;
    let mut tick = tokio::time::interval(lease / 3);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let as_chrono = chrono::Duration::from_std(lease).unwrap_or(chrono::Duration::seconds(45));
    loop {
        tick.tick().await;
        let is_right = context.clock.can_act(context.origin.now());
        let corrected = context.clock.corrected_clock(&context.origin);
        let (origin, held) = (corrected.as_ref().unwrap_or(&context.origin), context.held.held_ids());
        let kept = table::renew_leases(&context.db, origin, &context.name, as_chrono, &held).await;
        log_failure("keep leases", kept);
        if let Some(corrected) = &corrected {
            let figures = context.claims.to_metrics().with_writer_stats(context.db.writer_stats().unwrap_or_default());
            log_failure(
                "give a sign of life",
                system_status::record_heartbeat(&context.db, corrected, &context.name, &figures).await,
            );
        }
        if !is_right {
            continue;
        }
        match table::reclaim_expired(&context.db, &context.origin).await {
            Ok(0) => {}
            Ok(tasks) => tracing::warn!(tasks, "took back the work of a worker that died"),
            Err(e) if is_counted_as_full(&e) => {}
            Err(e) => tracing::warn!(error = %e, "could not look for the work of dead workers"),
        }
    }
}

/// Ends leases of dead workers of this machine before they expire: their tasks occupy slots of their business.
pub async fn reap_dead_workers(context: Arc<Context>) {
    let mut tick = tokio::time::interval(REAP_EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        log_failure("look for dead workers", reap_once(&context).await);
    }
}

pub async fn reap_once(context: &Context) -> Result<()> {
    let now = context.origin.now();
    // By a fast clock the leases of living workers are expired, too.
    if !context.clock.can_act(now) {
        return Ok(());
    }
    let others = table::list_other_workers(&mut context.db.acquire_reader().await?, &context.name, now).await?;
    let mut found = false;
    for dead in others.iter().filter(|worker| liveness::is_dead(&context.data_dir, worker)) {
        table::expire_leases(&context.db, now, dead).await?;
        found = true;
    }
    if found {
        let tasks = table::reclaim_expired(&context.db, &context.origin).await?;
        tracing::warn!(tasks, "took back the work of a worker that died");
    }
    Ok(())
}
