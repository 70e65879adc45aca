//! Silent failures: no leads, undelivered messages, a stalled worker, a device without push. Each is reported once when
//! it begins and shown while it lasts.
//!
//! The worker checks each business once an hour. The API checks the worker every minute, since a stalled worker cannot
//! report itself.

use chrono::{DateTime, Duration, Utc};
use futures::future::BoxFuture;
use sqlx::FromRow;

use super::backlog::{self, SendBacklog};
use crate::{
    domain::{
        growth::metrics::figures,
        messaging::{
            alert::{self, AlertKind, NewAlert, ScheduledAlert},
            message,
        },
        tenancy::{
            org::{self, OrgProfile},
            push_device,
        },
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Db, Handler, Tx, q},
        error::Result,
        id::{AlertId, DEMO_ORG, OrgId},
        live,
    },
};

mod incident_words;

use incident_words::{alert_body, caught_up_words};

const NORMAL_WEEKS: usize = 4;
/// Minimum expected leads. With random arrivals, none instead of five happens once in 150 times.
const EXPECTED: i64 = 5;
/// Longest span in days: a business with fewer leads a week than that is not watched.
const DAYS_IN_A_WEEK: usize = 7;
/// Days that are read: the span, the weeks before it, and today.
const DAYS: u64 = 36;
/// Span of the messages that are checked, and their minimum number.
const DELIVERY: Duration = Duration::days(7);
const FEWEST_MESSAGES: i64 = 10;
/// Minimum percentage that must arrive (features 68).
const LEAST_PERCENT: i64 = 90;
/// Businesses are spread over the minutes of the hour.
const CHECK_SLOTS: u8 = 60;
pub const STALLED: &str = "worker_stalled";
pub(super) const BEHIND: &str = "behind";
/// Messages that were late when the incident began were due within this time before it.
const DUE_BEFORE: Duration = Duration::hours(1);
const CONTROL_PANEL: &str = "/app/settings?tab=control-panel";

pub type StallCheck = for<'a> fn(&'a mut dyn AsConn, OrgId, DateTime<Utc>) -> BoxFuture<'a, Result<bool>>;

/// The layer above knows the state of the worker. Found by [`AsConn::handlers`].
pub struct WorkerWatch {
    pub is_stalled: StallCheck,
}

impl Handler for WorkerWatch {}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    /// Unique among the failures of one business.
    pub name: String,
    pub what: IncidentKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IncidentKind {
    /// No lead for so many days, although five were expected.
    NoLeads {
        days: usize,
    },
    Texts {
        percent: i64,
    },
    Emails {
        percent: i64,
    },
    Worker,
    Behind(SendBacklog),
    Device {
        label: String,
        since: DateTime<Utc>,
    },
}

/// Days without a lead, if the same weekdays of the last four weeks brought more. `days` counts leads by day, oldest
/// first; the last is today, which is not over.
#[must_use]
pub fn days_without_leads(days: &[i64]) -> Option<usize> {
    let (today, past) = days.split_last()?;
    let ago = |day: usize, weeks: usize| day.checked_sub(DAYS_IN_A_WEEK * weeks).map_or(0, |at| past[at]);
    let usual = |day: usize| (1..=NORMAL_WEEKS).map(|weeks| ago(day, weeks)).sum::<i64>();
    (1..=DAYS_IN_A_WEEK).find_map(|span| {
        let first = past.len().checked_sub(span)?;
        let came = past[first..].iter().sum::<i64>() + today;
        let expected = (first..past.len()).map(usual).sum::<i64>();
        // The sum is of four weeks.
        (expected >= EXPECTED * 4).then(|| (came == 0).then_some(span))
    })?
}

#[must_use]
pub fn low_delivery_percent(arrived: i64, lost: i64) -> Option<i64> {
    let all = arrived + lost;
    let percent = if all > 0 { arrived * 100 / all } else { 100 };
    (all >= FEWEST_MESSAGES && arrived * 100 < LEAST_PERCENT * all).then_some(percent)
}

#[derive(FromRow)]
struct DeliveryCounts {
    texts: i64,
    lost_texts: i64,
    emails: i64,
    lost_emails: i64,
}

