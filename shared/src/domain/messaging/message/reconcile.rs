//! Doubt: a text that may or may not have been accepted. It is settled by evidence, never by a guess.
//!
//! First by the provider's report, which carries our id (`delivery`); then by asking the provider for what it has, a
//! minute and two minutes later. Two empty lists say that it was never accepted. Then its kind decides: an answer to an
//! enquiry is sent once more, after a last look at the list, everything else waits for a person (trust requirement 1.1).

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use super::{
    Channel, Kind, cost,
    delivery::{self, Report},
    send::Outgoing,
    settled, wakeup,
};
use crate::{
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::Result,
        id::{LeadId, MessageId, OrgId},
        tasks::{self, NewTask},
    },
    providers::sms::Found,
};

/// Between two questions to the provider.
const ASK_EVERY: Duration = Duration::seconds(60);
/// What the questions may take beyond the time for which a message is worth sending.
const SETTLED_BY_THEN: Duration = Duration::minutes(10);
/// Empty answers that are needed before a text counts as never accepted.
const EMPTY_ANSWERS: i64 = 2;
/// The provider's own clock may be behind ours.
const CLOCKS_DIFFER: Duration = Duration::minutes(5);

/// A text in doubt, as the worker asks about it.
#[derive(Clone, Debug, FromRow)]
pub struct Doubtful {
    pub org_id: OrgId,
    pub id: MessageId,
    pub lead_id: Option<LeadId>,
    pub kind: Kind,
    pub to_address: String,
    pub body: String,
    /// What it was sent from: a number, or the id of a service.
    sender: Option<String>,
    pub attempts: i64,
    created_at: DateTime<Utc>,
    /// When the attempt began whose end is in doubt.
    begun_at: Option<DateTime<Utc>>,
    doubt_since: Option<DateTime<Utc>>,
    doubt_checks: i64,
}

impl Doubtful {
    /// A text that is about to go once more after a doubt, as it was first tried. None where it is its first try, and where
    /// a person wants it to go: they were told that it may arrive twice.
    #[must_use]
    pub fn of_repeat(message: &Outgoing) -> Option<Self> {
        let was_in_doubt = message.channel == Channel::Sms && message.doubt_checks >= EMPTY_ANSWERS;
        (was_in_doubt && message.resent_at.is_none()).then(|| Self {
            org_id: message.org_id,
            id: message.id,
            lead_id: message.lead_id,
            kind: message.kind,
            to_address: message.to_address.clone(),
            body: message.body.clone(),
            sender: message.sender().map(ToOwned::to_owned),
            attempts: message.attempts,
            created_at: message.created_at,
            begun_at: None,
            doubt_since: None,
            doubt_checks: message.doubt_checks,
        })
    }

    /// From when on the provider may have it: the doubt begins when a worker finds it left, which may be much later.
    #[must_use]
    pub fn sent_after(&self) -> DateTime<Utc> {
        self.begun_at.unwrap_or(self.created_at) - CLOCKS_DIFFER
    }

    /// Whether as much time has passed as so many questions take. A task whose commit was cut off runs again at once.
    fn may_count(&self, checks: i64, now: DateTime<Utc>) -> bool {
        let questions = i32::try_from(checks).unwrap_or(i32::MAX);
        now - self.doubt_since.unwrap_or(self.created_at) >= ASK_EVERY * questions
    }

    /// The number it was sent from; none where a service chose one.
    #[must_use]
    pub fn sent_from(&self) -> Option<&str> {
        self.sender.as_deref().filter(|sender| sender.starts_with('+'))
    }

    /// Whether two empty lists are enough to send it once more. The person waits for an answer, and a second one would
    /// do no harm; nothing else is worth that risk, and neither is an answer that comes hours late.
    fn may_go_again(&self, now: DateTime<Utc>) -> bool {
        matches!(self.kind, Kind::AutoReply | Kind::MissedCall | Kind::TextReply | Kind::OwnerNotice)
            && self.attempts < 2
            && now - self.created_at <= self.kind.worth_sending_for(Channel::Sms) + SETTLED_BY_THEN
    }
}

/// Puts a message in doubt, unless the provider has reported meanwhile that it has it. For a text, it will be asked.
pub(super) async fn begin(tx: &mut Tx, origin: &Origin, message: &Outgoing, reason: &str) -> Result<()> {
    if let Some(provider_id) = delivery::noted(&mut *tx, message.org_id, message.id).await? {
        return delivery::accepted(tx, origin, (message.org_id, message.id), &provider_id, origin.now()).await;
    }
    q!(
        &mut *tx,
        execute,
        "UPDATE message SET status = 'unknown', reason = $3, doubt_since = $4, doubt_checks = 0, fence = fence + 1
         WHERE org_id = $1 AND id = $2",
        message.org_id,
        message.id,
        reason,
        origin.now()
    )?;
    if message.channel == Channel::Sms {
        ask_later(tx, origin, message.org_id, message.id).await?;
    }
    settled(tx, origin, message.org_id, message.lead_id, message.id).await
}

