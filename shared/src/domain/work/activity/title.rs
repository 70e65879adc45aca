//! How an event is called on the timeline.

use serde_json::Value;

use super::EventKind;

/// "Moved from New to Quoted", "Estimate sent".
pub(super) fn of(kind: EventKind, detail: &Value) -> String {
    let told = |name: &str| detail[name].as_str().filter(|text| !text.is_empty());
    if let Some(told) = of_visit(kind, detail) {
        return format!("Customer {told}");
    }
    match (kind, told("from"), told("to")) {
        (EventKind::StageChanged, Some(from), Some(to)) => format!("Moved from {from} to {to}"),
        (EventKind::OwnerChanged, _, Some(to)) => format!("Given to {to}"),
        (EventKind::OwnerChanged, Some(from), None) => format!("Taken from {from}"),
        // No way was open, or none was asked for.
        (EventKind::EstimateSent, ..) if detail["channels"].as_array().is_some_and(Vec::is_empty) => {
            "Estimate made, not sent".to_owned()
        }
        (EventKind::ChangeOrderSent, ..) if detail["channels"].as_array().is_some_and(Vec::is_empty) => {
            "Change order made, not sent".to_owned()
        }
        (EventKind::InvoiceSent, ..) if detail["channels"].as_array().is_some_and(Vec::is_empty) => {
            "Invoice issued, not sent".to_owned()
        }
        (EventKind::PromiseBroken, ..) if told("within").is_some() => {
            format!("Promise broken: nobody answered {}", told("within").unwrap_or_default())
        }
        (EventKind::PhotoRefused, ..) if told("name").is_some() => {
            format!("Photo “{}” {}", told("name").unwrap_or_default(), told("why").unwrap_or("could not be kept"))
        }
        (EventKind::RefundSettled, ..) if detail["outcome"] == "refunded" => "Refund marked as refunded".to_owned(),
        (EventKind::RefundSettled, ..) if detail["outcome"] == "not_refunded" => {
            "Refund marked as not refunded".to_owned()
        }
        (EventKind::InvoiceMade, ..) if detail["number"].is_null() => "Draft of an invoice made".to_owned(),
        _ => plain(kind).to_owned(),
    }
}

/// What the customer was told of a visit; none of other events.
pub(super) fn of_visit(kind: EventKind, detail: &Value) -> Option<&'static str> {
    if kind != EventKind::ReminderSent || detail["about"] != "job" {
        return None;
    }
    Some(match detail["step"].as_str()? {
        "booked" => "told of the visit",
        "moved" => "told of the new time",
        "cancelled" => "told that the visit is off",
        _ => "reminded of the visit",
    })
}

fn plain(kind: EventKind) -> &'static str {
    match kind {
        EventKind::StageChanged => "Moved to another stage",
        EventKind::OwnerChanged => "Given to somebody else",
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
        EventKind::InvoiceMade => "Invoice made",
        EventKind::InvoiceSent => "Invoice sent",
        EventKind::InvoiceAsked => "Question about the invoice",
        EventKind::InvoiceViewed => "Invoice opened by the customer",
        EventKind::InvoiceVoided => "Invoice voided",
        EventKind::PaymentRecorded => "Payment recorded",
        EventKind::PaymentFailed => "Card payment failed",
        EventKind::PaymentUndone => "Payment taken back",
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
        EventKind::AnswerWaived => "No answer wanted any more",
        EventKind::PromiseBroken => "Promise broken: nobody answered in time",
        EventKind::PhotoRefused => "Photo could not be kept",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_move_names_both_stages() {
        let detail = json!({"from": "New", "to": "Quoted", "cause": "estimate_sent"});
        assert_eq!(of(EventKind::StageChanged, &detail), "Moved from New to Quoted");
        assert_eq!(of(EventKind::StageChanged, &json!({})), "Moved to another stage");
        assert_eq!(of(EventKind::Completed, &detail), "Work completed");
    }

    #[test]
    fn an_owner_is_named() {
        assert_eq!(of(EventKind::OwnerChanged, &json!({"from": "Sam", "to": "Dave"})), "Given to Dave");
        assert_eq!(of(EventKind::OwnerChanged, &json!({"from": "Sam", "to": null})), "Taken from Sam");
    }

    #[test]
    fn photo_refused_names_the_file_and_the_reason() {
        let detail = json!({"name": "leak.jpg", "why": "is damaged and cannot be read"});
        assert_eq!(of(EventKind::PhotoRefused, &detail), "Photo “leak.jpg” is damaged and cannot be read");
        assert_eq!(of(EventKind::PhotoRefused, &json!({})), "Photo could not be kept");
    }

    #[test]
    fn a_broken_promise_names_its_length() {
        let detail = json!({"words": "2 hours", "within": "within 2 hours (“2 hours”)"});
        let title = of(EventKind::PromiseBroken, &detail);
        assert_eq!(title, "Promise broken: nobody answered within 2 hours (“2 hours”)");
        assert_eq!(of(EventKind::PromiseBroken, &json!({})), "Promise broken: nobody answered in time");
    }

    #[test]
    fn a_refund_in_doubt_names_what_was_said() {
        let title = |outcome: &str| of(EventKind::RefundSettled, &json!({"outcome": outcome}));
        assert_eq!(title("refunded"), "Refund marked as refunded");
        assert_eq!(title("not_refunded"), "Refund marked as not refunded");
        assert_eq!(of(EventKind::RefundSettled, &json!({})), "Refund in doubt settled");
    }

    #[test]
    fn an_estimate_that_left_by_no_way_was_not_sent() {
        assert_eq!(of(EventKind::EstimateSent, &json!({"channels": []})), "Estimate made, not sent");
        assert_eq!(of(EventKind::EstimateSent, &json!({"channels": ["email"]})), "Estimate sent");
    }
}
