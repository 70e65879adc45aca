//! A customer on one page: who they are, where they live, what they asked for, what was done, what they owe, what they
//! agreed to, and which other records may be theirs.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;

use super::{
    duplicate::{self, Duplicate},
    merge::{MergedFrom, merged_from},
    owed, property,
    property::{Property, address_key},
    shown, standing_for,
};
use crate::{
    db::{AsConn, q},
    error::{Error, Result},
    estimate,
    id::{CustomerId, EstimateId, JobId, LeadId, OrgId},
    job,
    lead::{self, Stage, form::service_label},
    ledger::view::{InvoiceSummary, PaymentView, money},
    money::Cents,
    opt_out::store::{self as opt_out, Number, OptOut},
    template::Language,
};

/// Rows of each kind: the newest.
const MOST: i64 = 100;

/// Everything about a customer.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Customer {
    /// Another one than was asked for, when that was merged into this.
    pub id: CustomerId,
    pub name: String,
    /// The number that replies go to, in E.164.
    pub phone: Option<String>,
    /// As people read it.
    pub phone_shown: Option<String>,
    /// They also used these numbers, as people read them.
    pub other_phones: Vec<String>,
    pub email: Option<String>,
    pub other_emails: Vec<String>,
    pub language: Option<Language>,
    pub is_staff: bool,
    pub is_blocked: bool,
    /// They asked not to be texted, at the number that replies go to, else at another of theirs.
    pub sms_opt_out: Option<OptOut>,
    pub created_at: DateTime<Utc>,
    /// What they agreed to and what not, newest first.
    pub consents: Vec<Consent>,
    pub properties: Vec<Property>,
    /// Addresses that their requests and jobs named, and that are not among the places.
    pub other_addresses: Vec<OtherAddress>,
    pub leads: Vec<LeadLine>,
    pub jobs: Vec<JobLine>,
    pub estimates: Vec<EstimateLine>,
    pub invoices: Vec<InvoiceSummary>,
    pub payments: Vec<PaymentView>,
    pub money: CustomerMoney,
    /// What was said last; null when nothing was.
    pub thread: Option<ThreadLine>,
    pub merged_from: Vec<MergedFrom>,
    pub duplicates: Vec<Duplicate>,
}

/// What they were asked, and what they said.
#[derive(Clone, Debug, PartialEq, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CustomerConsent)]
pub struct Consent {
    pub lead_id: LeadId,
    /// `informational` (about the request) or `promotional` (review requests and offers).
    pub class: String,
    pub granted: bool,
    /// In the words they were shown.
    pub wording: String,
    pub version: String,
    pub at: DateTime<Utc>,
    /// The page they were on.
    pub source: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromRow, ToSchema)]
pub struct OtherAddress {
    pub address: String,
    pub zip: Option<String>,
}

/// One request.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CustomerLead)]
pub struct LeadLine {
    pub id: LeadId,
    pub reference: String,
    /// As people read it.
    pub service: String,
    pub stage: Stage,
    pub source: String,
    pub created_at: DateTime<Utc>,
    /// US dollars.
    pub quoted_total: Option<Cents>,
}

/// One booked job.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CustomerJob)]
pub struct JobLine {
    pub id: JobId,
    pub number: i64,
    pub service: String,
    pub status: job::StatusShown,
    pub address: Option<String>,
    /// By name.
    pub crew: Option<String>,
    pub starts_at: Option<DateTime<Utc>>,
    pub completed_at: Option<DateTime<Utc>>,
    /// US dollars.
    pub value: Option<Cents>,
}

/// One version of an estimate.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CustomerEstimate)]
pub struct EstimateLine {
    pub id: EstimateId,
    pub lead_id: LeadId,
    /// `EST-1001`.
    pub number: String,
    pub version: i64,
    pub status: estimate::Status,
    /// US dollars; once approved, of what was approved.
    pub total: Cents,
    pub issued_on: NaiveDate,
    pub approved_at: Option<DateTime<Utc>>,
}

/// Sums in US dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct CustomerMoney {
    /// Of what was approved, else of what is open.
    pub quoted: Cents,
    pub invoiced: Cents,
    /// What came in and stayed.
    pub paid: Cents,
    /// To be paid of what was approved or invoiced.
    pub owed: Cents,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CustomerThread)]
pub struct ThreadLine {
    pub last_at: DateTime<Utc>,
    pub last_preview: String,
    /// `in`, `out` or `call`.
    pub last_kind: String,
    pub unread: i64,
}

#[derive(FromRow)]
struct Row {
    name: String,
    phone_e164: Option<String>,
    email: Option<String>,
    language: Option<Language>,
    is_staff: bool,
    is_blocked: bool,
    created_at: DateTime<Utc>,
}

