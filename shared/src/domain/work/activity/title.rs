//! Titles of timeline events.

use serde_json::Value;

use super::message_status;
use crate::domain::{
    messaging::followup::{FollowUpSubject, StepSentDetail},
    tenancy::activity_log::{
        BrokenPromise, EventKind, OwnerChange, RefundOutcome, RefusedPhoto, SendingDetail, SettledRefund, read_detail,
    },
    work::{pipeline::StageMove, visit::VisitNoticeKind},
};

pub(super) fn event_title(kind: EventKind, detail: &Value) -> String {
    if let Some(title) = visit_notice_title(kind, detail) {
        return format!("Customer {title}");
    }
    let title = match kind {
        EventKind::StageChanged => {
            read_detail(detail).map(|StageMove { from, to }| format!("Moved from {from} to {to}"))
        }
        EventKind::OwnerChanged => read_detail(detail).and_then(owner_title),
        EventKind::EstimateSent | EventKind::ChangeOrderSent | EventKind::InvoiceSent => {
            is_unsent(detail).then(|| message_status::unsent_title(kind, false).to_owned())
        }
        EventKind::PromiseBroken => read_detail(detail).and_then(promise_title),
        EventKind::PhotoRefused => read_detail(detail).and_then(photo_title),
        EventKind::RefundSettled => {
            read_detail(detail).map(|settled: SettledRefund| refund_title(settled.outcome).to_owned())
        }
        _ => None,
    };
    title.unwrap_or_else(|| default_title(kind).to_owned())
}

/// No channel was open or requested.
fn is_unsent(detail: &Value) -> bool {
    read_detail::<SendingDetail>(detail).and_then(|sending| sending.channels).is_some_and(|ways| ways.is_empty())
}

fn owner_title(change: OwnerChange) -> Option<String> {
    let named = |name: Option<String>| name.filter(|name| !name.is_empty());
    match (named(change.from), named(change.to)) {
        (_, Some(to)) => Some(format!("Given to {to}")),
        (Some(from), None) => Some(format!("Taken from {from}")),
        (None, None) => None,
    }
}

fn promise_title(BrokenPromise { within, .. }: BrokenPromise) -> Option<String> {
    (!within.is_empty()).then(|| format!("Promise broken: no one answered {within}"))
}

fn photo_title(RefusedPhoto { name, why }: RefusedPhoto) -> Option<String> {
    let why = if why.is_empty() { "could not be kept" } else { &why };
    (!name.is_empty()).then(|| format!("Photo “{name}” {why}"))
}

fn refund_title(outcome: RefundOutcome) -> &'static str {
    match outcome {
        RefundOutcome::Refunded => "Refund marked as refunded",
        RefundOutcome::NotRefunded => "Refund marked as not refunded",
    }
}

pub(super) fn visit_notice_title(kind: EventKind, detail: &Value) -> Option<&'static str> {
    let sent: StepSentDetail = read_detail(detail).filter(|_| kind == EventKind::ReminderSent)?;
    if sent.about != FollowUpSubject::Job {
        return None;
    }
    Some(match VisitNoticeKind::from_step(&sent.step) {
        Some(VisitNoticeKind::Booked) => "told of the visit",
        Some(VisitNoticeKind::Moved) => "told of the new time",
        Some(VisitNoticeKind::Cancelled) => "told that the visit is off",
        Some(VisitNoticeKind::DayBefore | VisitNoticeKind::HourBefore) | None => "reminded of the visit",
    })
}

