//! Leads with their messages and events.

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
                fact::MetricContribution,
                rules::{
                    lead::{LeadMetricInput, SentMessage},
                    source,
                },
            },
        },
        intake::lead::{LeadAttribution, LeadFormKind, PipelineStage},
        messaging::message::MessageKind,
    },
    platform::{
        db::{AsConn, qb},
        error::Result,
        id::OrgId,
    },
};

#[derive(FromRow)]
struct LeadMetricRow {
    id: Uuid,
    created_at: DateTime<Utc>,
    form: LeadFormKind,
    source: String,
    attribution: Json<LeadAttribution>,
    is_held: bool,
    stage: PipelineStage,
    paid_at: Option<DateTime<Utc>>,
    has_money: bool,
}

impl LeadMetricRow {
    fn into_lead(self) -> LeadMetricInput {
        LeadMetricInput {
            is_held: self.is_held,
            paid_at: self.paid_at.filter(|_| self.stage == PipelineStage::Paid),
            ..LeadMetricInput::new(self.created_at, self.form, source::resolve_source(&self.attribution, &self.source))
        }
    }
}

#[derive(FromRow)]
struct LeadEventRow {
    lead_id: Uuid,
    what: String,
    at: DateTime<Utc>,
    made_at: DateTime<Utc>,
}

pub(super) async fn load_leads(
    conn: &mut dyn AsConn,
    org: OrgId,
    zone: Tz,
    ids: &[Uuid],
) -> Result<Vec<(Uuid, MetricContribution)>> {
    let rows = qb!(&mut *conn, fetch_all as LeadMetricRow, |b| {
        b.push(
            "SELECT id, created_at, form, source, attribution, held_reason IS NOT NULL AS is_held, stage, paid_at,
                 EXISTS (SELECT 1 FROM payment p WHERE p.org_id = lead.org_id AND p.lead_id = lead.id) AS has_money
             FROM lead WHERE org_id = ",
        );
        b.push_bind(org).push(" AND id IN ");
        listed!(b, ids);
    })?;
    let mut lead_ids: BTreeSet<Uuid> = rows.iter().filter(|row| row.has_money).map(|row| row.id).collect();
    let mut leads: BTreeMap<Uuid, LeadMetricInput> = rows.into_iter().map(|row| (row.id, row.into_lead())).collect();
    for happened in load_lead_events(&mut *conn, org, ids).await? {
        if let Some(lead) = leads.get_mut(&happened.lead_id) {
            apply_event(lead, &happened);
        }
    }
    // Most leads have neither and need no second query.
    lead_ids.extend(leads.iter().filter(|(_, lead)| !lead.missed_at.is_empty()).map(|(id, _)| *id));
    let lead_ids: Vec<Uuid> = lead_ids.into_iter().collect();
    for (id, story) in timeline::load_timelines(conn, org, &lead_ids).await? {
        leads.entry(id).and_modify(|lead| lead.story = Some(story));
    }
    Ok(leads.into_iter().map(|(id, lead)| (id, lead.build_contribution(zone))).collect())
}

fn apply_event(lead: &mut LeadMetricInput, happened: &LeadEventRow) {
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
        kind => lead.sent.extend(parse_sent_kind(kind).map(|kind| SentMessage { kind, at, made_at: happened.made_at })),
    }
}

const SENT_KINDS: [(&str, MessageKind); 12] = [
    ("auto_reply", MessageKind::AutoReply),
    ("missed_call", MessageKind::MissedCall),
    ("text_reply", MessageKind::TextReply),
    ("nudge", MessageKind::Nudge),
    ("estimate_follow_up", MessageKind::EstimateFollowUp),
    ("change_order_follow_up", MessageKind::ChangeOrderFollowUp),
    ("dunning", MessageKind::Dunning),
    ("visit", MessageKind::Visit),
    ("manual", MessageKind::Manual),
    ("review_request", MessageKind::ReviewRequest),
    ("estimate", MessageKind::Estimate),
    ("change_order", MessageKind::ChangeOrder),
];

