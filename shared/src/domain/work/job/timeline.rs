//! The eleven steps of a job, from the request to the review, each told from what really happened.
//!
//! Steps count from 0. A step that a rule did is `automated`; while the work is in progress steps 6 and 7 are `current`.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Job, Status};
use crate::{
    domain::{
        growth::review::{self, standing::AskView},
        intake::lead::Form,
        messaging::message::{self, Channel, Direction, MessageView},
        money::ledger::Balance,
        work::activity::{EventKind, EventView},
    },
    platform::money::Cents,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    Completed,
    Current,
    Pending,
    /// Done by a rule.
    Automated,
}

/// One of the eleven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Step {
    #[schema(maximum = 10)]
    pub step: u8,
    pub title: &'static str,
    pub description: String,
    pub status: StepStatus,
    pub at: Option<DateTime<Utc>>,
    /// Who did it, by name.
    pub by: Option<String>,
    /// The way it went: "by email: delivered".
    pub how: Option<String>,
}

/// What is known of a job and its lead.
pub struct Known<'a> {
    pub zone: Tz,
    pub job: &'a Job,
    pub asked_at: DateTime<Utc>,
    pub form: Form,
    /// Messages to and from the customer about the lead.
    pub messages: &'a [MessageView],
    /// When somebody of the business first looked, and who.
    pub seen: Option<(DateTime<Utc>, String)>,
    /// Of the lead and of this job, oldest first.
    pub events: &'a [EventView],
    pub photos: usize,
    /// None for who sees no money.
    pub balance: Option<&'a Balance>,
    /// What became of asking for a review; none for who does not see it.
    pub ask: Option<&'a AskView>,
}

const TITLES: [&str; 11] = [
    "Lead received",
    "Auto-reply",
    "Seen by the team",
    "Estimate sent",
    "Estimate approved",
    "Job scheduled",
    "Crew on site",
    "Work and photos",
    "Job completed",
    "Invoiced and paid",
    "Review",
];

/// A step as it is told, before it has its number and title.
struct Told {
    description: String,
    status: StepStatus,
    at: Option<DateTime<Utc>>,
    by: Option<String>,
    how: Option<String>,
}

impl Told {
    fn new(status: StepStatus, description: impl Into<String>) -> Self {
        Self { description: description.into(), status, at: None, by: None, how: None }
    }

    fn at(self, at: Option<DateTime<Utc>>) -> Self {
        Self { at, ..self }
    }

    fn by(self, by: &str) -> Self {
        Self { by: Some(by.to_owned()), ..self }
    }

    /// As an event has it: when, and who.
    fn of(self, event: Option<&EventView>) -> Self {
        match event {
            Some(event) => Self { at: Some(event.at), by: Some(event.by.clone()), ..self },
            None => self,
        }
    }
}

/// All eleven, in order.
#[must_use]
pub fn steps(known: &Known<'_>) -> Vec<Step> {
    let told = [
        known.asked(),
        known.answered(),
        known.seen(),
        known.estimated(),
        known.approved(),
        known.scheduled(),
        known.on_site(),
        known.worked(),
        known.completed(),
        known.paid(),
        known.reviewed(),
    ];
    let numbered = (0_u8..).zip(TITLES).zip(told);
    numbered
        .map(|((step, title), told)| {
            let Told { description, status, at, by, how } = told;
            Step { step, title, description, status, at, by, how }
        })
        .collect()
}

