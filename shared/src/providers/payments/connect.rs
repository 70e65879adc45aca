//! Stripe Connect: Standard accounts of businesses, reached with the install's own key and the name of the account, so
//! that no key is pasted and news of every account comes to one endpoint.
//!
//! Facts: docs.stripe.com/connect/standard-accounts, docs.stripe.com/api/accounts, `docs.stripe.com/api/account_links`.

use std::collections::BTreeSet;

use reqwest::StatusCode;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::{Keys, PayError, Signing, Stripe};
use crate::platform::config::Vars;

/// The install's account, as the platform of the businesses' accounts.
#[derive(Clone, Debug)]
pub struct Platform {
    pub secret: SecretString,
    /// Of the endpoint that hears of connected accounts.
    pub webhook: Vec<Signing>,
}

impl Platform {
    /// `STRIPE_CONNECT_WEBHOOK_SECRET`, with `STRIPE_CONNECT_SECRET_KEY` or else `STRIPE_SECRET_KEY`. None without it:
    /// businesses paste their own keys.
    pub fn from_vars(vars: &mut Vars) -> Option<Self> {
        const HOOK: &str = "STRIPE_CONNECT_WEBHOOK_SECRET";
        const KEY: &str = "STRIPE_CONNECT_SECRET_KEY";
        let own = vars.get(KEY);
        let given = vars.get(HOOK)?;
        let Some(secret) = own.or_else(|| vars.get("STRIPE_SECRET_KEY")) else {
            vars.fault(HOOK, "needs STRIPE_CONNECT_SECRET_KEY or STRIPE_SECRET_KEY");
            return None;
        };
        if !["sk_", "rk_"].iter().any(|kind| secret.starts_with(kind)) {
            vars.fault(KEY, "must begin with sk_ or rk_");
        }
        let mut webhook = Vec::new();
        for one in given.split(',').map(str::trim).filter(|one| !one.is_empty()) {
            if !one.starts_with("whsec_") {
                vars.fault(HOOK, "must hold signing secrets that begin with whsec_, parted by commas");
            }
            webhook.push(Signing::in_force(SecretString::from(one.to_owned())));
        }
        Some(Self { secret: SecretString::from(secret), webhook })
    }

    /// Whether real money moves in its accounts.
    #[must_use]
    pub fn is_live(&self) -> bool {
        is_live(&self.secret)
    }

    /// The platform's own account.
    #[must_use]
    pub fn keys(&self) -> Keys {
        Keys::own(self.secret.clone(), self.webhook.clone())
    }
}

/// An account as Stripe describes it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Account {
    pub id: String,
    /// Whether it can take payments.
    #[serde(default)]
    pub charges_enabled: bool,
    /// Whether its owner has told Stripe what it asks for.
    #[serde(default)]
    pub details_submitted: bool,
    #[serde(default)]
    pub requirements: Option<Requirements>,
}

/// What Stripe still asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Requirements {
    pub currently_due: Vec<String>,
    pub past_due: Vec<String>,
}

impl Account {
    /// How many details are asked for now.
    #[must_use]
    pub fn due(&self) -> usize {
        let Some(asked) = &self.requirements else { return 0 };
        let all: BTreeSet<&String> = asked.currently_due.iter().chain(&asked.past_due).collect();
        all.len()
    }
}

/// Whether a key is of Stripe's live mode.
pub(super) fn is_live(secret: &SecretString) -> bool {
    !secret.expose_secret().contains("_test_")
}

#[derive(Deserialize)]
struct Link {
    url: String,
}

impl Stripe {
    /// The account that a key opens. Restricted keys may not ask.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn own_account(&self, keys: &Keys) -> Result<Account, PayError> {
        self.call(keys, self.http.get(self.at("account"))).await
    }

    /// Makes a Standard account for a business, or finds the one that this key made before.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn make_account(
        &self,
        platform: &Platform,
        (email, org): (&str, &str),
        key: &str,
    ) -> Result<Account, PayError> {
        let form = [("type", "standard"), ("email", email), ("metadata[org]", org)];
        let asked = self.http.post(self.at("accounts")).header("Idempotency-Key", key).form(&form);
        self.call(&platform.keys(), asked).await
    }

    /// How a connected account stands; none when the platform has no access to it any more, in Stripe's own word
    /// (`account_invalid`). A key of the platform that Stripe does not take says nothing of the account.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn account(&self, platform: &Platform, id: &str) -> Result<Option<Account>, PayError> {
        let said = self.ask(&platform.keys(), self.http.get(self.at(&format!("accounts/{id}")))).await?;
        let is_gone = said.status == StatusCode::FORBIDDEN
            && said.problem().is_some_and(|problem| problem.code.as_deref() == Some("account_invalid"));
        if is_gone { Ok(None) } else { said.read().map(Some) }
    }

    /// A page of Stripe's on which the owner of an account tells what is asked. Good once, and for minutes.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn account_link(
        &self,
        platform: &Platform,
        id: &str,
        (return_url, refresh_url): (&str, &str),
    ) -> Result<String, PayError> {
        let form =
            [("account", id), ("type", "account_onboarding"), ("return_url", return_url), ("refresh_url", refresh_url)];
        let asked = self.http.post(self.at("account_links")).form(&form);
        self.call::<Link>(&platform.keys(), asked).await.map(|link| link.url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> (Option<Platform>, bool) {
        let mut vars = Vars::from_pairs(pairs.iter().copied());
        let platform = Platform::from_vars(&mut vars);
        (platform, vars.finish().is_ok())
    }

    #[test]
    fn connect_is_offered_where_its_endpoint_is_known() {
        assert!(matches!(read(&[]), (None, true)));
        let whole = [("STRIPE_CONNECT_WEBHOOK_SECRET", "whsec_1"), ("STRIPE_CONNECT_SECRET_KEY", "sk_live_1")];
        assert!(matches!(read(&whole), (Some(_), true)));
        assert!(matches!(read(&whole[..1]), (None, false)), "a secret without a key");
        let odd = [("STRIPE_CONNECT_WEBHOOK_SECRET", "1"), ("STRIPE_CONNECT_SECRET_KEY", "pk_live_1")];
        assert!(!read(&odd).1);
    }

    #[test]
    fn what_is_asked_for_twice_is_one_detail() {
        let read = |text: &str| serde_json::from_str::<Account>(text).unwrap();
        assert_eq!(read(r#"{"id":"acct_1"}"#).due(), 0);
        let asked =
            r#"{"id":"acct_1","requirements":{"currently_due":["a","b"],"past_due":["b"],"disabled_reason":null}}"#;
        assert_eq!(read(asked).due(), 2);
    }
}
