//! A whole install in one process: database, rules, worker and API, with a clock that only the story moves.

use std::time::Duration as StdDuration;

use api::ApiConfig;
use chrono::{DateTime, Duration, Utc};
use shared::{
    domain::{messaging::message::MessageView, tenancy::registration::RegistrationMode},
    ops::{schema::SCHEMA, settings::InstallSettings, tenant_data::removal},
    platform::{
        clock::ClockRng,
        config::EnvVars,
        db::{Db, DbConfig, q, qb},
        error::Result,
        id::{LeadId, OrgId},
        tasks::{queue, view::TaskView},
    },
    providers::{
        mail::{MailProvider, MemoryMail},
        push::{MemoryPush, PushProvider},
        sms::{MemorySms, SmsProvider},
    },
    views::lead::{self, LeadDetail},
};
use tempfile::TempDir;
use worker::{Context, config::WorkerConfig};

use crate::database::{self, Postgres};

mod email_links;
mod links;
mod providers;

pub const LEASE: Duration = Duration::seconds(45);
/// Time limit for a turn at hashing: many on a busy machine take half a minute.
const HASH_WAIT: StdDuration = StdDuration::from_mins(10);
const MAIL_FROM: (&str, &str) = ("MAIL_FROM", "Toolbox <office@toolbox.example>");

