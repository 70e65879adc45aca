//! Members of a business: roles, sign-in rights, and crews.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{
    Account, Role, invite,
    listener::{AccessEvent, notify_access_listeners},
    one_time_token, second_factor,
};
use crate::{
    conflicts::ConflictCode,
    domain::tenancy::{
        api_key, org, push_device,
        security::device,
        session::{self, store_key},
    },
    platform::{
        clock::ClockRng,
        db::{
            AsConn, Tx,
            batch::{Insert, insert_rows, values},
            q,
        },
        error::{Error, FieldErrors, Result},
        id::{AccountId, CrewId, OrgId},
        live::{self, Topic},
        phone::Phone,
    },
};

/// Somebody of the business, as the office sees them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TeamMember)]
pub struct TeamMemberView {
    pub id: AccountId,
    pub name: String,
    pub role: Role,
    pub email: String,
    /// As people read it.
    pub phone_shown: Option<String>,
    /// An inactive person cannot sign in and gets no messages.
    pub is_active: bool,
    /// Whether their sign-in asks for a code beside the password.
    pub two_factor_enabled: bool,
    /// The crews they belong to.
    #[schema(value_type = Vec<uuid::Uuid>)]
    pub crew_ids: Vec<CrewId>,
}

impl TeamMemberView {
    #[must_use]
    pub fn is_owner(&self) -> bool {
        self.role == Role::Owner && self.is_active
    }
}

/// Changes of a member; absent fields stay.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TeamMemberChange)]
pub struct MemberPatch {
    pub role: Option<Role>,
    /// An inactive person is signed out everywhere at once and gets no more messages.
    pub is_active: Option<bool>,
    /// All the crews they belong to from now on.
    #[schema(value_type = Option<Vec<uuid::Uuid>>, max_items = 50)]
    pub crew_ids: Option<Vec<CrewId>>,
}

impl MemberPatch {
    /// Whether it changes rights, not only crews.
    #[must_use]
    pub fn changes_permissions(&self, current: &TeamMemberView) -> bool {
        self.role.is_some_and(|role| role != current.role)
            || self.is_active.is_some_and(|is_active| is_active != current.is_active)
    }
}

#[derive(FromRow)]
struct TeamMemberRow {
    id: AccountId,
    name: String,
    role: Role,
    email: String,
    phone_e164: Option<Phone>,
    is_active: bool,
    two_factor_enabled: bool,
}

