//! Status of the five tools by current observation: the worker, the answers of providers, and last successes.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    domain::{messaging::message::sms_link, tenancy::org::OrgProfile},
    platform::{db::AsConn, error::Result, id::OrgId},
};

mod check;
pub mod clock;
mod facts;
mod send_blocks;
mod store_writes;
#[cfg(test)]
mod tests;
mod worker_figures;

pub use check::{ProbeResult, ToolCheck};
pub use facts::{
    SystemFacts, delete_copied_heartbeats, is_worker_alive, load_system_facts, prune_heartbeats, record_heartbeat,
    record_worker_stopped,
};
pub use send_blocks::{SendBlocks, load_send_blocks};
pub use store_writes::{StoreWrites, WriteState};
pub use worker_figures::{CLAIM_CLASSES_MS, WorkerMetrics};

use check::{
    check_backlog, check_dead_tasks, check_failures, check_metrics, check_recipients, check_unknown_deliveries,
    check_worker,
};

/// Detail of a tool without faults.
const WELL: &str = "everything looked at is well";

/// One of the product's five tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Tool)]
pub enum ProductTool {
    LeadIntake,
    AutoReply,
    JobTracker,
    ReviewBooster,
    KpiPulse,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum ToolHealth {
    Operational,
    Degraded,
    Down,
}

/// One tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolStatus {
    pub tool: ProductTool,
    pub name: &'static str,
    pub status: ToolHealth,
    /// The worst of the checks in plain words.
    pub detail: String,
    /// Within the last 30 days.
    pub last_success_at: Option<DateTime<Utc>>,
    pub checks: Vec<ToolCheck>,
}

impl ToolStatus {
    /// Shows the cause first, in its own words.
    fn with_cause(mut self, cause: &ToolCheck) -> Self {
        let has_files = matches!(self.tool, ProductTool::LeadIntake | ProductTool::JobTracker);
        if cause.health != ToolHealth::Down && !has_files {
            return self;
        }
        if self.status < cause.health || cause.health == ToolHealth::Down {
            self.status = cause.health;
            self.detail.clone_from(&cause.detail);
        }
        self.checks.insert(0, cause.clone());
        self
    }
}

#[derive(Clone, Debug)]
pub struct ProviderProbes {
    pub texts: ProbeResult,
    pub email: ProbeResult,
}

impl ProviderProbes {
    /// For the owner of one business of several: provider and set-up are the operators' concern.
    #[must_use]
    pub fn without_install_details(&self) -> Self {
        let general = |probe: &ProbeResult, what: &str| {
            let detail = format!("{what} not going out right now; the people who run your Toolbox can see why");
            if probe.ok { probe.clone() } else { ProbeResult { ok: false, detail } }
        };
        Self { texts: general(&self.texts, "texts are"), email: general(&self.email, "email is") }
    }
}

/// Channels of one business to its customers: its own rules may block them even if the provider works.
fn apply_send_blocks(profile: &OrgProfile, facts: &SystemFacts, probes: &ProviderProbes) -> ProviderProbes {
    let texts = sms_link::why_texts_blocked(true, profile).map(ToOwned::to_owned).or_else(|| facts.held.texts.clone());
    let held = |probe: &ProbeResult, why: Option<String>| match why {
        Some(detail) if probe.ok => ProbeResult { ok: false, detail },
        _ => probe.clone(),
    };
    ProviderProbes { texts: held(&probes.texts, texts), email: held(&probes.email, facts.held.emails.clone()) }
}

/// In the product's order.
#[must_use]
pub fn build_tool_statuses(
    profile: &OrgProfile,
    facts: &SystemFacts,
    probes: &ProviderProbes,
    now: DateTime<Utc>,
) -> Vec<ToolStatus> {
    let tools = check_tools(profile, facts, probes, now);
    // Without writes no request is taken and nothing is sent: the cause of whatever else is wrong.
    match facts.writes.find_fault() {
        Some(fault) => tools.into_iter().map(|tool| tool.with_cause(&fault)).collect(),
        None => tools,
    }
}

