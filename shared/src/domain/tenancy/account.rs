//! A person who signs in: their role, how they register, and their password.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    documents::template,
    domain::{
        messaging::message::{self, Channel, Draft, Kind},
        tenancy::org::{self, Org, Recipient},
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        id::{AccountId, MessageId, OrgId},
        public_url::PublicUrl,
        text,
    },
};

pub mod before_proof;
pub mod client;
pub mod invite;
pub mod one_time_token;
pub mod passkey;
pub mod password;
pub mod proof;
mod qr;
pub mod reset;
pub mod second_factor;
pub mod security_email;
pub mod team;
pub mod totp;

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
    /// Lower-cased.
    pub email: String,
    pub name: String,
    pub role: Role,
    pub password_hash: String,
    /// Whether their sign-in asks for a code beside the password.
    pub two_factor_enabled: bool,
    pub is_active: bool,
}

/// A registration as it is sent.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RegisterRequest)]
pub struct RegisterForm {
    #[schema(value_type = String, required)]
    pub name: Option<String>,
    #[schema(value_type = String, required)]
    pub email: Option<String>,
    /// 8 to 128 characters.
    #[schema(value_type = String, required, format = Password)]
    pub password: Option<String>,
    /// The business.
    #[schema(value_type = String, required)]
    pub org_name: Option<String>,
    /// 'Contractor' when absent.
    pub industry: Option<String>,
    /// Of the operator, where registration is not open.
    pub invitation: Option<String>,
}

/// A registration whose every field fits.
pub struct NewAccount {
    pub name: String,
    pub email: String,
    pub password: String,
    pub org_name: String,
    pub industry: String,
}

impl RegisterForm {
    /// # Errors
    /// [`Error::Invalid`] naming every field that does not fit.
    pub fn check(self) -> Result<NewAccount> {
        let mut errors = FieldErrors::default();
        let name = text::line("name", self.name.as_deref(), 100).required("Name is required", &mut errors);
        let typed = text::line("email", self.email.as_deref(), 254).required("Email is required", &mut errors);
        let email = text::email(&typed).unwrap_or_default();
        if email.is_empty() {
            errors.add("email", text::why_no_email(&typed));
        }
        let org_name = text::line("orgName", self.org_name.as_deref(), 100);
        let org_name = org_name.required("Business name is required", &mut errors);
        let industry = text::line("industry", self.industry.as_deref(), 100).optional(&mut errors);
        text::line("invitation", self.invitation.as_deref(), 200).optional(&mut errors);
        let password = self.password.unwrap_or_default();
        if let Err(problem) = password::check(&password, &org_name, &email) {
            errors.add("password", problem);
        }
        errors.finish()?;
        let industry = industry.unwrap_or_else(|| org::DEFAULT_INDUSTRY.to_owned());
        Ok(NewAccount { name, email, password, org_name, industry })
    }
}

/// How a registration ended. From outside the two look alike: nobody can find out who is registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registered {
    New {
        org: OrgId,
        account: AccountId,
    },
    /// The address was known: its holder gets a mail instead. `may_be_planted` where nobody has proven it: the caller
    /// mails the links that confirm it or remove what was registered ([`proof::send_again`]).
    Known {
        org: OrgId,
        account: AccountId,
        may_be_planted: bool,
    },
}

/// Creates the business and its owner; the owner is the first to be told about leads.
pub async fn register(
    tx: &mut Tx,
    origin: &Origin,
    public_url: &PublicUrl,
    new: &NewAccount,
    password_hash: &str,
) -> Result<Registered> {
    if let Some(known) = find_by_email(&mut *tx, &new.email).await? {
        let may_be_planted = proof::may_be_disowned(&mut *tx, &known).await?;
        if !may_be_planted {
            notify_known(tx, origin, public_url, &known).await?;
        }
        return Ok(Registered::Known { org: known.org_id, account: known.id, may_be_planted });
    }
    let org = org::insert(tx, origin, &new.org_name, &new.industry).await?;
    let account = insert_owner(tx, origin, &org, new, password_hash).await?;
    let recipient = Recipient { channel: Channel::Email, address: new.email.clone() };
    org::add_recipient(tx, origin, org.id, &recipient).await?;
    Ok(Registered::New { org: org.id, account })
}

async fn insert_owner(
    tx: &mut Tx,
    origin: &Origin,
    org: &Org,
    new: &NewAccount,
    password_hash: &str,
) -> Result<AccountId> {
    let stored = q!(
        tx,
        fetch_optional scalar AccountId,
        "INSERT INTO account (id, org_id, email, name, role, password_hash, two_factor_enabled, is_active, created_at, password_changed_at)
         VALUES ($1, $2, $3, $4, $5, $6, FALSE, TRUE, $7, $7) ON CONFLICT (email) DO NOTHING RETURNING id",
        AccountId(origin.uuid()),
        org.id,
        &new.email,
        &new.name,
        Role::Owner,
        password_hash,
        origin.now()
    )?;
    // Two registrations of one address at the same instant: the loser's repeat finds the winner's account.
    stored.ok_or_else(|| Error::Unavailable("the same registration is being handled at this moment".to_owned()))
}

/// The account behind an address, for signing in: the address is the key, so this is asked before any org is known.
pub async fn find_by_email(conn: &mut dyn AsConn, email: &str) -> Result<Option<Account>> {
    Ok(q!(
        conn,
        fetch_optional as Account,
        "SELECT id, org_id, email, name, role, password_hash, two_factor_enabled, is_active FROM account WHERE email = $1",
        email
    )?)
}

