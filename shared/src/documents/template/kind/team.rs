//! What the people of the business are told.

use super::{
    Audience, Channel, Kind, MessageClass,
    about::{About, answer},
};
use crate::documents::template::variables::Variable::{
    self, BusinessName, BusinessPhone, CustomerMessage, CustomerName, CustomerPhone, LeadCount, Timestamp,
};

const TEAM: &[Variable] = &[BusinessName, BusinessPhone, CustomerName, CustomerPhone, CustomerMessage, Timestamp];
const DIGEST: &[Variable] = &[BusinessName, LeadCount, Timestamp];

pub(super) static EMPLOYEE: About = About {
    audience: Audience::Team,
    class: MessageClass::Informational,
    first: false,
    ..answer(
        Kind::Employee,
        Kind::Employee,
        "Employee Notification",
        "What your recipients are told about a new lead.",
        TEAM,
    )
};

pub(super) static OWNER_ALERT: About = About {
    channel: Channel::Push,
    audience: Audience::Team,
    class: MessageClass::Informational,
    first: false,
    ..answer(
        Kind::OwnerAlert,
        Kind::Employee,
        "Short alert",
        "What the push alert of a new lead says, and the text where there is no device.",
        TEAM,
    )
};

pub(super) static OWNER_DIGEST: About = About {
    channel: Channel::Email,
    audience: Audience::Team,
    class: MessageClass::Informational,
    first: false,
    ..answer(
        Kind::OwnerDigest,
        Kind::Employee,
        "Digest",
        "Opens the hourly, daily or weekly summary. Recipients by text get its subject.",
        DIGEST,
    )
};