pub async fn detect_incidents(
    conn: &mut dyn AsConn,
    profile: &OrgProfile,
    now: DateTime<Utc>,
) -> Result<Vec<Incident>> {
    let org = profile.org.id;
    let mut found = Vec::new();
    let mut add = |name: &str, what: Option<IncidentKind>| {
        found.extend(what.map(|what| Incident { name: name.to_owned(), what }));
    };
    let days = figures::load_day_figures(&mut *conn, profile, now, DAYS).await?;
    let leads: Vec<i64> = days.iter().map(|day| day.new_leads).collect();
    add("no_leads", days_without_leads(&leads).map(|days| IncidentKind::NoLeads { days }));
    let delivered = q!(
        &mut *conn,
        fetch_one as DeliveryCounts,
        "SELECT CAST(COALESCE(SUM(CASE WHEN channel = 'sms' AND status IN ('sent', 'delivered') THEN 1 ELSE 0 END), 0) AS BIGINT) AS texts,
             CAST(COALESCE(SUM(CASE WHEN channel = 'sms' AND status IN ('failed', 'unknown') THEN 1 ELSE 0 END), 0) AS BIGINT) AS lost_texts,
             CAST(COALESCE(SUM(CASE WHEN channel = 'email' AND status IN ('sent', 'delivered') THEN 1 ELSE 0 END), 0) AS BIGINT) AS emails,
             CAST(COALESCE(SUM(CASE WHEN channel = 'email' AND status IN ('failed', 'unknown') THEN 1 ELSE 0 END), 0) AS BIGINT) AS lost_emails
         FROM message WHERE org_id = $1 AND id >= $2 AND direction = 'out'",
        org,
        // Ids sort by time, and messages of one org are looked up by id.
        live::min_id_at(now - DELIVERY)
    )?;
    add(
        "texts_fail",
        low_delivery_percent(delivered.texts, delivered.lost_texts).map(|percent| IncidentKind::Texts { percent }),
    );
    add(
        "emails_fail",
        low_delivery_percent(delivered.emails, delivered.lost_emails).map(|percent| IncidentKind::Emails { percent }),
    );
    add(STALLED, is_worker_stalled(&mut *conn, org, now).await?.then_some(IncidentKind::Worker));
    add(BEHIND, backlog::load_backlog(&mut *conn, profile, now).await?.map(IncidentKind::Behind));
    for (label, since) in push_device::list_dead_devices(conn, org).await? {
        // The start is part of the name: a device that fails again is reported again.
        add(&format!("device:{}", since.timestamp_millis()), Some(IncidentKind::Device { label, since }));
    }
    Ok(found)
}

async fn is_worker_stalled(conn: &mut dyn AsConn, org: OrgId, now: DateTime<Utc>) -> Result<bool> {
    let watch = conn.handlers().find_handler::<WorkerWatch>()?;
    (watch.is_stalled)(conn, org, now).await
}

/// Checks every business whose minute it is. Returns how many failures began.
pub async fn check_scheduled_orgs(db: &Db, origin: &ClockRng) -> Result<usize> {
    let minute = u8::try_from(origin.now().timestamp() / 60 % i64::from(CHECK_SLOTS)).unwrap_or_default();
    let orgs =
        q!(&mut db.acquire_reader().await?, fetch_all scalar OrgId, "SELECT id FROM org WHERE id <> $1", DEMO_ORG)?;
    let mut began = 0;
    for org in orgs.into_iter().filter(|org| org.0.as_bytes()[15] % CHECK_SLOTS == minute) {
        began += check_org(db, origin, org).await?;
    }
    Ok(began)
}

