//! Asks Stripe for the status of a connected account and updates the settings.

use shared::{
    domain::{money::connected_account, tenancy::org},
    platform::{
        error::{Error, Result},
        id::OrgId,
    },
};

use crate::Context;

/// Idempotent. Errors: [`Error::Unavailable`] when Stripe does not answer, or refuses the platform's key: retried.
pub async fn run(context: &Context, id: OrgId) -> Result<()> {
    let mut conn = context.db.acquire_reader().await?;
    let Some(connection) = connected_account::find_current(&mut conn, id).await? else { return Ok(()) };
    let Some(owner) = org::find(&mut conn, id).await? else { return Ok(()) };
    let profile = org::load_profile(&mut conn, owner).await?;
    drop(conn);
    // Stripe cannot be asked without the platform, or with a platform of the other mode.
    let platform = context.connect.as_ref().filter(|platform| platform.is_live_mode() == connection.livemode);
    let (Some(platform), Some(account)) = (platform, &connection.account) else { return Ok(()) };
    let asked = context.stripe.fetch_connected_account(platform, account).await;
    let fetched = asked.map_err(|e| Error::Unavailable(format!("Stripe {e}")))?;
    let mut tx = context.db.begin().await?;
    connected_account::apply_account_status(&mut tx, &context.org_context(&profile), &connection, fetched.as_ref())
        .await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}
