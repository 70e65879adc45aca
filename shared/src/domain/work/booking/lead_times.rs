//! Free times that are offered after a request: the visit belongs to the lead that the request made.
//!
//! A choice behind a link that was sent to an address of the customer is proven and books at once, within the share of
//! people known only by an email and, for a person unknown until then, within the limits of a day. One behind the link
//! shown after the form, or sent to an address that is not the customer's, is held as on the booking page; after the
//! form, a known person books at once.

use chrono::{DateTime, Duration, NaiveDate, Utc};
use sqlx::FromRow;

use super::{
    accept, email_share,
    hold::{self, SlotHold, TimeWish},
    hold_limits::HoldSource,
    request,
    slots::{self, AvailabilityExclusions, TimesOffer},
    take::{self, BookedVisitDetails, BookingResult, QuestionsSent},
    unproven,
};
use crate::{
    conflicts::ConflictCode,
    documents::template::Language,
    domain::{
        intake::{
            contact_point,
            lead::{self, FormSender, LeadFormKind, NewLead},
        },
        messaging::{alert, followup, message},
        tenancy::org::{OrgContext, OrgProfile},
        work::{crew::lock_bookable_crews, pipeline, visit},
    },
    platform::{
        access_link::AccessLink,
        db::{AsConn, Tx, q},
        error::{FieldErrors, Result},
        id::{HoldId, JobId, LeadId, OrgId, TouchId},
        text::single_line,
    },
};

const MAX_ADDRESS: usize = 300;

#[derive(Clone, Copy, Debug)]
pub struct ChosenTime<'a> {
    pub starts_at: DateTime<Utc>,
    /// As typed; needed where no address is known.
    pub address: Option<&'a str>,
    pub language: Language,
    pub sender: &'a FormSender,
}

impl ChosenTime<'_> {
    /// # Errors
    /// `Error::Invalid`, naming the address.
    pub(super) fn parse_address(&self, known: Option<String>) -> Result<String> {
        let mut errors = FieldErrors::default();
        let typed = single_line("address", self.address, MAX_ADDRESS).parse_optional(&mut errors);
        let address = typed.or(known);
        if address.is_none() {
            errors.add("address", "Address is required");
        }
        errors.into_result()?;
        Ok(address.unwrap_or_default())
    }
}

/// What a choice came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimeChoice {
    Made(BookingResult),
    /// An earlier choice stands: nothing is changed. With its time, which may be another than the chosen one.
    Repeated(BookingResult, DateTime<Utc>),
}

/// A request with its lead.
struct TimesRequest {
    inquiry: lead::stored_lead::StoredInquiry,
    lead: lead::stored_lead::StoredLead,
    /// Whether the link was sent to an address of the customer. The answer to a form goes to any address typed there,
    /// also to a stranger's.
    is_customers_link: bool,
}

impl TimesRequest {
    async fn find(conn: &mut dyn AsConn, org: OrgId, link: &AccessLink) -> Result<Option<Self>> {
        let found = lead::stored_lead::find_inquiry(&mut *conn, org, TouchId(link.subject_id)).await?;
        let Some(inquiry) = found else { return Ok(None) };
        let lead = lead::stored_lead::load_stored_lead(&mut *conn, org, inquiry.lead_id).await?;
        let is_customers_link = match contact_point::link_address(link) {
            Some(point) => contact_point::is_usable_contact(conn, org, lead.customer_id, point).await?,
            None => false,
        };
        Ok(Some(Self { inquiry, lead, is_customers_link }))
    }

    /// None where no time is offered for it.
    fn visit_length(&self, profile: &OrgProfile) -> Option<Duration> {
        let zip = self.inquiry.submission.0.zip.as_deref().unwrap_or_default();
        let minutes = profile.offered_minutes(&self.inquiry.service, zip).filter(|_| self.lead.stage.is_open())?;
        Some(Duration::minutes(minutes))
    }

