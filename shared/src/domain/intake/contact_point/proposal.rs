//! Contact proposals: a phone or email that a public form gave for a customer known by the other one. Shown on lead and
//! customer; the office accepts or dismisses it, and can undo that.

use chrono::{DateTime, Duration, Utc};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{
    ContactPointKind, ContactPointProof, set_aside::SetAsideContacts, shared_contacts::list_all_contacts,
    typed_contacts,
};
use crate::{
    domain::intake::lead,
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, batch::Insert, batch_row, q},
        email_address::EmailAddress,
        error::Result,
        id::{ContactProposalId, CustomerId, LeadId, OrgId},
        live::{self, Topic},
        phone::Phone,
    },
};

pub mod decision;
mod restored_contact;

/// A call or text from a proposed number within this time counts as an answer to the form that named it.
const ANSWER_WINDOW: Duration = Duration::days(30);
/// Limit of open proposals per customer: more are useless to the office and may come from a bot.
pub(crate) const MAX_OPEN_PROPOSALS: i64 = 10;

/// Whether a form of the lead named an address that is not on file for the customer. Where presses are the only proofs,
/// a form must name every address of the customer, and those that the first press set aside are on file.
pub(crate) async fn has_open_proposal(
    conn: &mut dyn AsConn,
    org: OrgId,
    (customer, lead): (CustomerId, LeadId),
) -> Result<bool> {
    let counts_own = typed_contacts::has_stronger_proof(&mut *conn, org, customer).await?;
    let sql = "SELECT EXISTS (SELECT 1 FROM contact_proposal o WHERE o.org_id = $1 AND o.customer_id = $2
         AND o.state = 'open' AND o.lead_id = $3 AND NOT EXISTS (SELECT 1 FROM customer_key k
             WHERE k.org_id = $1 AND k.customer_id = $2 AND k.kind = o.kind AND k.value = o.value
                 AND (NOT $4 OR k.proof NOT IN ('form', 'answered'))))";
    Ok(q!(conn, fetch_one scalar bool, sql, org, customer, lead, counts_own)?)
}

/// The row of a new proposal; none when the office already dismissed this address or too many are open.
pub(crate) async fn build_proposal_insert<'a>(
    conn: &mut dyn AsConn,
    origin: &ClockRng,
    org: OrgId,
    (customer, lead): (CustomerId, LeadId),
    (kind, value): (ContactPointKind, String),
) -> Result<Option<Insert<'a>>> {
    let is_wanted = q!(
        conn,
        fetch_one scalar bool,
        "SELECT NOT EXISTS (SELECT 1 FROM contact_proposal WHERE org_id = $1 AND customer_id = $2 AND state = 'dismissed'
                 AND kind = $3 AND value = $4)
             AND (SELECT COUNT(*) FROM contact_proposal WHERE org_id = $1 AND customer_id = $2 AND state = 'open') < $5",
        org,
        customer,
        kind,
        value.as_str(),
        MAX_OPEN_PROPOSALS
    )?;
    let id = ContactProposalId(origin.random_uuid());
    let insert = || {
        batch_row!(contact_proposal {
            org_id: org,
            id,
            customer_id: customer,
            lead_id: lead,
            kind,
            value,
            state: "open",
            created_at: origin.now(),
        })
        .on_conflict_do_nothing("org_id, lead_id, kind, value")
    };
    Ok(is_wanted.then(insert))
}

/// Proposes a customer's address that is set aside from now on.
pub(super) async fn propose_typed_contact(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (ContactPointKind, &str),
    at: DateTime<Utc>,
) -> Result<()> {
    let id = proposal_id_for_contact(org, customer, (kind, value));
    q!(
        tx,
        execute,
        "INSERT INTO contact_proposal (org_id, id, customer_id, lead_id, kind, value, state, created_at)
         SELECT $1, $2, $3, l.id, $4, $5, 'open', $6 FROM lead l WHERE l.org_id = $1 AND l.customer_id = $3
             AND NOT EXISTS (SELECT 1 FROM contact_proposal d WHERE d.org_id = $1 AND d.customer_id = $3
                 AND d.kind = $4 AND d.value = $5)
         ORDER BY l.created_at, l.id LIMIT 1 ON CONFLICT DO NOTHING",
        org,
        id,
        customer,
        kind,
        value,
        at
    )?;
    Ok(())
}

pub(super) async fn propose_typed_contacts(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    points: &[(ContactPointKind, String)],
    at: DateTime<Utc>,
) -> Result<()> {
    for (kind, value) in points {
        propose_typed_contact(&mut *tx, org, customer, (*kind, value), at).await?;
    }
    Ok(())
}

/// The id is derived from customer and address, so each address is proposed once.
fn proposal_id_for_contact(
    org: OrgId,
    customer: CustomerId,
    (kind, value): (ContactPointKind, &str),
) -> ContactProposalId {
    let digest = Sha256::digest(format!("{org} {customer} {kind:?} {value}"));
    ContactProposalId(Uuid::from_slice(digest.get(..16).unwrap_or_default()).unwrap_or_default())
}

