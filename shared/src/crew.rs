//! Crews: who goes out together. One job has one crew; a person may be in several, and a crew of one is a person.

use chrono::Duration;
use serde::{Deserialize, Serialize};
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;

use crate::{
    clock::Origin,
    db::{
        AsConn, Tx,
        batch::{Insert, insert, values},
        q, qb,
    },
    error::{Error, FieldErrors, Result},
    hours::Hours,
    id::{AccountId, CrewId, LinkId, OrgId},
    job::Sight,
    link,
    live::{self, Topic},
    phone::Phone,
    text::{given, line},
};

pub mod feed;
pub mod notice;

/// More than a business of this kind has.
const MOST: i64 = 50;
const MAX_NAME: usize = 60;
/// Tones of the palette.
const TONES: i64 = 8;
/// More people than go out together.
const MOST_MEMBERS: usize = 30;

/// A crew as people see it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Crew {
    pub id: CrewId,
    pub name: String,
    /// One of eight tones of the palette, from 0.
    pub tone: i64,
    /// Null where the business's own hours hold.
    pub hours: Option<Hours>,
    pub is_bookable: bool,
    /// One that is not keeps its past jobs and gets no new ones.
    pub is_active: bool,
    pub position: i64,
    pub members: Vec<Member>,
    /// Its calendar, for phones that subscribe to it; null for a crew, and until it is asked for.
    pub feed_url: Option<String>,
    #[serde(skip)]
    pub feed: Option<LinkId>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CrewMember)]
pub struct Member {
    pub id: AccountId,
    pub name: String,
    /// As people read it.
    pub phone_shown: Option<String>,
}

/// A crew, or a change of one, as it is sent: what is absent stays.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CrewForm {
    pub name: Option<String>,
    pub tone: Option<i64>,
    #[serde(deserialize_with = "given")]
    pub hours: Option<Option<Hours>>,
    pub is_bookable: Option<bool>,
    pub is_active: Option<bool>,
    pub position: Option<i64>,
    pub member_ids: Option<Vec<AccountId>>,
}

#[derive(FromRow)]
struct Row {
    id: CrewId,
    name: String,
    tone: i64,
    hours: Option<Json<Hours>>,
    is_bookable: bool,
    is_active: bool,
    position: i64,
    feed: Option<LinkId>,
}

