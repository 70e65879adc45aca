//! Reviews come in: by our page, typed by somebody of the business, from a spreadsheet, or from another program. Each is
//! stored once, put to the customer it is from, and told to the business when it is a low one.
//!
//! What is done about a low one is done after it was given. Before, nothing looks at what anybody may think.

use chrono::{DateTime, Utc};
use serde_json::json;

use super::{
    ask, low_rating,
    matching::{self, Matched},
    rule::Why,
};
use crate::{
    domain::{
        intake::lead::Intake,
        work::activity::{self, Doer, EventKind, NewEvent},
    },
    platform::{
        db::{
            Tx,
            batch::{Insert, insert, values},
            q,
        },
        error::{Error, FieldErrors, Result},
        id::{CustomerId, JobId, LeadId, OrgId, ReviewAskId, ReviewId},
        live::{self, Topic},
        text::line,
    },
};

pub(super) use super::form::{
    BAD_DATE, BAD_RATING, FIRST, LONGEST_NAME, LONGEST_SOURCE, LONGEST_TEXT, Said, day, shown, tenths,
};
pub use super::form::{ReviewForm, Way};

/// A review to be stored.
#[derive(Clone, Debug)]
pub(super) struct New {
    pub said: Said,
    pub way: Way,
    /// One review, one key.
    pub key: String,
    pub ask: Option<ReviewAskId>,
    pub customer: Option<CustomerId>,
    pub job: Option<JobId>,
}

/// Stores a review and does what follows. False when it was known before: then nothing changes.
pub(super) async fn take(tx: &mut Tx, house: &Intake<'_>, new: &New) -> Result<(ReviewId, bool)> {
    let (origin, org) = (house.origin, house.profile.org.id);
    let (id, said) = (ReviewId(origin.uuid()), &new.said);
    let received_at = said.received_at(house.profile.org.zone(), origin.now());
    let row = Insert::into(
        "review (org_id, id, reviewed_on, customer_name, stars, body, source, way, dedupe_key, content_key, phone_e164,
             email, received_at, created_at, search)",
    )
    .row(values![
        org,
        id,
        said.reviewed_on,
        said.customer_name.as_deref(),
        said.stars,
        said.body.as_deref(),
        said.source.as_str(),
        new.way,
        new.key.as_str(),
        said.content_key(),
        said.phone.as_deref(),
        said.email.as_deref(),
        received_at,
        origin.now(),
        said.search()
    ])
    .unless_there("org_id, dedupe_key");
    let stored = insert(&mut *tx, &row).await?;
    drop(row);
    if stored == 0 {
        let sql = "SELECT id FROM review WHERE org_id = $1 AND dedupe_key = $2";
        return Ok((q!(tx, fetch_one scalar ReviewId, sql, org, &new.key)?, false));
    }
    let matched = matching::find(&mut *tx, org, new, received_at).await?;
    follows(tx, house, id, (said, received_at), matched.as_ref()).await?;
    Ok((id, true))
}

/// Puts a review to its customer, ends what is under way with them, and tells the business of a low one.
pub(super) async fn follows(
    tx: &mut Tx,
    house: &Intake<'_>,
    id: ReviewId,
    (said, received_at): (&Said, DateTime<Utc>),
    matched: Option<&Matched>,
) -> Result<()> {
    let (origin, org) = (house.origin, house.profile.org.id);
    if let Some(matched) = matched {
        matching::store(&mut *tx, org, id, matched).await?;
        answered(&mut *tx, house, matched, received_at).await?;
        if let Some(lead) = matched.lead {
            let event = NewEvent {
                job: matched.job,
                subject: Some(id.0),
                detail: json!({"source": said.source}),
                ..NewEvent::new(lead, EventKind::ReviewReceived, received_at, author(said))
            };
            activity::record(&mut *tx, origin, org, event).await?;
        }
    }
    low_rating::tell(&mut *tx, house, id, (said, received_at), matched).await?;
    let lead = matched.and_then(|matched| matched.lead).map(|lead| lead.0);
    live::announce(tx, origin, org, Topic::Review, id.0, lead).await
}

fn author(said: &Said) -> Doer {
    Doer::Customer { name: said.customer_name.clone().unwrap_or_else(|| "Anonymous".to_owned()) }
}

/// They have left a review: nobody asks them for one any more. A review from before they were asked answers nothing.
async fn answered(tx: &mut Tx, house: &Intake<'_>, matched: &Matched, received_at: DateTime<Utc>) -> Result<()> {
    let (origin, org) = (house.origin, house.profile.org.id);
    let zone = house.profile.org.zone();
    let day = |at: DateTime<Utc>| at.with_timezone(&zone).date_naive();
    let under_way = ask::under_way(&mut *tx, org, matched.customer).await?;
    let theirs = under_way.into_iter().filter(|ask| day(ask.created_at) <= day(received_at)).map(|ask| ask.id);
    let mut ids: Vec<ReviewAskId> = theirs.collect();
    ids.extend(matched.ask.filter(|id| !ids.contains(id)));
    for id in ids {
        ask::end(&mut *tx, origin, org, id, (Why::Reviewed, None), None).await?;
    }
    Ok(())
}

