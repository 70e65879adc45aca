//! Alerts that ask for a text from a personal phone: seen once it was written, silenced where texting is not allowed.

use super::{alert_wording, mark_seen};
use crate::{
    domain::messaging::message,
    platform::{
        clock::ClockRng,
        db::{Tx, q},
        error::Result,
        id::{AccountId, AlertId, CustomerId, LeadId, OrgId},
        live::{self, Topic},
    },
};

/// After a manual text to the customer: the alerts that asked for it become seen.
pub(crate) async fn mark_texted_manually(
    tx: &mut Tx,
    origin: &ClockRng,
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
        mark_seen(tx, origin, org, id, by).await?;
    }
    Ok(())
}

/// Removes the text link from alerts about a number that must not be texted, not even by hand.
pub(crate) async fn remove_text_links(tx: &mut Tx, origin: &ClockRng, org: OrgId, address: &str) -> Result<()> {
    let asked = q!(
        &mut *tx,
        fetch_all as (AlertId, Option<LeadId>),
        "UPDATE alert SET text_link = NULL, body = REPLACE(REPLACE(body, $3, ''), $4, '')
         WHERE org_id = $1 AND text_link IS NOT NULL AND text_link LIKE $2 RETURNING id, lead_id",
        org,
        format!("{}%", message::sms_link::build_sms_link(address, "")),
        alert_wording::TAP_TO_TEXT,
        alert_wording::TEXT_THEM_YOURSELF
    )?;
    for (id, lead) in asked {
        live::publish_event(tx, origin, org, Topic::Alert, id.0, lead.map(|lead| lead.0)).await?;
    }
    Ok(())
}
