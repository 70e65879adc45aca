//! Every wording the business sends without a person typing it: what it is for, where it goes, and what it may say.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    Language,
    variables::Variable::{
        self, Amount, ArrivalTime, BookingLink, BusinessName, BusinessPhone, CrewName, CustomerMessage, CustomerName,
        CustomerPhone, DaysOverdue, DueDate, EstimateLink, EstimateNumber, InvoiceLink, InvoiceNumber, LeadCount,
        ReceiptNumber, ReopensAt, ReviewLink, Timestamp, VisitLink, VisitTime,
    },
};

/// The six templates of the settings page, the ones their rules need beside them, and those of the way to the payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "camelCase")]
#[schema(as = TemplateKindName)]
pub enum Kind {
    /// The automatic text to a new lead.
    Sms,
    MissedCall,
    /// The automatic email to a new lead.
    Email,
    /// What the people of the business are told.
    Employee,
    UnpaidInvoice,
    ReviewRequest,
    MissedCallAfterHours,
    MissedCallHoliday,
    MissedCallEmergency,
    /// To a caller whose visit is today.
    MissedCallJobToday,
    /// Once, when nobody answered the first text.
    MissedCallNudge,
    /// The one automatic answer to a first text from a person without an open lead.
    TextReply,
    TextReplyAfterHours,
    TextReplyEmergency,
    /// The answer to HELP.
    HelpReply,
    /// The one confirmation after STOP, when the provider sends none of its own.
    StopConfirmation,
    /// Push alert or short text to the people of the business.
    OwnerAlert,
    OwnerDigest,
    /// With the link, when somebody of the business has an estimate sent.
    EstimateText,
    /// The same with the paper itself.
    EstimateEmail,
    /// Asks whether there are questions, when nobody answered an estimate.
    EstimateFollowUp,
    /// Carries the receipt of a payment.
    Receipt,
    /// Carries what the customer signed.
    EstimateSigned,
    /// With the link, when an invoice goes out.
    InvoiceText,
    /// The same with the paper itself.
    InvoiceEmail,
    /// Before an invoice is due, and on the day.
    InvoiceDueSoon,
    /// When a visit is booked.
    VisitBooked,
    VisitMoved,
    VisitCancelled,
    VisitDayBefore,
    VisitHourBefore,
    /// At once, when the crew sets out.
    VisitOnTheWay,
    VisitLate,
    /// When the work is done.
    VisitDone,
    /// When a bank refused a card after the page was closed.
    PaymentFailed,
}

/// How a wording leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TemplateChannel)]
pub enum Channel {
    Sms,
    Email,
    /// A push alert; where there is no device the same words go as a text.
    Push,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TemplateAudience)]
pub enum Audience {
    Customer,
    Team,
}

/// The consent a message needs, as the carriers part it (CTIA messaging principles, section 5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum MessageClass {
    /// The person wrote or rang first and gets one answer.
    Conversational,
    /// The person gave the number to be told about their own matter.
    Informational,
    /// Needs a written agreement of its own.
    Promotional,
}

/// One wording, as the template editor lists it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplateKind {
    pub kind: Kind,
    pub title: &'static str,
    pub description: &'static str,
    /// The editor it stands in; equal to `kind` for those that an editor is named after.
    pub editor: Kind,
    pub channel: Channel,
    pub audience: Audience,
    pub class: MessageClass,
    /// May be the first text of a thread: it must name the business and say how to stop.
    pub first_of_thread: bool,
    pub has_subject: bool,
    /// In characters, as written.
    pub max_length: usize,
    /// None where the wording never goes as a text.
    pub max_segments: Option<usize>,
    pub languages: Vec<Language>,
    pub variables: Vec<TemplateVariable>,
}

/// One word in double braces that a wording may use.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplateVariable {
    pub name: &'static str,
    pub meaning: &'static str,
    pub example: String,
    /// What stands in the message when the value is not known.
    pub fallback: &'static str,
}

struct About {
    /// Only to hold the table in the order of the enum.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the test of the order"))]
    kind: Kind,
    title: &'static str,
    description: &'static str,
    editor: Kind,
    channel: Channel,
    audience: Audience,
    class: MessageClass,
    first: bool,
    variables: &'static [Variable],
}

const LEAD: &[Variable] =
    &[BusinessName, BusinessPhone, CustomerName, CustomerPhone, CustomerMessage, Timestamp, BookingLink];
const LEAD_CLOSED: &[Variable] =
    &[BusinessName, BusinessPhone, CustomerName, CustomerPhone, CustomerMessage, Timestamp, BookingLink, ReopensAt];
const CALL: &[Variable] = &[BusinessName, BusinessPhone, CustomerName, CustomerPhone, Timestamp, BookingLink];
const CALL_CLOSED: &[Variable] =
    &[BusinessName, BusinessPhone, CustomerName, CustomerPhone, Timestamp, BookingLink, ReopensAt];
