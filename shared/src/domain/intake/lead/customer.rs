//! Recognition of the customer behind a lead, by phone or email, and the number used last.
//!
//! A public form identifies a customer but proves nothing: other addresses that it names do not become the customer's
//! (`contact_point`).

use chrono::{DateTime, Utc};

use super::{LeadFormKind, NewLead};
use crate::{
    documents::template::Language,
    domain::intake::contact_point::{
        self, ContactPointKind, ContactPointProof, proposal, set_aside::SetAsideContacts, typed_contacts,
    },
    platform::{
        clock::ClockRng,
        db::{
            AsConn, Tx,
            batch::{Insert, insert_all},
            batch_row, q,
        },
        email_address::EmailAddress,
        error::{Error, Result},
        id::{CustomerId, LeadId, OrgId},
        phone::Phone,
    },
};

pub(crate) mod contact_use;
mod keys;
pub(crate) mod sms_refusal;

use keys::LockedContactKey;

#[derive(Clone, Copy, Debug)]
pub struct RecognizedCustomer {
    pub id: CustomerId,
    pub is_new: bool,
    /// Addresses used or typed that are not on file for this customer.
    pub unknown: UnknownContacts,
    /// Addresses typed by a new customer that stay another record's keys.
    pub elsewhere: UnknownContacts,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnknownContacts {
    pub phone: bool,
    pub email: bool,
}

impl UnknownContacts {
    #[must_use]
    pub fn has_any(self) -> bool {
        self.phone || self.email
    }
}

impl RecognizedCustomer {
    fn new(id: CustomerId) -> Self {
        Self { id, is_new: true, unknown: UnknownContacts::default(), elsewhere: UnknownContacts::default() }
    }

    fn from_existing(id: CustomerId, unknown: UnknownContacts) -> Self {
        Self { id, is_new: false, unknown, elsewhere: UnknownContacts::default() }
    }
}

/// Finds the customer, or takes a new id; then the caller stores `build_customer_insert`. The phone decides when
/// phone and email belong to two customers. An address only typed for a customer known otherwise matches no one. Where
/// only forms and link confirmations know a customer, a form that omits one of their addresses makes a new record.
pub async fn match_customer(tx: &mut Tx, origin: &ClockRng, org: OrgId, new: &NewLead) -> Result<RecognizedCustomer> {
    let mut reserved = ReservedKeys::reserve_keys(&mut *tx, origin, org, &[new]).await?;
    let Some(reserved) = reserved.pop() else { return Err(Error::Internal("a request without its keys".to_owned())) };
    reserved.match_customer(tx, origin, org, new).await
}

/// Phone and email of a request, locked until the transaction ends.
pub(crate) struct ReservedKeys {
    /// The id of the customer if they are new.
    fresh: CustomerId,
    locked: Vec<LockedContactKey>,
}

impl ReservedKeys {
    /// Of requests of which no two name the same phone or email, in their order.
    pub(crate) async fn reserve_keys(
        tx: &mut Tx,
        origin: &ClockRng,
        org: OrgId,
        requests: &[&NewLead],
    ) -> Result<Vec<Self>> {
        let requests: Vec<(&NewLead, CustomerId)> =
            requests.iter().map(|new| (*new, CustomerId(origin.uuid_v7()))).collect();
        let locked = keys::lock_contact_keys(tx, origin, org, &requests).await?;
        Ok(requests.into_iter().zip(locked).map(|((_, fresh), locked)| Self { fresh, locked }).collect())
    }

    /// Whether nobody has asked with any of them before.
    pub(crate) fn are_all_new(&self) -> bool {
        self.locked.iter().all(|key| key.customer_id == self.fresh)
    }

    /// Reads them again, after other requests of this transaction.
    pub(crate) async fn refresh_keys(
        &mut self,
        tx: &mut Tx,
        origin: &ClockRng,
        org: OrgId,
        new: &NewLead,
    ) -> Result<()> {
        let mut locked = keys::lock_contact_keys(tx, origin, org, &[(new, self.fresh)]).await?;
        self.locked = locked.pop().unwrap_or_default();
        Ok(())
    }

