//! Customers: every person known to the business, with one record each.
//!
//! Matching a request to its customer is done in [`crate::domain::intake::lead::customer`]; `ops::customer_merge`
//! merges two records. A merged record is kept so that the merge can be undone, and is in no list.

use chrono::{DateTime, Utc};

use crate::conflicts::ConflictCode;
use crate::platform::{
    db::{AsConn, Tx, q},
    error::{Error, Result},
    id::{CustomerId, OrgId},
    phone::Phone,
};

pub(crate) mod customer_flags;
pub mod duplicate;
pub mod edit;
mod erasure_status;
pub mod import;
pub mod listener;
pub mod merged_customers;
pub mod property;

pub use super::lead::customer::{RecognizedCustomer, UnknownContacts, find_by_phone, match_customer};
pub(crate) use super::lead::customer::{
    ReservedKeys, choose_language,
    contact_use::{record_contact_use, record_phone_use},
    find_caller, find_conversation_customer, find_or_create_customer, load_display_name,
    sms_refusal::{clear_sms_undeliverable, mark_sms_undeliverable, sms_refusal_cutoff},
};
pub(crate) use customer_flags::{fill_language, record_complaint, store_flags};
pub use erasure_status::CustomerErasureStatus;
pub(crate) use listener::{CustomerEvent, notify_customer_listeners};
pub use property::address_key;

pub(crate) fn display_phone(e164: Option<&str>) -> Option<String> {
    e164.and_then(Phone::parse).map(|phone| phone.format_display().into_owned())
}

/// The current record: this one, or the one it was merged into.
pub async fn resolve_merged(conn: &mut dyn AsConn, org: OrgId, id: CustomerId) -> Result<CustomerId> {
    let sql = "SELECT merged_into FROM customer WHERE org_id = $1 AND id = $2";
    let mut at = id;
    // Terminates: a record is only merged into an older one.
    while let Some(into) =
        q!(&mut *conn, fetch_optional scalar Option<CustomerId>, sql, org, at)?.ok_or(Error::NotFound)?
    {
        at = into;
    }
    Ok(at)
}

/// # Errors
/// [`Error::NotFound`] when the org has no such customer; [`Error::Conflict`] when the record was merged into another.
pub(crate) async fn check_not_merged(conn: &mut dyn AsConn, org: OrgId, id: CustomerId) -> Result<()> {
    if resolve_merged(conn, org, id).await? == id {
        return Ok(());
    }
    Err(ConflictCode::RecordMerged.into_error())
}

/// The business changed the record: a customer without a request is kept for a period from then on.
pub(crate) async fn record_change(tx: &mut Tx, org: OrgId, id: CustomerId, at: DateTime<Utc>) -> Result<()> {
    q!(tx, execute, "UPDATE customer SET changed_at = $3 WHERE org_id = $1 AND id = $2", org, id, at)?;
    Ok(())
}
