//! The worker: claims queued tasks and carries them out. All tasks and schedules are listed here.

use std::{
    panic::AssertUnwindSafe,
    path::PathBuf,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::Poll,
    time::Duration,
};

use apalis::prelude::*;
use futures::FutureExt;
use shared::{
    domain::{
        intake::photo_upload::turn::OrgRoundRobin,
        messaging::message::send_rate::ServiceMemberCache,
        tenancy::org::{OrgContext, Profile, SendChannels},
    },
    ops::{
        backup::BackupConfig,
        settings::InstallSettings,
        subscription::{self, BillingConfig},
        system_status,
    },
    platform::{
        clock::ClockRng,
        db::{Db, tenant_scope},
        email_address::EmailAddress,
        id::{
            AlertId, CheckoutId, CrewId, DeviceId, EstimateId, EventId, FollowUpId, HookCallId, InstallMailId,
            MessageId, NumberClaimId, OrgId, PaymentId, PulseId, SlaId, SubscriptionId,
        },
        outbound::OutboundClient,
        public_url::PublicUrl,
        secret::SecretKey,
        storage::Storage,
        tasks::{ClaimedTask, Kind, TaskOutcome, queue as table},
    },
    providers::{
        mail::MailProvider,
        payments::{Stripe, connect::ConnectPlatform},
        push::PushProvider,
        sms::SmsProvider,
    },
};
use tokio::{
    sync::{RwLock, Semaphore},
    task::{JoinError, JoinHandle},
};

mod clock_watch;
pub mod config;
pub mod figures;
pub mod housekeeping;
pub mod liveness;
pub mod queue;
pub mod tasks;
pub mod wake;

use clock_watch::ClockGuard;
use config::WorkerConfig;
use figures::ClaimCounters;
use wake::FinishedRuns;

