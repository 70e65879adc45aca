//! Task handlers of tenants.

pub mod send_install_mail;
