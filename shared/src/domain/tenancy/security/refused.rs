//! Calls that claim to be a provider's and bear no valid signature: counted by the hour, and told when they are many.
//!
//! The operators are told of all, whatever any business wants to hear: somebody tries the install's doors. Of those at an
//! address of one business its owners hear, too; of those at an address of the install, the owners of the business that
//! it is kept for.

use uuid::Uuid;

use super::{Alert, Cause, Told, count, tell};
use crate::platform::{db::Tx, error::Result, id::OrgId};

/// Calls without a valid signature at one address within the hour.
const MANY: i64 = 10;

/// What came since it was last counted.
#[derive(Clone, Copy, Debug)]
pub struct Forged<'a> {
    /// The path they came to.
    pub address: &'a str,
    pub times: i64,
}

/// At an address of one business. Returns whether somebody is told now.
pub async fn at_business(tx: &mut Tx, told: &Told<'_>, org: OrgId, forged: Forged<'_>) -> Result<bool> {
    let Some(refused) = became_many(&mut *tx, told, org, forged).await? else { return Ok(false) };
    tell(tx, told, Some(org), &cause(forged.address, refused)).await
}

/// At an address of the install; `keeper` is the business that it is kept for, where there is one. Returns whether
/// somebody is told now.
pub async fn at_install(tx: &mut Tx, told: &Told<'_>, keeper: Option<OrgId>, forged: Forged<'_>) -> Result<bool> {
    // What belongs to no business counts under the nil id.
    let Some(refused) = became_many(&mut *tx, told, OrgId(Uuid::nil()), forged).await? else { return Ok(false) };
    tell(tx, told, keeper, &cause(forged.address, refused)).await
}

/// How many there were within the hour, when these are what made them many.
async fn became_many(tx: &mut Tx, told: &Told<'_>, org: OrgId, forged: Forged<'_>) -> Result<Option<i64>> {
    let refused = count(tx, told.origin, org, Alert::RefusedWebhooks, forged.address, forged.times).await?;
    // Several are written down at once, so that the very tenth may not be seen by itself.
    Ok((refused >= MANY && refused - forged.times < MANY).then_some(refused))
}

fn cause(address: &str, refused: i64) -> Cause {
    Cause {
        alert: Alert::RefusedWebhooks,
        subject: address.to_owned(),
        title: "Forged calls of providers".to_owned(),
        body: format!(
            "{refused} calls came to {address} within an hour without a valid signature. They were refused and changed nothing.\n\nIf you changed the provider's secret or the public address lately, set the new one: then these were real calls."
        ),
        also: Vec::new(),
    }
}
