//! Fixed properties of each wording: editor, channel and allowed variables.

use super::{MessageClass, TemplateAudience, TemplateChannel, TemplateKindName, answers, papers, team, visits};
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
        TemplateKindName::UnpaidInvoice => &papers::UNPAID_INVOICE,
        TemplateKindName::ReviewRequest => &papers::REVIEW_REQUEST,
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
        TemplateKindName::EstimateText => &papers::ESTIMATE_TEXT,
        TemplateKindName::EstimateEmail => &papers::ESTIMATE_EMAIL,
        TemplateKindName::EstimateFollowUp => &papers::ESTIMATE_FOLLOW_UP,
        TemplateKindName::Receipt => &papers::RECEIPT,
        TemplateKindName::EstimateSigned => &papers::ESTIMATE_SIGNED,
        TemplateKindName::InvoiceText => &papers::INVOICE_TEXT,
        TemplateKindName::InvoiceEmail => &papers::INVOICE_EMAIL,
        TemplateKindName::InvoiceDueSoon => &papers::INVOICE_DUE_SOON,
        TemplateKindName::VisitBooked => &visits::VISIT_BOOKED,
        TemplateKindName::VisitMoved => &visits::VISIT_MOVED,
        TemplateKindName::VisitCancelled => &visits::VISIT_CANCELLED,
        TemplateKindName::VisitDayBefore => &visits::VISIT_DAY_BEFORE,
        TemplateKindName::VisitHourBefore => &visits::VISIT_HOUR_BEFORE,
        TemplateKindName::VisitOnTheWay => &visits::VISIT_ON_THE_WAY,
        TemplateKindName::VisitLate => &visits::VISIT_LATE,
        TemplateKindName::VisitDone => &visits::VISIT_DONE,
        TemplateKindName::PaymentFailed => &papers::PAYMENT_FAILED,
        TemplateKindName::ChangeOrderText => &papers::CHANGE_ORDER_TEXT,
        TemplateKindName::ChangeOrderEmail => &papers::CHANGE_ORDER_EMAIL,
        TemplateKindName::ChangeOrderFollowUp => &papers::CHANGE_ORDER_FOLLOW_UP,
        TemplateKindName::ChangeOrderSigned => &papers::CHANGE_ORDER_SIGNED,
        TemplateKindName::ReviewFollowUp => &papers::REVIEW_FOLLOW_UP,
        TemplateKindName::ReviewReply => &papers::REVIEW_REPLY,
        TemplateKindName::BookingQuestion => &visits::BOOKING_QUESTION,
        TemplateKindName::BookingQuestionEmail => &visits::BOOKING_QUESTION_EMAIL,
    }
}
