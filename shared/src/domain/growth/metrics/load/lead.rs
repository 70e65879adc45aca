//! Requests with everything that was said and done about them.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use sqlx::{FromRow, types::Json};
use uuid::Uuid;

use super::listed;
use crate::{
    domain::{
        growth::{
            attribution::timeline,
            metrics::{
                fact::Contribution,
                rules::{
                    lead::{Lead, Sent},
                    source,
                },
            },
        },
        intake::lead::{Attribution, Form, Stage},
        messaging::message::Kind,
    },
    platform::{
        db::{AsConn, qb},
        error::Result,
        id::OrgId,
    },
};

#[derive(FromRow)]
struct Row {
    id: Uuid,
    created_at: DateTime<Utc>,
    form: Form,
    source: String,
    attribution: Json<Attribution>,
    is_held: bool,
    stage: Stage,
    paid_at: Option<DateTime<Utc>>,
    has_money: bool,
}

impl Row {
    fn lead(self) -> Lead {
        Lead {
            is_held: self.is_held,
            paid_at: self.paid_at.filter(|_| self.stage == Stage::Paid),
            ..Lead::new(self.created_at, self.form, source::named(&self.attribution, &self.source))
        }
    }
}

/// One thing that happened to a request.
#[derive(FromRow)]
struct Happened {
    lead_id: Uuid,
    what: String,
    at: DateTime<Utc>,
    made_at: DateTime<Utc>,
}

pub(super) async fn load(
    conn: &mut dyn AsConn,
    org: OrgId,
    zone: Tz,
    ids: &[Uuid],
) -> Result<Vec<(Uuid, Contribution)>> {
    let rows = qb!(&mut *conn, fetch_all as Row, |b| {
        b.push(
            "SELECT id, created_at, form, source, attribution, held_reason IS NOT NULL AS is_held, stage, paid_at,
                 EXISTS (SELECT 1 FROM payment p WHERE p.org_id = lead.org_id AND p.lead_id = lead.id) AS has_money
             FROM lead WHERE org_id = ",
        );
        b.push_bind(org).push(" AND id IN ");
        listed!(b, ids);
    })?;
    let mut told: BTreeSet<Uuid> = rows.iter().filter(|row| row.has_money).map(|row| row.id).collect();
    let mut leads: BTreeMap<Uuid, Lead> = rows.into_iter().map(|row| (row.id, row.lead())).collect();
    for happened in history(&mut *conn, org, ids).await? {
        if let Some(lead) = leads.get_mut(&happened.lead_id) {
            take(lead, &happened);
        }
    }
    // Most requests have neither, and need no second look.
    told.extend(leads.iter().filter(|(_, lead)| !lead.missed_at.is_empty()).map(|(id, _)| *id));
    let told: Vec<Uuid> = told.into_iter().collect();
    for (id, story) in timeline::of(conn, org, &told).await? {
        leads.entry(id).and_modify(|lead| lead.story = Some(story));
    }
    Ok(leads.into_iter().map(|(id, lead)| (id, lead.contribution(zone))).collect())
}

fn take(lead: &mut Lead, happened: &Happened) {
    let at = happened.at;
    match happened.what.as_str() {
        "heard" => lead.heard_at = Some(at),
        "missed" => lead.missed_at.push(at),
        "spoken" => lead.spoken_at.push(at),
        "planned" => lead.booked_at = Some(at),
        "themselves" => lead.by_themselves_at.push(at),
        "kept" => lead.promised.push((at, true)),
        "broken" => lead.promised.push((at, false)),
        "decided" => lead.decided_at = Some(at),
        kind => lead.sent.extend(sent_kind(kind).map(|kind| Sent { kind, at, made_at: happened.made_at })),
    }
}

/// Only these are asked for.
const SENT: [(&str, Kind); 12] = [
    ("auto_reply", Kind::AutoReply),
    ("missed_call", Kind::MissedCall),
    ("text_reply", Kind::TextReply),
    ("nudge", Kind::Nudge),
    ("estimate_follow_up", Kind::EstimateFollowUp),
    ("change_order_follow_up", Kind::ChangeOrderFollowUp),
    ("dunning", Kind::Dunning),
    ("visit", Kind::Visit),
    ("manual", Kind::Manual),
    ("review_request", Kind::ReviewRequest),
    ("estimate", Kind::Estimate),
    ("change_order", Kind::ChangeOrder),
];

