//! What every request is handed: settings, database, file store, and the loops that run beside the requests.

use std::{
    ops::Deref,
    sync::{Arc, OnceLock},
    time::Duration,
};

use shared::{
    domain::{
        intake::lead::Intake,
        messaging::{message::send_policy::SetUp, sending_number},
        tenancy::{account::password::Hasher, org::Profile, session::Session},
        work::pipeline::board::Sum,
    },
    ops::{key_rotation::mark, schema::SCHEMA, settings::Settings},
    platform::{
        clock::Origin,
        count_cache::{Total, Totals},
        db::{
            Db,
            absence::Absence,
            tenant_scope::{self, Standing, across_businesses},
        },
        error::{Error, Result},
        storage::Storage,
    },
    providers::{http_client, mail::MailWay, payments::Stripe, sms::Sms},
};
use tokio::sync::{Notify, Semaphore, watch};

use crate::{
    api_key_auth::Pace,
    concurrency_limit::Turns,
    config::ApiConfig,
    enumeration_guard,
    error::{ApiError, ApiResult},
    live::Hub,
    maintenance_mode::Moved,
    metrics::Meter,
    notifier, probes,
    readiness::{self, Readiness},
    single_flight::Together,
    spool::{self, Spool},
    webhook_health,
};

/// Photos of the business's own people, and logos, being decoded at once: one takes up to a second of a core and some
/// 250 MB. Photos of forms are the worker's.
const PRESSES: usize = 1;
/// Bytes of such uploads that all requests together may hold in memory, in KiB.
const UPLOAD_MEMORY_KIB: usize = 256 * 1024;
/// How long a start waits before it asks an absent database again.
const DB_RETRY: Duration = Duration::from_secs(1);
/// How long the end of a process waits for connections that are in use.
const CLOSE: Duration = Duration::from_secs(3);

/// Shared by all requests; clones are handles.
#[derive(Clone)]
pub struct AppState(Arc<Inner>);

pub struct Inner {
    pub settings: Settings,
    pub config: ApiConfig,
    pub origin: Origin,
    pub storage: Storage,
    /// Card payments. Whose account it is, each call says.
    pub stripe: Stripe,
    /// What Twilio is asked: its lists, never to send.
    pub sms: Sms,
    pub hasher: Hasher,
    pub press: Arc<Semaphore>,
    /// How long the long lists are.
    pub totals: Totals<Total>,
    /// What the columns of the boards come to.
    pub sums: Totals<Vec<Sum>>,
    pub upload_memory: Arc<Semaphore>,
    /// Photos of forms on their way into the file store.
    pub spool: Spool,
    /// Whole businesses on their way out: each is written down on the disk while it leaves.
    pub exports: Turns,
    pub hub: Hub,
    /// How often each key has asked lately.
    pub pace: Pace,
    /// What was answered, for the operator's monitoring.
    pub meter: Meter,
    /// How providers' calls are doing, as far as it is not written down yet.
    pub webhooks: webhook_health::Counts,
    /// Who has lately asked for what is not there.
    pub seekers: enumeration_guard::Seekers,
    /// What the providers last said when they were asked whether all is well.
    pub probes: probes::Asked,
    /// Whether writes reach the database and the file store.
    pub(crate) readiness: Readiness,
    /// Whether the database was left for another, asked before every change.
    pub(crate) moved: Together<Moved>,
    pub(crate) wake: Notify,
    db: OnceLock<Db>,
    /// Why this process must not work with the database.
    refusal: OnceLock<String>,
    stop: watch::Sender<bool>,
}

impl Deref for AppState {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl AppState {
    /// A migrated `db` may be given; without one, [`AppState::start`] connects in the background.
    ///
    /// # Errors
    /// When the file store cannot be opened.
    pub fn new(settings: Settings, config: ApiConfig, origin: Origin, db: Option<Db>) -> Result<Self> {
        let storage = Storage::open(&settings.storage)?;
        let spool = Spool::new(&settings.data_dir);
        let http = http_client().map_err(|e| Error::Internal(format!("the HTTP client: {e}")))?;
        let sms = Sms::from_config(&settings.sms, &http);
        let platform = settings.connect.as_ref().map(|platform| platform.secret.clone());
        let stripe = Stripe::new(http, settings.stripe_api.clone()).with_platform(platform);
        let hasher = Hasher::new(origin.entropy.clone()).with_longest_wait(config.hash_wait);
        let cell = OnceLock::new();
        if let Some(db) = db {
            cell.get_or_init(|| db);
        }
        Ok(Self(Arc::new(Inner {
            settings,
            config,
            origin,
            storage,
            stripe,
            sms,
            hasher,
            press: Arc::new(Semaphore::new(PRESSES)),
            totals: Totals::default(),
            sums: Totals::default(),
            upload_memory: Arc::new(Semaphore::new(UPLOAD_MEMORY_KIB)),
            spool,
            exports: Turns::default(),
            hub: Hub::default(),
            pace: Pace::default(),
            meter: Meter::default(),
            webhooks: webhook_health::Counts::default(),
            seekers: enumeration_guard::Seekers::default(),
            probes: probes::Asked::default(),
            readiness: Readiness::default(),
            moved: Together::default(),
            wake: Notify::new(),
            db: cell,
            refusal: OnceLock::new(),
            stop: watch::Sender::new(false),
        })))
    }

