//! Crews. A job has one crew; a person may belong to several, and a crew may be one person.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;

use crate::{
    domain::work::job::JobScope,
    platform::{
        access_link,
        business_hours::BusinessHours,
        clock::ClockRng,
        db::{AsConn, Tx, q, qb},
        error::{Error, FieldErrors, Result},
        id::{AccountId, CrewId, JobId, LinkId, OrgId},
        phone::Phone,
    },
};

mod change;
pub mod feed;
pub mod notice;

pub use change::{CrewForm, add_crew, update_crew};
pub(crate) use notice::{CrewJobChange, record_job_change};

/// A crew as people see it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Crew {
    pub id: CrewId,
    pub name: String,
    /// One of eight tones of the palette, from 0.
    pub tone: i64,
    /// Null where the business's own hours hold.
    pub hours: Option<BusinessHours>,
    pub is_bookable: bool,
    /// One that is not keeps its past jobs and gets no new ones.
    pub is_active: bool,
    pub position: i64,
    pub members: Vec<CrewMember>,
    /// Its calendar, for phones that subscribe to it; null for a crew, and until it is asked for.
    pub feed_url: Option<String>,
    #[serde(skip)]
    pub feed: Option<LinkId>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrewMember {
    pub id: AccountId,
    pub name: String,
    /// As people read it.
    pub phone_shown: Option<String>,
}

#[derive(FromRow)]
struct CrewListRow {
    id: CrewId,
    name: String,
    tone: i64,
    hours: Option<Json<BusinessHours>>,
    is_bookable: bool,
    is_active: bool,
    position: i64,
    feed: Option<LinkId>,
}

impl CrewListRow {
    fn into_crew(self, members: &[(CrewId, AccountId, String, Option<Phone>)]) -> Crew {
        let of = members.iter().filter(|member| member.0 == self.id);
        let members = of.map(|(_, id, name, phone)| CrewMember {
            id: *id,
            name: name.clone(),
            phone_shown: phone.as_ref().map(|phone| phone.format_display().into_owned()),
        });
        Crew {
            members: members.collect(),
            id: self.id,
            name: self.name,
            tone: self.tone,
            hours: self.hours.map(|hours| hours.0),
            is_bookable: self.is_bookable,
            is_active: self.is_active,
            position: self.position,
            feed_url: None,
            feed: self.feed,
        }
    }
}

/// In order: all crews for the office, else the person's own.
pub async fn list(conn: &mut dyn AsConn, org: OrgId, sight: JobScope) -> Result<Vec<Crew>> {
    let rows = qb!(&mut *conn, fetch_all as CrewListRow, |b| {
        b.push(
            "SELECT c.id, c.name, c.tone, c.hours, c.is_bookable, c.is_active, c.position, k.id AS feed FROM crew c",
        );
        b.push(" LEFT JOIN access_link k ON k.org_id = c.org_id AND k.kind = ")
            .push_bind(access_link::LinkKind::CrewFeed);
        b.push(" AND k.subject_id = c.id AND k.revoked_at IS NULL");
        b.push(" WHERE c.org_id = ").push_bind(org);
        if let JobScope::Crew(account) = sight {
            b.push(" AND c.id IN (SELECT m.crew_id FROM crew_member m WHERE m.org_id = ").push_bind(org);
            b.push(" AND m.account_id = ").push_bind(account).push(")");
        }
        b.push(" ORDER BY c.position, c.created_at, c.id");
    })?;
    let members = q!(
        conn,
        fetch_all as (CrewId, AccountId, String, Option<Phone>),
        "SELECT m.crew_id, a.id, a.name, a.phone_e164 FROM crew_member m
         JOIN account a ON a.id = m.account_id AND a.org_id = m.org_id
         WHERE m.org_id = $1 AND a.is_active = TRUE ORDER BY a.name, a.id",
        org
    )?;
    Ok(rows.into_iter().map(|row| row.into_crew(&members)).collect())
}

pub async fn get(conn: &mut dyn AsConn, org: OrgId, id: CrewId) -> Result<Crew> {
    list(conn, org, JobScope::Office).await?.into_iter().find(|crew| crew.id == id).ok_or(Error::NotFound)
}

pub async fn find_crew_name(conn: &mut dyn AsConn, org: OrgId, id: Option<CrewId>) -> Result<Option<String>> {
    let Some(id) = id else { return Ok(None) };
    let sql = "SELECT name FROM crew WHERE org_id = $1 AND id = $2";
    Ok(q!(conn, fetch_optional scalar String, sql, org, id)?)
}

/// # Errors
/// [`Error::NotFound`] when this person may not see the crew, or there is none.
pub async fn check_visible(conn: &mut dyn AsConn, org: OrgId, sight: JobScope, id: CrewId) -> Result<()> {
    let JobScope::Crew(account) = sight else { return Ok(()) };
    if list_crews_of_member(conn, org, account).await?.contains(&id) { Ok(()) } else { Err(Error::NotFound) }
}

pub(crate) async fn list_crews_of_member(conn: &mut dyn AsConn, org: OrgId, person: AccountId) -> Result<Vec<CrewId>> {
    let sql = "SELECT crew_id FROM crew_member WHERE org_id = $1 AND account_id = $2";
    Ok(q!(conn, fetch_all scalar CrewId, sql, org, person)?)
}

/// Locks an active crew until the transaction ends: assignments to it are serialized.
///
/// # Errors
/// [`Error::Invalid`] on `crewId` when the org has no such crew, or it gets no work any more.
pub async fn lock_active_crew(tx: &mut Tx, org: OrgId, id: CrewId) -> Result<()> {
    lock_assignable_crew(tx, org, id, false).await
}

/// With `is_its_own` a job keeps its crew although it gets no new work.
pub(crate) async fn lock_assignable_crew(tx: &mut Tx, org: OrgId, id: CrewId, is_its_own: bool) -> Result<()> {
    let sql = "UPDATE crew SET name = name WHERE org_id = $1 AND id = $2 RETURNING is_active";
    let is_active = q!(tx, fetch_optional scalar bool, sql, org, id)?;
    if is_active.is_some_and(|is_active| is_active || is_its_own) {
        return Ok(());
    }
    let mut errors = FieldErrors::default();
    errors.add("crewId", "Choose one of your crews");
    errors.into_result()
}

/// Locks the bookable crews until the transaction ends, always in the same order: assignments to them wait.
pub(crate) async fn lock_bookable_crews(tx: &mut Tx, org: OrgId) -> Result<()> {
    tx.guard_writable(org);
    let sql = "SELECT id FROM crew WHERE org_id = $1 AND is_bookable = TRUE AND is_active = TRUE ORDER BY id";
    for crew in q!(&mut *tx, fetch_all scalar CrewId, sql, org)? {
        q!(&mut *tx, execute, "UPDATE crew SET name = name WHERE org_id = $1 AND id = $2", org, crew)?;
    }
    Ok(())
}

/// Drops crew alerts about a change of a job that are not sent yet.
pub(crate) async fn cancel_notices(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    job: JobId,
    since: DateTime<Utc>,
) -> Result<()> {
    let sql = "UPDATE pending_crew_notice SET notified_at = $4 WHERE org_id = $1 AND job_id = $2 AND at >= $3 AND notified_at IS NULL";
    q!(tx, execute, sql, org, job, since, origin.now())?;
    Ok(())
}

pub async fn prune_sent_notices(tx: &mut Tx, before: DateTime<Utc>) -> Result<()> {
    q!(tx, execute, "DELETE FROM pending_crew_notice WHERE notified_at < $1", before)?;
    Ok(())
}
