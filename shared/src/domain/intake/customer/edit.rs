//! Edits of a customer record: name, number for texts and calls, email address, language.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{check_not_merged, record_change};
use crate::{
    documents::template::Language,
    domain::intake::{
        contact_point::{
            self, ContactPointKind, ContactPointProof,
            typed_contacts::{self, NamedContacts},
        },
        customer::listener::{CustomerEvent, notify_customer_listeners},
        lead,
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        email_address::EmailAddress,
        error::{FieldErrors, Result},
        field_schemas,
        id::{CustomerId, OrgId},
        live::{self, Topic},
        phone::Phone,
        text::{self, given, single_line},
    },
};

/// A change of a customer: what is absent stays, null is cleared.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CustomerChange)]
pub struct CustomerForm {
    #[schema(schema_with = field_schemas::required_line::<120>)]
    pub name: Option<String>,
    #[serde(default, deserialize_with = "given")]
    #[schema(schema_with = field_schemas::nullable_phone)]
    pub phone: Option<Option<String>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(schema_with = field_schemas::nullable_line::<254>)]
    pub email: Option<Option<String>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<Language>)]
    pub language: Option<Option<Language>>,
    /// Of the business, or a relative: never asked for a review.
    pub is_staff: Option<bool>,
    /// An unsettled complaint: no review is requested.
    pub has_complaint: Option<bool>,
}

/// The checked change. Outer none leaves the field as it is.
#[expect(clippy::option_option, reason = "absent, taken away and changed are three things")]
struct CheckedCustomerForm {
    name: Option<String>,
    phone: Option<Option<Phone>>,
    email: Option<Option<EmailAddress>>,
    language: Option<Option<Language>>,
}

impl CheckedCustomerForm {
    fn named_contacts(&self) -> NamedContacts<'_> {
        let phone = self.phone.as_ref().and_then(Option::as_ref);
        let email = self.email.as_ref().and_then(Option::as_ref);
        (phone.map(Phone::as_e164), email.map(EmailAddress::as_str))
    }
}

impl CustomerForm {
    fn validate(&self) -> Result<CheckedCustomerForm> {
        let mut errors = FieldErrors::default();
        let name = self
            .name
            .as_deref()
            .map(|typed| single_line("name", Some(typed), 120).parse_required("Name is required", &mut errors));
        let phone = self.phone.as_ref().map(|typed| {
            let typed = single_line("phone", typed.as_deref(), 40).parse_optional(&mut errors)?;
            let phone = Phone::parse(&typed);
            if phone.is_none() {
                errors.add("phone", "Please enter a phone number with its area code");
            }
            phone
        });
        let email = self.email.as_ref().map(|typed| {
            let typed = single_line("email", typed.as_deref(), 254).parse_optional(&mut errors)?;
            let email = EmailAddress::parse(&typed);
            if email.is_none() {
                errors.add("email", text::invalid_email_reason(&typed));
            }
            email
        });
        errors.into_result()?;
        Ok(CheckedCustomerForm { name, phone, email, language: self.language })
    }
}

#[derive(FromRow)]
struct CurrentCustomerRow {
    name: String,
    phone_e164: Option<Phone>,
    email: Option<EmailAddress>,
}

/// The number and the email that an edit puts on the record, where they were not on it before.
type NewContacts = (Option<Phone>, Option<EmailAddress>);

impl CurrentCustomerRow {
    /// A field that repeats what is on the record says nothing new.
    fn find_new_contacts(&self, checked: &CheckedCustomerForm) -> NewContacts {
        let phone = checked.phone.clone().flatten().filter(|phone| self.phone_e164.as_ref() != Some(phone));
        let email = checked.email.clone().flatten().filter(|email| self.email.as_ref() != Some(email));
        (phone, email)
    }
}

