//! The TLS provider of a process.

/// Makes *ring* the one TLS provider of this process. Further calls change nothing.
pub fn install_crypto() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // The loser of a race finds the winner's provider installed, and the winner is this same function.
        drop(rustls::crypto::ring::default_provider().install_default());
    }
}
