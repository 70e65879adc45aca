//! A self-signed certificate for this machine's address.

use std::{io, sync::Arc};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::{
    ServerConfig,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
};
use tokio::net::TcpStream;
use tokio_rustls::{TlsAcceptor, server::TlsStream};

#[derive(Clone)]
pub struct Certificate {
    der: Vec<u8>,
    acceptor: TlsAcceptor,
}

impl std::fmt::Debug for Certificate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Certificate")
    }
}

impl Certificate {
    /// For `localhost` and 127.0.0.1.
    #[must_use]
    pub fn new() -> Self {
        shared::platform::tls::install_crypto_provider();
        let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).expect("a certificate");
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
        let config = ServerConfig::builder().with_no_client_auth().with_single_cert(vec![cert.der().clone()], key);
        let acceptor = TlsAcceptor::from(Arc::new(config.expect("a key that fits its certificate")));
        Self { der: cert.der().to_vec(), acceptor }
    }

    #[must_use]
    pub fn der(&self) -> Vec<u8> {
        self.der.clone()
    }

    pub(super) async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        self.acceptor.accept(stream).await
    }
}

impl Default for Certificate {
    fn default() -> Self {
        Self::new()
    }
}