    /// What the sender typed; on a link that was sent to the customer also what is on file.
    fn known_address(&self) -> Option<String> {
        let on_file = || self.lead.address.clone().filter(|_| self.is_customers_link);
        self.inquiry.submission.0.address.clone().or_else(on_file)
    }

    fn visit_details(&self, address: String) -> BookedVisitDetails {
        BookedVisitDetails {
            name: self.lead.name.clone(),
            service: self.lead.service.clone(),
            zip: self.lead.zip.clone(),
            address: Some(address),
            notes: None,
        }
    }

    /// Nothing that the sender typed is new: the lead has it already.
    fn to_new_lead(&self, address: String) -> NewLead {
        NewLead { form: LeadFormKind::Booking, address: Some(address), notes: None, ..NewLead::from_stored(&self.lead) }
    }
}

/// None where no time can be chosen. A link without a request shows times like any other.
pub async fn offer_lead_times(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    link: &AccessLink,
    from: Option<NaiveDate>,
    language: Language,
) -> Result<Option<TimesOffer>> {
    let profile = ctx.profile;
    let found = TimesRequest::find(&mut *conn, profile.org.id, link).await?;
    let length = match &found {
        Some(request) => request.visit_length(profile),
        None => profile.accepts_bookings().then(|| Duration::minutes(profile.settings.jobs.duration_minutes)),
    };
    let Some(length) = length else { return Ok(None) };
    let needs_address = found.is_none_or(|request| request.known_address().is_none());
    let visit = (length, profile.settings.jobs.arrival_minutes);
    let none_left_out = AvailabilityExclusions::default();
    let by_day = slots::load_offer(conn, ctx.origin, profile, visit, none_left_out, from, language).await?;
    Ok(Some(TimesOffer::from_slots(by_day, length, needs_address)))
}

/// Books the time, holds it until a tap, or gives it to the office. The same choice again finds what the first made of
/// it.
///
/// # Errors
/// `Error::Invalid`, naming the address; `Error::Conflict` when the time is no longer free, or none can be chosen.
pub async fn choose_lead_time(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    link: &AccessLink,
    chosen: &ChosenTime<'_>,
) -> Result<TimeChoice> {
    let (profile, org) = (ctx.profile, ctx.profile.org.id);
    let Some(seen) = TimesRequest::find(&mut *tx, org, link).await? else {
        let reference = lead::lead_reference(LeadId(link.subject_id));
        return Ok(TimeChoice::Made(BookingResult::Waiting { reference }));
    };
    pipeline::lock_stage(&mut *tx, org, seen.lead.id).await?;
    // The state of the lead as of the lock.
    let request = TimesRequest::find(&mut *tx, org, link).await?.unwrap_or(seen);
    let length = request.visit_length(profile).ok_or_else(|| ConflictCode::BookingOff.into_error())?;
    if request.lead.held_reason.is_some() {
        return record_held_wish(tx, ctx, &request, chosen, length).await;
    }
    if let Some((made, at)) = find_earlier_choice(&mut *tx, ctx, (&request, link), chosen).await? {
        return Ok(TimeChoice::Repeated(made, at));
    }
    let address = chosen.parse_address(request.known_address())?;
    let wish =
        TimeWish { starts_at: chosen.starts_at, length, instead: None, source: HoldSource::of_sender(chosen.sender) };
    // Lock order: the lead before the crews, and the crews before the holds.
    lock_bookable_crews(&mut *tx, org).await?;
    release_earlier_holds(&mut *tx, ctx, &request, chosen.sender).await?;
    let done = match decide_proof(&mut *tx, ctx, (&request, link, address.as_str()), wish, chosen).await? {
        None => ask_for_tap(&mut *tx, ctx, (&request, address), wish, chosen).await?,
        Some(proof) => book_at_once(&mut *tx, ctx, (&request, address), wish, proof).await?,
    };
    if is_confirmed_by_message(&mut *tx, ctx, &done).await? {
        let why = "they have chosen a time, which has its own message";
        message::cancel_form_answers(tx, ctx.origin, org, request.lead.id, why).await?;
    }
    Ok(TimeChoice::Made(done))
}

