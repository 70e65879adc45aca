//! Monthly report: for each completed job whether a review was requested, or why not (features rank 9).

use std::collections::BTreeMap;

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{
    export,
    rule::{ReviewRequestReason, ReviewRequestState, capitalize_first},
};
use crate::{
    conflicts::reword_stored_reason,
    domain::messaging::message::MessageChannel,
    platform::{
        business_hours,
        db::{AsConn, q},
        error::{Error, FieldErrors, Result},
        id::{CustomerId, JobId, OrgId},
    },
};

/// Rows on the screen; the file has all.
pub const SHOWN: usize = 500;
const BEFORE: &str = "It was done before reviews were asked for automatically";
const COLUMNS: [&str; 7] = ["Job", "Customer", "Completed", "Outcome", "Reason", "Asked", "Channel"];

/// Whether the customer of a job was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ReviewAskOutcome)]
pub enum ReviewRequestOutcome {
    Asked,
    /// Their time is still to come.
    Waiting,
    NotAsked,
}

/// One job that was done in the month.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewReportRow {
    pub job_id: JobId,
    pub job_number: i64,
    pub customer_id: CustomerId,
    pub customer_name: String,
    pub completed_at: DateTime<Utc>,
    pub outcome: ReviewRequestOutcome,
    /// Why they were not asked, or not yet.
    pub why: Option<ReviewRequestReason>,
    /// The same as a sentence.
    pub reason: Option<String>,
    pub asked_at: Option<DateTime<Utc>>,
    pub channel: Option<MessageChannel>,
}

/// A reason, and how often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ReviewReportReason {
    pub why: Option<ReviewRequestReason>,
    pub reason: String,
    pub count: usize,
}

/// A month.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewReport {
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
    pub reasons: Vec<ReviewReportReason>,
    /// The first five hundred, in the order in which they were done.
    pub rows: Vec<ReviewReportRow>,
}

#[derive(FromRow)]
struct JobRequestRow {
    job_id: JobId,
    job_number: i64,
    customer_id: CustomerId,
    customer_name: String,
    completed_at: DateTime<Utc>,
    state: Option<ReviewRequestState>,
    why: Option<ReviewRequestReason>,
    detail: Option<String>,
    planned_at: Option<DateTime<Utc>>,
    asked_at: Option<DateTime<Utc>>,
    channel: Option<MessageChannel>,
}