/// Everything about a customer; of a record that was merged, everything about the one it was merged into. `today` is the
/// business's.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such customer.
pub async fn get(
    conn: &mut impl AsConn,
    org: OrgId,
    asked: CustomerId,
    now: DateTime<Utc>,
    today: NaiveDate,
) -> Result<Customer> {
    let id = standing_for(&mut *conn, org, asked).await?;
    let row = q!(
        &mut *conn,
        fetch_optional as Row,
        "SELECT name, phone_e164, email, language, is_staff, is_blocked, created_at FROM customer
         WHERE org_id = $1 AND id = $2",
        org,
        id
    )?
    .ok_or(Error::NotFound)?;
    let numbers = opt_out::numbers(&mut *conn, org, id).await?;
    let (properties, named) = (property::list(&mut *conn, org, id).await?, addresses(&mut *conn, org, id).await?);
    let leads = leads(&mut *conn, org, id).await?;
    let mut paper = Paper::default();
    for lead in with_money(&mut *conn, org, id).await? {
        paper.add(money(&mut *conn, org, lead, now, today).await?);
    }
    paper.sums.owed = owed(&mut *conn, org, &[id]).await?.get(&id).copied().unwrap_or_default();
    let others = numbers.iter().filter(|number| Some(&number.address) != row.phone_e164.as_ref());
    Ok(Customer {
        id,
        other_phones: others.filter_map(|number| shown(Some(&number.address))).collect(),
        other_emails: other_emails(&mut *conn, org, id, row.email.as_deref()).await?,
        sms_opt_out: opt_out_of(&numbers, row.phone_e164.as_deref()),
        consents: consents(&mut *conn, org, id).await?,
        other_addresses: unknown(&properties, named),
        properties,
        jobs: jobs(&mut *conn, org, id).await?,
        estimates: estimates(&mut *conn, org, id, today).await?,
        invoices: paper.invoices,
        payments: paper.payments,
        money: paper.sums,
        thread: thread(&mut *conn, org, id).await?,
        merged_from: merged_from(&mut *conn, org, id, now).await?,
        duplicates: duplicate::of(conn, org, id, &row.name).await?,
        leads,
        phone_shown: shown(row.phone_e164.as_deref()),
        name: row.name,
        phone: row.phone_e164,
        email: row.email,
        language: row.language,
        is_staff: row.is_staff,
        is_blocked: row.is_blocked,
        created_at: row.created_at,
    })
}

/// What stands at the number that replies go to, else at another.
fn opt_out_of(numbers: &[Number], current: Option<&str>) -> Option<OptOut> {
    let at = |number: &&Number| Some(number.address.as_str()) == current;
    let own = numbers.iter().find(at).and_then(Number::opt_out);
    own.or_else(|| numbers.iter().find_map(Number::opt_out))
}

/// The papers of all their leads.
#[derive(Default)]
struct Paper {
    invoices: Vec<InvoiceSummary>,
    payments: Vec<PaymentView>,
    sums: CustomerMoney,
}

impl Paper {
    fn add(&mut self, lead: crate::ledger::view::LeadMoney) {
        let sums = &mut self.sums;
        sums.quoted = Cents(sums.quoted.0 + lead.agreed.unwrap_or_default().0);
        sums.invoiced = Cents(sums.invoiced.0 + lead.invoiced.0);
        sums.paid = Cents(sums.paid.0 + lead.collected.0);
        self.invoices.extend(lead.invoices);
        self.payments.extend(lead.payments);
    }
}

/// The leads that money was spoken of, newest first.
async fn with_money(conn: &mut impl AsConn, org: OrgId, id: CustomerId) -> Result<Vec<LeadId>> {
    Ok(q!(
        conn,
        fetch_all scalar LeadId,
        "SELECT l.id FROM lead l WHERE l.org_id = $1 AND l.customer_id = $2
             AND (EXISTS (SELECT 1 FROM estimate e WHERE e.org_id = l.org_id AND e.lead_id = l.id)
                 OR EXISTS (SELECT 1 FROM invoice i WHERE i.org_id = l.org_id AND i.lead_id = l.id)
                 OR EXISTS (SELECT 1 FROM payment p WHERE p.org_id = l.org_id AND p.lead_id = l.id))
         ORDER BY l.created_at DESC, l.id DESC LIMIT $3",
        org,
        id,
        MOST
    )?)
}

async fn other_emails(
    conn: &mut impl AsConn,
    org: OrgId,
    id: CustomerId,
    current: Option<&str>,
) -> Result<Vec<String>> {
    Ok(q!(
        conn,
        fetch_all scalar String,
        "SELECT value FROM customer_key WHERE org_id = $1 AND customer_id = $2 AND kind = 'email' AND value <> $3
         ORDER BY value",
        org,
        id,
        current.unwrap_or_default()
    )?)
}

async fn consents(conn: &mut impl AsConn, org: OrgId, id: CustomerId) -> Result<Vec<Consent>> {
    Ok(q!(
        conn,
        fetch_all as Consent,
        "SELECT lead_id, class, granted, wording, version, at, page_url AS source FROM consent
         WHERE org_id = $1 AND customer_id = $2 ORDER BY at DESC, class, id DESC LIMIT $3",
        org,
        id,
        MOST
    )?)
}

