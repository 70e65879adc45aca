//! Response time stated by an automatic answer: a time in open hours, else when the request is read.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::{
    RuleContext,
    words::{format_weekday_and_time, format_weekday_at_time},
};
use crate::{
    documents::{
        response_time::PromisedResponseTime,
        template::{self, Language, RenderedWording, TemplateWording, WordingValues},
    },
    domain::{messaging::response_sla, tenancy::org::Profile},
    platform::{
        business_hours::{Hours, OpenState},
        error::Result,
    },
};

pub mod stated_time;

use stated_time::{keep_or_remove_time, parse_stated_promise, subject_and_body_text};

/// Sentences of our default texts that only repeat when the request is read; without them a text fits one segment.
const REPEATED: [&str; 2] = [" We'll reply as soon as we can.", " Le respondemos lo antes posible."];

#[derive(Clone, Copy, Debug)]
pub struct ReplyTiming<'a> {
    hours: &'a Hours,
    zone: Tz,
    now: DateTime<Utc>,
    /// Earliest time at which the business could learn of it; none when every channel is off, and no time is promised.
    told_from: Option<DateTime<Utc>>,
    language: Language,
    is_open: bool,
    /// Next opening; now, if open. None when it never opens.
    opens_at: Option<DateTime<Utc>>,
    /// Next open instant at which a person can have been notified; with every channel off, the opening. None if never.
    reads_at: Option<DateTime<Utc>>,
}

impl<'a> ReplyTiming<'a> {
    #[must_use]
    pub fn new(profile: &'a Profile, now: DateTime<Utc>, told_from: Option<DateTime<Utc>>, language: Language) -> Self {
        Self::at_time(&profile.settings.hours, profile.org.zone(), (now, told_from), language)
    }

    fn at_time(
        hours: &'a Hours,
        zone: Tz,
        (now, told_from): (DateTime<Utc>, Option<DateTime<Utc>>),
        language: Language,
    ) -> Self {
        let is_open = hours.state_at(zone, now) == OpenState::Open;
        let opens_at = if is_open { Some(now) } else { hours.next_open_at(zone, now) };
        let notified = told_from.filter(|notified| *notified > now);
        let reads_at = notified.map_or(opens_at, |notified| hours.next_open_at(zone, notified));
        Self { hours, zone, now, told_from, language, is_open, opens_at, reads_at }
    }

    fn at_later_time(self, now: DateTime<Utc>) -> Self {
        Self::at_time(self.hours, self.zone, (now, self.told_from.map(|notified| notified.max(now))), self.language)
    }

    pub(super) fn from_context(facts: &RuleContext<'a>) -> Self {
        Self::new(facts.profile, facts.now, facts.told_from, facts.language)
    }

    /// Next closed moment: this one, if closed. None when the business never closes.
    #[must_use]
    pub fn next_after_hours(self) -> Option<Self> {
        if !self.is_open() {
            return Some(self);
        }
        self.hours.closes_at(self.zone, self.now).map(|closes| self.at_later_time(closes))
    }

    /// For call and text templates that apply in certain hours: the next moment of these. None when there is none.
    #[must_use]
    pub fn for_template(self, kind: template::TemplateKindName) -> Option<Self> {
        match kind {
            template::TemplateKindName::MissedCallAfterHours
            | template::TemplateKindName::MissedCallHoliday
            | template::TemplateKindName::TextReplyAfterHours => self.next_after_hours(),
            template::TemplateKindName::MissedCall | template::TemplateKindName::TextReply => {
                self.opens_at.map(|opens| self.at_later_time(opens))
            }
            _ => Some(self),
        }
    }

    /// Renders the answer to a call or text for this moment. Out of hours it names no time; it says when it is read,
    /// unless its own wording does.
    pub fn render_text(
        &self,
        kind: template::TemplateKindName,
        wording: &TemplateWording,
        variables: &WordingValues,
    ) -> Result<RenderedWording> {
        if self.can_promise_time(kind) {
            return template::render_wording(
                kind,
                &keep_or_remove_time(self.told_from, self.language, wording),
                variables,
            );
        }
        let untimed = self.without_time_after_hours(wording);
        let filled = template::render_wording(kind, &untimed, variables)?;
        let says_when = variables.reopens_at.as_deref().is_some_and(|at| filled.body.contains(at));
        if untimed.body == wording.body || says_when || !self.is_read_at_opening(kind) {
            return Ok(filled);
        }
        Ok(RenderedWording { body: self.insert_reading_time(false, filled.body), ..filled })
    }

