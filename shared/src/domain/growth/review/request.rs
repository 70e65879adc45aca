//! "Request Review": a person has a customer asked now. It is the same request as everybody gets, with the same rules;
//! only that half a year must lie between two of them an owner may put aside.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    ask::{self, Ask, New},
    report::sentence,
    rule::{Cause, State, Turn, Why},
    sequence::{self, Outcome},
};
use crate::{
    domain::{
        intake::lead::Intake,
        messaging::{
            automation, followup,
            message::{
                Channel,
                outlook::{self, Outlook},
            },
            reminder::shown,
        },
        work::{activity::Doer, pipeline},
    },
    platform::{
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{CustomerId, JobId, LeadId, ReviewAskId},
    },
};

/// Each look moves to the next hour at which it may go.
const MOST_LOOKS: usize = 5;
const UNDER_WAY: &str = "They are being asked right now.";

/// Of what somebody asks: a request, or a job.
#[derive(Clone, Copy, Debug)]
pub enum About {
    Lead(LeadId),
    Job(JobId),
}

/// What would go out if somebody pressed now.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReviewRequestPreview)]
pub struct Preview {
    pub can_ask: bool,
    /// They were asked within half a year: only an owner may have them asked again.
    pub needs_override: bool,
    pub channel: Option<Channel>,
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
}

/// A request that is on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReviewRequested)]
pub struct Requested {
    pub ask_id: ReviewAskId,
    pub channel: Channel,
    /// As people write it.
    pub to: String,
    pub at: DateTime<Utc>,
    pub customer_name: String,
    /// What becomes of it, as the gate decides now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outlook: Option<Outlook>,
}

/// Whom it is about.
#[derive(Clone, Debug, FromRow)]
struct Whom {
    lead_id: LeadId,
    customer_id: CustomerId,
    name: String,
    job_id: Option<JobId>,
}

