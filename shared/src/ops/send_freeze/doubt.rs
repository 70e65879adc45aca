//! What a copy must not send, since whoever it is a copy of may have sent it: messages that waited, and everything planned
//! that came due between the copy and its release. It ends as what it is, so that a person sees it and may do it by hand;
//! where nothing else shows it, its task lies with the work that stopped.

use chrono::{DateTime, Utc};

use super::DOUBT;
use crate::platform::{
    db::{Tx, q},
    error::Result,
    id::DEMO_ORG,
    live,
    tasks::{Kind, Status},
};

/// What becomes of a task that a copy brought along and that has come due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It asks and counts, or finds by its row that there is nothing to say.
    GoesOn,
    /// The rows say themselves that it is over.
    Over,
    /// It would send, and no list shows that it was not: a person tries it again, or does not.
    ForAPerson,
}

/// Every kind of work must be thought of here: one that speaks and goes on speaks twice.
fn fate(kind: Kind) -> Fate {
    match kind {
        Kind::SettleDoubt
        | Kind::TakeText
        | Kind::FetchMedia
        | Kind::RedrawPhotos
        | Kind::SettleCheckout
        | Kind::ExpireCheckout
        | Kind::Reconcile
        | Kind::CheckAccount
        | Kind::SettleSubscription
        | Kind::DropAttempt
        | Kind::WatchPromise
        | Kind::SendMessage
        | Kind::SendEmail
        | Kind::SendInstallMail
        | Kind::FollowUp
        | Kind::Recount
        | Kind::SeedDemo
        | Kind::Noop => Fate::GoesOn,
        Kind::PushAlert
        | Kind::ClimbAlert
        | Kind::TestDevice
        | Kind::TellCrew
        | Kind::SendPulse
        | Kind::CallHook
        | Kind::SendNumberCode => Fate::Over,
        Kind::SendReceipt | Kind::FinishPaper | Kind::SignCopy | Kind::BillJob | Kind::RefundCard => Fate::ForAPerson,
    }
}

/// Messages that waited when the copy was made.
pub(super) async fn waited(tx: &mut Tx) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE message SET status = 'unknown', reason = $1, fence = fence + 1
         WHERE direction = 'out' AND status IN ('queued', 'sending', 'held') AND org_id <> $2",
        DOUBT,
        DEMO_ORG
    )?;
    Ok(())
}

/// Whatever was planned before `before` and has come due by now.
pub(super) async fn came_due(tx: &mut Tx, now: DateTime<Utc>, before: DateTime<Utc>) -> Result<()> {
    steps(&mut *tx, now, before).await?;
    alerts(&mut *tx, now, before).await?;
    reports(&mut *tx, now, before).await?;
    hook_calls(&mut *tx, now, before).await?;
    tasks(tx, now, before).await
}

/// Reminders, dunning, questions after estimates and for reviews.
async fn steps(tx: &mut Tx, now: DateTime<Utc>, before: DateTime<Utc>) -> Result<()> {
    q!(
        &mut *tx,
        execute,
        "UPDATE follow_up SET state = 'skipped', reason = $1
         WHERE state = 'waiting' AND due_at <= $2 AND created_at < $3 AND org_id <> $4",
        DOUBT,
        now,
        before,
        DEMO_ORG
    )?;
    // A question whose first word may have been said is not begun anew.
    q!(
        tx,
        execute,
        "UPDATE review_ask SET state = 'not_asked', why = 'not_sent', detail = $1
         WHERE state = 'waiting' AND begun_at IS NULL AND planned_at <= $2 AND created_at < $3 AND org_id <> $4",
        DOUBT,
        now,
        before,
        DEMO_ORG
    )?;
    Ok(())
}