    /// Promise of an answer to a call or text: as for a form; an emergency keeps its time at any hour.
    pub(super) fn text_promise(
        &self,
        kind: template::TemplateKindName,
        wording: &TemplateWording,
        variables: &WordingValues,
    ) -> Result<Option<PromisedResponseTime>> {
        match () {
            () if self.can_promise_time(kind) => self.stated_promise(wording, variables),
            () if self.is_read_at_opening(kind) => {
                let promised = self.form_promise(wording, variables)?;
                Ok(promised.or_else(|| self.promise_after_opening(kind, wording)))
            }
            () => Ok(None),
        }
    }

    /// What "we'll reply after we open Monday 8:00 AM" promises: an answer within the first hour of that day.
    fn promise_after_opening(
        &self,
        kind: template::TemplateKindName,
        wording: &TemplateWording,
    ) -> Option<PromisedResponseTime> {
        let at = self.opens_at?;
        let is_said = kind == template::TemplateKindName::TextReplyAfterHours && wording.body.contains("reopensAt");
        is_said.then(|| {
            let when = format_weekday_and_time(at, self.zone, Language::En);
            PromisedResponseTime {
                within: response_sla::MIN_TIME_AFTER_NOTICE,
                words: response_sla::after_hours_text(&when, true),
            }
        })
    }

    /// Open hours only, except emergencies (the business is notified at any hour) and the reminder, sent in open hours.
    fn can_promise_time(&self, kind: template::TemplateKindName) -> bool {
        self.is_open()
            || matches!(
                kind,
                template::TemplateKindName::MissedCallEmergency
                    | template::TemplateKindName::TextReplyEmergency
                    | template::TemplateKindName::MissedCallNudge
            )
    }

    /// Whether it is read at the next opening. Today's crew hears of a call at once; no day without a channel.
    fn is_read_at_opening(&self, kind: template::TemplateKindName) -> bool {
        kind != template::TemplateKindName::MissedCallJobToday && self.told_from.is_some()
    }

    pub fn render_form_reply(
        &self,
        kind: template::TemplateKindName,
        wording: &TemplateWording,
        variables: &WordingValues,
    ) -> Result<RenderedWording> {
        let filled = template::render_wording(kind, &self.without_time_after_hours(wording), variables)?;
        let is_email = kind.channel() == template::TemplateChannel::Email;
        Ok(RenderedWording { body: self.insert_reading_time(is_email, filled.body), ..filled })
    }

    /// Wording of the answer to a form for this moment: out of hours without a response time.
    pub(super) fn without_time_after_hours(&self, wording: &TemplateWording) -> TemplateWording {
        let told_from = self.told_from.filter(|_| self.is_open());
        keep_or_remove_time(told_from, self.language, wording)
    }

    /// Promise of the answer to a form: the wording's time; out of hours it runs from when the request is read.
    pub(super) fn form_promise(
        &self,
        wording: &TemplateWording,
        variables: &WordingValues,
    ) -> Result<Option<PromisedResponseTime>> {
        let promised = self.stated_promise(wording, variables)?;
        if self.is_open() {
            return Ok(promised);
        }
        Ok(promised
            .zip(self.after_hours_promise_text())
            .map(|(promised, words)| PromisedResponseTime { words, ..promised }))
    }

    /// Response time in the wording; none when the business cannot be notified.
    fn stated_promise(
        &self,
        wording: &TemplateWording,
        variables: &WordingValues,
    ) -> Result<Option<PromisedResponseTime>> {
        let own = subject_and_body_text(wording);
        let rendered = template::render_text(&own, variables)?;
        Ok(parse_stated_promise(&own, &rendered, variables)?.filter(|_| self.told_from.is_some()))
    }

    /// Promise out of hours: when the request is read. None when the business never opens.
    pub(crate) fn after_hours_promise_text(&self) -> Option<String> {
        self.reads_at.map(|at| {
            let when = format_weekday_and_time(at, self.zone, Language::En);
            response_sla::after_hours_text(&when, self.is_opening_time(at))
        })
    }

    /// Adds, out of hours, when the request is read.
    pub(super) fn insert_reading_time(&self, is_email: bool, body: String) -> String {
        let Some(reading_time) = self.reading_time_text() else { return body };
        match body.rsplit_once("\n\n") {
            // Above the signature of an email.
            Some((above, last)) if is_email => format!("{above}\n\n{reading_time}\n\n{last}"),
            _ => {
                let body = REPEATED.iter().fold(body, |body, repeated| body.replacen(repeated, "", 1));
                format!("{body} {reading_time}")
            }
        }
    }

