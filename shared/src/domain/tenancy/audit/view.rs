//! Audit log view: paged, newest first, with names instead of ids.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::AuditAction;
use crate::platform::{
    db::{AsConn, like_anywhere, q, qb},
    error::Result,
    id::{AccountId, OrgId},
};

#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    pub action: Option<AuditAction>,
    pub actor: Option<AccountId>,
    /// From this instant on.
    pub since: Option<DateTime<Utc>>,
    /// Before this instant.
    pub until: Option<DateTime<Utc>>,
    /// Searched in name and address of the actor, and in the network.
    pub q: Option<String>,
    pub limit: i64,
    pub before: Option<i64>,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditEvent {
    pub id: Uuid,
    /// Its place in the chain, from 1 on.
    pub seq: i64,
    pub at: DateTime<Utc>,
    /// `account`, `visitor` or `system`.
    pub actor_kind: String,
    #[schema(value_type = Option<Uuid>)]
    pub actor_id: Option<AccountId>,
    /// None for a visitor, for the program itself, and for a removed account.
    pub actor_name: Option<String>,
    pub actor_email: Option<String>,
    /// What was done: the names of `AuditAction`, and those of earlier versions.
    pub action: String,
    /// What it was done to.
    pub subject_id: Option<Uuid>,
    pub ip: Option<String>,
    pub user_agent: Option<String>,
    /// Names the request in the server's log.
    pub request_id: Option<String>,
    /// The program that did it with a key of theirs.
    pub key_name: Option<String>,
}

macro_rules! narrow {
    ($b:ident, $org:expr, $filter:expr) => {
        // Former members are still named; members of other businesses are not.
        $b.push(
            " FROM audit_event e LEFT JOIN account a ON a.id = e.actor_id AND a.org_id = e.org_id
             LEFT JOIN api_key k ON k.id = e.key_id AND k.org_id = e.org_id WHERE e.org_id = ",
        );
        $b.push_bind($org).push(" AND e.seq IS NOT NULL");
        if let Some(action) = $filter.action {
            $b.push(" AND e.action = ").push_bind(action);
        }
        if let Some(actor) = $filter.actor {
            $b.push(" AND e.actor_id = ").push_bind(actor);
        }
        if let Some(since) = $filter.since {
            $b.push(" AND e.at >= ").push_bind(since);
        }
        if let Some(until) = $filter.until {
            $b.push(" AND e.at < ").push_bind(until);
        }
        if let Some(text) = &$filter.q {
            let pattern = like_anywhere(&text.to_lowercase());
            $b.push(" AND (LOWER(a.name) LIKE ").push_bind(pattern.clone()).push(" ESCAPE '\\'");
            $b.push(" OR a.email LIKE ").push_bind(pattern.clone()).push(" ESCAPE '\\'");
            $b.push(" OR e.ip LIKE ").push_bind(pattern).push(" ESCAPE '\\')");
        }
    };
}

pub async fn list(conn: &mut dyn AsConn, org: OrgId, filter: &AuditFilter) -> Result<(Vec<AuditEvent>, bool)> {
    let mut lines = qb!(conn, fetch_all as AuditEvent, |b| {
        b.push(
            "SELECT e.id, e.seq, e.at, e.actor_kind, e.actor_id, a.name AS actor_name, a.email AS actor_email, e.action,
                 e.subject_id, e.ip, e.user_agent, e.request_id, k.name AS key_name",
        );
        narrow!(b, org, filter);
        if let Some(before) = filter.before {
            b.push(" AND e.seq < ").push_bind(before);
        }
        b.push(" ORDER BY e.seq DESC LIMIT ").push_bind(filter.limit + 1);
    })?;
    let limit = usize::try_from(filter.limit).unwrap_or_default();
    let more = lines.len() > limit;
    lines.truncate(limit);
    Ok((lines, more))
}

/// Lines that the filter finds. Without a filter the chain's end gives the count.
pub async fn count_lines(conn: &mut dyn AsConn, org: OrgId, filter: &AuditFilter) -> Result<i64> {
    let AuditFilter { action: None, actor: None, since: None, until: None, q: None, .. } = filter else {
        return Ok(qb!(conn, fetch_one scalar i64, |b| {
            b.push("SELECT COUNT(*)");
            narrow!(b, org, filter);
        })?);
    };
    let sql = "SELECT seq FROM audit_head WHERE org_id = $1";
    Ok(q!(conn, fetch_optional scalar i64, sql, org)?.unwrap_or_default())
}
