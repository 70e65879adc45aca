//! Shared by the booking page and the API: find the business, hold a time, book it once.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shared::{
    documents::template::Language,
    domain::{
        intake::lead::{NewLead, form::BookingForm},
        tenancy::{
            audit::{self, AuditAction, AuditActor},
            org::{self, OrgProfile},
            trust_level::public_requests,
        },
        work::booking::{self, BookingResult, HoldSource, SlotHold, SlotHoldRequest, hold},
    },
    platform::{
        id::{DEMO_ORG, HoldId, OrgId},
        throttle::{self, WindowLimit},
    },
};

use crate::{
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    idempotency::IdempotentOperation,
    routes::intake::public_form::count_unproven_request,
    state::AppState,
};

/// Holds, and booking tries, per network and hour.
const HOLDS: i64 = 60;
const BOOKINGS: i64 = 30;
/// Counted requests from outside the area, per network.
const FAR: i64 = 20;
pub(super) const MAX_ORG: usize = 100;

/// The business with exactly this address. Errors: 404 when there is none.
pub async fn find_public_profile(state: &AppState, asked: &str) -> ApiResult<OrgProfile> {
    let asked = asked.trim().to_lowercase();
    if asked.is_empty() || asked.len() > MAX_ORG || asked.chars().any(char::is_control) {
        return Err(ApiError::not_found());
    }
    let mut conn = state.db()?.acquire_reader().await?;
    let found = match asked.parse() {
        Ok(id) => org::find(&mut conn, OrgId(id)).await?,
        Err(_) => org::find_by_slug(&mut conn, &asked).await?,
    };
    Ok(org::load_profile(&mut conn, found.ok_or_else(ApiError::not_found)?).await?)
}

/// By network, and for each business by the IPv6 /48 around it, whose other customers may book elsewhere.
async fn count_request(
    state: &AppState,
    who: &RequestContext,
    org: OrgId,
    (what, limit): (&'static str, i64),
) -> ApiResult<()> {
    if who.is_exempt {
        return Ok(());
    }
    let (origin, secret) = (&state.origin, &state.settings.secret);
    let (own, limit_around) =
        (throttle::network_key(who.ip), WindowLimit::per_hour(limit * throttle::WIDER_LIMIT_FACTOR));
    let mut tx = state.db()?.begin().await?;
    let mut counted = throttle::count_action(&mut tx, origin, secret, what, &own, WindowLimit::per_hour(limit)).await;
    if let Some(around) = throttle::wider_network_key(who.ip).filter(|_| counted.is_ok()) {
        let around = format!("{org}|{around}");
        counted = throttle::count_action(&mut tx, origin, secret, what, &around, limit_around).await;
    }
    tx.commit().await?;
    Ok(counted?)
}

/// Counts a choice of a time behind a link, as a booking.
pub async fn count_booking(state: &AppState, who: &RequestContext, org: OrgId) -> ApiResult<()> {
    count_request(state, who, org, ("booking", BOOKINGS)).await
}

/// Counts a request from outside the area, up to the limit per network.
pub async fn record_out_of_area(
    state: &AppState,
    who: &RequestContext,
    profile: &OrgProfile,
    zip: &str,
) -> ApiResult<()> {
    // Not recorded for the demonstration.
    if profile.org.id == DEMO_ORG || count_request(state, who, profile.org.id, ("out of area", FAR)).await.is_err() {
        return Ok(());
    }
    let mut tx = state.db()?.begin().await?;
    booking::record_out_of_area(&mut tx, &state.origin, profile, zip).await?;
    Ok(tx.commit().await?)
}

pub async fn reserve_slot(
    state: &AppState,
    who: &RequestContext,
    profile: &OrgProfile,
    wish: SlotHoldRequest,
) -> ApiResult<SlotHold> {
    count_request(state, who, profile.org.id, ("slot hold", HOLDS)).await?;
    let source = (!who.is_exempt).then_some(HoldSource { ip: who.ip });
    let wish = SlotHoldRequest { source, ..wish };
    hold::check_slot_free(&mut state.db()?.acquire_reader().await?, &state.origin, profile, &wish).await?;
    let mut tx = state.db()?.begin().await?;
    let held = booking::hold_slot(&mut tx, &state.org_context(profile), &wish).await?;
    // Nothing connects a hold that is booked at once with a person, so an erasure could not remove the network address.
    let actor = AuditActor { ip: None, user_agent: None, ..who.anonymous_actor() };
    audit::record(&mut tx, &state.origin, &actor, profile.org.id, AuditAction::SlotHeld, Some(held.id.0)).await?;
    tx.commit().await?;
    Ok(held)
}

/// Stored answer for a repeat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookingReceipt {
    pub reference: String,
    /// Page of the visit; `None` when the business has to answer first.
    pub path: Option<String>,
    /// Until when the time is held for a visitor who was asked to confirm.
    #[serde(default)]
    pub confirm_until: Option<DateTime<Utc>>,
    #[serde(default)]
    pub asked: Option<AskedVisit>,
}

/// The time that a visitor was asked to confirm, and where the question went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedVisit {
    pub starts_at: DateTime<Utc>,
    pub by_text: bool,
    pub by_email: bool,
}

/// Books a hold once: a repeated request gets the same answer. Without a key of the caller, the hold and the content are
/// the key.
pub async fn book_held_slot(
    state: &AppState,
    who: &RequestContext,
    profile: &OrgProfile,
    (hold, key): (HoldId, Option<&str>),
    form: &BookingForm,
    language: Language,
) -> ApiResult<BookingReceipt> {
    count_request(state, who, profile.org.id, ("booking", BOOKINGS)).await?;
    let body_hash = NewLead::from_booking_form(form)?.body_hash(&[]);
    let key = key.map_or_else(|| format!("{hold}:{body_hash:02x?}"), ToOwned::to_owned);
    let once = IdempotentOperation::with_body_hash("booking", Some(key), body_hash);
    let mut tx = state.db()?.begin().await?;
    if let Some(booked) = once.find_stored_response(&mut tx, state, profile.org.id).await? {
        return Ok(booked);
    }
    if public_requests::load_unproven_mark(&mut tx, profile.org.id).await? {
        count_unproven_request(&mut tx, state, profile.org.id).await?;
    }
    let (ctx, sender, actor) = (state.org_context(profile), who.form_sender(), who.anonymous_actor());
    let taken = booking::take_booking(&mut tx, &ctx, hold, form, language, &sender, &actor).await?;
    let booked = match taken {
        BookingResult::Booked { reference, job, path } => {
            let action = AuditAction::VisitBooked;
            audit::record(&mut tx, &state.origin, &actor, profile.org.id, action, Some(job.0)).await?;
            BookingReceipt { reference, path: Some(path), confirm_until: None, asked: None }
        }
        BookingResult::Waiting { reference } => {
            BookingReceipt { reference, path: None, confirm_until: None, asked: None }
        }
        BookingResult::Asked { reference, until, starts_at, sent } => {
            let action = AuditAction::LeadSubmitted;
            audit::record(&mut tx, &state.origin, &actor, profile.org.id, action, None).await?;
            let asked = AskedVisit { starts_at, by_text: sent.by_text, by_email: sent.by_email };
            BookingReceipt { reference, path: None, confirm_until: until, asked: until.map(|_| asked) }
        }
    };
    once.store_response(&mut tx, profile.org.id, &booked).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(booked)
}
