//! Our task table behind apalis: it runs the workers (slots, layers, shutdown), the table decides who holds what.
//!
//! The stock SQL backends of apalis 1.0 lose time or send twice; docs/architecture.md holds the evidence.

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
    id,
    tasks::{Claimed, End, queue as table},
};

use crate::Context;

/// After a failed claim the database is left alone for this long.
const AFTER_FAULT: Duration = Duration::from_millis(500);
/// Leases are kept by [`crate::housekeeping::keep_leases`]; apalis only wants to know that the loop turns.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// What this process holds.
#[derive(Debug, Default)]
pub(crate) struct Held {
    /// By task id: apalis hands back ids only, and the fence must come with them.
    tasks: Mutex<HashMap<String, Claimed>>,
    /// Ends that could not be written while the database was away.
    unwritten: Mutex<Vec<(Claimed, End)>>,
}

impl Held {
    fn tasks(&self) -> MutexGuard<'_, HashMap<String, Claimed>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unwritten(&self) -> MutexGuard<'_, Vec<(Claimed, End)>> {
        self.unwritten.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tasks whose leases are to be kept.
    pub(crate) fn ids(&self) -> Vec<id::TaskId> {
        let mut ids: Vec<id::TaskId> = self.tasks().values().map(|task| task.id).collect();
        ids.extend(self.unwritten().iter().map(|(task, _)| task.id));
        ids
    }
}

/// The table of tasks as apalis sees it.
#[derive(Clone)]
pub struct Store {
    context: Arc<Context>,
}

impl Store {
    fn held(&self) -> MutexGuard<'_, HashMap<String, Claimed>> {
        self.context.held.tasks()
    }

    fn unwritten(&self) -> MutexGuard<'_, Vec<(Claimed, End)>> {
        self.context.held.unwritten()
    }

    fn lease(&self) -> chrono::Duration {
        chrono::Duration::from_std(self.context.config.lease).unwrap_or(chrono::Duration::seconds(45))
    }

    /// Writes ends; what cannot be written is kept for the next time. Losing it would be harmless, only slower: the
    /// lease runs out and the task finds nothing left to do.
    async fn write(&self, ends: Vec<(Claimed, End)>) {
        let mut all = std::mem::take(&mut *self.unwritten());
        all.extend(ends);
        let store = self.clone();
        let written = self.whole(async move {
            let context = &store.context;
            if let Err(e) = table::finish(&context.db, &context.origin, &context.name, &all).await {
                tracing::warn!(error = %e, tasks = all.len(), "could not record ended tasks, will try again");
                store.unwritten().extend(all);
            }
        });
        if let Err(e) = written.await {
            tracing::warn!(error = %e, "the ends of tasks were not recorded; they will find nothing left to do");
        }
    }

    /// Runs `work` on its own, so that it comes to its end even when apalis looks at its loop no more: a transaction
    /// that nobody drives on would hold the only connection that writes, and all that wait for it.
    async fn whole<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> Result<T, Error> {
        let at_the_desk = self.context.desk.clone().read_owned().await;
        let done = tokio::spawn(tenant_scope::across_businesses(async move {
            let ended = work.await;
            drop(at_the_desk);
            ended
        }));
        done.await.map_err(|e| Error::Internal(e.to_string()))
    }
}

impl Persistence for Store {
    type Compact = Claimed;
    type Response = Value;
    type Error = Error;

    async fn register(&mut self, _: &WorkerContext) -> Result<(), Error> {
        Ok(())
    }

    async fn heartbeat(&mut self, _: &WorkerContext) -> Result<(), Error> {
        Ok(())
    }

