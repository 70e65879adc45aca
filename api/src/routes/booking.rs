//! Booking by customers: what is free, a time held, a visit booked; and what the business sees of it.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use shared::{
    documents::template::Language,
    domain::{
        intake::lead::form::BookingForm,
        work::booking::{self, Day, Held, Wish},
    },
    platform::id::HoldId,
};
use utoipa::ToSchema;

use crate::{
    auth::Visitor,
    client_info::Who,
    error::{ApiError, ApiResult},
    extract::{Json, Query},
    idempotency::idempotency_key,
    openapi::{self, fields},
    state::AppState,
};

pub mod shown;
mod take;

pub use take::{book, business, keep, note_far};

use take::MAX_ORG;

/// What is free.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = BookingSlots)]
pub struct Slots {
    /// The business's time zone: an IANA name.
    zone: String,
    /// How wide the window is in which the crew arrives.
    arrival_minutes: i64,
    /// The next five days on which something is free.
    days: Vec<Day>,
    /// The day from which there is more.
    next: Option<NaiveDate>,
    /// The business does not go there: nothing is offered.
    out_of_area: bool,
}

/// Times that are free
///
/// Reckoned from the hours and jobs of the crews. Nothing is offered while the business takes no bookings.
#[utoipa::path(get, path = "/api/public/slots", operation_id = "publicSlots", tag = "public",
    params(("org" = String, Query, min_length = 1, max_length = 100, description = "The business, by slug or id"),
        ("service" = String, Query, min_length = 1, max_length = 80, description = "What should be done"),
        ("zip" = String, Query, pattern = r"^\d{5}(-\d{4})?$", description = "Where"),
        ("from" = Option<String>, Query, pattern = r"^\d{4}-\d{2}-\d{2}$", description = "The first day to show")),
    responses((status = 200, description = "What is free", body = Slots),
        openapi::NotFound, openapi::Invalid, openapi::Unavailable))]
pub async fn public_slots(
    _: Visitor,
    State(state): State<AppState>,
    who: Who,
    query: Query,
) -> ApiResult<axum::Json<Slots>> {
    let asked = query.text("org", MAX_ORG).unwrap_or_default().unwrap_or_default();
    let profile = business(&state, &asked).await?;
    let service = query.text("service", 80)?.unwrap_or_default();
    let known = booking::services(&profile).into_iter().find(|known| known.name == service);
    let service = known.ok_or_else(|| ApiError::field("service", "Please choose what should be done"))?;
    let zip = booking::zip(&query.text("zip", 12)?.unwrap_or_default());
    let zip = zip.ok_or_else(|| ApiError::field("zip", "Please enter a ZIP code of five digits"))?;
    let from = query.text("from", 10)?.map(|day| day.parse::<NaiveDate>());
    let from = from.transpose().map_err(|_| ApiError::field("from", "Write a day such as 2026-11-24"))?;
    let far = !profile.settings.booking.serves(&zip);
    if far {
        note_far(&state, &who, &profile, &zip).await?;
    }
    let offer = if far || !profile.takes_bookings() {
        booking::Offer::default()
    } else {
        let mut conn = state.db()?.read().await?;
        booking::offer(&mut conn, &state.origin, &profile, &service, from, Language::En).await?
    };
    Ok(axum::Json(Slots {
        zone: profile.org.timezone.clone(),
        arrival_minutes: profile.settings.jobs.arrival_minutes,
        days: offer.days,
        next: offer.next,
        out_of_area: far,
    }))
}

/// A time that somebody chooses.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SlotWish)]
pub struct WishForm {
    /// The business, by slug or id.
    #[schema(min_length = 1, max_length = 100)]
    org: String,
    #[schema(schema_with = fields::service)]
    service: String,
    #[schema(schema_with = fields::zip)]
    zip: String,
    /// One of the times that are offered.
    starts_at: DateTime<Utc>,
    /// What was held before: it is let go.
    #[schema(value_type = Option<Uuid>)]
    instead: Option<HoldId>,
}

