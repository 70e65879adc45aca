//! A business: name, time zone, links, and lookup.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use sqlx::FromRow;

use crate::conflicts::ConflictCode;
use crate::platform::{
    clock::ClockRng,
    db::{AsConn, Tx, q},
    error::{Error, Result},
    id::{DEMO_ORG, DEMO_SLUG, OrgId},
    public_url::PublicUrl,
};

mod context;
pub mod editor;
pub mod form;
pub mod keys;
pub mod listener;
pub mod logo;
mod name_check;
mod profile;
pub mod recipients;
pub mod review_site;
pub mod settings;
mod switches;
pub mod wordings;

pub use context::{OrgContext, SendChannels};
pub use editor::{WordingFault, WordingWarning};
pub use form::{OrgPatch, Organization};
pub(crate) use keys::store_former_stripe_keys;
pub use keys::{
    FORMER_KEYS_RETENTION, account_replaced_since, delete_stripe_keys, load_stripe_keys, store_stripe_keys,
};
pub use listener::OrgEvent;
pub(crate) use name_check::{check_business_name, strip_addresses};
pub use profile::{OrgProfile, change_settings, load_profile, store_sending};
pub use recipients::{OrgRecipients, add_recipient, list_recipients};
pub use review_site::{forbids_review_requests, review_site_name};
pub use settings::{
    BookingSettings, CarrierRegistration, DepositPolicy, FigureSettings, HoldoutSettings, JobSettings,
    LeadOwnerSettings, NotificationFrequency, NotificationSchedule, OnCompletion, OrgSettings, PulseFrequency,
    PulseSettings, RequiredPhotos, ReviewRequestTiming, SendingPatch, SendingSettings, SettingsPatch, SettingsView,
};
pub(crate) use settings::{load_program_state, store_program_state};
pub use switches::{FeatureSwitches, load_switches, save_switches};
pub use wordings::{OrgWordings, WordingText, wording_language};

use listener::notify_org_listeners;

/// Default time zone (product).
pub const DEFAULT_TIMEZONE: Tz = chrono_tz::America::Chicago;
/// Default industry (product).
pub const DEFAULT_INDUSTRY: &str = "Contractor";
const RESERVED_SLUGS: [&str; 8] = ["demo", "api", "app", "admin", "lead", "quote", "login", "register"];

#[derive(Clone, Debug, FromRow)]
pub struct Org {
    pub id: OrgId,
    /// Slug in public URLs: `/lead?org=acme-plumbing`.
    pub slug: String,
    pub name: String,
    pub industry: String,
    pub phone: Option<String>,
    pub review_link: Option<String>,
    pub booking_link: Option<String>,
    /// IANA name.
    pub timezone: String,
    /// Its own sending number, E.164. Written by `sending_number` only.
    pub sms_number: Option<String>,
    /// The install's shared Messaging Service, if allowed.
    pub messaging_service: Option<String>,
    /// Required in promotional email (15 USC 7704(a)(5)).
    pub postal_address: Option<String>,
    pub logo_key: Option<String>,
    /// "TX Master Plumber M-12345", printed on documents.
    pub licence_line: Option<String>,
    pub created_at: DateTime<Utc>,
}

#[cfg(test)]
impl Org {
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
    #[must_use]
    pub fn zone(&self) -> Tz {
        zone_named(&self.timezone)
    }

    #[must_use]
    pub fn sender(&self) -> Option<&str> {
        self.sms_number.as_deref().or(self.messaging_service.as_deref())
    }

    /// Whether it can send texts. The demonstration only simulates it.
    #[must_use]
    pub fn has_sender(&self) -> bool {
        self.id == DEMO_ORG || self.sender().is_some()
    }
}

/// The page on which customers book.
#[must_use]
pub fn booking_url(url: &PublicUrl, slug: &str) -> String {
    url.join(&format!("/book/{slug}"))
}

/// An unknown name falls back to the default.
#[must_use]
pub fn zone_named(name: &str) -> Tz {
    name.parse().unwrap_or(DEFAULT_TIMEZONE)
}

