//! Events of sent messages, described by the current state of those messages.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sqlx::FromRow;

use super::{EventView, title};
use crate::{
    domain::{
        messaging::message::{MessageChannel, MessageStatus},
        tenancy::activity_log::{EventKind, NotSentBy, SendingDetail, read_detail},
    },
    platform::{
        db::{AsConn, qb},
        error::Result,
        id::{EventId, OrgId},
    },
};

#[derive(Clone, Debug, FromRow)]
struct EventMessage {
    event_id: EventId,
    channel: MessageChannel,
    status: MessageStatus,
    reason: Option<String>,
}

impl EventMessage {
    fn was_sent(&self) -> bool {
        matches!(self.status, MessageStatus::Sent | MessageStatus::Delivered)
    }

    fn is_sending(&self) -> bool {
        self.status == MessageStatus::Sending
    }

    fn is_queued(&self) -> bool {
        self.status == MessageStatus::Queued
    }

    fn unsent_reason(&self) -> String {
        let because =
            |words: &str| self.reason.as_ref().map_or_else(|| words.to_owned(), |why| format!("{words}: {why}"));
        match self.status {
            MessageStatus::Held => because("held"),
            MessageStatus::Filed => "saved as a file: email is not set up".to_owned(),
            MessageStatus::Unknown => because("we can't tell if this was delivered"),
            MessageStatus::Failed => because("failed"),
            _ => self.reason.clone().unwrap_or_else(|| "it was undone".to_owned()),
        }
    }
}

fn has_messages(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::EstimateSent
            | EventKind::ChangeOrderSent
            | EventKind::InvoiceSent
            | EventKind::ReminderSent
            | EventKind::ReviewAsked
    )
}

/// Adds the channels by which messages left. A held text is named as held, a queued one as waiting; without a sent
/// message the title does not say "sent".
pub(super) async fn apply_message_status(
    conn: &mut dyn AsConn,
    org: OrgId,
    mut events: Vec<EventView>,
) -> Result<Vec<EventView>> {
    let wanted: Vec<EventId> = events.iter().filter(|event| has_messages(event.kind)).map(|event| event.id).collect();
    if wanted.is_empty() {
        return Ok(events);
    }
    let found = qb!(conn, fetch_all as EventMessage, |b| {
        b.push("SELECT event_id, channel, status, reason FROM message WHERE org_id = ").push_bind(org);
        b.push(" AND direction = 'out' AND event_id IN (");
        let mut ids = b.separated(", ");
        for id in &wanted {
            ids.push_bind(*id);
        }
        b.push(") ORDER BY created_at, id");
    })?;
    let mut messages: BTreeMap<EventId, Vec<EventMessage>> = BTreeMap::new();
    for one in found {
        messages.entry(one.event_id).or_default().push(one);
    }
    for event in &mut events {
        if let Some(went) = messages.get(&event.id).filter(|_| has_messages(event.kind)) {
            apply_to_event(event, went);
        }
    }
    Ok(events)
}

/// Detail of an event that sends, with what else it holds.
#[derive(Serialize, Deserialize)]
struct ShownSending {
    #[serde(flatten)]
    sending: SendingDetail,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

fn apply_to_event(event: &mut EventView, went: &[EventMessage]) {
    // A text to a number that takes none is replaced by an email: the last attempt of each channel counts.
    let left = channels_where(went, EventMessage::was_sent, &[]);
    let leaving = channels_where(went, EventMessage::is_sending, &left);
    let waiting = channels_where(went, EventMessage::is_queued, &[left.as_slice(), leaving.as_slice()].concat());
    let all = [&left, &leaving, &waiting];
    let is_settled = |one: &&EventMessage| all.iter().any(|ways| ways.contains(&one.channel));
    let stopped: Vec<&EventMessage> = went.iter().filter(|one| !is_settled(one)).collect();
    if leaving.is_empty() && waiting.is_empty() && stopped.is_empty() {
        return;
    }
    if let Some(mut detail) = read_detail::<ShownSending>(&event.detail) {
        let missed = stopped.iter().map(|one| NotSentBy { channel: one.channel, reason: one.unsent_reason() });
        let not_sent = detail.sending.not_sent.get_or_insert_default();
        // A text for one's own phone is named by the sending itself.
        let missed: Vec<NotSentBy> = missed.filter(|one| !not_sent.contains(one)).collect();
        not_sent.extend(missed);
        let by = all.into_iter().find(|ways| !ways.is_empty());
        detail.sending.channels = Some(by.unwrap_or(&left).clone());
        detail.sending.leaving = (!left.is_empty()).then(|| leaving.clone());
        detail.sending.waiting = (!(left.is_empty() && leaving.is_empty())).then(|| waiting.clone());
        event.detail = json!(detail);
    }
    if left.is_empty() {
        let waits = !waiting.is_empty() || stopped.iter().any(|one| one.status == MessageStatus::Held);
        event.title = match (title::visit_notice_title(event.kind, &event.detail), leaving.is_empty()) {
            (Some(notice_title), false) => format!("Customer is being {notice_title}"),
            (Some(notice_title), true) if waits => format!("Customer not {notice_title} yet"),
            (Some(notice_title), true) => format!("Customer not {notice_title}"),
            (None, false) => sending_title(event.kind).to_owned(),
            (None, true) => unsent_title(event.kind, waits).to_owned(),
        };
    }
}

fn channels_where(
    went: &[EventMessage],
    is_one: impl Fn(&EventMessage) -> bool,
    but: &[MessageChannel],
) -> Vec<MessageChannel> {
    let mut found = Vec::new();
    for one in went.iter().filter(|one| is_one(one) && !but.contains(&one.channel)) {
        if !found.contains(&one.channel) {
            found.push(one.channel);
        }
    }
    found
}

fn sending_title(kind: EventKind) -> &'static str {
    match kind {
        EventKind::EstimateSent => "Estimate is being sent",
        EventKind::ChangeOrderSent => "Change order is being sent",
        EventKind::InvoiceSent => "Invoice is being sent",
        EventKind::ReviewAsked => "Review request is being sent",
        _ => "Reminder is being sent",
    }
}

pub(super) fn unsent_title(kind: EventKind, waits: bool) -> &'static str {
    match (kind, waits) {
        (EventKind::EstimateSent, true) => "Estimate made, waits to be sent",
        (EventKind::EstimateSent, false) => "Estimate made, not sent",
        (EventKind::ChangeOrderSent, true) => "Change order made, waits to be sent",
        (EventKind::ChangeOrderSent, false) => "Change order made, not sent",
        (EventKind::InvoiceSent, true) => "Invoice issued, waits to be sent",
        (EventKind::InvoiceSent, false) => "Invoice issued, not sent",
        (EventKind::ReviewAsked, true) => "Review request waits to be sent",
        (EventKind::ReviewAsked, false) => "Review request not sent",
        (_, true) => "Reminder waits to be sent",
        (_, false) => "Reminder not sent",
    }
}
