//! What the worker does by the clock, beside the queue: signs of life, rescue, the net under messages, and pruning.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use futures::FutureExt;

use shared::{
    domain::{
        growth::{kpi_pulse, metrics},
        intake::{demo_request, photo_upload},
        messaging::{
            alert, followup,
            message::{self, account},
            response_sla, sending_number,
        },
        money::reconciliation,
        tenancy::{
            account::{one_time_token, passkey, proof},
            audit::{anchor, nobodys},
            install_mail,
            org::keys,
            push_device, security, session,
        },
        work::file,
    },
    ops::{
        backup, demo_seed, erasure, lost_payment_keys, retention, send_freeze, subscription, system_status,
        tenant_data, webhooks,
    },
    platform::{
        db::{Db, q, slices, tenant_scope::across_businesses, write_proof},
        error::Result,
        live,
        tasks::{prune, queue as table},
        throttle,
    },
    providers::sms::Standing,
};

use crate::{
    Context, liveness,
    tasks::{catch_up, digest},
};

/// A minute, the pace of all schedules.
const MINUTE: Duration = Duration::from_mins(1);
/// Between two looks for workers of this machine that died.
const REAP_EVERY: Duration = Duration::from_secs(2);
/// Between two looks at what has come due, and how many of them there are between two looks at what stands still.
const ADMIT_EVERY: Duration = Duration::from_millis(250);
const UNSTALL_EVERY_TICKS: u32 = 8;
/// Between two looks through Twilio's lists of what came in. The first is at the start: after an outage.
const LOOK_EVERY: Duration = Duration::from_mins(5);
/// Between two looks whether a backup is due. The first is a while after the start, when what had waited is done.
const BACKUP_EVERY: Duration = Duration::from_hours(1);
const BACKUP_AFTER_START: Duration = Duration::from_mins(5);
/// Between two looks at what is older than its period.
const PURGE_EVERY: Duration = Duration::from_mins(10);
/// What a process that died has left of an export.
const KEEP_EXPORTS: chrono::Duration = chrono::Duration::days(1);
/// An idempotent answer is repeated for this long, like Stripe's.
const KEEP_ANSWERS: chrono::Duration = chrono::Duration::hours(24);
/// What a crew did without a network comes in late, and may come in again.
const KEEP_ANSWERS_ABOUT_JOBS: chrono::Duration = chrono::Duration::days(7);
/// An hour that was kept for a visitor is forgotten this long after it was free again.
const KEEP_HOLDS: chrono::Duration = chrono::Duration::hours(1);
/// Stripe repeats what it has told us for three days; what came is kept longer, to be looked at.
const KEEP_STRIPE_EVENTS: chrono::Duration = chrono::Duration::days(90);
/// Keys of a former account at Stripe are kept until its last page has ended: none stays open longer than a day.
const KEEP_FORMER_KEYS: chrono::Duration = chrono::Duration::hours(26);
/// How often Stripe is asked how subscriptions stand, where it tells us by itself, and where it does not.
const LOOK_AT_SUBSCRIPTIONS: [chrono::Duration; 2] = [chrono::Duration::days(1), chrono::Duration::hours(1)];
/// What a crew has been told.
const KEEP_TOLD: chrono::Duration = chrono::Duration::days(7);
/// A file that nothing names is left over from a request that failed, or was removed; it goes after this long. In a bucket
/// it stays for as long as the last backup that names it: backups do not copy what lies there.
const KEEP_STRAY_FILES: chrono::Duration = chrono::Duration::days(1);

/// The same of photos as they came: they say where they were taken.
const KEEP_STRAY_RAW: chrono::Duration = chrono::Duration::hours(1);