/// Creates a business with its switches. The slug is derived from the name; a taken one gets a number.
pub async fn insert(tx: &mut Tx, origin: &ClockRng, name: &str, industry: &str) -> Result<Org> {
    let stem = slug_stem(name);
    for attempt in 1..=200 {
        let slug = if attempt == 1 { stem.clone() } else { format!("{stem}-{attempt}") };
        if RESERVED_SLUGS.contains(&slug.as_str()) {
            continue;
        }
        if let Some(org) = insert_as(tx, origin, (OrgId(origin.uuid_v7()), &slug), name, industry).await? {
            return Ok(org);
        }
    }
    Err(ConflictCode::BusinessNameTooCommon.into_error())
}

/// Creates a business with this id and slug and all initial rows. None when the slug is taken.
pub(crate) async fn insert_as(
    tx: &mut Tx,
    origin: &ClockRng,
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
        save_switches(tx, id, FeatureSwitches::ALL_ON).await?;
        notify_org_listeners(tx, origin, OrgEvent::Created(id, DEFAULT_TIMEZONE)).await?;
    }
    Ok(made)
}

fn slug_stem(name: &str) -> String {
    let stem: String = slug::slugify(name).chars().take(60).collect();
    let stem = stem.trim_matches('-');
    if stem.is_empty() { "business".to_owned() } else { stem.to_owned() }
}

/// Locks the business until the transaction ends, so that concurrent changes run one after the other.
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

/// The business of a public form: the given id or slug, else the install's default, else, where no default is named, the
/// first registered. The demonstration is never a fallback; its slug means the default (decision 8), its id finds it.
///
/// # Errors
/// [`Error::NotFound`] when the given one does not exist, [`Error::NoBusiness`] when the default one is not registered, or
/// none is.
pub async fn resolve_public(conn: &mut dyn AsConn, asked: Option<&str>, default_slug: Option<&str>) -> Result<Org> {
    if let Some(name) = asked.filter(|name| *name != DEMO_SLUG) {
        return named(conn, name).await?.ok_or(Error::NotFound);
    }
    if let Some(name) = default_slug.filter(|name| *name != DEMO_SLUG) {
        // The first to register must not get what is meant for this business.
        return named(conn, &name.to_lowercase()).await?.ok_or(Error::NoBusiness);
    }
    q!(conn, fetch_optional as Org, "SELECT * FROM org WHERE id <> $1 ORDER BY created_at, id LIMIT 1", DEMO_ORG)?
        .ok_or(Error::NoBusiness)
}

async fn named(conn: &mut dyn AsConn, name: &str) -> Result<Option<Org>> {
    match name.parse() {
        Ok(id) => find(conn, OrgId(id)).await,
        Err(_) => find_by_slug(conn, name).await,
    }
}

/// Puts the default time zone in place, with its consequences.
pub(crate) async fn reset_time_zone(tx: &mut Tx, origin: &ClockRng, id: OrgId) -> Result<()> {
    let sql = "UPDATE org SET timezone = $2 WHERE id = $1 AND timezone <> $2";
    if q!(&mut *tx, execute, sql, id, DEFAULT_TIMEZONE.name())? == 0 {
        return Ok(());
    }
    let changed = find(&mut *tx, id).await?.ok_or(Error::NotFound)?;
    notify_org_listeners(tx, origin, OrgEvent::ZoneChanged(&changed)).await
}

pub(crate) async fn store_second_factor_rule(tx: &mut Tx, org: OrgId, is_required: bool) -> Result<()> {
    q!(tx, execute, "UPDATE org SET requires_second_factor = $2 WHERE id = $1", org, is_required)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slug_stem_is_lowercase_ascii_with_hyphens() {
        assert_eq!(slug_stem("Joe's Plumbing & Heating"), "joe-s-plumbing-heating");
        assert_eq!(slug_stem("Ñandú Électrique"), "nandu-electrique");
        assert_eq!(slug_stem("!!!"), "business");
    }
}
