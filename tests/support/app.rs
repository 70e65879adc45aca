//! A whole install in one process: database, rules, worker and API, with a clock that only the story moves.

use std::time::Duration as StdDuration;

use api::ApiConfig;
use chrono::{DateTime, Duration, Utc};
use shared::{
    domain::{
        intake::lead::view::{self, LeadDetail},
        messaging::message::MessageView,
        tenancy::registration::Registration,
    },
    ops::{schema::SCHEMA, settings::Settings, subscription::BillingConfig, tenant_data::removal},
    platform::{
        access_link::{self, Opened},
        clock::Origin,
        config::Vars,
        db::{Db, DbConfig, q, qb},
        error::Result,
        id::{LeadId, LinkId, OrgId},
        outbound::{Caller, Rules},
        tasks::{queue, view::TaskView},
    },
    providers::{
        http_client,
        mail::{Mail, MailConfig, MemoryMail, Timeouts},
        payments::{Stripe, connect::Platform},
        push::{MemoryPush, Push, PushConfig},
        sms::{MemorySms, Sms, SmsConfig},
    },
};
use tempfile::TempDir;
use uuid::Uuid;
use worker::{Context, config::WorkerConfig};

use crate::{
    database::{self, Postgres},
    fake_hook::FakeHook,
    fake_push::FakePush,
    fake_smtp::FakeSmtp,
    fake_stripe::FakeStripe,
    fake_twilio::FakeTwilio,
};

/// The lease of a worker by default.
pub const LEASE: Duration = Duration::seconds(45);
/// How long a provider is waited for: long enough for a busy machine, short enough for a story.
const PATIENCE: StdDuration = StdDuration::from_secs(1);
/// How long a password may wait for its turn: a crowd of them on a busy machine takes half a minute.
const HASH_WAIT: StdDuration = StdDuration::from_mins(10);
const MAIL_FROM: (&str, &str) = ("MAIL_FROM", "Toolbox <office@toolbox.example>");

/// One install. Providers only remember, until a story puts another one in their place.
#[derive(Debug)]
pub struct TestApp {
    /// What only the API is told.
    pub api: ApiConfig,
    pub db: Db,
    /// A fixed start and a seed: every run is the same.
    pub origin: Origin,
    pub settings: Settings,
    /// The texts that left, and what they are answered.
    pub sms: MemorySms,
    /// The emails that left, and what they are answered.
    pub mail: MemoryMail,
    /// The alerts that left for devices, and what they are answered.
    pub push: MemoryPush,
    /// The worker.
    pub context: Context,
    postgres: Option<Postgres>,
    folder: TempDir,
}

/// When every story begins: a Thursday morning in Chicago.
#[must_use]
pub fn beginning() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + Duration::days(20_713) + Duration::hours(15)
}