/// Keeps this worker's claims alive, and takes back those of the dead. Stands apart from the queue's loop, so that a
/// busy loop cannot cost a lease.
pub async fn keep_leases(context: Arc<Context>) {
    let lease = context.config.lease;
    let mut tick = tokio::time::interval(lease / 3);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let as_chrono = chrono::Duration::from_std(lease).unwrap_or(chrono::Duration::seconds(45));
    loop {
        tick.tick().await;
        let is_right = context.clock.may_act(context.origin.now());
        let told = context.clock.corrected(&context.origin);
        let (origin, held) = (told.as_ref().unwrap_or(&context.origin), context.held.ids());
        let kept = table::keep(&context.db, origin, &context.name, as_chrono, &held).await;
        report("keep leases", kept);
        if let Some(told) = &told {
            let figures = context.claims.read().with_writer(context.db.writer_stats().unwrap_or_default());
            report("give a sign of life", system_status::sign(&context.db, told, &context.name, &figures).await);
        }
        if !is_right {
            continue;
        }
        match table::rescue(&context.db, &context.origin).await {
            Ok(0) => {}
            Ok(tasks) => tracing::warn!(tasks, "took back the work of a worker that died"),
            Err(e) => tracing::warn!(error = %e, "could not look for the work of dead workers"),
        }
    }
}

/// Ends the leases of workers of this machine that died, before they run out: what they held keeps places of its business.
pub async fn reap_dead_workers(context: Arc<Context>) {
    let mut tick = tokio::time::interval(REAP_EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        report("look for dead workers", reap(&context).await);
    }
}

/// One look.
pub async fn reap(context: &Context) -> Result<()> {
    let now = context.origin.now();
    // By a clock that is ahead the leases of those that live are over, too.
    if !context.clock.may_act(now) {
        return Ok(());
    }
    let others = table::other_holders(&mut context.db.read().await?, &context.name, now).await?;
    let mut found = false;
    for dead in others.iter().filter(|worker| liveness::is_dead(&context.data_dir, worker)) {
        table::end_leases(&context.db, now, dead).await?;
        found = true;
    }
    if found {
        let tasks = table::rescue(&context.db, &context.origin).await?;
        tracing::warn!(tasks, "took back the work of a worker that died");
    }
    Ok(())
}

