//! Single checks, and the text of each in plain words.

use chrono::{DateTime, Duration, SecondsFormat, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::{SystemFacts, ToolHealth, facts::WAITING_COUNTED};
use crate::{domain::tenancy::org::OrgProfile, platform::money::group_thousands};

/// A task that is not taken for this long is late.
const LATE_AFTER: Duration = Duration::minutes(1);
/// After this long no worker is there to take it.
const LOST_AFTER: Duration = Duration::minutes(10);
/// A message that is not sent for this long is behind, as for the alert.
const BACKLOG_AFTER: Duration = Duration::minutes(5);
/// Figures are recounted each night; after this long one night was left out.
const RECOUNT_INTERVAL: Duration = Duration::hours(50);

/// The worker, as owners know it.
const BACKGROUND_WORK: &str = "Background work";
const NEVER_RAN: &str = "nothing has run yet. Ask the person who runs your Toolbox";
const ASK: &str = "Ask the person who runs your Toolbox";

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ToolCheck {
    pub name: &'static str,
    pub ok: bool,
    pub detail: String,
    #[serde(skip)]
    pub(super) health: ToolHealth,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeResult {
    pub ok: bool,
    pub detail: String,
}

impl ToolCheck {
    pub(super) fn new(name: &'static str, health: ToolHealth, detail: impl Into<String>) -> Self {
        Self { name, ok: health == ToolHealth::Operational, detail: detail.into(), health }
    }

    pub(super) fn ok_or_degraded(
        fine: bool,
        name: &'static str,
        well: impl Into<String>,
        ill: impl Into<String>,
    ) -> Self {
        if fine { Self::new(name, ToolHealth::Operational, well) } else { Self::new(name, ToolHealth::Degraded, ill) }
    }

    pub(super) fn from_probe(name: &'static str, probe: &ProbeResult) -> Self {
        Self::ok_or_degraded(probe.ok, name, &probe.detail, &probe.detail)
    }
}

fn format_timestamp(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Whether a worker is alive, no due task waits for long, and none is held by a dead worker.
pub(super) fn check_worker(facts: &SystemFacts, now: DateTime<Utc>) -> ToolCheck {
    let since = |at: Option<DateTime<Utc>>| at.map_or(Duration::zero(), |at| now - at);
    let Some(seen) = facts.worker_seen else {
        return ToolCheck::new(BACKGROUND_WORK, ToolHealth::Down, NEVER_RAN);
    };
    if let Some(off) = facts.clock_off_ms {
        let (minutes, side) = (off.abs() / 60_000, if off < 0 { "behind" } else { "ahead" });
        let words = format!("a clock is {minutes} min {side}, and nothing is sent until it is set. {ASK}");
        return ToolCheck::new(BACKGROUND_WORK, ToolHealth::Degraded, words);
    }
    let (silence, late) = (now - seen, since(facts.oldest_due).max(since(facts.oldest_lease)));
    let worst = match silence.max(late) {
        wait if wait > LOST_AFTER => ToolHealth::Down,
        wait if wait > LATE_AFTER => ToolHealth::Degraded,
        _ => ToolHealth::Operational,
    };
    let done = facts
        .last_done
        .map_or_else(|| "nothing done yet".to_owned(), |at| format!("last work done {}", format_timestamp(at)));
    let words = match worst {
        ToolHealth::Operational => "it runs, and nothing is late".to_owned(),
        _ if silence > LATE_AFTER => format!("nothing has moved for {} min", silence.num_minutes()),
        _ => format!("work has waited for {} min", late.num_minutes()),
    };
    ToolCheck::new(BACKGROUND_WORK, worst, format!("{words}; {done}"))
}

/// Messages that wait, be it for a worker or for the pace of the number.
pub(super) fn check_backlog(facts: &SystemFacts, now: DateTime<Utc>) -> ToolCheck {
    let Some(since) = facts.waiting_since.filter(|since| now - *since >= BACKLOG_AFTER) else {
        return ToolCheck::new("Waiting", ToolHealth::Operational, "no message waits for long");
    };
    let minutes = (now - since).num_minutes();
    let words = match facts.waiting {
        1 => format!("1 message waits to leave, for {minutes} minutes"),
        count if count > WAITING_COUNTED => {
            format!(
                "{}+ messages wait to leave, the oldest for {minutes} minutes",
                group_thousands(WAITING_COUNTED.unsigned_abs())
            )
        }
        count => {
            format!(
                "{} messages wait to leave, the oldest for {minutes} minutes",
                group_thousands(count.unsigned_abs())
            )
        }
    };
    ToolCheck::new("Waiting", ToolHealth::Degraded, words)
}

pub(super) fn check_dead_tasks(facts: &SystemFacts) -> ToolCheck {
    let tasks = if facts.dead == 1 { "1 task has" } else { &format!("{} tasks have", facts.dead) };
    let ill = format!("{tasks} stopped permanently in the last 24 hours; see Work that stopped");
    ToolCheck::ok_or_degraded(facts.dead == 0, "Tasks", "none has stopped", ill)
}

pub(super) fn check_failures(name: &'static str, count: i64) -> ToolCheck {
    let ill = format!("{count} in the last 24 hours did not arrive, or may not have");
    ToolCheck::ok_or_degraded(count == 0, name, "none in the last 24 hours", ill)
}

/// A lasting doubt is for a person to resolve, and no fault of the tool; a fresh one also counts as failed.
pub(super) fn check_unknown_deliveries(count: i64) -> ToolCheck {
    let words = match count {
        0 => "none".to_owned(),
        1 => "1 message: no one knows whether it arrived. Its lead is marked".to_owned(),
        _ => format!("{count} messages: no one knows whether they arrived. Their leads are marked"),
    };
    ToolCheck::new("In doubt", ToolHealth::Operational, words)
}

/// Whether the last recount of the owner's figures is recent, and found no differences.
pub(super) fn check_metrics(facts: &SystemFacts, now: DateTime<Utc>) -> ToolCheck {
    let days = facts.days_wrong.unwrap_or_default();
    match facts.counted_at {
        None => ToolCheck::new("Figures", ToolHealth::Degraded, "what was there before is still being counted"),
        Some(at) if now - at > RECOUNT_INTERVAL => ToolCheck::new(
            "Figures",
            ToolHealth::Degraded,
            format!("they have not been recounted since {}", format_timestamp(at)),
        ),
        Some(at) => {
            let ill = format!(
                "{days} days were wrong when they were recounted at {}; they are corrected",
                format_timestamp(at)
            );
            ToolCheck::ok_or_degraded(
                days == 0,
                "Figures",
                format!("recounted at {}: nothing differed", format_timestamp(at)),
                ill,
            )
        }
    }
}

pub(super) fn check_recipients(profile: &OrgProfile) -> ToolCheck {
    let count = profile.recipients.len();
    ToolCheck::ok_or_degraded(count > 0, "People to tell", count.to_string(), "no one is on the list in Organization")
}