    /// As the function [`match_customer`].
    pub(crate) async fn match_customer(
        &self,
        tx: &mut Tx,
        origin: &ClockRng,
        org: OrgId,
        new: &NewLead,
    ) -> Result<RecognizedCustomer> {
        match_by_keys(tx, origin, org, new, (&self.locked, self.fresh)).await
    }
}

async fn match_by_keys(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    new: &NewLead,
    (locked, fresh): (&[LockedContactKey], CustomerId),
) -> Result<RecognizedCustomer> {
    let Some(id) = keys::find_identified_customer(&mut *tx, origin, org, new, (locked, fresh)).await? else {
        // The number's caller becomes a new customer.
        return if keys::transfer_unproven_keys(&mut *tx, origin, org, new, (locked, fresh)).await? || new.is_public() {
            Ok(RecognizedCustomer {
                elsewhere: keys::find_foreign_contacts(new, (locked, fresh)),
                ..RecognizedCustomer::new(fresh)
            })
        } else {
            match_proposed_phone(tx, origin, org, new, fresh).await
        };
    };
    if new.is_public() {
        let at = new.happened_at.unwrap_or(origin.now());
        set_aside_omitted(&mut *tx, org, id, new, at).await?;
        typed_contacts::set_aside_link_opened_contacts(&mut *tx, org, id, keys::named_contacts(new), at).await?;
        let unknown = find_unknown_contacts(&mut *tx, org, id, new).await?;
        // Inserted above as a lock only.
        let sql = "DELETE FROM customer_key WHERE org_id = $1 AND customer_id = $2";
        q!(tx, execute, sql, org, fresh)?;
        return Ok(RecognizedCustomer::from_existing(id, unknown));
    }
    if locked.iter().any(|key| key.customer_id == fresh) {
        // A known customer with a new number or address.
        let sql = "UPDATE customer_key SET customer_id = $3 WHERE org_id = $1 AND customer_id = $2";
        q!(&mut *tx, execute, sql, org, fresh, id)?;
    }
    // The office chose the customer. A number that only answered a form joins the conversation and nothing else.
    let unknown = if new.form == LeadFormKind::Typed {
        UnknownContacts::default()
    } else {
        find_unknown_contacts(tx, org, id, new).await?
    };
    Ok(RecognizedCustomer::from_existing(id, unknown))
}

/// Sets aside typed addresses that this request omits, where others are proven.
pub(super) async fn set_aside_omitted(
    tx: &mut Tx,
    org: OrgId,
    id: CustomerId,
    new: &NewLead,
    at: DateTime<Utc>,
) -> Result<()> {
    typed_contacts::set_aside_omitted_contacts(tx, org, id, keys::named_contacts(new), at).await
}

async fn find_unknown_contacts(tx: &mut Tx, org: OrgId, id: CustomerId, new: &NewLead) -> Result<UnknownContacts> {
    let mut unknown = UnknownContacts::default();
    if let Some(phone) = &new.phone_e164 {
        unknown.phone =
            !contact_point::is_usable_contact(&mut *tx, org, id, (ContactPointKind::Phone, phone.as_e164())).await?;
    }
    if let Some(email) = &new.email {
        unknown.email =
            !contact_point::is_usable_contact(tx, org, id, (ContactPointKind::Email, email.as_str())).await?;
    }
    Ok(unknown)
}

/// A call or text from a number that a form named for a customer known by more than forms and links joins that
/// customer's conversation; otherwise the caller is new.
async fn match_proposed_phone(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    new: &NewLead,
    fresh: CustomerId,
) -> Result<RecognizedCustomer> {
    let proof = ContactPointProof::from_form(new.form);
    let phone =
        new.phone_e164.as_ref().filter(|_| matches!(proof, ContactPointProof::Called | ContactPointProof::Texted));
    let Some(phone) = phone else { return Ok(RecognizedCustomer::new(fresh)) };
    let named = proposal::find_customer_by_proposed_phone(&mut *tx, org, phone, origin.now()).await?;
    let Some(id) = named else { return Ok(RecognizedCustomer::new(fresh)) };
    if !keys::accepts_proposed_phone(&mut *tx, org, id, new.happened_at.unwrap_or(origin.now())).await? {
        return Ok(RecognizedCustomer::new(fresh));
    }
    let point = (ContactPointKind::Phone, phone.as_e164());
    let proof = proposal::record_proposal_answer(&mut *tx, origin, org, id, point, proof).await?;
    let sql = "UPDATE customer_key SET customer_id = $3, proof = $4 WHERE org_id = $1 AND customer_id = $2";
    q!(&mut *tx, execute, sql, org, fresh, id, proof)?;
    Ok(RecognizedCustomer::from_existing(id, find_unknown_contacts(tx, org, id, new).await?))
}

/// Finds or creates the customer of a message that is not a request for work.
pub(crate) async fn find_or_create_customer(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    new: &NewLead,
) -> Result<CustomerId> {
    Ok(match_or_create_customer(tx, origin, org, new).await?.id)
}

/// The same, with whether it created the customer.
pub(crate) async fn match_or_create_customer(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    new: &NewLead,
) -> Result<RecognizedCustomer> {
    let who = match_customer(&mut *tx, origin, org, new).await?;
    if who.is_new {
        insert_all(tx, &[build_customer_insert(origin, org, who.id, new)]).await?;
    }
    Ok(who)
}

pub(super) async fn find_customer_name(conn: &mut dyn AsConn, org: OrgId, id: CustomerId) -> Result<Option<String>> {
    let sql = "SELECT name FROM customer WHERE org_id = $1 AND id = $2";
    let found = q!(conn, fetch_optional scalar String, sql, org, id)?;
    Ok(found.filter(|name| is_person_name(name)))
}

pub(super) async fn set_customer_name(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    name: &str,
    texted_at: Option<DateTime<Utc>>,
) -> Result<()> {
    let sql = "UPDATE customer SET name = $3, name_confirmed_at = $4 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, customer, name, texted_at)?;
    update_search_index(tx, org, customer).await
}

/// The customer's name for notifications about a public form, with the typed name if different: "Maria Lopez (wrote:
/// Mary L.)".
pub(crate) async fn load_display_name(conn: &mut dyn AsConn, org: OrgId, lead: LeadId, typed: &str) -> Result<String> {
    let sql = "SELECT c.name FROM lead l JOIN customer c ON c.org_id = l.org_id AND c.id = l.customer_id
         WHERE l.org_id = $1 AND l.id = $2";
    let stored = q!(conn, fetch_optional scalar String, sql, org, lead)?.filter(|name| is_person_name(name));
    Ok(format_name_with_typed(stored, typed))
}

fn format_name_with_typed(stored: Option<String>, typed: &str) -> String {
    let plain = |name: &str| name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    match stored {
        Some(stored) if plain(&stored) == plain(typed) => stored,
        Some(stored) => format!("{stored} (wrote: {typed})"),
        None => typed.to_owned(),
    }
}

/// False for the number that replaces a caller's name.
pub(crate) fn is_person_name(name: &str) -> bool {
    name.chars().any(char::is_alphabetic)
}

/// The customer of a number, and their name. A number that is set aside is in the conversation but is not greeted by
/// name.
pub async fn find_by_phone(conn: &mut dyn AsConn, org: OrgId, phone: &Phone) -> Result<Option<(CustomerId, String)>> {
    let sql = "SELECT c.id, c.name FROM customer_key k JOIN customer c ON c.org_id = k.org_id AND c.id = k.customer_id
         WHERE k.org_id = $1 AND k.kind = 'phone' AND k.value = $2";
    let found = q!(&mut *conn, fetch_optional as (CustomerId, String), sql, org, phone.as_e164())?;
    let Some((id, name)) = found else { return Ok(None) };
    let aside = SetAsideContacts::load_for_customer(conn, org, id).await?;
    Ok((!aside.has_contact((ContactPointKind::Phone, phone.as_e164()))).then_some((id, name)))
}

/// The same for a call or text that may be a request for work; none when it gets a new record.
pub(crate) async fn find_caller(
    conn: &mut dyn AsConn,
    org: OrgId,
    phone: &Phone,
    at: DateTime<Utc>,
) -> Result<Option<(CustomerId, String)>> {
    let Some((id, name)) = find_by_phone(&mut *conn, org, phone).await? else { return Ok(None) };
    let is_theirs = keys::belongs_to_conversation(conn, org, id, phone.as_e164(), at).await?;
    Ok(is_theirs.then_some((id, name)))
}

pub(crate) async fn find_conversation_customer(
    conn: &mut dyn AsConn,
    org: OrgId,
    phone: &Phone,
) -> Result<Option<CustomerId>> {
    let sql = "SELECT customer_id FROM customer_key WHERE org_id = $1 AND kind = 'phone' AND value = $2";
    Ok(q!(conn, fetch_optional scalar CustomerId, sql, org, phone.as_e164())?)
}

/// The language for a customer: of earlier messages, else as they write, else the business's.
pub(crate) async fn choose_language(
    conn: &mut dyn AsConn,
    org: OrgId,
    who: &RecognizedCustomer,
    new: &NewLead,
) -> Result<Language> {
    // An unknown address learns nothing from the record.
    let stored = if who.is_new || who.unknown.has_any() {
        None
    } else {
        let sql = "SELECT language FROM customer WHERE org_id = $1 AND id = $2";
        q!(conn, fetch_optional scalar Option<Language>, sql, org, who.id)?.flatten()
    };
    Ok(stored.or_else(|| new.detect_language()).unwrap_or_default())
}

/// Text for the customer search, in lower case: name, number as stored and as displayed, email.
fn build_search_text(name: &str, phone: Option<&str>, email: Option<&str>) -> String {
    let number = phone.unwrap_or_default();
    let shown = Phone::from_e164(number).map(|phone| phone.format_display().into_owned()).unwrap_or_default();
    format!("{name}\n{number}\n{shown}\n{}", email.unwrap_or_default()).to_lowercase()
}

/// Call after a change of a searched field.
pub(crate) async fn update_search_index(tx: &mut Tx, org: OrgId, id: CustomerId) -> Result<()> {
    let found = q!(
        &mut *tx,
        fetch_optional as (String, Option<String>, Option<String>),
        "SELECT name, phone_e164, email FROM customer WHERE org_id = $1 AND id = $2",
        org,
        id
    )?;
    let Some((name, phone, email)) = found else { return Ok(()) };
    let text = build_search_text(&name, phone.as_deref(), email.as_deref());
    let sql = "UPDATE customer SET search = $3, last_word = $4, phone_end = $5
         WHERE org_id = $1 AND id = $2 AND (search <> $3 OR last_word <> $4)";
    q!(tx, execute, sql, org, id, text, last_word(&name), last_digits(phone.as_deref()))?;
    Ok(())
}

/// In lower case, for the search by last name.
fn last_word(name: &str) -> String {
    name.split_whitespace().next_back().unwrap_or_default().to_lowercase()
}

/// The last four digits, for the search by a part of a number.
fn last_digits(phone: Option<&str>) -> Option<&str> {
    let phone = phone?;
    phone.get(phone.len().checked_sub(4)?..)
}

pub(super) fn build_customer_insert<'a>(origin: &ClockRng, org: OrgId, id: CustomerId, new: &'a NewLead) -> Insert<'a> {
    let phone = new.phone_e164.as_ref().map(Phone::as_e164);
    batch_row!(customer {
        org_id: org,
        id,
        name: new.name.as_str(),
        phone_e164: new.phone_e164.clone(),
        email: new.email.clone(),
        language: new.detect_language(),
        search: build_search_text(&new.name, phone, new.email.as_ref().map(EmailAddress::as_str)),
        last_word: last_word(&new.name),
        phone_end: last_digits(phone),
        created_at: origin.now(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_keys_are_the_last_word_and_the_last_four_digits() {
        let table = [("Ann Maria ÁLVAREZ", "álvarez"), ("Bob", "bob"), ("", ""), ("(512) 555-0142", "555-0142")];
        for (name, wanted) in table {
            assert_eq!(last_word(name), wanted, "{name}");
        }
        assert_eq!(last_digits(Some("+15125550142")), Some("0142"));
        assert_eq!((last_digits(Some("+1")), last_digits(None)), (None, None));
    }

    #[test]
    fn typed_name_is_shown_beside_known_name_only_when_different() {
        let shown_name = |known: Option<&str>, typed| format_name_with_typed(known.map(ToOwned::to_owned), typed);
        assert_eq!(shown_name(None, "Mary L."), "Mary L.");
        assert_eq!(shown_name(Some("Maria Lopez"), "Mary L."), "Maria Lopez (wrote: Mary L.)");
        assert_eq!(shown_name(Some("Maria Lopez"), "maria  lopez"), "Maria Lopez");
    }
}