const CALL_JOB: &[Variable] = &[BusinessName, BusinessPhone, CustomerName, CustomerPhone, Timestamp, CrewName];
const TEAM: &[Variable] = &[BusinessName, BusinessPhone, CustomerName, CustomerPhone, CustomerMessage, Timestamp];
const OVERDUE: &[Variable] =
    &[BusinessName, BusinessPhone, CustomerName, InvoiceNumber, Amount, DaysOverdue, DueDate, InvoiceLink];
const INVOICE: &[Variable] = &[BusinessName, BusinessPhone, CustomerName, InvoiceNumber, Amount, DueDate, InvoiceLink];
const REVIEW: &[Variable] = &[BusinessName, BusinessPhone, CustomerName, CrewName, ReviewLink];
const HELP: &[Variable] = &[BusinessName, BusinessPhone];
const ESTIMATE: &[Variable] = &[BusinessName, BusinessPhone, CustomerName, EstimateNumber, Amount, EstimateLink];
const SIGNED: &[Variable] = &[BusinessName, BusinessPhone, CustomerName, EstimateNumber, Amount];
const RECEIPT: &[Variable] = &[BusinessName, BusinessPhone, CustomerName, ReceiptNumber, Amount];
const VISIT: &[Variable] = &[BusinessName, BusinessPhone, CustomerName, CrewName, VisitTime, VisitLink];
const TODAY: &[Variable] = &[BusinessName, BusinessPhone, CustomerName, CrewName, ArrivalTime];
const DIGEST: &[Variable] = &[BusinessName, LeadCount, Timestamp];

/// A first answer by text to a person who rang or wrote.
const fn answer(
    kind: Kind,
    editor: Kind,
    title: &'static str,
    description: &'static str,
    variables: &'static [Variable],
) -> About {
    About {
        kind,
        title,
        description,
        editor,
        channel: Channel::Sms,
        audience: Audience::Customer,
        class: MessageClass::Conversational,
        first: true,
        variables,
    }
}

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

