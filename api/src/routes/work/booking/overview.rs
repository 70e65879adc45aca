//! The business's view of booking: status, area, and requests from outside the area.

use axum::extract::State;
use chrono::{DateTime, Utc};
use serde::Serialize;
use shared::{
    documents::template::Language,
    domain::{tenancy::org, work::booking},
};
use utoipa::ToSchema;

use crate::{auth::OrgOffice, error::ApiResult, openapi, routes::tenancy::org::load_profile, state::AppState};

/// Postal codes of requests outside the service area.
#[derive(Serialize, ToSchema)]
#[schema(as = FarArea)]
pub struct OutOfAreaZip {
    zip: String,
    /// How often, within the last 30 days.
    asked: i64,
}

/// How customers book.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BookingState {
    /// Our own page.
    url: String,
    /// Whether the page accepts bookings now.
    is_live: bool,
    /// Why not; null when they can.
    why_not: Option<String>,
    /// The outside address that texts carry instead; null when they carry ours.
    outside_link: Option<String>,
    /// The first time that is free.
    next_free: Option<DateTime<Utc>>,
    far: Vec<OutOfAreaZip>,
}

/// How customers book
#[utoipa::path(get, path = "/api/booking", operation_id = "getBooking", tag = "settings",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "The page, whether it is live, and the requests from outside the service area", body = BookingState),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_booking(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<BookingState>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let profile = load_profile(&mut conn, &member).await?;
    let why_not = match (profile.settings.booking.is_on, profile.has_bookable_crew) {
        (false, _) => Some("Online booking is switched off."),
        (true, false) => Some("There is no crew that customers can book yet."),
        (true, true) => None,
    };
    let services = booking::list_bookable_services(&profile);
    let next_free = match (why_not, services.first()) {
        (None, Some(service)) => {
            let offer =
                booking::offer_slots(&mut conn, &state.origin, &profile, (service, None), None, Language::En).await?;
            offer.days.first().and_then(|day| day.slots.first()).map(|slot| slot.starts_at)
        }
        _ => None,
    };
    let far = booking::list_out_of_area(&mut conn, &state.origin, member.org()).await?;
    Ok(axum::Json(BookingState {
        url: org::booking_url(&state.settings.public_url, &profile.org.slug),
        is_live: why_not.is_none(),
        why_not: why_not.map(ToOwned::to_owned),
        outside_link: profile.org.booking_link.clone(),
        next_free,
        far: far.into_iter().map(|(zip, asked)| OutOfAreaZip { zip, asked }).collect(),
    }))
}
