//! Pipeline board: five columns with their first leads, counts, sums and permitted moves.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    conflicts::ConflictCode,
    documents::template::Language,
    domain::{
        intake::lead::PipelineStage,
        work::pipeline::{StageCause, StageRefusal, stage_position},
    },
    platform::{
        db::{AsConn, like_anywhere, qb},
        error::Result,
        id::OrgId,
        money::Cents,
    },
    views::lead::{self, LeadListFilter, LeadSummary},
};

/// Leads per column; the rest comes page by page.
pub const COLUMN_PAGE_SIZE: i64 = 50;

/// One column.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PipelineColumn {
    pub stage: PipelineStage,
    /// Total number of leads in this column.
    pub count: i64,
    /// What they come to, in US dollars: as quoted; in Paid what was collected.
    pub total: Cents,
    /// The first 50, by latest activity.
    pub leads: Vec<LeadSummary>,
    /// The cursor of the column's next page in the list of leads with this `stage`; null where this is all.
    pub next: Option<String>,
    /// Columns to which a person may move a lead of this column.
    pub moves: Vec<PipelineMove>,
}

/// A way from one column to another, by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PipelineMove {
    pub to: PipelineStage,
    /// Why it is closed, in words for a person, in the language asked for; null where it is open.
    pub refused: Option<&'static str>,
    /// The code of `refused`.
    pub reason: Option<ConflictCode>,
    /// It goes back: that takes a reason.
    pub needs_reason: bool,
}

/// Stage, number of leads, and their value.
pub type StageTotal = (PipelineStage, i64, Cents);

#[must_use]
pub fn list_stage_moves(from: PipelineStage, language: Language) -> Vec<PipelineMove> {
    let others = PipelineStage::ALL.into_iter().filter(|to| *to != from);
    let way = |to| {
        let reason = from.check_move_to(to, StageCause::ByHand).err().map(|StageRefusal(why)| why);
        PipelineMove {
            to,
            // These codes have no placeholders.
            refused: reason.map(|why| why.template_in(language)),
            reason,
            needs_reason: stage_position(to) < stage_position(from),
        }
    };
    others.map(way).collect()
}

/// Of all leads or of a search, with the result of [`load_stage_totals`].
pub async fn load_board(
    conn: &mut dyn AsConn,
    org: OrgId,
    q: Option<&str>,
    sums: &[StageTotal],
    (language, now): (Language, DateTime<Utc>),
) -> Result<Vec<PipelineColumn>> {
    let mut columns = Vec::with_capacity(PipelineStage::ALL.len());
    for stage in PipelineStage::ALL {
        let (count, total) = sums.iter().find(|(of, ..)| *of == stage).map_or((0, Cents::ZERO), |sum| (sum.1, sum.2));
        let filter = LeadListFilter {
            q: q.map(ToOwned::to_owned),
            stage: Some(stage),
            limit: COLUMN_PAGE_SIZE,
            now,
            ..LeadListFilter::default()
        };
        let page = lead::list(&mut *conn, org, &filter).await?;
        columns.push(PipelineColumn {
            stage,
            count,
            total,
            leads: page.leads,
            next: page.next,
            moves: list_stage_moves(stage, language),
        });
    }
    Ok(columns)
}

pub async fn load_stage_totals(conn: &mut dyn AsConn, org: OrgId, q: Option<&str>) -> Result<Vec<StageTotal>> {
    Ok(qb!(conn, fetch_all as StageTotal, |b| {
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
    fn refused_move_is_explained_and_only_backward_moves_need_a_reason() {
        use PipelineStage::{Done, New, Quoted, Scheduled};
        let mut open = Vec::new();
        for from in PipelineStage::ALL {
            let ways = list_stage_moves(from, Language::En);
            assert_eq!(ways.len(), 4);
            for (english, spanish) in ways.iter().zip(list_stage_moves(from, Language::Es)) {
                assert_eq!(english.reason, spanish.reason);
                assert_eq!(english.refused.is_none(), english.reason.is_none());
                assert!(english.refused.is_none() || english.refused != spanish.refused, "{english:?}");
            }
            for way in ways {
                assert_ne!(way.to, from);
                assert_eq!(way.refused.is_none(), from.check_move_to(way.to, StageCause::ByHand).is_ok());
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
