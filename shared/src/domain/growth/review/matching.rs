//! Whose a review is: by the request it answers, else by the phone or email that came with it, else by a person's word.
//! A name alone decides nothing; it only suggests.

use std::collections::HashMap;

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{
    intake::{self, New, Said},
    rule::APART,
};
use crate::{
    domain::intake::{customer::standing_for, lead::Intake},
    platform::{
        db::{AsConn, Tx, q, qb},
        error::{Error, FieldErrors, Result},
        id::{CustomerId, JobId, LeadId, OrgId, ReviewAskId, ReviewId},
    },
};

/// How it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = ReviewMatch)]
pub enum How {
    Request,
    Phone,
    Email,
    /// Somebody of the business said so.
    Person,
    /// Somebody of the business said that it is from none of theirs.
    Nobody,
}

/// Whose a review is, and what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub(super) struct Matched {
    #[sqlx(rename = "matched")]
    pub how: How,
    #[sqlx(rename = "customer_id")]
    pub customer: CustomerId,
    #[sqlx(rename = "lead_id")]
    pub lead: Option<LeadId>,
    #[sqlx(rename = "job_id")]
    pub job: Option<JobId>,
    #[sqlx(rename = "ask_id")]
    pub ask: Option<ReviewAskId>,
}

/// Whose a new one is, as far as that is certain.
pub(super) async fn find(
    conn: &mut dyn AsConn,
    org: OrgId,
    new: &New,
    received_at: DateTime<Utc>,
) -> Result<Option<Matched>> {
    if let Some(ask) = new.ask {
        return by_request(conn, org, ask).await;
    }
    if let Some(customer) = new.customer {
        return theirs(conn, org, (How::Person, customer, new.job), received_at).await.map(Some);
    }
    for (how, kind, value) in [(How::Phone, "phone", &new.said.phone), (How::Email, "email", &new.said.email)] {
        let Some(value) = value else { continue };
        let sql = "SELECT customer_id FROM customer_key WHERE org_id = $1 AND kind = $2 AND value = $3";
        if let Some(customer) = q!(&mut *conn, fetch_optional scalar CustomerId, sql, org, kind, value)? {
            return theirs(conn, org, (how, customer, None), received_at).await.map(Some);
        }
    }
    Ok(None)
}

async fn by_request(conn: &mut dyn AsConn, org: OrgId, ask: ReviewAskId) -> Result<Option<Matched>> {
    Ok(q!(
        conn,
        fetch_optional as Matched,
        "SELECT 'request' AS matched, customer_id, lead_id, job_id, id AS ask_id FROM review_ask
         WHERE org_id = $1 AND id = $2",
        org,
        ask
    )?)
}

/// What of a customer's work it is about: the job that was named, else the last one that was done before it; and the
/// request that it answers.
async fn theirs(
    conn: &mut dyn AsConn,
    org: OrgId,
    (how, customer, job): (How, CustomerId, Option<JobId>),
    received_at: DateTime<Utc>,
) -> Result<Matched> {
    let work = q!(
        &mut *conn,
        fetch_optional as (JobId, LeadId),
        "SELECT id, lead_id FROM job WHERE org_id = $1 AND customer_id = $2 AND (id = $3 OR ($3 IS NULL
             AND status = 'completed' AND completed_at <= $4)) ORDER BY completed_at DESC, id DESC LIMIT 1",
        org,
        customer,
        job,
        received_at + Duration::days(1)
    )?;
    let lead = if let Some((_, lead)) = work {
        Some(lead)
    } else {
        let sql =
            "SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2 ORDER BY created_at DESC, id DESC LIMIT 1";
        q!(&mut *conn, fetch_optional scalar LeadId, sql, org, customer)?
    };
    let ask = q!(
        conn,
        fetch_optional scalar ReviewAskId,
        "SELECT id FROM review_ask WHERE org_id = $1 AND customer_id = $2 AND asked_at > $3 AND asked_at <= $4
         ORDER BY asked_at DESC, id DESC LIMIT 1",
        org,
        customer,
        received_at - APART,
        received_at + Duration::days(1)
    )?;
    Ok(Matched { how, customer, lead, job: work.map(|(job, _)| job), ask })
}

pub(super) async fn store(tx: &mut Tx, org: OrgId, id: ReviewId, matched: &Matched) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE review SET matched = $3, customer_id = $4, lead_id = $5, job_id = $6, ask_id = $7
         WHERE org_id = $1 AND id = $2",
        org,
        id,
        matched.how,
        matched.customer,
        matched.lead,
        matched.job,
        matched.ask
    )?;
    Ok(())
}

/// Whose it is, as it stands.
pub(super) async fn of(conn: &mut dyn AsConn, org: OrgId, id: ReviewId) -> Result<Option<Matched>> {
    Ok(q!(
        conn,
        fetch_optional as Matched,
        "SELECT matched, customer_id, lead_id, job_id, ask_id FROM review
         WHERE org_id = $1 AND id = $2 AND customer_id IS NOT NULL AND matched IS NOT NULL",
        org,
        id
    )?)
}

fn refused(field: &'static str, words: &str) -> Error {
    let mut errors = FieldErrors::default();
    errors.add(field, words);
    Error::Invalid(errors)
}

