//! Periodic work beside the queue: leases, recovery, catching up on missed messages, backups, pruning.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures::FutureExt;
use shared::{
    domain::{
        growth::{kpi_pulse, metrics},
        intake::{demo_request, photo_upload},
        messaging::{
            account_email::audit_anchor,
            followup,
            message::{self, provider_pause},
            response_sla, security_alert, sending_number,
        },
        money::reconciliation,
        tenancy::audit::install_log,
    },
    ops::{backup, demo_seed, erasure, lost_payment_keys, retention, send_freeze, subscription, tenant_data, webhooks},
    platform::{
        db::tenant_scope::across_tenants, error::Result, failure_log::is_counted_as_full, tasks::queue as table,
    },
    providers::sms::SmsAccountState,
};

use crate::{
    Context, channel_check,
    tasks::messaging::{alert_digest, inbound_sync},
};

pub mod leases;
mod pruning;
pub mod stray_files;

use pruning::prune_expired;
use stray_files::{remove_set_aside_databases, remove_stray_files, stray_file_retention};

/// Period of all schedules.
const MINUTE: Duration = Duration::from_mins(1);
/// Interval between looks at due tasks, and their number between looks at parked tasks.
const ADMIT_EVERY: Duration = Duration::from_millis(250);
const UNSTALL_EVERY_TICKS: u32 = 8;
/// Interval between looks through Twilio's lists of incoming messages. The first is at the start, after an outage.
const INBOUND_SYNC_INTERVAL: Duration = Duration::from_mins(5);
/// Interval between checks for a due backup. The first is delayed until the work that waited for the start is done.
const BACKUP_EVERY: Duration = Duration::from_hours(1);
const BACKUP_AFTER_START: Duration = Duration::from_mins(5);
/// Interval between checks for data past its retention period.
const PURGE_EVERY: Duration = Duration::from_mins(10);
/// Retention of leftovers of an export whose process died.
const KEEP_EXPORTS: chrono::Duration = chrono::Duration::days(1);
/// Interval of subscription checks at Stripe with and without a billing webhook.
const LOOK_AT_SUBSCRIPTIONS: [chrono::Duration; 2] = [chrono::Duration::days(1), chrono::Duration::hours(1)];

