//! How the five tools do in the demonstration: as in a business that works. This install is not looked at for it.

use chrono::{DateTime, Utc};

use super::DEMO_ORG;
use crate::{
    domain::tenancy::org::Profile,
    ops::system_status::{self, Facts, Health, Probe, Probes, ToolStatus},
    platform::{db::AsConn, error::Result},
};

/// What is said of each.
const WELL: &str = "it works, as in any business that is set up";

/// The five tools, with the last success of each as its own rows show it.
pub async fn tools(conn: &mut dyn AsConn, profile: &Profile, now: DateTime<Utc>) -> Result<Vec<ToolStatus>> {
    let Facts { last_request, last_answer, last_asked, last_report, .. } =
        system_status::facts(conn, DEMO_ORG, now).await?;
    let facts = Facts { last_request, last_answer, last_asked, last_report, ..Facts::default() };
    let fine = Probe { ok: true, detail: WELL.to_owned() };
    let probes = Probes { texts: fine.clone(), email: fine };
    let shown = |tool: ToolStatus| ToolStatus {
        status: Health::Operational,
        detail: WELL.to_owned(),
        checks: Vec::new(),
        ..tool
    };
    Ok(system_status::status(profile, &facts, &probes, now).into_iter().map(shown).collect())
}
