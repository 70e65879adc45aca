//! The worker: claims queued work and carries it out. Every task and every schedule is listed here, each with its why.

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
        intake::{lead::Intake, photo_upload::turn::Turns},
        messaging::message::{send_policy::SetUp, send_rate::Members},
        tenancy::org::Profile,
    },
    ops::{
        backup::BackupConfig,
        settings::Settings,
        subscription::{self, BillingConfig},
        system_status,
    },
    platform::{
        clock::Origin,
        db::{Db, tenant_scope},
        id::{
            AlertId, CheckoutId, CrewId, DeviceId, EstimateId, EventId, FollowUpId, HookCallId, InstallMailId,
            MessageId, NumberClaimId, OrgId, PaymentId, PromiseId, PulseId, SubscriptionId,
        },
        outbound::Caller,
        public_url::PublicUrl,
        secret::SecretKey,
        storage::Storage,
        tasks::{Claimed, End, Kind, queue as table},
    },
    providers::{
        mail::Mail,
        payments::{Stripe, connect::Platform},
        push::Push,
        sms::Sms,
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
use wake::Ended;

/// A task may take this long: longer than the slowest provider call with all its timeouts.
const TASK_TIMEOUT: Duration = Duration::from_mins(2);
const MOST_PANICS: i64 = 3;
/// How long running tasks are waited for after SIGTERM (trust requirement 17: 15 s in all).
const DRAIN: Duration = Duration::from_secs(13);

/// What tasks work with.
#[derive(Debug)]
pub struct Context {
    pub db: Db,
    pub origin: Origin,
    pub sms: Sms,
    pub mail: Mail,
    pub push: Push,
    /// Whose account it is, each call says.
    pub stripe: Stripe,
    /// The platform of the accounts that businesses connected.
    pub connect: Option<Platform>,
    /// The install's own account there, where businesses pay for it.
    pub billing: Option<BillingConfig>,
    /// Who is told what concerns the install.
    pub operators: Vec<String>,
    /// The way to webhooks.
    pub caller: Caller,
    pub storage: Storage,
    /// The file space of one business, in bytes.
    pub storage_quota: i64,
    pub public_url: PublicUrl,
    pub secret: SecretKey,
    /// Where the generated keys lie, and what is on its way.
    pub data_dir: PathBuf,
    pub backup: BackupConfig,
    /// The file of the database; none on PostgreSQL.
    pub sqlite_file: Option<PathBuf>,
    /// Whose the install's own number is: `DEFAULT_ORG`.
    pub default_org: Option<String>,
    pub config: WorkerConfig,
    /// Unique for every start of a process: a dead worker's claims are never mistaken for ours.
    pub name: String,
    /// Tells API processes that something changed.
    pub announcer: wake::Announcer,
    /// Held for reading by whoever claims or ends tasks at the table, so that the end of the process can wait for them.
    pub(crate) desk: Arc<RwLock<()>>,
    /// What has run and is over.
    pub(crate) ended: Ended,
    pub(crate) claims: Arc<ClaimCounters>,
    pub(crate) held: queue::Held,
    /// Among how many businesses the day of a shared service is divided.
    pub(crate) members: Members,
    /// Pictures that may be decoded at once.
    pub(crate) presses: Arc<Semaphore>,
    /// Tasks that may go through the line of photos at once.
    pub(crate) photo_lines: Semaphore,
    /// Whose photo was the last that one of them took.
    pub(crate) photo_turns: Turns,
    /// Whether the clock can be acted by.
    pub(crate) clock: ClockGuard,
}

impl Context {
    /// Opens what the settings name.
    ///
    /// # Errors
    /// A text for the operator when the file store or the HTTP client cannot be made.
    pub fn new(settings: &Settings, config: WorkerConfig, db: Db, origin: Origin) -> Result<Self, String> {
        let http = shared::providers::http_client().map_err(|e| format!("the HTTP client: {e}"))?;
        let started = origin.uuid();
        Ok(Self {
            sms: Sms::from_config(&settings.sms, &http),
            mail: Mail::from_config(&settings.mail),
            push: Push::from_config(&settings.push).map_err(|e| format!("the HTTP client for alerts: {e}"))?,
            stripe: Stripe::new(http, settings.stripe_api.clone())
                .with_platform(settings.connect.as_ref().map(|platform| platform.secret.clone())),
            connect: settings.connect.clone(),
            billing: settings.billing.clone(),
            operators: settings.operators().to_vec(),
            caller: Caller::new(&settings.hooks).map_err(|e| format!("the HTTP client for webhooks: {e}"))?,
            storage: Storage::open(&settings.storage).map_err(|e| format!("STORAGE_URL: {e}"))?,
            storage_quota: settings.storage_quota,
            public_url: settings.public_url.clone(),
            secret: settings.secret.clone(),
            data_dir: settings.data_dir.clone(),
            backup: settings.backup.clone(),
            sqlite_file: settings.db.sqlite_file(),
            default_org: settings.default_org.clone(),
            announcer: wake::Announcer::start(db.clone()),
            desk: Arc::default(),
            ended: Ended::default(),
            claims: Arc::default(),
            held: queue::Held::default(),
            members: Members::default(),
            presses: Arc::new(Semaphore::new(config.photos_at_once)),
            photo_lines: Semaphore::new(config.photos_at_once),
            photo_turns: Turns::default(),
            clock: ClockGuard::default(),
            name: format!("worker-{}-{}", std::process::id(), started.simple()),
            config,
            db,
            origin,
        })
    }
}

impl Context {
    /// Compares the clock with the others' once: by one that is off nothing is claimed, taken back or given up.
    pub async fn compare_clock(&self, signs: &mut system_status::clock::Signs) {
        clock_watch::look(self, signs).await;
    }

    /// What this install can send.
    pub(crate) fn set_up(&self) -> SetUp {
        SetUp { sms: self.sms.is_set_up(), email: self.mail.is_set_up(), takes_money: self.billing.is_some() }
    }

    /// What taking a request in needs.
    pub(crate) fn intake<'a>(&'a self, profile: &'a Profile) -> Intake<'a> {
        Intake {
            origin: &self.origin,
            secret: &self.secret,
            public_url: &self.public_url,
            profile,
            set_up: self.set_up(),
        }
    }

    /// What the room of subscriptions needs.
    pub(crate) fn billing_house(&self) -> subscription::House<'_> {
        subscription::House {
            origin: &self.origin,
            secret: &self.secret,
            public_url: &self.public_url,
            operators: &self.operators,
            is_live: self.billing.as_ref().map(|config| !config.keys.is_test()),
        }
    }
}

