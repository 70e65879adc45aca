//! Subjects of messages: estimates, visits, invoices and others. The domain that has a subject registers a handler.

use chrono::{DateTime, Utc};
use futures::future::{BoxFuture, FutureExt, ready};
use uuid::Uuid;

use super::{MessageKind, send::ClaimedMessage};
use crate::{
    documents::template::Language,
    platform::{
        clock::ClockRng,
        db::{AsConn, Handler, Tx},
        error::{Error, Result},
        id::{MessageId, OrgId},
    },
};

/// Found by [`AsConn::handlers`].
pub struct MessageSubjects(pub &'static [&'static dyn MessageSubject]);

impl Handler for MessageSubjects {}

impl MessageSubjects {
    /// None for a message without a subject of another domain.
    pub(super) fn find_by_kind(conn: &dyn AsConn, kind: MessageKind) -> Result<Option<&'static dyn MessageSubject>> {
        let subjects = conn.handlers().find_handler::<Self>()?;
        Ok(subjects.0.iter().copied().find(|subject| subject.message_kinds().contains(&kind)))
    }
}

/// Why a message should not be sent again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResendObstacle {
    pub why: String,
    pub may_override: bool,
}

impl ResendObstacle {
    #[must_use]
    pub fn with_reason(why: impl Into<String>, may_override: bool) -> Self {
        Self { why: why.into(), may_override }
    }
}

pub trait MessageSubject: Sync {
    fn message_kinds(&self) -> &'static [MessageKind];

    /// Why the subject `about` no longer needs the message: it is paid or answered.
    fn why_obsolete<'a>(
        &'a self,
        _conn: &'a mut dyn AsConn,
        _message: &'a ClaimedMessage,
        _about: Uuid,
        _now: DateTime<Utc>,
    ) -> BoxFuture<'a, Result<Option<&'static str>>> {
        ready(Ok(None)).boxed()
    }

    fn find_resend_obstacle<'a>(
        &'a self,
        _conn: &'a mut dyn AsConn,
        _message: &'a ClaimedMessage,
        _about: Uuid,
        _now: DateTime<Utc>,
    ) -> BoxFuture<'a, Result<Option<ResendObstacle>>> {
        ready(Ok(None)).boxed()
    }

    /// Name of the subject for an email, as "Invoice INV-1001".
    fn subject_name<'a>(
        &'a self,
        _tx: &'a mut Tx,
        _org: OrgId,
        _about: Uuid,
        _language: Language,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        ready(Ok(None)).boxed()
    }

    /// Why its sequence has ended, from the stored name of the reason.
    fn end_reason(&self, stored: &str) -> Result<&'static str> {
        Err(Error::Internal(format!("a message without a sequence has ended: {stored}")))
    }

    /// The provider has taken the message.
    fn on_accepted<'a>(
        &'a self,
        _tx: &'a mut Tx,
        _origin: &'a ClockRng,
        _org: OrgId,
        _message: MessageId,
    ) -> BoxFuture<'a, Result<()>> {
        ready(Ok(())).boxed()
    }

    /// The message has ended without being sent.
    fn on_failed<'a>(
        &'a self,
        _tx: &'a mut Tx,
        _origin: &'a ClockRng,
        _message: &'a ClaimedMessage,
        _reason: &'a str,
    ) -> BoxFuture<'a, Result<()>> {
        ready(Ok(())).boxed()
    }

    /// A person has cancelled the message.
    fn on_cancelled<'a>(
        &'a self,
        _tx: &'a mut Tx,
        _origin: &'a ClockRng,
        _org: OrgId,
        _message: MessageId,
    ) -> BoxFuture<'a, Result<()>> {
        ready(Ok(())).boxed()
    }
}
