//! Sending state of a document, from its messages: called sent only when one has left.

use chrono::{DateTime, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use super::{
    MessageChannel, MessageKind, MessageStatus, cancel_unsent,
    outlook::{self, OutlookState},
};
use crate::{
    conflicts::reword_stored_reason,
    domain::tenancy::org::OrgContext,
    platform::{
        access_link::copy::{self, LinkCopyChannel},
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::{CustomerId, EventId, LeadId, MessageId, OrgId},
    },
};

/// Key prefix of a reminder that a person sent: it is about a document, but is not the document.
pub(crate) const REMINDER_KEY_PREFIX: &str = "reminder:";

pub(super) const REPLACED_BY_RESEND: &str = "it was sent again";
const REMINDED_AGAIN: &str = "the reminder was sent again";
pub(super) const REPLACED: [&str; 2] = [REPLACED_BY_RESEND, REMINDED_AGAIN];

/// One message of a sending: cause, status, reason and send time.
type DocumentMessage = (Option<EventId>, MessageStatus, Option<String>, Option<DateTime<Utc>>);

const BEING_SENT: &str = "Being sent";
const TO_BE_SENT: &str = "Waiting to be sent";
const WORKER_SILENT: &str = "Waiting to send: sending is stopped right now";

/// Every message that left went to an address whose copies were revoked since.
const SENT_TO_SET_ASIDE: &str =
    "It went to an address that was only typed into a form, and its link no longer opens. Send it again";

pub(crate) struct LastDocumentSend {
    /// Why it has not left: "Waiting to send: it is night there". None when it left by one channel, or was never sent.
    pub unsent: Option<String>,
    pub left_at: Option<DateTime<Utc>>,
    /// It left only for addresses that are set aside since: the next sending is its first.
    pub is_withdrawn: bool,
}

#[derive(FromRow)]
struct DocumentMessageRow {
    event_id: Option<EventId>,
    status: MessageStatus,
    reason: Option<String>,
    sent_at: Option<DateTime<Utc>>,
    channel: MessageChannel,
    to_address: String,
}

impl DocumentMessageRow {
    /// Whether the copy that it carried was revoked after it left, because its address was set aside.
    async fn is_withdrawn(&self, conn: &mut dyn AsConn, org: OrgId, about: Uuid) -> Result<bool> {
        let Some(sent_at) = self.sent_at else { return Ok(false) };
        let way = match self.channel {
            MessageChannel::Sms => LinkCopyChannel::Phone,
            MessageChannel::Email => LinkCopyChannel::Email,
        };
        let withdrawn_at = copy::find_withdrawal(conn, org, about, (way, &self.to_address)).await?;
        Ok(withdrawn_at.is_some_and(|at| sent_at <= at))
    }
}

/// Whether the paper left only for addresses that are set aside since.
pub(crate) async fn is_withdrawn(conn: &mut dyn AsConn, org: OrgId, lead: LeadId, about: Uuid) -> Result<bool> {
    let (counted, has_withdrawn) = list_document_messages(conn, org, lead, about).await?;
    Ok(has_withdrawn && last_sent_at(&counted).is_none())
}

pub(crate) async fn load_last_document_send(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    about: Uuid,
    now: DateTime<Utc>,
) -> Result<LastDocumentSend> {
    let (all, has_withdrawn) = list_document_messages(&mut *conn, org, lead, about).await?;
    let left_at = last_sent_at(&all);
    let is_withdrawn = has_withdrawn && left_at.is_none();
    let mut unsent = why_last_unsent(&all);
    if is_withdrawn && all.is_empty() {
        unsent = Some(SENT_TO_SET_ASIDE.to_owned());
    }
    if matches!(unsent.as_deref(), Some(BEING_SENT | TO_BE_SENT)) && outlook::is_worker_silent(conn, now).await? {
        unsent = Some(WORKER_SILENT.to_owned());
    }
    Ok(LastDocumentSend { unsent, left_at, is_withdrawn })
}

/// The newest first, without those to an address that is set aside since; and whether there are such.
async fn list_document_messages(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    about: Uuid,
) -> Result<(Vec<DocumentMessage>, bool)> {
    let rows = q!(
        &mut *conn,
        fetch_all as DocumentMessageRow,
        "SELECT event_id, status, reason, sent_at, channel, to_address FROM message
         WHERE org_id = $1 AND lead_id = $2 AND about_id = $3
             AND direction = 'out' AND kind IN ('estimate', 'change_order', 'invoice', 'manual')
             AND dedupe_key NOT LIKE 'reminder:%'
         ORDER BY created_at DESC, id DESC",
        org,
        lead,
        about
    )?;
    let (mut counted, mut has_withdrawn) = (Vec::with_capacity(rows.len()), false);
    for row in rows {
        if row.is_withdrawn(&mut *conn, org, about).await? {
            has_withdrawn = true;
        } else {
            counted.push((row.event_id, row.status, row.reason, row.sent_at));
        }
    }
    Ok((counted, has_withdrawn))
}

/// Whether a person sent it as a reminder of a document.
pub(crate) async fn is_manual_reminder(conn: &mut dyn AsConn, org: OrgId, id: MessageId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM message WHERE org_id = $1 AND id = $2 AND dedupe_key LIKE 'reminder:%')";
    Ok(q!(conn, fetch_one scalar bool, sql, org, id)?)
}

