//! `/metrics`: requests of this process and queue figures of the database, as Prometheus text (version 0.0.4). For
//! requests from this machine or with the operator's token; 404 for all others.
//!
//! Labels are route templates, methods and statuses: never personal data, a business or an id.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use axum::{
    extract::State,
    http::{HeaderMap, Method, header, request::Parts},
    response::{IntoResponse, Response},
};
use sha2::{Digest, Sha256};
use shared::{
    domain::messaging::message::provider_trouble::{self, ProviderTrouble},
    ops::{
        queue_metrics::{self, QueueGauges},
        system_status::{CLAIM_CLASSES_MS, WorkerMetrics},
    },
    platform::db::{
        Db,
        group_commit::{HELD_BUCKETS_MS, WriterStats},
    },
};

use crate::{
    api_key_auth, client_info,
    error::{ApiError, ApiResult},
    state::AppState,
};

const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";
/// Upper ends of the buckets, in milliseconds.
const BUCKETS: [u64; 9] = [5, 10, 25, 50, 100, 250, 500, 1_000, 5_000];
/// Others are counted together: clients may invent any number of methods.
const METHODS: [Method; 7] =
    [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];

#[derive(Clone, Copy, Debug, Default)]
struct RouteStats {
    count: u64,
    micros: u64,
    within: [u64; BUCKETS.len()],
}

/// Requests since the process began, by method, route and status.
#[derive(Debug, Default)]
pub struct HttpMetrics(Mutex<BTreeMap<(&'static str, String, u16), RouteStats>>);

impl HttpMetrics {
    /// Counts one answer. `path` is the route's template, never the requested path.
    pub fn record_response(&self, method: &Method, path: &str, status: u16, took: Duration) {
        let method = METHODS.iter().find(|known| *known == method).map_or("OTHER", method_name);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let tally = all.entry((method, path.to_owned(), status)).or_default();
        tally.count += 1;
        tally.micros = tally.micros.saturating_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
        let millis = took.as_millis();
        for (end, within) in BUCKETS.iter().zip(&mut tally.within) {
            *within += u64::from(millis <= u128::from(*end));
        }
    }

    fn write_histograms(&self, text: &mut String) {
        text.push_str("# HELP toolbox_http_request_seconds How long answers took, by route.\n");
        text.push_str("# TYPE toolbox_http_request_seconds histogram\n");
        for ((method, path, status), tally) in &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            let labels = format!("method=\"{method}\",route=\"{path}\",status=\"{status}\"");
            let ends = BUCKETS.iter().map(|end| format_seconds(end.saturating_mul(1_000)));
            let buckets = ends.zip(tally.within).chain([("+Inf".to_owned(), tally.count)]);
            for (end, count) in buckets {
                let _ = writeln!(text, "toolbox_http_request_seconds_bucket{{{labels},le=\"{end}\"}} {count}");
            }
            let _ = writeln!(text, "toolbox_http_request_seconds_sum{{{labels}}} {}", format_seconds(tally.micros));
            let _ = writeln!(text, "toolbox_http_request_seconds_count{{{labels}}} {}", tally.count);
        }
    }
}

fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        _ => "OPTIONS",
    }
}

