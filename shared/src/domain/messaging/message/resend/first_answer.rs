//! Whether the first answer to a request is still true: the hours that it names, and the answer that it promises.

use chrono::{DateTime, Utc};

use crate::{
    domain::{
        intake::lead::PipelineStage,
        messaging::{
            message::{ClaimedMessage, MessageKind, ResendObstacle},
            response_sla::{PromiseAnswer, RequestAnswers, load_answers_since},
        },
        tenancy::org,
    },
    platform::{
        business_hours::OpenState,
        db::{AsConn, q},
        error::Result,
        id::LeadId,
    },
};

/// A reason, and whether a person may send it all the same.
type AnsweredReason = (&'static str, bool);

const WORK_IS_DONE: AnsweredReason = ("the work is done", false);
const IS_PAID: AnsweredReason = ("it was paid", false);
const INVOICE_SENT: AnsweredReason = ("an invoice was sent", false);
const NO_ANSWER_WANTED: AnsweredReason = ("they want no answer", false);
const ESTIMATE_SENT: AnsweredReason = ("an estimate was sent", false);
const VISIT_BOOKED: AnsweredReason = ("a visit was booked", false);
/// As after a message of a person, which may leave something open.
const NOTED_AS_ANSWERED: AnsweredReason = ("you noted that you have answered", true);
const CALL_ANSWERED: AnsweredReason = ("you answered their call", true);
const NOT_NEW: AnsweredReason = ("the request is no longer new", true);

pub(super) async fn find_request_obstacle(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    now: DateTime<Utc>,
) -> Result<Option<ResendObstacle>> {
    if let Some(obstacle) = find_hours_obstacle(&mut *conn, message, now).await? {
        return Ok(Some(obstacle));
    }
    let Some(lead) = message.lead_id else { return Ok(None) };
    let since = load_answers_since(&mut *conn, message.org_id, lead, message.created_at).await?;
    let is_invoiced = is_invoiced_since(conn, message, lead).await?;
    // An answer to a form is about its lead; a call or a text may be about anything else.
    let stage = message.lead_stage.filter(|_| message.kind == MessageKind::AutoReply);
    Ok(find_answered_reason(&since, is_invoiced, stage).map(|(why, may)| ResendObstacle::with_reason(why, may)))
}

/// What it promises is over once it came; the strongest reason of those that apply.
fn find_answered_reason(
    since: &RequestAnswers,
    is_invoiced: bool,
    stage: Option<PipelineStage>,
) -> Option<AnsweredReason> {
    let has = |answer| since.answers.contains(&answer);
    match stage {
        Some(PipelineStage::Done) => Some(WORK_IS_DONE),
        _ if since.is_work_done => Some(WORK_IS_DONE),
        Some(PipelineStage::Paid) => Some(IS_PAID),
        _ if is_invoiced => Some(INVOICE_SENT),
        _ if has(PromiseAnswer::Waived) => Some(NO_ANSWER_WANTED),
        _ if has(PromiseAnswer::Estimate) => Some(ESTIMATE_SENT),
        _ if has(PromiseAnswer::Visit) => Some(VISIT_BOOKED),
        _ if has(PromiseAnswer::Noted) => Some(NOTED_AS_ANSWERED),
        _ if has(PromiseAnswer::Call) => Some(CALL_ANSWERED),
        Some(PipelineStage::Quoted | PipelineStage::Scheduled) => Some(NOT_NEW),
        Some(PipelineStage::New) | None => None,
    }
}

async fn is_invoiced_since(conn: &mut dyn AsConn, message: &ClaimedMessage, lead: LeadId) -> Result<bool> {
    Ok(q!(
        conn,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM message WHERE org_id = $1 AND lead_id = $2 AND created_at > $3
             AND direction = 'out' AND kind = 'invoice' AND status NOT IN ('failed', 'not_sent'))",
        message.org_id,
        lead,
        message.created_at
    )?)
}

/// The opening named by an answer out of hours is true only until then.
async fn find_hours_obstacle(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    now: DateTime<Utc>,
) -> Result<Option<ResendObstacle>> {
    let Some(business) = org::find(&mut *conn, message.org_id).await? else { return Ok(None) };
    let profile = org::load_profile(&mut *conn, business).await?;
    let (hours, zone) = (&profile.settings.hours, profile.org.zone());
    let is_open = |at| hours.state_at(zone, at) == OpenState::Open;
    Ok(match (is_open(message.created_at), is_open(now)) {
        (true, _) if names_past_reading_time(conn, message, now).await? => {
            Some(ResendObstacle::with_reason("it names a time that is past; write a new one", false))
        }
        (true, _) => None,
        (false, true) => Some(ResendObstacle::with_reason(
            "it says that you are closed, and you are open now; write a new one",
            false,
        )),
        (false, false) if hours.next_open_at(zone, message.created_at) == hours.next_open_at(zone, now) => None,
        (false, false) => Some(ResendObstacle::with_reason("it names an opening that is past; write a new one", false)),
    })
}

/// Whether its promise named when the request is read, and that is over.
async fn names_past_reading_time(conn: &mut dyn AsConn, message: &ClaimedMessage, now: DateTime<Utc>) -> Result<bool> {
    Ok(q!(
        conn,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM message
             WHERE org_id = $1 AND id = $2 AND sla_text LIKE 'after %' AND sla_starts_at <= $3)",
        message.org_id,
        message.id,
        now
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(answers: &[PromiseAnswer], stage: Option<PipelineStage>) -> Option<AnsweredReason> {
        let since = RequestAnswers { answers: answers.iter().copied().collect(), is_work_done: false };
        find_answered_reason(&since, false, stage)
    }

    #[test]
    fn strongest_answer_since_decides_over_repeated_first_answer() {
        use PromiseAnswer::{Call, Estimate, Message, Noted, Visit, Waived};
        let new = Some(PipelineStage::New);
        let table: [(&[PromiseAnswer], Option<PipelineStage>, Option<AnsweredReason>); 12] = [
            (&[], new, None),
            (&[], None, None),
            // The words of a person are asked about for every kind of message.
            (&[Message], new, None),
            (&[Noted, Call], new, Some(NOTED_AS_ANSWERED)),
            (&[Call], None, Some(CALL_ANSWERED)),
            (&[Noted, Visit, Estimate], new, Some(ESTIMATE_SENT)),
            (&[Visit], None, Some(VISIT_BOOKED)),
            (&[Waived, Estimate], new, Some(NO_ANSWER_WANTED)),
            (&[], Some(PipelineStage::Quoted), Some(NOT_NEW)),
            (&[], Some(PipelineStage::Scheduled), Some(NOT_NEW)),
            (&[], Some(PipelineStage::Done), Some(WORK_IS_DONE)),
            (&[Estimate], Some(PipelineStage::Paid), Some(IS_PAID)),
        ];
        for (answers, stage, wanted) in table {
            assert_eq!(reason(answers, stage), wanted, "{answers:?} {stage:?}");
        }
        let done = RequestAnswers { answers: [Estimate].into(), is_work_done: true };
        assert_eq!(find_answered_reason(&done, true, new), Some(WORK_IS_DONE));
        let invoiced = RequestAnswers { answers: [Visit].into(), is_work_done: false };
        assert_eq!(find_answered_reason(&invoiced, true, None), Some(INVOICE_SENT));
    }
}
