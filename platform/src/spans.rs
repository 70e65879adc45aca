//! Spans of requests, transactions, tasks and provider calls. They hold ids, route templates and numbers: no path, no
//! address and no text of a person.
//!
//! The log shows the spans of requests, tasks and provider calls before each line that is written in them. With
//! `OTEL_EXPORTER_OTLP_ENDPOINT` all of them go to a collector ([`exporter`]).

use std::time::Instant;

use chrono::{DateTime, Utc};
use reqwest::{Client, Request, RequestBuilder, Response};
use tracing::{
    Instrument, Span, debug_span,
    field::{Empty, display},
    info_span,
};

use crate::{
    id::OrgId,
    request_id::RequestId,
    tasks::{ClaimedTask, TaskOutcome},
};

pub mod exporter;
mod layer;
mod otlp;
mod values;

pub use layer::SpanExportLayer;

/// Target of these spans, for `RUST_LOG` and for the exporter: `toolbox=debug` shows the transactions too.
pub const SPAN_TARGET: &str = "toolbox";
/// Names of the spans.
pub(crate) const REQUEST: &str = "request";
pub(crate) const TRANSACTION: &str = "transaction";
pub(crate) const TASK: &str = "task";
pub(crate) const PROVIDER_CALL: &str = "provider_call";

/// Span of a request. `route` is a template such as `/api/leads/{id}`. The business is added once it is known
/// ([`record_org`]).
#[must_use]
pub fn request_span(id: RequestId, method: &str, route: &str) -> Span {
    info_span!(
        target: SPAN_TARGET,
        REQUEST,
        request_id = %id,
        method,
        route,
        org = Empty,
        status = Empty,
        failed = Empty
    )
}

pub fn record_response_status(span: &Span, status: u16) {
    span.record("status", status);
    if status >= 500 {
        span.record("failed", true);
    }
}

/// Adds the business to the span of the current request.
pub fn record_org(org: OrgId) {
    Span::current().record("org", display(org));
}

/// Span of one run of a task. The wait counts from the time at which the task was due.
#[must_use]
pub fn task_span(task: &ClaimedTask, now: DateTime<Utc>) -> Span {
    let queue_wait_ms = (now - task.run_at).num_milliseconds().max(0);
    let kind = task.kind.map_or_else(|| "unknown".to_owned(), |kind| kind.to_string());
    info_span!(
        target: SPAN_TARGET,
        TASK,
        id = %task.id,
        kind,
        attempt = task.attempts,
        queue_wait_ms,
        org = task.org.map(display),
        request_id = task.request.map(display),
        outcome = Empty,
        failed = Empty
    )
}

pub fn record_task_outcome(span: &Span, outcome: &TaskOutcome) {
    let name = match outcome {
        TaskOutcome::Done => "done",
        TaskOutcome::Retry(_) => "retry",
        TaskOutcome::Dead(_) => "dead",
    };
    span.record("outcome", name);
    if *outcome != TaskOutcome::Done {
        span.record("failed", true);
    }
}

/// Span of a transaction, from the wait for its connection to its end. Dropping it ends the span.
pub(crate) struct TransactionSpan {
    span: Span,
    opened: Instant,
    begun: Option<Instant>,
    statements: u64,
    is_committed: bool,
}

impl TransactionSpan {
    pub(crate) fn open_span() -> Self {
        let span = debug_span!(
            target: SPAN_TARGET,
            TRANSACTION,
            wait_ms = Empty,
            held_ms = Empty,
            statements = Empty,
            committed = Empty
        );
        Self { span, opened: Instant::now(), begun: None, statements: 0, is_committed: false }
    }

    pub(crate) fn mark_begun(&mut self) {
        self.begun = Some(Instant::now());
    }

    pub(crate) fn count_statement(&mut self) {
        self.statements += 1;
    }

    pub(crate) fn mark_committed(&mut self) {
        self.is_committed = true;
    }
}

impl Drop for TransactionSpan {
    fn drop(&mut self) {
        let milliseconds =
            |from: Instant, to: Instant| u64::try_from(to.duration_since(from).as_millis()).unwrap_or(u64::MAX);
        if self.span.is_disabled() {
            return;
        }
        let now = Instant::now();
        self.span.record("wait_ms", milliseconds(self.opened, self.begun.unwrap_or(now)));
        if let Some(begun) = self.begun {
            self.span.record("held_ms", milliseconds(begun, now));
        }
        self.span.record("statements", self.statements);
        self.span.record("committed", self.is_committed);
    }
}

fn provider_span(provider: &str, operation: &str) -> Span {
    info_span!(target: SPAN_TARGET, PROVIDER_CALL, provider, operation, status = Empty, failed = Empty)
}

/// Sends a request to a provider in a span of its own, which ends with the head of the answer.
pub async fn send_to_provider(
    request: RequestBuilder,
    provider: &str,
    operation: &str,
) -> Result<Response, reqwest::Error> {
    let (client, request) = request.build_split();
    execute_at_provider(&client, request?, provider, operation).await
}

/// As [`send_to_provider`], for a request that was built already.
pub async fn execute_at_provider(
    client: &Client,
    request: Request,
    provider: &str,
    operation: &str,
) -> Result<Response, reqwest::Error> {
    let span = provider_span(provider, operation);
    let answer = client.execute(request).instrument(span.clone()).await;
    if let Ok(answer) = &answer {
        let status = answer.status();
        span.record("status", status.as_u16());
        if status.is_client_error() || status.is_server_error() {
            span.record("failed", true);
        }
    } else {
        span.record("status", "no answer");
        span.record("failed", true);
    }
    answer
}

/// Runs a call to a provider that does not speak HTTP in a span of its own.
pub async fn call_provider<T, E>(
    provider: &str,
    operation: &str,
    call: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let span = provider_span(provider, operation);
    // On the heap: the future of a mail session is large.
    let answer = Box::pin(call).instrument(span.clone()).await;
    span.record("status", if answer.is_ok() { "accepted" } else { "not accepted" });
    if answer.is_err() {
        span.record("failed", true);
    }
    answer
}