/// Microseconds as seconds: `0.005`, without float rounding.
fn format_seconds(micros: u64) -> String {
    let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Errors: 404 for unauthorized callers.
pub async fn serve_metrics(State(state): State<AppState>, parts: Parts) -> ApiResult<Response> {
    let is_here = client_info::is_this_machine(&parts, &state.settings.public_url);
    if !is_here && !has_metrics_token(&state, &parts.headers) {
        return Err(ApiError::not_found());
    }
    let mut text = format!("# TYPE toolbox_info gauge\ntoolbox_info{{version=\"{}\"}} 1\n", env!("CARGO_PKG_VERSION"));
    let gauges = load_gauges(&state).await;
    write_gauge(&mut text, "toolbox_database_up", "Whether the database answers.", i64::from(gauges.is_some()));
    write_probe_gauges(&mut text, &state).await;
    if let Some(ahead) = state.clock_offset.last_measured() {
        let help = "How far this API's clock is ahead of the database's.";
        write_gauge(&mut text, "toolbox_clock_ahead_seconds", help, ahead.num_seconds());
    }
    if let Some(gauges) = gauges {
        write_gauges(&mut text, &gauges);
        write_claims(&mut text, &gauges.figures);
        write_troubles(&mut text, &load_troubles(&state).await);
        if let Some(stats) = state.db_if_ready().and_then(Db::writer_stats) {
            write_writers(&mut text, &[("api", stats), ("worker", gauges.figures.writer_stats())]);
        }
    }
    state.meter.write_histograms(&mut text);
    Ok(([(header::CONTENT_TYPE, TEXT)], text).into_response())
}

/// From the write of `/readyz`, which is reused for some seconds.
async fn write_probe_gauges(text: &mut String, state: &AppState) {
    let is_database_writable = match state.db_if_ready() {
        Some(db) => state.readiness.check_database(db, &state.origin).await.is_ok(),
        None => false,
    };
    let is_store_writable = state.readiness.check_storage(&state.storage).await.is_ok();
    for (name, help, is_writable) in [
        ("toolbox_database_writable", "Whether a small write reaches the database.", is_database_writable),
        ("toolbox_store_writable", "Whether a small write reaches the file store.", is_store_writable),
    ] {
        write_gauge(text, name, help, i64::from(is_writable));
    }
}

/// Hashes are compared: timing reveals nothing of the token.
fn has_metrics_token(state: &AppState, headers: &HeaderMap) -> bool {
    let wanted = state.config.metrics_token.as_ref();
    let given = api_key_auth::bearer_token(headers).map(|token| Sha256::digest(token.as_bytes()).to_vec());
    wanted.is_some() && given.as_ref() == wanted
}

/// `None` when the database is away: the scrape must not fail with it.
async fn load_gauges(state: &AppState) -> Option<QueueGauges> {
    let db = state.db_if_ready()?;
    let conn = db.acquire_reader().await;
    let mut conn = conn.inspect_err(|e| tracing::debug!(error = %e, "no connection to measure the queue")).ok()?;
    match queue_metrics::load_queue_gauges(&mut conn, state.origin.now()).await {
        Ok(gauges) => Some(gauges),
        Err(e) => {
            tracing::warn!(error = %e, "the database could not be measured");
            None
        }
    }
}

async fn load_troubles(state: &AppState) -> Vec<ProviderTrouble> {
    let Some(db) = state.db_if_ready() else { return Vec::new() };
    let Ok(mut conn) = db.acquire_reader().await else { return Vec::new() };
    let troubles = provider_trouble::list_troubles(&mut conn).await;
    troubles.inspect_err(|e| tracing::warn!(error = %e, "the channels could not be looked at")).unwrap_or_default()
}

fn write_troubles(text: &mut String, troubles: &[ProviderTrouble]) {
    let name = "toolbox_channel_paused";
    let _ = writeln!(text, "# HELP {name} The install's own account does not send.\n# TYPE {name} gauge");
    for ProviderTrouble { channel, cause, .. } in troubles {
        let _ = writeln!(text, "{name}{{channel=\"{channel}\",why=\"{cause}\"}} 1");
    }
}

fn write_gauges(text: &mut String, gauges: &QueueGauges) {
    for (name, help, value) in [
        ("toolbox_tasks_ready", "Tasks that wait for their time or a worker.", gauges.tasks.ready_count()),
        ("toolbox_tasks_scheduled", "Those that are due later, or not looked at yet.", gauges.tasks.scheduled),
        ("toolbox_tasks_due", "Those in the line, at most five of one business.", gauges.tasks.due),
        ("toolbox_tasks_parked", "Those behind the five of their business.", gauges.tasks.parked),
        ("toolbox_tasks_running", "Tasks in a worker's hands.", gauges.tasks.running),
        ("toolbox_tasks_dead", "Tasks that stopped permanently and wait for a person.", gauges.tasks.dead),
        ("toolbox_tasks_late_seconds", "How long the oldest task that is due has waited.", gauges.late_seconds),
        ("toolbox_messages_waiting", "Messages that are to leave.", gauges.messages_waiting),
        ("toolbox_messages_in_doubt", "Messages that may or may not have arrived.", gauges.messages_in_doubt),
        ("toolbox_webhook_calls_waiting", "Webhook calls that are not taken yet.", gauges.webhook_calls_waiting),
        ("toolbox_workers", "Workers that gave a sign of life within a minute.", gauges.workers),
    ] {
        write_gauge(text, name, help, value);
    }
}

fn write_writers(text: &mut String, writers: &[(&str, WriterStats)]) {
    let (count, held) = ("toolbox_writer_transactions_total", "toolbox_writer_held_seconds");
    let _ = writeln!(
        text,
        "# HELP {count} Write transactions, several of which may share a commit.\n# TYPE {count} counter"
    );
    for (process, stats) in writers {
        let _ = writeln!(text, "{count}{{process=\"{process}\"}} {}", stats.transactions);
    }
    let _ = writeln!(text, "# HELP {held} How long SQLite's writer was held for one commit.\n# TYPE {held} histogram");
    for (process, stats) in writers {
        let classes = HELD_BUCKETS_MS.into_iter().zip(stats.held);
        write_histogram_buckets(
            text,
            held,
            &format!("process=\"{process}\""),
            classes,
            (stats.held_ms * 1_000, stats.commits),
        );
    }
}

fn write_claims(text: &mut String, figures: &WorkerMetrics) {
    let (taken, took) = ("toolbox_tasks_claimed_total", "toolbox_claim_seconds");
    let _ =
        writeln!(text, "# HELP {taken} Tasks that workers took.\n# TYPE {taken} counter\n{taken} {}", figures.claimed);
    let _ = writeln!(text, "# HELP {took} How long workers waited for a claim.\n# TYPE {took} histogram");
    let classes = CLAIM_CLASSES_MS.into_iter().zip(figures.claims_within);
    write_histogram_buckets(text, took, "of=\"workers\"", classes, (figures.claim_ms * 1_000, figures.claims));
}

/// Lines of one histogram. `classes` are upper bounds in milliseconds with the counts between them; the sum is in
/// microseconds.
fn write_histogram_buckets(
    text: &mut String,
    name: &str,
    label: &str,
    classes: impl Iterator<Item = (u64, u64)>,
    (sum, count): (u64, u64),
) {
    let mut within = 0;
    for (end, counted) in classes {
        within += counted;
        let _ = writeln!(text, "{name}_bucket{{{label},le=\"{}\"}} {within}", format_seconds(end * 1_000));
    }
    let _ = writeln!(text, "{name}_bucket{{{label},le=\"+Inf\"}} {count}");
    let _ = writeln!(text, "{name}_sum{{{label}}} {}\n{name}_count{{{label}}} {count}", format_seconds(sum));
}

fn write_gauge(text: &mut String, name: &str, help: &str, value: i64) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_are_counted_by_route_in_cumulative_buckets() {
        let meter = HttpMetrics::default();
        let invented = Method::from_bytes(b"BREW").unwrap();
        for (method, millis) in [(&Method::GET, 3), (&Method::GET, 30), (&Method::GET, 9_000), (&invented, 1)] {
            meter.record_response(method, "/api/jobs/{id}", 200, Duration::from_millis(millis));
        }
        let mut text = String::new();
        meter.write_histograms(&mut text);
        let labels = "method=\"GET\",route=\"/api/jobs/{id}\",status=\"200\"";
        for line in [
            format!("toolbox_http_request_seconds_bucket{{{labels},le=\"0.005\"}} 1"),
            format!("toolbox_http_request_seconds_bucket{{{labels},le=\"0.05\"}} 2"),
            format!("toolbox_http_request_seconds_bucket{{{labels},le=\"5\"}} 2"),
            format!("toolbox_http_request_seconds_bucket{{{labels},le=\"+Inf\"}} 3"),
            format!("toolbox_http_request_seconds_sum{{{labels}}} 9.033"),
            format!("toolbox_http_request_seconds_count{{{labels}}} 3"),
        ] {
            assert!(text.lines().any(|one| one == line), "{line} in\n{text}");
        }
        assert!(text.contains("method=\"OTHER\"") && !text.contains("BREW"));
    }
}
