//! Lanes: groups of a business's tasks that share concurrency limits.
//!
//! Each lane depends on another provider: while texts hang, emails and card payments of the same business continue. A
//! business whose providers all hang holds 12 of a worker's 16 slots.

use super::TaskKind;
use crate::id::OrgId;

/// Stored in `task.lane`: add values, never rename them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum TaskLane {
    Text,
    Email,
    Money,
    Webhook,
    Other,
}

impl TaskLane {
    /// Maximum number of a business's concurrent tasks over all workers (trust requirement 87), and of tasks in line.
    pub const fn slot_limit(self) -> i64 {
        match self {
            Self::Text | Self::Other => 5,
            Self::Email => 3,
            Self::Money | Self::Webhook => 2,
        }
    }
}

/// [`TaskLane::slot_limit`] in SQL, of the column `lane`.
pub const SLOT_LIMIT_SQL: &str = "(CASE lane WHEN 'email' THEN 3 WHEN 'money' THEN 2 WHEN 'webhook' THEN 2 ELSE 5 END)";

impl TaskKind {
    #[must_use]
    pub const fn lane(self) -> TaskLane {
        match self {
            Self::SendMessage
            | Self::ReconcileDelivery
            | Self::FetchMedia
            | Self::SendNumberCode
            | Self::BuyNumber
            | Self::RegisterTexting => TaskLane::Text,
            Self::SendEmail | Self::SendInstallMail => TaskLane::Email,
            Self::SettleCheckout
            | Self::ExpireCheckout
            | Self::Reconcile
            | Self::CheckAccount
            | Self::RefundCard
            | Self::SettleSubscription
            | Self::CancelSubscriptionAttempt => TaskLane::Money,
            Self::DeliverWebhook => TaskLane::Webhook,
            Self::ProcessInboundSms
            | Self::PushAlert
            | Self::EscalateAlert
            | Self::TestDevice
            | Self::FollowUp
            | Self::SendReceipt
            | Self::FinalizeDocument
            | Self::SignCopy
            | Self::NotifyCrew
            | Self::BillJob
            | Self::Recount
            | Self::SendPulse
            | Self::CheckSla
            | Self::SeedDemo
            | Self::RedrawPhotos
            | Self::Noop => TaskLane::Other,
        }
    }
}

/// Prefix of the unique key of an email that goes ahead of its business's other emails: a password reset does not wait
/// for a mailing.
pub const GOES_FIRST_PREFIX: &str = "send-account:";

/// Whether a task goes first, in SQL, of the columns `kind` and `unique_key`.
pub const GOES_FIRST_SQL: &str = "(kind = 'send_email' AND unique_key LIKE 'send-account:%')";

/// Tasks of one business in one lane, which share its places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OrgLane {
    pub org: OrgId,
    pub lane: TaskLane,
}

#[cfg(test)]
mod tests {
    use super::*;

    const LANES: [TaskLane; 5] = [TaskLane::Text, TaskLane::Email, TaskLane::Money, TaskLane::Webhook, TaskLane::Other];

    fn stored(lane: TaskLane) -> &'static str {
        match lane {
            TaskLane::Text => "text",
            TaskLane::Email => "email",
            TaskLane::Money => "money",
            TaskLane::Webhook => "webhook",
            TaskLane::Other => "other",
        }
    }

    fn in_sql(lane: &str) -> i64 {
        let sql = SLOT_LIMIT_SQL.strip_prefix("(CASE lane ").and_then(|rest| rest.strip_suffix(" END)")).unwrap();
        let (named, other) = sql.split_once(" ELSE ").unwrap();
        let branches = named.split("WHEN ").filter(|branch| !branch.is_empty());
        let found =
            branches.filter_map(|branch| branch.split_once(" THEN ")).find(|(name, _)| *name == format!("'{lane}'"));
        found.map_or(other, |(_, places)| places).trim().parse().unwrap()
    }

    #[test]
    fn lane_places_agree_with_the_sql_expression() {
        for lane in LANES {
            assert_eq!(in_sql(stored(lane)), lane.slot_limit(), "{lane:?}");
        }
        let branches = SLOT_LIMIT_SQL.matches(" THEN ").count();
        let named = LANES.iter().filter(|lane| SLOT_LIMIT_SQL.contains(&format!("WHEN '{}' THEN", stored(**lane))));
        assert_eq!(named.count(), branches, "a branch names no lane, or one of them twice");
    }

    #[test]
    fn emails_that_go_first_agree_with_the_sql_expression() {
        let named = format!("(kind = '{}' AND unique_key LIKE '{GOES_FIRST_PREFIX}%')", TaskKind::SendEmail);
        assert_eq!(GOES_FIRST_SQL, named);
        assert_eq!(TaskKind::from_name("send_email"), Some(TaskKind::SendEmail));
    }
}
