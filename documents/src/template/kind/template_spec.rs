//! Fixed properties of each wording: editor, channel and allowed variables.

use super::{MessageClass, TemplateAudience, TemplateChannel, TemplateKindName, answers, document_kinds, team, visits};
use crate::template::variables::WordingVariable;

pub(super) struct TemplateKindSpec {
    /// Lets a test compare the table with the enum.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the test of the table"))]
    pub(super) kind: TemplateKindName,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    pub(super) editor: TemplateKindName,
    pub(super) channel: TemplateChannel,
    pub(super) audience: TemplateAudience,
    pub(super) class: MessageClass,
    pub(super) first: bool,
    pub(super) variables: &'static [WordingVariable],
}

pub(super) const fn answer_spec(
    kind: TemplateKindName,
    editor: TemplateKindName,
    title: &'static str,
    description: &'static str,
    variables: &'static [WordingVariable],
) -> TemplateKindSpec {
    TemplateKindSpec {
        kind,
        title,
        description,
        editor,
        channel: TemplateChannel::Sms,
        audience: TemplateAudience::Customer,
        class: MessageClass::Conversational,
        first: true,
        variables,
    }
}

pub(super) fn kind_spec(kind: TemplateKindName) -> &'static TemplateKindSpec {
    match kind {
        TemplateKindName::Sms => &answers::SMS,
        TemplateKindName::MissedCall => &answers::MISSED_CALL,
        TemplateKindName::Email => &answers::EMAIL,
        TemplateKindName::Employee => &team::EMPLOYEE,
        TemplateKindName::UnpaidInvoice => &document_kinds::UNPAID_INVOICE,
        TemplateKindName::ReviewRequest => &document_kinds::REVIEW_REQUEST,
        TemplateKindName::MissedCallAfterHours => &answers::MISSED_CALL_AFTER_HOURS,
        TemplateKindName::MissedCallHoliday => &answers::MISSED_CALL_HOLIDAY,
        TemplateKindName::MissedCallEmergency => &answers::MISSED_CALL_EMERGENCY,
        TemplateKindName::MissedCallJobToday => &answers::MISSED_CALL_JOB_TODAY,
        TemplateKindName::MissedCallNudge => &answers::MISSED_CALL_NUDGE,
        TemplateKindName::TextReply => &answers::TEXT_REPLY,
        TemplateKindName::TextReplyAfterHours => &answers::TEXT_REPLY_AFTER_HOURS,
        TemplateKindName::TextReplyEmergency => &answers::TEXT_REPLY_EMERGENCY,
        TemplateKindName::HelpReply => &answers::HELP_REPLY,
        TemplateKindName::StopConfirmation => &answers::STOP_CONFIRMATION,
        TemplateKindName::OwnerAlert => &team::OWNER_ALERT,
        TemplateKindName::OwnerDigest => &team::OWNER_DIGEST,
        TemplateKindName::EstimateText => &document_kinds::ESTIMATE_TEXT,
        TemplateKindName::EstimateEmail => &document_kinds::ESTIMATE_EMAIL,
        TemplateKindName::EstimateFollowUp => &document_kinds::ESTIMATE_FOLLOW_UP,
        TemplateKindName::Receipt => &document_kinds::RECEIPT,
        TemplateKindName::EstimateSigned => &document_kinds::ESTIMATE_SIGNED,
        TemplateKindName::InvoiceText => &document_kinds::INVOICE_TEXT,
        TemplateKindName::InvoiceEmail => &document_kinds::INVOICE_EMAIL,
        TemplateKindName::InvoiceDueSoon => &document_kinds::INVOICE_DUE_SOON,
        TemplateKindName::VisitBooked => &visits::VISIT_BOOKED,
        TemplateKindName::VisitMoved => &visits::VISIT_MOVED,
        TemplateKindName::VisitCancelled => &visits::VISIT_CANCELLED,
        TemplateKindName::VisitDayBefore => &visits::VISIT_DAY_BEFORE,
        TemplateKindName::VisitHourBefore => &visits::VISIT_HOUR_BEFORE,
        TemplateKindName::VisitOnTheWay => &visits::VISIT_ON_THE_WAY,
        TemplateKindName::VisitLate => &visits::VISIT_LATE,
        TemplateKindName::VisitDone => &visits::VISIT_DONE,
        TemplateKindName::PaymentFailed => &document_kinds::PAYMENT_FAILED,
        TemplateKindName::ChangeOrderText => &document_kinds::CHANGE_ORDER_TEXT,
        TemplateKindName::ChangeOrderEmail => &document_kinds::CHANGE_ORDER_EMAIL,
        TemplateKindName::ChangeOrderFollowUp => &document_kinds::CHANGE_ORDER_FOLLOW_UP,
        TemplateKindName::ChangeOrderSigned => &document_kinds::CHANGE_ORDER_SIGNED,
        TemplateKindName::ReviewFollowUp => &document_kinds::REVIEW_FOLLOW_UP,
        TemplateKindName::ReviewReply => &document_kinds::REVIEW_REPLY,
        TemplateKindName::BookingQuestion => &visits::BOOKING_QUESTION,
        TemplateKindName::BookingQuestionEmail => &visits::BOOKING_QUESTION_EMAIL,
    }
}
