//! How a paper that was sent fares by its messages: only what has left is called sent.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{
    Channel, Kind, Status, drop_unsent,
    outlook::{self, Fate},
};
use crate::{
    domain::intake::lead::Intake,
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::Result,
        id::{EventId, LeadId, MessageId, OrgId},
    },
};

/// With this the key of a reminder begins that somebody sent: it is about a paper, and not the paper.
pub(crate) const REMINDER: &str = "reminder:";

/// Why a message does not leave that another took the place of.
pub(super) const SENT_AGAIN: &str = "it was sent again";
const REMINDED_AGAIN: &str = "the reminder was sent again";
pub(super) const REPLACED: [&str; 2] = [SENT_AGAIN, REMINDED_AGAIN];

/// One message of a sending: what it follows from, how it stands, why, and when it left.
type Part = (Option<EventId>, Status, Option<String>, Option<DateTime<Utc>>);

const BEING_SENT: &str = "Being sent";
const TO_BE_SENT: &str = "Waiting to be sent";
const WORKER_SILENT: &str = "Waiting to send: sending is stopped right now";

/// How the last sending of an estimate, a change order or an invoice stands.
pub(crate) struct LastSending {
    /// Why it has not left, in a sentence without its dot: "Waiting to send: it is night there". None when it left by
    /// one way at least, or was never sent.
    pub unsent: Option<String>,
    /// When it left by the first way.
    pub left_at: Option<DateTime<Utc>>,
}

pub(crate) async fn last_sending(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    about: Uuid,
    now: DateTime<Utc>,
) -> Result<LastSending> {
    let all = q!(
        &mut *conn,
        fetch_all as Part,
        "SELECT event_id, status, reason, sent_at FROM message WHERE org_id = $1 AND lead_id = $2 AND about_id = $3
             AND direction = 'out' AND kind IN ('estimate', 'change_order', 'invoice')
             AND dedupe_key NOT LIKE 'reminder:%'
         ORDER BY created_at DESC, id DESC",
        org,
        lead,
        about
    )?;
    let mut unsent = of_last(&all);
    if matches!(unsent.as_deref(), Some(BEING_SENT | TO_BE_SENT)) && outlook::is_worker_silent(conn, now).await? {
        unsent = Some(WORKER_SILENT.to_owned());
    }
    Ok(LastSending { unsent, left_at: left_at(&all) })
}

/// A message about something that has not left: which, by which way, and its key.
struct Waiting {
    id: MessageId,
    channel: Channel,
    kind: Kind,
    key: String,
}

impl Waiting {
    fn is_reminder(&self) -> bool {
        self.key.starts_with(REMINDER)
    }

    fn is_paper(&self) -> bool {
        matches!(self.kind, Kind::Estimate | Kind::ChangeOrder | Kind::Invoice) && !self.is_reminder()
    }
}

async fn waiting(conn: &mut dyn AsConn, org: OrgId, about: Uuid) -> Result<Vec<Waiting>> {
    let rows = q!(
        conn,
        fetch_all as (MessageId, Channel, Kind, String),
        "SELECT id, channel, kind, dedupe_key FROM message
         WHERE org_id = $1 AND about_id = $2 AND status IN ('queued', 'held') ORDER BY created_at, id",
        org,
        about
    )?;
    Ok(rows.into_iter().map(|(id, channel, kind, key)| Waiting { id, channel, kind, key }).collect())
}

/// What a paper waits for of which nothing has left by its last sending: "held until 8:28 AM: it is night there".
pub(crate) async fn waits(
    conn: &mut dyn AsConn,
    house: &Intake<'_>,
    lead: LeadId,
    about: Uuid,
) -> Result<Option<String>> {
    let (origin, org) = (house.origin, house.profile.org.id);
    if last_sending(&mut *conn, org, lead, about, origin.now()).await?.left_at.is_some() {
        return Ok(None);
    }
    for one in waiting(&mut *conn, org, about).await?.into_iter().filter(Waiting::is_paper) {
        let outlook = outlook::of(&mut *conn, origin, house.set_up, org, one.id).await?;
        if let Some(outlook) = outlook.filter(|outlook| matches!(outlook.state, Fate::Held | Fate::Waits)) {
            return Ok(Some(outlook.text));
        }
    }
    Ok(None)
}

