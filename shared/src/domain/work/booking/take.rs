//! Booking of a held time: checked again when written, with customer, lead and job in one transaction, and the owner
//! alerted.

use chrono::{DateTime, Utc};
use serde_json::json;

use super::{
    accept::{BookingIntake, BookingMode, accept_booking, hash_booking_source},
    hold::{self, SlotHold, release_hold},
    request,
    slots::{AvailabilityCalendar, AvailabilityExclusions},
    unproven, validate_service_and_zip,
};
use crate::{
    conflicts::ConflictCode,
    documents::template::Language,
    domain::{
        intake::{
            customer,
            lead::{self, BookingForm, FormSender, NewLead, RequestedVisit, service_label},
        },
        messaging::alert::{self, NewAlert},
        tenancy::{
            activity_log::{self, ActivityActor, EventKind, NewEvent},
            audit::AuditActor,
            org::{OrgContext, OrgProfile},
        },
        work::{
            crew::lock_bookable_crews,
            job::{self, NewJob},
            pipeline, visit,
        },
    },
    platform::{
        access_link::{self, AccessLink, LinkKind},
        db::{AsConn, Tx},
        error::{Error, Result},
        id::{CrewId, HoldId, JobId, LeadId, LinkId, OrgId},
    },
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BookingResult {
    /// `visit_page_path` is the page of the visit.
    Booked { reference: String, job: JobId, path: String },
    /// A person of the business answers it.
    Waiting { reference: String },
    /// A request, held until then for one tap; none where a person of the business answers.
    Asked { reference: String, until: Option<DateTime<Utc>>, starts_at: DateTime<Utc>, sent: QuestionsSent },
}

/// Channels by which the question to the customer leaves at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuestionsSent {
    pub by_text: bool,
    pub by_email: bool,
}

impl QuestionsSent {
    pub(super) fn is_any(self) -> bool {
        self.by_text || self.by_email
    }
}

/// Books a hold. An expired hold counts while the time is free.
///
/// # Errors
/// [`Error::Invalid`], naming the fields; [`Error::Conflict`] when the time is no longer free.
pub async fn take_booking(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: HoldId,
    form: &BookingForm,
    language: Language,
    sender: &FormSender,
    actor: &AuditActor,
) -> Result<BookingResult> {
    let (profile, org) = (ctx.profile, ctx.profile.org.id);
    if !profile.accepts_bookings() {
        return Err(ConflictCode::BookingOff.into_error());
    }
    let new = NewLead::from_booking_form(form)?;
    let (_, zip) = validate_service_and_zip(profile, &new.service, &new.zip)?;
    let new = NewLead { zip, ..new };
    let held = hold::find(&mut *tx, org, id).await?.ok_or(ConflictCode::SlotHoldExpired.into_error())?;
    request::check_not_requested(&mut *tx, org, id).await?;
    let when = |language| format_visit_time(ctx, &held, language);
    let wish = RequestedVisit { english: when(Language::En), spanish: when(Language::Es) };
    let (lead, as_what) = match accept_booking(&mut *tx, ctx, &new, (&wish, None), language, sender, actor).await? {
        BookingIntake::Quarantined(receipt) => {
            release_hold(tx, org, id).await?;
            return Ok(BookingResult::Waiting { reference: receipt.reference });
        }
        BookingIntake::Accepted(lead, as_what) => (lead, as_what),
    };
    if as_what == BookingMode::Request {
        return request::request_confirmation(tx, ctx, &held, (lead, &new), language, sender).await;
    }
    // Lock order: the lead before the crews.
    pipeline::lock_stage(&mut *tx, org, lead).await?;
    let crew = recheck_free_crew(&mut *tx, ctx, &held).await?;
    release_hold(&mut *tx, org, id).await?;
    let visit = BookedVisitDetails::from_lead(&new);
    let job = create_visit_job(&mut *tx, ctx, &held, crew, lead, &visit).await?;
    let alert = build_booked_alert(&mut *tx, ctx, &held, (job, lead), &visit).await?;
    unproven::record_unproven_change(&mut *tx, ctx, job, alert).await?;
    let source = hash_booking_source(ctx, sender);
    let path = sender_visit_page_path(tx, ctx, job, source.as_deref()).await?;
    Ok(BookingResult::Booked { reference: lead::lead_reference(lead), job, path })
}

/// Page of a booked visit for the sender of the form; it shows nothing that is on file.
///
/// # Errors
/// [`Error::Internal`] when it has none, which booking rules out.
pub async fn visit_page_path(tx: &mut Tx, ctx: &OrgContext<'_>, job: JobId) -> Result<String> {
    let (org, kind) = (ctx.profile.org.id, LinkKind::Visit);
    let opened = find_visit_link(&mut *tx, org, job).await?;
    access_link::copy::build_form_path(tx, ctx.origin, ctx.secret, (org, opened, kind)).await
}

/// The same for who booked the visit at once by a form, with the network that it came from ([`is_booked_from`]).
///
/// # Errors
/// Those of [`visit_page_path`].
pub(super) async fn sender_visit_page_path(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    job: JobId,
    source: Option<&[u8]>,
) -> Result<String> {
    let (org, kind) = (ctx.profile.org.id, LinkKind::Visit);
    let opened = find_visit_link(&mut *tx, org, job).await?;
    access_link::copy::build_source_path(tx, ctx.origin, ctx.secret, (org, opened, kind), source).await
}

