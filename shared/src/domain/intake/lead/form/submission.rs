//! What a person typed, stored with each inquiry of a lead.

use serde::{Deserialize, Serialize};

use super::{NewLead, service_label};

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

impl LeadSubmission {
    /// Their words, or the label of the service where they wrote none.
    pub(crate) fn request_words<'a>(&'a self, service: &'a str) -> &'a str {
        self.notes.as_deref().filter(|notes| !notes.trim().is_empty()).unwrap_or_else(|| service_label(service))
    }

    /// The typed name where it is not the customer's.
    pub(crate) fn other_name(&self, customer: &str) -> Option<&str> {
        let typed = self.name.as_deref().map(str::trim).filter(|name| !name.is_empty());
        typed.filter(|name| name.to_lowercase() != customer.trim().to_lowercase())
    }
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
