//! What approved change orders add to what is to be done: told to whoever does it, so without prices.

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;

use super::super::content::Content;
use crate::{
    documents::line_items::{Line, Selection},
    platform::{
        db::{AsConn, q},
        error::Result,
        id::{CrewId, JobId, OrgId},
        money::{Cents, Milli},
    },
};

/// One quantity of something needs no words.
pub(super) const ONE: Milli = Milli(1_000);

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
struct Row {
    job_id: JobId,
    content: Json<Content>,
    option_id: Option<String>,
    add_ons: Json<BTreeSet<String>>,
}

/// "2.5 hour"; none when it is one.
pub(super) fn quantity(line: &Line) -> Option<String> {
    (line.quantity != ONE).then(|| format!("{} {}", line.quantity.shown(), line.unit))
}

impl Row {
    fn extra(self) -> ExtraWork {
        let selection = Selection { option_id: self.option_id, add_ons: self.add_ons.0 };
        let Json(content) = self.content;
        let line = |line: &Line| ExtraLine {
            name: line.name.clone(),
            description: line.description.clone(),
            quantity: quantity(line),
            is_credit: line.unit_price < Cents::ZERO,
        };
        let lines = content.paper.lines.iter().filter(|line| line.counts(&selection)).map(line).collect();
        ExtraWork { number: content.number, title: content.title, lines }
    }
}

impl ExtraWork {
    /// On one line: "Extra work CO-1001: 3 hour Mold treatment; not: Haul away".
    pub(crate) fn worded(&self) -> String {
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

/// Of one job, in the order in which it was approved.
pub(crate) async fn of_job(conn: &mut dyn AsConn, org: OrgId, job: JobId) -> Result<Vec<ExtraWork>> {
    let rows = q!(
        conn,
        fetch_all as Row,
        "SELECT e.job_id, e.content, a.option_id, a.add_ons FROM estimate e
         JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id
         WHERE e.org_id = $1 AND e.job_id = $2 AND e.status = 'approved' ORDER BY a.at, e.id",
        org,
        job
    )?;
    Ok(rows.into_iter().map(Row::extra).collect())
}

/// Of the jobs of a crew that begin between these instants.
pub(crate) async fn of_crew(
    conn: &mut dyn AsConn,
    (org, crew): (OrgId, CrewId),
    from: DateTime<Utc>,
    to: DateTime<Utc>,
) -> Result<HashMap<JobId, Vec<ExtraWork>>> {
    let rows = q!(
        conn,
        fetch_all as Row,
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
        extra.entry(row.job_id).or_default().push(row.extra());
    }
    Ok(extra)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_said_to_be_left_out() {
        let line = |name: &str, quantity: Option<&str>, is_credit| ExtraLine {
            name: name.into(),
            description: None,
            quantity: quantity.map(Into::into),
            is_credit,
        };
        let lines = vec![line("Mold treatment", Some("3 hour"), false), line("Haul away", None, true)];
        let extra = ExtraWork { number: "CO-1001".into(), title: None, lines };
        assert_eq!(extra.worded(), "Extra work CO-1001: 3 hour Mold treatment; not: Haul away");
    }
}
