//! Asks Stripe for the status of a connected account and updates the settings.

use shared::{
    domain::{
        money::connected_account::{self, AccountLook, ConnectedAccount},
        tenancy::{
            install_mail::{self, InstallMail},
            org,
        },
    },
    platform::{
        db::tenant_scope::across_tenants,
        error::{Error, Result},
        id::OrgId,
    },
    providers::payments::{NO_PLATFORM, StripeError},
};

use crate::Context;

/// Idempotent. Where Stripe does not let the platform reach an account in use, nothing is disconnected: the owner gets an
/// alert, the operators get a mail, and another look follows. Errors: [`Error::Unavailable`] when Stripe does not answer:
/// retried.
pub async fn run(context: &Context, id: OrgId) -> Result<()> {
    let mut conn = context.db.acquire_reader().await?;
    let Some(connection) = connected_account::find_current(&mut conn, id).await? else { return Ok(()) };
    let Some(owner) = org::find(&mut conn, id).await? else { return Ok(()) };
    let profile = org::load_profile(&mut conn, owner).await?;
    drop(conn);
    let Some(account) = &connection.account else { return Ok(()) };
    let (look, why) = look(context, &connection, account).await?;
    let mut tx = context.db.begin().await?;
    connected_account::apply_account_status(&mut tx, &context.org_context(&profile), &connection, &look).await?;
    let current = connected_account::find_current(&mut tx, id).await?;
    tx.commit().await?;
    if current.is_some_and(|one| one.unreachable_at.is_some()) {
        tracing::warn!(org = %id, "Stripe {why}: the connected account is out of reach");
        notify_operators(context, &why).await?;
    }
    context.announcer.notify_changed();
    Ok(())
}

/// What Stripe says of the account, and why it is out of reach. A key that is refused or missing says nothing of the
/// account.
async fn look(context: &Context, connection: &ConnectedAccount, account: &str) -> Result<(AccountLook, String)> {
    let platform = context.connect.as_ref().filter(|platform| platform.is_live_mode() == connection.livemode);
    let asked = match platform {
        Some(platform) => connected_account::look_at_account(&context.stripe, platform, connection, account).await,
        None => Err(StripeError::Key(NO_PLATFORM.into())),
    };
    match asked {
        Ok(look) => Ok((look, format!("gives no access to {account}"))),
        Err(StripeError::Key(why)) => Ok((AccountLook::OutOfReach, why)),
        Err(error) => Err(Error::Unavailable(format!("Stripe {error}"))),
    }
}

/// At most one mail a day to each operator.
async fn notify_operators(context: &Context, why: &str) -> Result<()> {
    let body = format!(
        "Stripe {why}. Card payments, refunds and the nightly comparison do not work with a connected Stripe account, perhaps with none of them. Nothing was disconnected.\n\nSTRIPE_CONNECT_SECRET_KEY, or STRIPE_SECRET_KEY where it is not set, must be a key of the platform that the accounts were connected to, in the same mode (live or test). Set it, and restart both programs. A business that ended its connection in Stripe presses Disconnect in Settings, Card payments."
    );
    let mut tx = across_tenants(context.db.begin()).await?;
    for to in &context.operators {
        let key = format!("stripe_platform:{}:{to}", context.origin.now().date_naive());
        let subject = "Stripe does not let Toolbox reach connected accounts";
        let mail = InstallMail { to, subject, body: &body, links: &[], key: &key };
        install_mail::enqueue_mail(&mut tx, &context.origin, &context.secret, &mail).await?;
    }
    tx.commit().await
}
