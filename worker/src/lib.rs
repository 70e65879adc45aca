//! The worker: claims queued work and carries it out. Every task and every schedule is listed here, each with its why.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use apalis::prelude::*;
use futures::FutureExt;
use shared::{
    clock::Origin,
    db::Db,
    id::MessageId,
    providers::{mail::Mail, sms::Sms},
    settings::{PublicUrl, Settings},
    storage::Storage,
    tasks::{Claimed, End, Kind, queue as table},
};

pub mod config;
pub mod housekeeping;
pub mod queue;
pub mod tasks;
pub mod wake;

use config::WorkerConfig;

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
    pub storage: Storage,
    pub public_url: PublicUrl,
    pub config: WorkerConfig,
    /// Unique for every start of a process: a dead worker's claims are never mistaken for ours.
    pub name: String,
    /// Tells API processes that something changed.
    pub announcer: wake::Announcer,
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
            storage: Storage::open(&settings.storage).map_err(|e| format!("STORAGE_URL: {e}"))?,
            public_url: settings.public_url.clone(),
            announcer: wake::Announcer::start(db.clone()),
            name: format!("worker-{}-{}", std::process::id(), started.simple()),
            config,
            db,
            origin,
        })
    }
}

/// Runs until `shutdown` resolves, then stops claiming, lets running tasks finish, and gives back the rest.
///
/// # Errors
/// A text for the operator when the queue's loop ended by itself: the process must then end with a failure, so that
/// whoever supervises it starts a new one.
pub async fn run(
    context: Arc<Context>,
    wake: wake::Wake,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), String> {
    let (asked, was_asked) = tokio::sync::watch::channel(false);
    let signal = async move {
        shutdown.await;
        asked.send_replace(true);
        Ok(())
    };
    let keeper = tokio::spawn(housekeeping::keep_leases(context.clone()));
    let cleaner = tokio::spawn(housekeeping::every_minute(context.clone()));
    let slots = context.config.concurrency;
    // A worker is made once: a queue loop that ends is a fault of the process, not something to hide by a new loop.
    let wake = std::sync::Mutex::new(Some(wake));
    let queue_context = context.clone();
    let monitor = Monitor::new().shutdown_timeout(DRAIN).register(move |_| {
        let wake = wake.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        WorkerBuilder::new(queue_context.name.clone())
            .backend(
                queue::Queue::new(queue_context.clone()).poll_with_strategy(wake.unwrap_or_else(wake::Wake::polling)),
            )
            .data(queue_context.clone())
            .concurrency(slots)
            .timeout(TASK_TIMEOUT)
            .parallelize(tokio::spawn)
            .build(perform)
    });
    let ended = monitor.run_with_signal(signal).await;
    keeper.abort();
    cleaner.abort();
    if let Err(e) = table::release(&context.db, &context.name).await {
        tracing::warn!(error = %e, "could not give back unfinished tasks; their leases will run out");
    }
    if *was_asked.borrow() {
        return Ok(());
    }
    Err(format!("the queue stopped by itself: {ended:?}"))
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
/// not hold a slot for ever (trust requirement 15).
pub async fn carry_out(task: Claimed, context: &Context) -> End {
    let attempts = task.attempts;
    match AssertUnwindSafe(dispatch(task, context)).catch_unwind().await {
        Ok(end) => end,
        Err(_) if attempts >= MOST_PANICS => End::Dead("it panicked three times".to_owned()),
        Err(_) => End::Again("it panicked".to_owned()),
    }
}

/// The list of all tasks.
async fn dispatch(task: Claimed, context: &Context) -> End {
    let ended = match (task.kind, task.subject) {
        (Some(Kind::SendMessage), Some(id)) => tasks::send_message::run(context, MessageId(id)).await,
        (Some(Kind::Noop), _) => Ok(()),
        (None, _) | (Some(Kind::SendMessage), None) => {
            return End::Dead("this version does not know this kind of task".to_owned());
        }
    };
    ended.map_or_else(|e| End::Again(e.to_string()), |()| End::Done)
}
