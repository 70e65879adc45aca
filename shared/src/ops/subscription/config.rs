//! The install's own Stripe account, where businesses pay for it. Without one no business has to pay.

use std::sync::{Arc, OnceLock};

use secrecy::SecretString;

use crate::{
    platform::config::EnvVars,
    providers::payments::{StripeCredentials, WebhookSecret, subscription_snapshot::BillingPlan},
};

/// Marker in keys of test mode.
const TEST_KEY_MARKER: &str = "_test_";

/// `STRIPE_SECRET_KEY` and the variables that belong to it: all of them, or none.
#[derive(Clone, Debug)]
pub struct BillingConfig {
    /// `STRIPE_SECRET_KEY`, and `STRIPE_WEBHOOK_SECRET`: comma-separated while it is changed. Without a webhook secret
    /// no event is accepted, and subscriptions are looked at every hour.
    pub keys: StripeCredentials,
    /// `STRIPE_PUBLISHABLE_KEY`: the page's own key, which is no secret.
    pub publishable: String,
    monthly: PlanPrices,
    /// None when `STRIPE_PRICE_SIX_MONTHS` is not set: the choice is not offered then.
    six_months: Option<PlanPrices>,
}

/// Stripe's ids (`price_…`) of the prices of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanPrices {
    /// Recurring: `STRIPE_PRICE_MONTHLY`, or `STRIPE_PRICE_SIX_MONTHS`.
    pub every: String,
    /// One-time: `STRIPE_PRICE_SETUP`, or `STRIPE_PRICE_SETUP_SIX_MONTHS`.
    pub setup: String,
    /// Set once Stripe's amounts were found to be those shown here: the amount of a price never changes there
    /// (docs.stripe.com/api/prices/update).
    pub are_as_shown: Arc<OnceLock<()>>,
}

impl BillingConfig {
    /// None without a secret key. Other missing variables are recorded in `vars` under their names.
    pub fn from_vars(vars: &mut EnvVars) -> Option<Self> {
        let secret = vars.get("STRIPE_SECRET_KEY")?;
        if !["sk_", "rk_"].iter().any(|kind| secret.starts_with(kind)) {
            vars.record_invalid("STRIPE_SECRET_KEY", "must begin with sk_ or rk_");
        }
        let publishable = required_var(vars, "STRIPE_PUBLISHABLE_KEY", "pk_");
        let monthly = PlanPrices {
            every: required_var(vars, "STRIPE_PRICE_MONTHLY", "price_"),
            setup: required_var(vars, "STRIPE_PRICE_SETUP", "price_"),
            are_as_shown: Arc::default(),
        };
        let six_months = vars.get("STRIPE_PRICE_SIX_MONTHS").is_some().then(|| PlanPrices {
            every: required_var(vars, "STRIPE_PRICE_SIX_MONTHS", "price_"),
            setup: required_var(vars, "STRIPE_PRICE_SETUP_SIX_MONTHS", "price_"),
            are_as_shown: Arc::default(),
        });
        if publishable.starts_with("pk_") && secret.contains(TEST_KEY_MARKER) != publishable.contains(TEST_KEY_MARKER) {
            vars.record_invalid(
                "STRIPE_PUBLISHABLE_KEY",
                "must be of the same kind as STRIPE_SECRET_KEY: both test, or both live",
            );
        }
        let keys = StripeCredentials::with_own_secret(SecretString::from(secret), parse_webhook_secrets(vars));
        Some(Self { keys, publishable, monthly, six_months })
    }

    /// None when the plan is not offered.
    #[must_use]
    pub fn prices_for(&self, plan: BillingPlan) -> Option<&PlanPrices> {
        match plan {
            BillingPlan::Monthly => Some(&self.monthly),
            BillingPlan::SixMonths => self.six_months.as_ref(),
        }
    }
}

fn required_var(vars: &mut EnvVars, name: &str, kind: &str) -> String {
    let value = vars.get(name).unwrap_or_default();
    if !value.starts_with(kind) {
        vars.record_invalid(name, format!("must begin with {kind} when STRIPE_SECRET_KEY is set"));
    }
    value
}

