//! Export of finished spans to an OpenTelemetry collector, by OTLP over HTTP with JSON. Off unless
//! `OTEL_EXPORTER_OTLP_ENDPOINT` is set.
//!
//! Spans are worth less than the work: the queue is bounded, a batch is sent once, and what a collector does not take
//! is dropped and counted in the log.

use std::{
    mem,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use percent_encoding::percent_decode_str;
use reqwest::{
    Client,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
    redirect,
};
use tokio::{
    runtime::Handle,
    sync::{mpsc, oneshot},
    task::JoinHandle,
    time::{MissedTickBehavior, interval, timeout},
};
use url::Url;

use super::{
    layer::{FinishedSpan, SpanExportLayer},
    otlp,
};
use crate::{config::EnvVars, tls};

/// Finished spans that wait for the collector, about 500 bytes each.
const QUEUE_PLACES: usize = 4_096;
const BATCH: usize = 512;
const FLUSH_INTERVAL: Duration = Duration::from_secs(1);
const EXPORT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a program waits for its last spans when it stops.
const LAST_FLUSH: Duration = Duration::from_secs(2);
/// Shortest time between two log lines about dropped spans.
const REPORT_INTERVAL: Duration = Duration::from_mins(1);

/// `OTEL_EXPORTER_OTLP_ENDPOINT` and `OTEL_EXPORTER_OTLP_HEADERS`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtlpConfig {
    /// With the path of the protocol: `/v1/traces`.
    endpoint: Url,
    headers: HeaderMap,
}

impl OtlpConfig {
    /// None when no endpoint is set.
    pub fn from_vars(vars: &mut EnvVars) -> Option<Self> {
        const SHAPE: &str = "must be an http or https address such as http://127.0.0.1:4318, without user and password";
        let headers = vars.get("OTEL_EXPORTER_OTLP_HEADERS").unwrap_or_default();
        let headers = parse_headers(&headers).unwrap_or_else(|| {
            vars.record_invalid(
                "OTEL_EXPORTER_OTLP_HEADERS",
                "must be name=value, several of them with commas between",
            );
            HeaderMap::new()
        });
        let given = vars.get("OTEL_EXPORTER_OTLP_ENDPOINT")?;
        let endpoint = parse_endpoint(&given);
        if endpoint.is_none() {
            vars.record_invalid("OTEL_EXPORTER_OTLP_ENDPOINT", SHAPE);
        }
        Some(Self { endpoint: endpoint?, headers })
    }

    /// The two ends of an export: the layer takes the spans of this process, the exporter sends them.
    #[must_use]
    pub fn build_export(self, service: &'static str) -> (SpanExportLayer, SpanExporter) {
        let (queue, finished) = mpsc::channel(QUEUE_PLACES);
        let dropped = Arc::<AtomicU64>::default();
        let layer = SpanExportLayer::with_queue(queue, dropped.clone());
        (layer, SpanExporter { config: self, service, finished, losses: LossReport::new(dropped) })
    }
}

fn parse_endpoint(given: &str) -> Option<Url> {
    let mut url = Url::parse(given).ok()?;
    let has_login = !url.username().is_empty() || url.password().is_some();
    let is_plain = url.query().is_none() && url.fragment().is_none();
    if has_login || !is_plain || !url.has_host() || !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let path = format!("{}/v1/traces", url.path().trim_end_matches('/'));
    url.set_path(&path);
    Some(url)
}

/// `name=value,name=value`, values percent-encoded. The values are secrets and are never printed.
fn parse_headers(given: &str) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    for pair in given.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=')?;
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        let mut value = HeaderValue::from_str(&value).ok()?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_bytes(name.trim().as_bytes()).ok()?, value);
    }
    Some(headers)
}

pub struct SpanExporter {
    config: OtlpConfig,
    service: &'static str,
    finished: mpsc::Receiver<FinishedSpan>,
    losses: LossReport,
}

/// An exporter at work.
pub struct RunningExporter {
    stop: oneshot::Sender<()>,
    run: JoinHandle<()>,
}

impl RunningExporter {
    /// Sends what is queued, for two seconds at most.
    pub async fn stop_and_flush(self) {
        drop(self.stop);
        if timeout(LAST_FLUSH, self.run).await.is_err() {
            tracing::warn!("the collector of traces did not take the last spans in time");
        }
    }
}

impl SpanExporter {
    /// None, and a warning in the log, when the HTTP client cannot be built.
    #[must_use]
    pub fn start_on(self, runtime: &Handle) -> Option<RunningExporter> {
        let client = Client::builder()
            .tls_backend_preconfigured(tls::client_config())
            .redirect(redirect::Policy::none())
            .timeout(EXPORT_TIMEOUT)
            .http1_only()
            .no_proxy()
            .build()
            .inspect_err(|error| tracing::warn!(%error, "spans of traces are not exported"))
            .ok()?;
        let (stop, stopped) = oneshot::channel();
        Some(RunningExporter { stop, run: runtime.spawn(self.export_until_stopped(client, stopped)) })
    }

