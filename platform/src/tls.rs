//! The TLS provider of a process, and the certificates that its HTTP clients trust.

use std::sync::{Arc, LazyLock, Once, OnceLock};

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

/// Tells in the log, once, when this machine has no trusted certificates, or some that cannot be read. For a client that
/// loads them by itself.
pub fn warn_if_untrusting() {
    drop(load_trusted_certificates());
}

fn load_trusted_certificates() -> Vec<CertificateDer<'static>> {
    static WARNED: Once = Once::new();
    let loaded = rustls_native_certs::load_native_certs();
    let faults: Vec<String> = loaded.errors.iter().map(ToString::to_string).collect();
    if let Some(warning) = trust_warning(loaded.certs.len(), &faults) {
        WARNED.call_once(|| tracing::warn!("{warning}"));
    }
    loaded.certs
}

/// None when the certificates are there and were read. Of many faults the first is named.
fn trust_warning(found: usize, faults: &[String]) -> Option<String> {
    let why = faults.first().map(|fault| format!(" ({fault})")).unwrap_or_default();
    match (found, faults.len()) {
        (0, _) => Some(format!(
            "no trusted certificates were found on this machine{why}: Twilio, Stripe, the mail server and webhooks cannot \
             be reached by TLS. Install the package ca-certificates, or name a file in SSL_CERT_FILE"
        )),
        (_, 0) => None,
        (_, unread) => Some(format!(
            "{unread} of this machine's trusted certificates could not be read{why}: install the package ca-certificates \
             anew, or correct SSL_CERT_FILE and SSL_CERT_DIR"
        )),
    }
}

/// Verifies as rustls does by itself. Reading the certificates takes more than a hundred files, and an idle process
/// makes no connection.
#[derive(Debug, Default)]
struct MachineRoots(OnceLock<Arc<WebPkiServerVerifier>>);

impl MachineRoots {
    fn verifier(&self) -> Result<&WebPkiServerVerifier, Error> {
        if let Some(loaded) = self.0.get() {
            return Ok(loaded);
        }
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(load_trusted_certificates());
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
    fn missing_or_unreadable_certificates_are_told_with_what_to_install() {
        assert_eq!(trust_warning(140, &[]), None);
        let none = trust_warning(0, &[]).unwrap();
        assert!(none.contains("no trusted certificates") && none.contains("ca-certificates"), "{none}");
        let fault = "failed to read PEM from file: No such file or directory at '/none.pem'".to_owned();
        let missing = trust_warning(0, std::slice::from_ref(&fault)).unwrap();
        assert!(missing.contains("/none.pem") && missing.contains("SSL_CERT_FILE"), "{missing}");
        let some = trust_warning(139, &[fault]).unwrap();
        assert!(some.starts_with("1 of this machine's") && some.contains("/none.pem"), "{some}");
    }

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
