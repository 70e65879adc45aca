//! The booking page: what and where, then a time, then who. Plain forms, so it works on any phone and without scripts.

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
            form::{BookingForm, service_in},
        },
        tenancy::org::Profile,
        work::{
            booking::{self, Offer, Wish, hold},
            visit,
        },
    },
    platform::id::HoldId,
};

use super::{
    Page, Refusal, draw,
    field_error::Fault,
    form::Pairs,
    is_answerable, letterhead,
    words::{Words, of_browser},
};
use crate::{
    client_info::Who,
    error::{ApiError, ApiResult, ErrorCode},
    routes::booking::{book, business, keep, note_far},
    state::AppState,
};

mod words;

use words::BookWords;

/// The longest address of a page that is carried from step to step.
const MAX_PAGE: usize = 500;

/// What somebody types about themselves: it goes with them when their time was taken and they choose another.
const TYPED: [&str; 7] = ["name", "phone", "email", "address", "notes", "marketingConsent", FORM_TOKEN];
/// When the form was opened: who only corrects it is no robot for being fast.
const FORM_TOKEN: &str = "formToken";

/// One visitor at one business's page.
struct Visit<'a> {
    state: &'a AppState,
    profile: Profile,
    language: Language,
    said: &'a Pairs,
}

impl<'a> Visit<'a> {
    async fn new(state: &'a AppState, headers: &HeaderMap, slug: &str, said: &'a Pairs) -> Result<Self, Refusal> {
        let words = of_browser(Some(headers));
        let language = match said.one("lang") {
            Some("es") => Language::Es,
            Some("en") => Language::En,
            _ => words.language,
        };
        let profile = business(state, slug).await.map_err(|e| match e.code {
            ErrorCode::NotFound => Refusal::gone(Words::of(language)),
            _ => Refusal::of(e, Words::of(language)),
        })?;
        Ok(Self { state, profile, language, said })
    }

    fn refused(&self, error: ApiError) -> Refusal {
        Refusal::of(error, Words::of(self.language))
    }

