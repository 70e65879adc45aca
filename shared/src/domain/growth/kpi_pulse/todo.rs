//! Open tasks of the day: people who wait come first, then the largest amounts.

use chrono::{DateTime, Days, Duration, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::report::day_bounds;
use crate::{
    domain::{growth::metrics::figures::KpiFigures, tenancy::org::OrgProfile},
    platform::{
        db::{AsConn, q},
        error::Result,
        money::Cents,
    },
};

pub const MOST: usize = 3;
/// Unanswered leads older than this are not listed.
const WAITS: Duration = Duration::days(30);
/// Duration of an emergency (docs/rules.md, Alerts).
const URGENT: Duration = Duration::hours(12);
/// In days: an estimate that lapses so soon can still be followed up.
const LAPSES_WITHIN: u64 = 2;

/// Open items, in order of priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TodoKind {
    /// An unseen emergency.
    Emergency,
    /// A job of today without a crew.
    NoCrew,
    /// People whom our words promised an answer by a time that is over, and whom no person has answered yet.
    Promised,
    /// Others whom no person has answered yet.
    Waiting,
    /// Estimates about to lapse.
    Lapsing,
    Overdue,
    /// Unsent drafts of invoices.
    Unsent,
    /// Held requests.
    Held,
}

impl TodoKind {
    /// Equal urgency is ranked by money.
    fn urgency_rank(self) -> u8 {
        match self {
            Self::Emergency => 0,
            Self::NoCrew => 1,
            Self::Promised => 2,
            Self::Waiting => 3,
            Self::Lapsing | Self::Overdue | Self::Unsent => 4,
            Self::Held => 5,
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

#[derive(FromRow)]
struct TodoQueryRow {
    count: i64,
    cents: Cents,
    id: Option<Uuid>,
    name: Option<String>,
}

impl TodoQueryRow {
    fn into_todo(self, what: TodoKind, path: impl FnOnce(Uuid) -> String) -> Option<PulseTodo> {
        let Self { count, cents, id, name } = self;
        Some(PulseTodo { what, count, total: cents, first: name, path: path(id?) })
    }
}

/// Counts and sums what a query finds (`id`, `name`, `cents`, `at`), and names the first.
macro_rules! found {
    ($conn:expr, $sql:literal $(, $bind:expr)* $(,)?) => {
        q!(
            &mut *$conn,
            fetch_one as TodoQueryRow,
            concat!(
                "WITH found AS (", $sql, "), first AS (SELECT id, name FROM found ORDER BY at, id LIMIT 1)
                 SELECT (SELECT COUNT(*) FROM found) AS count,
                     CAST(COALESCE((SELECT SUM(cents) FROM found), 0) AS BIGINT) AS cents,
                     (SELECT id FROM first) AS id, (SELECT name FROM first) AS name"
            )
            $(, $bind)*
        )?
    };
}

fn lead_path(id: Uuid) -> String {
    format!("/app/leads/{id}")
}

pub(super) async fn load_todos(
    conn: &mut dyn AsConn,
    profile: &OrgProfile,
    figures: &KpiFigures,
    now: DateTime<Utc>,
) -> Result<Vec<PulseTodo>> {
    let mut all = Vec::new();
    all.extend(load_people_todos(&mut *conn, profile, now).await?);
    all.extend(load_work_todos(&mut *conn, profile, figures).await?);
    let overdue = &figures.receivables.overdue;
    all.push(PulseTodo {
        what: TodoKind::Overdue,
        count: overdue.count,
        total: overdue.total,
        first: None,
        path: overdue.rows.clone(),
    });
    Ok(rank_todos(all))
}

async fn load_people_todos(conn: &mut dyn AsConn, profile: &OrgProfile, now: DateTime<Utc>) -> Result<Vec<PulseTodo>> {
    let org = profile.org.id;
    let urgent = found!(
        conn,
        "SELECT l.id, l.name, 0 AS cents, a.created_at AS at FROM alert a JOIN lead l ON l.org_id = a.org_id AND l.id = a.lead_id
         WHERE a.org_id = $1 AND a.is_urgent AND a.seen_at IS NULL AND a.created_at >= $2",
        org,
        now - URGENT
    );
    let waiting = found!(
        conn,
        "SELECT l.id, l.name, COALESCE(l.quoted_cents, 0) AS cents, a.asked_at AS at
         FROM metric_answer a JOIN lead l ON l.org_id = a.org_id AND l.id = a.lead_id
         WHERE a.org_id = $1 AND a.human_ms IS NULL AND a.asked_at >= $2 AND l.stage = 'new' AND l.held_reason IS NULL
             AND NOT EXISTS (SELECT 1 FROM sla p WHERE p.org_id = l.org_id AND p.lead_id = l.id
                 AND p.state = 'broken' AND p.answered_at IS NULL AND p.due_at >= $2)",
        org,
        now - WAITS
    );
    let promised = found!(
        conn,
        "SELECT l.id, l.name, COALESCE(MAX(l.quoted_cents), 0) AS cents, MIN(p.due_at) AS at
         FROM sla p JOIN lead l ON l.org_id = p.org_id AND l.id = p.lead_id
         WHERE p.org_id = $1 AND p.answered_at IS NULL AND p.state = 'broken' AND p.due_at >= $2
             AND l.held_reason IS NULL AND l.stage IN ('new', 'quoted', 'scheduled') GROUP BY l.id, l.name",
        org,
        now - WAITS
    );
    let held = found!(
        conn,
        "SELECT id, name, 0 AS cents, last_touch_at AS at FROM lead
         WHERE org_id = $1 AND stage = 'new' AND held_reason IS NOT NULL AND last_touch_at >= $2",
        org,
        now - WAITS
    );
    let all = [
        urgent.into_todo(TodoKind::Emergency, lead_path),
        promised.into_todo(TodoKind::Promised, lead_path),
        waiting.into_todo(TodoKind::Waiting, lead_path),
        held.into_todo(TodoKind::Held, lead_path),
    ];
    Ok(all.into_iter().flatten().collect())
}

async fn load_work_todos(conn: &mut dyn AsConn, profile: &OrgProfile, figures: &KpiFigures) -> Result<Vec<PulseTodo>> {
    let (org, today) = (profile.org.id, figures.today);
    let (from, to) = day_bounds(profile, today);
    let no_crew = found!(
        conn,
        "SELECT id, service AS name, COALESCE(value_cents, 0) AS cents, starts_at AS at FROM job
         WHERE org_id = $1 AND starts_at >= $2 AND starts_at < $3 AND status = 'scheduled' AND crew_id IS NULL",
        org,
        from,
        to
    );
    let lapsing = found!(
        conn,
        "SELECT e.lead_id AS id, l.name, e.total_cents AS cents, e.created_at AS at
         FROM estimate e JOIN lead l ON l.org_id = e.org_id AND l.id = e.lead_id
         WHERE e.org_id = $1 AND e.status = 'open' AND e.job_id IS NULL AND e.expires_on >= $2 AND e.expires_on <= $3",
        org,
        today,
        today.checked_add_days(Days::new(LAPSES_WITHIN)).unwrap_or(today)
    );
    let unsent = found!(
        conn,
        "SELECT i.id, l.name, i.total_cents AS cents, i.created_at AS at
         FROM invoice i JOIN lead l ON l.org_id = i.org_id AND l.id = i.lead_id
         WHERE i.org_id = $1 AND i.status = 'draft' AND i.total_cents > 0",
        org
    );
    let all = [
        no_crew.into_todo(TodoKind::NoCrew, |id| format!("/app/jobs/{id}")),
        lapsing.into_todo(TodoKind::Lapsing, lead_path),
        unsent.into_todo(TodoKind::Unsent, |_| "/app/invoices?status=draft".to_owned()),
    ];
    Ok(all.into_iter().flatten().collect())
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
