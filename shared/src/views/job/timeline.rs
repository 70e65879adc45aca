//! The eleven steps of a job, from the request to the review, derived from recorded events.
//!
//! Steps count from 0. A step done by a rule is `automated`; while the work is in progress steps 6 and 7 are `current`.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    domain::{
        growth::review::{self, request_list::ReviewRequestView},
        intake::lead::LeadFormKind,
        messaging::message::{self, MessageChannel, MessageDirection, MessageView},
        money::ledger::LeadBalance,
        tenancy::activity_log::EventKind,
        work::{
            activity::EventView,
            job::{Job, JobState},
        },
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
#[schema(as = Step)]
pub struct TimelineStep {
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

pub struct TimelineFacts<'a> {
    pub zone: Tz,
    pub job: &'a Job,
    pub asked_at: DateTime<Utc>,
    pub form: LeadFormKind,
    pub messages: &'a [MessageView],
    /// First look by a person of the business, and who it was.
    pub seen: Option<(DateTime<Utc>, String)>,
    /// Of the lead and of this job, oldest first.
    pub events: &'a [EventView],
    pub photos: usize,
    /// None for viewers without access to money.
    pub balance: Option<&'a LeadBalance>,
    /// None for viewers who may not see it.
    pub ask: Option<&'a ReviewRequestView>,
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

/// Title of step 6 until the crew arrives.
const ON_THE_WAY_TITLE: &str = "On the way";
const ON_SITE_STEP: u8 = 6;

struct StepDraft {
    description: String,
    status: StepStatus,
    at: Option<DateTime<Utc>>,
    by: Option<String>,
    how: Option<String>,
}

impl StepDraft {
    fn new(status: StepStatus, description: impl Into<String>) -> Self {
        Self { description: description.into(), status, at: None, by: None, how: None }
    }

    fn with_time(self, at: Option<DateTime<Utc>>) -> Self {
        Self { at, ..self }
    }

    fn with_actor(self, by: &str) -> Self {
        Self { by: Some(by.to_owned()), ..self }
    }

    fn with_event(self, event: Option<&EventView>) -> Self {
        match event {
            Some(event) => Self { at: Some(event.at), by: Some(event.by.clone()), ..self },
            None => self,
        }
    }
}

#[must_use]
pub fn build_steps(facts: &TimelineFacts<'_>) -> Vec<TimelineStep> {
    let draft = [
        facts.received_step(),
        facts.auto_reply_step(),
        facts.seen_step(),
        facts.estimate_step(),
        facts.approval_step(),
        facts.schedule_step(),
        facts.on_site_step(),
        facts.work_step(),
        facts.completion_step(),
        facts.payment_step(),
        facts.review_step(),
    ];
    let numbered = (0_u8..).zip(TITLES).zip(draft);
    numbered
        .map(|((step, title), draft)| {
            let StepDraft { description, status, at, by, how } = draft;
            let title = if step == ON_SITE_STEP && facts.is_on_the_way() { ON_THE_WAY_TITLE } else { title };
            TimelineStep { step, title, description, status, at, by, how }
        })
        .collect()
}

impl TimelineFacts<'_> {
    /// Undone events do not count.
    fn last_event(&self, kinds: &[EventKind]) -> Option<&EventView> {
        self.events.iter().rev().find(|event| kinds.contains(&event.kind) && !event.undone)
    }

    fn format_time(&self, at: DateTime<Utc>) -> String {
        at.with_timezone(&self.zone).format("%a, %b %-d, %-I:%M %p").to_string()
    }

    fn sent_messages(&self, kinds: &[message::MessageKind]) -> Vec<&MessageView> {
        let ours = self.messages.iter().filter(|m| m.direction == MessageDirection::Out && kinds.contains(&m.kind));
        ours.collect()
    }

    fn received_step(&self) -> StepDraft {
        let how = match self.form {
            LeadFormKind::Lead => "by the lead form",
            LeadFormKind::Quote => "by the quote form",
            LeadFormKind::Call => "by a call that no one answered",
            LeadFormKind::Text => "by text",
            LeadFormKind::Typed => "typed in",
            LeadFormKind::Booking => "by the booking page",
        };
        let draft = StepDraft::new(StepStatus::Completed, "The request came in").with_time(Some(self.asked_at));
        StepDraft { how: Some(how.to_owned()), ..draft }
    }