/// Whether a question or the words of the visit follow, so that an answer to the form that has not left is not needed.
async fn is_confirmed_by_message(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, done: &BookingResult) -> Result<bool> {
    match done {
        BookingResult::Booked { job, .. } => visit::is_booking_announced(conn, ctx, *job).await,
        BookingResult::Asked { until, .. } => Ok(until.is_some()),
        BookingResult::Waiting { .. } => Ok(false),
    }
}

/// Why a choice books at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChoiceProof {
    /// The link was sent to an address of the customer.
    SentLink,
    /// The sender named a known customer; somebody else may have.
    KnownPerson,
}

/// None where a tap is needed first. The caller has locked the bookable crews.
async fn decide_proof(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    (request, link, address): (&TimesRequest, &AccessLink, &str),
    wish: TimeWish,
    chosen: &ChosenTime<'_>,
) -> Result<Option<ChoiceProof>> {
    let (org, customer) = (ctx.profile.org.id, request.lead.customer_id);
    if request.is_customers_link {
        let may_book = may_book_by_sent_link(tx, ctx, (request, link, address), wish, chosen).await?;
        return Ok(may_book.then_some(ChoiceProof::SentLink));
    }
    let new = NewLead::from_stored(&request.lead);
    let needs_tap = !link.is_form_copy()
        || contact_point::proposal::has_open_proposal(&mut *tx, org, (customer, request.lead.id)).await?
        || accept::find_proven_contacts(&mut *tx, org, customer, &new).await? == (false, false)
        || email_share::is_known_by_email_at_most(&mut *tx, org, customer).await?
        || accept::has_reached_visit_limit(tx, org, customer, ctx.origin.now()).await?;
    Ok((!needs_tap).then_some(ChoiceProof::KnownPerson))
}

/// Whether the tap books within the share of people known only by an email and, where it is their first proof, within
/// the limits of a day.
async fn may_book_by_sent_link(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    (request, link, address): (&TimesRequest, &AccessLink, &str),
    wish: TimeWish,
    chosen: &ChosenTime<'_>,
) -> Result<bool> {
    let (org, customer) = (ctx.profile.org.id, request.lead.customer_id);
    let is_first = request::is_first_proof(&mut *tx, org, customer, link.created_at).await?;
    contact_point::record_link_answer(&mut *tx, ctx.origin, link).await?;
    // Rejects extreme dates before any arithmetic with them.
    let held = find_time(&mut *tx, ctx, wish).await?;
    if email_share::is_beyond_share(&mut *tx, ctx, (held.starts_at, held.ends_at), customer).await? {
        return Ok(false);
    }
    if !is_first {
        return Ok(true);
    }
    let new = request.to_new_lead(address.to_owned());
    request::count_first_tap(tx, ctx, &held, (request.lead.id, &new), chosen.language, chosen.sender).await
}

async fn ask_for_tap(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    (request, address): (&TimesRequest, String),
    wish: TimeWish,
    chosen: &ChosenTime<'_>,
) -> Result<BookingResult> {
    let held = hold::hold_time(&mut *tx, ctx, wish).await?;
    let new = request.to_new_lead(address);
    request::request_confirmation(tx, ctx, &held, (request.lead.id, &new), chosen.language, chosen.sender).await
}