struct WaitingDocumentMessage {
    id: MessageId,
    channel: MessageChannel,
    kind: MessageKind,
    key: String,
}

impl WaitingDocumentMessage {
    fn is_reminder(&self) -> bool {
        self.key.starts_with(REMINDER_KEY_PREFIX)
    }

    fn is_document(&self) -> bool {
        matches!(self.kind, MessageKind::Estimate | MessageKind::ChangeOrder | MessageKind::Invoice)
            && !self.is_reminder()
    }
}

async fn list_waiting_messages(conn: &mut dyn AsConn, org: OrgId, about: Uuid) -> Result<Vec<WaitingDocumentMessage>> {
    let rows = q!(
        conn,
        fetch_all as (MessageId, MessageChannel, MessageKind, String),
        "SELECT id, channel, kind, dedupe_key FROM message
         WHERE org_id = $1 AND about_id = $2 AND status IN ('queued', 'held') ORDER BY created_at, id",
        org,
        about
    )?;
    Ok(rows.into_iter().map(|(id, channel, kind, key)| WaitingDocumentMessage { id, channel, kind, key }).collect())
}

/// What an unsent document waits for: "held until 8:28 AM: it is night there".
pub(crate) async fn why_document_waits(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    lead: LeadId,
    about: Uuid,
) -> Result<Option<String>> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    if load_last_document_send(&mut *conn, org, lead, about, origin.now()).await?.left_at.is_some() {
        return Ok(None);
    }
    for one in
        list_waiting_messages(&mut *conn, org, about).await?.into_iter().filter(WaitingDocumentMessage::is_document)
    {
        let outlook = outlook::load_outlook(&mut *conn, origin, ctx.set_up, org, one.id).await?;
        if let Some(outlook) =
            outlook.filter(|outlook| matches!(outlook.state, OutlookState::Held | OutlookState::Waits))
        {
            return Ok(Some(outlook.text));
        }
    }
    Ok(None)
}

/// Kind, document and lead of the newest unsent text of a document with these words, unless it was noted since as sent
/// from somebody's own phone.
pub(crate) async fn find_unsent_document_text(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    words: &str,
) -> Result<Option<(MessageKind, Uuid, LeadId)>> {
    Ok(q!(
        conn,
        fetch_optional as (MessageKind, Uuid, LeadId),
        "SELECT m.kind, m.about_id, m.lead_id FROM message m
         WHERE m.org_id = $1 AND m.customer_id = $2 AND m.body = $3 AND m.direction = 'out' AND m.channel = 'sms'
             AND m.kind IN ('estimate', 'change_order', 'invoice') AND m.dedupe_key NOT LIKE 'reminder:%'
             AND m.status IN ('queued', 'held', 'not_sent', 'failed')
             AND m.about_id IS NOT NULL AND m.lead_id IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM message n WHERE n.org_id = m.org_id AND n.about_id = m.about_id
                 AND n.kind = 'manual' AND n.body = m.body AND n.created_at >= m.created_at)
         ORDER BY m.created_at DESC, m.id DESC LIMIT 1",
        org,
        customer,
        words
    )?)
}

/// Makes a text from somebody's own phone the latest sending of a document.
pub(crate) async fn link_own_phone_text(
    tx: &mut Tx,
    org: OrgId,
    id: MessageId,
    (lead, about, event): (LeadId, Uuid, EventId),
) -> Result<()> {
    let sql = "UPDATE message SET lead_id = $3, about_id = $4, event_id = $5 WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, org, id, lead, about, event)?;
    Ok(())
}

/// Cancels the unsent messages of a document's earlier sendings on the channels of `new`, which replaces them.
pub(crate) async fn replace_waiting_messages(
    tx: &mut Tx,
    origin: &ClockRng,
    (org, about): (OrgId, Uuid),
    new: &[(MessageChannel, MessageId)],
) -> Result<()> {
    for one in
        list_waiting_messages(&mut *tx, org, about).await?.into_iter().filter(WaitingDocumentMessage::is_document)
    {
        let is_new = new.iter().any(|(_, id)| *id == one.id);
        if !is_new && new.iter().any(|(channel, _)| *channel == one.channel) {
            cancel_unsent(tx, origin, org, one.id, REPLACED_BY_RESEND).await?;
        }
    }
    Ok(())
}

