//! Application state: settings, database, file store, and the background loops.

use std::{
    ops::Deref,
    sync::{Arc, OnceLock},
    time::Duration,
};

use shared::{
    domain::{
        messaging::sending_number,
        tenancy::{
            account::password::PasswordHashPool,
            org::{self, OrgContext, OrgProfile, SendChannels},
            registration,
            session::Session,
        },
    },
    ops::{key_rotation::mark, schema::SCHEMA, settings::InstallSettings},
    platform::{
        clock::ClockRng,
        count_cache::{CountCache, ListTotal},
        db::{
            Db, Tx,
            tenant_scope::{self, across_tenants},
            unavailability::UnavailabilityLog,
        },
        error::{Error, Result},
        storage::Storage,
    },
    providers::{http_client, mail::MailTransport, payments::Stripe, sms::SmsProvider},
    views::pipeline_board::StageTotal,
};
use tokio::{
    sync::{Mutex, Notify, Semaphore, watch},
    time::timeout,
};

use crate::{
    api_key_auth::ApiKeyRateLimiter,
    clock_watch::{self, ClockOffset},
    concurrency_limit::TenantSemaphore,
    config::ApiConfig,
    enumeration_guard,
    error::{ApiError, ApiResult},
    form_queue::FormQueues,
    form_subject::FormSubject,
    live::LiveHub,
    maintenance_mode::MoveStatus,
    metrics::HttpMetrics,
    notifier, probes,
    readiness::{self, Readiness},
    rls_log,
    single_flight::{Coalescer, NamedCoalescers},
    spool::{self, PhotoSpool},
    webhook_health,
};

/// Photos of the business's users, and logos, decoded at once: one takes up to a second of a core and some 250 MB. The
/// worker decodes the photos of forms.
const IMAGE_PERMITS: usize = 1;
/// Memory limit of such uploads over all requests, in KiB.
const UPLOAD_MEMORY_KIB: usize = 256 * 1024;
/// Pause before an absent database is tried again at start.
const DB_RETRY: Duration = Duration::from_secs(1);
/// How long shutdown waits for a migration under way. One that takes longer is rolled back by the database.
const MIGRATION: Duration = Duration::from_secs(10);
/// How long shutdown waits for connections in use.
const CLOSE: Duration = Duration::from_secs(3);

#[derive(Clone)]
pub struct AppState(Arc<AppStateInner>);

pub struct AppStateInner {
    pub settings: InstallSettings,
    pub config: ApiConfig,
    pub origin: ClockRng,
    pub storage: Storage,
    /// Each call names the account.
    pub stripe: Stripe,
    /// Used for Twilio's lists, never to send.
    pub sms: SmsProvider,
    pub hasher: PasswordHashPool,
    pub press: Arc<Semaphore>,
    /// Cached totals of long lists.
    pub totals: CountCache<ListTotal>,
    pub sums: CountCache<Vec<StageTotal>>,
    pub upload_memory: Arc<Semaphore>,
    pub spool: PhotoSpool,
    /// Exports of whole businesses: each is written to the disk while it is sent.
    pub exports: TenantSemaphore,
    pub hub: LiveHub,
    pub pace: ApiKeyRateLimiter,
    pub meter: HttpMetrics,
    /// Counts of webhook calls that are not written yet.
    pub webhooks: webhook_health::CallbackCounters,
    pub seekers: enumeration_guard::LookupMissTracker,
    pub probes: probes::ProbeCache,
    pub(crate) readiness: Readiness,
    pub(crate) clock_offset: ClockOffset,
    /// Whether the database was left for another; checked before every change.
    pub(crate) moved: Coalescer<MoveStatus>,
    /// What visitors' forms need of their business; by the name that they ask with.
    pub(crate) form_subjects: NamedCoalescers<ApiResult<Arc<FormSubject>>>,
    pub(crate) form_queues: FormQueues,
    pub(crate) wake: Notify,
    db: OnceLock<Db>,
    /// Held while the database is opened and migrated.
    opening: Mutex<()>,
    /// Reason why this process must not use the database.
    refusal: OnceLock<String>,
    stop: watch::Sender<bool>,
}

impl Deref for AppState {
    type Target = AppStateInner;