/// The caller has locked the bookable crews.
async fn book_at_once(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    (request, address): (&TimesRequest, String),
    wish: TimeWish,
    proof: ChoiceProof,
) -> Result<BookingResult> {
    let (origin, org, lead) = (ctx.origin, ctx.profile.org.id, request.lead.id);
    let held = find_time(&mut *tx, ctx, wish).await?;
    let visit = request.visit_details(address);
    let job = take::create_visit_job(&mut *tx, ctx, &held, held.crew_id, lead, &visit).await?;
    let alert = take::build_booked_alert(&mut *tx, ctx, &held, (job, lead), &visit).await?;
    match proof {
        ChoiceProof::SentLink => {
            let why = "they have booked a visit";
            followup::cancel_on_conversation(&mut *tx, origin, org, request.lead.customer_id, why).await?;
            settle_requests(&mut *tx, ctx, lead, job).await?;
            alert::raise_alert(&mut *tx, origin, ctx.profile, alert).await?;
        }
        ChoiceProof::KnownPerson => unproven::record_unproven_change(&mut *tx, ctx, job, alert).await?,
    }
    let path = take::visit_page_path(tx, ctx, job).await?;
    Ok(BookingResult::Booked { reference: lead::lead_reference(lead), job, path })
}

/// The time with the crew that comes, as a hold that is not stored. The caller has locked the bookable crews.
pub(super) async fn find_time(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, wish: TimeWish) -> Result<SlotHold> {
    let (crew_id, ends_at) = hold::find_free_crew(conn, ctx.origin, ctx.profile, wish).await?;
    let (id, now) = (HoldId(ctx.origin.random_uuid()), ctx.origin.now());
    Ok(SlotHold { id, crew_id, starts_at: wish.starts_at, ends_at, expires_at: now })
}

/// The choice confirms the visit, and answers every open question about one.
async fn settle_requests(tx: &mut Tx, ctx: &OrgContext<'_>, lead: LeadId, job: JobId) -> Result<()> {
    let (origin, org, now) = (ctx.origin, ctx.profile.org.id, ctx.origin.now());
    let sql = "UPDATE job SET confirmed_at = $3 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, job, now)?;
    let sql = "UPDATE booking_request SET confirmed_at = $3, job_id = $4
         WHERE org_id = $1 AND lead_id = $2 AND job_id IS NULL AND denied_at IS NULL";
    q!(&mut *tx, execute, sql, org, lead, now, job)?;
    alert::settle_lead_alerts(tx, origin, org, lead, request::REQUEST_ALERTS).await
}

#[derive(FromRow)]
struct UpcomingVisit {
    id: JobId,
    starts_at: DateTime<Utc>,
    unproven_at: Option<DateTime<Utc>>,
    /// False for a visit that the office planned.
    is_booked_online: bool,
}

#[derive(FromRow)]
struct OpenRequest {
    id: HoldId,
    starts_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
    phone: Option<String>,
    email: Option<String>,
    source_hash: Option<Vec<u8>>,
}

/// A visit that the customer already has, or the same time that was asked for a moment ago; with its time. The link
/// shown after a form finds only a visit at the same time that was booked by such a link; a link that was sent to
/// another address finds no visit.
async fn find_earlier_choice(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    (request, link): (&TimesRequest, &AccessLink),
    chosen: &ChosenTime<'_>,
) -> Result<Option<(BookingResult, DateTime<Utc>)>> {
    let (lead, reference) = (request.lead.id, lead::lead_reference(request.lead.id));
    let is_theirs = request.is_customers_link;
    let may_find = link.is_form_copy();
    let is_same = |visit: &UpcomingVisit| {
        may_find && visit.is_booked_online && visit.unproven_at.is_some() && visit.starts_at == chosen.starts_at
    };
    let visits = list_upcoming_visits(&mut *tx, ctx, lead).await?;
    if let Some(visit) = visits.into_iter().find(|visit| is_theirs || is_same(visit)) {
        // A form's link changes no visit that the office planned.
        let path = if visit.is_booked_online {
            take::visit_page_path(tx, ctx, visit.id).await?
        } else {
            take::customer_visit_page_path(tx, ctx, visit.id, link).await?
        };
        return Ok(Some((BookingResult::Booked { reference, job: visit.id, path }, visit.starts_at)));
    }
    if is_theirs {
        return Ok(None);
    }
    let source = accept::hash_booking_source(ctx, chosen.sender);
    let open = list_requests_on_hold(tx, ctx, lead).await?;
    let same = open.into_iter().find(|open| open.starts_at == chosen.starts_at && open.source_hash == source);
    Ok(same.map(|open| {
        let (until, starts_at) = (Some(open.expires_at), open.starts_at);
        let sent = QuestionsSent { by_text: open.phone.is_some(), by_email: open.email.is_some() };
        (BookingResult::Asked { reference, until, starts_at, sent }, starts_at)
    }))
}