    fn auto_reply_step(&self) -> StepDraft {
        let answers = self.sent_messages(&[
            message::MessageKind::AutoReply,
            message::MessageKind::MissedCall,
            message::MessageKind::TextReply,
        ]);
        if answers.is_empty() {
            return StepDraft::new(StepStatus::Pending, "Nothing was answered by itself");
        }
        let draft = match answers.iter().filter_map(|m| m.sent_at).min() {
            Some(at) => StepDraft::new(StepStatus::Automated, "Answered by itself").with_time(Some(at)),
            None if answers.iter().any(|m| m.next_attempt_at.is_some()) => {
                StepDraft::new(StepStatus::Current, "The answer is on its way")
            }
            None => StepDraft::new(StepStatus::Pending, "The answer was not sent"),
        };
        StepDraft { how: describe_channels(&answers), ..draft }
    }

    fn seen_step(&self) -> StepDraft {
        match &self.seen {
            Some((at, by)) => StepDraft::new(StepStatus::Completed, "Someone on the team looked at it")
                .with_time(Some(*at))
                .with_actor(by),
            None => StepDraft::new(StepStatus::Pending, "No one has looked at it yet"),
        }
    }

    fn estimate_step(&self) -> StepDraft {
        match self.last_event(&[EventKind::EstimateSent]) {
            Some(event) => {
                let sent = self.sent_messages(&[message::MessageKind::Estimate]);
                let draft = match DocumentDelivery::from_messages(&sent) {
                    DocumentDelivery::Sent => StepDraft::new(StepStatus::Completed, "The estimate went out"),
                    DocumentDelivery::Pending => StepDraft::new(StepStatus::Current, "The estimate waits to be sent"),
                    DocumentDelivery::NotSent => StepDraft::new(StepStatus::Pending, "The estimate was not sent"),
                };
                StepDraft { how: describe_channels(&sent), ..draft.with_event(Some(event)) }
            }
            None => StepDraft::new(StepStatus::Pending, "No estimate was sent"),
        }
    }

    fn approval_step(&self) -> StepDraft {
        let answers = [EventKind::EstimateApproved, EventKind::EstimateDeclined, EventKind::EstimateSent];
        let event = self.last_event(&answers);
        match event.map(|event| event.kind) {
            Some(EventKind::EstimateApproved) => {
                StepDraft::new(StepStatus::Completed, "Signed by the customer").with_event(event)
            }
            Some(EventKind::EstimateDeclined) => {
                StepDraft::new(StepStatus::Pending, "Declined by the customer").with_event(event)
            }
            Some(_) => StepDraft::new(StepStatus::Current, "Waiting for the customer's answer"),
            None => StepDraft::new(StepStatus::Pending, "There is nothing to approve yet"),
        }
    }

    fn schedule_step(&self) -> StepDraft {
        let Some(starts) = self.job.starts_at else {
            return StepDraft::new(StepStatus::Pending, "Not scheduled");
        };
        let planned = [EventKind::JobScheduled, EventKind::JobMoved, EventKind::Booked, EventKind::MovedByCustomer];
        // A job without a plan got its time when work began.
        let event = self.last_event(&planned).or_else(|| self.last_event(&[EventKind::Started, EventKind::Completed]));
        StepDraft::new(StepStatus::Completed, self.format_time(starts)).with_event(event)
    }

    fn is_on_the_way(&self) -> bool {
        self.job.status == JobState::Scheduled && self.job.on_my_way_at.is_some()
    }

    fn on_site_step(&self) -> StepDraft {
        let event = self.last_event(&[EventKind::Started, EventKind::OnMyWay, EventKind::Completed]);
        match self.job.status {
            JobState::InProgress => StepDraft::new(StepStatus::Current, "The crew is at work").with_event(event),
            JobState::Completed => StepDraft::new(StepStatus::Completed, "The crew was there")
                .with_event(event)
                .with_time(self.job.started_at),
            JobState::Scheduled if self.is_on_the_way() => {
                StepDraft::new(StepStatus::Current, "The crew is on the way").with_event(event)
            }
            JobState::Scheduled => StepDraft::new(StepStatus::Pending, "The crew has not set off yet"),
            JobState::Cancelled => StepDraft::new(StepStatus::Pending, "The job was cancelled"),
        }
    }

    fn work_step(&self) -> StepDraft {
        let photos = match self.photos {
            0 => "No photos yet".to_owned(),
            1 => "1 photo".to_owned(),
            more => format!("{more} photos"),
        };
        let status = match self.job.status {
            JobState::InProgress => StepStatus::Current,
            JobState::Completed => StepStatus::Completed,
            JobState::Scheduled | JobState::Cancelled => StepStatus::Pending,
        };
        let words = if status == StepStatus::Completed && self.photos == 0 { "No photos".to_owned() } else { photos };
        StepDraft::new(status, words).with_event(self.last_event(&[EventKind::FilesAdded]))
    }