/// What has not left of a paper's earlier sendings by the ways of `new` does not: `new` goes in its place.
pub(crate) async fn replace(
    tx: &mut Tx,
    origin: &Origin,
    (org, about): (OrgId, Uuid),
    new: &[(Channel, MessageId)],
) -> Result<()> {
    for one in waiting(&mut *tx, org, about).await?.into_iter().filter(Waiting::is_paper) {
        let is_new = new.iter().any(|(_, id)| *id == one.id);
        if !is_new && new.iter().any(|(channel, _)| *channel == one.channel) {
            drop_unsent(tx, origin, org, one.id, SENT_AGAIN).await?;
        }
    }
    Ok(())
}

/// The reminders of something that somebody sent and that have not left do not: `new` goes in their place.
pub(crate) async fn replace_reminder(
    tx: &mut Tx,
    origin: &Origin,
    (org, about): (OrgId, Uuid),
    new: MessageId,
) -> Result<()> {
    for one in waiting(&mut *tx, org, about).await?.into_iter().filter(Waiting::is_reminder) {
        if one.id != new {
            drop_unsent(tx, origin, org, one.id, REMINDED_AGAIN).await?;
        }
    }
    Ok(())
}

/// Why one message has not left, as of a paper.
pub(crate) fn unsent_of(status: Status, reason: Option<String>) -> Option<String> {
    of_last(&[(None, status, reason, None)])
}

/// The messages of the last sending.
fn last_of(all: &[Part]) -> Vec<&Part> {
    let Some((last, ..)) = all.first() else { return Vec::new() };
    all.iter().filter(|(event, ..)| event == last).collect()
}

fn left_at(all: &[Part]) -> Option<DateTime<Utc>> {
    let has_left = |status: &Status| matches!(status, Status::Sent | Status::Delivered);
    last_of(all).into_iter().filter(|(_, status, ..)| has_left(status)).filter_map(|(.., at)| *at).min()
}

fn of_last(all: &[Part]) -> Option<String> {
    let sent = last_of(all);
    let is = |of: Status| sent.iter().find(|(_, status, ..)| *status == of);
    if is(Status::Sent).or_else(|| is(Status::Delivered)).is_some() {
        return None;
    }
    if is(Status::Sending).is_some() {
        return Some(BEING_SENT.to_owned());
    }
    if is(Status::Queued).is_some() {
        return Some(TO_BE_SENT.to_owned());
    }
    let because = |words: &str, (_, _, reason, _): &Part| match reason {
        Some(why) => format!("{words}: {why}"),
        None => words.to_owned(),
    };
    if let Some(held) = is(Status::Held) {
        return Some(because("Waiting to send", held));
    }
    if let Some(unknown) = is(Status::Unknown) {
        return Some(because("Not known whether it arrived", unknown));
    }
    if is(Status::Filed).is_some() {
        return Some("Not sent: email is not set up, so it was saved as a file".to_owned());
    }
    Some(because("Not sent", sent.first()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(event: u128, status: Status, reason: Option<&str>) -> Part {
        (Some(EventId(Uuid::from_u128(event))), status, reason.map(ToOwned::to_owned), None)
    }

    #[test]
    fn paper_is_called_sent_only_when_its_last_sending_left() {
        let night = part(2, Status::Held, Some("it is night there"));
        assert_eq!(of_last(&[]), None);
        assert_eq!(of_last(std::slice::from_ref(&night)).as_deref(), Some("Waiting to send: it is night there"));
        assert_eq!(of_last(&[night.clone(), part(2, Status::Sent, None)]), None, "by email it left");
        let before = part(1, Status::Delivered, None);
        assert_eq!(of_last(&[night, before]).as_deref(), Some("Waiting to send: it is night there"));
        assert_eq!(unsent_of(Status::Sent, None), None);
        let stopped = part(1, Status::NotSent, Some("they said STOP"));
        assert_eq!(of_last(&[stopped]).as_deref(), Some("Not sent: they said STOP"));
        let queued = part(1, Status::Queued, None);
        assert_eq!(of_last(std::slice::from_ref(&queued)).as_deref(), Some("Waiting to be sent"));
        assert_eq!(of_last(&[queued, part(1, Status::Sending, None)]).as_deref(), Some("Being sent"));
    }

    #[test]
    fn paper_left_when_the_first_message_of_its_last_sending_did() {
        let at = |second| DateTime::from_timestamp(second, 0);
        let left = |event, second| {
            let (event, status, reason, _) = part(event, Status::Sent, None);
            (event, status, reason, at(second))
        };
        let failed = part(2, Status::Failed, Some("refused"));
        assert_eq!(left_at(&[left(2, 90), failed, left(2, 80), left(1, 10)]), at(80));
        assert_eq!(left_at(&[part(2, Status::Queued, None), left(1, 10)]), None);
        assert_eq!(left_at(&[]), None);
    }
}
