//! Why the time of an unproven person's request is not held: no channel, the limits of a day, or the email share.

use chrono::Duration;

use super::{NotHeldReason, QuestionChannels, SlotHold, accept, email_share};
use crate::{
    domain::{
        intake::lead::FormSender,
        tenancy::org::OrgContext,
        work::booking::hold_limits::{self, HoldSource},
    },
    platform::{
        db::{AsConn, Tx, q},
        email_address::EmailAddress,
        error::Result,
        id::{CustomerId, LeadId},
        throttle::{self, WindowLimit},
    },
};

/// Window of the limits in the settings.
const A_DAY: Duration = Duration::hours(24);
/// Unanswered questions to one customer within a day; beyond it no question is sent.
const MAX_UNANSWERED: i64 = 3;

/// Nothing is held without an open channel or beyond a limit.
pub(super) async fn find_not_held_reason(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    held: &SlotHold,
    ways: &QuestionChannels,
    customer: CustomerId,
    sender: &FormSender,
) -> Result<Option<NotHeldReason>> {
    if !ways.has_any() {
        return Ok(Some(NotHeldReason::NoChannel));
    }
    if !is_holdable(&mut *tx, ctx, held, sender).await? {
        return Ok(Some(NotHeldReason::LimitReached));
    }
    if let Some(limit) = find_reached_limit(&mut *tx, ctx, customer, sender).await? {
        return Ok(Some(limit));
    }
    let time = (held.starts_at, held.ends_at);
    let is_beyond = ways.phone.is_none() && email_share::is_beyond_share(tx, ctx, time, customer).await?;
    Ok(is_beyond.then_some(NotHeldReason::ShareUsed))
}

/// The email that is not asked beside a phone: the share is used up, so a tap there would not keep the time.
pub(super) async fn take_email_beyond_share(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    held: &SlotHold,
    ways: &mut QuestionChannels,
    customer: CustomerId,
) -> Result<Option<EmailAddress>> {
    if ways.phone.is_none() || ways.email.is_none() {
        return Ok(None);
    }
    let is_beyond = email_share::is_beyond_share(tx, ctx, (held.starts_at, held.ends_at), customer).await?;
    Ok(if is_beyond { ways.email.take() } else { None })
}

/// The daily limit of the network, of the business, or of the customer's unanswered questions, where one is reached.
async fn find_reached_limit(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    customer: CustomerId,
    sender: &FormSender,
) -> Result<Option<NotHeldReason>> {
    let (org, since) = (ctx.profile.org.id, ctx.origin.now() - A_DAY);
    if is_day_used_up(&mut *tx, ctx).await? {
        return Ok(Some(NotHeldReason::LimitReached));
    }
    let unanswered = "SELECT COUNT(*) FROM booking_request r JOIN lead l ON l.org_id = r.org_id AND l.id = r.lead_id
         WHERE r.org_id = $1 AND r.created_at > $2 AND r.confirmed_at IS NULL AND r.not_held IS NULL
             AND l.customer_id = $3";
    if q!(&mut *tx, fetch_one scalar i64, unanswered, org, since, customer)? >= MAX_UNANSWERED {
        return Ok(Some(NotHeldReason::Unanswered));
    }
    Ok(is_network_used_up(tx, ctx, sender).await?.then_some(NotHeldReason::NetworkLimit))
}

/// Whether the business has had its requests of a day.
pub(super) async fn is_day_used_up(conn: &mut dyn AsConn, ctx: &OrgContext<'_>) -> Result<bool> {
    let (org, since) = (ctx.profile.org.id, ctx.origin.now() - A_DAY);
    let all = "SELECT COUNT(*) FROM booking_request WHERE org_id = $1 AND created_at > $2 AND not_held IS NULL";
    Ok(q!(conn, fetch_one scalar i64, all, org, since)? >= ctx.profile.settings.booking.unproven_per_day)
}

/// Whether the sender's network, or one around it, has had its requests of a day. Counts the request.
pub(super) async fn is_network_used_up(tx: &mut Tx, ctx: &OrgContext<'_>, sender: &FormSender) -> Result<bool> {
    let (org, since) = (ctx.profile.org.id, ctx.origin.now() - A_DAY);
    let Some(source) = accept::hash_booking_source(ctx, sender) else { return Ok(false) };
    let own = "SELECT COUNT(*) FROM booking_request WHERE org_id = $1 AND created_at > $2 AND source_hash = $3";
    let of_network = q!(&mut *tx, fetch_one scalar i64, own, org, since, source)?;
    Ok(of_network >= ctx.profile.settings.booking.unproven_per_network || is_over_wider_share(tx, ctx, sender).await?)
}

/// Whether a request of the lead is counted in the limits of the day and neither booked nor denied.
pub(super) async fn has_counted_request(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, lead: LeadId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM booking_request WHERE org_id = $1 AND lead_id = $2 AND created_at > $3
         AND not_held IS NULL AND job_id IS NULL AND denied_at IS NULL)";
    Ok(q!(conn, fetch_one scalar bool, sql, ctx.profile.org.id, lead, ctx.origin.now() - A_DAY)?)
}

/// Whether a network around the sender has had its part of the business's day: half for an IPv4 /24 or an IPv6 /48, three
/// quarters for an IPv6 /32. Counts the request.
async fn is_over_wider_share(tx: &mut Tx, ctx: &OrgContext<'_>, sender: &FormSender) -> Result<bool> {
    let (org, set) = (ctx.profile.org.id, &ctx.profile.settings.booking);
    for (place, part) in hold_limits::surrounding_shares(sender.ip, set.unproven_per_day) {
        let limit = WindowLimit::per_day(part.max(set.unproven_per_network));
        let place = format!("{org}|{place}");
        if !throttle::try_count_action(&mut *tx, ctx.origin, ctx.secret, "booking around", &place, limit).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the chosen time is held still, or may be held now.
async fn is_holdable(tx: &mut Tx, ctx: &OrgContext<'_>, held: &SlotHold, sender: &FormSender) -> Result<bool> {
    if held.expires_at > ctx.origin.now() {
        return Ok(true);
    }
    hold_limits::may_hold_slot(tx, ctx, held, HoldSource::of_sender(sender)).await
}
