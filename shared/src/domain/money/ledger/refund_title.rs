//! Refund events, titled by the current state of the refund.

use std::collections::BTreeMap;

use futures::future::BoxFuture;
use serde_json::json;
use uuid::Uuid;

use crate::{
    domain::{
        money::{checkout, ledger::PaymentStatus},
        tenancy::activity_log::EventKind,
        work::activity::EventView,
    },
    platform::{
        db::{AsConn, qb},
        error::Result,
        id::OrgId,
        money::Cents,
    },
};

/// Titles and amounts. Registered as a [`EventTitleUpdater`](crate::domain::work::activity::EventTitleUpdater).
pub(crate) fn retitle_refunds(
    conn: &mut dyn AsConn,
    org: OrgId,
    events: Vec<EventView>,
) -> BoxFuture<'_, Result<Vec<EventView>>> {
    Box::pin(update_titles(conn, org, events))
}

async fn update_titles(conn: &mut dyn AsConn, org: OrgId, mut events: Vec<EventView>) -> Result<Vec<EventView>> {
    let wanted: Vec<Uuid> = events.iter().filter_map(refund_id).collect();
    if wanted.is_empty() {
        return Ok(events);
    }
    let found = qb!(conn, fetch_all as (Uuid, PaymentStatus, Option<String>, Cents), |b| {
        b.push("SELECT id, status, note, amount_cents FROM payment WHERE org_id = ")
            .push_bind(org)
            .push(" AND id IN (");
        let mut ids = b.separated(", ");
        for id in &wanted {
            ids.push_bind(*id);
        }
        b.push(")");
    })?;
    let states: BTreeMap<Uuid, (&str, Cents)> = found
        .into_iter()
        .map(|(id, status, note, amount)| (id, (refund_title(status, note.as_deref()), amount)))
        .collect();
    for event in &mut events {
        if let Some((title, amount)) = refund_id(event).and_then(|id| states.get(&id)) {
            (*title).clone_into(&mut event.title);
            // A bank may have returned a part of a dispute since.
            if let Some(shown) = event.detail.get_mut("amount") {
                *shown = json!(amount);
            }
        }
    }
    Ok(events)
}

fn refund_id(event: &EventView) -> Option<Uuid> {
    event.subject_id.filter(|_| event.kind == EventKind::Refunded)
}

fn refund_title(status: PaymentStatus, note: Option<&str>) -> &'static str {
    match status {
        // A dispute by the payer's bank has failed once the bank returns the amount.
        PaymentStatus::Failed if note == Some(checkout::DISPUTED_WITH_BANK) => "Returned by the bank",
        _ if note == Some(checkout::DISPUTED_WITH_BANK) => "Reversed by the bank",
        PaymentStatus::Settled | PaymentStatus::Test => "Refunded",
        PaymentStatus::Pending => "Refund asked for",
        PaymentStatus::Unknown => "Refund in doubt",
        PaymentStatus::Failed => "Refund failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refund_that_has_not_gone_through_is_not_called_refunded() {
        assert_eq!(refund_title(PaymentStatus::Settled, Some("One tap less")), "Refunded");
        for (status, expected) in [
            (PaymentStatus::Pending, "Refund asked for"),
            (PaymentStatus::Unknown, "Refund in doubt"),
            (PaymentStatus::Failed, "Refund failed"),
        ] {
            assert_eq!(refund_title(status, None), expected);
        }
    }

    #[test]
    fn disputed_payment_title_states_the_bank_action() {
        let disputed = Some(checkout::DISPUTED_WITH_BANK);
        assert_eq!(refund_title(PaymentStatus::Settled, disputed), "Reversed by the bank");
        assert_eq!(refund_title(PaymentStatus::Failed, disputed), "Returned by the bank");
    }
}
