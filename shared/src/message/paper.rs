//! How a paper that was sent fares by its messages: only what has left is called sent.

use uuid::Uuid;

use super::Status;
use crate::{
    db::{AsConn, q},
    error::Result,
    id::{EventId, LeadId, OrgId},
};

/// One message of a sending: what it follows from, how it stands, and why.
type Part = (Option<EventId>, Status, Option<String>);

/// Why the last sending of an estimate, a change order or an invoice has not left, in a sentence without its dot:
/// "Waiting to send: it is night there". None when it left by one way at least, or was never sent.
pub(crate) async fn unsent(conn: &mut dyn AsConn, org: OrgId, lead: LeadId, about: Uuid) -> Result<Option<String>> {
    let all = q!(
        conn,
        fetch_all as Part,
        "SELECT event_id, status, reason FROM message WHERE org_id = $1 AND lead_id = $2 AND about_id = $3
             AND direction = 'out' AND kind IN ('estimate', 'change_order', 'invoice')
         ORDER BY created_at DESC, id DESC",
        org,
        lead,
        about
    )?;
    Ok(of_last(&all))
}

/// The same of one message.
pub(crate) fn unsent_of(status: Status, reason: Option<String>) -> Option<String> {
    of_last(&[(None, status, reason)])
}

fn of_last(all: &[Part]) -> Option<String> {
    let (last, ..) = all.first()?;
    let sent: Vec<&Part> = all.iter().filter(|(event, ..)| event == last).collect();
    let is = |of: Status| sent.iter().find(|(_, status, _)| *status == of);
    if is(Status::Sent).or_else(|| is(Status::Delivered)).is_some() {
        return None;
    }
    if is(Status::Queued).or_else(|| is(Status::Sending)).is_some() {
        return Some("Being sent".to_owned());
    }
    let because = |words: &str, (_, _, reason): &Part| match reason {
        Some(why) => format!("{words}: {why}"),
        None => words.to_owned(),
    };
    if let Some(held) = is(Status::Held) {
        return Some(because("Waiting to send", held));
    }
    if let Some(unknown) = is(Status::Unknown) {
        return Some(because("Not known whether it arrived", unknown));
    }
    if is(Status::Filed).is_some() {
        return Some("Not sent: email is not set up, so it was saved as a file".to_owned());
    }
    Some(because("Not sent", sent.first()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(event: u128, status: Status, reason: Option<&str>) -> Part {
        (Some(EventId(Uuid::from_u128(event))), status, reason.map(ToOwned::to_owned))
    }

    #[test]
    fn paper_is_called_sent_only_when_its_last_sending_left() {
        let night = part(2, Status::Held, Some("it is night there"));
        assert_eq!(of_last(&[]), None);
        assert_eq!(of_last(std::slice::from_ref(&night)).as_deref(), Some("Waiting to send: it is night there"));
        assert_eq!(of_last(&[night.clone(), part(2, Status::Sent, None)]), None, "by email it left");
        let before = part(1, Status::Delivered, None);
        assert_eq!(of_last(&[night, before]).as_deref(), Some("Waiting to send: it is night there"));
        assert_eq!(unsent_of(Status::Sent, None), None);
        let stopped = part(1, Status::NotSent, Some("they said STOP"));
        assert_eq!(of_last(&[stopped]).as_deref(), Some("Not sent: they said STOP"));
    }
}
