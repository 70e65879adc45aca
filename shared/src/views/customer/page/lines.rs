//! Rows of the customer page, by kind.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;

use super::MOST;
use crate::{
    domain::{
        intake::{
            contact_point::{ContactPointKind, set_aside::SetAsideContacts},
            customer::{
                display_phone,
                property::{Property, address_key},
            },
            lead::{self, PipelineStage, consent::is_answer_set_aside, form::service_label},
        },
        messaging::{
            conversation::inbox::{self, ConversationSummary},
            message::MessageStatus,
            opt_out::store::CustomerNumber,
        },
        money::{checkout::DocumentName, estimate},
        work::job,
    },
    platform::{
        db::{AsConn, q},
        error::{Error, Result},
        id::{CustomerId, EstimateId, JobId, LeadId, OrgId},
        money::Cents,
    },
};

/// Consent questions and answers.
#[derive(Clone, Debug, PartialEq, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomerConsent {
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
    /// Whether the form named an address that is set aside: then it may be a stranger's, and the answer does not count.
    /// Agreement to messages about a request counts while one of its addresses is in use.
    #[sqlx(default)]
    pub is_set_aside: bool,
    /// Whether it was ticked in a form whose number has not answered that request: then it does not count.
    pub is_provisional: bool,
    #[serde(skip)]
    phone: Option<String>,
    #[serde(skip)]
    email: Option<String>,
    #[serde(skip)]
    confirmed_at: Option<DateTime<Utc>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromRow, ToSchema)]
pub struct OtherAddress {
    pub address: String,
    pub zip: Option<String>,
}

/// One request.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomerLead {
    pub id: LeadId,
    pub reference: String,
    /// As people read it.
    pub service: String,
    pub stage: PipelineStage,
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
    pub status: job::DisplayedJobStatus,
    pub address: Option<String>,
    /// By name.
    pub crew: Option<String>,
    pub starts_at: Option<DateTime<Utc>>,
    pub completed_at: Option<DateTime<Utc>>,
    /// US dollars, with approved change orders.
    pub value: Option<Cents>,
}

/// One version of an estimate or of a change order.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CustomerEstimate)]
pub struct EstimateLine {
    pub id: EstimateId,
    pub lead_id: LeadId,
    /// The job that a change order changes; null of an estimate.
    pub job_id: Option<JobId>,
    /// `EST-1001`; of a change order `CO-1001`.
    pub number: String,
    pub version: i64,
    pub status: estimate::EstimateStatus,
    /// US dollars; once approved, of what was approved.
    pub total: Cents,
    pub issued_on: NaiveDate,
    pub approved_at: Option<DateTime<Utc>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CustomerThread)]
pub struct ConversationLine {
    pub last_at: DateTime<Utc>,
    /// Empty for an API key without `messages:read`.
    pub last_preview: String,
    /// `in`, `out`, `call` or `form`.
    pub last_kind: String,
    /// State of our last message; null when the last word is not ours.
    pub last_status: Option<MessageStatus>,
    pub unread: i64,
}

/// Contacts of the record beside its current phone and email, as people read them.
pub(super) struct OtherContacts {
    pub(super) phones: Vec<String>,
    pub(super) emails: Vec<String>,
    /// Those of both that are set aside.
    pub(super) set_aside: Vec<String>,
    /// The phones of these, in E.164.
    pub(super) numbers_set_aside: Vec<String>,
}

pub(super) async fn load_other_contacts(
    conn: &mut dyn AsConn,
    (org, id): (OrgId, CustomerId),
    numbers: &[CustomerNumber],
    (phone, email): (Option<&str>, Option<&str>),
) -> Result<OtherContacts> {
    let emails = list_other_emails(&mut *conn, org, id, email).await?;
    let aside = SetAsideContacts::load_for_customer(conn, org, id).await?;
    let (mut phones, mut set_aside, mut numbers_set_aside) = (Vec::new(), Vec::new(), Vec::new());
    for number in numbers.iter().map(|number| number.address.as_str()).filter(|number| Some(*number) != phone) {
        let Some(shown) = display_phone(Some(number)) else { continue };
        if aside.has_contact((ContactPointKind::Phone, number)) {
            set_aside.push(shown.clone());
            numbers_set_aside.push(number.to_owned());
        }
        phones.push(shown);
    }
    set_aside
        .extend(emails.iter().filter(|email| aside.has_contact((ContactPointKind::Email, email.as_str()))).cloned());
    Ok(OtherContacts { phones, emails, set_aside, numbers_set_aside })
}

