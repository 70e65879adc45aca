//! A request whose sender chooses a time.

use chrono::Duration;

use crate::{
    domain::{
        intake::{
            contact_point,
            lead::{self, LeadFormKind, NewLead},
        },
        tenancy::org::OrgProfile,
        work::booking::take::BookedVisitDetails,
    },
    platform::{
        access_link::AccessLink,
        db::AsConn,
        error::Result,
        id::{OrgId, TouchId},
    },
};

/// A request with its lead.
pub(super) struct TimesRequest {
    inquiry: lead::StoredInquiry,
    pub(super) lead: lead::StoredLead,
    /// Whether the link was sent to an address of the customer. The answer to a form goes to any address typed there,
    /// also to a stranger's.
    pub(super) is_customers_link: bool,
}

impl TimesRequest {
    pub(super) async fn find_by_link(conn: &mut dyn AsConn, org: OrgId, link: &AccessLink) -> Result<Option<Self>> {
        let found = lead::find_inquiry(&mut *conn, org, TouchId(link.subject_id)).await?;
        let Some(inquiry) = found else { return Ok(None) };
        let lead = lead::load_stored_lead(&mut *conn, org, inquiry.lead_id).await?;
        let is_customers_link = match contact_point::link_address(link) {
            Some(point) => contact_point::is_usable_contact(conn, org, lead.customer_id, point).await?,
            None => false,
        };
        Ok(Some(Self { inquiry, lead, is_customers_link }))
    }

    /// None where no time is offered for it.
    pub(super) fn visit_length(&self, profile: &OrgProfile) -> Option<Duration> {
        let zip = self.inquiry.submission.0.zip.as_deref().unwrap_or_default();
        let minutes = profile.offered_minutes(&self.inquiry.service, zip).filter(|_| self.lead.stage.is_open())?;
        Some(Duration::minutes(minutes))
    }

    /// What the sender typed; on a link that was sent to the customer also what is on file.
    pub(super) fn known_address(&self) -> Option<String> {
        let on_file = || self.lead.address.clone().filter(|_| self.is_customers_link);
        self.inquiry.submission.0.address.clone().or_else(on_file)
    }

    pub(super) fn visit_details(&self, address: String) -> BookedVisitDetails {
        BookedVisitDetails {
            name: self.lead.name.clone(),
            service: self.lead.service.clone(),
            zip: self.lead.zip.clone(),
            address: Some(address),
            notes: None,
        }
    }

    /// Nothing that the sender typed is new: the lead has it already.
    pub(super) fn to_new_lead(&self, address: String) -> NewLead {
        NewLead { form: LeadFormKind::Booking, address: Some(address), notes: None, ..NewLead::from_stored(&self.lead) }
    }
}
