//! The number or email that an accepted proposal replaced, written back by the undo. The office has said nothing about
//! it, so nothing proves it: its key and its proposal stay as they are.

use crate::{
    domain::intake::{
        contact_point::{self, ContactPointKind},
        lead,
    },
    platform::{
        clock::ClockRng,
        db::{Tx, q},
        error::Result,
        id::{CustomerId, OrgId},
        live::{self, Topic},
        phone::Phone,
    },
};

/// Replaces the accepted address on the record and its open requests. A key that another record has by now stays
/// there; a key that is gone becomes one that only a form typed.
pub(super) async fn restore_replaced_contact(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    (kind, accepted, replaced): (ContactPointKind, &str, &str),
) -> Result<()> {
    // Lock order: keys, then leads, then the customer.
    let sql = "INSERT INTO customer_key (org_id, kind, value, customer_id, proof) VALUES ($1, $2, $3, $4, 'form')
         ON CONFLICT (org_id, kind, value) DO NOTHING";
    if q!(&mut *tx, execute, sql, org, kind, replaced, customer)? > 0 {
        contact_point::propose_set_aside_contacts(&mut *tx, org, customer, origin.now()).await?;
    }
    match kind {
        ContactPointKind::Phone => restore_phone(&mut *tx, org, customer, accepted, replaced).await?,
        ContactPointKind::Email => restore_email(&mut *tx, org, customer, accepted, replaced).await?,
    }
    lead::customer::update_search_index(&mut *tx, org, customer).await?;
    live::publish_event(&mut *tx, origin, org, Topic::Conversation, customer.0, None).await?;
    live::publish_event(tx, origin, org, Topic::Customer, customer.0, None).await
}

async fn restore_phone(tx: &mut Tx, org: OrgId, customer: CustomerId, accepted: &str, replaced: &str) -> Result<()> {
    let phone = Phone::from_stored(replaced.to_owned());
    let shown = phone.format_display();
    let digits: String = shown.chars().filter(char::is_ascii_digit).collect();
    q!(
        &mut *tx,
        execute,
        "UPDATE lead SET phone = $5, phone_e164 = $4, search = CASE WHEN search LIKE $6 THEN search ELSE search || $7 END
         WHERE org_id = $1 AND customer_id = $2 AND stage IN ('new', 'quoted', 'scheduled') AND phone_e164 = $3",
        org,
        customer,
        accepted,
        replaced,
        shown.as_ref(),
        format!("%{digits}%"),
        format!("\n{shown}\n{digits}")
    )?;
    let sql = "UPDATE customer SET phone_e164 = $3 WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, org, customer, replaced)?;
    Ok(())
}

async fn restore_email(tx: &mut Tx, org: OrgId, customer: CustomerId, accepted: &str, replaced: &str) -> Result<()> {
    let sql = "UPDATE lead SET email = $4 WHERE org_id = $1 AND customer_id = $2
         AND stage IN ('new', 'quoted', 'scheduled') AND email = $3";
    q!(&mut *tx, execute, sql, org, customer, accepted, replaced)?;
    q!(tx, execute, "UPDATE customer SET email = $3 WHERE org_id = $1 AND id = $2", org, customer, replaced)?;
    Ok(())
}