fn parse_webhook_secrets(vars: &mut EnvVars) -> Vec<WebhookSecret> {
    const NAME: &str = "STRIPE_WEBHOOK_SECRET";
    let given = vars.get(NAME).unwrap_or_default();
    let mut found = Vec::new();
    for one in given.split(',').map(str::trim).filter(|one| !one.is_empty()) {
        if !one.starts_with("whsec_") {
            vars.record_invalid(NAME, "must hold signing secrets that begin with whsec_, parted by commas");
        }
        found.push(WebhookSecret::without_expiry(SecretString::from(one.to_owned())));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [(&str, &str); 4] = [
        ("STRIPE_SECRET_KEY", "sk_test_1"),
        ("STRIPE_PUBLISHABLE_KEY", "pk_test_1"),
        ("STRIPE_PRICE_MONTHLY", "price_1"),
        ("STRIPE_PRICE_SETUP", "price_2"),
    ];

    fn read(pairs: &[(&str, &str)]) -> (Option<BillingConfig>, Vec<String>) {
        let mut vars = EnvVars::from_pairs(pairs.iter().copied());
        let config = BillingConfig::from_vars(&mut vars);
        (config, vars.into_result().err().map(|e| e.0.into_iter().map(|f| f.variable).collect()).unwrap_or_default())
    }

    #[test]
    fn payments_are_disabled_without_secret_key() {
        let (config, faults) = read(&ALL[1..]);
        assert!(config.is_none() && faults.is_empty());
    }

    #[test]
    fn mixed_test_and_live_keys_are_refused() {
        for (secret, publishable, is_good) in [
            ("sk_test_1", "pk_test_1", true),
            ("sk_live_1", "pk_live_1", true),
            ("rk_live_1", "pk_live_1", true),
            ("sk_live_1", "pk_test_1", false),
            ("sk_test_1", "pk_live_1", false),
        ] {
            let keys = [("STRIPE_SECRET_KEY", secret), ("STRIPE_PUBLISHABLE_KEY", publishable)];
            let pairs = [keys.as_slice(), &ALL[2..]];
            let wanted: &[&str] = if is_good { &[] } else { &["STRIPE_PUBLISHABLE_KEY"] };
            assert_eq!(read(&pairs.concat()).1, wanted, "{secret} {publishable}");
        }
    }

    #[test]
    fn incomplete_account_config_is_refused_naming_missing_variables() {
        assert_eq!(read(&ALL[..1]).1, ["STRIPE_PUBLISHABLE_KEY", "STRIPE_PRICE_MONTHLY", "STRIPE_PRICE_SETUP"]);
        let more = [ALL.as_slice(), &[("STRIPE_PRICE_SIX_MONTHS", "price_3"), ("STRIPE_WEBHOOK_SECRET", "x")]].concat();
        assert_eq!(read(&more).1, ["STRIPE_PRICE_SETUP_SIX_MONTHS", "STRIPE_WEBHOOK_SECRET"]);
    }

    #[test]
    fn six_month_plan_needs_a_price_and_webhook_secrets_may_overlap() {
        let (config, faults) = read(&ALL);
        assert!(faults.is_empty(), "{faults:?}");
        assert!(config.unwrap().prices_for(BillingPlan::SixMonths).is_none());
        let more = [
            ALL.as_slice(),
            &[
                ("STRIPE_PRICE_SIX_MONTHS", "price_3"),
                ("STRIPE_PRICE_SETUP_SIX_MONTHS", "price_4"),
                ("STRIPE_WEBHOOK_SECRET", "whsec_new, whsec_old"),
            ],
        ]
        .concat();
        let (config, faults) = read(&more);
        assert!(faults.is_empty(), "{faults:?}");
        let config = config.unwrap();
        assert_eq!(config.prices_for(BillingPlan::SixMonths).unwrap().setup, "price_4");
        assert_eq!(config.keys.webhook.len(), 2);
        assert!(!format!("{config:?}").contains("sk_test_1"), "it prints no secret");
    }
}
