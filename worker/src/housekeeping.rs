//! Periodic work beside the queue: leases, recovery, catching up on missed messages, backups, pruning.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use futures::FutureExt;

use shared::{
    domain::{
        growth::{kpi_pulse, metrics},
        intake::{demo_request, photo_upload},
        messaging::{
            account_email::audit_anchor,
            alert, followup,
            message::{self, account},
            response_sla, security_alert, sending_number,
        },
        money::reconciliation,
        tenancy::{
            account::{one_time_token, passkey, proof},
            audit::nobodys,
            install_mail,
            org::keys,
            push_device, security, session,
        },
        work::{booking::hold, crew, file},
    },
    ops::{
        backup, demo_seed, erasure, lost_payment_keys, retention, send_freeze, subscription, system_status,
        tenant_data, webhooks,
    },
    platform::{
        db::{Db, slices, tenant_scope::across_tenants, write_probe},
        error::Result,
        live,
        tasks::{prune, queue as table},
        throttle,
    },
    providers::sms::SmsAccountState,
};

use crate::{
    Context, liveness,
    tasks::{catch_up, digest},
};

/// Period of all schedules.
const MINUTE: Duration = Duration::from_mins(1);
/// Interval between searches for dead workers of this machine.
const REAP_EVERY: Duration = Duration::from_secs(2);
/// Interval between looks at due tasks, and their number between looks at parked tasks.
const ADMIT_EVERY: Duration = Duration::from_millis(250);
const UNSTALL_EVERY_TICKS: u32 = 8;
/// Interval between looks through Twilio's lists of incoming messages. The first is at the start, after an outage.
const LOOK_EVERY: Duration = Duration::from_mins(5);
/// Interval between checks for a due backup. The first is delayed until the work that waited for the start is done.
const BACKUP_EVERY: Duration = Duration::from_hours(1);
const BACKUP_AFTER_START: Duration = Duration::from_mins(5);
/// Interval between checks for data past its retention period.
const PURGE_EVERY: Duration = Duration::from_mins(10);
/// Retention of leftovers of an export whose process died.
const KEEP_EXPORTS: chrono::Duration = chrono::Duration::days(1);
/// Retention of idempotent answers, like Stripe's.
const KEEP_ANSWERS: chrono::Duration = chrono::Duration::hours(24);
/// Longer for jobs: a crew's offline changes arrive late and may be repeated.
const KEEP_ANSWERS_ABOUT_JOBS: chrono::Duration = chrono::Duration::days(7);
/// Retention of booking holds after they have expired.
const KEEP_HOLDS: chrono::Duration = chrono::Duration::hours(1);
/// Stripe repeats events for three days; they are kept longer for investigation.
const KEEP_STRIPE_EVENTS: chrono::Duration = chrono::Duration::days(90);
/// Retention of a former Stripe account's keys: until its last page has ended, which is open for at most a day.
const KEEP_FORMER_KEYS: chrono::Duration = chrono::Duration::hours(26);
/// Interval of subscription checks at Stripe with and without a billing webhook.
const LOOK_AT_SUBSCRIPTIONS: [chrono::Duration; 2] = [chrono::Duration::days(1), chrono::Duration::hours(1)];
/// Retention of notices to crews.
const KEEP_TOLD: chrono::Duration = chrono::Duration::days(7);
/// Retention of files that no row names (a failed request, or a removal). In a bucket it extends to the oldest backup:
/// backups do not copy the files of a bucket.
const KEEP_STRAY_FILES: chrono::Duration = chrono::Duration::days(1);

/// Shorter for original photos: they hold the location of the shot.
const KEEP_STRAY_RAW: chrono::Duration = chrono::Duration::hours(1);

/// Extends this worker's leases, and takes back expired ones. Separate from the queue's loop: a busy loop must not cost
/// a lease.
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
                    tracing::warn!(error = %e, "could not place what has come due");
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
    let outdated = metrics::recount::schedule_outdated(&context.db, context.origin.now()).await;
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
        Err(e) => tracing::warn!(error = %e, what, "could not sweep"),
    }
}

