//! What was sent, as the history says it: by what became of the messages, and not by what was hoped when they were made.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sqlx::FromRow;

use super::{EventKind, EventView, title};
use crate::{
    domain::messaging::message::{Channel, Status},
    platform::{
        db::{AsConn, qb},
        error::Result,
        id::{EventId, OrgId},
    },
};

/// A message that went with an event.
#[derive(Clone, Debug, FromRow)]
struct Went {
    event_id: EventId,
    channel: Channel,
    status: Status,
    reason: Option<String>,
}

impl Went {
    fn has_left(&self) -> bool {
        matches!(self.status, Status::Sent | Status::Delivered)
    }

    /// A worker has it in hand.
    fn is_leaving(&self) -> bool {
        self.status == Status::Sending
    }

    /// Nothing stands against it, and no worker has taken it up: it may stand still.
    fn is_waiting(&self) -> bool {
        self.status == Status::Queued
    }

    fn why_not(&self) -> String {
        let because =
            |words: &str| self.reason.as_ref().map_or_else(|| words.to_owned(), |why| format!("{words}: {why}"));
        match self.status {
            Status::Held => because("held"),
            Status::Filed => "saved as a file: email is not set up".to_owned(),
            Status::Unknown => because("not known whether it arrived"),
            Status::Failed => because("failed"),
            _ => self.reason.clone().unwrap_or_else(|| "it was taken back".to_owned()),
        }
    }
}

fn tells_of_messages(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::EstimateSent | EventKind::ChangeOrderSent | EventKind::InvoiceSent | EventKind::ReminderSent
    )
}

/// The events with the ways by which their messages really left. A held text is named as held, what is queued
/// as waiting, and where nothing left the title does not say "sent".
pub(super) async fn by_messages(
    conn: &mut dyn AsConn,
    org: OrgId,
    mut events: Vec<EventView>,
) -> Result<Vec<EventView>> {
    let wanted: Vec<EventId> =
        events.iter().filter(|event| tells_of_messages(event.kind)).map(|event| event.id).collect();
    if wanted.is_empty() {
        return Ok(events);
    }
    let found = qb!(conn, fetch_all as Went, |b| {
        b.push("SELECT event_id, channel, status, reason FROM message WHERE org_id = ").push_bind(org);
        b.push(" AND direction = 'out' AND event_id IN (");
        let mut ids = b.separated(", ");
        for id in &wanted {
            ids.push_bind(*id);
        }
        b.push(") ORDER BY created_at, id");
    })?;
    let mut messages: BTreeMap<EventId, Vec<Went>> = BTreeMap::new();
    for one in found {
        messages.entry(one.event_id).or_default().push(one);
    }
    for event in &mut events {
        if let Some(went) = messages.get(&event.id).filter(|_| tells_of_messages(event.kind)) {
            tell(event, went);
        }
    }
    Ok(events)
}

/// Changes nothing where all of it left.
fn tell(event: &mut EventView, went: &[Went]) {
    // A text whose number takes none goes by email instead: of each way the last word counts.
    let left = ways(went, Went::has_left, &[]);
    let leaving = ways(went, Went::is_leaving, &left);
    let waiting = ways(went, Went::is_waiting, &[left.as_slice(), leaving.as_slice()].concat());
    let all = [&left, &leaving, &waiting];
    let is_settled = |one: &&Went| all.iter().any(|ways| ways.contains(&one.channel));
    let stopped: Vec<&Went> = went.iter().filter(|one| !is_settled(one)).collect();
    if leaving.is_empty() && waiting.is_empty() && stopped.is_empty() {
        return;
    }
    if let Value::Object(detail) = &mut event.detail {
        let mut missed = detail.get("notSent").and_then(Value::as_array).cloned().unwrap_or_default();
        missed.extend(stopped.iter().map(|one| json!({"channel": one.channel, "reason": one.why_not()})));
        detail.insert("notSent".to_owned(), Value::Array(missed));
        let by = all.into_iter().find(|ways| !ways.is_empty());
        detail.insert("channels".to_owned(), json!(by.unwrap_or(&left)));
        if !left.is_empty() {
            detail.insert("leaving".to_owned(), json!(leaving));
        }
        if !(left.is_empty() && leaving.is_empty()) {
            detail.insert("waiting".to_owned(), json!(waiting));
        }
    }
    if left.is_empty() {
        let waits = !waiting.is_empty() || stopped.iter().any(|one| one.status == Status::Held);
        event.title = match (title::of_visit(event.kind, &event.detail), leaving.is_empty()) {
            (Some(told), false) => format!("Customer is being {told}"),
            (Some(told), true) if waits => format!("Customer not {told} yet"),
            (Some(told), true) => format!("Customer not {told}"),
            (None, false) => being_sent(event.kind).to_owned(),
            (None, true) => unsent(event.kind, waits).to_owned(),
        };
    }
}

/// The ways of the messages that `is_one`, without those in `but`.
fn ways(went: &[Went], is_one: impl Fn(&Went) -> bool, but: &[Channel]) -> Vec<Channel> {
    let mut found = Vec::new();
    for one in went.iter().filter(|one| is_one(one) && !but.contains(&one.channel)) {
        if !found.contains(&one.channel) {
            found.push(one.channel);
        }
    }
    found
}

/// The title while nothing has left, and a worker has it in hand.
fn being_sent(kind: EventKind) -> &'static str {
    match kind {
        EventKind::EstimateSent => "Estimate is being sent",
        EventKind::ChangeOrderSent => "Change order is being sent",
        EventKind::InvoiceSent => "Invoice is being sent",
        _ => "Reminder is being sent",
    }
}

fn unsent(kind: EventKind, waits: bool) -> &'static str {
    match (kind, waits) {
        (EventKind::EstimateSent, true) => "Estimate made, waits to be sent",
        (EventKind::EstimateSent, false) => "Estimate made, not sent",
        (EventKind::ChangeOrderSent, true) => "Change order made, waits to be sent",
        (EventKind::ChangeOrderSent, false) => "Change order made, not sent",
        (EventKind::InvoiceSent, true) => "Invoice issued, waits to be sent",
        (EventKind::InvoiceSent, false) => "Invoice issued, not sent",
        (_, true) => "Reminder waits to be sent",
        (_, false) => "Reminder not sent",
    }
}