/// What the people of a business are told: alerts, warnings of promises, changes of a crew's day.
async fn alerts(tx: &mut Tx, now: DateTime<Utc>, before: DateTime<Utc>) -> Result<()> {
    let told =
        "UPDATE alert SET told_at = $1 WHERE told_at IS NULL AND due_at <= $1 AND created_at < $2 AND org_id <> $3";
    q!(&mut *tx, execute, told, now, before, DEMO_ORG)?;
    let climbed = "UPDATE alert SET climbs_at = NULL WHERE climbs_at <= $1 AND created_at < $2 AND org_id <> $3";
    q!(&mut *tx, execute, climbed, now, before, DEMO_ORG)?;
    let warned = "UPDATE promise SET warned_at = $1
        WHERE state = 'open' AND warned_at IS NULL AND warn_at <= $1 AND made_at < $2 AND org_id <> $3";
    q!(&mut *tx, execute, warned, now, before, DEMO_ORG)?;
    let crews = "UPDATE crew_change SET told_at = $1 WHERE told_at IS NULL AND at < $2 AND org_id <> $3";
    q!(tx, execute, crews, now, before, DEMO_ORG)?;
    Ok(())
}

/// The owner's figures. The next report is the next one that is due.
async fn reports(tx: &mut Tx, now: DateTime<Utc>, before: DateTime<Utc>) -> Result<()> {
    let sql = "UPDATE pulse SET outcome = 'left_out', reason = $1, made_at = $2
        WHERE outcome = 'waiting' AND due_at < $3 AND org_id <> $4";
    q!(&mut *tx, execute, sql, DOUBT, now, before, DEMO_ORG)?;
    let sql = "UPDATE pulse_plan SET next_at = NULL WHERE next_at <= $1 AND org_id <> $2";
    q!(tx, execute, sql, now, DEMO_ORG)?;
    Ok(())
}

/// Calls to other programs; their owner may make one again.
async fn hook_calls(tx: &mut Tx, now: DateTime<Utc>, before: DateTime<Utc>) -> Result<()> {
    q!(
        &mut *tx,
        execute,
        "INSERT INTO hook_try (org_id, call_id, number, at, outcome)
         SELECT org_id, id, tries + 1, $1, $2 FROM hook_call
         WHERE state = 'waiting' AND next_at <= $1 AND created_at < $3",
        now,
        DOUBT,
        before
    )?;
    q!(
        tx,
        execute,
        "UPDATE hook_call SET state = 'failed', tries = tries + 1, next_at = NULL, ended_at = $1
         WHERE state = 'waiting' AND next_at <= $1 AND created_at < $2",
        now,
        before
    )?;
    Ok(())
}

/// A look at a refund that Stripe works on already asks for nothing, and goes on.
async fn tasks(tx: &mut Tx, now: DateTime<Utc>, before: DateTime<Utc>) -> Result<()> {
    let sql =
        "SELECT DISTINCT kind FROM task WHERE status IN ('ready', 'running') AND run_at <= $1 AND created_at < $2";
    for name in q!(&mut *tx, fetch_all scalar String, sql, now, before)? {
        // Of a kind that this version does not know, nothing is done by it either.
        let status = match Kind::named(&name).map(fate) {
            Some(Fate::Over) => Status::Done,
            Some(Fate::ForAPerson) => Status::Dead,
            Some(Fate::GoesOn) | None => continue,
        };
        q!(
            &mut *tx,
            execute,
            "UPDATE task SET status = $1, last_error = $2, finished_at = $3, locked_by = NULL, lease_until = NULL,
                 fence = fence + 1
             WHERE status IN ('ready', 'running') AND run_at <= $3 AND created_at < $4 AND kind = $5
                 AND unique_key NOT LIKE 'refund:%:look:%'",
            status,
            DOUBT,
            now,
            before,
            name
        )?;
    }
    Ok(())
}

/// What the rules have answered here to calls and texts of the time before the freeze: they came in late, from the
/// provider's list, and the install that it is a copy of may have answered them.
pub(super) async fn answers(tx: &mut Tx, since: DateTime<Utc>) -> Result<()> {
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
        DOUBT,
        since,
        DEMO_ORG,
        live::floor(since)
    )?;
    Ok(())
}
