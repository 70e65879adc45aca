//! Links that open the texting app of a personal phone with the words filled in, where the business number cannot text.

use chrono::{DateTime, Duration, Utc};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    MessageDraft, MessageKind, MessageStatus, MessageView, NewMessage,
    send_policy::{TOO_LATE_TO_BE_USEFUL, budget_limit::BudgetLimit},
    store_queued,
};
use crate::{
    documents::template::strip_opt_out_sentence,
    domain::tenancy::{
        org::{CarrierRegistration, OrgProfile},
        trust_level::{NOT_PAID, NOT_PROVEN, OF_A_NEW_BUSINESS},
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::{CustomerId, LeadId, MessageId, OrgId},
        live::{self, Topic},
        recipient::Recipient,
    },
};

pub const NOT_SET_UP: &str = "SMS is not set up";
pub const NO_NUMBER: &str = "your business has no number to send texts from";
/// As the choice of a channel says it.
const REGISTRATION_PENDING: &str = "your number is not registered for texting yet";
/// What [`why_texts_blocked`] answers: the reasons that the list of conversations names in its statement.
#[cfg(test)]
pub(crate) const SETUP_BLOCKS: [&str; 3] = [NOT_SET_UP, NO_NUMBER, REGISTRATION_PENDING];
pub const NOT_REGISTERED: &str = "your number is not registered for texting yet; text from your own phone";

/// A text that registration stopped before this time is not counted as one to send again.
const UNSENT_FOR: Duration = Duration::days(14);
/// The newest unsent texts that are looked at: the count is read on every page that offers a text.
const COUNTED_TEXTS: i64 = 200;

/// "On the way" is not sent after this time.
const NEWS: Duration = Duration::minutes(30);

/// Characters that need no escape in a query (RFC 3986, 2.3).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

#[must_use]
pub fn why_texts_blocked(texts_leave: bool, profile: &OrgProfile) -> Option<&'static str> {
    match profile.settings.sending.registration {
        _ if !texts_leave => Some(NOT_SET_UP),
        _ if !profile.org.has_sender() => Some(NO_NUMBER),
        CarrierRegistration::Pending => Some(REGISTRATION_PENDING),
        CarrierRegistration::Unknown | CarrierRegistration::Approved => None,
    }
}

/// Set-up, hours, budget or provider kept the text from leaving. An opt-out, its words and its subject do not count.
pub(super) fn is_channel_failure(status: MessageStatus, reason: Option<&str>, limit: Option<BudgetLimit>) -> bool {
    match status {
        MessageStatus::Queued | MessageStatus::Held | MessageStatus::Failed => true,
        MessageStatus::NotSent => limit.is_some() || reason.is_some_and(is_technical_reason),
        _ => false,
    }
}

pub(super) fn is_setup_reason(reason: &str) -> bool {
    [NOT_SET_UP, NO_NUMBER, NOT_REGISTERED, REGISTRATION_PENDING, NOT_PROVEN, NOT_PAID].contains(&reason)
}

fn is_technical_reason(reason: &str) -> bool {
    is_setup_reason(reason) || reason.starts_with(OF_A_NEW_BUSINESS) || reason.ends_with(TOO_LATE_TO_BE_USEFUL)
}

/// Withdraws the offer from texts whose subject has ended: an answered estimate, a time that is not held any more. A
/// text about a visit names the time of its step; a reminder that a person sent is of use until the visit begins.
pub(crate) async fn clear_obsolete_links(
    conn: &mut dyn AsConn,
    org: OrgId,
    messages: &mut [&mut MessageView],
    now: DateTime<Utc>,
) -> Result<()> {
    for message in messages.iter_mut().filter(|message| message.by_hand && can_become_obsolete(message.kind)) {
        let ended = q!(
            &mut *conn,
            fetch_one scalar i64,
            "SELECT COUNT(*) FROM message m
             LEFT JOIN estimate e ON e.org_id = m.org_id AND e.id = m.about_id
             LEFT JOIN invoice i ON i.org_id = m.org_id AND i.id = m.about_id
             LEFT JOIN job j ON j.org_id = m.org_id AND j.id = m.about_id
             LEFT JOIN booking_request b ON b.org_id = m.org_id AND b.id = m.about_id
             LEFT JOIN follow_up f ON f.org_id = m.org_id AND f.about_id = m.about_id AND f.message_id = m.id
                 AND f.visit_at IS NOT NULL
             WHERE m.org_id = $1 AND m.id = $2 AND (e.status <> 'open' OR i.status <> 'open'
                 OR b.confirmed_at IS NOT NULL OR b.expires_at <= $3
                 OR (m.kind <> 'visit' AND j.cancelled_at > m.created_at)
                 OR (m.kind = 'visit' AND f.step = 'cancelled' AND j.status <> 'cancelled' AND j.starts_at IS NOT NULL)
                 OR (m.kind = 'visit' AND COALESCE(f.step, '') <> 'cancelled'
                     AND (j.status <> 'scheduled' OR j.on_my_way_at IS NOT NULL OR j.starts_at IS NULL
                         OR j.starts_at <= $3 OR j.starts_at <> COALESCE(f.visit_at, m.deadline_at)))
                 OR (m.kind = 'on_the_way' AND m.created_at <= $4))",
            org,
            message.id,
            now,
            now - NEWS
        )?;
        message.by_hand = ended == 0;
    }
    Ok(())
}

fn can_become_obsolete(kind: MessageKind) -> bool {
    !matches!(kind, MessageKind::Manual | MessageKind::MissedCall | MessageKind::Nudge | MessageKind::TextReply)
}

