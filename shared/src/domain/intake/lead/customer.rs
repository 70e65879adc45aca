//! The person behind leads, recognised by phone or email, and the number they used last.
//!
//! A public form tells who is meant, and proves nothing: what it names beside the address by which somebody is known is
//! not made theirs (`contact_point`).

use chrono::{DateTime, Duration, Utc};

use super::{Form, NewLead};
use crate::{
    documents::template::Language,
    domain::intake::contact_point::{self, Kind, Proof, proposal, set_aside::SetAside, typed},
    platform::{
        clock::Origin,
        db::{
            AsConn, Tx,
            batch::{Insert, insert_all, values},
            q,
        },
        error::Result,
        id::{CustomerId, LeadId, OrgId},
        phone::Phone,
    },
};

mod keys;

/// A number that took no texts is tried again after this time: it may be a mobile phone's by then (features 17).
const REFUSED_FOR: Duration = Duration::days(90);

/// Who asked, and whether we have met before.
#[derive(Clone, Copy, Debug)]
pub struct Recognised {
    pub id: CustomerId,
    pub is_new: bool,
    /// What was typed, called or texted from that is not on file for this person.
    pub unknown: Unknown,
    /// What a new person typed that stays another record's key.
    pub elsewhere: Unknown,
}

/// Addresses of a request that are not the recognised person's, or not their keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unknown {
    pub phone: bool,
    pub email: bool,
}

impl Unknown {
    #[must_use]
    pub fn any(self) -> bool {
        self.phone || self.email
    }
}

impl Recognised {
    fn new(id: CustomerId) -> Self {
        Self { id, is_new: true, unknown: Unknown::default(), elsewhere: Unknown::default() }
    }

    /// Somebody who is on file already.
    fn known(id: CustomerId, unknown: Unknown) -> Self {
        Self { id, is_new: false, unknown, elsewhere: Unknown::default() }
    }
}

/// Finds the person, or takes a new id for one: then the caller stores [`row`]. The phone decides where phone and
/// email belong to two people. What only a form typed for somebody who is known otherwise finds nobody, and where only
/// forms and presses know somebody, a form that leaves out one of their addresses makes a record of its own.
pub async fn recognise(tx: &mut Tx, origin: &Origin, org: OrgId, new: &NewLead) -> Result<Recognised> {
    let fresh = CustomerId(origin.uuid());
    let held = keys::hold(&mut *tx, origin, org, new, fresh).await?;
    let Some(id) = keys::identified(&mut *tx, origin, org, new, (&held, fresh)).await? else {
        // A number that is taken over was somebody's: its caller is a person of their own now.
        return if keys::take_over(&mut *tx, origin, org, new, (&held, fresh)).await? || new.is_public() {
            Ok(Recognised { elsewhere: keys::elsewhere(new, (&held, fresh)), ..Recognised::new(fresh) })
        } else {
            answers_a_form(tx, origin, org, new, fresh).await
        };
    };
    if new.is_public() {
        let at = new.happened_at.unwrap_or(origin.now());
        leave_out_unnamed(&mut *tx, org, id, new, at).await?;
        typed::set_aside_pressed(&mut *tx, org, id, keys::named(new), at).await?;
        let unknown = unknown(&mut *tx, org, id, new).await?;
        // Taken above to make others wait; it is nobody's.
        let sql = "DELETE FROM customer_key WHERE org_id = $1 AND customer_id = $2";
        q!(tx, execute, sql, org, fresh)?;
        return Ok(Recognised::known(id, unknown));
    }
    if held.iter().any(|key| key.customer_id == fresh) {
        // A known person with a new number or address.
        let sql = "UPDATE customer_key SET customer_id = $3 WHERE org_id = $1 AND customer_id = $2";
        q!(&mut *tx, execute, sql, org, fresh, id)?;
    }
    // The office says who is meant. A number that only answered a form is in the conversation, and no more.
    let unknown = if new.form == Form::Typed { Unknown::default() } else { unknown(tx, org, id, new).await? };
    Ok(Recognised::known(id, unknown))
}

/// Sets aside what a form typed beside the proven addresses of this person and this request leaves out.
pub(super) async fn leave_out_unnamed(
    tx: &mut Tx,
    org: OrgId,
    id: CustomerId,
    new: &NewLead,
    at: DateTime<Utc>,
) -> Result<()> {
    typed::set_aside_unnamed(tx, org, id, keys::named(new), at).await
}

