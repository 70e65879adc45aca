//! The TLS provider of a process, and the certificates that its HTTP clients trust.

use std::sync::{Arc, LazyLock, OnceLock};

use rustls::{
    ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::ring::default_provider,
    pki_types::{CertificateDer, ServerName, UnixTime},
};

/// Installs *ring* as the process-wide TLS provider. Idempotent.
pub fn install_crypto_provider() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // In a race the other caller installed the same provider.
        drop(default_provider().install_default());
    }
}

/// For every HTTP client: they share the machine's trusted certificates, which are read at the first handshake.
#[must_use]
pub fn client_config() -> ClientConfig {
    static CONFIG: LazyLock<ClientConfig> = LazyLock::new(|| {
        install_crypto_provider();
        let verifier = Arc::new(MachineRoots::default());
        ClientConfig::builder().dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth()
    });
    CONFIG.clone()
}

/// Verifies as rustls does by itself. Reading the certificates takes more than a hundred files, and an idle process
/// connects to nobody.
#[derive(Debug, Default)]
struct MachineRoots(OnceLock<Arc<WebPkiServerVerifier>>);

impl MachineRoots {
    fn verifier(&self) -> Result<&WebPkiServerVerifier, Error> {
        if let Some(loaded) = self.0.get() {
            return Ok(loaded);
        }
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        let loaded = WebPkiServerVerifier::builder(Arc::new(roots)).build();
        let loaded = loaded.map_err(|e| Error::General(format!("this machine's trusted certificates: {e}")))?;
        Ok(self.0.get_or_init(|| loaded))
    }
}

impl ServerCertVerifier for MachineRoots {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.verifier()?.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier()?.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier()?.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        default_provider().signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificate_of_unknown_issuer_is_refused() {
        install_crypto_provider();
        let signer = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        let verifier = MachineRoots::default();
        let refused = verifier.verify_server_cert(signer.cert.der(), &[], &name, &[], UnixTime::now()).unwrap_err();
        assert!(matches!(refused, Error::InvalidCertificate(_)), "{refused:?}");
    }
}
