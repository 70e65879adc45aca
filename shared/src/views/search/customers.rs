//! Customers by a part of their phone, by the beginning of their name or last name, and the newest by any text.

use std::{cmp::Reverse, collections::HashMap};

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::{
    GROUP_SIZE, RECENT_RECORDS, ROWS_READ, SearchHit, SearchHitKind, SearchPathKind, SearchRank,
    query::{PhonePart, SearchQuery},
};
use crate::{
    domain::intake::contact_point::ContactPointKind,
    platform::{
        db::{AsConn, q},
        error::Result,
        id::{CustomerId, OrgId},
        phone::Phone,
    },
};

#[derive(Clone, Debug, FromRow)]
struct SearchedCustomerRow {
    id: CustomerId,
    name: String,
    /// The number that was found; else the one on the record.
    phone: Option<Phone>,
    email: Option<String>,
    created_at: DateTime<Utc>,
}

pub(super) struct FoundCustomer {
    pub(super) id: CustomerId,
    pub(super) name: String,
    pub(super) rank: SearchRank,
    phone: Option<Phone>,
    email: Option<String>,
    created_at: DateTime<Utc>,
}

impl FoundCustomer {
    fn from_row(row: SearchedCustomerRow, rank: SearchRank) -> Self {
        Self { id: row.id, name: row.name, rank, phone: row.phone, email: row.email, created_at: row.created_at }
    }

    pub(super) fn into_hit(self) -> SearchHit {
        let phone = self.phone.map(|phone| phone.format_display().into_owned());
        SearchHit {
            kind: SearchHitKind::Customer,
            path_kind: SearchPathKind::Customer,
            id: self.id.0,
            title: self.name,
            subtitle: phone.or(self.email).unwrap_or_default(),
        }
    }
}

/// The best five, each once, with its best rank.
pub(super) async fn find_customers(
    conn: &mut dyn AsConn,
    org: OrgId,
    query: &SearchQuery,
) -> Result<Vec<FoundCustomer>> {
    let mut found = Vec::new();
    if let Some(part) = &query.phone {
        found.extend(find_by_phone_part(&mut *conn, org, part).await?);
    }
    let mut rows = Vec::new();
    for bounds in query.prefix_bounds() {
        rows.extend(find_by_name_beginning(&mut *conn, org, query, &bounds).await?);
        if query.is_one_word() {
            rows.extend(find_by_last_word(&mut *conn, org, query, &bounds).await?);
        }
    }
    rows.extend(find_recent_customers(conn, org, query).await?);
    found.extend(rows.into_iter().map(|row| {
        let rank = query.rank_name(&row.name);
        FoundCustomer::from_row(row, rank)
    }));
    Ok(select_best_customers(found))
}

fn select_best_customers(found: Vec<FoundCustomer>) -> Vec<FoundCustomer> {
    let mut best: HashMap<CustomerId, FoundCustomer> = HashMap::new();
    for one in found {
        if best.get(&one.id).is_none_or(|other| one.rank < other.rank) {
            best.insert(one.id, one);
        }
    }
    let mut best: Vec<FoundCustomer> = best.into_values().collect();
    best.sort_by_key(|one| (one.rank, Reverse(one.created_at), one.id.0));
    best.truncate(GROUP_SIZE);
    best
}

/// By the beginning of any number of a customer, and by the end of the main one.
async fn find_by_phone_part(conn: &mut dyn AsConn, org: OrgId, part: &PhonePart) -> Result<Vec<FoundCustomer>> {
    let mut rows = q!(
        &mut *conn,
        fetch_all as SearchedCustomerRow,
        "SELECT c.id, c.name, k.value AS phone, c.email, c.created_at
         FROM customer_key k JOIN customer c ON c.org_id = k.org_id AND c.id = k.customer_id
         WHERE k.org_id = $1 AND k.kind = $2 AND k.value >= $3 AND k.value < $4 AND c.merged_into IS NULL
         ORDER BY k.value LIMIT $5",
        org,
        // As a literal it would allow the index of all businesses' phones.
        ContactPointKind::Phone,
        &part.beginning,
        format!("{}z", part.beginning),
        ROWS_READ
    )?;
    let by_end = q!(
        conn,
        fetch_all as SearchedCustomerRow,
        "SELECT c.id, c.name, c.phone_e164 AS phone, c.email, c.created_at FROM customer c
         WHERE c.org_id = $1 AND c.merged_into IS NULL AND c.phone_end = $2 AND c.phone_e164 LIKE $3 LIMIT $4",
        org,
        part.last_four(),
        format!("%{}", part.digits),
        ROWS_READ
    )?;
    rows.extend(by_end);
    let rank = |row: &SearchedCustomerRow| {
        row.phone.as_ref().map_or(SearchRank::Prefix, |phone| part.rank_number(phone.as_e164()))
    };
    Ok(rows.into_iter().map(|row| (rank(&row), row)).map(|(rank, row)| FoundCustomer::from_row(row, rank)).collect())
}

async fn find_by_name_beginning(
    conn: &mut dyn AsConn,
    org: OrgId,
    query: &SearchQuery,
    (from, to): &(String, String),
) -> Result<Vec<SearchedCustomerRow>> {
    Ok(q!(
        conn,
        fetch_all as SearchedCustomerRow,
        "SELECT c.id, c.name, c.phone_e164 AS phone, c.email, c.created_at FROM customer c
         WHERE c.org_id = $1 AND c.merged_into IS NULL AND c.search >= $2 AND c.search < $3
             AND c.search LIKE $4 ESCAPE '\\'
         ORDER BY c.search LIMIT $5",
        org,
        from,
        to,
        query.pattern_at_start(),
        ROWS_READ
    )?)
}

async fn find_by_last_word(
    conn: &mut dyn AsConn,
    org: OrgId,
    query: &SearchQuery,
    (from, to): &(String, String),
) -> Result<Vec<SearchedCustomerRow>> {
    Ok(q!(
        conn,
        fetch_all as SearchedCustomerRow,
        "SELECT c.id, c.name, c.phone_e164 AS phone, c.email, c.created_at FROM customer c
         WHERE c.org_id = $1 AND c.merged_into IS NULL AND c.last_word >= $2 AND c.last_word < $3
             AND c.last_word LIKE $4 ESCAPE '\\'
         ORDER BY c.last_word LIMIT $5",
        org,
        from,
        to,
        query.pattern_at_start(),
        ROWS_READ
    )?)
}

/// CROSS JOIN makes SQLite read the newest first.
async fn find_recent_customers(
    conn: &mut dyn AsConn,
    org: OrgId,
    query: &SearchQuery,
) -> Result<Vec<SearchedCustomerRow>> {
    Ok(q!(
        conn,
        fetch_all as SearchedCustomerRow,
        "SELECT c.id, c.name, c.phone_e164 AS phone, c.email, c.created_at
         FROM (SELECT n.id, n.search FROM customer n WHERE n.org_id = $1 AND n.merged_into IS NULL
                 ORDER BY n.created_at DESC, n.id DESC LIMIT $2) recent
             CROSS JOIN customer c
         WHERE c.org_id = $1 AND c.id = recent.id AND recent.search LIKE $3 ESCAPE '\\'
         ORDER BY c.created_at DESC, c.id DESC LIMIT $4",
        org,
        RECENT_RECORDS,
        query.pattern_anywhere(),
        ROWS_READ
    )?)
}
