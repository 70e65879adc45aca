//! Filters and order of the lead list, read from the query.

use shared::{
    domain::intake::lead::PipelineStage,
    platform::id::AccountId,
    views::lead::{LeadListFilter, LeadOwnerFilter, LeadSort},
};

use super::drilldown;
use crate::{
    error::{ApiError, ApiResult},
    extract::{BooleanParam, QueryParams},
};

/// Word of the owner filter for leads of nobody.
const UNASSIGNED: &str = "none";

/// Errors: 422 that names the parameter.
pub(super) fn parse_filter(query: &QueryParams, limit: i64) -> ApiResult<LeadListFilter> {
    let behind = drilldown::parse_drilldown(query)?;
    let source = query.parse_text("source", 60)?.filter(|_| behind.is_none());
    let is_waiting = query.parse_choice::<BooleanParam>("waiting")?.is_some_and(BooleanParam::is_true);
    let sort = query.parse_choice::<LeadSort>("sort")?.unwrap_or_default();
    if sort == LeadSort::LongestWaiting && !is_waiting {
        return Err(ApiError::invalid_field("sort", "Only leads that wait have this order: add waiting=true"));
    }
    Ok(LeadListFilter {
        q: query.parse_text("q", 200)?,
        stage: query.parse_choice::<PipelineStage>("stage")?,
        source,
        owner: parse_owner(query)?,
        is_waiting,
        behind,
        promised: drilldown::parse_promise_filter(query)?,
        sort,
        limit,
        cursor: query.parse_text("cursor", 200)?,
    })
}

fn parse_owner(query: &QueryParams) -> ApiResult<Option<LeadOwnerFilter>> {
    if query.parse_text("owner", 40)?.as_deref() == Some(UNASSIGNED) {
        return Ok(Some(LeadOwnerFilter::Unassigned));
    }
    Ok(query.parse_id::<AccountId>("owner")?.map(LeadOwnerFilter::Account))
}

/// Key of the cached count: all that decides which leads match.
pub(super) fn describe_matches(filter: &LeadListFilter) -> String {
    let LeadListFilter { q, stage, source, owner, is_waiting, behind, promised, .. } = filter;
    format!("leads {stage:?} {q:?} {behind:?} {promised:?} {source:?} {owner:?} {is_waiting}")
}
