//! A TCP connection that a handler can cut, with the time at which a request began.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::SeqCst},
    },
    task::{Context, Poll},
};

use axum::{
    extract::connect_info::Connected,
    serve::{IncomingStream, Listener},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
};

use super::now_us;

#[derive(Debug, Clone, Default)]
pub struct Wire {
    cut: Arc<AtomicBool>,
    first_byte_us: Arc<AtomicU64>,
}

impl Wire {
    /// Stops all output: the peer sees its connection reset.
    pub fn cut(&self) {
        self.cut.store(true, SeqCst);
    }

    /// When the first byte since the last call came in. Call it once per request, after its body was read.
    pub fn take_first_byte_us(&self) -> u64 {
        match self.first_byte_us.swap(0, SeqCst) {
            // The request began in the packet that ended the previous one.
            0 => now_us(),
            at => at,
        }
    }
}

pub struct Cuttable {
    stream: TcpStream,
    wire: Wire,
}

pub struct CuttableListener(pub TcpListener);

impl Listener for CuttableListener {
    type Io = Cuttable;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Cuttable, SocketAddr) {
        let (stream, address) = Listener::accept(&mut self.0).await;
        // Without it the fakes' answers would be slower than those of a real server.
        drop(stream.set_nodelay(true));
        (Cuttable { stream, wire: Wire::default() }, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

impl Connected<IncomingStream<'_, CuttableListener>> for Wire {
    fn connect_info(stream: IncomingStream<'_, CuttableListener>) -> Self {
        stream.io().wire.clone()
    }
}

impl AsyncRead for Cuttable {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        if buf.filled().len() > before {
            let _ = self.wire.first_byte_us.compare_exchange(0, now_us(), SeqCst, SeqCst);
        }
        read
    }
}

impl AsyncWrite for Cuttable {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.wire.cut.load(SeqCst) {
            // With a linger time of zero, the kernel sends a reset instead of an orderly close.
            drop(self.stream.set_zero_linger());
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
