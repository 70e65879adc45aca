//! A list of leads narrowed to what a figure counts, as the address asks for it.

use serde::Deserialize;
use shared::domain::{
    growth::metrics::{
        Behind,
        drilldown::{Answered, What},
    },
    intake::lead::view::Promised,
};
use utoipa::ToSchema;

use crate::{
    error::{ApiError, ApiResult},
    extract::Query,
};

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Calls {
    Missed,
    Recovered,
}

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum By {
    Booked,
    Paid,
    Automation,
}

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Quotes {
    Sent,
    Won,
    Lost,
}

/// By what was promised. Without days: those of now.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Promise {
    /// There is time left.
    Open,
    /// The time was over before a person answered; without days, nobody has yet.
    Broken,
    /// Open or broken, and nobody has answered.
    Owed,
    Kept,
}

/// Leads by where their promise stands now, when no days are asked for.
///
/// # Errors
/// 422 on what does not go together.
pub(super) fn promised(query: &Query) -> ApiResult<Option<Promised>> {
    let (asked, has_days) = (query.choice::<Promise>("promise")?, query.period()?.is_some());
    Ok(match asked {
        Some(Promise::Open | Promise::Owed) if has_days => {
            return Err(ApiError::field("promise", "With days ask for kept or broken"));
        }
        Some(Promise::Open) => Some(Promised::Open),
        Some(Promise::Owed) => Some(Promised::Owed),
        Some(Promise::Broken) if !has_days => Some(Promised::Broken),
        _ => None,
    })
}

/// None when no days are asked for.
///
/// # Errors
/// 422 on what does not fit, or does not go together.
pub(super) fn read(query: &Query) -> ApiResult<Option<Behind>> {
    let (what, source) = (what(query)?, query.text("source", 60)?);
    let Some(period) = query.period()? else {
        let is_asked = what.is_some() || source.is_some();
        return if is_asked { Err(ApiError::field("from", "Say from which day to which")) } else { Ok(None) };
    };
    let behind = Behind::new(period, what.unwrap_or(What::Came), source);
    behind.map(Some).ok_or_else(|| ApiError::field("source", "These are not known by source"))
}

/// One of them at most.
fn what(query: &Query) -> ApiResult<Option<What>> {
    let answered = query.choice::<Answered>("answered")?.map(What::Answered);
    let calls = query.choice::<Calls>("calls")?.map(|calls| match calls {
        Calls::Missed => What::MissedCalls,
        Calls::Recovered => What::RecoveredCalls,
    });
    let by = query.choice::<By>("by")?.map(|by| match by {
        By::Booked => What::Booked,
        By::Paid => What::Paid,
        By::Automation => What::Automated,
    });
    let quotes = query.choice::<Quotes>("quotes")?.map(|quotes| match quotes {
        Quotes::Sent => What::Sent,
        Quotes::Won => What::Won,
        Quotes::Lost => What::Lost,
    });
    let promise = match query.choice::<Promise>("promise")? {
        Some(Promise::Kept) => Some(What::Kept),
        Some(Promise::Broken) if query.period()?.is_some() => Some(What::Broken),
        _ => None,
    };
    let named = [("promise", promise), ("answered", answered), ("calls", calls), ("by", by), ("quotes", quotes)];
    let mut asked = named.into_iter().filter_map(|(name, what)| Some((name, what?)));
    let first = asked.next().map(|(_, what)| what);
    asked.next().map_or(Ok(first), |(name, _)| {
        Err(ApiError::field(name, "Ask for one of answered, calls, by, promise and quotes"))
    })
}
