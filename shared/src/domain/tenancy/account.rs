//! Accounts: roles, registration, and passwords.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    domain::tenancy::org::{self, Org},
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, insert_row, q},
        email_address::EmailAddress,
        error::{Error, FieldErrors, Result},
        field_schemas,
        id::{AccountId, OrgId},
        language::Language,
        recipient::Recipient,
        text,
    },
};

pub mod before_proof;
pub mod client;
pub mod invite;
pub mod listener;
pub mod one_time_token;
pub mod passkey;
pub mod password;
pub mod proof;
pub mod qr;
pub mod reset;
pub mod second_factor;
pub mod team;
pub mod totp;

pub use before_proof::PreProofCredentials;
pub use invite::{InviteRole, NewInvite};
pub(crate) use invite::{
    OpenInvite, StoredInvite, list_open_invites,
    proof::{invite_link_suffix, invite_proof_placeholder},
    store_invite,
};
pub use listener::AccessEvent;
pub use one_time_token::TokenPurpose;
pub use proof::load_safe_business_name;
pub(crate) use proof::{
    ACCOUNT_MAIL_SENDER, MailAddressee, PROOF_SUBJECT, create_proof_link, find_proof_token, load_mail_addressee,
    safe_business_name,
};
pub(crate) use reset::{RESET_SUBJECT, create_reset_link, find_reset_token};

/// What a person may do. The owner may do everything in the business.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Owner,
    Office,
    Crew,
}

#[derive(Clone, Debug, FromRow)]
pub struct Account {
    pub id: AccountId,
    pub org_id: OrgId,
    pub email: EmailAddress,
    pub name: String,
    pub role: Role,
    pub password_hash: String,
    pub two_factor_enabled: bool,
    pub is_active: bool,
}

/// A business and its first person.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RegisterRequest)]
pub struct RegisterForm {
    #[schema(required, schema_with = field_schemas::required_line::<100>)]
    pub name: Option<String>,
    #[schema(required, schema_with = field_schemas::email_address)]
    pub email: Option<String>,
    #[schema(required, schema_with = field_schemas::new_password)]
    pub password: Option<String>,
    #[schema(required, schema_with = field_schemas::required_line::<100>)]
    pub org_name: Option<String>,
    #[schema(schema_with = field_schemas::industry_name)]
    pub industry: Option<String>,
    /// The part after the `#` of the operator's invitation, where registration is not open.
    #[schema(schema_with = field_schemas::nullable_line::<200>)]
    pub invitation: Option<String>,
}

pub struct NewAccount {
    pub name: String,
    pub email: EmailAddress,
    pub password: String,
    pub org_name: String,
    pub industry: String,
}

impl RegisterForm {
    pub fn validate_registration(self) -> Result<NewAccount> {
        let mut errors = FieldErrors::default();
        let name = text::single_line("name", self.name.as_deref(), 100).parse_required("Name is required", &mut errors);
        let typed =
            text::single_line("email", self.email.as_deref(), 254).parse_required("Email is required", &mut errors);
        let email = EmailAddress::parse(&typed);
        if email.is_none() {
            errors.add("email", text::invalid_email_reason(&typed));
        }
        let org_name = text::single_line("orgName", self.org_name.as_deref(), 100);
        let org_name = org_name.parse_required("Business name is required", &mut errors);
        org::check_business_name("orgName", &org_name, &mut errors);
        let industry = text::single_line("industry", self.industry.as_deref(), 100).parse_optional(&mut errors);
        text::single_line("invitation", self.invitation.as_deref(), 200).parse_optional(&mut errors);
        let password = self.password.unwrap_or_default();
        if let Err(problem) =
            password::validate_password(&password, &org_name, email.as_ref().map_or("", EmailAddress::as_str))
        {
            errors.add("password", problem);
        }
        let email = errors.require(email)?;
        let industry = industry.unwrap_or_else(|| org::DEFAULT_INDUSTRY.to_owned());
        Ok(NewAccount { name, email, password, org_name, industry })
    }
}

/// Result of a registration. Both cases look the same from outside, so that registered addresses cannot be probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegistrationOutcome {
    New {
        org: OrgId,
        account: AccountId,
    },
    /// The address is registered, and the caller mails its holder. `may_be_planted`: the address is unproven, and the
    /// mail has the links that confirm it or remove the registration.
    Known {
        org: OrgId,
        account: AccountId,
        may_be_planted: bool,
    },
}

/// Creates the business, its owner, and a lead notification to the owner's email.
pub async fn register(
    tx: &mut Tx,
    origin: &ClockRng,
    new: &NewAccount,
    password_hash: &str,
) -> Result<RegistrationOutcome> {
    if let Some(existing) = find_by_email(&mut *tx, new.email.as_str()).await? {
        let may_be_planted = proof::can_disown(&mut *tx, &existing).await?;
        return Ok(RegistrationOutcome::Known { org: existing.org_id, account: existing.id, may_be_planted });
    }
    let org = org::insert(tx, origin, &new.org_name, &new.industry).await?;
    let account = insert_owner(tx, origin, &org, new, password_hash).await?;
    let recipient = Recipient::Email(new.email.clone());
    org::add_recipient(tx, origin, org.id, &recipient).await?;
    Ok(RegistrationOutcome::New { org: org.id, account })
}

async fn insert_owner(
    tx: &mut Tx,
    origin: &ClockRng,
    org: &Org,
    new: &NewAccount,
    password_hash: &str,
) -> Result<AccountId> {
    let now = origin.now();
    let stored = insert_row!(tx, fetch_optional scalar AccountId, account {
        id: AccountId(origin.uuid_v7()),
        org_id: org.id,
        email: &new.email,
        name: &new.name,
        role: Role::Owner,
        password_hash,
        two_factor_enabled: false,
        is_active: true,
        created_at: now,
        password_changed_at: now,
    }, "ON CONFLICT (email) DO NOTHING RETURNING id")?;
    // Lost a race between two registrations of one address; a retry finds the winner's account.
    stored.ok_or_else(|| Error::Unavailable("the same registration is being handled at this moment".to_owned()))
}

