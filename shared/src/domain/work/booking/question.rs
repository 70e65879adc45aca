//! The question whether a customer keeps the time that was booked in their name: its messages, and answers by text.

use chrono::{DateTime, Duration, Utc};
use futures::future::BoxFuture;
use uuid::Uuid;

use super::{
    denial,
    request::{ConfirmationSource, confirm_request, find_pending_by_phone, is_slot_taken},
};
use crate::{
    domain::{
        messaging::{
            affirmative_reply::{is_affirmative, is_bare_yes},
            inbound::{PendingQuestion, TextAnswer},
            message::{ALREADY_BOOKED, ClaimedMessage, MessageKind, MessageSubject},
            request_denial::is_request_denied,
        },
        tenancy::org::OrgContext,
    },
    platform::{
        db::{AsConn, Tx, q},
        error::Result,
        id::{JobId, OrgId},
        phone::Phone,
    },
};

/// How long a person who reads the question still answers the text of another business.
const OTHER_TALK_LASTS: Duration = Duration::hours(1);

pub struct BookingQuestion;

impl MessageSubject for BookingQuestion {
    fn message_kinds(&self) -> &'static [MessageKind] {
        &[MessageKind::AutoReply]
    }

    fn why_obsolete<'a>(
        &'a self,
        conn: &'a mut dyn AsConn,
        message: &'a ClaimedMessage,
        about: Uuid,
        now: DateTime<Utc>,
    ) -> BoxFuture<'a, Result<Option<&'static str>>> {
        Box::pin(why_booking_obsolete(conn, message, about, now))
    }
}

async fn why_booking_obsolete(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    about: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<&'static str>> {
    let found = q!(
        conn,
        fetch_optional as (Option<JobId>, DateTime<Utc>),
        "SELECT job_id, expires_at FROM booking_request WHERE org_id = $1 AND id = $2",
        message.org_id,
        about
    )?;
    Ok(match found {
        Some((Some(_), _)) => Some(ALREADY_BOOKED),
        Some((None, expires_at)) if expires_at <= now => Some("the time it asks about is no longer held"),
        _ => None,
    })
}

impl PendingQuestion for BookingQuestion {
    fn is_pending<'a>(
        &'a self,
        conn: &'a mut dyn AsConn,
        org: OrgId,
        phone: &'a Phone,
        now: DateTime<Utc>,
    ) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async move { Ok(find_pending_by_phone(conn, org, phone, now).await?.is_some()) })
    }

    fn take_answer<'a>(
        &'a self,
        tx: &'a mut Tx,
        intake: &'a OrgContext<'a>,
        answer: TextAnswer<'a>,
    ) -> BoxFuture<'a, Result<bool>> {
        Box::pin(confirms_pending_visit(tx, intake, answer))
    }

    fn is_recent<'a>(
        &'a self,
        conn: &'a mut dyn AsConn,
        org: OrgId,
        answer: TextAnswer<'a>,
    ) -> BoxFuture<'a, Result<bool>> {
        Box::pin(denial::is_asked_recently(conn, org, answer))
    }

    fn take_denial<'a>(
        &'a self,
        tx: &'a mut Tx,
        intake: &'a OrgContext<'a>,
        answer: TextAnswer<'a>,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(denial::take_request_denial(tx, intake, answer))
    }
}

/// Where another business wrote to the phone too, only the word that the question asks for answers it, and only once
/// the other's last text is old.
fn is_answer_to_us(answer: TextAnswer<'_>) -> bool {
    answer.other_writer_at.is_none_or(|wrote| wrote < answer.at - OTHER_TALK_LASTS && is_bare_yes(answer.body))
}

/// A text from a number with a visit on hold keeps the visit, unless it declines. A past time stays a request.
async fn confirms_pending_visit(tx: &mut Tx, intake: &OrgContext<'_>, answer: TextAnswer<'_>) -> Result<bool> {
    let org = intake.profile.org.id;
    if !is_affirmative(answer.body) || is_request_denied(answer.body) || !is_answer_to_us(answer) {
        return Ok(false);
    }
    let Some(id) = find_pending_by_phone(&mut *tx, org, answer.phone, answer.at).await? else { return Ok(false) };
    match Box::pin(confirm_request(tx, intake, ConfirmationSource::Text(id))).await {
        Ok(_) => Ok(true),
        Err(e) if is_slot_taken(&e) => Ok(false),
        Err(e) => Err(e),
    }
}
