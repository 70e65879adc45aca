//! Assumptions of the owner's figures: minutes saved per automatic action, and the margin where costs are unknown.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{check_range, set_if_given};
use crate::platform::{
    error::FieldErrors,
    money::{Cents, Ppm},
    text,
};

/// An action that takes longer is not automatic.
const MOST_MINUTES: i64 = 240;
/// A hundred million dollars a month.
const MOST_OVERHEAD: Cents = Cents(10_000_000_000);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FigureSettings {
    /// What an answer to a request takes a person.
    pub auto_reply_minutes: i64,
    /// What a reminder or a follow-up takes.
    pub follow_up_minutes: i64,
    /// What planning a visit takes.
    pub scheduling_minutes: i64,
    /// Margin of a job without noted costs, in percent.
    pub margin_percent: Ppm,
    /// What the business costs a month beside its jobs, in US dollars; null when it is not reckoned with.
    pub monthly_overhead: Option<Cents>,
}

impl Default for FigureSettings {
    fn default() -> Self {
        Self {
            auto_reply_minutes: 5,
            follow_up_minutes: 4,
            scheduling_minutes: 10,
            // Product §9: 65 % of revenue.
            margin_percent: Ppm(650_000),
            monthly_overhead: None,
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct FiguresPatch {
    #[schema(minimum = 0, maximum = 240)]
    pub auto_reply_minutes: Option<i64>,
    #[schema(minimum = 0, maximum = 240)]
    pub follow_up_minutes: Option<i64>,
    #[schema(minimum = 0, maximum = 240)]
    pub scheduling_minutes: Option<i64>,
    #[schema(minimum = 0, maximum = 100)]
    pub margin_percent: Option<Ppm>,
    /// US dollars; null takes it away.
    #[serde(deserialize_with = "text::given")]
    #[schema(value_type = Option<f64>, minimum = 0, maximum = 100_000_000)]
    pub monthly_overhead: Option<Option<Cents>>,
}

impl FiguresPatch {
    pub(super) fn apply_to(&self, page: &mut FigureSettings, errors: &mut FieldErrors) {
        set_if_given(&mut page.auto_reply_minutes, self.auto_reply_minutes.as_ref());
        set_if_given(&mut page.follow_up_minutes, self.follow_up_minutes.as_ref());
        set_if_given(&mut page.scheduling_minutes, self.scheduling_minutes.as_ref());
        set_if_given(&mut page.margin_percent, self.margin_percent.as_ref());
        set_if_given(&mut page.monthly_overhead, self.monthly_overhead.as_ref());
        check_range(errors, "figures.autoReplyMinutes", page.auto_reply_minutes, 0..=MOST_MINUTES);
        check_range(errors, "figures.followUpMinutes", page.follow_up_minutes, 0..=MOST_MINUTES);
        check_range(errors, "figures.schedulingMinutes", page.scheduling_minutes, 0..=MOST_MINUTES);
        if page.monthly_overhead.is_some_and(|cents| !(Cents::ZERO..=MOST_OVERHEAD).contains(&cents)) {
            errors.add("figures.monthlyOverhead", "Please enter an amount of at least $0.00");
        }
    }
}
