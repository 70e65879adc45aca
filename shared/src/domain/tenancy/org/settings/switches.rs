//! The five switches, as a change of them is sent.

use serde::Deserialize;
use utoipa::ToSchema;

use super::set;
use crate::domain::tenancy::org::Switches;

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
    pub fn applied(&self, mut on: Switches) -> Switches {
        set(&mut on.lead_intake, self.lead_intake.as_ref());
        set(&mut on.automated_communications, self.automated_communications.as_ref());
        set(&mut on.job_tracking, self.job_tracking.as_ref());
        set(&mut on.review_collection, self.review_collection.as_ref());
        set(&mut on.kpi_reporting, self.kpi_reporting.as_ref());
        on
    }
}
