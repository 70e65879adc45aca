//! First answers to a call, text or form, and the legally required replies about texting.

use super::{
    TemplateChannel, TemplateKindName,
    template_spec::{TemplateKindSpec, answer_spec},
};
use crate::template::variables::WordingVariable::{
    self, BookingLink, BusinessName, BusinessPhone, CrewName, CustomerMessage, CustomerName, CustomerPhone, ReopensAt,
    TimesLink, Timestamp,
};

const FORM: &[WordingVariable] =
    &[BusinessName, BusinessPhone, CustomerName, CustomerPhone, CustomerMessage, Timestamp, BookingLink, TimesLink];

const LEAD: &[WordingVariable] =
    &[BusinessName, BusinessPhone, CustomerName, CustomerPhone, CustomerMessage, Timestamp, BookingLink];

const LEAD_CLOSED: &[WordingVariable] =
    &[BusinessName, BusinessPhone, CustomerName, CustomerPhone, CustomerMessage, Timestamp, BookingLink, ReopensAt];

const CALL: &[WordingVariable] = &[BusinessName, BusinessPhone, CustomerName, CustomerPhone, Timestamp, BookingLink];

const CALL_CLOSED: &[WordingVariable] =
    &[BusinessName, BusinessPhone, CustomerName, CustomerPhone, Timestamp, BookingLink, ReopensAt];

const CALL_JOB: &[WordingVariable] = &[BusinessName, BusinessPhone, CustomerName, CustomerPhone, Timestamp, CrewName];
const HELP: &[WordingVariable] = &[BusinessName, BusinessPhone];

pub(super) static SMS: TemplateKindSpec = answer_spec(
    TemplateKindName::Sms,
    TemplateKindName::Sms,
    "Auto-Reply SMS",
    "Text sent right away to a person who sent the lead or quote form.",
    FORM,
);

pub(super) static MISSED_CALL: TemplateKindSpec = answer_spec(
    TemplateKindName::MissedCall,
    TemplateKindName::MissedCall,
    "Missed Call SMS",
    "Text sent to a caller when no one answered.",
    CALL,
);

pub(super) static EMAIL: TemplateKindSpec = TemplateKindSpec {
    channel: TemplateChannel::Email,
    first: false,
    ..answer_spec(
        TemplateKindName::Email,
        TemplateKindName::Email,
        "Auto-Reply Email",
        "Email sent right away to a person who sent the lead or quote form.",
        FORM,
    )
};

pub(super) static MISSED_CALL_AFTER_HOURS: TemplateKindSpec = answer_spec(
    TemplateKindName::MissedCallAfterHours,
    TemplateKindName::MissedCall,
    "Missed call, after hours",
    "Sent instead of the missed call text while you are closed.",
    CALL_CLOSED,
);

pub(super) static MISSED_CALL_HOLIDAY: TemplateKindSpec = answer_spec(
    TemplateKindName::MissedCallHoliday,
    TemplateKindName::MissedCall,
    "Missed call, holiday",
    "Sent instead of the missed call text on a date you marked as closed.",
    CALL_CLOSED,
);

pub(super) static MISSED_CALL_EMERGENCY: TemplateKindSpec = answer_spec(
    TemplateKindName::MissedCallEmergency,
    TemplateKindName::MissedCall,
    "Missed call, emergency",
    "Sent instead of the missed call text when the caller mentioned an emergency.",
    CALL,
);

pub(super) static MISSED_CALL_JOB_TODAY: TemplateKindSpec = answer_spec(
    TemplateKindName::MissedCallJobToday,
    TemplateKindName::MissedCall,
    "Missed call, visit today",
    "Sent instead of the missed call text when your crew visits the caller today.",
    CALL_JOB,
);

pub(super) static MISSED_CALL_NUDGE: TemplateKindSpec = TemplateKindSpec {
    first: false,
    ..answer_spec(
        TemplateKindName::MissedCallNudge,
        TemplateKindName::MissedCall,
        "Missed call, one reminder",
        "Sent once, two hours after the missed call text, if the caller did not answer.",
        CALL,
    )
};

pub(super) static TEXT_REPLY: TemplateKindSpec = answer_spec(
    TemplateKindName::TextReply,
    TemplateKindName::Sms,
    "Reply to a first text",
    "The one automatic answer to a person who texts you and has no open lead.",
    LEAD,
);

pub(super) static TEXT_REPLY_AFTER_HOURS: TemplateKindSpec = answer_spec(
    TemplateKindName::TextReplyAfterHours,
    TemplateKindName::Sms,
    "Reply to a first text, after hours",
    "Sent instead of the reply to a first text while you are closed.",
    LEAD_CLOSED,
);

pub(super) static TEXT_REPLY_EMERGENCY: TemplateKindSpec = answer_spec(
    TemplateKindName::TextReplyEmergency,
    TemplateKindName::Sms,
    "Reply to a first text, emergency",
    "Sent instead of the reply to a first text, open or closed, when the person mentions an emergency.",
    LEAD,
);

pub(super) static HELP_REPLY: TemplateKindSpec = TemplateKindSpec {
    first: false,
    ..answer_spec(
        TemplateKindName::HelpReply,
        TemplateKindName::Sms,
        "Answer to HELP",
        "Sent when a customer texts HELP: who you are, your phone number, how to stop.",
        HELP,
    )
};

pub(super) static STOP_CONFIRMATION: TemplateKindSpec = TemplateKindSpec {
    first: false,
    ..answer_spec(
        TemplateKindName::StopConfirmation,
        TemplateKindName::Sms,
        "Confirmation of STOP",
        "The last text after a customer writes STOP. Not sent when your text provider confirms by itself.",
        HELP,
    )
};
