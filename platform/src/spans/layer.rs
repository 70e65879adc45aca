//! Subscriber layer that hands finished spans to the exporter. It never waits: a span that finds the queue full is
//! dropped and counted.
//!
//! The id of a request is the id of its trace, and its last half the id of the request's span. So a task needs nothing
//! but the id of its request to join the trace, in another process and after any time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use tokio::sync::mpsc;
use tracing::{
    Subscriber,
    level_filters::LevelFilter,
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{
    Layer, Registry,
    filter::Targets,
    layer::Context,
    registry::{LookupSpan, SpanRef},
};
use uuid::Uuid;

use super::{REQUEST, SPAN_TARGET, values::FieldValues};
use crate::clock::ClockRng;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SpanIds {
    pub trace: u128,
    pub span: u64,
    pub parent: Option<u64>,
}

#[derive(Clone, Debug)]
pub(super) struct FinishedSpan {
    pub name: &'static str,
    pub ids: SpanIds,
    pub began: DateTime<Utc>,
    pub took: Duration,
    pub fields: FieldValues,
}

/// Extension of a span in the registry until it closes.
struct UnfinishedSpan {
    ids: SpanIds,
    began: DateTime<Utc>,
    since: Instant,
    fields: FieldValues,
}

pub struct SpanExportLayer {
    queue: mpsc::Sender<FinishedSpan>,
    dropped: Arc<AtomicU64>,
    origin: ClockRng,
}

impl SpanExportLayer {
    pub(super) fn with_queue(queue: mpsc::Sender<FinishedSpan>, dropped: Arc<AtomicU64>) -> Self {
        Self { queue, dropped, origin: ClockRng::system() }
    }

    /// Sees our own spans only, whatever `RUST_LOG` says.
    #[must_use]
    pub fn into_filtered(self) -> Box<dyn Layer<Registry> + Send + Sync> {
        Layer::<Registry>::with_filter(self, Targets::new().with_target(SPAN_TARGET, LevelFilter::DEBUG)).boxed()
    }

    fn assign_ids<'a, S: LookupSpan<'a>>(&self, span: &SpanRef<'a, S>, fields: &FieldValues) -> SpanIds {
        let parent = span.parent().and_then(|parent| Some(parent.extensions().get::<UnfinishedSpan>()?.ids));
        let own = u64::from_be_bytes(self.origin.entropy.random_bytes());
        let request = fields.find_text("request_id").and_then(|id| Uuid::try_parse(id).ok());
        match (parent, request) {
            (Some(parent), _) => SpanIds { trace: parent.trace, span: own, parent: Some(parent.span) },
            (None, Some(id)) if span.name() == REQUEST => {
                SpanIds { trace: id.as_u128(), span: request_span_id(id), parent: None }
            }
            (None, Some(id)) => SpanIds { trace: id.as_u128(), span: own, parent: Some(request_span_id(id)) },
            (None, None) => {
                SpanIds { trace: u128::from_be_bytes(self.origin.entropy.random_bytes()), span: own, parent: None }
            }
        }
    }
}

fn request_span_id(request: Uuid) -> u64 {
    request.as_u64_pair().1
}

impl<S> Layer<S> for SpanExportLayer
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut fields = FieldValues::default();
        attributes.record(&mut fields);
        let ids = self.assign_ids(&span, &fields);
        let unfinished = UnfinishedSpan { ids, began: self.origin.now(), since: Instant::now(), fields };
        span.extensions_mut().insert(unfinished);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(unfinished) = span.extensions_mut().get_mut::<UnfinishedSpan>() {
            values.record(&mut unfinished.fields);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let Some(unfinished) = span.extensions_mut().remove::<UnfinishedSpan>() else { return };
        let UnfinishedSpan { ids, began, since, fields } = unfinished;
        let finished = FinishedSpan { name: span.name(), ids, began, took: since.elapsed(), fields };
        if self.queue.try_send(finished).is_err() {
            self.dropped.fetch_add(1, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;
    use crate::{
        request_id::RequestId,
        spans::{TransactionSpan, request_span},
    };

    fn layer_with_queue(places: usize) -> (SpanExportLayer, mpsc::Receiver<FinishedSpan>, Arc<AtomicU64>) {
        let (queue, finished) = mpsc::channel(places);
        let dropped = Arc::<AtomicU64>::default();
        (SpanExportLayer::with_queue(queue, dropped.clone()), finished, dropped)
    }

    #[test]
    fn spans_of_a_request_share_its_id_as_their_trace() {
        let (layer, mut finished, _) = layer_with_queue(8);
        let id = Uuid::from_u128(0x0192_0000_0000_7000_8000_0000_0000_0042);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer.into_filtered()), || {
            tracing::info_span!("of a library").in_scope(|| ());
            request_span(RequestId(id), "GET", "/api/leads/{id}").in_scope(|| drop(TransactionSpan::open_span()));
        });
        let (inner, outer) = (finished.try_recv().unwrap(), finished.try_recv().unwrap());
        assert_eq!((inner.name, outer.name), ("transaction", "request"));
        assert_eq!(outer.ids, SpanIds { trace: id.as_u128(), span: 0x8000_0000_0000_0042, parent: None });
        assert_eq!((inner.ids.trace, inner.ids.parent), (id.as_u128(), Some(outer.ids.span)));
        assert_eq!(outer.fields.find_text("route"), Some("/api/leads/{id}"));
        assert!(finished.try_recv().is_err(), "spans of libraries are not exported");
    }

    #[test]
    fn spans_beyond_the_queue_are_dropped_and_counted() {
        let (layer, mut finished, dropped) = layer_with_queue(2);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer.into_filtered()), || {
            (0..5).for_each(|_| drop(TransactionSpan::open_span()));
        });
        assert_eq!(dropped.load(Relaxed), 3);
        assert!(finished.try_recv().is_ok() && finished.try_recv().is_ok() && finished.try_recv().is_err());
    }
}
