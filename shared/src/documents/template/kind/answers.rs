//! The first answers to a person who rang, wrote or sent a form, and what the law wants said about being texted.

use super::{
    Channel, Kind,
    about::{About, answer},
};
use crate::documents::template::variables::Variable::{
    self, BookingLink, BusinessName, BusinessPhone, CrewName, CustomerMessage, CustomerName, CustomerPhone, ReopensAt,
    Timestamp,
};

const LEAD: &[Variable] =
    &[BusinessName, BusinessPhone, CustomerName, CustomerPhone, CustomerMessage, Timestamp, BookingLink];

const LEAD_CLOSED: &[Variable] =
    &[BusinessName, BusinessPhone, CustomerName, CustomerPhone, CustomerMessage, Timestamp, BookingLink, ReopensAt];

const CALL: &[Variable] = &[BusinessName, BusinessPhone, CustomerName, CustomerPhone, Timestamp, BookingLink];

const CALL_CLOSED: &[Variable] =
    &[BusinessName, BusinessPhone, CustomerName, CustomerPhone, Timestamp, BookingLink, ReopensAt];

const CALL_JOB: &[Variable] = &[BusinessName, BusinessPhone, CustomerName, CustomerPhone, Timestamp, CrewName];
const HELP: &[Variable] = &[BusinessName, BusinessPhone];

pub(super) static SMS: About = answer(
    Kind::Sms,
    Kind::Sms,
    "Auto-Reply SMS",
    "Text sent at once to a person who sent the lead or quote form.",
    LEAD,
);

pub(super) static MISSED_CALL: About =
    answer(Kind::MissedCall, Kind::MissedCall, "Missed Call SMS", "Text sent to a caller nobody answered.", CALL);

pub(super) static EMAIL: About = About {
    channel: Channel::Email,
    first: false,
    ..answer(
        Kind::Email,
        Kind::Email,
        "Auto-Reply Email",
        "Email sent at once to a person who sent the lead or quote form.",
        LEAD,
    )
};

pub(super) static MISSED_CALL_AFTER_HOURS: About = answer(
    Kind::MissedCallAfterHours,
    Kind::MissedCall,
    "Missed call, after hours",
    "In place of the missed call text while you are closed.",
    CALL_CLOSED,
);

pub(super) static MISSED_CALL_HOLIDAY: About = answer(
    Kind::MissedCallHoliday,
    Kind::MissedCall,
    "Missed call, holiday",
    "In place of the missed call text on a date you marked as closed.",
    CALL_CLOSED,
);

pub(super) static MISSED_CALL_EMERGENCY: About = answer(
    Kind::MissedCallEmergency,
    Kind::MissedCall,
    "Missed call, emergency",
    "In place of the missed call text when the caller spoke of an emergency.",
    CALL,
);

pub(super) static MISSED_CALL_JOB_TODAY: About = answer(
    Kind::MissedCallJobToday,
    Kind::MissedCall,
    "Missed call, visit today",
    "In place of the missed call text when your crew visits the caller today.",
    CALL_JOB,
);

pub(super) static MISSED_CALL_NUDGE: About = About {
    first: false,
    ..answer(
        Kind::MissedCallNudge,
        Kind::MissedCall,
        "Missed call, one reminder",
        "Sent once, two hours after the missed call text, if the caller did not answer.",
        CALL,
    )
};

pub(super) static TEXT_REPLY: About = answer(
    Kind::TextReply,
    Kind::Sms,
    "Reply to a first text",
    "The one automatic answer to a person who texts you and has no open lead.",
    LEAD,
);

pub(super) static TEXT_REPLY_AFTER_HOURS: About = answer(
    Kind::TextReplyAfterHours,
    Kind::Sms,
    "Reply to a first text, after hours",
    "In place of the reply to a first text while you are closed.",
    LEAD_CLOSED,
);

pub(super) static TEXT_REPLY_EMERGENCY: About = answer(
    Kind::TextReplyEmergency,
    Kind::Sms,
    "Reply to a first text, emergency",
    "In place of the reply to a first text, open or closed, when the person writes of an emergency.",
    LEAD,
);

pub(super) static HELP_REPLY: About = About {
    first: false,
    ..answer(
        Kind::HelpReply,
        Kind::Sms,
        "Answer to HELP",
        "Sent when a customer texts HELP: who you are, your phone number, how to stop.",
        HELP,
    )
};

pub(super) static STOP_CONFIRMATION: About = About {
    first: false,
    ..answer(
        Kind::StopConfirmation,
        Kind::Sms,
        "Confirmation of STOP",
        "The last text after a customer writes STOP. Not sent when your text provider confirms by itself.",
        HELP,
    )
};