async fn run_minutely(context: &Context) {
    let (db, origin) = (&context.db, &context.origin);
    log_failure("look at the account for texts", check_sms_account(context).await);
    log_failure("erase whom it is time for", run_due_erasures(context).await);
    log_failure("tell what is due", digest::run(context).await.map(|_| ()));
    log_failure("plan what is to be told", plan_notifications(context).await);
    log_failure("plan recounts", metrics::recount::enqueue_due_recounts(db, origin).await.map(|_| ()));
    if context.config.has_demo {
        log_failure("plan the demonstration", demo_seed::schedule_seed(db, origin).await.map(|_| ()));
    }
    let stopped = kpi_pulse::failure::check_scheduled_orgs(db, origin).await;
    log_failure("look for what has stopped", stopped.map(|_| ()));
    let behind = kpi_pulse::backlog::check_backlogs(db, origin, &context.operators).await;
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
        Err(e) => tracing::warn!(error = %e, "could not look for overlooked promises"),
    }
    kpi_pulse::plan::enqueue_due_pulses(&context.db, &context.origin).await.map(|_| ())
}

/// Checks whether the Twilio account works again while texts wait for it, e.g. after a start with other credentials.
/// Errors: when the database is away.
pub async fn check_sms_account(context: &Context) -> Result<()> {
    let may_end = account::can_end_pause(&mut context.db.acquire_reader().await?, context.origin.now()).await?;
    if !may_end {
        return Ok(());
    }
    let seen = context.sms.fetch_account().await;
    if seen.is_ok_and(|account| matches!(account.state, SmsAccountState::Active | SmsAccountState::NotTold)) {
        let texts = account::resume_account(&context.db, &context.origin).await?;
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
    let mut tick = tokio::time::interval(LOOK_EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        if !context.clock.can_act(context.origin.now()) {
            continue;
        }
        if let Ok(looked) = AssertUnwindSafe(catch_up::run(&context)).catch_unwind().await {
            log_failure("look for what nobody told us of", looked.map(|_| ()));
        } else {
            tracing::error!("the look for what nobody told us of panicked");
        }
    }
}

/// Looks for attacks and tampering first, then mails the seals of the audit logs: a log that was just found broken is
/// not sealed.
async fn check_suspicious_activity(context: &Context) -> Result<()> {
    let Context { db, origin, secret, public_url, operators, .. } = context;
    security_alert::watch::check_due_orgs(db, origin, secret, public_url).await?;
    nobodys::verify_install_log(db, origin, secret, operators).await?;
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
/// need the files. Errors: when the database is away; the next look continues.
pub async fn purge_once(context: &Context) -> Result<()> {
    if send_freeze::find_freeze(&mut context.db.acquire_reader().await?).await?.is_some() {
        return Ok(());
    }
    let keep_files = if context.storage.is_bucket() { stray_file_retention(context) } else { chrono::Duration::zero() };
    let purger = retention::purge::PurgeContext { ctx: erasure_context(context), keep_files };
    if retention::purge::run_nightly_purge(&purger).await? > 0 {
        context.announcer.notify_changed();
    }
    demo_request::prune_old_requests(&context.db, context.origin.now()).await?;
    // Until none is left that can be deleted.
    while retention::files::delete_due_files(&context.db, &context.origin, &context.storage, &context.data_dir).await?.0
        > 0
    {}
    Ok(())
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
    if erasure::run_due_erasures(&erasure_context(context)).await? > 0 {
        context.announcer.notify_changed();
    }
    Ok(())
}

fn log_failure(what: &str, result: Result<()>) {
    if let Err(e) = result {
        tracing::warn!(error = %e, "could not {what}");
    }
}

async fn prune_expired(context: &Context) -> Result<()> {
    let now = context.origin.now();
    prune::prune_finished(&context.db, now, context.config.keep_done).await?;
    prune_stored_answers(&context.db, now).await?;
    live::prune_events(&context.db, now).await?;
    message::send_budget::prune_reached_recipients(&context.db, now).await?;
    session::prune_expired_sessions(&context.db, now).await?;
    session::store_key::prune_unused_keys(&context.db, now).await?;
    one_time_token::prune_expired_tokens(&context.db, now).await?;
    passkey::challenge::prune_expired_challenges(&context.db, now).await?;
    proof::prune_expired_proofs(&context.db, now).await?;
    push_device::prune_expired_devices(&context.db, now).await?;
    alert::prune_old_alerts(&context.db, now).await?;
    throttle::prune_counts(&context.db, now).await?;
    security::prune_tallies(&context.db, now).await?;
    security::device::prune_unused_devices(&context.db, now).await?;
    system_status::prune_heartbeats(&context.db, now).await?;
    write_probe::prune_proofs(&context.db, now).await?;
    webhooks::prune_deliveries(&context.db, now).await?;
    let mut tx = context.db.begin().await?;
    hold::prune_expired_holds(&mut tx, now - KEEP_HOLDS).await?;
    keys::prune_former_keys(&mut tx, now - KEEP_FORMER_KEYS).await?;
    subscription::event::prune_billing_events(&mut tx, now).await?;
    install_mail::prune_finished_mail(&mut tx, now).await?;
    sending_number::claim::prune_old_claims(&mut tx, now).await?;
    crew::prune_sent_notices(&mut tx, now - KEEP_TOLD).await?;
    tx.commit().await
}

async fn prune_stored_answers(db: &Db, now: DateTime<Utc>) -> Result<()> {
    slices::delete_older_than(db, "idempotency", "operation NOT LIKE 'job%' AND created_at", now - KEEP_ANSWERS)
        .await?;
    slices::delete_older_than(db, "idempotency", "created_at", now - KEEP_ANSWERS_ABOUT_JOBS).await?;
    slices::delete_older_than(db, "stripe_event", "received_at", now - KEEP_STRIPE_EVENTS).await?;
    Ok(())
}

/// Checks subscriptions whose webhooks did not arrive.
async fn check_subscriptions(context: &Context) -> Result<()> {
    let Some(config) = &context.billing else { return Ok(()) };
    let [told, untold] = LOOK_AT_SUBSCRIPTIONS;
    let span = if config.keys.webhook.is_empty() { untold } else { told };
    subscription::look::schedule_polls(&context.db, &context.origin, &config.keys, span).await
}

/// Removes stored files that no row names. None while the install is frozen: a restored database lacks the files newer
/// than its backup, and the store may be the original install's.
pub async fn remove_stray_files(context: &Context) -> Result<()> {
    if send_freeze::find_freeze(&mut context.db.acquire_reader().await?).await?.is_some() {
        return Ok(());
    }
    let limit = context.origin.now() - stray_file_retention(context);
    let raw_limit = context.origin.now() - KEEP_STRAY_RAW;
    let mut stray = context.storage.list_older_than(limit).await?;
    let raw = context.storage.list_older_than(raw_limit).await?;
    stray.extend(raw.into_iter().filter(|key| photo_upload::is_raw_key(key)));
    for key in stray {
        let mut conn = context.db.acquire_reader().await?;
        let is_named = file::is_key_referenced(&mut conn, &key, limit).await?;
        drop(conn);
        if !is_named {
            context.storage.delete(&key).await?;
        }
    }
    Ok(())
}

/// Removes databases set aside by a restore that are as old as the oldest backup. None while the install is frozen: it
/// is not yet confirmed that the right backup was restored.
pub async fn remove_set_aside_databases(context: &Context) -> Result<()> {
    if send_freeze::find_freeze(&mut context.db.acquire_reader().await?).await?.is_some() {
        return Ok(());
    }
    // The first path is the database's place before an install moved.
    let mut files = vec![context.data_dir.join(backup::DATABASE)];
    files.extend(context.sqlite_file.clone());
    backup::aside::prune_replaced_databases(&context.backup, &files, context.origin.now()).await
}

fn stray_file_retention(context: &Context) -> chrono::Duration {
    if !context.storage.is_bucket() {
        return KEEP_STRAY_FILES;
    }
    // `BACKUP_KEEP` is at most a thousand.
    KEEP_STRAY_FILES * i32::try_from(context.backup.keep + 1).unwrap_or(i32::MAX)
}