/// Which of the addresses that were used or typed are not on file for this person.
async fn unknown(tx: &mut Tx, org: OrgId, id: CustomerId, new: &NewLead) -> Result<Unknown> {
    let mut unknown = Unknown::default();
    if let Some(phone) = &new.phone_e164 {
        unknown.phone = !contact_point::is_on_file(&mut *tx, org, id, (Kind::Phone, phone.as_e164())).await?;
    }
    if let Some(email) = &new.email {
        unknown.email = !contact_point::is_on_file(tx, org, id, (Kind::Email, email)).await?;
    }
    Ok(unknown)
}

/// A caller or texter from a number that a form named for somebody who is known by more than forms and links is in that
/// conversation; else they are new.
async fn answers_a_form(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    new: &NewLead,
    fresh: CustomerId,
) -> Result<Recognised> {
    let proof = Proof::of_form(new.form);
    let phone = new.phone_e164.as_ref().filter(|_| matches!(proof, Proof::Called | Proof::Texted));
    let Some(phone) = phone else { return Ok(Recognised::new(fresh)) };
    let named = proposal::named_for(&mut *tx, org, phone, origin.now()).await?;
    let Some(id) = named else { return Ok(Recognised::new(fresh)) };
    if !keys::takes_in(&mut *tx, org, id, new.happened_at.unwrap_or(origin.now())).await? {
        return Ok(Recognised::new(fresh));
    }
    let point = (Kind::Phone, phone.as_e164());
    let proof = proposal::answered(&mut *tx, origin, org, id, point, proof).await?;
    let sql = "UPDATE customer_key SET customer_id = $3, proof = $4 WHERE org_id = $1 AND customer_id = $2";
    q!(&mut *tx, execute, sql, org, fresh, id, proof)?;
    Ok(Recognised::known(id, unknown(tx, org, id, new).await?))
}

/// The person, made known if they were not: somebody who wrote to us without asking for work.
pub(crate) async fn meet(tx: &mut Tx, origin: &Origin, org: OrgId, new: &NewLead) -> Result<CustomerId> {
    let who = recognise(&mut *tx, origin, org, new).await?;
    if who.is_new {
        insert_all(tx, &[row(origin, org, who.id, new)]).await?;
    }
    Ok(who.id)
}

/// A known person uses their number or address at `at`, and `proof` says how: what was not known of them is filled in,
/// and replies go to the number that was used last. What is another person's stays theirs. A public form
/// ([`Proof::Form`]) changes nothing.
pub(crate) async fn uses(
    tx: &mut Tx,
    org: OrgId,
    id: CustomerId,
    (phone, email): (Option<&Phone>, Option<&str>),
    proof: Proof,
    at: DateTime<Utc>,
) -> Result<()> {
    if proof == Proof::Form {
        return Ok(());
    }
    if let Some(phone) = phone {
        contact_point::prove(&mut *tx, org, id, (Kind::Phone, phone.as_e164()), proof, at).await?;
        uses_number(tx, org, id, phone, at).await?;
    }
    let Some(email) = email else { return Ok(()) };
    contact_point::prove(&mut *tx, org, id, (Kind::Email, email), proof, at).await?;
    let named = q!(
        &mut *tx,
        execute,
        "UPDATE customer SET email = $3 WHERE org_id = $1 AND id = $2 AND email IS NULL AND EXISTS (
             SELECT 1 FROM customer_key k WHERE k.org_id = $1 AND k.kind = 'email' AND k.value = $3 AND k.customer_id = $2)",
        org,
        id,
        email
    )?;
    if named > 0 { index(tx, org, id).await } else { Ok(()) }
}

