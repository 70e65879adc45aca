//! What a person typed, stored with each inquiry of a lead.

use serde::{Deserialize, Serialize};

use super::NewLead;

/// Empty after the person's erasure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct LeadSubmission {
    pub name: Option<String>,
    pub phone: Option<String>,
    pub email: Option<String>,
    pub zip: Option<String>,
    pub address: Option<String>,
    pub notes: Option<String>,
    #[serde(rename = "timelinePreference")]
    pub timeline: Option<String>,
    #[serde(rename = "budgetRange")]
    pub budget: Option<String>,
}

impl From<&NewLead> for LeadSubmission {
    fn from(new: &NewLead) -> Self {
        Self {
            name: Some(new.name.clone()),
            phone: Some(new.phone.clone()),
            email: new.email.as_ref().map(|email| email.as_str().to_owned()),
            zip: Some(new.zip.clone()),
            address: new.address.clone(),
            notes: new.notes.clone(),
            timeline: new.timeline.clone(),
            budget: new.budget.clone(),
        }
    }
}
