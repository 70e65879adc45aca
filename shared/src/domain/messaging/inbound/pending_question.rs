//! Questions to a customer that a text may answer. The domain that asks one registers a handler.

use chrono::{DateTime, Duration, Utc};
use futures::future::BoxFuture;

use super::{InboundMedia, StoredInboundSms};
use crate::{
    domain::{
        intake::lead,
        messaging::{
            affirmative_reply::is_plain_yes,
            conversation,
            request_denial::{is_asking_for_sender, is_denial_or_question_only, is_plain_denial, is_request_denied},
        },
        tenancy::org::OrgContext,
    },
    platform::{
        db::{AsConn, Handler, Tx, q},
        error::Result,
        id::{CustomerId, LeadId, OrgId},
        phone::Phone,
    },
};

/// How long a text can be about an automatic one.
const AUTOMATIC_TEXT_LASTS: Duration = Duration::hours(48);

/// Found by [`AsConn::handlers`].
pub struct PendingQuestions(pub &'static [&'static dyn PendingQuestion]);

impl Handler for PendingQuestions {}

#[derive(Clone, Copy, Debug)]
pub struct TextAnswer<'a> {
    pub phone: &'a Phone,
    pub body: &'a str,
    pub at: DateTime<Utc>,
    /// When another business wrote to the phone from the same sender, within the 48 hours before.
    pub other_writer_at: Option<DateTime<Utc>>,
}

pub trait PendingQuestion: Sync {
    /// Whether a question to this number waits for an answer.
    fn is_pending<'a>(
        &'a self,
        conn: &'a mut dyn AsConn,
        org: OrgId,
        phone: &'a Phone,
        now: DateTime<Utc>,
    ) -> BoxFuture<'a, Result<bool>>;

    /// Whether the text accepts what was asked; it takes effect then.
    fn take_answer<'a>(
        &'a self,
        tx: &'a mut Tx,
        intake: &'a OrgContext<'a>,
        answer: TextAnswer<'a>,
    ) -> BoxFuture<'a, Result<bool>>;

    /// Whether the number was asked so recently that a text from it can be about the question.
    fn is_recent<'a>(
        &'a self,
        conn: &'a mut dyn AsConn,
        org: OrgId,
        answer: TextAnswer<'a>,
    ) -> BoxFuture<'a, Result<bool>>;

    /// Ends what was asked where the text denies it.
    fn take_denial<'a>(
        &'a self,
        tx: &'a mut Tx,
        intake: &'a OrgContext<'a>,
        answer: TextAnswer<'a>,
    ) -> BoxFuture<'a, Result<()>>;
}

pub(super) async fn is_any_pending(
    conn: &mut dyn AsConn,
    org: OrgId,
    phone: &Phone,
    now: DateTime<Utc>,
) -> Result<bool> {
    for question in conn.handlers().find_handler::<PendingQuestions>()?.0 {
        if question.is_pending(&mut *conn, org, phone, now).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(super) async fn take_answer(tx: &mut Tx, intake: &OrgContext<'_>, answer: TextAnswer<'_>) -> Result<bool> {
    for question in tx.handlers().find_handler::<PendingQuestions>()?.0 {
        if question.take_answer(&mut *tx, intake, answer).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(super) async fn take_denial(tx: &mut Tx, intake: &OrgContext<'_>, answer: TextAnswer<'_>) -> Result<()> {
    for question in tx.handlers().find_handler::<PendingQuestions>()?.0 {
        question.take_denial(&mut *tx, intake, answer).await?;
    }
    Ok(())
}

/// After a text that answered a question of ours: it is no request of its own.
pub(super) async fn settle_question(
    tx: &mut Tx,
    org: OrgId,
    text: &StoredInboundSms<'_>,
    (customer, lead): (CustomerId, LeadId),
    waited: bool,
) -> Result<()> {
    // The confirmation answers this text. An earlier question still waits.
    if !waited {
        conversation::mark_answered(&mut *tx, org, customer).await?;
    }
    if text.media.is_empty() { lead::undo_last_touch(tx, org, lead).await } else { Ok(()) }
}

/// After any other text. A plain denial of what we sent needs no reply; `may_settle` is false where a question of the
/// customer waits that another number may have denied.
pub(super) async fn settle_reaction(
    tx: &mut Tx,
    org: OrgId,
    text: &StoredInboundSms<'_>,
    (customer, lead): (CustomerId, LeadId),
    (may_settle, answer): (bool, TextAnswer<'_>),
) -> Result<()> {
    let is_denial = may_settle && text.media.is_empty() && is_plain_denial(answer.body);
    if is_denial && (is_asked_about(&mut *tx, org, answer).await? || was_texted_recently(&mut *tx, org, answer).await?)
    {
        conversation::mark_answered(&mut *tx, org, customer).await?;
    }
    uncount_reaction(tx, org, (lead, &text.media), answer).await
}

/// A yes, a denial or "Who is this?" after a question of ours does not ask for work again, and neither does one with
/// nothing else in it after an automatic text. A yes within its time is taken by [`take_answer`].
pub(super) async fn uncount_reaction(
    tx: &mut Tx,
    org: OrgId,
    (lead, media): (LeadId, &[InboundMedia]),
    answer: TextAnswer<'_>,
) -> Result<()> {
    let body = answer.body;
    let is_yes = is_plain_yes(body);
    if !media.is_empty() || !(is_yes || is_request_denied(body) || is_asking_for_sender(body)) {
        return Ok(());
    }
    let is_plain = is_yes || is_denial_or_question_only(body);
    if is_asked_about(&mut *tx, org, answer).await? || (is_plain && was_texted_recently(&mut *tx, org, answer).await?) {
        return lead::undo_last_touch(tx, org, lead).await;
    }
    Ok(())
}

async fn is_asked_about(conn: &mut dyn AsConn, org: OrgId, answer: TextAnswer<'_>) -> Result<bool> {
    for question in conn.handlers().find_handler::<PendingQuestions>()?.0 {
        if question.is_recent(&mut *conn, org, answer).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a text of a rule left for the number, or may have left, so recently that the text can be about it.
async fn was_texted_recently(conn: &mut dyn AsConn, org: OrgId, answer: TextAnswer<'_>) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM message WHERE org_id = $1 AND to_address = $2 AND direction = 'out'
         AND channel = 'sms' AND kind IN ('auto_reply', 'text_reply', 'missed_call', 'nudge') AND created_at > $3
         AND (sent_at <= $4 OR unconfirmed_since <= $4))";
    let since = answer.at - AUTOMATIC_TEXT_LASTS;
    Ok(q!(conn, fetch_one scalar bool, sql, org, answer.phone.as_e164(), since, answer.at)?)
}