/// Timeout of a task: longer than the slowest provider call with all its timeouts.
const TASK_TIMEOUT: Duration = Duration::from_mins(2);
const MOST_PANICS: i64 = 3;
/// How long running tasks may finish after SIGTERM (trust requirement 17: 15 s in all).
const DRAIN: Duration = Duration::from_secs(13);

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
    /// Compares the clock with the others' once: with a wrong clock nothing is claimed, taken back or given up.
    pub async fn compare_clock(&self, signs: &mut system_status::clock::Heartbeats) {
        clock_watch::check_clock(self, signs).await;
    }

    pub(crate) fn send_channels(&self) -> SendChannels {
        SendChannels { sms: self.sms.is_set_up(), email: self.mail.is_set_up(), takes_money: self.billing.is_some() }
    }

    pub(crate) fn org_context<'a>(&'a self, profile: &'a Profile) -> OrgContext<'a> {
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

/// Runs until `shutdown` resolves, then stops claiming, lets running tasks finish, and gives back the rest. Errors: a
/// text for the operator when a loop ended by itself; the process must then fail, so that its supervisor restarts it.
pub async fn run_worker(
    context: Arc<Context>,
    wake: wake::QueueWakeup,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), String> {
    let alive = liveness::acquire_lock(&context.data_dir, &context.name)
        .and_then(|alive| liveness::remove_dead_files(&context.data_dir).map(|()| alive))
        .inspect_err(|e| tracing::warn!(error = %e, "others will know only by its leases whether this worker lives"));
    // Before anything is claimed.
    let mut signs = system_status::clock::Heartbeats::default();
    context.compare_clock(&mut signs).await;
    let timer = tokio::spawn(tenant_scope::across_tenants(clock_watch::watch_clock(context.clone(), signs)));
    let keeper = tokio::spawn(tenant_scope::across_tenants(housekeeping::renew_leases(context.clone())));
    let cleaner = tokio::spawn(tenant_scope::across_tenants(housekeeping::run_every_minute(context.clone())));
    let looker = tokio::spawn(tenant_scope::across_tenants(housekeeping::catch_up_missed(context.clone())));
    let saver = tokio::spawn(tenant_scope::across_tenants(housekeeping::back_up_daily(context.clone())));
    let purger = tokio::spawn(tenant_scope::across_tenants(housekeeping::purge_nightly(context.clone())));
    let reaper = tokio::spawn(tenant_scope::across_tenants(housekeeping::reap_dead_workers(context.clone())));
    let admitter = tokio::spawn(tenant_scope::across_tenants(housekeeping::place_backlog(context.clone())));
    let stops = [&timer, &keeper, &cleaner, &looker, &saver, &purger, &admitter, &reaper]
        .map(tokio::task::JoinHandle::abort_handle);
    let ended = tokio::select! {
        ended = run_until_shutdown(build_monitor(&context, wake), shutdown) => ended,
        // Without signs of life every claim is lost, so the worker must not go on.
        lost = keeper => Err(format!("the loop that keeps leases stopped by itself: {lost:?}")),
        lost = timer => Err(format!("the loop that compares the clock stopped by itself: {lost:?}")),
        lost = cleaner => Err(format!("the minute's loop stopped by itself: {lost:?}")),
        lost = looker => Err(format!("the loop that looks for what was missed stopped by itself: {lost:?}")),
        lost = purger => Err(format!("the loop that removes old data stopped by itself: {lost:?}")),
        lost = admitter => Err(format!("the loop that admits due tasks stopped by itself: {lost:?}")),
        lost = reaper => Err(format!("the loop that looks for dead workers stopped by itself: {lost:?}")),
        lost = saver => Err(format!("the loop that makes backups stopped by itself: {lost:?}")),
    };
    for stop in stops {
        stop.abort();
    }
    // Otherwise a claim under way would be made after everything was given back.
    if tokio::time::timeout(DRAIN, context.desk.write()).await.is_err() {
        tracing::warn!("the table of tasks did not answer in time");
    }
    if let Err(e) = table::release_held(&context.db, &context.name).await {
        tracing::warn!(error = %e, "could not give back unfinished tasks; their leases will run out");
    }
    if let Err(e) = system_status::record_worker_stopped(&context.db, &context.origin, &context.name).await {
        tracing::warn!(error = %e, "could not sign off; for two minutes it looks as if this worker were at work");
    }
    drop(alive);
    ended
}

fn build_monitor(context: &Arc<Context>, wake: wake::QueueWakeup) -> Monitor {
    // Built once: the end of a queue loop is a fault of the process and must not be hidden by a new loop.
    let wake = std::sync::Mutex::new(Some(wake));
    let context = context.clone();
    Monitor::new().register(move |_| {
        let wake = wake.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        let ended = context.ended.clone();
        WorkerBuilder::new(context.name.clone())
            .backend(
                queue::TaskQueue::new(context.clone())
                    .poll_with_strategy(wake.unwrap_or_else(wake::QueueWakeup::polling_only)),
            )
            .data(context.clone())
            .concurrency(context.config.concurrency)
            .timeout(TASK_TIMEOUT)
            .parallelize(move |run| SpawnedRun::spawn_run(run, ended.clone()))
            .build(perform_task)
    })
}

/// Runs the loop until `shutdown` resolves and running tasks have finished, or [`DRAIN`] is over. Errors: when the loop
/// ended by itself. The cause is in the log: apalis does not return it.
async fn run_until_shutdown(
    monitor: Monitor,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), String> {
    let was_asked = Arc::new(AtomicBool::new(false));
    let asked = was_asked.clone();
    let signal = async move {
        shutdown.await;
        asked.store(true, Ordering::SeqCst);
        Ok(())
    };
    // Only with a timeout does apalis return when its loop has ended; without one it also waits for the signal.
    let ended = monitor.shutdown_timeout(DRAIN).run_with_signal(signal).await;
    if was_asked.load(Ordering::SeqCst) {
        return Ok(());
    }
    Err(format!("the queue's loop stopped by itself: {ended:?}"))
}

/// Exit status: 0 after an orderly stop, 1 when the process must be restarted.
#[must_use]
pub fn exit_status(ended: &Result<(), String>) -> u8 {
    u8::from(ended.is_err())
}

/// A spawned run that is aborted when dropped: one past its timeout must not go on beside tasks that are claimed later.
struct SpawnedRun<T> {
    run: JoinHandle<T>,
    over: FinishedRuns,
}

impl<T: Send + 'static> SpawnedRun<T> {
    fn spawn_run(run: impl Future<Output = T> + Send + 'static, over: FinishedRuns) -> Self {
        Self { run: tokio::spawn(tenant_scope::across_tenants(run)), over }
    }
}

impl<T> Future for SpawnedRun<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.run).poll(cx)
    }
}

