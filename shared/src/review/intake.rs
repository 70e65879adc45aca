//! Reviews come in: by our page, typed by somebody of the business, from a spreadsheet, or from another program. Each is
//! stored once, put to the customer it is from, and told to the business when it is a low one.
//!
//! What is done about a low one is done after it was given. Before, nothing looks at what anybody may think.

use chrono::{DateTime, Duration, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;
use serde::Deserialize;
use serde_json::{Number, json};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use super::{
    ask,
    matching::{self, Matched},
    rule::Why,
};
use crate::{
    alert::{self, NewAlert},
    db::{
        Tx,
        batch::{Insert, insert, values},
        q,
    },
    error::{Error, FieldErrors, Result},
    hours,
    id::{CustomerId, JobId, OrgId, ReviewAskId, ReviewId},
    lead::Intake,
    live::{self, Topic},
    org::Profile,
    phone::Phone,
    text::{self, line, lines},
    work::{self, Doer, EventKind, NewEvent},
};

pub(super) const LONGEST_NAME: usize = 120;
pub(super) const LONGEST_TEXT: usize = 5_000;
pub(super) const LONGEST_SOURCE: usize = 40;
/// Below this the business is told at once (features 61). In tenths.
const LOW: i64 = 35;
/// What is older is history and alarms nobody.
const LATELY: Duration = Duration::days(30);
/// As much of the words as an alert shows.
const SHOWN: usize = 200;
pub(super) const BAD_RATING: &str = "Write a number from 1 to 5, with one decimal at most";
pub(super) const BAD_DATE: &str = "Write a day such as 2026-11-21, today at the latest";

/// How a review came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = ReviewWay)]
pub enum Way {
    /// By our own page.
    Page,
    /// Typed by somebody of the business.
    Hand,
    Csv,
    /// From another program.
    Webhook,
}

impl Way {
    /// What stands as its source when nobody says one.
    pub(super) fn source(self) -> &'static str {
        match self {
            Self::Page => "Website",
            Self::Hand => "Manual",
            Self::Csv => "Import",
            Self::Webhook => "Other",
        }
    }
}

/// A review as it was sent; field names are the product's.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ReviewForm {
    /// A day; an instant is taken too.
    pub date: Option<String>,
    pub customer_name: Option<String>,
    /// 1 to 5, with one decimal at most.
    pub rating: Option<Number>,
    pub review_text: Option<String>,
    /// Where it stands: "Google".
    pub source: Option<String>,
    pub phone: Option<String>,
    pub email: Option<String>,
    #[serde(rename = "customerId")]
    pub customer_id: Option<CustomerId>,
    #[serde(rename = "jobId")]
    pub job_id: Option<JobId>,
    /// The sender's own name for it, by which it is known when it comes again.
    pub id: Option<String>,
    /// The token of the request that it answers.
    pub request: Option<String>,
}

/// What a review says, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub reviewed_on: Option<NaiveDate>,
    pub customer_name: Option<String>,
    /// In tenths.
    pub stars: i64,
    pub body: Option<String>,
    pub source: String,
    pub phone: Option<String>,
    pub email: Option<String>,
}

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

/// Tenths of a rating from 1 to 5.
pub(super) fn tenths(rating: f64) -> Option<i64> {
    let tenths = rating * 10.0;
    #[expect(clippy::cast_possible_truncation, reason = "below fifty")]
    let whole = tenths.round() as i64;
    let is_whole = (tenths - tenths.round()).abs() < 1e-6;
    (is_whole && (10.0..=50.0).contains(&tenths.round())).then_some(whole)
}

/// A day, also the one of an instant.
pub(super) fn day(typed: &str, zone: Tz) -> Option<NaiveDate> {
    let typed = typed.trim();
    let by_instant = || DateTime::parse_from_rfc3339(typed).ok().map(|at| at.with_timezone(&zone).date_naive());
    typed.parse().ok().or_else(by_instant)
}

