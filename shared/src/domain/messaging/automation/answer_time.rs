//! What an automatic answer says about when a person answers: a time while the business is open, out of hours when the
//! request is read.

use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;

use super::{
    Facts,
    words::{weekday_and_time, weekday_at_time},
};
use crate::{
    documents::{
        response_time::{self, Promised},
        template::{self, Filled, Language, Variables, Wording},
    },
    domain::{
        messaging::response_sla::{self},
        tenancy::org::Profile,
    },
    platform::{
        business_hours::{Hours, Open},
        error::Result,
        memoize::Memo,
    },
};

/// The subject and the body of a wording.
type Texts = (Option<String>, String);

/// Wordings of so many businesses are read once, and not for every request.
const REMEMBERED: usize = 256;
static PROMISING: Memo<(Texts, Duration), Texts> = Memo::of(REMEMBERED);
static UNTIMED: Memo<(Texts, Language), Texts> = Memo::of(REMEMBERED);
/// Sentences of our own texts that say no more than when the request is read: without them a text has one segment.
const REPEATED: [&str; 2] = [" We'll reply as soon as we can.", " Le respondemos lo antes posible."];
static READ: Memo<String, Option<Promised>> = Memo::of(REMEMBERED);

/// When an answer is worded, and for whom.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    hours: &'a Hours,
    zone: Tz,
    now: DateTime<Utc>,
    /// From when on somebody of the business could have been told; none when no way is on, and no time is promised.
    told_from: Option<DateTime<Utc>>,
    language: Language,
    is_open: bool,
    /// When the business opens: now, if it is open. None when it never does.
    opens_at: Option<DateTime<Utc>>,
    /// The next instant at which the business is open and somebody could have been told of the request: where no way is
    /// on, when it opens. None when it never does.
    reads_at: Option<DateTime<Utc>>,
}

impl<'a> Moment<'a> {
    #[must_use]
    pub fn new(profile: &'a Profile, now: DateTime<Utc>, told_from: Option<DateTime<Utc>>, language: Language) -> Self {
        Self::at(&profile.settings.hours, profile.org.zone(), (now, told_from), language)
    }

    fn at(
        hours: &'a Hours,
        zone: Tz,
        (now, told_from): (DateTime<Utc>, Option<DateTime<Utc>>),
        language: Language,
    ) -> Self {
        let is_open = hours.at(zone, now) == Open::Open;
        let opens_at = if is_open { Some(now) } else { hours.next_open(zone, now) };
        let told = told_from.filter(|told| *told > now);
        let reads_at = told.map_or(opens_at, |told| hours.next_open(zone, told));
        Self { hours, zone, now, told_from, language, is_open, opens_at, reads_at }
    }

    /// The same at a later moment.
    fn later(self, now: DateTime<Utc>) -> Self {
        Self::at(self.hours, self.zone, (now, self.told_from.map(|told| told.max(now))), self.language)
    }

    pub(super) fn of(facts: &Facts<'a>) -> Self {
        Self::new(facts.profile, facts.now, facts.told_from, facts.language)
    }

    /// The next moment out of hours: this one, if the business is closed. None where it does not close.
    #[must_use]
    pub fn after_hours(self) -> Option<Self> {
        if !self.is_open() {
            return Some(self);
        }
        self.hours.closes_at(self.zone, self.now).map(|closes| self.later(closes))
    }

    /// When an answer to a call or a text is worded, if its template has hours of its own: the next moment of these. None
    /// where there is none.
    #[must_use]
    pub fn of_template(self, kind: template::Kind) -> Option<Self> {
        match kind {
            template::Kind::MissedCallAfterHours
            | template::Kind::MissedCallHoliday
            | template::Kind::TextReplyAfterHours => self.after_hours(),
            template::Kind::MissedCall | template::Kind::TextReply => self.opens_at.map(|opens| self.later(opens)),
            _ => Some(self),
        }
    }

