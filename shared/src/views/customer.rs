//! The list of customers, and the page of one ([`page`]).

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    domain::{intake::contact_point::ContactPointProof, money::ledger},
    platform::{
        db::{AsConn, like_anywhere, qb},
        error::{Error, FieldErrors, Result},
        id::{CustomerId, LeadId, OrgId},
        money::Cents,
        phone::Phone,
    },
};

pub mod page;

#[derive(Clone, Debug, Default)]
pub struct CustomerListFilter {
    /// Searched in name, phone and email, case-insensitively.
    pub q: Option<String>,
    pub limit: i64,
    pub cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct CustomerPage {
    pub customers: Vec<CustomerSummary>,
    pub next: Option<String>,
}

/// A customer as a row of the list.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomerSummary {
    pub id: CustomerId,
    pub name: String,
    /// As people read it.
    pub phone_shown: Option<String>,
    pub email: Option<String>,
    /// What proves the phone and the email.
    pub phone_proof: Option<ContactPointProof>,
    pub email_proof: Option<ContactPointProof>,
    /// Requests that are new, quoted or scheduled.
    pub open_leads: i64,
    /// When their next visit begins.
    pub coming: Option<DateTime<Utc>>,
    /// US dollars that are to be paid of what was approved or invoiced.
    pub owed: Cents,
    /// Time of the last message.
    pub last_at: DateTime<Utc>,
}

#[derive(FromRow)]
struct CustomerListRow {
    id: CustomerId,
    name: String,
    phone_e164: Option<Phone>,
    email: Option<String>,
    created_at: DateTime<Utc>,
}

/// Creation time in milliseconds, and id.
#[derive(Clone, Copy)]
struct CustomerListCursor(DateTime<Utc>, Uuid);

impl CustomerListCursor {
    fn parse(text: &str) -> Result<Self> {
        let read = || {
            let (millis, id) = text.split_once('_')?;
            Some(Self(DateTime::from_timestamp_millis(millis.parse().ok()?)?, id.parse().ok()?))
        };
        read().ok_or_else(|| {
            let mut errors = FieldErrors::default();
            errors.add("cursor", "This is not a cursor of this list");
            Error::Invalid(errors)
        })
    }
}

fn digits(text: &str) -> Option<String> {
    let is_number = text.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | '-' | '.' | '(' | ')' | '+'));
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    (is_number && digits.len() >= 3).then_some(digits)
}

macro_rules! narrow {
    ($b:ident, $org:expr, $filter:expr) => {
        $b.push(" FROM customer c WHERE c.org_id = ").push_bind($org).push(" AND c.merged_into IS NULL");
        if let Some(text) = &$filter.q {
            $b.push(" AND (c.search LIKE ").push_bind(like_anywhere(&text.to_lowercase())).push(" ESCAPE '\\'");
            // In the same column: `SQLite` reads it from the list's index, and reads a row only when it matches.
            if let Some(digits) = digits(text) {
                $b.push(" OR c.search LIKE ").push_bind(format!("%{digits}%"));
            }
            $b.push(")");
        }
    };
}

pub async fn list(
    conn: &mut dyn AsConn,
    org: OrgId,
    filter: &CustomerListFilter,
    now: DateTime<Utc>,
) -> Result<CustomerPage> {
    let cursor = filter.cursor.as_deref().map(CustomerListCursor::parse).transpose()?;
    let mut rows = qb!(&mut *conn, fetch_all as CustomerListRow, |b| {
        b.push("SELECT c.id, c.name, c.phone_e164, c.email, c.created_at");
        narrow!(b, org, filter);
        if let Some(CustomerListCursor(at, id)) = cursor {
            b.push(" AND (c.created_at, c.id) < (").push_bind(at).push(", ").push_bind(id).push(")");
        }
        b.push(" ORDER BY c.created_at DESC, c.id DESC LIMIT ").push_bind(filter.limit.saturating_add(1));
    })?;
    let limit = usize::try_from(filter.limit).unwrap_or_default();
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more);
    let next = next.map(|row| format!("{}_{}", row.created_at.timestamp_millis(), row.id.0.simple()));
    Ok(CustomerPage { customers: load_summaries(conn, org, rows, now).await?, next })
}

pub async fn count_customers(conn: &mut dyn AsConn, org: OrgId, filter: &CustomerListFilter) -> Result<i64> {
    Ok(qb!(conn, fetch_one scalar i64, |b| {
        b.push("SELECT COUNT(*)");
        narrow!(b, org, filter);
    })?)
}

macro_rules! among {
    ($b:ident, $column:expr, $ids:expr) => {
        $b.push(" AND ").push($column).push(" IN (");
        let mut list = $b.separated(", ");
        for id in $ids {
            list.push_bind(*id);
        }
        $b.push(")");
    };
}

