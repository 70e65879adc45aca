//! Providers of a story: the fakes that the install calls over HTTP, and its settings for them.

use std::time::Duration as StdDuration;

use shared::{
    ops::subscription::BillingConfig,
    platform::{
        config::EnvVars,
        outbound::{OutboundClient, OutboundRules},
    },
    providers::{
        RefusalReason, SendError, http_client,
        mail::{MailConfig, MailProvider, SmtpTimeouts},
        payments::{Stripe, connect::ConnectPlatform},
        push::{PushConfig, PushProvider},
        sms::{SmsConfig, SmsProvider},
    },
};

use super::{MAIL_FROM, TestApp};
use crate::{
    fake_push::FakePush, fake_smtp::FakeSmtp, fake_stripe::FakeStripe, fake_twilio::FakeTwilio,
    fake_webhook_receiver::FakeWebhookReceiver,
};

/// Timeout for providers: long enough for a busy machine, short enough for a story.
const PATIENCE: StdDuration = StdDuration::from_secs(1);

impl TestApp {
    /// The carrier refuses the next text for good (30007).
    pub fn refuse_next_text(&self) {
        self.sms.queue_answer(Err(SendError::Refused {
            kind: RefusalReason::Other,
            code: Some(30_007),
            reason: "the carrier blocked it".into(),
        }));
    }

    /// Texts go through the real adapter to this fake over HTTP.
    pub fn use_twilio(&mut self, twilio: &FakeTwilio) {
        self.use_twilio_at(&twilio.url());
    }

    pub fn use_stripe(&mut self, stripe: &FakeStripe) {
        stripe.keeps_time(self.origin.clone());
        self.settings.stripe_api = stripe.url().parse().expect("an address");
        let platform = self.settings.connect.as_ref().map(|platform| platform.secret.clone());
        let stripe = Stripe::new(http_client().expect("an HTTP client"), self.settings.stripe_api.clone());
        self.context.stripe = stripe.with_platform(platform);
    }

    /// This install is also a platform: businesses connect their accounts to it.
    pub fn use_platform(&mut self, stripe: &FakeStripe) {
        self.use_platform_key(stripe, crate::fake_stripe::PLATFORM);
    }

    /// The operator has removed the platform's key.
    pub fn use_no_platform(&mut self, stripe: &FakeStripe) {
        (self.settings.connect, self.context.connect) = (None, None);
        self.use_stripe(stripe);
    }

    pub fn use_platform_key(&mut self, stripe: &FakeStripe, key: &str) {
        let mut vars = EnvVars::from_pairs([
            ("STRIPE_CONNECT_SECRET_KEY", key),
            ("STRIPE_CONNECT_WEBHOOK_SECRET", crate::fake_stripe::CONNECT_ENDPOINT),
        ]);
        self.settings.connect = ConnectPlatform::from_vars(&mut vars);
        vars.into_result().expect("the variables of the platform");
        self.context.connect = self.settings.connect.clone();
        self.use_stripe(stripe);
    }

    /// Subscriptions of businesses to this install.
    pub fn use_billing(&mut self, stripe: &FakeStripe) {
        self.use_stripe(stripe);
        self.use_billing_account(crate::fake_stripe::KEY, "pk_test_story", "price_monthly");
    }

    /// Live-mode keys, none of which the fake's account knows.
    pub fn use_live_keys(&mut self) {
        self.use_billing_account("sk_live_51FakeStripeAccount4242", "pk_live_story", "price_monthly");
    }

    /// Another price for the monthly fee.
    pub fn use_monthly_price(&mut self, id: &str) {
        self.use_billing_account(crate::fake_stripe::KEY, "pk_test_story", id);
    }

    fn use_billing_account(&mut self, secret: &str, publishable: &str, monthly: &str) {
        let mut vars = EnvVars::from_pairs([
            ("STRIPE_SECRET_KEY", secret),
            ("STRIPE_PUBLISHABLE_KEY", publishable),
            ("STRIPE_WEBHOOK_SECRET", crate::fake_stripe::ENDPOINT),
            ("STRIPE_PRICE_MONTHLY", monthly),
            ("STRIPE_PRICE_SETUP", "price_setup"),
            ("STRIPE_PRICE_SIX_MONTHS", "price_six_months"),
            ("STRIPE_PRICE_SETUP_SIX_MONTHS", "price_setup_six_months"),
        ]);
        self.settings.billing = BillingConfig::from_vars(&mut vars);
        vars.into_result().expect("the variables of billing");
        self.context.billing = self.settings.billing.clone();
    }

