//! Was everybody asked? Of the jobs that were done in a month: who was, and of everybody else why not (features rank 9).

use std::collections::BTreeMap;

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{
    export,
    rule::{State, Why, begun},
};
use crate::{
    domain::messaging::message::Channel,
    platform::{
        business_hours,
        db::{AsConn, q},
        error::{Error, FieldErrors, Result},
        id::{CustomerId, JobId, OrgId},
    },
};

/// Rows that the screen gets; the file has all.
pub const SHOWN: usize = 500;
const BEFORE: &str = "It was done before anybody was asked by itself";
const COLUMNS: [&str; 7] = ["Job", "Customer", "Completed", "Outcome", "Reason", "Asked", "Channel"];

/// Whether the customer of a job was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ReviewAskOutcome)]
pub enum Outcome {
    Asked,
    /// Their time is still to come.
    Waiting,
    NotAsked,
}

/// One job that was done in the month.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReviewReportRow)]
pub struct Row {
    pub job_id: JobId,
    pub job_number: i64,
    pub customer_id: CustomerId,
    pub customer_name: String,
    pub completed_at: DateTime<Utc>,
    pub outcome: Outcome,
    /// Why they were not asked, or not yet.
    pub why: Option<Why>,
    /// The same as a sentence.
    pub reason: Option<String>,
    pub asked_at: Option<DateTime<Utc>>,
    pub channel: Option<Channel>,
}

/// A reason, and how often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ReviewReportReason)]
pub struct Reason {
    pub why: Option<Why>,
    pub reason: String,
    pub count: usize,
}

/// A month.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReviewReport)]
pub struct Report {
    /// `2026-11`.
    pub month: String,
    /// Done in it.
    pub jobs: usize,
    pub asked: usize,
    pub waiting: usize,
    pub not_asked: usize,
    /// How many of all were asked, in percent with one decimal; null when nothing was done.
    pub share: Option<f64>,
    /// Why the others were not, the most frequent first.
    pub reasons: Vec<Reason>,
    /// The first five hundred, in the order in which they were done.
    pub rows: Vec<Row>,
}

#[derive(FromRow)]
struct Found {
    job_id: JobId,
    job_number: i64,
    customer_id: CustomerId,
    customer_name: String,
    completed_at: DateTime<Utc>,
    state: Option<State>,
    why: Option<Why>,
    detail: Option<String>,
    planned_at: Option<DateTime<Utc>>,
    asked_at: Option<DateTime<Utc>>,
    channel: Option<Channel>,
}

impl Found {
    fn row(self) -> Row {
        let outcome = match (self.asked_at, self.state) {
            (Some(_), _) => Outcome::Asked,
            (None, Some(State::Waiting)) => Outcome::Waiting,
            _ => Outcome::NotAsked,
        };
        let unpaid = (outcome == Outcome::Waiting && self.planned_at.is_none()).then_some(Why::NotPaid);
        let why = unpaid.or(self.why.filter(|_| outcome == Outcome::NotAsked));
        let reason = match (outcome, why) {
            (Outcome::NotAsked, None) => Some(BEFORE.to_owned()),
            (_, Some(why)) => Some(sentence(why, self.detail.as_deref())),
            _ => None,
        };
        Row {
            job_id: self.job_id,
            job_number: self.job_number,
            customer_id: self.customer_id,
            customer_name: self.customer_name,
            completed_at: self.completed_at,
            outcome,
            why,
            reason,
            asked_at: self.asked_at,
            channel: self.channel,
        }
    }
}

/// Why, with what a message or the ways to them said of it. What the detail says already is not said twice.
pub(super) fn sentence(why: Why, detail: Option<&str>) -> String {
    match detail.filter(|detail| !detail.is_empty()) {
        Some(detail) if detail.contains(why.clause()) => begun(detail),
        Some(detail) => format!("{}: {detail}", why.sentence()),
        None => why.sentence(),
    }
}