pub(crate) async fn uses_number(
    tx: &mut Tx,
    org: OrgId,
    id: CustomerId,
    phone: &Phone,
    at: DateTime<Utc>,
) -> Result<()> {
    let used = q!(
        &mut *tx,
        execute,
        "UPDATE customer_key SET last_used_at = $4 WHERE org_id = $1 AND customer_id = $2 AND kind = 'phone' AND value = $3
             AND proof <> 'answered' AND (last_used_at IS NULL OR last_used_at <= $4)",
        org,
        id,
        phone.as_e164(),
        at
    )?;
    let is_newer =
        "SELECT NOT EXISTS (SELECT 1 FROM customer_key WHERE org_id = $1 AND customer_id = $2 AND kind = 'phone'
         AND value <> $3 AND proof <> 'answered' AND last_used_at > $4)";
    if used == 0 || !q!(&mut *tx, fetch_one scalar bool, is_newer, org, id, phone.as_e164(), at)? {
        return Ok(());
    }
    let shown = phone.shown();
    let digits: String = shown.chars().filter(char::is_ascii_digit).collect();
    // The lead before the customer, as everywhere: two requests of one person then wait, and do not block each other.
    q!(
        &mut *tx,
        execute,
        "UPDATE lead SET phone = $4, phone_e164 = $3, search = CASE WHEN search LIKE $5 THEN search ELSE search || $6 END
         WHERE org_id = $1 AND customer_id = $2 AND stage IN ('new', 'quoted', 'scheduled')
             AND (phone_e164 IS NULL OR phone_e164 <> $3)",
        org,
        id,
        phone.as_e164(),
        shown.as_ref(),
        format!("%{digits}%"),
        format!("\n{shown}\n{digits}")
    )?;
    let sql = "UPDATE customer SET phone_e164 = $3 WHERE org_id = $1 AND id = $2 AND (phone_e164 IS NULL OR phone_e164 <> $3)";
    if q!(&mut *tx, execute, sql, org, id, phone.as_e164())? > 0 { index(tx, org, id).await } else { Ok(()) }
}

/// From when on a refusal still holds.
pub(crate) fn refused_after(now: DateTime<Utc>) -> DateTime<Utc> {
    now - REFUSED_FOR
}

/// The phone network says that a number takes no texts.
pub(crate) async fn refuses_texts(tx: &mut Tx, org: OrgId, number: &str, now: DateTime<Utc>) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE customer_key SET no_sms_since = $3 WHERE org_id = $1 AND kind = 'phone' AND value = $2
             AND (no_sms_since IS NULL OR no_sms_since <= $4)",
        org,
        number,
        now,
        refused_after(now)
    )?;
    Ok(())
}

/// A text came from a number: it takes them, whatever was said of it.
pub(crate) async fn takes_texts(tx: &mut Tx, org: OrgId, phone: &Phone) -> Result<()> {
    let sql = "UPDATE customer_key SET no_sms_since = NULL WHERE org_id = $1 AND kind = 'phone' AND value = $2
        AND no_sms_since IS NOT NULL";
    q!(tx, execute, sql, org, phone.as_e164())?;
    Ok(())
}

/// Their numbers but one, as people read them, the last used first.
pub(crate) async fn other_numbers(
    conn: &mut dyn AsConn,
    org: OrgId,
    id: CustomerId,
    but: Option<&str>,
) -> Result<Vec<Phone>> {
    let mut found = q!(
        conn,
        fetch_all as (String, Option<DateTime<Utc>>),
        "SELECT value, last_used_at FROM customer_key WHERE org_id = $1 AND customer_id = $2 AND kind = 'phone'
             AND value <> $3 ORDER BY value",
        org,
        id,
        but.unwrap_or_default()
    )?;
    found.sort_by_key(|(_, at)| std::cmp::Reverse(*at));
    // Hidden callers have no number.
    Ok(found.iter().filter_map(|(value, _)| Phone::parse(value)).collect())
}

/// The name a known person has; none where only their number is known.
pub(super) async fn name(conn: &mut dyn AsConn, org: OrgId, id: CustomerId) -> Result<Option<String>> {
    let sql = "SELECT name FROM customer WHERE org_id = $1 AND id = $2";
    let found = q!(conn, fetch_optional scalar String, sql, org, id)?;
    Ok(found.filter(|name| is_named(name)))
}

/// The name by which the business hears of who sent a public form: a customer's own, with what was typed where that is
/// another one. "Maria Lopez (wrote: Mary L.)".
pub(crate) async fn told_as(conn: &mut dyn AsConn, org: OrgId, lead: LeadId, typed: &str) -> Result<String> {
    let sql = "SELECT c.name FROM lead l JOIN customer c ON c.org_id = l.org_id AND c.id = l.customer_id
         WHERE l.org_id = $1 AND l.id = $2";
    let known = q!(conn, fetch_optional scalar String, sql, org, lead)?.filter(|name| is_named(name));
    Ok(with_typed(known, typed))
}

fn with_typed(known: Option<String>, typed: &str) -> String {
    let plain = |name: &str| name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    match known {
        Some(known) if plain(&known) == plain(typed) => known,
        Some(known) => format!("{known} (wrote: {typed})"),
        None => typed.to_owned(),
    }
}

/// Whether this is a name, and not the number under which somebody stands who only called.
pub(super) fn is_named(name: &str) -> bool {
    name.chars().any(char::is_alphabetic)
}

