//! Wordings for the team of the business.

use super::{
    MessageClass, TemplateAudience, TemplateChannel, TemplateKindName,
    template_spec::{TemplateKindSpec, answer_spec},
};
use crate::template::variables::WordingVariable::{
    self, BusinessName, BusinessPhone, CustomerMessage, CustomerName, CustomerPhone, LeadCount, Timestamp,
};

const TEAM: &[WordingVariable] =
    &[BusinessName, BusinessPhone, CustomerName, CustomerPhone, CustomerMessage, Timestamp];
const DIGEST: &[WordingVariable] = &[BusinessName, LeadCount, Timestamp];

pub(super) static EMPLOYEE: TemplateKindSpec = TemplateKindSpec {
    audience: TemplateAudience::Team,
    class: MessageClass::Informational,
    first: false,
    ..answer_spec(
        TemplateKindName::Employee,
        TemplateKindName::Employee,
        "Employee Notification",
        "The message to your recipients about a new lead.",
        TEAM,
    )
};

pub(super) static OWNER_ALERT: TemplateKindSpec = TemplateKindSpec {
    channel: TemplateChannel::Push,
    audience: TemplateAudience::Team,
    class: MessageClass::Informational,
    first: false,
    ..answer_spec(
        TemplateKindName::OwnerAlert,
        TemplateKindName::Employee,
        "Short alert",
        "What the push alert of a new lead says, and the text where there is no device.",
        TEAM,
    )
};

pub(super) static OWNER_DIGEST: TemplateKindSpec = TemplateKindSpec {
    channel: TemplateChannel::Email,
    audience: TemplateAudience::Team,
    class: MessageClass::Informational,
    first: false,
    ..answer_spec(
        TemplateKindName::OwnerDigest,
        TemplateKindName::Employee,
        "Digest",
        "Opens the hourly, daily or weekly summary. Recipients by text get its subject.",
        DIGEST,
    )
};
