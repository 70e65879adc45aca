//! Booking requests: visits asked for with an unproven phone or email, or for a customer with several visits ahead. Any
//! address can be typed in, so the time is held for fifteen minutes and booked after one tap: a button behind the sent
//! link, or an answer to the text. Until then, and without a tap, it is an ordinary lead.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sqlx::{FromRow, types::Json};
use uuid::Uuid;

use super::{
    accept, email_share,
    hold::{self, SlotHold},
    not_held::NotHeldReason,
    take::{self, BookingResult, QuestionsSent},
};
use crate::{
    conflicts::ConflictCode,
    documents::template::Language,
    domain::{
        intake::{
            contact_point::{self, ContactPointKind},
            lead::{FormSender, NewLead},
        },
        messaging::{
            alert, followup,
            message::{self, MessageChannel, OutlookState},
        },
        tenancy::org::OrgContext,
        work::{job, pipeline},
    },
    platform::{
        access_link::AccessLink,
        db::{
            AsConn, Tx,
            batch::{Insert, insert_rows},
            batch_row, q,
        },
        error::{Error, Result},
        id::{CrewId, CustomerId, HoldId, JobId, LeadId, MessageId, OrgId},
        phone::Phone,
    },
};

mod confirmation_question;
mod first_tap;
mod office_request;
mod unproven_limits;

use confirmation_question::{ConfirmationQuestion, QuestionChannels};
pub(super) use first_tap::{count_first_tap, is_first_proof};

/// How long a time is held for an unproven customer.
pub const CONFIRMATION_WINDOW: Duration = Duration::minutes(15);
/// Keys of the alerts of [`office_request::notify_business`].
pub(super) const REQUEST_ALERTS: &str = "unproven:request:%";

#[derive(Clone, Debug, Serialize, Deserialize)]
struct BookingRequestDetails {
    name: String,
    service: String,
    zip: String,
    address: Option<String>,
    notes: Option<String>,
    language: Language,
}

impl BookingRequestDetails {
    fn into_visit(self) -> take::BookedVisitDetails {
        take::BookedVisitDetails {
            name: self.name,
            service: self.service,
            zip: self.zip,
            address: self.address,
            notes: self.notes,
        }
    }
}

#[derive(FromRow)]
struct BookingRequestRow {
    id: HoldId,
    lead_id: LeadId,
    crew_id: CrewId,
    starts_at: DateTime<Utc>,
    ends_at: DateTime<Utc>,
    wish: Json<BookingRequestDetails>,
    expires_at: DateTime<Utc>,
    confirmed_at: Option<DateTime<Utc>>,
    denied_at: Option<DateTime<Utc>>,
    job_id: Option<JobId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookingRequest {
    pub starts_at: DateTime<Utc>,
    pub service: String,
    pub language: Language,
    pub expires_at: DateTime<Utc>,
    pub job: Option<JobId>,
    /// Whether it can be booked now.
    pub is_free: bool,
    /// Whether a press in the email gave it to the office to confirm.
    pub is_with_office: bool,
    /// Whether a press behind this link books it all the same: it was texted, and a phone is a stronger proof.
    pub is_texted: bool,
    /// When the phone that was asked wrote that the request is not theirs.
    pub denied_at: Option<DateTime<Utc>>,
}

impl BookingRequestRow {
    fn to_slot_hold(&self) -> SlotHold {
        SlotHold {
            id: self.id,
            crew_id: self.crew_id,
            starts_at: self.starts_at,
            ends_at: self.ends_at,
            expires_at: self.expires_at,
        }
    }

