//! Webhook calls without a valid signature: counted hourly, and reported above a limit.
//!
//! Operators are notified of all, regardless of businesses' settings, because they are attacks on the install. Owners
//! are notified of those at their business's address; for install addresses, the owners of the business that the
//! install is kept for.

use uuid::Uuid;

use super::{SecurityAlertContext, notify_security_alert};
use crate::{
    domain::tenancy::security::{SecurityAlertId, SecurityFinding, count_occurrences},
    platform::{db::Tx, error::Result, id::OrgId},
};

/// Hourly limit per address.
const MANY: i64 = 10;

#[derive(Clone, Copy, Debug)]
pub struct ForgedCallbacks<'a> {
    /// Path of the call.
    pub address: &'a str,
    pub times: i64,
}

/// For one business's address. Returns whether an alert is sent now.
pub async fn record_at_org(
    tx: &mut Tx,
    ctx: &SecurityAlertContext<'_>,
    org: OrgId,
    forged: ForgedCallbacks<'_>,
) -> Result<bool> {
    let Some(refused) = count_if_threshold_crossed(&mut *tx, ctx, org, forged).await? else { return Ok(false) };
    notify_security_alert(tx, ctx, Some(org), &forged_callbacks_finding(forged.address, refused)).await
}

/// For an install address; `keeper` is the business that it is kept for. Returns whether an alert is sent now.
pub async fn record_at_install(
    tx: &mut Tx,
    ctx: &SecurityAlertContext<'_>,
    keeper: Option<OrgId>,
    forged: ForgedCallbacks<'_>,
) -> Result<bool> {
    // Counts without a business use the nil id.
    let Some(refused) = count_if_threshold_crossed(&mut *tx, ctx, OrgId(Uuid::nil()), forged).await? else {
        return Ok(false);
    };
    notify_security_alert(tx, ctx, keeper, &forged_callbacks_finding(forged.address, refused)).await
}

/// The hourly count when these calls crossed the limit.
async fn count_if_threshold_crossed(
    tx: &mut Tx,
    ctx: &SecurityAlertContext<'_>,
    org: OrgId,
    forged: ForgedCallbacks<'_>,
) -> Result<Option<i64>> {
    let refused =
        count_occurrences(tx, ctx.origin, org, SecurityAlertId::RefusedWebhooks, forged.address, forged.times).await?;
    // Calls are counted in batches, so the count may skip the limit itself.
    Ok((refused >= MANY && refused - forged.times < MANY).then_some(refused))
}

fn forged_callbacks_finding(address: &str, refused: i64) -> SecurityFinding {
    SecurityFinding {
        alert: SecurityAlertId::RefusedWebhooks,
        subject: address.to_owned(),
        title: "Forged provider calls".to_owned(),
        body: format!(
            "{refused} calls came to {address} within an hour without a valid signature. They were refused and changed nothing.\n\nIf you changed the provider's secret or the public address lately, set the new one: then these were real calls."
        ),
        also: Vec::new(),
    }
}