    /// The wording of an answer to a call or a text, filled in as it is sent at this moment. Out of hours it names no
    /// time: in its place it says when the answer is read, unless its own words do.
    ///
    /// # Errors
    /// As [`template::render`].
    pub fn render_text(&self, kind: template::Kind, wording: &Wording, variables: &Variables) -> Result<Filled> {
        if self.may_name_time(kind) {
            return template::render(kind, &timed(self.told_from, self.language, wording), variables);
        }
        let untimed = self.said_now(wording);
        let filled = template::render(kind, &untimed, variables)?;
        let says_when = variables.reopens_at.as_deref().is_some_and(|at| filled.body.contains(at));
        if untimed.body == wording.body || says_when || !self.is_read_later(kind) {
            return Ok(filled);
        }
        Ok(Filled { body: self.with_reading_time(false, filled.body), ..filled })
    }

    /// What the answer to a call or a text promises: as that to a form, and an emergency its time at any hour.
    pub(super) fn promised_by_text(
        &self,
        kind: template::Kind,
        wording: &Wording,
        variables: &Variables,
    ) -> Result<Option<Promised>> {
        match () {
            () if self.may_name_time(kind) => self.named_time(wording, variables),
            () if self.is_read_later(kind) => {
                let promised = self.promised(wording, variables)?;
                Ok(promised.or_else(|| self.reply_after_opening(kind, wording)))
            }
            () => Ok(None),
        }
    }

    /// What "we'll reply after we open Monday 8:00 AM" promises: an answer within the first hour of that day.
    fn reply_after_opening(&self, kind: template::Kind, wording: &Wording) -> Option<Promised> {
        let at = self.opens_at?;
        let is_said = kind == template::Kind::TextReplyAfterHours && wording.body.contains("reopensAt");
        is_said.then(|| {
            let when = weekday_and_time(at, self.zone, Language::En);
            Promised { within: response_sla::AFTER_TOLD, words: response_sla::after_hours_words(&when, true) }
        })
    }

    /// Whether the answer to a call or a text may name a time: in open hours. The business is told of emergencies at any
    /// hour, and the reminder leaves in open hours.
    fn may_name_time(&self, kind: template::Kind) -> bool {
        self.is_open()
            || matches!(
                kind,
                template::Kind::MissedCallEmergency
                    | template::Kind::TextReplyEmergency
                    | template::Kind::MissedCallNudge
            )
    }

    /// Whether somebody reads the answer when the business opens. The crew of today hears of a call at once, and where
    /// nobody can be told no day is named.
    fn is_read_later(&self, kind: template::Kind) -> bool {
        kind != template::Kind::MissedCallJobToday && self.told_from.is_some()
    }

    /// The wording of an answer to a form, filled in as it is sent at this moment.
    ///
    /// # Errors
    /// As [`template::render`].
    pub fn render(&self, kind: template::Kind, wording: &Wording, variables: &Variables) -> Result<Filled> {
        let filled = template::render(kind, &self.said_now(wording), variables)?;
        let is_email = kind.channel() == template::Channel::Email;
        Ok(Filled { body: self.with_reading_time(is_email, filled.body), ..filled })
    }

    /// The answer to a form as it may be said now. Out of hours it says when the request is read, and no time beside that.
    pub(super) fn said_now(&self, wording: &Wording) -> Wording {
        let told_from = self.told_from.filter(|_| self.is_open());
        timed(told_from, self.language, wording)
    }

    /// What the answer to a form promises: the time of its wording, or out of hours that time from when the request is
    /// read.
    pub(super) fn promised(&self, wording: &Wording, variables: &Variables) -> Result<Option<Promised>> {
        let promised = self.named_time(wording, variables)?;
        if self.is_open() {
            return Ok(promised);
        }
        Ok(promised.zip(self.after_hours_words()).map(|(promised, words)| Promised { words, ..promised }))
    }

    /// The time that the wording names, where somebody of the business could be told.
    fn named_time(&self, wording: &Wording, variables: &Variables) -> Result<Option<Promised>> {
        let own = own_words(wording);
        let said = template::fill(&own, variables)?;
        Ok(promised(&own, &said, variables)?.filter(|_| self.told_from.is_some()))
    }

    /// What is promised in place of a time: when the request is read. None when the business never opens.
    pub(crate) fn after_hours_words(&self) -> Option<String> {
        self.reads_at.map(|at| {
            let when = weekday_and_time(at, self.zone, Language::En);
            response_sla::after_hours_words(&when, self.is_opening(at))
        })
    }

