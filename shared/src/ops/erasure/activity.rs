//! What a person did after their erasure was asked for: they wrote, called, sent a form, asked for a visit or approved an
//! estimate. It postpones the erasure until the owner asks for it again or undoes it, and the owner is told once.

use super::{CustomerErasure, ErasureContext, postponement::raise_notice};
use crate::platform::{
    db::{AsConn, q},
    error::{Error, Result},
    id::LeadId,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CustomerActivity {
    Approved,
    AskedForVisit,
    SentForm,
    Wrote,
    Called,
}

impl CustomerActivity {
    fn as_words(self) -> &'static str {
        match self {
            Self::Approved => "approved an estimate",
            Self::AskedForVisit => "asked for a visit",
            Self::SentForm => "sent a form",
            Self::Wrote => "wrote",
            Self::Called => "called",
        }
    }
}

/// Forms that the office typed, held forms and refused calls do not count, nor words that a STOP from the same number
/// followed: who ends with STOP waits for nothing.
pub(super) async fn find_activity_since_asked(
    conn: &mut dyn AsConn,
    erasure: &CustomerErasure,
) -> Result<Option<CustomerActivity>> {
    let sql = "SELECT
        EXISTS (SELECT 1 FROM lead l CROSS JOIN estimate e CROSS JOIN approval a WHERE l.org_id = $1
            AND l.customer_id = $2 AND e.org_id = $1 AND e.lead_id = l.id AND a.org_id = $1 AND a.estimate_id = e.id
            AND a.at > $3),
        EXISTS (SELECT 1 FROM lead l CROSS JOIN booking_request r WHERE l.org_id = $1 AND l.customer_id = $2
            AND l.held_reason IS NULL AND r.org_id = $1 AND r.lead_id = l.id AND r.created_at > $3),
        EXISTS (SELECT 1 FROM lead l CROSS JOIN lead_inquiry i WHERE l.org_id = $1 AND l.customer_id = $2
            AND l.held_reason IS NULL AND i.org_id = $1 AND i.lead_id = l.id AND i.at > $3
            AND i.form IN ('lead', 'quote', 'booking')),
        EXISTS (SELECT 1 FROM message m WHERE m.org_id = $1 AND m.customer_id = $2 AND m.direction = 'in'
            AND m.created_at > $3 AND m.opt_out_type IS NULL AND NOT EXISTS (SELECT 1 FROM opt_out o
                WHERE o.org_id = $1 AND o.channel = m.channel AND o.address = m.from_address AND o.state = 'stopped'
                    AND o.at >= m.created_at)),
        EXISTS (SELECT 1 FROM call c WHERE c.org_id = $1 AND c.customer_id = $2 AND c.started_at > $3
            AND c.status <> 'refused')";
    let (org, customer, since) = (erasure.org_id, erasure.customer_id, erasure.asked_at);
    let row = q!(conn, fetch_one as (bool, bool, bool, bool, bool), sql, org, customer, since)?;
    let kinds = [
        (row.0, CustomerActivity::Approved),
        (row.1, CustomerActivity::AskedForVisit),
        (row.2, CustomerActivity::SentForm),
        (row.3, CustomerActivity::Wrote),
        (row.4, CustomerActivity::Called),
    ];
    Ok(kinds.into_iter().find_map(|(is_found, kind)| is_found.then_some(kind)))
}

/// One alert for each time that the erasure was asked for.
pub(super) fn activity_key(erasure: &CustomerErasure) -> String {
    format!("erasure-activity:{}:{}", erasure.id, erasure.asked_at.timestamp_millis())
}

/// Tells the owner once. False when there is nothing to tell, or it was told before.
pub(super) async fn tell_of_activity(ctx: &ErasureContext<'_>, erasure: &CustomerErasure) -> Result<bool> {
    let (org, mut conn) = (erasure.org_id, ctx.db.acquire_reader().await?);
    let Some(activity) = find_activity_since_asked(&mut conn, erasure).await? else { return Ok(false) };
    let key = activity_key(erasure);
    let sql = "SELECT EXISTS (SELECT 1 FROM alert WHERE org_id = $1 AND dedupe_key = $2)";
    if q!(&mut conn, fetch_one scalar bool, sql, org, &key)? {
        return Ok(false);
    }
    // An erasure and a copy find the alert, which names the person, by the lead.
    let sql = "SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2 ORDER BY created_at DESC, id DESC LIMIT 1";
    let lead = q!(&mut conn, fetch_optional scalar LeadId, sql, org, erasure.customer_id)?;
    let sql = "SELECT name FROM customer WHERE org_id = $1 AND id = $2";
    let name = q!(&mut conn, fetch_optional scalar String, sql, org, erasure.customer_id)?.ok_or(Error::NotFound)?;
    drop(conn);
    let who = if lead.is_some() && !name.trim().is_empty() { name.as_str() } else { "A customer" };
    let title = format!("{who} {} after you planned the erasure", activity.as_words());
    let body = "They are not erased until you decide. Erase them anyway on their page, or undo the erasure.".to_owned();
    let mut tx = ctx.db.begin().await?;
    tx.guard_writable(org);
    raise_notice(&mut tx, ctx.origin, erasure, lead, (key, title.as_str(), body)).await?;
    tx.commit().await?;
    Ok(true)
}
