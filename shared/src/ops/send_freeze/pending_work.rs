//! Messages that a copy must not send, since the original install may have sent them: messages that waited, and
//! everything planned that came due between the copy and its release. They end in a state that a person sees and can
//! act on; where nothing else shows it, the task is listed with the work that stopped.

use chrono::{DateTime, Utc};

use super::UNKNOWN_DELIVERY_REASON;
use crate::platform::{
    db::{Tx, q},
    error::Result,
    id::DEMO_ORG,
    live,
    tasks::{TaskKind, TaskStatus},
};

/// Outcome of a copied task that has come due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TaskDisposition {
    /// It asks and counts only, or its row shows that there is nothing to send.
    Continues,
    /// Its rows show that it is over.
    Finished,
    /// It would send, and no list shows that it did not: a person decides whether to retry it.
    NeedsReview,
}

/// Every kind of task must be decided here: one that sends and goes on sends twice.
fn task_disposition(kind: TaskKind) -> TaskDisposition {
    match kind {
        TaskKind::ReconcileDelivery
        | TaskKind::ProcessInboundSms
        | TaskKind::FetchMedia
        | TaskKind::RedrawPhotos
        | TaskKind::SettleCheckout
        | TaskKind::ExpireCheckout
        | TaskKind::Reconcile
        | TaskKind::CheckAccount
        | TaskKind::SettleSubscription
        | TaskKind::CancelSubscriptionAttempt
        | TaskKind::CheckSla
        | TaskKind::SendMessage
        | TaskKind::SendEmail
        | TaskKind::SendInstallMail
        | TaskKind::FollowUp
        | TaskKind::Recount
        | TaskKind::SeedDemo
        | TaskKind::Noop => TaskDisposition::Continues,
        TaskKind::PushAlert
        | TaskKind::EscalateAlert
        | TaskKind::TestDevice
        | TaskKind::NotifyCrew
        | TaskKind::SendPulse
        | TaskKind::DeliverWebhook
        | TaskKind::SendNumberCode => TaskDisposition::Finished,
        TaskKind::SendReceipt
        | TaskKind::FinalizeDocument
        | TaskKind::SignCopy
        | TaskKind::BillJob
        | TaskKind::RefundCard
        | TaskKind::BuyNumber
        | TaskKind::RegisterTexting => TaskDisposition::NeedsReview,
    }
}

pub(super) async fn mark_pending_messages_unknown(tx: &mut Tx) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE message SET status = 'unknown', reason = $1, fence = fence + 1
         WHERE direction = 'out' AND status IN ('queued', 'sending', 'held') AND org_id <> $2",
        UNKNOWN_DELIVERY_REASON,
        DEMO_ORG
    )?;
    Ok(())
}

/// Everything planned before `before` and due by now.
pub(super) async fn suppress_due_work(tx: &mut Tx, now: DateTime<Utc>, before: DateTime<Utc>) -> Result<()> {
    suppress_follow_ups(&mut *tx, now, before).await?;
    suppress_alerts(&mut *tx, now, before).await?;
    suppress_reports(&mut *tx, now, before).await?;
    suppress_webhook_deliveries(&mut *tx, now, before).await?;
    suppress_tasks(tx, now, before).await
}

/// Reminders, dunning, questions after estimates, and review requests.
async fn suppress_follow_ups(tx: &mut Tx, now: DateTime<Utc>, before: DateTime<Utc>) -> Result<()> {
    q!(
        &mut *tx,
        execute,
        "UPDATE follow_up SET state = 'skipped', reason = $1
         WHERE state = 'waiting' AND due_at <= $2 AND created_at < $3 AND org_id <> $4",
        UNKNOWN_DELIVERY_REASON,
        now,
        before,
        DEMO_ORG
    )?;
    // A question whose first message may have been sent is not begun again.
    q!(
        tx,
        execute,
        "UPDATE review_request SET state = 'not_asked', why = 'not_sent', detail = $1
         WHERE state = 'waiting' AND begun_at IS NULL AND planned_at <= $2 AND created_at < $3 AND org_id <> $4",
        UNKNOWN_DELIVERY_REASON,
        now,
        before,
        DEMO_ORG
    )?;
    Ok(())
}

/// Messages to the people of a business: alerts, warnings of promises, changes of a crew's day.
async fn suppress_alerts(tx: &mut Tx, now: DateTime<Utc>, before: DateTime<Utc>) -> Result<()> {
    let sql = "UPDATE alert SET notified_at = $1 WHERE notified_at IS NULL AND due_at <= $1 AND created_at < $2 AND org_id <> $3";
    q!(&mut *tx, execute, sql, now, before, DEMO_ORG)?;
    let climbed = "UPDATE alert SET escalates_at = NULL WHERE escalates_at <= $1 AND created_at < $2 AND org_id <> $3";
    q!(&mut *tx, execute, climbed, now, before, DEMO_ORG)?;
    let warned = "UPDATE sla SET warned_at = $1
        WHERE state = 'open' AND warned_at IS NULL AND warn_at <= $1 AND made_at < $2 AND org_id <> $3";
    q!(&mut *tx, execute, warned, now, before, DEMO_ORG)?;
    let crews =
        "UPDATE pending_crew_notice SET notified_at = $1 WHERE notified_at IS NULL AND at < $2 AND org_id <> $3";
    q!(tx, execute, crews, now, before, DEMO_ORG)?;
    Ok(())
}

