//! How the five tools are doing, by what can be seen now: whether the worker works, whether the providers answer, and
//! what last succeeded.

use chrono::{DateTime, Duration, SecondsFormat, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    clock::Origin,
    db::{AsConn, Db, q},
    error::Result,
    id::OrgId,
    live,
    org::Profile,
};

/// A task that nobody takes for this long is late.
const LATE: Duration = Duration::minutes(1);
/// And for this long, nobody is there to take it.
const LOST: Duration = Duration::minutes(10);
/// How far back failures count.
const LATELY: Duration = Duration::hours(24);
/// How far back a last success is looked for.
const MEMORY: Duration = Duration::days(30);

/// One of the product's five tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum Tool {
    LeadIntake,
    AutoReply,
    JobTracker,
    ReviewBooster,
    KpiPulse,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ToolHealth)]
pub enum Health {
    Operational,
    Degraded,
    Down,
}

/// One tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolStatus {
    pub tool: Tool,
    pub name: &'static str,
    pub status: Health,
    /// The worst of the checks in plain words.
    pub detail: String,
    /// Within the last 30 days.
    pub last_success_at: Option<DateTime<Utc>>,
    pub checks: Vec<Check>,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ToolCheck)]
pub struct Check {
    pub name: &'static str,
    pub ok: bool,
    pub detail: String,
    #[serde(skip)]
    health: Health,
}

/// What a provider answered when it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    pub ok: bool,
    pub detail: String,
}

/// Both ways out.
#[derive(Clone, Debug)]
pub struct Probes {
    pub texts: Probe,
    pub email: Probe,
}

/// What the database shows.
#[derive(Clone, Debug, Default, FromRow)]
pub struct Facts {
    /// The newest sign of life of any worker.
    pub worker_seen: Option<DateTime<Utc>>,
    /// The turn of the task that is next, when it is due.
    pub next_turn: Option<DateTime<Utc>>,
    /// The oldest lease of running work.
    pub oldest_lease: Option<DateTime<Utc>>,
    pub last_done: Option<DateTime<Utc>>,
    /// Work of this org that stopped for good lately.
    pub dead: i64,
    pub last_request: Option<DateTime<Utc>>,
    pub last_answer: Option<DateTime<Utc>>,
    pub failed_texts: i64,
    pub failed_emails: i64,
    /// Messages of which nobody knows whether they arrived, however old.
    pub in_doubt: i64,
}

/// A worker gives a sign of life.
pub async fn sign(db: &Db, origin: &Origin, worker: &str) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(
        &mut tx,
        execute,
        "INSERT INTO worker_sign (worker, seen_at) VALUES ($1, $2)
         ON CONFLICT (worker) DO UPDATE SET seen_at = excluded.seen_at",
        worker,
        origin.now()
    )?;
    tx.commit().await
}

/// Forgets workers of which nothing was seen for a month.
pub async fn prune(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM worker_sign WHERE seen_at < $1", now - MEMORY)?;
    tx.commit().await
}

/// Looks at the queue of the install and the messages of the org.
pub async fn facts(conn: &mut impl AsConn, org: OrgId, now: DateTime<Utc>) -> Result<Facts> {
    Ok(q!(
        conn,
        fetch_one as Facts,
        "SELECT
             (SELECT MAX(seen_at) FROM worker_sign) AS worker_seen,
             (SELECT turn_at FROM task WHERE status = 'ready' AND run_at <= $2 ORDER BY turn_at, id LIMIT 1) AS next_turn,
             (SELECT MIN(lease_until) FROM task WHERE status = 'running') AS oldest_lease,
             (SELECT finished_at FROM task WHERE status = 'done' ORDER BY finished_at DESC LIMIT 1) AS last_done,
             (SELECT COUNT(*) FROM task WHERE org_id = $1 AND status = 'dead' AND finished_at >= $3) AS dead,
             (SELECT MAX(at) FROM lead_touch WHERE org_id = $1) AS last_request,
             (SELECT MAX(sent_at) FROM message WHERE org_id = $1 AND id >= $4
                 AND kind IN ('auto_reply', 'missed_call', 'text_reply')) AS last_answer,
             (SELECT COUNT(*) FROM message WHERE org_id = $1 AND id >= $5 AND channel = 'sms'
                 AND status IN ('failed', 'unknown')) AS failed_texts,
             (SELECT COUNT(*) FROM message WHERE org_id = $1 AND id >= $5 AND channel = 'email'
                 AND status IN ('failed', 'unknown')) AS failed_emails,
             (SELECT COUNT(*) FROM message WHERE org_id = $1 AND status = 'unknown') AS in_doubt",
        org,
        now,
        now - LATELY,
        // Ids sort by time, and messages of one org are found by them.
        live::floor(now - MEMORY),
        live::floor(now - LATELY)
    )?)
}

