//! Review requests as follow-ups and as messages.

use futures::future::BoxFuture;
use serde::{
    Deserialize,
    de::{IntoDeserializer, value},
};

use super::{EVENT, on_request_cancelled, on_request_failed, on_request_sent, preview_step, run_step};
use crate::{
    domain::{
        growth::review::rule::ReviewRequestReason,
        messaging::{
            followup::{DueFollowUp, FollowUpDecision, FollowUpRule, FollowUpSubject},
            message::{ClaimedMessage, MessageKind, MessageSubject},
        },
        tenancy::org::OrgContext,
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx},
        error::{Error, Result},
        id::{MessageId, OrgId},
    },
};

pub struct ReviewFollowUps;

impl FollowUpRule for ReviewFollowUps {
    fn subjects(&self) -> &'static [FollowUpSubject] {
        &[FollowUpSubject::Review]
    }

    fn event_name(&self, _due: &DueFollowUp) -> &'static str {
        EVENT
    }

    fn decide_step<'a>(
        &'a self,
        conn: &'a mut dyn AsConn,
        intake: &'a OrgContext<'a>,
        due: &'a DueFollowUp,
    ) -> BoxFuture<'a, Result<FollowUpDecision>> {
        Box::pin(preview_step(conn, intake, due))
    }

    fn run_step<'a>(
        &'a self,
        tx: &'a mut Tx,
        intake: &'a OrgContext<'a>,
        due: &'a DueFollowUp,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(run_step(tx, intake, due))
    }
}

pub struct ReviewMessages;

impl MessageSubject for ReviewMessages {
    fn message_kinds(&self) -> &'static [MessageKind] {
        &[MessageKind::ReviewRequest]
    }

    fn end_reason(&self, stored: &str) -> Result<&'static str> {
        let why = ReviewRequestReason::deserialize(stored.into_deserializer());
        why.map(ReviewRequestReason::reason_clause)
            .map_err(|e: value::Error| Error::Internal(format!("why a review request ended: {e}")))
    }

    fn on_accepted<'a>(
        &'a self,
        tx: &'a mut Tx,
        origin: &'a ClockRng,
        org: OrgId,
        message: MessageId,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(on_request_sent(tx, origin, org, message))
    }

    fn on_failed<'a>(
        &'a self,
        tx: &'a mut Tx,
        origin: &'a ClockRng,
        message: &'a ClaimedMessage,
        reason: &'a str,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(on_request_failed(tx, origin, message, reason))
    }

    fn on_cancelled<'a>(
        &'a self,
        tx: &'a mut Tx,
        origin: &'a ClockRng,
        org: OrgId,
        message: MessageId,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(on_request_cancelled(tx, origin, org, message))
    }
}
