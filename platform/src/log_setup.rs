//! Start of a program's log and of the export of its spans.

use std::io;

use tracing_subscriber::{
    EnvFilter, Layer, Registry, fmt,
    layer::SubscriberExt,
    util::{SubscriberInitExt, TryInitError},
};

use crate::{
    log_line::{LineLimit, LogFormat},
    spans::SpanExportLayer,
};

#[derive(Clone, Copy, Debug)]
pub struct LogOptions {
    pub format: LogFormat,
    /// Colors, for a terminal.
    pub has_colors: bool,
    /// Whether a line names the module that wrote it.
    pub has_target: bool,
}

/// Logs to standard error. The filter holds for the log only, not for the export. Errors: when a log was started before.
pub fn install_subscriber(
    filter: EnvFilter,
    options: LogOptions,
    export: Option<SpanExportLayer>,
) -> Result<(), TryInitError> {
    let LogOptions { format, has_colors, has_target } = options;
    let log = fmt::layer::<Registry>()
        .with_writer(LineLimit::for_format(io::stderr, format))
        // A log on a full disk cannot be written; a panic over that would drop the answer of a request that was done.
        .log_internal_errors(false)
        .with_target(has_target)
        .with_ansi(has_colors);
    let log: Box<dyn Layer<Registry> + Send + Sync> = match format {
        LogFormat::Text => log.with_filter(filter).boxed(),
        LogFormat::Json => log.json().with_filter(filter).boxed(),
    };
    let mut layers = vec![log];
    layers.extend(export.map(SpanExportLayer::into_filtered));
    tracing_subscriber::registry().with(layers).try_init()
}
