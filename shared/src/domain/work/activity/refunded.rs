//! A refund, as the history says it: by how it stands now, and not by what was asked for.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::{EventKind, EventView};
use crate::{
    domain::money::{checkout, ledger::Status},
    platform::{
        db::{AsConn, qb},
        error::Result,
        id::OrgId,
    },
};

/// The events, with each refund called by its state.
pub(super) async fn by_state(conn: &mut dyn AsConn, org: OrgId, mut events: Vec<EventView>) -> Result<Vec<EventView>> {
    let wanted: Vec<Uuid> = events.iter().filter_map(refund_of).collect();
    if wanted.is_empty() {
        return Ok(events);
    }
    let found = qb!(conn, fetch_all as (Uuid, Status, Option<String>), |b| {
        b.push("SELECT id, status, note FROM payment WHERE org_id = ").push_bind(org).push(" AND id IN (");
        let mut ids = b.separated(", ");
        for id in &wanted {
            ids.push_bind(*id);
        }
        b.push(")");
    })?;
    let titles: BTreeMap<Uuid, &str> =
        found.into_iter().map(|(id, status, note)| (id, title(status, note.as_deref()))).collect();
    for event in &mut events {
        if let Some(said) = refund_of(event).and_then(|id| titles.get(&id)) {
            (*said).clone_into(&mut event.title);
        }
    }
    Ok(events)
}

/// The refund that an event is about.
fn refund_of(event: &EventView) -> Option<Uuid> {
    event.subject_id.filter(|_| event.kind == EventKind::Refunded)
}

fn title(status: Status, note: Option<&str>) -> &'static str {
    match status {
        // What the payer's bank takes by a dispute fails once it is returned.
        Status::Failed if note == Some(checkout::DISPUTED) => "Returned by the bank",
        _ if note == Some(checkout::DISPUTED) => "Taken back by the bank",
        Status::Settled | Status::Test => "Refunded",
        Status::Pending => "Refund asked for",
        Status::Unknown => "Refund in doubt",
        Status::Failed => "Refund failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refund_that_has_not_gone_through_is_not_called_refunded() {
        assert_eq!(title(Status::Settled, Some("One tap less")), "Refunded");
        for (status, said) in [
            (Status::Pending, "Refund asked for"),
            (Status::Unknown, "Refund in doubt"),
            (Status::Failed, "Refund failed"),
        ] {
            assert_eq!(title(status, None), said);
        }
    }

    #[test]
    fn disputed_payment_is_called_by_what_the_bank_did() {
        let disputed = Some(checkout::DISPUTED);
        assert_eq!(title(Status::Settled, disputed), "Taken back by the bank");
        assert_eq!(title(Status::Failed, disputed), "Returned by the bank");
    }
}
