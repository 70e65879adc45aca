//! Duplicate suggestions: records that may be the same person. They are never merged automatically.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use super::display_phone;
use crate::platform::{
    db::{AsConn, q, qb},
    error::Result,
    id::{CustomerId, OrgId},
};

const MOST: usize = 5;
const ADDRESSES: usize = 20;

/// Another record that may be the same person's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CustomerDuplicate)]
pub struct Duplicate {
    pub id: CustomerId,
    pub name: String,
    /// As people read it.
    pub phone_shown: Option<String>,
    pub email: Option<String>,
    /// "Both wrote from ann@customer.example".
    pub why: String,
}

/// Records that share a number, an email, or an address with a similar name. A number or email is the key of one record
/// only, but a request may name another's: "call my husband at …".
pub async fn find_duplicates(conn: &mut dyn AsConn, org: OrgId, id: CustomerId, name: &str) -> Result<Vec<Duplicate>> {
    let mut why: BTreeMap<CustomerId, String> = BTreeMap::new();
    for (other, value) in list_shared_contacts(&mut *conn, org, id).await? {
        let value = display_phone(Some(&value)).unwrap_or(value);
        why.entry(other).or_insert_with(|| format!("Both named {value}"));
    }
    for (other, theirs, address) in list_same_address_customers(&mut *conn, org, id).await? {
        if are_names_similar(name, &theirs) {
            why.entry(other).or_insert_with(|| format!("A similar name, and both are at {address}"));
        }
    }
    let mut found = Vec::new();
    for (other, why) in why.into_iter().take(MOST) {
        let row = q!(
            &mut *conn,
            fetch_optional as (String, Option<String>, Option<String>),
            "SELECT name, phone_e164, email FROM customer WHERE org_id = $1 AND id = $2 AND merged_into IS NULL",
            org,
            other
        )?;
        if let Some((name, phone, email)) = row {
            found.push(Duplicate { id: other, name, phone_shown: display_phone(phone.as_deref()), email, why });
        }
    }
    Ok(found)
}

async fn list_shared_contacts(conn: &mut dyn AsConn, org: OrgId, id: CustomerId) -> Result<Vec<(CustomerId, String)>> {
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
        found.extend(pairs);
    }
    found.extend(list_shared_proposals(conn, org, id).await?);
    Ok(found)
}

/// Addresses that forms named for both, or for one of them while it is the other's key.
async fn list_shared_proposals(conn: &mut dyn AsConn, org: OrgId, id: CustomerId) -> Result<Vec<(CustomerId, String)>> {
    Ok(q!(
        conn,
        fetch_all as (CustomerId, String),
        "SELECT k.customer_id, k.value FROM contact_proposal p
             JOIN customer_key k ON k.org_id = p.org_id AND k.kind = p.kind AND k.value = p.value
         WHERE p.org_id = $1 AND p.customer_id = $2 AND p.state = 'open' AND k.customer_id <> p.customer_id
         UNION SELECT p.customer_id, p.value FROM customer_key k
             JOIN contact_proposal p ON p.org_id = k.org_id AND p.kind = k.kind AND p.value = k.value
         WHERE k.org_id = $1 AND k.customer_id = $2 AND p.state = 'open' AND k.customer_id <> p.customer_id
         UNION SELECT o.customer_id, o.value FROM contact_proposal p
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
