//! What is to be done today, from what stands open: who waits for whom comes first, then the most money.

use chrono::{DateTime, Days, Duration, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::report::bounds;
use crate::{
    domain::{growth::metrics::figures::Figures, tenancy::org::Profile},
    platform::{
        db::{AsConn, q},
        error::Result,
        money::Cents,
    },
};

/// So many are told.
pub const MOST: usize = 3;
/// Requests that nobody answered for longer than this are no longer today's.
const WAITS: Duration = Duration::days(30);
/// An emergency lasts for so long (docs/rules.md, Alerts).
const URGENT: Duration = Duration::hours(12);
/// An estimate that lapses by the day after tomorrow can still be saved.
const LAPSES_WITHIN: u64 = 2;

/// What stands open. In the order in which one comes before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = TodoKind)]
pub enum What {
    /// An emergency that nobody has looked at.
    Emergency,
    /// A job of today that nobody is sent to.
    NoCrew,
    /// People whom our words promised an answer by a time that is over, and whom no person has answered yet.
    Promised,
    /// Others whom no person has answered yet.
    Waiting,
    /// Estimates about to lapse.
    Lapsing,
    Overdue,
    /// Drafts of invoices that nobody sent.
    Unsent,
    /// Requests that wait to be let through.
    Held,
}

impl What {
    /// What is as pressing as the next is ranked by money.
    fn urgency(self) -> u8 {
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

/// One thing to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Todo {
    pub what: What,
    /// How many of them.
    pub count: i64,
    /// What they are worth together; zero where that is not known.
    pub total: Cents,
    /// Who or what the first of them is.
    pub first: Option<String>,
    /// Where it is done: `/app/leads/…`.
    pub path: String,
}

/// The most pressing first, three at most.
#[must_use]
pub fn ranked(mut all: Vec<Todo>) -> Vec<Todo> {
    all.retain(|todo| todo.count > 0);
    all.sort_by_key(|todo| (todo.what.urgency(), std::cmp::Reverse(todo.total), todo.what));
    all.truncate(MOST);
    all
}

/// What is found of one kind: how many, what they are worth, and the first.
#[derive(FromRow)]
struct Found {
    count: i64,
    cents: Cents,
    id: Option<Uuid>,
    name: Option<String>,
}

impl Found {
    fn todo(self, what: What, path: impl FnOnce(Uuid) -> String) -> Option<Todo> {
        let Self { count, cents, id, name } = self;
        Some(Todo { what, count, total: cents, first: name, path: path(id?) })
    }
}

/// Counts and sums what a query finds (`id`, `name`, `cents`, `at`), and names the first.
macro_rules! found {
    ($conn:expr, $sql:literal $(, $bind:expr)* $(,)?) => {
        q!(
            &mut *$conn,
            fetch_one as Found,
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

fn lead(id: Uuid) -> String {
    format!("/app/leads/{id}")
}

/// Looks at all that can stand open.
pub(super) async fn read(
    conn: &mut dyn AsConn,
    profile: &Profile,
    figures: &Figures,
    now: DateTime<Utc>,
) -> Result<Vec<Todo>> {
    let mut all = Vec::new();
    all.extend(people(&mut *conn, profile, now).await?);
    all.extend(work(&mut *conn, profile, figures).await?);
    let overdue = &figures.receivables.overdue;
    all.push(Todo {
        what: What::Overdue,
        count: overdue.count,
        total: overdue.total,
        first: None,
        path: overdue.rows.clone(),
    });
    Ok(ranked(all))
}

/// Those who wait for somebody.
async fn people(conn: &mut dyn AsConn, profile: &Profile, now: DateTime<Utc>) -> Result<Vec<Todo>> {
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
             AND NOT EXISTS (SELECT 1 FROM promise p WHERE p.org_id = l.org_id AND p.lead_id = l.id
                 AND p.state = 'broken' AND p.answered_at IS NULL AND p.due_at >= $2)",
        org,
        now - WAITS
    );
    let promised = found!(
        conn,
        "SELECT l.id, l.name, COALESCE(MAX(l.quoted_cents), 0) AS cents, MIN(p.due_at) AS at
         FROM promise p JOIN lead l ON l.org_id = p.org_id AND l.id = p.lead_id
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
        urgent.todo(What::Emergency, lead),
        promised.todo(What::Promised, lead),
        waiting.todo(What::Waiting, lead),
        held.todo(What::Held, lead),
    ];
    Ok(all.into_iter().flatten().collect())
}

/// Work and papers that wait for the business.
async fn work(conn: &mut dyn AsConn, profile: &Profile, figures: &Figures) -> Result<Vec<Todo>> {
    let (org, today) = (profile.org.id, figures.today);
    let (from, to) = bounds(profile, today);
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
        no_crew.todo(What::NoCrew, |id| format!("/app/jobs/{id}")),
        lapsing.todo(What::Lapsing, lead),
        unsent.todo(What::Unsent, |_| "/app/invoices?status=draft".to_owned()),
    ];
    Ok(all.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn todo(what: What, count: i64, dollars: i64) -> Todo {
        Todo { what, count, total: Cents(dollars * 100), first: None, path: "/app".to_owned() }
    }

    #[test]
    fn who_waits_comes_before_money_and_more_money_before_less() {
        let all = vec![
            todo(What::Held, 3, 0),
            todo(What::Overdue, 2, 900),
            todo(What::Unsent, 1, 2_000),
            todo(What::Lapsing, 1, 1_500),
            todo(What::Waiting, 1, 0),
        ];
        let told: Vec<What> = ranked(all.clone()).into_iter().map(|todo| todo.what).collect();
        assert_eq!(told, [What::Waiting, What::Unsent, What::Lapsing]);
        let urgent = [all, vec![todo(What::NoCrew, 1, 0), todo(What::Emergency, 1, 0)]].concat();
        let told: Vec<What> = ranked(urgent).into_iter().map(|todo| todo.what).collect();
        assert_eq!(told, [What::Emergency, What::NoCrew, What::Waiting]);
        assert!(ranked(vec![todo(What::Overdue, 0, 0)]).is_empty(), "what is not there is nothing to do");
    }
}
