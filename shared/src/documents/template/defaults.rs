//! The wordings of a business that has written none of its own, in both languages.

use super::{Kind, Language, Wording};

/// English and Spanish text of each kind; what only the team reads has no Spanish.
macro_rules! texts {
    ($kind:expr, $language:expr, both: $($both:ident = $file:literal),+; english: $($one:ident = $own:literal),+) => {
        match ($kind, $language) {
            $((Kind::$both, Language::En) => include_str!(concat!("en/", $file, ".txt")),
              (Kind::$both, Language::Es) => include_str!(concat!("es/", $file, ".txt")),)+
            $((Kind::$one, _) => include_str!(concat!("en/", $own, ".txt")),)+
        }
    };
}

/// What is sent until the business changes it. The text promises an answer within 1 hour, the email within 2 hours.
/// The first text names the business and says how to stop (CTIA messaging principles, 5.1). Texts keep to the letters
/// that cost a single segment's price, which is why the Spanish ones avoid some accents by their choice of words.
#[must_use]
pub fn default_wording(kind: Kind, language: Language) -> Wording {
    let body = texts!(kind, language,
        both: Sms = "sms", MissedCall = "missed_call", Email = "email", UnpaidInvoice = "unpaid_invoice",
            ReviewRequest = "review_request", MissedCallAfterHours = "missed_call_after_hours",
            MissedCallHoliday = "missed_call_holiday", MissedCallEmergency = "missed_call_emergency",
            MissedCallJobToday = "missed_call_job_today", MissedCallNudge = "missed_call_nudge",
            TextReply = "text_reply", TextReplyAfterHours = "text_reply_after_hours",
            TextReplyEmergency = "text_reply_emergency", HelpReply = "help_reply", StopConfirmation = "stop_confirmation",
            EstimateText = "estimate_text", EstimateEmail = "estimate_email",
            EstimateFollowUp = "estimate_follow_up", Receipt = "receipt", EstimateSigned = "estimate_signed",
            InvoiceText = "invoice_text", InvoiceEmail = "invoice_email", InvoiceDueSoon = "invoice_due_soon",
            VisitBooked = "visit_booked", VisitMoved = "visit_moved", VisitCancelled = "visit_cancelled",
            VisitDayBefore = "visit_day_before", VisitHourBefore = "visit_hour_before",
            VisitOnTheWay = "visit_on_the_way", VisitLate = "visit_late", VisitDone = "visit_done",
            PaymentFailed = "payment_failed", ChangeOrderText = "change_order_text",
            ChangeOrderEmail = "change_order_email", ChangeOrderFollowUp = "change_order_follow_up",
            ChangeOrderSigned = "change_order_signed",
            ReviewFollowUp = "review_follow_up", ReviewReply = "review_reply",
            BookingQuestion = "booking_question", BookingQuestionEmail = "booking_question_email";
        english: Employee = "employee", OwnerAlert = "owner_alert", OwnerDigest = "owner_digest");
    Wording { enabled: true, subject: subject(kind, language).map(ToOwned::to_owned), body: body.trim_end().to_owned() }
}

/// What carries the receipt of a refund; the wording of receipts thanks for a payment. Nobody changes it.
#[must_use]
pub fn refund_wording(language: Language) -> Wording {
    let (subject, body) = match language {
        Language::En => ("Refund {{ receiptNumber }} from {{ businessName }}", include_str!("en/refund.txt")),
        Language::Es => ("Reembolso {{ receiptNumber }} de {{ businessName }}", include_str!("es/refund.txt")),
    };
    Wording { enabled: true, subject: Some(subject.to_owned()), body: body.trim_end().to_owned() }
}

fn subject(kind: Kind, language: Language) -> Option<&'static str> {
    match (kind, language) {
        (Kind::Email, Language::En) => {
            Some("We received your request{% if customerName %}, {{ customerName }}{% endif %}")
        }
        (Kind::Email, Language::Es) => {
            Some("Recibimos su solicitud{% if customerName %}, {{ customerName }}{% endif %}")
        }
        (Kind::OwnerDigest, _) => {
            Some("{{ leadCount }} {% if leadCount == \"1\" %}lead{% else %}leads{% endif %} for {{ businessName }}")
        }
        (Kind::EstimateEmail, Language::En) => Some("Your estimate {{ estimateNumber }} from {{ businessName }}"),
        (Kind::EstimateEmail, Language::Es) => Some("Su presupuesto {{ estimateNumber }} de {{ businessName }}"),
        (Kind::Receipt, Language::En) => Some("Receipt {{ receiptNumber }} from {{ businessName }}"),
        (Kind::Receipt, Language::Es) => Some("Recibo {{ receiptNumber }} de {{ businessName }}"),
        (Kind::EstimateSigned, Language::En) => Some("Signed: estimate {{ estimateNumber }}"),
        (Kind::EstimateSigned, Language::Es) => Some("Firmado: presupuesto {{ estimateNumber }}"),
        (Kind::ChangeOrderEmail, Language::En) => Some("Change order {{ changeOrderNumber }} from {{ businessName }}"),
        (Kind::ChangeOrderEmail, Language::Es) => Some("Orden de cambio {{ changeOrderNumber }} de {{ businessName }}"),
        (Kind::ChangeOrderSigned, Language::En) => Some("Signed: change order {{ changeOrderNumber }}"),
        (Kind::ChangeOrderSigned, Language::Es) => Some("Firmada: orden de cambio {{ changeOrderNumber }}"),
        (Kind::InvoiceEmail, Language::En) => Some("Invoice {{ invoiceNumber }} from {{ businessName }}"),
        (Kind::InvoiceEmail, Language::Es) => Some("Factura {{ invoiceNumber }} de {{ businessName }}"),
        (Kind::BookingQuestionEmail, Language::En) => Some("Keep your visit with {{ businessName }}"),
        (Kind::BookingQuestionEmail, Language::Es) => Some("Confirme su visita con {{ businessName }}"),
        _ => None,
    }
}

impl Kind {
    /// The English default.
    #[must_use]
    pub fn default_wording(self) -> Wording {
        default_wording(self, Language::En)
    }
}
