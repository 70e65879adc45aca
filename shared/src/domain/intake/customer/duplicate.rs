//! Duplicate suggestions: records that may be the same person. They are never merged automatically.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::display_phone;
use crate::{
    domain::intake::contact_point::{ContactPointKind, ContactPointProof},
    platform::{
        db::{AsConn, q, qb},
        error::Result,
        id::{CustomerId, OrgId},
        phone::Phone,
    },
};

const MOST: usize = 5;
const ADDRESSES: usize = 20;

/// Another record that may be the same person's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomerDuplicate {
    pub id: CustomerId,
    pub name: String,
    /// As people read it.
    pub phone_shown: Option<String>,
    pub email: Option<String>,
    /// What proves the phone and the email above.
    pub phone_proof: Option<ContactPointProof>,
    pub email_proof: Option<ContactPointProof>,
    /// "Same email: ann@customer.example".
    pub why: String,
    /// When a form of that record typed the phone from which this one called or texted. The form proves nothing: a
    /// stranger may have typed the customer's email beside their own phone.
    pub requested_at: Option<DateTime<Utc>>,
}

/// Why two records may be one person's, the likeliest first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum DuplicateReason {
    PhoneOfRequest(DateTime<Utc>, String),
    SharedPhone(String),
    SharedEmail(String),
    SimilarName(String),
}

impl DuplicateReason {
    fn of_contact(kind: ContactPointKind, value: String) -> Self {
        match kind {
            ContactPointKind::Phone => Self::SharedPhone(display_phone(Some(&value)).unwrap_or(value)),
            ContactPointKind::Email => Self::SharedEmail(value),
        }
    }

    fn requested_at(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::PhoneOfRequest(at, _) => Some(*at),
            _ => None,
        }
    }

    fn describe(&self) -> String {
        match self {
            Self::PhoneOfRequest(_, phone) => {
                format!("Same phone: {phone}, only typed into their form. Ask before you merge.")
            }
            Self::SharedPhone(phone) => format!("Same phone: {phone}"),
            Self::SharedEmail(email) => format!("Same email: {email}"),
            Self::SimilarName(address) => format!("A similar name, and both are at {address}"),
        }
    }
}

#[derive(FromRow)]
struct DuplicateRow {
    name: String,
    phone_e164: Option<Phone>,
    email: Option<String>,
    phone_proof: Option<ContactPointProof>,
    email_proof: Option<ContactPointProof>,
}

/// Records that share a number, an email, or an address with a similar name, the likeliest first. A number or email is
/// the key of one record only, but a request may name another's: "call my husband at …".
pub async fn find_duplicates(
    conn: &mut dyn AsConn,
    org: OrgId,
    id: CustomerId,
    name: &str,
) -> Result<Vec<CustomerDuplicate>> {
    let mut reasons = list_requests_with_phone(&mut *conn, org, id).await?;
    for (other, kind, value) in list_shared_contacts(&mut *conn, org, id).await? {
        reasons.push((other, DuplicateReason::of_contact(kind, value)));
    }
    for (other, theirs, address) in list_same_address_customers(&mut *conn, org, id).await? {
        if are_names_similar(name, &theirs) {
            reasons.push((other, DuplicateReason::SimilarName(address)));
        }
    }
    load_duplicates(conn, org, reasons).await
}

/// Records whose form typed the phone from which this customer called or texted: a person who confirmed a request by
/// its email, and then texts, gets a record of their own.
pub async fn find_request_duplicates(
    conn: &mut dyn AsConn,
    org: OrgId,
    id: CustomerId,
) -> Result<Vec<CustomerDuplicate>> {
    let reasons = list_requests_with_phone(&mut *conn, org, id).await?;
    load_duplicates(conn, org, reasons).await
}

/// Records that name the same number or email: a similar name at the same address is not enough.
pub async fn find_contact_duplicates(
    conn: &mut dyn AsConn,
    org: OrgId,
    id: CustomerId,
) -> Result<Vec<CustomerDuplicate>> {
    let shared = list_shared_contacts(&mut *conn, org, id).await?.into_iter();
    let reasons = shared.map(|(other, kind, value)| (other, DuplicateReason::of_contact(kind, value))).collect();
    load_duplicates(conn, org, reasons).await
}

