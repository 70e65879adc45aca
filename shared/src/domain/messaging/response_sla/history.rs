//! Events of a lead that answer its promises, and whether an answer is owed at all.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::{AnswerEvent, PromiseAnswer};
use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::{LeadId, OrgId, SlaId},
};

/// Something that happened to a lead: an answer, the end of its work, or a promise that was lost.
#[derive(FromRow)]
struct PromiseEventRow {
    what: String,
    at: DateTime<Utc>,
    promise_id: Option<SlaId>,
}

/// What decides on the promises of a lead.
pub(super) struct PromiseHistory {
    pub answers: Vec<AnswerEvent>,
    pub lost: BTreeSet<SlaId>,
    /// When its work was last done.
    pub done_at: Option<DateTime<Utc>>,
}

/// What became of a request since one moment.
pub(crate) struct RequestAnswers {
    pub answers: BTreeSet<PromiseAnswer>,
    pub is_work_done: bool,
}

pub(crate) async fn load_answers_since(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    since: DateTime<Utc>,
) -> Result<RequestAnswers> {
    let history = load_promise_history(conn, org, lead).await?;
    Ok(RequestAnswers {
        answers: history.answers.iter().filter(|answer| answer.at > since).map(|answer| answer.by).collect(),
        is_work_done: history.done_at.is_some_and(|at| at > since),
    })
}

/// Answers to a lead's promises, as the figures count them (`metrics/load/lead.rs`), and the promises that never
/// arrived. A booked visit is an answer even if it is cancelled days later, unless it was undone within its minute.
pub(super) async fn load_promise_history(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<PromiseHistory> {
    let happened = q!(
        conn,
        fetch_all as PromiseEventRow,
        "SELECT CASE WHEN m.kind = 'manual' THEN 'message' ELSE 'estimate' END AS what, m.sent_at AS at,
             CAST(NULL AS UUID) AS promise_id FROM message m
         WHERE m.org_id = $1 AND m.lead_id = $2 AND m.direction = 'out' AND m.status IN ('sent', 'delivered')
             AND m.sent_at IS NOT NULL AND m.kind IN ('manual', 'estimate', 'change_order')
         UNION ALL SELECT 'call', c.accepted_at, NULL FROM lead l
             JOIN call c ON c.org_id = l.org_id AND c.customer_id = l.customer_id
         WHERE l.org_id = $1 AND l.id = $2 AND c.accepted_at IS NOT NULL
         UNION ALL SELECT CASE e.kind WHEN 'answered' THEN 'noted' WHEN 'answer_waived' THEN 'waived'
             WHEN 'completed' THEN 'done' ELSE 'visit' END, e.at, NULL FROM work_event e
         WHERE e.org_id = $1 AND e.lead_id = $2 AND e.undone_at IS NULL
             AND e.kind IN ('answered', 'answer_waived', 'job_scheduled', 'booked', 'completed')
         UNION ALL SELECT 'lost', p.made_at, p.id FROM sla p
             JOIN message m ON m.org_id = p.org_id AND m.id = p.message_id
         WHERE p.org_id = $1 AND p.lead_id = $2 AND m.status NOT IN ('sent', 'delivered')",
        org,
        lead
    )?;
    let lost = happened.iter().filter_map(|happened| happened.promise_id).collect();
    let answers = happened
        .iter()
        .filter_map(|happened| Some(AnswerEvent { at: happened.at, by: parse_answer_kind(&happened.what)? }));
    let done_at = happened.iter().filter(|happened| happened.what == "done").map(|happened| happened.at).max();
    Ok(PromiseHistory { answers: answers.collect(), lost, done_at })
}

fn parse_answer_kind(what: &str) -> Option<PromiseAnswer> {
    Some(match what {
        "message" => PromiseAnswer::Message,
        "estimate" => PromiseAnswer::Estimate,
        "call" => PromiseAnswer::Call,
        "visit" => PromiseAnswer::Visit,
        "noted" => PromiseAnswer::Noted,
        "waived" => PromiseAnswer::Waived,
        _ => return None,
    })
}

/// No answer is owed while the request is held, once the work is done or paid, and to a blocked customer or staff. A
/// customer who called or texted after the work was done is owed one again. STOP ends it only for customers who can be
/// answered by text alone: they called or texted, and left no email. A quote requested by a form may still come by email
/// or telephone.
pub(super) async fn is_answer_owed(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    done_at: Option<DateTime<Utc>>,
) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM lead l JOIN customer c ON c.org_id = l.org_id AND c.id = l.customer_id
         WHERE l.org_id = $1 AND l.id = $2 AND l.held_reason IS NULL
             AND (l.stage IN ('new', 'quoted', 'scheduled') OR l.last_touch_at > $3)
             AND NOT c.is_blocked AND NOT c.is_staff
             AND NOT (l.form IN ('call', 'text') AND l.email IS NULL AND c.email IS NULL
                 AND EXISTS (SELECT 1 FROM customer_key k JOIN opt_out o ON o.org_id = k.org_id AND o.address = k.value
                     WHERE k.org_id = l.org_id AND k.customer_id = l.customer_id AND k.kind = 'phone'
                         AND o.channel = 'sms' AND o.state = 'stopped')))";
    Ok(q!(conn, fetch_one scalar bool, sql, org, lead, done_at)?)
}
