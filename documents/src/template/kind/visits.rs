//! Wordings about a visit: booked, moved, upcoming, on the way, done.

use super::{
    MessageClass, TemplateChannel, TemplateKindName,
    template_spec::{TemplateKindSpec, answer_spec},
};
use crate::template::variables::WordingVariable::{
    self, ArrivalTime, BusinessName, BusinessPhone, CrewName, CustomerName, VisitLink, VisitTime,
};

const VISIT: &[WordingVariable] = &[BusinessName, BusinessPhone, CustomerName, CrewName, VisitTime, VisitLink];
/// Form input is untrusted: only the first name is allowed here.
const QUESTION: &[WordingVariable] = &[BusinessName, BusinessPhone, CustomerName, VisitTime, VisitLink];
const TODAY: &[WordingVariable] = &[BusinessName, BusinessPhone, CustomerName, CrewName, ArrivalTime];

const fn visit_spec(kind: TemplateKindName, title: &'static str, description: &'static str) -> TemplateKindSpec {
    TemplateKindSpec {
        class: MessageClass::Informational,
        ..answer_spec(kind, TemplateKindName::VisitBooked, title, description, VISIT)
    }
}

/// Never the first text of a thread: the customer already knows of the visit.
const fn visit_day_spec(kind: TemplateKindName, title: &'static str, description: &'static str) -> TemplateKindSpec {
    TemplateKindSpec {
        class: MessageClass::Informational,
        first: false,
        ..answer_spec(kind, TemplateKindName::VisitBooked, title, description, TODAY)
    }
}

pub(super) static VISIT_BOOKED: TemplateKindSpec = visit_spec(
    TemplateKindName::VisitBooked,
    "Visits",
    "Text one minute after a visit was booked, with the link to its page.",
);
pub(super) static VISIT_MOVED: TemplateKindSpec =
    visit_spec(TemplateKindName::VisitMoved, "Visit, moved", "Text one minute after the time of a visit was changed.");
pub(super) static VISIT_CANCELLED: TemplateKindSpec = visit_spec(
    TemplateKindName::VisitCancelled,
    "Visit, cancelled",
    "Text one minute after a visit was cancelled, or lost its time.",
);
pub(super) static VISIT_DAY_BEFORE: TemplateKindSpec = visit_spec(
    TemplateKindName::VisitDayBefore,
    "Visit, the day before",
    "Text the day before a visit, at the hour you set.",
);

pub(super) static VISIT_HOUR_BEFORE: TemplateKindSpec = visit_spec(
    TemplateKindName::VisitHourBefore,
    "Visit, an hour before",
    "Text an hour before a visit; before an early one, the day-before text the evening before.",
);

pub(super) static VISIT_ON_THE_WAY: TemplateKindSpec = visit_day_spec(
    TemplateKindName::VisitOnTheWay,
    "Visit, on the way",
    "Text right away when someone on the crew presses On my way.",
);
pub(super) static VISIT_LATE: TemplateKindSpec = visit_day_spec(
    TemplateKindName::VisitLate,
    "Visit, running late",
    "Text right away when the crew says it will be late.",
);
pub(super) static VISIT_DONE: TemplateKindSpec =
    visit_day_spec(TemplateKindName::VisitDone, "Visit, work done", "Text one minute after the work was done.");

pub(super) static BOOKING_QUESTION: TemplateKindSpec = answer_spec(
    TemplateKindName::BookingQuestion,
    TemplateKindName::VisitBooked,
    "Booking, one tap to keep it",
    "Text to someone you do not know yet who chose a time on your booking page. It is held for 15 minutes.",
    QUESTION,
);
pub(super) static BOOKING_QUESTION_EMAIL: TemplateKindSpec = TemplateKindSpec {
    channel: TemplateChannel::Email,
    first: false,
    ..answer_spec(
        TemplateKindName::BookingQuestionEmail,
        TemplateKindName::VisitBooked,
        "Booking, one tap to keep it, by email",
        "Email to someone you do not know yet who chose a time on your booking page. It is held for 15 minutes.",
        QUESTION,
    )
};
