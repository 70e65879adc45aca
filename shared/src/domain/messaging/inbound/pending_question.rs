//! Questions to a customer that a text may answer. The domain that asks one registers a handler.

use chrono::{DateTime, Utc};
use futures::future::BoxFuture;

use super::InboundMedia;
use crate::{
    domain::{
        intake::lead,
        messaging::{
            affirmative_reply::is_plain_yes,
            request_denial::{is_asking_for_sender, is_request_denied},
        },
        tenancy::org::OrgContext,
    },
    platform::{
        db::{AsConn, Handler, Tx},
        error::Result,
        id::{LeadId, OrgId},
        phone::Phone,
    },
};

/// Found by [`AsConn::handlers`].
pub struct PendingQuestions(pub &'static [&'static dyn PendingQuestion]);

impl Handler for PendingQuestions {}

#[derive(Clone, Copy, Debug)]
pub struct TextAnswer<'a> {
    pub phone: &'a Phone,
    pub body: &'a str,
    pub at: DateTime<Utc>,
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

/// A yes, a denial or "Who is this?" after a question of ours does not ask for work again. A yes within its time is
/// taken by [`take_answer`].
pub(super) async fn uncount_reaction(
    tx: &mut Tx,
    org: OrgId,
    (lead, media): (LeadId, &[InboundMedia]),
    answer: TextAnswer<'_>,
) -> Result<()> {
    let body = answer.body;
    if !media.is_empty() {
        return Ok(());
    }
    if !is_plain_yes(body) && !is_request_denied(body) && !is_asking_for_sender(body) {
        return Ok(());
    }
    for question in tx.handlers().find_handler::<PendingQuestions>()?.0 {
        if question.is_recent(&mut *tx, org, answer).await? {
            return lead::undo_last_touch(tx, org, lead).await;
        }
    }
    Ok(())
}
