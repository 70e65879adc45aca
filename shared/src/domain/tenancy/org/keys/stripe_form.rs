//! Entry of the keys at Stripe: what a form may hold, and what becomes of the keys before.

use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use utoipa::ToSchema;

use super::ROLLED_FOR;
use crate::{
    platform::error::{FieldErrors, Result},
    providers::payments::{StripeCredentials, WebhookSecret},
};

/// Signing secrets kept per endpoint: the current and the previous one.
const MOST_SECRETS: usize = 2;
const LONGEST: usize = 255;

/// A business's keys at Stripe
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = StripeKeys)]
pub struct StripeForm {
    /// `sk_live_…` or a restricted `rk_live_…`. The one that is in place when absent.
    #[schema(value_type = Option<String>)]
    pub secret_key: Option<SecretString>,
    /// `whsec_…` of the endpoint. The one before it ends after 24 hours, and at once with another `secretKey` alone.
    #[schema(value_type = Option<String>)]
    pub webhook_secret: Option<SecretString>,
}

impl StripeForm {
    /// The new keys; `old` are the current ones. A replaced signing secret expires after a day. A new secret key may be
    /// of another account: then a replaced signing secret expires at once unless both change.
    pub fn validate_keys(&self, old: Option<StripeCredentials>, now: DateTime<Utc>) -> Result<StripeCredentials> {
        // Pasted keys take over nothing from a connected account.
        let old = old.filter(|old| old.connected.is_none());
        let mut errors = FieldErrors::default();
        let typed = |field: &Option<SecretString>| {
            field.as_ref().map(|text| text.expose_secret().trim().to_owned()).filter(|text| !text.is_empty())
        };
        let secret = match (typed(&self.secret_key), &old) {
            (Some(key), _) if is_valid_key(&key, &["sk_live_", "sk_test_", "rk_live_", "rk_test_"]) => {
                SecretString::from(key)
            }
            (None, Some(old)) => old.secret.clone(),
            _ => {
                errors.add("secretKey", "Please paste the secret key: it begins with sk_ or rk_");
                SecretString::default()
            }
        };
        let has_moved = old.as_ref().is_some_and(|old| old.secret.expose_secret() != secret.expose_secret());
        let own_account = old.as_ref().filter(|_| !has_moved).and_then(|old| old.own_account.clone());
        let mut webhook = old.map(|old| old.webhook).unwrap_or_default();
        webhook.retain(|known| known.is_valid_at(now));
        match typed(&self.webhook_secret) {
            Some(new) if is_valid_key(&new, &["whsec_"]) => rotate_signing_secret(&mut webhook, new, now),
            Some(_) => errors.add("webhookSecret", "Please paste the signing secret: it begins with whsec_"),
            None if has_moved => webhook.retain(|known| known.until.is_none()),
            None => {}
        }
        errors.into_result()?;
        Ok(StripeCredentials { own_account, ..StripeCredentials::with_own_secret(secret, webhook) })
    }
}

/// Activates a signing secret; the previous one is valid for another day.
fn rotate_signing_secret(webhook: &mut Vec<WebhookSecret>, new: String, now: DateTime<Utc>) {
    webhook.retain(|known| known.secret.expose_secret() != new);
    for before in webhook.iter_mut() {
        before.until.get_or_insert(now + ROLLED_FOR);
    }
    webhook.insert(0, WebhookSecret::without_expiry(SecretString::from(new)));
    webhook.truncate(MOST_SECRETS);
}

fn is_valid_key(text: &str, kinds: &[&str]) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_long = |kind: &&str| text.strip_prefix(*kind).is_some_and(|rest| rest.len() >= 8);
    text.len() <= LONGEST && text.chars().all(fits) && kinds.iter().any(is_long)
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use super::*;
    use crate::{platform::error::Error, tests::IntoMessages};

    fn form(key: &str, webhook: &str) -> StripeForm {
        let typed = |text: &str| (!text.is_empty()).then(|| SecretString::from(text.to_owned()));
        StripeForm { secret_key: typed(key), webhook_secret: typed(webhook) }
    }

    fn at(hour: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::hours(hour)
    }

    fn fields(form: &StripeForm) -> Vec<&'static str> {
        match form.validate_keys(None, at(0)) {
            Err(Error::Invalid(errors)) => errors.into_messages().into_iter().map(|(field, _)| field).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn malformed_stripe_keys_are_refused() {
        for key in ["", "pk_live_51AbCdEfGh", "sk_live_", "sk_live_51 AbCdEfGh", "sk_live_51AbCdÉf", "whsec_12345678"]
        {
            assert_eq!(fields(&form(key, "")), ["secretKey"], "{key}");
        }
        assert_eq!(fields(&form("sk_live_51AbCdEfGh", "sk_live_51AbCdEfGh")), ["webhookSecret"]);
        assert_eq!(form(" sk_live_51AbCdEfGh\n", "").validate_keys(None, at(0)).unwrap().masked_key(), "sk_live_…EfGh");
    }

    #[test]
    fn webhook_secret_rollover_keeps_old_and_new_secret() {
        let mut keys = form("sk_live_51AbCdEfGh", "whsec_11111111").validate_keys(None, at(0)).unwrap();
        for (new, known) in [("whsec_22222222", 2), ("whsec_22222222", 2), ("whsec_33333333", 2)] {
            keys = form("", new).validate_keys(Some(keys), at(1)).unwrap();
            assert_eq!((keys.webhook[0].secret.expose_secret(), keys.webhook.len()), (new, known));
        }
        assert_eq!(keys.masked_key(), "sk_live_…EfGh");
    }

    #[test]
    fn previous_webhook_secret_expires_one_day_after_it_was_replaced() {
        let mut keys = form("sk_live_51AbCdEfGh", "whsec_11111111").validate_keys(None, at(0)).unwrap();
        for hour in [1, 5, 20] {
            keys = form("", "whsec_22222222").validate_keys(Some(keys), at(hour)).unwrap();
            assert_eq!((keys.webhook[0].until, keys.webhook[1].until), (None, Some(at(25))), "hour {hour}");
        }
        assert_eq!((keys.valid_webhook_secrets(at(24)).len(), keys.valid_webhook_secrets(at(25)).len()), (2, 1));
        let back = form("", "whsec_11111111").validate_keys(Some(keys.clone()), at(2)).unwrap();
        assert_eq!(back.webhook[0].until, None, "the one before is in force again");
        assert_eq!(back.webhook[1].until, Some(at(26)));
        let late = form("", "").validate_keys(Some(keys), at(30)).unwrap();
        assert_eq!(late.webhook.len(), 1, "what has ended is forgotten");
    }

    #[test]
    fn key_of_another_account_drops_previous_webhook_secret() {
        let rolled = || {
            let keys = form("sk_live_51AbCdEfGh", "whsec_11111111").validate_keys(None, at(0)).unwrap();
            form("", "whsec_22222222").validate_keys(Some(keys), at(1)).unwrap()
        };
        let moved = form("sk_live_51OtherAccount", "").validate_keys(Some(rolled()), at(2)).unwrap();
        assert_eq!((moved.webhook.len(), moved.webhook[0].secret.expose_secret()), (1, "whsec_22222222"));
        let same = form("sk_live_51AbCdEfGh", "").validate_keys(Some(rolled()), at(2)).unwrap();
        assert_eq!(same.webhook.len(), 2, "the same key once more changes nothing");
    }
}
