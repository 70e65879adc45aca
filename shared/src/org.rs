//! A business: its name, zone and links, the switches and templates it set, and who is told about its leads.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use sqlx::FromRow;

use crate::{
    clock::Origin,
    db::{AsConn, Tx, q},
    error::{Error, Result},
    id::OrgId,
    message::Channel,
    template::{Kind, Wording},
};

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
    /// The org's own number for texts, E.164; none means the install's.
    pub sms_number: Option<String>,
    pub created_at: DateTime<Utc>,
}

impl Org {
    /// The org's zone; a name that this program's zone table does not know falls back to the default.
    #[must_use]
    pub fn zone(&self) -> Tz {
        self.timezone.parse().unwrap_or(DEFAULT_TIMEZONE)
    }
}

/// The five switches of the settings page. Each gates its messages when they are sent, not only when they are queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct Switches {
    pub lead_intake: bool,
    pub automated_communications: bool,
    pub job_tracking: bool,
    pub review_collection: bool,
    pub kpi_reporting: bool,
}

impl Switches {
    /// A new business has everything on: it came for the automation.
    pub const ALL_ON: Self = Self {
        lead_intake: true,
        automated_communications: true,
        job_tracking: true,
        review_collection: true,
        kpi_reporting: true,
    };
}

/// One address that is told about new leads.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Recipient {
    pub channel: Channel,
    pub address: String,
}

/// Everything the rules look at for one org.
#[derive(Clone, Debug)]
pub struct Profile {
    pub org: Org,
    pub switches: Switches,
    pub templates: Vec<(Kind, Wording)>,
    pub recipients: Vec<Recipient>,
}

impl Profile {
    /// The org's own wording, or the default.
    #[must_use]
    pub fn wording(&self, kind: Kind) -> Wording {
        self.templates.iter().find(|(k, _)| *k == kind).map_or_else(|| kind.default_wording(), |(_, w)| w.clone())
    }
}

/// Creates an org with its switches. The slug comes from the name; a taken one gets a number.
pub async fn insert(tx: &mut Tx, origin: &Origin, name: &str, industry: &str) -> Result<Org> {
    let id = OrgId(origin.uuid());
    let now = origin.now();
    let stem = slug_stem(name);
    for attempt in 1..=200 {
        let slug = if attempt == 1 { stem.clone() } else { format!("{stem}-{attempt}") };
        if RESERVED_SLUGS.contains(&slug.as_str()) {
            continue;
        }
        let made = q!(
            &mut *tx,
            fetch_optional as Org,
            "INSERT INTO org (id, slug, name, industry, timezone, created_at) VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (slug) DO NOTHING RETURNING *",
            id,
            &slug,
            name,
            industry,
            DEFAULT_TIMEZONE.name(),
            now
        )?;
        if let Some(org) = made {
            save_switches(tx, id, Switches::ALL_ON).await?;
            return Ok(org);
        }
    }
    Err(Error::Conflict("Too many businesses share this name. Please choose another."))
}

fn slug_stem(name: &str) -> String {
    let stem: String = slug::slugify(name).chars().take(60).collect();
    let stem = stem.trim_matches('-');
    if stem.is_empty() { "business".to_owned() } else { stem.to_owned() }
}

/// Stores the five switches.
pub async fn save_switches(tx: &mut Tx, org: OrgId, on: Switches) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO automation_switch (org_id, lead_intake, automated_communications, job_tracking, review_collection, kpi_reporting)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (org_id) DO UPDATE SET lead_intake = excluded.lead_intake,
             automated_communications = excluded.automated_communications, job_tracking = excluded.job_tracking,
             review_collection = excluded.review_collection, kpi_reporting = excluded.kpi_reporting",
        org,
        on.lead_intake,
        on.automated_communications,
        on.job_tracking,
        on.review_collection,
        on.kpi_reporting
    )?;
    Ok(())
}

/// Adds an address to tell; one that is already there is left as it is.
pub async fn add_recipient(tx: &mut Tx, origin: &Origin, org: OrgId, recipient: &Recipient) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO recipient (org_id, id, channel, address, created_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (org_id, channel, address) DO NOTHING",
        org,
        origin.uuid(),
        recipient.channel,
        &recipient.address,
        origin.now()
    )?;
    Ok(())
}

/// Stores an org's own wording of one template.
pub async fn save_wording(tx: &mut Tx, origin: &Origin, org: OrgId, kind: Kind, wording: &Wording) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO template (org_id, kind, enabled, subject, body, updated_at) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (org_id, kind) DO UPDATE SET enabled = excluded.enabled, subject = excluded.subject,
             body = excluded.body, updated_at = excluded.updated_at",
        org,
        kind,
        wording.enabled,
        wording.subject.as_deref(),
        &wording.body,
        origin.now()
    )?;
    Ok(())
}

pub async fn find(conn: &mut impl AsConn, org: OrgId) -> Result<Option<Org>> {
    Ok(q!(conn, fetch_optional as Org, "SELECT * FROM org WHERE id = $1", org)?)
}

pub async fn find_by_slug(conn: &mut impl AsConn, slug: &str) -> Result<Option<Org>> {
    Ok(q!(conn, fetch_optional as Org, "SELECT * FROM org WHERE slug = $1", slug)?)
}

/// The org behind a public form: the one asked for by id or slug, else the install's default, else the first
/// registered.
///
/// # Errors
/// [`Error::NoBusiness`] when none is registered.
pub async fn resolve_public(conn: &mut impl AsConn, asked: Option<&str>, default_slug: Option<&str>) -> Result<Org> {
    for name in [asked, default_slug].into_iter().flatten() {
        let found = match name.parse() {
            Ok(id) => find(conn, OrgId(id)).await?,
            Err(_) => find_by_slug(conn, name).await?,
        };
        if let Some(org) = found {
            return Ok(org);
        }
    }
    q!(conn, fetch_optional as Org, "SELECT * FROM org ORDER BY created_at, id LIMIT 1")?.ok_or(Error::NoBusiness)
}

/// Loads what the rules look at.
pub async fn profile(conn: &mut impl AsConn, org: Org) -> Result<Profile> {
    let switches = q!(conn, fetch_optional as Switches, "SELECT * FROM automation_switch WHERE org_id = $1", org.id)?;
    let templates = q!(
        conn,
        fetch_all as (Kind, bool, Option<String>, String),
        "SELECT kind, enabled, subject, body FROM template WHERE org_id = $1",
        org.id
    )?;
    let recipients = q!(
        conn,
        fetch_all as Recipient,
        "SELECT channel, address FROM recipient WHERE org_id = $1 ORDER BY created_at, id",
        org.id
    )?;
    let templates = templates.into_iter().map(|(k, enabled, subject, body)| (k, Wording { enabled, subject, body }));
    Ok(Profile { switches: switches.unwrap_or(Switches::ALL_ON), templates: templates.collect(), recipients, org })
}

/// The switches as they stand now: asked again at send time.
pub async fn switches(conn: &mut impl AsConn, org: OrgId) -> Result<Switches> {
    let found = q!(conn, fetch_optional as Switches, "SELECT * FROM automation_switch WHERE org_id = $1", org)?;
    Ok(found.unwrap_or(Switches::ALL_ON))
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
