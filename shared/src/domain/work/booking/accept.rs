//! Requests that come with a visit: recognised, consented and counted like any form, but answered by the visit's own
//! messages instead of a rule.

use chrono::{DateTime, Utc};

use super::{email_share, unproven};
use crate::{
    documents::template::Language,
    domain::{
        intake::{
            contact_point::{self, ContactPointKind},
            customer::{self, RecognizedCustomer},
            lead::{
                self, FormSender, LeadFormKind, LeadOpened, LeadReceipt, LeadRequest, NewLead, RequestedVisit,
                build_touch_insert, emit_lead_created, find_quarantine_reason, hash_source,
            },
        },
        messaging::{
            conversation::{self, ConversationEvent},
            lead_response::{accept_lead, cancel_missed_call_reminders},
        },
        tenancy::{audit::AuditActor, org::OrgContext},
    },
    platform::{
        db::{AsConn, Tx, batch::insert_all, q},
        email_address::EmailAddress,
        error::Result,
        id::{CustomerId, LeadId, OrgId, TouchId},
        live::{self, Topic},
        phone::Phone,
    },
};

/// Limit of self-booked visits ahead of one customer on which the business has not acted; the next one needs approval,
/// because anyone can type a customer's phone or email.
const MAX_UPCOMING_SELF_BOOKED: i64 = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BookingIntake {
    /// Held for review: it may be a bot's.
    Quarantined(LeadReceipt),
    Accepted(LeadId, BookingMode),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BookingMode {
    Visit,
    Request,
}

/// Keyed hash of the sender's network; none for exempt senders.
pub(crate) fn hash_booking_source(intake: &OrgContext<'_>, sender: &FormSender) -> Option<Vec<u8>> {
    hash_source(intake.secret, sender).filter(|_| !sender.is_exempt)
}

pub(crate) async fn find_proven_contacts(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    new: &NewLead,
) -> Result<(bool, bool)> {
    let phone = match &new.phone_e164 {
        Some(phone) => {
            contact_point::is_proven_contact(&mut *conn, org, customer, (ContactPointKind::Phone, phone.as_e164()))
                .await?
        }
        None => false,
    };
    let email = match &new.email {
        Some(email) => {
            contact_point::is_proven_contact(conn, org, customer, (ContactPointKind::Email, email.as_str())).await?
        }
        None => false,
    };
    Ok((phone, email))
}

/// Whether the form names an address that is not the customer's. Where presses are the only proofs, a form must name
/// every address of the customer, so those that the first press set aside are no unknown ones.
async fn names_unknown_contact(
    conn: &mut dyn AsConn,
    org: OrgId,
    who: &RecognizedCustomer,
    new: &NewLead,
) -> Result<bool> {
    if !who.unknown.has_any() || contact_point::has_stronger_proof(&mut *conn, org, who.id).await? {
        return Ok(who.unknown.has_any());
    }
    let phone = new.phone_e164.as_ref().filter(|_| who.unknown.phone).map(Phone::as_e164);
    let email = new.email.as_ref().filter(|_| who.unknown.email).map(EmailAddress::as_str);
    for (kind, value) in [(ContactPointKind::Phone, phone), (ContactPointKind::Email, email)] {
        if value.is_some() && contact_point::find_proof(&mut *conn, org, who.id, (kind, value)).await?.is_none() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A visit at once needs a proven phone or email, no unknown address, more than a tap in an email, and few visits ahead
/// and few booked today. Cancelled visits count, so cancelling makes no room.
async fn decide_booking_mode(
    conn: &mut dyn AsConn,
    org: OrgId,
    who: &RecognizedCustomer,
    new: &NewLead,
    now: DateTime<Utc>,
) -> Result<BookingMode> {
    if who.is_new
        || names_unknown_contact(&mut *conn, org, who, new).await?
        || find_proven_contacts(&mut *conn, org, who.id, new).await? == (false, false)
        || email_share::is_known_by_email_at_most(&mut *conn, org, who.id).await?
    {
        return Ok(BookingMode::Request);
    }
    let is_full = has_reached_visit_limit(conn, org, who.id, now).await?;
    Ok(if is_full { BookingMode::Request } else { BookingMode::Visit })
}

/// Whether the customer has so many visits ahead, or booked so many today, that the next one needs a tap.
pub(super) async fn has_reached_visit_limit(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    now: DateTime<Utc>,
) -> Result<bool> {
    Ok(count_upcoming_self_booked(&mut *conn, org, customer, now).await? >= MAX_UPCOMING_SELF_BOOKED
        || unproven::count_in_last_day(conn, org, customer, now).await? >= unproven::MAX_PER_DAY)
}

async fn count_upcoming_self_booked(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    now: DateTime<Utc>,
) -> Result<i64> {
    // `listed_at` equals `starts_at` where that is set.
    let sql = "SELECT COUNT(*) FROM job j WHERE j.org_id = $1 AND j.customer_id = $2 AND j.listed_at > $3
             AND j.starts_at > $3 AND j.status = 'scheduled'
             AND EXISTS (SELECT 1 FROM work_event e WHERE e.org_id = j.org_id AND e.job_id = j.id AND e.kind = 'booked')
             AND NOT EXISTS (SELECT 1 FROM work_event e WHERE e.org_id = j.org_id AND e.job_id = j.id
                 AND e.actor_kind = 'account')";
    Ok(q!(conn, fetch_one scalar i64, sql, org, customer, now)?)
}

/// Stores a booking as a visit or a request: as the caller says, or by what is known of the customer. A suspected bot's
/// becomes a held ordinary request with `wish` in its text. The caller writes the visit's audit line.
pub(crate) async fn accept_booking(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    new: &NewLead,
    (wish, as_what): (&RequestedVisit, Option<BookingMode>),
    language: Language,
    sender: &FormSender,
    actor: &AuditActor,
) -> Result<BookingIntake> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    if find_quarantine_reason(&mut *tx, intake, new, sender).await?.is_some() {
        let plain = NewLead {
            form: LeadFormKind::Lead,
            requested_visit: Some(wish.clone()),
            ..with_wish_note(new, &wish.format_note())
        };
        return Ok(BookingIntake::Quarantined(accept_lead(tx, intake, &plain, sender, &[], actor).await?));
    }
    // `wish` is our own English text and says nothing about the customer's language.
    let language = new.detect_language().unwrap_or(language);
    let who = customer::match_customer(&mut *tx, origin, org, new).await?;
    let as_what = match as_what {
        Some(as_what) => as_what,
        // Concurrent bookings of one person wait at the keys, so the second counts the first.
        None => decide_booking_mode(&mut *tx, org, &who, new, origin.now()).await?,
    };
    let asked = with_wish_note(new, &wish.format_note());
    let new = if as_what == BookingMode::Visit { new } else { &asked };
    let request = LeadRequest { new, who: &who, photos: 0, quarantine_reason: None, at: origin.now() };
    let mut rows = Vec::with_capacity(6);
    let (id, open) = request.attach_to_lead(&mut *tx, origin, org, &mut rows).await?;
    rows.push(build_touch_insert(
        origin,
        org,
        new,
        hash_booking_source(intake, sender),
        id,
        TouchId(origin.uuid_v7()),
        true,
    ));
    rows.push(lead::build_consent_insert(intake, new, sender, &who, id));
    rows.push(live::build_event_insert(origin, org, Topic::Lead, id.0, None));
    insert_all(&mut *tx, &rows).await?;
    let (form, words) = (ConversationEvent::Form, new.request_words());
    // A stranger may have typed their address.
    let about = (!who.unknown.has_any()).then_some(id);
    conversation::record_event(&mut *tx, origin, org, who.id, about, form, words).await?;
    let sql = "UPDATE customer SET language = $3 WHERE org_id = $1 AND id = $2 AND (language IS NULL OR $4)";
    q!(&mut *tx, execute, sql, org, who.id, language, who.is_new)?;
    if !who.is_new {
        cancel_missed_call_reminders(&mut *tx, intake, new, &who).await?;
    }
    if as_what == BookingMode::Request && open.is_none() {
        emit_lead_created(tx, intake, &request, id);
        LeadOpened::emit(tx, origin, org, id);
    }
    if request.is_first_released(open.as_ref()) {
        lead::assign_owner_by_rule(tx, intake, id, &new.zip).await?;
    }
    Ok(BookingIntake::Accepted(id, as_what))
}

fn with_wish_note(new: &NewLead, wish: &str) -> NewLead {
    let notes = [Some(wish), new.notes.as_deref()].into_iter().flatten().collect::<Vec<_>>().join("\n");
    NewLead { notes: Some(notes), ..new.clone() }
}
