//! What stops quietly: nobody complains of requests that do not come, of messages that do not arrive, of a worker that
//! stands still, of a phone that shows no alerts. Each is told when it begins, once, and shown as long as it lasts.
//!
//! The worker looks at each business once an hour; the API, which the worker's silence does not silence, looks at the
//! worker every minute.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use super::backlog::{self, Backlog, span};
use crate::{
    documents::template::Language::{self, En, Es},
    domain::{
        growth::metrics::figures,
        messaging::alert::{self, Kind, NewAlert, Raised},
        tenancy::{
            org::{self, Profile},
            push_device,
        },
    },
    ops::system_status,
    platform::{
        clock::Origin,
        db::{AsConn, Db, Tx, q},
        error::Result,
        id::{AlertId, DEMO_ORG, OrgId},
        live,
    },
};

/// How far back what is normal is looked for.
const NORMAL_WEEKS: usize = 4;
/// So many requests must have been due to come: where they come by chance, none instead happens once in 150 times.
const EXPECTED: i64 = 5;
/// A business with fewer requests than that in a week is not watched.
const DAYS_IN_A_WEEK: usize = 7;
/// What is looked at: the span, the weeks before it, and today.
const DAYS: u64 = 36;
/// Messages of so many days are looked at, once there are so many of them.
const DELIVERY: Duration = Duration::days(7);
const FEWEST_MESSAGES: i64 = 10;
/// Fewer than nine of ten that arrive are too few (features 68).
const LEAST_PERCENT: i64 = 90;
/// Businesses take turns within the hour.
const TURNS: u8 = 60;
pub const STALLED: &str = "worker_stalled";
pub(super) const BEHIND: &str = "behind";

/// One thing that has stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What tells it from another one of the same business.
    pub name: String,
    pub what: What,
}

/// What has stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// No request for so many days, although five were to be expected.
    NoLeads {
        days: usize,
    },
    /// So many of a hundred messages arrive.
    Texts {
        percent: i64,
    },
    Emails {
        percent: i64,
    },
    Worker,
    /// Messages wait too long for their turn.
    Behind(Backlog),
    /// A device that alerts no longer reach.
    Device {
        label: String,
        since: DateTime<Utc>,
    },
}

impl What {
    /// As its people read it.
    #[must_use]
    pub fn said(&self, language: Language) -> String {
        match (language, self) {
            (En, Self::NoLeads { days: 1 }) => "No new lead for a whole day, which is not normal for you".to_owned(),
            (Es, Self::NoLeads { days: 1 }) => "Ninguna solicitud en todo un día: no es normal para usted".to_owned(),
            (En, Self::NoLeads { days }) => format!("No new lead in {days} days, which is not normal for you"),
            (Es, Self::NoLeads { days }) => format!("Ninguna solicitud en {days} días: no es normal para usted"),
            (En, Self::Texts { percent }) => format!("Only {percent}% of your texts arrive"),
            (Es, Self::Texts { percent }) => format!("Solo llega el {percent}% de sus mensajes de texto"),
            (En, Self::Emails { percent }) => format!("Only {percent}% of your emails arrive"),
            (Es, Self::Emails { percent }) => format!("Solo llega el {percent}% de sus correos"),
            (En, Self::Worker) => "Nothing is being sent: sending is stopped right now".to_owned(),
            (Es, Self::Worker) => "No se envía nada: el programa que envía está parado".to_owned(),
            (En, Self::Behind(Backlog { waiting, minutes })) => match minutes {
                Some(minutes) => format!("Messages are behind: {waiting} wait, caught up in about {}", span(*minutes)),
                None => format!("Messages are behind: {waiting} wait, and none leaves"),
            },
            (Es, Self::Behind(Backlog { waiting, minutes })) => match minutes {
                Some(minutes) => format!("Mensajes con retraso: {waiting} esperan, unos {minutes} minutos más"),
                None => format!("Mensajes con retraso: {waiting} esperan y no sale ninguno"),
            },
            (En, Self::Device { label, .. }) => format!("{label}: alerts no longer arrive there"),
            (Es, Self::Device { label, .. }) => format!("{label}: ya no recibe avisos"),
        }
    }