    fn deref(&self) -> &AppStateInner {
        &self.0
    }
}

impl AppState {
    /// `db` must be migrated; without one, [`AppState::start_background_tasks`] connects in the background. Errors:
    /// when the file store cannot be opened.
    pub fn new(settings: InstallSettings, config: ApiConfig, origin: ClockRng, db: Option<Db>) -> Result<Self> {
        let storage = Storage::open(&settings.storage)?;
        let spool = PhotoSpool::new(&settings.data_dir);
        let http = http_client().map_err(|e| Error::Internal(format!("the HTTP client: {e}")))?;
        let sms = SmsProvider::from_config(&settings.sms, &http);
        let platform = settings.connect.as_ref().map(|platform| platform.secret.clone());
        let stripe = Stripe::new(http, settings.stripe_api.clone()).with_platform(platform);
        let hasher = PasswordHashPool::new(origin.entropy.clone()).with_max_wait(config.hash_wait);
        let cell = OnceLock::new();
        if let Some(db) = db {
            cell.get_or_init(|| db);
        }
        Ok(Self(Arc::new(AppStateInner {
            settings,
            config,
            origin,
            storage,
            stripe,
            sms,
            hasher,
            press: Arc::new(Semaphore::new(IMAGE_PERMITS)),
            totals: CountCache::default(),
            sums: CountCache::default(),
            upload_memory: Arc::new(Semaphore::new(UPLOAD_MEMORY_KIB)),
            spool,
            exports: TenantSemaphore::default(),
            hub: LiveHub::default(),
            pace: ApiKeyRateLimiter::default(),
            meter: HttpMetrics::default(),
            webhooks: webhook_health::CallbackCounters::default(),
            seekers: enumeration_guard::LookupMissTracker::default(),
            probes: probes::ProbeCache::default(),
            readiness: Readiness::default(),
            clock_offset: ClockOffset::default(),
            moved: Coalescer::default(),
            form_subjects: NamedCoalescers::default(),
            form_queues: FormQueues::default(),
            wake: Notify::new(),
            db: cell,
            opening: Mutex::default(),
            refusal: OnceLock::new(),
            stop: watch::Sender::new(false),
        })))
    }

    /// Starts the background loops: database connection, signals to and from other processes.
    pub fn start_background_tasks(&self) {
        let state = self.clone();
        tokio::spawn(tenant_scope::across_tenants(async move {
            state.connect_with_retry().await;
            tokio::join!(
                notifier::run_notifier(&state),
                crate::live::commit_listener::run(&state),
                webhook_health::run(&state),
                spool::run_forwarder(&state),
                crate::worker_watchdog::run(&state),
                clock_watch::run_clock_watch(&state),
                readiness::emit_heartbeats(&state)
            );
        }));
    }

    /// Connects and migrates; retries without limit.
    async fn connect_with_retry(&self) {
        let mut absence = UnavailabilityLog::default();
        while self.db.get().is_none() && !*self.stop.borrow() {
            match self.open_database().await {
                Ok(()) => {}
                Err(Error::Refused(why)) => {
                    self.refusal.get_or_init(|| why);
                    self.signal_shutdown();
                    return;
                }
                Err(e) => {
                    absence.log_cause(&e);
                    tokio::select! {
                        () = tokio::time::sleep(DB_RETRY) => {}
                        () = self.wait_for_shutdown() => return,
                    }
                }
            }
        }
    }

    /// Connects and migrates, unless a stop was asked for. A stop waits for it, so that no migration is cut short.
    async fn open_database(&self) -> Result<()> {
        let _opening = self.opening.lock().await;
        if *self.stop.borrow() {
            return Ok(());
        }
        let db = self.connect().await?;
        self.db.get_or_init(|| db);
        tracing::info!("the database is ready");
        Ok(())
    }