/// In the order of the enum, which [`Kind::about`] relies on and a test holds.
static ABOUT: [About; 35] = [
    answer(
        Kind::Sms,
        Kind::Sms,
        "Auto-Reply SMS",
        "Text sent at once to a person who sent the lead or quote form.",
        LEAD,
    ),
    answer(Kind::MissedCall, Kind::MissedCall, "Missed Call SMS", "Text sent to a caller nobody answered.", CALL),
    About {
        channel: Channel::Email,
        first: false,
        ..answer(
            Kind::Email,
            Kind::Email,
            "Auto-Reply Email",
            "Email sent at once to a person who sent the lead or quote form.",
            LEAD,
        )
    },
    About {
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
    },
    About {
        class: MessageClass::Informational,
        ..answer(
            Kind::UnpaidInvoice,
            Kind::UnpaidInvoice,
            "Unpaid Invoice Reminder",
            "Text that reminds a customer of an open invoice.",
            OVERDUE,
        )
    },
    About {
        class: MessageClass::Promotional,
        ..answer(
            Kind::ReviewRequest,
            Kind::ReviewRequest,
            "Review Request",
            "Text that asks for a review after the work is done. The same for every customer.",
            REVIEW,
        )
    },
    answer(
        Kind::MissedCallAfterHours,
        Kind::MissedCall,
        "Missed call, after hours",
        "In place of the missed call text while you are closed.",
        CALL_CLOSED,
    ),
    answer(
        Kind::MissedCallHoliday,
        Kind::MissedCall,
        "Missed call, holiday",
        "In place of the missed call text on a date you marked as closed.",
        CALL_CLOSED,
    ),
    answer(
        Kind::MissedCallEmergency,
        Kind::MissedCall,
        "Missed call, emergency",
        "In place of the missed call text when the caller spoke of an emergency.",
        CALL,
    ),
    answer(
        Kind::MissedCallJobToday,
        Kind::MissedCall,
        "Missed call, visit today",
        "In place of the missed call text when your crew visits the caller today.",
        CALL_JOB,
    ),
    About {
        first: false,
        ..answer(
            Kind::MissedCallNudge,
            Kind::MissedCall,
            "Missed call, one reminder",
            "Sent once, two hours after the missed call text, if the caller did not answer.",
            CALL,
        )
    },
    answer(
        Kind::TextReply,
        Kind::Sms,
        "Reply to a first text",
        "The one automatic answer to a person who texts you and has no open lead.",
        LEAD,
    ),
    answer(
        Kind::TextReplyAfterHours,
        Kind::Sms,
        "Reply to a first text, after hours",
        "In place of the reply to a first text while you are closed.",
        LEAD_CLOSED,
    ),
    answer(
        Kind::TextReplyEmergency,
        Kind::Sms,
        "Reply to a first text, emergency",
        "In place of the reply to a first text, open or closed, when the person writes of an emergency.",
        LEAD,
    ),
    About {
        first: false,
        ..answer(
            Kind::HelpReply,
            Kind::Sms,
            "Answer to HELP",
            "Sent when a customer texts HELP: who you are, your phone number, how to stop.",
            HELP,
        )
    },
    About {
        first: false,
        ..answer(
            Kind::StopConfirmation,
            Kind::Sms,
            "Confirmation of STOP",
            "The last text after a customer writes STOP. Not sent when your text provider confirms by itself.",
            HELP,
        )
    },
    About {
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
    },
    About {
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
    },
    About {
        class: MessageClass::Informational,
        ..answer(
            Kind::EstimateText,
            Kind::EstimateText,
            "Estimates",
            "Text with the link to an estimate, when you have it sent.",
            ESTIMATE,
        )
    },
    About {
        channel: Channel::Email,
        class: MessageClass::Informational,
        first: false,
        ..answer(
            Kind::EstimateEmail,
            Kind::EstimateText,
            "Estimate by email",
            "Email that carries the estimate as a PDF file, when you have it sent.",
            ESTIMATE,
        )
    },
    About {
        class: MessageClass::Informational,
        ..answer(
            Kind::EstimateFollowUp,
            Kind::EstimateText,
            "Estimate, one question",
            "Text on the days after an estimate that the customer has not answered.",
            ESTIMATE,
        )
    },
    About {
        channel: Channel::Email,
        first: false,
        ..answer(
            Kind::Receipt,
            Kind::UnpaidInvoice,
            "Receipt",
            "Email that carries the receipt of a payment as a PDF file.",
            RECEIPT,
        )
    },
    About {
        channel: Channel::Email,
        first: false,
        ..answer(
            Kind::EstimateSigned,
            Kind::EstimateText,
            "Signed estimate",
            "Email that carries the signed copy, when the customer has approved an estimate.",
            SIGNED,
        )
    },
    About {
        class: MessageClass::Informational,
        ..answer(
            Kind::InvoiceText,
            Kind::UnpaidInvoice,
            "Invoice",
            "Text with the link to an invoice, when it goes out.",
            INVOICE,
        )
    },
    About {
        channel: Channel::Email,
        class: MessageClass::Informational,
        first: false,
        ..answer(
            Kind::InvoiceEmail,
            Kind::UnpaidInvoice,
            "Invoice by email",
            "Email that carries the invoice as a PDF file, when it goes out.",
            INVOICE,
        )
    },
    About {
        class: MessageClass::Informational,
        ..answer(
            Kind::InvoiceDueSoon,
            Kind::UnpaidInvoice,
            "Invoice, due soon",
            "Text before an open invoice is due, and on the day it is.",
            INVOICE,
        )
    },
    visit(Kind::VisitBooked, "Visits", "Text one minute after a visit was booked, with the link to its page."),
    visit(Kind::VisitMoved, "Visit, moved", "Text one minute after the time of a visit was changed."),
    visit(Kind::VisitCancelled, "Visit, cancelled", "Text one minute after a visit was cancelled, or lost its time."),
    visit(Kind::VisitDayBefore, "Visit, the day before", "Text the day before a visit, at the hour you set."),
    visit(
        Kind::VisitHourBefore,
        "Visit, an hour before",
        "Text an hour before a visit; before an early one, the day-before text the evening before.",
    ),
    today(Kind::VisitOnTheWay, "Visit, on the way", "Text at once when somebody of the crew presses On my way."),
    today(Kind::VisitLate, "Visit, running late", "Text at once when the crew says that it comes later."),
    today(Kind::VisitDone, "Visit, work done", "Text one minute after the work was done."),
    About {
        class: MessageClass::Informational,
        ..answer(
            Kind::PaymentFailed,
            Kind::UnpaidInvoice,
            "Card payment failed",
            "Text when a bank refused a card payment, with the link to pay again.",
            INVOICE,
        )
    },
];

impl Kind {
    /// Those that an editor is named after: the six of the product first.
    pub const EDITORS: [Self; 8] = [
        Self::Sms,
        Self::MissedCall,
        Self::Email,
        Self::Employee,
        Self::UnpaidInvoice,
        Self::ReviewRequest,
        Self::EstimateText,
        Self::VisitBooked,
    ];

