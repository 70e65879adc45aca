//! Response time stated by an automatic answer: a time while the business is open and can be notified, else when the
//! request is read.

use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;

use super::{RuleContext, message_wording::format_weekday_and_time};
use crate::{
    documents::{
        response_time::PromisedResponseTime,
        template::{self, Language, RenderedWording, TemplateWording, WordingValues},
    },
    domain::{
        messaging::{alert::notification_time, response_sla},
        tenancy::org::OrgProfile,
    },
    platform::{
        business_hours::{BusinessHours, OpenState},
        error::Result,
    },
};

mod reading_time;
pub mod stated_time;

use reading_time::ReadingTime;
use stated_time::{keep_or_remove_time, parse_stated_promise, subject_and_body_text};

/// Sentences of our default texts that only repeat when the request is read; without them a text fits one segment.
const REPEATED: [&str; 2] = [" We'll reply as soon as we can.", " Le respondemos lo antes posible."];

/// A notification this soon counts as immediate. No shorter response time can be stated.
const IMMEDIATE_NOTICE: Duration = Duration::minutes(1);

#[derive(Clone, Copy, Debug)]
pub struct ReplyTiming<'a> {
    hours: &'a BusinessHours,
    zone: Tz,
    now: DateTime<Utc>,
    /// Earliest time at which the business could learn of it; none when every channel is off, and no time is promised.
    told_from: Option<DateTime<Utc>>,
    /// The same for an emergency, which no summary and no notification hours delay.
    urgent_from: Option<DateTime<Utc>>,
    language: Language,
    is_open: bool,
    /// Next opening; now, if open. None when it never opens.
    opens_at: Option<DateTime<Utc>>,
    /// Next open instant at which a person can have been notified; with every channel off, the opening. None if never.
    reads_at: Option<DateTime<Utc>>,
}

impl<'a> ReplyTiming<'a> {
    #[must_use]
    pub fn new(
        profile: &'a OrgProfile,
        now: DateTime<Utc>,
        told_from: Option<DateTime<Utc>>,
        language: Language,
    ) -> Self {
        let (settings, zone) = (&profile.settings, profile.org.zone());
        let scheduled = notification_time::next_notify_at(settings, zone, false, now).to_instant(now);
        let urgent_from = told_from.map(|notified| if notified == scheduled { now } else { notified });
        Self { urgent_from, ..Self::at_time(&settings.hours, zone, (now, told_from), language) }
    }

    fn at_time(
        hours: &'a BusinessHours,
        zone: Tz,
        (now, told_from): (DateTime<Utc>, Option<DateTime<Utc>>),
        language: Language,
    ) -> Self {
        let is_open = hours.state_at(zone, now) == OpenState::Open;
        let opens_at = if is_open { Some(now) } else { hours.next_open_at(zone, now) };
        let notified = told_from.filter(|notified| *notified > now);
        let reads_at = notified.map_or(opens_at, |notified| hours.next_open_at(zone, notified));
        Self { hours, zone, now, told_from, urgent_from: told_from, language, is_open, opens_at, reads_at }
    }

    /// For a message that is worded now and leaves later.
    pub(super) fn at_later_time(self, now: DateTime<Utc>) -> Self {
        let told_from = self.told_from.map(|notified| notified.max(now));
        let urgent_from = self.urgent_from.map(|notified| notified.max(now));
        Self { urgent_from, ..Self::at_time(self.hours, self.zone, (now, told_from), self.language) }
    }

    pub(super) fn from_context(facts: &RuleContext<'a>) -> Self {
        Self::new(facts.profile, facts.now, facts.told_from, facts.language)
    }

    /// Next closed moment: this one, if closed. None when the business never closes.
    #[must_use]
    pub fn next_after_hours(self) -> Option<Self> {
        if !self.is_open {
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
            template::TemplateKindName::MissedCall
            | template::TemplateKindName::MissedCallNudge
            | template::TemplateKindName::TextReply => self.opens_at.map(|opens| self.at_later_time(opens)),
            _ => Some(self),
        }
    }

    /// Renders the answer to a call or text for this moment. Where it names no time it says when it is read, unless its
    /// own wording does.
    pub fn render_text(
        &self,
        kind: template::TemplateKindName,
        wording: &TemplateWording,
        variables: &WordingValues,
    ) -> Result<RenderedWording> {
        if self.can_promise_time(kind) {
            return template::render_wording(kind, wording, variables);
        }
        let untimed = keep_or_remove_time(false, self.language, wording);
        let filled = template::render_wording(kind, &untimed, variables)?;
        let reopens = variables.reopens_at.as_deref().filter(|_| self.names_reading_time(kind));
        let says_when = reopens.is_some_and(|at| filled.body.contains(at));
        if untimed.body == wording.body || says_when || !self.is_read_later(kind) {
            return Ok(filled);
        }
        let Some(reading_time) = self.describe_reading_time() else { return Ok(filled) };
        Ok(RenderedWording { body: add_sentence(false, filled.body, &reading_time), ..filled })
    }

    /// The `reopensAt` of a template: the opening; of "we'll reply after we open" the time at which it is read, and
    /// none when the business cannot be notified.
    pub(super) fn reopens_at(&self, kind: template::TemplateKindName) -> Option<DateTime<Utc>> {
        if kind == template::TemplateKindName::TextReplyAfterHours {
            return self.reads_at.filter(|_| self.told_from.is_some());
        }
        self.opens_at
    }

