//! Lanes: the kinds of work of one business that wait for each other, and how many of each run at once.
//!
//! Each lane waits for another provider. While texts hang, emails and card money of the same business go on. One business
//! whose providers all hang at once holds 12 of a worker's 16 slots.

use super::Kind;
use crate::platform::id::OrgId;

/// Add, never rename: stored in `task.lane`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum Lane {
    /// Asks the provider of texts.
    Text,
    /// Asks the mail server.
    Email,
    /// Asks the provider of card payments.
    Money,
    /// Calls the business's own webhooks.
    Webhook,
    /// Everything else.
    Other,
}

impl Lane {
    /// So many tasks of one business run at once in this lane, over all workers (trust requirement 87), and so many stand
    /// in the line.
    pub const fn places(self) -> i64 {
        match self {
            Self::Text | Self::Other => 5,
            Self::Email => 3,
            Self::Money | Self::Webhook => 2,
        }
    }
}

/// [`Lane::places`] of the column `lane`.
pub const PLACES: &str = "(CASE lane WHEN 'email' THEN 3 WHEN 'money' THEN 2 WHEN 'webhook' THEN 2 ELSE 5 END)";

impl Kind {
    /// Where tasks of this kind wait.
    #[must_use]
    pub const fn lane(self) -> Lane {
        match self {
            Self::SendMessage | Self::SettleDoubt | Self::FetchMedia | Self::SendNumberCode => Lane::Text,
            Self::SendEmail | Self::SendInstallMail => Lane::Email,
            Self::SettleCheckout
            | Self::ExpireCheckout
            | Self::Reconcile
            | Self::CheckAccount
            | Self::RefundCard
            | Self::SettleSubscription
            | Self::DropAttempt => Lane::Money,
            Self::CallHook => Lane::Webhook,
            Self::TakeText
            | Self::PushAlert
            | Self::ClimbAlert
            | Self::TestDevice
            | Self::FollowUp
            | Self::SendReceipt
            | Self::FinishPaper
            | Self::SignCopy
            | Self::TellCrew
            | Self::BillJob
            | Self::Recount
            | Self::SendPulse
            | Self::WatchPromise
            | Self::SeedDemo
            | Self::RedrawPhotos
            | Self::Noop => Lane::Other,
        }
    }
}

/// What shares places: the tasks of one business in one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Share {
    pub org: OrgId,
    pub lane: Lane,
}

#[cfg(test)]
mod tests {
    use super::*;

    const LANES: [Lane; 5] = [Lane::Text, Lane::Email, Lane::Money, Lane::Webhook, Lane::Other];

    /// As it is stored in `task.lane`.
    fn stored(lane: Lane) -> &'static str {
        match lane {
            Lane::Text => "text",
            Lane::Email => "email",
            Lane::Money => "money",
            Lane::Webhook => "webhook",
            Lane::Other => "other",
        }
    }

    /// What [`PLACES`] says of a value of the column.
    fn in_sql(lane: &str) -> i64 {
        let sql = PLACES.strip_prefix("(CASE lane ").and_then(|rest| rest.strip_suffix(" END)")).unwrap();
        let (named, other) = sql.split_once(" ELSE ").unwrap();
        let branches = named.split("WHEN ").filter(|branch| !branch.is_empty());
        let found =
            branches.filter_map(|branch| branch.split_once(" THEN ")).find(|(name, _)| *name == format!("'{lane}'"));
        found.map_or(other, |(_, places)| places).trim().parse().unwrap()
    }

    #[test]
    fn the_places_of_each_lane_are_the_same_in_sql() {
        for lane in LANES {
            assert_eq!(in_sql(stored(lane)), lane.places(), "{lane:?}");
        }
        let branches = PLACES.matches(" THEN ").count();
        let named = LANES.iter().filter(|lane| PLACES.contains(&format!("WHEN '{}' THEN", stored(**lane))));
        assert_eq!(named.count(), branches, "a branch names no lane, or one of them twice");
    }
}
