//! What every task of the worker gets: database, providers, settings and its own state.

use std::{path::PathBuf, sync::Arc};

use shared::{
    domain::{
        intake::photo_upload::round_robin::OrgRoundRobin,
        messaging::message::send_rate::ServiceMemberCache,
        tenancy::org::{OrgContext, OrgProfile, SendChannels},
    },
    ops::{
        backup::BackupConfig,
        settings::InstallSettings,
        subscription::{self, BillingConfig},
        system_status,
    },
    platform::{
        clock::ClockRng, db::Db, email_address::EmailAddress, outbound::OutboundClient, public_url::PublicUrl,
        secret::SecretKey, storage::Storage,
    },
    providers::{
        mail::MailProvider,
        payments::{Stripe, connect::ConnectPlatform},
        push::PushProvider,
        sms::SmsProvider,
    },
};
use tokio::sync::{RwLock, Semaphore};

use crate::{
    claim_counters::ClaimCounters,
    clock_watch::{self, ClockGuard},
    config::WorkerConfig,
    queue,
    wake::{self, FinishedRuns},
};

#[derive(Debug)]
pub struct Context {
    pub db: Db,
    pub origin: ClockRng,
    pub sms: SmsProvider,
    pub mail: MailProvider,
    pub push: PushProvider,
    /// Each call names the account.
    pub stripe: Stripe,
    /// Stripe Connect platform of the connected accounts.
    pub connect: Option<ConnectPlatform>,
    /// The install's own Stripe account, for billing.
    pub billing: Option<BillingConfig>,
    /// Addresses for notices about the install.
    pub operators: Vec<EmailAddress>,
    pub caller: OutboundClient,
    pub storage: Storage,
    /// The file space of one business, in bytes.
    pub storage_quota: i64,
    pub public_url: PublicUrl,
    pub secret: SecretKey,
    /// Folder of generated keys and of files in transit.
    pub data_dir: PathBuf,
    pub backup: BackupConfig,
    /// Database file; `None` on PostgreSQL.
    pub sqlite_file: Option<PathBuf>,
    /// `DEFAULT_ORG`: owner of the install's own number.
    pub default_org: Option<String>,
    pub config: WorkerConfig,
    /// Unique for every process start: a dead worker's claims are never mistaken for ours.
    pub name: String,
    pub announcer: wake::ChangeNotifier,
    /// Read-locked while tasks are claimed or ended, so that shutdown can wait for it.
    pub(crate) desk: Arc<RwLock<()>>,
    pub(crate) ended: FinishedRuns,
    pub(crate) claims: Arc<ClaimCounters>,
    pub(crate) held: queue::HeldTasks,
    /// Number of businesses that share a service's daily limit.
    pub(crate) members: ServiceMemberCache,
    /// Pictures that may be decoded at once.
    pub(crate) presses: Arc<Semaphore>,
    /// Tasks that may process the photo line at once.
    pub(crate) photo_lines: Semaphore,
    /// Business whose photo was taken last.
    pub(crate) photo_turns: OrgRoundRobin,
    pub(crate) clock: ClockGuard,
}

impl Context {
    /// Errors: a text for the operator when the file store or the HTTP client cannot be made.
    pub fn new(settings: &InstallSettings, config: WorkerConfig, db: Db, origin: ClockRng) -> Result<Self, String> {
        let http = shared::providers::http_client().map_err(|e| format!("the HTTP client: {e}"))?;
        let started = origin.uuid_v7();
        Ok(Self {
            sms: SmsProvider::from_config(&settings.sms, &http),
            mail: MailProvider::from_config(&settings.mail),
            push: PushProvider::from_config(&settings.push).map_err(|e| format!("the HTTP client for alerts: {e}"))?,
            stripe: Stripe::new(http, settings.stripe_api.clone())
                .with_platform(settings.connect.as_ref().map(|platform| platform.secret.clone())),
            connect: settings.connect.clone(),
            billing: settings.billing.clone(),
            operators: settings.operator_emails().to_vec(),
            caller: OutboundClient::new(&settings.hooks).map_err(|e| format!("the HTTP client for webhooks: {e}"))?,
            storage: Storage::open(&settings.storage).map_err(|e| format!("STORAGE_URL: {e}"))?,
            storage_quota: settings.storage_quota,
            public_url: settings.public_url.clone(),
            secret: settings.secret.clone(),
            data_dir: settings.data_dir.clone(),
            backup: settings.backup.clone(),
            sqlite_file: settings.db.sqlite_file(),
            default_org: settings.default_org.clone(),
            announcer: wake::ChangeNotifier::start_notifier(db.clone()),
            desk: Arc::default(),
            ended: FinishedRuns::default(),
            claims: Arc::default(),
            held: queue::HeldTasks::default(),
            members: ServiceMemberCache::default(),
            presses: Arc::new(Semaphore::new(config.photos_at_once)),
            photo_lines: Semaphore::new(config.photos_at_once),
            photo_turns: OrgRoundRobin::default(),
            clock: ClockGuard::default(),
            name: format!("worker-{}-{}", std::process::id(), started.simple()),
            config,
            db,
            origin,
        })
    }
}

impl Context {
    /// Compares the clock with the others' once: with a wrong clock no task is claimed, released or given up.
    pub async fn compare_clock(&self, signs: &mut system_status::clock::Heartbeats) {
        clock_watch::check_clock(self, signs).await;
    }

    pub(crate) fn send_channels(&self) -> SendChannels {
        SendChannels { sms: self.sms.is_set_up(), email: self.mail.is_set_up(), takes_money: self.billing.is_some() }
    }

    pub(crate) fn org_context<'a>(&'a self, profile: &'a OrgProfile) -> OrgContext<'a> {
        OrgContext {
            origin: &self.origin,
            secret: &self.secret,
            public_url: &self.public_url,
            profile,
            set_up: self.send_channels(),
        }
    }

    pub(crate) fn billing_context(&self) -> subscription::BillingContext<'_> {
        subscription::BillingContext {
            origin: &self.origin,
            secret: &self.secret,
            public_url: &self.public_url,
            operators: &self.operators,
            is_live: self.billing.as_ref().map(|config| !config.keys.is_test_mode()),
        }
    }
}