/// The person behind a number, and the name they are known by. A number that is set aside is in their conversation, and
/// is not greeted by their name.
pub async fn by_phone(conn: &mut dyn AsConn, org: OrgId, phone: &Phone) -> Result<Option<(CustomerId, String)>> {
    let sql = "SELECT c.id, c.name FROM customer_key k JOIN customer c ON c.org_id = k.org_id AND c.id = k.customer_id
         WHERE k.org_id = $1 AND k.kind = 'phone' AND k.value = $2";
    let found = q!(&mut *conn, fetch_optional as (CustomerId, String), sql, org, phone.as_e164())?;
    let Some((id, name)) = found else { return Ok(None) };
    let aside = SetAside::of(conn, org, id).await?;
    Ok((!aside.has((Kind::Phone, phone.as_e164()))).then_some((id, name)))
}

/// The same for a call or a text that may ask for work: none where it makes a record of its own.
pub(crate) async fn caller(
    conn: &mut dyn AsConn,
    org: OrgId,
    phone: &Phone,
    at: DateTime<Utc>,
) -> Result<Option<(CustomerId, String)>> {
    let Some((id, name)) = by_phone(&mut *conn, org, phone).await? else { return Ok(None) };
    let is_theirs = keys::is_in_conversation(conn, org, id, phone.as_e164(), at).await?;
    Ok(is_theirs.then_some((id, name)))
}

/// Whose conversation a number is in, whatever proves it.
pub(crate) async fn in_conversation(conn: &mut dyn AsConn, org: OrgId, phone: &Phone) -> Result<Option<CustomerId>> {
    let sql = "SELECT customer_id FROM customer_key WHERE org_id = $1 AND kind = 'phone' AND value = $2";
    Ok(q!(conn, fetch_optional scalar CustomerId, sql, org, phone.as_e164())?)
}

/// What this person reads: as they were spoken to before, else as they write, else as the business speaks.
pub(super) async fn language(conn: &mut dyn AsConn, org: OrgId, who: &Recognised, new: &NewLead) -> Result<Language> {
    // An address that is not theirs is told nothing that is on file.
    let known = if who.is_new || who.unknown.any() {
        None
    } else {
        let sql = "SELECT language FROM customer WHERE org_id = $1 AND id = $2";
        q!(conn, fetch_optional scalar Option<Language>, sql, org, who.id)?.flatten()
    };
    Ok(known.or_else(|| new.language()).unwrap_or_default())
}

/// What the search for people looks in: the name, the number as it is stored and as it is read, the address; in lower
/// case.
fn search_text(name: &str, phone: Option<&str>, email: Option<&str>) -> String {
    let number = phone.unwrap_or_default();
    let shown = Phone::stored(number).map(|phone| phone.shown().into_owned()).unwrap_or_default();
    format!("{name}\n{number}\n{shown}\n{}", email.unwrap_or_default()).to_lowercase()
}

/// After something of a person changed that people are searched by.
pub(crate) async fn index(tx: &mut Tx, org: OrgId, id: CustomerId) -> Result<()> {
    let found = q!(
        &mut *tx,
        fetch_optional as (String, Option<String>, Option<String>),
        "SELECT name, phone_e164, email FROM customer WHERE org_id = $1 AND id = $2",
        org,
        id
    )?;
    let Some((name, phone, email)) = found else { return Ok(()) };
    let text = search_text(&name, phone.as_deref(), email.as_deref());
    let sql = "UPDATE customer SET search = $3 WHERE org_id = $1 AND id = $2 AND search <> $3";
    q!(tx, execute, sql, org, id, text)?;
    Ok(())
}

/// The row of a new person.
pub(super) fn row<'a>(origin: &Origin, org: OrgId, id: CustomerId, new: &'a NewLead) -> Insert<'a> {
    let phone = new.phone_e164.as_ref().map(Phone::as_e164);
    Insert::into("customer (org_id, id, name, phone_e164, email, language, search, created_at)").row(values![
        org,
        id,
        new.name.as_str(),
        new.phone_e164.clone(),
        new.email.as_deref(),
        new.language(),
        search_text(&new.name, phone, new.email.as_deref()),
        origin.now()
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_form_typed_stands_beside_a_known_name_only_where_it_is_another() {
        let told = |known: Option<&str>, typed| with_typed(known.map(ToOwned::to_owned), typed);
        assert_eq!(told(None, "Mary L."), "Mary L.");
        assert_eq!(told(Some("Maria Lopez"), "Mary L."), "Maria Lopez (wrote: Mary L.)");
        assert_eq!(told(Some("Maria Lopez"), "maria  lopez"), "Maria Lopez");
    }
}