    async fn connect(&self) -> Result<Db> {
        let config = &self.settings.db;
        if config.has_owner() {
            let owner = Db::connect(&config.as_owner(), &SCHEMA).await?;
            let migrated = owner.migrate_and_grant(config).await;
            owner.close().await;
            migrated?;
        }
        let db = Db::connect(config, &SCHEMA).await?;
        db.migrate().await?;
        let mut tx = across_tenants(db.begin()).await?;
        let (sender, first) = (self.settings.sms.sender(), self.settings.default_org.as_deref());
        mark::verify_or_store_key_mark(&mut tx, &self.origin, &self.settings.secret).await?;
        sending_number::sync_default_sender(&mut tx, &self.origin, sender, first).await?;
        self.warn_if_locked(&mut tx).await?;
        self.warn_of_missing_default(&mut tx).await?;
        tx.commit().await?;
        config.mark_installed();
        rls_log::warn_of_weak_roles(&db).await?;
        Ok(db)
    }

    async fn warn_if_locked(&self, tx: &mut Tx) -> Result<()> {
        let settings = &self.settings;
        let set = (settings.registration, settings.billing.is_some());
        if registration::is_install_locked(tx, set, &settings.platform_admins).await? {
            tracing::warn!(
                "no one can register: REGISTRATION is not open, no account exists and PLATFORM_ADMIN_EMAILS names no one; set PLATFORM_ADMIN_EMAILS, or run api invite you@example.com"
            );
        }
        Ok(())
    }

    async fn warn_of_missing_default(&self, tx: &mut Tx) -> Result<()> {
        let Some(name) = self.settings.default_org.as_deref() else { return Ok(()) };
        match org::resolve_public(tx, None, Some(name)).await {
            Err(Error::NoBusiness) => {
                tracing::warn!(
                    default_org = name,
                    "/lead and /quote without org show no form, and TWILIO_FROM belongs to no business: no business has the slug or id of DEFAULT_ORG, or DEFAULT_ORG names the demo and no business has registered yet"
                );
                Ok(())
            }
            found => found.map(|_| ()),
        }
    }

    /// Whether this person operates the install: the address is named in the environment, and proved to be theirs.
    /// Anybody can register with an address.
    #[must_use]
    pub fn is_operator(&self, session: &Session) -> bool {
        session.is_email_proved && self.settings.platform_admins.contains(&session.email)
    }

    /// Errors: 503 until the database was reached for the first time.
    pub fn db(&self) -> ApiResult<&Db> {
        self.db.get().ok_or_else(|| ApiError::unavailable("the database was not reached yet"))
    }

    /// The database; `None` until it was first reached.
    #[must_use]
    pub fn db_if_ready(&self) -> Option<&Db> {
        self.db.get()
    }

    #[must_use]
    pub fn send_channels(&self) -> SendChannels {
        SendChannels {
            sms: self.settings.sms.is_set_up(),
            email: matches!(self.settings.mail.way, MailTransport::Smtp(_)),
            takes_money: self.settings.billing.is_some(),
        }
    }

    /// Context of intake and of the business rules.
    #[must_use]
    pub fn org_context<'a>(&'a self, profile: &'a OrgProfile) -> OrgContext<'a> {
        OrgContext {
            origin: &self.origin,
            secret: &self.settings.secret,
            public_url: &self.settings.public_url,
            profile,
            set_up: self.send_channels(),
        }
    }

    /// To be called after every commit that queued work or announced a change, never before: listeners look at once.
    pub fn notify_committed(&self) {
        self.wake.notify_one();
        self.hub.notify_all();
    }

    pub async fn wait_for_shutdown(&self) {
        let mut stop = self.stop.subscribe();
        // The sender lives as long as this handle, so `wait_for` ends only at the stop.
        drop(stop.wait_for(|stop| *stop).await);
    }

    /// Why the process ended by itself: the database is one that it must not use.
    #[must_use]
    pub fn shutdown_reason(&self) -> Option<&str> {
        self.refusal.get().map(String::as_str)
    }

    /// Closes the database, after a migration under way. The last process to do so leaves no journal beside a `SQLite`
    /// file.
    pub async fn close_database(&self) {
        if timeout(MIGRATION, self.opening.lock()).await.is_err() {
            tracing::warn!("the database was still being migrated at the end of the process");
        }
        if let Some(db) = self.db.get()
            && timeout(CLOSE, db.close()).await.is_err()
        {
            tracing::warn!("the database was still in use at the end of the process");
        }
    }

    pub fn signal_shutdown(&self) {
        self.stop.send_replace(true);
    }
}