    /// In the fewest letters, for a text.
    #[must_use]
    pub fn brief(&self, language: Language) -> String {
        match (language, self) {
            (En, Self::NoLeads { days }) => format!("! no leads {days}d"),
            (Es, Self::NoLeads { days }) => format!("! sin solicitudes {days}d"),
            (En, Self::Texts { percent }) => format!("! texts {percent}% ok"),
            (Es, Self::Texts { percent }) => format!("! textos {percent}% ok"),
            (_, Self::Emails { percent }) => format!("! email {percent}% ok"),
            (En, Self::Worker) => "! worker stalled".to_owned(),
            (Es, Self::Worker) => "! envio parado".to_owned(),
            (En, Self::Behind(_)) => "! messages behind".to_owned(),
            (Es, Self::Behind(_)) => "! mensajes con retraso".to_owned(),
            (En, Self::Device { .. }) => "! a device without push".to_owned(),
            (Es, Self::Device { .. }) => "! un equipo sin avisos".to_owned(),
        }
    }
}

/// For how many days no request has come, if that is not normal: the same days of the week brought more, four weeks
/// long. `days` are requests by day, oldest first; the last is today, on which one may still come.
#[must_use]
pub fn no_leads(days: &[i64]) -> Option<usize> {
    let (today, past) = days.split_last()?;
    let ago = |day: usize, weeks: usize| day.checked_sub(DAYS_IN_A_WEEK * weeks).map_or(0, |at| past[at]);
    let usual = |day: usize| (1..=NORMAL_WEEKS).map(|weeks| ago(day, weeks)).sum::<i64>();
    (1..=DAYS_IN_A_WEEK).find_map(|span| {
        let first = past.len().checked_sub(span)?;
        let came = past[first..].iter().sum::<i64>() + today;
        let expected = (first..past.len()).map(usual).sum::<i64>();
        // Of four weeks, so four times as many.
        (expected >= EXPECTED * 4).then(|| (came == 0).then_some(span))
    })?
}

/// So many of a hundred arrive, if that is too few.
#[must_use]
pub fn too_few(arrived: i64, lost: i64) -> Option<i64> {
    let all = arrived + lost;
    let percent = if all > 0 { arrived * 100 / all } else { 100 };
    (all >= FEWEST_MESSAGES && arrived * 100 < LEAST_PERCENT * all).then_some(percent)
}

#[derive(FromRow)]
struct Delivered {
    texts: i64,
    lost_texts: i64,
    emails: i64,
    lost_emails: i64,
}

/// Everything that stands still for a business now.
pub async fn now(conn: &mut dyn AsConn, profile: &Profile, now: DateTime<Utc>) -> Result<Vec<Failure>> {
    let org = profile.org.id;
    let mut found = Vec::new();
    let mut add =
        |name: &str, what: Option<What>| found.extend(what.map(|what| Failure { name: name.to_owned(), what }));
    let days = figures::days(&mut *conn, profile, now, DAYS).await?;
    let leads: Vec<i64> = days.iter().map(|day| day.new_leads).collect();
    add("no_leads", no_leads(&leads).map(|days| What::NoLeads { days }));
    let delivered = q!(
        &mut *conn,
        fetch_one as Delivered,
        "SELECT CAST(COALESCE(SUM(CASE WHEN channel = 'sms' AND status IN ('sent', 'delivered') THEN 1 ELSE 0 END), 0) AS BIGINT) AS texts,
             CAST(COALESCE(SUM(CASE WHEN channel = 'sms' AND status IN ('failed', 'unknown') THEN 1 ELSE 0 END), 0) AS BIGINT) AS lost_texts,
             CAST(COALESCE(SUM(CASE WHEN channel = 'email' AND status IN ('sent', 'delivered') THEN 1 ELSE 0 END), 0) AS BIGINT) AS emails,
             CAST(COALESCE(SUM(CASE WHEN channel = 'email' AND status IN ('failed', 'unknown') THEN 1 ELSE 0 END), 0) AS BIGINT) AS lost_emails
         FROM message WHERE org_id = $1 AND id >= $2 AND direction = 'out'",
        org,
        // Ids sort by time, and messages of one org are found by them.
        live::floor(now - DELIVERY)
    )?;
    add("texts_fail", too_few(delivered.texts, delivered.lost_texts).map(|percent| What::Texts { percent }));
    add("emails_fail", too_few(delivered.emails, delivered.lost_emails).map(|percent| What::Emails { percent }));
    let facts = system_status::facts(&mut *conn, org, now).await?;
    add(STALLED, system_status::is_stalled(&facts, now).then_some(What::Worker));
    add(BEHIND, backlog::of(&mut *conn, org, now).await?.map(What::Behind));
    for (label, since) in push_device::silent(conn, org).await? {
        // A device that dies, lives and dies again does so twice.
        add(&format!("device:{}", since.timestamp_millis()), Some(What::Device { label, since }));
    }
    Ok(found)
}

