//! Bodies with time limits: a client must keep sending, and a connection counts as busy until its answer has left.

use std::{
    io::{Error, ErrorKind},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep};

use super::connections::{ClientWaitGuard, ConnectionTicket, RequestGuard};

/// Longest time without a byte.
const STALL: Duration = Duration::from_secs(20);
/// Total wait for a body: this, plus a second for each kilobyte received (slower than the slowest phone), up to the
/// maximum below.
const GRACE: Duration = Duration::from_secs(20);
const BYTES_A_SECOND: u64 = 1024;
const LONGEST: Duration = Duration::from_mins(15);

/// Request body. Only time spent waiting for the client counts.
#[derive(Debug)]
pub struct TimedRequestBody<B> {
    body: B,
    received: u64,
    waited: Duration,
    waiting: Option<BodyWait>,
    /// `None` in tests.
    ticket: Option<Arc<ConnectionTicket>>,
}

#[derive(Debug)]
struct BodyWait {
    since: Instant,
    end: Pin<Box<Sleep>>,
    _awaited: Option<ClientWaitGuard>,
}

impl<B> TimedRequestBody<B> {
    #[must_use]
    pub fn new(body: B, ticket: Option<Arc<ConnectionTicket>>) -> Self {
        Self { body, received: 0, waited: Duration::ZERO, waiting: None, ticket }
    }

    /// Remaining wait.
    fn remaining_wait(&self) -> Duration {
        let allowed = GRACE + Duration::from_secs(self.received / BYTES_A_SECOND);
        allowed.min(LONGEST).saturating_sub(self.waited).min(STALL)
    }
}

impl<B> HttpBody for TimedRequestBody<B>
where
    B: HttpBody<Data = Bytes> + Unpin,
    B::Error: Into<axum::BoxError>,
{
    type Data = Bytes;
    type Error = axum::BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Ready(frame) => {
                if let Some(waiting) = self.waiting.take() {
                    self.waited += waiting.since.elapsed();
                }
                if let Some(Ok(frame)) = &frame
                    && let Some(data) = frame.data_ref()
                {
                    self.received += data.len() as u64;
                }
                if (frame.is_none() || self.body.is_end_stream())
                    && let Some(ticket) = &self.ticket
                {
                    ticket.set_unread_body(false);
                }
                Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
            }
            Poll::Pending => {
                let patience = self.remaining_wait();
                let Self { waiting, ticket, .. } = &mut *self;
                let waiting = waiting.get_or_insert_with(|| BodyWait {
                    since: Instant::now(),
                    end: Box::pin(sleep(patience)),
                    _awaited: ticket.as_ref().map(ConnectionTicket::begin_wait),
                });
                match waiting.end.as_mut().poll(cx) {
                    Poll::Ready(()) => {
                        Poll::Ready(Some(Err(Error::new(ErrorKind::TimedOut, "the body came too slowly").into())))
                    }
                    Poll::Pending => Poll::Pending,
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[derive(Debug)]
pub struct TrackedResponseBody {
    body: Body,
    _busy: RequestGuard,
}

impl TrackedResponseBody {
    #[must_use]
    pub fn new(body: Body, busy: RequestGuard) -> Self {
        Self { body, _busy: busy }
    }
}

impl HttpBody for TrackedResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a body sent in pieces arrives, and how many seconds it was waited for.
    fn sent(every: u64, size: u64, times: u64) -> (bool, u64) {
        let mut body = TimedRequestBody::new((), None);
        for _ in 0..times {
            let patience = body.remaining_wait();
            if Duration::from_secs(every) >= patience {
                return (false, (body.waited + patience).as_secs());
            }
            body.waited += Duration::from_secs(every);
            body.received += size;
        }
        (true, body.waited.as_secs())
    }

    #[test]
    fn stalled_or_dripping_body_is_aborted_and_slow_upload_is_not() {
        assert_eq!(sent(60, 1, 1), (false, 20), "nothing came");
        assert_eq!(sent(5, 1, 1000), (false, 20), "a byte every five seconds");
        assert!(sent(10, 40 * 1024, 40).0, "1.6 MB at 4 KB/s");
        assert_eq!(sent(19, 100 * 1024, 1000), (false, 900), "and there is an end to it");
    }
}