/// Whether a form from this network booked the visit at once.
pub(super) async fn is_booked_from(
    conn: &mut dyn AsConn,
    org: OrgId,
    job: JobId,
    source: Option<&[u8]>,
) -> Result<bool> {
    let opened = find_visit_link(&mut *conn, org, job).await?;
    access_link::copy::has_source_copy(conn, org, opened, source).await
}

/// The same for the customer, by the address that a link of theirs was sent to.
///
/// # Errors
/// Those of [`visit_page_path`].
pub async fn customer_visit_page_path(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    job: JobId,
    link: &AccessLink,
) -> Result<String> {
    let Some(to) = link.sent_to() else { return visit_page_path(tx, ctx, job).await };
    let org = ctx.profile.org.id;
    let opened = find_visit_link(&mut *tx, org, job).await?;
    let copy = access_link::copy::ensure_copy(tx, ctx.origin, org, opened, to).await?;
    Ok(access_link::build_path(ctx.secret, copy.unwrap_or(opened), LinkKind::Visit))
}

async fn find_visit_link(conn: &mut dyn AsConn, org: OrgId, job: JobId) -> Result<LinkId> {
    let opened = access_link::find_active(conn, org, LinkKind::Visit, job.0).await?;
    opened.ok_or_else(|| Error::Internal(format!("job {job}: a booked visit has no page")))
}

pub(super) struct BookedVisitDetails {
    pub name: String,
    pub service: String,
    pub zip: String,
    pub address: Option<String>,
    pub notes: Option<String>,
}

impl BookedVisitDetails {
    pub(super) fn from_lead(new: &NewLead) -> Self {
        Self {
            name: new.name.clone(),
            service: new.service.clone(),
            zip: new.zip.clone(),
            address: new.address.clone(),
            notes: new.notes.clone(),
        }
    }
}

/// Crew for the visit, checked again under the lock.
pub(super) async fn recheck_free_crew(tx: &mut Tx, ctx: &OrgContext<'_>, held: &SlotHold) -> Result<CrewId> {
    lock_bookable_crews(&mut *tx, ctx.profile.org.id).await?;
    find_crew_for_hold(tx, ctx, held).await?.ok_or(ConflictCode::SlotTaken.into_error())
}

pub(super) async fn find_crew_for_hold(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    held: &SlotHold,
) -> Result<Option<CrewId>> {
    find_crew_of_business(conn, ctx.profile, ctx.origin.now(), held).await
}

/// A crew that is free at the held time, preferably the held one. None for a past time; the hold may be old, so the
/// minimum notice is not checked again.
pub(super) async fn find_crew_of_business(
    conn: &mut dyn AsConn,
    profile: &OrgProfile,
    now: DateTime<Utc>,
    held: &SlotHold,
) -> Result<Option<CrewId>> {
    if held.starts_at <= now {
        return Ok(None);
    }
    let but = AvailabilityExclusions { hold: Some(held.id), ..AvailabilityExclusions::default() };
    let free = AvailabilityCalendar::load_between(conn, profile, now, (held.starts_at, held.ends_at), but).await?;
    let free = free.find_free_crews(held.starts_at, held.ends_at);
    let kept = free.iter().find(|crew| **crew == held.crew_id);
    Ok(kept.or(free.first()).copied())
}

pub(super) async fn create_visit_job(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    held: &SlotHold,
    crew: CrewId,
    lead: LeadId,
    new: &BookedVisitDetails,
) -> Result<JobId> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let by = ActivityActor::Customer { name: new.name.clone() };
    let wanted = NewJob {
        lead_id: Some(lead),
        service: Some(new.service.clone()),
        description: new.notes.clone(),
        address: new.address.clone(),
        zip: Some(new.zip.clone()),
        crew_id: Some(crew),
        starts_at: Some(held.starts_at),
        duration_minutes: Some((held.ends_at - held.starts_at).num_minutes()),
        ..NewJob::default()
    };
    let job = job::create(&mut *tx, origin, ctx.profile, &wanted, &by).await?;
    let event = NewEvent {
        job: Some(job),
        detail: json!({"startsAt": held.starts_at, "endsAt": held.ends_at}),
        ..NewEvent::new(lead, EventKind::Booked, origin.now(), by)
    };
    activity_log::record_event(tx, origin, org, event).await?;
    Ok(job)
}

pub(super) async fn notify_booked(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    held: &SlotHold,
    (job, lead): (JobId, LeadId),
    new: &BookedVisitDetails,
) -> Result<()> {
    let alert = build_booked_alert(&mut *tx, ctx, held, (job, lead), new).await?;
    alert::raise_alert(tx, ctx.origin, ctx.profile, alert).await?;
    Ok(())
}

pub(super) async fn build_booked_alert(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    held: &SlotHold,
    (job, lead): (JobId, LeadId),
    new: &BookedVisitDetails,
) -> Result<NewAlert> {
    let name = customer::load_display_name(tx, ctx.profile.org.id, lead, &new.name).await?;
    let title = format!("{name} booked a visit");
    let address = new.address.as_deref().unwrap_or_default();
    let body = format!("{}: {}, {address}", format_visit_time(ctx, held, Language::En), service_label(&new.service));
    let alert = NewAlert::new(alert::AlertKind::VisitBooked, format!("booked:{job}"), title, body);
    Ok(NewAlert { lead: Some(lead), path: Some(format!("/app/jobs/{job}")), ..alert })
}

pub(super) fn format_visit_time(ctx: &OrgContext<'_>, held: &SlotHold, language: Language) -> String {
    let arrival = ctx.profile.settings.jobs.arrival_minutes;
    visit::words::format_arrival_window(held.starts_at, arrival, ctx.profile.org.zone(), language)
}