impl TestApp {
    /// On a `SQLite` file of its own.
    pub async fn on_sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = database::migrated_sqlite(folder.path()).await;
        Self::open(folder, &url, None).await
    }

    /// On a PostgreSQL database of its own.
    pub async fn on_postgres() -> Self {
        let postgres = Postgres::migrated().await;
        let url = postgres.url.clone();
        Self::open(tempfile::tempdir().expect("a temporary folder"), &url, Some(postgres)).await
    }

    /// On a PostgreSQL database that somebody else removes.
    pub async fn on(postgres: &Postgres) -> Self {
        Self::open(tempfile::tempdir().expect("a temporary folder"), &postgres.url, None).await
    }

    async fn open(folder: TempDir, url: &str, postgres: Option<Postgres>) -> Self {
        let origin = Origin::fixed(beginning(), 1);
        let data_dir = folder.path().join("var").display().to_string();
        let mut vars = Vars::from_pairs([
            ("DATA_DIR", data_dir.as_str()),
            ("DATABASE_URL", url),
            ("SECRET_KEY", "the secret of all stories, which is none"),
            ("PUBLIC_URL", "https://toolbox.example"),
            // Stories must not depend on how full this machine's disk is.
            ("DISK_FLOOR_BYTES", "0"),
            MAIL_FROM,
        ]);
        let mut settings = Settings::from_vars(&mut vars, &origin.entropy);
        vars.finish().expect("the settings of a story");
        // Most stories have several businesses, and are about something else.
        settings.registration = Some(Registration::Open);
        let db = Db::connect(&settings.db, &SCHEMA).await.expect("the database of a story");
        db.migrate().await.expect("the migrations");
        let mut context =
            Context::new(&settings, WorkerConfig::default(), db.clone(), origin.clone()).expect("a worker");
        let (sms, mail, push) = (MemorySms::default(), MemoryMail::default(), MemoryPush::default());
        context.push = Push::Memory(push.clone());
        context.sms = Sms::Memory(sms.clone());
        context.mail = Mail::Memory(mail.clone());
        Self {
            api: ApiConfig { floor: StdDuration::ZERO, hash_wait: HASH_WAIT, ..ApiConfig::default() },
            db,
            origin,
            settings,
            sms,
            mail,
            push,
            context,
            postgres,
            folder,
        }
    }

    /// The database for the role that owns its tables; none on `SQLite`.
    #[must_use]
    pub fn owner(&self) -> Option<DbConfig> {
        self.postgres.as_ref().map(|postgres| DbConfig::at(&postgres.as_owner()))
    }

    /// The end of every story: nothing that is due was left undone. Removes the database.
    pub async fn finish(self) {
        let left = self.due().await;
        assert!(left.is_empty(), "the story ended with work that is due: {left:?}");
        self.papers_open_from_their_emails().await;
        self.db.close().await;
        if let Some(postgres) = self.postgres {
            postgres.remove().await;
        }
        self.folder.close().expect("the temporary folder is removed");
    }

    /// Every email of a rule to a customer that holds the address of a paper has a button for it, and each such address on
    /// a line of its own and as a link that shows itself: whatever way the email was made.
    async fn papers_open_from_their_emails(&self) {
        let sql = "SELECT id FROM message WHERE direction = 'out' AND channel = 'email' AND customer_id IS NOT NULL AND kind <> 'manual'";
        let mut conn = self.db.read().await.expect("a connection");
        let to_customers = q!(&mut conn, fetch_all scalar Uuid, sql).expect("the emails");
        drop(conn);
        for letter in self.mail.accepted().iter().filter(|letter| to_customers.contains(&letter.id)) {
            let is_paper = |word: &&str| {
                let place = word.strip_prefix("https://toolbox.example/").unwrap_or_default();
                (place.starts_with("p/") || place.starts_with("r/")) && !place.ends_with("/stop")
            };
            let papers: Vec<&str> = letter.text.split_whitespace().filter(is_paper).collect();
            let html = letter.html.as_deref().unwrap_or_default().replace("&#x2f;", "/");
            let has_button = |paper: &&str| html.contains(&format!("<a class=\"main\" href=\"{paper}\""));
            assert!(papers.is_empty() || papers.iter().any(has_button), "no button in {}: {html}", letter.subject);
            for paper in papers {
                assert!(letter.text.lines().any(|line| line == paper), "{}: {}", letter.subject, letter.text);
                assert!(html.contains(&format!(">{paper}</a>")), "no plain link in {}: {html}", letter.subject);
            }
        }
    }

    /// The kinds of the tasks that are due and not begun.
    pub async fn due(&self) -> Vec<String> {
        let mut conn = self.db.read().await.expect("a connection");
        let sql = "SELECT kind FROM task WHERE status = 'ready' AND run_at <= $1";
        q!(&mut conn, fetch_all scalar String, sql, self.origin.now()).expect("the tasks")
    }

    /// The present instant of this install.
    #[must_use]
    pub fn now(&self) -> DateTime<Utc> {
        self.origin.now()
    }

    /// Lets time pass; nothing else does.
    pub fn advance(&self, by: Duration) {
        self.origin.clock.advance(by);
    }

    /// Does what a worker does until nothing is due. Returns how many tasks were carried out.
    pub async fn run_tasks(&self) -> usize {
        let context = &self.context;
        let mut ran = 0;
        loop {
            let claimed = queue::claim(&self.db, &self.origin, &context.name, LEASE, 16).await.expect("a claim");
            if claimed.is_empty() {
                return ran;
            }
            ran += claimed.len();
            assert!(ran < 5_000, "tasks wake each other without end");
            let mut ends = Vec::with_capacity(claimed.len());
            for task in claimed {
                ends.push((task.clone(), worker::carry_out(task, context).await));
            }
            queue::finish(&self.db, &self.origin, &context.name, &ends).await.expect("the ends are recorded");
        }
    }

    /// Lets time pass in steps, and does what is due and what the minute's tick does after each.
    pub async fn live_through(&self, time: Duration, step: Duration) {
        let end = self.now() + time;
        while self.now() < end {
            self.advance(step);
            self.run_tasks().await;
            shared::domain::messaging::message::sweep::run(&self.db, &self.origin).await.expect("a sweep");
            shared::domain::messaging::followup::sweep::run(&self.db, &self.origin)
                .await
                .expect("a sweep of what is planned");
            worker::tasks::digest::run(&self.context).await.expect("what is due is told");
            self.run_tasks().await;
        }
    }

    /// Texts go over this fake's HTTP, by the real adapter.
    pub fn use_twilio(&mut self, twilio: &FakeTwilio) {
        self.use_twilio_at(&twilio.url());
    }

    /// Cards are paid with there from now on.
    pub fn use_stripe(&mut self, stripe: &FakeStripe) {
        stripe.keeps_time(self.origin.clone());
        self.settings.stripe_api = stripe.url().parse().expect("an address");
        let platform = self.settings.connect.as_ref().map(|platform| platform.secret.clone());
        let stripe = Stripe::new(http_client().expect("an HTTP client"), self.settings.stripe_api.clone());
        self.context.stripe = stripe.with_platform(platform);
    }

    /// Cards are paid with there from now on, and businesses connect their accounts: this install is a platform.
    pub fn use_platform(&mut self, stripe: &FakeStripe) {
        let mut vars = Vars::from_pairs([
            ("STRIPE_CONNECT_SECRET_KEY", crate::fake_stripe::PLATFORM),
            ("STRIPE_CONNECT_WEBHOOK_SECRET", crate::fake_stripe::CONNECT_ENDPOINT),
        ]);
        self.settings.connect = Platform::from_vars(&mut vars);
        vars.finish().expect("the variables of the platform");
        self.context.connect = self.settings.connect.clone();
        self.use_stripe(stripe);
    }

    /// Businesses pay for this install there from now on.
    pub fn use_billing(&mut self, stripe: &FakeStripe) {
        self.use_stripe(stripe);
        self.use_billing_account(crate::fake_stripe::KEY, "pk_test_story", "price_monthly");
    }

    /// The operator puts the keys in place with which real money moves; the fake's account knows none of them.
    pub fn use_live_keys(&mut self) {
        self.use_billing_account("sk_live_51FakeStripeAccount4242", "pk_live_story", "price_monthly");
    }

    /// The operator names another price for the month.
    pub fn use_monthly_price(&mut self, id: &str) {
        self.use_billing_account(crate::fake_stripe::KEY, "pk_test_story", id);
    }

    fn use_billing_account(&mut self, secret: &str, publishable: &str, monthly: &str) {
        let mut vars = Vars::from_pairs([
            ("STRIPE_SECRET_KEY", secret),
            ("STRIPE_PUBLISHABLE_KEY", publishable),
            ("STRIPE_WEBHOOK_SECRET", crate::fake_stripe::ENDPOINT),
            ("STRIPE_PRICE_MONTHLY", monthly),
            ("STRIPE_PRICE_SETUP", "price_setup"),
            ("STRIPE_PRICE_SIX_MONTHS", "price_six_months"),
            ("STRIPE_PRICE_SETUP_SIX_MONTHS", "price_setup_six_months"),
        ]);
        self.settings.billing = BillingConfig::from_vars(&mut vars);
        vars.finish().expect("the variables of billing");
        self.context.billing = self.settings.billing.clone();
    }

    /// The same, wherever it listens.
    pub fn use_twilio_at(&mut self, url: &str) {
        use crate::fake_twilio::{ACCOUNT_SID, AUTH_TOKEN, FROM};
        let mut vars = Vars::from_pairs([
            ("TWILIO_ACCOUNT_SID", ACCOUNT_SID),
            ("TWILIO_AUTH_TOKEN", AUTH_TOKEN),
            ("TWILIO_FROM", FROM),
            ("TWILIO_API_URL", url),
        ]);
        let config = SmsConfig::from_vars(&mut vars);
        vars.finish().expect("the variables of Twilio");
        self.settings.sms = config.clone();
        self.context.sms = match Sms::from_config(&config, &http_client().expect("an HTTP client")) {
            Sms::Twilio(twilio) => Sms::Twilio(twilio.with_timeout(PATIENCE)),
            other => other,
        };
    }

    /// Alerts go to this fake's devices over HTTP, by the real adapter; the API takes its devices.
    pub fn use_push(&mut self, push: &FakePush) {
        let mut vars = Vars::from_pairs(push.vars());
        let (data_dir, url) = (&self.settings.data_dir, &self.settings.public_url);
        let config = PushConfig::from_vars(&mut vars, data_dir, &self.origin.entropy, url, None);
        vars.finish().expect("the variables of alerts");
        self.context.push = match Push::from_config(&config).expect("an HTTP client") {
            Push::Web(web) => Push::Web(web.with_timeout(PATIENCE)),
            other @ Push::Memory(_) => other,
        };
        self.settings.push = config;
    }

    /// Webhooks may call this fake, by the real adapter.
    pub fn use_hooks(&mut self, hooks: &FakeHook) {
        let mut vars = Vars::from_pairs(hooks.vars());
        let rules = Rules::from_vars(&mut vars);
        vars.finish().expect("the variables of webhooks");
        self.context.caller = Caller::new(&rules).expect("an HTTP client").with_timeout(PATIENCE);
        self.settings.hooks = rules;
    }

    /// Email goes over this fake's SMTP, by the real adapter.
    pub fn use_smtp(&mut self, smtp: &FakeSmtp) {
        self.use_smtp_at(&smtp.url());
    }

    /// The same, wherever it listens.
    pub fn use_smtp_at(&mut self, url: &str) {
        let timeouts = Timeouts { connect: PATIENCE, reply: PATIENCE, content: PATIENCE };
        self.context.mail = match self.mail_by(&[("SMTP_URL", url), MAIL_FROM]) {
            Mail::Smtp(pool) => Mail::Smtp(pool.with_timeouts(timeouts)),
            other => other,
        };
    }

    /// The API takes email for set up; what leaves is still remembered here.
    pub fn takes_email_for_set_up(&mut self) {
        let mut vars = Vars::from_pairs([("SMTP_URL", "smtp://127.0.0.1:9"), MAIL_FROM]);
        self.settings.mail = MailConfig::from_vars(&mut vars, &self.settings.data_dir);
        vars.finish().expect("the variables of email");
    }

    /// Email goes into files, as on a bare start.
    pub fn use_mail_files(&mut self) {
        self.context.mail = self.mail_by(&[MAIL_FROM]);
    }

    fn mail_by(&self, pairs: &[(&str, &str)]) -> Mail {
        let mut vars = Vars::from_pairs(pairs.iter().copied());
        let config = MailConfig::from_vars(&mut vars, &self.settings.data_dir);
        vars.finish().expect("the variables of email");
        Mail::from_config(&config)
    }

    /// The lead as its people see it.
    pub async fn lead(&self, org: OrgId, id: LeadId) -> LeadDetail {
        view::get(&mut self.db.read().await.expect("a connection"), org, id).await.expect("the lead is there")
    }

    /// The messages of a lead, as `kind channel: status in words`, in the order of kinds and channels.
    pub async fn outbox(&self, org: OrgId, id: LeadId) -> Vec<String> {
        let mut lines: Vec<String> = self.lead(org, id).await.messages.iter().map(line).collect();
        lines.sort();
        lines
    }

    /// What removes a business from here.
    #[must_use]
    pub fn remover(&self) -> removal::House<'_> {
        let Settings { data_dir, secret, .. } = &self.settings;
        removal::House { db: &self.db, storage: &self.context.storage, data_dir, origin: &self.origin, secret }
    }

    /// How many rows a table has.
    pub async fn count(&self, table: &str) -> i64 {
        let mut conn = self.db.read().await.expect("a connection");
        qb!(&mut conn, fetch_one scalar i64, |b| {
            b.push("SELECT COUNT(*) FROM ").push(table);
        })
        .expect("a count")
    }

    /// All tasks of an org, newest first.
    pub async fn tasks(&self, org: OrgId) -> Vec<TaskView> {
        let mut conn = self.db.read().await.expect("a connection");
        shared::platform::tasks::view::list(&mut conn, org, None, 10_000).await.expect("the tasks")
    }

    /// The door of an invitation (`/api/public/invite/…`) as the mail to this address has it.
    ///
    /// # Panics
    /// When there is no invitation, or several businesses have one.
    pub async fn mailed_door(&self, door: &str, email: &str) -> String {
        let mut conn = self.db.read().await.expect("a connection");
        let sql = "SELECT DISTINCT org_id FROM invite";
        let org = q!(&mut conn, fetch_one scalar OrgId, sql).expect("one business that invites");
        let proof =
            shared::domain::tenancy::account::invite::proof::of(&self.settings.secret, org, &email.to_lowercase());
        format!("{door}~{proof}")
    }

    /// The link as it was sent to this address: each address is sent a token of its own.
    ///
    /// # Panics
    /// When it was not sent there.
    pub async fn sent_link(&self, shown: &str, address: &str) -> String {
        let (before, token) = shown.rsplit_once('/').expect("a link");
        let mut conn = self.db.read().await.expect("a connection");
        let secret = &self.settings.secret;
        let opened =
            access_link::open(&mut conn, secret, self.now(), token, &access_link::Kind::ALL).await.expect("an answer");
        let Opened::Here(link) = opened else { panic!("{shown} opens nothing") };
        let sql = "SELECT id FROM link_copy WHERE org_id = $1 AND link_id = $2 AND value = $3";
        let copy =
            q!(&mut conn, fetch_one scalar LinkId, sql, link.org_id, link.id, address).expect("it was sent there");
        format!("{before}/{}", access_link::token(secret, copy, link.kind))
    }

    /// `text` with each link as it left for `address`.
    ///
    /// # Panics
    /// When one of them was not sent there.
    pub async fn as_sent(&self, text: &str, address: &str) -> String {
        let mut words = Vec::new();
        for word in text.split(' ') {
            let is_link = word.starts_with("https://") && !word.contains('\n');
            words.push(if is_link { self.sent_link(word, address).await } else { word.to_owned() });
        }
        words.join(" ")
    }

    /// Runs `work` in a transaction and commits it.
    pub async fn within<T>(&self, work: impl AsyncFnOnce(&mut shared::platform::db::Tx) -> Result<T>) -> Result<T> {
        let mut tx = self.db.begin().await?;
        let made = work(&mut tx).await?;
        tx.commit().await?;
        Ok(made)
    }
}

