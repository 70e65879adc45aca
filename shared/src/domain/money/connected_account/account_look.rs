//! A look at a connected account with the platform's key. Never called inside a transaction.

use super::ConnectedAccount;
use crate::providers::payments::{
    Stripe, StripeError,
    connect::{ConnectPlatform, StripeAccount},
};

#[derive(Clone, Debug)]
pub enum AccountLook {
    Reached(ReachedAccount),
    /// The connection was ended in Stripe.
    Ended,
    /// The platform in force has no access to it, and is not known to be the one it was connected to.
    OutOfReach,
}

#[derive(Clone, Debug)]
pub struct ReachedAccount {
    pub account: StripeAccount,
    /// Stripe's id of the platform that reaches it; none where it is stored already, or unknown.
    pub platform: Option<String>,
}

/// Stripe's id of the platform in force; none where its key may not read it. Errors: Stripe does not answer.
pub async fn fetch_platform_id(stripe: &Stripe, platform: &ConnectPlatform) -> Result<Option<String>, StripeError> {
    match stripe.fetch_own_account(&platform.platform_keys()).await {
        Ok(own) => Ok(Some(own.id)),
        Err(StripeError::Key(_) | StripeError::Refused(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Asks Stripe for the account `id` of the connection. Stripe gives another platform's valid key the same answer as a
/// platform whose access was revoked, so that answer ends a connection only for the platform that it was made with.
pub async fn look_at_account(
    stripe: &Stripe,
    platform: &ConnectPlatform,
    connection: &ConnectedAccount,
    id: &str,
) -> Result<AccountLook, StripeError> {
    if let Some(account) = stripe.fetch_connected_account(platform, id).await? {
        let named = match connection.platform {
            Some(_) => None,
            // Where Stripe does not answer now, the next look asks again.
            None => fetch_platform_id(stripe, platform).await.unwrap_or_default(),
        };
        return Ok(AccountLook::Reached(ReachedAccount { account, platform: named }));
    }
    let in_force = fetch_platform_id(stripe, platform).await?;
    let is_own = in_force.is_some() && in_force == connection.platform;
    Ok(if is_own { AccountLook::Ended } else { AccountLook::OutOfReach })
}
