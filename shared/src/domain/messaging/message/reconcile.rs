//! Reconciliation of texts in doubt, which may have been accepted, by evidence alone.
//!
//! First the provider's report, which carries our id (`delivery`); then queries of the provider's list, one and two
//! minutes later. Two empty lists mean that it was never accepted. Then its kind decides: an answer to an enquiry is
//! sent once more, after a last query, everything else waits for a person (trust requirement 1.1).

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use super::{
    MessageChannel, MessageKind, build_send_task, cost,
    delivery::{self, DeliveryReport},
    refresh_after_change,
    send::ClaimedMessage,
};
use crate::{
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::{LeadId, MessageId, OrgId},
        phone::Phone,
        recipient::Recipient,
        tasks::{self, NewTask, TaskKind},
    },
    providers::sms::SmsLookupResult,
};

const ASK_EVERY: Duration = Duration::seconds(60);
/// Time for the queries, beyond the time for which a message is worth sending.
const SETTLED_BY_THEN: Duration = Duration::minutes(10);
/// Empty lists needed before a text counts as never accepted.
const EMPTY_ANSWERS: i64 = 2;
/// The provider's own clock may be behind ours.
const CLOCKS_DIFFER: Duration = Duration::minutes(5);

#[derive(Clone, Debug, FromRow)]
pub struct UnconfirmedMessage {
    pub org_id: OrgId,
    pub id: MessageId,
    pub lead_id: Option<LeadId>,
    pub kind: MessageKind,
    pub to_address: Phone,
    pub body: String,
    /// A number, or the id of a service.
    sender: Option<String>,
    pub attempts: i64,
    created_at: DateTime<Utc>,
    /// Start of the attempt in doubt.
    begun_at: Option<DateTime<Utc>>,
    unconfirmed_since: Option<DateTime<Utc>>,
    reconcile_checks: i64,
}

impl UnconfirmedMessage {
    /// The first attempt of a text that is about to be repeated after a doubt. None for a first attempt, and where a
    /// person wants the repeat: they were told that it may arrive twice.
    #[must_use]
    pub fn from_resend(message: &ClaimedMessage) -> Option<Self> {
        let Recipient::Phone(phone) = &message.to else { return None };
        let was_in_doubt = message.reconcile_checks >= EMPTY_ANSWERS;
        (was_in_doubt && message.resent_at.is_none()).then(|| Self {
            org_id: message.org_id,
            id: message.id,
            lead_id: message.lead_id,
            kind: message.kind,
            to_address: phone.clone(),
            body: message.body.clone(),
            sender: message.sender().map(ToOwned::to_owned),
            attempts: message.attempts,
            created_at: message.created_at,
            begun_at: None,
            unconfirmed_since: None,
            reconcile_checks: message.reconcile_checks,
        })
    }

    /// Earliest time of acceptance. The doubt may begin much later, when a worker finds the text.
    #[must_use]
    pub fn sent_after(&self) -> DateTime<Utc> {
        self.begun_at.unwrap_or(self.created_at) - CLOCKS_DIFFER
    }

    /// Whether enough time for so many queries has passed. A task whose commit was cut off runs again at once.
    fn is_check_due(&self, checks: i64, now: DateTime<Utc>) -> bool {
        let questions = i32::try_from(checks).unwrap_or(i32::MAX);
        now - self.unconfirmed_since.unwrap_or(self.created_at) >= ASK_EVERY * questions
    }

    /// None where a service chose the number.
    #[must_use]
    pub fn sender_number(&self) -> Option<&str> {
        self.sender.as_deref().filter(|sender| sender.starts_with('+'))
    }

    /// One repeat after two empty lists: only where the person waits, a second text is harmless, and not hours late.
    fn can_resend(&self, now: DateTime<Utc>) -> bool {
        matches!(
            self.kind,
            MessageKind::AutoReply | MessageKind::MissedCall | MessageKind::TextReply | MessageKind::OwnerNotice
        ) && self.attempts < 2
            && now - self.created_at <= self.kind.max_age(MessageChannel::Sms) + SETTLED_BY_THEN
    }
}

/// Puts a message in doubt, unless the provider has reported it as accepted. For a text, a query is scheduled.
pub(super) async fn begin_reconciliation(
    tx: &mut Tx,
    origin: &ClockRng,
    message: &ClaimedMessage,
    reason: &str,
) -> Result<()> {
    if let Some(provider_id) = delivery::find_provider_id(&mut *tx, message.org_id, message.id).await? {
        return delivery::record_provider_acceptance(
            tx,
            origin,
            (message.org_id, message.id),
            &provider_id,
            origin.now(),
        )
        .await;
    }
    q!(
        &mut *tx,
        execute,
        "UPDATE message SET status = 'unknown', reason = $3, unconfirmed_since = $4, reconcile_checks = 0, fence = fence + 1
         WHERE org_id = $1 AND id = $2",
        message.org_id,
        message.id,
        reason,
        origin.now()
    )?;
    if message.to.is_phone() {
        schedule_reconciliation(tx, origin, message.org_id, message.id).await?;
    }
    refresh_after_change(tx, origin, message.org_id, message.lead_id, message.id).await
}

pub(super) async fn schedule_reconciliation(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: MessageId) -> Result<()> {
    let ask = NewTask {
        org: Some(org),
        kind: tasks::TaskKind::ReconcileDelivery,
        subject: Some(id.0),
        run_at: origin.now() + ASK_EVERY,
        unique_key: format!("doubt:{id}:{}", origin.uuid_v7()),
    };
    tasks::enqueue(tx, origin, vec![ask]).await?;
    Ok(())
}

