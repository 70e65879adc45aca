//! Changing crews: who is in them, when they work, and whether they get work.

use chrono::Duration;
use serde::Deserialize;
use sqlx::types::Json;

use super::{Crew, feed, get};
use crate::platform::{
    access_link,
    business_hours::Hours,
    clock::Origin,
    db::{
        AsConn, Tx,
        batch::{Insert, insert, values},
        q,
    },
    error::{Error, FieldErrors, Result},
    id::{AccountId, CrewId, OrgId},
    live::{self, Topic},
    text::{given, line},
};

/// More than a business of this kind has.
const MOST: i64 = 50;
const MAX_NAME: usize = 60;
/// Tones of the palette.
const TONES: i64 = 8;
/// More people than go out together.
const MOST_MEMBERS: usize = 30;

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

/// What was sent, checked.
struct Checked {
    name: Option<String>,
    members: Option<Vec<AccountId>>,
}

impl CrewForm {
    async fn check(&self, conn: &mut dyn AsConn, org: OrgId, is_new: bool) -> Result<Checked> {
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
    conn: &mut dyn AsConn,
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
    crate::domain::tenancy::org::lock(&mut *tx, org).await?;
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
    access_link::ensure(&mut *tx, origin, org, access_link::Kind::CrewFeed, id.0, None).await?;
    changed(tx, origin, org, id).await
}

/// Changes a crew. One with work ahead stays active until somebody else has it.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] on the fields that do not fit; [`Error::Clash`] while it has coming jobs.
pub async fn edit(tx: &mut Tx, origin: &Origin, org: OrgId, id: CrewId, form: &CrewForm) -> Result<Crew> {
    crate::domain::tenancy::org::lock(&mut *tx, org).await?;
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
        let before = everybody(&mut *tx, org, id).await?;
        q!(&mut *tx, execute, "DELETE FROM crew_member WHERE org_id = $1 AND crew_id = $2", org, id)?;
        join(&mut *tx, org, id, people).await?;
        if before.iter().any(|person| !people.contains(person)) {
            feed::left(&mut *tx, origin, org, &[id]).await?;
        }
    }
    changed(tx, origin, org, id).await
}

/// Those too who may not sign in any more.
async fn everybody(conn: &mut dyn AsConn, org: OrgId, id: CrewId) -> Result<Vec<AccountId>> {
    let sql = "SELECT account_id FROM crew_member WHERE org_id = $1 AND crew_id = $2";
    Ok(q!(conn, fetch_all scalar AccountId, sql, org, id)?)
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
async fn is_free(conn: &mut dyn AsConn, org: OrgId, but: CrewId, name: &str) -> Result<()> {
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
async fn has_no_work(conn: &mut dyn AsConn, origin: &Origin, org: OrgId, id: CrewId) -> Result<()> {
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
