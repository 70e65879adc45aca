//! A connection whose first bytes were read already, with a time limit on writes that the client does not read, and a
//! lingering close after a request that was not read to its end.

use std::{
    io::{self, ErrorKind, IoSlice},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Sleep, sleep},
};

use super::{connections::ConnectionTicket, linger::LingeringClose};

/// How long a write may make no progress.
const STALL: Duration = Duration::from_mins(1);

#[derive(Debug)]
pub struct MonitoredStream {
    io: TcpStream,
    head: Vec<u8>,
    given: usize,
    /// Runs while writes are pending.
    stall: Option<Pin<Box<Sleep>>>,
    ticket: Arc<ConnectionTicket>,
    /// From when our side is closed.
    linger: Option<LingeringClose>,
}

impl MonitoredStream {
    #[must_use]
    pub fn new(io: TcpStream, head: Vec<u8>, ticket: Arc<ConnectionTicket>) -> Self {
        Self { io, head, given: 0, stall: None, ticket, linger: None }
    }

    /// Starts or stops the stall timer by the result of a write.
    fn check_stall<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stall = None;
            return written;
        }
        let stall = self.stall.get_or_insert_with(|| Box::pin(sleep(STALL)));
        match stall.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::Error::new(ErrorKind::TimedOut, "an answer was not taken"))),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for MonitoredStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let rest = self.head.get(self.given..).unwrap_or_default();
        if rest.is_empty() {
            return Pin::new(&mut self.io).poll_read(cx, buf);
        }
        let length = rest.len().min(buf.remaining());
        buf.put_slice(rest.get(..length).unwrap_or_default());
        self.given += length;
        if self.given == self.head.len() {
            (self.head, self.given) = (Vec::new(), 0);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for MonitoredStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write(cx, bytes);
        self.check_stall(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write_vectored(cx, slices);
        self.check_stall(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.linger.is_none() {
            ready!(Pin::new(&mut self.io).poll_shutdown(cx))?;
            if self.ticket.has_unread_body() {
                self.linger = self.ticket.try_begin_linger().map(LingeringClose::start_close);
            }
        }
        let Self { io, linger, .. } = &mut *self;
        linger.as_mut().map_or(Poll::Ready(Ok(())), |linger| linger.poll_discard(cx, io).map(Ok))
    }
}
