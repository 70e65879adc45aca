//! Response promises: a message promises an answer, and from then on a clock runs.
//!
//! The promise of a message is read from its words when it is worded ([`crate::documents::response_time`]) and made
//! when it leaves, so a message that the send policy stops, or that is saved as a file because email is not set up,
//! promises nothing. The page of a form promises at once: that of the quote form a length of time ("within 24 hours",
//! or what the business has set). Out of hours, and while nobody of the business can be notified yet, the page of
//! either form and every answer say when the request is read, and the time runs from then. Of all promises about one
//! request, by messages and by the form, the earliest due counts (`evaluate`). It is due in the hours of the
//! business ([`crate::platform::business_hours::BusinessHours::response_due_at`]): never by night, and never before a
//! person of the business could have been notified of the request
//! ([`crate::domain::messaging::alert::alert_channels`]). Where that is impossible, no time is promised.
//!
//! A promise is kept by the first word of a person, as the figures count a first answer: a message or an estimate that
//! left, a call that was taken, a visit that was booked, or a note of having spoken. It is released where no answer is
//! owed: the words never arrived, the request is held, the work is done or paid, the customer can be texted only and
//! said STOP, is blocked or staff, or a note says that they want no answer any more; a promise that ran out meanwhile
//! stays released. Merged records keep their requests and their promises. The due instant itself is in time.
//!
//! The outcome follows from the events, however late they are learned of: every change to a lead recomputes its
//! promises at commit (`settle_promises`). Only the passing of time needs a task ([`on_due`]): at three quarters of the
//! time, and when it is over.

use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::platform::{
    business_hours::BusinessHours,
    id::{LeadId, SlaId},
};

mod due;
mod evaluate;
mod history;
mod store;

pub use due::{on_due, sweep_overdue_promises};
pub use evaluate::{AnswerEvent, PromiseAnswer, PromiseInput, PromiseOutcome, PromiseState, evaluate_promises};
pub(crate) use history::{RequestAnswers, load_answers_since};
pub use store::{QuoteResponseTime, list_promises_of_leads, quote_response_time, record_manual_answer};
pub(crate) use store::{build_form_promise, delete_message_promise, record_sent_promise, settle_promises};

/// Words of the quote form in open hours (product §2: "a detailed quote within 24 hours"; the hours are those of the
/// settings, decisions 10). The page's own words are in `web/src/features/quote-request`.
fn quote_form_text(hours: i64) -> String {
    let unit = if hours == 1 { "hour" } else { "hours" };
    format!("within {hours} {unit}")
}

/// Words in place of a time: when the request is read. The time runs from then on.
#[must_use]
pub(crate) fn after_hours_text(when: &str, is_opening: bool) -> String {
    if is_opening { format!("{AFTER}opening {when}") } else { format!("{AFTER}{when}") }
}

/// Prefix of a promise that names when the request is read; no length of time begins with it.
const AFTER: &str = "after ";

/// Time of the warning to the business: three quarters (features §4, rank 8).
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
    pub id: SlaId,
    #[serde(skip)]
    pub lead_id: LeadId,
    pub state: PromiseState,
    /// The promise in words: "within 24 hours".
    pub words: String,
    pub made_at: DateTime<Utc>,
    pub due_at: DateTime<Utc>,
    /// From when on it is about to be broken.
    pub warn_at: DateTime<Utc>,
    /// The first answer of a person, in time or late; null without one.
    pub answered_at: Option<DateTime<Utc>>,
}

/// Time to answer a request after it is read, where the words name none.
pub(crate) const MIN_TIME_AFTER_NOTICE: Duration = Duration::hours(1);

/// Due time of an answer promised `within` a time, in the hours of the business. The time runs from when the promise
/// was made; of a request that is read later, from `starts_at`.
#[must_use]
pub fn due_by(
    hours: &BusinessHours,
    zone: Tz,
    (made_at, starts_at): (DateTime<Utc>, Option<DateTime<Utc>>),
    within: Duration,
) -> DateTime<Utc> {
    hours.response_due_at(zone, starts_at.map_or(made_at, |starts| starts.max(made_at)), within)
}

#[cfg(test)]
pub(crate) mod due_by_tests;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warning_is_due_after_three_quarters_of_sla() {
        let made: DateTime<Utc> = "2026-11-20T22:00:00Z".parse().unwrap();
        let warned = |within| warn_at(made, made + within) - made;
        assert_eq!(warned(Duration::hours(24)), Duration::hours(18));
        assert_eq!(warned(Duration::hours(1)), Duration::minutes(45));
        assert_eq!(warned(Duration::minutes(1)), Duration::seconds(45));
    }

    #[test]
    fn quote_form_promise_equals_timed_sla() {
        assert_eq!([1, 24, 48].map(quote_form_text), ["within 1 hour", "within 24 hours", "within 48 hours"]);
        for hours in 1..=168 {
            let words = quote_form_text(hours);
            let promised = crate::documents::response_time::find_promised_time(&format!(
                "We'll get back to you {words} with your custom quote."
            ))
            .unwrap();
            assert_eq!((promised.within, promised.words), (Duration::hours(hours), words));
        }
    }
}