/// Tells what began and forgets what is over. Returns how many began.
pub async fn check_org(db: &Db, origin: &ClockRng, org: OrgId) -> Result<usize> {
    let mut conn = db.acquire_reader().await?;
    let Some(found) = org::find(&mut conn, org).await? else { return Ok(0) };
    let profile = org::load_profile(&mut conn, found).await?;
    let failures = detect_incidents(&mut conn, &profile, origin.now()).await?;
    let open = list_open_incidents(&mut conn, org).await?;
    drop(conn);
    let is_same = open.len() == failures.len() && failures.iter().all(|failure| open.contains(&failure.name));
    if is_same {
        return Ok(0);
    }
    let mut tx = db.begin().await?;
    for name in open.iter().filter(|name| failures.iter().all(|failure| failure.name != **name)) {
        let sql = "DELETE FROM incident WHERE org_id = $1 AND name = $2 RETURNING since";
        let since = q!(&mut tx, fetch_optional scalar DateTime<Utc>, sql, org, name)?;
        if let Some(since) = since.filter(|_| name == BEHIND) {
            report_caught_up(&mut tx, origin, &profile, since).await?;
        }
    }
    let mut began = 0;
    for failure in &failures {
        began += usize::from(open_incident(&mut tx, origin, &profile, failure).await?.is_some());
    }
    tx.commit().await?;
    Ok(began)
}

