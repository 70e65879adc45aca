//! Questions to a customer that a text may answer. The domain that asks one registers a handler.

use chrono::{DateTime, Utc};
use futures::future::BoxFuture;

use crate::{
    domain::tenancy::org::OrgContext,
    platform::{
        db::{AsConn, Handler, Tx},
        error::Result,
        id::OrgId,
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
