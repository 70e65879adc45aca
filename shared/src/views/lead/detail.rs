//! The lead detail view: photos, touches, messages, decisions, and events.

use super::{LeadDetail, LeadSummary, waiting::load_waiting_since};
use crate::{
    domain::{
        intake::{
            contact_point::{
                self, ContactPointKind, set_aside::SetAsideContacts, shared_contacts::find_displayed_proof,
            },
            customer::duplicate,
            lead::{
                customer, owner,
                stored_lead::{list_photos, list_touches, load_stored_lead},
            },
            photo_upload,
        },
        messaging::{automation, message, response_sla},
        work::{activity, booking},
    },
    platform::{
        clock::ClockRng,
        db::AsConn,
        email_address::EmailAddress,
        error::Result,
        id::{LeadId, OrgId},
        phone::Phone,
    },
    views::contact_proposal,
};

pub async fn get(conn: &mut dyn AsConn, origin: &ClockRng, org: OrgId, id: LeadId) -> Result<LeadDetail> {
    let row = load_stored_lead(&mut *conn, org, id).await?;
    let photos = list_photos(conn, org, id).await?;
    let others =
        customer::contact_use::list_other_numbers(&mut *conn, org, row.customer_id, row.phone_e164.as_ref()).await?;
    let aside = SetAsideContacts::load_for_customer(&mut *conn, org, row.customer_id).await?;
    let set_aside = others.iter().filter(|phone| aside.has_contact((ContactPointKind::Phone, phone.as_e164())));
    let owner_name = match row.owner_account_id {
        None => None,
        Some(owner) => owner::find_owner_name(&mut *conn, org, owner).await?,
    };
    let promise = response_sla::list_promises_of_leads(&mut *conn, org, &[id]).await?.remove(&id);
    let waiting_since = load_waiting_since(&mut *conn, org, &[id], origin.now()).await?.remove(&id);
    let to = contact_point::load_lead_recipient(&mut *conn, org, id).await?;
    let phone = (ContactPointKind::Phone, to.phone.as_ref().map(Phone::as_e164));
    let phone_proof = find_displayed_proof(&mut *conn, org, row.customer_id, phone).await?;
    let email = (ContactPointKind::Email, to.email.as_ref().map(EmailAddress::as_str));
    let email_proof = find_displayed_proof(&mut *conn, org, row.customer_id, email).await?;
    let photo_urls = photos.iter().map(|(_, photo)| photo.url.clone()).collect();
    Ok(LeadDetail {
        summary: LeadSummary::from_stored(&row, photo_urls, promise, waiting_since),
        customer_id: row.customer_id,
        phone_proof,
        email_proof,
        other_phones: others.iter().map(|phone| phone.format_display().into_owned()).collect(),
        other_set_aside: set_aside.map(|phone| phone.format_display().into_owned()).collect(),
        also_gave: contact_proposal::list_open_proposals(&mut *conn, org, row.customer_id).await?,
        duplicates: duplicate::find_request_duplicates(&mut *conn, org, row.customer_id).await?,
        held_visit: booking::find_held_visit(&mut *conn, org, id, origin.now()).await?,
        messages: message::list_messages_with_shared_notices(conn, org, id).await?,
        touches: list_touches(conn, org, (id, row.name.as_str()), &photos).await?,
        decisions: automation::list_decisions_of_lead(conn, org, id).await?,
        events: activity::list_lead_events(conn, org, id).await?,
        photos: photos.into_iter().map(|(_, photo)| photo).collect(),
        photos_waiting: photo_upload::count_by_lead(conn, org, id).await?,
        owner_name,
        address: row.address,
        timeline_preference: row.timeline,
        budget_range: row.budget,
        attribution: row.attribution.0,
    })
}