/// The work of a lead: the job that was done last, else the last one that was not called off.
async fn whom(conn: &mut dyn AsConn, intake: &Intake<'_>, about: About) -> Result<Whom> {
    let org = intake.profile.org.id;
    let found = match about {
        About::Job(job) => q!(
            conn,
            fetch_optional as Whom,
            "SELECT j.lead_id, l.customer_id, l.name, j.id AS job_id FROM job j
             JOIN lead l ON l.org_id = j.org_id AND l.id = j.lead_id WHERE j.org_id = $1 AND j.id = $2",
            org,
            job
        )?,
        About::Lead(lead) => q!(
            conn,
            fetch_optional as Whom,
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

/// What pressing comes to.
struct Verdict {
    whom: Whom,
    /// The one that waits for its time already.
    waiting: Option<ReviewAskId>,
    outcome: Result<Planned, (Why, Option<String>)>,
}

struct Planned {
    at: DateTime<Utc>,
    decision: automation::Decision,
}

async fn judge(conn: &mut dyn AsConn, intake: &Intake<'_>, about: About, is_override: bool) -> Result<Verdict> {
    let org = intake.profile.org.id;
    let whom = whom(&mut *conn, intake, about).await?;
    let under_way = ask::under_way(&mut *conn, org, whom.customer_id).await?;
    let waiting = under_way.into_iter().find(|ask| ask.state == State::Waiting);
    if waiting.as_ref().is_some_and(|ask| ask.begun_at.is_some()) {
        return Err(Error::Conflict(UNDER_WAY));
    }
    let now = intake.origin.now();
    let id = waiting.as_ref().map(|ask| ask.id);
    let ask = Ask {
        id: id.unwrap_or(ReviewAskId(Uuid::nil())),
        customer_id: whom.customer_id,
        lead_id: waiting.as_ref().map_or(whom.lead_id, |ask| ask.lead_id),
        job_id: waiting.as_ref().map_or(whom.job_id, |ask| ask.job_id),
        cause: Cause::ByHand,
        state: State::Waiting,
        is_override,
        begun_at: None,
        asked_at: None,
        channel: None,
        no_text_why: waiting.as_ref().and_then(|ask| ask.no_text_why.clone()),
        household: waiting.as_ref().and_then(|ask| ask.household.clone()),
        created_at: now,
    };
    let outcome = foresee(conn, intake, &ask, now).await?;
    Ok(Verdict { whom, waiting: id, outcome })
}

/// When it would go, and with which words.
async fn foresee(
    conn: &mut dyn AsConn,
    intake: &Intake<'_>,
    ask: &Ask,
    now: DateTime<Utc>,
) -> Result<Result<Planned, (Why, Option<String>)>> {
    let mut at = now;
    for _ in 0..MOST_LOOKS {
        match sequence::decide(&mut *conn, intake, ask, Turn::First, "by hand", at).await? {
            Outcome::Say(decision) => return Ok(Ok(Planned { at, decision: *decision })),
            Outcome::Not(why, detail) => return Ok(Err((why, detail))),
            Outcome::Later(later, _) => at = later,
            Outcome::Unpaid | Outcome::Pass(_) => break,
        }
    }
    Ok(Err((Why::NoContact, None)))
}

/// What pressing would do. Nothing is sent.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such lead or job.
pub async fn preview(conn: &mut dyn AsConn, intake: &Intake<'_>, about: About) -> Result<Preview> {
    let found = whom(&mut *conn, intake, about).await?;
    let last_asked_at = last_asked(&mut *conn, intake, found.customer_id).await?;
    let nothing = |why: String| Preview {
        can_ask: false,
        needs_override: false,
        channel: None,
        to: None,
        text: None,
        at: None,
        follow_ups: Vec::new(),
        why,
        last_asked_at,
    };
    let verdict = match judge(&mut *conn, intake, about, false).await {
        Err(Error::Conflict(why)) => return Ok(nothing(why.to_owned())),
        other => other?,
    };
    match verdict.outcome {
        Ok(planned) => Ok(Preview { can_ask: true, ..shown_as(intake, &planned, nothing(will(&planned, intake))) }),
        Err((Why::AskedBefore, _)) => {
            let again = judge(conn, intake, about, true).await?;
            let why = format!("{}.", Why::AskedBefore.sentence());
            Ok(match again.outcome {
                Ok(planned) => Preview { needs_override: true, ..shown_as(intake, &planned, nothing(why)) },
                Err((why, detail)) => nothing(format!("{}.", sentence(why, detail.as_deref()))),
            })
        }
        Err((why, detail)) => Ok(nothing(format!("{}.", sentence(why, detail.as_deref())))),
    }
}

fn shown_as(intake: &Intake<'_>, planned: &Planned, preview: Preview) -> Preview {
    let draft = planned.decision.message.as_ref();
    let is_followed = intake.profile.settings.reviews.follow_ups;
    let again = Turn::AFTER.iter().filter(|_| is_followed).map(|(_, after)| planned.at + *after);
    Preview {
        channel: draft.map(|draft| draft.channel),
        to: draft.map(|draft| shown(draft.channel, &draft.to)),
        text: draft.map(|draft| draft.body.clone()),
        at: Some(planned.at),
        follow_ups: again.collect(),
        ..preview
    }
}

fn will(planned: &Planned, intake: &Intake<'_>) -> String {
    if planned.at <= intake.origin.now() {
        return "It goes out now.".to_owned();
    }
    let local = planned.at.with_timezone(&intake.profile.org.zone());
    format!("It goes out on {}, the next hour at which they may be asked.", local.format("%a, %b %-d, at %-I:%M %p"))
}

async fn last_asked(conn: &mut dyn AsConn, intake: &Intake<'_>, customer: CustomerId) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT MAX(asked_at) FROM review_ask WHERE org_id = $1 AND customer_id = $2";
    Ok(q!(conn, fetch_one scalar Option<DateTime<Utc>>, sql, intake.profile.org.id, customer)?)
}

/// Has them asked: now, or at the next decent hour. One that waits for its time already is brought forward.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] and [`Error::Clash`] with why they cannot be asked.
pub async fn request(
    tx: &mut Tx,
    intake: &Intake<'_>,
    about: About,
    is_override: bool,
    by: &Doer,
) -> Result<Requested> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let lead = whom(&mut *tx, intake, about).await?.lead_id;
    pipeline::hold(&mut *tx, org, lead).await?;
    let Verdict { whom, waiting, outcome } = judge(&mut *tx, intake, about, is_override).await?;
    let refused = |(why, detail): (Why, Option<String>)| Error::Clash(format!("{}.", sentence(why, detail.as_deref())));
    let planned = outcome.map_err(refused)?;
    let draft = planned.decision.message.as_ref();
    let draft = draft.ok_or_else(|| Error::Clash(format!("It cannot be sent: {}.", planned.decision.reason)))?;
    let id = if let Some(id) = waiting {
        followup::stop(&mut *tx, origin, org, id.0, "somebody had them asked now", None).await?;
        let sql = "UPDATE review_ask SET cause = $3, is_override = $4, account_id = $5 WHERE org_id = $1 AND id = $2";
        q!(&mut *tx, execute, sql, org, id, Cause::ByHand, is_override, by.account())?;
        id
    } else {
        let new = New {
            customer: whom.customer_id,
            lead: whom.lead_id,
            job: whom.job_id,
            cause: Cause::ByHand,
            event: None,
            by: by.account(),
            is_override,
        };
        ask::insert(&mut *tx, origin, org, &new).await?
    };
    ask::plan(&mut *tx, origin, intake.profile, id, origin.now(), None).await?;
    let way = (draft.channel, draft.to.as_str());
    let outlook = outlook::planned(tx, intake, way, planned.at).await?;
    Ok(Requested {
        ask_id: id,
        channel: draft.channel,
        to: shown(draft.channel, &draft.to),
        at: planned.at,
        customer_name: whom.name,
        outlook: Some(outlook),
    })
}