/// Withdraws undecided proposals that [`propose_typed_contact`] made since, also of addresses that are set aside no
/// more.
pub(crate) async fn withdraw_typed_proposals(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    since: DateTime<Utc>,
) -> Result<()> {
    let aside = SetAsideContacts::load_for_customer(&mut *tx, org, customer).await?;
    for point in aside.contact_points() {
        withdraw_typed_proposal(&mut *tx, org, customer, point, since).await?;
    }
    for (kind, value) in list_all_contacts(&mut *tx, org, customer).await? {
        withdraw_typed_proposal(&mut *tx, org, customer, (kind, &value), since).await?;
    }
    Ok(())
}

async fn withdraw_typed_proposal(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    point: (ContactPointKind, &str),
    since: DateTime<Utc>,
) -> Result<()> {
    let id = proposal_id_for_contact(org, customer, point);
    let sql = "DELETE FROM contact_proposal WHERE org_id = $1 AND id = $2 AND state = 'open' AND created_at >= $3";
    q!(tx, execute, sql, org, id, since)?;
    Ok(())
}

pub(super) async fn mark_proposal_answered(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (ContactPointKind, &str),
    at: DateTime<Utc>,
) -> Result<()> {
    let sql = "UPDATE contact_proposal SET answered_at = $5 WHERE org_id = $1 AND customer_id = $2 AND kind = $3
         AND value = $4 AND state = 'open' AND answered_at IS NULL";
    q!(tx, execute, sql, org, customer, kind, value, at)?;
    Ok(())
}

/// The customer that a form named this number for; none when forms named it for several lately.
pub(crate) async fn find_customer_by_proposed_phone(
    conn: &mut dyn AsConn,
    org: OrgId,
    phone: &Phone,
    now: DateTime<Utc>,
) -> Result<Option<CustomerId>> {
    let named = q!(
        conn,
        fetch_all scalar CustomerId,
        "SELECT DISTINCT customer_id FROM contact_proposal WHERE org_id = $1 AND kind = 'phone' AND value = $2
             AND state = 'open' AND created_at > $3 LIMIT 2",
        org,
        phone.as_e164(),
        now - ANSWER_WINDOW
    )?;
    Ok(match named[..] {
        [customer] => Some(customer),
        _ => None,
    })
}

/// Records that a proposed address answered: a call, a text, or an opened link. This proves that the address is real,
/// not that it is the customer's, so the office decides. It becomes the customer's at once only when no other address
/// of theirs is known. Returns what is proven.
pub(crate) async fn record_proposal_answer(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (ContactPointKind, &str),
    proof: ContactPointProof,
) -> Result<ContactPointProof> {
    let now = origin.now();
    let has_more = "SELECT EXISTS (SELECT 1 FROM customer_key WHERE org_id = $1 AND customer_id = $2
             AND NOT (kind = $3 AND value = $4))
         OR EXISTS (SELECT 1 FROM customer WHERE org_id = $1 AND id = $2
             AND (phone_e164 IS NOT NULL OR email IS NOT NULL))";
    let asks = q!(&mut *tx, fetch_one scalar bool, has_more, org, customer, kind, value)?;
    q!(
        &mut *tx,
        execute,
        "UPDATE contact_proposal SET answered_at = $5, state = CASE WHEN $6 THEN 'open' ELSE 'used' END,
             decided_at = CASE WHEN $6 THEN decided_at ELSE $5 END
         WHERE org_id = $1 AND customer_id = $2 AND kind = $3 AND value = $4 AND state = 'open'",
        org,
        customer,
        kind,
        value,
        now,
        asks
    )?;
    live::publish_event(tx, origin, org, Topic::Customer, customer.0, None).await?;
    Ok(if asks { ContactPointProof::Answered } else { proof })
}

pub(crate) async fn record_proposal_link_opened(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (ContactPointKind, &str),
) -> Result<()> {
    let sql = "SELECT EXISTS (SELECT 1 FROM contact_proposal WHERE org_id = $1 AND customer_id = $2 AND kind = $3
        AND value = $4 AND state = 'open')";
    if !q!(&mut *tx, fetch_one scalar bool, sql, org, customer, kind, value)? {
        return Ok(());
    }
    let proof =
        record_proposal_answer(&mut *tx, origin, org, customer, (kind, value), ContactPointProof::LinkOpened).await?;
    let sql = "INSERT INTO customer_key (org_id, kind, value, customer_id, last_used_at, proof, proved_at)
         VALUES ($1, $2, $3, $4, $5, $6, $5) ON CONFLICT (org_id, kind, value) DO NOTHING";
    q!(&mut *tx, execute, sql, org, kind, value, customer, origin.now(), proof)?;
    if !proof.is_proven() {
        return Ok(());
    }
    let phone = (kind == ContactPointKind::Phone).then(|| Phone::from_e164(value)).flatten();
    let email = (kind == ContactPointKind::Email).then(|| EmailAddress::from_stored(value.to_owned()));
    let point = (phone.as_ref(), email.as_ref());
    lead::customer::contact_use::record_contact_use(tx, org, customer, point, proof, origin.now()).await
}