pub async fn list(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<TeamMemberView>> {
    let rows = q!(
        &mut *conn,
        fetch_all as TeamMemberRow,
        "SELECT id, name, role, email, phone_e164, is_active, two_factor_enabled FROM account WHERE org_id = $1
         ORDER BY CASE WHEN is_active THEN 0 ELSE 1 END, name, id",
        org
    )?;
    let sql =
        "SELECT m.account_id, m.crew_id FROM crew_member m JOIN crew c ON c.org_id = m.org_id AND c.id = m.crew_id
         WHERE m.org_id = $1 ORDER BY c.position, c.created_at, c.id";
    let mut crews: BTreeMap<AccountId, Vec<CrewId>> = BTreeMap::new();
    for (account, crew) in q!(conn, fetch_all as (AccountId, CrewId), sql, org)? {
        crews.entry(account).or_default().push(crew);
    }
    let member = |row: TeamMemberRow| TeamMemberView {
        crew_ids: crews.remove(&row.id).unwrap_or_default(),
        id: row.id,
        name: row.name,
        role: row.role,
        email: row.email,
        phone_shown: row.phone_e164.map(|phone| phone.format_display().into_owned()),
        is_active: row.is_active,
        two_factor_enabled: row.two_factor_enabled,
    };
    Ok(rows.into_iter().map(member).collect())
}

pub async fn get(conn: &mut dyn AsConn, org: OrgId, id: AccountId) -> Result<TeamMemberView> {
    list(conn, org).await?.into_iter().find(|member| member.id == id).ok_or(Error::NotFound)
}

/// Changes role, crews and sign-in right. A deactivated member is signed out everywhere at once.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for an unknown crew; [`Error::Conflict`] when no owner would be left.
pub async fn update_member(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    id: AccountId,
    patch: &MemberPatch,
) -> Result<TeamMemberView> {
    // Serializes two owners who remove each other.
    org::lock(&mut *tx, org).await?;
    let current = get(&mut *tx, org, id).await?;
    let (role, is_active) = (patch.role.unwrap_or(current.role), patch.is_active.unwrap_or(current.is_active));
    let ends_owning = current.is_owner() && !(role == Role::Owner && is_active);
    if ends_owning {
        require_other_owner(&mut *tx, org, id).await?;
    }
    let sql = "UPDATE account SET role = $3, is_active = $4 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, id, role, is_active)?;
    if let Some(crews) = &patch.crew_ids {
        set_crews(&mut *tx, org, id, crews).await?;
    }
    if ends_owning {
        // Keys are valid only while their maker is an owner, and do not come back with the role.
        api_key::revoke_by_account(&mut *tx, origin, org, id).await?;
        invite::revoke_by_inviter(&mut *tx, origin, org, id).await?;
    }
    let is_let_go = current.is_active && !is_active;
    let stays_in = |crew: &CrewId| !is_let_go && patch.crew_ids.as_ref().is_none_or(|crews| crews.contains(crew));
    let left: Vec<CrewId> = current.crew_ids.into_iter().filter(|crew| !stays_in(crew)).collect();
    notify_access_listeners(&mut *tx, origin, org, AccessEvent::CrewsLeft(&left)).await?;
    if !is_active {
        revoke_all_access(&mut *tx, origin, org, id).await?;
    }
    // Open pages reload the current user.
    live::publish_event(&mut *tx, origin, org, Topic::Settings, org.0, None).await?;
    live::publish_event(&mut *tx, origin, org, Topic::Crew, id.0, None).await?;
    get(tx, org, id).await
}

async fn require_other_owner(conn: &mut dyn AsConn, org: OrgId, but: AccountId) -> Result<()> {
    let sql =
        "SELECT EXISTS (SELECT 1 FROM account WHERE org_id = $1 AND id <> $2 AND role = 'owner' AND is_active = TRUE)";
    if q!(conn, fetch_one scalar bool, sql, org, but)? {
        return Ok(());
    }
    Err(ConflictCode::OwnerNeeded.into_error())
}

async fn set_crews(tx: &mut Tx, org: OrgId, id: AccountId, crews: &[CrewId]) -> Result<()> {
    let existing = q!(&mut *tx, fetch_all scalar CrewId, "SELECT id FROM crew WHERE org_id = $1", org)?;
    let mut wanted = crews.to_vec();
    wanted.sort_unstable();
    wanted.dedup();
    if wanted.iter().any(|crew| !existing.contains(crew)) {
        let mut errors = FieldErrors::default();
        errors.add("crewIds", "Choose some of your crews");
        return errors.into_result();
    }
    q!(&mut *tx, execute, "DELETE FROM crew_member WHERE org_id = $1 AND account_id = $2", org, id)?;
    let rows = wanted.into_iter().map(|crew| values![org, crew, id]);
    insert_rows(tx, &Insert::into("crew_member (org_id, crew_id, account_id)").with_rows(rows)).await?;
    Ok(())
}

/// Removes a member's second factor after losing phone and codes, and signs them out everywhere. The password alone
/// then signs in, or leads to a new setup if the business requires one.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Conflict`] when there is none.
pub async fn reset_second_factor(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: AccountId) -> Result<Account> {
    let account = super::get(&mut *tx, org, id).await?;
    if !account.two_factor_enabled {
        return Err(ConflictCode::MemberWithoutSecondFactor.into_error());
    }
    second_factor::delete_second_factor(&mut *tx, &account).await?;
    one_time_token::revoke_all_tokens(&mut *tx, org, id).await?;
    session::revoke_all_sessions(&mut *tx, org, id).await?;
    push_device::delete_account_devices(&mut *tx, org, id).await?;
    device::forget_other_devices(&mut *tx, origin, org, id, None).await?;
    live::publish_event(tx, origin, org, Topic::Settings, org.0, None).await?;
    Ok(account)
}

/// Ends the access, alerts, invitations and conversation assignments of a deactivated member.
async fn revoke_all_access(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: AccountId) -> Result<()> {
    one_time_token::revoke_all_tokens(&mut *tx, org, id).await?;
    session::revoke_all_sessions(&mut *tx, org, id).await?;
    store_key::delete_unsent_keys(&mut *tx, org, id).await?;
    push_device::delete_account_devices(&mut *tx, org, id).await?;
    invite::revoke_by_inviter(&mut *tx, origin, org, id).await?;
    let sql = "UPDATE conversation SET assigned_account_id = NULL WHERE org_id = $1 AND assigned_account_id = $2";
    q!(&mut *tx, execute, sql, org, id)?;
    live::publish_event(tx, origin, org, Topic::Settings, org.0, None).await
}
