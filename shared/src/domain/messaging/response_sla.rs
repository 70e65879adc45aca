//! The promise clock: the words we send promise an answer, and from then on a clock runs.
//!
//! What a message promises is read from its words when it is worded ([`crate::documents::response_time`]); the promise is made when they go out, so
//! what the gate stops promises nothing, and what stands as a file because email is not set up promises nothing either.
//! The words that the quote form shows ("within 24 hours", or what the business has set; out of hours when the request is
//! read) promise at once. Of all that was said about one request, by messages and by the form, what is due first counts
//! ([`evaluate`]). It is due in the hours of the business ([`crate::platform::business_hours::Hours::promised_by`]): nothing falls due by night,
//! and nothing before somebody of the business could have been told of the request ([`crate::domain::messaging::alert::ways`]). Where nobody
//! could be, no time is promised.
//!
//! It is kept by the first word of a person, as the figures reckon a person's first answer: a message or an estimate that
//! left, a call of theirs that was taken, a visit that was booked, or that somebody noted having spoken. It is released
//! where no answer is owed: the words never arrived, the request is held, the work is done or paid, the customer can be
//! texted only and said STOP, is blocked or one of ours, or somebody noted that they want no answer any more; what ran out
//! meanwhile stays so. Records that are made one keep their requests, and these their promises. The due instant itself is
//! in time.
//!
//! What became of it follows from what happened, however late we hear of it: whatever touches a lead has its promises
//! reckoned anew when it is committed ([`settle`]). Only that a time has passed nobody tells us: that is a task
//! ([`come_due`]), at three quarters of the time and when it is over.

use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::platform::{
    business_hours::Hours,
    id::{LeadId, PromiseId},
};

mod due;
mod evaluate;
mod history;
mod store;

pub use due::{come_due, sweep};
pub use evaluate::{Answer, By, Outcome, Said, State, evaluate};
pub use store::{QuoteTime, note, of_leads, quote_time};
pub(crate) use store::{made, quote_form, settle};

/// What the quote form says in open hours after it is sent (product §2: "a detailed quote within 24 hours"; the hours are those
/// of the settings, decisions 10). The page's own words are in `web/src/features/quote-request`.
fn quote_form_words(hours: i64) -> String {
    let unit = if hours == 1 { "hour" } else { "hours" };
    format!("within {hours} {unit}")
}

/// What is said out of hours in place of a time: when the request is read. The time runs from then on.
#[must_use]
pub(crate) fn after_hours_words(when: &str, is_opening: bool) -> String {
    if is_opening { format!("{AFTER}opening {when}") } else { format!("{AFTER}{when}") }
}

/// Begins the words of a promise that was made out of hours; no length of time begins so.
const AFTER: &str = "after ";

/// When the business is warned: three quarters of the time are over (features §4, rank 8).
#[must_use]
pub fn warn_at(made_at: DateTime<Utc>, due_at: DateTime<Utc>) -> DateTime<Utc> {
    made_at + (due_at - made_at) * 3 / 4
}

/// The promise of a lead, as people see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LeadPromise)]
pub struct PromiseView {
    #[serde(skip)]
    pub id: PromiseId,
    #[serde(skip)]
    pub lead_id: LeadId,
    pub state: State,
    /// What was said: "within 24 hours".
    pub words: String,
    pub made_at: DateTime<Utc>,
    pub due_at: DateTime<Utc>,
    /// From when on it is about to be broken.
    pub warn_at: DateTime<Utc>,
    /// The first word of a person, in time or late; null while there is none.
    pub answered_at: Option<DateTime<Utc>>,
}

/// Time to answer a request from when somebody was told of it, unless the words said less.
pub(crate) const AFTER_TOLD: Duration = Duration::hours(1);

/// By when an answer is due that was promised `within` a time: in the hours of the business, and no sooner than whoever
/// could first be told of the request has had an hour of these hours for it.
#[must_use]
pub fn due_by(
    hours: &Hours,
    zone: Tz,
    (made_at, told_from): (DateTime<Utc>, Option<DateTime<Utc>>),
    within: Duration,
) -> DateTime<Utc> {
    let by_hours = hours.promised_by(zone, made_at, within);
    let by_alert = told_from.filter(|told| *told > made_at);
    let by_alert = by_alert.map(|told| hours.promised_by(zone, told, within.min(AFTER_TOLD)));
    by_alert.map_or(by_hours, |by_alert| by_alert.max(by_hours))
}

#[cfg(test)]
mod due_by_tests;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_quarters_of_the_time_are_over_when_the_business_is_warned() {
        let made: DateTime<Utc> = "2026-11-20T22:00:00Z".parse().unwrap();
        let warned = |within| warn_at(made, made + within) - made;
        assert_eq!(warned(Duration::hours(24)), Duration::hours(18));
        assert_eq!(warned(Duration::hours(1)), Duration::minutes(45));
        assert_eq!(warned(Duration::minutes(1)), Duration::seconds(45));
    }

    #[test]
    fn the_words_of_the_quote_form_promise_what_is_timed() {
        assert_eq!([1, 24, 48].map(quote_form_words), ["within 1 hour", "within 24 hours", "within 48 hours"]);
        for hours in 1..=168 {
            let words = quote_form_words(hours);
            let promised = crate::documents::response_time::read(&format!(
                "We'll get back to you {words} with your custom quote."
            ))
            .unwrap();
            assert_eq!((promised.within, promised.words), (Duration::hours(hours), words));
        }
    }
}