fn line(message: &MessageView) -> String {
    let name = |value: serde_json::Result<serde_json::Value>| {
        value.ok().and_then(|v| v.as_str().map(ToOwned::to_owned)).unwrap_or_default()
    };
    let (kind, channel) = (serde_json::to_value(message.kind), serde_json::to_value(message.channel));
    format!("{} {}: {}", name(kind), name(channel), message.status_text)
}

/// One story, two tests: `name::sqlite` and `name::postgres`.
#[macro_export]
macro_rules! both_databases {
    ($($(#[$doc:meta])* async fn $name:ident($app:ident) $body:block)*) => {$(
        $(#[$doc])*
        #[cfg(test)]
        mod $name {
            use super::*;

            async fn story($app: &mut $crate::app::TestApp) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                shared::platform::db::tenant_scope::across_businesses(async {
                    let mut app = $crate::app::TestApp::on_sqlite().await;
                    story(&mut app).await;
                    app.finish().await;
                })
                .await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                // What a story looks at and changes by itself is of all businesses; the programs say whom they work for.
                shared::platform::db::tenant_scope::across_businesses(async {
                    let mut app = $crate::app::TestApp::on_postgres().await;
                    story(&mut app).await;
                    app.finish().await;
                })
                .await;
            }
        }
    )*};
}
