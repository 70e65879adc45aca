//! A record put right: the name, the number that texts and calls go to, the address that emails go to, the language.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use sqlx::FromRow;

use super::{is_current, shown};
use crate::{
    documents::template::Language,
    domain::{
        growth::review,
        intake::{
            contact_point::{self, Kind, Proof},
            lead,
        },
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{FieldErrors, Result},
        id::{CustomerId, OrgId},
        live::{self, Topic},
        phone::Phone,
        text::{self, given, line},
    },
};

/// A change as it was typed: what is absent stays, null is cleared.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct CustomerForm {
    pub name: Option<String>,
    #[serde(deserialize_with = "given")]
    pub phone: Option<Option<String>>,
    #[serde(deserialize_with = "given")]
    pub email: Option<Option<String>>,
    #[serde(deserialize_with = "given")]
    pub language: Option<Option<Language>>,
    /// Of the business, or a relative: never asked for a review.
    #[serde(rename = "isStaff")]
    pub is_staff: Option<bool>,
    /// There is a problem that is not settled: nobody asks them for a review.
    #[serde(rename = "hasComplaint")]
    pub has_complaint: Option<bool>,
}

/// What was typed, checked. Outer none stays as it is.
#[expect(clippy::option_option, reason = "absent, taken away and changed are three things")]
struct Checked {
    name: Option<String>,
    phone: Option<Option<Phone>>,
    email: Option<Option<String>>,
    language: Option<Option<Language>>,
}

impl CustomerForm {
    fn check(&self) -> Result<Checked> {
        let mut errors = FieldErrors::default();
        let name =
            self.name.as_deref().map(|typed| line("name", Some(typed), 120).required("Name is required", &mut errors));
        let phone = self.phone.as_ref().map(|typed| {
            let typed = line("phone", typed.as_deref(), 40).optional(&mut errors)?;
            let phone = Phone::parse(&typed);
            if phone.is_none() {
                errors.add("phone", "Please enter a phone number with its area code");
            }
            phone
        });
        let email = self.email.as_ref().map(|typed| {
            let typed = line("email", typed.as_deref(), 254).optional(&mut errors)?;
            let email = text::email(&typed);
            if email.is_none() {
                errors.add("email", text::why_no_email(&typed));
            }
            email
        });
        errors.finish()?;
        Ok(Checked { name, phone, email, language: self.language })
    }
}

#[derive(FromRow)]
struct Stands {
    name: String,
    phone_e164: Option<String>,
    email: Option<String>,
}

/// Puts a record right. Their open requests follow; a number or address of somebody else's stays theirs.
///
/// # Errors
/// [`crate::platform::error::Error::NotFound`] without such a customer; [`crate::platform::error::Error::Conflict`] when the record was
/// merged into another; [`crate::platform::error::Error::Invalid`] on the fields that do not fit, or belong to another record.
pub async fn edit(tx: &mut Tx, origin: &Origin, org: OrgId, id: CustomerId, form: &CustomerForm) -> Result<()> {
    is_current(&mut *tx, org, id).await?;
    let checked = form.check()?;
    let sql = "SELECT name, phone_e164, email FROM customer WHERE org_id = $1 AND id = $2";
    let stands = q!(&mut *tx, fetch_one as Stands, sql, org, id)?;
    // The keys before the leads before the customer, as everywhere.
    if let Some(phone) = &checked.phone {
        number(&mut *tx, origin, org, id, stands.phone_e164.as_deref(), phone.as_ref()).await?;
    }
    if let Some(email) = &checked.email {
        address(&mut *tx, org, id, (stands.email.as_deref(), email.as_deref()), origin.now()).await?;
    }
    if let Some(name) = checked.name.filter(|name| *name != stands.name) {
        rename(&mut *tx, org, id, &stands.name, &name).await?;
    }
    if let Some(language) = checked.language {
        q!(&mut *tx, execute, "UPDATE customer SET language = $3 WHERE org_id = $1 AND id = $2", org, id, language)?;
    }
    if form.is_staff.is_some() || form.has_complaint.is_some() {
        mark(&mut *tx, origin, org, id, form).await?;
    }
    lead::customer::index(&mut *tx, org, id).await?;
    live::announce(&mut *tx, origin, org, Topic::Thread, id.0, None).await?;
    live::announce(tx, origin, org, Topic::Customer, id.0, None).await
}

/// What speaks against asking them for a review.
async fn mark(tx: &mut Tx, origin: &Origin, org: OrgId, id: CustomerId, form: &CustomerForm) -> Result<()> {
    q!(
        &mut *tx,
        execute,
        "UPDATE customer SET is_staff = COALESCE($3, is_staff),
             complaint_at = CASE WHEN $4 THEN COALESCE(complaint_at, $6) WHEN $5 THEN NULL ELSE complaint_at END
         WHERE org_id = $1 AND id = $2",
        org,
        id,
        form.is_staff,
        form.has_complaint == Some(true),
        form.has_complaint == Some(false),
        origin.now()
    )?;
    review::ask::person_changed(tx, origin, org, id).await
}

