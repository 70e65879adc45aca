//! Matching of reviews to customers: by the request it answers, else by its phone or email, else by a person's
//! decision. A name alone only suggests.

use std::collections::HashMap;

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{
    intake::{self, NewReview, ReviewContent},
    rule::MIN_REQUEST_INTERVAL,
};
use crate::{
    domain::{intake::customer::resolve_merged, tenancy::org::OrgContext},
    platform::{
        db::{AsConn, Tx, q, qb},
        email_address::EmailAddress,
        error::{Error, FieldErrors, Result},
        id::{CustomerId, JobId, LeadId, OrgId, ReviewId, ReviewRequestId},
        phone::Phone,
    },
};

/// How it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum ReviewMatch {
    Request,
    Phone,
    Email,
    /// Set by a member.
    Person,
    /// Marked by a member as from no customer.
    Nobody,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub(super) struct MatchedCustomer {
    #[sqlx(rename = "matched")]
    pub how: ReviewMatch,
    #[sqlx(rename = "customer_id")]
    pub customer: CustomerId,
    #[sqlx(rename = "lead_id")]
    pub lead: Option<LeadId>,
    #[sqlx(rename = "job_id")]
    pub job: Option<JobId>,
    #[sqlx(rename = "request_id")]
    pub ask: Option<ReviewRequestId>,
}

pub(super) async fn find_match(
    conn: &mut dyn AsConn,
    org: OrgId,
    new: &NewReview,
    received_at: DateTime<Utc>,
) -> Result<Option<MatchedCustomer>> {
    if let Some(ask) = new.ask {
        return match_by_request(conn, org, ask).await;
    }
    if let Some(customer) = new.customer {
        return match_for_customer(conn, org, (ReviewMatch::Person, customer, new.job), received_at).await.map(Some);
    }
    let named = [
        (ReviewMatch::Phone, "phone", new.content.phone.as_ref().map(Phone::as_e164)),
        (ReviewMatch::Email, "email", new.content.email.as_ref().map(EmailAddress::as_str)),
    ];
    for (how, kind, value) in named {
        let Some(value) = value else { continue };
        let sql = "SELECT customer_id FROM customer_key WHERE org_id = $1 AND kind = $2 AND value = $3";
        if let Some(customer) = q!(&mut *conn, fetch_optional scalar CustomerId, sql, org, kind, value)? {
            return match_for_customer(conn, org, (how, customer, None), received_at).await.map(Some);
        }
    }
    Ok(None)
}

async fn match_by_request(conn: &mut dyn AsConn, org: OrgId, ask: ReviewRequestId) -> Result<Option<MatchedCustomer>> {
    Ok(q!(
        conn,
        fetch_optional as MatchedCustomer,
        "SELECT 'request' AS matched, customer_id, lead_id, job_id, id AS request_id FROM review_request
         WHERE org_id = $1 AND id = $2",
        org,
        ask
    )?)
}

/// Job and request of a review: the named job, else the last one completed before it; and the request it answers.
async fn match_for_customer(
    conn: &mut dyn AsConn,
    org: OrgId,
    (how, customer, job): (ReviewMatch, CustomerId, Option<JobId>),
    received_at: DateTime<Utc>,
) -> Result<MatchedCustomer> {
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
        fetch_optional scalar ReviewRequestId,
        "SELECT id FROM review_request WHERE org_id = $1 AND customer_id = $2 AND asked_at > $3 AND asked_at <= $4
         ORDER BY asked_at DESC, id DESC LIMIT 1",
        org,
        customer,
        received_at - MIN_REQUEST_INTERVAL,
        received_at + Duration::days(1)
    )?;
    Ok(MatchedCustomer { how, customer, lead, job: work.map(|(job, _)| job), ask })
}

pub(super) async fn save_match(tx: &mut Tx, org: OrgId, id: ReviewId, matched: &MatchedCustomer) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE review SET matched = $3, customer_id = $4, lead_id = $5, job_id = $6, request_id = $7
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

pub(super) async fn load_match(conn: &mut dyn AsConn, org: OrgId, id: ReviewId) -> Result<Option<MatchedCustomer>> {
    Ok(q!(
        conn,
        fetch_optional as MatchedCustomer,
        "SELECT matched, customer_id, lead_id, job_id, request_id FROM review
         WHERE org_id = $1 AND id = $2 AND customer_id IS NOT NULL AND matched IS NOT NULL",
        org,
        id
    )?)
}