/// The customer and the job that somebody named, if they belong together.
pub(super) async fn chosen(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: Option<CustomerId>,
    job: Option<JobId>,
) -> Result<(Option<CustomerId>, Option<JobId>)> {
    let customer = match customer {
        Some(id) => Some(standing_for(&mut *conn, org, id).await.map_err(|e| match e {
            Error::NotFound => refused("customerId", "There is no such customer"),
            other => other,
        })?),
        None => None,
    };
    let Some(job) = job else { return Ok((customer, None)) };
    let sql = "SELECT customer_id FROM job WHERE org_id = $1 AND id = $2";
    let whose = q!(conn, fetch_optional scalar CustomerId, sql, org, job)?;
    match whose {
        Some(whose) if customer.is_none_or(|customer| customer == whose) => Ok((Some(whose), Some(job))),
        Some(_) => Err(refused("jobId", "This job is another customer's")),
        None => Err(refused("jobId", "There is no such job")),
    }
}

/// What a person says of whose a review is.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = ReviewMatchRequest)]
pub struct MatchForm {
    /// Null: it is from none of ours.
    pub customer_id: Option<CustomerId>,
    /// The job it is about; their last one when null.
    pub job_id: Option<JobId>,
}

/// Somebody of the business says whose it is.
///
/// # Errors
/// [`Error::NotFound`] without such a review; [`Error::Invalid`] on a customer or job that does not fit.
pub async fn decide(tx: &mut Tx, house: &Intake<'_>, id: ReviewId, form: &MatchForm) -> Result<()> {
    let org = house.profile.org.id;
    let (said, received_at) = stands(&mut *tx, org, id).await?;
    let (customer, job) = chosen(&mut *tx, org, form.customer_id, form.job_id).await?;
    let Some(customer) = customer else {
        q!(
            &mut *tx,
            execute,
            "UPDATE review SET matched = $3, customer_id = NULL, lead_id = NULL, job_id = NULL, ask_id = NULL
             WHERE org_id = $1 AND id = $2",
            org,
            id,
            How::Nobody
        )?;
        return intake::follows(tx, house, id, (&said, received_at), None).await;
    };
    let matched = theirs(&mut *tx, org, (How::Person, customer, job), received_at).await?;
    if of(&mut *tx, org, id).await?.is_some_and(|stands| stands.customer == customer && stands.job == matched.job) {
        return store(tx, org, id, &matched).await;
    }
    intake::follows(tx, house, id, (&said, received_at), Some(&matched)).await
}

/// What a stored one says.
async fn stands(conn: &mut dyn AsConn, org: OrgId, id: ReviewId) -> Result<(Said, DateTime<Utc>)> {
    #[derive(FromRow)]
    struct Row {
        reviewed_on: Option<chrono::NaiveDate>,
        customer_name: Option<String>,
        stars: i64,
        body: Option<String>,
        source: String,
        phone_e164: Option<String>,
        email: Option<String>,
        received_at: DateTime<Utc>,
    }
    let found = q!(
        conn,
        fetch_optional as Row,
        "SELECT reviewed_on, customer_name, stars, body, source, phone_e164, email, received_at FROM review
         WHERE org_id = $1 AND id = $2",
        org,
        id
    )?;
    let row = found.ok_or(Error::NotFound)?;
    let said = Said {
        reviewed_on: row.reviewed_on,
        customer_name: row.customer_name,
        stars: row.stars,
        body: row.body,
        source: row.source,
        phone: row.phone_e164,
        email: row.email,
    };
    Ok((said, row.received_at))
}

/// A customer of the same name: whether it is they, a person says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReviewSuggestion)]
pub struct Suggestion {
    pub customer_id: CustomerId,
    pub name: String,
    pub job_id: Option<JobId>,
    pub job_number: Option<i64>,
}

/// The only customer of each of these names, with the last work that was done for them. By the name in small letters.
pub(super) async fn suggestions(
    conn: &mut dyn AsConn,
    org: OrgId,
    names: &[&str],
) -> Result<HashMap<String, Suggestion>> {
    if names.is_empty() {
        return Ok(HashMap::new());
    }
    let found = qb!(&mut *conn, fetch_all as (CustomerId, String), |b| {
        b.push("SELECT id, name FROM customer WHERE org_id = ").push_bind(org);
        b.push(" AND merged_into IS NULL AND LOWER(name) IN (");
        let mut list = b.separated(", ");
        for name in names {
            list.push("LOWER(").push_bind_unseparated((*name).to_owned()).push_unseparated(")");
        }
        b.push(")");
    })?;
    let mut by_name: HashMap<String, Vec<(CustomerId, String)>> = HashMap::new();
    for (id, name) in found {
        by_name.entry(name.to_lowercase()).or_default().push((id, name));
    }
    let mut suggested = HashMap::new();
    for (key, mut all) in by_name {
        // Of two people of one name neither is suggested.
        let (Some((id, name)), true) = (all.pop(), all.is_empty()) else { continue };
        let work = q!(
            &mut *conn,
            fetch_optional as (JobId, i64),
            "SELECT id, number FROM job WHERE org_id = $1 AND customer_id = $2 AND status = 'completed'
             ORDER BY completed_at DESC, id DESC LIMIT 1",
            org,
            id
        )?;
        let (job_id, job_number) = work.unzip();
        suggested.insert(key, Suggestion { customer_id: id, name, job_id, job_number });
    }
    Ok(suggested)
}
