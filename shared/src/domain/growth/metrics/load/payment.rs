//! Ledger rows with the source of their lead.

use chrono::NaiveDate;
use sqlx::{FromRow, types::Json};
use uuid::Uuid;

use super::listed;
use crate::{
    domain::{
        growth::metrics::{
            fact::MetricContribution,
            rules::{payment::PaymentMetricInput, source},
        },
        intake::lead::LeadAttribution,
        money::ledger::{PaymentKind, PaymentStatus},
    },
    platform::{
        db::{AsConn, qb},
        error::Result,
        id::OrgId,
        money::Cents,
    },
};

#[derive(FromRow)]
struct PaymentMetricRow {
    id: Uuid,
    kind: PaymentKind,
    status: PaymentStatus,
    is_undone: bool,
    amount_cents: Cents,
    received_on: NaiveDate,
    source: String,
    attribution: Json<LeadAttribution>,
}

pub(super) async fn load_payments(
    conn: &mut dyn AsConn,
    org: OrgId,
    ids: &[Uuid],
) -> Result<Vec<(Uuid, MetricContribution)>> {
    let rows = qb!(conn, fetch_all as PaymentMetricRow, |b| {
        b.push(
            "SELECT p.id, p.kind, p.status, p.undone_at IS NOT NULL AS is_undone, p.amount_cents, p.received_on,
                 l.source, l.attribution
             FROM payment p JOIN lead l ON l.org_id = p.org_id AND l.id = p.lead_id WHERE p.org_id = ",
        );
        b.push_bind(org).push(" AND p.id IN ");
        listed!(b, ids);
    })?;
    let payments = rows.into_iter().map(|row| {
        let payment = PaymentMetricInput {
            kind: row.kind,
            status: row.status,
            is_undone: row.is_undone,
            amount: row.amount_cents,
            received_on: row.received_on,
            source: source::resolve_source(&row.attribution, &row.source),
        };
        (row.id, payment.build_contribution())
    });
    Ok(payments.collect())
}