    /// A tap in an email handed it over, and books no more; a tap in a text still does.
    fn is_with_office(&self) -> bool {
        self.confirmed_at.is_some() && self.job_id.is_none()
    }
}

/// Holds the time and asks for the tap. Without an open channel, or beyond the limits, nothing is held and a person of
/// the business answers. If the question waits, for example for the worker, the time is held but no tap is announced:
/// should the question leave in time, its link keeps the time.
pub(super) async fn request_confirmation(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    held: &SlotHold,
    (lead, new): (LeadId, &NewLead),
    language: Language,
    sender: &FormSender,
) -> Result<BookingResult> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let reference = crate::domain::intake::lead::lead_reference(lead);
    let source = accept::hash_booking_source(ctx, sender);
    pipeline::lock_stage(&mut *tx, org, lead).await?;
    let crew = take::recheck_free_crew(&mut *tx, ctx, held).await?;
    let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
    let customer = q!(&mut *tx, fetch_one scalar CustomerId, sql, org, lead)?;
    let mut ways = QuestionChannels::load_for_lead(&mut *tx, ctx, new, (customer, language)).await?;
    let held = &SlotHold { crew_id: crew, ..*held };
    let not_held = unproven_limits::find_not_held_reason(&mut *tx, ctx, held, &ways, customer, sender).await?;
    let asks = ConfirmationQuestion { ctx, held, customer, lead, language, name: new.name.clone() };
    let email_ref = origin.random_uuid();
    let expires_at = origin.now() + if not_held.is_none() { CONFIRMATION_WINDOW } else { Duration::zero() };
    let mut sent = QuestionsSent::default();
    if let Some(reason) = not_held {
        hold::release_hold(&mut *tx, org, held.id).await?;
        let source = (None, email_ref, expires_at);
        let row = build_request_insert(
            ctx,
            held,
            (lead, new),
            &QuestionChannels::without_channels(),
            language,
            source,
            not_held,
        );
        insert_rows(&mut *tx, &row).await?;
        if let Some(email) = ways.email.filter(|_| reason.gets_receipt()) {
            asks.queue_receipt(&mut *tx, email).await?;
        }
    } else {
        extend_hold(&mut *tx, org, held, crew, expires_at).await?;
        // Of two requests at one moment the second has waited for the row of the hold.
        check_not_requested(&mut *tx, org, held.id).await?;
        let unasked = unproven_limits::take_email_beyond_share(&mut *tx, ctx, held, &mut ways, customer).await?;
        let source = (source, email_ref, expires_at);
        let row = build_request_insert(ctx, held, (lead, new), &ways, language, source, None);
        insert_rows(&mut *tx, &row).await?;
        let questions = asks.queue_questions(&mut *tx, &ways, email_ref).await?;
        if let Some(email) = unasked {
            asks.queue_receipt(&mut *tx, email).await?;
        }
        job::announce_schedule(&mut *tx, origin, org).await?;
        sent = find_leaving_questions(&mut *tx, ctx, &questions).await?;
    }
    let until = sent.is_any().then_some(expires_at);
    let visit = take::BookedVisitDetails::from_lead(new);
    office_request::notify_business(tx, ctx, held, (customer, lead, &visit), until).await?;
    Ok(BookingResult::Asked { reference, until, starts_at: held.starts_at, sent })
}

/// A wish for a time that is neither held nor asked about.
pub(super) async fn record_unheld_request(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    held: &SlotHold,
    whose: (LeadId, &NewLead),
    language: Language,
) -> Result<()> {
    let (nobody, source) = (QuestionChannels::without_channels(), (None, ctx.origin.random_uuid(), ctx.origin.now()));
    let reason = Some(NotHeldReason::LimitReached);
    let row = build_request_insert(ctx, held, whose, &nobody, language, source, reason);
    insert_rows(tx, &row).await.map(|_| ())
}

/// One held time is asked about once: another form under the same hold has to choose its own time.
pub(super) async fn check_not_requested(conn: &mut dyn AsConn, org: OrgId, held: HoldId) -> Result<()> {
    let sql = "SELECT EXISTS (SELECT 1 FROM booking_request WHERE org_id = $1 AND id = $2)";
    if q!(conn, fetch_one scalar bool, sql, org, held)? {
        return Err(ConflictCode::BookingAlreadyAsked.into_error());
    }
    Ok(())
}