/// Each record once, with its likeliest reason.
async fn load_duplicates(
    conn: &mut dyn AsConn,
    org: OrgId,
    reasons: Vec<(CustomerId, DuplicateReason)>,
) -> Result<Vec<CustomerDuplicate>> {
    let mut likeliest: BTreeMap<CustomerId, DuplicateReason> = BTreeMap::new();
    for (other, reason) in reasons {
        let known = likeliest.entry(other).or_insert_with(|| reason.clone());
        if reason < *known {
            *known = reason;
        }
    }
    let mut ordered: Vec<(CustomerId, DuplicateReason)> = likeliest.into_iter().collect();
    ordered.sort_by(|one, other| one.1.cmp(&other.1));
    let mut found = Vec::new();
    for (other, reason) in ordered.into_iter().take(MOST) {
        let row = q!(
            &mut *conn,
            fetch_optional as DuplicateRow,
            "SELECT c.name, c.phone_e164, c.email, p.proof AS phone_proof, e.proof AS email_proof FROM customer c
                 LEFT JOIN customer_key p ON p.org_id = c.org_id AND p.kind = 'phone' AND p.value = c.phone_e164
                     AND p.customer_id = c.id
                 LEFT JOIN customer_key e ON e.org_id = c.org_id AND e.kind = 'email' AND e.value = c.email
                     AND e.customer_id = c.id
             WHERE c.org_id = $1 AND c.id = $2 AND c.merged_into IS NULL",
            org,
            other
        )?;
        let Some(row) = row else { continue };
        found.push(CustomerDuplicate {
            id: other,
            phone_shown: row.phone_e164.map(|phone| phone.format_display().into_owned()),
            name: row.name,
            email: row.email,
            phone_proof: row.phone_proof,
            email_proof: row.email_proof,
            why: reason.describe(),
            requested_at: reason.requested_at(),
        });
    }
    Ok(found)
}

async fn list_requests_with_phone(
    conn: &mut dyn AsConn,
    org: OrgId,
    id: CustomerId,
) -> Result<Vec<(CustomerId, DuplicateReason)>> {
    let found = q!(
        conn,
        fetch_all as (CustomerId, String, DateTime<Utc>),
        "SELECT l.customer_id, k.value, MAX(l.created_at) FROM customer_key k
             JOIN lead l ON l.org_id = k.org_id AND l.phone_e164 = k.value AND l.customer_id <> k.customer_id
         WHERE k.org_id = $1 AND k.customer_id = $2 AND k.kind = 'phone' AND k.proof IN ('called', 'texted')
             AND l.form IN ('lead', 'quote', 'booking') AND l.held_reason IS NULL
         GROUP BY l.customer_id, k.value",
        org,
        id
    )?;
    let reason = |value: String, at| DuplicateReason::PhoneOfRequest(at, display_phone(Some(&value)).unwrap_or(value));
    Ok(found.into_iter().map(|(other, value, at)| (other, reason(value, at))).collect())
}

async fn list_shared_contacts(
    conn: &mut dyn AsConn,
    org: OrgId,
    id: CustomerId,
) -> Result<Vec<(CustomerId, ContactPointKind, String)>> {
    let mut found = Vec::new();
    for (kind, column) in [("phone", "phone_e164"), ("email", "email")] {
        let pairs = qb!(&mut *conn, fetch_all as (CustomerId, String), |b| {
            b.push("SELECT l.customer_id, k.value FROM customer_key k JOIN lead l ON l.org_id = k.org_id AND l.");
            b.push(column).push(" = k.value WHERE k.org_id = ").push_bind(org);
            b.push(" AND k.customer_id = ").push_bind(id).push(" AND k.kind = ").push_bind(kind);
            b.push(" AND l.customer_id <> k.customer_id");
            b.push(" UNION SELECT k.customer_id, k.value FROM lead l JOIN customer_key k ON k.org_id = l.org_id");
            b.push(" AND k.value = l.").push(column).push(" AND k.kind = ").push_bind(kind);
            b.push(" WHERE l.org_id = ").push_bind(org).push(" AND l.customer_id = ").push_bind(id);
            b.push(" AND k.customer_id <> l.customer_id");
        })?;
        let kind = if kind == "phone" { ContactPointKind::Phone } else { ContactPointKind::Email };
        found.extend(pairs.into_iter().map(|(other, value)| (other, kind, value)));
    }
    found.extend(list_shared_proposals(conn, org, id).await?);
    Ok(found)
}

