//! Log messages about an unavailable database, one per cause, while the start keeps retrying.

use std::time::{Duration, Instant};

use crate::error::Error;

/// Shorter waits are not logged: another program may be creating the database.
const GRACE_PERIOD: Duration = Duration::from_secs(2);

#[derive(Debug, Default)]
pub struct UnavailabilityLog {
    stated: Option<String>,
    met: Option<(String, Instant)>,
}

impl UnavailabilityLog {
    /// Logs the cause if it differs from the previous one. Permanent causes are logged as errors.
    pub fn log_cause(&mut self, error: &Error) {
        let cause = error.to_string();
        if self.stated.as_ref() == Some(&cause) {
            return;
        }
        match error {
            Error::Refused(_) => tracing::error!("{cause}"),
            Error::Internal(_) => tracing::error!(%cause, "the database cannot be used as it is; trying again"),
            _ => tracing::warn!(%cause, "the database is away or not ready; trying again"),
        }
        self.stated = Some(cause);
    }

    /// Logs only once the cause has lasted: another program may be creating the database.
    pub fn log_if_persistent(&mut self, error: &Error) {
        let cause = error.to_string();
        match &self.met {
            Some((met, since)) if *met == cause => {
                if since.elapsed() >= GRACE_PERIOD {
                    self.log_cause(error);
                }
            }
            _ => self.met = Some((cause, Instant::now())),
        }
    }
}