/// The account of a sign-in address. The address is the key, so no business is known yet.
pub async fn find_by_email(conn: &mut dyn AsConn, email: &str) -> Result<Option<Account>> {
    Ok(q!(
        conn,
        fetch_optional as Account,
        "SELECT id, org_id, email, name, role, password_hash, two_factor_enabled, is_active FROM account WHERE email = $1",
        email
    )?)
}

/// [`Error::NotFound`] when the business has no such account.
pub async fn get(conn: &mut dyn AsConn, org: OrgId, id: AccountId) -> Result<Account> {
    let sql = "SELECT id, org_id, email, name, role, password_hash, two_factor_enabled, is_active FROM account
         WHERE org_id = $1 AND id = $2";
    q!(conn, fetch_optional as Account, sql, org, id)?.ok_or(Error::NotFound)
}

/// Re-checks a verified password in the transaction that signs in: while hashing ran, a reset, a new password, a second
/// factor or a deactivation may have been committed. Written as an UPDATE to lock the row. Lock order: the business
/// first, as in every change of rights.
///
/// # Errors
/// [`Error::WrongCredentials`] when the password has changed or the account is inactive.
pub async fn recheck_credentials(tx: &mut Tx, account: &Account) -> Result<Account> {
    match org::lock(&mut *tx, account.org_id).await {
        // The business was deleted with its accounts.
        Err(Error::NotFound) => return Err(Error::WrongCredentials),
        held => held?,
    }
    let sql = "UPDATE account SET password_hash = $3
         WHERE org_id = $1 AND id = $2 AND password_hash = $3 AND is_active = TRUE
         RETURNING id, org_id, email, name, role, password_hash, two_factor_enabled, is_active";
    let found = q!(tx, fetch_optional as Account, sql, account.org_id, account.id, &account.password_hash)?;
    found.ok_or(Error::WrongCredentials)
}

/// Stores a rehash with current parameters, unless the password was changed meanwhile.
pub async fn replace_password_hash(tx: &mut Tx, account: &Account, hash: &str) -> Result<()> {
    let sql = "UPDATE account SET password_hash = $4 WHERE org_id = $1 AND id = $2 AND password_hash = $3";
    q!(tx, execute, sql, account.org_id, account.id, &account.password_hash, hash)?;
    Ok(())
}

pub async fn store_password_hash(tx: &mut Tx, org: OrgId, id: AccountId, hash: &str) -> Result<()> {
    q!(tx, execute, "UPDATE account SET password_hash = $3 WHERE org_id = $1 AND id = $2", org, id, hash)?;
    Ok(())
}

/// Replaces the password and ends half-finished sign-ins that used the old one.
pub async fn set_password(tx: &mut Tx, origin: &ClockRng, account: &Account, hash: &str) -> Result<()> {
    tx.guard_writable(account.org_id);
    let sql = "UPDATE account SET password_hash = $3, password_changed_at = $4 WHERE org_id = $1 AND id = $2";
    if q!(&mut *tx, execute, sql, account.org_id, account.id, hash, origin.now())? == 0 {
        return Err(Error::NotFound);
    }
    one_time_token::revoke_all_tokens(tx, account.org_id, account.id).await
}

pub async fn password_changed_at(conn: &mut dyn AsConn, org: OrgId, id: AccountId) -> Result<DateTime<Utc>> {
    let sql = "SELECT password_changed_at FROM account WHERE org_id = $1 AND id = $2";
    q!(conn, fetch_optional scalar DateTime<Utc>, sql, org, id)?.ok_or(Error::NotFound)
}

/// Language of the app for this person, on every device.
pub async fn set_language(tx: &mut Tx, org: OrgId, id: AccountId, language: Language) -> Result<()> {
    tx.guard_writable(org);
    let sql = "UPDATE account SET language = $3 WHERE org_id = $1 AND id = $2";
    if q!(tx, execute, sql, org, id, language)? == 0 {
        return Err(Error::NotFound);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::IntoMessages;

    fn form() -> RegisterForm {
        RegisterForm {
            name: Some("Ann Lee".into()),
            email: Some("Ann@Example.com".into()),
            password: Some("copper-elbow-joint".into()),
            org_name: Some("Acme Plumbing".into()),
            industry: None,
            invitation: None,
        }
    }

    fn faults(form: RegisterForm) -> Vec<(&'static str, String)> {
        match form.validate_registration() {
            Err(Error::Invalid(errors)) => errors.into_messages(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn registration_without_industry_defaults_to_contractor() {
        let new = form().validate_registration().ok().unwrap();
        assert_eq!((new.industry.as_str(), new.email.as_str()), ("Contractor", "ann@example.com"));
    }

    #[test]
    fn missing_fields_are_all_reported_at_once() {
        let reported = faults(RegisterForm::default());
        let named: Vec<_> = reported.iter().map(|(field, _)| *field).collect();
        assert_eq!(named, ["email", "name", "orgName", "password"]);
        assert_eq!(reported[1].1, "Name is required");
        assert_eq!(reported[3].1, "Password must be at least 8 characters long");
    }

    #[test]
    fn registration_with_invalid_email_is_refused() {
        assert_eq!(
            faults(RegisterForm { email: Some("ann@".into()), ..form() }),
            [("email", "Invalid email".to_owned())]
        );
    }
}