async fn find_leaving_questions(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    questions: &[(MessageChannel, MessageId)],
) -> Result<QuestionsSent> {
    let (org, mut sent) = (ctx.profile.org.id, QuestionsSent::default());
    for (channel, id) in questions {
        let outlook = message::load_outlook(&mut *conn, ctx.origin, ctx.set_up, org, *id).await?;
        let leaves = outlook.is_some_and(|outlook| outlook.state == OutlookState::Leaves);
        match channel {
            MessageChannel::Sms => sent.by_text |= leaves,
            MessageChannel::Email => sent.by_email |= leaves,
        }
    }
    Ok(sent)
}

/// Clears the network: the time no longer counts among those that its visitors are choosing. It still counts for the
/// surrounding network.
async fn extend_hold(tx: &mut Tx, org: OrgId, held: &SlotHold, crew: CrewId, until: DateTime<Utc>) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE slot_hold SET crew_id = $3, expires_at = $4, source_hash = NULL WHERE org_id = $1 AND id = $2",
        org,
        held.id,
        crew,
        until
    )?;
    Ok(())
}

fn build_request_insert<'a>(
    ctx: &OrgContext<'_>,
    held: &SlotHold,
    (lead, new): (LeadId, &NewLead),
    ways: &QuestionChannels,
    language: Language,
    (source, email_ref, expires_at): (Option<Vec<u8>>, Uuid, DateTime<Utc>),
    not_held: Option<NotHeldReason>,
) -> Insert<'a> {
    let wish = BookingRequestDetails {
        name: new.name.clone(),
        service: new.service.clone(),
        zip: new.zip.clone(),
        address: new.address.clone(),
        notes: new.notes.clone(),
        language,
    };
    batch_row!(booking_request {
        org_id: ctx.profile.org.id,
        id: held.id,
        lead_id: lead,
        email_ref,
        crew_id: held.crew_id,
        starts_at: held.starts_at,
        ends_at: held.ends_at,
        wish: Json(wish),
        phone: ways.phone.clone(),
        email: ways.email.clone(),
        source_hash: source,
        created_at: ctx.origin.now(),
        expires_at,
        not_held,
    })
}

#[derive(Clone, Copy, Debug)]
pub enum ConfirmationSource<'a> {
    Link(&'a AccessLink),
    Text(HoldId),
}

impl ConfirmationSource<'_> {
    fn is_email(self) -> bool {
        match self {
            Self::Link(link) => matches!(contact_point::link_address(link), Some((ContactPointKind::Email, _))),
            Self::Text(_) => false,
        }
    }
}

/// What a tap or an answer made of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookingConfirmation {
    Booked(JobId),
    /// The share of the day for people known only by an email is used up: the office confirms.
    WithOffice(LeadId),
    /// An earlier tap handed it over.
    AlreadyWithOffice,
}

const COLUMNS: &str = "SELECT id, lead_id, crew_id, starts_at, ends_at, wish, expires_at, confirmed_at, denied_at,
         job_id
     FROM booking_request WHERE org_id = $1 AND (id = $2 OR email_ref = $2)";

pub async fn load_request(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, link: &AccessLink) -> Result<BookingRequest> {
    let (org, subject) = (ctx.profile.org.id, link.subject_id);
    let row = q!(&mut *conn, fetch_optional as BookingRequestRow, COLUMNS, org, subject)?.ok_or(Error::NotFound)?;
    let (is_with_office, is_texted) = (row.is_with_office(), !ConfirmationSource::Link(link).is_email());
    let is_free = take::find_crew_for_hold(conn, ctx, &row.to_slot_hold()).await?.is_some();
    Ok(BookingRequest {
        starts_at: row.starts_at,
        service: row.wish.0.service,
        language: row.wish.0.language,
        expires_at: row.expires_at,
        job: row.job_id,
        is_free,
        is_with_office,
        is_texted,
        denied_at: row.denied_at,
    })
}

