//! Invitations: a link that works once, for seven days, and carries the role. The row does not grant access: the link's
//! token is a keyed hash, so a database copy is not enough to join.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{Role, find_by_email};
use crate::{
    conflicts::ConflictCode,
    domain::tenancy::org,
    platform::{
        access_link,
        clock::ClockRng,
        db::{AsConn, Db, Tx, insert_row, q},
        email_address::EmailAddress,
        error::{Error, FieldErrors, Result},
        field_schemas,
        id::{AccountId, CrewId, InviteId, LinkId, OrgId},
        live::{self, Topic},
        phone::Phone,
        text,
    },
};

mod join;
pub mod proof;

pub use join::{
    InviteOffer, JoinForm, LinkedInvite, NewTeamMember, accept_invite, already_used_error, expired_error, find_invite,
};

const GOOD_FOR: Duration = Duration::days(7);
/// Open invitations at one time.
const MOST: usize = 50;
const MAX_NAME: usize = 100;
/// Retention, from the creation: the account holds what is needed of an accepted one.
const KEEP: Duration = Duration::days(90);
/// Rows of one prune.
const PRUNE_SLICE: i64 = 500;

/// Roles of an invitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum InviteRole {
    Owner,
    Office,
    Crew,
}

impl From<InviteRole> for Role {
    fn from(joins: InviteRole) -> Self {
        match joins {
            InviteRole::Owner => Self::Owner,
            InviteRole::Office => Self::Office,
            InviteRole::Crew => Self::Crew,
        }
    }
}

/// Somebody who is to join, reached by email or by text.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewInvite {
    #[schema(required, schema_with = field_schemas::required_line::<100>)]
    pub name: Option<String>,
    /// This or `phone`.
    #[schema(schema_with = field_schemas::email_or_empty)]
    pub email: Option<String>,
    #[schema(schema_with = field_schemas::nullable_phone)]
    pub phone: Option<String>,
    #[schema(value_type = InviteRole, required)]
    pub role: Option<InviteRole>,
    /// The crew they go out with.
    #[schema(value_type = Option<uuid::Uuid>)]
    pub crew_id: Option<CrewId>,
}

/// The link of a new invitation and where it may go.
pub(crate) struct StoredInvite {
    pub(crate) id: InviteId,
    pub(crate) link: LinkId,
    pub(crate) name: String,
    pub(crate) email: Option<EmailAddress>,
    pub(crate) phone: Option<Phone>,
}

struct ValidInvite {
    name: String,
    email: Option<EmailAddress>,
    phone: Option<Phone>,
    role: InviteRole,
    crew: Option<CrewId>,
}

impl NewInvite {
    async fn validate_invite(&self, conn: &mut dyn AsConn, org: OrgId) -> Result<ValidInvite> {
        let mut errors = FieldErrors::default();
        let name =
            text::single_line("name", self.name.as_deref(), MAX_NAME).parse_required("Name is required", &mut errors);
        let typed = text::single_line("email", self.email.as_deref(), 254).parse_optional(&mut errors);
        let email = typed.as_deref().and_then(EmailAddress::parse);
        if let Some(typed) = typed.as_deref().filter(|_| email.is_none()) {
            errors.add("email", text::invalid_email_reason(typed));
        }
        let typed = text::single_line("phone", self.phone.as_deref(), 40).parse_optional(&mut errors);
        let phone = typed.as_deref().and_then(Phone::parse);
        if typed.is_some() && phone.is_none() {
            errors.add("phone", "Please enter a valid phone number");
        }
        if email.is_none() && phone.is_none() {
            errors.add("email", "Enter an email address or a phone number");
        }
        let role = self.role.unwrap_or(InviteRole::Crew);
        if self.role.is_none() {
            errors.add("role", "Choose what they may do");
        }
        if let Some(crew) = self.crew_id {
            let sql = "SELECT EXISTS (SELECT 1 FROM crew WHERE org_id = $1 AND id = $2 AND is_active = TRUE)";
            if !q!(&mut *conn, fetch_one scalar bool, sql, org, crew)? {
                errors.add("crewId", "Choose one of your crews");
            }
        }
        if let Some(email) = &email
            && find_by_email(conn, email.as_str()).await?.is_some_and(|known| known.org_id == org)
        {
            errors.add("email", "Someone on your team already signs in with this address");
        }
        errors.into_result()?;
        Ok(ValidInvite { name, email, phone, role, crew: self.crew_id })
    }
}

