//! Measured gain of an automation: dollars paid per lead in the served group against the held-out group.
//!
//! Most payments are zero and a few are large, so a difference of means is shown only once both groups have enough
//! leads and enough that paid. Its 95 % confidence interval is by Welch's t-test (B. L. Welch, "The generalization of
//! Student's problem when several different population variances are involved", Biometrika 34, 1947), which permits
//! unequal sizes and variances. The t quantile is by Abramowitz & Stegun 26.7.5.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    domain::{messaging::automation::MeasuredRule, tenancy::org::HoldoutSettings},
    platform::{
        db::{AsConn, q},
        error::Result,
        id::OrgId,
        money::Cents,
    },
};

pub const LEAST_LEADS: i64 = 30;
pub const LEAST_PAYING: i64 = 5;
/// 97.5th percentile of the normal distribution (two-sided 95 %).
const Z: f64 = 1.959_963_984_540_054;

/// The requests of one group, and what they paid since they fell into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MeasuredGroup {
    pub leads: i64,
    /// Of these, those whose money stayed.
    pub paying: i64,
    /// US dollars, less what went back.
    pub paid: Cents,
    /// The same per request; nothing without any.
    pub per_lead: Cents,
}

/// How much more the served ones paid per request than those left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MeasuredDifference {
    /// US dollars per request.
    pub per_lead: Cents,
    /// The ends of its 95 % interval: when they include zero, the difference may be chance.
    pub low: Cents,
    pub high: Cents,
}

/// One automation under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MeasuredGain)]
pub struct AttributionUplift {
    pub test: MeasuredRule,
    /// Whether requests are still left out.
    pub is_on: bool,
    /// When the first request fell into a group; null before.
    pub since: Option<DateTime<Utc>>,
    pub served: MeasuredGroup,
    pub held_out: MeasuredGroup,
    /// Null while there is not enough to say anything: each group needs `leastLeads` requests, and `leastPaying` that
    /// paid.
    pub difference: Option<MeasuredDifference>,
    pub least_leads: i64,
    pub least_paying: i64,
}

#[derive(FromRow)]
struct HoldoutRow {
    rule: MeasuredRule,
    is_held_out: bool,
    at: DateTime<Utc>,
    cents: i64,
}

impl AttributionUplift {
    pub(super) async fn load_uplifts(
        conn: &mut dyn AsConn,
        org: OrgId,
        settings: &HoldoutSettings,
    ) -> Result<Vec<Self>> {
        let rows = q!(
            conn,
            fetch_all as HoldoutRow,
            "SELECT h.rule, h.is_held_out, h.at, CAST(COALESCE(SUM(CASE p.kind WHEN 'payment' THEN p.amount_cents
                 WHEN 'refund' THEN -p.amount_cents ELSE 0 END), 0) AS BIGINT) AS cents
             FROM control_group_assignment h LEFT JOIN payment p ON p.org_id = h.org_id AND p.lead_id = h.lead_id
                 AND p.status = 'settled' AND p.undone_at IS NULL AND p.created_at >= h.at
             WHERE h.org_id = $1 GROUP BY h.rule, h.lead_id, h.is_held_out, h.at",
            org
        )?;
        Ok(MeasuredRule::ALL.into_iter().map(|test| Self::from_rows(test, test.is_on(settings), &rows)).collect())
    }

    fn from_rows(test: MeasuredRule, is_on: bool, rows: &[HoldoutRow]) -> Self {
        let rows = || rows.iter().filter(|row| row.rule == test);
        let cents = |is_held_out: bool| {
            let group = rows().filter(|row| row.is_held_out == is_held_out);
            group.map(|row| row.cents).collect::<Vec<i64>>()
        };
        let (served, held_out) = (cents(false), cents(true));
        Self {
            test,
            is_on,
            since: rows().map(|row| row.at).min(),
            served: MeasuredGroup::from_cents(&served),
            held_out: MeasuredGroup::from_cents(&held_out),
            difference: compute_difference(&served, &held_out),
            least_leads: LEAST_LEADS,
            least_paying: LEAST_PAYING,
        }
    }
}

impl MeasuredGroup {
    fn from_cents(cents: &[i64]) -> Self {
        let count = |amounts: usize| i64::try_from(amounts).unwrap_or(i64::MAX);
        let (leads, paid) = (count(cents.len()), cents.iter().sum());
        let per_lead =
            if leads == 0 { 0 } else { crate::platform::money::divide_half_up(i128::from(paid), i128::from(leads)) };
        let paying = count(cents.iter().filter(|amount| **amount > 0).count());
        Self { leads, paying, paid: Cents(paid), per_lead: Cents(per_lead) }
    }