    /// In the order the editors show them: the six first.
    pub const ALL: [Self; 35] = [
        Self::Sms,
        Self::MissedCall,
        Self::Email,
        Self::Employee,
        Self::UnpaidInvoice,
        Self::ReviewRequest,
        Self::MissedCallAfterHours,
        Self::MissedCallHoliday,
        Self::MissedCallEmergency,
        Self::MissedCallJobToday,
        Self::MissedCallNudge,
        Self::TextReply,
        Self::TextReplyAfterHours,
        Self::TextReplyEmergency,
        Self::HelpReply,
        Self::StopConfirmation,
        Self::OwnerAlert,
        Self::OwnerDigest,
        Self::EstimateText,
        Self::EstimateEmail,
        Self::EstimateFollowUp,
        Self::Receipt,
        Self::EstimateSigned,
        Self::InvoiceText,
        Self::InvoiceEmail,
        Self::InvoiceDueSoon,
        Self::VisitBooked,
        Self::VisitMoved,
        Self::VisitCancelled,
        Self::VisitDayBefore,
        Self::VisitHourBefore,
        Self::VisitOnTheWay,
        Self::VisitLate,
        Self::VisitDone,
        Self::PaymentFailed,
    ];

    fn about(self) -> &'static About {
        &ABOUT[self as usize]
    }

    #[must_use]
    pub fn title(self) -> &'static str {
        self.about().title
    }

    #[must_use]
    pub fn channel(self) -> Channel {
        self.about().channel
    }

    #[must_use]
    pub fn audience(self) -> Audience {
        self.about().audience
    }

    /// What the customer must have agreed to before it is sent.
    #[must_use]
    pub fn class(self) -> MessageClass {
        self.about().class
    }

    /// Whether it may be the first text of a thread.
    #[must_use]
    pub fn first_of_thread(self) -> bool {
        self.about().first
    }

    /// Which editor it stands in.
    #[must_use]
    pub fn editor(self) -> Self {
        self.about().editor
    }

    #[must_use]
    pub fn variables(self) -> &'static [Variable] {
        self.about().variables
    }

    #[must_use]
    pub fn has_subject(self) -> bool {
        self.channel() == Channel::Email
    }

    /// How long the template may be as written, in characters.
    #[must_use]
    pub fn max_length(self) -> usize {
        if self.channel() == Channel::Email { 5_000 } else { 1_600 }
    }

    /// How many segments an automatic text may cost. The answer to HELP and the confirmation of STOP are one; a push
    /// alert is cut by the phone where a short text ends.
    #[must_use]
    pub fn max_segments(self) -> Option<usize> {
        match (self.channel(), self) {
            (Channel::Email, _) => None,
            (_, Self::HelpReply | Self::StopConfirmation) => Some(1),
            _ => Some(3),
        }
    }

    /// Everything the editor shows about this wording.
    #[must_use]
    pub fn describe(self) -> TemplateKind {
        let about = self.about();
        let languages =
            if about.audience == Audience::Customer { vec![Language::En, Language::Es] } else { vec![Language::En] };
        TemplateKind {
            kind: self,
            title: about.title,
            description: about.description,
            editor: about.editor,
            channel: about.channel,
            audience: about.audience,
            class: about.class,
            first_of_thread: about.first,
            has_subject: self.has_subject(),
            max_length: self.max_length(),
            max_segments: self.max_segments(),
            languages,
            variables: about.variables.iter().map(|v| v.describe(about.audience)).collect(),
        }
    }
}

/// The whole catalogue, in its fixed order.
#[must_use]
pub fn describe() -> Vec<TemplateKind> {
    Kind::ALL.into_iter().map(Kind::describe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_kinds() {
        for (at, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!((kind as usize, ABOUT[at].kind), (at, kind));
        }
    }

    #[test]
    fn the_six_of_the_settings_page_come_first_and_every_wording_stands_in_an_editor() {
        assert_eq!(Kind::ALL[..6], Kind::EDITORS[..6]);
        assert!(Kind::EDITORS.iter().all(|kind| kind.editor() == *kind));
        assert!(Kind::ALL.iter().all(|kind| Kind::EDITORS.contains(&kind.editor())));
    }

    #[test]
    fn names_are_the_products_in_json() {
        let names = Kind::ALL.map(|kind| serde_json::to_value(kind).unwrap());
        assert_eq!(names[..6], ["sms", "missedCall", "email", "employee", "unpaidInvoice", "reviewRequest"]);
        assert_eq!(names[6], "missedCallAfterHours");
    }

    #[test]
    fn what_is_said_about_a_wording_is_enough_to_edit_it() {
        for about in describe() {
            assert!(!about.title.is_empty() && about.description.ends_with('.'), "{about:?}");
            assert!(about.variables.iter().any(|v| v.name == "businessName"), "{about:?}");
            assert_eq!(about.has_subject, about.channel == Channel::Email);
        }
        let json = serde_json::to_value(Kind::ReviewRequest.describe()).unwrap();
        assert_eq!((&json["class"], &json["firstOfThread"]), (&"promotional".into(), &true.into()));
        assert_eq!(json["variables"][4]["name"], "reviewLink");
    }
}
