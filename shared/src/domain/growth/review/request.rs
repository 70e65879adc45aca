//! "Request Review": a person starts a review request now, with the same words and rules. Only an owner may override
//! the half year between two requests.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    own_phone::find_own_phone_text,
    report::format_reason,
    request_lifecycle::{self, NewReviewRequest, ReviewRequest},
    rule::{ReviewRequestCause, ReviewRequestReason, ReviewRequestState, ReviewSequenceStep},
    sequence::{self, StepOutcome},
};
use crate::{
    conflicts::{ConflictCode, ConflictReason},
    domain::{
        messaging::{
            automation, followup,
            message::{self, MessageChannel, OwnPhoneText, SendOutlook},
        },
        money::reminder::format_recipient,
        tenancy::{activity_log::ActivityActor, org::OrgContext},
        work::pipeline,
    },
    platform::{
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{CustomerId, JobId, LeadId, ReviewRequestId},
    },
};

/// Each look moves to the next permitted hour.
const MOST_LOOKS: usize = 5;

#[derive(Clone, Copy, Debug)]
pub enum ReviewTarget {
    Lead(LeadId),
    Job(JobId),
}

/// Preview of the message that would be sent now.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewRequestPreview {
    pub can_ask: bool,
    /// They were asked within half a year: only an owner may have them asked again.
    pub needs_override: bool,
    pub channel: Option<MessageChannel>,
    /// As people write it.
    pub to: Option<String>,
    pub text: Option<String>,
    /// When it leaves: now, or the next hour at which they may be asked.
    pub at: Option<DateTime<Utc>>,
    /// When they would be asked again if nothing happens.
    pub follow_ups: Vec<DateTime<Utc>>,
    /// What happens, or why nothing does; a sentence.
    pub why: String,
    pub last_asked_at: Option<DateTime<Utc>>,
    /// The request for one's own phone, where only the set-up of texting stops it.
    pub own_phone: Option<OwnPhoneText>,
}

/// A request that is on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReviewRequested)]
pub struct QueuedReviewRequest {
    pub ask_id: ReviewRequestId,
    pub channel: MessageChannel,
    /// As people write it.
    pub to: String,
    pub at: DateTime<Utc>,
    pub customer_name: String,
    /// Whether it leaves, is held or is stopped, as the send policy decides now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outlook: Option<SendOutlook>,
}

#[derive(Clone, Debug, FromRow)]
struct RequestRecipient {
    lead_id: LeadId,
    customer_id: CustomerId,
    name: String,
    job_id: Option<JobId>,
}

/// Job of a lead: the last completed one, else the last that was not cancelled.
async fn find_recipient(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    about: ReviewTarget,
) -> Result<RequestRecipient> {
    let org = intake.profile.org.id;
    let found = match about {
        ReviewTarget::Job(job) => q!(
            conn,
            fetch_optional as RequestRecipient,
            "SELECT j.lead_id, l.customer_id, l.name, j.id AS job_id FROM job j
             JOIN lead l ON l.org_id = j.org_id AND l.id = j.lead_id WHERE j.org_id = $1 AND j.id = $2",
            org,
            job
        )?,
        ReviewTarget::Lead(lead) => q!(
            conn,
            fetch_optional as RequestRecipient,
            "SELECT l.id AS lead_id, l.customer_id, l.name,
                 (SELECT j.id FROM job j WHERE j.org_id = l.org_id AND j.lead_id = l.id AND j.status <> 'cancelled'
                  ORDER BY CASE WHEN j.status = 'completed' THEN 0 ELSE 1 END, j.listed_at DESC, j.id DESC LIMIT 1) AS job_id
             FROM lead l WHERE l.org_id = $1 AND l.id = $2",
            org,
            lead
        )?,
    };
    found.ok_or(Error::NotFound)
}

struct RequestAssessment {
    whom: RequestRecipient,
    waiting: Option<ReviewRequestId>,
    outcome: Result<PlannedRequest, (ReviewRequestReason, Option<String>)>,
}