/// Reports to the owner. The next one goes out when it is due.
async fn suppress_reports(tx: &mut Tx, now: DateTime<Utc>, before: DateTime<Utc>) -> Result<()> {
    let sql = "UPDATE pulse SET outcome = 'left_out', reason = $1, made_at = $2
        WHERE outcome = 'waiting' AND due_at < $3 AND org_id <> $4";
    q!(&mut *tx, execute, sql, UNKNOWN_DELIVERY_REASON, now, before, DEMO_ORG)?;
    let sql = "UPDATE pulse_plan SET next_at = NULL WHERE next_at <= $1 AND org_id <> $2";
    q!(tx, execute, sql, now, DEMO_ORG)?;
    Ok(())
}

/// Webhook calls; their owner may repeat one.
async fn suppress_webhook_deliveries(tx: &mut Tx, now: DateTime<Utc>, before: DateTime<Utc>) -> Result<()> {
    q!(
        &mut *tx,
        execute,
        "INSERT INTO webhook_attempt (org_id, delivery_id, number, at, outcome)
         SELECT org_id, id, tries + 1, $1, $2 FROM webhook_delivery
         WHERE state = 'waiting' AND next_at <= $1 AND created_at < $3",
        now,
        UNKNOWN_DELIVERY_REASON,
        before
    )?;
    q!(
        tx,
        execute,
        "UPDATE webhook_delivery SET state = 'failed', tries = tries + 1, next_at = NULL, ended_at = $1
         WHERE state = 'waiting' AND next_at <= $1 AND created_at < $2",
        now,
        before
    )?;
    Ok(())
}

/// A look at a refund that Stripe already works on requests nothing, and goes on.
async fn suppress_tasks(tx: &mut Tx, now: DateTime<Utc>, before: DateTime<Utc>) -> Result<()> {
    let sql =
        "SELECT DISTINCT kind FROM task WHERE status IN ('ready', 'running') AND run_at <= $1 AND created_at < $2";
    for name in q!(&mut *tx, fetch_all scalar String, sql, now, before)? {
        // A kind that this version does not know is not run by it either.
        let status = match TaskKind::from_name(&name).map(task_disposition) {
            Some(TaskDisposition::Finished) => TaskStatus::Done,
            Some(TaskDisposition::NeedsReview) => TaskStatus::Dead,
            Some(TaskDisposition::Continues) | None => continue,
        };
        q!(
            &mut *tx,
            execute,
            "UPDATE task SET status = $1, last_error = $2, finished_at = $3, locked_by = NULL, lease_until = NULL,
                 fence = fence + 1
             WHERE status IN ('ready', 'running') AND run_at <= $3 AND created_at < $4 AND kind = $5
                 AND unique_key NOT LIKE 'refund:%:look:%'",
            status,
            UNKNOWN_DELIVERY_REASON,
            now,
            before,
            name
        )?;
    }
    Ok(())
}

/// Automatic answers given here to calls and texts from before the freeze: those came in late, from the provider's
/// list, and the original install may have answered them.
pub(super) async fn mark_late_replies_unknown(tx: &mut Tx, since: DateTime<Utc>) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE message SET status = 'unknown', reason = $1, fence = fence + 1
         WHERE direction = 'out' AND status IN ('queued', 'held') AND account_id IS NULL AND created_at >= $2
             AND org_id <> $3 AND lead_id IS NOT NULL
             AND (EXISTS (SELECT 1 FROM call c WHERE c.org_id = message.org_id AND c.lead_id = message.lead_id
                      AND c.started_at < $2 AND c.id >= $4)
                  OR EXISTS (SELECT 1 FROM message i WHERE i.org_id = message.org_id AND i.lead_id = message.lead_id
                      AND i.direction = 'in' AND i.created_at < $2 AND i.id >= $4))
             AND NOT EXISTS (SELECT 1 FROM call c WHERE c.org_id = message.org_id AND c.lead_id = message.lead_id
                 AND c.started_at >= $2)
             AND NOT EXISTS (SELECT 1 FROM message i WHERE i.org_id = message.org_id AND i.lead_id = message.lead_id
                 AND i.direction = 'in' AND i.created_at >= $2)",
        UNKNOWN_DELIVERY_REASON,
        since,
        DEMO_ORG,
        live::min_id_at(since)
    )?;
    Ok(())
}
