//! A first tap behind a link that was sent: until then nothing proved the person. Mailboxes cost nothing, so the visit
//! that it books counts in the limits of a day like a request of the booking page.

use chrono::{DateTime, Utc};

use super::{QuestionChannels, build_request_insert, unproven_limits};
use crate::{
    documents::template::Language,
    domain::{
        intake::lead::{FormSender, NewLead},
        tenancy::org::OrgContext,
        work::booking::{accept, hold::SlotHold},
    },
    platform::{
        db::{AsConn, Tx, batch::insert_rows, q},
        error::Result,
        id::{CustomerId, LeadId, OrgId},
    },
};

/// Whether nothing but a tap in an email, or a tap in a text since the link was made, proves the customer, and the
/// business has not worked for them.
pub(in crate::domain::work::booking) async fn is_first_proof(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    link_made_at: DateTime<Utc>,
) -> Result<bool> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM customer_key k WHERE k.org_id = $1 AND k.customer_id = $2
             AND k.proof NOT IN ('form', 'answered')
             AND (k.proof <> 'link_opened' OR (k.kind = 'phone' AND k.proved_at < $3)))
         AND NOT EXISTS (SELECT 1 FROM lead l JOIN work_event e ON e.org_id = l.org_id AND e.lead_id = l.id
             WHERE l.org_id = $1 AND l.customer_id = $2 AND e.actor_kind = 'account')";
    Ok(q!(conn, fetch_one scalar bool, sql, org, customer, link_made_at)?)
}

/// Counts the visit as a request of the day, which the caller settles. False beyond the limits of a day. A request of
/// the lead that was held within the day has been counted; the tap answers it.
pub(in crate::domain::work::booking) async fn count_first_tap(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    held: &SlotHold,
    (lead, new): (LeadId, &NewLead),
    language: Language,
    sender: &FormSender,
) -> Result<bool> {
    if unproven_limits::has_counted_request(&mut *tx, ctx, lead).await? {
        return Ok(true);
    }
    if unproven_limits::is_day_used_up(&mut *tx, ctx).await?
        || unproven_limits::is_network_used_up(&mut *tx, ctx, sender).await?
    {
        return Ok(false);
    }
    let source = (accept::hash_booking_source(ctx, sender), ctx.origin.random_uuid(), ctx.origin.now());
    let nobody = QuestionChannels::without_channels();
    let row = build_request_insert(ctx, held, (lead, new), &nobody, language, source, None);
    insert_rows(tx, &row).await?;
    Ok(true)
}