impl<T> Drop for SpawnedRun<T> {
    fn drop(&mut self) {
        self.run.abort();
        self.over.record_finished();
    }
}

async fn perform_task(task: ClaimedTask, context: Data<Arc<Context>>) -> Result<(), BoxDynError> {
    match execute_task(task, &context).await {
        TaskOutcome::Done => Ok(()),
        TaskOutcome::Retry(why) => Err(why.into()),
        TaskOutcome::Dead(why) => Err(Box::new(AbortError::new(why))),
    }
}

/// Carries out one task. A panic is a failure, but the third one marks the task dead: a poison pill must not hold a
/// slot for ever (trust requirement 15). The start of a quarantined task is recorded first.
pub async fn execute_task(task: ClaimedTask, context: &Context) -> TaskOutcome {
    let attempts = task.attempts;
    if task.is_quarantined {
        match table::record_start(&context.db, &context.name, &task).await {
            Ok(true) => {}
            Ok(false) => return TaskOutcome::Retry("it was taken from this worker".to_owned()),
            Err(e) => return TaskOutcome::Retry(e.to_string()),
        }
    }
    // On the heap: the combined future of all kinds of tasks is too large to move.
    let work = with_task_tenant(task.org, Box::pin(dispatch_task(task, context)));
    match AssertUnwindSafe(work).catch_unwind().await {
        Ok(end) => end,
        Err(_) if attempts >= MOST_PANICS => TaskOutcome::Dead("it panicked three times".to_owned()),
        Err(_) => TaskOutcome::Retry("it panicked".to_owned()),
    }
}

/// A task of one business sees only that business's rows, even if a query lacks the condition; a task of the install
/// sees all.
async fn with_task_tenant(org: Option<OrgId>, work: impl Future<Output = TaskOutcome>) -> TaskOutcome {
    match org {
        Some(org) => tenant_scope::with_tenant(org, work).await,
        None => tenant_scope::across_tenants(work).await,
    }
}

async fn dispatch_task(task: ClaimedTask, context: &Context) -> TaskOutcome {
    let ended = match (task.kind, task.subject) {
        (Some(Kind::SendMessage | Kind::SendEmail), Some(id)) => tasks::send_message::run(context, MessageId(id)).await,
        (Some(Kind::ReconcileDelivery), Some(id)) => tasks::reconcile_delivery::run(context, MessageId(id)).await,
        (Some(Kind::ProcessInboundSms), Some(id)) => tasks::process_inbound_sms::run(context, MessageId(id)).await,
        (Some(Kind::FetchMedia), Some(id)) => tasks::fetch_media::run(context, MessageId(id)).await,
        (Some(Kind::RedrawPhotos), _) => tasks::redraw_photos::run(context).await,
        (Some(Kind::PushAlert), Some(id)) => tasks::push_alert::run(context, task.org, AlertId(id)).await,
        (Some(Kind::EscalateAlert), Some(id)) => tasks::escalate_alert::run(context, task.org, AlertId(id)).await,
        (Some(Kind::TestDevice), Some(id)) => tasks::push_alert::send_test_push(context, DeviceId(id)).await,
        (Some(Kind::FinalizeDocument), Some(id)) => tasks::finalize_document::run(context, id).await,
        (Some(Kind::FollowUp), Some(id)) => tasks::follow_up::run(context, FollowUpId(id)).await,
        (Some(Kind::BillJob), Some(id)) => tasks::bill_job::run(context, EventId(id)).await,
        (Some(Kind::SignCopy), Some(id)) => tasks::sign_copy::run(context, EstimateId(id)).await,
        (Some(Kind::SettleCheckout), Some(id)) => tasks::settle_checkout::run(context, CheckoutId(id)).await,
        (Some(Kind::ExpireCheckout), Some(id)) => tasks::expire_checkout::run(context, CheckoutId(id)).await,
        (Some(Kind::Reconcile), Some(id)) => tasks::reconcile::run(context, OrgId(id)).await,
        (Some(Kind::CheckAccount), Some(id)) => tasks::check_account::run(context, OrgId(id)).await,
        (Some(Kind::RefundCard), Some(id)) => match task.org {
            Some(org) => tasks::refund_card::run(context, org, PaymentId(id)).await,
            None => Ok(()),
        },
        (Some(Kind::SendReceipt), Some(id)) => tasks::send_receipt::run(context, PaymentId(id)).await,
        (Some(Kind::Recount), Some(id)) => tasks::recount::run(context, OrgId(id)).await,
        (Some(Kind::SendPulse), Some(id)) => tasks::send_pulse::run(context, PulseId(id)).await,
        (Some(Kind::SeedDemo), _) => tasks::seed_demo::run(context).await,
        (Some(Kind::NotifyCrew), Some(id)) => tasks::notify_crew::run(context, CrewId(id)).await,
        (Some(Kind::CheckSla), Some(id)) => tasks::check_sla::run(context, SlaId(id)).await,
        (Some(Kind::SettleSubscription), Some(id)) => {
            tasks::settle_subscription::run(context, SubscriptionId(id)).await
        }
        (Some(Kind::CancelSubscriptionAttempt), Some(id)) => {
            tasks::cancel_subscription_attempt::run(context, SubscriptionId(id)).await
        }
        (Some(Kind::SendNumberCode), Some(id)) => tasks::send_number_code::run(context, NumberClaimId(id)).await,
        (Some(Kind::SendInstallMail), Some(id)) => tasks::send_install_mail::run(context, InstallMailId(id)).await,
        (Some(Kind::DeliverWebhook), Some(id)) => tasks::deliver_webhook::run(context, HookCallId(id)).await,
        (Some(Kind::Noop), _) => Ok(()),
        (None, _) | (Some(_), None) => {
            return TaskOutcome::Dead("this version does not know this kind of task".to_owned());
        }
    };
    ended.map_or_else(|e| TaskOutcome::Retry(e.to_string()), |()| TaskOutcome::Done)
}

