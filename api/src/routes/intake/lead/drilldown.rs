//! Lead list filters that match what a dashboard figure counts.

use serde::Deserialize;
use shared::{
    domain::growth::metrics::{
        DrilldownFilter,
        drilldown::{AnsweredBy, DrilldownMetric},
    },
    views::lead::LeadPromiseFilter,
};
use utoipa::ToSchema;

use crate::{
    error::{ApiError, ApiResult},
    extract::QueryParams,
};

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CallFilterParam {
    Missed,
    Recovered,
}

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DateBasisParam {
    Booked,
    Paid,
    Automation,
}

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum QuoteFilterParam {
    Sent,
    Won,
    Lost,
}

/// By what was promised. Without days: those of now.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PromiseFilterParam {
    /// There is time left.
    Open,
    /// The time was over before a person answered; without days, nobody has yet.
    Broken,
    /// Open or broken, and nobody has answered.
    Owed,
    Kept,
}

/// Leads by the current state of their promise, without a period. Errors: 422 on contradicting filters.
pub(super) fn parse_promise_filter(query: &QueryParams) -> ApiResult<Option<LeadPromiseFilter>> {
    let (asked, has_days) = (query.parse_choice::<PromiseFilterParam>("promise")?, query.parse_period()?.is_some());
    Ok(match asked {
        Some(PromiseFilterParam::Open | PromiseFilterParam::Owed) if has_days => {
            return Err(ApiError::invalid_field("promise", "With days ask for kept or broken"));
        }
        Some(PromiseFilterParam::Open) => Some(LeadPromiseFilter::Open),
        Some(PromiseFilterParam::Owed) => Some(LeadPromiseFilter::Owed),
        Some(PromiseFilterParam::Broken) if !has_days => Some(LeadPromiseFilter::Broken),
        _ => None,
    })
}

/// `None` without a period; a source by itself filters leads by their own. Errors: 422 on invalid or contradicting
/// filters.
pub(super) fn parse_drilldown(query: &QueryParams) -> ApiResult<Option<DrilldownFilter>> {
    let (what, source) = (parse_metric(query)?, query.parse_text("source", 60)?);
    let Some(period) = query.parse_period()? else {
        return if what.is_some() {
            Err(ApiError::invalid_field("from", "Say from which day to which"))
        } else {
            Ok(None)
        };
    };
    let behind = DrilldownFilter::new(period, what.unwrap_or(DrilldownMetric::Came), source);
    behind.map(Some).ok_or_else(|| ApiError::invalid_field("source", "These are not known by source"))
}

/// At most one of the filters.
fn parse_metric(query: &QueryParams) -> ApiResult<Option<DrilldownMetric>> {
    let answered = query.parse_choice::<AnsweredBy>("answered")?.map(DrilldownMetric::Answered);
    let calls = query.parse_choice::<CallFilterParam>("calls")?.map(|calls| match calls {
        CallFilterParam::Missed => DrilldownMetric::MissedCalls,
        CallFilterParam::Recovered => DrilldownMetric::RecoveredCalls,
    });
    let by = query.parse_choice::<DateBasisParam>("by")?.map(|by| match by {
        DateBasisParam::Booked => DrilldownMetric::Booked,
        DateBasisParam::Paid => DrilldownMetric::Paid,
        DateBasisParam::Automation => DrilldownMetric::Automated,
    });
    let quotes = query.parse_choice::<QuoteFilterParam>("quotes")?.map(|quotes| match quotes {
        QuoteFilterParam::Sent => DrilldownMetric::Sent,
        QuoteFilterParam::Won => DrilldownMetric::Won,
        QuoteFilterParam::Lost => DrilldownMetric::Lost,
    });
    let promise = match query.parse_choice::<PromiseFilterParam>("promise")? {
        Some(PromiseFilterParam::Kept) => Some(DrilldownMetric::Kept),
        Some(PromiseFilterParam::Broken) if query.parse_period()?.is_some() => Some(DrilldownMetric::Broken),
        _ => None,
    };
    let named = [("promise", promise), ("answered", answered), ("calls", calls), ("by", by), ("quotes", quotes)];
    let mut asked = named.into_iter().filter_map(|(name, what)| Some((name, what?)));
    let first = asked.next().map(|(_, what)| what);
    asked.next().map_or(Ok(first), |(name, _)| {
        Err(ApiError::invalid_field(name, "Ask for one of answered, calls, by, promise and quotes"))
    })
}
