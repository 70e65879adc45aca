//! When a call that was not taken is tried again, and when an address is given up.

use chrono::{DateTime, Duration, Utc};

use crate::platform::{
    clock::Entropy,
    outbound::{Answered, NotAnswered},
};

/// The pauses after the first, second … try, in seconds: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h (trust §1, Svix).
const PAUSES: [i64; 7] = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];
/// An address at which nothing was taken for so long is called no more.
pub(super) const GIVEN_UP_AFTER: Duration = Duration::days(5);
/// The receiver says that it wants no more.
const GONE: u16 = 410;

/// What a try has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Taken,
    /// Again, not before then.
    Again(DateTime<Utc>),
    /// Not again; with `Stop` nothing else is sent there either.
    Failed,
    Stop(&'static str),
}

/// What one try says. `number` counts from one; `is_test` is tried once only.
pub(super) fn judge(
    said: &Result<Answered, NotAnswered>,
    number: i64,
    is_test: bool,
    now: DateTime<Utc>,
    entropy: &Entropy,
) -> Verdict {
    let after = match said {
        Ok(answer) if answer.is_taken() => return Verdict::Taken,
        Ok(Answered { status: GONE, .. }) if !is_test => {
            return Verdict::Stop("it answered that it is gone (HTTP 410)");
        }
        Ok(answer) => answer.after.and_then(|wait| Duration::from_std(wait).ok()),
        // The same address is refused again, as long as it is the same.
        Err(NotAnswered::Refused(_)) => {
            return Verdict::Failed;
        }
        Err(_) => None,
    };
    let pause = usize::try_from(number - 1).ok().and_then(|at| PAUSES.get(at)).filter(|_| !is_test);
    match pause {
        Some(seconds) => Verdict::Again(now + jittered(*seconds, entropy).max(after.unwrap_or_default())),
        None => Verdict::Failed,
    }
}

/// Give or take a fifth, so that what failed together does not come back together.
fn jittered(seconds: i64, entropy: &Entropy) -> Duration {
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "at most 43 million ms")]
    let millis = (seconds as f64 * 1000.0 * (0.8 + 0.4 * entropy.fraction())) as i64;
    Duration::milliseconds(millis)
}

/// In words for the log of the address. Nothing of the answer but its status is kept.
pub(super) fn outcome(said: &Result<Answered, NotAnswered>) -> String {
    match said {
        Ok(answer) if answer.is_taken() => "taken".to_owned(),
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
    use crate::platform::outbound::Fault;

    fn answer(status: u16, after: Option<u64>) -> Answered {
        Answered { status, after: after.map(StdDuration::from_secs), took: StdDuration::ZERO }
    }

    fn judged(said: &Result<Answered, NotAnswered>, number: i64, is_test: bool) -> Verdict {
        judge(said, number, is_test, DateTime::UNIX_EPOCH, &Entropy::seeded(1))
    }

    #[test]
    fn eight_tries_over_more_than_a_day_and_no_more() {
        let mut all = Duration::zero();
        for (number, seconds) in (1..).zip(PAUSES) {
            let Verdict::Again(at) = judged(&Ok(answer(500, None)), number, false) else { panic!("{number}") };
            let pause = at - DateTime::UNIX_EPOCH;
            assert!(
                pause >= Duration::seconds(seconds) * 4 / 5 && pause <= Duration::seconds(seconds) * 6 / 5,
                "{number}"
            );
            all += pause;
        }
        assert!(all > Duration::hours(20), "{all}");
        assert_eq!(judged(&Ok(answer(500, None)), 8, false), Verdict::Failed);
        assert_eq!(judged(&Ok(answer(500, None)), 99, false), Verdict::Failed);
    }

    #[test]
    fn every_answer_has_its_verdict() {
        for status in [200, 201, 202, 204, 299] {
            assert_eq!(judged(&Ok(answer(status, None)), 1, false), Verdict::Taken, "{status}");
        }
        for status in [301, 302, 307, 308, 400, 401, 404, 429, 500, 503] {
            assert!(matches!(judged(&Ok(answer(status, None)), 1, false), Verdict::Again(_)), "{status}");
        }
        assert!(matches!(judged(&Ok(answer(410, None)), 1, false), Verdict::Stop(_)));
        for none in [NotAnswered::Inside, NotAnswered::Unreachable, NotAnswered::TooLate, NotAnswered::Broken] {
            assert!(matches!(judged(&Err(none), 1, false), Verdict::Again(_)), "{none}");
        }
        assert_eq!(judged(&Err(NotAnswered::Refused(Fault::Inside)), 1, false), Verdict::Failed);
    }

    #[test]
    fn a_receiver_may_ask_for_a_longer_pause_and_a_test_is_tried_once() {
        let Verdict::Again(at) = judged(&Ok(answer(429, Some(600))), 1, false) else { panic!("again") };
        assert_eq!(at - DateTime::UNIX_EPOCH, Duration::minutes(10));
        for status in [410, 500] {
            assert_eq!(judged(&Ok(answer(status, Some(600))), 1, true), Verdict::Failed, "{status}");
        }
        assert_eq!(judged(&Ok(answer(200, None)), 1, true), Verdict::Taken);
    }
}
