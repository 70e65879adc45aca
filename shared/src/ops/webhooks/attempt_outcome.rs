//! Retry plan of a call, and when an address is turned off.

use chrono::{DateTime, Duration, Utc};

use crate::platform::{
    clock::Entropy,
    outbound::{OutboundError, OutboundResponse},
};

/// Pauses after the first, second … try, in seconds: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h (trust §1, Svix).
const RETRY_DELAYS_SECS: [i64; 7] = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];
/// An address at which nothing was taken for this long is turned off.
pub(super) const DISABLE_AFTER: Duration = Duration::days(5);
/// The receiver wants no more calls.
const HTTP_GONE: u16 = 410;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AttemptOutcome {
    Delivered,
    /// Retried, not before then.
    RetryAt(DateTime<Utc>),
    /// Not retried; with `Disable` nothing else is sent there either.
    Failed,
    Disable(&'static str),
}

/// `number` counts from one; an `is_test` call is tried once only.
pub(super) fn classify_attempt(
    answer: &Result<OutboundResponse, OutboundError>,
    number: i64,
    is_test: bool,
    now: DateTime<Utc>,
    entropy: &Entropy,
) -> AttemptOutcome {
    let after = match answer {
        Ok(answer) if answer.is_success() => return AttemptOutcome::Delivered,
        Ok(OutboundResponse { status: HTTP_GONE, .. }) if !is_test => {
            return AttemptOutcome::Disable("it answered that it is gone (HTTP 410)");
        }
        Ok(answer) => answer.after.and_then(|wait| Duration::from_std(wait).ok()),
        // The same address would be refused again.
        Err(OutboundError::Refused(_)) => {
            return AttemptOutcome::Failed;
        }
        Err(_) => None,
    };
    let pause = usize::try_from(number - 1).ok().and_then(|at| RETRY_DELAYS_SECS.get(at)).filter(|_| !is_test);
    match pause {
        Some(seconds) => AttemptOutcome::RetryAt(now + with_jitter(*seconds, entropy).max(after.unwrap_or_default())),
        None => AttemptOutcome::Failed,
    }
}

/// Plus or minus a fifth, so that calls that failed together are not retried together.
fn with_jitter(seconds: i64, entropy: &Entropy) -> Duration {
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "at most 43 million ms")]
    let millis = (seconds as f64 * 1000.0 * (0.8 + 0.4 * entropy.random_fraction())) as i64;
    Duration::milliseconds(millis)
}

/// Text for the log of the address. Only the status of the answer is kept.
pub(super) fn describe_outcome(answer: &Result<OutboundResponse, OutboundError>) -> String {
    match answer {
        Ok(answer) if answer.is_success() => "taken".to_owned(),
        Ok(answer) if (300..400).contains(&answer.status) => {
            format!("it leads elsewhere (HTTP {}), and redirects are not followed", answer.status)
        }
        Ok(answer) => format!("it answered HTTP {}", answer.status),
        Err(none) => none.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration as StdDuration;

    use super::*;
    use crate::platform::outbound::AddressError;

    fn answer(status: u16, after: Option<u64>) -> OutboundResponse {
        OutboundResponse { status, after: after.map(StdDuration::from_secs), took: StdDuration::ZERO }
    }

    fn judged(answer: &Result<OutboundResponse, OutboundError>, number: i64, is_test: bool) -> AttemptOutcome {
        classify_attempt(answer, number, is_test, DateTime::UNIX_EPOCH, &Entropy::from_seed(1))
    }

    #[test]
    fn retries_stop_after_eight_attempts_over_more_than_20_hours() {
        let mut all = Duration::zero();
        for (number, seconds) in (1..).zip(RETRY_DELAYS_SECS) {
            let AttemptOutcome::RetryAt(at) = judged(&Ok(answer(500, None)), number, false) else { panic!("{number}") };
            let pause = at - DateTime::UNIX_EPOCH;
            assert!(
                pause >= Duration::seconds(seconds) * 4 / 5 && pause <= Duration::seconds(seconds) * 6 / 5,
                "{number}"
            );
            all += pause;
        }
        assert!(all > Duration::hours(20), "{all}");
        assert_eq!(judged(&Ok(answer(500, None)), 8, false), AttemptOutcome::Failed);
        assert_eq!(judged(&Ok(answer(500, None)), 99, false), AttemptOutcome::Failed);
    }

    #[test]
    fn every_response_maps_to_its_verdict() {
        for status in [200, 201, 202, 204, 299] {
            assert_eq!(judged(&Ok(answer(status, None)), 1, false), AttemptOutcome::Delivered, "{status}");
        }
        for status in [301, 302, 307, 308, 400, 401, 404, 429, 500, 503] {
            assert!(matches!(judged(&Ok(answer(status, None)), 1, false), AttemptOutcome::RetryAt(_)), "{status}");
        }
        assert!(matches!(judged(&Ok(answer(410, None)), 1, false), AttemptOutcome::Disable(_)));
        for none in
            [OutboundError::NotPublic, OutboundError::Unreachable, OutboundError::TimedOut, OutboundError::Broken]
        {
            assert!(matches!(judged(&Err(none), 1, false), AttemptOutcome::RetryAt(_)), "{none}");
        }
        assert_eq!(judged(&Err(OutboundError::Refused(AddressError::Inside)), 1, false), AttemptOutcome::Failed);
    }

    #[test]
    fn retry_after_header_lengthens_pause_and_test_is_tried_once() {
        let AttemptOutcome::RetryAt(at) = judged(&Ok(answer(429, Some(600))), 1, false) else { panic!("again") };
        assert_eq!(at - DateTime::UNIX_EPOCH, Duration::minutes(10));
        for status in [410, 500] {
            assert_eq!(judged(&Ok(answer(status, Some(600))), 1, true), AttemptOutcome::Failed, "{status}");
        }
        assert_eq!(judged(&Ok(answer(200, None)), 1, true), AttemptOutcome::Delivered);
    }
}