impl Known<'_> {
    /// The last event of these kinds that nobody took back.
    fn last(&self, kinds: &[EventKind]) -> Option<&EventView> {
        self.events.iter().rev().find(|event| kinds.contains(&event.kind) && !event.undone)
    }

    /// "Tue, Nov 24, 8:00 AM".
    fn shown(&self, at: DateTime<Utc>) -> String {
        at.with_timezone(&self.zone).format("%a, %b %-d, %-I:%M %p").to_string()
    }

    fn sent(&self, kinds: &[message::Kind]) -> Vec<&MessageView> {
        let ours = self.messages.iter().filter(|m| m.direction == Direction::Out && kinds.contains(&m.kind));
        ours.collect()
    }

    fn asked(&self) -> Told {
        let how = match self.form {
            Form::Lead => "by the lead form",
            Form::Quote => "by the quote form",
            Form::Call => "by a call that nobody answered",
            Form::Text => "by text",
            Form::Typed => "typed in",
            Form::Booking => "by the booking page",
        };
        let told = Told::new(StepStatus::Completed, "The request came in").at(Some(self.asked_at));
        Told { how: Some(how.to_owned()), ..told }
    }

    fn answered(&self) -> Told {
        let answers = self.sent(&[message::Kind::AutoReply, message::Kind::MissedCall, message::Kind::TextReply]);
        if answers.is_empty() {
            return Told::new(StepStatus::Pending, "Nothing was answered by itself");
        }
        let told = match answers.iter().filter_map(|m| m.sent_at).min() {
            Some(at) => Told::new(StepStatus::Automated, "Answered by itself").at(Some(at)),
            None if answers.iter().any(|m| m.next_attempt_at.is_some()) => {
                Told::new(StepStatus::Current, "The answer is on its way")
            }
            None => Told::new(StepStatus::Pending, "The answer was not sent"),
        };
        Told { how: ways(&answers), ..told }
    }

    fn seen(&self) -> Told {
        match &self.seen {
            Some((at, by)) => {
                Told::new(StepStatus::Completed, "Somebody of the team looked at it").at(Some(*at)).by(by)
            }
            None => Told::new(StepStatus::Pending, "Nobody has looked at it yet"),
        }
    }

    fn estimated(&self) -> Told {
        match self.last(&[EventKind::EstimateSent]) {
            Some(event) => {
                let sent = self.sent(&[message::Kind::Estimate]);
                let told = match Fate::of(&sent) {
                    Fate::Left => Told::new(StepStatus::Completed, "The estimate went out"),
                    Fate::Waits => Told::new(StepStatus::Current, "The estimate waits to be sent"),
                    Fate::Lost => Told::new(StepStatus::Pending, "The estimate was not sent"),
                };
                Told { how: ways(&sent), ..told.of(Some(event)) }
            }
            None => Told::new(StepStatus::Pending, "No estimate was sent"),
        }
    }

    fn approved(&self) -> Told {
        let answers = [EventKind::EstimateApproved, EventKind::EstimateDeclined, EventKind::EstimateSent];
        let event = self.last(&answers);
        match event.map(|event| event.kind) {
            Some(EventKind::EstimateApproved) => Told::new(StepStatus::Completed, "Signed by the customer").of(event),
            Some(EventKind::EstimateDeclined) => Told::new(StepStatus::Pending, "Declined by the customer").of(event),
            Some(_) => Told::new(StepStatus::Current, "Waiting for the customer's answer"),
            None => Told::new(StepStatus::Pending, "There is nothing to approve yet"),
        }
    }

    fn scheduled(&self) -> Told {
        let Some(starts) = self.job.starts_at else {
            return Told::new(StepStatus::Pending, "Not scheduled");
        };
        let planned = [EventKind::JobScheduled, EventKind::JobMoved, EventKind::Booked, EventKind::MovedByCustomer];
        // One without a plan got its time when the work began.
        let event = self.last(&planned).or_else(|| self.last(&[EventKind::Started, EventKind::Completed]));
        Told::new(StepStatus::Completed, self.shown(starts)).of(event)
    }

    fn on_site(&self) -> Told {
        let event = self.last(&[EventKind::Started, EventKind::OnMyWay, EventKind::Completed]);
        match self.job.status {
            Status::InProgress => Told::new(StepStatus::Current, "The crew is at work").of(event),
            Status::Completed => {
                Told::new(StepStatus::Completed, "The crew was there").of(event).at(self.job.started_at)
            }
            Status::Scheduled if self.job.on_my_way_at.is_some() => {
                Told::new(StepStatus::Completed, "The crew is on the way").of(event)
            }
            Status::Scheduled => Told::new(StepStatus::Pending, "The crew has not set off yet"),
            Status::Cancelled => Told::new(StepStatus::Pending, "The job was cancelled"),
        }
    }

    fn worked(&self) -> Told {
        let photos = match self.photos {
            0 => "No photos yet".to_owned(),
            1 => "1 photo".to_owned(),
            more => format!("{more} photos"),
        };
        let status = match self.job.status {
            Status::InProgress => StepStatus::Current,
            Status::Completed => StepStatus::Completed,
            Status::Scheduled | Status::Cancelled => StepStatus::Pending,
        };
        let words = if status == StepStatus::Completed && self.photos == 0 { "No photos".to_owned() } else { photos };
        Told::new(status, words).of(self.last(&[EventKind::FilesAdded]))
    }

    fn completed(&self) -> Told {
        match self.job.status {
            Status::Completed => {
                Told::new(StepStatus::Completed, "The work is done").of(self.last(&[EventKind::Completed]))
            }
            Status::Cancelled => {
                let reason = self.job.cancel_reason.as_deref().unwrap_or("no reason given");
                Told::new(StepStatus::Pending, format!("Cancelled: {reason}")).of(self.last(&[EventKind::Cancelled]))
            }
            Status::Scheduled | Status::InProgress => Told::new(StepStatus::Pending, "The work is not done yet"),
        }
    }

    fn paid(&self) -> Told {
        let Some(balance) = self.balance else {
            return Told::new(StepStatus::Pending, "The office takes care of this");
        };
        let event = self.last(&[EventKind::PaymentRecorded, EventKind::InvoiceSent, EventKind::InvoiceMade]);
        let received = balance.received();
        if balance.is_settled() || (received > Cents::ZERO && balance.owed == Cents::ZERO) {
            return Told::new(StepStatus::Completed, format!("{} paid", received.shown())).of(event);
        }
        if received > Cents::ZERO {
            let words = format!("{} of {} paid", received.shown(), balance.due.shown());
            return Told::new(StepStatus::Current, words).of(event);
        }
        match event.map(|event| event.kind) {
            Some(EventKind::InvoiceSent) => {
                let sent = self.sent(&[message::Kind::Invoice]);
                let words = match Fate::of(&sent) {
                    Fate::Left => "The invoice went out",
                    Fate::Waits => "The invoice waits to be sent",
                    Fate::Lost => "The invoice was not sent",
                };
                Told { how: ways(&sent), ..Told::new(StepStatus::Current, words).of(event) }
            }
            Some(EventKind::InvoiceMade) => Told::new(StepStatus::Current, "A draft of the invoice is ready").of(event),
            _ => Told::new(StepStatus::Pending, "Nothing was paid yet"),
        }
    }

    fn reviewed(&self) -> Told {
        let Some(ask) = self.ask else { return Told::new(StepStatus::Pending, "No review was asked for") };
        let way = ask.channel.map(|way| if way == Channel::Sms { "by text" } else { "by email" });
        let told = match (ask.state, ask.asked_at) {
            _ if ask.review_id.is_some() => {
                Told::new(StepStatus::Completed, "A review came in").of(self.last(&[EventKind::ReviewReceived]))
            }
            (review::State::Answered, Some(_)) => {
                Told::new(StepStatus::Completed, ask.reason.clone().unwrap_or_default()).at(ask.clicked_at)
            }
            (_, Some(at)) => Told::new(StepStatus::Automated, "Asked for a review").at(Some(at)),
            (review::State::Waiting, None) => match ask.planned_at {
                Some(at) => Told::new(StepStatus::Pending, format!("They are asked on {}", self.shown(at))),
                None => Told::new(StepStatus::Pending, "They are asked when it is paid"),
            },
            (_, None) => {
                let why = ask.reason.as_deref().unwrap_or("nothing was said");
                Told::new(StepStatus::Pending, format!("Not asked. {why}"))
            }
        };
        Told { how: way.map(ToOwned::to_owned), ..told }
    }
}

/// How a paper fares by its messages.
enum Fate {
    /// By one way at least, or it went out by none of ours.
    Left,
    Waits,
    Lost,
}

impl Fate {
    fn of(messages: &[&MessageView]) -> Self {
        use message::Status::{Delivered, Held, Queued, Sending, Sent};
        let is_any = |of: &[message::Status]| messages.iter().any(|m| of.contains(&m.status));
        if messages.is_empty() || is_any(&[Sent, Delivered]) {
            Self::Left
        } else if is_any(&[Queued, Held, Sending]) {
            Self::Waits
        } else {
            Self::Lost
        }
    }
}

/// "by text: delivered, by email: sent".
fn ways(messages: &[&MessageView]) -> Option<String> {
    let way = |m: &&MessageView| {
        let by = if m.channel == Channel::Sms { "by text" } else { "by email" };
        format!("{by}: {}", m.status_text)
    };
    let ways: Vec<String> = messages.iter().map(way).collect();
    (!ways.is_empty()).then(|| ways.join(", "))
}

#[cfg(test)]
mod tests;