    /// Begins what runs beside the requests: reaching the database, passing on news of commits, hearing of others'.
    pub fn start(&self) {
        let state = self.clone();
        tokio::spawn(tenant_scope::across_businesses(async move {
            state.reach_database().await;
            // After that: a start has two cores at best, and nobody is served before.
            tokio::task::spawn_blocking(|| {
                shared::platform::phone::Phone::warm_up();
            });
            tokio::join!(
                notifier::run(&state),
                crate::live::commit_listener::run(&state),
                webhook_health::run(&state),
                spool::run(&state),
                crate::worker_watchdog::run(&state),
                readiness::give_signs(&state)
            );
        }));
    }

    /// Connects and migrates, as often as it takes.
    async fn reach_database(&self) {
        let mut absence = Absence::default();
        while self.db.get().is_none() {
            match self.connect().await {
                Ok(db) => {
                    self.db.get_or_init(|| db);
                    tracing::info!("the database is ready");
                }
                Err(Error::Refused(why)) => {
                    self.refusal.get_or_init(|| why);
                    self.stop();
                    return;
                }
                Err(e) => {
                    absence.say(&e);
                    tokio::select! {
                        () = tokio::time::sleep(DB_RETRY) => {}
                        () = self.until_stopped() => return,
                    }
                }
            }
        }
    }

    async fn connect(&self) -> Result<Db> {
        let config = &self.settings.db;
        if config.has_owner() {
            let owner = Db::connect(&config.as_owner(), &SCHEMA).await?;
            let migrated = owner.migrate_for(config).await;
            owner.close().await;
            migrated?;
        }
        let db = Db::connect(config, &SCHEMA).await?;
        db.migrate().await?;
        let mut tx = across_businesses(db.begin()).await?;
        let (sender, first) = (self.settings.sms.sender(), self.settings.default_org.as_deref());
        mark::settle(&mut tx, &self.origin, &self.settings.secret).await?;
        sending_number::settle(&mut tx, &self.origin, sender, first).await?;
        tx.commit().await?;
        config.mark_installed();
        match tenant_scope::standing(&db).await? {
            Standing::Absent | Standing::Stands => {}
            Standing::Owned => tracing::info!(
                "the database role owns the tables; a role that owns nothing is safer (docs/data-protection.md)"
            ),
            Standing::Bypassed => tracing::warn!(
                "the database role is a superuser or has BYPASSRLS: PostgreSQL does not keep businesses apart for it (docs/operations.md)"
            ),
            Standing::Open(tables) => tracing::warn!(tables, "tables without row-level security: run api migrate"),
        }
        Ok(db)
    }

    /// Whether this person runs the install: named in its environment, and the reader of that address's mail. Anybody
    /// can register with an address.
    #[must_use]
    pub fn is_operator(&self, session: &Session) -> bool {
        session.is_email_proved && self.settings.platform_admins.contains(&session.email)
    }

    /// The database.
    ///
    /// # Errors
    /// 503 until it was reached for the first time.
    pub fn db(&self) -> ApiResult<&Db> {
        self.db.get().ok_or_else(|| ApiError::unavailable("the database was not reached yet"))
    }

    /// The database, if it was ever reached.
    #[must_use]
    pub fn db_if_ready(&self) -> Option<&Db> {
        self.db.get()
    }

    /// What this install can send.
    #[must_use]
    pub fn set_up(&self) -> SetUp {
        SetUp {
            sms: self.settings.sms.is_set_up(),
            email: matches!(self.settings.mail.way, MailWay::Smtp(_)),
            takes_money: self.settings.billing.is_some(),
        }
    }

    /// What taking a request in, and every rule of the business, needs to know.
    #[must_use]
    pub fn intake<'a>(&'a self, profile: &'a Profile) -> Intake<'a> {
        Intake {
            origin: &self.origin,
            secret: &self.settings.secret,
            public_url: &self.settings.public_url,
            profile,
            set_up: self.set_up(),
        }
    }

    /// To be called after every commit that queued work or announced a change. Never before: the listeners look at once.
    pub fn wake(&self) {
        self.wake.notify_one();
        self.hub.tell();
    }

    /// Ends when the process is stopping.
    pub async fn until_stopped(&self) {
        let mut stop = self.stop.subscribe();
        // The sender lives as long as this handle, so the only end is the one waited for.
        drop(stop.wait_for(|stop| *stop).await);
    }

    /// Why the process ended by itself, if it did: the database is one that it must not work with.
    #[must_use]
    pub fn refusal(&self) -> Option<&str> {
        self.refusal.get().map(String::as_str)
    }

    /// Closes the database: the last process to do so leaves a `SQLite` file without a journal beside it.
    pub async fn close(&self) {
        if let Some(db) = self.db.get()
            && tokio::time::timeout(CLOSE, db.close()).await.is_err()
        {
            tracing::warn!("the database was still in use at the end of the process");
        }
    }

    /// Ends the event streams and the loops.
    pub fn stop(&self) {
        self.stop.send_replace(true);
    }
}
