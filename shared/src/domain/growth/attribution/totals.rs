//! Totals of recovered money by category, and the funnel of missed callers.

use serde::Serialize;
use utoipa::ToSchema;

use super::{AttributionCategory, uplift::AttributionUplift};
use crate::{
    domain::{
        growth::metrics::{Measure, MeasureSums, figures::load_sums, recompute::is_counted},
        tenancy::org::HoldoutSettings,
    },
    platform::{
        db::{AsConn, q},
        error::Result,
        id::OrgId,
        money::Cents,
        period::Period,
    },
};

/// What came after one kind of message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RecoveredOfCategory)]
pub struct RecoveredCategoryTotal {
    pub category: AttributionCategory,
    /// US dollars: what came in, less what of it went back, each on its own day.
    pub amount: Cents,
    /// Of how many requests.
    pub chains: i64,
}

/// Requests that began with, or had, a missed call, by the day of the first such call. Each step counts of those of the
/// step before it, but for booked: money may come without a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = MissedCallerSteps)]
pub struct MissedCallFunnel {
    pub missed: i64,
    pub texted: i64,
    /// The customer came back before a person of the business answered.
    pub returned: i64,
    pub booked: i64,
    /// Some of their money stayed.
    pub paid: i64,
}

/// Everything about some days.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Recovered)]
pub struct RecoveredRevenue {
    #[serde(flatten)]
    pub period: Period,
    /// US dollars.
    pub total: Cents,
    /// Each category once, also one in which nothing came.
    pub categories: Vec<RecoveredCategoryTotal>,
    pub callers: MissedCallFunnel,
    /// What the holdout has measured since it began, whatever the days.
    #[serde(rename = "holdOut")]
    pub holdout: Vec<AttributionUplift>,
    /// False while what was there before this program counted is still being counted.
    pub is_counted: bool,
}

#[must_use]
pub(crate) fn total_recovered(sums: &MeasureSums) -> Cents {
    AttributionCategory::ALL.into_iter().map(|category| Cents(sums.get(category.measure()))).sum()
}

pub async fn load_recovered_revenue(
    conn: &mut dyn AsConn,
    org: OrgId,
    period: Period,
    settings: &HoldoutSettings,
) -> Result<RecoveredRevenue> {
    let sums = load_sums(&mut *conn, org, period).await?;
    let chains = q!(
        &mut *conn,
        fetch_all as (String, i64),
        "SELECT measure, COUNT(DISTINCT subject_id) FROM metric_row
         WHERE org_id = $1 AND measure IN ('recovered_call_cents', 'recovered_reply_cents', 'recovered_follow_up_cents',
             'recovered_reminder_cents', 'recovered_review_cents') AND day >= $2 AND day <= $3 GROUP BY measure",
        org,
        period.from,
        period.to
    )?;
    let categories = AttributionCategory::ALL.map(|category| {
        let name = category.measure().name();
        let chains = chains.iter().find(|(measure, _)| measure == name).map_or(0, |(_, count)| *count);
        RecoveredCategoryTotal { category, amount: Cents(sums.get(category.measure())), chains }
    });
    Ok(RecoveredRevenue {
        period,
        total: total_recovered(&sums),
        categories: categories.to_vec(),
        callers: MissedCallFunnel {
            missed: sums.get(Measure::MissedCallers),
            texted: sums.get(Measure::TextedCallers),
            returned: sums.get(Measure::ReturnedCallers),
            booked: sums.get(Measure::BookedCallers),
            paid: sums.get(Measure::PayingCallers),
        },
        holdout: AttributionUplift::load_uplifts(&mut *conn, org, settings).await?,
        is_counted: is_counted(conn, org).await?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recovered_total_is_sum_of_category_amounts() {
        let mut sums = MeasureSums::default();
        for (n, category) in (0..).zip(AttributionCategory::ALL) {
            sums.add(category.measure(), 10_i64.pow(n));
        }
        assert_eq!(total_recovered(&sums), Cents(11_111));
    }
}
