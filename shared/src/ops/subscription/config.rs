//! The install's own account at Stripe, where businesses pay for it. Without one nobody pays, and nobody has to.

use std::sync::{Arc, OnceLock};

use secrecy::SecretString;

use crate::{
    platform::config::Vars,
    providers::payments::{Keys, Signing, subscription_fact::Plan},
};

/// What keys have in them that move no real money.
const TEST: &str = "_test_";

/// `STRIPE_SECRET_KEY` and what goes with it. All of it, or none.
#[derive(Clone, Debug)]
pub struct BillingConfig {
    /// `STRIPE_SECRET_KEY`, and `STRIPE_WEBHOOK_SECRET`: comma-separated while it is changed. Without a webhook secret
    /// nobody is believed who says that they are Stripe, and how subscriptions stand is asked for by the hour.
    pub keys: Keys,
    /// `STRIPE_PUBLISHABLE_KEY`: the page's own key, which is no secret.
    pub publishable: String,
    monthly: Prices,
    /// None when `STRIPE_PRICE_SIX_MONTHS` is not set: the choice is not offered then.
    six_months: Option<Prices>,
}

/// What is charged for a plan, as ids of Stripe's (`price_…`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prices {
    /// Again and again: `STRIPE_PRICE_MONTHLY`, or `STRIPE_PRICE_SIX_MONTHS`.
    pub every: String,
    /// Once: `STRIPE_PRICE_SETUP`, or `STRIPE_PRICE_SETUP_SIX_MONTHS`.
    pub setup: String,
    /// Set once Stripe was found to charge what is shown here: a price's amount never changes there
    /// (docs.stripe.com/api/prices/update).
    pub are_as_shown: Arc<OnceLock<()>>,
}

impl BillingConfig {
    /// None when no secret key is set. Whatever is then missing is noted in `vars` under its name.
    pub fn from_vars(vars: &mut Vars) -> Option<Self> {
        let secret = vars.get("STRIPE_SECRET_KEY")?;
        if !["sk_", "rk_"].iter().any(|kind| secret.starts_with(kind)) {
            vars.fault("STRIPE_SECRET_KEY", "must begin with sk_ or rk_");
        }
        let publishable = needed(vars, "STRIPE_PUBLISHABLE_KEY", "pk_");
        let monthly = Prices {
            every: needed(vars, "STRIPE_PRICE_MONTHLY", "price_"),
            setup: needed(vars, "STRIPE_PRICE_SETUP", "price_"),
            are_as_shown: Arc::default(),
        };
        let six_months = vars.get("STRIPE_PRICE_SIX_MONTHS").is_some().then(|| Prices {
            every: needed(vars, "STRIPE_PRICE_SIX_MONTHS", "price_"),
            setup: needed(vars, "STRIPE_PRICE_SETUP_SIX_MONTHS", "price_"),
            are_as_shown: Arc::default(),
        });
        if publishable.starts_with("pk_") && secret.contains(TEST) != publishable.contains(TEST) {
            vars.fault(
                "STRIPE_PUBLISHABLE_KEY",
                "must be of the same kind as STRIPE_SECRET_KEY: both test, or both live",
            );
        }
        let keys = Keys::own(SecretString::from(secret), webhook_secrets(vars));
        Some(Self { keys, publishable, monthly, six_months })
    }

    /// What is charged for a plan; none when it is not offered.
    #[must_use]
    pub fn prices(&self, plan: Plan) -> Option<&Prices> {
        match plan {
            Plan::Monthly => Some(&self.monthly),
            Plan::SixMonths => self.six_months.as_ref(),
        }
    }
}

fn needed(vars: &mut Vars, name: &str, kind: &str) -> String {
    let value = vars.get(name).unwrap_or_default();
    if !value.starts_with(kind) {
        vars.fault(name, format!("must begin with {kind} when STRIPE_SECRET_KEY is set"));
    }
    value
}

fn webhook_secrets(vars: &mut Vars) -> Vec<Signing> {
    const NAME: &str = "STRIPE_WEBHOOK_SECRET";
    let given = vars.get(NAME).unwrap_or_default();
    let mut found = Vec::new();
    for one in given.split(',').map(str::trim).filter(|one| !one.is_empty()) {
        if !one.starts_with("whsec_") {
            vars.fault(NAME, "must hold signing secrets that begin with whsec_, parted by commas");
        }
        found.push(Signing::in_force(SecretString::from(one.to_owned())));
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
        let mut vars = Vars::from_pairs(pairs.iter().copied());
        let config = BillingConfig::from_vars(&mut vars);
        (config, vars.finish().err().map(|e| e.0.into_iter().map(|f| f.variable).collect()).unwrap_or_default())
    }

    #[test]
    fn without_a_secret_key_nobody_pays() {
        let (config, faults) = read(&ALL[1..]);
        assert!(config.is_none() && faults.is_empty());
    }

    #[test]
    fn a_page_with_keys_of_the_other_world_is_refused() {
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
    fn half_an_account_is_refused_by_the_names_of_what_is_missing() {
        assert_eq!(read(&ALL[..1]).1, ["STRIPE_PUBLISHABLE_KEY", "STRIPE_PRICE_MONTHLY", "STRIPE_PRICE_SETUP"]);
        let more = [ALL.as_slice(), &[("STRIPE_PRICE_SIX_MONTHS", "price_3"), ("STRIPE_WEBHOOK_SECRET", "x")]].concat();
        assert_eq!(read(&more).1, ["STRIPE_PRICE_SETUP_SIX_MONTHS", "STRIPE_WEBHOOK_SECRET"]);
    }

    #[test]
    fn six_months_are_offered_where_they_have_a_price_and_secrets_are_changed_without_a_gap() {
        let (config, faults) = read(&ALL);
        assert!(faults.is_empty(), "{faults:?}");
        assert!(config.unwrap().prices(Plan::SixMonths).is_none());
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
        assert_eq!(config.prices(Plan::SixMonths).unwrap().setup, "price_4");
        assert_eq!(config.keys.webhook.len(), 2);
        assert!(!format!("{config:?}").contains("sk_test_1"), "it prints no secret");
    }
}
