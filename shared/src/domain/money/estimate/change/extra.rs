//! Work added by approved change orders, as shown to the crew: without prices.

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;

use super::super::content::EstimateSnapshot;
use crate::{
    documents::line_items::{LineItem, OptionSelection},
    platform::{
        db::{AsConn, q},
        error::Result,
        id::{CrewId, JobId, OrgId},
        money::{Cents, Milli},
    },
};

/// A quantity of one is not stated.
pub(super) const ONE_UNIT: Milli = Milli(1_000);

/// What one change order adds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExtraWork {
    /// `CO-1001`.
    pub number: String,
    pub title: Option<String>,
    pub lines: Vec<ExtraLine>,
}

/// One thing that is done besides, or left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtraLine {
    pub name: String,
    pub description: Option<String>,
    /// "2.5 hour"; null when it is one.
    pub quantity: Option<String>,
    /// It is taken off what was agreed.
    pub is_credit: bool,
}

#[derive(FromRow)]
struct ExtraWorkRow {
    job_id: JobId,
    content: Json<EstimateSnapshot>,
    option_id: Option<String>,
    add_ons: Json<BTreeSet<String>>,
}

/// "2.5 hour"; none when it is one.
pub(super) fn format_quantity(line: &LineItem) -> Option<String> {
    (line.quantity != ONE_UNIT).then(|| format!("{} {}", line.quantity.format_quantity(), line.unit))
}

impl ExtraWorkRow {
    fn into_extra_work(self) -> ExtraWork {
        let selection = OptionSelection { option_id: self.option_id, add_ons: self.add_ons.0 };
        let Json(content) = self.content;
        let line = |line: &LineItem| ExtraLine {
            name: line.name.clone(),
            description: line.description.clone(),
            quantity: format_quantity(line),
            is_credit: line.unit_price < Cents::ZERO,
        };
        let lines = content.paper.lines.iter().filter(|line| line.is_counted(&selection)).map(line).collect();
        ExtraWork { number: content.number, title: content.title, lines }
    }
}

impl ExtraWork {
    /// On one line: "Extra work CO-1001: 3 hour Mold treatment; not: Haul away".
    pub(crate) fn to_sentence(&self) -> String {
        let line = |line: &ExtraLine| {
            let words = match &line.quantity {
                Some(quantity) => format!("{quantity} {}", line.name),
                None => line.name.clone(),
            };
            if line.is_credit { format!("not: {words}") } else { words }
        };
        let lines: Vec<String> = self.lines.iter().map(line).collect();
        format!("Extra work {}: {}", self.number, lines.join("; "))
    }
}

/// In the order of approval.
pub(crate) async fn list_extra_work_for_job(conn: &mut dyn AsConn, org: OrgId, job: JobId) -> Result<Vec<ExtraWork>> {
    let rows = q!(
        conn,
        fetch_all as ExtraWorkRow,
        "SELECT e.job_id, e.content, a.option_id, a.add_ons FROM estimate e
         JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id
         WHERE e.org_id = $1 AND e.job_id = $2 AND e.status = 'approved' ORDER BY a.at, e.id",
        org,
        job
    )?;
    Ok(rows.into_iter().map(ExtraWorkRow::into_extra_work).collect())
}

pub(crate) async fn list_extra_work_for_crew(
    conn: &mut dyn AsConn,
    (org, crew): (OrgId, CrewId),
    from: DateTime<Utc>,
    to: DateTime<Utc>,
) -> Result<HashMap<JobId, Vec<ExtraWork>>> {
    let rows = q!(
        conn,
        fetch_all as ExtraWorkRow,
        "SELECT e.job_id, e.content, a.option_id, a.add_ons FROM job j
         JOIN estimate e ON e.org_id = j.org_id AND e.job_id = j.id
         JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id
         WHERE j.org_id = $1 AND j.crew_id = $2 AND j.starts_at >= $3 AND j.starts_at < $4 AND e.status = 'approved'
         ORDER BY a.at, e.id",
        org,
        crew,
        from,
        to
    )?;
    let mut extra: HashMap<JobId, Vec<ExtraWork>> = HashMap::new();
    for row in rows {
        extra.entry(row.job_id).or_default().push(row.into_extra_work());
    }
    Ok(extra)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extra_work_text_lists_credit_line_as_not_included() {
        let line = |name: &str, quantity: Option<&str>, is_credit| ExtraLine {
            name: name.into(),
            description: None,
            quantity: quantity.map(Into::into),
            is_credit,
        };
        let lines = vec![line("Mold treatment", Some("3 hour"), false), line("Haul away", None, true)];
        let extra = ExtraWork { number: "CO-1001".into(), title: None, lines };
        assert_eq!(extra.to_sentence(), "Extra work CO-1001: 3 hour Mold treatment; not: Haul away");
    }
}