impl Row {
    fn crew(self, members: &[(CrewId, AccountId, String, Option<Phone>)]) -> Crew {
        let of = members.iter().filter(|member| member.0 == self.id);
        let members = of.map(|(_, id, name, phone)| Member {
            id: *id,
            name: name.clone(),
            phone_shown: phone.as_ref().map(|phone| phone.shown().into_owned()),
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

/// The crews that this person may see, in their order: the office all of them, others those they belong to.
pub async fn list(conn: &mut impl AsConn, org: OrgId, sight: Sight) -> Result<Vec<Crew>> {
    let rows = qb!(&mut *conn, fetch_all as Row, |b| {
        b.push(
            "SELECT c.id, c.name, c.tone, c.hours, c.is_bookable, c.is_active, c.position, k.id AS feed FROM crew c",
        );
        b.push(" LEFT JOIN link k ON k.org_id = c.org_id AND k.kind = ").push_bind(link::Kind::CrewFeed);
        b.push(" AND k.subject_id = c.id AND k.revoked_at IS NULL AND ").push_bind(sight.is_office());
        b.push(" WHERE c.org_id = ").push_bind(org);
        if let Sight::Crew(account) = sight {
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
    Ok(rows.into_iter().map(|row| row.crew(&members)).collect())
}

/// # Errors
/// [`Error::NotFound`] when the org has no such crew.
pub async fn get(conn: &mut impl AsConn, org: OrgId, id: CrewId) -> Result<Crew> {
    list(conn, org, Sight::Office).await?.into_iter().find(|crew| crew.id == id).ok_or(Error::NotFound)
}

/// Its name, for those who write down who was to come.
pub async fn name(conn: &mut impl AsConn, org: OrgId, id: Option<CrewId>) -> Result<Option<String>> {
    let Some(id) = id else { return Ok(None) };
    let sql = "SELECT name FROM crew WHERE org_id = $1 AND id = $2";
    Ok(q!(conn, fetch_optional scalar String, sql, org, id)?)
}

/// The crews that somebody goes out with.
pub(crate) async fn of_person(conn: &mut impl AsConn, org: OrgId, person: AccountId) -> Result<Vec<CrewId>> {
    let sql = "SELECT crew_id FROM crew_member WHERE org_id = $1 AND account_id = $2";
    Ok(q!(conn, fetch_all scalar CrewId, sql, org, person)?)
}

/// Holds an active crew until the transaction ends: who gives it work does so one after the other.
///
/// # Errors
/// [`Error::Invalid`] on `crewId` when the org has no such crew, or it gets no work any more.
pub async fn hold(tx: &mut Tx, org: OrgId, id: CrewId) -> Result<()> {
    hold_known(tx, org, id, false).await
}

/// The same; a crew that the job already had may keep it (`is_its_own`) though it gets no new work.
pub(crate) async fn hold_known(tx: &mut Tx, org: OrgId, id: CrewId, is_its_own: bool) -> Result<()> {
    let sql = "UPDATE crew SET name = name WHERE org_id = $1 AND id = $2 RETURNING is_active";
    let is_active = q!(tx, fetch_optional scalar bool, sql, org, id)?;
    if is_active.is_some_and(|is_active| is_active || is_its_own) {
        return Ok(());
    }
    let mut errors = FieldErrors::default();
    errors.add("crewId", "Choose one of your crews");
    errors.finish()
}

/// What was sent, checked.
struct Checked {
    name: Option<String>,
    members: Option<Vec<AccountId>>,
}

impl CrewForm {
    async fn check(&self, conn: &mut impl AsConn, org: OrgId, is_new: bool) -> Result<Checked> {
        let mut errors = FieldErrors::default();
        let name = match &self.name {
            None if !is_new => None,
            typed => Some(line("name", typed.as_deref(), MAX_NAME).required("Name is required", &mut errors)),
        };
        if self.tone.is_some_and(|tone| !(0..TONES).contains(&tone)) {
            errors.add("tone", "Choose one of the eight colors");
        }
        if self.position.is_some_and(|position| !(0..MOST).contains(&position)) {
            errors.add("position", "Choose a place in the list");
        }
        if let Some(Some(hours)) = &self.hours {
            hours.note_faults(&mut errors);
        }
        let members = match &self.member_ids {
            None => None,
            Some(ids) => Some(members(conn, org, ids, &mut errors).await?),
        };
        errors.finish()?;
        Ok(Checked { name, members })
    }
}

/// The people of the business who were named, each once.
async fn members(
    conn: &mut impl AsConn,
    org: OrgId,
    ids: &[AccountId],
    errors: &mut FieldErrors,
) -> Result<Vec<AccountId>> {
    let sql = "SELECT id FROM account WHERE org_id = $1 AND is_active = TRUE";
    let people = q!(conn, fetch_all scalar AccountId, sql, org)?;
    let mut wanted = ids.to_vec();
    wanted.sort_unstable();
    wanted.dedup();
    if wanted.len() > MOST_MEMBERS {
        errors.add("memberIds", format!("Choose at most {MOST_MEMBERS} people"));
    }
    if wanted.iter().any(|id| !people.contains(id)) {
        errors.add("memberIds", "Choose people of your business");
    }
    Ok(wanted)
}

/// # Errors
/// [`Error::Invalid`] on the fields that do not fit; [`Error::Conflict`] when the name is taken, or there are fifty.
pub async fn add(tx: &mut Tx, origin: &Origin, org: OrgId, form: &CrewForm) -> Result<Crew> {
    crate::org::lock(&mut *tx, org).await?;
    let checked = form.check(&mut *tx, org, true).await?;
    let name = checked.name.unwrap_or_default();
    let count = q!(&mut *tx, fetch_one scalar i64, "SELECT COUNT(*) FROM crew WHERE org_id = $1", org)?;
    if count >= MOST {
        return Err(Error::Conflict("There are fifty crews already. Rename one that is not used any more."));
    }
    let id = CrewId(origin.uuid());
    is_free(&mut *tx, org, id, &name).await?;
    let row = Insert::into("crew (org_id, id, name, tone, hours, is_bookable, is_active, position, created_at)").row(
        values![
            org,
            id,
            name.as_str(),
            form.tone.unwrap_or(count % TONES),
            form.hours.clone().flatten().map(Json),
            form.is_bookable.unwrap_or(true),
            form.is_active.unwrap_or(true),
            form.position.unwrap_or(count),
            origin.now()
        ],
    );
    insert(&mut *tx, &row).await?;
    if let Some(people) = &checked.members {
        join(&mut *tx, org, id, people).await?;
    }
    link::ensure(&mut *tx, origin, org, link::Kind::CrewFeed, id.0, None).await?;
    changed(tx, origin, org, id).await
}

/// Changes a crew. One with work ahead stays active until somebody else has it.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] on the fields that do not fit; [`Error::Clash`] while it has coming jobs.
pub async fn edit(tx: &mut Tx, origin: &Origin, org: OrgId, id: CrewId, form: &CrewForm) -> Result<Crew> {
    crate::org::lock(&mut *tx, org).await?;
    // Who gives it work waits until this is done, or is seen.
    let held = q!(&mut *tx, execute, "UPDATE crew SET name = name WHERE org_id = $1 AND id = $2", org, id)?;
    if held == 0 {
        return Err(Error::NotFound);
    }
    let checked = form.check(&mut *tx, org, false).await?;
    let stands = get(&mut *tx, org, id).await?;
    if let Some(name) = &checked.name {
        is_free(&mut *tx, org, id, name).await?;
    }
    if form.is_active == Some(false) && stands.is_active {
        has_no_work(&mut *tx, origin, org, id).await?;
    }
    q!(
        &mut *tx,
        execute,
        "UPDATE crew SET name = $3, tone = $4, hours = $5, is_bookable = $6, is_active = $7, position = $8
         WHERE org_id = $1 AND id = $2",
        org,
        id,
        checked.name.as_deref().unwrap_or(&stands.name),
        form.tone.unwrap_or(stands.tone),
        form.hours.clone().unwrap_or(stands.hours).map(Json),
        form.is_bookable.unwrap_or(stands.is_bookable),
        form.is_active.unwrap_or(stands.is_active),
        form.position.unwrap_or(stands.position)
    )?;
    if let Some(people) = &checked.members {
        q!(&mut *tx, execute, "DELETE FROM crew_member WHERE org_id = $1 AND crew_id = $2", org, id)?;
        join(tx, org, id, people).await?;
    }
    changed(tx, origin, org, id).await
}

async fn join(tx: &mut Tx, org: OrgId, id: CrewId, people: &[AccountId]) -> Result<()> {
    let rows = people.iter().map(|person| values![org, id, *person]);
    insert(tx, &Insert::into("crew_member (org_id, crew_id, account_id)").rows(rows)).await?;
    Ok(())
}

async fn changed(tx: &mut Tx, origin: &Origin, org: OrgId, id: CrewId) -> Result<Crew> {
    live::announce(&mut *tx, origin, org, Topic::Crew, id.0, None).await?;
    get(tx, org, id).await
}

/// Two crews of one name could not be told apart on the board.
async fn is_free(conn: &mut impl AsConn, org: OrgId, but: CrewId, name: &str) -> Result<()> {
    let names = q!(
        conn,
        fetch_all scalar String,
        "SELECT name FROM crew WHERE org_id = $1 AND id <> $2",
        org,
        but
    )?;
    if names.iter().any(|taken| taken.to_lowercase() == name.to_lowercase()) {
        return Err(Error::Conflict("There is a crew of this name already."));
    }
    Ok(())
}

/// Work from yesterday on, and what waits in the tray for it.
async fn has_no_work(conn: &mut impl AsConn, origin: &Origin, org: OrgId, id: CrewId) -> Result<()> {
    let coming = q!(
        conn,
        fetch_one scalar i64,
        "SELECT COUNT(*) FROM job WHERE org_id = $1 AND crew_id = $2 AND status IN ('scheduled', 'in_progress')
             AND (starts_at IS NULL OR ends_at > $3 OR status = 'in_progress')",
        org,
        id,
        origin.now() - Duration::days(1)
    )?;
    match coming {
        0 => Ok(()),
        1 => Err(Error::Clash("Move its coming job first.".to_owned())),
        more => Err(Error::Clash(format!("Move its {more} coming jobs first."))),
    }
}
