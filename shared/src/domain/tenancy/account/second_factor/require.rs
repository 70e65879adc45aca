//! Whether the business wants a second factor of everybody. Where it does, nobody is signed in without one: who has
//! none is led to set it up at the next sign-in.

use crate::{
    domain::tenancy::{
        account::{self, Account},
        org, push_device, session,
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{AccountId, OrgId},
        live::{self, Topic},
    },
};

pub async fn is_required(conn: &mut dyn AsConn, org: OrgId) -> Result<bool> {
    let sql = "SELECT requires_second_factor FROM org WHERE id = $1";
    q!(conn, fetch_optional scalar bool, sql, org)?.ok_or(Error::NotFound)
}

/// Wants it of everybody, or does not any more. Whoever has none is signed out everywhere at once.
///
/// # Errors
/// [`Error::Conflict`] when whoever asks for it has none: they would lock themselves out.
pub async fn require(tx: &mut Tx, origin: &Origin, org: OrgId, by: AccountId, is_required: bool) -> Result<()> {
    // Nobody turns theirs off between the look and the change.
    org::lock(&mut *tx, org).await?;
    if is_required && !super::view(&mut *tx, org, by).await?.is_on {
        return Err(Error::Conflict("Turn on two-step sign-in for yourself first."));
    }
    let sql = "UPDATE org SET requires_second_factor = $2 WHERE id = $1";
    q!(&mut *tx, execute, sql, org, is_required)?;
    if is_required {
        sign_out_who_has_none(&mut *tx, org).await?;
    }
    // Open pages look at who they are again.
    live::announce(tx, origin, org, Topic::Settings, org.0, None).await
}

/// Looked at where the password alone led to setting one up, before it is: nobody puts another one in place until the
/// transaction ends.
///
/// # Errors
/// [`Error::NotFound`] when there is one by now: it asks for its code, and the password alone replaces nothing.
pub async fn is_still_none(tx: &mut Tx, account: &Account) -> Result<()> {
    org::lock(&mut *tx, account.org_id).await?;
    let stands = account::get(tx, account.org_id, account.id).await?;
    if stands.two_factor_enabled || !stands.is_active { Err(Error::NotFound) } else { Ok(()) }
}

async fn sign_out_who_has_none(tx: &mut Tx, org: OrgId) -> Result<()> {
    let sql = "SELECT id FROM account WHERE org_id = $1 AND two_factor_enabled = FALSE";
    for account in q!(&mut *tx, fetch_all scalar AccountId, sql, org)? {
        session::end_all(&mut *tx, org, account).await?;
        push_device::end_account(&mut *tx, org, account).await?;
    }
    Ok(())
}
