//! Booking page: service and area, then time, then contact data. Plain forms, so it works on any phone without scripts.

use axum::{
    extract::{Path, RawQuery, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Redirect, Response},
};
use chrono::{DateTime, NaiveDate, Utc};
use minijinja::{Value, context, value::Serde};
use shared::{
    documents::template::Language,
    domain::{
        intake::lead::{
            consent,
            form::{BookingForm, localized_service},
        },
        messaging::message::sms_link,
        tenancy::{org::OrgProfile, trust_level::public_requests},
        work::{
            booking::{self, SlotHoldRequest, SlotOffer, hold},
            visit,
        },
    },
    platform::id::HoldId,
};

use super::{
    ErrorPage, PageResult,
    field_error::FormErrors,
    form::FormFields,
    is_correctable, letterhead, render_page,
    words::{PageText, text_for_browser},
};
use crate::{
    client_info::RequestContext,
    error::{ApiError, ApiResult, ErrorCode},
    routes::work::booking::{book_held_slot, find_public_profile, record_out_of_area, reserve_slot},
    state::AppState,
};

mod asked;
mod words;

pub(super) use asked::waiting_page_path;
use words::BookingPageText;

/// Longest page address that is carried from step to step.
const MAX_PAGE: usize = 500;

/// Typed fields, kept when the chosen time was taken and another is chosen.
const TYPED: [&str; 7] = ["name", "phone", "email", "address", "notes", "marketingConsent", FORM_TOKEN];
/// Token of the time at which the form was opened. It stays over corrections: a fast correction is not a robot.
const FORM_TOKEN: &str = "formToken";

struct BookingVisitor<'a> {
    state: &'a AppState,
    profile: OrgProfile,
    /// The pages say that the business has not confirmed its address.
    is_unproven: bool,
    language: Language,
    fields: &'a FormFields,
}

impl<'a> BookingVisitor<'a> {
    async fn new(
        state: &'a AppState,
        headers: &HeaderMap,
        slug: &str,
        fields: &'a FormFields,
    ) -> Result<Self, ErrorPage> {
        let words = text_for_browser(Some(headers));
        let language = match fields.first_value("lang") {
            Some("es") => Language::Es,
            Some("en") => Language::En,
            _ => words.language,
        };
        let profile = find_public_profile(state, slug).await.map_err(|e| match e.code {
            ErrorCode::NotFound => ErrorPage::unknown_business(PageText::for_language(language)),
            _ => ErrorPage::from_error(e, PageText::for_language(language)),
        })?;
        let db = state.db().map_err(|e| ErrorPage::from_error(e, PageText::for_language(language)))?;
        let mut conn = db.acquire_reader().await?;
        let is_unproven = public_requests::load_unproven_mark(&mut conn, profile.org.id).await?;
        Ok(Self { state, profile, is_unproven, language, fields })
    }

    fn to_error_page(&self, error: ApiError) -> ErrorPage {
        ErrorPage::from_error(error, PageText::for_language(self.language))
    }

