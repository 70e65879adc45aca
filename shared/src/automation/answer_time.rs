//! What an automatic answer says about when a person answers: a time while the business is open, out of hours when the
//! request is read.

use chrono::{DateTime, Duration, Utc};

use super::{Facts, words::weekday_and_time};
use crate::{
    error::Result,
    hours::Open,
    message::Channel,
    promise::{self, Promised},
    template::{self, Language, Variables, Wording},
};

/// The wording as it may be said now: where nobody of the business can be told of the request, no time is promised.
pub(super) fn timed(facts: &Facts<'_>, language: Language, wording: &Wording) -> Wording {
    match facts.told_from {
        Some(_) => wording.clone(),
        None => each_text(wording, |text| promise::untimed(text, language)),
    }
}

/// The answer to a form as it may be said now. Out of hours it says when the request is read, and no time beside that.
pub(super) fn said_now(facts: &Facts<'_>, wording: &Wording) -> Wording {
    if is_open(facts) {
        return timed(facts, facts.language, wording);
    }
    each_text(wording, |text| promise::untimed(text, facts.language))
}

/// The wording with `within` in place of the shortest time that it promises.
pub(super) fn promising(wording: &Wording, within: Option<Duration>) -> Wording {
    let own = promise::read(&own_words(wording)).zip(within);
    own.map_or_else(
        || wording.clone(),
        |(own, within)| each_text(wording, |text| promise::promising(text, own.within, within)),
    )
}

fn own_words(wording: &Wording) -> String {
    format!("{}\n{}", wording.subject.as_deref().unwrap_or_default(), wording.body)
}

fn each_text(wording: &Wording, other: impl Fn(&str) -> String) -> Wording {
    Wording { subject: wording.subject.as_deref().map(&other), body: other(&wording.body), ..wording.clone() }
}

fn is_open(facts: &Facts<'_>) -> bool {
    facts.profile.settings.hours.at(facts.profile.org.zone(), facts.now) == Open::Open
}

/// What the answer to a form promises: the time of its wording, or out of hours that time from when the request is read.
pub(super) fn promised_now(facts: &Facts<'_>, wording: &Wording, variables: &Variables) -> Result<Option<Promised>> {
    let own = own_words(wording);
    let said = template::fill(&own, variables)?;
    let Some(promised) = promised(&own, &said, variables)?.filter(|_| facts.told_from.is_some()) else {
        return Ok(None);
    };
    if is_open(facts) {
        return Ok(Some(promised));
    }
    let zone = facts.profile.org.zone();
    Ok(reads_at(facts).map(|at| {
        let when = weekday_and_time(at, zone, Language::En);
        let is_opening = Some(at) == facts.profile.settings.hours.next_open(zone, facts.now);
        Promised { words: promise::after_hours_words(&when, is_opening), ..promised }
    }))
}

/// The next instant at which the business is open and somebody could have been told of the request: where no way is on,
/// when it opens. None when it never does.
fn reads_at(facts: &Facts<'_>) -> Option<DateTime<Utc>> {
    let (hours, zone) = (&facts.profile.settings.hours, facts.profile.org.zone());
    hours.next_open(zone, facts.told_from.map_or(facts.now, |told| told.max(facts.now)))
}

/// Out of hours the answer says when somebody will read the request, as texts and calls do.
pub(super) fn with_reading_time(facts: &Facts<'_>, channel: Channel, body: String) -> String {
    let (hours, zone) = (&facts.profile.settings.hours, facts.profile.org.zone());
    let Some(at) = reads_at(facts).filter(|_| !is_open(facts)) else { return body };
    let when = weekday_and_time(at, zone, facts.language);
    let said = match (facts.language, Some(at) == hours.next_open(zone, facts.now)) {
        (Language::En, true) => format!("We are closed right now and read this when we open {when}."),
        (Language::En, false) => format!("We are closed right now and read this {when}."),
        (Language::Es, true) => format!("Ahora estamos cerrados y lo leemos al abrir, {when}."),
        (Language::Es, false) => format!("Ahora estamos cerrados y lo leemos el {when}."),
    };
    match (channel, body.rsplit_once("\n\n")) {
        // Above the name at the end of an email.
        (Channel::Email, Some((above, last))) => format!("{above}\n\n{said}\n\n{last}"),
        _ => format!("{body} {said}"),
    }
}

/// What the wording promises. Names, and what the customer has written, promise nothing: the words are read with others
/// in their places.
pub(super) fn promised(wording: &str, said: &str, variables: &Variables) -> Result<Option<Promised>> {
    if promise::read(said).is_none() {
        return Ok(None);
    }
    Ok(promise::read(&template::fill(wording, &variables.without_names())?))
}
