//! Review intake: from our page, typed by the business, from a spreadsheet or another program. Each is stored once,
//! matched to its customer, and reported to the business when the rating is low.
//!
//! A rating has effects only after the review was given.

use chrono::{DateTime, Utc};
use serde_json::json;

use super::{
    low_rating,
    matching::{self, MatchedCustomer},
    request_lifecycle,
    rule::ReviewRequestReason,
};
use crate::{
    conflicts::ConflictCode,
    domain::tenancy::{
        activity_log::{self, ActivityActor, EventKind, NewEvent},
        org::OrgContext,
    },
    platform::{
        db::{Tx, batch::insert_rows, batch_row, q},
        error::{Error, FieldErrors, Result},
        id::{CustomerId, JobId, LeadId, OrgId, ReviewId, ReviewRequestId},
        live::{self, Topic},
        text::single_line,
    },
};

pub(super) use super::form::{
    BAD_DATE, BAD_RATING, FIRST, LONGEST_NAME, LONGEST_SOURCE, LONGEST_TEXT, ReviewContent, format_tenths, parse_day,
    rating_to_tenths,
};
pub use super::form::{IncomingReview, ReviewForm, ReviewIntakeChannel};

#[derive(Clone, Debug)]
pub(super) struct NewReview {
    pub content: ReviewContent,
    pub way: ReviewIntakeChannel,
    pub key: String,
    pub ask: Option<ReviewRequestId>,
    pub customer: Option<CustomerId>,
    pub job: Option<JobId>,
}

/// False when it was known before: then nothing changes.
pub(super) async fn insert_review(tx: &mut Tx, ctx: &OrgContext<'_>, new: &NewReview) -> Result<(ReviewId, bool)> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let (id, content) = (ReviewId(origin.uuid_v7()), &new.content);
    let received_at = content.received_at(ctx.profile.org.zone(), origin.now());
    let row = batch_row!(review {
        org_id: org,
        id,
        reviewed_on: content.reviewed_on,
        customer_name: content.customer_name.as_deref(),
        stars: content.stars,
        body: content.body.as_deref(),
        source: content.source.as_str(),
        way: new.way,
        dedupe_key: new.key.as_str(),
        content_key: content.content_key(),
        phone_e164: content.phone.clone(),
        email: content.email.clone(),
        received_at,
        created_at: origin.now(),
        search: content.search_text(),
    })
    .on_conflict_do_nothing("org_id, dedupe_key");
    let stored = insert_rows(&mut *tx, &row).await?;
    drop(row);
    if stored == 0 {
        let sql = "SELECT id FROM review WHERE org_id = $1 AND dedupe_key = $2";
        return Ok((q!(tx, fetch_one scalar ReviewId, sql, org, &new.key)?, false));
    }
    let matched = matching::find_match(&mut *tx, org, new, received_at).await?;
    process_review(tx, ctx, id, (content, received_at), matched.as_ref()).await?;
    Ok((id, true))
}

/// Matches a review to its customer, ends open asks, and alerts the business of a low rating.
pub(super) async fn process_review(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: ReviewId,
    (content, received_at): (&ReviewContent, DateTime<Utc>),
    matched: Option<&MatchedCustomer>,
) -> Result<()> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    if let Some(matched) = matched {
        matching::save_match(&mut *tx, org, id, matched).await?;
        end_answered_requests(&mut *tx, ctx, matched, received_at).await?;
        if let Some(lead) = matched.lead {
            let event = NewEvent {
                job: matched.job,
                subject: Some(id.0),
                detail: json!({"source": content.source}),
                ..NewEvent::new(lead, EventKind::ReviewReceived, received_at, review_author(content))
            };
            activity_log::record_event(&mut *tx, origin, org, event).await?;
        }
    }
    low_rating::notify_low_rating(&mut *tx, ctx, id, (content, received_at), matched).await?;
    let lead = matched.and_then(|matched| matched.lead).map(|lead| lead.0);
    live::publish_event(tx, origin, org, Topic::Review, id.0, lead).await
}

fn review_author(content: &ReviewContent) -> ActivityActor {
    ActivityActor::Customer { name: content.customer_name.clone().unwrap_or_else(|| "Anonymous".to_owned()) }
}

/// Ends open asks of the customer. A review older than the request does not answer it.
async fn end_answered_requests(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    matched: &MatchedCustomer,
    received_at: DateTime<Utc>,
) -> Result<()> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let zone = ctx.profile.org.zone();
    let day = |at: DateTime<Utc>| at.with_timezone(&zone).date_naive();
    let under_way = request_lifecycle::list_open_requests(&mut *tx, org, matched.customer).await?;
    let theirs = under_way.into_iter().filter(|ask| day(ask.created_at) <= day(received_at)).map(|ask| ask.id);
    let mut ids: Vec<ReviewRequestId> = theirs.collect();
    ids.extend(matched.ask.filter(|id| !ids.contains(id)));
    for id in ids {
        request_lifecycle::end_request(&mut *tx, origin, org, id, (ReviewRequestReason::Reviewed, None), None).await?;
    }
    Ok(())
}