/// Runs until `shutdown` resolves, then stops claiming, lets running tasks finish, and gives back the rest.
///
/// # Errors
/// A text for the operator when a loop ended by itself: the process must then end with a failure, so that whoever
/// supervises it starts a new one.
pub async fn run(
    context: Arc<Context>,
    wake: wake::Wake,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), String> {
    let alive = liveness::show(&context.data_dir, &context.name)
        .and_then(|alive| liveness::tidy(&context.data_dir).map(|()| alive))
        .inspect_err(|e| tracing::warn!(error = %e, "others will know only by its leases whether this worker lives"));
    // Before anything is claimed.
    let mut signs = system_status::clock::Signs::default();
    context.compare_clock(&mut signs).await;
    let timer = tokio::spawn(tenant_scope::across_businesses(clock_watch::watch(context.clone(), signs)));
    let keeper = tokio::spawn(tenant_scope::across_businesses(housekeeping::keep_leases(context.clone())));
    let cleaner = tokio::spawn(tenant_scope::across_businesses(housekeeping::every_minute(context.clone())));
    let looker = tokio::spawn(tenant_scope::across_businesses(housekeeping::look_for_what_was_missed(context.clone())));
    let saver = tokio::spawn(tenant_scope::across_businesses(housekeeping::back_up_daily(context.clone())));
    let purger = tokio::spawn(tenant_scope::across_businesses(housekeeping::purge_nightly(context.clone())));
    let reaper = tokio::spawn(tenant_scope::across_businesses(housekeeping::reap_dead_workers(context.clone())));
    let admitter = tokio::spawn(tenant_scope::across_businesses(housekeeping::admit_backlog(context.clone())));
    let stops = [&timer, &keeper, &cleaner, &looker, &saver, &purger, &admitter, &reaper]
        .map(tokio::task::JoinHandle::abort_handle);
    let ended = tokio::select! {
        ended = until_shutdown(monitor(&context, wake), shutdown) => ended,
        // Without signs of life every claim would be lost; a worker that cannot give them must not go on.
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
    // A claim that was under way would otherwise be made after everything was given back.
    if tokio::time::timeout(DRAIN, context.desk.write()).await.is_err() {
        tracing::warn!("the table of tasks did not answer in time");
    }
    if let Err(e) = table::release(&context.db, &context.name).await {
        tracing::warn!(error = %e, "could not give back unfinished tasks; their leases will run out");
    }
    if let Err(e) = system_status::sign_off(&context.db, &context.origin, &context.name).await {
        tracing::warn!(error = %e, "could not sign off; for two minutes it looks as if this worker were at work");
    }
    drop(alive);
    ended
}

/// The queue's loop, in the hands of apalis.
fn monitor(context: &Arc<Context>, wake: wake::Wake) -> Monitor {
    // A worker is made once: a queue loop that ends is a fault of the process, not something to hide by a new loop.
    let wake = std::sync::Mutex::new(Some(wake));
    let context = context.clone();
    Monitor::new().register(move |_| {
        let wake = wake.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        let ended = context.ended.clone();
        WorkerBuilder::new(context.name.clone())
            .backend(queue::Queue::new(context.clone()).poll_with_strategy(wake.unwrap_or_else(wake::Wake::polling)))
            .data(context.clone())
            .concurrency(context.config.concurrency)
            .timeout(TASK_TIMEOUT)
            .parallelize(move |run| Spawned::start(run, ended.clone()))
            .build(perform)
    })
}

/// Runs the loop until `shutdown` resolves and what was begun is finished, or [`DRAIN`] is over.
///
/// # Errors
/// When the loop ended without having been told to. What ended it is in the log: apalis keeps it to itself.
async fn until_shutdown(monitor: Monitor, shutdown: impl Future<Output = ()> + Send + 'static) -> Result<(), String> {
    let was_asked = Arc::new(AtomicBool::new(false));
    let asked = was_asked.clone();
    let signal = async move {
        shutdown.await;
        asked.store(true, Ordering::SeqCst);
        Ok(())
    };
    // Only with a timeout does apalis come back when its loop has ended; without one it waits for the signal as well.
    let ended = monitor.shutdown_timeout(DRAIN).run_with_signal(signal).await;
    if was_asked.load(Ordering::SeqCst) {
        return Ok(());
    }
    Err(format!("the queue's loop stopped by itself: {ended:?}"))
}

/// What the process tells whoever supervises it: 0 after an orderly stop, 1 when it must be started anew.
#[must_use]
pub fn exit_status(ended: &Result<(), String>) -> u8 {
    u8::from(ended.is_err())
}

/// A run on its own. It ends when nobody waits for it any more: one that is out of time must not go on unseen beside
/// the tasks that are claimed after it.
struct Spawned<T> {
    run: JoinHandle<T>,
    over: Ended,
}

impl<T: Send + 'static> Spawned<T> {
    fn start(run: impl Future<Output = T> + Send + 'static, over: Ended) -> Self {
        Self { run: tokio::spawn(tenant_scope::across_businesses(run)), over }
    }
}

