//! What is fixed about each wording: where it stands, where it goes, and which words in braces it may use.

use super::{Audience, Channel, Kind, MessageClass, answers, papers, team, visits};
use crate::documents::template::variables::Variable;

/// What is fixed about one wording.
pub(super) struct About {
    /// Only to hold the table to the enum.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the test of the table"))]
    pub(super) kind: Kind,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    pub(super) editor: Kind,
    pub(super) channel: Channel,
    pub(super) audience: Audience,
    pub(super) class: MessageClass,
    pub(super) first: bool,
    pub(super) variables: &'static [Variable],
}

/// A first answer by text to a person who rang or wrote.
pub(super) const fn answer(
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

/// The entry of one wording in the table of its family.
pub(super) fn about(kind: Kind) -> &'static About {
    match kind {
        Kind::Sms => &answers::SMS,
        Kind::MissedCall => &answers::MISSED_CALL,
        Kind::Email => &answers::EMAIL,
        Kind::Employee => &team::EMPLOYEE,
        Kind::UnpaidInvoice => &papers::UNPAID_INVOICE,
        Kind::ReviewRequest => &papers::REVIEW_REQUEST,
        Kind::MissedCallAfterHours => &answers::MISSED_CALL_AFTER_HOURS,
        Kind::MissedCallHoliday => &answers::MISSED_CALL_HOLIDAY,
        Kind::MissedCallEmergency => &answers::MISSED_CALL_EMERGENCY,
        Kind::MissedCallJobToday => &answers::MISSED_CALL_JOB_TODAY,
        Kind::MissedCallNudge => &answers::MISSED_CALL_NUDGE,
        Kind::TextReply => &answers::TEXT_REPLY,
        Kind::TextReplyAfterHours => &answers::TEXT_REPLY_AFTER_HOURS,
        Kind::TextReplyEmergency => &answers::TEXT_REPLY_EMERGENCY,
        Kind::HelpReply => &answers::HELP_REPLY,
        Kind::StopConfirmation => &answers::STOP_CONFIRMATION,
        Kind::OwnerAlert => &team::OWNER_ALERT,
        Kind::OwnerDigest => &team::OWNER_DIGEST,
        Kind::EstimateText => &papers::ESTIMATE_TEXT,
        Kind::EstimateEmail => &papers::ESTIMATE_EMAIL,
        Kind::EstimateFollowUp => &papers::ESTIMATE_FOLLOW_UP,
        Kind::Receipt => &papers::RECEIPT,
        Kind::EstimateSigned => &papers::ESTIMATE_SIGNED,
        Kind::InvoiceText => &papers::INVOICE_TEXT,
        Kind::InvoiceEmail => &papers::INVOICE_EMAIL,
        Kind::InvoiceDueSoon => &papers::INVOICE_DUE_SOON,
        Kind::VisitBooked => &visits::VISIT_BOOKED,
        Kind::VisitMoved => &visits::VISIT_MOVED,
        Kind::VisitCancelled => &visits::VISIT_CANCELLED,
        Kind::VisitDayBefore => &visits::VISIT_DAY_BEFORE,
        Kind::VisitHourBefore => &visits::VISIT_HOUR_BEFORE,
        Kind::VisitOnTheWay => &visits::VISIT_ON_THE_WAY,
        Kind::VisitLate => &visits::VISIT_LATE,
        Kind::VisitDone => &visits::VISIT_DONE,
        Kind::PaymentFailed => &papers::PAYMENT_FAILED,
        Kind::ChangeOrderText => &papers::CHANGE_ORDER_TEXT,
        Kind::ChangeOrderEmail => &papers::CHANGE_ORDER_EMAIL,
        Kind::ChangeOrderFollowUp => &papers::CHANGE_ORDER_FOLLOW_UP,
        Kind::ChangeOrderSigned => &papers::CHANGE_ORDER_SIGNED,
        Kind::ReviewFollowUp => &papers::REVIEW_FOLLOW_UP,
        Kind::ReviewReply => &papers::REVIEW_REPLY,
        Kind::BookingQuestion => &visits::BOOKING_QUESTION,
        Kind::BookingQuestionEmail => &visits::BOOKING_QUESTION_EMAIL,
    }
}