fn check_tools(
    profile: &OrgProfile,
    facts: &SystemFacts,
    probes: &ProviderProbes,
    now: DateTime<Utc>,
) -> Vec<ToolStatus> {
    let (on, worker) = (profile.switches, check_worker(facts, now));
    let to_customers = apply_send_blocks(profile, facts, probes);
    let texts = ToolCheck::from_probe("Texts", &to_customers.texts);
    // Mail to the people of the business leaves before mail to others does.
    let email = ToolCheck::from_probe("Email", &probes.email);
    let silent = !to_customers.texts.ok && !to_customers.email.ok;
    let nothing_leaves =
        silent.then(|| ToolCheck::new("A way out", ToolHealth::Down, "neither texts nor email can leave"));
    let link = ToolCheck::ok_or_degraded(
        profile.org.review_link.is_some(),
        "Review link",
        "set",
        "no review link is set in Business info",
    );
    let answers =
        [worker.clone(), check_dead_tasks(facts), texts.clone(), ToolCheck::from_probe("Email", &to_customers.email)];
    let answers = answers.into_iter().chain(nothing_leaves);
    let failed = [
        check_failures("Failed texts", facts.failed_texts),
        check_failures("Failed emails", facts.failed_emails),
        check_unknown_deliveries(facts.in_doubt),
        check_backlog(facts, now),
    ];
    vec![
        build_tool_status(
            ProductTool::LeadIntake,
            "Lead Intake Hub",
            on.lead_intake,
            facts.last_request,
            [worker.clone(), check_dead_tasks(facts), check_recipients(profile), email.clone()],
        ),
        build_tool_status(
            ProductTool::AutoReply,
            "Auto-Reply + Scheduling",
            on.automated_communications,
            facts.last_answer,
            answers.chain(failed),
        ),
        with_idle_detail(
            "no job is booked yet, so nothing is sent",
            build_tool_status(
                ProductTool::JobTracker,
                "Quote & Job Tracker",
                on.job_tracking,
                facts.last_job_activity(),
                [worker.clone(), check_dead_tasks(facts)],
            ),
        ),
        review_booster_status(profile, facts, [worker.clone(), texts, link]),
        with_idle_detail(
            "no report was sent yet",
            build_tool_status(
                ProductTool::KpiPulse,
                "Owner KPI Pulse",
                on.kpi_reporting,
                facts.last_report,
                [worker, check_metrics(facts, now), check_recipients(profile), email],
            ),
        ),
    ]
}

fn review_booster_status(profile: &OrgProfile, facts: &SystemFacts, checks: [ToolCheck; 3]) -> ToolStatus {
    // The law requires the sender's address in an email that is not about the receiver's own matter. Texts need none.
    let address = match &profile.org.postal_address {
        Some(_) => "set",
        None => "none is set in Business info, so no one is asked by email",
    };
    let address = ToolCheck::new("Postal address", ToolHealth::Operational, address);
    let checks = checks.into_iter().chain([address]);
    let on = profile.switches.review_collection;
    let booster = build_tool_status(ProductTool::ReviewBooster, "Review Booster", on, facts.last_asked, checks);
    if facts.last_asked.is_some() {
        return booster;
    }
    with_idle_detail("no job is done yet, so no one is asked for a review", booster)
}

/// Whether a former worker is gone, or leaves due tasks untaken.
pub(super) async fn is_worker_stalled(conn: &mut dyn AsConn, org: OrgId, now: DateTime<Utc>) -> Result<bool> {
    let facts = load_system_facts(conn, org, now).await?;
    Ok(facts.worker_seen.is_some() && check_worker(&facts, now).health == ToolHealth::Down)
}

/// A tool without activity so far says so, instead of reporting success.
fn with_idle_detail(why: &str, tool: ToolStatus) -> ToolStatus {
    if tool.detail == WELL && tool.last_success_at.is_none() {
        ToolStatus { detail: why.to_owned(), ..tool }
    } else {
        tool
    }
}

fn build_tool_status(
    tool: ProductTool,
    name: &'static str,
    is_on: bool,
    last_success_at: Option<DateTime<Utc>>,
    checks: impl IntoIterator<Item = ToolCheck>,
) -> ToolStatus {
    let checks: Vec<ToolCheck> = checks.into_iter().collect();
    let worst = checks.iter().filter(|check| !check.ok).max_by_key(|check| check.health);
    let detail = match worst {
        Some(check) => format!("{}: {}", check.name, check.detail),
        None if !is_on => "switched off in Automation".to_owned(),
        None => WELL.to_owned(),
    };
    ToolStatus {
        tool,
        name,
        status: worst.map_or(ToolHealth::Operational, |check| check.health),
        detail,
        last_success_at,
        checks,
    }
}
