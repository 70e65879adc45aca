//! The pipeline as a board: five columns with their first leads, how many there are and what they come to, and where a
//! person may put a lead of each.

use serde::Serialize;
use utoipa::ToSchema;

use super::{Cause, Refused, position};
use crate::{
    domain::intake::lead::{
        Stage,
        view::{self, LeadSummary, ListFilter},
    },
    platform::{
        db::{AsConn, like_anywhere, qb},
        error::Result,
        id::OrgId,
        money::Cents,
    },
};

/// Leads of a column that the board holds; the rest comes page by page.
pub const FIRST: i64 = 50;

/// One column.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PipelineColumn)]
pub struct Column {
    pub stage: Stage,
    /// How many leads stand here in all.
    pub count: i64,
    /// What they come to, in US dollars: as quoted; in Paid what was collected.
    pub total: Cents,
    /// The first 50, the lead that was last heard of first.
    pub leads: Vec<LeadSummary>,
    /// The cursor of the column's next page in the list of leads with this `stage`; null where this is all.
    pub next: Option<String>,
    /// Where a person may put a lead that stands here.
    pub moves: Vec<Way>,
}

/// A way from one column to another, by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PipelineMove)]
pub struct Way {
    pub to: Stage,
    /// Why it is closed, in words for a person; null where it is open.
    pub refused: Option<&'static str>,
    /// It goes back: that takes a reason.
    pub needs_reason: bool,
}

/// Of a stage: how many leads stand there and what they come to.
pub type Sum = (Stage, i64, Cents);

/// Every way out of a stage, in the order of the columns.
#[must_use]
pub fn ways(from: Stage) -> Vec<Way> {
    let others = Stage::ALL.into_iter().filter(|to| *to != from);
    let way = |to| Way {
        to,
        refused: from.move_to(to, Cause::ByHand).err().map(|Refused(why)| why),
        needs_reason: position(to) < position(from),
    };
    others.map(way).collect()
}

/// The five columns, of all leads or of those that a search finds, with what [`sums`] found.
pub async fn board(conn: &mut dyn AsConn, org: OrgId, q: Option<&str>, sums: &[Sum]) -> Result<Vec<Column>> {
    let mut columns = Vec::with_capacity(Stage::ALL.len());
    for stage in Stage::ALL {
        let (count, total) = sums.iter().find(|(of, ..)| *of == stage).map_or((0, Cents::ZERO), |sum| (sum.1, sum.2));
        let filter =
            ListFilter { q: q.map(ToOwned::to_owned), stage: Some(stage), limit: FIRST, ..ListFilter::default() };
        let page = view::list(&mut *conn, org, &filter).await?;
        columns.push(Column { stage, count, total, leads: page.leads, next: page.next, moves: ways(stage) });
    }
    Ok(columns)
}

/// How many leads stand in each stage, and what they come to.
pub async fn sums(conn: &mut dyn AsConn, org: OrgId, q: Option<&str>) -> Result<Vec<Sum>> {
    Ok(qb!(conn, fetch_all as Sum, |b| {
        b.push(
            "SELECT stage, COUNT(*), CAST(COALESCE(SUM(CASE WHEN stage = 'paid' THEN collected_cents
                 ELSE quoted_cents END), 0) AS BIGINT) FROM lead WHERE org_id = ",
        )
        .push_bind(org);
        if let Some(text) = q {
            b.push(" AND search LIKE ").push_bind(like_anywhere(&text.to_lowercase())).push(" ESCAPE '\\'");
        }
        b.push(" GROUP BY stage");
    })?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_way_says_why_and_only_the_way_back_takes_a_reason() {
        use Stage::{Done, New, Quoted, Scheduled};
        let mut open = Vec::new();
        for from in Stage::ALL {
            let ways = ways(from);
            assert_eq!(ways.len(), 4);
            for way in ways {
                assert_ne!(way.to, from);
                assert_eq!(way.refused.is_none(), from.move_to(way.to, Cause::ByHand).is_ok());
                if way.refused.is_none() {
                    open.push((from, way.to, way.needs_reason));
                }
            }
        }
        let wanted = [
            (New, Quoted, false),
            (New, Scheduled, false),
            (Quoted, New, true),
            (Quoted, Scheduled, false),
            (Scheduled, New, true),
            (Scheduled, Quoted, true),
            (Scheduled, Done, false),
            (Done, Scheduled, true),
        ];
        assert_eq!(open, wanted);
    }
}
