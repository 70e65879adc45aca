//! Booking page: service and area, then time, then contact data. Plain forms, so it works on any phone without scripts.

use axum::{
    extract::{Path, RawQuery, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Redirect},
};
use chrono::{DateTime, Utc};
use minijinja::{Value, context};
use shared::{
    documents::template::Language,
    domain::{
        intake::lead::form::BookingForm,
        work::booking::{SlotHoldRequest, SlotOffer},
    },
};

use super::{PageResult, form::FormFields, is_correctable, render_page};
use crate::{
    client_info::RequestContext,
    error::ErrorCode,
    routes::work::booking::{book_held_slot, record_out_of_area, reserve_slot},
    state::AppState,
};

mod asked;
mod booking_visitor;
mod words;

pub(super) use asked::waiting_page_path;
use booking_visitor::{BookingVisitor, FORM_TOKEN};
use words::BookingPageText;

pub(super) fn day_values(offer: &SlotOffer, language: Language) -> Vec<Value> {
    let words = BookingPageText::for_language(language);
    let shown = offer.days.iter().map(|day| {
        let slots: Vec<_> = day
            .slots
            .iter()
            .map(|slot| context! { at => slot.starts_at.to_rfc3339(), label => slot.label.as_str() })
            .collect();
        context! { label => words.format_day(day.date), slots }
    });
    shown.collect()
}

pub(super) async fn show_booking_page(
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Path(slug): Path<String>,
    RawQuery(query): RawQuery,
) -> PageResult {
    let fields = FormFields::parse(query.as_deref().unwrap_or_default().as_bytes());
    let visit = BookingVisitor::from_form(&state, &headers, &slug, &fields).await?;
    let page = visit.landing_page_url(query.as_deref());
    if let Some(reference) = visit.submitted_field("waiting").filter(|text| is_reference(text)) {
        let asks = visit.submitted_field("confirm").is_some();
        let [by, at, until] = ["by", "at", "until"].map(|name| visit.submitted_field(name).unwrap_or_default());
        let asked_hint = asked::describe_question(&visit.profile, visit.language, by, [at, until]);
        let context = context! { reference, asks, asked_hint, ..visit.frame_context("waiting", "", None) };
        return Ok(render_page("booking.html", StatusCode::OK, context));
    }
    if !visit.profile.accepts_bookings() {
        return Ok(render_page("booking.html", StatusCode::OK, visit.frame_context("off", "", None)));
    }
    if visit.submitted_field("service").is_none() && visit.submitted_field("zip").is_none() {
        return Ok(visit.render_service_step(&page, StatusCode::OK, None, false));
    }
    let zip = match visit.requested_service() {
        Ok((_, zip)) => zip,
        Err(faults) => return Ok(visit.render_service_step(&page, faults.code.status(), Some(&faults), false)),
    };
    if !visit.profile.settings.booking.serves_zip(&zip) {
        record_out_of_area(&state, &who, &visit.profile, &zip).await.map_err(|e| visit.to_error_page(e))?;
        return Ok(visit.render_service_step(&page, StatusCode::OK, None, true));
    }
    match visit.hold_id("hold") {
        Some(hold) => visit.render_details_step(&page, hold, StatusCode::OK, None).await,
        None => visit.render_time_step(&page, StatusCode::OK, None).await,
    }
}

fn is_reference(text: &str) -> bool {
    text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Holds the chosen time and asks for the contact data.
pub(super) async fn choose_time(
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Path(slug): Path<String>,
    fields: FormFields,
) -> PageResult {
    let visit = BookingVisitor::from_form(&state, &headers, &slug, &fields).await?;
    let page = visit.landing_page_url(None);
    let (service, zip) = match visit.requested_service() {
        Ok((service, zip)) => (service.name, zip),
        Err(faults) => return Ok(visit.render_service_step(&page, faults.code.status(), Some(&faults), false)),
    };
    let chosen = visit.submitted_field("startsAt").and_then(|at| at.parse::<DateTime<Utc>>().ok());
    let Some(starts_at) = chosen else {
        // The visitor has typed already and wants another time.
        let is_asked = ["again", "from"].iter().any(|name| visit.submitted_field(name).is_some());
        let status = if is_asked { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
        return visit.render_time_step(&page, status, None).await;
    };
    let wish = SlotHoldRequest {
        service: service.clone(),
        zip: zip.clone(),
        starts_at,
        instead: visit.hold_id("instead"),
        source: None,
    };
    match reserve_slot(&state, &who, &visit.profile, wish).await {
        // Typed data must not go into an address.
        Ok(held) if visit.has_typed_fields() => visit.render_details_step(&page, held.id, StatusCode::OK, None).await,
        Ok(held) => {
            let pairs = [("service", service.as_str()), ("zip", &zip), ("hold", &held.id.to_string())];
            Ok(Redirect::to(&visit.page_link(&pairs, &page)).into_response())
        }
        Err(e) if is_correctable(&e) => visit.render_time_step(&page, e.code.status(), Some(&e)).await,
        Err(e) => Err(visit.to_error_page(e)),
    }
}

/// Books the visit and shows its page.
pub(super) async fn book_held_time(
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Path(slug): Path<String>,
    fields: FormFields,
) -> PageResult {
    let visit = BookingVisitor::from_form(&state, &headers, &slug, &fields).await?;
    let page = visit.landing_page_url(None);
    let Some(hold) = visit.hold_id("hold") else {
        return visit.render_time_step(&page, StatusCode::UNPROCESSABLE_ENTITY, None).await;
    };
    let typed = |name: &str| visit.fields.first_value(name).map(ToOwned::to_owned);
    let form = BookingForm {
        name: typed("name"),
        phone: typed("phone"),
        email: typed("email"),
        address: typed("address"),
        zip: typed("zip"),
        service: typed("service"),
        notes: typed("notes"),
        page_url: Some(page.clone()),
        referrer: None,
        marketing_consent: typed("marketingConsent").is_some(),
        // The page before hands out a token: an empty one means it was never seen.
        form_token: Some(typed(FORM_TOKEN).unwrap_or_default()),
        company: typed("company"),
    };
    match book_held_slot(&state, &who, &visit.profile, (hold, None), &form, visit.language).await {
        Ok(booked) => {
            let to = if let Some(path) = booked.path {
                format!("{path}?booked=1")
            } else {
                let fields = asked::build_page_fields(&booked);
                let pairs: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
                visit.page_link(&pairs, "")
            };
            Ok(Redirect::to(&to).into_response())
        }
        Err(e) if e.code == ErrorCode::Conflict => visit.render_time_step(&page, e.code.status(), Some(&e)).await,
        // What was typed stays on the page, with the business's phone above it.
        Err(e) if is_correctable(&e) || e.code == ErrorCode::BusinessUnconfirmed => {
            visit.render_details_step(&page, hold, e.code.status(), Some(&e)).await
        }
        Err(e) => Err(visit.to_error_page(e)),
    }
}
