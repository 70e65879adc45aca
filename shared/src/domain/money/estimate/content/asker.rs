//! Who asked for the work that an estimate is for, and how they are reached.

use sqlx::FromRow;

use crate::{
    documents::{pdf::Recipient, template::Language},
    domain::intake::{contact_point, lead::form::service_in},
    platform::{
        db::{AsConn, q},
        error::{Error, Result},
        id::{CustomerId, LeadId, OrgId},
        phone::Phone,
    },
};

/// Who asked for the work.
#[derive(Clone, Debug, FromRow)]
pub struct Asker {
    #[sqlx(rename = "lead_id")]
    pub lead: LeadId,
    #[sqlx(rename = "customer_id")]
    pub customer: CustomerId,
    pub name: String,
    /// As the lead has it; empty when it came without.
    pub phone: String,
    /// Where papers may go.
    #[sqlx(skip)]
    pub to: contact_point::Recipient,
    pub address: Option<String>,
    pub zip: String,
    pub service: String,
    pub language: Option<Language>,
}

/// Who asked for the work of this lead, and how they are reached now.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such lead.
pub async fn asker(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Asker> {
    let found = q!(
        &mut *conn,
        fetch_optional as Asker,
        "SELECT l.id AS lead_id, l.customer_id, l.name, l.phone, l.address, l.zip, l.service, c.language
         FROM lead l JOIN customer c ON c.org_id = l.org_id AND c.id = l.customer_id
         WHERE l.org_id = $1 AND l.id = $2",
        org,
        lead
    )?;
    let to = contact_point::of_lead(conn, org, lead).await?;
    Ok(Asker { to, ..found.ok_or(Error::NotFound)? })
}

impl Asker {
    #[must_use]
    pub fn language(&self) -> Language {
        self.language.unwrap_or_default()
    }

    #[must_use]
    pub fn phone(&self) -> Option<Phone> {
        self.to.phone.as_deref().and_then(Phone::parse)
    }

    /// The name to greet them by. Whoever only called stands in the list under their number, and nobody is greeted by
    /// that.
    #[must_use]
    pub fn greeted(&self) -> &str {
        if self.name.chars().any(char::is_alphabetic) { &self.name } else { "" }
    }

    /// "Plumbing"; none when nothing in particular was asked for.
    pub(crate) fn work(&self) -> Option<&str> {
        Some(self.service.as_str())
            .filter(|service| *service != "other")
            .map(|service| service_in(self.language(), service))
    }

    pub(crate) fn recipient(&self) -> Recipient {
        let place: Vec<&str> = [self.address.as_deref().unwrap_or_default(), self.zip.as_str()]
            .into_iter()
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .collect();
        let shown = self.phone().map(|phone| phone.shown().into_owned());
        Recipient {
            name: self.name.clone(),
            phone: shown.or_else(|| Some(self.phone.clone()).filter(|phone| !phone.is_empty())),
            email: self.to.email.clone(),
            address: (!place.is_empty()).then(|| place.join("\n")),
        }
    }
}
