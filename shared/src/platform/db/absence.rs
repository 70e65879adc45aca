//! Why a database cannot be worked with yet, said once for each cause: a start tries again for as long as it takes.

use std::time::{Duration, Instant};

use crate::platform::error::Error;

/// What is over within this time is not worth a word to who waits until another program has made the database.
const PASSES: Duration = Duration::from_secs(2);

/// What was said last.
#[derive(Debug, Default)]
pub struct Absence {
    said: Option<String>,
    /// The cause that was met last, and since when it is the same.
    met: Option<(String, Instant)>,
}

impl Absence {
    /// Says why, where it is another cause than the one before. What does not mend itself is an error.
    pub fn say(&mut self, error: &Error) {
        let cause = error.to_string();
        if self.said.as_ref() == Some(&cause) {
            return;
        }
        match error {
            Error::Refused(_) => tracing::error!("{cause}"),
            Error::Internal(_) => tracing::error!(%cause, "the database cannot be used as it is; trying again"),
            _ => tracing::warn!(%cause, "the database is away or not ready; trying again"),
        }
        self.said = Some(cause);
    }

    /// The same once the cause has lasted: another program may be making the database right now.
    pub fn say_if_it_lasts(&mut self, error: &Error) {
        let cause = error.to_string();
        match &self.met {
            Some((met, since)) if *met == cause => {
                if since.elapsed() >= PASSES {
                    self.say(error);
                }
            }
            _ => self.met = Some((cause, Instant::now())),
        }
    }
}
