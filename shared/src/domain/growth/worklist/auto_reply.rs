//! Automatic answers to what waits for a person. They are no answer of a person, but the owner knows what was said.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    domain::messaging::message::{self, MessageStatus},
    platform::{
        db::AsConn,
        error::Result,
        id::{CustomerId, OrgId},
    },
};

/// What became of the automatic answer to what waits. Add, never rename.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkItemAutoReply {
    /// It left by at least one channel.
    Sent,
    /// It is queued, held or being sent.
    Waiting,
    /// The provider has not said whether it took it.
    InDoubt,
    /// Refused, failed, or saved as a file.
    NotSent,
}

impl WorkItemAutoReply {
    fn of_status(status: MessageStatus) -> Self {
        match status {
            MessageStatus::Sent | MessageStatus::Delivered => Self::Sent,
            MessageStatus::Queued | MessageStatus::Sending | MessageStatus::Held => Self::Waiting,
            MessageStatus::Unknown => Self::InDoubt,
            MessageStatus::Filed | MessageStatus::NotSent | MessageStatus::Failed | MessageStatus::Received => {
                Self::NotSent
            }
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct AutoReplies(BTreeMap<CustomerId, Vec<(DateTime<Utc>, WorkItemAutoReply)>>);

impl AutoReplies {
    pub(super) async fn load_replies(
        conn: &mut dyn AsConn,
        org: OrgId,
        customers: &[CustomerId],
        since: DateTime<Utc>,
    ) -> Result<Self> {
        let mut replies = Self::default();
        for row in message::list_automatic_answers(conn, org, customers, since).await? {
            let reply = (row.created_at, WorkItemAutoReply::of_status(row.status));
            replies.0.entry(row.customer_id).or_default().push(reply);
        }
        Ok(replies)
    }

    /// Of several, such as a text and an email, the one that got farthest. None where no rule has answered since.
    pub(super) fn outcome_since(&self, customer: CustomerId, since: DateTime<Utc>) -> Option<WorkItemAutoReply> {
        self.0.get(&customer)?.iter().filter(|(at, _)| *at >= since).map(|(_, reply)| *reply).min()
    }
}

#[cfg(test)]
mod tests {
    use chrono::Duration;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn outcome_is_that_of_the_reply_that_got_farthest_since() {
        let customer = CustomerId(Uuid::from_u128(1));
        let at = |minute| DateTime::UNIX_EPOCH + Duration::minutes(minute);
        let statuses = [(1, MessageStatus::Sent), (5, MessageStatus::NotSent), (5, MessageStatus::Unknown)];
        let rows = statuses.map(|(minute, status)| (at(minute), WorkItemAutoReply::of_status(status)));
        let replies = AutoReplies(BTreeMap::from([(customer, rows.to_vec())]));
        let outcomes = [1, 2, 6].map(|minute| replies.outcome_since(customer, at(minute)));
        assert_eq!(outcomes, [Some(WorkItemAutoReply::Sent), Some(WorkItemAutoReply::InDoubt), None]);
        assert_eq!(replies.outcome_since(CustomerId(Uuid::from_u128(2)), at(0)), None);
    }
}
