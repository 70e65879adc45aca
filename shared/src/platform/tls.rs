//! The TLS provider of a process.

/// Installs *ring* as the process-wide TLS provider. Idempotent.
pub fn install_crypto_provider() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // In a race the other caller installed the same provider.
        drop(rustls::crypto::ring::default_provider().install_default());
    }
}
