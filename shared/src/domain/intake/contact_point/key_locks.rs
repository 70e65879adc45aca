//! Locks of customer keys. A change of a customer's keys takes them before everything else, all at once: keys (the
//! phones before the emails, each by its value), then proposals and leads, then the customer's own row. PostgreSQL ends
//! one of two transactions that lock in different orders. `SQLite` has one writer.

use super::typed_contacts::NamedContacts;
use crate::platform::{
    db::{Tx, for_update_clause, qb},
    error::Result,
    id::{CustomerId, OrgId},
};

/// Locks the customer's keys, and those of the named addresses, of any customer. Returns whether the customer has any.
pub(crate) async fn lock_customer_keys(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    (phone, email): NamedContacts<'_>,
) -> Result<bool> {
    let suffix = for_update_clause(tx);
    // Each part names the business: SQLite searches an index for each then.
    let holders = qb!(tx, fetch_all scalar CustomerId, |b| {
        b.push("SELECT customer_id FROM customer_key WHERE (org_id = ").push_bind(org);
        b.push(" AND customer_id = ").push_bind(customer);
        b.push(") OR (org_id = ").push_bind(org);
        b.push(" AND kind = 'phone' AND value = ").push_bind(phone.unwrap_or_default());
        b.push(") OR (org_id = ").push_bind(org);
        b.push(" AND kind = 'email' AND value = ").push_bind(email.unwrap_or_default());
        b.push(") ORDER BY kind DESC, value").push(suffix);
    })?;
    Ok(holders.contains(&customer))
}
