//! Log of slow statements: the beginning of the text and never its values. The driver's own log of them is switched off
//! (`connect`), because it prints the whole text, which for an import has some 70,000 letters.

use std::time::{Duration, Instant};

/// As long as the driver has it.
const SLOW: Duration = Duration::from_secs(1);
/// How much of a statement is logged, in bytes.
const SHOWN: usize = 200;

/// Warns when it is dropped late: also of a statement that failed, or that nobody waited for any longer.
pub(super) struct StatementTimer {
    beginning: Box<str>,
    began: Instant,
}

impl StatementTimer {
    pub(super) fn start_timer(sql: &str) -> Self {
        let (beginning, _) = sql.split_at(sql.floor_char_boundary(SHOWN));
        Self { beginning: beginning.into(), began: Instant::now() }
    }
}

impl Drop for StatementTimer {
    fn drop(&mut self) {
        let elapsed = self.began.elapsed();
        if elapsed >= SLOW {
            let statement = self.beginning.split_whitespace().collect::<Vec<_>>().join(" ");
            let elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
            tracing::warn!(statement, elapsed_ms, "slow statement");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io,
        sync::{Arc, Mutex},
    };

    use super::*;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// What is logged of a statement that took this long.
    fn logged(sql: &str, took: Duration) -> String {
        let written = Written::default();
        let to = written.clone();
        let log = tracing_subscriber::fmt().with_ansi(false).with_writer(move || to.clone()).finish();
        tracing::subscriber::with_default(log, || {
            let mut timer = StatementTimer::start_timer(sql);
            timer.began = Instant::now().checked_sub(took).expect("the machine runs longer");
        });
        String::from_utf8(written.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn slow_wide_insert_is_logged_by_its_beginning() {
        let rows = vec!["($1, $2, $3)"; 5_000].join(", ");
        let line = logged(&format!("INSERT INTO lead (id,\n    name) VALUES {rows}"), SLOW * 2);
        assert!(line.contains("slow statement") && line.contains("INSERT INTO lead (id, name) VALUES"), "{line}");
        assert!(line.len() < 2 * SHOWN && line.contains("elapsed_ms=2"), "{line}");
    }

    #[test]
    fn quick_statement_is_not_logged() {
        assert_eq!(logged("SELECT 1", SLOW / 2), "");
    }

    #[test]
    fn beginning_ends_between_letters() {
        let line = logged(&"é".repeat(SHOWN), SLOW * 2);
        assert_eq!(line.matches('é').count(), SHOWN / 2);
    }
}