/// Places what has come due, when that is more than the claims look at, and moves up parked tasks that nothing else
/// moves. Stands apart from the queue's loop: a new task does not wait behind a backlog because all slots are taken.
pub async fn admit_backlog(context: Arc<Context>) {
    let mut tick = tokio::time::interval(ADMIT_EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut ticks = 0_u32;
    loop {
        tick.tick().await;
        if !context.clock.may_act(context.origin.now()) || !context.db.is_in_place() {
            continue;
        }
        loop {
            match table::admit(&context.db, &context.origin).await {
                Ok(true) => {}
                Ok(false) => break,
                Err(e) => {
                    tracing::warn!(error = %e, "could not place what has come due");
                    break;
                }
            }
        }
        if ticks.is_multiple_of(UNSTALL_EVERY_TICKS) {
            report("move up parked tasks", table::unstall(&context.db).await.map(|_| ()));
        }
        ticks = ticks.wrapping_add(1);
    }
}

/// The minute's tick. Any number of workers may run it: every step is one conditional statement.
pub async fn every_minute(context: Arc<Context>) {
    let mut tick = tokio::time::interval(MINUTE);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut minutes = 0_u64;
    // What an earlier version of the program has counted by other rules is counted anew.
    report("plan new counts", metrics::recount::rules_changed(&context.db, context.origin.now()).await.map(|_| ()));
    loop {
        tick.tick().await;
        if !context.clock.may_act(context.origin.now()) {
            continue;
        }
        match message::sweep::run(&context.db, &context.origin).await {
            Ok(0) => {}
            Ok(messages) => tracing::warn!(messages, "took up messages that no task carried"),
            Err(e) => tracing::warn!(error = %e, "could not look for stranded messages"),
        }
        match followup::sweep::run(&context.db, &context.origin).await {
            Ok(0) => {}
            Ok(steps) => tracing::warn!(steps, "took up planned steps that no task carried"),
            Err(e) => tracing::warn!(error = %e, "could not look for stranded plans"),
        }
        match webhooks::sweep(&context.db, &context.origin).await {
            Ok(0) => {}
            Ok(calls) => tracing::warn!(calls, "took up webhook calls that no task carried"),
            Err(e) => tracing::warn!(error = %e, "could not look for stranded webhook calls"),
        }
        match photo_upload::sweep(&context.db, &context.origin).await {
            Ok(0) => {}
            Ok(photos) => tracing::warn!(photos, "gave up photos that the file store was never given"),
            Err(e) => tracing::warn!(error = %e, "could not look for photos that wait"),
        }
        report("look at the account for texts", look_at_account(&context).await);
        report("erase whom it is time for", erase(&context).await);
        report("tell what is due", digest::run(&context).await.map(|_| ()));
        report("plan what is to be told", plan_what_is_told(&context).await);
        report("plan recounts", metrics::recount::plan(&context.db, &context.origin).await.map(|_| ()));
        if context.config.has_demo {
            report("plan the demonstration", demo_seed::plan_seed(&context.db, &context.origin).await.map(|_| ()));
        }
        report("look for what has stopped", kpi_pulse::failure::look(&context.db, &context.origin).await.map(|_| ()));
        let behind = kpi_pulse::backlog::look(&context.db, &context.origin, &context.operators);
        report("look whether the queue is behind", behind.await.map(|_| ()));
        report("look for what is suspicious", look_for_suspicions(&context).await);
        if minutes.is_multiple_of(10) {
            report("settle the install's number", settle_sender(&context).await);
            report("prune", prune(&context).await);
        }
        if minutes.is_multiple_of(60) {
            report("remove stray files", remove_stray_files(&context).await);
            report("remove databases that a restore set aside", remove_set_aside(&context).await);
            report("plan looks at Stripe's books", reconciliation::plan(&context.db, &context.origin).await);
            report("plan looks at subscriptions", look_at_subscriptions(&context).await);
            report("look for lost keys", lost_payment_keys::look(&context.db, &context.origin, &context.secret).await);
            let limit = context.origin.now() - KEEP_EXPORTS;
            report("remove broken exports", tenant_data::export::tidy(&context.data_dir, limit).await);
        }
        minutes += 1;
    }
}

/// Warnings of promises, and reports. While the install is frozen none are planned: what it is a copy of may have said
/// them, and what is left of them at the release is reckoned then.
pub async fn plan_what_is_told(context: &Context) -> Result<()> {
    if send_freeze::frozen(&mut context.db.read().await?).await?.is_some() {
        return Ok(());
    }
    match response_sla::sweep(&context.db, &context.origin).await {
        Ok(0) => {}
        Ok(promises) => tracing::warn!(promises, "looked at promises that no task carried"),
        Err(e) => tracing::warn!(error = %e, "could not look for overlooked promises"),
    }
    kpi_pulse::plan::run(&context.db, &context.origin).await.map(|_| ())
}

/// Asks whether the account at Twilio works again while texts wait for it: with other credentials it may, after a start.
///
/// # Errors
/// When the database is away.
pub async fn look_at_account(context: &Context) -> Result<()> {
    let may_end = account::may_end(&mut context.db.read().await?, context.origin.now()).await?;
    if !may_end {
        return Ok(());
    }
    let seen = context.sms.account().await;
    if seen.is_ok_and(|account| matches!(account.standing, Standing::Active | Standing::NotTold)) {
        let texts = account::works_again(&context.db, &context.origin).await?;
        tracing::info!(texts, "the account at Twilio works again, and texts that waited for it go");
        context.announcer.changed();
    }
    Ok(())
}

/// Gives the install's own sender to the first business.
async fn settle_sender(context: &Context) -> Result<()> {
    let mut tx = across_businesses(context.db.begin()).await?;
    sending_number::settle(&mut tx, &context.origin, context.sms.sender(), context.default_org.as_deref()).await?;
    tx.commit().await
}

/// Looks for what Twilio could not tell us of, at the start and from time to time. A provider that hangs holds nothing
/// else up, and what cannot be taken does not end the worker.
pub async fn look_for_what_was_missed(context: Arc<Context>) {
    let mut tick = tokio::time::interval(LOOK_EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        if !context.clock.may_act(context.origin.now()) {
            continue;
        }
        if let Ok(looked) = AssertUnwindSafe(catch_up::run(&context)).catch_unwind().await {
            report("look for what nobody told us of", looked.map(|_| ()));
        } else {
            tracing::error!("the look for what nobody told us of panicked");
        }
    }
}

/// Looks through what tells of attacks and of tampering, then mails the seals of audit logs: what was just found broken is
/// not vouched for.
async fn look_for_suspicions(context: &Context) -> Result<()> {
    let Context { db, origin, secret, public_url, operators, .. } = context;
    security::watch::look(db, origin, secret, public_url).await?;
    nobodys::look(db, origin, secret, operators).await?;
    anchor::mail_daily(db, origin, secret, public_url).await?;
    Ok(())
}

/// Makes a backup each day. Stands apart: it may take minutes, and what it waits for is the disk.
pub async fn back_up_daily(context: Arc<Context>) {
    let start = tokio::time::Instant::now() + BACKUP_AFTER_START;
    let mut tick = tokio::time::interval_at(start, BACKUP_EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        if !context.backup.is_daily || !context.clock.may_act(context.origin.now()) {
            continue;
        }
        match AssertUnwindSafe(back_up(&context)).catch_unwind().await {
            Ok(Ok(Some(made))) => tracing::info!(backup = %made.name, "a backup was made and read back"),
            Ok(Ok(None)) => {}
            // Whoever reads the log at night is the one who can help: there is no backup of today.
            Ok(Err(e)) => tracing::error!(error = %e, "there is no backup of today; it is tried again in an hour"),
            Err(_) => tracing::error!("the making of a backup panicked"),
        }
    }
}

/// Makes today's backup, unless somebody has.
///
/// # Errors
/// Why there is none. It is remembered, and tried again an hour later.
pub async fn back_up(context: &Context) -> Result<Option<backup::Made>> {
    let house = backup::House {
        db: &context.db,
        storage: &context.storage,
        data_dir: &context.data_dir,
        origin: &context.origin,
        secret: &context.secret,
    };
    backup::log::daily(&house, &context.backup).await
}

/// Removes by night what is older than its period, and the bytes of what is removed. Stands apart: a night may be long.
pub async fn purge_nightly(context: Arc<Context>) {
    let mut tick = tokio::time::interval(PURGE_EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        if !context.clock.may_act(context.origin.now()) {
            continue;
        }
        if let Ok(purged) = AssertUnwindSafe(purge(&context)).catch_unwind().await {
            report("remove what is older than its period", purged);
        } else {
            tracing::error!("the removal of what is older than its period panicked");
        }
    }
}

/// One look: nights that are due, then the bytes of what is gone. None while the install is frozen: what it is a copy of
/// may still need the files.
///
/// # Errors
/// When the database is away; what is left is done by the next look.
pub async fn purge(context: &Context) -> Result<()> {
    if send_freeze::frozen(&mut context.db.read().await?).await?.is_some() {
        return Ok(());
    }
    let keep_files = if context.storage.is_bucket() { keep_stray_files(context) } else { chrono::Duration::zero() };
    let purger = retention::purge::Purger { house: erasure_house(context), keep_files };
    if retention::purge::run(&purger).await? > 0 {
        context.announcer.changed();
    }
    demo_request::prune(&context.db, context.origin.now()).await?;
    // As long as there are any that can be deleted.
    while retention::files::delete_due(&context.db, &context.origin, &context.storage, &context.data_dir).await?.0 > 0 {
    }
    Ok(())
}

fn erasure_house(context: &Context) -> erasure::House<'_> {
    erasure::House {
        db: &context.db,
        storage: &context.storage,
        data_dir: &context.data_dir,
        origin: &context.origin,
        secret: &context.secret,
        backups: &context.backup.folder,
    }
}