    async fn export_until_stopped(mut self, client: Client, mut stopped: oneshot::Receiver<()>) {
        let mut batch = Vec::with_capacity(BATCH);
        let mut flushes = interval(FLUSH_INTERVAL);
        flushes.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let room = BATCH - batch.len();
            tokio::select! {
                taken = self.finished.recv_many(&mut batch, room) => {
                    if taken == 0 {
                        break;
                    }
                    if batch.len() < BATCH {
                        continue;
                    }
                }
                _ = flushes.tick() => {}
                _ = &mut stopped => break,
            }
            self.export_batch(&client, &mut batch).await;
        }
        while let Ok(span) = self.finished.try_recv() {
            batch.push(span);
            if batch.len() == BATCH {
                self.export_batch(&client, &mut batch).await;
            }
        }
        self.export_batch(&client, &mut batch).await;
    }

    /// Sends the batch once and empties it.
    async fn export_batch(&mut self, client: &Client, batch: &mut Vec<FinishedSpan>) {
        let spans = mem::take(batch);
        if spans.is_empty() {
            self.losses.report_when_due("the queue was full");
            return;
        }
        let body = otlp::encode_export(self.service, &spans).to_string();
        let request = client.post(self.config.endpoint.clone()).headers(self.config.headers.clone());
        let answer = request.header(CONTENT_TYPE, "application/json").body(body).send().await;
        let why = match answer {
            Ok(answer) if answer.status().is_success() => "the queue was full".to_owned(),
            Ok(answer) => {
                self.losses.count_lost(spans.len());
                format!("the collector answered HTTP {}", answer.status().as_u16())
            }
            Err(error) => {
                self.losses.count_lost(spans.len());
                error.without_url().to_string()
            }
        };
        self.losses.report_when_due(&why);
    }
}

/// Count of lost spans, in the log once a minute at most.
struct LossReport {
    dropped: Arc<AtomicU64>,
    reported: Option<Instant>,
}

impl LossReport {
    fn new(dropped: Arc<AtomicU64>) -> Self {
        Self { dropped, reported: None }
    }

    fn count_lost(&self, spans: usize) {
        self.dropped.fetch_add(u64::try_from(spans).unwrap_or(u64::MAX), Relaxed);
    }

    fn report_when_due(&mut self, why: &str) {
        let is_due = self.reported.is_none_or(|reported| reported.elapsed() >= REPORT_INTERVAL);
        if !is_due || self.dropped.load(Relaxed) == 0 {
            return;
        }
        self.reported = Some(Instant::now());
        tracing::warn!(spans = self.dropped.swap(0, Relaxed), why, "spans of traces were lost");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> (Option<OtlpConfig>, Vec<String>) {
        let mut vars = EnvVars::from_pairs(pairs.iter().copied());
        let config = OtlpConfig::from_vars(&mut vars);
        let faults = vars.into_result().err().map(|e| e.0).unwrap_or_default();
        (config, faults.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn endpoint_gets_the_path_of_the_protocol_and_headers_stay_secret() {
        assert_eq!(read(&[]), (None, Vec::new()));
        let (config, faults) = read(&[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318/"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20t0ken-canary, x-tenant=7"),
        ]);
        let config = config.unwrap();
        assert!(faults.is_empty() && config.endpoint.as_str() == "http://127.0.0.1:4318/v1/traces", "{faults:?}");
        assert_eq!(
            (&config.headers["authorization"], &config.headers["x-tenant"]),
            (&HeaderValue::from_static("Bearer t0ken-canary"), &HeaderValue::from_static("7"))
        );
        assert!(!format!("{config:?}").contains("canary"));
    }

    #[test]
    fn endpoint_that_is_no_address_and_header_without_value_are_faults() {
        for bad in ["127.0.0.1:4318", "ftp://collector", "http://user:secret@collector", "http://collector/?a=b"] {
            let (config, faults) = read(&[("OTEL_EXPORTER_OTLP_ENDPOINT", bad)]);
            assert!(config.is_none() && faults.len() == 1 && !faults[0].contains("secret"), "{bad}: {faults:?}");
        }
        let (_, faults) = read(&[("OTEL_EXPORTER_OTLP_HEADERS", "authorization")]);
        assert!(faults[0].starts_with("OTEL_EXPORTER_OTLP_HEADERS must be name=value"), "{faults:?}");
    }
}
