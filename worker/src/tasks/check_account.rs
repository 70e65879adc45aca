//! Asks Stripe how the connected account of a business stands, and makes the settings say the same.

use shared::{
    domain::{money::connected_account, tenancy::org},
    platform::{
        error::{Error, Result},
        id::OrgId,
    },
};

use crate::Context;

/// May run at any time and as often as it likes.
///
/// # Errors
/// [`Error::Unavailable`] when Stripe does not answer, or does not take the platform's key: it is tried again.
pub async fn run(context: &Context, id: OrgId) -> Result<()> {
    let mut conn = context.db.read().await?;
    let Some(connection) = connected_account::current(&mut conn, id).await? else { return Ok(()) };
    let Some(owner) = org::find(&mut conn, id).await? else { return Ok(()) };
    let profile = org::profile(&mut conn, owner).await?;
    drop(conn);
    // Without the platform, or with that of Stripe's other mode, nobody can be asked.
    let platform = context.connect.as_ref().filter(|platform| platform.is_live() == connection.livemode);
    let (Some(platform), Some(account)) = (platform, &connection.account) else { return Ok(()) };
    let asked = context.stripe.account(platform, account).await;
    let said = asked.map_err(|e| Error::Unavailable(format!("Stripe {e}")))?;
    let mut tx = context.db.begin().await?;
    connected_account::note(&mut tx, &context.intake(&profile), &connection, said.as_ref()).await?;
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}