#[cfg(test)]
mod tests {
    use apalis_core::backend::memory::MemoryStorage;

    use super::*;

    async fn loop_over<F>(shutdown: impl Future<Output = ()> + Send + 'static, task: F) -> Result<(), String>
    where
        F: Fn(&WorkerContext) + Clone + Send + Sync + 'static,
    {
        let monitor = Monitor::new().register(move |_| {
            let task = task.clone();
            let mut queue = MemoryStorage::new();
            futures::executor::block_on(queue.push(1_u32)).expect("a task");
            WorkerBuilder::new("w").backend(queue).build(move |_: u32, context: WorkerContext| {
                let task = task.clone();
                async move { task(&context) }
            })
        });
        tokio::time::timeout(Duration::from_secs(5), run_until_shutdown(monitor, shutdown)).await.expect("it ends")
    }

    #[tokio::test]
    async fn timed_out_run_is_dropped() {
        let (goes_on, ends) = tokio::sync::oneshot::channel::<()>();
        let run = SpawnedRun::spawn_run(
            async move {
                std::future::pending::<()>().await;
                drop(goes_on);
            },
            FinishedRuns::default(),
        );
        assert!(tokio::time::timeout(Duration::from_millis(5), run).await.is_err());
        let dropped = tokio::time::timeout(Duration::from_secs(5), ends).await;
        assert!(dropped.expect("it is dropped").is_err());
    }

    #[tokio::test]
    async fn queue_loop_that_ends_by_itself_fails_the_process() {
        let ended = loop_over(std::future::pending(), |context| context.stop().expect("it runs")).await;
        assert!(ended.as_ref().is_err_and(|why| why.contains("stopped by itself")), "{ended:?}");
        assert_eq!(exit_status(&ended), 1);
    }

    #[tokio::test]
    async fn queue_loop_that_panics_fails_the_process() {
        let ended = loop_over(std::future::pending(), |_| panic!("a fault in the loop")).await;
        assert!(ended.as_ref().is_err_and(|why| why.contains("stopped by itself")), "{ended:?}");
        assert_eq!(exit_status(&ended), 1);
    }

    #[tokio::test]
    async fn queue_loop_that_is_told_to_stop_exits_successfully() {
        let (begun, has_begun) = tokio::sync::oneshot::channel();
        let begun = Arc::new(std::sync::Mutex::new(Some(begun)));
        let shutdown = async { has_begun.await.expect("the task runs") };
        let ended = loop_over(shutdown, move |_| {
            let signal = begun.lock().expect("nobody panicked").take();
            signal.expect("one task").send(()).expect("the loop is waited for");
        })
        .await;
        assert_eq!((exit_status(&ended), ended), (0, Ok(())));
    }
}