/// Carries out the erasures whose time to be taken back is over.
pub async fn erase(context: &Context) -> Result<()> {
    if erasure::run_due(&erasure_house(context)).await? > 0 {
        context.announcer.changed();
    }
    Ok(())
}

fn report(what: &str, result: Result<()>) {
    if let Err(e) = result {
        tracing::warn!(error = %e, "could not {what}");
    }
}

async fn prune(context: &Context) -> Result<()> {
    let now = context.origin.now();
    prune::prune(&context.db, now, context.config.keep_done).await?;
    prune_answers(&context.db, now).await?;
    live::prune(&context.db, now).await?;
    message::send_budget::prune(&context.db, now).await?;
    session::prune(&context.db, now).await?;
    session::store_key::prune(&context.db, now).await?;
    one_time_token::prune(&context.db, now).await?;
    passkey::challenge::prune(&context.db, now).await?;
    proof::prune(&context.db, now).await?;
    push_device::prune(&context.db, now).await?;
    alert::prune(&context.db, now).await?;
    throttle::prune(&context.db, now).await?;
    security::prune(&context.db, now).await?;
    security::device::prune(&context.db, now).await?;
    system_status::prune(&context.db, now).await?;
    write_proof::prune(&context.db, now).await?;
    webhooks::prune(&context.db, now).await?;
    let mut tx = context.db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM slot_hold WHERE expires_at < $1", now - KEEP_HOLDS)?;
    keys::forget_former(&mut tx, now - KEEP_FORMER_KEYS).await?;
    subscription::event::prune(&mut tx, now).await?;
    install_mail::prune(&mut tx, now).await?;
    sending_number::claim::prune(&mut tx, now).await?;
    q!(&mut tx, execute, "DELETE FROM crew_change WHERE told_at < $1", now - KEEP_TOLD)?;
    tx.commit().await
}