    fn completion_step(&self) -> StepDraft {
        match self.job.status {
            JobState::Completed => StepDraft::new(StepStatus::Completed, "The work is done")
                .with_event(self.last_event(&[EventKind::Completed])),
            JobState::Cancelled => {
                let reason = self.job.cancel_reason.as_deref().unwrap_or("no reason given");
                StepDraft::new(StepStatus::Pending, format!("Cancelled: {reason}"))
                    .with_event(self.last_event(&[EventKind::Cancelled]))
            }
            JobState::Scheduled | JobState::InProgress => {
                StepDraft::new(StepStatus::Pending, "The work is not done yet")
            }
        }
    }

    fn payment_step(&self) -> StepDraft {
        let Some(balance) = self.balance else {
            return StepDraft::new(StepStatus::Pending, "The office takes care of this");
        };
        let event = self.last_event(&[EventKind::PaymentRecorded, EventKind::InvoiceSent, EventKind::InvoiceMade]);
        let received = balance.net_received();
        if balance.is_settled() || (received > Cents::ZERO && balance.owed == Cents::ZERO) {
            return StepDraft::new(StepStatus::Completed, format!("{} paid", received.format_usd())).with_event(event);
        }
        if received > Cents::ZERO {
            let words = format!("{} of {} paid", received.format_usd(), balance.due.format_usd());
            return StepDraft::new(StepStatus::Current, words).with_event(event);
        }
        match event.map(|event| event.kind) {
            Some(EventKind::InvoiceSent) => {
                let sent = self.sent_messages(&[message::MessageKind::Invoice]);
                let words = match DocumentDelivery::from_messages(&sent) {
                    DocumentDelivery::Sent => "The invoice went out",
                    DocumentDelivery::Pending => "The invoice waits to be sent",
                    DocumentDelivery::NotSent => "The invoice was not sent",
                };
                StepDraft {
                    how: describe_channels(&sent),
                    ..StepDraft::new(StepStatus::Current, words).with_event(event)
                }
            }
            Some(EventKind::InvoiceMade) => {
                StepDraft::new(StepStatus::Current, "A draft of the invoice is ready").with_event(event)
            }
            _ => StepDraft::new(StepStatus::Pending, "Nothing was paid yet"),
        }
    }

    fn review_step(&self) -> StepDraft {
        let Some(ask) = self.ask else { return StepDraft::new(StepStatus::Pending, "No review was asked for") };
        let way = ask.channel.map(|way| if way == MessageChannel::Sms { "by text" } else { "by email" });
        let draft = match (ask.state, ask.asked_at) {
            _ if ask.review_id.is_some() => StepDraft::new(StepStatus::Completed, "A review came in")
                .with_event(self.last_event(&[EventKind::ReviewReceived])),
            (review::ReviewRequestState::Answered, Some(_)) => {
                StepDraft::new(StepStatus::Completed, ask.reason.clone().unwrap_or_default()).with_time(ask.clicked_at)
            }
            (_, Some(at)) => StepDraft::new(StepStatus::Automated, "Asked for a review").with_time(Some(at)),
            (review::ReviewRequestState::Waiting, None) => match ask.planned_at {
                Some(at) => StepDraft::new(StepStatus::Pending, format!("They are asked on {}", self.format_time(at))),
                None => StepDraft::new(StepStatus::Pending, "They are asked when it is paid"),
            },
            (_, None) => {
                let why = ask.reason.as_deref().unwrap_or("nothing was said");
                StepDraft::new(StepStatus::Pending, format!("Not asked. {why}"))
            }
        };
        StepDraft { how: way.map(ToOwned::to_owned), ..draft }
    }
}

enum DocumentDelivery {
    /// By one channel at least, or outside this system.
    Sent,
    Pending,
    NotSent,
}

impl DocumentDelivery {
    fn from_messages(messages: &[&MessageView]) -> Self {
        use message::MessageStatus::{Delivered, Held, Queued, Sending, Sent};
        let is_any = |of: &[message::MessageStatus]| messages.iter().any(|m| of.contains(&m.status));
        if messages.is_empty() || is_any(&[Sent, Delivered]) {
            Self::Sent
        } else if is_any(&[Queued, Held, Sending]) {
            Self::Pending
        } else {
            Self::NotSent
        }
    }
}

fn describe_channels(messages: &[&MessageView]) -> Option<String> {
    let way = |m: &&MessageView| {
        let by = if m.channel == MessageChannel::Sms { "by text" } else { "by email" };
        format!("{by}: {}", m.status_text)
    };
    let ways: Vec<String> = messages.iter().map(way).collect();
    (!ways.is_empty()).then(|| ways.join(", "))
}

#[cfg(test)]
mod tests;