impl JobRequestRow {
    fn into_row(self) -> ReviewReportRow {
        let outcome = match (self.asked_at, self.state) {
            (Some(_), _) => ReviewRequestOutcome::Asked,
            (None, Some(ReviewRequestState::Waiting)) => ReviewRequestOutcome::Waiting,
            _ => ReviewRequestOutcome::NotAsked,
        };
        let unpaid = (outcome == ReviewRequestOutcome::Waiting && self.planned_at.is_none())
            .then_some(ReviewRequestReason::NotPaid);
        let why = unpaid.or(self.why.filter(|_| outcome == ReviewRequestOutcome::NotAsked));
        let reason = match (outcome, why) {
            (ReviewRequestOutcome::NotAsked, None) => Some(BEFORE.to_owned()),
            (_, Some(why)) => Some(format_reason(why, self.detail.as_deref())),
            _ => None,
        };
        ReviewReportRow {
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

/// Adds the detail, which replaces the reason if it contains it.
pub(super) fn format_reason(why: ReviewRequestReason, detail: Option<&str>) -> String {
    match detail.filter(|detail| !detail.is_empty()).map(reword_stored_reason) {
        Some(detail) if detail.contains(why.reason_clause()) => capitalize_first(&detail),
        Some(detail) => format!("{}: {detail}", why.reason_sentence()),
        None => why.reason_sentence(),
    }
}

/// First day of the requested month, else of the current one.
///
/// # Errors
/// [`Error::Invalid`] on `parse_month`.
pub fn parse_month(asked: Option<&str>, zone: Tz, now: DateTime<Utc>) -> Result<NaiveDate> {
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

pub async fn list_month_rows(
    conn: &mut dyn AsConn,
    org: OrgId,
    first: NaiveDate,
    zone: Tz,
) -> Result<Vec<ReviewReportRow>> {
    let next = first.checked_add_months(chrono::Months::new(1)).unwrap_or(first);
    let at = |day: NaiveDate| business_hours::local_to_utc(zone, day.and_time(NaiveTime::MIN));
    let found = q!(
        conn,
        fetch_all as JobRequestRow,
        "SELECT j.id AS job_id, j.number AS job_number, j.customer_id, c.name AS customer_name, j.completed_at, a.state,
             a.why, a.detail, a.planned_at, a.asked_at, a.channel
         FROM job j JOIN customer c ON c.org_id = j.org_id AND c.id = j.customer_id
         LEFT JOIN review_request a ON a.org_id = j.org_id AND a.job_id = j.id
         WHERE j.org_id = $1 AND j.completed_at >= $2 AND j.completed_at < $3 AND j.status = 'completed'
         ORDER BY j.completed_at, j.number, CASE WHEN a.asked_at IS NULL THEN 1 ELSE 0 END, a.created_at DESC, a.id DESC",
        org,
        at(first),
        at(next)
    )?;
    let mut rows: Vec<ReviewReportRow> = found.into_iter().map(JobRequestRow::into_row).collect();
    // A job completed twice: the row that was asked, else the last one.
    rows.dedup_by_key(|row| row.job_id);
    Ok(rows)
}

#[must_use]
pub fn build_report(first: NaiveDate, mut rows: Vec<ReviewReportRow>) -> ReviewReport {
    let count = |outcome: ReviewRequestOutcome| rows.iter().filter(|row| row.outcome == outcome).count();
    let (asked, waiting, not_asked) = (
        count(ReviewRequestOutcome::Asked),
        count(ReviewRequestOutcome::Waiting),
        count(ReviewRequestOutcome::NotAsked),
    );
    let mut by_reason: BTreeMap<(Option<ReviewRequestReason>, String), usize> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.outcome == ReviewRequestOutcome::NotAsked) {
        let sentence = row.why.map_or_else(|| BEFORE.to_owned(), ReviewRequestReason::reason_sentence);
        *by_reason.entry((row.why, sentence)).or_default() += 1;
    }
    let mut reasons: Vec<ReviewReportReason> =
        by_reason.into_iter().map(|((why, reason), count)| ReviewReportReason { why, reason, count }).collect();
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.count));
    let jobs = rows.len();
    rows.truncate(SHOWN);
    let month = first.format("%Y-%m").to_string();
    ReviewReport { month, jobs, asked, waiting, not_asked, share: percent_asked(asked, jobs), reasons, rows }
}

fn percent_asked(asked: usize, jobs: usize) -> Option<f64> {
    if jobs == 0 {
        return None;
    }
    // Thousandths, rounded half up in whole numbers.
    let thousandths = u32::try_from((asked * 2000 + jobs) / (jobs * 2)).unwrap_or(1000);
    Some(f64::from(thousandths) / 10.0)
}

#[must_use]
pub fn file_name(first: NaiveDate) -> String {
    format!("review-requests-{}.csv", first.format("%Y-%m"))
}

pub fn render_csv(rows: &[ReviewReportRow], zone: Tz) -> Result<String> {
    let shown = |at: DateTime<Utc>| at.with_timezone(&zone).format("%Y-%m-%d %H:%M").to_string();
    let rows = rows.iter().map(|row| {
        let outcome = match row.outcome {
            ReviewRequestOutcome::Asked => "Asked",
            ReviewRequestOutcome::Waiting => "Waiting",
            ReviewRequestOutcome::NotAsked => "Not asked",
        };
        let channel = row.channel.map(|way| if way == MessageChannel::Sms { "Text" } else { "Email" });
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
    export::write_csv_table(&COLUMNS, rows)
}

#[cfg(test)]
mod tests {
    use chrono_tz::America::Chicago;
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn row(n: u128, outcome: ReviewRequestOutcome, why: Option<ReviewRequestReason>) -> ReviewReportRow {
        ReviewReportRow {
            job_id: JobId(Uuid::from_u128(n)),
            job_number: 1000,
            customer_id: CustomerId(Uuid::nil()),
            customer_name: "Ann".into(),
            completed_at: DateTime::UNIX_EPOCH,
            outcome,
            why,
            reason: why.map(ReviewRequestReason::reason_sentence),
            asked_at: None,
            channel: None,
        }
    }

    #[test]
    fn reason_contained_in_detail_is_stated_once() {
        let clause = ReviewRequestReason::NoPostalAddress.reason_clause();
        let detail = format!("SMS is not set up, and {clause}");
        assert_eq!(format_reason(ReviewRequestReason::NoPostalAddress, Some(&detail)), detail);
        assert_eq!(
            format_reason(ReviewRequestReason::NoContact, Some("SMS is not set up")),
            "No way to reach them is open: SMS is not set up"
        );
        assert_eq!(format_reason(ReviewRequestReason::NotPaid, Some("")), "It is not paid yet");
    }

    #[test]
    fn report_shows_44_of_50_asked_with_reasons() {
        let first = NaiveDate::from_ymd_opt(2026, 11, 1).unwrap();
        let mut rows: Vec<ReviewReportRow> = (0..44).map(|n| row(n, ReviewRequestOutcome::Asked, None)).collect();
        rows.extend((44..48).map(|n| row(n, ReviewRequestOutcome::NotAsked, Some(ReviewRequestReason::OptedOut))));
        rows.extend((48..50).map(|n| row(n, ReviewRequestOutcome::NotAsked, Some(ReviewRequestReason::NoContact))));
        let report = build_report(first, rows);
        assert_eq!((report.jobs, report.asked, report.not_asked, report.share), (50, 44, 6, Some(88.0)));
        let reasons: Vec<_> = report.reasons.iter().map(|reason| (reason.why, reason.count)).collect();
        assert_eq!(reasons, [(Some(ReviewRequestReason::OptedOut), 4), (Some(ReviewRequestReason::NoContact), 2)]);
        assert_eq!((build_report(first, Vec::new()).share, report.month.as_str()), (None, "2026-11"));
    }

    #[test]
    fn report_month_is_in_business_timezone() {
        let now = "2026-12-01T03:00:00Z".parse().unwrap();
        let of = |asked| parse_month(asked, Chicago, now);
        assert_eq!(of(None).unwrap().to_string(), "2026-11-01");
        assert_eq!(of(Some("2026-02")).unwrap().to_string(), "2026-02-01");
        for bad in ["", "2026", "2026-13", "2026-1", "26-11-01", "9999-99", "november"] {
            assert!(matches!(of(Some(bad)), Err(Error::Invalid(_))), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn report_sums_equal_row_counts(outcomes in prop::collection::vec(0_usize..5, 0..60)) {
            let kinds = [(ReviewRequestOutcome::Asked, None), (ReviewRequestOutcome::Waiting, None), (ReviewRequestOutcome::NotAsked, Some(ReviewRequestReason::Staff)),
                (ReviewRequestOutcome::NotAsked, None), (ReviewRequestOutcome::NotAsked, Some(ReviewRequestReason::NoContact))];
            let rows: Vec<ReviewReportRow> = outcomes.iter().enumerate().map(|(n, kind)| {
                row(n as u128, kinds[*kind].0, kinds[*kind].1)
            }).collect();
            let report = build_report(NaiveDate::default(), rows);
            prop_assert_eq!(report.asked + report.waiting + report.not_asked, report.jobs);
            prop_assert_eq!(report.reasons.iter().map(|reason| reason.count).sum::<usize>(), report.not_asked);
        }
    }
}