/// Admits due tasks that exceed what the claims look at, and moves up parked tasks. Separate from the queue's loop: a
/// new task must not wait behind a backlog while all slots are taken.
pub async fn place_backlog(context: Arc<Context>) {
    let mut tick = tokio::time::interval(ADMIT_EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut ticks = 0_u32;
    loop {
        tick.tick().await;
        if !context.clock.can_act(context.origin.now()) || !context.db.is_file_in_place() {
            continue;
        }
        loop {
            match table::admit_due(&context.db, &context.origin).await {
                Ok(true) => {}
                Ok(false) => break,
                Err(e) => {
                    if !is_counted_as_full(&e) {
                        tracing::warn!(error = %e, "could not place what has come due");
                    }
                    break;
                }
            }
        }
        if ticks.is_multiple_of(UNSTALL_EVERY_TICKS) {
            log_failure("move up parked tasks", table::unstall_lanes(&context.db).await.map(|_| ()));
        }
        ticks = ticks.wrapping_add(1);
    }
}

/// Runs each minute. Any number of workers may run it: every step is one conditional statement.
pub async fn run_every_minute(context: Arc<Context>) {
    let mut tick = tokio::time::interval(MINUTE);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut minutes = 0_u64;
    // Figures counted by an earlier version's rules are counted again.
    let outdated = metrics::recompute::schedule_outdated(&context.db, context.origin.now()).await;
    log_failure("plan new counts", outdated.map(|_| ()));
    loop {
        tick.tick().await;
        if !context.clock.can_act(context.origin.now()) {
            continue;
        }
        requeue_stranded(&context).await;
        run_minutely(&context).await;
        if minutes.is_multiple_of(10) {
            log_failure("settle the install's number", assign_install_sender(&context).await);
            log_failure("prune", prune_expired(&context).await);
        }
        if minutes.is_multiple_of(60) {
            run_hourly(&context).await;
        }
        minutes += 1;
    }
}

/// Takes up what no task carries any more.
async fn requeue_stranded(context: &Context) {
    let (db, origin) = (&context.db, &context.origin);
    log_requeued("messages that no task carried", message::sweep::requeue_stranded_messages(db, origin).await);
    log_requeued("planned steps that no task carried", followup::sweep::requeue_stranded_steps(db, origin).await);
    log_requeued(
        "webhook calls that no task carried",
        webhooks::requeue_overdue_deliveries(db, origin).await.map(|n| usize::try_from(n).unwrap_or(usize::MAX)),
    );
    log_requeued("photos that the file store was never given", photo_upload::sweep_stalled_uploads(db, origin).await);
}

fn log_requeued(what: &str, count: Result<usize>) {
    match count {
        Ok(0) => {}
        Ok(count) => tracing::warn!(count, what, "swept"),
        Err(e) if is_counted_as_full(&e) => {}
        Err(e) => tracing::warn!(error = %e, what, "could not sweep"),
    }
}

async fn run_minutely(context: &Context) {
    let (db, origin) = (&context.db, &context.origin);
    log_failure("look at the account for texts", check_sms_account(context).await);
    log_failure("look at channels that do not send", channel_check::check_channels(context).await);
    log_failure("erase whom it is time for", run_due_erasures(context).await);
    log_failure("tell what is due", alert_digest::run(context).await.map(|_| ()));
    log_failure("plan alerts", plan_notifications(context).await);
    log_failure("plan recounts", metrics::recompute::enqueue_due_recomputes(db, origin).await.map(|_| ()));
    if context.config.has_demo {
        log_failure("plan the demonstration", demo_seed::schedule_seed(db, origin).await.map(|_| ()));
    }
    let stopped = kpi_pulse::failure::check_scheduled_orgs(db, origin).await;
    log_failure("look for what has stopped", stopped.map(|_| ()));
    let behind = kpi_pulse::backlog::check_backlogs(db, origin, &context.secret, &context.operators).await;
    log_failure("look whether the queue is behind", behind.map(|_| ()));
    log_failure("look for what is suspicious", check_suspicious_activity(context).await);
}

async fn run_hourly(context: &Context) {
    let (db, origin) = (&context.db, &context.origin);
    log_failure("remove stray files", remove_stray_files(context).await);
    log_failure("remove databases that a restore set aside", remove_set_aside_databases(context).await);
    log_failure("plan looks at Stripe's books", reconciliation::schedule_nightly_runs(db, origin).await);
    log_failure("plan looks at subscriptions", check_subscriptions(context).await);
    let lost_keys = lost_payment_keys::alert_lost_payment_keys(db, origin, &context.secret).await;
    log_failure("look for lost keys", lost_keys);
    let limit = origin.now() - KEEP_EXPORTS;
    log_failure("remove broken exports", tenant_data::export::prune_stale_exports(&context.data_dir, limit).await);
}

/// Plans promise warnings and reports. None while the install is frozen: the original install may have sent them; what
/// is left at the release is computed then.
pub async fn plan_notifications(context: &Context) -> Result<()> {
    if send_freeze::find_freeze(&mut context.db.acquire_reader().await?).await?.is_some() {
        return Ok(());
    }
    match response_sla::sweep_overdue_promises(&context.db, &context.origin).await {
        Ok(0) => {}
        Ok(promises) => tracing::warn!(promises, "looked at promises that no task carried"),
        Err(e) if is_counted_as_full(&e) => {}
        Err(e) => tracing::warn!(error = %e, "could not look for overlooked promises"),
    }
    kpi_pulse::plan::enqueue_due_pulses(&context.db, &context.origin).await.map(|_| ())
}

/// Checks whether the Twilio account works again while texts wait for it, e.g. after a start with other credentials.
/// Errors: when the database is away.
pub async fn check_sms_account(context: &Context) -> Result<()> {
    let may_end = provider_pause::can_end_pause(&mut context.db.acquire_reader().await?, context.origin.now()).await?;
    if !may_end {
        return Ok(());
    }
    let seen = context.sms.fetch_account().await;
    if seen.is_ok_and(|account| matches!(account.state, SmsAccountState::Active | SmsAccountState::NotTold)) {
        let texts = provider_pause::resume_account(&context.db, &context.origin).await?;
        tracing::info!(texts, "the account at Twilio works again, and texts that waited for it go");
        context.announcer.notify_changed();
    }
    Ok(())
}

/// Assigns the install's own sender to the first business.
async fn assign_install_sender(context: &Context) -> Result<()> {
    let mut tx = across_tenants(context.db.begin()).await?;
    sending_number::sync_default_sender(&mut tx, &context.origin, context.sms.sender(), context.default_org.as_deref())
        .await?;
    tx.commit().await
}

/// Looks for messages that Twilio could not report, at the start and periodically. A hanging provider blocks nothing
/// else, and an error does not end the worker.
pub async fn catch_up_missed(context: Arc<Context>) {
    let mut tick = tokio::time::interval(INBOUND_SYNC_INTERVAL);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        if !context.clock.can_act(context.origin.now()) {
            continue;
        }
        if let Ok(looked) = AssertUnwindSafe(inbound_sync::run(&context)).catch_unwind().await {
            log_failure("look for what was not reported to us", looked.map(|_| ()));
        } else {
            tracing::error!("the look for what was not reported to us panicked");
        }
    }
}

