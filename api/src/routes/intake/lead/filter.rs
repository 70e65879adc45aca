//! Filters and order of the lead list, read from the query.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use shared::{
    domain::{intake::lead::PipelineStage, messaging::message::send_budget::REFUSED_TEXTS_SHOWN},
    platform::id::AccountId,
    views::lead::{LeadListFilter, LeadOwnerFilter, LeadSort},
};
use utoipa::ToSchema;

use super::drilldown;
use crate::{
    error::{ApiError, ApiResult},
    extract::{BooleanParam, QueryParams},
};

/// Word of the owner filter for leads of nobody.
const UNASSIGNED: &str = "none";

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TextFilterParam {
    /// The day's limit stopped a text within the last 14 days, and no text has left to the customer since.
    Refused,
}

/// Errors: 422 that names the parameter.
pub(super) fn parse_filter(query: &QueryParams, limit: i64, now: DateTime<Utc>) -> ApiResult<LeadListFilter> {
    let behind = drilldown::parse_drilldown(query)?;
    let source = query.parse_text("source", 60)?.filter(|_| behind.is_none());
    let is_waiting = query.parse_choice::<BooleanParam>("waiting")?.is_some_and(BooleanParam::is_true);
    let sort = query.parse_choice::<LeadSort>("sort")?.unwrap_or_default();
    if sort == LeadSort::LongestWaiting && !is_waiting {
        return Err(ApiError::invalid_field("sort", "Only leads that wait have this order: add waiting=true"));
    }
    let texts = query.parse_choice::<TextFilterParam>("texts")?;
    Ok(LeadListFilter {
        q: query.parse_text("q", 200)?,
        stage: query.parse_choice::<PipelineStage>("stage")?,
        source,
        owner: parse_owner(query)?,
        is_waiting,
        now,
        behind,
        promised: drilldown::parse_promise_filter(query)?,
        texts_refused_since: texts.map(|TextFilterParam::Refused| now - REFUSED_TEXTS_SHOWN),
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
    let LeadListFilter { q, stage, source, owner, is_waiting, behind, promised, texts_refused_since, .. } = filter;
    let is_refused = texts_refused_since.is_some();
    format!("leads {stage:?} {q:?} {behind:?} {promised:?} {source:?} {owner:?} {is_waiting} {is_refused}")
}
