//! Changes of crews: members, hours, and whether they get work.

use chrono::Duration;
use serde::Deserialize;
use sqlx::types::Json;
use utoipa::ToSchema;

use super::{Crew, feed, get};
use crate::{
    conflicts::{ConflictCode, ConflictReason},
    platform::{
        access_link,
        business_hours::BusinessHours,
        clock::ClockRng,
        db::{
            AsConn, Tx,
            batch::{Insert, insert_rows, values},
            batch_row, q,
        },
        error::{Error, FieldErrors, Result},
        field_schemas,
        id::{AccountId, CrewId, OrgId},
        live::{self, Topic},
        text::{given, single_line},
    },
};

const MOST: i64 = 50;
const MAX_NAME: usize = 60;
const TONES: i64 = 8;
const MOST_MEMBERS: usize = 30;

/// A crew, or a change of one: what is absent stays.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CrewChange)]
pub struct CrewForm {
    /// A new crew needs one.
    #[schema(schema_with = field_schemas::required_line::<60>)]
    pub name: Option<String>,
    /// One of eight tones of the palette.
    #[schema(minimum = 0, maximum = 7)]
    pub tone: Option<i64>,
    /// Null: those of the business.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<BusinessHours>)]
    pub hours: Option<Option<BusinessHours>>,
    pub is_bookable: Option<bool>,
    pub is_active: Option<bool>,
    #[schema(minimum = 0, maximum = 49)]
    pub position: Option<i64>,
    #[schema(value_type = Option<Vec<uuid::Uuid>>, max_items = 30)]
    pub member_ids: Option<Vec<AccountId>>,
}

struct CheckedCrewForm {
    name: Option<String>,
    members: Option<Vec<AccountId>>,
}

impl CrewForm {
    async fn validate(&self, conn: &mut dyn AsConn, org: OrgId, is_new: bool) -> Result<CheckedCrewForm> {
        let mut errors = FieldErrors::default();
        let name = match &self.name {
            None if !is_new => None,
            typed => {
                Some(single_line("name", typed.as_deref(), MAX_NAME).parse_required("Name is required", &mut errors))
            }
        };
        if self.tone.is_some_and(|tone| !(0..TONES).contains(&tone)) {
            errors.add("tone", "Choose one of the eight colors");
        }
        if self.position.is_some_and(|position| !(0..MOST).contains(&position)) {
            errors.add("position", "Choose a place in the list");
        }
        if let Some(Some(hours)) = &self.hours {
            hours.validate_into(&mut errors);
        }
        let members = match &self.member_ids {
            None => None,
            Some(ids) => Some(validate_members(conn, org, ids, &mut errors).await?),
        };
        errors.into_result()?;
        Ok(CheckedCrewForm { name, members })
    }
}

