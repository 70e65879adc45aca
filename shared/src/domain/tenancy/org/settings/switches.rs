//! Change request for the five switches.

use serde::Deserialize;
use utoipa::ToSchema;

use super::set_if_given;
use crate::domain::tenancy::org::FeatureSwitches;

#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SwitchesPatch {
    pub lead_intake: Option<bool>,
    pub automated_communications: Option<bool>,
    pub job_tracking: Option<bool>,
    pub review_collection: Option<bool>,
    pub kpi_reporting: Option<bool>,
}

impl SwitchesPatch {
    #[must_use]
    pub fn apply_to(&self, mut on: FeatureSwitches) -> FeatureSwitches {
        set_if_given(&mut on.lead_intake, self.lead_intake.as_ref());
        set_if_given(&mut on.automated_communications, self.automated_communications.as_ref());
        set_if_given(&mut on.job_tracking, self.job_tracking.as_ref());
        set_if_given(&mut on.review_collection, self.review_collection.as_ref());
        set_if_given(&mut on.kpi_reporting, self.kpi_reporting.as_ref());
        on
    }
}
