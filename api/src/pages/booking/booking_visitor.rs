//! What a visitor of the booking page has chosen and typed so far, and the steps as they are rendered from it.

use axum::{
    http::{HeaderMap, StatusCode},
    response::Response,
};
use chrono::NaiveDate;
use minijinja::{Value, context, value::Serde};
use shared::{
    documents::template::Language,
    domain::{
        intake::lead::{consent, form::localized_service},
        messaging::message::sms_link,
        tenancy::{org::OrgProfile, trust_level::public_requests},
        work::{
            booking::{self, hold},
            visit,
        },
    },
    platform::id::HoldId,
};

use super::{day_values, words::BookingPageText};
use crate::{
    error::{ApiError, ApiResult, ErrorCode},
    pages::{
        ErrorPage, PageResult,
        field_error::FormErrors,
        form::FormFields,
        letterhead, render_page,
        words::{PageText, text_for_browser},
    },
    routes::work::booking::find_public_profile,
    state::AppState,
};

/// Longest page address that is carried from step to step.
const MAX_PAGE: usize = 500;

/// Typed fields, kept when the chosen time was taken and another is chosen.
const TYPED: [&str; 7] = ["name", "phone", "email", "address", "notes", "marketingConsent", FORM_TOKEN];
/// Token of the time at which the form was opened. It stays over corrections: a fast correction is not a robot.
pub(super) const FORM_TOKEN: &str = "formToken";

pub(super) struct BookingVisitor<'a> {
    state: &'a AppState,
    pub(super) profile: OrgProfile,
    /// The pages say that the business has not confirmed its address.
    is_unproven: bool,
    pub(super) language: Language,
    pub(super) fields: &'a FormFields,
}

impl<'a> BookingVisitor<'a> {
    pub(super) async fn from_form(
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

    pub(super) fn to_error_page(&self, error: ApiError) -> ErrorPage {
        ErrorPage::from_error(error, PageText::for_language(self.language))
    }

    fn page_text(&self) -> &'static BookingPageText {
        BookingPageText::for_language(self.language)
    }

    fn page_path(&self) -> String {
        format!("/book/{}", self.profile.org.slug)
    }

    /// Blank counts as absent.
    pub(super) fn submitted_field(&self, name: &str) -> Option<&str> {
        self.fields.first_value(name).map(str::trim).filter(|text| !text.is_empty())
    }

    pub(super) fn hold_id(&self, name: &str) -> Option<HoldId> {
        self.submitted_field(name)?.parse().ok().map(HoldId)
    }

    fn typed_fields(&self) -> Vec<(&'static str, &str)> {
        TYPED.iter().filter_map(|name| Some((*name, self.submitted_field(name)?))).collect()
    }

    pub(super) fn has_typed_fields(&self) -> bool {
        self.typed_fields().iter().any(|(name, _)| *name != FORM_TOKEN)
    }

    /// Landing page, with the campaign parameters of its address.
    pub(super) fn landing_page_url(&self, query: Option<&str>) -> String {
        if let Some(page) = self.submitted_field("page") {
            return page.chars().take(MAX_PAGE).collect();
        }
        let query = query.filter(|query| !query.is_empty()).map(|query| format!("?{query}")).unwrap_or_default();
        self.state.settings.public_url.join(&format!("{}{query}", self.page_path())).chars().take(MAX_PAGE).collect()
    }

    /// Address of this page with some query parameters replaced.
    pub(super) fn page_link(&self, pairs: &[(&str, &str)], page: &str) -> String {
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

    pub(super) fn frame_context(&self, step: &str, page: &str, error: Option<&ApiError>) -> Value {
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
    pub(super) fn render_service_step(
        &self,
        page: &str,
        status: StatusCode,
        error: Option<&ApiError>,
        is_far: bool,
    ) -> Response {
        let services: Vec<_> = booking::list_bookable_services(&self.profile)
            .into_iter()
            .map(|service| context! { label => localized_service(self.language, &service.name), name => service.name })
            .collect();
        let more = context! { services, is_far };
        render_page("booking.html", status, context! { ..self.frame_context("ask", page, error), ..more })
    }

    /// Step 2: the time.
    pub(super) async fn render_time_step(
        &self,
        page: &str,
        status: StatusCode,
        error: Option<&ApiError>,
    ) -> PageResult {
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
    pub(super) fn requested_service(&self) -> ApiResult<(booking::BookableService, String)> {
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
    pub(super) async fn render_details_step(
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