async fn addresses(conn: &mut impl AsConn, org: OrgId, id: CustomerId) -> Result<Vec<OtherAddress>> {
    Ok(q!(
        conn,
        fetch_all as OtherAddress,
        "SELECT address, zip FROM lead WHERE org_id = $1 AND customer_id = $2 AND address IS NOT NULL
         UNION SELECT address, zip FROM job WHERE org_id = $1 AND customer_id = $2 AND address IS NOT NULL",
        org,
        id
    )?)
}

/// Each address once, without those that are places already.
fn unknown(properties: &[Property], named: Vec<OtherAddress>) -> Vec<OtherAddress> {
    let mut known: Vec<String> = properties.iter().map(|place| address_key(&place.address, None)).collect();
    let mut left = Vec::new();
    for one in named {
        let key = address_key(&one.address, None);
        if !known.contains(&key) {
            known.push(key);
            left.push(OtherAddress { zip: one.zip.filter(|zip| !zip.is_empty()), ..one });
        }
    }
    left
}

async fn leads(conn: &mut impl AsConn, org: OrgId, id: CustomerId) -> Result<Vec<LeadLine>> {
    let rows = q!(
        conn,
        fetch_all as (LeadId, String, Stage, String, DateTime<Utc>, Option<Cents>),
        "SELECT id, service, stage, source, created_at, quoted_cents FROM lead WHERE org_id = $1 AND customer_id = $2
         ORDER BY created_at DESC, id DESC LIMIT $3",
        org,
        id,
        MOST
    )?;
    let line = |(id, service, stage, source, created_at, quoted_total): (LeadId, String, _, _, _, _)| LeadLine {
        id,
        reference: lead::reference(id),
        service: service_label(&service).to_owned(),
        stage,
        source,
        created_at,
        quoted_total,
    };
    Ok(rows.into_iter().map(line).collect())
}

#[derive(FromRow)]
struct JobRow {
    id: JobId,
    number: i64,
    service: String,
    status: job::Status,
    address: Option<String>,
    crew: Option<String>,
    starts_at: Option<DateTime<Utc>>,
    completed_at: Option<DateTime<Utc>>,
    value_cents: Option<Cents>,
}

async fn jobs(conn: &mut impl AsConn, org: OrgId, id: CustomerId) -> Result<Vec<JobLine>> {
    let rows = q!(
        conn,
        fetch_all as JobRow,
        "SELECT j.id, j.number, j.service, j.status, j.address, c.name AS crew, j.starts_at, j.completed_at, j.value_cents
         FROM job j LEFT JOIN crew c ON c.org_id = j.org_id AND c.id = j.crew_id
         WHERE j.org_id = $1 AND j.customer_id = $2 ORDER BY j.listed_at DESC, j.id DESC LIMIT $3",
        org,
        id,
        MOST
    )?;
    let line = |row: JobRow| JobLine {
        id: row.id,
        number: row.number,
        service: row.service,
        status: row.status.shown(),
        address: row.address,
        crew: row.crew,
        starts_at: row.starts_at,
        completed_at: row.completed_at,
        value: row.value_cents,
    };
    Ok(rows.into_iter().map(line).collect())
}

#[derive(FromRow)]
struct EstimateRow {
    id: EstimateId,
    lead_id: LeadId,
    version: i64,
    status: estimate::Status,
    content: Json<serde_json::Value>,
    total_cents: Cents,
    issued_on: NaiveDate,
    expires_on: Option<NaiveDate>,
    at: Option<DateTime<Utc>>,
    signed_cents: Option<Cents>,
}

async fn estimates(
    conn: &mut impl AsConn,
    org: OrgId,
    id: CustomerId,
    today: NaiveDate,
) -> Result<Vec<EstimateLine>> {
    let rows = q!(
        conn,
        fetch_all as EstimateRow,
        "SELECT e.id, e.lead_id, e.version, e.status, e.content, e.total_cents, e.issued_on, e.expires_on, a.at,
             a.total_cents AS signed_cents
         FROM lead l JOIN estimate e ON e.org_id = l.org_id AND e.lead_id = l.id
         LEFT JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id
         WHERE l.org_id = $1 AND l.customer_id = $2 ORDER BY e.created_at DESC, e.version DESC, e.id DESC LIMIT $3",
        org,
        id,
        MOST
    )?;
    let line = |row: EstimateRow| EstimateLine {
        id: row.id,
        lead_id: row.lead_id,
        number: row.content["number"].as_str().unwrap_or_default().to_owned(),
        version: row.version,
        status: row.status.on(today, row.expires_on),
        total: row.signed_cents.unwrap_or(row.total_cents),
        issued_on: row.issued_on,
        approved_at: row.at,
    };
    Ok(rows.into_iter().map(line).collect())
}

async fn thread(conn: &mut impl AsConn, org: OrgId, id: CustomerId) -> Result<Option<ThreadLine>> {
    let sql = "SELECT last_at, last_preview, last_kind, unread FROM thread WHERE org_id = $1 AND customer_id = $2";
    Ok(q!(conn, fetch_optional as ThreadLine, sql, org, id)?)
}
