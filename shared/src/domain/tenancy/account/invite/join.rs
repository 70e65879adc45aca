//! The other end of an invitation: what its link tells, and how whoever holds it joins.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Joins, MAX_NAME};
use crate::{
    domain::tenancy::account::{Account, Role, find_by_email, password},
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        id::{AccountId, CrewId, InviteId, OrgId},
        live::{self, Topic},
        secret::SecretKey,
        text,
    },
};

/// What whoever holds a link is told of its invitation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = InviteOffer)]
pub struct Offer {
    pub org_name: String,
    pub name: String,
    pub email: Option<String>,
    pub role: Joins,
}

/// An invitation behind its link.
#[derive(Clone, Debug, FromRow)]
pub struct Found {
    pub org_id: OrgId,
    pub id: InviteId,
    pub org_name: String,
    name: String,
    email: Option<String>,
    role: Joins,
    accepted_at: Option<DateTime<Utc>>,
}

impl Found {
    /// What the form is filled with; `proof` is that of the link. One that proves another address was mailed to somebody
    /// who typed that one: the invited address is not put into their form.
    #[must_use]
    pub fn offer_for(self, secret: &SecretKey, proof: Option<&str>) -> Offer {
        let is_for = |email: &String| proof.is_none_or(|proof| super::proof::fits(secret, self.org_id, email, proof));
        let email = self.email.filter(is_for);
        Offer { org_name: self.org_name, name: self.name, email, role: self.role }
    }

    #[must_use]
    pub fn is_used(&self) -> bool {
        self.accepted_at.is_some()
    }
}

/// # Errors
/// [`Error::NotFound`] when there is none.
pub async fn find(conn: &mut dyn AsConn, org: OrgId, id: Uuid) -> Result<Found> {
    let sql = "SELECT i.org_id, i.id, o.name AS org_name, i.name, i.email, i.role, i.accepted_at
         FROM invite i JOIN org o ON o.id = i.org_id WHERE i.org_id = $1 AND i.id = $2";
    q!(conn, fetch_optional as Found, sql, org, id)?.ok_or(Error::NotFound)
}

/// Who joins, as they say it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JoinForm {
    pub name: Option<String>,
    pub email: Option<String>,
    pub password: Option<String>,
}

/// Somebody whose every field fits.
pub struct Joiner {
    pub name: String,
    pub email: String,
    pub password: String,
}

impl JoinForm {
    /// # Errors
    /// [`Error::Invalid`] naming every field that does not fit.
    pub fn check(self, business: &str) -> Result<Joiner> {
        let mut errors = FieldErrors::default();
        let name = text::line("name", self.name.as_deref(), MAX_NAME).required("Name is required", &mut errors);
        let typed = text::line("email", self.email.as_deref(), 254).required("Email is required", &mut errors);
        let email = text::email(&typed).unwrap_or_default();
        if email.is_empty() {
            errors.add("email", text::why_no_email(&typed));
        }
        let password = self.password.unwrap_or_default();
        if let Err(problem) = password::check(&password, business, &email) {
            errors.add("password", problem);
        }
        errors.finish()?;
        Ok(Joiner { name, email, password })
    }
}

/// Lets somebody in who has proved their address: the invitation is used up, and they belong to the business, with the
/// crew it names.
///
/// # Errors
/// [`Error::Conflict`] when it was used; [`Error::Invalid`] on `email` when somebody signs in with that address.
pub async fn accept(
    tx: &mut Tx,
    origin: &Origin,
    found: &Found,
    joiner: &Joiner,
    password_hash: &str,
) -> Result<Account> {
    let (org, now, account) = (found.org_id, origin.now(), AccountId(origin.uuid()));
    let claimed = q!(
        &mut *tx,
        fetch_optional as (Joins, Option<CrewId>, Option<String>),
        "UPDATE invite SET accepted_at = $3 WHERE org_id = $1 AND id = $2 AND accepted_at IS NULL
         RETURNING role, crew_id, phone_e164",
        org,
        found.id,
        now
    )?;
    let Some((role, crew, phone)) = claimed else { return Err(used()) };
    let stored = q!(
        &mut *tx,
        fetch_optional scalar AccountId,
        "INSERT INTO account (id, org_id, email, name, role, password_hash, phone_e164, two_factor_enabled, is_active,
             created_at, password_changed_at, email_proved_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, FALSE, TRUE, $8, $8, $8) ON CONFLICT (email) DO NOTHING RETURNING id",
        account,
        org,
        &joiner.email,
        &joiner.name,
        Role::from(role),
        password_hash,
        phone,
        now
    )?;
    if stored.is_none() {
        let mut errors = FieldErrors::default();
        errors.add("email", "You sign in with this address already. Choose another one");
        return Err(Error::Invalid(errors));
    }
    let sql = "UPDATE invite SET account_id = $3 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, found.id, account)?;
    if let Some(crew) = crew {
        // A crew that was given up meanwhile is joined by nobody.
        q!(
            &mut *tx,
            execute,
            "INSERT INTO crew_member (org_id, crew_id, account_id)
             SELECT c.org_id, c.id, $3 FROM crew c WHERE c.org_id = $1 AND c.id = $2 AND c.is_active = TRUE",
            org,
            crew,
            account
        )?;
        live::announce(&mut *tx, origin, org, Topic::Crew, crew.0, None).await?;
    }
    live::announce(&mut *tx, origin, org, Topic::Settings, org.0, None).await?;
    find_by_email(tx, &joiner.email).await?.ok_or_else(|| Error::Internal("who just joined is not there".to_owned()))
}

/// An invitation works once.
#[must_use]
pub fn used() -> Error {
    Error::Conflict("This invitation was used already. Sign in with your email and password.")
}

/// It is too late for it.
#[must_use]
pub fn expired() -> Error {
    Error::Conflict("This invitation has expired. Ask for a new one.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_joins_names_themselves_and_chooses_a_password_that_is_none_of_the_business() {
        let form = |password: &str| JoinForm {
            name: Some("Dave Drill".to_owned()),
            email: Some("Dave@Crew.example".to_owned()),
            password: Some(password.to_owned()),
        };
        assert_eq!(form("copper-elbow-joint").check("Acme").unwrap().email, "dave@crew.example");
        let faults = |form: JoinForm| match form.check("Acme Plumbing") {
            Err(Error::Invalid(errors)) => errors.said().into_iter().map(|(field, _)| field).collect(),
            _ => Vec::new(),
        };
        assert_eq!(faults(form("Acme Plumbing")), ["password"]);
        assert_eq!(faults(JoinForm::default()), ["email", "name", "password"]);
    }
}