async fn load_summaries(
    conn: &mut dyn AsConn,
    org: OrgId,
    rows: Vec<CustomerListRow>,
    now: DateTime<Utc>,
) -> Result<Vec<CustomerSummary>> {
    let ids: Vec<CustomerId> = rows.iter().map(|row| row.id).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let leads = qb!(&mut *conn, fetch_all as (CustomerId, i64, DateTime<Utc>), |b| {
        b.push(
            "SELECT customer_id, CAST(SUM(CASE WHEN stage IN ('new', 'quoted', 'scheduled') THEN 1 ELSE 0 END) AS BIGINT),
                 MAX(last_touch_at) FROM lead WHERE org_id = ",
        );
        b.push_bind(org);
        among!(b, "customer_id", &ids);
        b.push(" GROUP BY customer_id");
    })?;
    let threads = qb!(&mut *conn, fetch_all as (CustomerId, DateTime<Utc>), |b| {
        b.push("SELECT customer_id, last_at FROM conversation WHERE org_id = ").push_bind(org);
        among!(b, "customer_id", &ids);
    })?;
    let coming = qb!(&mut *conn, fetch_all as (CustomerId, DateTime<Utc>), |b| {
        b.push("SELECT customer_id, MIN(starts_at) FROM job WHERE org_id = ").push_bind(org);
        b.push(" AND status = 'scheduled' AND starts_at >= ").push_bind(now);
        among!(b, "customer_id", &ids);
        b.push(" GROUP BY customer_id");
    })?;
    let owed = load_amounts_owed(&mut *conn, org, &ids).await?;
    let proofs = load_key_proofs(conn, org, &ids).await?;
    let last_messages: HashMap<_, _> = threads.into_iter().collect();
    let coming: HashMap<_, _> = coming.into_iter().collect();
    let asked: HashMap<_, _> = leads.into_iter().map(|(id, open, at)| (id, (open, at))).collect();
    let summarize = |row: CustomerListRow| {
        let proof = |value: Option<&str>| proofs.get(&(row.id, value?.to_owned())).copied();
        let (phone_proof, email_proof) =
            (proof(row.phone_e164.as_ref().map(Phone::as_e164)), proof(row.email.as_deref()));
        let summary = build_summary(row, &asked, &last_messages, &coming, &owed);
        CustomerSummary { phone_proof, email_proof, ..summary }
    };
    Ok(rows.into_iter().map(summarize).collect())
}

fn build_summary(
    row: CustomerListRow,
    asked: &HashMap<CustomerId, (i64, DateTime<Utc>)>,
    last_messages: &HashMap<CustomerId, DateTime<Utc>>,
    coming: &HashMap<CustomerId, DateTime<Utc>>,
    owed: &HashMap<CustomerId, CustomerDebt>,
) -> CustomerSummary {
    let (open_leads, touched) = asked.get(&row.id).copied().unwrap_or((0, row.created_at));
    CustomerSummary {
        open_leads,
        last_at: last_messages.get(&row.id).copied().map_or(touched, |at| at.max(touched)),
        coming: coming.get(&row.id).copied(),
        owed: owed.get(&row.id).copied().unwrap_or_default().all,
        phone_shown: row.phone_e164.map(|phone| phone.format_display().into_owned()),
        id: row.id,
        name: row.name,
        email: row.email,
        phone_proof: None,
        email_proof: None,
    }
}

/// The keys of these customers with their proofs.
async fn load_key_proofs(
    conn: &mut dyn AsConn,
    org: OrgId,
    ids: &[CustomerId],
) -> Result<HashMap<(CustomerId, String), ContactPointProof>> {
    let keys = qb!(conn, fetch_all as (CustomerId, String, ContactPointProof), |b| {
        b.push("SELECT customer_id, value, proof FROM customer_key WHERE org_id = ").push_bind(org);
        among!(b, "customer_id", ids);
    })?;
    Ok(keys.into_iter().map(|(id, value, proof)| ((id, value), proof)).collect())
}

/// What a customer owes.
#[derive(Clone, Copy, Default)]
struct CustomerDebt {
    all: Cents,
    /// The part that no invoice asks for yet.
    not_invoiced: Cents,
}

/// What these customers owe. An estimate that is not approved is no debt.
async fn load_amounts_owed(
    conn: &mut dyn AsConn,
    org: OrgId,
    ids: &[CustomerId],
) -> Result<HashMap<CustomerId, CustomerDebt>> {
    let binding = qb!(&mut *conn, fetch_all as (CustomerId, LeadId), |b| {
        b.push("SELECT l.customer_id, l.id FROM lead l WHERE l.org_id = ").push_bind(org);
        among!(b, "l.customer_id", ids);
        // A lead in stage Paid owes nothing.
        b.push(
            " AND l.stage <> 'paid' AND (EXISTS (SELECT 1 FROM estimate e WHERE e.org_id = l.org_id AND e.lead_id = l.id AND e.status = 'approved')
                 OR EXISTS (SELECT 1 FROM invoice i WHERE i.org_id = l.org_id AND i.lead_id = l.id AND i.status = 'open'))",
        );
    })?;
    let mut owed: HashMap<CustomerId, CustomerDebt> = HashMap::new();
    for (customer, lead) in binding {
        let balance = ledger::load_approved_balance(&mut *conn, org, lead).await?;
        let debt = owed.entry(customer).or_default();
        debt.all = Cents(debt.all.0 + balance.owed.0);
        debt.not_invoiced = Cents(debt.not_invoiced.0 + balance.owed_not_invoiced().0);
    }
    Ok(owed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partial_phone_number_is_searched_by_digits() {
        let table = [
            ("512-555", Some("512555")),
            ("(512) 555 0142", Some("5125550142")),
            ("+1 512", Some("1512")),
            ("12", None),
            ("12 Main St", None),
            ("ann", None),
        ];
        for (typed, wanted) in table {
            assert_eq!(digits(typed).as_deref(), wanted, "{typed}");
        }
    }
}
