//! What the operator sees: every number with its business, and every business with what it sends from.

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::AssignedBy;
use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::{DEMO_ORG, OrgId},
};

/// The most businesses a list shows.
const MOST: i64 = 1_000;

/// A number and its business.
#[derive(Clone, Debug, FromRow)]
pub struct Owned {
    pub org_id: OrgId,
    pub sender: String,
    pub assigned_by: AssignedBy,
    pub assigned_at: DateTime<Utc>,
}

/// A business and what it sends from.
#[derive(Clone, Debug, FromRow)]
pub struct Business {
    pub id: OrgId,
    pub name: String,
    pub slug: String,
    pub sms_number: Option<String>,
    pub messaging_service: Option<String>,
}

/// Every number that belongs to a business.
pub async fn numbers(conn: &mut dyn AsConn) -> Result<Vec<Owned>> {
    let sql =
        "SELECT org_id, sender, assigned_by, assigned_at FROM sending_number WHERE kind = 'number' ORDER BY sender";
    Ok(q!(conn, fetch_all as Owned, sql)?)
}

/// The businesses of the install, in the order of their names.
pub async fn businesses(conn: &mut dyn AsConn) -> Result<Vec<Business>> {
    let sql =
        "SELECT id, name, slug, sms_number, messaging_service FROM org WHERE id <> $1 ORDER BY name, slug LIMIT $2";
    Ok(q!(conn, fetch_all as Business, sql, DEMO_ORG, MOST)?)
}