/// # Errors
/// [`Error::NotFound`] when nobody of that id belongs to the business.
pub async fn get(conn: &mut dyn AsConn, org: OrgId, id: AccountId) -> Result<Account> {
    let sql = "SELECT id, org_id, email, name, role, password_hash, two_factor_enabled, is_active FROM account
         WHERE org_id = $1 AND id = $2";
    q!(conn, fetch_optional as Account, sql, org, id)?.ok_or(Error::NotFound)
}

/// Looks again at what a password was found right for, in the transaction that lets its person in: hashing takes a while,
/// and a reset, another password, a second factor or the end of their time here may have come in between. It is a write,
/// so that whoever changes one of these at this moment waits, or is waited for. The business is held first, as by whoever
/// changes what its people may do or need.
///
/// # Errors
/// [`Error::WrongCredentials`] when the password is not theirs any more, or they may not sign in.
pub async fn still_stands(tx: &mut Tx, account: &Account) -> Result<Account> {
    match org::lock(&mut *tx, account.org_id).await {
        // Removed with all its people.
        Err(Error::NotFound) => return Err(Error::WrongCredentials),
        held => held?,
    }
    let sql = "UPDATE account SET password_hash = $3
         WHERE org_id = $1 AND id = $2 AND password_hash = $3 AND is_active = TRUE
         RETURNING id, org_id, email, name, role, password_hash, two_factor_enabled, is_active";
    let found = q!(tx, fetch_optional as Account, sql, account.org_id, account.id, &account.password_hash)?;
    found.ok_or(Error::WrongCredentials)
}

/// Stores a hash made with today's parameters in place of the one that was looked at. Where another password took that one's
/// place meanwhile, it stays.
pub async fn renew_hash(tx: &mut Tx, account: &Account, hash: &str) -> Result<()> {
    let sql = "UPDATE account SET password_hash = $4 WHERE org_id = $1 AND id = $2 AND password_hash = $3";
    q!(tx, execute, sql, account.org_id, account.id, &account.password_hash, hash)?;
    Ok(())
}

/// Stores the hash of a password for somebody who had none.
pub async fn save_hash(tx: &mut Tx, org: OrgId, id: AccountId, hash: &str) -> Result<()> {
    q!(tx, execute, "UPDATE account SET password_hash = $3 WHERE org_id = $1 AND id = $2", org, id, hash)?;
    Ok(())
}

/// A password in place of the one before. Half a sign-in that stood on that one is over.
///
/// # Errors
/// [`Error::NotFound`] when nobody of that id belongs to the business.
pub async fn set_password(tx: &mut Tx, origin: &Origin, account: &Account, hash: &str) -> Result<()> {
    tx.guard_writable(account.org_id);
    let sql = "UPDATE account SET password_hash = $3, password_changed_at = $4 WHERE org_id = $1 AND id = $2";
    if q!(&mut *tx, execute, sql, account.org_id, account.id, hash, origin.now())? == 0 {
        return Err(Error::NotFound);
    }
    one_time_token::end_all(tx, account.org_id, account.id).await
}

/// When the password was chosen.
pub async fn password_changed_at(conn: &mut dyn AsConn, org: OrgId, id: AccountId) -> Result<DateTime<Utc>> {
    let sql = "SELECT password_changed_at FROM account WHERE org_id = $1 AND id = $2";
    q!(conn, fetch_optional scalar DateTime<Utc>, sql, org, id)?.ok_or(Error::NotFound)
}

/// "You already have an account", at most once a day.
async fn notify_known(tx: &mut Tx, origin: &Origin, public_url: &PublicUrl, account: &Account) -> Result<()> {
    let org = org::find(&mut *tx, account.org_id).await?.ok_or(Error::NotFound)?;
    let address = public_url.join("/login");
    let proof::Addressed { greeting, business, .. } = proof::addressed(&mut *tx, account, &org).await?;
    let words = format!(
        "{greeting}\n\nSomebody, probably you, tried to register with this email address. You already have an account for {business}, so nothing was changed.\n\nIf it was not you, there is nothing to do."
    );
    let key = format!("account_known:{}:{}:email", account.id, origin.now().format("%Y-%m-%d"));
    let body = format!("{words}\n\nSign in: {address}");
    let notice = Draft {
        subject: Some("You already have an account".to_owned()),
        page: Some(template::Page {
            text: Some(words),
            button: Some(("Sign in".to_owned(), address)),
            footer: "You get this mail because your address was used to register.".to_owned(),
            ..template::Page::default()
        }),
        ..Draft::new(Channel::Email, Kind::AccountNotice, account.email.clone(), body, key)
    };
    message::queue(tx, origin, org.id, &[notice.under(MessageId(origin.uuid()))]).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
        match form.check() {
            Err(Error::Invalid(errors)) => errors.said(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn a_registration_without_an_industry_is_a_contractors() {
        let new = form().check().ok().unwrap();
        assert_eq!((new.industry.as_str(), new.email.as_str()), ("Contractor", "ann@example.com"));
    }

    #[test]
    fn every_missing_field_is_named_at_once() {
        let said = faults(RegisterForm::default());
        let named: Vec<_> = said.iter().map(|(field, _)| *field).collect();
        assert_eq!(named, ["email", "name", "orgName", "password"]);
        assert_eq!(said[1].1, "Name is required");
        assert_eq!(said[3].1, "Password must be at least 8 characters long");
    }

    #[test]
    fn an_address_that_is_none_is_refused() {
        assert_eq!(
            faults(RegisterForm { email: Some("ann@".into()), ..form() }),
            [("email", "Invalid email".to_owned())]
        );
    }
}
