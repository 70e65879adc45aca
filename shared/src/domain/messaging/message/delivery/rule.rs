//! The rule of reports: what each moves, whatever order they come in.

use crate::domain::messaging::message::Status;

/// What a report says, as far as it matters to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    /// The provider has it.
    Accepted,
    Delivered,
    NotDelivered,
}

pub(super) fn says(status: &str) -> Option<Says> {
    match status {
        "accepted" | "scheduled" | "queued" | "sending" | "sent" => Some(Says::Accepted),
        "delivered" | "read" => Some(Says::Delivered),
        "undelivered" | "failed" | "canceled" => Some(Says::NotDelivered),
        _ => None,
    }
}

/// Which of our tries a report is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// The one that the message stands by.
    This,
    /// One before it, whose end is known.
    Earlier,
    /// One whose acceptance we did not know of.
    Unheard,
}

/// The state after a report, or none when the report changes nothing.
///
/// An arrival is believed of whichever try, so that nothing is repeated that a person already has. What the provider
/// merely took, or lost, counts only for the try that it is about.
pub(super) fn next(now: Status, says: Says, about: About) -> Option<Status> {
    use Status::{Delivered, Failed, Held, NotSent, Queued, Sent, Unknown};
    match (says, now, about) {
        (Says::Delivered, Sent | Unknown | Queued | Held, _) | (Says::Delivered, NotSent | Failed, About::Unheard) => {
            Some(Delivered)
        }
        (Says::Accepted, Unknown | Queued | Held | NotSent | Failed, About::Unheard) => Some(Sent),
        (Says::NotDelivered, Sent, About::This) | (Says::NotDelivered, Unknown, About::Unheard) => Some(Failed),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORTS: [&str; 4] = ["queued", "sending", "sent", "delivered"];

    fn after(mut status: Status, about: About, reports: &[&str]) -> Status {
        let mut about = about;
        for report in reports {
            if let Some(then) = says(report).and_then(|says| next(status, says, about)) {
                (status, about) = (then, About::This);
            }
        }
        status
    }

    #[test]
    fn reports_in_every_order_end_in_the_same_state() {
        let mut orders = 0;
        for a in 0..4 {
            for b in 0..4 {
                for c in 0..4 {
                    let d = 6_usize.wrapping_sub(a + b + c);
                    let order = [a, b, c, d];
                    if (0..4).all(|i| order.contains(&i)) {
                        let reports = order.map(|i| REPORTS[i]);
                        assert_eq!(after(Status::Sent, About::This, &reports), Status::Delivered, "{reports:?}");
                        assert_eq!(after(Status::Unknown, About::Unheard, &reports), Status::Delivered, "{reports:?}");
                        orders += 1;
                    }
                }
            }
        }
        assert_eq!(orders, 24);
    }

    #[test]
    fn a_report_is_the_evidence_that_settles_a_doubt() {
        assert_eq!(after(Status::Unknown, About::Unheard, &["queued"]), Status::Sent);
        assert_eq!(after(Status::Unknown, About::Unheard, &["undelivered"]), Status::Failed);
    }

    #[test]
    fn what_was_to_be_sent_once_more_is_not_when_the_first_try_shows_up_after_all() {
        for waiting in [Status::Queued, Status::Held, Status::NotSent, Status::Failed] {
            assert_eq!(after(waiting, About::Unheard, &["sent"]), Status::Sent, "{waiting:?}");
            assert_eq!(after(waiting, About::Unheard, &["delivered"]), Status::Delivered, "{waiting:?}");
            assert_eq!(after(waiting, About::Unheard, &["undelivered"]), waiting);
        }
    }

    #[test]
    fn late_words_about_an_earlier_try_neither_stop_nor_fail_the_next() {
        for now in [Status::Queued, Status::Held, Status::Sent, Status::Unknown] {
            assert_eq!(after(now, About::Earlier, &["queued", "sent", "undelivered"]), now, "{now:?}");
            assert_eq!(after(now, About::Earlier, &["delivered"]), Status::Delivered, "{now:?}");
        }
    }

    #[test]
    fn nothing_moves_back() {
        for end in [Status::Delivered, Status::Failed, Status::NotSent, Status::Filed] {
            let reports = ["queued", "sent", "delivered", "undelivered", "nonsense"];
            assert_eq!(after(end, About::This, &reports), end);
        }
    }
}
