//! Current or recent jobs of a customer: a text or a missed call then belongs to the job's conversation and is not a
//! new lead.

use chrono::{DateTime, Duration, Utc};

use super::store::OpenLead;
use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::{CustomerId, LeadId, OrgId},
};

/// Texts and calls within this time after a job ended belong to it.
const AFTERWARDS: Duration = Duration::days(7);

/// The lead of the customer's job that is running or ended within seven days.
pub(crate) async fn find_active_job_lead(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    now: DateTime<Utc>,
) -> Result<Option<OpenLead>> {
    find_job_lead(conn, org, customer, now - AFTERWARDS, None).await
}

/// The lead that a text or a call belongs to before the customer's `open` one: that of the job that is running, has its
/// visit within a day, or ended within seven days. A request made after the job ended comes before that job.
pub(super) async fn find_preferred_job_lead(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    open: Option<&OpenLead>,
    now: DateTime<Utc>,
) -> Result<Option<OpenLead>> {
    let ended_since = now - AFTERWARDS;
    let ended_since = open.map_or(ended_since, |lead| lead.created_at.max(ended_since));
    find_job_lead(conn, org, customer, ended_since, Some(now)).await
}

async fn find_job_lead(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    ended_since: DateTime<Utc>,
    visit_near: Option<DateTime<Utc>>,
) -> Result<Option<OpenLead>> {
    Ok(q!(
        conn,
        fetch_optional as OpenLead,
        "SELECT l.id, l.form, l.held_reason, l.email, l.created_at FROM job j
             JOIN lead l ON l.org_id = j.org_id AND l.id = j.lead_id
         WHERE j.org_id = $1 AND j.customer_id = $2
             AND (j.status = 'in_progress' OR (j.status = 'completed' AND j.completed_at >= $3)
                 OR (j.status = 'scheduled' AND j.starts_at >= $4 AND j.starts_at <= $5))
         ORDER BY CASE j.status WHEN 'in_progress' THEN 0 WHEN 'scheduled' THEN 1 ELSE 2 END,
             j.completed_at DESC, j.listed_at DESC LIMIT 1",
        org,
        customer,
        ended_since,
        visit_near.map(|now| now - Duration::days(1)),
        visit_near.map(|now| now + Duration::days(1))
    )?)
}

/// Whether a job is running, ended within seven days, or has its visit within a day.
pub(crate) async fn has_active_job(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    now: DateTime<Utc>,
) -> Result<bool> {
    Ok(q!(
        conn,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM job WHERE org_id = $1 AND customer_id = $2 AND (status = 'in_progress'
             OR (status = 'completed' AND completed_at >= $3)
             OR (status = 'scheduled' AND starts_at >= $4 AND starts_at <= $5)))",
        org,
        customer,
        now - AFTERWARDS,
        now - Duration::days(1),
        now + Duration::days(1)
    )?)
}

/// The lead for a thank-you: that of the running or recent job, else of the next visit. None while a person of the
/// business waits for an answer ([`has_unanswered_question`]): then even an "ok" matters.
pub(crate) async fn find_thank_you_lead(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    now: DateTime<Utc>,
) -> Result<Option<LeadId>> {
    if has_unanswered_question(&mut *conn, org, customer, now).await? {
        return Ok(None);
    }
    if let Some(lead) = find_active_job_lead(&mut *conn, org, customer, now).await? {
        return Ok(Some(lead.id));
    }
    let next = "SELECT lead_id FROM job WHERE org_id = $1 AND customer_id = $2 AND status = 'scheduled'
         AND starts_at >= $3 ORDER BY starts_at LIMIT 1";
    Ok(q!(conn, fetch_optional scalar LeadId, next, org, customer, now - Duration::days(1))?)
}

/// Whether the business asked a question after which the customer has neither written nor called. Later messages by
/// rules or the business do not answer it; a question still scheduled does not count.
async fn has_unanswered_question(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    now: DateTime<Utc>,
) -> Result<bool> {
    let sql = "SELECT m.body FROM message m
         WHERE m.org_id = $1 AND m.customer_id = $2 AND m.direction = 'out' AND m.kind = 'manual'
             AND m.status NOT IN ('not_sent', 'failed')
             AND NOT (m.status IN ('queued', 'held') AND m.next_attempt_at > $3)
             AND NOT EXISTS (SELECT 1 FROM message i WHERE i.org_id = m.org_id AND i.customer_id = m.customer_id
                 AND i.direction = 'in' AND i.created_at > COALESCE(m.sent_at, m.created_at))
             AND NOT EXISTS (SELECT 1 FROM call c WHERE c.org_id = m.org_id AND c.customer_id = m.customer_id
                 AND c.status = 'answered' AND COALESCE(c.accepted_at, c.started_at) > COALESCE(m.sent_at, m.created_at))";
    let unanswered = q!(conn, fetch_all scalar String, sql, org, customer, now)?;
    Ok(unanswered.iter().any(|body| asks_for_answer(body)))
}

/// Phrases of the business that ask without a question mark.
const ASKING: [&str; 26] = [
    "let me know",
    "let us know",
    "lmk",
    "tell me",
    "tell us",
    "text me",
    "text us",
    "text back",
    "please reply",
    "reply with",
    "please confirm",
    "choose",
    "pick ",
    "which ",
    "would you",
    "could you",
    "can you",
    "do you",
    "are you",
    "will you",
    " or ",
    "av\u{ed}se",
    "avise",
    "d\u{ed}ga",
    "conf\u{ed}rm",
    " o ",
];

fn asks_for_answer(body: &str) -> bool {
    let plain = body.to_lowercase();
    plain.contains(['?', '\u{ff1f}']) || ASKING.iter().any(|phrase| plain.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::asks_for_answer;

    #[test]
    fn request_for_answer_needs_no_question_mark() {
        for body in [
            "We can come Thursday 9 or Friday 2, let me know",
            "Please confirm the time.",
            "Text us the gate code",
            "Av\u{ed}senos si le queda bien",
            "Can you be there at nine",
            "Shall we come at four instead?",
        ] {
            assert!(asks_for_answer(body), "{body}");
        }
        for body in ["See you at two.", "The van is long.", "We are on our way.", "Nos vemos ma\u{f1}ana"] {
            assert!(!asks_for_answer(body), "{body}");
        }
    }
}
