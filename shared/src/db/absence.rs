//! Why a database cannot be worked with yet, said once for each cause: a start tries again for as long as it takes.

use crate::error::Error;

/// What was said last.
#[derive(Debug, Default)]
pub struct Absence {
    said: Option<String>,
}

impl Absence {
    /// Says why, where it is another cause than the one before. What does not mend itself is an error.
    pub fn say(&mut self, error: &Error) {
        let cause = error.to_string();
        if self.said.as_ref() == Some(&cause) {
            return;
        }
        if matches!(error, Error::Internal(_)) {
            tracing::error!(%cause, "the database cannot be used as it is; trying again");
        } else {
            tracing::warn!(%cause, "the database is away or not ready; trying again");
        }
        self.said = Some(cause);
    }
}
