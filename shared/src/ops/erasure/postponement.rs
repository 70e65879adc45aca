//! Erasures that cannot be carried out at their due time. One that something forbids, as at its asking, is tried again
//! each day, and the owner is told why, once. One that fails is tried again each hour, and the owner is told once it has
//! failed for a day.
//!
//! Nothing forbids an erasure that has begun: a part of the data is gone by then.

use chrono::{DateTime, Duration, Utc};

use super::{
    CustomerErasure, ErasureContext, GRACE,
    activity::{activity_key, tell_of_activity},
    request::find_due_blocker,
};
use crate::{
    conflicts::ConflictCode,
    domain::{
        intake::customer,
        messaging::alert::{self, AlertKind, NewAlert},
        tenancy::org,
    },
    platform::{
        clock::ClockRng,
        db::{Tx, q},
        error::{Error, Result},
        id::LeadId,
    },
};

/// Until the next try of one that something forbids.
pub const RETRY_BLOCKED: Duration = Duration::days(1);
/// Until the next try of one that failed.
pub const RETRY_FAILED: Duration = Duration::hours(1);
/// The owner is told of one that fails for so long.
pub const TOLD_AFTER: Duration = Duration::days(1);

fn blocked_key(erasure: &CustomerErasure) -> String {
    format!("erasure-blocked:{}", erasure.id)
}

fn failed_key(erasure: &CustomerErasure) -> String {
    format!("erasure-failed:{}", erasure.id)
}

/// True where the erasure is not carried out now: something forbids it, so that it is put off and the owner told, or it
/// was undone meanwhile.
pub(super) async fn postpone_if_blocked(
    ctx: &ErasureContext<'_>,
    erasure: &CustomerErasure,
    has_begun: bool,
) -> Result<bool> {
    let (org, mut conn) = (erasure.org_id, ctx.db.acquire_reader().await?);
    let sql = "SELECT ended_at IS NOT NULL FROM erasure WHERE org_id = $1 AND id = $2 AND state = 'waiting'";
    let Some(is_marked) = q!(&mut conn, fetch_optional scalar bool, sql, org, erasure.id)? else { return Ok(true) };
    if has_begun || is_marked {
        return Ok(false);
    }
    let Some(why) = find_due_blocker(&mut conn, erasure).await? else { return Ok(false) };
    drop(conn);
    let mut tx = ctx.db.begin().await?;
    tx.guard_writable(org);
    reschedule_erasure(&mut tx, erasure, ctx.origin.now() + RETRY_BLOCKED).await?;
    if why == ConflictCode::ErasureBlockedByActivity {
        tx.commit().await?;
        // It has an alert of its own.
        tell_of_activity(ctx, erasure).await?;
        return Ok(true);
    }
    let body = format!(
        "A customer is due to be erased, and nothing was erased yet. {} We try again every day until you undo it.",
        why.english_text()
    );
    raise_notice(&mut tx, ctx.origin, erasure, None, (blocked_key(erasure), "An erasure has to wait", body)).await?;
    tx.commit().await?;
    Ok(true)
}

/// Puts off one that failed, behind those that are due.
pub(super) async fn postpone_failed(
    ctx: &ErasureContext<'_>,
    erasure: &CustomerErasure,
    begun_at: Option<DateTime<Utc>>,
) -> Result<()> {
    let now = ctx.origin.now();
    let mut tx = ctx.db.begin().await?;
    tx.guard_writable(erasure.org_id);
    reschedule_erasure(&mut tx, erasure, now + RETRY_FAILED).await?;
    // One that could not even be listed counts from the end of its waiting days.
    if now - begun_at.unwrap_or(erasure.asked_at + GRACE) >= TOLD_AFTER {
        let body = "The data of a customer is to be erased, and a part of it could not be removed yet. We try again \
            every hour. Ask the person who runs your Toolbox to look into it.";
        let words = (failed_key(erasure), "An erasure is not done", body.to_owned());
        raise_notice(&mut tx, ctx.origin, erasure, None, words).await?;
    }
    tx.commit().await
}

async fn reschedule_erasure(tx: &mut Tx, erasure: &CustomerErasure, due: DateTime<Utc>) -> Result<()> {
    // Not one that was asked for again meanwhile: its days begin anew.
    let sql = "UPDATE erasure SET due_at = $3 WHERE org_id = $1 AND id = $2 AND state = 'waiting' AND asked_at = $4";
    q!(tx, execute, sql, erasure.org_id, erasure.id, due, erasure.asked_at)?;
    Ok(())
}

/// Without a lead it may name nobody: the customer's page does.
pub(super) async fn raise_notice(
    tx: &mut Tx,
    origin: &ClockRng,
    erasure: &CustomerErasure,
    lead: Option<LeadId>,
    (key, title, body): (String, &str, String),
) -> Result<()> {
    let Some(business) = org::find(&mut *tx, erasure.org_id).await? else { return Ok(()) };
    let profile = org::load_profile(&mut *tx, business).await?;
    // The page of a record that an older version merged is that of the other.
    let shown = match customer::resolve_merged(&mut *tx, erasure.org_id, erasure.customer_id).await {
        Err(Error::NotFound) => erasure.customer_id,
        found => found?,
    };
    let notice = NewAlert {
        lead,
        path: Some(format!("/app/customers/{shown}")),
        ..NewAlert::new(AlertKind::QuietFailure, key, title.to_owned(), body)
    };
    alert::raise_alert(tx, origin, &profile, notice).await?;
    Ok(())
}

/// The erasure was carried out, undone or asked for again: nothing waits any more.
pub(super) async fn withdraw_notices(tx: &mut Tx, erasure: &CustomerErasure, now: DateTime<Utc>) -> Result<()> {
    for key in [blocked_key(erasure), failed_key(erasure), activity_key(erasure)] {
        alert::withdraw_alert(&mut *tx, erasure.org_id, &key, now).await?;
    }
    Ok(())
}