impl<T> Future for Spawned<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.run).poll(cx)
    }
}

impl<T> Drop for Spawned<T> {
    fn drop(&mut self) {
        self.run.abort();
        self.over.one_more();
    }
}

/// How apalis runs a task: what it ended as, in the words apalis has for it.
async fn perform(task: Claimed, context: Data<Arc<Context>>) -> Result<(), BoxDynError> {
    match carry_out(task, &context).await {
        End::Done => Ok(()),
        End::Again(why) => Err(why.into()),
        End::Dead(why) => Err(Box::new(AbortError::new(why))),
    }
}

/// Carries out one task. A panic is a failure like any other, but the third one buries the task: a poison pill must
/// not hold a slot for ever (trust requirement 15). A suspect's beginning is recorded first.
pub async fn carry_out(task: Claimed, context: &Context) -> End {
    let attempts = task.attempts;
    if task.is_suspect {
        match table::begin(&context.db, &context.name, &task).await {
            Ok(true) => {}
            Ok(false) => return End::Again("it was taken from this worker".to_owned()),
            Err(e) => return End::Again(e.to_string()),
        }
    }
    // On the heap: what all kinds of tasks need together is too much to be moved about.
    let work = for_its_business(task.org, Box::pin(dispatch(task, context)));
    match AssertUnwindSafe(work).catch_unwind().await {
        Ok(end) => end,
        Err(_) if attempts >= MOST_PANICS => End::Dead("it panicked three times".to_owned()),
        Err(_) => End::Again("it panicked".to_owned()),
    }
}

/// A task of one business sees no other's rows, even where a query forgets to ask for its own; one of the install sees
/// all.
async fn for_its_business(org: Option<OrgId>, work: impl Future<Output = End>) -> End {
    match org {
        Some(org) => tenant_scope::within(org, work).await,
        None => tenant_scope::across_businesses(work).await,
    }
}

