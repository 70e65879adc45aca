//! A connection whose first bytes were read already, with time limits on writes that the client does not read, and a
//! lingering close after a request that was not read to its end.
//!
//! A connection whose client does not read counts as waiting for it ([`ConnectionTicket::begin_wait`]). Only that time is
//! limited, so a stream of live events may be silent for any time.

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
    time::{Instant, Sleep, sleep},
};

use super::{
    connections::{ClientWaitGuard, ConnectionTicket},
    linger::LingeringClose,
};

/// How long a write may make no progress.
const STALL: Duration = Duration::from_mins(1);
/// Total wait for a client to take the next bytes of this number: on average a kilobyte a second.
const LONGEST_WAIT: Duration = Duration::from_mins(2);
const BYTES_OF_A_WAIT: usize = 120 * 1024;

/// Bytes that a client took, and the time spent waiting for it, since the last [`BYTES_OF_A_WAIT`].
#[derive(Debug, Default)]
struct ReadPace {
    taken: usize,
    waited: Duration,
}

impl ReadPace {
    fn remaining_wait(&mut self) -> Duration {
        if self.taken >= BYTES_OF_A_WAIT {
            *self = Self::default();
        }
        LONGEST_WAIT.saturating_sub(self.waited).min(STALL)
    }
}

/// A write that waits for its client.
#[derive(Debug)]
struct PendingWrite {
    since: Instant,
    end: Pin<Box<Sleep>>,
    _awaited: ClientWaitGuard,
}

#[derive(Debug)]
pub struct MonitoredStream {
    io: TcpStream,
    head: Vec<u8>,
    given: usize,
    pending: Option<PendingWrite>,
    pace: ReadPace,
    ticket: Arc<ConnectionTicket>,
    /// From when our side is closed.
    linger: Option<LingeringClose>,
}

impl MonitoredStream {
    #[must_use]
    pub fn new(io: TcpStream, head: Vec<u8>, ticket: Arc<ConnectionTicket>) -> Self {
        Self { io, head, given: 0, pending: None, pace: ReadPace::default(), ticket, linger: None }
    }

    /// Begins or ends the wait for the client by the result of a write.
    fn check_stall(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        let Self { pending, pace, ticket, .. } = self;
        if let Poll::Ready(written) = written {
            if let Some(ended) = pending.take() {
                pace.waited += ended.since.elapsed();
            }
            pace.taken = pace.taken.saturating_add(written.as_ref().copied().unwrap_or_default());
            return Poll::Ready(written);
        }
        let pending = pending.get_or_insert_with(|| PendingWrite {
            since: Instant::now(),
            end: Box::pin(sleep(pace.remaining_wait())),
            _awaited: ticket.begin_wait(),
        });
        match pending.end.as_mut().poll(cx) {
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

#[cfg(test)]
mod tests {
    use std::{
        future::poll_fn,
        net::{IpAddr, Ipv4Addr},
        task::Waker,
    };

    use futures::FutureExt;
    use tokio::{io::AsyncReadExt, net::TcpListener};

    use super::{super::connections::Connections, *};

    const NETWORK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    /// Both ends of a connection: the client's, and ours.
    async fn connect(ticket: &Arc<ConnectionTicket>) -> (TcpStream, MonitoredStream) {
        let listener = TcpListener::bind((NETWORK, 0)).await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (io, _) = listener.accept().await.unwrap();
        (client, MonitoredStream::new(io, Vec::new(), Arc::clone(ticket)))
    }

    /// Writes until the client would have to read.
    async fn fill(line: &mut MonitoredStream) {
        let chunk = vec![0; 64 * 1024];
        poll_fn(|cx| {
            while let Poll::Ready(written) = Pin::new(&mut *line).poll_write(cx, &chunk) {
                written.unwrap();
            }
            Poll::Ready(())
        })
        .await;
    }

    #[tokio::test]
    async fn connection_whose_client_does_not_read_its_answer_may_be_dropped() {
        let connections = Connections::default();
        let ticket = Arc::new(connections.try_admit(NETWORK, false).unwrap());
        let _busy = ticket.begin_request();
        let (mut client, mut line) = connect(&ticket).await;
        let dropped = ticket.drop_signal();
        fill(&mut line).await;
        let reading = tokio::spawn(async move {
            let mut chunk = vec![0; 64 * 1024];
            while client.read(&mut chunk).await.is_ok_and(|length| length > 0) {}
        });
        poll_fn(|cx| Pin::new(&mut line).poll_write(cx, b"x")).await.unwrap();
        connections.shed_resting();
        assert!(dropped.notified().now_or_never().is_none(), "not while the client reads");
        reading.abort();
        assert!(reading.await.is_err());
        let (_client, mut line) = connect(&ticket).await;
        fill(&mut line).await;
        connections.shed_resting();
        assert!(dropped.notified().now_or_never().is_some());
    }

    /// Whether an answer is taken by a client that reads `size` bytes every so many seconds, `times` times. Nothing waits:
    /// the beginning of each wait is moved into the past.
    fn is_taken(line: &mut MonitoredStream, every: u64, size: usize, times: u32) -> bool {
        line.pace = ReadPace::default();
        let every = Duration::from_secs(every);
        let mut cx = Context::from_waker(Waker::noop());
        (0..times).all(|_| {
            let begun = line.check_stall(&mut cx, Poll::Pending);
            let wait = line.pending.as_mut().unwrap();
            let allowed = wait.end.deadline().duration_since(wait.since);
            wait.since -= every;
            let taken = line.check_stall(&mut cx, Poll::Ready(Ok(size)));
            begun.is_pending() && matches!(taken, Poll::Ready(Ok(length)) if length == size) && every < allowed
        })
    }

    #[tokio::test]
    async fn answer_read_at_less_than_a_kilobyte_a_second_is_aborted_and_slow_download_is_not() {
        let connections = Connections::default();
        let ticket = Arc::new(connections.try_admit(NETWORK, false).unwrap());
        let (_client, mut line) = connect(&ticket).await;
        assert!(!is_taken(&mut line, 61, 10 * 1024 * 1024, 1), "a minute without a byte");
        assert!(!is_taken(&mut line, 55, 16 * 1024, 100), "a little before each minute is over");
        assert!(!is_taken(&mut line, 1, 512, 1_000));
        assert!(is_taken(&mut line, 10, 40 * 1024, 1_000), "4 KB/s");
        assert!(is_taken(&mut line, 1, 1_100, 10_000));
    }
}