/// Looks at every business whose turn within the hour it is. Returns how many failures began.
pub async fn look(db: &Db, origin: &Origin) -> Result<usize> {
    let minute = u8::try_from(origin.now().timestamp() / 60 % i64::from(TURNS)).unwrap_or_default();
    let orgs = q!(&mut db.read().await?, fetch_all scalar OrgId, "SELECT id FROM org WHERE id <> $1", DEMO_ORG)?;
    let mut began = 0;
    for org in orgs.into_iter().filter(|org| org.0.as_bytes()[15] % TURNS == minute) {
        began += look_at(db, origin, org).await?;
    }
    Ok(began)
}

/// Looks at one business: what began is told, what is over is forgotten. Returns how many began.
pub async fn look_at(db: &Db, origin: &Origin, org: OrgId) -> Result<usize> {
    let mut conn = db.read().await?;
    let Some(found) = org::find(&mut conn, org).await? else { return Ok(0) };
    let profile = org::profile(&mut conn, found).await?;
    let failures = now(&mut conn, &profile, origin.now()).await?;
    let known = known(&mut conn, org).await?;
    drop(conn);
    let is_same = known.len() == failures.len() && failures.iter().all(|failure| known.contains(&failure.name));
    if is_same {
        return Ok(0);
    }
    let mut tx = db.begin().await?;
    for name in known.iter().filter(|name| failures.iter().all(|failure| failure.name != **name)) {
        q!(&mut tx, execute, "DELETE FROM quiet_failure WHERE org_id = $1 AND name = $2", org, name)?;
    }
    let mut began = 0;
    for failure in &failures {
        began += usize::from(begin(&mut tx, origin, &profile, failure).await?.is_some());
    }
    tx.commit().await?;
    Ok(began)
}

