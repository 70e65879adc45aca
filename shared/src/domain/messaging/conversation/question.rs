//! What a customer writes on one of our pages: it stands in their conversation, where it can be answered.

use super::{Moved, note};
use crate::{
    domain::{
        intake::lead::Intake,
        messaging::message::{self, Channel, Direction, Kind},
    },
    platform::{
        contact_hours::Class,
        db::{Tx, q},
        error::Result,
        id::{CustomerId, LeadId, MessageId},
        live::{self, Topic},
    },
};

/// As much of their words as an alert shows.
const SHOWN_IN_ALERT: usize = 200;

/// Who wrote what.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    pub lead: LeadId,
    pub customer: CustomerId,
    pub name: &'a str,
    /// Where an answer can go by email.
    pub email: Option<&'a str>,
    /// What it is about: "Question about EST-1001".
    pub subject: &'a str,
    /// As it stands in the conversation: "EST-1001: is the permit included?".
    pub words: &'a str,
}

/// Keeps it, and ends what would have nudged them. None when the very same words came within the hour: a second tap, or
/// a page that was sent anew.
pub async fn take(tx: &mut Tx, house: &Intake<'_>, question: Question<'_>) -> Result<Option<MessageId>> {
    if is_there(tx, house, question).await? {
        return Ok(None);
    }
    let (origin, org, Question { lead, customer, words, .. }) = (house.origin, house.profile.org.id, question);
    let id = keep(tx, house, question).await?;
    note(tx, origin, org, customer, Some(lead), Moved::In, words).await?;
    message::stop_nudges(tx, origin, org, customer).await?;
    live::announce(tx, origin, org, Topic::Message, id.0, Some(lead.0)).await?;
    Ok(Some(id))
}

/// The beginning of it, for an alert.
#[must_use]
pub fn shortened(words: &str) -> String {
    words.chars().take(SHOWN_IN_ALERT).collect()
}

async fn is_there(tx: &mut Tx, house: &Intake<'_>, question: Question<'_>) -> Result<bool> {
    Ok(q!(
        tx,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM message WHERE org_id = $1 AND customer_id = $2 AND direction = 'in' AND body = $3
             AND created_at > $4)",
        house.profile.org.id,
        question.customer,
        question.words,
        house.origin.now() - chrono::Duration::hours(1)
    )?)
}

async fn keep(tx: &mut Tx, house: &Intake<'_>, question: Question<'_>) -> Result<MessageId> {
    let (id, now) = (MessageId(house.origin.uuid()), house.origin.now());
    q!(
        tx,
        execute,
        "INSERT INTO message (org_id, id, direction, channel, kind, class, lead_id, customer_id, from_address, to_address,
             subject, body, status, dedupe_key, attempts, fence, next_attempt_at, deadline_at, doubt_checks, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 0, 1, $15, $15, 0, $15)",
        house.profile.org.id,
        id,
        Direction::In,
        Channel::Email,
        Kind::Incoming,
        Class::Conversational,
        question.lead,
        question.customer,
        question.email.unwrap_or(question.name),
        &house.profile.org.name,
        question.subject,
        question.words,
        message::Status::Received,
        format!("asked:{id}"),
        now
    )?;
    Ok(id)
}