/// The first day of a month that was asked for; of this one when none was.
///
/// # Errors
/// [`Error::Invalid`] on `month`.
pub fn month(asked: Option<&str>, zone: Tz, now: DateTime<Utc>) -> Result<NaiveDate> {
    let Some(asked) = asked else {
        return Ok(now.with_timezone(&zone).date_naive().with_day(1).unwrap_or_default());
    };
    let read = (asked.len() == 7).then(|| format!("{asked}-01").parse().ok()).flatten();
    read.filter(|day: &NaiveDate| (2000..=2200).contains(&day.year())).ok_or_else(|| {
        let mut errors = FieldErrors::default();
        errors.add("month", "Write a month such as 2026-11");
        Error::Invalid(errors)
    })
}

/// Every job that was done in the month that begins on `first`, oldest first.
pub async fn rows(conn: &mut dyn AsConn, org: OrgId, first: NaiveDate, zone: Tz) -> Result<Vec<Row>> {
    let next = first.checked_add_months(chrono::Months::new(1)).unwrap_or(first);
    let at = |day: NaiveDate| business_hours::instant(zone, day.and_time(NaiveTime::MIN));
    let found = q!(
        conn,
        fetch_all as Found,
        "SELECT j.id AS job_id, j.number AS job_number, j.customer_id, c.name AS customer_name, j.completed_at, a.state,
             a.why, a.detail, a.planned_at, a.asked_at, a.channel
         FROM job j JOIN customer c ON c.org_id = j.org_id AND c.id = j.customer_id
         LEFT JOIN review_ask a ON a.org_id = j.org_id AND a.job_id = j.id
         WHERE j.org_id = $1 AND j.completed_at >= $2 AND j.completed_at < $3 AND j.status = 'completed'
         ORDER BY j.completed_at, j.number, CASE WHEN a.asked_at IS NULL THEN 1 ELSE 0 END, a.created_at DESC, a.id DESC",
        org,
        at(first),
        at(next)
    )?;
    let mut rows: Vec<Row> = found.into_iter().map(Found::row).collect();
    // Of a job that was done twice: that they were asked, else what came of it last.
    rows.dedup_by_key(|row| row.job_id);
    Ok(rows)
}

/// The month in numbers.
#[must_use]
pub fn report(first: NaiveDate, mut rows: Vec<Row>) -> Report {
    let count = |outcome: Outcome| rows.iter().filter(|row| row.outcome == outcome).count();
    let (asked, waiting, not_asked) = (count(Outcome::Asked), count(Outcome::Waiting), count(Outcome::NotAsked));
    let mut by_reason: BTreeMap<(Option<Why>, String), usize> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.outcome == Outcome::NotAsked) {
        let said = row.why.map_or_else(|| BEFORE.to_owned(), Why::sentence);
        *by_reason.entry((row.why, said)).or_default() += 1;
    }
    let mut reasons: Vec<Reason> =
        by_reason.into_iter().map(|((why, reason), count)| Reason { why, reason, count }).collect();
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.count));
    let jobs = rows.len();
    rows.truncate(SHOWN);
    let month = first.format("%Y-%m").to_string();
    Report { month, jobs, asked, waiting, not_asked, share: share(asked, jobs), reasons, rows }
}

fn share(asked: usize, jobs: usize) -> Option<f64> {
    if jobs == 0 {
        return None;
    }
    // Thousandths, rounded half up in whole numbers.
    let thousandths = u32::try_from((asked * 2000 + jobs) / (jobs * 2)).unwrap_or(1000);
    Some(f64::from(thousandths) / 10.0)
}

/// `review-requests-2026-11.csv`
#[must_use]
pub fn file_name(first: NaiveDate) -> String {
    format!("review-requests-{}.csv", first.format("%Y-%m"))
}