async fn known(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<String>> {
    Ok(q!(conn, fetch_all scalar String, "SELECT name FROM quiet_failure WHERE org_id = $1", org)?)
}

/// Writes down that it began, and tells the devices of the owner and the office. None when it was known.
async fn begin(tx: &mut Tx, origin: &Origin, profile: &Profile, failure: &Failure) -> Result<Option<AlertId>> {
    let (org, now) = (profile.org.id, origin.now());
    let insert =
        "INSERT INTO quiet_failure (org_id, name, since) VALUES ($1, $2, $3) ON CONFLICT (org_id, name) DO NOTHING";
    if q!(&mut *tx, execute, insert, org, &failure.name, now)? == 0 {
        return Ok(None);
    }
    let language = profile.settings.pulse.language;
    let body = match language {
        En => "It stays in the report until it is over. System Status shows more.",
        Es => "Queda en el informe hasta que termine. El estado del sistema dice más.",
    };
    let key = format!("quiet:{}:{}", failure.name, now.timestamp_millis());
    let new = NewAlert {
        path: Some("/app/settings?tab=control-panel".to_owned()),
        ..NewAlert::new(Kind::QuietFailure, key, failure.what.said(language), body.to_owned())
    };
    // The report tells the list of recipients; devices are told at once.
    alert::store(tx, origin, org, &Raised::new(profile, new, now, true)).await
}

/// For the API: whether the worker stands still, looked at for all businesses. Returns the alerts of those that were not
/// told yet, which nobody but the API can show; once it goes on again, all is forgotten.
pub async fn look_at_worker(db: &Db, origin: &Origin) -> Result<Vec<(OrgId, AlertId)>> {
    let mut conn = db.read().await?;
    let orgs = q!(&mut conn, fetch_all scalar OrgId, "SELECT id FROM org WHERE id <> $1", DEMO_ORG)?;
    let Some(first) = orgs.first() else { return Ok(Vec::new()) };
    let is_stalled =
        system_status::is_stalled(&system_status::facts(&mut conn, *first, origin.now()).await?, origin.now());
    let known = q!(&mut conn, fetch_all scalar OrgId, "SELECT org_id FROM quiet_failure WHERE name = $1", STALLED)?;
    drop(conn);
    if !is_stalled {
        if !known.is_empty() {
            let mut tx = db.begin().await?;
            q!(&mut tx, execute, "DELETE FROM quiet_failure WHERE name = $1", STALLED)?;
            tx.commit().await?;
        }
        return Ok(Vec::new());
    }
    let mut alerts = Vec::new();
    for org in orgs.into_iter().filter(|org| !known.contains(org)) {
        let mut tx = db.begin().await?;
        let Some(found) = org::find(&mut tx, org).await? else { continue };
        let profile = org::profile(&mut tx, found).await?;
        let failure = Failure { name: STALLED.to_owned(), what: What::Worker };
        let raised = begin(&mut tx, origin, &profile, &failure).await?;
        alerts.extend(raised.into_iter().map(|alert| (org, alert)));
        tx.commit().await?;
    }
    Ok(alerts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(usual: i64, quiet: usize, today: i64) -> Vec<i64> {
        let mut days = vec![usual; 35 - quiet];
        days.extend(vec![0; quiet]);
        days.push(today);
        days
    }

    #[test]
    fn silence_is_told_where_five_were_to_be_expected() {
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
            assert_eq!(no_leads(&days(usual, quiet, today)), wanted, "{usual} a day, {quiet} quiet, {today} today");
        }
        assert_eq!(
            (no_leads(&[]), no_leads(&[0]), no_leads(&[9, 9, 9, 0, 0])),
            (None, None, None),
            "too young to know"
        );
    }

    #[test]
    fn who_never_has_any_on_weekends_is_not_told_of_them() {
        let week = [6, 6, 6, 6, 6, 0, 0];
        let mut days: Vec<i64> = week.iter().copied().cycle().take(35).collect();
        days.push(0);
        assert_eq!(no_leads(&days), None, "it is Monday, and Friday had some");
        // Friday had none: three days, of which only Friday counts.
        days[32] = 0;
        assert_eq!(no_leads(&days), Some(3));
    }

    #[test]
    fn fewer_than_nine_of_ten_are_too_few_once_there_are_ten() {
        for (arrived, lost, wanted) in [
            (0, 0, None),
            (0, 9, None),
            (0, 10, Some(0)),
            (9, 1, None),
            (89, 11, Some(89)),
            (899, 100, Some(89)),
            (90, 10, None),
        ] {
            assert_eq!(too_few(arrived, lost), wanted, "{arrived} {lost}");
        }
    }

    #[test]
    fn what_has_stopped_is_said_in_both_languages() {
        for what in [
            What::NoLeads { days: 5 },
            What::Texts { percent: 80 },
            What::Emails { percent: 1 },
            What::Worker,
            What::Behind(Backlog { waiting: 9_000, minutes: Some(300) }),
            What::Behind(Backlog { waiting: 9_000, minutes: None }),
            What::Device { label: "Sam".into(), since: DateTime::UNIX_EPOCH },
        ] {
            assert_ne!(what.said(En), what.said(Es));
            assert!(what.brief(En).len() < 25 && what.brief(Es).len() < 25);
        }
    }
}
