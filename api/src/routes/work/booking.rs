//! Booking by customers: free times, holds, bookings; and the business's view of them.

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
        work::booking::{self, BookingDay, SlotHold, SlotHoldRequest},
    },
    platform::id::HoldId,
};
use utoipa::ToSchema;

use crate::{
    auth::Visitor,
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::{Json, QueryParams},
    idempotency::idempotency_key,
    openapi::{self, fields},
    state::AppState,
};

pub mod overview;
pub mod request_times;
mod reservation;

pub use reservation::{
    AskedVisit, BookingReceipt, book_held_slot, count_booking, find_public_profile, record_out_of_area, reserve_slot,
};

use reservation::MAX_ORG;

/// What is free.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BookingSlots {
    /// The business's time zone: an IANA name.
    zone: String,
    /// How wide the window is in which the crew arrives.
    arrival_minutes: i64,
    /// The next five days on which something is free.
    days: Vec<BookingDay>,
    /// The day from which there is more.
    next: Option<NaiveDate>,
    /// The business does not go there: nothing is offered.
    out_of_area: bool,
}

/// Times that are free
///
/// Computed from the hours and jobs of the crews. Nothing is offered while the business takes no bookings.
#[utoipa::path(get, path = "/api/public/slots", operation_id = "publicSlots", tag = "public",
    params(("org" = String, Query, min_length = 1, max_length = 100, description = "The business, by slug or id"),
        ("service" = String, Query, min_length = 1, max_length = 80, description = "What should be done"),
        ("zip" = String, Query, pattern = r"^\d{5}(-\d{4})?$", description = "Where"),
        ("from" = Option<String>, Query, pattern = r"^\d{4}-\d{2}-\d{2}$", description = "The first day to show")),
    responses((status = 200, description = "What is free", body = BookingSlots),
        openapi::NotFound, openapi::Invalid, openapi::Unavailable))]
pub async fn public_slots(
    _: Visitor,
    State(state): State<AppState>,
    who: RequestContext,
    query: QueryParams,
) -> ApiResult<axum::Json<BookingSlots>> {
    let asked = query.parse_text("org", MAX_ORG).unwrap_or_default().unwrap_or_default();
    let profile = find_public_profile(&state, &asked).await?;
    let service = query.parse_text("service", 80)?.unwrap_or_default();
    let offered = booking::list_bookable_services(&profile).into_iter().find(|offered| offered.name == service);
    let service = offered.ok_or_else(|| ApiError::invalid_field("service", "Please choose what should be done"))?;
    let zip = booking::parse_zip(&query.parse_text("zip", 12)?.unwrap_or_default());
    let zip = zip.ok_or_else(|| ApiError::invalid_field("zip", "Please enter a ZIP code of five digits"))?;
    let from = query.parse_text("from", 10)?.map(|day| day.parse::<NaiveDate>());
    let from = from.transpose().map_err(|_| ApiError::invalid_field("from", "Write a day such as 2026-11-24"))?;
    let far = !profile.settings.booking.serves_zip(&zip);
    if far {
        record_out_of_area(&state, &who, &profile, &zip).await?;
    }
    let offer = if far || !profile.accepts_bookings() {
        booking::SlotOffer::default()
    } else {
        let mut conn = state.db()?.acquire_reader().await?;
        booking::offer_slots(&mut conn, &state.origin, &profile, (&service, None), from, Language::En).await?
    };
    Ok(axum::Json(BookingSlots {
        zone: profile.org.timezone.clone(),
        arrival_minutes: profile.settings.jobs.arrival_minutes,
        days: offer.days,
        next: offer.next,
        out_of_area: far,
    }))
}

/// A chosen time.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SlotWish)]
pub struct SlotRequest {
    /// The business, by slug or id.
    #[schema(min_length = 1, max_length = 100)]
    org: String,
    #[schema(schema_with = fields::service_name)]
    service: String,
    #[schema(schema_with = fields::zip_code)]
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
pub struct HeldSlot {
    #[schema(value_type = Uuid)]
    hold_id: HoldId,
    starts_at: DateTime<Utc>,
    ends_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
}

/// Holds a time for five minutes
///
/// It is held for this visitor until then. One network holds at most three at once, the network around it one a day, a
/// business a limited number, and a day half of the visits that fit into it, or two. Beyond that `expiresAt` is now: the
/// time can still be booked while it is free.
#[utoipa::path(post, path = "/api/public/holds", operation_id = "holdSlot", tag = "public", request_body = SlotRequest,
    responses((status = 201, description = "Held", body = HeldSlot),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn hold_slot(
    _: Visitor,
    State(state): State<AppState>,
    who: RequestContext,
    Json(form): Json<SlotRequest>,
) -> ApiResult<(StatusCode, axum::Json<HeldSlot>)> {
    let profile = find_public_profile(&state, &form.org).await?;
    let SlotRequest { service, zip, starts_at, instead, .. } = form;
    let held = reserve_slot(&state, &who, &profile, SlotHoldRequest { service, zip, starts_at, instead, source: None })
        .await?;
    let SlotHold { id: hold_id, starts_at, ends_at, expires_at, .. } = held;
    Ok((StatusCode::CREATED, axum::Json(HeldSlot { hold_id, starts_at, ends_at, expires_at })))
}

/// Somebody who books what they hold.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VisitBooking {
    /// The business, by slug or id.
    #[schema(min_length = 1, max_length = 100)]
    org: String,
    #[schema(value_type = Uuid)]
    hold_id: HoldId,
    #[schema(schema_with = fields::required_line::<120>)]
    name: Option<String>,
    #[schema(schema_with = fields::phone_number)]
    phone: Option<String>,
    #[schema(schema_with = fields::email_or_empty)]
    email: Option<String>,
    #[schema(schema_with = fields::required_line::<300>)]
    address: Option<String>,
    #[schema(schema_with = fields::zip_code)]
    zip: Option<String>,
    #[schema(schema_with = fields::service_name)]
    service: Option<String>,
    #[schema(schema_with = fields::nullable_text::<2000>)]
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
pub struct BookedVisit {
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
/// The time is looked at once more as it is written. The same hold with the same content gets the first answer again;
/// other content under the same hold is 409, and needs a new hold, with this one as `instead`.
#[utoipa::path(post, path = "/api/public/bookings", operation_id = "bookVisit", tag = "public", request_body = VisitBooking,
    params(openapi::IdempotencyKey),
    responses((status = 201, description = "Booked, or taken in for a person to look at", body = BookedVisit),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn book_visit(
    _: Visitor,
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Json(form): Json<VisitBooking>,
) -> ApiResult<(StatusCode, axum::Json<BookedVisit>)> {
    let key = idempotency_key(&headers)?;
    let profile = find_public_profile(&state, &form.org).await?;
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
    let booked = book_held_slot(&state, &who, &profile, (hold, key.as_deref()), &form, Language::En).await?;
    let visit_url = booked.path.map(|path| state.settings.public_url.join(&path));
    Ok((
        StatusCode::CREATED,
        axum::Json(BookedVisit { reference: booked.reference, visit_url, confirm_until: booked.confirm_until }),
    ))
}