/// Books the request; after the fifteen minutes too, while the time is free. A second tap finds what the first made of it.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Conflict`] when the time is no longer free, or the request was denied.
pub async fn confirm_request(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    tap: ConfirmationSource<'_>,
) -> Result<BookingConfirmation> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let subject = match tap {
        ConfirmationSource::Link(link) => link.subject_id,
        ConfirmationSource::Text(id) => id.0,
    };
    let asked = q!(&mut *tx, fetch_optional as BookingRequestRow, COLUMNS, org, subject)?.ok_or(Error::NotFound)?;
    // Lock order: the lead before the crews. A second tap waits here.
    pipeline::lock_stage(&mut *tx, org, asked.lead_id).await?;
    let row = q!(&mut *tx, fetch_optional as BookingRequestRow, COLUMNS, org, subject)?.ok_or(Error::NotFound)?;
    if let Some(job) = row.job_id {
        // The tap at the other address proves that one too.
        if let ConfirmationSource::Link(link) = tap {
            contact_point::record_link_answer(&mut *tx, origin, link).await?;
        }
        return Ok(BookingConfirmation::Booked(job));
    }
    if row.denied_at.is_some() {
        return Err(ConflictCode::SlotTaken.into_error());
    }
    if tap.is_email() && row.is_with_office() {
        return Ok(BookingConfirmation::AlreadyWithOffice);
    }
    let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
    let customer = q!(&mut *tx, fetch_one scalar CustomerId, sql, org, row.lead_id)?;
    if let ConfirmationSource::Link(link) = tap {
        contact_point::record_link_answer(&mut *tx, origin, link).await?;
    }
    let held = row.to_slot_hold();
    let visit = row.wish.0.into_visit();
    let crew = take::recheck_free_crew(&mut *tx, ctx, &held).await?;
    // Within its minutes the question keeps the time that it promised: it was counted in the share when it was sent.
    let is_late = held.expires_at <= origin.now();
    let time = (held.starts_at, held.ends_at);
    if tap.is_email() && is_late && email_share::is_beyond_share(&mut *tx, ctx, time, customer).await? {
        office_request::hand_to_office(tx, ctx, &held, (customer, row.lead_id, &visit)).await?;
        return Ok(BookingConfirmation::WithOffice(row.lead_id));
    }
    if matches!(tap, ConfirmationSource::Link(link) if link.sent_to().is_some()) {
        followup::cancel_on_conversation(&mut *tx, origin, org, customer, "they have booked a visit").await?;
    }
    hold::release_hold(&mut *tx, org, held.id).await?;
    let job = take::create_visit_job(&mut *tx, ctx, &held, crew, row.lead_id, &visit).await?;
    let sql = "UPDATE booking_request SET confirmed_at = $3, job_id = $4 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, row.id, origin.now(), job)?;
    // The tap also confirms the visit.
    let sql = "UPDATE job SET confirmed_at = $3 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, job, origin.now())?;
    message::cancel_all_about(&mut *tx, origin, org, row.id.0, "the visit is booked already").await?;
    alert::settle_lead_alerts(&mut *tx, origin, org, row.lead_id, REQUEST_ALERTS).await?;
    take::notify_booked(tx, ctx, &held, (job, row.lead_id), &visit).await?;
    Ok(BookingConfirmation::Booked(job))
}

pub(crate) async fn find_pending_by_phone(
    conn: &mut dyn AsConn,
    org: OrgId,
    phone: &Phone,
    now: DateTime<Utc>,
) -> Result<Option<HoldId>> {
    let sql = "SELECT id FROM booking_request WHERE org_id = $1 AND phone = $2 AND expires_at > $3
         AND confirmed_at IS NULL AND denied_at IS NULL ORDER BY expires_at DESC LIMIT 1";
    Ok(q!(conn, fetch_optional scalar HoldId, sql, org, phone.as_e164(), now)?)
}

#[must_use]
pub fn is_slot_taken(error: &Error) -> bool {
    matches!(error, Error::Conflict(why) if why.conflict_code() == ConflictCode::SlotTaken)
}