/// Stores an invitation, which replaces an open one for the same address, and its link.
///
/// # Errors
/// [`Error::Invalid`] on the fields that do not fit; [`Error::Conflict`] when too many are open.
pub(crate) async fn store_invite(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    new: &NewInvite,
    by: AccountId,
) -> Result<StoredInvite> {
    org::lock(&mut *tx, org).await?;
    let checked = new.validate_invite(&mut *tx, org).await?;
    revoke_duplicates(tx, origin, org, &checked).await?;
    if list_open_invites(&mut *tx, org).await?.len() >= MOST {
        return Err(ConflictCode::InvitesFull.into_error());
    }
    let (id, now) = (InviteId(origin.uuid_v7()), origin.now());
    insert_invite(&mut *tx, (org, id), &checked, by, now).await?;
    let link =
        access_link::ensure_link(&mut *tx, origin, org, access_link::LinkKind::Invite, id.0, Some(now + GOOD_FOR))
            .await?;
    Ok(StoredInvite { id, link, name: checked.name, email: checked.email, phone: checked.phone })
}

async fn insert_invite(
    tx: &mut Tx,
    (org, id): (OrgId, InviteId),
    checked: &ValidInvite,
    by: AccountId,
    now: DateTime<Utc>,
) -> Result<()> {
    insert_row!(
        tx,
        execute,
        invite {
            org_id: org,
            id: id,
            name: &checked.name,
            email: &checked.email,
            phone_e164: &checked.phone,
            role: checked.role,
            crew_id: checked.crew,
            invited_by: by,
            created_at: now,
        }
    )?;
    Ok(())
}

async fn revoke_duplicates(tx: &mut Tx, origin: &ClockRng, org: OrgId, new: &ValidInvite) -> Result<()> {
    let same = q!(
        &mut *tx,
        fetch_all scalar InviteId,
        "SELECT id FROM invite WHERE org_id = $1 AND accepted_at IS NULL AND (email = $2 OR phone_e164 = $3)",
        org,
        &new.email,
        &new.phone
    )?;
    for id in same {
        access_link::revoke_link(&mut *tx, origin, org, access_link::LinkKind::Invite, id.0).await?;
    }
    Ok(())
}

#[derive(FromRow)]
pub(crate) struct OpenInvite {
    pub(crate) id: InviteId,
    pub(crate) name: String,
    pub(crate) email: Option<EmailAddress>,
    pub(crate) phone_e164: Option<Phone>,
    pub(crate) role: InviteRole,
    pub(crate) crew_id: Option<CrewId>,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) link_id: LinkId,
    pub(crate) expires_at: DateTime<Utc>,
}

/// Open invitations, newest first. Expired ones stay listed until revoked, replaced or pruned.
pub(crate) async fn list_open_invites(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<OpenInvite>> {
    Ok(q!(
        conn,
        fetch_all as OpenInvite,
        "SELECT i.id, i.name, i.email, i.phone_e164, i.role, i.crew_id, i.created_at, k.id AS link_id, k.expires_at
         FROM invite i JOIN access_link k ON k.org_id = i.org_id AND k.kind = 'invite' AND k.subject_id = i.id
             AND k.revoked_at IS NULL
         WHERE i.org_id = $1 AND i.accepted_at IS NULL ORDER BY i.created_at DESC, i.id DESC",
        org
    )?)
}

/// Revokes the open invitations of a person whose password was reset or who is no longer an owner.
pub async fn revoke_by_inviter(tx: &mut Tx, origin: &ClockRng, org: OrgId, account: AccountId) -> Result<()> {
    let sql = "SELECT id FROM invite WHERE org_id = $1 AND invited_by = $2 AND accepted_at IS NULL";
    for id in q!(&mut *tx, fetch_all scalar InviteId, sql, org, account)? {
        access_link::revoke_link(&mut *tx, origin, org, access_link::LinkKind::Invite, id.0).await?;
    }
    Ok(())
}

/// # Errors
/// [`Error::NotFound`]; [`Error::Conflict`] when it was used.
pub async fn revoke(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: InviteId) -> Result<()> {
    // Locked so that it cannot be accepted between the check and the change.
    org::lock(&mut *tx, org).await?;
    let sql = "SELECT accepted_at IS NOT NULL FROM invite WHERE org_id = $1 AND id = $2";
    if q!(&mut *tx, fetch_optional scalar bool, sql, org, id)?.ok_or(Error::NotFound)? {
        return Err(ConflictCode::InviteAccepted.into_error());
    }
    access_link::revoke_link(&mut *tx, origin, org, access_link::LinkKind::Invite, id.0).await?;
    live::publish_event(tx, origin, org, Topic::Settings, org.0, None).await
}

/// Removes a slice of old invitations, accepted or not.
pub async fn prune_old_invites(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(
        &mut tx,
        execute,
        "DELETE FROM invite WHERE (org_id, id) IN (
             SELECT i.org_id, i.id FROM org o CROSS JOIN invite i
             WHERE i.org_id = o.id AND i.created_at < $1 LIMIT $2)",
        now - KEEP,
        PRUNE_SLICE
    )?;
    tx.commit().await
}
