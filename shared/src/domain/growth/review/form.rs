//! Review content: checks of every input form, and the key that finds duplicates.

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;
use serde::Deserialize;
use serde_json::Number;
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use crate::platform::{
    business_hours,
    email_address::EmailAddress,
    error::{FieldErrors, Result},
    field_schemas,
    id::{CustomerId, JobId},
    phone::Phone,
    text::{invalid_email_reason, multi_line, single_line},
};

pub(super) const LONGEST_NAME: usize = 120;
pub(super) const LONGEST_TEXT: usize = 5_000;
pub(super) const LONGEST_SOURCE: usize = 40;
pub(super) const BAD_RATING: &str = "Write a number from 1 to 5, with one decimal at most";
pub(super) const BAD_DATE: &str = "Write a day such as 2026-11-21, today at the latest";
/// Earliest date: no review site is older.
pub(super) const FIRST: NaiveDate = NaiveDate::from_ymd_opt(1995, 1, 1).expect("a day");
const NOON: NaiveTime = NaiveTime::from_hms_opt(12, 0, 0).expect("a time of the day");

/// How a review came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = ReviewWay)]
pub enum ReviewIntakeChannel {
    /// By our own page.
    Page,
    /// Entered by a member.
    Hand,
    Csv,
    /// From another program.
    Webhook,
}

impl ReviewIntakeChannel {
    pub(super) fn default_source(self) -> &'static str {
        match self {
            Self::Page => "Website",
            Self::Hand => "Manual",
            Self::Csv => "Import",
            Self::Webhook => "Other",
        }
    }
}

/// A review entered by hand.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[schema(as = ReviewRequest)]
pub struct ReviewForm {
    /// `2026-11-21`, today at the latest.
    #[schema(schema_with = field_schemas::nullable_line::<40>)]
    pub date: Option<String>,
    #[schema(schema_with = field_schemas::nullable_line::<120>)]
    pub customer_name: Option<String>,
    /// With one decimal at most.
    #[schema(value_type = f64, required, minimum = 1, maximum = 5)]
    pub rating: Option<Number>,
    #[schema(schema_with = field_schemas::nullable_text::<5000>)]
    pub review_text: Option<String>,
    /// "Google".
    #[schema(schema_with = field_schemas::nullable_line::<40>)]
    pub source: Option<String>,
    /// Whose it is; found by phone or email when absent.
    #[serde(rename = "customerId")]
    #[schema(value_type = Option<uuid::Uuid>)]
    pub customer_id: Option<CustomerId>,
    #[serde(rename = "jobId")]
    #[schema(value_type = Option<uuid::Uuid>)]
    pub job_id: Option<JobId>,
    #[schema(schema_with = field_schemas::nullable_line::<40>)]
    pub phone: Option<String>,
    #[schema(schema_with = field_schemas::nullable_line::<254>)]
    pub email: Option<String>,
    /// Id of [`IncomingReview`].
    #[serde(skip)]
    pub id: Option<String>,
}

/// A review that another program brings. It names no customer and no job: they may be another business's.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[schema(as = ReviewBrought, description = "A review that another program brings.")]
pub struct IncomingReview {
    /// Its own name for it: what comes again under it changes that review.
    #[schema(schema_with = field_schemas::nullable_line::<200>)]
    pub id: Option<String>,
    /// A day or an instant, today at the latest.
    #[schema(schema_with = field_schemas::nullable_line::<40>)]
    pub date: Option<String>,
    #[schema(schema_with = field_schemas::nullable_line::<120>)]
    pub customer_name: Option<String>,
    /// With one decimal at most.
    #[schema(value_type = f64, required, minimum = 1, maximum = 5)]
    pub rating: Option<Number>,
    #[schema(schema_with = field_schemas::nullable_text::<5000>)]
    pub review_text: Option<String>,
    /// "Google".
    #[schema(schema_with = field_schemas::nullable_line::<40>)]
    pub source: Option<String>,
    #[schema(schema_with = field_schemas::nullable_line::<40>)]
    pub phone: Option<String>,
    #[schema(schema_with = field_schemas::nullable_line::<254>)]
    pub email: Option<String>,
    /// The token of the request that it answers: the end of its link.
    #[schema(schema_with = field_schemas::nullable_line::<100>)]
    pub request: Option<String>,
}