async fn list_open_incidents(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<String>> {
    Ok(q!(conn, fetch_all scalar String, "SELECT name FROM incident WHERE org_id = $1", org)?)
}

/// Records the failure and alerts the devices of owner and office. None when it was known.
async fn open_incident(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    failure: &Incident,
) -> Result<Option<AlertId>> {
    let (org, now) = (profile.org.id, origin.now());
    let insert = "INSERT INTO incident (org_id, name, since) VALUES ($1, $2, $3) ON CONFLICT (org_id, name) DO NOTHING";
    if q!(&mut *tx, execute, insert, org, &failure.name, now)? == 0 {
        return Ok(None);
    }
    let language = profile.settings.pulse.language;
    let words = (failure.what.to_sentence(language), alert_body(&failure.what, language));
    store_quiet_alert(tx, origin, profile, (&failure.name, CONTROL_PANEL), words).await
}

/// Once, when no message is behind: all have left, or the day's budget refused some.
async fn report_caught_up(tx: &mut Tx, origin: &ClockRng, profile: &OrgProfile, since: DateTime<Utc>) -> Result<()> {
    let refused = message::count_budget_refusals(&mut *tx, profile.org.id, since - DUE_BEFORE).await?;
    let words = caught_up_words(refused, profile.settings.pulse.language);
    let path = if refused > 0 { message::REFUSED_TEXTS_PATH } else { CONTROL_PANEL };
    store_quiet_alert(tx, origin, profile, ("caught_up", path), words).await.map(|_| ())
}

/// The report reaches the list of recipients; devices are alerted at once.
async fn store_quiet_alert(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    (name, path): (&str, &str),
    (title, body): (String, String),
) -> Result<Option<AlertId>> {
    let now = origin.now();
    let key = format!("quiet:{name}:{}", now.timestamp_millis());
    let new = NewAlert { path: Some(path.to_owned()), ..NewAlert::new(AlertKind::QuietFailure, key, title, body) };
    alert::store_alert(tx, origin, profile.org.id, &ScheduledAlert::new(profile, new, now, true)).await
}

/// For the API: checks for all businesses whether the worker is stalled. Returns the new alerts, which only the API can
/// deliver. All are forgotten once the worker runs again.
pub async fn check_worker(db: &Db, origin: &ClockRng) -> Result<Vec<(OrgId, AlertId)>> {
    let mut conn = db.acquire_reader().await?;
    let orgs = q!(&mut conn, fetch_all scalar OrgId, "SELECT id FROM org WHERE id <> $1", DEMO_ORG)?;
    let Some(first) = orgs.first() else { return Ok(Vec::new()) };
    let is_stalled = is_worker_stalled(&mut conn, *first, origin.now()).await?;
    let open = q!(&mut conn, fetch_all scalar OrgId, "SELECT org_id FROM incident WHERE name = $1", STALLED)?;
    drop(conn);
    if !is_stalled {
        if !open.is_empty() {
            let mut tx = db.begin().await?;
            q!(&mut tx, execute, "DELETE FROM incident WHERE name = $1", STALLED)?;
            tx.commit().await?;
        }
        return Ok(Vec::new());
    }
    let mut alerts = Vec::new();
    for org in orgs.into_iter().filter(|org| !open.contains(org)) {
        let mut tx = db.begin().await?;
        let Some(found) = org::find(&mut tx, org).await? else { continue };
        let profile = org::load_profile(&mut tx, found).await?;
        let failure = Incident { name: STALLED.to_owned(), what: IncidentKind::Worker };
        let raised = open_incident(&mut tx, origin, &profile, &failure).await?;
        alerts.extend(raised.into_iter().map(|alert| (org, alert)));
        tx.commit().await?;
    }
    Ok(alerts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::template::Language::{En, Es};

    fn days(usual: i64, quiet: usize, today: i64) -> Vec<i64> {
        let mut days = vec![usual; 35 - quiet];
        days.extend(vec![0; quiet]);
        days.push(today);
        days
    }

    #[test]
    fn lead_silence_is_reported_when_five_leads_were_expected() {
        // One a day: five days. Five a day: one. A lead today ends it.
        for (usual, quiet, today, wanted) in [
            (1, 5, 0, Some(5)),
            (1, 4, 0, None),
            (1, 7, 0, Some(5)),
            (1, 6, 1, None),
            (5, 1, 0, Some(1)),
            (0, 7, 0, None),
            (20, 0, 0, None),
        ] {
            assert_eq!(
                days_without_leads(&days(usual, quiet, today)),
                wanted,
                "{usual} a day, {quiet} quiet, {today} today"
            );
        }
        assert_eq!(
            (days_without_leads(&[]), days_without_leads(&[0]), days_without_leads(&[9, 9, 9, 0, 0])),
            (None, None, None),
            "too young to know"
        );
    }

    #[test]
    fn business_without_weekend_leads_gets_no_weekend_alarm() {
        let week = [6, 6, 6, 6, 6, 0, 0];
        let mut days: Vec<i64> = week.iter().copied().cycle().take(35).collect();
        days.push(0);
        assert_eq!(days_without_leads(&days), None, "it is Monday, and Friday had some");
        // Friday had none: three days, of which only Friday counts.
        days[32] = 0;
        assert_eq!(days_without_leads(&days), Some(3));
    }

    #[test]
    fn delivery_rate_below_90_percent_is_reported_from_ten_messages() {
        for (arrived, lost, wanted) in [
            (0, 0, None),
            (0, 9, None),
            (0, 10, Some(0)),
            (9, 1, None),
            (89, 11, Some(89)),
            (899, 100, Some(89)),
            (90, 10, None),
        ] {
            assert_eq!(low_delivery_percent(arrived, lost), wanted, "{arrived} {lost}");
        }
    }

    #[test]
    fn failure_message_differs_by_language_and_brief_form_is_short() {
        let behind = SendBacklog { waiting: 9_000, minutes: Some(300), a_minute: 30, budget_left: None };
        for what in [
            IncidentKind::NoLeads { days: 5 },
            IncidentKind::Texts { percent: 80 },
            IncidentKind::Emails { percent: 1 },
            IncidentKind::Worker,
            IncidentKind::Behind(behind),
            IncidentKind::Behind(SendBacklog { minutes: None, ..behind }),
            IncidentKind::Behind(SendBacklog { budget_left: Some(500), ..behind }),
            IncidentKind::Device { label: "Sam".into(), since: DateTime::UNIX_EPOCH },
        ] {
            assert_ne!(what.to_sentence(En), what.to_sentence(Es));
            assert_ne!(alert_body(&what, En), alert_body(&what, Es));
            assert!(what.to_short_text(En).len() < 25 && what.to_short_text(Es).len() < 25);
        }
    }

    #[test]
    fn end_of_backlog_names_texts_that_daily_limit_refused() {
        assert_eq!(caught_up_words(0, En).1, "Messages are no longer late.");
        let (title, body) = caught_up_words(1_200, En);
        assert_ne!(title, caught_up_words(0, En).0);
        assert!(body.starts_with("1,200 texts were not sent because today's limit was used up."), "{body}");
        assert!(caught_up_words(1, En).1.starts_with("1 text was not sent"));
        assert!((0..3).all(|refused| caught_up_words(refused, En) != caught_up_words(refused, Es)));
    }
}
