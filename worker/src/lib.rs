//! The worker: claims queued tasks and carries them out. Its loops are started here; `dispatch` lists
//! the tasks.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::Poll,
    time::Duration,
};

use apalis::prelude::*;
use shared::{
    ops::system_status,
    platform::{db::tenant_scope, liveness, tasks::queue as table},
};
use tokio::task::{JoinError, JoinHandle};

pub mod channel_check;
pub mod claim_counters;
pub mod cli;
mod clock_watch;
pub mod config;
mod context;
mod dispatch;
pub mod housekeeping;
pub mod queue;
pub mod tasks;
pub mod wake;

pub use context::Context;
pub use dispatch::execute_task;
use dispatch::perform_task;
use wake::FinishedRuns;

/// Timeout of a task: longer than the slowest provider call with all its timeouts.
const TASK_TIMEOUT: Duration = Duration::from_mins(2);
/// How long running tasks may finish after SIGTERM (trust requirement 17: 15 s in all).
const DRAIN: Duration = Duration::from_secs(13);

/// Runs until `shutdown` resolves, then stops claiming, lets running tasks finish, and gives back the rest. Errors: a
/// text for the operator when a loop ended by itself; the process must then fail, so that its supervisor restarts it.
pub async fn run_worker(
    context: Arc<Context>,
    wake: wake::QueueWakeup,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), String> {
    let alive = liveness::acquire_lock(&context.data_dir, &context.name, &context.secret)
        .and_then(|alive| liveness::remove_dead_files(&context.data_dir).map(|()| alive))
        .inspect_err(|e| tracing::warn!(error = %e, "others will know only by its leases whether this worker lives"));
    // Before anything is claimed.
    let mut signs = system_status::clock::Heartbeats::default();
    context.compare_clock(&mut signs).await;
    let timer = tokio::spawn(tenant_scope::across_tenants(clock_watch::watch_clock(context.clone(), signs)));
    let keeper = tokio::spawn(tenant_scope::across_tenants(housekeeping::leases::renew_leases(context.clone())));
    let cleaner = tokio::spawn(tenant_scope::across_tenants(housekeeping::run_every_minute(context.clone())));
    let looker = tokio::spawn(tenant_scope::across_tenants(housekeeping::catch_up_missed(context.clone())));
    let saver = tokio::spawn(tenant_scope::across_tenants(housekeeping::back_up_daily(context.clone())));
    let purger = tokio::spawn(tenant_scope::across_tenants(housekeeping::purge_nightly(context.clone())));
    let reaper = tokio::spawn(tenant_scope::across_tenants(housekeeping::leases::reap_dead_workers(context.clone())));
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