/// Typed by somebody of the business. Each press is a review of its own; a repeated request is none.
///
/// # Errors
/// [`Error::Invalid`] on what does not fit; on `jobId` and `customerId` when they are none of this business, or not of
/// one person.
pub async fn by_hand(tx: &mut Tx, house: &Intake<'_>, form: &ReviewForm) -> Result<ReviewId> {
    let (origin, profile) = (house.origin, house.profile);
    let said = form.check(Way::Hand, profile.org.zone(), origin.now())?;
    let (customer, job) = matching::chosen(&mut *tx, profile.org.id, form.customer_id, form.job_id).await?;
    let key = format!("hand:{}", origin.uuid());
    let new = New { said, way: Way::Hand, key, ask: None, customer, job };
    take(tx, house, &new).await.map(|(id, _)| id)
}

/// Brought by another program. True when it was not known. What it is known by is the sender's own id; without one, the
/// same content again is the same review.
///
/// # Errors
/// [`Error::Invalid`] on what does not fit.
pub async fn by_webhook(
    tx: &mut Tx,
    house: &Intake<'_>,
    form: &ReviewForm,
    ask: Option<ReviewAskId>,
) -> Result<(ReviewId, bool)> {
    let (origin, profile) = (house.origin, house.profile);
    let said = form.check(Way::Webhook, profile.org.zone(), origin.now())?;
    let mut errors = FieldErrors::default();
    let own = line("id", form.id.as_deref(), 200).optional(&mut errors);
    errors.finish()?;
    let content = said.content_key();
    let key = match &own {
        Some(own) => format!("webhook:{}:{own}", said.source.to_lowercase()),
        None => format!("content:{content}:1"),
    };
    if own.is_none()
        && let Some(known) = same(&mut *tx, profile.org.id, &content).await?
    {
        return Ok((known, false));
    }
    let new = New { said, way: Way::Webhook, key, ask, customer: None, job: None };
    let (id, is_new) = take(&mut *tx, house, &new).await?;
    if !is_new {
        rewrite(tx, house, id, &new.said).await?;
    }
    Ok((id, is_new))
}

async fn same(tx: &mut Tx, org: OrgId, content: &str) -> Result<Option<ReviewId>> {
    let sql = "SELECT id FROM review WHERE org_id = $1 AND content_key = $2 ORDER BY created_at, id LIMIT 1";
    Ok(q!(tx, fetch_optional scalar ReviewId, sql, org, content)?)
}

/// Its author has changed what it says. What is the same stays untouched.
pub(super) async fn rewrite(tx: &mut Tx, house: &Intake<'_>, id: ReviewId, said: &Said) -> Result<()> {
    let org = house.profile.org.id;
    let changed = q!(
        &mut *tx,
        fetch_optional as (DateTime<Utc>, Option<LeadId>),
        "UPDATE review SET reviewed_on = COALESCE($3, reviewed_on), customer_name = COALESCE($4, customer_name),
             stars = $5, body = $6, content_key = $7, search = $8
         WHERE org_id = $1 AND id = $2 AND content_key <> $7 RETURNING received_at, lead_id",
        org,
        id,
        said.reviewed_on,
        said.customer_name.as_deref(),
        said.stars,
        said.body.as_deref(),
        said.content_key(),
        said.search()
    )?;
    let Some((received_at, lead)) = changed else { return Ok(()) };
    let matched = matching::of(&mut *tx, org, id).await?;
    low_rating::tell(&mut *tx, house, id, (said, received_at), matched.as_ref()).await?;
    live::announce(tx, house.origin, org, Topic::Review, id.0, lead.map(|lead| lead.0)).await
}

/// Takes away what somebody of the business brought in. What customers and other programs said stays.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] for what others said.
pub async fn remove(tx: &mut Tx, house: &Intake<'_>, id: ReviewId) -> Result<()> {
    let org = house.profile.org.id;
    let sql = "SELECT way, lead_id FROM review WHERE org_id = $1 AND id = $2";
    let found = q!(&mut *tx, fetch_optional as (Way, Option<LeadId>), sql, org, id)?;
    let (way, lead) = found.ok_or(Error::NotFound)?;
    if !matches!(way, Way::Hand | Way::Csv) {
        return Err(Error::Conflict("What customers said stays. Only what was typed in or imported can be removed."));
    }
    q!(&mut *tx, execute, "DELETE FROM review WHERE org_id = $1 AND id = $2", org, id)?;
    live::announce(tx, house.origin, org, Topic::Review, id.0, lead.map(|lead| lead.0)).await
}
