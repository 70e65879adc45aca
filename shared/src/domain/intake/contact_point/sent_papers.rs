//! Papers that were sent to an address before it was set aside: their copies there open nothing from then on.

use chrono::{DateTime, Utc};

use super::ContactPointKind;
use crate::platform::{
    access_link::{
        AccessLink,
        copy::{self, LinkCopyChannel},
    },
    db::{AsConn, Tx, q},
    error::Result,
    id::{CustomerId, OrgId},
};

/// Revokes the copies of this customer's papers at the address. Papers of another customer there, and copies at other
/// addresses, stay.
pub(super) async fn withdraw_sent_papers(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (ContactPointKind, &str),
    at: DateTime<Utc>,
) -> Result<()> {
    let way = match kind {
        ContactPointKind::Phone => LinkCopyChannel::Phone,
        ContactPointKind::Email => LinkCopyChannel::Email,
    };
    for link in list_paper_copies(&mut *tx, org, customer, (way, value)).await? {
        copy::withdraw_copy(&mut *tx, &link, (way, value), at).await?;
    }
    Ok(())
}

/// The copies of this customer's papers that were sent to an address: pages that show what is on file. A question about
/// a time and the free times show nothing on file.
async fn list_paper_copies(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (way, address): (LinkCopyChannel, &str),
) -> Result<Vec<AccessLink>> {
    Ok(q!(
        conn,
        fetch_all as AccessLink,
        "SELECT l.id, l.org_id, l.kind, l.subject_id, l.created_at, l.expires_at, l.first_seen_at, l.last_seen_at, l.seen,
             c.kind AS copy_way, c.value AS copy_value
         FROM access_link_copy c CROSS JOIN access_link l
         WHERE c.org_id = $1 AND c.kind = $3 AND c.value = $4 AND l.org_id = $1 AND l.id = c.link_id
             AND l.revoked_at IS NULL AND l.kind IN ('estimate', 'invoice', 'visit', 'review')
             AND CASE l.kind
                 WHEN 'estimate' THEN (SELECT d.customer_id FROM estimate s
                     JOIN lead d ON d.org_id = s.org_id AND d.id = s.lead_id
                     WHERE s.org_id = $1 AND s.id = l.subject_id)
                 WHEN 'invoice' THEN (SELECT d.customer_id FROM invoice s
                     JOIN lead d ON d.org_id = s.org_id AND d.id = s.lead_id
                     WHERE s.org_id = $1 AND s.id = l.subject_id)
                 WHEN 'visit' THEN (SELECT d.customer_id FROM job s
                     JOIN lead d ON d.org_id = s.org_id AND d.id = s.lead_id
                     WHERE s.org_id = $1 AND s.id = l.subject_id)
                 ELSE (SELECT s.customer_id FROM review_request s WHERE s.org_id = $1 AND s.id = l.subject_id) END = $2
         ORDER BY c.made_at, c.id",
        org,
        customer,
        way,
        address
    )?)
}