    fn page_text(&self) -> &'static BookingPageText {
        BookingPageText::for_language(self.language)
    }

    fn page_path(&self) -> String {
        format!("/book/{}", self.profile.org.slug)
    }

    /// Blank counts as absent.
    fn submitted_field(&self, name: &str) -> Option<&str> {
        self.fields.first_value(name).map(str::trim).filter(|text| !text.is_empty())
    }

    fn hold_id(&self, name: &str) -> Option<HoldId> {
        self.submitted_field(name)?.parse().ok().map(HoldId)
    }

    fn typed_fields(&self) -> Vec<(&'static str, &str)> {
        TYPED.iter().filter_map(|name| Some((*name, self.submitted_field(name)?))).collect()
    }

    fn has_typed_fields(&self) -> bool {
        self.typed_fields().iter().any(|(name, _)| *name != FORM_TOKEN)
    }

    /// Landing page, with the campaign parameters of its address.
    fn landing_page_url(&self, query: Option<&str>) -> String {
        if let Some(page) = self.submitted_field("page") {
            return page.chars().take(MAX_PAGE).collect();
        }
        let query = query.filter(|query| !query.is_empty()).map(|query| format!("?{query}")).unwrap_or_default();
        self.state.settings.public_url.join(&format!("{}{query}", self.page_path())).chars().take(MAX_PAGE).collect()
    }

    /// Address of this page with some query parameters replaced.
    fn page_link(&self, pairs: &[(&str, &str)], page: &str) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        for (name, value) in pairs {
            query.append_pair(name, value);
        }
        let is_said = |name: &str| pairs.iter().any(|(known, _)| *known == name);
        if let Some(lang) = self.submitted_field("lang").filter(|lang| !is_said("lang") && ["en", "es"].contains(lang))
        {
            query.append_pair("lang", lang);
        }
        if !page.is_empty() {
            query.append_pair("page", page);
        }
        format!("{}?{}", self.page_path(), query.finish())
    }

    fn frame_context(&self, step: &str, page: &str, error: Option<&ApiError>) -> Value {
        let (org, words) = (&self.profile.org, self.page_text());
        let kept = ["service", "zip", "hold", "instead", "from"];
        let pairs: Vec<_> = kept.iter().filter_map(|name| Some((*name, self.submitted_field(name)?))).collect();
        let other = if self.language == Language::En { "es" } else { "en" };
        let other_language = self.page_link(&[pairs.as_slice(), &[("lang", other)]].concat(), page);
        let error =
            error.map(|error| FormErrors::from_error(error, self.language, |sentence| words.translate(sentence)));
        context! {
            v => Serde(words), at => self.page_path(), step, page, other_language, is_unproven => self.is_unproven,
            lang => self.submitted_field("lang").filter(|lang| ["en", "es"].contains(lang)),
            write => format!("/lead?org={}", org.slug), error => Serde(&error),
            service => self.submitted_field("service"), zip => self.submitted_field("zip"),
            ..letterhead::business_head(&self.profile, PageText::for_language(self.language))
        }
    }

    /// How the business reminds of a visit: by text, else by email. None when it sends no reminders.
    fn reminder_channel(&self) -> Option<&'static str> {
        let (profile, set_up) = (&self.profile, self.state.org_context(&self.profile).set_up);
        let jobs = &profile.settings.jobs;
        let is_reminded = profile.switches.job_tracking && (jobs.day_before || jobs.hour_before);
        match sms_link::why_texts_blocked(set_up.sms, profile) {
            _ if !is_reminded => None,
            None => Some("text"),
            Some(_) => set_up.email.then_some("email"),
        }
    }

    /// Step 1: service and area.
    fn render_service_step(&self, page: &str, status: StatusCode, error: Option<&ApiError>, is_far: bool) -> Response {
        let services: Vec<_> = booking::list_bookable_services(&self.profile)
            .into_iter()
            .map(|service| context! { label => localized_service(self.language, &service.name), name => service.name })
            .collect();
        let more = context! { services, is_far };
        render_page("booking.html", status, context! { ..self.frame_context("ask", page, error), ..more })
    }

    /// Step 2: the time.
    async fn render_time_step(&self, page: &str, status: StatusCode, error: Option<&ApiError>) -> PageResult {
        let (service, zip) = match self.requested_service() {
            Ok(found) => found,
            Err(faults) => return Ok(self.render_service_step(page, faults.code.status(), Some(&faults), false)),
        };
        let from = self.submitted_field("from").and_then(|day| day.parse::<NaiveDate>().ok());
        let db = self.state.db().map_err(|e| self.to_error_page(e))?;
        let mut conn = db.acquire_reader().await?;
        let own = self.hold_id("instead").or_else(|| self.hold_id("hold"));
        let wanted = (&service, own);
        let offer =
            booking::offer_slots(&mut conn, &self.state.origin, &self.profile, wanted, from, self.language).await?;
        drop(conn);
        let place = [("service", service.name.as_str()), ("zip", zip.as_str())];
        let at_day = |day: NaiveDate| self.page_link(&[&place[..], &[("from", &day.to_string())]].concat(), page);
        let more = context! {
            service_label => localized_service(self.language, &service.name), zip => zip.as_str(),
            days => day_values(&offer, self.language), has_window => self.profile.settings.jobs.arrival_minutes > 0,
            hold => own.map(|hold| hold.to_string()), zone => self.page_text().zone_name(self.profile.org.zone()),
            again => self.page_link(&[], page), later => offer.next.map(at_day),
            earlier => from.map(|_| self.page_link(&place, page)),
            typed => Serde(self.typed_fields()), later_day => offer.next.filter(|_| self.has_typed_fields()).map(|day| day.to_string()),
        };
        Ok(render_page("booking.html", status, context! { ..more, ..self.frame_context("choose", page, error) }))
    }

    /// Service and ZIP code, if the business serves both.
    fn requested_service(&self) -> ApiResult<(booking::BookableService, String)> {
        let wanted = self.submitted_field("service").unwrap_or_default();
        let service = booking::list_bookable_services(&self.profile).into_iter().find(|known| known.name == wanted);
        let zip = booking::parse_zip(self.submitted_field("zip").unwrap_or_default());
        match (service, zip) {
            (Some(service), Some(zip)) => Ok((service, zip)),
            (None, _) => Err(ApiError::invalid_field("service", "Please choose what should be done")),
            (_, None) => Err(ApiError::invalid_field("zip", "Please enter a ZIP code of five digits")),
        }
    }

    /// Step 3: contact data. An unknown hold leads back to step 2.
    async fn render_details_step(
        &self,
        page: &str,
        id: HoldId,
        status: StatusCode,
        error: Option<&ApiError>,
    ) -> PageResult {
        let db = self.state.db().map_err(|e| self.to_error_page(e))?;
        let found = hold::find(&mut db.acquire_reader().await?, self.profile.org.id, id).await?;
        let (Some(held), Ok((service, zip))) = (found, self.requested_service()) else {
            return self.render_time_step(page, status, error).await;
        };
        let (words, zone, now) = (self.page_text(), self.profile.org.zone(), self.state.origin.now());
        let arrival = self.profile.settings.jobs.arrival_minutes;
        let day = held.starts_at.with_timezone(&zone).date_naive();
        let window = visit::words::format_arrival_window(held.starts_at, arrival, zone, self.language);
        let hours = window.rsplit_once(", ").map_or(window.as_str(), |(_, hours)| hours);
        let org = &self.profile.org;
        let typed = |name| self.submitted_field(name).unwrap_or_default();
        let (form_token, promises_texts) = self.form_token();
        let more = context! {
            when => format!("{}, {hours}", words.format_day(day)), hold => id.to_string(),
            kept_until => (held.expires_at > now).then(|| BookingPageText::format_hour(held.expires_at, zone)),
            service_label => localized_service(self.language, &service.name), zip => zip.as_str(),
            form_token, tells => self.reminder_channel(),
            has_sender => promises_texts, consent => consent::consent_wording(&org.name, promises_texts),
            marketing => consent::marketing_wording(&org.name, promises_texts),
            fields => context! {
                name => typed("name"), phone => typed("phone"), email => typed("email"), address => typed("address"),
                notes => typed("notes"), marketing => self.submitted_field("marketingConsent").is_some(),
            },
        };
        Ok(render_page("booking.html", status, context! { ..more, ..self.frame_context("fill", page, error) }))
    }

    /// The token of the form, and whether its wording promises texts: a page that is shown again keeps both.
    fn form_token(&self) -> (String, bool) {
        let (org, secret) = (&self.profile.org, &self.state.settings.secret);
        let Some(token) = self.submitted_field(FORM_TOKEN) else {
            let promises_texts = org.has_sender();
            return (secret.issue_form_token(&org.slug, self.state.origin.now(), promises_texts), promises_texts);
        };
        let opened = secret.verify_form_token(&org.slug, token);
        (token.to_owned(), opened.map_or_else(|| org.has_sender(), |opened| opened.promises_texts))
    }
}

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
    let visit = BookingVisitor::new(&state, &headers, &slug, &fields).await?;
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
    let visit = BookingVisitor::new(&state, &headers, &slug, &fields).await?;
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
    let visit = BookingVisitor::new(&state, &headers, &slug, &fields).await?;
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