/// Providers only record, until a story replaces them.
#[derive(Debug)]
pub struct TestApp {
    pub api: ApiConfig,
    pub db: Db,
    /// A fixed start and a seed: every run is the same.
    pub origin: ClockRng,
    pub settings: InstallSettings,
    /// Texts that were sent, and their scripted answers.
    pub sms: MemorySms,
    pub mail: MemoryMail,
    pub push: MemoryPush,
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
    pub async fn on_sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = database::migrated_sqlite(folder.path()).await;
        Self::open(folder, &url, None, false).await
    }

    /// With `TOOLBOX_TEST_POOLED=1` as [`Self::on_pooled_postgres`].
    pub async fn on_postgres() -> Self {
        Self::on_new_postgres(EnvVars::from_process().get("TOOLBOX_TEST_POOLED").is_some()).await
    }

    /// As behind a pooler in transaction mode: no session state lasts longer than its transaction.
    pub async fn on_pooled_postgres() -> Self {
        Self::on_new_postgres(true).await
    }

    async fn on_new_postgres(is_pooled: bool) -> Self {
        let postgres = Postgres::migrated().await;
        let url = postgres.url.clone();
        Self::open(tempfile::tempdir().expect("a temporary folder"), &url, Some(postgres), is_pooled).await
    }

    /// On a PostgreSQL database that the caller removes.
    pub async fn on(postgres: &Postgres) -> Self {
        Self::open(tempfile::tempdir().expect("a temporary folder"), &postgres.url, None, false).await
    }

    async fn open(folder: TempDir, url: &str, postgres: Option<Postgres>, is_pooled: bool) -> Self {
        let origin = ClockRng::fixed(beginning(), 1);
        let data_dir = folder.path().join("var").display().to_string();
        let mut vars = EnvVars::from_pairs([
            ("DATA_DIR", data_dir.as_str()),
            ("DATABASE_URL", url),
            ("SECRET_KEY", "the secret of all stories, which is none"),
            ("PUBLIC_URL", "https://toolbox.example"),
            // Stories must not depend on this machine's free disk space.
            ("DISK_FLOOR_BYTES", "0"),
            MAIL_FROM,
        ]);
        let mut settings = InstallSettings::from_vars(&mut vars, &origin.entropy);
        vars.into_result().expect("the settings of a story");
        // Most stories have several businesses but do not test registration.
        settings.registration = Some(RegistrationMode::Open);
        if is_pooled {
            settings.db = settings.db.with_discarded_sessions();
        }
        let db = Db::connect(&settings.db, &SCHEMA).await.expect("the database of a story");
        db.migrate().await.expect("the migrations");
        let mut context =
            Context::new(&settings, WorkerConfig::default(), db.clone(), origin.clone()).expect("a worker");
        let (sms, mail, push) = (MemorySms::default(), MemoryMail::default(), MemoryPush::default());
        context.push = PushProvider::Memory(push.clone());
        context.sms = SmsProvider::Memory(sms.clone());
        context.mail = MailProvider::Memory(mail.clone());
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

    #[must_use]
    pub fn owner(&self) -> Option<DbConfig> {
        self.postgres.as_ref().map(|postgres| DbConfig::from_url(&postgres.as_owner()))
    }

    /// The end of every story: checks that no due work is left, and removes the database.
    pub async fn finish(self) {
        let left = self.due().await;
        assert!(left.is_empty(), "the story ended with work that is due: {left:?}");
        self.customer_emails_open_their_pages().await;
        self.db.close().await;
        if let Some(postgres) = self.postgres {
            postgres.remove().await;
        }
        self.folder.close().expect("the temporary folder is removed");
    }

    /// The kinds of the tasks that are due and not begun.
    pub async fn due(&self) -> Vec<String> {
        let mut conn = self.db.acquire_reader().await.expect("a connection");
        let sql = "SELECT kind FROM task WHERE status = 'ready' AND run_at <= $1";
        q!(&mut conn, fetch_all scalar String, sql, self.origin.now()).expect("the tasks")
    }

    #[must_use]
    pub fn now(&self) -> DateTime<Utc> {
        self.origin.now()
    }

    /// The only way for time to pass.
    pub fn advance(&self, by: Duration) {
        self.origin.clock.advance(by);
    }

    /// Runs tasks until none is due. Returns their number.
    pub async fn run_tasks(&self) -> usize {
        let context = &self.context;
        let mut ran = 0;
        loop {
            let claimed = queue::claim_due(&self.db, &self.origin, &context.name, LEASE, 16).await.expect("a claim");
            if claimed.is_empty() {
                return ran;
            }
            ran += claimed.len();
            assert!(ran < 5_000, "tasks wake each other without end");
            let mut ends = Vec::with_capacity(claimed.len());
            for task in claimed {
                ends.push((task.clone(), worker::execute_task(task, context).await));
            }
            queue::record_outcomes(&self.db, &self.origin, &context.name, &ends).await.expect("the ends are recorded");
        }
    }

    /// Advances in steps, and after each step runs the due tasks and the minute's tick.
    pub async fn live_through(&self, time: Duration, step: Duration) {
        let end = self.now() + time;
        while self.now() < end {
            self.advance(step);
            self.run_tasks().await;
            shared::domain::messaging::message::sweep::requeue_stranded_messages(&self.db, &self.origin)
                .await
                .expect("a sweep");
            shared::domain::messaging::followup::sweep::requeue_stranded_steps(&self.db, &self.origin)
                .await
                .expect("a sweep of what is planned");
            worker::tasks::messaging::alert_digest::run(&self.context).await.expect("the digest run");
            self.run_tasks().await;
        }
    }

    /// As the API returns it.
    pub async fn lead(&self, org: OrgId, id: LeadId) -> LeadDetail {
        let mut conn = self.db.acquire_reader().await.expect("a connection");
        lead::get(&mut conn, &self.origin, org, id).await.expect("the lead is there")
    }

    /// The messages of a lead, as `kind channel: status in words`, ordered by kind and channel.
    pub async fn outbox(&self, org: OrgId, id: LeadId) -> Vec<String> {
        let mut lines: Vec<String> = self.lead(org, id).await.messages.iter().map(line).collect();
        lines.sort();
        lines
    }

    #[must_use]
    pub fn remover(&self) -> removal::InstallContext<'_> {
        let InstallSettings { data_dir, secret, .. } = &self.settings;
        removal::InstallContext { db: &self.db, storage: &self.context.storage, data_dir, origin: &self.origin, secret }
    }

    pub async fn count(&self, table: &str) -> i64 {
        let mut conn = self.db.acquire_reader().await.expect("a connection");
        qb!(&mut conn, fetch_one scalar i64, |b| {
            b.push("SELECT COUNT(*) FROM ").push(table);
        })
        .expect("a count")
    }

    /// All tasks of a business, newest first.
    pub async fn tasks(&self, org: OrgId) -> Vec<TaskView> {
        let mut conn = self.db.acquire_reader().await.expect("a connection");
        shared::platform::tasks::view::list_newest(&mut conn, org, None, 10_000).await.expect("the tasks")
    }

    /// Until so many transactions wait for a lock of PostgreSQL. `SQLite` allows one writer at a time.
    pub async fn waits_for_locks(&self, count: i64) {
        let sql =
            "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        while self.db.engine() == shared::platform::db::Engine::Postgres {
            let mut conn = self.db.acquire_reader().await.expect("a connection");
            if q!(&mut conn, fetch_one scalar i64, sql).expect("a count") >= count {
                break;
            }
        }
    }

    /// From now on a worker is seen to run, whatever time passes. So begins every story of `both_databases!`, as most
    /// are about what leaves.
    pub async fn starts_worker(&self) {
        let sign = "INSERT INTO worker_heartbeat (worker, seen_at) VALUES ('worker-0', $1)
            ON CONFLICT (worker) DO UPDATE SET seen_at = excluded.seen_at, stopped_at = NULL";
        let seen_at = self.now() + Duration::days(36_500);
        self.within(async |tx| Ok(q!(tx, execute, sign, seen_at)?)).await.expect("a sign of life");
    }

    /// From now on no worker has ever run, until a story records a sign of life. Tasks run when the story says so.
    pub async fn forgets_worker(&self) {
        let sql = "DELETE FROM worker_heartbeat";
        self.within(async |tx| Ok(q!(tx, execute, sql)?)).await.expect("the signs of life are removed");
    }

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

/// Makes two tests of a story: `name::sqlite` and `name::postgres`.
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
                shared::platform::db::tenant_scope::across_tenants(async {
                    let mut app = $crate::app::TestApp::on_sqlite().await;
                    app.starts_worker().await;
                    story(&mut app).await;
                    app.finish().await;
                })
                .await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                // A story's own queries are across businesses; the programs set their business themselves.
                shared::platform::db::tenant_scope::across_tenants(async {
                    let mut app = $crate::app::TestApp::on_postgres().await;
                    app.starts_worker().await;
                    story(&mut app).await;
                    app.finish().await;
                })
                .await;
            }
        }
    )*};
}
