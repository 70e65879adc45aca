//! A text that denies a booking request, from the phone that was asked: the time is free at once.

use chrono::Duration;

use super::{hold, request::REQUEST_ALERTS};
use crate::{
    domain::{
        messaging::{alert, inbound::TextAnswer, message, request_denial::is_request_denied},
        tenancy::org::OrgContext,
        work::{job, pipeline},
    },
    platform::{
        db::{AsConn, Tx, q},
        error::Result,
        id::{HoldId, LeadId, OrgId},
    },
};

/// How long a text from the phone can be about the question.
const QUESTION_LASTS: Duration = Duration::hours(48);
const DENIED: &str = "they wrote that the request is not theirs";

pub(super) async fn is_asked_recently(conn: &mut dyn AsConn, org: OrgId, answer: TextAnswer<'_>) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM booking_request WHERE org_id = $1 AND created_at > $2 AND created_at <= $3
         AND phone = $4)";
    let (since, phone) = (answer.at - QUESTION_LASTS, answer.phone.as_e164());
    Ok(q!(conn, fetch_one scalar bool, sql, org, since, answer.at, phone)?)
}

/// Ends every unbooked request about which the phone was asked within the 48 hours before the text.
pub(super) async fn take_request_denial(tx: &mut Tx, ctx: &OrgContext<'_>, answer: TextAnswer<'_>) -> Result<()> {
    let org = ctx.profile.org.id;
    if !is_request_denied(answer.body) {
        return Ok(());
    }
    let sql = "SELECT id, lead_id FROM booking_request WHERE org_id = $1 AND created_at > $2 AND created_at <= $3
         AND phone = $4 AND job_id IS NULL AND denied_at IS NULL ORDER BY id";
    let (since, phone) = (answer.at - QUESTION_LASTS, answer.phone.as_e164());
    let denied = q!(&mut *tx, fetch_all as (HoldId, LeadId), sql, org, since, answer.at, phone)?;
    if denied.is_empty() {
        return Ok(());
    }
    for (id, lead) in denied {
        end_request(&mut *tx, ctx, (id, lead)).await?;
    }
    job::announce_schedule(tx, ctx.origin, org).await
}

async fn end_request(tx: &mut Tx, ctx: &OrgContext<'_>, (id, lead): (HoldId, LeadId)) -> Result<()> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    // A tap at the same moment waits here, or has booked.
    pipeline::lock_stage(&mut *tx, org, lead).await?;
    let sql = "UPDATE booking_request SET denied_at = $3,
             expires_at = CASE WHEN expires_at > $3 THEN $3 ELSE expires_at END
         WHERE org_id = $1 AND id = $2 AND job_id IS NULL AND denied_at IS NULL";
    if q!(&mut *tx, execute, sql, org, id, origin.now())? == 0 {
        return Ok(());
    }
    hold::release_hold(&mut *tx, org, id).await?;
    message::cancel_all_about(&mut *tx, origin, org, id.0, DENIED).await?;
    alert::settle_lead_alerts(tx, origin, org, lead, REQUEST_ALERTS).await
}
