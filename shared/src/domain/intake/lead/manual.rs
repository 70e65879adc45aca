//! Requests that the business itself enters, one by one or as a list. No rule answers them.

use super::{
    LeadOpened, NewCustomer, NewLead, customer,
    form::MAX_TYPED_NOTES,
    store::{LeadRequest, build_touch_insert},
};
use crate::{
    domain::{intake::contact_point::ContactPointProof, tenancy::org::OrgProfile},
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, batch::insert_all},
        error::{FieldErrors, Result},
        id::{LeadId, OrgId, TouchId},
        live::{self, Topic},
        phone::Phone,
        text::multi_line,
    },
};

/// Longest phone as typed, in bytes.
const MAX_TYPED_PHONE: usize = 40;

/// Stores a request typed by the business: a touch of the open lead, else a new lead. The rules do not answer it. The
/// caller writes the audit line.
///
/// # Errors
/// [`crate::platform::error::Error::Invalid`] on the fields that do not fit, named `customer.name` and so on.
pub async fn create_typed_lead(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    customer: &NewCustomer,
) -> Result<LeadId> {
    let new = NewLead::from_typed(customer)?;
    open_manual_lead(tx, origin, profile, &new).await
}

/// The same with notes. Without a name it has the name that is known by the phone, else the number as its name.
///
/// # Errors
/// As for [`create_typed_lead`], and on `notes`.
pub async fn create_noted_lead(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    customer: &NewCustomer,
    notes: Option<&str>,
) -> Result<LeadId> {
    let mut errors = FieldErrors::default();
    let notes = multi_line("notes", notes, MAX_TYPED_NOTES).parse_optional(&mut errors);
    errors.into_result()?;
    let named = fill_missing_name(&mut *tx, profile.org.id, customer).await?;
    let new = NewLead { notes, ..NewLead::from_typed(&named)? };
    open_manual_lead(tx, origin, profile, &new).await
}

async fn fill_missing_name(conn: &mut dyn AsConn, org: OrgId, customer: &NewCustomer) -> Result<NewCustomer> {
    let has_name = customer.name.as_deref().is_some_and(|name| !name.trim().is_empty());
    let typed = customer.phone.as_deref().map(str::trim).filter(|typed| !has_name && typed.len() <= MAX_TYPED_PHONE);
    let Some(phone) = typed.and_then(Phone::parse) else { return Ok(customer.clone()) };
    let known = customer::find_by_phone(conn, org, &phone).await?.map(|(_, name)| name);
    let name = known.unwrap_or_else(|| phone.format_display().into_owned());
    Ok(NewCustomer { name: Some(name), ..customer.clone() })
}

async fn open_manual_lead(tx: &mut Tx, origin: &ClockRng, profile: &OrgProfile, new: &NewLead) -> Result<LeadId> {
    let (id, is_own) = insert_manual_lead(&mut *tx, origin, profile, new).await?;
    if is_own {
        LeadOpened::emit(tx, origin, profile.org.id, id);
    }
    Ok(id)
}

/// The same for an imported list: no webhooks are sent, because nothing happened and the list may be from that program.
///
/// # Errors
/// As for [`create_typed_lead`].
pub async fn create_imported_lead(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    customer: &NewCustomer,
) -> Result<LeadId> {
    let new = NewLead::from_typed(customer)?;
    insert_manual_lead(tx, origin, profile, &new).await.map(|(id, _)| id)
}

async fn insert_manual_lead(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    new: &NewLead,
) -> Result<(LeadId, bool)> {
    let org = profile.org.id;
    let who = customer::match_customer(tx, origin, org, new).await?;
    let request = LeadRequest { new, who: &who, photos: 0, quarantine_reason: None, at: origin.now() };
    let mut rows = Vec::with_capacity(4);
    let (id, open) = request.attach_to_lead(tx, origin, org, &mut rows).await?;
    rows.push(build_touch_insert(origin, org, new, None, id, TouchId(origin.uuid_v7()), false));
    rows.push(live::build_event_insert(origin, org, Topic::Lead, id.0, None));
    insert_all(tx, &rows).await?;
    if !who.is_new {
        let ways = (new.phone_e164.as_ref(), new.email.as_ref());
        customer::contact_use::record_contact_use(&mut *tx, org, who.id, ways, ContactPointProof::Office, origin.now())
            .await?;
        customer::set_aside_omitted(&mut *tx, org, who.id, new, origin.now()).await?;
        if let Some(email) = &new.email {
            customer::contact_use::replace_set_aside_email(tx, org, who.id, email).await?;
        }
    }
    Ok((id, open.is_none()))
}