/// The whole month as a table.
///
/// # Errors
/// [`Error::Internal`] only if memory cannot be written.
pub fn csv(rows: &[Row], zone: Tz) -> Result<String> {
    let shown = |at: DateTime<Utc>| at.with_timezone(&zone).format("%Y-%m-%d %H:%M").to_string();
    let rows = rows.iter().map(|row| {
        let outcome = match row.outcome {
            Outcome::Asked => "Asked",
            Outcome::Waiting => "Waiting",
            Outcome::NotAsked => "Not asked",
        };
        let channel = row.channel.map(|way| if way == Channel::Sms { "Text" } else { "Email" });
        [
            row.job_number.to_string(),
            row.customer_name.clone(),
            shown(row.completed_at),
            outcome.to_owned(),
            row.reason.clone().unwrap_or_default(),
            row.asked_at.map(shown).unwrap_or_default(),
            channel.unwrap_or_default().to_owned(),
        ]
    });
    export::table(&COLUMNS, rows)
}

#[cfg(test)]
mod tests {
    use chrono_tz::America::Chicago;
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn row(n: u128, outcome: Outcome, why: Option<Why>) -> Row {
        Row {
            job_id: JobId(Uuid::from_u128(n)),
            job_number: 1000,
            customer_id: CustomerId(Uuid::nil()),
            customer_name: "Ann".into(),
            completed_at: DateTime::UNIX_EPOCH,
            outcome,
            why,
            reason: why.map(Why::sentence),
            asked_at: None,
            channel: None,
        }
    }

    #[test]
    fn a_reason_that_its_detail_says_already_is_said_once() {
        let clause = Why::NoPostalAddress.clause();
        let detail = format!("SMS is not set up, and {clause}");
        assert_eq!(sentence(Why::NoPostalAddress, Some(&detail)), detail);
        assert_eq!(
            sentence(Why::NoContact, Some("SMS is not set up")),
            "No way to reach them is open: SMS is not set up"
        );
        assert_eq!(sentence(Why::NotPaid, Some("")), "It is not paid yet");
    }

    #[test]
    fn forty_four_of_fifty_with_their_reasons() {
        let first = NaiveDate::from_ymd_opt(2026, 11, 1).unwrap();
        let mut rows: Vec<Row> = (0..44).map(|n| row(n, Outcome::Asked, None)).collect();
        rows.extend((44..48).map(|n| row(n, Outcome::NotAsked, Some(Why::OptedOut))));
        rows.extend((48..50).map(|n| row(n, Outcome::NotAsked, Some(Why::NoContact))));
        let told = report(first, rows);
        assert_eq!((told.jobs, told.asked, told.not_asked, told.share), (50, 44, 6, Some(88.0)));
        let reasons: Vec<_> = told.reasons.iter().map(|reason| (reason.why, reason.count)).collect();
        assert_eq!(reasons, [(Some(Why::OptedOut), 4), (Some(Why::NoContact), 2)]);
        assert_eq!((report(first, Vec::new()).share, told.month.as_str()), (None, "2026-11"));
    }

    #[test]
    fn a_month_is_one_of_the_businesss() {
        let now = "2026-12-01T03:00:00Z".parse().unwrap();
        let of = |asked| month(asked, Chicago, now);
        assert_eq!(of(None).unwrap().to_string(), "2026-11-01");
        assert_eq!(of(Some("2026-02")).unwrap().to_string(), "2026-02-01");
        for bad in ["", "2026", "2026-13", "2026-1", "26-11-01", "9999-99", "november"] {
            assert!(matches!(of(Some(bad)), Err(Error::Invalid(_))), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn the_sums_are_the_rows(outcomes in prop::collection::vec(0_usize..5, 0..60)) {
            let kinds = [(Outcome::Asked, None), (Outcome::Waiting, None), (Outcome::NotAsked, Some(Why::Staff)),
                (Outcome::NotAsked, None), (Outcome::NotAsked, Some(Why::NoContact))];
            let rows: Vec<Row> = outcomes.iter().enumerate().map(|(n, kind)| {
                row(n as u128, kinds[*kind].0, kinds[*kind].1)
            }).collect();
            let told = report(NaiveDate::default(), rows);
            prop_assert_eq!(told.asked + told.waiting + told.not_asked, told.jobs);
            prop_assert_eq!(told.reasons.iter().map(|reason| reason.count).sum::<usize>(), told.not_asked);
        }
    }
}
