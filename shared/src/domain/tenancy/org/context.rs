//! What a request or task about a business carries.

use super::OrgProfile;
use crate::platform::{clock::ClockRng, public_url::PublicUrl, secret::SecretKey};

#[derive(Clone, Copy, Debug)]
pub struct OrgContext<'a> {
    pub origin: &'a ClockRng,
    pub secret: &'a SecretKey,
    pub public_url: &'a PublicUrl,
    pub profile: &'a OrgProfile,
    pub set_up: SendChannels,
}

/// What this install can send.
#[derive(Clone, Copy, Debug)]
pub struct SendChannels {
    pub sms: bool,
    /// Always possible: without SMTP an email is written to a file.
    pub email: bool,
    /// Whether businesses pay for this install.
    pub takes_money: bool,
}

impl SendChannels {
    pub const ALL: Self = Self { sms: true, email: true, takes_money: false };
}
