//! What the booking page and other programs do alike: find the business, hold a time, book it once.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shared::{
    documents::template::Language,
    domain::{
        intake::lead::{NewLead, form::BookingForm},
        tenancy::{
            audit::{self, Action},
            org::{self, Profile},
        },
        work::booking::{self, Held, Taken, Wish, hold},
    },
    platform::{
        id::{DEMO_ORG, HoldId, OrgId},
        throttle,
    },
};

use crate::{
    client_info::Who,
    error::{ApiError, ApiResult},
    idempotency::Once,
    state::AppState,
};

/// Times that one network may choose within an hour, and visits it may try to book.
const HOLDS: i64 = 60;
const BOOKINGS: i64 = 30;
/// Requests from outside the area that one network is counted for.
const FAR: i64 = 20;
pub(super) const MAX_ORG: usize = 100;

/// The business that this address names, and no other.
///
/// # Errors
/// 404 when there is none.
pub async fn business(state: &AppState, asked: &str) -> ApiResult<Profile> {
    let asked = asked.trim().to_lowercase();
    if asked.is_empty() || asked.len() > MAX_ORG || asked.chars().any(char::is_control) {
        return Err(ApiError::not_found());
    }
    let mut conn = state.db()?.read().await?;
    let found = match asked.parse() {
        Ok(id) => org::find(&mut conn, OrgId(id)).await?,
        Err(_) => org::find_by_slug(&mut conn, &asked).await?,
    };
    Ok(org::profile(&mut conn, found.ok_or_else(ApiError::not_found)?).await?)
}

async fn count(state: &AppState, who: &Who, what: &'static str, limit: i64) -> ApiResult<()> {
    if who.is_exempt {
        return Ok(());
    }
    let mut tx = state.db()?.begin().await?;
    let counted = throttle::count_by_network(&mut tx, &state.origin, &state.settings.secret, what, who.ip, limit).await;
    tx.commit().await?;
    Ok(counted?)
}

/// Counts a request from outside the area, once the network has not been counted too often.
pub async fn note_far(state: &AppState, who: &Who, profile: &Profile, zip: &str) -> ApiResult<()> {
    // Where the demonstration does not go, nobody need know.
    if profile.org.id == DEMO_ORG || count(state, who, "out of area", FAR).await.is_err() {
        return Ok(());
    }
    let mut tx = state.db()?.begin().await?;
    booking::note_far(&mut tx, &state.origin, profile, zip).await?;
    Ok(tx.commit().await?)
}

/// Holds a time.
pub async fn keep(state: &AppState, who: &Who, profile: &Profile, wish: Wish) -> ApiResult<Held> {
    count(state, who, "slot hold", HOLDS).await?;
    let source = (!who.is_exempt).then(|| state.settings.secret.blur("slot hold", &throttle::network(who.ip)));
    let wish = Wish { source, ..wish };
    hold::look(&mut state.db()?.read().await?, &state.origin, profile, &wish).await?;
    let mut tx = state.db()?.begin().await?;
    let held = booking::hold(&mut tx, &state.origin, profile, &wish).await?;
    audit::record(&mut tx, &state.origin, &who.visitor(), profile.org.id, Action::SlotHeld, Some(held.id.0)).await?;
    tx.commit().await?;
    Ok(held)
}

/// What was booked, as it is kept for a repeat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Booked {
    pub reference: String,
    /// The page of the visit; none when a person of the business answers first.
    pub path: Option<String>,
    /// Until when the time is held for who asked to confirm it.
    #[serde(default)]
    pub confirm_until: Option<DateTime<Utc>>,
}

/// Books what is held, once: the same request again gets the same answer.
pub async fn book(
    state: &AppState,
    who: &Who,
    profile: &Profile,
    (hold, key): (HoldId, Option<&str>),
    form: &BookingForm,
    language: Language,
) -> ApiResult<Booked> {
    count(state, who, "booking", BOOKINGS).await?;
    let own = hold.to_string();
    let body_hash = NewLead::from_booking_form(form)?.body_hash(&[]);
    let once = Once::of("booking", Some(key.unwrap_or(&own).to_owned()), body_hash);
    let mut tx = state.db()?.begin().await?;
    if let Some(booked) = once.earlier(&mut tx, state, profile.org.id).await? {
        return Ok(booked);
    }
    let (house, sender, actor) = (state.intake(profile), who.sender(), who.visitor());
    let taken = booking::take(&mut tx, &house, hold, form, language, &sender, &actor).await?;
    let booked = match taken {
        Taken::Booked { reference, job, path } => {
            let action = Action::VisitBooked;
            audit::record(&mut tx, &state.origin, &actor, profile.org.id, action, Some(job.0)).await?;
            Booked { reference, path: Some(path), confirm_until: None }
        }
        Taken::Waiting { reference } => Booked { reference, path: None, confirm_until: None },
        Taken::Asked { reference, until } => {
            let action = Action::LeadSubmitted;
            audit::record(&mut tx, &state.origin, &actor, profile.org.id, action, None).await?;
            Booked { reference, path: None, confirm_until: until }
        }
    };
    once.keep(&mut tx, profile.org.id, &booked).await?;
    tx.commit().await?;
    state.wake();
    Ok(booked)
}