    fn has_enough_data(self) -> bool {
        self.leads >= LEAST_LEADS && self.paying >= LEAST_PAYING
    }
}

fn compute_difference(served: &[i64], held_out: &[i64]) -> Option<MeasuredDifference> {
    if !MeasuredGroup::from_cents(served).has_enough_data() || !MeasuredGroup::from_cents(held_out).has_enough_data() {
        return None;
    }
    let (one, other) = (SampleStats::from_cents(served), SampleStats::from_cents(held_out));
    let uplift = one.mean - other.mean;
    let reach =
        t_quantile(degrees_of_freedom(&one, &other)) * (one.variance_of_mean() + other.variance_of_mean()).sqrt();
    Some(MeasuredDifference {
        per_lead: round_to_cents(uplift),
        low: round_to_cents(uplift - reach),
        high: round_to_cents(uplift + reach),
    })
}

fn round_to_cents(amount: f64) -> Cents {
    #[expect(clippy::cast_possible_truncation, reason = "amounts stay far below 2^53 cents")]
    Cents(amount.round() as i64)
}

struct SampleStats {
    count: f64,
    mean: f64,
    /// Unbiased (divisor n - 1).
    variance: f64,
}

impl SampleStats {
    fn from_cents(cents: &[i64]) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "amounts stay far below 2^53 cents")]
        let values: Vec<f64> = cents.iter().map(|amount| *amount as f64).collect();
        let count: f64 = values.iter().map(|_| 1.0).sum();
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
        Self { count, mean, variance }
    }

    fn variance_of_mean(&self) -> f64 {
        self.variance / self.count
    }
}

/// Welch's degrees of freedom; n1 + n2 - 2 when neither group has any variance.
fn degrees_of_freedom(one: &SampleStats, other: &SampleStats) -> f64 {
    let (a, b) = (one.variance_of_mean(), other.variance_of_mean());
    let parts = a.powi(2) / (one.count - 1.0) + b.powi(2) / (other.count - 1.0);
    if parts > 0.0 { (a + b).powi(2) / parts } else { one.count + other.count - 2.0 }
}

/// 97.5th percentile of Student's t, to four digits from 29 degrees of freedom on; two groups of thirty have no fewer.
fn t_quantile(freedom: f64) -> f64 {
    let (z3, z5) = (Z.powi(3), Z.powi(5));
    Z + (z3 + Z) / (4.0 * freedom) + (5.0 * z5 + 16.0 * z3 + 3.0 * Z) / (96.0 * freedom.powi(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(paying: usize, cents: i64, nothing: usize) -> Vec<i64> {
        [vec![cents; paying], vec![0; nothing]].concat()
    }

    #[test]
    fn t_quantile_matches_published_tables() {
        for (freedom, wanted) in [(29.0, 2.0452), (60.0, 2.0003), (120.0, 1.9799), (1e9, 1.9600)] {
            assert!((t_quantile(freedom) - wanted).abs() < 0.0005, "{freedom}: {}", t_quantile(freedom));
        }
    }

    #[test]
    fn difference_is_omitted_for_small_groups() {
        assert_eq!(compute_difference(&group(100, 100, 200), &group(5, 100, 24)), None, "29 left out");
        assert_eq!(compute_difference(&group(100, 100, 200), &group(4, 100, 96)), None, "four of them paid");
        assert_eq!(compute_difference(&[], &[]), None);
        assert!(compute_difference(&group(100, 100, 200), &group(5, 100, 25)).is_some());
    }

    #[test]
    fn difference_interval_follows_welch() {
        // 60 of 300 paid $500, 5 of 30 paid $500: $100.00 and $83.33 a request. The standard error of their difference is
        // $36.484 at 35.8 degrees of freedom, where t is 2.028: it reaches $74.01 to either side.
        let found = compute_difference(&group(60, 50_000, 240), &group(5, 50_000, 25)).unwrap();
        assert_eq!(found.per_lead, Cents(1_667));
        assert!(found.low < Cents::ZERO && found.high > Cents::ZERO, "chance: {found:?}");
        let reach = (found.high.0 - found.low.0) / 2;
        assert!((7_350..7_450).contains(&reach), "{reach}");
        let same = compute_difference(&group(40, 100, 0), &group(40, 100, 0)).unwrap();
        assert_eq!(same, MeasuredDifference { per_lead: Cents(0), low: Cents(0), high: Cents(0) });
    }

    #[test]
    fn group_amount_per_lead_is_rounded_to_whole_cents() {
        let group = MeasuredGroup::from_cents(&[100, 0, 0, -50]);
        assert_eq!((group.leads, group.paying, group.paid, group.per_lead), (4, 1, Cents(50), Cents(13)));
        assert_eq!(MeasuredGroup::from_cents(&[]), MeasuredGroup::default());
    }
}
