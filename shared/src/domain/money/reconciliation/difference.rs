//! Differences between the ledger and Stripe: stored, ended and reported.
//!
//! A difference ends only where a run proves it: its payment was compared and agrees, or is in the books now. One that
//! no run looks at any more (an older payment, another account) stays shown until a person settles it.
//!
//! A difference of sums counts only when a second comparison finds it too: the state of a refund or dispute may change
//! between the lists of one comparison, and no row says when.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use super::{
    ReconciliationRun,
    settlement::load_settlements,
    view::{DifferenceRow, describe_difference},
};
use crate::{
    domain::{
        messaging::alert::{self, NewAlert},
        tenancy::org::OrgContext,
    },
    platform::{
        db::{Tx, insert_row, q},
        error::Result,
        id::{LeadId, OrgId},
        money::Cents,
    },
};

/// Payments with a difference that their comparison may disprove.
pub(super) async fn list_open_payments(tx: &mut Tx, org: OrgId) -> Result<BTreeSet<String>> {
    let sql = "SELECT object FROM money_difference WHERE org_id = $1 AND kind IN ('balance', 'not_at_stripe')";
    Ok(q!(tx, fetch_all scalar String, sql, org)?.into_iter().collect())
}

/// Ends the differences about payments that are in the books now.
pub(super) async fn end_recorded_payments(tx: &mut Tx, org: OrgId) -> Result<()> {
    let sql = "DELETE FROM money_difference WHERE org_id = $1 AND kind IN ('unknown_payment', 'foreign_payment')
         AND EXISTS (SELECT 1 FROM payment p WHERE p.org_id = $1 AND p.provider_id = money_difference.object
             AND p.kind = 'payment')";
    q!(tx, execute, sql, org)?;
    Ok(())
}

pub(super) async fn end_difference(tx: &mut Tx, org: OrgId, (kind, object): (&str, &str)) -> Result<()> {
    let sql = "DELETE FROM money_difference WHERE org_id = $1 AND kind = $2 AND object = $3";
    q!(tx, execute, sql, org, kind, object)?;
    Ok(())
}

/// Stores a difference. New ones, and those with another amount, are reported when the run ends.
pub(super) async fn record_difference(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    look: &ReconciliationRun,
    (kind, object): (&str, &str),
    lead: Option<LeadId>,
    (stripe, books): (Cents, Cents),
) -> Result<()> {
    let now = ctx.origin.now();
    insert_row!(
        tx,
        execute,
        money_difference {
            org_id: look.org_id,
            kind,
            object,
            lead_id: lead,
            stripe_cents: stripe,
            books_cents: books,
            found_at: now,
            seen_at: now,
        },
        "ON CONFLICT (org_id, kind, object) DO UPDATE SET found_at = CASE
                 WHEN money_difference.stripe_cents = excluded.stripe_cents
                     AND money_difference.books_cents = excluded.books_cents
                 THEN money_difference.found_at ELSE excluded.found_at END,
             stripe_cents = excluded.stripe_cents, books_cents = excluded.books_cents, seen_at = excluded.seen_at"
    )?;
    Ok(())
}

/// Whether this run found a difference of sums that no comparison before it had found with these sums.
pub(super) async fn has_unconfirmed_differences(tx: &mut Tx, look: &ReconciliationRun) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM money_difference WHERE org_id = $1 AND kind = 'balance'
         AND found_at >= $2 AND seen_at = found_at)";
    Ok(q!(tx, fetch_one scalar bool, sql, look.org_id, look.started_at)?)
}

/// One alert for all open differences found after `reported_until`. What a clock that was ahead found was reported
/// then. The list is in the settings.
pub(super) async fn alert_new_differences(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    look: &ReconciliationRun,
    reported_until: DateTime<Utc>,
) -> Result<()> {
    let new = q!(
        &mut *tx,
        fetch_all as DifferenceRow,
        "SELECT kind, object, lead_id, stripe_cents, books_cents, found_at FROM money_difference
         WHERE org_id = $1 AND found_at > $2 AND found_at <= $3 ORDER BY found_at, object",
        look.org_id,
        reported_until,
        ctx.origin.now()
    )?;
    let settled = load_settlements(&mut *tx, look.org_id).await?;
    let is_open = |one: &DifferenceRow| {
        let key = one.difference_key();
        !settled.iter().any(|settlement| settlement.covers_difference(&key, one.found_at))
    };
    let new: Vec<DifferenceRow> = new.into_iter().filter(is_open).collect();
    let Some(first) = new.first() else { return Ok(()) };
    let text = describe_difference(&first.kind, &first.object, first.stripe_cents, first.books_cents);
    let (title, body) = match new.len() {
        1 => ("Stripe and your books differ".to_owned(), text),
        many => (
            format!("Stripe and your books differ in {many} places"),
            format!("The first: {text} The whole list is in Settings, Card payments."),
        ),
    };
    let key = format!("differences:{}", look.started_at.timestamp_millis());
    let alert = NewAlert {
        lead: first.lead_id.filter(|_| new.len() == 1),
        path: Some("/app/settings?tab=money".to_owned()).filter(|_| new.len() > 1),
        ..NewAlert::new(alert::AlertKind::PaymentFailed, key, title, body)
    };
    alert::raise_alert(tx, ctx.origin, ctx.profile, alert).await.map(|_| ())
}