/// Addresses that forms named for both, or for one of them while it is the other's key.
async fn list_shared_proposals(
    conn: &mut dyn AsConn,
    org: OrgId,
    id: CustomerId,
) -> Result<Vec<(CustomerId, ContactPointKind, String)>> {
    Ok(q!(
        conn,
        fetch_all as (CustomerId, ContactPointKind, String),
        "SELECT k.customer_id, k.kind, k.value FROM contact_proposal p
             JOIN customer_key k ON k.org_id = p.org_id AND k.kind = p.kind AND k.value = p.value
         WHERE p.org_id = $1 AND p.customer_id = $2 AND p.state = 'open' AND k.customer_id <> p.customer_id
         UNION SELECT p.customer_id, p.kind, p.value FROM customer_key k
             JOIN contact_proposal p ON p.org_id = k.org_id AND p.kind = k.kind AND p.value = k.value
         WHERE k.org_id = $1 AND k.customer_id = $2 AND p.state = 'open' AND k.customer_id <> p.customer_id
         UNION SELECT o.customer_id, o.kind, o.value FROM contact_proposal p
             JOIN contact_proposal o ON o.org_id = p.org_id AND o.kind = p.kind AND o.value = p.value
         WHERE p.org_id = $1 AND p.customer_id = $2 AND p.state = 'open' AND o.state = 'open'
             AND o.customer_id <> p.customer_id",
        org,
        id
    )?)
}

async fn list_same_address_customers(
    conn: &mut dyn AsConn,
    org: OrgId,
    id: CustomerId,
) -> Result<Vec<(CustomerId, String, String)>> {
    let mut addresses = q!(
        &mut *conn,
        fetch_all scalar String,
        "SELECT DISTINCT address FROM lead WHERE org_id = $1 AND customer_id = $2 AND address IS NOT NULL
         UNION SELECT address FROM property WHERE org_id = $1 AND customer_id = $2 AND removed_at IS NULL",
        org,
        id
    )?;
    addresses.truncate(ADDRESSES);
    let mut found = Vec::new();
    for address in addresses {
        let others = q!(
            &mut *conn,
            fetch_all as (CustomerId, String),
            "SELECT DISTINCT c.id, c.name FROM lead l JOIN customer c ON c.org_id = l.org_id AND c.id = l.customer_id
             WHERE l.org_id = $1 AND LOWER(l.address) = LOWER($2) AND l.address IS NOT NULL AND c.id <> $3 LIMIT 20",
            org,
            &address,
            id
        )?;
        found.extend(others.into_iter().map(|(other, name)| (other, name, address.clone())));
    }
    Ok(found)
}

/// Whether two names may be one person's: the same words in any order, with one omitted, shortened or mistyped.
#[must_use]
pub fn are_names_similar(one: &str, other: &str) -> bool {
    let words = |name: &str| -> Vec<String> {
        let plain = name.to_lowercase();
        plain.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let (few, many) = (words(one), words(other));
    let (few, many) = if few.len() <= many.len() { (few, many) } else { (many, few) };
    // "J. Smith" has no more than "Smith" and an initial, so a longer word must match too.
    let is_one = |a: &str, b: &str| {
        a.starts_with(b) || b.starts_with(a) || (a.len().min(b.len()) > 3 && levenshtein_distance(a, b) < 2)
    };
    let has_weight = few.iter().any(|word| word.chars().count() > 2);
    has_weight && few.iter().all(|word| many.iter().any(|other| is_one(word, other)))
}

/// Levenshtein distance of two words.
fn levenshtein_distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let changed = before + usize::from(a != *b);
            before = row[j + 1];
            row[j + 1] = changed.min(before + 1).min(row[j] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicate_reasons_are_ordered_by_likelihood() {
        let at = DateTime::UNIX_EPOCH;
        let text = String::new;
        let mut reasons = [
            DuplicateReason::SimilarName(text()),
            DuplicateReason::SharedEmail(text()),
            DuplicateReason::SharedPhone(text()),
            DuplicateReason::PhoneOfRequest(at, text()),
        ];
        reasons.sort();
        let times: Vec<_> = reasons.iter().map(DuplicateReason::requested_at).collect();
        assert_eq!(times, [Some(at), None, None, None]);
        assert_eq!(reasons.last(), Some(&DuplicateReason::SimilarName(text())));
    }

    #[test]
    fn names_of_one_person_are_similar() {
        for (one, other) in [
            ("Ann Lee", "ann  lee"),
            ("Ann Lee", "Lee, Ann"),
            ("Ann Lee", "Ann M. Lee"),
            ("A. Johnson", "Anna Johnson"),
            ("Ann Petersen", "Ann Peterson"),
            ("Smith", "Bob Smith"),
        ] {
            assert!(are_names_similar(one, other) && are_names_similar(other, one), "{one} and {other}");
        }
    }

    #[test]
    fn names_of_two_people_are_not_similar() {
        for (one, other) in
            [("Ann Lee", "Bob Lee"), ("Ann Lee", "Ann Stone"), ("", "Ann"), ("(512) 555-0142", "Ann"), ("A", "Ann")]
        {
            assert!(!are_names_similar(one, other), "{one} and {other}");
        }
    }
}