    /// Out of hours the answer says when somebody will read the request, as texts and calls do.
    pub(super) fn with_reading_time(&self, is_email: bool, body: String) -> String {
        let Some(said) = self.reading_time() else { return body };
        match body.rsplit_once("\n\n") {
            // Above the name at the end of an email.
            Some((above, last)) if is_email => format!("{above}\n\n{said}\n\n{last}"),
            _ => {
                let body = REPEATED.iter().fold(body, |body, repeated| body.replacen(repeated, "", 1));
                format!("{body} {said}")
            }
        }
    }

    /// Out of hours: when somebody reads the request, in a sentence. None while the business is open, and when it never is.
    #[must_use]
    pub fn reading_time(&self) -> Option<String> {
        let at = self.reads_at.filter(|_| !self.is_open)?;
        let when = match self.language {
            Language::En => weekday_at_time(at, self.zone),
            Language::Es => weekday_and_time(at, self.zone, Language::Es),
        };
        Some(match (self.language, self.is_opening(at)) {
            (Language::En, true) => format!("We're closed right now. We'll read this when we open {when}."),
            (Language::En, false) => format!("We're closed right now. We'll read this {when}."),
            (Language::Es, true) => format!("Ahora estamos cerrados y lo leemos al abrir, {when}."),
            (Language::Es, false) => format!("Ahora estamos cerrados y lo leemos el {when}."),
        })
    }

    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    fn is_opening(&self, at: DateTime<Utc>) -> bool {
        self.opens_at == Some(at)
    }
}

/// The wording as it may be said now: where nobody of the business can be told of the request, no time is promised.
fn timed(told_from: Option<DateTime<Utc>>, language: Language, wording: &Wording) -> Wording {
    if told_from.is_some() {
        return wording.clone();
    }
    let untimed = UNTIMED
        .get((texts(wording), language), |(texts, _)| each_text(texts, |text| response_time::untimed(text, language)));
    with_texts(wording, untimed)
}

/// The wording with `within` in place of the shortest time that it promises.
#[must_use]
pub fn promising(wording: &Wording, within: Option<Duration>) -> Wording {
    let Some(within) = within else { return wording.clone() };
    let promising =
        PROMISING.get((texts(wording), within), |(texts, _)| match response_time::read(&own_words(wording)) {
            Some(own) => each_text(texts, |text| response_time::promising(text, own.within, within)),
            None => texts.clone(),
        });
    with_texts(wording, promising)
}

/// The one time that a request is promised, of the text and the email that answer it. A text that waits for somebody's
/// own phone counts only where nothing else promises a time.
#[must_use]
pub fn one_time(text: Option<Duration>, email: Option<Duration>, texts_leave: bool) -> Option<Duration> {
    let leaving = text.filter(|_| texts_leave);
    leaving.into_iter().chain(email).min().or(text)
}

/// The shortest time that the words of a template promise.
#[must_use]
pub fn own_time(wording: &Wording) -> Option<Duration> {
    response_time::read(&own_words(wording)).map(|promised| promised.within)
}

fn own_words(wording: &Wording) -> String {
    format!("{}\n{}", wording.subject.as_deref().unwrap_or_default(), wording.body)
}

fn texts(wording: &Wording) -> Texts {
    (wording.subject.clone(), wording.body.clone())
}

fn with_texts(wording: &Wording, (subject, body): Texts) -> Wording {
    Wording { enabled: wording.enabled, subject, body }
}

fn each_text((subject, body): &Texts, other: impl Fn(&str) -> String) -> Texts {
    (subject.as_deref().map(&other), other(body))
}

