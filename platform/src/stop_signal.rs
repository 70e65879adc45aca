//! Signals that ask a program to stop: SIGTERM, as process managers send it, and SIGINT (Ctrl-C).

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// From its making on, a signal no longer kills the process: it is kept until [`Self::wait_for_stop`]. To be made before
/// anything that a stop must not tear, such as a migration.
#[derive(Debug)]
pub struct StopSignal {
    terminate: Signal,
    interrupt: Signal,
}

impl StopSignal {
    /// Must be called within a runtime. Errors: when the system refuses the handlers.
    pub fn install_handlers() -> io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// Also ends at once for a signal that came before this call. May be dropped and called again.
    pub async fn wait_for_stop(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
