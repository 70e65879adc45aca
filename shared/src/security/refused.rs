//! Calls that claim to be a provider's and bear no valid signature: counted by the hour, and told when they are many.
//!
//! Those at an address of one business are that business's. Those at an address of the install are the operators', who
//! are told whatever any business wants to hear; the owners of the business that the install is kept for hear of them,
//! too.

use uuid::Uuid;

use super::{Alert, Cause, count, owners, raise};
use crate::{
    clock::Origin,
    db::Tx,
    error::Result,
    id::OrgId,
    install_mail::{self, Mail},
    settings::PublicUrl,
};

/// Calls without a valid signature at one address within the hour.
const MANY: i64 = 10;
const TITLE: &str = "Forged calls of providers";

/// How it is told, and to whom beside the owners.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    pub origin: &'a Origin,
    pub public_url: &'a PublicUrl,
    /// Addresses of the install's operators.
    pub operators: &'a [String],
}

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
    let cause = Cause { also: told.operators.to_vec(), ..cause(forged.address, refused) };
    raise(tx, told.origin, told.public_url, org, &cause).await
}

/// At an address of the install; `keeper` is the business that it is kept for, where there is one. Returns whether
/// somebody is told now.
pub async fn at_install(tx: &mut Tx, told: &Told<'_>, keeper: Option<OrgId>, forged: Forged<'_>) -> Result<bool> {
    // What belongs to no business counts under the nil id.
    let Some(refused) = became_many(&mut *tx, told, OrgId(Uuid::nil()), forged).await? else { return Ok(false) };
    let cause = cause(forged.address, refused);
    let mut knowing = Vec::new();
    if let Some(org) = keeper
        && raise(&mut *tx, told.origin, told.public_url, org, &cause).await?
    {
        knowing = owners(&mut *tx, org).await?;
    }
    let subject = format!("Security alert: {TITLE}");
    let body = format!("{}\n\nSecurity Admin: {}", cause.body, told.public_url.join(super::PAGE));
    for to in told.operators.iter().filter(|to| knowing.iter().all(|owner| owner.email != **to)) {
        let key = format!("refused_webhooks:{}:{}:{to}", forged.address, told.origin.now().date_naive());
        install_mail::queue(&mut *tx, told.origin, &Mail { to, subject: &subject, body: &body, key: &key }).await?;
    }
    Ok(true)
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
        title: TITLE.to_owned(),
        body: format!(
            "{refused} calls came to {address} within an hour without a valid signature. They were refused and changed nothing.\n\nIf you changed the provider's secret or the public address lately, set the new one: then these were real calls."
        ),
        also: Vec::new(),
    }
}