/// Forgets answers that are not repeated any more, and what Stripe has told us.
async fn prune_answers(db: &Db, now: DateTime<Utc>) -> Result<()> {
    slices::delete_older(db, "idempotency", "operation NOT LIKE 'job%' AND created_at", now - KEEP_ANSWERS).await?;
    slices::delete_older(db, "idempotency", "created_at", now - KEEP_ANSWERS_ABOUT_JOBS).await?;
    slices::delete_older(db, "stripe_event", "received_at", now - KEEP_STRIPE_EVENTS).await?;
    Ok(())
}

/// What became of subscriptions whose news did not reach us.
async fn look_at_subscriptions(context: &Context) -> Result<()> {
    let Some(config) = &context.billing else { return Ok(()) };
    let [told, untold] = LOOK_AT_SUBSCRIPTIONS;
    let span = if config.keys.webhook.is_empty() { untold } else { told };
    subscription::look::plan(&context.db, &context.origin, &config.keys, span).await
}

/// Removes the files of the store that no row names any more. None while the install is frozen: what came up from a
/// backup does not know the files that came after it, and the store may be that of the install it is a copy of.
pub async fn remove_stray_files(context: &Context) -> Result<()> {
    if send_freeze::frozen(&mut context.db.read().await?).await?.is_some() {
        return Ok(());
    }
    let limit = context.origin.now() - keep_stray_files(context);
    let raw_limit = context.origin.now() - KEEP_STRAY_RAW;
    let mut stray = context.storage.list_older_than(limit).await?;
    let raw = context.storage.list_older_than(raw_limit).await?;
    stray.extend(raw.into_iter().filter(|key| photo_upload::is_raw(key)));
    for key in stray {
        let mut conn = context.db.read().await?;
        let is_named = file::is_named(&mut conn, &key, limit).await?;
        drop(conn);
        if !is_named {
            context.storage.delete(&key).await?;
        }
    }
    Ok(())
}

/// Removes databases that a restore set aside as long ago as the oldest backup. None while the install is frozen: nobody
/// has looked yet whether the right one was put back.
pub async fn remove_set_aside(context: &Context) -> Result<()> {
    if send_freeze::frozen(&mut context.db.read().await?).await?.is_some() {
        return Ok(());
    }
    // The first was the database's place before an install moved.
    let mut files = vec![context.data_dir.join(backup::DATABASE)];
    files.extend(context.sqlite_file.clone());
    backup::aside::remove_old(&context.backup, &files, context.origin.now()).await
}

fn keep_stray_files(context: &Context) -> chrono::Duration {
    if !context.storage.is_bucket() {
        return KEEP_STRAY_FILES;
    }
    // At most a thousand are kept: `BACKUP_KEEP`.
    KEEP_STRAY_FILES * i32::try_from(context.backup.keep + 1).unwrap_or(i32::MAX)
}
