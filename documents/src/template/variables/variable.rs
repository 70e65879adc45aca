//! Template variables: name, meaning and fallback.

use platform::language::Language;

use crate::template::{TemplateAudience, kind::TemplateVariable};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WordingVariable {
    BusinessName,
    BusinessPhone,
    CustomerName,
    CustomerPhone,
    CustomerMessage,
    Timestamp,
    InvoiceNumber,
    Amount,
    DaysOverdue,
    ReviewLink,
    BookingLink,
    TimesLink,
    CrewName,
    ReopensAt,
    LeadCount,
    EstimateNumber,
    EstimateLink,
    ReceiptNumber,
    InvoiceLink,
    DueDate,
    VisitTime,
    VisitLink,
    ArrivalTime,
    ChangeOrderNumber,
    ChangeOrderLink,
    JobTotal,
}

impl WordingVariable {
    pub const ALL: [Self; 26] = [
        Self::BusinessName,
        Self::BusinessPhone,
        Self::CustomerName,
        Self::CustomerPhone,
        Self::CustomerMessage,
        Self::Timestamp,
        Self::InvoiceNumber,
        Self::Amount,
        Self::DaysOverdue,
        Self::ReviewLink,
        Self::BookingLink,
        Self::TimesLink,
        Self::CrewName,
        Self::ReopensAt,
        Self::LeadCount,
        Self::EstimateNumber,
        Self::EstimateLink,
        Self::ReceiptNumber,
        Self::InvoiceLink,
        Self::DueDate,
        Self::VisitTime,
        Self::VisitLink,
        Self::ArrivalTime,
        Self::ChangeOrderNumber,
        Self::ChangeOrderLink,
        Self::JobTotal,
    ];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BusinessName => "businessName",
            Self::BusinessPhone => "businessPhone",
            Self::CustomerName => "customerName",
            Self::CustomerPhone => "customerPhone",
            Self::CustomerMessage => "customerMessage",
            Self::Timestamp => "timestamp",
            Self::InvoiceNumber => "invoiceNumber",
            Self::Amount => "amount",
            Self::DaysOverdue => "daysOverdue",
            Self::ReviewLink => "reviewLink",
            Self::BookingLink => "bookingLink",
            Self::TimesLink => "timesLink",
            Self::CrewName => "crewName",
            Self::ReopensAt => "reopensAt",
            Self::LeadCount => "leadCount",
            Self::EstimateNumber => "estimateNumber",
            Self::EstimateLink => "estimateLink",
            Self::ReceiptNumber => "receiptNumber",
            Self::InvoiceLink => "invoiceLink",
            Self::DueDate => "dueDate",
            Self::VisitTime => "visitTime",
            Self::VisitLink => "visitLink",
            Self::ArrivalTime => "arrivalTime",
            Self::ChangeOrderNumber => "changeOrderNumber",
            Self::ChangeOrderLink => "changeOrderLink",
            Self::JobTotal => "jobTotal",
        }
    }

    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::BusinessName => "The name of your business",
            Self::BusinessPhone => "Your phone number from Organization",
            Self::CustomerName => "The customer's first name; in alerts the whole name",
            Self::CustomerPhone => "The customer's phone number",
            Self::CustomerMessage => "What the customer wrote",
            Self::Timestamp => "Date and time, in your time zone",
            Self::InvoiceNumber => "The number of the invoice",
            Self::Amount => {
                "The amount it is about, in dollars; of an estimate with options from the lowest to the highest"
            }
            Self::DaysOverdue => "How many days the invoice is overdue",
            Self::ReviewLink => "Your review link from Organization",
            Self::BookingLink => "Your booking link from Organization",
            Self::TimesLink => "Where the customer picks one of your next free times for this request",
            Self::CrewName => "The crew of the job",
            Self::ReopensAt => "When you open next",
            Self::LeadCount => "How many leads the digest lists",
            Self::EstimateNumber => "The number of the estimate",
            Self::EstimateLink => "Where the customer reads and approves the estimate",
            Self::ReceiptNumber => "The number of the receipt",
            Self::InvoiceLink => "Where the customer reads and pays the invoice",
            Self::DueDate => "When the invoice is due",
            Self::VisitTime => "When the visit is",
            Self::VisitLink => "Where the customer confirms or cancels the visit",
            Self::ArrivalTime => "When the crew arrives",
            Self::ChangeOrderNumber => "The number of the change order",
            Self::ChangeOrderLink => "Where the customer reads and approves the change order",
            Self::JobTotal => "What the job comes to with the change, in dollars",
        }
    }

    #[must_use]
    pub fn example(self) -> &'static str {
        match self {
            Self::BusinessName => "Acme Plumbing",
            Self::BusinessPhone => "(512) 555-0100",
            Self::CustomerName => "Ann",
            Self::CustomerPhone => "(512) 555-0142",
            Self::CustomerMessage => "My water heater is leaking",
            Self::Timestamp => "Mar 5, 2:30 PM",
            Self::InvoiceNumber => "1042",
            Self::Amount => "$350.00",
            Self::DaysOverdue => "12",
            Self::ReviewLink => "https://example.com/rate",
            Self::BookingLink => "https://example.com/book",
            Self::TimesLink => "https://example.com/p/t",
            Self::CrewName => "Dave's crew",
            Self::ReopensAt => "Monday 8:00 AM",
            Self::LeadCount => "3",
            Self::EstimateNumber => "EST-1001",
            Self::EstimateLink => "https://example.com/p/x",
            Self::ReceiptNumber => "RCP-1001",
            Self::InvoiceLink => "https://example.com/p/y",
            Self::DueDate => "Dec 5",
            Self::VisitTime => "Tue, Nov 24, 8:00-10:00 AM",
            Self::VisitLink => "https://example.com/p/v",
            Self::ArrivalTime => "10:25 AM",
            Self::ChangeOrderNumber => "CO-1001",
            Self::ChangeOrderLink => "https://example.com/p/c",
            Self::JobTotal => "$1,550.50",
        }
    }

    /// Links may be missing, so their whole sentence must be optional.
    #[must_use]
    pub fn is_link(self) -> bool {
        matches!(
            self,
            Self::ReviewLink
                | Self::BookingLink
                | Self::TimesLink
                | Self::EstimateLink
                | Self::ChangeOrderLink
                | Self::InvoiceLink
                | Self::VisitLink
        )
    }

    /// Text in place of a missing value, so that the sentence still reads. Numbers and links print as nothing.
    #[must_use]
    pub fn fallback_text(self, language: Language, audience: TemplateAudience) -> &'static str {
        if audience == TemplateAudience::Team {
            match self {
                Self::CustomerName => return "someone",
                Self::CustomerPhone => return "no number",
                Self::CustomerMessage => return "no message",
                _ => {}
            }
        }
        let (english, spanish) = match self {
            Self::BusinessName => ("our team", "nuestro equipo"),
            Self::BusinessPhone => ("our number", "nuestro tel."),
            Self::CustomerName => ("there", "cliente"),
            Self::CustomerPhone => ("your number", "su tel."),
            Self::CustomerMessage => ("your request", "su solicitud"),
            Self::Timestamp => ("today", "hoy"),
            Self::Amount => ("the open amount", "el saldo"),
            Self::DaysOverdue => ("several", "varios"),
            Self::CrewName => ("our crew", "nuestro equipo"),
            Self::ReopensAt | Self::DueDate | Self::ArrivalTime => ("soon", "pronto"),
            Self::LeadCount => ("new", "nuevos"),
            Self::VisitTime => ("the agreed time", "la hora acordada"),
            Self::JobTotal => ("the new total", "el nuevo total"),
            Self::InvoiceNumber
            | Self::ReviewLink
            | Self::VisitLink
            | Self::BookingLink
            | Self::TimesLink
            | Self::EstimateNumber
            | Self::EstimateLink
            | Self::ChangeOrderNumber
            | Self::ChangeOrderLink
            | Self::ReceiptNumber
            | Self::InvoiceLink => ("", ""),
        };
        match language {
            Language::En => english,
            Language::Es => spanish,
        }
    }

    pub(in crate::template) fn to_template_variable(self, audience: TemplateAudience) -> TemplateVariable {
        TemplateVariable {
            name: self.name(),
            meaning: self.meaning(),
            example: self.example().to_owned(),
            fallback: self.fallback_text(Language::En, audience),
        }
    }
}
