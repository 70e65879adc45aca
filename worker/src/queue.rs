//! Task table as the backend of apalis: apalis runs the workers (slots, layers, shutdown), the table decides on claims.
//!
//! The stock SQL backends of apalis 1.0 lose time or send twice: evidence in docs/architecture.md.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context as Cx, Poll},
    time::{Duration, Instant},
};

use apalis::prelude::*;
use apalis_codec::json::JsonCodec;
use apalis_core::{
    backend::{
        BackendConfig,
        finalize::Ephemeral,
        persistence::{Persisted, Persistence, TaskEvent, TaskPersistLayer},
    },
    task::status::Status,
};
use serde_json::Value;
use shared::platform::{
    db::tenant_scope,
    error::Error,
    failure_log::is_counted_as_full,
    id,
    tasks::{ClaimedTask, TaskOutcome, queue as table},
};
use tracing::field::display;

use crate::Context;

/// Pause after a failed claim.
const AFTER_FAULT: Duration = Duration::from_millis(500);
/// Leases are kept by [`crate::housekeeping::leases::renew_leases`]; for apalis this only shows that the loop runs.
const HEARTBEAT: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
pub(crate) struct HeldTasks {
    /// By task id: apalis returns ids only, and the fence is needed too.
    tasks: Mutex<HashMap<String, ClaimedTask>>,
    /// Ends not yet written because the database was away.
    unwritten: Mutex<Vec<(ClaimedTask, TaskOutcome)>>,
}

impl HeldTasks {
    fn lock_held_tasks(&self) -> MutexGuard<'_, HashMap<String, ClaimedTask>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_unwritten_outcomes(&self) -> MutexGuard<'_, Vec<(ClaimedTask, TaskOutcome)>> {
        self.unwritten.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn held_ids(&self) -> Vec<id::TaskId> {
        let mut ids: Vec<id::TaskId> = self.lock_held_tasks().values().map(|task| task.id).collect();
        ids.extend(self.lock_unwritten_outcomes().iter().map(|(task, _)| task.id));
        ids
    }
}

#[derive(Clone)]
pub struct TaskStore {
    context: Arc<Context>,
}

impl TaskStore {
    fn lock_held(&self) -> MutexGuard<'_, HashMap<String, ClaimedTask>> {
        self.context.held.lock_held_tasks()
    }

    fn lock_unwritten(&self) -> MutexGuard<'_, Vec<(ClaimedTask, TaskOutcome)>> {
        self.context.held.lock_unwritten_outcomes()
    }

    fn lease_duration(&self) -> chrono::Duration {
        chrono::Duration::from_std(self.context.config.lease).unwrap_or(chrono::Duration::seconds(45))
    }

    /// Writes ends; those that cannot be written are kept for the next call. Losing one costs only time: its lease
    /// expires and the task finds nothing left to do.
    async fn write_outcomes(&self, ends: Vec<(ClaimedTask, TaskOutcome)>) {
        let mut all = std::mem::take(&mut *self.lock_unwritten());
        all.extend(ends);
        let store = self.clone();
        let written = self.run_to_completion(async move {
            let context = &store.context;
            if let Err(e) = table::record_outcomes(&context.db, &context.origin, &context.name, &all).await {
                if !is_counted_as_full(&e) {
                    tracing::warn!(error = %e, tasks = all.len(), "could not record ended tasks, will try again");
                }
                store.lock_unwritten().extend(all);
            }
        });
        if let Err(e) = written.await {
            tracing::warn!(error = %e, "the ends of tasks were not recorded; they will find nothing left to do");
        }
    }

    /// Spawns `work`, so that it completes even when apalis stops polling: an abandoned transaction would hold the only
    /// write connection and block all others.
    async fn run_to_completion<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, Error> {
        let at_the_desk = self.context.desk.clone().read_owned().await;
        let done = tokio::spawn(tenant_scope::across_tenants(async move {
            let ended = work.await;
            drop(at_the_desk);
            ended
        }));
        done.await.map_err(|e| Error::Internal(e.to_string()))
    }
}

impl Persistence for TaskStore {
    type Compact = ClaimedTask;
    type Response = Value;
    type Error = Error;

    async fn register(&mut self, _: &WorkerContext) -> Result<(), Error> {
        Ok(())
    }

    async fn heartbeat(&mut self, _: &WorkerContext) -> Result<(), Error> {
        Ok(())
    }

