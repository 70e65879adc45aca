//! Reviews that were asked for, and those that came.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use crate::domain::growth::metrics::{
    fact::{Contribution, Fact, day_of},
    measure::Measure,
};

/// A customer who was, or is to be, asked for a review.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// When the first message of it left.
    pub asked_at: Option<DateTime<Utc>>,
}

impl Ask {
    #[must_use]
    pub fn contribution(self, zone: Tz) -> Contribution {
        Contribution::new(self.asked_at.map(|at| Fact::one(day_of(zone, at), Measure::ReviewsAsked)), None)
    }
}

/// A review, whichever way it came.
#[derive(Clone, Copy, Debug)]
pub struct Review {
    pub received_at: DateTime<Utc>,
    /// In tenths.
    pub stars: i64,
}

impl Review {
    #[must_use]
    pub fn contribution(self, zone: Tz) -> Contribution {
        let day = day_of(zone, self.received_at);
        Contribution::new([Fact::one(day, Measure::Reviews), Fact::new(day, Measure::Stars, self.stars)], None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_was_asked_counts_when_the_words_left_and_a_review_when_it_came() {
        let zone = chrono_tz::America::Los_Angeles;
        let at: DateTime<Utc> = "2026-09-18T06:59:00Z".parse().unwrap();
        assert!(Ask { asked_at: None }.contribution(zone).is_empty());
        let asked = Ask { asked_at: Some(at) }.contribution(zone);
        let day = "2026-09-17".parse().unwrap();
        assert_eq!(asked.facts(), [Fact::one(day, Measure::ReviewsAsked)]);
        let came = Review { received_at: at, stars: 45 }.contribution(zone);
        assert_eq!(came.facts(), [Fact::one(day, Measure::Reviews), Fact::new(day, Measure::Stars, 45)]);
    }
}
