//! A business: its name, zone and links, and how it is found.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use sqlx::FromRow;

use crate::{
    domain::growth::{kpi_pulse, metrics},
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{DEMO_ORG, DEMO_SLUG, OrgId},
    },
};

pub mod editor;
pub mod form;
pub mod keys;
pub mod logo;
pub mod preview;
mod profile;
pub mod recipients;
pub mod settings;
mod switches;
pub mod test_send;
pub mod wordings;

pub use form::{OrgPatch, Organization};
pub use profile::{Profile, Recipient, change_settings, profile};
pub use recipients::{Recipients, add as add_recipient};
pub use settings::{Settings, SettingsPatch, SettingsView};
pub use switches::{Switches, save_switches, switches};
pub use wordings::{Wordings, Words};

/// The zone of an org that has not chosen one (product: default).
pub const DEFAULT_TIMEZONE: Tz = chrono_tz::America::Chicago;
/// The industry of an org that did not say (product: 'Contractor').
pub const DEFAULT_INDUSTRY: &str = "Contractor";
/// Slugs that are words of our own addresses.
const RESERVED_SLUGS: [&str; 8] = ["demo", "api", "app", "admin", "lead", "quote", "login", "register"];

#[derive(Clone, Debug, FromRow)]
pub struct Org {
    pub id: OrgId,
    /// The name in public addresses: `/lead?org=acme-plumbing`.
    pub slug: String,
    pub name: String,
    pub industry: String,
    pub phone: Option<String>,
    pub review_link: Option<String>,
    pub booking_link: Option<String>,
    /// IANA name.
    pub timezone: String,
    /// The number it sends from, E.164. Only `sending_number` writes it.
    pub sms_number: Option<String>,
    /// The install's Messaging Service, where it may send by that.
    pub messaging_service: Option<String>,
    /// What a promotional email must show (15 USC 7704(a)(5)).
    pub postal_address: Option<String>,
    /// Where its logo lies in the file store.
    pub logo_key: Option<String>,
    /// "TX Master Plumber M-12345": stands on its papers.
    pub licence_line: Option<String>,
    pub created_at: DateTime<Utc>,
}

#[cfg(test)]
impl Org {
    /// The business of the tests.
    pub(crate) fn acme() -> Self {
        Self {
            id: OrgId(uuid::Uuid::nil()),
            slug: "acme".into(),
            name: "Acme Plumbing".into(),
            industry: "Contractor".into(),
            phone: Some("(512) 555-0100".into()),
            review_link: None,
            booking_link: None,
            timezone: "America/Chicago".into(),
            sms_number: Some("+15125550100".into()),
            messaging_service: None,
            postal_address: None,
            logo_key: None,
            licence_line: None,
            created_at: DateTime::UNIX_EPOCH,
        }
    }
}

impl Org {
    /// The org's zone; a name that this program's zone table does not know falls back to the default.
    #[must_use]
    pub fn zone(&self) -> Tz {
        zone_named(&self.timezone)
    }

    /// What its texts leave from; none when it has no number and shares no service.
    #[must_use]
    pub fn sender(&self) -> Option<&str> {
        self.sms_number.as_deref().or(self.messaging_service.as_deref())
    }

    /// Whether it has something to send texts from. The demonstration only pretends to.
    #[must_use]
    pub fn has_sender(&self) -> bool {
        self.id == DEMO_ORG || self.sender().is_some()
    }
}

/// The zone of this name; one that this program's zone table does not know falls back to the default.
#[must_use]
pub fn zone_named(name: &str) -> Tz {
    name.parse().unwrap_or(DEFAULT_TIMEZONE)
}

/// Creates an org with its switches. The slug comes from the name; a taken one gets a number.
pub async fn insert(tx: &mut Tx, origin: &Origin, name: &str, industry: &str) -> Result<Org> {
    let stem = slug_stem(name);
    for attempt in 1..=200 {
        let slug = if attempt == 1 { stem.clone() } else { format!("{stem}-{attempt}") };
        if RESERVED_SLUGS.contains(&slug.as_str()) {
            continue;
        }
        if let Some(org) = insert_as(tx, origin, (OrgId(origin.uuid()), &slug), name, industry).await? {
            return Ok(org);
        }
    }
    Err(Error::Conflict("Too many businesses share this name. Please choose another."))
}