fn parse_sent_kind(name: &str) -> Option<MessageKind> {
    SENT_KINDS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
}

/// One kind of event: SQL up to the business, the lead's column, and the rest of the SQL.
struct EventQuery(&'static str, &'static str, &'static str);

const EVENT_QUERIES: [EventQuery; 7] = [
    EventQuery(
        "SELECT m.lead_id, 'heard', MAX(m.created_at), MAX(m.created_at) FROM message m
         WHERE m.direction = 'in' AND m.org_id = ",
        "m.lead_id",
        " GROUP BY m.lead_id",
    ),
    EventQuery(
        "SELECT l.id, 'missed', c.started_at, c.started_at
         FROM lead l JOIN call c ON c.org_id = l.org_id AND c.customer_id = l.customer_id AND c.lead_id = l.id
         WHERE c.status = 'missed' AND l.org_id = ",
        "l.id",
        "",
    ),
    EventQuery(
        "SELECT l.id, 'spoken', c.accepted_at, c.accepted_at
         FROM lead l JOIN call c ON c.org_id = l.org_id AND c.customer_id = l.customer_id
         WHERE c.accepted_at >= l.created_at AND l.org_id = ",
        "l.id",
        "",
    ),
    EventQuery(
        "SELECT e.lead_id, 'planned', MIN(e.at), MIN(e.at)
         FROM work_event e JOIN job j ON j.org_id = e.org_id AND j.id = e.job_id
         WHERE e.kind IN ('job_scheduled', 'booked', 'started', 'completed') AND e.undone_at IS NULL
             AND j.starts_at IS NOT NULL AND j.status <> 'cancelled' AND e.org_id = ",
        "e.lead_id",
        " GROUP BY e.lead_id",
    ),
    EventQuery(
        "SELECT e.lead_id, CASE e.kind WHEN 'answered' THEN 'spoken' ELSE 'themselves' END, e.at, e.at FROM work_event e
         WHERE e.kind IN ('answered', 'booked', 'moved_by_customer', 'cancelled_by_customer') AND e.undone_at IS NULL
             AND e.org_id = ",
        "e.lead_id",
        "",
    ),
    EventQuery(
        "SELECT d.lead_id, 'decided', MAX(d.at), MAX(d.at) FROM automation_decision d
         WHERE d.event IN ('lead_created', 'lead_released') AND d.org_id = ",
        "d.lead_id",
        " GROUP BY d.lead_id",
    ),
    EventQuery(
        "SELECT p.lead_id, p.state, p.due_at, p.due_at FROM sla p
         WHERE p.state IN ('kept', 'broken') AND p.org_id = ",
        "p.lead_id",
        "",
    ),
];

/// One round trip. Messages lost after the provider accepted them, and undone events, are left out.
async fn load_lead_events(conn: &mut dyn AsConn, org: OrgId, ids: &[Uuid]) -> Result<Vec<LeadEventRow>> {
    Ok(qb!(conn, fetch_all as LeadEventRow, |b| {
        b.push(
            "SELECT m.lead_id, m.kind AS what, m.sent_at AS at, m.created_at AS made_at FROM message m
             WHERE m.direction = 'out' AND m.status IN ('sent', 'delivered') AND m.sent_at IS NOT NULL AND m.kind IN (",
        );
        let mut kinds = b.separated(", ");
        for (_, kind) in SENT_KINDS {
            kinds.push_bind(kind);
        }
        b.push(") AND m.org_id = ").push_bind(org).push(" AND m.lead_id IN ");
        listed!(b, ids);
        for EventQuery(select, lead, group) in EVENT_QUERIES {
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
    fn message_kind_is_stored_under_known_name() {
        for (name, kind) in SENT_KINDS {
            assert_eq!(serde_json::to_value(kind).unwrap(), name);
        }
    }

    #[test]
    fn loaded_message_kinds_are_exactly_the_counted_ones() {
        for kind in MessageKind::OUTGOING {
            let is_asked_for = SENT_KINDS.iter().any(|(_, known)| *known == kind);
            assert_eq!(is_asked_for, is_counted(kind), "{kind:?}");
        }
    }
}