async fn validate_members(
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
pub async fn add_crew(tx: &mut Tx, origin: &ClockRng, org: OrgId, form: &CrewForm) -> Result<Crew> {
    crate::domain::tenancy::org::lock(&mut *tx, org).await?;
    let checked = form.validate(&mut *tx, org, true).await?;
    let name = checked.name.unwrap_or_default();
    let count = q!(&mut *tx, fetch_one scalar i64, "SELECT COUNT(*) FROM crew WHERE org_id = $1", org)?;
    if count >= MOST {
        return Err(ConflictCode::CrewsFull.into_error());
    }
    let id = CrewId(origin.uuid_v7());
    check_name_free(&mut *tx, org, id, &name).await?;
    let row = batch_row!(crew {
        org_id: org,
        id,
        name: name.as_str(),
        tone: form.tone.unwrap_or(count % TONES),
        hours: form.hours.clone().flatten().map(Json),
        is_bookable: form.is_bookable.unwrap_or(true),
        is_active: form.is_active.unwrap_or(true),
        position: form.position.unwrap_or(count),
        created_at: origin.now(),
    });
    insert_rows(&mut *tx, &row).await?;
    if let Some(people) = &checked.members {
        insert_members(&mut *tx, org, id, people).await?;
    }
    access_link::ensure_link(&mut *tx, origin, org, access_link::LinkKind::CrewFeed, id.0, None).await?;
    announce_and_reload(tx, origin, org, id).await
}

/// A crew with work ahead stays active until the work is reassigned.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] on the fields that do not fit; [`Error::Conflict`] while it has coming jobs.
pub async fn update_crew(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: CrewId, form: &CrewForm) -> Result<Crew> {
    crate::domain::tenancy::org::lock(&mut *tx, org).await?;
    // Locks the crew: concurrent assignments wait, or are seen.
    let held = q!(&mut *tx, execute, "UPDATE crew SET name = name WHERE org_id = $1 AND id = $2", org, id)?;
    if held == 0 {
        return Err(Error::NotFound);
    }
    let checked = form.validate(&mut *tx, org, false).await?;
    let stored = get(&mut *tx, org, id).await?;
    if let Some(name) = &checked.name {
        check_name_free(&mut *tx, org, id, name).await?;
    }
    if form.is_active == Some(false) && stored.is_active {
        check_no_upcoming_jobs(&mut *tx, origin, org, id).await?;
    }
    q!(
        &mut *tx,
        execute,
        "UPDATE crew SET name = $3, tone = $4, hours = $5, is_bookable = $6, is_active = $7, position = $8
         WHERE org_id = $1 AND id = $2",
        org,
        id,
        checked.name.as_deref().unwrap_or(&stored.name),
        form.tone.unwrap_or(stored.tone),
        form.hours.clone().unwrap_or(stored.hours).map(Json),
        form.is_bookable.unwrap_or(stored.is_bookable),
        form.is_active.unwrap_or(stored.is_active),
        form.position.unwrap_or(stored.position)
    )?;
    if let Some(people) = &checked.members {
        let before = list_member_ids(&mut *tx, org, id).await?;
        q!(&mut *tx, execute, "DELETE FROM crew_member WHERE org_id = $1 AND crew_id = $2", org, id)?;
        insert_members(&mut *tx, org, id, people).await?;
        if before.iter().any(|person| !people.contains(person)) {
            feed::rotate_for_departed_member(&mut *tx, origin, org, &[id]).await?;
        }
    }
    announce_and_reload(tx, origin, org, id).await
}

/// Includes people who may not sign in any more.
async fn list_member_ids(conn: &mut dyn AsConn, org: OrgId, id: CrewId) -> Result<Vec<AccountId>> {
    let sql = "SELECT account_id FROM crew_member WHERE org_id = $1 AND crew_id = $2";
    Ok(q!(conn, fetch_all scalar AccountId, sql, org, id)?)
}

async fn insert_members(tx: &mut Tx, org: OrgId, id: CrewId, people: &[AccountId]) -> Result<()> {
    let rows = people.iter().map(|person| values![org, id, *person]);
    insert_rows(tx, &Insert::into("crew_member (org_id, crew_id, account_id)").with_rows(rows)).await?;
    Ok(())
}

async fn announce_and_reload(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: CrewId) -> Result<Crew> {
    live::publish_event(&mut *tx, origin, org, Topic::Crew, id.0, None).await?;
    get(tx, org, id).await
}

/// Two crews of one name look alike on the board.
async fn check_name_free(conn: &mut dyn AsConn, org: OrgId, but: CrewId, name: &str) -> Result<()> {
    let names = q!(
        conn,
        fetch_all scalar String,
        "SELECT name FROM crew WHERE org_id = $1 AND id <> $2",
        org,
        but
    )?;
    if names.iter().any(|taken| taken.to_lowercase() == name.to_lowercase()) {
        return Err(ConflictCode::CrewNameTaken.into_error());
    }
    Ok(())
}

/// Jobs from yesterday on, and those in the tray.
async fn check_no_upcoming_jobs(conn: &mut dyn AsConn, origin: &ClockRng, org: OrgId, id: CrewId) -> Result<()> {
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
        count => Err(ConflictReason::crew_has_coming_jobs(count).into()),
    }
}