async fn list_upcoming_visits(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, lead: LeadId) -> Result<Vec<UpcomingVisit>> {
    let sql = "SELECT j.id, j.starts_at, j.unproven_at,
             EXISTS (SELECT 1 FROM work_event e WHERE e.org_id = j.org_id AND e.job_id = j.id AND e.kind = 'booked')
                 AS is_booked_online
         FROM job j WHERE j.org_id = $1 AND j.lead_id = $2 AND j.status = 'scheduled' AND j.starts_at > $3
         ORDER BY j.starts_at, j.id";
    Ok(q!(conn, fetch_all as UpcomingVisit, sql, ctx.profile.org.id, lead, ctx.origin.now())?)
}

/// Requests of a lead whose time is held.
async fn list_requests_on_hold(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, lead: LeadId) -> Result<Vec<OpenRequest>> {
    let sql = "SELECT id, starts_at, expires_at, phone, email, source_hash FROM booking_request
         WHERE org_id = $1 AND lead_id = $2 AND expires_at > $3 AND job_id IS NULL AND denied_at IS NULL
             AND confirmed_at IS NULL ORDER BY id";
    Ok(q!(conn, fetch_all as OpenRequest, sql, ctx.profile.org.id, lead, ctx.origin.now())?)
}

/// Who chooses another time lets go of the one before: all of the lead by a link that was sent to the customer, else
/// those of the same network.
async fn release_earlier_holds(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    request: &TimesRequest,
    sender: &FormSender,
) -> Result<()> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let source = accept::hash_booking_source(ctx, sender);
    for open in list_requests_on_hold(&mut *tx, ctx, request.lead.id).await? {
        if !request.is_customers_link && open.source_hash != source {
            continue;
        }
        hold::release_hold(&mut *tx, org, open.id).await?;
        let sql = "UPDATE booking_request SET expires_at = $3 WHERE org_id = $1 AND id = $2";
        q!(&mut *tx, execute, sql, org, open.id, origin.now())?;
        message::cancel_all_about(&mut *tx, origin, org, open.id.0, "they chose another time").await?;
    }
    Ok(())
}

/// The wish of a request that may be spam: nothing is held or sent, and the office sees it once it releases the lead. The
/// time that was wished for last is stored once.
async fn record_held_wish(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    request: &TimesRequest,
    chosen: &ChosenTime<'_>,
    length: Duration,
) -> Result<TimeChoice> {
    let waiting = BookingResult::Waiting { reference: lead::lead_reference(request.lead.id) };
    let newest = "SELECT starts_at FROM booking_request WHERE org_id = $1 AND lead_id = $2
         ORDER BY created_at DESC, id DESC LIMIT 1";
    let (org, lead) = (ctx.profile.org.id, request.lead.id);
    if q!(&mut *tx, fetch_optional scalar DateTime<Utc>, newest, org, lead)? == Some(chosen.starts_at) {
        return Ok(TimeChoice::Repeated(waiting, chosen.starts_at));
    }
    let wish = TimeWish { starts_at: chosen.starts_at, length, instead: None, source: None };
    let held = find_time(&mut *tx, ctx, wish).await?;
    let new = request.to_new_lead(chosen.address.unwrap_or_default().chars().take(MAX_ADDRESS).collect());
    request::record_unheld_request(tx, ctx, &held, (request.lead.id, &new), chosen.language).await?;
    Ok(TimeChoice::Made(waiting))
}