/// Takes the number or address as a way to recognise this person.
pub(crate) async fn claim(
    tx: &mut Tx,
    org: OrgId,
    id: CustomerId,
    (field, kind, value): (&'static str, contact_point::Kind, &str),
    now: DateTime<Utc>,
) -> Result<()> {
    let owner = q!(
        &mut *tx,
        fetch_one scalar CustomerId,
        "INSERT INTO customer_key (org_id, kind, value, customer_id, proof, proved_at) VALUES ($1, $2, $3, $4, 'office', $5)
         ON CONFLICT (org_id, kind, value) DO UPDATE SET value = excluded.value RETURNING customer_id",
        org,
        kind,
        value,
        id,
        now
    )?;
    if owner == id {
        return contact_point::prove(tx, org, id, (kind, value), Proof::Office, now).await;
    }
    let name = q!(
        tx,
        fetch_one scalar String,
        "SELECT name FROM customer WHERE org_id = $1 AND id = $2",
        org,
        owner
    )?;
    let mut errors = FieldErrors::default();
    errors.add(field, format!("{name} has this one already. If they are one person, merge the two records"));
    errors.finish()
}

async fn release(tx: &mut Tx, org: OrgId, id: CustomerId, kind: &str, value: &str) -> Result<()> {
    let sql = "DELETE FROM customer_key WHERE org_id = $1 AND kind = $2 AND value = $3 AND customer_id = $4";
    q!(tx, execute, sql, org, kind, value, id)?;
    Ok(())
}

/// The number that replies go to. One that is taken away is not theirs any more; one that is replaced stays another of
/// theirs.
async fn number(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    id: CustomerId,
    stands: Option<&str>,
    phone: Option<&Phone>,
) -> Result<()> {
    match (stands, phone) {
        (_, Some(phone)) if stands == Some(phone.as_e164()) => Ok(()),
        (_, Some(phone)) => {
            claim(&mut *tx, org, id, ("phone", Kind::Phone, phone.as_e164()), origin.now()).await?;
            lead::customer::uses(tx, org, id, (Some(phone), None), Proof::Office, origin.now()).await
        }
        (Some(stands), None) => {
            release(&mut *tx, org, id, "phone", stands).await?;
            let other = other_number(&mut *tx, org, id).await?;
            q!(
                &mut *tx,
                execute,
                "UPDATE lead SET phone = $4, phone_e164 = $5 WHERE org_id = $1 AND customer_id = $2
                     AND stage IN ('new', 'quoted', 'scheduled') AND phone_e164 = $3",
                org,
                id,
                stands,
                shown(other.as_deref()).unwrap_or_default(),
                other.as_deref()
            )?;
            let sql = "UPDATE customer SET phone_e164 = $3 WHERE org_id = $1 AND id = $2";
            q!(tx, execute, sql, org, id, other)?;
            Ok(())
        }
        (None, None) => Ok(()),
    }
}

/// The one of their numbers that was used last, of those that messages may go to.
async fn other_number(conn: &mut dyn AsConn, org: OrgId, id: CustomerId) -> Result<Option<String>> {
    for phone in lead::customer::other_numbers(&mut *conn, org, id, None).await? {
        if contact_point::is_on_file(&mut *conn, org, id, (Kind::Phone, phone.as_e164())).await? {
            return Ok(Some(phone.as_e164().to_owned()));
        }
    }
    Ok(None)
}

async fn address(
    tx: &mut Tx,
    org: OrgId,
    id: CustomerId,
    (stands, email): (Option<&str>, Option<&str>),
    now: DateTime<Utc>,
) -> Result<()> {
    if stands == email {
        return Ok(());
    }
    if let Some(email) = email {
        claim(&mut *tx, org, id, ("email", Kind::Email, email), now).await?;
    } else if let Some(stands) = stands {
        release(&mut *tx, org, id, "email", stands).await?;
    }
    q!(
        &mut *tx,
        execute,
        "UPDATE lead SET email = $4 WHERE org_id = $1 AND customer_id = $2 AND stage IN ('new', 'quoted', 'scheduled')
             AND (email IS NULL OR email = $3)",
        org,
        id,
        stands.unwrap_or_default(),
        email
    )?;
    q!(tx, execute, "UPDATE customer SET email = $3 WHERE org_id = $1 AND id = $2", org, id, email)?;
    Ok(())
}

/// Their requests and jobs that stand under the old name follow, and are found by the new one.
async fn rename(tx: &mut Tx, org: OrgId, id: CustomerId, old: &str, new: &str) -> Result<()> {
    let (was, is) = (old.to_lowercase(), new.to_lowercase());
    q!(
        &mut *tx,
        execute,
        "UPDATE job SET search = REPLACE(search, $4, $5) WHERE org_id = $1 AND customer_id = $2
             AND lead_id IN (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2 AND name = $3)",
        org,
        id,
        old,
        &was,
        &is
    )?;
    q!(
        &mut *tx,
        execute,
        "UPDATE lead SET name = $4, search = REPLACE(search, $5, $6) WHERE org_id = $1 AND customer_id = $2 AND name = $3",
        org,
        id,
        old,
        new,
        &was,
        &is
    )?;
    q!(tx, execute, "UPDATE customer SET name = $3 WHERE org_id = $1 AND id = $2", org, id, new)?;
    Ok(())
}
