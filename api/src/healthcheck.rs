//! `api healthcheck`: asks the API of this machine whether it is alive, for containers that hold no other HTTP client.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

/// Timeout of the whole request.
const PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of the answer that are read.
const LONGEST_ANSWER: u64 = 16 * 1024;

/// Sends `GET /healthz` to the address that the API listens on. Returns a line for the operator. Errors: any other
/// answer than 200, and none within five seconds.
pub async fn check_health(listen: SocketAddr) -> Result<String, String> {
    let address = local_addr_of(listen);
    let answer = match timeout(PATIENCE, request_health(address)).await {
        Ok(answer) => answer.map_err(|e| format!("no answer from http://{address}: {e}"))?,
        Err(_) => return Err(format!("no answer from http://{address} within {} seconds", PATIENCE.as_secs())),
    };
    match read_status(&answer) {
        Some(200) => Ok(format!("alive: http://{address}")),
        Some(status) => Err(format!("http://{address} answered with status {status}")),
        None => Err(format!("http://{address} is no HTTP server")),
    }
}

/// An address of this machine at which a listener on every address can be reached.
fn local_addr_of(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

async fn request_health(address: SocketAddr) -> io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET /healthz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.take(LONGEST_ANSWER).read_to_end(&mut answer).await?;
    Ok(answer)
}

/// The status of an answer of HTTP/1: `HTTP/1.1 200 OK`.
fn read_status(answer: &[u8]) -> Option<u16> {
    let line = answer.split(|byte| *byte == b'\r').next()?;
    let mut words = std::str::from_utf8(line).ok()?.split(' ');
    words.next().filter(|version| version.starts_with("HTTP/1."))?;
    words.next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    /// The result of a check against a server with this one answer.
    async fn check_against(answer: &'static str) -> Result<String, String> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 1024];
            let length = stream.read(&mut request).await.unwrap();
            stream.write_all(answer.as_bytes()).await.unwrap();
            String::from_utf8_lossy(&request[..length]).into_owned()
        });
        let checked = check_health(SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), address.port())).await;
        assert!(server.await.unwrap().starts_with("GET /healthz HTTP/1.1\r\n"));
        checked
    }

    #[tokio::test]
    async fn answer_200_is_alive_and_others_are_not() {
        assert!(check_against("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.is_ok());
        for answer in ["HTTP/1.1 503 Service Unavailable\r\n\r\n", "220 mail.example ESMTP\r\n", ""] {
            assert!(check_against(answer).await.is_err(), "{answer}");
        }
    }

    #[tokio::test]
    async fn closed_port_is_named() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        let refused = check_health(address).await.unwrap_err();
        assert!(refused.contains(&address.to_string()), "{refused}");
    }

    #[test]
    fn listener_on_every_address_is_asked_on_loopback() {
        for (listen, asked) in
            [("0.0.0.0:80", "127.0.0.1:80"), ("[::]:80", "[::1]:80"), ("192.0.2.7:80", "192.0.2.7:80")]
        {
            assert_eq!(local_addr_of(listen.parse().unwrap()).to_string(), asked);
        }
    }
}
