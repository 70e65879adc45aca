//! A customer's places of work.

use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{check_not_merged, record_change};
use crate::{
    conflicts::ConflictCode,
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, batch::insert_rows, batch_row, q},
        error::{Error, FieldErrors, Result},
        field_schemas,
        id::{CustomerId, OrgId, PropertyId},
        live::{self, Topic},
        text::{given, multi_line, single_line},
    },
};

const MOST: usize = 100;
const TAKEN: &str = "This place is in the list already";

/// A place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromRow, ToSchema)]
pub struct Property {
    pub id: PropertyId,
    /// "Rental house".
    pub label: Option<String>,
    pub address: String,
    pub zip: Option<String>,
    /// "The shut-off is behind the washer".
    pub notes: Option<String>,
}

/// A place, or a change of one: what is absent stays, null is cleared.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[schema(as = PropertyChange)]
pub struct PropertyForm {
    /// "Rental house".
    #[serde(default, deserialize_with = "given")]
    #[schema(schema_with = field_schemas::nullable_line::<60>)]
    pub label: Option<Option<String>>,
    /// A new place needs one.
    #[schema(schema_with = field_schemas::required_line::<300>)]
    pub address: Option<String>,
    #[serde(default, deserialize_with = "given")]
    #[schema(schema_with = field_schemas::nullable_line::<12>)]
    pub zip: Option<Option<String>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(schema_with = field_schemas::nullable_text::<2000>)]
    pub notes: Option<Option<String>>,
}

