//! What a review says, read from whatever form it comes in, and by what the same one is known again.

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;
use serde::Deserialize;
use serde_json::Number;
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use crate::platform::{
    business_hours,
    error::{FieldErrors, Result},
    id::{CustomerId, JobId},
    phone::Phone,
    text::{self, line, lines},
};

pub(super) const LONGEST_NAME: usize = 120;
pub(super) const LONGEST_TEXT: usize = 5_000;
pub(super) const LONGEST_SOURCE: usize = 40;
pub(super) const BAD_RATING: &str = "Write a number from 1 to 5, with one decimal at most";
pub(super) const BAD_DATE: &str = "Write a day such as 2026-11-21, today at the latest";
/// No review is older than the sites they stand on.
pub(super) const FIRST: NaiveDate = NaiveDate::from_ymd_opt(1995, 1, 1).expect("a day");
const NOON: NaiveTime = NaiveTime::from_hms_opt(12, 0, 0).expect("a time of the day");

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
    /// [`Error::Invalid`](crate::platform::error::Error::Invalid), naming every field that does not fit.
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
        let noon = |day: NaiveDate| business_hours::instant(zone, day.and_time(NOON));
        self.reviewed_on.filter(|day| *day < today).map_or(now, noon)
    }

    pub fn search(&self) -> String {
        let parts = [self.customer_name.as_deref(), Some(&self.source), self.body.as_deref()];
        parts.into_iter().flatten().collect::<Vec<_>>().join("\n").to_lowercase()
    }
}

/// "4.5", "5".
pub(super) fn shown(tenths: i64) -> String {
    if tenths % 10 == 0 { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) }
}

#[cfg(test)]
mod tests {
    use chrono_tz::America::Chicago;
    use serde_json::{Value, json};

    use super::*;
    use crate::platform::error::Error;

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
