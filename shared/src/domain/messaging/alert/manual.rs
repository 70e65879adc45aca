//! Alerts that ask for a text from somebody's own phone: seen once it was written, and silent where none may be.

use super::{seen, words};
use crate::{
    domain::messaging::message,
    platform::{
        clock::Origin,
        db::{Tx, q},
        error::Result,
        id::{AccountId, AlertId, CustomerId, LeadId, OrgId},
        live::{self, Topic},
    },
};

/// Somebody of the business has texted this customer by hand: what asked for that is seen, and asks no more.
pub(crate) async fn texted(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    customer: CustomerId,
    by: AccountId,
) -> Result<()> {
    let asked = q!(
        &mut *tx,
        fetch_all scalar AlertId,
        "SELECT a.id FROM alert a JOIN lead l ON l.org_id = a.org_id AND l.id = a.lead_id
         WHERE a.org_id = $1 AND l.customer_id = $2 AND a.text_link IS NOT NULL",
        org,
        customer
    )?;
    for id in asked {
        let sql = "UPDATE alert SET text_link = NULL WHERE org_id = $1 AND id = $2";
        q!(&mut *tx, execute, sql, org, id)?;
        seen(tx, origin, org, id, by).await?;
    }
    Ok(())
}

/// This number is not to be texted any more, by nobody's phone: no alert asks for it.
pub(crate) async fn not_to_be_texted(tx: &mut Tx, origin: &Origin, org: OrgId, address: &str) -> Result<()> {
    let asked = q!(
        &mut *tx,
        fetch_all as (AlertId, Option<LeadId>),
        "UPDATE alert SET text_link = NULL, body = REPLACE(REPLACE(body, $3, ''), $4, '')
         WHERE org_id = $1 AND text_link IS NOT NULL AND text_link LIKE $2 RETURNING id, lead_id",
        org,
        format!("{}%", message::sms_link::link(address, "")),
        words::TAP,
        words::THEY_WAIT
    )?;
    for (id, lead) in asked {
        live::announce(tx, origin, org, Topic::Alert, id.0, lead.map(|lead| lead.0)).await?;
    }
    Ok(())
}
