//! Lingering close: what an answer left unread of its request is read and discarded before the connection closes.
//!
//! A socket that is closed with unread bytes is reset, and a client that is still sending may lose the answer: half of
//! the bodies over a limit ended in a broken pipe instead of a 413 (RFC 9112, 9.6).

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, ReadBuf},
    net::TcpStream,
    time::{Instant, Sleep, sleep},
};

use super::connections::LingerGuard;

/// Longest time without a byte, and in all.
const STALL: Duration = Duration::from_secs(2);
const LONGEST: Duration = Duration::from_secs(20);
/// More than the largest request that any route takes.
const MAX_BYTES: usize = 64 * 1024 * 1024;

#[derive(Debug)]
pub struct LingeringClose {
    /// Counts the connection among the lingering ones.
    _turn: LingerGuard,
    discarded: usize,
    end: Instant,
    stall: Pin<Box<Sleep>>,
}

impl LingeringClose {
    #[must_use]
    pub fn start_close(turn: LingerGuard) -> Self {
        Self { _turn: turn, discarded: 0, end: Instant::now() + LONGEST, stall: Box::pin(sleep(STALL)) }
    }

    /// Ready when the client has closed its side, or a limit is reached.
    pub fn poll_discard(&mut self, cx: &mut Context<'_>, io: &mut TcpStream) -> Poll<()> {
        let mut chunk = [0; 8 * 1024];
        while self.discarded < MAX_BYTES && Instant::now() < self.end {
            let mut buffer = ReadBuf::new(&mut chunk);
            match Pin::new(&mut *io).poll_read(cx, &mut buffer) {
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {
                    self.discarded += buffer.filled().len();
                    self.stall.as_mut().reset((Instant::now() + STALL).min(self.end));
                }
                // The client has closed, or the connection is lost.
                Poll::Ready(_) => return Poll::Ready(()),
                Poll::Pending => return self.stall.as_mut().poll(cx),
            }
        }
        Poll::Ready(())
    }
}