/// Cancels the unsent manual reminders about a subject, which `new` replaces.
pub(crate) async fn replace_waiting_reminders(
    tx: &mut Tx,
    origin: &ClockRng,
    (org, about): (OrgId, Uuid),
    new: MessageId,
) -> Result<()> {
    for one in
        list_waiting_messages(&mut *tx, org, about).await?.into_iter().filter(WaitingDocumentMessage::is_reminder)
    {
        if one.id != new {
            cancel_unsent(tx, origin, org, one.id, REMINDED_AGAIN).await?;
        }
    }
    Ok(())
}

pub(crate) fn why_unsent(status: MessageStatus, reason: Option<String>) -> Option<String> {
    why_last_unsent(&[(None, status, reason, None)])
}

fn last_send_messages(all: &[DocumentMessage]) -> Vec<&DocumentMessage> {
    let Some((last, ..)) = all.first() else { return Vec::new() };
    all.iter().filter(|(event, ..)| event == last).collect()
}

fn last_sent_at(all: &[DocumentMessage]) -> Option<DateTime<Utc>> {
    let has_left = |status: &MessageStatus| matches!(status, MessageStatus::Sent | MessageStatus::Delivered);
    last_send_messages(all).into_iter().filter(|(_, status, ..)| has_left(status)).filter_map(|(.., at)| *at).min()
}

fn why_last_unsent(all: &[DocumentMessage]) -> Option<String> {
    let sent = last_send_messages(all);
    let is = |of: MessageStatus| sent.iter().find(|(_, status, ..)| *status == of);
    if is(MessageStatus::Sent).or_else(|| is(MessageStatus::Delivered)).is_some() {
        return None;
    }
    if is(MessageStatus::Sending).is_some() {
        return Some(BEING_SENT.to_owned());
    }
    if is(MessageStatus::Queued).is_some() {
        return Some(TO_BE_SENT.to_owned());
    }
    let because = |words: &str, (_, _, reason, _): &DocumentMessage| match reason {
        Some(why) => format!("{words}: {}", reword_stored_reason(why)),
        None => words.to_owned(),
    };
    if let Some(held) = is(MessageStatus::Held) {
        return Some(because("Waiting to send", held));
    }
    if let Some(unknown) = is(MessageStatus::Unknown) {
        return Some(because("We can't tell if this was delivered", unknown));
    }
    if is(MessageStatus::Filed).is_some() {
        return Some("Not sent: email is not set up, so it was saved as a file".to_owned());
    }
    Some(because("Not sent", sent.first()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(event: u128, status: MessageStatus, reason: Option<&str>) -> DocumentMessage {
        (Some(EventId(Uuid::from_u128(event))), status, reason.map(ToOwned::to_owned), None)
    }

    #[test]
    fn paper_is_shown_as_sent_only_after_latest_sending_left() {
        let night = part(2, MessageStatus::Held, Some("it is night there"));
        assert_eq!(why_last_unsent(&[]), None);
        assert_eq!(
            why_last_unsent(std::slice::from_ref(&night)).as_deref(),
            Some("Waiting to send: it is night there")
        );
        assert_eq!(why_last_unsent(&[night.clone(), part(2, MessageStatus::Sent, None)]), None, "by email it left");
        let before = part(1, MessageStatus::Delivered, None);
        assert_eq!(why_last_unsent(&[night, before]).as_deref(), Some("Waiting to send: it is night there"));
        assert_eq!(why_unsent(MessageStatus::Sent, None), None);
        let stopped = part(1, MessageStatus::NotSent, Some("they said STOP"));
        assert_eq!(why_last_unsent(&[stopped]).as_deref(), Some("Not sent: they said STOP"));
        let queued = part(1, MessageStatus::Queued, None);
        assert_eq!(why_last_unsent(std::slice::from_ref(&queued)).as_deref(), Some("Waiting to be sent"));
        assert_eq!(why_last_unsent(&[queued, part(1, MessageStatus::Sending, None)]).as_deref(), Some("Being sent"));
    }

    #[test]
    fn paper_sent_time_is_first_message_of_last_sending() {
        let at = |second| DateTime::from_timestamp(second, 0);
        let left = |event, second| {
            let (event, status, reason, _) = part(event, MessageStatus::Sent, None);
            (event, status, reason, at(second))
        };
        let failed = part(2, MessageStatus::Failed, Some("refused"));
        assert_eq!(last_sent_at(&[left(2, 90), failed, left(2, 80), left(1, 10)]), at(80));
        assert_eq!(last_sent_at(&[part(2, MessageStatus::Queued, None), left(1, 10)]), None);
        assert_eq!(last_sent_at(&[]), None);
    }
}
