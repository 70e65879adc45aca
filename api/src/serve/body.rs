//! Bodies with limits in time: what a client sends has to keep coming, and a connection is within a request until its
//! answer has left.

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

use super::connections::{Awaited, Busy, Ticket};

/// How long nothing may come.
const STALL: Duration = Duration::from_secs(20);
/// How long a body may be waited for in all: this, and a second more for each kilobyte that came, which is less than the
/// slowest phone sends. No body is waited for longer than the last.
const GRACE: Duration = Duration::from_secs(20);
const BYTES_A_SECOND: u64 = 1024;
const LONGEST: Duration = Duration::from_mins(15);

/// The body of a request. Only the time that is spent waiting for the client counts.
#[derive(Debug)]
pub struct Arriving<B> {
    body: B,
    received: u64,
    waited: Duration,
    waiting: Option<Waiting>,
    /// Its connection; none in tests.
    ticket: Option<Arc<Ticket>>,
}

/// Since when a body is waited for, and when that ends.
#[derive(Debug)]
struct Waiting {
    since: Instant,
    end: Pin<Box<Sleep>>,
    _awaited: Option<Awaited>,
}

impl<B> Arriving<B> {
    #[must_use]
    pub fn new(body: B, ticket: Option<Arc<Ticket>>) -> Self {
        Self { body, received: 0, waited: Duration::ZERO, waiting: None, ticket }
    }

    /// How long it may be waited for now.
    fn patience(&self) -> Duration {
        let allowed = GRACE + Duration::from_secs(self.received / BYTES_A_SECOND);
        allowed.min(LONGEST).saturating_sub(self.waited).min(STALL)
    }
}

impl<B> HttpBody for Arriving<B>
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
                Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
            }
            Poll::Pending => {
                let patience = self.patience();
                let Self { waiting, ticket, .. } = &mut *self;
                let waiting = waiting.get_or_insert_with(|| Waiting {
                    since: Instant::now(),
                    end: Box::pin(sleep(patience)),
                    _awaited: ticket.as_ref().map(Ticket::awaits),
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

/// The body of an answer.
#[derive(Debug)]
pub struct Answered {
    body: Body,
    _busy: Busy,
}

impl Answered {
    #[must_use]
    pub fn new(body: Body, busy: Busy) -> Self {
        Self { body, _busy: busy }
    }
}

impl HttpBody for Answered {
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

    /// Whether all of what a client sends in pieces arrives, and how many seconds it was waited for.
    fn sent(every: u64, size: u64, times: u64) -> (bool, u64) {
        let mut body = Arriving::new((), None);
        for _ in 0..times {
            let patience = body.patience();
            if Duration::from_secs(every) >= patience {
                return (false, (body.waited + patience).as_secs());
            }
            body.waited += Duration::from_secs(every);
            body.received += size;
        }
        (true, body.waited.as_secs())
    }

    #[test]
    fn body_that_does_not_progress_or_drips_is_given_up_and_a_slow_upload_is_not() {
        assert_eq!(sent(60, 1, 1), (false, 20), "nothing came");
        assert_eq!(sent(5, 1, 1000), (false, 20), "a byte every five seconds");
        assert!(sent(10, 40 * 1024, 40).0, "1.6 MB at 4 KB/s");
        assert_eq!(sent(19, 100 * 1024, 1000), (false, 900), "and there is an end to it");
    }
}