/// Edits a record as the office types it. The customer's open requests follow; another customer's number or address is
/// not taken. Beside a new number or email, what only forms typed is set aside and proposed: a stranger may have typed
/// it.
///
/// # Errors [`crate::platform::error::Error::NotFound`] without such a customer;
/// [`crate::platform::error::Error::Conflict`] when the record was merged into another;
/// [`crate::platform::error::Error::Invalid`] on the fields that do not fit, or belong to another record.
pub async fn update_customer(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    id: CustomerId,
    form: &CustomerForm,
) -> Result<()> {
    let (phone, email) = store_change(&mut *tx, origin, org, id, form).await?;
    if phone.is_none() && email.is_none() {
        return Ok(());
    }
    let named = (phone.as_ref().map(Phone::as_e164), email.as_ref().map(EmailAddress::as_str));
    typed_contacts::set_aside_omitted_contacts(tx, org, id, named, origin.now()).await
}

/// The same for a decision on a proposal, which says nothing about the other addresses. Returns the new ones.
pub(crate) async fn store_change(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    id: CustomerId,
    form: &CustomerForm,
) -> Result<NewContacts> {
    check_not_merged(&mut *tx, org, id).await?;
    let checked = form.validate()?;
    // Lock order: keys, then leads, then the customer.
    contact_point::lock_customer_keys(&mut *tx, org, id, checked.named_contacts()).await?;
    let sql = "SELECT name, phone_e164, email FROM customer WHERE org_id = $1 AND id = $2";
    let current = q!(&mut *tx, fetch_one as CurrentCustomerRow, sql, org, id)?;
    let new_contacts = current.find_new_contacts(&checked);
    if let Some(phone) = &checked.phone {
        update_phone(&mut *tx, origin, org, id, current.phone_e164.as_ref(), phone.as_ref()).await?;
    }
    if let Some(email) = &checked.email {
        update_email(&mut *tx, org, id, (current.email.as_ref(), email.as_ref()), origin.now()).await?;
    }
    if let Some(name) = checked.name.filter(|name| *name != current.name) {
        rename_customer(&mut *tx, org, id, &current.name, &name).await?;
    }
    if let Some(language) = checked.language {
        q!(&mut *tx, execute, "UPDATE customer SET language = $3 WHERE org_id = $1 AND id = $2", org, id, language)?;
    }
    if form.is_staff.is_some() || form.has_complaint.is_some() {
        update_review_flags(&mut *tx, origin, org, id, form).await?;
    }
    record_change(&mut *tx, org, id, origin.now()).await?;
    lead::customer::update_search_index(&mut *tx, org, id).await?;
    live::publish_event(&mut *tx, origin, org, Topic::Conversation, id.0, None).await?;
    live::publish_event(tx, origin, org, Topic::Customer, id.0, None).await?;
    Ok(new_contacts)
}

async fn update_review_flags(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    id: CustomerId,
    form: &CustomerForm,
) -> Result<()> {
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
    notify_customer_listeners(tx, origin, org, CustomerEvent::Changed(id)).await
}