/// The address in lower case without punctuation and spaces: equal keys are one place.
#[must_use]
pub fn address_key(address: &str, zip: Option<&str>) -> String {
    let all = format!("{address} {}", zip.unwrap_or_default());
    all.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

pub async fn list(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Vec<Property>> {
    Ok(q!(
        conn,
        fetch_all as Property,
        "SELECT id, label, address, zip, notes FROM property
         WHERE org_id = $1 AND customer_id = $2 AND removed_at IS NULL ORDER BY created_at, id",
        org,
        customer
    )?)
}

impl PropertyForm {
    fn validate(&self, stored: Option<&Property>) -> Result<Property> {
        let mut errors = FieldErrors::default();
        let address = match (&self.address, stored) {
            (None, Some(stored)) => stored.address.clone(),
            (typed, _) => {
                single_line("address", typed.as_deref(), 300).parse_required("Write the address", &mut errors)
            }
        };
        let label = match &self.label {
            None => stored.and_then(|stored| stored.label.clone()),
            Some(typed) => single_line("label", typed.as_deref(), 60).parse_optional(&mut errors),
        };
        let zip = match &self.zip {
            None => stored.and_then(|stored| stored.zip.clone()),
            Some(typed) => single_line("zip", typed.as_deref(), 12).parse_optional(&mut errors),
        };
        let notes = match &self.notes {
            None => stored.and_then(|stored| stored.notes.clone()),
            Some(typed) => multi_line("notes", typed.as_deref(), 2_000).parse_optional(&mut errors),
        };
        errors.into_result()?;
        Ok(Property {
            id: stored.map_or(PropertyId(uuid::Uuid::nil()), |stored| stored.id),
            label,
            address,
            zip,
            notes,
        })
    }
}

fn address_error(message: &str) -> Error {
    let mut errors = FieldErrors::default();
    errors.add("address", message);
    Error::Invalid(errors)
}

/// Adds a place. A removed place with this address comes back with its jobs.
///
/// # Errors
/// [`Error::NotFound`] without such a customer; [`Error::Invalid`] on the fields that do not fit, or when the place is
/// there already.
pub async fn add_property(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    form: &PropertyForm,
) -> Result<Property> {
    check_not_merged(&mut *tx, org, customer).await?;
    let place = Property { id: PropertyId(origin.uuid_v7()), ..form.validate(None)? };
    if list(&mut *tx, org, customer).await?.len() >= MOST {
        return Err(ConflictCode::PropertiesFull.into_error());
    }
    let place = match restore_removed_property(&mut *tx, org, customer, &place).await? {
        Some(id) => Property { id, ..place },
        None => insert_property(&mut *tx, origin, org, customer, place).await?,
    };
    record_places_changed(tx, origin, org, customer).await?;
    Ok(place)
}

async fn restore_removed_property(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    place: &Property,
) -> Result<Option<PropertyId>> {
    Ok(q!(
        tx,
        fetch_optional scalar PropertyId,
        "UPDATE property SET label = $4, address = $5, zip = $6, notes = $7, removed_at = NULL
         WHERE org_id = $1 AND customer_id = $2 AND address_key = $3 AND removed_at IS NOT NULL RETURNING id",
        org,
        customer,
        address_key(&place.address, place.zip.as_deref()),
        place.label.as_deref(),
        &place.address,
        place.zip.as_deref(),
        place.notes.as_deref()
    )?)
}

async fn insert_property(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    place: Property,
) -> Result<Property> {
    let row = batch_row!(property {
        org_id: org,
        id: place.id,
        customer_id: customer,
        label: place.label.as_deref(),
        address: place.address.as_str(),
        zip: place.zip.as_deref(),
        notes: place.notes.as_deref(),
        address_key: address_key(&place.address, place.zip.as_deref()),
        created_at: origin.now(),
    })
    .on_conflict_do_nothing("org_id, customer_id, address_key");
    let added = insert_rows(tx, &row).await?;
    drop(row);
    if added == 0 { Err(address_error(TAKEN)) } else { Ok(place) }
}

/// # Errors
/// [`Error::NotFound`] without such a place of theirs; [`Error::Invalid`] as for a new one.
pub async fn update_property(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    id: PropertyId,
    form: &PropertyForm,
) -> Result<Property> {
    check_not_merged(&mut *tx, org, customer).await?;
    let all = list(&mut *tx, org, customer).await?;
    let stored = all.iter().find(|place| place.id == id).ok_or(Error::NotFound)?;
    let place = form.validate(Some(stored))?;
    let key = address_key(&place.address, place.zip.as_deref());
    let is_taken = |other: &&Property| other.id != id && address_key(&other.address, other.zip.as_deref()) == key;
    if all.iter().any(|other| is_taken(&other)) {
        return Err(address_error(TAKEN));
    }
    release_address_key(&mut *tx, org, customer, (id, &key)).await?;
    q!(
        &mut *tx,
        execute,
        "UPDATE property SET label = $3, address = $4, zip = $5, notes = $6, address_key = $7
         WHERE org_id = $1 AND id = $2",
        org,
        id,
        place.label.as_deref(),
        &place.address,
        place.zip.as_deref(),
        place.notes.as_deref(),
        key
    )?;
    record_places_changed(tx, origin, org, customer).await?;
    Ok(place)
}

/// Frees the address key of a removed place that another place has now: it cannot come back, because its jobs were done
/// at the address known then.
async fn release_address_key(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    (id, key): (PropertyId, &str),
) -> Result<()> {
    let own = "SELECT id FROM property WHERE org_id = $1 AND customer_id = $2 AND address_key = $3 AND id <> $4";
    if let Some(removed) = q!(&mut *tx, fetch_optional scalar PropertyId, own, org, customer, key, id)? {
        // An id with hyphens cannot equal an address key.
        let sql = "UPDATE property SET address_key = $3 WHERE org_id = $1 AND id = $2";
        q!(tx, execute, sql, org, removed, removed.to_string())?;
    }
    Ok(())
}

/// Removes a place from the list. Past jobs keep its address, and the place if it is restored; a place without jobs is
/// deleted.
pub async fn remove_property(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    id: PropertyId,
) -> Result<()> {
    check_not_merged(&mut *tx, org, customer).await?;
    let sql = "UPDATE property SET removed_at = $4
         WHERE org_id = $1 AND id = $2 AND customer_id = $3 AND removed_at IS NULL";
    if q!(&mut *tx, execute, sql, org, id, customer, origin.now())? == 0 {
        return Err(Error::NotFound);
    }
    let unused = "DELETE FROM property WHERE org_id = $1 AND id = $2
         AND NOT EXISTS (SELECT 1 FROM job j WHERE j.org_id = $1 AND j.property_id = $2)";
    q!(&mut *tx, execute, unused, org, id)?;
    record_places_changed(tx, origin, org, customer).await
}

async fn record_places_changed(tx: &mut Tx, origin: &ClockRng, org: OrgId, customer: CustomerId) -> Result<()> {
    record_change(&mut *tx, org, customer, origin.now()).await?;
    live::publish_event(tx, origin, org, Topic::Customer, customer.0, None).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_key_ignores_case_and_punctuation() {
        assert_eq!(address_key("12 Main St., Apt #4", Some("78701")), address_key(" 12 MAIN ST apt 4 ", Some("78701")));
        assert_ne!(address_key("12 Main St", None), address_key("112 Main St", None));
    }
}