fn sent_kind(name: &str) -> Option<Kind> {
    SENT.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
}

/// A kind of event: what is selected up to the business, the column of the request, and what follows.
struct Part(&'static str, &'static str, &'static str);

/// What is not a message of ours.
const PARTS: [Part; 7] = [
    Part(
        "SELECT m.lead_id, 'heard', MAX(m.created_at), MAX(m.created_at) FROM message m
         WHERE m.direction = 'in' AND m.org_id = ",
        "m.lead_id",
        " GROUP BY m.lead_id",
    ),
    Part(
        "SELECT l.id, 'missed', c.started_at, c.started_at
         FROM lead l JOIN call c ON c.org_id = l.org_id AND c.customer_id = l.customer_id AND c.lead_id = l.id
         WHERE c.status = 'missed' AND l.org_id = ",
        "l.id",
        "",
    ),
    Part(
        "SELECT l.id, 'spoken', c.accepted_at, c.accepted_at
         FROM lead l JOIN call c ON c.org_id = l.org_id AND c.customer_id = l.customer_id
         WHERE c.accepted_at >= l.created_at AND l.org_id = ",
        "l.id",
        "",
    ),
    Part(
        "SELECT e.lead_id, 'planned', MIN(e.at), MIN(e.at)
         FROM work_event e JOIN job j ON j.org_id = e.org_id AND j.id = e.job_id
         WHERE e.kind IN ('job_scheduled', 'booked', 'started', 'completed') AND e.undone_at IS NULL
             AND j.starts_at IS NOT NULL AND j.status <> 'cancelled' AND e.org_id = ",
        "e.lead_id",
        " GROUP BY e.lead_id",
    ),
    Part(
        "SELECT e.lead_id, CASE e.kind WHEN 'answered' THEN 'spoken' ELSE 'themselves' END, e.at, e.at FROM work_event e
         WHERE e.kind IN ('answered', 'booked', 'moved_by_customer', 'cancelled_by_customer') AND e.undone_at IS NULL
             AND e.org_id = ",
        "e.lead_id",
        "",
    ),
    Part(
        "SELECT d.lead_id, 'decided', MAX(d.at), MAX(d.at) FROM decision d
         WHERE d.event IN ('lead_created', 'lead_released') AND d.org_id = ",
        "d.lead_id",
        " GROUP BY d.lead_id",
    ),
    Part(
        "SELECT p.lead_id, p.state, p.due_at, p.due_at FROM promise p
         WHERE p.state IN ('kept', 'broken') AND p.org_id = ",
        "p.lead_id",
        "",
    ),
];

/// Everything in one round trip. What a provider took and lost later was not said; what was taken back never was.
async fn history(conn: &mut dyn AsConn, org: OrgId, ids: &[Uuid]) -> Result<Vec<Happened>> {
    Ok(qb!(conn, fetch_all as Happened, |b| {
        b.push(
            "SELECT m.lead_id, m.kind AS what, m.sent_at AS at, m.created_at AS made_at FROM message m
             WHERE m.direction = 'out' AND m.status IN ('sent', 'delivered') AND m.sent_at IS NOT NULL AND m.kind IN (",
        );
        let mut kinds = b.separated(", ");
        for (_, kind) in SENT {
            kinds.push_bind(kind);
        }
        b.push(") AND m.org_id = ").push_bind(org).push(" AND m.lead_id IN ");
        listed!(b, ids);
        for Part(select, lead, group) in PARTS {
            b.push(" UNION ALL ").push(select).push_bind(org).push(" AND ").push(lead).push(" IN ");
            listed!(b, ids);
            b.push(group);
        }
    })?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::growth::metrics::rules::lead::is_counted;

    #[test]
    fn what_is_asked_for_is_known_by_the_name_it_is_stored_under() {
        for (name, kind) in SENT {
            assert_eq!(serde_json::to_value(kind).unwrap(), name);
        }
    }

    #[test]
    fn whatever_counts_in_the_figures_is_asked_for() {
        for kind in Kind::OUTGOING {
            let is_asked_for = SENT.iter().any(|(_, known)| *known == kind);
            assert_eq!(is_asked_for, is_counted(kind), "{kind:?}");
        }
    }
}