fn field_error(field: &'static str, words: &str) -> Error {
    let mut errors = FieldErrors::default();
    errors.add(field, words);
    Error::Invalid(errors)
}

pub(super) async fn resolve_customer_and_job(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: Option<CustomerId>,
    job: Option<JobId>,
) -> Result<(Option<CustomerId>, Option<JobId>)> {
    let customer = match customer {
        Some(id) => Some(resolve_merged(&mut *conn, org, id).await.map_err(|e| match e {
            Error::NotFound => field_error("customerId", "There is no such customer"),
            other => other,
        })?),
        None => None,
    };
    let Some(job) = job else { return Ok((customer, None)) };
    let sql = "SELECT customer_id FROM job WHERE org_id = $1 AND id = $2";
    let whose = q!(conn, fetch_optional scalar CustomerId, sql, org, job)?;
    match whose {
        Some(whose) if customer.is_none_or(|customer| customer == whose) => Ok((Some(whose), Some(job))),
        Some(_) => Err(field_error("jobId", "This job is another customer's")),
        None => Err(field_error("jobId", "There is no such job")),
    }
}

/// The customer of a review, as set by a person.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = ReviewMatchRequest)]
pub struct ReviewMatchForm {
    /// Null: it is from none of ours.
    pub customer_id: Option<CustomerId>,
    /// The job it is about; their last one when null.
    pub job_id: Option<JobId>,
}

/// # Errors
/// [`Error::NotFound`] without such a review; [`Error::Invalid`] on a customer or job that does not fit.
pub async fn assign_customer(tx: &mut Tx, ctx: &OrgContext<'_>, id: ReviewId, form: &ReviewMatchForm) -> Result<()> {
    let org = ctx.profile.org.id;
    let (content, received_at) = load_content(&mut *tx, org, id).await?;
    let (customer, job) = resolve_customer_and_job(&mut *tx, org, form.customer_id, form.job_id).await?;
    let Some(customer) = customer else {
        q!(
            &mut *tx,
            execute,
            "UPDATE review SET matched = $3, customer_id = NULL, lead_id = NULL, job_id = NULL, request_id = NULL
             WHERE org_id = $1 AND id = $2",
            org,
            id,
            ReviewMatch::Nobody
        )?;
        return intake::process_review(tx, ctx, id, (&content, received_at), None).await;
    };
    let matched = match_for_customer(&mut *tx, org, (ReviewMatch::Person, customer, job), received_at).await?;
    if load_match(&mut *tx, org, id)
        .await?
        .is_some_and(|stored| stored.customer == customer && stored.job == matched.job)
    {
        return save_match(tx, org, id, &matched).await;
    }
    intake::process_review(tx, ctx, id, (&content, received_at), Some(&matched)).await
}

async fn load_content(conn: &mut dyn AsConn, org: OrgId, id: ReviewId) -> Result<(ReviewContent, DateTime<Utc>)> {
    #[derive(FromRow)]
    struct StoredReviewRow {
        reviewed_on: Option<chrono::NaiveDate>,
        customer_name: Option<String>,
        stars: i64,
        body: Option<String>,
        source: String,
        phone_e164: Option<Phone>,
        email: Option<EmailAddress>,
        received_at: DateTime<Utc>,
    }
    let found = q!(
        conn,
        fetch_optional as StoredReviewRow,
        "SELECT reviewed_on, customer_name, stars, body, source, phone_e164, email, received_at FROM review
         WHERE org_id = $1 AND id = $2",
        org,
        id
    )?;
    let row = found.ok_or(Error::NotFound)?;
    let content = ReviewContent {
        reviewed_on: row.reviewed_on,
        customer_name: row.customer_name,
        stars: row.stars,
        body: row.body,
        source: row.source,
        phone: row.phone_e164,
        email: row.email,
    };
    Ok((content, row.received_at))
}

/// A customer of the same name; a person decides whether it is the same one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReviewSuggestion)]
pub struct ReviewMatchSuggestion {
    pub customer_id: CustomerId,
    pub name: String,
    pub job_id: Option<JobId>,
    pub job_number: Option<i64>,
}

/// The only customer of each name, with the last completed work; keyed by the name in lower case.
pub(super) async fn suggest_customers(
    conn: &mut dyn AsConn,
    org: OrgId,
    names: &[&str],
) -> Result<HashMap<String, ReviewMatchSuggestion>> {
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
        // Of two customers with one name neither is suggested.
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
        suggested.insert(key, ReviewMatchSuggestion { customer_id: id, name, job_id, job_number });
    }
    Ok(suggested)
}