pub async fn find_unconfirmed(conn: &mut dyn AsConn, id: MessageId) -> Result<Option<UnconfirmedMessage>> {
    Ok(q!(
        conn,
        fetch_optional as UnconfirmedMessage,
        "SELECT m.org_id, m.id, m.lead_id, m.kind, m.to_address, m.body, m.attempts,
             COALESCE((SELECT c.sender FROM sending_contact c WHERE c.org_id = m.org_id AND c.address = m.to_address
                 AND c.last_sent_at IS NOT NULL ORDER BY c.last_sent_at DESC LIMIT 1), o.sms_number) AS sender,
             m.created_at, m.unconfirmed_since, m.reconcile_checks,
             (SELECT a.started_at FROM message_attempt a WHERE a.org_id = m.org_id AND a.message_id = m.id
                 AND a.number = m.attempts) AS begun_at
         FROM message m JOIN org o ON o.id = m.org_id
         WHERE m.id = $1 AND m.status = 'unknown' AND m.channel = 'sms' AND m.direction = 'out'",
        id
    )?)
}

/// Provider ids of other texts to the same number, and of earlier attempts of this one: the list contains those too.
pub async fn known_provider_ids(conn: &mut dyn AsConn, message: &UnconfirmedMessage) -> Result<Vec<String>> {
    Ok(q!(
        conn,
        fetch_all scalar String,
        "SELECT provider_id FROM message WHERE org_id = $1 AND to_address = $2 AND id <> $3 AND provider_id IS NOT NULL
             AND created_at > $4
         UNION SELECT detail FROM message_attempt WHERE org_id = $1 AND message_id = $3 AND outcome = 'accepted'
             AND detail IS NOT NULL",
        message.org_id,
        &message.to_address,
        message.id,
        message.sent_after() - Duration::hours(24)
    )?)
}

pub async fn confirm_accepted(
    tx: &mut Tx,
    origin: &ClockRng,
    message: &UnconfirmedMessage,
    found: &SmsLookupResult,
) -> Result<()> {
    let is_still = q!(
        &mut *tx,
        execute,
        "UPDATE message SET fence = fence WHERE org_id = $1 AND id = $2 AND status = 'unknown'",
        message.org_id,
        message.id
    )?;
    if is_still == 0 {
        return Ok(());
    }
    let since = message.unconfirmed_since.unwrap_or(message.created_at);
    cost::record_bill(&mut *tx, message.org_id, message.id, &found.bill).await?;
    delivery::record_provider_acceptance(tx, origin, (message.org_id, message.id), &found.sid, since).await?;
    // The list also has the current status, and a report may never come.
    let report = DeliveryReport {
        message: Some(message.id),
        provider_id: &found.sid,
        status: &found.status,
        code: found.code,
        received_at: origin.now(),
    };
    delivery::process_delivery_report(tx, origin, &report).await.map(drop)
}

/// Not in the provider's list: queries again, or lets the message's kind decide.
pub async fn process_not_found(tx: &mut Tx, origin: &ClockRng, message: &UnconfirmedMessage) -> Result<()> {
    let checks = message.reconcile_checks + 1;
    if !message.is_check_due(checks, origin.now()) {
        return schedule_reconciliation(tx, origin, message.org_id, message.id).await;
    }
    let counted = q!(
        &mut *tx,
        execute,
        "UPDATE message SET reconcile_checks = $3 WHERE org_id = $1 AND id = $2 AND status = 'unknown' AND reconcile_checks = $4",
        message.org_id,
        message.id,
        checks,
        message.reconcile_checks
    )?;
    if counted == 0 {
        return Ok(());
    }
    if checks < EMPTY_ANSWERS {
        return schedule_reconciliation(tx, origin, message.org_id, message.id).await;
    }
    if message.can_resend(origin.now()) {
        resend_once(tx, origin, message).await?;
    } else {
        let why = "the provider does not have it; send it again if they did not get it";
        let sql = "UPDATE message SET reason = $3 WHERE org_id = $1 AND id = $2 AND status = 'unknown'";
        q!(&mut *tx, execute, sql, message.org_id, message.id, why)?;
    }
    refresh_after_change(tx, origin, message.org_id, message.lead_id, message.id).await
}

async fn resend_once(tx: &mut Tx, origin: &ClockRng, message: &UnconfirmedMessage) -> Result<()> {
    let now = origin.now();
    q!(
        &mut *tx,
        execute,
        "UPDATE message SET status = 'queued', reason = $3, next_attempt_at = $4, deadline_at = $5, unconfirmed_since = NULL,
             fence = fence + 1
         WHERE org_id = $1 AND id = $2 AND status = 'unknown'",
        message.org_id,
        message.id,
        "the provider was asked twice and never had it",
        now,
        now + message.kind.max_age(MessageChannel::Sms)
    )?;
    let again =
        build_send_task(message.org_id, message.id, TaskKind::SendMessage, now, &format!("doubt:{}", origin.uuid_v7()));
    tasks::enqueue(tx, origin, vec![again]).await?;
    Ok(())
}

pub async fn count_unconfirmed(conn: &mut dyn AsConn, org: OrgId) -> Result<i64> {
    Ok(q!(conn, fetch_one scalar i64, "SELECT COUNT(*) FROM message WHERE org_id = $1 AND status = 'unknown'", org)?)
}