/// A time that is held.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = HeldSlot)]
pub struct HeldShown {
    #[schema(value_type = Uuid)]
    hold_id: HoldId,
    starts_at: DateTime<Utc>,
    ends_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
}

/// Holds a time for five minutes
///
/// It is nobody else's until then. One network holds at most three at once; the oldest goes first.
#[utoipa::path(post, path = "/api/public/holds", operation_id = "holdSlot", tag = "public", request_body = WishForm,
    responses((status = 201, description = "Held", body = HeldShown),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn hold_slot(
    _: Visitor,
    State(state): State<AppState>,
    who: Who,
    Json(form): Json<WishForm>,
) -> ApiResult<(StatusCode, axum::Json<HeldShown>)> {
    let profile = business(&state, &form.org).await?;
    let WishForm { service, zip, starts_at, instead, .. } = form;
    let held = keep(&state, &who, &profile, Wish { service, zip, starts_at, instead, source: None }).await?;
    let Held { id: hold_id, starts_at, ends_at, expires_at, .. } = held;
    Ok((StatusCode::CREATED, axum::Json(HeldShown { hold_id, starts_at, ends_at, expires_at })))
}

/// Somebody who books what they hold.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = VisitBooking)]
pub struct BookForm {
    /// The business, by slug or id.
    #[schema(min_length = 1, max_length = 100)]
    org: String,
    #[schema(value_type = Uuid)]
    hold_id: HoldId,
    #[schema(schema_with = fields::filled::<120>)]
    name: Option<String>,
    #[schema(schema_with = fields::phone)]
    phone: Option<String>,
    #[schema(schema_with = fields::email_or_empty)]
    email: Option<String>,
    #[schema(schema_with = fields::filled::<300>)]
    address: Option<String>,
    #[schema(schema_with = fields::zip)]
    zip: Option<String>,
    #[schema(schema_with = fields::service)]
    service: Option<String>,
    #[schema(schema_with = fields::lines_or_null::<2000>)]
    notes: Option<String>,
    page_url: Option<String>,
    referrer: Option<String>,
    form_token: Option<String>,
    /// Hidden from people; must stay empty.
    company: Option<String>,
    marketing_consent: Option<bool>,
}

/// What was booked.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = BookedVisit)]
pub struct BookedShown {
    /// Short enough to say on the phone.
    reference: String,
    /// The page of the visit; null when a person of the business looks at the request first.
    visit_url: Option<String>,
    /// It is a request until they tap the link that was sent to them, or answer the text: the time is held so long. Null
    /// when nothing is to be confirmed.
    confirm_until: Option<DateTime<Utc>>,
}

/// Books a visit
///
/// The time is looked at once more as it is written. The same hold with the same content gets the first answer again.
#[utoipa::path(post, path = "/api/public/bookings", operation_id = "bookVisit", tag = "public", request_body = BookForm,
    params(("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
        description = "The same key and content get the first answer again, the same key and other content a 422")),
    responses((status = 201, description = "Booked, or taken in for a person to look at", body = BookedShown),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn book_visit(
    _: Visitor,
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
    Json(form): Json<BookForm>,
) -> ApiResult<(StatusCode, axum::Json<BookedShown>)> {
    let key = idempotency_key(&headers)?;
    let profile = business(&state, &form.org).await?;
    let hold = form.hold_id;
    let form = BookingForm {
        name: form.name,
        phone: form.phone,
        email: form.email,
        address: form.address,
        zip: form.zip,
        service: form.service,
        notes: form.notes,
        page_url: form.page_url,
        referrer: form.referrer,
        marketing_consent: form.marketing_consent.unwrap_or_default(),
        form_token: form.form_token,
        company: form.company,
    };
    let booked = book(&state, &who, &profile, (hold, key.as_deref()), &form, Language::En).await?;
    let visit_url = booked.path.map(|path| state.settings.public_url.join(&path));
    Ok((
        StatusCode::CREATED,
        axum::Json(BookedShown { reference: booked.reference, visit_url, confirm_until: booked.confirm_until }),
    ))
}
