//! A business: its name, zone and links, the switches and templates it set, and who is told about its leads.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    booking,
    clock::Origin,
    db::{AsConn, Tx, q},
    error::{Error, Result},
    id::OrgId,
    message::Channel,
    settings::PublicUrl,
    template::{Kind, Language, Wording},
};

pub mod editor;
pub mod form;
pub mod keys;
pub mod logo;
pub mod preview;
pub mod recipients;
pub mod settings;
pub mod test_send;
pub mod wordings;

pub use form::{OrgPatch, Organization};
pub use recipients::{Recipients, add as add_recipient};
pub use settings::{Settings, SettingsPatch, SettingsView};
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
    /// The org's own number for texts, E.164; none means the install's.
    pub sms_number: Option<String>,
    /// What a promotional email must show (15 USC 7704(a)(5)).
    pub postal_address: Option<String>,
    /// Where its logo lies in the file store.
    pub logo_key: Option<String>,
    /// "TX Master Plumber M-12345": stands on its papers.
    pub licence_line: Option<String>,
    pub created_at: DateTime<Utc>,
}

impl Org {
    /// The org's zone; a name that this program's zone table does not know falls back to the default.
    #[must_use]
    pub fn zone(&self) -> Tz {
        zone_named(&self.timezone)
    }
}

/// The zone of this name; one that this program's zone table does not know falls back to the default.
#[must_use]
pub fn zone_named(name: &str) -> Tz {
    name.parse().unwrap_or(DEFAULT_TIMEZONE)
}

/// The five switches of the settings page. Each gates its messages when they are sent, not only when they are queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
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

    /// Five letters, `1` for on, in the order of the columns.
    fn read(letters: &str) -> Self {
        let is_on = |at: usize| letters.as_bytes().get(at) == Some(&b'1');
        Self {
            lead_intake: is_on(0),
            automated_communications: is_on(1),
            job_tracking: is_on(2),
            review_collection: is_on(3),
            kpi_reporting: is_on(4),
        }
    }
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
    pub settings: Settings,
    pub wordings: Wordings,
    pub recipients: Vec<Recipient>,
    /// Whether a crew can be booked by customers.
    pub has_bookable_crew: bool,
}

impl Profile {
    /// Whether customers may choose a time by themselves.
    #[must_use]
    pub fn takes_bookings(&self) -> bool {
        self.settings.booking.is_on && self.has_bookable_crew
    }

    /// Where a customer picks a time: the address that the business set, else our own page once a crew can be booked.
    #[must_use]
    pub fn booking_link(&self, url: &PublicUrl) -> Option<String> {
        let ours = || self.takes_bookings().then(|| booking::url(url, &self.org.slug));
        self.org.booking_link.clone().or_else(ours)
    }

    /// The org's own wording, or the default, for somebody who speaks `language`.
    #[must_use]
    pub fn wording(&self, kind: Kind, language: Language) -> Wording {
        self.wordings.get(kind, language)
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

/// Holds the org until the transaction ends, so that two people who change the same page at once do so one after the
/// other.
///
/// # Errors
/// [`Error::NotFound`] when there is no such org.
pub async fn lock(tx: &mut Tx, org: OrgId) -> Result<()> {
    let held = q!(tx, execute, "UPDATE org SET name = name WHERE id = $1", org)?;
    if held == 0 { Err(Error::NotFound) } else { Ok(()) }
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

/// One thing an org has set. Everything is text, so that all of it comes in one round trip.
#[derive(FromRow)]
struct Part {
    #[sqlx(rename = "part")]
    what: String,
    name: String,
    detail: Option<String>,
    subject: Option<String>,
    value: String,
}

/// Recipients come in the order in which they were added.
const PARTS: &str = "
    SELECT 'switches' AS part, '' AS name, CAST(NULL AS TEXT) AS detail, CAST(NULL AS TEXT) AS subject,
        CASE WHEN lead_intake THEN '1' ELSE '0' END || CASE WHEN automated_communications THEN '1' ELSE '0' END
        || CASE WHEN job_tracking THEN '1' ELSE '0' END || CASE WHEN review_collection THEN '1' ELSE '0' END
        || CASE WHEN kpi_reporting THEN '1' ELSE '0' END AS value, CAST(NULL AS TIMESTAMPTZ) AS at
    FROM automation_switch WHERE org_id = $1
    UNION ALL SELECT 'setting', name, NULL, NULL, CAST(value AS TEXT), NULL FROM org_setting WHERE org_id = $1
    UNION ALL SELECT 'template', kind, NULL, NULL, CASE WHEN enabled THEN '1' ELSE '0' END, NULL
    FROM template_switch WHERE org_id = $1
    UNION ALL SELECT 'wording', kind, language, subject, body, NULL FROM wording w
    WHERE org_id = $1 AND NOT is_default AND version = (SELECT MAX(n.version) FROM wording n
        WHERE n.org_id = w.org_id AND n.kind = w.kind AND n.language = w.language)
    UNION ALL SELECT 'recipient', channel, NULL, NULL, address, created_at FROM recipient WHERE org_id = $1
    UNION ALL SELECT 'bookable', '', NULL, NULL, '1', NULL
    WHERE EXISTS (SELECT 1 FROM crew WHERE org_id = $1 AND is_bookable AND is_active)
    ORDER BY at, value";

/// Loads what the rules look at.
pub async fn profile(conn: &mut impl AsConn, org: Org) -> Result<Profile> {
    let parts = q!(conn, fetch_all as Part, PARTS, org.id)?;
    let mut profile = Profile {
        org,
        switches: Switches::ALL_ON,
        settings: Settings::default(),
        wordings: Wordings::default(),
        recipients: Vec::new(),
        has_bookable_crew: false,
    };
    for part in parts {
        profile.take(part);
    }
    Ok(profile)
}

impl Profile {
    /// What this version of the program has no name for is passed over: a newer one wrote it.
    fn take(&mut self, part: Part) {
        let kind = || wordings::kind_of(&part.name);
        match part.what.as_str() {
            "switches" => self.switches = Switches::read(&part.value),
            "setting" => self.settings.take(self.org.id, &part.name, &part.value),
            "template" => {
                if let Some(kind) = kind() {
                    self.wordings.add_switch(kind, part.value == "1");
                }
            }
            "wording" => {
                let language = if part.detail.as_deref() == Some("es") { Language::Es } else { Language::En };
                let words = Words { subject: part.subject.clone(), body: part.value.clone() };
                if let Some(kind) = kind() {
                    self.wordings.add_own(kind, language, words);
                }
            }
            "recipient" => {
                let channel = if part.name == "sms" { Channel::Sms } else { Channel::Email };
                self.recipients.push(Recipient { channel, address: part.value });
            }
            "bookable" => self.has_bookable_crew = true,
            _ => {}
        }
    }
}

/// Stores a change of the settings, and returns what is now set. The caller holds the org ([`lock`]).
///
/// # Errors
/// [`Error::Invalid`], naming every field that does not fit.
pub async fn change_settings(tx: &mut Tx, origin: &Origin, org: OrgId, patch: &SettingsPatch) -> Result<Profile> {
    let org = find(&mut *tx, org).await?.ok_or(Error::NotFound)?;
    let mut profile = profile(&mut *tx, org).await?;
    let next = profile.settings.patched(patch, profile.org.sms_number.as_deref())?;
    next.save(&mut *tx, origin, profile.org.id, &profile.settings).await?;
    profile.settings = next;
    if let Some(switches) = patch.switches {
        profile.switches = switches.applied(profile.switches);
        save_switches(tx, profile.org.id, profile.switches).await?;
    }
    Ok(profile)
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