/// Looks for attacks and tampering first, then mails the seals of the audit logs: a log that was just found broken is
/// not sealed.
async fn check_suspicious_activity(context: &Context) -> Result<()> {
    let Context { db, origin, secret, public_url, operators, .. } = context;
    security_alert::traffic_check::check_due_orgs(db, origin, secret, public_url).await?;
    install_log::verify_install_log(db, origin, secret, operators).await?;
    audit_anchor::mail_daily(db, origin, secret, public_url).await?;
    Ok(())
}

/// Makes a backup each day. Separate: it may take minutes, mostly waiting for the disk.
pub async fn back_up_daily(context: Arc<Context>) {
    let start = tokio::time::Instant::now() + BACKUP_AFTER_START;
    let mut tick = tokio::time::interval_at(start, BACKUP_EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        if !context.backup.is_daily || !context.clock.can_act(context.origin.now()) {
            continue;
        }
        match AssertUnwindSafe(back_up(&context)).catch_unwind().await {
            Ok(Ok(Some(made))) => tracing::info!(backup = %made.name, "a backup was made and read back"),
            Ok(Ok(None)) => {}
            // An error, because an operator has to act: there is no backup of today.
            Ok(Err(e)) => tracing::error!(error = %e, "there is no backup of today; it is tried again in an hour"),
            Err(_) => tracing::error!("the making of a backup panicked"),
        }
    }
}

/// Makes today's backup unless there is one. A failure is recorded, and tried again an hour later.
pub async fn back_up(context: &Context) -> Result<Option<backup::CompletedBackup>> {
    let ctx = backup::InstallContext {
        db: &context.db,
        storage: &context.storage,
        data_dir: &context.data_dir,
        origin: &context.origin,
        secret: &context.secret,
    };
    backup::log::run_daily_backup(&ctx, &context.backup).await
}

/// Nightly removal of data past its retention period, and of its files. Separate: it may take long.
pub async fn purge_nightly(context: Arc<Context>) {
    let mut tick = tokio::time::interval(PURGE_EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        if !context.clock.can_act(context.origin.now()) {
            continue;
        }
        if let Ok(purged) = AssertUnwindSafe(purge_once(&context)).catch_unwind().await {
            log_failure("remove what is older than its period", purged);
        } else {
            tracing::error!("the removal of what is older than its period panicked");
        }
    }
}

/// Runs due nightly removals, then deletes the files. None while the install is frozen: the original install may still
/// need the files. Errors: when the database is away, or the purge of a business failed; the next look continues.
pub async fn purge_once(context: &Context) -> Result<()> {
    if send_freeze::find_freeze(&mut context.db.acquire_reader().await?).await?.is_some() {
        return Ok(());
    }
    let keep_files = if context.storage.is_bucket() { stray_file_retention(context) } else { chrono::Duration::zero() };
    let purge_context = retention::purge::PurgeContext { ctx: erasure_context(context), keep_files };
    let purged = retention::purge::run_nightly_purge(&purge_context).await;
    // What was removed before a failure counts too.
    if !matches!(purged, Ok(0)) {
        context.announcer.notify_changed();
    }
    demo_request::prune_old_requests(&context.db, context.origin.now()).await?;
    // Until none is left that can be deleted.
    while retention::files::delete_due_files(&context.db, &context.origin, &context.storage, &context.data_dir).await?.0
        > 0
    {}
    purged.map(|_| ())
}

fn erasure_context(context: &Context) -> erasure::ErasureContext<'_> {
    erasure::ErasureContext {
        db: &context.db,
        storage: &context.storage,
        data_dir: &context.data_dir,
        origin: &context.origin,
        secret: &context.secret,
        backups: &context.backup.folder,
    }
}

/// Carries out erasures whose undo period is over.
pub async fn run_due_erasures(context: &Context) -> Result<()> {
    let run = erasure::run_due_erasures(&erasure_context(context)).await;
    // What was erased before a failure counts too.
    if !matches!(run, Ok(0)) {
        context.announcer.notify_changed();
    }
    run.map(|_| ())
}

fn log_failure(what: &str, result: Result<()>) {
    if let Err(e) = result
        && !is_counted_as_full(&e)
    {
        tracing::warn!(error = %e, "could not {what}");
    }
}

/// Checks subscriptions whose webhooks did not arrive.
async fn check_subscriptions(context: &Context) -> Result<()> {
    let Some(config) = &context.billing else { return Ok(()) };
    let [with_webhook, without_webhook] = LOOK_AT_SUBSCRIPTIONS;
    let span = if config.keys.webhook.is_empty() { without_webhook } else { with_webhook };
    subscription::polling::schedule_polls(&context.db, &context.origin, &config.keys, span).await
}
