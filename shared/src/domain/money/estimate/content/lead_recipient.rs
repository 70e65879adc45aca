//! Person who asked for the work of an estimate, with their contact data.

use sqlx::FromRow;

use crate::{
    documents::{pdf::PdfRecipient, recipient_name::name_on_document, template::Language},
    domain::intake::{contact_point, lead::localized_service},
    platform::{
        db::{AsConn, q},
        email_address::EmailAddress,
        error::{Error, Result},
        id::{CustomerId, LeadId, OrgId},
        phone::Phone,
    },
};

#[derive(Clone, Debug, FromRow)]
pub struct LeadRecipient {
    #[sqlx(rename = "lead_id")]
    pub lead: LeadId,
    #[sqlx(rename = "customer_id")]
    pub customer: CustomerId,
    pub name: String,
    /// As in the lead; empty when none was given.
    pub phone: String,
    /// Addresses that papers may go to.
    #[sqlx(skip)]
    pub to: contact_point::CustomerRecipient,
    pub address: Option<String>,
    pub zip: String,
    pub service: String,
    pub language: Option<Language>,
}

/// Contact data as of now.
/// Errors: [`Error::NotFound`] when the org has no such lead.
pub async fn load_recipient(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<LeadRecipient> {
    let found = q!(
        &mut *conn,
        fetch_optional as LeadRecipient,
        "SELECT l.id AS lead_id, l.customer_id, l.name, l.phone, l.address, l.zip, l.service, c.language
         FROM lead l JOIN customer c ON c.org_id = l.org_id AND c.id = l.customer_id
         WHERE l.org_id = $1 AND l.id = $2",
        org,
        lead
    )?;
    let to = contact_point::load_lead_recipient(conn, org, lead).await?;
    Ok(LeadRecipient { to, ..found.ok_or(Error::NotFound)? })
}

impl LeadRecipient {
    #[must_use]
    pub fn language(&self) -> Language {
        self.language.unwrap_or_default()
    }

    #[must_use]
    pub fn phone(&self) -> Option<&Phone> {
        self.to.phone.as_ref()
    }

    /// "Plumbing"; none when no particular service was asked for.
    pub(crate) fn service_name(&self) -> Option<&str> {
        Some(self.service.as_str())
            .filter(|service| *service != "other")
            .map(|service| localized_service(self.language(), service))
    }

    pub(crate) fn to_pdf_recipient(&self) -> PdfRecipient {
        let place: Vec<&str> = [self.address.as_deref().unwrap_or_default(), self.zip.as_str()]
            .into_iter()
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .collect();
        let shown = self.phone().map(|phone| phone.format_display().into_owned());
        let phone = shown.or_else(|| Some(self.phone.clone()).filter(|phone| !phone.is_empty()));
        let email = self.to.email.clone().map(EmailAddress::into_string);
        PdfRecipient {
            name: name_on_document(&self.name, phone.as_deref(), email.as_deref()),
            phone,
            email,
            address: (!place.is_empty()).then(|| place.join("\n")),
        }
    }
}