    pub fn use_twilio_at(&mut self, url: &str) {
        self.use_twilio_with(url, &[]);
    }

    /// With more variables of Twilio, such as `TWILIO_PRIMARY_PROFILE`.
    pub fn use_twilio_with(&mut self, url: &str, more: &[(&str, &str)]) {
        use crate::fake_twilio::{ACCOUNT_SID, AUTH_TOKEN, FROM};
        let usual = [
            ("TWILIO_ACCOUNT_SID", ACCOUNT_SID),
            ("TWILIO_AUTH_TOKEN", AUTH_TOKEN),
            ("TWILIO_FROM", FROM),
            ("TWILIO_API_URL", url),
        ];
        let mut vars = EnvVars::from_pairs(usual.into_iter().chain(more.iter().copied()));
        let config = SmsConfig::from_vars(&mut vars);
        vars.into_result().expect("the variables of Twilio");
        self.settings.sms = config.clone();
        self.context.sms = match SmsProvider::from_config(&config, &http_client().expect("an HTTP client")) {
            SmsProvider::Twilio(twilio) => SmsProvider::Twilio(twilio.with_timeout(PATIENCE)),
            other => other,
        };
    }

    /// Alerts go through the real adapter to this fake's devices over HTTP.
    pub fn use_push(&mut self, push: &FakePush) {
        let mut vars = EnvVars::from_pairs(push.vars());
        let (data_dir, url) = (&self.settings.data_dir, &self.settings.public_url);
        let config = PushConfig::from_vars(&mut vars, data_dir, &self.origin.entropy, url, None);
        vars.into_result().expect("the variables of alerts");
        self.context.push = match PushProvider::from_config(&config).expect("an HTTP client") {
            PushProvider::Web(web) => PushProvider::Web(web.with_timeout(PATIENCE)),
            other @ PushProvider::Memory(_) => other,
        };
        self.settings.push = config;
    }

    pub fn use_hooks(&mut self, hooks: &FakeWebhookReceiver) {
        let mut vars = EnvVars::from_pairs(hooks.vars());
        let rules = OutboundRules::from_vars(&mut vars);
        vars.into_result().expect("the variables of webhooks");
        self.context.caller = OutboundClient::new(&rules).expect("an HTTP client").with_timeout(PATIENCE);
        self.settings.hooks = rules;
    }

    pub fn use_smtp(&mut self, smtp: &FakeSmtp) {
        self.use_smtp_at(&smtp.url());
    }

    pub fn use_smtp_at(&mut self, url: &str) {
        let timeouts = SmtpTimeouts { connect: PATIENCE, reply: PATIENCE, content: PATIENCE };
        self.context.mail = match self.mail_by(&[("SMTP_URL", url), MAIL_FROM]) {
            MailProvider::Smtp(pool) => MailProvider::Smtp(pool.with_timeouts(timeouts)),
            other => other,
        };
    }

    /// Email counts as set up for the API; sent mails are still recorded here.
    pub fn takes_email_for_set_up(&mut self) {
        let mut vars = EnvVars::from_pairs([("SMTP_URL", "smtp://127.0.0.1:9"), MAIL_FROM]);
        self.settings.mail = MailConfig::from_vars(&mut vars, &self.settings.data_dir);
        vars.into_result().expect("the variables of email");
    }

    /// The default without a mail server.
    pub fn use_mail_files(&mut self) {
        self.context.mail = self.mail_by(&[MAIL_FROM]);
    }

    fn mail_by(&self, pairs: &[(&str, &str)]) -> MailProvider {
        let mut vars = EnvVars::from_pairs(pairs.iter().copied());
        let config = MailConfig::from_vars(&mut vars, &self.settings.data_dir);
        vars.into_result().expect("the variables of email");
        MailProvider::from_config(&config)
    }
}
