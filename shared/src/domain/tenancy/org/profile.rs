//! Profile of a business: all data that the rules need, in one read.

use sqlx::FromRow;

use super::{
    FeatureSwitches, Org, OrgSettings, OrgWordings, SettingsPatch, WordingText, booking_url, find,
    listener::{OrgEvent, notify_org_listeners},
    save_switches,
    settings::SendingSettings,
    wordings,
};
use crate::{
    documents::template::{Language, TemplateKindName, TemplateWording},
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::OrgId,
        message_channel::MessageChannel,
        public_url::PublicUrl,
        recipient::Recipient,
    },
};

#[derive(Clone, Debug)]
pub struct OrgProfile {
    pub org: Org,
    pub switches: FeatureSwitches,
    pub settings: OrgSettings,
    pub wordings: OrgWordings,
    /// Recipients of alerts about new requests.
    pub recipients: Vec<Recipient>,
    pub has_bookable_crew: bool,
    pub has_device: bool,
    /// Whether an owner's or office member's device accepts alerts and received the last one.
    pub reaches_office: bool,
    pub has_hook: bool,
}

impl OrgProfile {
    #[must_use]
    pub fn accepts_bookings(&self) -> bool {
        self.settings.booking.is_on && self.has_bookable_crew
    }

    /// Minutes of the visit for which a request is offered our free times; none where it is offered none. An outside
    /// booking link goes before ours.
    #[must_use]
    pub fn offered_minutes(&self, service: &str, zip: &str) -> Option<i64> {
        let set = &self.settings.booking;
        let is_offered = self.accepts_bookings() && self.org.booking_link.is_none() && set.serves_zip(zip);
        if is_offered { set.service_minutes(service, self.settings.jobs.duration_minutes) } else { None }
    }

    /// The booking URL: the business's own, else our page once a crew is bookable.
    #[must_use]
    pub fn booking_link(&self, url: &PublicUrl) -> Option<String> {
        let ours = || self.accepts_bookings().then(|| booking_url(url, &self.org.slug));
        self.org.booking_link.clone().or_else(ours)
    }

    #[must_use]
    pub fn wording(&self, kind: TemplateKindName, language: Language) -> TemplateWording {
        self.wordings.get(kind, language)
    }
}

/// One stored setting. All columns are text, so that everything comes in one round trip.
#[derive(FromRow)]
struct ProfilePart {
    #[sqlx(rename = "part")]
    what: String,
    name: String,
    detail: Option<String>,
    subject: Option<String>,
    value: String,
}

/// Recipients in the order they were added. Settled money differences are no setting, and may be many.
const PARTS: &str = "
    SELECT 'switches' AS part, '' AS name, CAST(NULL AS TEXT) AS detail, CAST(NULL AS TEXT) AS subject,
        CASE WHEN lead_intake THEN '1' ELSE '0' END || CASE WHEN automated_communications THEN '1' ELSE '0' END
        || CASE WHEN job_tracking THEN '1' ELSE '0' END || CASE WHEN review_collection THEN '1' ELSE '0' END
        || CASE WHEN kpi_reporting THEN '1' ELSE '0' END AS value, CAST(NULL AS TIMESTAMPTZ) AS at
    FROM automation_switch WHERE org_id = $1
    UNION ALL SELECT 'setting', name, NULL, NULL, CAST(value AS TEXT), NULL FROM org_setting
    WHERE org_id = $1 AND name <> 'settled_differences'
    UNION ALL SELECT 'template', kind, NULL, NULL, CASE WHEN enabled THEN '1' ELSE '0' END, NULL
    FROM template_switch WHERE org_id = $1
    UNION ALL SELECT 'wording', kind, language, subject, body, NULL FROM template_text w
    WHERE org_id = $1 AND NOT is_default AND version = (SELECT MAX(n.version) FROM template_text n
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
    WHERE EXISTS (SELECT 1 FROM webhook WHERE org_id = $1 AND is_on = TRUE AND stopped_at IS NULL)
    ORDER BY at, value";

pub async fn load_profile(conn: &mut dyn AsConn, org: Org) -> Result<OrgProfile> {
    let parts = q!(conn, fetch_all as ProfilePart, PARTS, org.id)?;
    let mut profile = OrgProfile {
        org,
        switches: FeatureSwitches::ALL_ON,
        settings: OrgSettings::default(),
        wordings: OrgWordings::default(),
        recipients: Vec::new(),
        has_bookable_crew: false,
        has_device: false,
        reaches_office: false,
        has_hook: false,
    };
    for part in parts {
        profile.apply_part(part);
    }
    Ok(profile)
}

impl OrgProfile {
    /// Skips names unknown to this version: a newer one wrote them.
    fn apply_part(&mut self, part: ProfilePart) {
        let kind = || wordings::parse_kind(&part.name);
        match part.what.as_str() {
            "switches" => self.switches = FeatureSwitches::parse_flags(&part.value),
            "setting" => self.settings.load_page(self.org.id, &part.name, &part.value),
            "template" => {
                if let Some(kind) = kind() {
                    self.wordings.add_switch(kind, part.value == "1");
                }
            }
            "wording" => {
                let language = if part.detail.as_deref() == Some("es") { Language::Es } else { Language::En };
                let words = WordingText { subject: part.subject.clone(), body: part.value.clone() };
                if let Some(kind) = kind() {
                    self.wordings.add_own_wording(kind, language, words);
                }
            }
            "recipient" => {
                let channel = if part.name == "sms" { MessageChannel::Sms } else { MessageChannel::Email };
                self.recipients.push(Recipient::from_stored(channel, part.value));
            }
            "bookable" => self.has_bookable_crew = true,
            "device" => self.has_device = true,
            "office" => self.reaches_office = true,
            "hook" => self.has_hook = true,
            _ => {}
        }
    }
}

/// Stores changed settings and returns the result. The caller holds the lock of the business ([`super::lock`]).
pub async fn change_settings(tx: &mut Tx, origin: &ClockRng, org: OrgId, patch: &SettingsPatch) -> Result<OrgProfile> {
    let org = find(&mut *tx, org).await?.ok_or(Error::NotFound)?;
    let mut profile = load_profile(&mut *tx, org).await?;
    let next = profile.settings.apply_patch(patch, profile.org.sms_number.as_deref())?;
    if next.lead_owners != profile.settings.lead_owners {
        next.lead_owners.check_people(&mut *tx, profile.org.id).await?;
    }
    next.save_changes(&mut *tx, origin, profile.org.id, &profile.settings).await?;
    if next.pulse != profile.settings.pulse {
        notify_org_listeners(&mut *tx, origin, OrgEvent::PulseChanged(&profile.org, &next.pulse)).await?;
    }
    profile.settings = next;
    if let Some(switches) = patch.switches {
        profile.switches = switches.apply_to(profile.switches);
        save_switches(tx, profile.org.id, profile.switches).await?;
    }
    Ok(profile)
}

/// Stores sending settings that the program changes. The caller holds the lock of the business ([`super::lock`]).
pub async fn store_sending(tx: &mut Tx, origin: &ClockRng, org: OrgId, sending: SendingSettings) -> Result<()> {
    let found = find(&mut *tx, org).await?.ok_or(Error::NotFound)?;
    let stored = load_profile(&mut *tx, found).await?.settings;
    let next = OrgSettings { sending, ..stored.clone() };
    next.save_changes(tx, origin, org, &stored).await
}