async fn list_other_emails(
    conn: &mut dyn AsConn,
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

pub(super) async fn list_consents(conn: &mut dyn AsConn, org: OrgId, id: CustomerId) -> Result<Vec<CustomerConsent>> {
    let mut consents = q!(
        &mut *conn,
        fetch_all as CustomerConsent,
        "SELECT lead_id, class, granted, wording, version, at, page_url AS source, is_provisional, phone, email,
             confirmed_at
         FROM consent
         WHERE org_id = $1 AND customer_id = $2 ORDER BY at DESC, class, id DESC LIMIT $3",
        org,
        id,
        MOST
    )?;
    let aside = SetAsideContacts::load_for_forms(conn, org, id).await?;
    for consent in &mut consents {
        let named = (consent.phone.as_deref(), consent.email.as_deref());
        consent.is_set_aside = is_answer_set_aside(&aside, &consent.class, named, consent.confirmed_at);
    }
    Ok(consents)
}

pub(super) async fn list_named_addresses(
    conn: &mut dyn AsConn,
    org: OrgId,
    id: CustomerId,
) -> Result<Vec<OtherAddress>> {
    Ok(q!(
        conn,
        fetch_all as OtherAddress,
        "SELECT address, zip FROM lead WHERE org_id = $1 AND customer_id = $2 AND address IS NOT NULL
         UNION SELECT address, zip FROM job WHERE org_id = $1 AND customer_id = $2 AND address IS NOT NULL",
        org,
        id
    )?)
}

pub(super) fn exclude_known_addresses(properties: &[Property], named: Vec<OtherAddress>) -> Vec<OtherAddress> {
    let mut keys: Vec<String> = properties.iter().map(|place| address_key(&place.address, None)).collect();
    let mut left = Vec::new();
    for one in named {
        let key = address_key(&one.address, None);
        if !keys.contains(&key) {
            keys.push(key);
            left.push(OtherAddress { zip: one.zip.filter(|zip| !zip.is_empty()), ..one });
        }
    }
    left
}

pub(super) async fn list_leads(conn: &mut dyn AsConn, org: OrgId, id: CustomerId) -> Result<Vec<CustomerLead>> {
    let rows = q!(
        conn,
        fetch_all as (LeadId, String, PipelineStage, String, DateTime<Utc>, Option<Cents>),
        "SELECT id, service, stage, source, created_at, quoted_cents FROM lead WHERE org_id = $1 AND customer_id = $2
         ORDER BY created_at DESC, id DESC LIMIT $3",
        org,
        id,
        MOST
    )?;
    let line = |(id, service, stage, source, created_at, quoted_total): (LeadId, String, _, _, _, _)| CustomerLead {
        id,
        reference: lead::lead_reference(id),
        service: service_label(&service).to_owned(),
        stage,
        source,
        created_at,
        quoted_total,
    };
    Ok(rows.into_iter().map(line).collect())
}

#[derive(FromRow)]
struct CustomerJobRow {
    id: JobId,
    number: i64,
    service: String,
    status: job::JobState,
    address: Option<String>,
    crew: Option<String>,
    starts_at: Option<DateTime<Utc>>,
    completed_at: Option<DateTime<Utc>>,
    value_cents: Option<Cents>,
}

pub(super) async fn list_jobs(conn: &mut dyn AsConn, org: OrgId, id: CustomerId) -> Result<Vec<JobLine>> {
    let rows = q!(
        conn,
        fetch_all as CustomerJobRow,
        "SELECT j.id, j.number, j.service, j.status, j.address, c.name AS crew, j.starts_at, j.completed_at,
             j.value_cents + j.changes_cents AS value_cents
         FROM job j LEFT JOIN crew c ON c.org_id = j.org_id AND c.id = j.crew_id
         WHERE j.org_id = $1 AND j.customer_id = $2 ORDER BY j.listed_at DESC, j.id DESC LIMIT $3",
        org,
        id,
        MOST
    )?;
    let line = |row: CustomerJobRow| JobLine {
        id: row.id,
        number: row.number,
        service: row.service,
        status: row.status.to_display(),
        address: row.address,
        crew: row.crew,
        starts_at: row.starts_at,
        completed_at: row.completed_at,
        value: row.value_cents,
    };
    Ok(rows.into_iter().map(line).collect())
}

#[derive(FromRow)]
struct CustomerEstimateRow {
    id: EstimateId,
    lead_id: LeadId,
    job_id: Option<JobId>,
    version: i64,
    status: estimate::EstimateStatus,
    content: Json<DocumentName>,
    total_cents: Cents,
    issued_on: NaiveDate,
    expires_on: Option<NaiveDate>,
    at: Option<DateTime<Utc>>,
    signed_cents: Option<Cents>,
}

pub(super) async fn list_estimates(
    conn: &mut dyn AsConn,
    org: OrgId,
    id: CustomerId,
    today: NaiveDate,
) -> Result<Vec<EstimateLine>> {
    let rows = q!(
        conn,
        fetch_all as CustomerEstimateRow,
        "SELECT e.id, e.lead_id, e.job_id, e.version, e.status, e.content, e.total_cents, e.issued_on, e.expires_on,
             a.at, a.total_cents AS signed_cents
         FROM lead l JOIN estimate e ON e.org_id = l.org_id AND e.lead_id = l.id
         LEFT JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id
         WHERE l.org_id = $1 AND l.customer_id = $2 ORDER BY e.created_at DESC, e.version DESC, e.id DESC LIMIT $3",
        org,
        id,
        MOST
    )?;
    let line = |row: CustomerEstimateRow| EstimateLine {
        id: row.id,
        lead_id: row.lead_id,
        job_id: row.job_id,
        number: row.content.display_number(None),
        version: row.version,
        status: row.status.status_on(today, row.expires_on),
        total: row.signed_cents.unwrap_or(row.total_cents),
        issued_on: row.issued_on,
        approved_at: row.at,
    };
    Ok(rows.into_iter().map(line).collect())
}

pub(super) async fn find_conversation_line(
    conn: &mut dyn AsConn,
    org: OrgId,
    id: CustomerId,
) -> Result<Option<ConversationLine>> {
    match inbox::get_conversation_summary(conn, org, id).await {
        Ok(ConversationSummary { last_at, last_preview, last_kind, last_status, unread, .. }) => {
            Ok(Some(ConversationLine { last_at, last_preview, last_kind, last_status, unread }))
        }
        Err(Error::NotFound) => Ok(None),
        Err(e) => Err(e),
    }
}
