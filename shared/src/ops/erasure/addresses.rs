//! Addresses of a person: those on file, and those that the office removed while messages, calls and requests of the
//! person still name them. An address that another customer has now is not theirs.

use std::collections::BTreeSet;

use crate::platform::{
    db::{AsConn, Tx, q},
    error::Result,
    id::{CustomerId, OrgId},
};

/// Addresses that one record leads to. `records`: all of the person, any of which may hold them.
pub(super) async fn list_addresses(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    records: &[CustomerId],
) -> Result<Vec<String>> {
    let sql = "SELECT own.value, k.customer_id FROM (
            SELECT value FROM customer_key WHERE org_id = $1 AND customer_id = $2
            UNION SELECT value FROM contact_proposal WHERE org_id = $1 AND customer_id = $2
            UNION SELECT phone_e164 FROM customer WHERE org_id = $1 AND id = $2 AND phone_e164 IS NOT NULL
            UNION SELECT email FROM customer WHERE org_id = $1 AND id = $2 AND email IS NOT NULL
            UNION SELECT phone_e164 FROM lead WHERE org_id = $1 AND customer_id = $2 AND phone_e164 IS NOT NULL
            UNION SELECT email FROM lead WHERE org_id = $1 AND customer_id = $2 AND email IS NOT NULL
            UNION SELECT from_address FROM call WHERE org_id = $1 AND customer_id = $2 AND from_address IS NOT NULL
            UNION SELECT CASE WHEN direction = 'out' THEN to_address ELSE from_address END FROM message
                WHERE org_id = $1 AND customer_id = $2 AND to_address <> ''
                    AND (direction = 'out' OR from_address IS NOT NULL)) own
        LEFT JOIN customer_key k ON k.org_id = $1 AND k.kind IN ('phone', 'email') AND k.value = own.value
        ORDER BY own.value";
    let found = q!(conn, fetch_all as (String, Option<CustomerId>), sql, org, customer)?;
    let is_own = |holder: CustomerId| records.contains(&holder);
    // One that both kinds of keys name is listed twice.
    let (mut own, mut foreign) = (BTreeSet::new(), BTreeSet::new());
    for (value, holder) in found {
        let addresses = if holder.is_none_or(is_own) { &mut own } else { &mut foreign };
        addresses.insert(value);
    }
    Ok(own.difference(&foreign).cloned().collect())
}

/// When the business last wrote to each address, and from which number.
pub(super) async fn delete_sending_contacts(tx: &mut Tx, org: OrgId, addresses: &[String]) -> Result<()> {
    for address in addresses {
        let sql = "DELETE FROM sending_contact WHERE org_id = $1 AND address = $2";
        q!(&mut *tx, execute, sql, org, address)?;
    }
    Ok(())
}

/// Numbers of calls that belong to nobody: the caller was no customer yet, and somebody answered or they hung up.
pub(super) async fn clear_unknown_callers(tx: &mut Tx, org: OrgId, addresses: &[String]) -> Result<u64> {
    let sql = "UPDATE call SET from_address = NULL
        WHERE org_id = $1 AND customer_id IS NULL AND lead_id IS NULL AND from_address = $2";
    let mut cleared = 0;
    for address in addresses {
        cleared += q!(&mut *tx, execute, sql, org, address)?;
    }
    Ok(cleared)
}

/// Reviews that name an address of the person and were matched to nobody, because they came before the person was known
/// or a member said so. They become the person's, so that the catalogue and the alerts reach them.
pub(super) async fn assign_unmatched_reviews(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    addresses: &[String],
) -> Result<()> {
    let sql = "UPDATE review SET customer_id = $3, matched = CASE WHEN phone_e164 = $2 THEN 'phone' ELSE 'email' END
        WHERE org_id = $1 AND customer_id IS NULL AND lead_id IS NULL AND (phone_e164 = $2 OR email = $2)";
    for address in addresses {
        q!(&mut *tx, execute, sql, org, address, customer)?;
    }
    Ok(())
}