impl ReviewForm {
    /// # Errors
    /// [`Error::Invalid`], naming every field that does not fit.
    pub(super) fn check(&self, way: Way, zone: Tz, now: DateTime<Utc>) -> Result<Said> {
        let mut errors = FieldErrors::default();
        let today = now.with_timezone(&zone).date_naive();
        let typed = line("date", self.date.as_deref(), 40).optional(&mut errors);
        let reviewed_on = typed.and_then(|typed| {
            let read = day(&typed, zone).filter(|day| *day <= today && *day >= FIRST);
            if read.is_none() {
                errors.add("date", BAD_DATE);
            }
            read
        });
        let stars = self.rating.as_ref().and_then(Number::as_f64).and_then(tenths);
        if stars.is_none() {
            errors.add("rating", BAD_RATING);
        }
        let phone = line("phone", self.phone.as_deref(), 40).optional(&mut errors);
        let email = line("email", self.email.as_deref(), 254).optional(&mut errors);
        let source = line("source", self.source.as_deref(), LONGEST_SOURCE).optional(&mut errors);
        let said = Said {
            reviewed_on,
            customer_name: line("customer_name", self.customer_name.as_deref(), LONGEST_NAME).optional(&mut errors),
            stars: stars.unwrap_or_default(),
            body: lines("review_text", self.review_text.as_deref(), LONGEST_TEXT).optional(&mut errors),
            source: source.unwrap_or_else(|| way.source().to_owned()),
            // What is none is of no use for finding whose it is, and no reason to refuse a review.
            phone: phone.as_deref().and_then(Phone::parse).map(|phone| phone.as_e164().to_owned()),
            email: email.as_deref().and_then(text::email),
        };
        errors.finish()?;
        Ok(said)
    }
}

/// No review is older than the sites they stand on.
pub(super) const FIRST: NaiveDate = NaiveDate::from_ymd_opt(1995, 1, 1).expect("a day");

impl Said {
    /// The same words of the same day are the same review, from wherever they come.
    pub fn content_key(&self) -> String {
        let squeezed = |text: Option<&str>| {
            let words: Vec<String> = text.unwrap_or_default().split_whitespace().map(str::to_lowercase).collect();
            words.join(" ")
        };
        let day = self.reviewed_on.map(|day| day.to_string()).unwrap_or_default();
        let parts = [
            day,
            squeezed(self.customer_name.as_deref()),
            self.stars.to_string(),
            squeezed(self.body.as_deref()),
            squeezed(Some(&self.source)),
        ];
        let hash = Sha256::digest(parts.join("\n"));
        hash.iter().fold(String::with_capacity(64), |mut hex, byte| {
            use std::fmt::Write as _;
            // Writing to a String cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }

    /// When it was given: noon of the day it is dated, if that is past, else now.
    pub fn received_at(&self, zone: Tz, now: DateTime<Utc>) -> DateTime<Utc> {
        let today = now.with_timezone(&zone).date_naive();
        let noon = |day: NaiveDate| hours::instant(zone, day.and_time(NOON));
        self.reviewed_on.filter(|day| *day < today).map_or(now, noon)
    }

    pub fn search(&self) -> String {
        let parts = [self.customer_name.as_deref(), Some(&self.source), self.body.as_deref()];
        parts.into_iter().flatten().collect::<Vec<_>>().join("\n").to_lowercase()
    }
}

const NOON: NaiveTime = NaiveTime::from_hms_opt(12, 0, 0).expect("a time of the day");

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
            work::record(&mut *tx, origin, org, event).await?;
        }
    }
    if said.stars < LOW && origin.now() - received_at <= LATELY {
        tell(&mut *tx, house.profile, house, id, said, matched).await?;
    }
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

/// "2 stars from Ann Lee", with the job that it is about.
async fn tell(
    tx: &mut Tx,
    profile: &Profile,
    house: &Intake<'_>,
    id: ReviewId,
    said: &Said,
    matched: Option<&Matched>,
) -> Result<()> {
    let who = said.customer_name.as_deref().unwrap_or("somebody");
    let title = format!("{} stars from {who}", shown(said.stars));
    let words = said.body.as_deref().unwrap_or("No words were left.");
    let words: String = words.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(SHOWN).collect();
    let job = match matched.and_then(|matched| matched.job) {
        Some(job) => about(&mut *tx, profile.org.id, job).await?,
        None => None,
    };
    let body = match job {
        Some(job) => format!("\"{words}\" It is about {job}. A draft of your answer is ready."),
        None => format!("\"{words}\" A draft of your answer is ready."),
    };
    let alert = NewAlert {
        lead: matched.and_then(|matched| matched.lead),
        path: Some(format!("/app/reviews?review={id}")),
        ..NewAlert::new(alert::Kind::LowRating, format!("review:{id}:low"), title, body)
    };
    alert::raise(tx, house.origin, profile, alert).await.map(|_| ())
}

async fn about(tx: &mut Tx, org: OrgId, job: JobId) -> Result<Option<String>> {
    let sql = "SELECT number, service FROM job WHERE org_id = $1 AND id = $2";
    let found = q!(tx, fetch_optional as (i64, String), sql, org, job)?;
    Ok(found.map(|(number, service)| format!("job {number}, {}", crate::lead::form::service_label(&service))))
}

/// "4.5", "5".
pub(super) fn shown(tenths: i64) -> String {
    if tenths % 10 == 0 { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) }
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
        fetch_optional as (DateTime<Utc>, Option<crate::id::LeadId>),
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
    if said.stars < LOW && house.origin.now() - received_at <= LATELY {
        let matched = matching::of(&mut *tx, org, id).await?;
        tell(&mut *tx, house.profile, house, id, said, matched.as_ref()).await?;
    }
    live::announce(tx, house.origin, org, Topic::Review, id.0, lead.map(|lead| lead.0)).await
}