/// Queues the next question to the provider.
pub(super) async fn ask_later(tx: &mut Tx, origin: &Origin, org: OrgId, id: MessageId) -> Result<()> {
    let ask = NewTask {
        org: Some(org),
        kind: tasks::Kind::SettleDoubt,
        subject: Some(id.0),
        run_at: origin.now() + ASK_EVERY,
        unique_key: format!("doubt:{id}:{}", origin.uuid()),
    };
    tasks::enqueue(tx, origin, vec![ask]).await?;
    Ok(())
}

/// The message, if it is still in doubt.
pub async fn find(conn: &mut dyn AsConn, id: MessageId) -> Result<Option<Doubtful>> {
    Ok(q!(
        conn,
        fetch_optional as Doubtful,
        "SELECT m.org_id, m.id, m.lead_id, m.kind, m.to_address, m.body, m.attempts,
             COALESCE((SELECT c.sender FROM sending_contact c WHERE c.org_id = m.org_id AND c.address = m.to_address
                 AND c.wrote_at IS NOT NULL ORDER BY c.wrote_at DESC LIMIT 1), o.sms_number) AS sender,
             m.created_at, m.doubt_since, m.doubt_checks,
             (SELECT a.started_at FROM message_attempt a WHERE a.org_id = m.org_id AND a.message_id = m.id
                 AND a.number = m.attempts) AS begun_at
         FROM message m JOIN org o ON o.id = m.org_id
         WHERE m.id = $1 AND m.status = 'unknown' AND m.channel = 'sms' AND m.direction = 'out'",
        id
    )?)
}

/// The provider's ids of other texts to the same number, and of earlier tries of this one: the list holds those too,
/// and they are not the one in doubt.
pub async fn known_provider_ids(conn: &mut dyn AsConn, message: &Doubtful) -> Result<Vec<String>> {
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

/// The provider has it: it was accepted.
pub async fn found(tx: &mut Tx, origin: &Origin, message: &Doubtful, found: &Found) -> Result<()> {
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
    let since = message.doubt_since.unwrap_or(message.created_at);
    cost::note(&mut *tx, message.org_id, message.id, &found.bill).await?;
    delivery::accepted(tx, origin, (message.org_id, message.id), &found.sid, since).await?;
    // The list also says what has become of it since, and no report may ever come.
    let told = Report {
        message: Some(message.id),
        provider_id: &found.sid,
        status: &found.status,
        code: found.code,
        received_at: origin.now(),
    };
    delivery::report(tx, origin, &told).await
}

/// The provider's list did not hold it. Asks again, or lets the message's kind decide.
pub async fn not_found(tx: &mut Tx, origin: &Origin, message: &Doubtful) -> Result<()> {
    let checks = message.doubt_checks + 1;
    if !message.may_count(checks, origin.now()) {
        return ask_later(tx, origin, message.org_id, message.id).await;
    }
    let counted = q!(
        &mut *tx,
        execute,
        "UPDATE message SET doubt_checks = $3 WHERE org_id = $1 AND id = $2 AND status = 'unknown' AND doubt_checks = $4",
        message.org_id,
        message.id,
        checks,
        message.doubt_checks
    )?;
    if counted == 0 {
        return Ok(());
    }
    if checks < EMPTY_ANSWERS {
        return ask_later(tx, origin, message.org_id, message.id).await;
    }
    if message.may_go_again(origin.now()) {
        send_once_more(tx, origin, message).await?;
    } else {
        let why = "the provider does not have it; send it again if they did not get it";
        let sql = "UPDATE message SET reason = $3 WHERE org_id = $1 AND id = $2 AND status = 'unknown'";
        q!(&mut *tx, execute, sql, message.org_id, message.id, why)?;
    }
    settled(tx, origin, message.org_id, message.lead_id, message.id).await
}

async fn send_once_more(tx: &mut Tx, origin: &Origin, message: &Doubtful) -> Result<()> {
    let now = origin.now();
    q!(
        &mut *tx,
        execute,
        "UPDATE message SET status = 'queued', reason = $3, next_attempt_at = $4, deadline_at = $5, doubt_since = NULL,
             fence = fence + 1
         WHERE org_id = $1 AND id = $2 AND status = 'unknown'",
        message.org_id,
        message.id,
        "the provider was asked twice and never had it",
        now,
        now + message.kind.worth_sending_for(Channel::Sms)
    )?;
    let again = wakeup(message.org_id, message.id, Channel::Sms, now, &format!("doubt:{}", origin.uuid()));
    tasks::enqueue(tx, origin, vec![again]).await?;
    Ok(())
}

/// How many messages are in doubt, for the status page.
pub async fn count(conn: &mut dyn AsConn, org: OrgId) -> Result<i64> {
    Ok(q!(conn, fetch_one scalar i64, "SELECT COUNT(*) FROM message WHERE org_id = $1 AND status = 'unknown'", org)?)
}