fn default_title(kind: EventKind) -> &'static str {
    match kind {
        EventKind::StageChanged => "Moved to another stage",
        EventKind::OwnerChanged => "Given to someone else",
        EventKind::EstimateSent => "Estimate sent",
        EventKind::EstimateViewed => "Estimate opened by the customer",
        EventKind::EstimateApproved => "Estimate approved",
        EventKind::EstimateDeclined => "Estimate declined",
        EventKind::EstimateAsked => "Question about the estimate",
        EventKind::EstimateReplaced => "Estimate replaced by a newer version",
        EventKind::EstimateWithdrawn => "Estimate withdrawn",
        EventKind::JobCreated => "Job created",
        EventKind::JobScheduled => "Job scheduled",
        EventKind::JobMoved => "Job moved",
        EventKind::JobUnscheduled => "Job taken off the schedule",
        EventKind::JobAssigned => "Crew changed",
        EventKind::JobEdited => "Job changed",
        EventKind::OnMyWay => "Crew on the way",
        EventKind::RunningLate => "Crew running late",
        EventKind::Started => "Work started",
        EventKind::Stopped => "Not started after all",
        EventKind::FilesAdded => "Files added",
        EventKind::Checked => "Checklist changed",
        EventKind::NoteAdded => "Note added",
        EventKind::Completed => "Work completed",
        EventKind::Reopened => "Job opened again",
        EventKind::Cancelled => "Job cancelled",
        EventKind::Restored => "Job restored",
        EventKind::VisitConfirmed => "Visit confirmed by the customer",
        EventKind::Booked => "Visit booked by the customer",
        EventKind::MovedByCustomer => "Visit moved by the customer",
        EventKind::CancelledByCustomer => "Visit cancelled by the customer",
        EventKind::InvoiceMade => "Draft of an invoice made",
        EventKind::InvoiceSent => "Invoice sent",
        EventKind::InvoiceAsked => "Question about the invoice",
        EventKind::InvoiceViewed => "Invoice opened by the customer",
        EventKind::InvoiceVoided => "Invoice voided",
        EventKind::PaymentRecorded => "Payment recorded",
        EventKind::PaymentFailed => "Card payment failed",
        EventKind::PaymentUndone => "Payment undone",
        EventKind::Refunded => "Refunded",
        EventKind::RefundSettled => "Refund in doubt settled",
        EventKind::WrittenOff => "Rest written off",
        EventKind::PromiseSet => "Promise to pay changed",
        EventKind::DisputeSet => "Dispute changed",
        EventKind::ReminderSent => "Reminder sent",
        EventKind::CustomersMerged => "Customer records merged",
        EventKind::ChangeOrderSent => "Change order sent",
        EventKind::ChangeOrderViewed => "Change order opened by the customer",
        EventKind::ChangeOrderApproved => "Change order approved",
        EventKind::ChangeOrderDeclined => "Change order declined",
        EventKind::ChangeOrderAsked => "Question about the change order",
        EventKind::ChangeOrderReplaced => "Change order replaced by a newer version",
        EventKind::ChangeOrderWithdrawn => "Change order withdrawn",
        EventKind::ReviewAsked => "Asked for a review",
        EventKind::ReviewReceived => "Review received",
        EventKind::Answered => "Answered outside of Toolbox",
        EventKind::AnswerWaived => "No answer needed",
        EventKind::PromiseBroken => "Promise broken: no one answered in time",
        EventKind::PhotoRefused => "Photo could not be kept",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn stage_change_title_names_both_stages() {
        let detail = json!({"from": "New", "to": "Quoted", "cause": "estimate_sent"});
        assert_eq!(event_title(EventKind::StageChanged, &detail), "Moved from New to Quoted");
        assert_eq!(event_title(EventKind::StageChanged, &json!({})), "Moved to another stage");
        assert_eq!(event_title(EventKind::Completed, &detail), "Work completed");
    }

    #[test]
    fn owner_change_title_names_the_owner() {
        assert_eq!(event_title(EventKind::OwnerChanged, &json!({"from": "Sam", "to": "Dave"})), "Given to Dave");
        assert_eq!(event_title(EventKind::OwnerChanged, &json!({"from": "Sam", "to": null})), "Taken from Sam");
    }

    #[test]
    fn refused_photo_title_names_file_and_reason() {
        let detail = json!({"name": "leak.jpg", "why": "is damaged and cannot be read"});
        assert_eq!(event_title(EventKind::PhotoRefused, &detail), "Photo “leak.jpg” is damaged and cannot be read");
        assert_eq!(event_title(EventKind::PhotoRefused, &json!({})), "Photo could not be kept");
    }

    #[test]
    fn broken_promise_title_names_its_length() {
        let detail = json!({"words": "2 hours", "within": "within 2 hours (“2 hours”)"});
        let title = event_title(EventKind::PromiseBroken, &detail);
        assert_eq!(title, "Promise broken: no one answered within 2 hours (“2 hours”)");
        assert_eq!(event_title(EventKind::PromiseBroken, &json!({})), "Promise broken: no one answered in time");
    }

    #[test]
    fn settled_refund_title_names_the_outcome() {
        let title = |outcome: &str| {
            event_title(EventKind::RefundSettled, &json!({"amount": 125, "outcome": outcome, "note": null}))
        };
        assert_eq!(title("refunded"), "Refund marked as refunded");
        assert_eq!(title("not_refunded"), "Refund marked as not refunded");
        assert_eq!(event_title(EventKind::RefundSettled, &json!({})), "Refund in doubt settled");
    }

    #[test]
    fn estimate_without_channel_is_titled_not_sent() {
        assert_eq!(event_title(EventKind::EstimateSent, &json!({"channels": []})), "Estimate made, not sent");
        assert_eq!(event_title(EventKind::EstimateSent, &json!({"channels": ["email"]})), "Estimate sent");
    }
}