struct PlannedRequest {
    at: DateTime<Utc>,
    decision: automation::RuleDecision,
}

async fn assess_request(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    about: ReviewTarget,
    is_override: bool,
) -> Result<RequestAssessment> {
    let org = intake.profile.org.id;
    let whom = find_recipient(&mut *conn, intake, about).await?;
    let under_way = request_lifecycle::list_open_requests(&mut *conn, org, whom.customer_id).await?;
    let waiting = under_way.into_iter().find(|ask| ask.state == ReviewRequestState::Waiting);
    if waiting.as_ref().is_some_and(|ask| ask.begun_at.is_some()) {
        return Err(ConflictCode::ReviewRequestUnderWay.into_error());
    }
    let now = intake.origin.now();
    let id = waiting.as_ref().map(|ask| ask.id);
    let ask = ReviewRequest {
        id: id.unwrap_or(ReviewRequestId(Uuid::nil())),
        customer_id: whom.customer_id,
        lead_id: waiting.as_ref().map_or(whom.lead_id, |ask| ask.lead_id),
        job_id: waiting.as_ref().map_or(whom.job_id, |ask| ask.job_id),
        cause: ReviewRequestCause::ByHand,
        state: ReviewRequestState::Waiting,
        is_override,
        begun_at: None,
        asked_at: None,
        channel: None,
        sms_stop_reason: waiting.as_ref().and_then(|ask| ask.sms_stop_reason.clone()),
        household: waiting.as_ref().and_then(|ask| ask.household.clone()),
        created_at: now,
    };
    let outcome = find_send_time(conn, intake, &ask, now).await?;
    Ok(RequestAssessment { whom, waiting: id, outcome })
}

async fn find_send_time(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    ask: &ReviewRequest,
    now: DateTime<Utc>,
) -> Result<Result<PlannedRequest, (ReviewRequestReason, Option<String>)>> {
    let mut at = now;
    for _ in 0..MOST_LOOKS {
        match sequence::decide_step(&mut *conn, intake, ask, ReviewSequenceStep::First, "by_hand", at).await? {
            StepOutcome::Send(decision) => return Ok(Ok(PlannedRequest { at, decision: *decision })),
            StepOutcome::Reject(why, detail) => return Ok(Err((why, detail))),
            StepOutcome::Defer(later, _) => at = later,
            StepOutcome::AwaitPayment | StepOutcome::Skip(_) => break,
        }
    }
    Ok(Err((ReviewRequestReason::NoContact, None)))
}

pub async fn preview_request(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    about: ReviewTarget,
) -> Result<ReviewRequestPreview> {
    let found = find_recipient(&mut *conn, intake, about).await?;
    let last_asked_at = find_last_asked_at(&mut *conn, intake, found.customer_id).await?;
    let nothing = |why: String| ReviewRequestPreview {
        can_ask: false,
        needs_override: false,
        channel: None,
        to: None,
        text: None,
        at: None,
        follow_ups: Vec::new(),
        why,
        last_asked_at,
        own_phone: None,
    };
    let verdict = match assess_request(&mut *conn, intake, about, false).await {
        Err(Error::Conflict(why)) => return Ok(nothing(why.to_string())),
        other => other?,
    };
    match verdict.outcome {
        Ok(planned) => Ok(ReviewRequestPreview {
            can_ask: true,
            ..fill_preview(intake, &planned, nothing(describe_send_time(&planned, intake)))
        }),
        Err((ReviewRequestReason::AskedBefore, _)) => {
            let again = assess_request(conn, intake, about, true).await?;
            let why = format!("{}.", ReviewRequestReason::AskedBefore.reason_sentence());
            Ok(match again.outcome {
                Ok(planned) => {
                    ReviewRequestPreview { needs_override: true, ..fill_preview(intake, &planned, nothing(why)) }
                }
                Err((why, detail)) => nothing(format!("{}.", format_reason(why, detail.as_deref()))),
            })
        }
        Err((why, detail)) => {
            let no_channel = matches!(why, ReviewRequestReason::NoContact | ReviewRequestReason::NoPostalAddress);
            let own_phone =
                if no_channel { find_own_phone_text(conn, intake, verdict.whom.lead_id).await? } else { None };
            let refused = nothing(format!("{}.", format_reason(why, detail.as_deref())));
            Ok(ReviewRequestPreview { own_phone, ..refused })
        }
    }
}

