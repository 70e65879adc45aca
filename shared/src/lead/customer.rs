//! The person behind leads, recognised by phone or email.

use uuid::Uuid;

use super::NewLead;
use crate::{
    clock::Origin,
    db::{Tx, q},
    error::Result,
    id::{CustomerId, OrgId},
};

/// Who asked, and whether we have met before.
#[derive(Clone, Copy, Debug)]
pub struct Recognised {
    pub id: CustomerId,
    pub is_new: bool,
}

/// Finds the person, or makes a new one. The phone decides where phone and email belong to two people.
///
/// Each key is taken by one upsert on its unique row, phone before email, so two requests of one person at the same
/// instant wait for each other instead of making two customers.
pub async fn recognise(tx: &mut Tx, origin: &Origin, org: OrgId, new: &NewLead) -> Result<Recognised> {
    let fresh = CustomerId(origin.uuid());
    let mut by_phone = None;
    if let Some(phone) = &new.phone_e164 {
        by_phone = Some(take_key(tx, org, "phone", phone.as_e164(), fresh).await?);
    }
    let mut by_email = None;
    if let Some(email) = &new.email {
        by_email = Some(take_key(tx, org, "email", email, by_phone.unwrap_or(fresh)).await?);
    }
    let id = match (by_phone, by_email) {
        (Some(phone), Some(email)) if phone == fresh && email != fresh => {
            // A known person with a new number.
            let number = new.phone_e164.as_ref().map_or("", |p| p.as_e164());
            q!(
                &mut *tx,
                execute,
                "UPDATE customer_key SET customer_id = $4 WHERE org_id = $1 AND kind = $2 AND value = $3",
                org,
                "phone",
                number,
                email
            )?;
            email
        }
        (Some(known), _) | (None, Some(known)) => known,
        (None, None) => fresh,
    };
    let is_new = id == fresh;
    if is_new {
        insert(tx, origin, org, id, new).await?;
    }
    Ok(Recognised { id, is_new })
}

/// Returns whose key it is: `wanted`, when it was free.
async fn take_key(tx: &mut Tx, org: OrgId, kind: &str, value: &str, wanted: CustomerId) -> Result<CustomerId> {
    let owner = q!(
        tx,
        fetch_one scalar Uuid,
        "INSERT INTO customer_key (org_id, kind, value, customer_id) VALUES ($1, $2, $3, $4)
         ON CONFLICT (org_id, kind, value) DO UPDATE SET value = excluded.value RETURNING customer_id",
        org,
        kind,
        value,
        wanted
    )?;
    Ok(CustomerId(owner))
}

async fn insert(tx: &mut Tx, origin: &Origin, org: OrgId, id: CustomerId, new: &NewLead) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO customer (org_id, id, name, phone_e164, email, created_at) VALUES ($1, $2, $3, $4, $5, $6)",
        org,
        id,
        &new.name,
        new.phone_e164.as_ref(),
        new.email.as_deref(),
        origin.now()
    )?;
    Ok(())
}