/// What the wording promises. Names, and what the customer has written, promise nothing: the words are read with others
/// in their places.
fn promised(wording: &str, said: &str, variables: &Variables) -> Result<Option<Promised>> {
    let unnamed = template::fill(wording, &variables.without_names())?;
    let promised = READ.get(unnamed, |unnamed| response_time::read(unnamed));
    Ok(promised.filter(|_| response_time::read(said).is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `one_time` of what the text and the email promise, in hours.
    fn of(text: Option<i64>, email: Option<i64>, is_sent: bool) -> Option<i64> {
        one_time(text.map(Duration::hours), email.map(Duration::hours), is_sent).map(|time| time.num_hours())
    }

    #[test]
    fn text_after_hours_names_the_opening_in_place_of_a_time_and_an_emergency_keeps_it() {
        let hours = Hours::default();
        // Friday, 7:00 PM in Chicago.
        let now: DateTime<Utc> = "2026-09-19T00:00:00Z".parse().unwrap();
        let zone = chrono_tz::America::Chicago;
        let closed = Moment::at(&hours, zone, (now, Some(now)), Language::En);
        let body = "We answer within 1 hour. Reply STOP to opt out.";
        let wording = Wording { enabled: true, subject: None, body: body.to_owned() };
        let variables = Variables::example("Acme Plumbing");
        let said = |kind| closed.render_text(kind, &wording, &variables).unwrap().body;
        let promised = |kind| {
            let promised = closed.promised_by_text(kind, &wording, &variables).unwrap();
            promised.map(|promised| (promised.within, promised.words))
        };
        let untimed = "We answer as soon as we can. Reply STOP to opt out.";
        let read = "We're closed right now. We'll read this when we open Monday at 8:00 AM.";
        let monday = (Duration::hours(1), "after opening Monday 8:00 AM".to_owned());
        for kind in [template::Kind::MissedCallHoliday, template::Kind::TextReplyAfterHours] {
            assert_eq!((said(kind), promised(kind)), (format!("{untimed} {read}"), Some(monday.clone())));
        }
        let today = template::Kind::MissedCallJobToday;
        assert_eq!((said(today), promised(today)), (untimed.to_owned(), None));
        let urgent = template::Kind::MissedCallEmergency;
        assert_eq!(
            (said(urgent), promised(urgent).map(|(within, _)| within)),
            (body.to_owned(), Some(Duration::hours(1)))
        );
    }

    #[test]
    fn text_after_hours_that_names_the_opening_promises_a_reply_after_it() {
        let hours = Hours::default();
        // Friday, 7:00 PM in Chicago.
        let now: DateTime<Utc> = "2026-09-19T00:00:00Z".parse().unwrap();
        let kind = template::Kind::TextReplyAfterHours;
        let variables = Variables::example("Acme Plumbing");
        let promised = |told_from: Option<DateTime<Utc>>, body: &str| {
            let closed = Moment::at(&hours, chrono_tz::America::Chicago, (now, told_from), Language::En);
            let wording = Wording { enabled: true, subject: None, body: body.to_owned() };
            closed.promised_by_text(kind, &wording, &variables).unwrap().map(|promised| promised.words)
        };
        let replies = "We'll reply after we open {{ reopensAt }}.";
        assert_eq!(promised(Some(now), replies).as_deref(), Some("after opening Monday 8:00 AM"));
        assert_eq!(promised(None, replies), None, "nobody can be told");
        assert_eq!(promised(Some(now), "We got your text."), None);
    }

    #[test]
    fn our_own_text_after_hours_says_once_when_it_is_read_and_fits_in_one_segment() {
        let hours = Hours::default();
        // Tuesday, 7:00 PM in Chicago: Wednesday is the longest name of a day.
        let now: DateTime<Utc> = "2026-09-16T00:00:00Z".parse().unwrap();
        let closed = Moment::at(&hours, chrono_tz::America::Chicago, (now, Some(now)), Language::En);
        let wording = template::default_wording(template::Kind::Sms, Language::En);
        let ann = Variables { customer_name: "Ann".to_owned(), ..Variables::example("Acme Plumbing") };
        let said = closed.render(template::Kind::Sms, &wording, &ann).unwrap().body;
        assert!(said.ends_with("We'll read this when we open Wednesday at 8:00 AM."), "{said}");
        assert!(!said.contains("as soon as we can") && said.len() <= 160, "{said}");
    }

    #[test]
    fn the_shortest_time_that_leaves_is_the_one_of_the_request() {
        assert_eq!(of(Some(1), Some(2), true), Some(1));
        assert_eq!(of(Some(4), Some(2), true), Some(2));
        assert_eq!(of(Some(1), Some(2), false), Some(2), "the text waits for a phone");
        assert_eq!(of(Some(1), None, false), Some(1));
        assert_eq!(of(None, None, true), None);
    }
}
