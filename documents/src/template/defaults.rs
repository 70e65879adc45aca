//! Default wordings in both languages.

use super::{Language, TemplateKindName, TemplateWording};

macro_rules! texts {
    ($kind:expr, $language:expr, both: $($both:ident = $file:literal),+; english: $($one:ident = $own:literal),+) => {
        match ($kind, $language) {
            $((TemplateKindName::$both, Language::En) => include_str!(concat!("en/", $file, ".txt")),
              (TemplateKindName::$both, Language::Es) => include_str!(concat!("es/", $file, ".txt")),)+
            $((TemplateKindName::$one, _) => include_str!(concat!("en/", $own, ".txt")),)+
        }
    };
}

/// Default wording. The text promises an answer within 1 hour, the email within 2 hours. The first text names the
/// business and says how to stop (CTIA messaging principles, 5.1). Texts use only characters that keep the
/// single-segment price; the Spanish ones therefore avoid some accents by their choice of words.
#[must_use]
pub fn default_wording(kind: TemplateKindName, language: Language) -> TemplateWording {
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
    TemplateWording {
        enabled: true,
        subject: default_subject(kind, language).map(ToOwned::to_owned),
        body: body.trim_end().to_owned(),
    }
}

/// Message with the receipt of a refund (the receipt wording thanks for a payment). Not editable.
#[must_use]
pub fn refund_wording(language: Language) -> TemplateWording {
    let (subject, body) = match language {
        Language::En => ("Refund {{ receiptNumber }} from {{ businessName }}", include_str!("en/refund.txt")),
        Language::Es => ("Reembolso {{ receiptNumber }} de {{ businessName }}", include_str!("es/refund.txt")),
    };
    TemplateWording { enabled: true, subject: Some(subject.to_owned()), body: body.trim_end().to_owned() }
}

fn default_subject(kind: TemplateKindName, language: Language) -> Option<&'static str> {
    match (kind, language) {
        (TemplateKindName::Email, Language::En) => {
            Some("We received your request{% if customerName %}, {{ customerName }}{% endif %}")
        }
        (TemplateKindName::Email, Language::Es) => {
            Some("Recibimos su solicitud{% if customerName %}, {{ customerName }}{% endif %}")
        }
        (TemplateKindName::OwnerDigest, _) => {
            Some("{{ leadCount }} {% if leadCount == \"1\" %}lead{% else %}leads{% endif %} for {{ businessName }}")
        }
        (TemplateKindName::EstimateEmail, Language::En) => {
            Some("Your estimate {{ estimateNumber }} from {{ businessName }}")
        }
        (TemplateKindName::EstimateEmail, Language::Es) => {
            Some("Su presupuesto {{ estimateNumber }} de {{ businessName }}")
        }
        (TemplateKindName::Receipt, Language::En) => Some("Receipt {{ receiptNumber }} from {{ businessName }}"),
        (TemplateKindName::Receipt, Language::Es) => Some("Recibo {{ receiptNumber }} de {{ businessName }}"),
        (TemplateKindName::EstimateSigned, Language::En) => Some("Signed: estimate {{ estimateNumber }}"),
        (TemplateKindName::EstimateSigned, Language::Es) => Some("Firmado: presupuesto {{ estimateNumber }}"),
        (TemplateKindName::ChangeOrderEmail, Language::En) => {
            Some("Change order {{ changeOrderNumber }} from {{ businessName }}")
        }
        (TemplateKindName::ChangeOrderEmail, Language::Es) => {
            Some("Orden de cambio {{ changeOrderNumber }} de {{ businessName }}")
        }
        (TemplateKindName::ChangeOrderSigned, Language::En) => Some("Signed: change order {{ changeOrderNumber }}"),
        (TemplateKindName::ChangeOrderSigned, Language::Es) => Some("Firmada: orden de cambio {{ changeOrderNumber }}"),
        (TemplateKindName::InvoiceEmail, Language::En) => Some("Invoice {{ invoiceNumber }} from {{ businessName }}"),
        (TemplateKindName::InvoiceEmail, Language::Es) => Some("Factura {{ invoiceNumber }} de {{ businessName }}"),
        (TemplateKindName::BookingQuestionEmail, Language::En) => Some("Keep your visit with {{ businessName }}"),
        (TemplateKindName::BookingQuestionEmail, Language::Es) => Some("Confirme su visita con {{ businessName }}"),
        _ => None,
    }
}

impl TemplateKindName {
    #[must_use]
    pub fn default_wording(self) -> TemplateWording {
        default_wording(self, Language::En)
    }
}