/// Makes the address a key of this customer, because the office says so. A record that has it only from a form gives it
/// up: it is returned. A record that proved it keeps it.
///
/// # Errors
/// [`crate::platform::error::Error::Invalid`] for an address that another record proved.
pub(crate) async fn claim_contact_key(
    tx: &mut Tx,
    org: OrgId,
    id: CustomerId,
    (field, kind, value): (&'static str, contact_point::ContactPointKind, &str),
    now: DateTime<Utc>,
) -> Result<Option<CustomerId>> {
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
        contact_point::record_proof(tx, org, id, (kind, value), ContactPointProof::Office, now).await?;
        return Ok(None);
    }
    if !contact_point::is_proven_contact(&mut *tx, org, owner, (kind, value)).await? {
        let office = (ContactPointProof::Office, now);
        contact_point::transfer_contact_point(&mut *tx, org, (owner, id), (kind, value), office).await?;
        contact_point::propose_set_aside_contacts(tx, org, id, now).await?;
        return Ok(Some(owner));
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
    errors.into_result().map(|()| None)
}

async fn release_contact_key(
    tx: &mut Tx,
    org: OrgId,
    id: CustomerId,
    (kind, value): (&str, &str),
    now: DateTime<Utc>,
) -> Result<()> {
    let sql = "DELETE FROM customer_key WHERE org_id = $1 AND kind = $2 AND value = $3 AND customer_id = $4";
    q!(&mut *tx, execute, sql, org, kind, value, id)?;
    contact_point::restore_answer_proof(tx, org, (id, &[id]), now).await
}

/// Sets the number for replies. A removed number is no longer a key; a replaced one stays a key.
async fn update_phone(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    id: CustomerId,
    current: Option<&Phone>,
    phone: Option<&Phone>,
) -> Result<()> {
    match (current, phone) {
        (_, Some(phone)) if current == Some(phone) => Ok(()),
        (_, Some(phone)) => {
            claim_contact_key(&mut *tx, org, id, ("phone", ContactPointKind::Phone, phone.as_e164()), origin.now())
                .await?;
            lead::customer::contact_use::record_contact_use(
                tx,
                org,
                id,
                (Some(phone), None),
                ContactPointProof::Office,
                origin.now(),
            )
            .await
        }
        (Some(current), None) => {
            release_contact_key(&mut *tx, org, id, ("phone", current.as_e164()), origin.now()).await?;
            let other = find_other_number(&mut *tx, org, id).await?;
            q!(
                &mut *tx,
                execute,
                "UPDATE lead SET phone = $4, phone_e164 = $5 WHERE org_id = $1 AND customer_id = $2
                     AND stage IN ('new', 'quoted', 'scheduled') AND phone_e164 = $3",
                org,
                id,
                current,
                other.as_ref().map(|other| other.format_display().into_owned()).unwrap_or_default(),
                &other
            )?;
            let sql = "UPDATE customer SET phone_e164 = $3 WHERE org_id = $1 AND id = $2";
            q!(tx, execute, sql, org, id, other)?;
            Ok(())
        }
        (None, None) => Ok(()),
    }
}

/// The most recently used of the other numbers that messages may go to.
async fn find_other_number(conn: &mut dyn AsConn, org: OrgId, id: CustomerId) -> Result<Option<Phone>> {
    for phone in lead::customer::contact_use::list_other_numbers(&mut *conn, org, id, None).await? {
        if contact_point::is_usable_contact(&mut *conn, org, id, (ContactPointKind::Phone, phone.as_e164())).await? {
            return Ok(Some(phone));
        }
    }
    Ok(None)
}

async fn update_email(
    tx: &mut Tx,
    org: OrgId,
    id: CustomerId,
    (current, email): (Option<&EmailAddress>, Option<&EmailAddress>),
    now: DateTime<Utc>,
) -> Result<()> {
    if current == email {
        return Ok(());
    }
    if let Some(email) = email {
        claim_contact_key(&mut *tx, org, id, ("email", ContactPointKind::Email, email.as_str()), now).await?;
    } else if let Some(current) = current {
        release_contact_key(&mut *tx, org, id, ("email", current.as_str()), now).await?;
    }
    q!(
        &mut *tx,
        execute,
        "UPDATE lead SET email = $4 WHERE org_id = $1 AND customer_id = $2 AND stage IN ('new', 'quoted', 'scheduled')
             AND (email IS NULL OR email = $3)",
        org,
        id,
        current.map(EmailAddress::as_str).unwrap_or_default(),
        email
    )?;
    q!(tx, execute, "UPDATE customer SET email = $3 WHERE org_id = $1 AND id = $2", org, id, email)?;
    Ok(())
}

async fn rename_customer(tx: &mut Tx, org: OrgId, id: CustomerId, old: &str, new: &str) -> Result<()> {
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
    let sql = "UPDATE customer SET name = $3, name_confirmed_at = NULL WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, org, id, new)?;
    Ok(())
}
