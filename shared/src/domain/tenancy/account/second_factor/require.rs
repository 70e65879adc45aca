//! Second factor required by the business: without one, sign-in leads to its setup.

use crate::{
    conflicts::ConflictCode,
    domain::tenancy::{
        account::{self, Account},
        org, push_device, session,
    },
    platform::{
        clock::ClockRng,
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

/// Sets the requirement. Accounts without a second factor are signed out everywhere at once.
///
/// # Errors
/// [`Error::Conflict`] when the caller has none: they would lock themselves out.
pub async fn set_required(tx: &mut Tx, origin: &ClockRng, org: OrgId, by: AccountId, is_required: bool) -> Result<()> {
    // Locked so that the caller cannot turn theirs off between the check and the change.
    org::lock(&mut *tx, org).await?;
    if is_required && !super::load_second_factor(&mut *tx, org, by).await?.is_on {
        return Err(ConflictCode::OwnSecondFactorOff.into_error());
    }
    org::store_second_factor_rule(&mut *tx, org, is_required).await?;
    if is_required {
        sign_out_unenrolled(&mut *tx, org).await?;
    }
    // Open pages reload the current user.
    live::publish_event(tx, origin, org, Topic::Settings, org.0, None).await
}

/// Checks, during a setup after the password alone, that there is still no second factor; locks until the transaction
/// ends.
///
/// # Errors
/// [`Error::NotFound`] when there is one by now: the password alone must not replace it.
pub async fn ensure_not_set_up(tx: &mut Tx, account: &Account) -> Result<()> {
    org::lock(&mut *tx, account.org_id).await?;
    let stored_account = account::get(tx, account.org_id, account.id).await?;
    if stored_account.two_factor_enabled || !stored_account.is_active { Err(Error::NotFound) } else { Ok(()) }
}

async fn sign_out_unenrolled(tx: &mut Tx, org: OrgId) -> Result<()> {
    let sql = "SELECT id FROM account WHERE org_id = $1 AND two_factor_enabled = FALSE";
    for account in q!(&mut *tx, fetch_all scalar AccountId, sql, org)? {
        session::revoke_all_sessions(&mut *tx, org, account).await?;
        push_device::delete_account_devices(&mut *tx, org, account).await?;
    }
    Ok(())
}
