//! Free times that are offered after a request: the visit belongs to the lead that the request made.
//!
//! A choice behind a link that was sent to an address of the customer is proven and books at once, within the share of
//! people known only by an email and, for a person unknown until then, within the limits of a day. One behind the link
//! shown after the form, or sent to an address that is not the customer's, is held as on the booking page; after the
//! form, a known person books at once.

use chrono::{DateTime, Duration, NaiveDate, Utc};

use super::{
    accept, email_share,
    hold::{self, SlotHold, TimeWish},
    hold_limits::HoldSource,
    request,
    slots::{self, AvailabilityExclusions, TimesOffer},
    take::{self, BookingResult},
    unproven,
};
use crate::{
    conflicts::ConflictCode,
    documents::template::Language,
    domain::{
        intake::{
            contact_point,
            lead::{self, FormSender, NewLead},
        },
        messaging::{alert, followup, message},
        tenancy::org::OrgContext,
        work::{crew::lock_bookable_crews, pipeline, visit},
    },
    platform::{
        access_link::AccessLink,
        db::{AsConn, Tx, q},
        error::{FieldErrors, Result},
        id::{HoldId, JobId, LeadId},
        text::single_line,
    },
};

mod earlier_choice;
mod times_request;

use earlier_choice::{find_earlier_choice, release_earlier_holds};
use times_request::TimesRequest;

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

/// None where no time can be chosen. A link without a request shows times like any other.
pub async fn offer_lead_times(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    link: &AccessLink,
    from: Option<NaiveDate>,
    language: Language,
) -> Result<Option<TimesOffer>> {
    let profile = ctx.profile;
    let found = TimesRequest::find_by_link(&mut *conn, profile.org.id, link).await?;
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
    let Some(seen) = TimesRequest::find_by_link(&mut *tx, org, link).await? else {
        let reference = lead::lead_reference(LeadId(link.subject_id));
        return Ok(TimeChoice::Made(BookingResult::Waiting { reference }));
    };
    pipeline::lock_stage(&mut *tx, org, seen.lead.id).await?;
    // The state of the lead as of the lock.
    let request = TimesRequest::find_by_link(&mut *tx, org, link).await?.unwrap_or(seen);
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
        Some(proof) => book_at_once(&mut *tx, ctx, (&request, address), wish, (proof, chosen.sender)).await?,
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
        || contact_point::has_open_proposal(&mut *tx, org, (customer, request.lead.id)).await?
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
    (proof, sender): (ChoiceProof, &FormSender),
) -> Result<BookingResult> {
    let (origin, org, lead) = (ctx.origin, ctx.profile.org.id, request.lead.id);
    let held = find_time(&mut *tx, ctx, wish).await?;
    let visit = request.visit_details(address);
    let job = take::create_visit_job(&mut *tx, ctx, &held, held.crew_id, lead, &visit).await?;
    let alert = take::build_booked_alert(&mut *tx, ctx, &held, (job, lead), &visit).await?;
    let path = match proof {
        ChoiceProof::SentLink => {
            let why = "they have booked a visit";
            followup::cancel_on_conversation(&mut *tx, origin, org, request.lead.customer_id, why).await?;
            settle_requests(&mut *tx, ctx, lead, job).await?;
            alert::raise_alert(&mut *tx, origin, ctx.profile, alert).await?;
            take::visit_page_path(tx, ctx, job).await?
        }
        ChoiceProof::KnownPerson => {
            unproven::record_unproven_change(&mut *tx, ctx, job, alert).await?;
            take::sender_visit_page_path(tx, ctx, job, accept::hash_booking_source(ctx, sender).as_deref()).await?
        }
    };
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
