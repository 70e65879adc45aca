//! Open tasks of the day: the worklist by heading. People who wait come first, then the largest amounts.

use std::collections::BTreeMap;

use chrono::{DateTime, Days, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    domain::{
        growth::{
            metrics::figures::KpiFigures,
            worklist::{self, OpenItem, WorkItemKind},
        },
        tenancy::org::OrgProfile,
    },
    platform::{
        db::{AsConn, q},
        error::Result,
        id::LeadId,
        money::Cents,
    },
};

pub const MOST: usize = 3;
/// In days: an estimate that lapses so soon can still be followed up.
const LAPSES_WITHIN: u64 = 2;

/// Open items, in order of priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TodoKind {
    /// An unseen emergency.
    Emergency,
    /// A job of today or tomorrow without a crew.
    NoCrew,
    /// People whom our words promised an answer by a time that is over, and whom no person has answered yet.
    Promised,
    /// Others whom no person has answered yet.
    Waiting,
    /// Estimates about to lapse.
    Lapsing,
    Overdue,
    /// Finished jobs without an invoice, and unsent drafts.
    Unsent,
    /// Held requests.
    Held,
    /// Visits that were asked for and are not booked.
    Confirm,
    /// Quotes that were asked for.
    Quote,
    /// Approved estimates without a job, and jobs without a time.
    Schedule,
    /// Reviews of three stars or less without an answer.
    Review,
}

