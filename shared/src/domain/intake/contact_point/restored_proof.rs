//! The last proven address of a record left: the office cleared it, or the records were parted. An address of the
//! record's own request that could only answer beside it gets the proof that it has by itself.

use chrono::{DateTime, Utc};

use super::{
    ContactPointKind, ContactPointProof,
    proof_record::set_aside_after_answer,
    set_aside::{InboundTimes, list_last_inbound},
    typed_contacts::set_aside_counterparts,
};
use crate::platform::{
    db::{AsConn, Tx, q},
    error::Result,
    id::{CustomerId, OrgId},
};

/// Where nothing of the customer is proven any more, the first answered address of their requests is proven by the
/// text, the call or the press that answered; texts and calls come before presses. The addresses beside it are set
/// aside, and papers sent there open no more. Not where the office dismissed the address. `heard_in`: the records whose
/// conversations may hold the answer.
pub(crate) async fn restore_answer_proof(
    tx: &mut Tx,
    org: OrgId,
    (customer, heard_in): (CustomerId, &[CustomerId]),
    at: DateTime<Utc>,
) -> Result<()> {
    let answered = list_unproven_answers(&mut *tx, org, customer).await?;
    if answered.is_empty() {
        return Ok(());
    }
    let (mut wrote, mut rang) = (InboundTimes::new(), InboundTimes::new());
    for &record in heard_in {
        let (texts, calls) = list_last_inbound(&mut *tx, org, record).await?;
        wrote.extend(texts);
        rang.extend(calls);
    }
    let is_from = |times: &InboundTimes, value: &str| times.iter().any(|(from, _)| from.as_deref() == Some(value));
    // Nothing but a text, a call or a press makes an address an answered one.
    let proven = answered.iter().map(|(kind, value, proved_at)| {
        let proof = match kind {
            ContactPointKind::Phone if is_from(&wrote, value) => ContactPointProof::Texted,
            ContactPointKind::Phone if is_from(&rang, value) => ContactPointProof::Called,
            ContactPointKind::Phone | ContactPointKind::Email => ContactPointProof::LinkOpened,
        };
        ((*kind, value.as_str()), proof, *proved_at)
    });
    let first = proven.min_by_key(|(_, proof, proved_at)| (*proof == ContactPointProof::LinkOpened, *proved_at));
    let Some((point, proof, _)) = first else { return Ok(()) };
    store_restored_proof(&mut *tx, org, customer, point, (proof, at)).await?;
    if proof == ContactPointProof::LinkOpened {
        set_aside_counterparts(&mut *tx, org, customer, point, at).await?;
    }
    set_aside_after_answer(tx, org, customer, at).await
}

/// Answered addresses that a request of the customer names, where no address of the customer is proven.
async fn list_unproven_answers(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
) -> Result<Vec<(ContactPointKind, String, Option<DateTime<Utc>>)>> {
    Ok(q!(
        conn,
        fetch_all as (ContactPointKind, String, Option<DateTime<Utc>>),
        "SELECT k.kind, k.value, k.proved_at FROM customer_key k
         WHERE k.org_id = $1 AND k.customer_id = $2 AND k.proof = 'answered'
             AND NOT EXISTS (SELECT 1 FROM customer_key p WHERE p.org_id = $1 AND p.customer_id = $2
                 AND p.proof NOT IN ('form', 'answered'))
             AND EXISTS (SELECT 1 FROM lead l WHERE l.org_id = $1 AND l.customer_id = $2
                 AND CASE WHEN k.kind = 'phone' THEN l.phone_e164 ELSE l.email END = k.value)
             AND NOT EXISTS (SELECT 1 FROM contact_proposal d WHERE d.org_id = $1 AND d.customer_id = $2
                 AND d.kind = k.kind AND d.value = k.value AND d.state = 'dismissed')
         ORDER BY k.kind DESC, k.value",
        org,
        customer
    )?)
}

/// As a proof that decides a proposal by itself: the address is not proposed any more.
async fn store_restored_proof(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (ContactPointKind, &str),
    (proof, at): (ContactPointProof, DateTime<Utc>),
) -> Result<()> {
    let key = "UPDATE customer_key SET proof = $5 WHERE org_id = $1 AND customer_id = $2 AND kind = $3 AND value = $4
         AND proof = 'answered'";
    q!(&mut *tx, execute, key, org, customer, kind, value, proof)?;
    let proposals = "UPDATE contact_proposal SET state = 'used', decided_at = $5 WHERE org_id = $1
         AND customer_id = $2 AND kind = $3 AND value = $4 AND state = 'open'";
    q!(tx, execute, proposals, org, customer, kind, value, at)?;
    Ok(())
}
