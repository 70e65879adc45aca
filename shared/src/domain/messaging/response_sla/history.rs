//! What happened to a lead that answers its promises, and whether an answer is owed at all.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::{Answer, By};
use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::{LeadId, OrgId, PromiseId},
};

/// Something that happened to a lead: an answer, or a promise that was lost.
#[derive(FromRow)]
struct Happened {
    what: String,
    at: DateTime<Utc>,
    promise_id: Option<PromiseId>,
}

/// What answers the promises of a lead, and which of them never arrived. A person's answers are those of the figures
/// (`metrics/load/lead.rs`). A visit that was booked was an answer also where it is called off days later: only what was
/// taken back within its minute never was one.
pub(super) async fn history(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
) -> Result<(Vec<Answer>, BTreeSet<PromiseId>)> {
    let happened = q!(
        conn,
        fetch_all as Happened,
        "SELECT CASE WHEN m.kind = 'manual' THEN 'message' ELSE 'estimate' END AS what, m.sent_at AS at,
             CAST(NULL AS UUID) AS promise_id FROM message m
         WHERE m.org_id = $1 AND m.lead_id = $2 AND m.direction = 'out' AND m.status IN ('sent', 'delivered')
             AND m.sent_at IS NOT NULL AND m.kind IN ('manual', 'estimate', 'change_order')
         UNION ALL SELECT 'call', c.accepted_at, NULL FROM lead l
             JOIN call c ON c.org_id = l.org_id AND c.customer_id = l.customer_id
         WHERE l.org_id = $1 AND l.id = $2 AND c.accepted_at IS NOT NULL
         UNION ALL SELECT CASE e.kind WHEN 'answered' THEN 'noted' WHEN 'answer_waived' THEN 'waived' ELSE 'visit' END,
             e.at, NULL FROM work_event e
         WHERE e.org_id = $1 AND e.lead_id = $2 AND e.undone_at IS NULL
             AND e.kind IN ('answered', 'answer_waived', 'job_scheduled', 'booked')
         UNION ALL SELECT 'lost', p.made_at, p.id FROM promise p
             JOIN message m ON m.org_id = p.org_id AND m.id = p.message_id
         WHERE p.org_id = $1 AND p.lead_id = $2 AND m.status NOT IN ('sent', 'delivered')",
        org,
        lead
    )?;
    let lost = happened.iter().filter_map(|happened| happened.promise_id).collect();
    let answers = happened.iter().filter_map(|happened| Some(Answer { at: happened.at, by: by(&happened.what)? }));
    Ok((answers.collect(), lost))
}

fn by(what: &str) -> Option<By> {
    Some(match what {
        "message" => By::Message,
        "estimate" => By::Estimate,
        "call" => By::Call,
        "visit" => By::Visit,
        "noted" => By::Noted,
        "waived" => By::Waived,
        _ => return None,
    })
}

/// Whether an answer is owed at all: not while it is held, not once the work is done or paid, and not to who is blocked or
/// one of ours. STOP ends it only for those who can be answered by text alone: whoever called or texted, and has left no
/// email. A quote that was asked for by a form may still come by email or on the telephone.
pub(super) async fn is_owed(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM lead l JOIN customer c ON c.org_id = l.org_id AND c.id = l.customer_id
         WHERE l.org_id = $1 AND l.id = $2 AND l.held_reason IS NULL AND l.stage IN ('new', 'quoted', 'scheduled')
             AND NOT c.is_blocked AND NOT c.is_staff
             AND NOT (l.form IN ('call', 'text') AND l.email IS NULL AND c.email IS NULL
                 AND EXISTS (SELECT 1 FROM customer_key k JOIN opt_out o ON o.org_id = k.org_id AND o.address = k.value
                     WHERE k.org_id = l.org_id AND k.customer_id = l.customer_id AND k.kind = 'phone'
                         AND o.channel = 'sms' AND o.state = 'stopped')))";
    Ok(q!(conn, fetch_one scalar bool, sql, org, lead)?)
}