fn fill_preview(
    intake: &OrgContext<'_>,
    planned: &PlannedRequest,
    preview: ReviewRequestPreview,
) -> ReviewRequestPreview {
    let draft = planned.decision.message.as_ref();
    let is_followed = intake.profile.settings.reviews.follow_ups;
    let again = ReviewSequenceStep::AFTER.iter().filter(|_| is_followed).map(|(_, after)| planned.at + *after);
    ReviewRequestPreview {
        channel: draft.map(automation::MessageDraft::channel),
        to: draft.map(|draft| format_recipient(&draft.to)),
        text: draft.map(|draft| draft.body.clone()),
        at: Some(planned.at),
        follow_ups: again.collect(),
        ..preview
    }
}

fn describe_send_time(planned: &PlannedRequest, intake: &OrgContext<'_>) -> String {
    if planned.at <= intake.origin.now() {
        return "It goes out now.".to_owned();
    }
    let local = planned.at.with_timezone(&intake.profile.org.zone());
    format!("It goes out on {}, the next hour at which they may be asked.", local.format("%a, %b %-d, at %-I:%M %p"))
}

async fn find_last_asked_at(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    customer: CustomerId,
) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT MAX(asked_at) FROM review_request WHERE org_id = $1 AND customer_id = $2";
    Ok(q!(conn, fetch_one scalar Option<DateTime<Utc>>, sql, intake.profile.org.id, customer)?)
}

/// Sends a request now or at the next permitted hour; one that waits is brought forward.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] with why they cannot be asked.
pub async fn request_review(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    about: ReviewTarget,
    is_override: bool,
    by: &ActivityActor,
) -> Result<QueuedReviewRequest> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let lead = find_recipient(&mut *tx, intake, about).await?.lead_id;
    pipeline::lock_stage(&mut *tx, org, lead).await?;
    let RequestAssessment { whom, waiting, outcome } = assess_request(&mut *tx, intake, about, is_override).await?;
    let refused = |(why, detail): (ReviewRequestReason, Option<String>)| {
        Error::from(ConflictReason::review_not_askable(&format_reason(why, detail.as_deref())))
    };
    let planned = outcome.map_err(refused)?;
    let draft = planned.decision.message.as_ref();
    let draft = draft.ok_or_else(|| ConflictReason::review_request_not_sendable(&planned.decision.reason))?;
    let id = if let Some(id) = waiting {
        followup::cancel_plans(&mut *tx, origin, org, id.0, "someone had them asked now", None).await?;
        let sql =
            "UPDATE review_request SET cause = $3, is_override = $4, account_id = $5 WHERE org_id = $1 AND id = $2";
        q!(&mut *tx, execute, sql, org, id, ReviewRequestCause::ByHand, is_override, by.account_id())?;
        id
    } else {
        let new = NewReviewRequest {
            customer: whom.customer_id,
            lead: whom.lead_id,
            job: whom.job_id,
            cause: ReviewRequestCause::ByHand,
            event: None,
            by: by.account_id(),
            is_override,
        };
        request_lifecycle::insert_request(&mut *tx, origin, org, &new).await?
    };
    request_lifecycle::schedule_first_step(&mut *tx, origin, intake.profile, id, origin.now(), None).await?;
    let outlook = message::planned_message_outlook(tx, intake, &draft.to, planned.at).await?;
    Ok(QueuedReviewRequest {
        ask_id: id,
        channel: draft.channel(),
        to: format_recipient(&draft.to),
        at: planned.at,
        customer_name: whom.name,
        outlook: Some(outlook),
    })
}