/// A text for one's own phone, where only the set-up of texting keeps it from leaving.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnPhoneText {
    pub customer_id: CustomerId,
    pub lead_id: LeadId,
    /// Opens the text app of a phone with the text filled in.
    pub sms_link: String,
    pub text: String,
    /// When somebody last noted that they sent these words.
    pub sent_at: Option<DateTime<Utc>>,
}

/// None for an email.
pub(crate) async fn load_own_phone_text(
    conn: &mut dyn AsConn,
    org: OrgId,
    (customer, lead): (CustomerId, LeadId),
    draft: &MessageDraft,
) -> Result<Option<OwnPhoneText>> {
    let Recipient::Phone(phone) = &draft.to else { return Ok(None) };
    let text = strip_opt_out_sentence(&draft.body);
    let sql = "SELECT MAX(sent_at) FROM message WHERE org_id = $1 AND lead_id = $2 AND direction = 'out'
             AND channel = 'sms' AND kind = 'manual' AND body IN ($3, $4)";
    let sent_at = q!(conn, fetch_one scalar Option<DateTime<Utc>>, sql, org, lead, &text, &draft.body)?;
    Ok(Some(OwnPhoneText {
        customer_id: customer,
        lead_id: lead,
        sms_link: build_sms_link(phone.as_e164(), &text),
        text,
        sent_at,
    }))
}

/// Stores a text that the set-up of texting keeps from leaving: the conversation offers it for one's own phone. It is
/// never sent.
pub(crate) async fn store_own_phone_text(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    (lead, draft): (LeadId, MessageDraft),
    reason: &str,
) -> Result<()> {
    let message = NewMessage { lead: Some(lead), ..draft.with_id(MessageId(origin.uuid_v7())) };
    for id in store_queued(&mut *tx, origin, org, std::slice::from_ref(&message)).await? {
        let sql = "UPDATE message SET status = $3, reason = $4 WHERE org_id = $1 AND id = $2";
        q!(&mut *tx, execute, sql, org, id, MessageStatus::NotSent, reason)?;
        live::publish_event(&mut *tx, origin, org, Topic::Message, id.0, Some(lead.0)).await?;
    }
    Ok(())
}

/// Texts to customers that a pending registration stopped lately, where the customer has got nothing since: of the
/// newest `COUNTED_TEXTS` unsent ones. Nobody but a person sends them again, and nobody an answer to a keyword.
pub async fn count_unregistered_texts(conn: &mut dyn AsConn, org: OrgId, now: DateTime<Utc>) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM (SELECT customer_id, direction, kind, reason, created_at FROM message
             WHERE org_id = $1 AND status = 'not_sent' AND channel = 'sms' AND created_at >= $2
             ORDER BY created_at DESC LIMIT $5) AS unsent
         WHERE unsent.direction = 'out' AND unsent.reason IN ($3, $4) AND unsent.customer_id IS NOT NULL
             AND unsent.kind NOT IN ('help_reply', 'stop_confirmation')
             AND NOT EXISTS (SELECT 1 FROM message l WHERE l.org_id = $1 AND l.customer_id = unsent.customer_id
                 AND l.created_at >= unsent.created_at AND l.sent_at >= unsent.created_at AND l.direction = 'out')";
    let since = now - UNSENT_FOR;
    Ok(q!(conn, fetch_one scalar i64, sql, org, since, NOT_REGISTERED, REGISTRATION_PENDING, COUNTED_TEXTS)?)
}

/// `sms:+15125550142?body=…` (RFC 5724), without the sentence on STOP, which a personal phone does not obey.
#[must_use]
pub fn build_sms_link(to: &str, body: &str) -> String {
    format!("sms:{to}?body={}", utf8_percent_encode(&strip_opt_out_sentence(body), ESCAPED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_phone_is_offered_only_for_texting_problems() {
        let offers = |reason| is_channel_failure(MessageStatus::NotSent, Some(reason), None);
        for good in [NOT_SET_UP, NO_NUMBER, "it is night there, and after that it would be of no use", NOT_PAID] {
            assert!(offers(good), "{good}");
        }
        for bad in [
            "the time it asks about is no longer held",
            "a newer version was made",
            "they said STOP",
            "cancelled by Olive Owner",
            "this address is not confirmed as the customer's",
        ] {
            assert!(!offers(bad), "{bad}");
        }
        let braked = Some(BudgetLimit::Budget);
        assert!(is_channel_failure(MessageStatus::NotSent, Some("today's budget is used up"), braked));
        assert!(is_channel_failure(MessageStatus::Failed, Some("refused as spam"), None));
        assert!(
            !is_channel_failure(MessageStatus::Unknown, None, None)
                && !is_channel_failure(MessageStatus::Sent, None, None)
        );
    }

    #[test]
    fn sms_link_keeps_whole_text_encoded() {
        let made = build_sms_link("+15125550142", "Hi Ann & Bob: 100 % ¿sí? #1\nhttps://b.example/?a=1");
        let url = url::Url::parse(&made).unwrap();
        assert_eq!((url.scheme(), url.path(), url.fragment()), ("sms", "+15125550142", None));
        let query: Vec<_> = url.query_pairs().collect();
        assert_eq!(query, [("body".into(), "Hi Ann & Bob: 100 % ¿sí? #1\nhttps://b.example/?a=1".into())]);
    }

    #[test]
    fn sms_link_leaves_out_the_sentence_on_stop() {
        for (text, words) in [
            ("Acme got it. Reply STOP to opt out.", "Acme%20got%20it."),
            ("Hola Ann. Responda ALTO si no quiere más mensajes.", "Hola%20Ann."),
            ("", ""),
        ] {
            assert_eq!(build_sms_link("+15125550142", text), format!("sms:+15125550142?body={words}"));
        }
    }
}
