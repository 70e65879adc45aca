//! How the five tools are doing, by what can be seen now: whether the worker works, whether the providers answer, and
//! what last succeeded.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::{messaging::message::sms_link, tenancy::org::Profile};

mod check;
pub mod clock;
mod facts;
mod held;
#[cfg(test)]
mod tests;
mod worker_figures;

pub use check::{Check, Probe};
pub use facts::{Facts, facts, is_at_work, prune, sign, sign_off};
pub use held::{Held, held};
pub use worker_figures::{CLAIM_CLASSES_MS, WorkerFigures};

use check::{failures, figures, in_doubt, stopped, told, worker};

/// What is said of a tool in which nothing is wrong.
const WELL: &str = "everything looked at is well";

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

/// Both ways out.
#[derive(Clone, Debug)]
pub struct Probes {
    pub texts: Probe,
    pub email: Probe,
}

/// The ways out of one business to its customers: what its rules hold does not leave, however well the provider is.
fn of_business(profile: &Profile, facts: &Facts, probes: &Probes) -> Probes {
    let texts = sms_link::why(true, profile).map(ToOwned::to_owned).or_else(|| facts.held.texts.clone());
    let held = |probe: &Probe, why: Option<String>| match why {
        Some(detail) if probe.ok => Probe { ok: false, detail },
        _ => probe.clone(),
    };
    Probes { texts: held(&probes.texts, texts), email: held(&probes.email, facts.held.emails.clone()) }
}

/// The status of the five tools, in the product's order.
#[must_use]
pub fn status(profile: &Profile, facts: &Facts, probes: &Probes, now: DateTime<Utc>) -> Vec<ToolStatus> {
    let (on, worker) = (profile.switches, worker(facts, now));
    let to_customers = of_business(profile, facts, probes);
    let texts = Check::probe("Texts", &to_customers.texts);
    // Mail to the people of the business leaves before mail to others does.
    let email = Check::probe("Email", &probes.email);
    let silent = !to_customers.texts.ok && !to_customers.email.ok;
    let nothing_leaves = silent.then(|| Check::new("A way out", Health::Down, "neither texts nor email can leave"));
    let link = Check::fine_if(
        profile.org.review_link.is_some(),
        "Review link",
        "set",
        "no review link is set in Organization",
    );
    let answers = [worker.clone(), stopped(facts), texts.clone(), Check::probe("Email", &to_customers.email)];
    let answers = answers.into_iter().chain(nothing_leaves);
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
        review_booster(profile, facts, [worker.clone(), texts, link]),
        idle(
            "no report was sent yet",
            tool(
                Tool::KpiPulse,
                "Owner KPI Pulse",
                on.kpi_reporting,
                facts.last_report,
                [worker, figures(facts, now), told(profile), email],
            ),
        ),
    ]
}

fn review_booster(profile: &Profile, facts: &Facts, checks: [Check; 3]) -> ToolStatus {
    // The law wants the sender's address in an email that is not about the receiver's own matter. Texts do without.
    let address = match &profile.org.postal_address {
        Some(_) => "set",
        None => "none is set in Organization, so nobody is asked by email",
    };
    let address = Check::new("Postal address", Health::Operational, address);
    let checks = checks.into_iter().chain([address]);
    let on = profile.switches.review_collection;
    let booster = tool(Tool::ReviewBooster, "Review Booster", on, facts.last_asked, checks);
    if facts.last_asked.is_some() {
        return booster;
    }
    idle("no job is done yet, so nobody is asked for a review", booster)
}

/// Whether a worker that was there is not any more, or leaves what is due lying.
#[must_use]
pub fn is_stalled(facts: &Facts, now: DateTime<Utc>) -> bool {
    facts.worker_seen.is_some() && worker(facts, now).health == Health::Down
}

/// A tool without anything to do yet says so, instead of that it does well.
fn idle(why: &str, tool: ToolStatus) -> ToolStatus {
    if tool.detail == WELL && tool.last_success_at.is_none() {
        ToolStatus { detail: why.to_owned(), ..tool }
    } else {
        tool
    }
}

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