impl From<IncomingReview> for ReviewForm {
    fn from(sent: IncomingReview) -> Self {
        Self {
            date: sent.date,
            customer_name: sent.customer_name,
            rating: sent.rating,
            review_text: sent.review_text,
            source: sent.source,
            phone: sent.phone,
            email: sent.email,
            id: sent.id,
            ..Self::default()
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReviewContent {
    pub reviewed_on: Option<NaiveDate>,
    pub customer_name: Option<String>,
    /// In tenths.
    pub stars: i64,
    pub body: Option<String>,
    pub source: String,
    pub phone: Option<Phone>,
    pub email: Option<EmailAddress>,
}

/// Tenths of a rating from 1 to 5.
pub(super) fn rating_to_tenths(rating: f64) -> Option<i64> {
    let tenths = rating * 10.0;
    #[expect(clippy::cast_possible_truncation, reason = "below fifty")]
    let whole = tenths.round() as i64;
    let is_whole = (tenths - tenths.round()).abs() < 1e-6;
    (is_whole && (10.0..=50.0).contains(&tenths.round())).then_some(whole)
}

/// Accepts a date or an instant.
pub(super) fn parse_day(typed: &str, zone: Tz) -> Option<NaiveDate> {
    let typed = typed.trim();
    let by_instant = || DateTime::parse_from_rfc3339(typed).ok().map(|at| at.with_timezone(&zone).date_naive());
    typed.parse().ok().or_else(by_instant)
}

impl ReviewForm {
    /// # Errors
    /// [`Error::Invalid`](crate::platform::error::Error::Invalid), naming every field that does not fit.
    pub(super) fn validate_form(
        &self,
        way: ReviewIntakeChannel,
        zone: Tz,
        now: DateTime<Utc>,
    ) -> Result<ReviewContent> {
        let mut errors = FieldErrors::default();
        let today = now.with_timezone(&zone).date_naive();
        let typed = single_line("date", self.date.as_deref(), 40).parse_optional(&mut errors);
        let reviewed_on = typed.and_then(|typed| {
            let read = parse_day(&typed, zone).filter(|day| *day <= today && *day >= FIRST);
            if read.is_none() {
                errors.add("date", BAD_DATE);
            }
            read
        });
        let stars = self.rating.as_ref().and_then(Number::as_f64).and_then(rating_to_tenths);
        if stars.is_none() {
            errors.add("rating", BAD_RATING);
        }
        let phone = single_line("phone", self.phone.as_deref(), 40).parse_optional(&mut errors);
        let email = self.read_email(way, &mut errors);
        let source = single_line("source", self.source.as_deref(), LONGEST_SOURCE).parse_optional(&mut errors);
        let content = ReviewContent {
            reviewed_on,
            customer_name: single_line("customer_name", self.customer_name.as_deref(), LONGEST_NAME)
                .parse_optional(&mut errors),
            stars: stars.unwrap_or_default(),
            body: multi_line("review_text", self.review_text.as_deref(), LONGEST_TEXT).parse_optional(&mut errors),
            source: source.unwrap_or_else(|| way.default_source().to_owned()),
            // An invalid phone is no use for matching, and no reason to refuse a review.
            phone: phone.as_deref().and_then(Phone::parse),
            email,
        };
        errors.into_result()?;
        Ok(content)
    }

    /// A member can correct an invalid email. A review from another program or a file is taken without it.
    fn read_email(&self, way: ReviewIntakeChannel, errors: &mut FieldErrors) -> Option<EmailAddress> {
        let typed = single_line("email", self.email.as_deref(), 254).parse_optional(errors)?;
        let email = EmailAddress::parse(&typed);
        if email.is_none() && way == ReviewIntakeChannel::Hand {
            errors.add("email", invalid_email_reason(&typed));
        }
        email
    }
}

impl ReviewContent {
    /// The same words on the same day are the same review, from any source.
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

    /// Noon of its date if that is past, else now.
    pub fn received_at(&self, zone: Tz, now: DateTime<Utc>) -> DateTime<Utc> {
        let today = now.with_timezone(&zone).date_naive();
        let noon = |day: NaiveDate| business_hours::local_to_utc(zone, day.and_time(NOON));
        self.reviewed_on.filter(|day| *day < today).map_or(now, noon)
    }

    pub fn search_text(&self) -> String {
        let parts = [self.customer_name.as_deref(), Some(&self.source), self.body.as_deref()];
        parts.into_iter().flatten().collect::<Vec<_>>().join("\n").to_lowercase()
    }
}

pub(super) fn format_tenths(tenths: i64) -> String {
    if tenths % 10 == 0 { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) }
}

#[cfg(test)]
mod tests {
    use chrono_tz::America::Chicago;
    use serde_json::{Value, json};

    use super::*;
    use crate::{platform::error::Error, tests::IntoMessages};

    fn now() -> DateTime<Utc> {
        "2026-11-21T03:00:00Z".parse().unwrap()
    }

    fn read(form: Value) -> Result<ReviewContent> {
        serde_json::from_value::<ReviewForm>(form).unwrap().validate_form(ReviewIntakeChannel::Webhook, Chicago, now())
    }

    fn fields(form: Value) -> Vec<&'static str> {
        match read(form) {
            Err(Error::Invalid(errors)) => errors.into_messages().into_iter().map(|(field, _)| field).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn rating_is_one_to_five_with_one_decimal() {
        for (rating, wanted) in [(1.0, Some(10)), (4.5, Some(45)), (5.0, Some(50)), (4.7, Some(47)), (3.3, Some(33))] {
            assert_eq!(rating_to_tenths(rating), wanted, "{rating}");
        }
        for rating in [0.0, 0.9, 5.1, 4.55, -1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(rating_to_tenths(rating), None, "{rating}");
        }
        assert_eq!((format_tenths(45).as_str(), format_tenths(50).as_str()), ("4.5", "5"));
    }

    #[test]
    fn invalid_review_fields_are_named() {
        assert_eq!(fields(json!({})), ["rating"]);
        assert_eq!(fields(json!({"rating": 6, "date": "yesterday"})), ["date", "rating"]);
        // It is still Friday in Chicago.
        assert_eq!(fields(json!({"rating": 5, "date": "2026-11-21"})), ["date"]);
        assert_eq!(fields(json!({"rating": 5, "customer_name": "a\nb"})), ["customer_name"]);
        assert_eq!(fields(json!({"rating": 5, "review_text": "x".repeat(5_001)})), ["review_text"]);
    }

    #[test]
    fn review_date_uses_business_timezone_and_sets_receipt_day() {
        let parsed = read(json!({"rating": 4, "date": "2026-11-21T03:00:00Z"})).unwrap();
        assert_eq!(parsed.reviewed_on.unwrap().to_string(), "2026-11-20");
        assert_eq!(parsed.received_at(Chicago, now()), now());
        let old = read(json!({"rating": 4, "date": "2026-11-01"})).unwrap();
        assert_eq!(old.received_at(Chicago, now()).to_rfc3339(), "2026-11-01T18:00:00+00:00");
        assert_eq!(read(json!({"rating": 4})).unwrap().received_at(Chicago, now()), now());
    }

    #[test]
    fn content_key_ignores_case_and_spacing() {
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
    fn review_with_invalid_phone_and_email_is_accepted_without_them() {
        let parsed = read(json!({"rating": 5, "phone": "pizza", "email": "nobody"})).unwrap();
        assert_eq!((parsed.phone, parsed.email, parsed.source.as_str()), (None, None, "Other"));
    }
}
