//! Acceptance of an invitation: what its link shows, and how its holder joins.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{InviteRole, MAX_NAME};
use crate::{
    conflicts::ConflictCode,
    domain::tenancy::account::{Account, Role, find_by_email, password},
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, insert_row, q},
        email_address::EmailAddress,
        error::{Error, FieldErrors, Result},
        field_schemas,
        id::{AccountId, CrewId, InviteId, OrgId},
        live::{self, Topic},
        phone::Phone,
        secret::SecretKey,
        text,
    },
};

/// The invitation as shown to the reader of its link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InviteOffer {
    pub org_name: String,
    pub name: String,
    pub email: Option<String>,
    pub role: InviteRole,
    /// Whether the business may not send email yet. Then this link admits nobody, because it proves no address.
    pub is_email_closed: bool,
}

#[derive(Clone, Debug, FromRow)]
pub struct LinkedInvite {
    pub org_id: OrgId,
    pub id: InviteId,
    pub org_name: String,
    name: String,
    email: Option<EmailAddress>,
    role: InviteRole,
    accepted_at: Option<DateTime<Utc>>,
}

impl LinkedInvite {
    /// The prefilled form; `proof` is that of the link. A proof of another address means that another address was
    /// typed: the invited one is left out.
    #[must_use]
    pub fn into_offer(self, secret: &SecretKey, proof: Option<&str>, is_email_closed: bool) -> InviteOffer {
        let is_for = |email: &EmailAddress| {
            proof.is_none_or(|proof| super::proof::is_valid_proof(secret, self.org_id, email.as_str(), proof))
        };
        let email = self.email.filter(is_for).map(EmailAddress::into_string);
        InviteOffer { org_name: self.org_name, name: self.name, email, role: self.role, is_email_closed }
    }

    /// Whether the owner made it for this address.
    pub(super) fn is_meant_for(&self, email: &EmailAddress) -> bool {
        self.email.as_ref() == Some(email)
    }

    #[must_use]
    pub fn is_used(&self) -> bool {
        self.accepted_at.is_some()
    }
}

pub async fn find_invite(conn: &mut dyn AsConn, org: OrgId, id: Uuid) -> Result<LinkedInvite> {
    let sql = "SELECT i.org_id, i.id, o.name AS org_name, i.name, i.email, i.role, i.accepted_at
         FROM invite i JOIN org o ON o.id = i.org_id WHERE i.org_id = $1 AND i.id = $2";
    q!(conn, fetch_optional as LinkedInvite, sql, org, id)?.ok_or(Error::NotFound)
}

/// Who joins.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[schema(as = JoinRequest)]
pub struct JoinForm {
    #[schema(required, schema_with = field_schemas::required_line::<100>)]
    pub name: Option<String>,
    /// What they sign in with from now on.
    #[schema(required, schema_with = field_schemas::email_address)]
    pub email: Option<String>,
    #[schema(required, schema_with = field_schemas::new_password)]
    pub password: Option<String>,
}

pub struct NewTeamMember {
    pub name: String,
    pub email: EmailAddress,
    pub password: String,
}

impl JoinForm {
    pub fn validate_join(self, business: &str) -> Result<NewTeamMember> {
        let mut errors = FieldErrors::default();
        let name =
            text::single_line("name", self.name.as_deref(), MAX_NAME).parse_required("Name is required", &mut errors);
        let typed =
            text::single_line("email", self.email.as_deref(), 254).parse_required("Email is required", &mut errors);
        let email = EmailAddress::parse(&typed);
        if email.is_none() {
            errors.add("email", text::invalid_email_reason(&typed));
        }
        let password = self.password.unwrap_or_default();
        if let Err(problem) =
            password::validate_password(&password, business, email.as_ref().map_or("", EmailAddress::as_str))
        {
            errors.add("password", problem);
        }
        let email = errors.require(email)?;
        Ok(NewTeamMember { name, email, password })
    }
}

/// Creates the account for a person with a proven address, uses up the invitation, and adds the crew it names.
///
/// # Errors
/// [`Error::Conflict`] when it was used; [`Error::Invalid`] on `email` when an account has that address.
pub async fn accept_invite(
    tx: &mut Tx,
    origin: &ClockRng,
    found: &LinkedInvite,
    joiner: &NewTeamMember,
    password_hash: &str,
) -> Result<Account> {
    let (org, now, account) = (found.org_id, origin.now(), AccountId(origin.uuid_v7()));
    let claimed = q!(
        &mut *tx,
        fetch_optional as (InviteRole, Option<CrewId>, Option<Phone>),
        "UPDATE invite SET accepted_at = $3 WHERE org_id = $1 AND id = $2 AND accepted_at IS NULL
         RETURNING role, crew_id, phone_e164",
        org,
        found.id,
        now
    )?;
    let Some((role, crew, phone)) = claimed else { return Err(already_used_error()) };
    let stored = insert_row!(&mut *tx, fetch_optional scalar AccountId, account {
        id: account,
        org_id: org,
        email: &joiner.email,
        name: &joiner.name,
        role: Role::from(role),
        password_hash,
        phone_e164: phone,
        two_factor_enabled: false,
        is_active: true,
        created_at: now,
        password_changed_at: now,
        email_proved_at: now,
    }, "ON CONFLICT (email) DO NOTHING RETURNING id")?;
    if stored.is_none() {
        let mut errors = FieldErrors::default();
        errors.add("email", "You sign in with this address already. Choose another one");
        return Err(Error::Invalid(errors));
    }
    let sql = "UPDATE invite SET account_id = $3 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, found.id, account)?;
    if let Some(crew) = crew {
        // No row when the crew was deactivated meanwhile.
        q!(
            &mut *tx,
            execute,
            "INSERT INTO crew_member (org_id, crew_id, account_id)
             SELECT c.org_id, c.id, $3 FROM crew c WHERE c.org_id = $1 AND c.id = $2 AND c.is_active = TRUE",
            org,
            crew,
            account
        )?;
        live::publish_event(&mut *tx, origin, org, Topic::Crew, crew.0, None).await?;
    }
    live::publish_event(&mut *tx, origin, org, Topic::Settings, org.0, None).await?;
    find_by_email(tx, joiner.email.as_str())
        .await?
        .ok_or_else(|| Error::Internal("who just joined is not there".to_owned()))
}

#[must_use]
pub fn already_used_error() -> Error {
    ConflictCode::InviteUsed.into_error()
}

#[must_use]
pub fn expired_error() -> Error {
    ConflictCode::InviteExpired.into_error()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::IntoMessages;

    #[test]
    fn join_form_requires_email_name_and_password_unlike_business_name() {
        let form = |password: &str| JoinForm {
            name: Some("Dave Drill".to_owned()),
            email: Some("Dave@Crew.example".to_owned()),
            password: Some(password.to_owned()),
        };
        assert_eq!(form("copper-elbow-joint").validate_join("Acme").unwrap().email.as_str(), "dave@crew.example");
        let faults = |form: JoinForm| match form.validate_join("Acme Plumbing") {
            Err(Error::Invalid(errors)) => errors.into_messages().into_iter().map(|(field, _)| field).collect(),
            _ => Vec::new(),
        };
        assert_eq!(faults(form("Acme Plumbing")), ["password"]);
        assert_eq!(faults(JoinForm::default()), ["email", "name", "password"]);
    }
}