    /// Never more than there are free slots: nothing is buffered, so nothing waits behind a slow task while claimed.
    /// A fault is reported and waited out; an error returned here would end the queue's loop.
    async fn fetch_next(&mut self, worker: &WorkerContext) -> Result<Vec<Task<Claimed>>, Error> {
        let free = self.context.config.concurrency.saturating_sub(worker.task_count()).max(1);
        let limit = i64::try_from(free).unwrap_or(i64::MAX);
        let context = &self.context;
        if !self.unwritten().is_empty() {
            // What is not written counts as held, and a suspect waits until nothing is.
            self.write(Vec::new()).await;
        }
        if !context.clock.may_act(context.origin.now()) || !context.db.is_in_place() {
            return Ok(Vec::new());
        }
        let (context, lease, before) = (context.clone(), self.lease(), context.ended.runs());
        let claim =
            self.whole(async move { table::claim(&context.db, &context.origin, &context.name, lease, limit).await });
        let began = Instant::now();
        let claimed = match claim.await.flatten() {
            Ok(claimed) => {
                self.context.claims.note(claimed.len(), began.elapsed());
                claimed
            }
            Err(e) => {
                tracing::warn!(error = %e, "could not ask for work, will try again");
                tokio::time::sleep(AFTER_FAULT).await;
                return Ok(Vec::new());
            }
        };
        if claimed.is_empty() {
            self.context.ended.look_again_if_more_than(before);
        }
        Ok(claimed.into_iter().map(|task| self.hand_out(task)).collect())
    }

    async fn reenqueue_abandoned(&mut self, tasks: Vec<Task<Claimed>>, _: &WorkerContext) -> Result<u64, Error> {
        // What was claimed and not begun is given back by `table::release` when the worker ends.
        Ok(tasks.len() as u64)
    }

    async fn handle_events(&mut self, events: Vec<TaskEvent<Value>>, _: &WorkerContext) -> Result<(), Error> {
        let mut ends = Vec::with_capacity(events.len());
        for event in events {
            let TaskEvent::Complete(result) = event else { continue };
            let Some(task) = self.held().remove(&result.task_id.to_string()) else { continue };
            let end = match (&result.status, result.result) {
                (_, Ok(_)) => End::Done,
                (Status::Killed, Err(e)) => End::Dead(e),
                (_, Err(e)) => End::Again(e),
            };
            if let End::Dead(why) | End::Again(why) = &end {
                tracing::warn!(task = %task.id, attempt = task.attempts, error = %why, "a task did not succeed");
            }
            ends.push((task, end));
        }
        self.write(ends).await;
        Ok(())
    }

    async fn push_tasks(&mut self, _: Vec<Task<Claimed>>) -> Result<(), Error> {
        Err(Error::Internal("work is queued by shared::platform::tasks::enqueue only".to_owned()))
    }
}

impl Store {
    fn hand_out(&self, mut task: Claimed) -> Task<Claimed> {
        // A worker that stood still for longer than its lease may still be running what others have taken up since. A
        // suspect is not alone beside that, so it runs, but no crash will be charged to it.
        task.is_suspect &= self.held().is_empty();
        let key = task.id.to_string();
        let id = TaskId::from_string(key.clone());
        let attempt = usize::try_from(task.attempts - 1).unwrap_or_default();
        self.held().insert(key, task.clone());
        TaskBuilder::new(task).task_id(id).attempt(attempt).build()
    }
}

/// The backend apalis polls.
pub struct Queue {
    persisted: Persisted<Store>,
    slots: usize,
}

impl Queue {
    #[must_use]
    pub fn new(context: Arc<Context>) -> Self {
        let slots = context.config.concurrency;
        let store = Store { context };
        Self { persisted: Persisted::new(store), slots }
    }
}

impl Backend for Queue {
    type Task = Task<Claimed>;
    type Error = Error;

    fn poll_ready(&mut self, cx: &mut Cx<'_>, worker: &WorkerContext) -> Poll<Result<(), Error>> {
        self.persisted.poll_ready(cx, worker, HEARTBEAT)
    }

    fn poll_next(&mut self, cx: &mut Cx<'_>, worker: &WorkerContext) -> Poll<Option<Result<Task<Claimed>, Error>>> {
        self.persisted.poll_next(cx, worker)
    }

    fn poll_close(&mut self, cx: &mut Cx<'_>, worker: &WorkerContext) -> Poll<Result<(), Error>> {
        self.persisted.poll_close(cx, worker)
    }
}

impl BackendConfig for Queue {
    type Args = Claimed;
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
