//! The log of this process, kept for stories that search it for forbidden content.

use std::{
    io,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

/// Everything since the first use. Clones share their state.
#[derive(Clone, Debug, Default)]
pub struct LogCapture(Arc<Mutex<Vec<u8>>>);

/// Our own crates log at the most detailed level.
#[must_use]
pub fn kept() -> &'static LogCapture {
    static KEPT: OnceLock<LogCapture> = OnceLock::new();
    KEPT.get_or_init(|| {
        let kept = LogCapture::default();
        let writer = kept.clone();
        tracing_subscriber::fmt()
            .with_env_filter(
                "info,api=trace,documents=trace,platform=trace,providers=trace,shared=trace,worker=trace,sqlx=debug",
            )
            .with_writer(move || writer.clone())
            .with_ansi(false)
            .init();
        kept
    })
}

impl LogCapture {
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

impl io::Write for LogCapture {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