impl Check {
    fn new(name: &'static str, health: Health, detail: impl Into<String>) -> Self {
        Self { name, ok: health == Health::Operational, detail: detail.into(), health }
    }

    fn fine_if(fine: bool, name: &'static str, well: impl Into<String>, ill: impl Into<String>) -> Self {
        if fine { Self::new(name, Health::Operational, well) } else { Self::new(name, Health::Degraded, ill) }
    }

    fn probe(name: &'static str, probe: &Probe) -> Self {
        Self::fine_if(probe.ok, name, &probe.detail, &probe.detail)
    }
}

fn stamp(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Whether a worker lives, nothing that is due waits for long, and nothing is held by one that has died.
fn worker(facts: &Facts, now: DateTime<Utc>) -> Check {
    let since = |at: Option<DateTime<Utc>>| at.map_or(Duration::zero(), |at| now - at);
    let Some(seen) = facts.worker_seen else {
        return Check::new("Worker", Health::Down, "no worker has been started yet");
    };
    let (silence, late) = (now - seen, since(facts.next_turn).max(since(facts.oldest_lease)));
    let worst = match silence.max(late) {
        wait if wait > LOST => Health::Down,
        wait if wait > LATE => Health::Degraded,
        _ => Health::Operational,
    };
    let done =
        facts.last_done.map_or_else(|| "nothing done yet".to_owned(), |at| format!("last work done {}", stamp(at)));
    let words = match worst {
        Health::Operational => "it lives, and no work is late".to_owned(),
        _ if silence > LATE => format!("no sign of life for {} min", silence.num_minutes()),
        _ => format!("work has waited for {} min", late.num_minutes()),
    };
    Check::new("Worker", worst, format!("{words}; {done}"))
}

fn stopped(facts: &Facts) -> Check {
    let tasks = if facts.dead == 1 { "1 task has" } else { &format!("{} tasks have", facts.dead) };
    let ill = format!("{tasks} stopped for good in the last 24 hours; see Work that stopped");
    Check::fine_if(facts.dead == 0, "Tasks", "none has stopped", ill)
}

fn failures(name: &'static str, count: i64) -> Check {
    let ill = format!("{count} in the last 24 hours did not arrive, or may not have");
    Check::fine_if(count == 0, name, "none in the last 24 hours", ill)
}

/// A doubt that stays is a person's to end, and no fault of the tool: what is fresh counts as failed besides.
fn in_doubt(count: i64) -> Check {
    let words = match count {
        0 => "none".to_owned(),
        1 => "1 message: nobody knows whether it arrived. Its lead is marked".to_owned(),
        _ => format!("{count} messages: nobody knows whether they arrived. Their leads are marked"),
    };
    Check::new("In doubt", Health::Operational, words)
}

fn told(profile: &Profile) -> Check {
    let count = profile.recipients.len();
    Check::fine_if(count > 0, "People to tell", count.to_string(), "nobody is on the list in Organization")
}

/// The status of the five tools, in the product's order.
#[must_use]
pub fn status(profile: &Profile, facts: &Facts, probes: &Probes, now: DateTime<Utc>) -> Vec<ToolStatus> {
    let (on, worker) = (profile.switches, worker(facts, now));
    let texts = Check::probe("Texts", &probes.texts);
    let email = Check::probe("Email", &probes.email);
    let silent = !probes.texts.ok && !probes.email.ok;
    let nothing_leaves = silent.then(|| Check::new("A way out", Health::Down, "neither texts nor email can leave"));
    let link = Check::fine_if(
        profile.org.review_link.is_some(),
        "Review link",
        "set",
        "no review link is set in Organization",
    );
    let answers = [worker.clone(), stopped(facts), texts.clone(), email.clone()].into_iter().chain(nothing_leaves);
    let failed = [
        failures("Failed texts", facts.failed_texts),
        failures("Failed emails", facts.failed_emails),
        in_doubt(facts.in_doubt),
    ];
    vec![
        tool(
            Tool::LeadIntake,
            "Lead Intake Hub",
            on.lead_intake,
            facts.last_request,
            [worker.clone(), stopped(facts), told(profile), email.clone()],
        ),
        tool(
            Tool::AutoReply,
            "Auto-Reply + Scheduling",
            on.automated_communications,
            facts.last_answer,
            answers.chain(failed),
        ),
        idle(
            "no job is booked yet, so nothing is sent",
            tool(Tool::JobTracker, "Quote & Job Tracker", on.job_tracking, None, [worker.clone(), stopped(facts)]),
        ),
        idle(
            "no job is done yet, so nobody is asked for a review",
            tool(Tool::ReviewBooster, "Review Booster", on.review_collection, None, [worker.clone(), texts, link]),
        ),
        idle(
            "no figures are kept yet, so no report is sent",
            tool(Tool::KpiPulse, "Owner KPI Pulse", on.kpi_reporting, None, [worker, told(profile), email]),
        ),
    ]
}

/// A tool without anything to do yet says so, instead of that it does well.
fn idle(why: &str, tool: ToolStatus) -> ToolStatus {
    if tool.detail == WELL { ToolStatus { detail: why.to_owned(), ..tool } } else { tool }
}

/// What is said of a tool in which nothing is wrong.
const WELL: &str = "everything looked at is well";

fn tool(
    tool: Tool,
    name: &'static str,
    is_on: bool,
    last_success_at: Option<DateTime<Utc>>,
    checks: impl IntoIterator<Item = Check>,
) -> ToolStatus {
    let checks: Vec<Check> = checks.into_iter().collect();
    let worst = checks.iter().filter(|check| !check.ok).max_by_key(|check| check.health);
    let detail = match worst {
        Some(check) => format!("{}: {}", check.name, check.detail),
        None if !is_on => "switched off in Automation".to_owned(),
        None => WELL.to_owned(),
    };
    ToolStatus {
        tool,
        name,
        status: worst.map_or(Health::Operational, |check| check.health),
        detail,
        last_success_at,
        checks,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        message::Channel,
        org::{Org, Recipient, Settings, Switches, Wordings},
    };

    fn profile() -> Profile {
        Profile {
            org: Org {
                id: OrgId(uuid::Uuid::nil()),
                slug: "acme".into(),
                name: "Acme Plumbing".into(),
                industry: "Contractor".into(),
                phone: None,
                review_link: Some("https://example.com/r".into()),
                booking_link: None,
                timezone: "America/Chicago".into(),
                sms_number: None,
                postal_address: None,
                logo_key: None,
                licence_line: None,
                created_at: DateTime::UNIX_EPOCH,
            },
            switches: Switches::ALL_ON,
            settings: Settings::default(),
            wordings: Wordings::default(),
            has_bookable_crew: false,
            recipients: vec![Recipient { channel: Channel::Email, address: "a@b.example".into() }],
        }
    }

    fn probes(texts: bool, email: bool) -> Probes {
        let probe = |ok| Probe { ok, detail: "asked".into() };
        Probes { texts: probe(texts), email: probe(email) }
    }

    /// A worker that was seen just now.
    fn alive(now: DateTime<Utc>) -> Facts {
        Facts { worker_seen: Some(now), ..Facts::default() }
    }

    fn healths(profile: &Profile, facts: &Facts, probes: &Probes, now: DateTime<Utc>) -> Vec<Health> {
        status(profile, facts, probes, now).into_iter().map(|tool| tool.status).collect()
    }

    #[test]
    fn all_five_are_operational_when_nothing_is_wrong() {
        let now = DateTime::UNIX_EPOCH;
        let tools = status(&profile(), &alive(now), &probes(true, true), now);
        assert_eq!(tools.len(), 5);
        let said: Vec<&str> = tools.iter().map(|tool| tool.detail.as_str()).collect();
        assert_eq!(
            said,
            [
                WELL,
                WELL,
                "no job is booked yet, so nothing is sent",
                "no job is done yet, so nobody is asked for a review",
                "no figures are kept yet, so no report is sent",
            ]
        );
        for tool in tools {
            assert_eq!(serde_json::to_value(tool.status).unwrap(), "operational", "{tool:?}");
        }
    }

    #[test]
    fn late_work_degrades_every_tool_and_lost_work_stops_it() {
        use Health::{Degraded, Down, Operational};
        let now = DateTime::UNIX_EPOCH + Duration::days(1);
        for (minutes, health) in [(0, Operational), (2, Degraded), (11, Down)] {
            let at = Some(now - Duration::minutes(minutes));
            let waiting = Facts { next_turn: at, ..alive(now) };
            let held = Facts { oldest_lease: at, ..alive(now) };
            let silent = Facts { worker_seen: at, ..alive(now) };
            for facts in [waiting, held, silent] {
                assert_eq!(healths(&profile(), &facts, &probes(true, true), now), [health; 5], "{minutes}");
            }
        }
        assert_eq!(healths(&profile(), &Facts::default(), &probes(true, true), now), [Down; 5], "never seen");
    }

    #[test]
    fn each_missing_thing_shows_where_it_matters() {
        use Health::{Degraded, Down, Operational};
        let now = DateTime::UNIX_EPOCH;
        let fine = alive(now);
        let seen = |texts, email| healths(&profile(), &fine, &probes(texts, email), now);
        assert_eq!(seen(false, true), [Operational, Degraded, Operational, Degraded, Operational]);
        assert_eq!(seen(true, false), [Degraded, Degraded, Operational, Operational, Degraded]);
        assert_eq!(seen(false, false), [Degraded, Down, Operational, Degraded, Degraded]);
        let failed = Facts { failed_texts: 1, ..alive(now) };
        assert_eq!(healths(&profile(), &failed, &probes(true, true), now)[1], Degraded);
        let mut bare = profile();
        bare.recipients.clear();
        bare.org.review_link = None;
        let healths = healths(&bare, &fine, &probes(true, true), now);
        assert_eq!(healths, [Degraded, Operational, Operational, Degraded, Degraded]);
    }

    #[test]
    fn what_is_in_doubt_is_counted_and_shown() {
        let now = DateTime::UNIX_EPOCH;
        let facts = Facts { in_doubt: 2, ..alive(now) };
        let tools = status(&profile(), &facts, &probes(true, true), now);
        let check = tools[1].checks.iter().find(|check| check.name == "In doubt").unwrap();
        assert!(check.ok && check.detail.starts_with("2 messages"), "{check:?}");
        assert_eq!(tools[1].status, Health::Operational);
    }

    #[test]
    fn a_tool_that_is_switched_off_is_well_and_says_so() {
        let mut off = profile();
        off.switches.kpi_reporting = false;
        let now = DateTime::UNIX_EPOCH;
        let tools = status(&off, &alive(now), &probes(true, true), now);
        assert_eq!((tools[4].status, tools[4].detail.as_str()), (Health::Operational, "switched off in Automation"));
    }
}
