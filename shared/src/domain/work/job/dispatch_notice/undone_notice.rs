//! Notice to a person who undid "on my way" or "running late": what the customer knows of it.

use chrono_tz::Tz;
use sqlx::{FromRow, types::Json};

use super::DispatchDetail;
use crate::{
    documents::date_format,
    domain::messaging::message::MessageStatus,
    platform::{
        db::{AsConn, q},
        error::Result,
        id::{EventId, OrgId},
    },
};

#[derive(FromRow)]
pub(in crate::domain::work::job) struct UndoneNotice {
    status: MessageStatus,
    customer: String,
    detail: Json<DispatchDetail>,
}

/// None when the customer was not told.
pub(in crate::domain::work::job) async fn find_undone_notice(
    conn: &mut dyn AsConn,
    org: OrgId,
    event: EventId,
) -> Result<Option<UndoneNotice>> {
    Ok(q!(
        conn,
        fetch_optional as UndoneNotice,
        "SELECT m.status, l.name AS customer, e.detail FROM work_event e
         JOIN message m ON m.org_id = e.org_id AND m.event_id = e.id
         JOIN lead l ON l.org_id = e.org_id AND l.id = e.lead_id
         WHERE e.org_id = $1 AND e.id = $2 AND e.kind IN ('on_my_way', 'running_late') AND m.kind = 'on_the_way'",
        org,
        event
    )?)
}

impl UndoneNotice {
    /// Whether it has left, or may have.
    pub(in crate::domain::work::job) fn was_sent(&self) -> bool {
        matches!(
            self.status,
            MessageStatus::Sending | MessageStatus::Sent | MessageStatus::Delivered | MessageStatus::Unknown
        )
    }

    /// "Bo Best was already told about 9:21 AM." `is_corrected` says whether a message with the planned time follows.
    pub(in crate::domain::work::job) fn describe_outcome(&self, zone: Tz, is_corrected: bool) -> String {
        let who = Some(self.customer.as_str()).filter(|name| !name.is_empty()).unwrap_or("The customer");
        if !self.was_sent() {
            return format!("{who} was not told: the message had not left and was stopped.");
        }
        let when = self
            .detail
            .eta_at
            .map_or_else(String::new, |at| format!(" about {}", date_format::format_time(&at.with_timezone(&zone))));
        let next = if is_corrected {
            "In a minute we send them the planned time, unless you press On my way again."
        } else {
            "Call them if that is not right."
        };
        format!("{who} was already told{when}. {next}")
    }
}

#[cfg(test)]
mod tests {
    use chrono_tz::America::Chicago;
    use serde_json::json;

    use super::*;

    #[test]
    fn sent_eta_notice_is_named_with_time_and_stopped_one_is_not() {
        let undone_notice = |status| UndoneNotice {
            status,
            customer: "Bo Best".to_owned(),
            detail: Json(serde_json::from_value(json!({"etaAt": "2026-11-24T15:21:00Z"})).unwrap()),
        };
        assert_eq!(
            undone_notice(MessageStatus::Sent).describe_outcome(Chicago, true),
            "Bo Best was already told about 9:21 AM. In a minute we send them the planned time, unless you press On my \
             way again."
        );
        assert_eq!(
            undone_notice(MessageStatus::Unknown).describe_outcome(Chicago, false),
            "Bo Best was already told about 9:21 AM. Call them if that is not right."
        );
        assert_eq!(
            undone_notice(MessageStatus::NotSent).describe_outcome(Chicago, true),
            "Bo Best was not told: the message had not left and was stopped."
        );
    }
}
