//! Requests that the business itself enters, one by one or as a list. No rule answers them.

use super::{
    LeadOpened, NewCustomer, NewLead, customer,
    store::{LeadRequest, build_touch_insert},
};
use crate::{
    domain::{intake::contact_point::ContactPointProof, tenancy::org::OrgProfile},
    platform::{
        clock::ClockRng,
        db::{Tx, batch::insert_all},
        error::Result,
        id::{LeadId, TouchId},
        live::{self, Topic},
    },
};

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
    let (id, is_own) = insert_manual_lead(&mut *tx, origin, profile, customer).await?;
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
    insert_manual_lead(tx, origin, profile, customer).await.map(|(id, _)| id)
}

async fn insert_manual_lead(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    customer: &NewCustomer,
) -> Result<(LeadId, bool)> {
    let (new, org) = (NewLead::from_typed(customer)?, profile.org.id);
    let who = customer::match_customer(tx, origin, org, &new).await?;
    let request = LeadRequest { new: &new, who: &who, photos: 0, quarantine_reason: None, at: origin.now() };
    let mut rows = Vec::with_capacity(4);
    let (id, open) = request.attach_to_lead(tx, origin, org, &mut rows).await?;
    rows.push(build_touch_insert(origin, org, &new, None, id, TouchId(origin.uuid_v7()), false));
    rows.push(live::build_event_insert(origin, org, Topic::Lead, id.0, None));
    insert_all(tx, &rows).await?;
    if !who.is_new {
        let ways = (new.phone_e164.as_ref(), new.email.as_ref());
        customer::contact_use::record_contact_use(&mut *tx, org, who.id, ways, ContactPointProof::Office, origin.now())
            .await?;
        customer::set_aside_omitted(tx, org, who.id, &new, origin.now()).await?;
    }
    Ok((id, open.is_none()))
}