impl TodoKind {
    /// Equal urgency is ranked by money.
    fn urgency_rank(self) -> u8 {
        match self {
            Self::Emergency => 0,
            Self::NoCrew => 1,
            Self::Promised => 2,
            Self::Waiting | Self::Confirm => 3,
            Self::Lapsing | Self::Overdue | Self::Unsent | Self::Quote | Self::Schedule => 4,
            Self::Held | Self::Review => 5,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PulseTodo {
    pub what: TodoKind,
    pub count: i64,
    /// Zero where it is not known.
    pub total: Cents,
    pub first: Option<String>,
    pub path: String,
}

/// Most urgent first, three at most.
#[must_use]
pub fn rank_todos(mut all: Vec<PulseTodo>) -> Vec<PulseTodo> {
    all.retain(|todo| todo.count > 0);
    all.sort_by_key(|todo| (todo.what.urgency_rank(), std::cmp::Reverse(todo.total), todo.what));
    all.truncate(MOST);
    all
}

/// A todo of the worklist: the kind, and whether the promised time is over, decide under which heading it is counted.
fn classify(item: &OpenItem, now: DateTime<Utc>) -> TodoKind {
    match item.kind {
        WorkItemKind::Emergency => TodoKind::Emergency,
        WorkItemKind::HeldRequest => TodoKind::Held,
        WorkItemKind::ConfirmRequest => TodoKind::Confirm,
        WorkItemKind::Answer | WorkItemKind::CallBack if item.is_late(now) => TodoKind::Promised,
        WorkItemKind::Answer | WorkItemKind::CallBack => TodoKind::Waiting,
        WorkItemKind::SendEstimate => TodoKind::Quote,
        WorkItemKind::Schedule => TodoKind::Schedule,
        WorkItemKind::AssignCrew => TodoKind::NoCrew,
        WorkItemKind::SendInvoice => TodoKind::Unsent,
        WorkItemKind::Collect => TodoKind::Overdue,
        WorkItemKind::ReviewAnswer => TodoKind::Review,
    }
}

fn todo_path(what: TodoKind, first: &OpenItem, figures: &KpiFigures) -> String {
    match (what, first.first_lead(), first.job) {
        (TodoKind::Overdue, ..) => figures.receivables.overdue.rows.clone(),
        (TodoKind::Review, ..) => "/app/reviews".to_owned(),
        (TodoKind::Unsent, _, None) => "/app/invoices?status=draft".to_owned(),
        (TodoKind::NoCrew | TodoKind::Unsent | TodoKind::Schedule, _, Some(job)) => format!("/app/jobs/{job}"),
        (_, Some(lead), _) => format!("/app/leads/{lead}"),
        (_, None, _) => "/app/inbox".to_owned(),
    }
}

pub(super) async fn load_todos(
    conn: &mut dyn AsConn,
    profile: &OrgProfile,
    figures: &KpiFigures,
    now: DateTime<Utc>,
) -> Result<Vec<PulseTodo>> {
    let items = worklist::load_open_items(&mut *conn, profile, now, false).await?;
    let mut all = group_todos(&mut *conn, profile, figures, (items.as_slice(), now)).await?;
    all.extend(load_lapsing(conn, profile, figures).await?);
    Ok(rank_todos(all))
}

/// One todo for each heading: of the items in the order of the list the first is named.
async fn group_todos(
    conn: &mut dyn AsConn,
    profile: &OrgProfile,
    figures: &KpiFigures,
    (items, now): (&[OpenItem], DateTime<Utc>),
) -> Result<Vec<PulseTodo>> {
    let mut groups: BTreeMap<TodoKind, (i64, Cents, &OpenItem)> = BTreeMap::new();
    for item in items {
        let (count, total, _) = groups.entry(classify(item, now)).or_insert((0, Cents::ZERO, item));
        *count += 1;
        *total = Cents(total.0.saturating_add(item.amount.unwrap_or_default().0));
    }
    let firsts: Vec<&OpenItem> = groups.values().map(|(.., first)| *first).collect();
    let names = worklist::load_names(conn, profile.org.id, &firsts).await?;
    let todos = groups.into_iter().zip(names).map(|((what, (count, total, item)), name)| PulseTodo {
        what,
        count,
        total,
        first: name.filter(|_| what != TodoKind::Overdue),
        path: todo_path(what, item, figures),
    });
    Ok(todos.collect())
}

#[derive(FromRow)]
struct LapsingRow {
    count: i64,
    cents: Cents,
    id: Option<LeadId>,
    name: Option<String>,
}

/// Estimates that lapse soon. Nobody waits for the business with these: they are no items of the worklist.
async fn load_lapsing(conn: &mut dyn AsConn, profile: &OrgProfile, figures: &KpiFigures) -> Result<Option<PulseTodo>> {
    let found = q!(
        conn,
        fetch_one as LapsingRow,
        "WITH found AS (SELECT e.lead_id AS id, l.name, e.total_cents AS cents, e.created_at AS at
             FROM estimate e JOIN lead l ON l.org_id = e.org_id AND l.id = e.lead_id
             WHERE e.org_id = $1 AND e.status = 'open' AND e.job_id IS NULL AND e.expires_on >= $2
                 AND e.expires_on <= $3),
             first AS (SELECT id, name FROM found ORDER BY at, id LIMIT 1)
         SELECT (SELECT COUNT(*) FROM found) AS count,
             CAST(COALESCE((SELECT SUM(cents) FROM found), 0) AS BIGINT) AS cents,
             (SELECT id FROM first) AS id, (SELECT name FROM first) AS name",
        profile.org.id,
        figures.today,
        figures.today.checked_add_days(Days::new(LAPSES_WITHIN)).unwrap_or(figures.today)
    )?;
    Ok(found.id.map(|lead| PulseTodo {
        what: TodoKind::Lapsing,
        count: found.count,
        total: found.cents,
        first: found.name,
        path: format!("/app/leads/{lead}"),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn todo(what: TodoKind, count: i64, dollars: i64) -> PulseTodo {
        PulseTodo { what, count, total: Cents(dollars * 100), first: None, path: "/app".to_owned() }
    }

    #[test]
    fn todo_ranking_puts_people_waiting_before_money_and_larger_sums_first() {
        let all = vec![
            todo(TodoKind::Held, 3, 0),
            todo(TodoKind::Overdue, 2, 900),
            todo(TodoKind::Unsent, 1, 2_000),
            todo(TodoKind::Lapsing, 1, 1_500),
            todo(TodoKind::Waiting, 1, 0),
        ];
        let ranked: Vec<TodoKind> = rank_todos(all.clone()).into_iter().map(|todo| todo.what).collect();
        assert_eq!(ranked, [TodoKind::Waiting, TodoKind::Unsent, TodoKind::Lapsing]);
        let urgent = [all, vec![todo(TodoKind::NoCrew, 1, 0), todo(TodoKind::Emergency, 1, 0)]].concat();
        let ranked: Vec<TodoKind> = rank_todos(urgent).into_iter().map(|todo| todo.what).collect();
        assert_eq!(ranked, [TodoKind::Emergency, TodoKind::NoCrew, TodoKind::Waiting]);
        assert!(rank_todos(vec![todo(TodoKind::Overdue, 0, 0)]).is_empty(), "what is not there is nothing to do");
    }
}