/// The list of all tasks.
async fn dispatch(task: Claimed, context: &Context) -> End {
    let ended = match (task.kind, task.subject) {
        (Some(Kind::SendMessage | Kind::SendEmail), Some(id)) => tasks::send_message::run(context, MessageId(id)).await,
        (Some(Kind::SettleDoubt), Some(id)) => tasks::settle_doubt::run(context, MessageId(id)).await,
        (Some(Kind::TakeText), Some(id)) => tasks::take_text::run(context, MessageId(id)).await,
        (Some(Kind::FetchMedia), Some(id)) => tasks::fetch_media::run(context, MessageId(id)).await,
        (Some(Kind::RedrawPhotos), _) => tasks::redraw_photos::run(context).await,
        (Some(Kind::PushAlert), Some(id)) => tasks::push_alert::run(context, task.org, AlertId(id)).await,
        (Some(Kind::ClimbAlert), Some(id)) => tasks::climb_alert::run(context, task.org, AlertId(id)).await,
        (Some(Kind::TestDevice), Some(id)) => tasks::push_alert::test(context, DeviceId(id)).await,
        (Some(Kind::FinishPaper), Some(id)) => tasks::finish_paper::run(context, id).await,
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
        (Some(Kind::TellCrew), Some(id)) => tasks::tell_crew::run(context, CrewId(id)).await,
        (Some(Kind::WatchPromise), Some(id)) => tasks::watch_promise::run(context, PromiseId(id)).await,
        (Some(Kind::SettleSubscription), Some(id)) => {
            tasks::settle_subscription::run(context, SubscriptionId(id)).await
        }
        (Some(Kind::DropAttempt), Some(id)) => tasks::drop_attempt::run(context, SubscriptionId(id)).await,
        (Some(Kind::SendNumberCode), Some(id)) => tasks::send_number_code::run(context, NumberClaimId(id)).await,
        (Some(Kind::SendInstallMail), Some(id)) => tasks::send_install_mail::run(context, InstallMailId(id)).await,
        (Some(Kind::CallHook), Some(id)) => tasks::call_hook::run(context, HookCallId(id)).await,
        (Some(Kind::Noop), _) => Ok(()),
        (None, _) | (Some(_), None) => {
            return End::Dead("this version does not know this kind of task".to_owned());
        }
    };
    ended.map_or_else(|e| End::Again(e.to_string()), |()| End::Done)
}

#[cfg(test)]
mod tests {
    use apalis_core::backend::memory::MemoryStorage;

    use super::*;

    /// A loop over one task; what the task does with it is the story.
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
        tokio::time::timeout(Duration::from_secs(5), until_shutdown(monitor, shutdown)).await.expect("it ends")
    }

    #[tokio::test]
    async fn a_run_that_is_out_of_time_does_not_go_on() {
        let (goes_on, ends) = tokio::sync::oneshot::channel::<()>();
        let run = Spawned::start(
            async move {
                std::future::pending::<()>().await;
                drop(goes_on);
            },
            Ended::default(),
        );
        assert!(tokio::time::timeout(Duration::from_millis(5), run).await.is_err());
        let dropped = tokio::time::timeout(Duration::from_secs(5), ends).await;
        assert!(dropped.expect("it is dropped").is_err());
    }

    #[tokio::test]
    async fn a_queue_loop_that_ends_by_itself_fails_the_process() {
        let ended = loop_over(std::future::pending(), |context| context.stop().expect("it runs")).await;
        assert!(ended.as_ref().is_err_and(|why| why.contains("stopped by itself")), "{ended:?}");
        assert_eq!(exit_status(&ended), 1);
    }

    #[tokio::test]
    async fn a_queue_loop_that_panics_fails_the_process() {
        let ended = loop_over(std::future::pending(), |_| panic!("a fault in the loop")).await;
        assert!(ended.as_ref().is_err_and(|why| why.contains("stopped by itself")), "{ended:?}");
        assert_eq!(exit_status(&ended), 1);
    }

    #[tokio::test]
    async fn a_queue_loop_that_was_told_to_stop_is_a_success() {
        let (begun, has_begun) = tokio::sync::oneshot::channel();
        let begun = Arc::new(std::sync::Mutex::new(Some(begun)));
        let shutdown = async { has_begun.await.expect("the task runs") };
        let ended = loop_over(shutdown, move |_| {
            let told = begun.lock().expect("nobody panicked").take();
            told.expect("one task").send(()).expect("the loop is waited for");
        })
        .await;
        assert_eq!((exit_status(&ended), ended), (0, Ok(())));
    }
}
