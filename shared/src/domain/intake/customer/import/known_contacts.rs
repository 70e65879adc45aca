//! Contact keys on file that a list names. A list confirms what only forms said of a customer; otherwise a known customer
//! stays unchanged.

use std::collections::{HashMap, HashSet};

use super::{CustomerRowOutcome, sheet::CustomerImportCells};
use crate::{
    domain::intake::{
        contact_point::{self, ContactPointKind, ContactPointProof, typed_contacts},
        customer::record_change,
        lead,
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        email_address::EmailAddress,
        error::Result,
        id::{CustomerId, OrgId},
        live::{self, Topic},
        phone::Phone,
    },
};

/// Keys that identify a customer, for all rows at once.
pub(super) struct KnownContactKeys {
    proven: HashSet<String>,
    /// Keys of customers whose every key only forms typed.
    typed: HashMap<String, CustomerId>,
}

impl KnownContactKeys {
    pub async fn load_for_org(conn: &mut dyn AsConn, org: OrgId) -> Result<Self> {
        // The rule of `contact_point::identifies_customer`.
        let sql = "SELECT k.value, k.customer_id, k.proof FROM customer_key k
             WHERE k.org_id = $1 AND (k.proof NOT IN ('form', 'answered')
                 OR (k.proof = 'form' AND NOT EXISTS (SELECT 1 FROM customer_key o WHERE o.org_id = $1
                     AND o.customer_id = k.customer_id AND o.proof NOT IN ('form', 'answered'))))";
        let keys = q!(conn, fetch_all as (String, CustomerId, ContactPointProof), sql, org)?;
        let mut known = Self { proven: HashSet::new(), typed: HashMap::new() };
        for (value, customer, proof) in keys {
            if proof.is_proven() {
                known.proven.insert(value);
            } else {
                known.typed.insert(value, customer);
            }
        }
        Ok(known)
    }

    /// Later rows count the keys of this one as proven: a file does not move a customer's numbers to another row.
    pub fn classify_row(&mut self, cells: &CustomerImportCells) -> CustomerRowOutcome {
        if cells.contact_keys().any(|key| self.proven.contains(key)) {
            return CustomerRowOutcome::Same;
        }
        let customer = cells.contact_keys().find_map(|key| self.typed.get(key).copied());
        for key in cells.contact_keys() {
            self.typed.remove(key);
            self.proven.insert(key.to_owned());
        }
        let Some(customer) = customer else { return CustomerRowOutcome::Added };
        self.typed.retain(|_, holder| *holder != customer);
        CustomerRowOutcome::Updated
    }
}

/// Whom a row names.
pub(super) enum NamedCustomer {
    Unknown,
    /// One that only forms made known.
    Typed(CustomerId),
    Proven,
}

pub(super) async fn find_named_customer(
    conn: &mut dyn AsConn,
    org: OrgId,
    cells: &CustomerImportCells,
) -> Result<NamedCustomer> {
    let sql = "SELECT customer_id, proof FROM customer_key WHERE org_id = $1 AND kind = $2 AND value = $3";
    let mut typed = None;
    for (kind, value) in cells.contact_points() {
        let found = q!(&mut *conn, fetch_optional as (CustomerId, ContactPointProof), sql, org, kind, value)?;
        let Some((customer, proof)) = found else { continue };
        if proof.is_proven() {
            return Ok(NamedCustomer::Proven);
        }
        if typed.is_none() && contact_point::identifies_customer(&mut *conn, org, customer, proof).await? {
            typed = Some(customer);
        }
    }
    Ok(typed.map_or(NamedCustomer::Unknown, NamedCustomer::Typed))
}

/// The row's addresses become the customer's, as those of a request that the office types. What a form typed and the row
/// leaves out is set aside and proposed.
pub(super) async fn confirm_typed_customer(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    cells: &CustomerImportCells,
) -> Result<()> {
    let now = origin.now();
    for point in cells.contact_points() {
        claim_imported_key(&mut *tx, origin, org, customer, point).await?;
    }
    let ways = (cells.phone.as_ref(), cells.email.as_ref());
    let proof = ContactPointProof::Imported;
    lead::customer::contact_use::record_contact_use(&mut *tx, org, customer, ways, proof, now).await?;
    let named = (cells.phone.as_ref().map(Phone::as_e164), cells.email.as_ref().map(EmailAddress::as_str));
    typed_contacts::set_aside_omitted_contacts(&mut *tx, org, customer, named, now).await?;
    if let Some(email) = &cells.email {
        lead::customer::contact_use::replace_set_aside_email(&mut *tx, org, customer, email).await?;
    }
    record_change(&mut *tx, org, customer, now).await?;
    live::publish_event(tx, origin, org, Topic::Customer, customer.0, None).await
}

/// Makes an address of a list this customer's. Another record's that only a form typed there moves, and stays a proposal
/// there; one that another record has proven stays.
pub(super) async fn claim_imported_key(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (ContactPointKind, &str),
) -> Result<()> {
    let (now, imported) = (origin.now(), ContactPointProof::Imported);
    let (holder, proof) = q!(
        &mut *tx,
        fetch_one as (CustomerId, ContactPointProof),
        "INSERT INTO customer_key (org_id, kind, value, customer_id, proof, proved_at) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (org_id, kind, value) DO UPDATE SET value = excluded.value RETURNING customer_id, proof",
        org,
        kind,
        value,
        customer,
        imported,
        now
    )?;
    if holder == customer {
        return contact_point::record_proof(tx, org, customer, (kind, value), imported, now).await;
    }
    if proof.is_proven() {
        return Ok(());
    }
    let parties = (holder, customer);
    contact_point::transfer_contact_point(&mut *tx, org, parties, (kind, value), (imported, now)).await?;
    live::publish_event(tx, origin, org, Topic::Customer, holder.0, None).await
}
