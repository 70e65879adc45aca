//! Effect of a report on its message, for any order of reports.

use crate::domain::messaging::message::MessageStatus;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReportedState {
    Accepted,
    Delivered,
    NotDelivered,
}

pub(super) fn parse_twilio_status(status: &str) -> Option<ReportedState> {
    match status {
        "accepted" | "scheduled" | "queued" | "sending" | "sent" => Some(ReportedState::Accepted),
        "delivered" | "read" => Some(ReportedState::Delivered),
        "undelivered" | "failed" | "canceled" => Some(ReportedState::NotDelivered),
        _ => None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReportedAttempt {
    This,
    /// An earlier one with a known end.
    Earlier,
    /// One whose acceptance was not known.
    Unheard,
}

/// The state after a report; none when it changes nothing. A delivery counts for any attempt, so that a message that
/// arrived is not repeated. Acceptance and loss count only for the attempt that they are about.
pub(super) fn next_status(now: MessageStatus, says: ReportedState, about: ReportedAttempt) -> Option<MessageStatus> {
    use MessageStatus::{Delivered, Failed, Held, NotSent, Queued, Sent, Unknown};
    match (says, now, about) {
        (ReportedState::Delivered, Sent | Unknown | Queued | Held, _)
        | (ReportedState::Delivered, NotSent | Failed, ReportedAttempt::Unheard) => Some(Delivered),
        (ReportedState::Accepted, Unknown | Queued | Held | NotSent | Failed, ReportedAttempt::Unheard) => Some(Sent),
        (ReportedState::NotDelivered, Sent, ReportedAttempt::This)
        | (ReportedState::NotDelivered, Unknown, ReportedAttempt::Unheard) => Some(Failed),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORTS: [&str; 4] = ["queued", "sending", "sent", "delivered"];

    fn after(mut status: MessageStatus, about: ReportedAttempt, reports: &[&str]) -> MessageStatus {
        let mut about = about;
        for report in reports {
            if let Some(then) = parse_twilio_status(report).and_then(|says| next_status(status, says, about)) {
                (status, about) = (then, ReportedAttempt::This);
            }
        }
        status
    }

    #[test]
    fn delivery_reports_in_any_order_end_in_same_state() {
        let mut orders = 0;
        for a in 0..4 {
            for b in 0..4 {
                for c in 0..4 {
                    let d = 6_usize.wrapping_sub(a + b + c);
                    let order = [a, b, c, d];
                    if (0..4).all(|i| order.contains(&i)) {
                        let reports = order.map(|i| REPORTS[i]);
                        assert_eq!(
                            after(MessageStatus::Sent, ReportedAttempt::This, &reports),
                            MessageStatus::Delivered,
                            "{reports:?}"
                        );
                        assert_eq!(
                            after(MessageStatus::Unknown, ReportedAttempt::Unheard, &reports),
                            MessageStatus::Delivered,
                            "{reports:?}"
                        );
                        orders += 1;
                    }
                }
            }
        }
        assert_eq!(orders, 24);
    }

    #[test]
    fn report_resolves_unknown_status() {
        assert_eq!(after(MessageStatus::Unknown, ReportedAttempt::Unheard, &["queued"]), MessageStatus::Sent);
        assert_eq!(after(MessageStatus::Unknown, ReportedAttempt::Unheard, &["undelivered"]), MessageStatus::Failed);
    }

    #[test]
    fn sent_report_of_first_try_replaces_pending_retry() {
        for waiting in [MessageStatus::Queued, MessageStatus::Held, MessageStatus::NotSent, MessageStatus::Failed] {
            assert_eq!(after(waiting, ReportedAttempt::Unheard, &["sent"]), MessageStatus::Sent, "{waiting:?}");
            assert_eq!(
                after(waiting, ReportedAttempt::Unheard, &["delivered"]),
                MessageStatus::Delivered,
                "{waiting:?}"
            );
            assert_eq!(after(waiting, ReportedAttempt::Unheard, &["undelivered"]), waiting);
        }
    }

    #[test]
    fn late_report_of_earlier_try_changes_status_only_when_delivered() {
        for now in [MessageStatus::Queued, MessageStatus::Held, MessageStatus::Sent, MessageStatus::Unknown] {
            assert_eq!(after(now, ReportedAttempt::Earlier, &["queued", "sent", "undelivered"]), now, "{now:?}");
            assert_eq!(after(now, ReportedAttempt::Earlier, &["delivered"]), MessageStatus::Delivered, "{now:?}");
        }
    }

    #[test]
    fn final_status_never_changes() {
        for end in [MessageStatus::Delivered, MessageStatus::Failed, MessageStatus::NotSent, MessageStatus::Filed] {
            let reports = ["queued", "sent", "delivered", "undelivered", "nonsense"];
            assert_eq!(after(end, ReportedAttempt::This, &reports), end);
        }
    }
}
