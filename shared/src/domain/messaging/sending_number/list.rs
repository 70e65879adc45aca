//! Lists of the install: every number with its business, every business with what it sends from, and the numbers that
//! were ever a business's.

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::NumberAssignedBy;
use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::{DEMO_ORG, OrgId},
};

const MOST: i64 = 1_000;

#[derive(Clone, Debug, FromRow)]
pub struct OwnedSender {
    pub org_id: OrgId,
    pub sender: String,
    pub assigned_by: NumberAssignedBy,
    pub assigned_at: DateTime<Utc>,
}

#[derive(Clone, Debug, FromRow)]
pub struct SendingBusiness {
    pub id: OrgId,
    pub name: String,
    pub slug: String,
    pub sms_number: Option<String>,
    pub messaging_service: Option<String>,
}

pub async fn list_owned_numbers(conn: &mut dyn AsConn) -> Result<Vec<OwnedSender>> {
    let sql =
        "SELECT org_id, sender, assigned_by, assigned_at FROM sending_number WHERE kind = 'number' ORDER BY sender";
    Ok(q!(conn, fetch_all as OwnedSender, sql)?)
}

/// Numbers that a business of this install has or had.
pub async fn list_held_numbers(conn: &mut dyn AsConn) -> Result<Vec<String>> {
    Ok(q!(conn, fetch_all scalar String, "SELECT number FROM held_number ORDER BY number")?)
}

pub async fn list_sending_businesses(conn: &mut dyn AsConn) -> Result<Vec<SendingBusiness>> {
    let sql =
        "SELECT id, name, slug, sms_number, messaging_service FROM org WHERE id <> $1 ORDER BY name, slug LIMIT $2";
    Ok(q!(conn, fetch_all as SendingBusiness, sql, DEMO_ORG, MOST)?)
}
