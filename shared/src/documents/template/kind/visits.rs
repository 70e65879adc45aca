//! What a customer is told of a visit: booked, moved, near, on the way, done.

use super::{
    Channel, Kind, MessageClass,
    about::{About, answer},
};
use crate::documents::template::variables::Variable::{
    self, ArrivalTime, BusinessName, BusinessPhone, CrewName, CustomerName, VisitLink, VisitTime,
};

const VISIT: &[Variable] = &[BusinessName, BusinessPhone, CustomerName, CrewName, VisitTime, VisitLink];
/// Of what was typed into the form only a first name may stand in it.
const QUESTION: &[Variable] = &[BusinessName, BusinessPhone, CustomerName, VisitTime, VisitLink];
const TODAY: &[Variable] = &[BusinessName, BusinessPhone, CustomerName, CrewName, ArrivalTime];

/// A text about a booked visit.
const fn visit(kind: Kind, title: &'static str, description: &'static str) -> About {
    About { class: MessageClass::Informational, ..answer(kind, Kind::VisitBooked, title, description, VISIT) }
}

/// A text on the day of a visit, to somebody who knows of it.
const fn today(kind: Kind, title: &'static str, description: &'static str) -> About {
    About {
        class: MessageClass::Informational,
        first: false,
        ..answer(kind, Kind::VisitBooked, title, description, TODAY)
    }
}

pub(super) static VISIT_BOOKED: About =
    visit(Kind::VisitBooked, "Visits", "Text one minute after a visit was booked, with the link to its page.");
pub(super) static VISIT_MOVED: About =
    visit(Kind::VisitMoved, "Visit, moved", "Text one minute after the time of a visit was changed.");
pub(super) static VISIT_CANCELLED: About =
    visit(Kind::VisitCancelled, "Visit, cancelled", "Text one minute after a visit was cancelled, or lost its time.");
pub(super) static VISIT_DAY_BEFORE: About =
    visit(Kind::VisitDayBefore, "Visit, the day before", "Text the day before a visit, at the hour you set.");

pub(super) static VISIT_HOUR_BEFORE: About = visit(
    Kind::VisitHourBefore,
    "Visit, an hour before",
    "Text an hour before a visit; before an early one, the day-before text the evening before.",
);

pub(super) static VISIT_ON_THE_WAY: About =
    today(Kind::VisitOnTheWay, "Visit, on the way", "Text at once when somebody of the crew presses On my way.");
pub(super) static VISIT_LATE: About =
    today(Kind::VisitLate, "Visit, running late", "Text at once when the crew says that it comes later.");
pub(super) static VISIT_DONE: About =
    today(Kind::VisitDone, "Visit, work done", "Text one minute after the work was done.");

pub(super) static BOOKING_QUESTION: About = answer(
    Kind::BookingQuestion,
    Kind::VisitBooked,
    "Booking, one tap to keep it",
    "Text to somebody you do not know yet who chose a time on your booking page. It is held for 15 minutes.",
    QUESTION,
);
pub(super) static BOOKING_QUESTION_EMAIL: About = About {
    channel: Channel::Email,
    first: false,
    ..answer(
        Kind::BookingQuestionEmail,
        Kind::VisitBooked,
        "Booking, one tap to keep it, by email",
        "Email to somebody you do not know yet who chose a time on your booking page. It is held for 15 minutes.",
        QUESTION,
    )
};
