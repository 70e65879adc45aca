//! Stripe Connect: Standard accounts of businesses, accessed with the install's key and the account's id. No keys are
//! pasted, and events of all accounts come to one endpoint.
//!
//! Sources: docs.stripe.com/connect/standard-accounts, docs.stripe.com/api/accounts,
//! `docs.stripe.com/api/account_links`.

use std::collections::BTreeSet;

use platform::config::EnvVars;
use reqwest::StatusCode;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::{Stripe, StripeCredentials, StripeError, WebhookSecret};

#[derive(Clone, Debug)]
pub struct ConnectPlatform {
    pub secret: SecretString,
    pub webhook: Vec<WebhookSecret>,
}

impl ConnectPlatform {
    /// `STRIPE_CONNECT_WEBHOOK_SECRET`, with `STRIPE_CONNECT_SECRET_KEY` or else `STRIPE_SECRET_KEY`. None without it:
    /// businesses then use their own keys.
    pub fn from_vars(vars: &mut EnvVars) -> Option<Self> {
        const HOOK: &str = "STRIPE_CONNECT_WEBHOOK_SECRET";
        const KEY: &str = "STRIPE_CONNECT_SECRET_KEY";
        let own = vars.get(KEY);
        let given = vars.get(HOOK)?;
        let Some(secret) = own.or_else(|| vars.get("STRIPE_SECRET_KEY")) else {
            vars.record_invalid(HOOK, "needs STRIPE_CONNECT_SECRET_KEY or STRIPE_SECRET_KEY");
            return None;
        };
        if !["sk_", "rk_"].iter().any(|kind| secret.starts_with(kind)) {
            vars.record_invalid(KEY, "must begin with sk_ or rk_");
        }
        let mut webhook = Vec::new();
        for one in given.split(',').map(str::trim).filter(|one| !one.is_empty()) {
            if !one.starts_with("whsec_") {
                vars.record_invalid(HOOK, "must hold signing secrets that begin with whsec_, parted by commas");
            }
            webhook.push(WebhookSecret::without_expiry(SecretString::from(one.to_owned())));
        }
        Some(Self { secret: SecretString::from(secret), webhook })
    }

    #[must_use]
    pub fn is_live_mode(&self) -> bool {
        is_live_key(&self.secret)
    }

    #[must_use]
    pub fn platform_keys(&self) -> StripeCredentials {
        StripeCredentials::with_own_secret(self.secret.clone(), self.webhook.clone())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct StripeAccount {
    pub id: String,
    #[serde(default)]
    pub charges_enabled: bool,
    /// Whether the owner has completed Stripe's onboarding.
    #[serde(default)]
    pub details_submitted: bool,
    #[serde(default)]
    pub requirements: Option<AccountRequirements>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct AccountRequirements {
    pub currently_due: Vec<String>,
    pub past_due: Vec<String>,
}

impl StripeAccount {
    #[must_use]
    pub fn count_due_details(&self) -> usize {
        let Some(asked) = &self.requirements else { return 0 };
        let all: BTreeSet<&String> = asked.currently_due.iter().chain(&asked.past_due).collect();
        all.len()
    }
}

pub(super) fn is_live_key(secret: &SecretString) -> bool {
    !secret.expose_secret().contains("_test_")
}

#[derive(Deserialize)]
struct StripeAccountLink {
    url: String,
}

impl Stripe {
    /// The account of a key. Restricted keys may lack this permission.
    pub async fn fetch_own_account(&self, keys: &StripeCredentials) -> Result<StripeAccount, StripeError> {
        self.send_and_parse(keys, self.http.get(self.endpoint_url("account"))).await
    }

    /// Creates a Standard account for a business, or returns the one created with this key.
    pub async fn create_account(
        &self,
        platform: &ConnectPlatform,
        (email, org): (&str, &str),
        key: &str,
    ) -> Result<StripeAccount, StripeError> {
        let form = [("type", "standard"), ("email", email), ("metadata[org]", org)];
        let asked = self.http.post(self.endpoint_url("accounts")).header("Idempotency-Key", key).form(&form);
        self.send_and_parse(&platform.platform_keys(), asked).await
    }

    /// Status of a connected account; none where Stripe gives the key no access to it (`account_invalid`): the access was
    /// revoked, or the key is another platform's. An error about the platform's key says nothing about the account.
    pub async fn fetch_connected_account(
        &self,
        platform: &ConnectPlatform,
        id: &str,
    ) -> Result<Option<StripeAccount>, StripeError> {
        let response = self
            .send_request(&platform.platform_keys(), self.http.get(self.endpoint_url(&format!("accounts/{id}"))))
            .await?;
        let has_no_access = response.status == StatusCode::FORBIDDEN
            && response.parse_error().is_some_and(|problem| problem.code.as_deref() == Some("account_invalid"));
        if has_no_access { Ok(None) } else { response.parse_body().map(Some) }
    }

    /// Onboarding page of Stripe for the account's owner. Single use, valid for minutes.
    pub async fn create_account_link(
        &self,
        platform: &ConnectPlatform,
        id: &str,
        (return_url, refresh_url): (&str, &str),
    ) -> Result<String, StripeError> {
        let form =
            [("account", id), ("type", "account_onboarding"), ("return_url", return_url), ("refresh_url", refresh_url)];
        let asked = self.http.post(self.endpoint_url("account_links")).form(&form);
        self.send_and_parse::<StripeAccountLink>(&platform.platform_keys(), asked).await.map(|link| link.url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> (Option<ConnectPlatform>, bool) {
        let mut vars = EnvVars::from_pairs(pairs.iter().copied());
        let platform = ConnectPlatform::from_vars(&mut vars);
        (platform, vars.into_result().is_ok())
    }

    #[test]
    fn connect_requires_both_webhook_secret_and_secret_key() {
        assert!(matches!(read(&[]), (None, true)));
        let whole = [("STRIPE_CONNECT_WEBHOOK_SECRET", "whsec_1"), ("STRIPE_CONNECT_SECRET_KEY", "sk_live_1")];
        assert!(matches!(read(&whole), (Some(_), true)));
        assert!(matches!(read(&whole[..1]), (None, false)), "a secret without a key");
        let odd = [("STRIPE_CONNECT_WEBHOOK_SECRET", "1"), ("STRIPE_CONNECT_SECRET_KEY", "pk_live_1")];
        assert!(!read(&odd).1);
    }

    #[test]
    fn requirement_due_twice_counts_as_one() {
        let read = |text: &str| serde_json::from_str::<StripeAccount>(text).unwrap();
        assert_eq!(read(r#"{"id":"acct_1"}"#).count_due_details(), 0);
        let asked =
            r#"{"id":"acct_1","requirements":{"currently_due":["a","b"],"past_due":["b"],"disabled_reason":null}}"#;
        assert_eq!(read(asked).count_due_details(), 2);
    }
}
