//! Pruning: rows that are kept for a time only are removed.

use chrono::{DateTime, Utc};
use shared::{
    domain::{
        messaging::{alert, message, sending_number},
        tenancy::{
            account::{invite, one_time_token, passkey, proof},
            org::keys,
            push_device, security, session,
        },
        work::{booking::hold, crew},
    },
    ops::{retention, subscription, system_status, webhooks},
    platform::{
        db::{Db, batched_delete, write_probe},
        error::Result,
        live,
        tasks::prune,
        throttle,
    },
};

use crate::Context;

/// Retention of idempotent answers, like Stripe's.
const KEEP_ANSWERS: chrono::Duration = chrono::Duration::hours(24);
/// Longer for jobs: a crew's offline changes arrive late and may be repeated.
const KEEP_ANSWERS_ABOUT_JOBS: chrono::Duration = chrono::Duration::days(7);
/// Retention of booking holds after they have expired.
const KEEP_HOLDS: chrono::Duration = chrono::Duration::hours(1);
/// Stripe repeats events for three days; they are kept longer for investigation.
const KEEP_STRIPE_EVENTS: chrono::Duration = chrono::Duration::days(90);
/// Retention of notices to crews.
const KEEP_TOLD: chrono::Duration = chrono::Duration::days(7);

pub(super) async fn prune_expired(context: &Context) -> Result<()> {
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
    invite::prune_old_invites(&context.db, now).await?;
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
    keys::prune_former_keys(&mut tx, now - keys::FORMER_KEYS_RETENTION).await?;
    subscription::event::prune_billing_events(&mut tx, now).await?;
    sending_number::claim::prune_old_claims(&mut tx, now).await?;
    crew::prune_sent_notices(&mut tx, now - KEEP_TOLD).await?;
    tx.commit().await?;
    retention::install_mail::purge_install_mail(&context.db, &context.data_dir, now).await
}

async fn prune_stored_answers(db: &Db, now: DateTime<Utc>) -> Result<()> {
    batched_delete::delete_older_than(
        db,
        "idempotency",
        "operation NOT LIKE 'job%' AND created_at",
        now - KEEP_ANSWERS,
    )
    .await?;
    batched_delete::delete_older_than(db, "idempotency", "created_at", now - KEEP_ANSWERS_ABOUT_JOBS).await?;
    batched_delete::delete_older_than(db, "stripe_event", "received_at", now - KEEP_STRIPE_EVENTS).await?;
    Ok(())
}