    /// Whether [`Self::reopens_at`] is when it is read.
    fn names_reading_time(&self, kind: template::TemplateKindName) -> bool {
        self.reads_at == self.opens_at || kind == template::TemplateKindName::TextReplyAfterHours
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
            () if self.is_read_later(kind) => {
                let promised = self.reading_promise(wording, variables)?;
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
        let is_said = kind == template::TemplateKindName::TextReplyAfterHours && wording.body.contains("reopensAt");
        let words = self.after_hours_promise_text().filter(|_| is_said)?;
        Some(PromisedResponseTime { within: response_sla::MIN_TIME_AFTER_NOTICE, words })
    }

    /// As [`Self::can_state_time`]; in an emergency at any hour, because the business is notified at any hour.
    fn can_promise_time(&self, kind: template::TemplateKindName) -> bool {
        let is_emergency = matches!(
            kind,
            template::TemplateKindName::MissedCallEmergency | template::TemplateKindName::TextReplyEmergency
        );
        if is_emergency { self.is_immediate(self.urgent_from) } else { self.can_state_time() }
    }

    /// Whether the time of the wording can be kept: the business is open, and learns of the request at once.
    pub(crate) fn can_state_time(&self) -> bool {
        self.is_open && self.is_immediate(self.told_from)
    }

    /// The notification of a request that comes in now, where it is too late for the time of the wording. None in hours
    /// for which the template is not.
    #[must_use]
    pub fn late_notice_at(self, kind: template::TemplateKindName) -> Option<DateTime<Utc>> {
        let timing = self.for_template(kind).filter(|timing| timing.now == self.now && timing.is_open)?;
        timing.told_from.filter(|_| !timing.can_promise_time(kind))
    }

    fn is_immediate(&self, notified: Option<DateTime<Utc>>) -> bool {
        notified.is_some_and(|at| at - self.now <= IMMEDIATE_NOTICE)
    }

    /// Start of the promise of the answer to a form: now if it states a time, else when the request is read.
    pub(crate) fn form_promise_starts_at(&self) -> Option<DateTime<Utc>> {
        if self.can_state_time() { Some(self.now) } else { self.reads_at }
    }

    /// As [`Self::form_promise_starts_at`], of the answer to a call or text.
    pub(super) fn text_promise_starts_at(&self, kind: template::TemplateKindName) -> Option<DateTime<Utc>> {
        if self.can_promise_time(kind) { Some(self.now) } else { self.reads_at }
    }

    /// Whether it is read later and the answer says when. Not of today's visit, whose crew hears of a call at once.
    fn is_read_later(&self, kind: template::TemplateKindName) -> bool {
        kind != template::TemplateKindName::MissedCallJobToday && self.told_from.is_some()
    }

    pub fn render_form_reply(
        &self,
        kind: template::TemplateKindName,
        wording: &TemplateWording,
        variables: &WordingValues,
    ) -> Result<RenderedWording> {
        let filled = template::render_wording(kind, &self.without_time_if_read_later(wording), variables)?;
        let is_email = kind.channel() == template::TemplateChannel::Email;
        Ok(RenderedWording { body: self.insert_reading_time(is_email, filled.body), ..filled })
    }

    /// Wording of the answer to a form for this moment: without a response time when the request is read later.
    pub(super) fn without_time_if_read_later(&self, wording: &TemplateWording) -> TemplateWording {
        keep_or_remove_time(self.can_state_time(), self.language, wording)
    }

    /// Promise of the answer to a form: the wording's time, from now or from when the request is read.
    pub(super) fn form_promise(
        &self,
        wording: &TemplateWording,
        variables: &WordingValues,
    ) -> Result<Option<PromisedResponseTime>> {
        if self.can_state_time() {
            return self.stated_promise(wording, variables);
        }
        self.reading_promise(wording, variables)
    }

    /// The wording's time, in the words of when the request is read.
    fn reading_promise(
        &self,
        wording: &TemplateWording,
        variables: &WordingValues,
    ) -> Result<Option<PromisedResponseTime>> {
        Ok(self
            .stated_promise(wording, variables)?
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

    /// Promise that names no time: when the request is read. None when the business never opens.
    pub(crate) fn after_hours_promise_text(&self) -> Option<String> {
        self.reads_at.map(|at| {
            let when = format_weekday_and_time(at, self.zone, Language::En);
            response_sla::after_hours_text(&when, self.is_opening_time(at))
        })
    }

    /// Adds when the request is read, if that is later.
    pub(super) fn insert_reading_time(&self, is_email: bool, body: String) -> String {
        match self.reading_time_text() {
            Some(reading_time) => add_sentence(is_email, body, &reading_time),
            None => body,
        }
    }

    /// Sentence saying when the request is read. None if that is now, when the business never opens, and while it is
    /// open and cannot be notified.
    #[must_use]
    pub fn reading_time_text(&self) -> Option<String> {
        let is_later = !self.is_open || (self.told_from.is_some() && !self.can_state_time());
        if is_later { self.describe_reading_time() } else { None }
    }

    fn describe_reading_time(&self) -> Option<String> {
        let at = self.reads_at?;
        let reading =
            ReadingTime { at, now: self.now, zone: self.zone, is_open: self.is_open, opens: self.is_opening_time(at) };
        Some(reading.to_sentence(self.language))
    }

    fn is_opening_time(&self, at: DateTime<Utc>) -> bool {
        !self.is_open && self.opens_at == Some(at)
    }
}

fn add_sentence(is_email: bool, body: String, sentence: &str) -> String {
    match body.rsplit_once("\n\n") {
        // Above the signature of an email.
        Some((above, last)) if is_email => format!("{above}\n\n{sentence}\n\n{last}"),
        _ => {
            let body = REPEATED.iter().fold(body, |body, repeated| body.replacen(repeated, "", 1));
            template::add_before_opt_out(&body, sentence)
        }
    }
}

#[cfg(test)]
mod property_tests;

#[cfg(test)]
mod tests;