/// Creates an org under this id and slug, with what every org begins with. None when the slug is taken.
pub(crate) async fn insert_as(
    tx: &mut Tx,
    origin: &Origin,
    (id, slug): (OrgId, &str),
    name: &str,
    industry: &str,
) -> Result<Option<Org>> {
    let now = origin.now();
    let made = q!(
        &mut *tx,
        fetch_optional as Org,
        "INSERT INTO org (id, slug, name, industry, timezone, created_at) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (slug) DO NOTHING RETURNING *",
        id,
        slug,
        name,
        industry,
        DEFAULT_TIMEZONE.name(),
        now
    )?;
    if made.is_some() {
        tx.guard_writable(id);
        save_switches(tx, id, Switches::ALL_ON).await?;
        metrics::recount::begin(&mut *tx, id, DEFAULT_TIMEZONE, now).await?;
        kpi_pulse::plan::begin(tx, id, DEFAULT_TIMEZONE, now).await?;
    }
    Ok(made)
}

fn slug_stem(name: &str) -> String {
    let stem: String = slug::slugify(name).chars().take(60).collect();
    let stem = stem.trim_matches('-');
    if stem.is_empty() { "business".to_owned() } else { stem.to_owned() }
}

/// Holds the org until the transaction ends, so that two people who change the same page at once do so one after the
/// other.
///
/// # Errors
/// [`Error::NotFound`] when there is no such org.
pub async fn lock(tx: &mut Tx, org: OrgId) -> Result<()> {
    tx.guard_writable(org);
    let held = q!(tx, execute, "UPDATE org SET name = name WHERE id = $1", org)?;
    if held == 0 { Err(Error::NotFound) } else { Ok(()) }
}

pub async fn all_ids(conn: &mut dyn AsConn) -> Result<Vec<OrgId>> {
    Ok(q!(conn, fetch_all scalar OrgId, "SELECT id FROM org ORDER BY id")?)
}

pub async fn find(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<Org>> {
    Ok(q!(conn, fetch_optional as Org, "SELECT * FROM org WHERE id = $1", org)?)
}

pub async fn find_by_slug(conn: &mut dyn AsConn, slug: &str) -> Result<Option<Org>> {
    Ok(q!(conn, fetch_optional as Org, "SELECT * FROM org WHERE slug = $1", slug)?)
}

/// The org behind a public form: the one asked for by id or slug; where none is asked for, the install's default, else
/// the first registered. The demonstration is neither of the two, and its slug is the placeholder that means the default
/// (decision 8); asked for by its id it is found.
///
/// # Errors
/// [`Error::NotFound`] when the one asked for does not exist, or [`Error::NoBusiness`] when none is registered.
pub async fn resolve_public(conn: &mut dyn AsConn, asked: Option<&str>, default_slug: Option<&str>) -> Result<Org> {
    if let Some(name) = asked.filter(|name| *name != DEMO_SLUG) {
        return named(conn, name).await?.ok_or(Error::NotFound);
    }
    if let Some(name) = default_slug.filter(|name| *name != DEMO_SLUG)
        && let Some(org) = named(&mut *conn, name).await?
    {
        return Ok(org);
    }
    q!(conn, fetch_optional as Org, "SELECT * FROM org WHERE id <> $1 ORDER BY created_at, id LIMIT 1", DEMO_ORG)?
        .ok_or(Error::NoBusiness)
}

/// The org of this id or slug.
async fn named(conn: &mut dyn AsConn, name: &str) -> Result<Option<Org>> {
    match name.parse() {
        Ok(id) => find(conn, OrgId(id)).await,
        Err(_) => find_by_slug(conn, name).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_plain_words() {
        assert_eq!(slug_stem("Joe's Plumbing & Heating"), "joe-s-plumbing-heating");
        assert_eq!(slug_stem("Ñandú Électrique"), "nandu-electrique");
        assert_eq!(slug_stem("!!!"), "business");
    }
}
