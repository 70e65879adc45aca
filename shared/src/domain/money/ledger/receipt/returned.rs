//! Payments that went back: there is no receipt of them any more, because it would say that the business has the money.

use chrono::{DateTime, Utc};

use super::{EVENT, RULE, saw};
use crate::{
    domain::{
        messaging::{
            automation::{self, not_sent},
            message::Channel,
        },
        money::{
            checkout,
            estimate::content::asker,
            ledger::{Kind, PaymentView, Status, view},
        },
        tenancy::org::Profile,
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::Result,
        id::{LeadId, OrgId, PaymentId},
        money::Cents,
    },
};

/// Why there is no receipt of `paid`, of the rows of its lead; none while something of it stayed.
pub(super) fn why(paid: &PaymentView, all: &[PaymentView]) -> Option<&'static str> {
    if paid.kind != Kind::Payment {
        return None;
    }
    let back: Vec<&PaymentView> =
        all.iter().filter(|one| one.refund_of == Some(paid.id) && one.status != Status::Failed).collect();
    if back.iter().any(|one| one.note.as_deref() == Some(checkout::DISPUTED)) {
        return Some("the customer's bank took this payment back");
    }
    if back.is_empty() || paid.refundable > Cents::ZERO {
        return None;
    }
    let has_arrived = back.iter().all(|one| one.status == Status::Settled);
    Some(if has_arrived { "this payment was refunded in full" } else { "this payment is being refunded in full" })
}

/// The lead of a payment, and why its receipt does not leave; none when it may.
pub async fn gone_back(
    conn: &mut dyn AsConn,
    org: OrgId,
    id: PaymentId,
    now: DateTime<Utc>,
) -> Result<Option<(LeadId, &'static str)>> {
    let sql = "SELECT lead_id FROM payment WHERE org_id = $1 AND id = $2";
    let Some(lead) = q!(&mut *conn, fetch_optional scalar LeadId, sql, org, id)? else { return Ok(None) };
    let all = view::payments(conn, org, lead, now).await?;
    let why = all.iter().find(|one| one.id == id).and_then(|paid| why(paid, &all));
    Ok(why.map(|why| (lead, why)))
}

/// Notes beside the conversation why the receipt did not leave.
pub async fn note_gone_back(tx: &mut Tx, origin: &Origin, profile: &Profile, lead: LeadId, why: &str) -> Result<()> {
    let org = profile.org.id;
    let who = asker(&mut *tx, org, lead).await?;
    let decided = not_sent(RULE, Channel::Email, why, saw(profile, &who));
    automation::carry_out(tx, origin, org, lead, EVENT, vec![decided]).await
}
