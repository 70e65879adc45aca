//! Everything the rules look at for one business, in one read: what it set, what it says, and whom it tells.

use sqlx::FromRow;

use super::{Org, Settings, SettingsPatch, Switches, Wordings, Words, find, save_switches, wordings};
use crate::{
    documents::template::{Kind, Language, Wording},
    domain::{growth::kpi_pulse, messaging::message::Channel, work::booking},
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::OrgId,
        public_url::PublicUrl,
    },
};

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
    /// Whether alerts go to a device.
    pub has_device: bool,
    /// Whether they reach one of the owner or the office: one that takes them, and took the last one.
    pub reaches_office: bool,
    /// Whether another program listens for what happens.
    pub has_hook: bool,
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
    UNION ALL SELECT 'device', '', NULL, NULL, '1', NULL
    WHERE EXISTS (SELECT 1 FROM push_device WHERE org_id = $1 AND dead_at IS NULL)
    UNION ALL SELECT 'office', '', NULL, NULL, '1', NULL
    WHERE EXISTS (SELECT 1 FROM push_device d JOIN account a ON a.org_id = d.org_id AND a.id = d.account_id
        WHERE d.org_id = $1 AND d.dead_at IS NULL AND d.fault IS NULL AND a.is_active = TRUE
            AND a.role IN ('owner', 'office'))
    UNION ALL SELECT 'hook', '', NULL, NULL, '1', NULL
    WHERE EXISTS (SELECT 1 FROM hook WHERE org_id = $1 AND is_on = TRUE AND stopped_at IS NULL)
    ORDER BY at, value";

/// Loads what the rules look at.
pub async fn profile(conn: &mut dyn AsConn, org: Org) -> Result<Profile> {
    let parts = q!(conn, fetch_all as Part, PARTS, org.id)?;
    let mut profile = Profile {
        org,
        switches: Switches::ALL_ON,
        settings: Settings::default(),
        wordings: Wordings::default(),
        recipients: Vec::new(),
        has_bookable_crew: false,
        has_device: false,
        reaches_office: false,
        has_hook: false,
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
            "device" => self.has_device = true,
            "office" => self.reaches_office = true,
            "hook" => self.has_hook = true,
            _ => {}
        }
    }
}

/// Stores a change of the settings, and returns what is now set. The caller holds the org ([`super::lock`]).
///
/// # Errors
/// [`Error::Invalid`], naming every field that does not fit.
pub async fn change_settings(tx: &mut Tx, origin: &Origin, org: OrgId, patch: &SettingsPatch) -> Result<Profile> {
    let org = find(&mut *tx, org).await?.ok_or(Error::NotFound)?;
    let mut profile = profile(&mut *tx, org).await?;
    let next = profile.settings.patched(patch, profile.org.sms_number.as_deref())?;
    if next.lead_owners != profile.settings.lead_owners {
        next.lead_owners.check_people(&mut *tx, profile.org.id).await?;
    }
    next.save(&mut *tx, origin, profile.org.id, &profile.settings).await?;
    if next.pulse != profile.settings.pulse {
        kpi_pulse::plan::changed(&mut *tx, profile.org.id, &next.pulse, profile.org.zone(), origin.now()).await?;
    }
    profile.settings = next;
    if let Some(switches) = patch.switches {
        profile.switches = switches.applied(profile.switches);
        save_switches(tx, profile.org.id, profile.switches).await?;
    }
    Ok(profile)
}
