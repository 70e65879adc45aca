//! Stripe pages that the person could still pay at.

use crate::{
    domain::money::checkout,
    platform::{
        clock::ClockRng,
        db::{Tx, q},
        error::Result,
        id::{CustomerId, LeadId, OrgId},
    },
};

/// Expires them at Stripe. It comes before the catalogue: an open page without its address counts as paid and on its
/// way at the bank, and is not expired.
pub(super) async fn expire_open_pages(tx: &mut Tx, origin: &ClockRng, org: OrgId, customer: CustomerId) -> Result<()> {
    let sql = "SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2";
    for lead in q!(&mut *tx, fetch_all scalar LeadId, sql, org, customer)? {
        checkout::expire_lead_pages(&mut *tx, origin, org, lead).await?;
    }
    Ok(())
}
