//! The single things that are looked at, and what is said of each in plain words.

use chrono::{DateTime, Duration, SecondsFormat, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Facts, Health};
use crate::domain::tenancy::org::Profile;

/// A task that nobody takes for this long is late.
const LATE: Duration = Duration::minutes(1);
/// And for this long, nobody is there to take it.
const LOST: Duration = Duration::minutes(10);
/// Figures are counted anew each night; so much later one was left out.
const RECOUNT_EACH: Duration = Duration::hours(50);

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ToolCheck)]
pub struct Check {
    pub name: &'static str,
    pub ok: bool,
    pub detail: String,
    #[serde(skip)]
    pub(super) health: Health,
}

/// What a provider answered when it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    pub ok: bool,
    pub detail: String,
}

impl Check {
    pub(super) fn new(name: &'static str, health: Health, detail: impl Into<String>) -> Self {
        Self { name, ok: health == Health::Operational, detail: detail.into(), health }
    }

    pub(super) fn fine_if(fine: bool, name: &'static str, well: impl Into<String>, ill: impl Into<String>) -> Self {
        if fine { Self::new(name, Health::Operational, well) } else { Self::new(name, Health::Degraded, ill) }
    }

    pub(super) fn probe(name: &'static str, probe: &Probe) -> Self {
        Self::fine_if(probe.ok, name, &probe.detail, &probe.detail)
    }
}

fn stamp(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Whether a worker lives, nothing that is due waits for long, and nothing is held by one that has died.
pub(super) fn worker(facts: &Facts, now: DateTime<Utc>) -> Check {
    let since = |at: Option<DateTime<Utc>>| at.map_or(Duration::zero(), |at| now - at);
    let Some(seen) = facts.worker_seen else {
        return Check::new("Worker", Health::Down, "no worker has been started yet");
    };
    if let Some(off) = facts.clock_off_ms {
        let (minutes, side) = (off.abs() / 60_000, if off < 0 { "behind" } else { "ahead" });
        let words = format!("the clock of a worker is {minutes} min {side}; it sends nothing until the clock is set");
        return Check::new("Worker", Health::Degraded, words);
    }
    let (silence, late) = (now - seen, since(facts.oldest_due).max(since(facts.oldest_lease)));
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

pub(super) fn stopped(facts: &Facts) -> Check {
    let tasks = if facts.dead == 1 { "1 task has" } else { &format!("{} tasks have", facts.dead) };
    let ill = format!("{tasks} stopped for good in the last 24 hours; see Work that stopped");
    Check::fine_if(facts.dead == 0, "Tasks", "none has stopped", ill)
}

pub(super) fn failures(name: &'static str, count: i64) -> Check {
    let ill = format!("{count} in the last 24 hours did not arrive, or may not have");
    Check::fine_if(count == 0, name, "none in the last 24 hours", ill)
}

/// A doubt that stays is a person's to end, and no fault of the tool: what is fresh counts as failed besides.
pub(super) fn in_doubt(count: i64) -> Check {
    let words = match count {
        0 => "none".to_owned(),
        1 => "1 message: nobody knows whether it arrived. Its lead is marked".to_owned(),
        _ => format!("{count} messages: nobody knows whether they arrived. Their leads are marked"),
    };
    Check::new("In doubt", Health::Operational, words)
}

/// Whether the owner's figures were counted anew lately, and were what the records say.
pub(super) fn figures(facts: &Facts, now: DateTime<Utc>) -> Check {
    let days = facts.days_wrong.unwrap_or_default();
    match facts.counted_at {
        None => Check::new("Figures", Health::Degraded, "what was there before is still being counted"),
        Some(at) if now - at > RECOUNT_EACH => {
            Check::new("Figures", Health::Degraded, format!("they were not counted anew since {}", stamp(at)))
        }
        Some(at) => {
            let ill = format!("{days} days were wrong when they were counted anew at {}; they are mended", stamp(at));
            Check::fine_if(days == 0, "Figures", format!("counted anew at {}: nothing differed", stamp(at)), ill)
        }
    }
}

pub(super) fn told(profile: &Profile) -> Check {
    let count = profile.recipients.len();
    Check::fine_if(count > 0, "People to tell", count.to_string(), "nobody is on the list in Organization")
}