    /// Sentence saying when the request is read. None while the business is open, and when it never opens.
    #[must_use]
    pub fn reading_time_text(&self) -> Option<String> {
        let at = self.reads_at.filter(|_| !self.is_open)?;
        let when = match self.language {
            Language::En => format_weekday_at_time(at, self.zone),
            Language::Es => format_weekday_and_time(at, self.zone, Language::Es),
        };
        Some(match (self.language, self.is_opening_time(at)) {
            (Language::En, true) => format!("We're closed right now. We'll read this when we open {when}."),
            (Language::En, false) => format!("We're closed right now. We'll read this {when}."),
            (Language::Es, true) => format!("Ahora estamos cerrados y lo leemos al abrir, {when}."),
            (Language::Es, false) => format!("Ahora estamos cerrados y lo leemos el {when}."),
        })
    }

    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    fn is_opening_time(&self, at: DateTime<Utc>) -> bool {
        self.opens_at == Some(at)
    }
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use super::*;

    #[test]
    fn after_hours_text_names_opening_and_emergency_text_keeps_time() {
        let hours = Hours::default();
        // Friday, 7:00 PM in Chicago.
        let now: DateTime<Utc> = "2026-09-19T00:00:00Z".parse().unwrap();
        let zone = chrono_tz::America::Chicago;
        let closed = ReplyTiming::at_time(&hours, zone, (now, Some(now)), Language::En);
        let body = "We answer within 1 hour. Reply STOP to opt out.";
        let wording = TemplateWording { enabled: true, subject: None, body: body.to_owned() };
        let variables = WordingValues::example_values("Acme Plumbing");
        let reply_text = |kind| closed.render_text(kind, &wording, &variables).unwrap().body;
        let promised = |kind| {
            let promised = closed.text_promise(kind, &wording, &variables).unwrap();
            promised.map(|promised| (promised.within, promised.words))
        };
        let untimed = "We answer as soon as we can. Reply STOP to opt out.";
        let read = "We're closed right now. We'll read this when we open Monday at 8:00 AM.";
        let monday = (Duration::hours(1), "after opening Monday 8:00 AM".to_owned());
        for kind in [template::TemplateKindName::MissedCallHoliday, template::TemplateKindName::TextReplyAfterHours] {
            assert_eq!((reply_text(kind), promised(kind)), (format!("{untimed} {read}"), Some(monday.clone())));
        }
        let today = template::TemplateKindName::MissedCallJobToday;
        assert_eq!((reply_text(today), promised(today)), (untimed.to_owned(), None));
        let urgent = template::TemplateKindName::MissedCallEmergency;
        assert_eq!(
            (reply_text(urgent), promised(urgent).map(|(within, _)| within)),
            (body.to_owned(), Some(Duration::hours(1)))
        );
    }

    #[test]
    fn after_hours_text_naming_opening_promises_reply_after_it() {
        let hours = Hours::default();
        let now: DateTime<Utc> = "2026-09-19T00:00:00Z".parse().unwrap();
        let kind = template::TemplateKindName::TextReplyAfterHours;
        let variables = WordingValues::example_values("Acme Plumbing");
        let promised = |told_from: Option<DateTime<Utc>>, body: &str| {
            let closed = ReplyTiming::at_time(&hours, chrono_tz::America::Chicago, (now, told_from), Language::En);
            let wording = TemplateWording { enabled: true, subject: None, body: body.to_owned() };
            closed.text_promise(kind, &wording, &variables).unwrap().map(|promised| promised.words)
        };
        let replies = "We'll reply after we open {{ reopensAt }}.";
        assert_eq!(promised(Some(now), replies).as_deref(), Some("after opening Monday 8:00 AM"));
        assert_eq!(promised(None, replies), None, "no time can be promised");
        assert_eq!(promised(Some(now), "We got your text."), None);
    }

    #[test]
    fn default_after_hours_text_names_opening_once_in_one_segment() {
        let hours = Hours::default();
        // Tuesday, 7:00 PM in Chicago: Wednesday is the longest name of a day.
        let now: DateTime<Utc> = "2026-09-16T00:00:00Z".parse().unwrap();
        let closed = ReplyTiming::at_time(&hours, chrono_tz::America::Chicago, (now, Some(now)), Language::En);
        let wording = template::default_wording(template::TemplateKindName::Sms, Language::En);
        let ann = WordingValues { customer_name: "Ann".to_owned(), ..WordingValues::example_values("Acme Plumbing") };
        let reply_text = closed.render_form_reply(template::TemplateKindName::Sms, &wording, &ann).unwrap().body;
        assert!(reply_text.ends_with("We'll read this when we open Wednesday at 8:00 AM."), "{reply_text}");
        assert!(!reply_text.contains("as soon as we can") && reply_text.len() <= 160, "{reply_text}");
    }
}