    fn words(&self) -> &'static BookWords {
        BookWords::of(self.language)
    }

    fn at(&self) -> String {
        format!("/book/{}", self.profile.org.slug)
    }

    /// What was sent under this name; blank is absent.
    fn one(&self, name: &str) -> Option<&str> {
        self.said.one(name).map(str::trim).filter(|text| !text.is_empty())
    }

    fn hold(&self, name: &str) -> Option<HoldId> {
        self.one(name)?.parse().ok().map(HoldId)
    }

    /// What they have typed so far.
    fn typed(&self) -> Vec<(&'static str, &str)> {
        TYPED.iter().filter_map(|name| Some((*name, self.one(name)?))).collect()
    }

    fn has_typed(&self) -> bool {
        self.typed().iter().any(|(name, _)| *name != FORM_TOKEN)
    }

    /// The page at which they arrived, with what its address said of the campaign.
    fn page(&self, query: Option<&str>) -> String {
        if let Some(page) = self.one("page") {
            return page.chars().take(MAX_PAGE).collect();
        }
        let query = query.filter(|query| !query.is_empty()).map(|query| format!("?{query}")).unwrap_or_default();
        self.state.settings.public_url.join(&format!("{}{query}", self.at())).chars().take(MAX_PAGE).collect()
    }

    /// The address of this page with some names of the query said anew.
    fn link(&self, pairs: &[(&str, &str)], page: &str) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        for (name, value) in pairs {
            query.append_pair(name, value);
        }
        let is_said = |name: &str| pairs.iter().any(|(known, _)| *known == name);
        if let Some(lang) = self.one("lang").filter(|lang| !is_said("lang") && ["en", "es"].contains(lang)) {
            query.append_pair("lang", lang);
        }
        if !page.is_empty() {
            query.append_pair("page", page);
        }
        format!("{}?{}", self.at(), query.finish())
    }

    /// What every step shows.
    fn frame(&self, step: &str, page: &str, error: Option<&ApiError>) -> Value {
        let (org, words) = (&self.profile.org, self.words());
        let kept = ["service", "zip", "hold", "instead", "from"];
        let pairs: Vec<_> = kept.iter().filter_map(|name| Some((*name, self.one(name)?))).collect();
        let other = if self.language == Language::En { "es" } else { "en" };
        let other_language = self.link(&[pairs.as_slice(), &[("lang", other)]].concat(), page);
        let error = error.map(|error| Fault::of(error, |sentence| words.say(sentence)));
        context! {
            v => Serde(words), at => self.at(), step, page, other_language,
            lang => self.one("lang").filter(|lang| ["en", "es"].contains(lang)),
            write => format!("/lead?org={}", org.slug), error => Serde(&error),
            service => self.one("service"), zip => self.one("zip"),
            ..letterhead::of(&self.profile, Words::of(self.language))
        }
    }

    /// First: what, and where.
    fn ask(&self, page: &str, status: StatusCode, error: Option<&ApiError>, is_far: bool) -> Response {
        let services: Vec<_> = booking::services(&self.profile)
            .into_iter()
            .map(|known| context! { label => service_in(self.language, &known.name), name => known.name })
            .collect();
        let more = context! { services, is_far };
        draw("book.html", status, context! { ..self.frame("ask", page, error), ..more })
    }

    /// Then: when.
    async fn choose(&self, page: &str, status: StatusCode, error: Option<&ApiError>) -> Page {
        let (service, zip) = match self.place() {
            Ok(found) => found,
            Err(faults) => return Ok(self.ask(page, faults.code.status(), Some(&faults), false)),
        };
        let from = self.one("from").and_then(|day| day.parse::<NaiveDate>().ok());
        let db = self.state.db().map_err(|e| self.refused(e))?;
        let mut conn = db.read().await?;
        let offer = booking::offer(&mut conn, &self.state.origin, &self.profile, &service, from, self.language).await?;
        drop(conn);
        let place = [("service", service.name.as_str()), ("zip", zip.as_str())];
        let at_day = |day: NaiveDate| self.link(&[&place[..], &[("from", &day.to_string())]].concat(), page);
        let more = context! {
            service_label => service_in(self.language, &service.name), zip => zip.as_str(),
            days => days(&offer, self.language), has_window => self.profile.settings.jobs.arrival_minutes > 0,
            hold => self.hold("instead").or_else(|| self.hold("hold")).map(|hold| hold.to_string()), zone => self.words().zone(self.profile.org.zone()),
            again => self.link(&[], page), later => offer.next.map(at_day),
            earlier => from.map(|_| self.link(&place, page)),
            typed => Serde(self.typed()), later_day => offer.next.filter(|_| self.has_typed()).map(|day| day.to_string()),
        };
        Ok(draw("book.html", status, context! { ..more, ..self.frame("choose", page, error) }))
    }

    /// What they want and where, if the business does it there.
    fn place(&self) -> ApiResult<(booking::Service, String)> {
        let wanted = self.one("service").unwrap_or_default();
        let service = booking::services(&self.profile).into_iter().find(|known| known.name == wanted);
        let zip = booking::zip(self.one("zip").unwrap_or_default());
        match (service, zip) {
            (Some(service), Some(zip)) => Ok((service, zip)),
            (None, _) => Err(ApiError::field("service", "Please choose what should be done")),
            (_, None) => Err(ApiError::field("zip", "Please enter a ZIP code of five digits")),
        }
    }

    /// Last: who. A hold that nobody knows leads back to the times.
    async fn fill(&self, page: &str, id: HoldId, status: StatusCode, error: Option<&ApiError>) -> Page {
        let db = self.state.db().map_err(|e| self.refused(e))?;
        let found = hold::find(&mut db.read().await?, self.profile.org.id, id).await?;
        let (Some(held), Ok((service, zip))) = (found, self.place()) else {
            return self.choose(page, status, error).await;
        };
        let (words, zone, now) = (self.words(), self.profile.org.zone(), self.state.origin.now());
        let arrival = self.profile.settings.jobs.arrival_minutes;
        let day = held.starts_at.with_timezone(&zone).date_naive();
        let window = visit::words::window(held.starts_at, arrival, zone, self.language);
        let hours = window.rsplit_once(", ").map_or(window.as_str(), |(_, hours)| hours);
        let org = &self.profile.org;
        let typed = |name| self.one(name).unwrap_or_default();
        let more = context! {
            when => format!("{}, {hours}", words.day(day)), hold => id.to_string(),
            kept_until => (held.expires_at > now).then(|| BookWords::hour(held.expires_at, zone)),
            service_label => service_in(self.language, &service.name), zip => zip.as_str(),
            form_token => self.one(FORM_TOKEN).map_or_else(
                || self.state.settings.secret.form_token(&org.slug, now), ToOwned::to_owned),
            consent => consent::wording(&org.name), marketing => consent::marketing(&org.name),
            said => context! {
                name => typed("name"), phone => typed("phone"), email => typed("email"), address => typed("address"),
                notes => typed("notes"), marketing => self.one("marketingConsent").is_some(),
            },
        };
        Ok(draw("book.html", status, context! { ..more, ..self.frame("fill", page, error) }))
    }
}

/// The days as the pages show them.
pub(super) fn days(offer: &Offer, language: Language) -> Vec<Value> {
    let words = BookWords::of(language);
    let shown = offer.days.iter().map(|day| {
        let slots: Vec<_> = day
            .slots
            .iter()
            .map(|slot| context! { at => slot.starts_at.to_rfc3339(), label => slot.label.as_str() })
            .collect();
        context! { label => words.day(day.date), slots }
    });
    shown.collect()
}

