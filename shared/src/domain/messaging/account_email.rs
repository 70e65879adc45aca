//! Emails to people about their accounts, and invitations to join. They are messages of the business that no switch
//! stops.

pub mod address_proof;
pub mod audit_anchor;
pub mod invitation;
pub mod known_address;
pub mod password_reset;
pub mod security_email;