/// Takes away what somebody of the business brought in. What customers and other programs said stays.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] for what others said.
pub async fn remove(tx: &mut Tx, house: &Intake<'_>, id: ReviewId) -> Result<()> {
    let org = house.profile.org.id;
    let sql = "SELECT way, lead_id FROM review WHERE org_id = $1 AND id = $2";
    let found = q!(&mut *tx, fetch_optional as (Way, Option<crate::id::LeadId>), sql, org, id)?;
    let (way, lead) = found.ok_or(Error::NotFound)?;
    if !matches!(way, Way::Hand | Way::Csv) {
        return Err(Error::Conflict("What customers said stays. Only what was typed in or imported can be removed."));
    }
    q!(&mut *tx, execute, "DELETE FROM review WHERE org_id = $1 AND id = $2", org, id)?;
    live::announce(tx, house.origin, org, Topic::Review, id.0, lead.map(|lead| lead.0)).await
}

#[cfg(test)]
mod tests {
    use chrono_tz::America::Chicago;
    use serde_json::Value;

    use super::*;

    fn now() -> DateTime<Utc> {
        "2026-11-21T03:00:00Z".parse().unwrap()
    }

    fn read(form: Value) -> Result<Said> {
        serde_json::from_value::<ReviewForm>(form).unwrap().check(Way::Webhook, Chicago, now())
    }

    fn fields(form: Value) -> Vec<&'static str> {
        match read(form) {
            Err(Error::Invalid(errors)) => errors.said().into_iter().map(|(field, _)| field).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_rating_is_one_to_five_with_one_decimal() {
        for (rating, wanted) in [(1.0, Some(10)), (4.5, Some(45)), (5.0, Some(50)), (4.7, Some(47)), (3.3, Some(33))] {
            assert_eq!(tenths(rating), wanted, "{rating}");
        }
        for rating in [0.0, 0.9, 5.1, 4.55, -1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(tenths(rating), None, "{rating}");
        }
        assert_eq!((shown(45).as_str(), shown(50).as_str()), ("4.5", "5"));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        assert_eq!(fields(json!({})), ["rating"]);
        assert_eq!(fields(json!({"rating": 6, "date": "yesterday"})), ["date", "rating"]);
        // It is still Friday in Chicago.
        assert_eq!(fields(json!({"rating": 5, "date": "2026-11-21"})), ["date"]);
        assert_eq!(fields(json!({"rating": 5, "customer_name": "a\nb"})), ["customer_name"]);
        assert_eq!(fields(json!({"rating": 5, "review_text": "x".repeat(5_001)})), ["review_text"]);
    }

    #[test]
    fn its_day_is_the_businesss_and_it_counts_for_that_day() {
        let said = read(json!({"rating": 4, "date": "2026-11-21T03:00:00Z"})).unwrap();
        assert_eq!(said.reviewed_on.unwrap().to_string(), "2026-11-20");
        assert_eq!(said.received_at(Chicago, now()), now());
        let old = read(json!({"rating": 4, "date": "2026-11-01"})).unwrap();
        assert_eq!(old.received_at(Chicago, now()).to_rfc3339(), "2026-11-01T18:00:00+00:00");
        assert_eq!(read(json!({"rating": 4})).unwrap().received_at(Chicago, now()), now());
    }

    #[test]
    fn the_same_words_are_the_same_review_however_they_are_spaced() {
        let key = |name: &str, text: &str, rating: f64| {
            read(json!({"rating": rating, "customer_name": name, "review_text": text, "source": "Google"}))
                .unwrap()
                .content_key()
        };
        assert_eq!(key("Ann Lee", "Great  work\n", 5.0), key("ann lee", "great work", 5.0));
        assert_ne!(key("Ann Lee", "Great work", 5.0), key("Ann Lee", "Great work", 4.5));
        assert_ne!(key("Ann", "Lee Great", 5.0), key("Ann Lee", "Great", 5.0));
    }

    #[test]
    fn what_is_no_number_and_no_address_finds_nobody_and_refuses_nothing() {
        let said = read(json!({"rating": 5, "phone": "pizza", "email": "nobody"})).unwrap();
        assert_eq!((said.phone, said.email, said.source.as_str()), (None, None, "Other"));
    }
}