    /// Claims at most as many as there are free slots: nothing is buffered, so no claimed task waits behind a slow one.
    /// A fault is logged and waited out; a returned error would end the queue's loop.
    async fn fetch_next(&mut self, worker: &WorkerContext) -> Result<Vec<Task<ClaimedTask>>, Error> {
        let free = self.context.config.concurrency.saturating_sub(worker.task_count()).max(1);
        let limit = i64::try_from(free).unwrap_or(i64::MAX);
        let context = &self.context;
        if !self.lock_unwritten().is_empty() {
            // Unwritten ends count as held, and a quarantined task waits until nothing is held.
            self.write_outcomes(Vec::new()).await;
        }
        if !context.clock.can_act(context.origin.now()) || !context.db.is_file_in_place() {
            return Ok(Vec::new());
        }
        let (context, lease, before) = (context.clone(), self.lease_duration(), context.ended.run_count());
        let claim = self.run_to_completion(async move {
            table::claim_due(&context.db, &context.origin, &context.name, lease, limit).await
        });
        let began = Instant::now();
        let claimed = match claim.await.flatten() {
            Ok(claimed) => {
                self.context.claims.record_claim(claimed.len(), began.elapsed());
                claimed
            }
            Err(e) => {
                if !is_counted_as_full(&e) {
                    tracing::warn!(error = %e, "could not ask for work, will try again");
                }
                tokio::time::sleep(AFTER_FAULT).await;
                return Ok(Vec::new());
            }
        };
        if claimed.is_empty() {
            self.context.ended.notify_if_more_than(before);
        }
        Ok(claimed.into_iter().map(|task| self.to_apalis_task(task)).collect())
    }

    async fn reenqueue_abandoned(&mut self, tasks: Vec<Task<ClaimedTask>>, _: &WorkerContext) -> Result<u64, Error> {
        // Claims that were not begun are given back by `table::release` when the worker ends.
        Ok(tasks.len() as u64)
    }

    async fn handle_events(&mut self, events: Vec<TaskEvent<Value>>, _: &WorkerContext) -> Result<(), Error> {
        let mut ends = Vec::with_capacity(events.len());
        for event in events {
            let TaskEvent::Complete(result) = event else { continue };
            let Some(task) = self.lock_held().remove(&result.task_id.to_string()) else { continue };
            let end = match (&result.status, result.result) {
                (_, Ok(_)) => TaskOutcome::Done,
                (Status::Killed, Err(e)) => TaskOutcome::Dead(e),
                (_, Err(e)) => TaskOutcome::Retry(e),
            };
            if let TaskOutcome::Dead(why) | TaskOutcome::Retry(why) = &end {
                let request_id = task.request.map(display);
                tracing::warn!(task = %task.id, request_id, attempt = task.attempts, error = %why, "a task did not succeed");
            }
            ends.push((task, end));
        }
        self.write_outcomes(ends).await;
        Ok(())
    }

    async fn push_tasks(&mut self, _: Vec<Task<ClaimedTask>>) -> Result<(), Error> {
        Err(Error::Internal("work is queued by shared::platform::tasks::enqueue only".to_owned()))
    }
}

impl TaskStore {
    fn to_apalis_task(&self, mut task: ClaimedTask) -> Task<ClaimedTask> {
        // A worker stopped for longer than its lease may still run tasks that others have claimed since. A quarantined
        // task is then not alone: it runs, but no crash is charged to it.
        task.is_quarantined &= self.lock_held().is_empty();
        let key = task.id.to_string();
        let id = TaskId::from_string(key.clone());
        let attempt = usize::try_from(task.attempts - 1).unwrap_or_default();
        self.lock_held().insert(key, task.clone());
        TaskBuilder::new(task).task_id(id).attempt(attempt).build()
    }
}

pub struct TaskQueue {
    persisted: Persisted<TaskStore>,
    slots: usize,
}

impl TaskQueue {
    #[must_use]
    pub fn new(context: Arc<Context>) -> Self {
        let slots = context.config.concurrency;
        let store = TaskStore { context };
        Self { persisted: Persisted::new(store), slots }
    }
}

impl Backend for TaskQueue {
    type Task = Task<ClaimedTask>;
    type Error = Error;

    fn poll_ready(&mut self, cx: &mut Cx<'_>, worker: &WorkerContext) -> Poll<Result<(), Error>> {
        self.persisted.poll_ready(cx, worker, HEARTBEAT)
    }

    fn poll_next(&mut self, cx: &mut Cx<'_>, worker: &WorkerContext) -> Poll<Option<Result<Task<ClaimedTask>, Error>>> {
        self.persisted.poll_next(cx, worker)
    }

    fn poll_close(&mut self, cx: &mut Cx<'_>, worker: &WorkerContext) -> Poll<Result<(), Error>> {
        self.persisted.poll_close(cx, worker)
    }
}

impl BackendConfig for TaskQueue {
    type Args = ClaimedTask;
    type Id = String;
    type Kind = Ephemeral;
    type Config = usize;
    type Layer = TaskPersistLayer<JsonCodec<Value>, Value>;

    fn config(&self) -> &usize {
        &self.slots
    }

    fn middleware(&mut self, _: &mut WorkerContext) -> Self::Layer {
        let slots = self.slots;
        self.persisted.layer(JsonCodec::default(), slots).persist_results(true).lock_tasks(false)
    }
}