/// Typed by the business. Each submission is a new review; a retried request is not.
///
/// # Errors
/// [`Error::Invalid`] on fields that do not fit, and on `jobId` and `customerId` of another business or of two people.
pub async fn create_manual(tx: &mut Tx, ctx: &OrgContext<'_>, form: &ReviewForm) -> Result<ReviewId> {
    let (origin, profile) = (ctx.origin, ctx.profile);
    let content = form.validate_form(ReviewIntakeChannel::Hand, profile.org.zone(), origin.now())?;
    let (customer, job) =
        matching::resolve_customer_and_job(&mut *tx, profile.org.id, form.customer_id, form.job_id).await?;
    let key = format!("hand:{}", origin.uuid_v7());
    let new = NewReview { content, way: ReviewIntakeChannel::Hand, key, ask: None, customer, job };
    insert_review(tx, ctx, &new).await.map(|(id, _)| id)
}

/// True when it is new. A review is identified by the sender's id, else by its content.
pub async fn receive_webhook(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    form: &ReviewForm,
    ask: Option<ReviewRequestId>,
) -> Result<(ReviewId, bool)> {
    let (origin, profile) = (ctx.origin, ctx.profile);
    let content = form.validate_form(ReviewIntakeChannel::Webhook, profile.org.zone(), origin.now())?;
    let mut errors = FieldErrors::default();
    let own = single_line("id", form.id.as_deref(), 200).parse_optional(&mut errors);
    errors.into_result()?;
    let content_key = content.content_key();
    let key = match &own {
        Some(own) => format!("webhook:{}:{own}", content.source.to_lowercase()),
        None => format!("content:{content_key}:1"),
    };
    if own.is_none()
        && let Some(known) = find_same_content(&mut *tx, profile.org.id, &content_key).await?
    {
        return Ok((known, false));
    }
    let new = NewReview { content, way: ReviewIntakeChannel::Webhook, key, ask, customer: None, job: None };
    let (id, is_new) = insert_review(&mut *tx, ctx, &new).await?;
    if !is_new {
        update_review(tx, ctx, id, &new.content).await?;
    }
    Ok((id, is_new))
}

async fn find_same_content(tx: &mut Tx, org: OrgId, content: &str) -> Result<Option<ReviewId>> {
    let sql = "SELECT id FROM review WHERE org_id = $1 AND content_key = $2 ORDER BY created_at, id LIMIT 1";
    Ok(q!(tx, fetch_optional scalar ReviewId, sql, org, content)?)
}

/// For an edit by the author. Unchanged content is left alone.
pub(super) async fn update_review(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: ReviewId,
    content: &ReviewContent,
) -> Result<()> {
    let org = ctx.profile.org.id;
    let changed = q!(
        &mut *tx,
        fetch_optional as (DateTime<Utc>, Option<LeadId>),
        "UPDATE review SET reviewed_on = COALESCE($3, reviewed_on), customer_name = COALESCE($4, customer_name),
             stars = $5, body = $6, content_key = $7, search = $8
         WHERE org_id = $1 AND id = $2 AND content_key <> $7 RETURNING received_at, lead_id",
        org,
        id,
        content.reviewed_on,
        content.customer_name.as_deref(),
        content.stars,
        content.body.as_deref(),
        content.content_key(),
        content.search_text()
    )?;
    let Some((received_at, lead)) = changed else { return Ok(()) };
    let matched = matching::load_match(&mut *tx, org, id).await?;
    low_rating::notify_low_rating(&mut *tx, ctx, id, (content, received_at), matched.as_ref()).await?;
    live::publish_event(tx, ctx.origin, org, Topic::Review, id.0, lead.map(|lead| lead.0)).await
}

/// Removes a review that the business entered. Reviews by customers and other programs stay.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] for a review by others.
pub async fn delete_review(tx: &mut Tx, ctx: &OrgContext<'_>, id: ReviewId) -> Result<()> {
    let org = ctx.profile.org.id;
    let sql = "SELECT way, lead_id FROM review WHERE org_id = $1 AND id = $2";
    let found = q!(&mut *tx, fetch_optional as (ReviewIntakeChannel, Option<LeadId>), sql, org, id)?;
    let (way, lead) = found.ok_or(Error::NotFound)?;
    if !matches!(way, ReviewIntakeChannel::Hand | ReviewIntakeChannel::Csv) {
        return Err(ConflictCode::ReviewNotRemovable.into_error());
    }
    q!(&mut *tx, execute, "DELETE FROM review WHERE org_id = $1 AND id = $2", org, id)?;
    live::publish_event(tx, ctx.origin, org, Topic::Review, id.0, lead.map(|lead| lead.0)).await
}