/// Shows the step that comes next.
pub(super) async fn show(
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
    Path(slug): Path<String>,
    RawQuery(query): RawQuery,
) -> Page {
    let said = Pairs::parse(query.as_deref().unwrap_or_default().as_bytes());
    let visit = Visit::new(&state, &headers, &slug, &said).await?;
    let page = visit.page(query.as_deref());
    if let Some(reference) = visit.one("waiting").filter(|text| is_reference(text)) {
        let asks = visit.one("confirm").is_some();
        let context = context! { reference, asks, ..visit.frame("waiting", "", None) };
        return Ok(draw("book.html", StatusCode::OK, context));
    }
    if !visit.profile.takes_bookings() {
        return Ok(draw("book.html", StatusCode::OK, visit.frame("off", "", None)));
    }
    if visit.one("service").is_none() && visit.one("zip").is_none() {
        return Ok(visit.ask(&page, StatusCode::OK, None, false));
    }
    let zip = match visit.place() {
        Ok((_, zip)) => zip,
        Err(faults) => return Ok(visit.ask(&page, faults.code.status(), Some(&faults), false)),
    };
    if !visit.profile.settings.booking.serves(&zip) {
        note_far(&state, &who, &visit.profile, &zip).await.map_err(|e| visit.refused(e))?;
        return Ok(visit.ask(&page, StatusCode::OK, None, true));
    }
    match visit.hold("hold") {
        Some(hold) => visit.fill(&page, hold, StatusCode::OK, None).await,
        None => visit.choose(&page, StatusCode::OK, None).await,
    }
}

fn is_reference(text: &str) -> bool {
    text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A time is chosen: it is held, and the rest is asked.
pub(super) async fn choose(
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
    Path(slug): Path<String>,
    said: Pairs,
) -> Page {
    let visit = Visit::new(&state, &headers, &slug, &said).await?;
    let page = visit.page(None);
    let (service, zip) = match visit.place() {
        Ok((service, zip)) => (service.name, zip),
        Err(faults) => return Ok(visit.ask(&page, faults.code.status(), Some(&faults), false)),
    };
    let chosen = visit.one("startsAt").and_then(|at| at.parse::<DateTime<Utc>>().ok());
    let Some(starts_at) = chosen else {
        // Other times, for somebody who has typed already.
        let is_asked = ["again", "from"].iter().any(|name| visit.one(name).is_some());
        let status = if is_asked { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
        return visit.choose(&page, status, None).await;
    };
    let wish =
        Wish { service: service.clone(), zip: zip.clone(), starts_at, instead: visit.hold("instead"), source: None };
    match keep(&state, &who, &visit.profile, wish).await {
        // What was typed must not stand in an address.
        Ok(held) if visit.has_typed() => visit.fill(&page, held.id, StatusCode::OK, None).await,
        Ok(held) => {
            let pairs = [("service", service.as_str()), ("zip", &zip), ("hold", &held.id.to_string())];
            Ok(Redirect::to(&visit.link(&pairs, &page)).into_response())
        }
        Err(e) if is_answerable(&e) => visit.choose(&page, e.code.status(), Some(&e)).await,
        Err(e) => Err(visit.refused(e)),
    }
}

/// Everything is said: the visit is booked, and its own page shows it.
pub(super) async fn take(
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
    Path(slug): Path<String>,
    said: Pairs,
) -> Page {
    let visit = Visit::new(&state, &headers, &slug, &said).await?;
    let page = visit.page(None);
    let Some(hold) = visit.hold("hold") else {
        return visit.choose(&page, StatusCode::UNPROCESSABLE_ENTITY, None).await;
    };
    let typed = |name: &str| visit.said.one(name).map(ToOwned::to_owned);
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
        // The page before hands one out: who sends none never saw it.
        form_token: Some(typed(FORM_TOKEN).unwrap_or_default()),
        company: typed("company"),
    };
    match book(&state, &who, &visit.profile, (hold, None), &form, visit.language).await {
        Ok(booked) => {
            let to = match booked.path {
                Some(path) => format!("{path}?booked=1"),
                None if booked.confirm_until.is_some() => {
                    visit.link(&[("waiting", &booked.reference), ("confirm", "1")], "")
                }
                None => visit.link(&[("waiting", &booked.reference)], ""),
            };
            Ok(Redirect::to(&to).into_response())
        }
        Err(e) if e.code == ErrorCode::Conflict => visit.choose(&page, e.code.status(), Some(&e)).await,
        Err(e) if is_answerable(&e) => visit.fill(&page, hold, e.code.status(), Some(&e)).await,
        Err(e) => Err(visit.refused(e)),
    }
}
