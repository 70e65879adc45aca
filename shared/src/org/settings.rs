//! What an org has set: each page of the settings screen is one value, checked before it is stored, with its defaults
//! here.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use sqlx::types::Json;
use utoipa::ToSchema;

use super::{Profile, Recipients, Switches};
use crate::{
    clock::Origin,
    db::{Tx, q},
    error::{FieldErrors, Result},
    hours::{Hours, WallTime},
    id::OrgId,
    phone::Phone,
};

/// Phones that ring together when a customer calls.
const MOST_PHONES: usize = 5;
const MOST_WORDS: usize = 40;
const LONGEST_WORD: usize = 40;
/// The words that make a call or text an emergency until the business chooses its own.
const EMERGENCY_WORDS: [&str; 12] = [
    "emergency",
    "urgent",
    "flood",
    "flooding",
    "burst",
    "gas leak",
    "smell gas",
    "sparks",
    "on fire",
    "no heat",
    "emergencia",
    "urgente",
];

/// Everything but the switches and the recipients, which have tables of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    pub notifications: Notifications,
    pub hours: Hours,
    pub calls: Calls,
    pub sending: Sending,
}

/// Everything the settings page shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Settings)]
pub struct SettingsView {
    pub switches: Switches,
    pub notifications: Notifications,
    pub recipients: Recipients,
    pub hours: Hours,
    pub calls: Calls,
    pub sending: Sending,
}

impl SettingsView {
    #[must_use]
    pub fn new(profile: Profile, recipients: Recipients) -> Self {
        let Settings { notifications, hours, calls, sending } = profile.settings;
        Self { switches: profile.switches, notifications, recipients, hours, calls, sending }
    }
}

/// How often the people of the business are told of what is not urgent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = NotificationFrequency)]
pub enum Frequency {
    #[default]
    Immediate,
    Hourly,
    Daily,
    Weekly,
}

/// At which hours they are told. Emergencies pass at any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = NotificationSchedule)]
pub enum Schedule {
    Anytime,
    #[default]
    BusinessHours,
    /// Between `businessStart` and `businessEnd`.
    Custom,
}

/// When the people of the business are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = NotificationSettings)]
pub struct Notifications {
    pub frequency: Frequency,
    pub schedule: Schedule,
    pub business_start: WallTime,
    /// Before the start means on the next day.
    pub business_end: WallTime,
    /// An urgent alert that nobody has seen goes out as a text after so long.
    pub escalate_after_minutes: i64,
    /// And to the next person after so long again.
    pub escalate_next_after_minutes: i64,
}

impl Default for Notifications {
    fn default() -> Self {
        Self {
            frequency: Frequency::default(),
            schedule: Schedule::default(),
            business_start: WallTime::parse("09:00"),
            business_end: WallTime::parse("17:00"),
            escalate_after_minutes: 2,
            escalate_next_after_minutes: 5,
        }
    }
}

/// What happens when a customer calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CallSettings)]
pub struct Calls {
    /// The phones that ring, E.164.
    pub forward_to: Vec<String>,
    pub ring_seconds: i64,
    /// How long after a missed call its text is sent.
    pub text_delay_seconds: i64,
    /// Within so many hours a caller gets one text.
    pub repeat_hours: i64,
    /// Whether a caller who does not write back is reminded once.
    pub nudge: bool,
    /// In lower case.
    pub emergency_words: Vec<String>,
}

impl Default for Calls {
    fn default() -> Self {
        Self {
            forward_to: Vec::new(),
            ring_seconds: 20,
            text_delay_seconds: 10,
            repeat_hours: 24,
            nudge: true,
            emergency_words: EMERGENCY_WORDS.map(ToOwned::to_owned).to_vec(),
        }
    }
}

/// Whether the carriers know this business: what is not registered is filtered by them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = CarrierRegistration)]
pub enum Registration {
    #[default]
    Approved,
    Pending,
}

/// How much is sent, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SendingSettings)]
pub struct Sending {
    /// Automatic texts of one day; what is beyond waits for a person.
    pub daily_text_budget: i64,
    /// Automatic texts of one day to one number that never wrote to the business.
    #[serde(default = "usual_texts_per_number")]
    #[schema(required = true)]
    pub texts_per_number: i64,
    /// Different such numbers within an hour that share area code and prefix.
    #[serde(default = "usual_numbers_per_exchange")]
    #[schema(required = true)]
    pub numbers_per_exchange: i64,
    /// Whether answers to night's enquiries wait for the morning too.
    pub hold_replies_at_night: bool,
    pub registration: Registration,
}

/// The rules' own first words to one person are three on their busiest day: to a form, to a missed call, and the
/// reminder. Twice that leaves room for somebody who calls about two things.
fn usual_texts_per_number() -> i64 {
    6
}

/// A small town may have a single exchange, and a storm makes its people call; a fraud texts hundreds of neighbouring
/// numbers an hour.
fn usual_numbers_per_exchange() -> i64 {
    20
}

impl Default for Sending {
    fn default() -> Self {
        Self {
            daily_text_budget: 500,
            texts_per_number: usual_texts_per_number(),
            numbers_per_exchange: usual_numbers_per_exchange(),
            hold_replies_at_night: false,
            registration: Registration::default(),
        }
    }
}

/// A change: what is absent stays as it is.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettingsPatch {
    pub switches: Option<SwitchesPatch>,
    pub notifications: Option<NotificationsPatch>,
    /// The whole week with its closed dates.
    pub hours: Option<Hours>,
    pub calls: Option<CallsPatch>,
    pub sending: Option<SendingPatch>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SwitchesPatch {
    pub lead_intake: Option<bool>,
    pub automated_communications: Option<bool>,
    pub job_tracking: Option<bool>,
    pub review_collection: Option<bool>,
    pub kpi_reporting: Option<bool>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotificationsPatch {
    pub frequency: Option<Frequency>,
    pub schedule: Option<Schedule>,
    pub business_start: Option<WallTime>,
    pub business_end: Option<WallTime>,
    #[schema(minimum = 1, maximum = 60)]
    pub escalate_after_minutes: Option<i64>,
    #[schema(minimum = 1, maximum = 120)]
    pub escalate_next_after_minutes: Option<i64>,
}

#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallsPatch {
    /// Numbers of the United States and Canada, as people write them.
    #[schema(max_items = 5)]
    pub forward_to: Option<Vec<String>>,
    #[schema(minimum = 10, maximum = 40)]
    pub ring_seconds: Option<i64>,
    #[schema(minimum = 0, maximum = 300)]
    pub text_delay_seconds: Option<i64>,
    #[schema(minimum = 1, maximum = 72)]
    pub repeat_hours: Option<i64>,
    pub nudge: Option<bool>,
    #[schema(max_items = 40)]
    pub emergency_words: Option<Vec<String>>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SendingPatch {
    #[schema(minimum = 0, maximum = 10_000)]
    pub daily_text_budget: Option<i64>,
    #[schema(minimum = 1, maximum = 50)]
    pub texts_per_number: Option<i64>,
    #[schema(minimum = 1, maximum = 10_000)]
    pub numbers_per_exchange: Option<i64>,
    pub hold_replies_at_night: Option<bool>,
    pub registration: Option<Registration>,
}

fn set<T: Clone>(field: &mut T, wanted: Option<&T>) {
    if let Some(value) = wanted {
        *field = value.clone();
    }
}

fn within(errors: &mut FieldErrors, field: &'static str, value: i64, range: std::ops::RangeInclusive<i64>) {
    if !range.contains(&value) {
        errors.add(field, format!("Choose a whole number from {} to {}", range.start(), range.end()));
    }
}

impl SwitchesPatch {
    #[must_use]
    pub fn applied(&self, mut on: Switches) -> Switches {
        set(&mut on.lead_intake, self.lead_intake.as_ref());
        set(&mut on.automated_communications, self.automated_communications.as_ref());
        set(&mut on.job_tracking, self.job_tracking.as_ref());
        set(&mut on.review_collection, self.review_collection.as_ref());
        set(&mut on.kpi_reporting, self.kpi_reporting.as_ref());
        on
    }
}

impl NotificationsPatch {
    fn apply(&self, page: &mut Notifications, errors: &mut FieldErrors) {
        set(&mut page.frequency, self.frequency.as_ref());
        set(&mut page.schedule, self.schedule.as_ref());
        set(&mut page.business_start, self.business_start.as_ref());
        set(&mut page.business_end, self.business_end.as_ref());
        set(&mut page.escalate_after_minutes, self.escalate_after_minutes.as_ref());
        set(&mut page.escalate_next_after_minutes, self.escalate_next_after_minutes.as_ref());
        let ends = "notifications.businessEnd";
        for (field, time) in [("notifications.businessStart", page.business_start), (ends, page.business_end)] {
            if time.time().is_none() {
                errors.add(field, "Write a time such as 09:00 or 17:30");
            }
        }
        if page.business_start == page.business_end {
            errors.add(ends, "This must differ from the start");
        }
        within(errors, "notifications.escalateAfterMinutes", page.escalate_after_minutes, 1..=60);
        within(errors, "notifications.escalateNextAfterMinutes", page.escalate_next_after_minutes, 1..=120);
    }
}

const FORWARD_TO: [&str; MOST_PHONES] =
    ["calls.forwardTo[0]", "calls.forwardTo[1]", "calls.forwardTo[2]", "calls.forwardTo[3]", "calls.forwardTo[4]"];

/// The numbers as they are stored, each once.
fn phones(typed: &[String], own_number: Option<&str>, errors: &mut FieldErrors) -> Vec<String> {
    let filled: Vec<&String> = typed.iter().filter(|number| !number.trim().is_empty()).collect();
    if filled.len() > MOST_PHONES {
        errors.add("calls.forwardTo", format!("At most {MOST_PHONES} phones can ring"));
    }
    let mut found: Vec<String> = Vec::new();
    for (number, field) in filled.into_iter().zip(FORWARD_TO) {
        match Phone::parse(number).filter(Phone::is_textable) {
            None => errors.add(field, "Please enter a phone number of the United States or Canada"),
            Some(phone) if own_number == Some(phone.as_e164()) => {
                errors.add(field, "This is the number customers call; it would ring itself");
            }
            Some(phone) if found.iter().any(|known| known == phone.as_e164()) => {}
            Some(phone) => found.push(phone.as_e164().to_owned()),
        }
    }
    found
}

/// The words as they are looked for, each once.
fn words(typed: &[String], errors: &mut FieldErrors) -> Vec<String> {
    const FIELD: &str = "calls.emergencyWords";
    let mut seen = BTreeSet::new();
    let plain = typed.iter().map(|word| word.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase());
    let found: Vec<String> = plain.filter(|word| !word.is_empty() && seen.insert(word.clone())).collect();
    if found.len() > MOST_WORDS {
        errors.add(FIELD, format!("Keep at most {MOST_WORDS} words"));
    }
    if found.iter().any(|word| word.chars().count() > LONGEST_WORD || word.chars().any(char::is_control)) {
        errors.add(FIELD, format!("Keep each word to {LONGEST_WORD} characters"));
    }
    found
}

impl CallsPatch {
    fn apply(&self, page: &mut Calls, own_number: Option<&str>, errors: &mut FieldErrors) {
        if let Some(typed) = &self.forward_to {
            page.forward_to = phones(typed, own_number, errors);
        }
        if let Some(typed) = &self.emergency_words {
            page.emergency_words = words(typed, errors);
        }
        set(&mut page.ring_seconds, self.ring_seconds.as_ref());
        set(&mut page.text_delay_seconds, self.text_delay_seconds.as_ref());
        set(&mut page.repeat_hours, self.repeat_hours.as_ref());
        set(&mut page.nudge, self.nudge.as_ref());
        within(errors, "calls.ringSeconds", page.ring_seconds, 10..=40);
        within(errors, "calls.textDelaySeconds", page.text_delay_seconds, 0..=300);
        within(errors, "calls.repeatHours", page.repeat_hours, 1..=72);
    }
}

impl SendingPatch {
    fn apply(&self, page: &mut Sending, errors: &mut FieldErrors) {
        set(&mut page.daily_text_budget, self.daily_text_budget.as_ref());
        set(&mut page.texts_per_number, self.texts_per_number.as_ref());
        set(&mut page.numbers_per_exchange, self.numbers_per_exchange.as_ref());
        set(&mut page.hold_replies_at_night, self.hold_replies_at_night.as_ref());
        set(&mut page.registration, self.registration.as_ref());
        within(errors, "sending.dailyTextBudget", page.daily_text_budget, 0..=10_000);
        within(errors, "sending.textsPerNumber", page.texts_per_number, 1..=50);
        within(errors, "sending.numbersPerExchange", page.numbers_per_exchange, 1..=10_000);
    }
}

impl Settings {
    /// The settings after a change. `own_number` is the one customers call.
    ///
    /// # Errors
    /// [`crate::error::Error::Invalid`], naming every field that does not fit.
    pub fn patched(&self, patch: &SettingsPatch, own_number: Option<&str>) -> Result<Self> {
        let mut next = self.clone();
        let mut errors = FieldErrors::default();
        if let Some(notifications) = &patch.notifications {
            notifications.apply(&mut next.notifications, &mut errors);
        }
        if let Some(hours) = &patch.hours {
            hours.note_faults(&mut errors);
            if hours.closed_dates.iter().any(|closed| closed.label.chars().any(char::is_control)) {
                errors.add("hours.closedDates", "A name holds characters that cannot be used");
            }
            next.hours = hours.clone();
        }
        if let Some(calls) = &patch.calls {
            calls.apply(&mut next.calls, own_number, &mut errors);
        }
        if let Some(sending) = &patch.sending {
            sending.apply(&mut next.sending, &mut errors);
        }
        errors.finish()?;
        Ok(next)
    }

    /// Takes one stored page. One that cannot be read leaves the default: a request for work is never turned away over
    /// a setting.
    pub(super) fn take(&mut self, org: OrgId, name: &str, value: &str) {
        let taken = match name {
            "notifications" => overlay(&mut self.notifications, value),
            "hours" => overlay(&mut self.hours, value),
            "calls" => overlay(&mut self.calls, value),
            "sending" => overlay(&mut self.sending, value),
            _ => Ok(()),
        };
        if let Err(e) = taken {
            tracing::error!(%org, page = name, error = %e, "a stored setting cannot be read");
        }
    }

    /// Stores the pages that differ from `before`.
    pub(super) async fn save(&self, tx: &mut Tx, origin: &Origin, org: OrgId, before: &Self) -> Result<()> {
        if self.notifications != before.notifications {
            store(&mut *tx, origin, org, "notifications", &self.notifications).await?;
        }
        if self.hours != before.hours {
            store(&mut *tx, origin, org, "hours", &self.hours).await?;
        }
        if self.calls != before.calls {
            store(&mut *tx, origin, org, "calls", &self.calls).await?;
        }
        if self.sending != before.sending {
            store(&mut *tx, origin, org, "sending", &self.sending).await?;
        }
        Ok(())
    }
}

/// What is stored, over what stands there: a page stored by an earlier version of the program lacks the newer fields.
fn overlay<T: Serialize + DeserializeOwned>(page: &mut T, stored: &str) -> serde_json::Result<()> {
    let mut whole = serde_json::to_value(&*page)?;
    let stored: Map<String, Value> = serde_json::from_str(stored)?;
    if let Value::Object(fields) = &mut whole {
        fields.extend(stored);
    }
    *page = serde_json::from_value(whole)?;
    Ok(())
}

async fn store<T: Serialize + Sync>(tx: &mut Tx, origin: &Origin, org: OrgId, name: &str, page: &T) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO org_setting (org_id, name, value, updated_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (org_id, name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at",
        org,
        name,
        Json(page),
        origin.now()
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::error::Error;

    fn after(change: Value) -> Result<Settings> {
        let patch: SettingsPatch = serde_json::from_value(change).unwrap();
        Settings::default().patched(&patch, Some("+15125550100"))
    }

    fn faulty(change: Value) -> Vec<&'static str> {
        match after(change) {
            Err(Error::Invalid(errors)) => errors.0.into_keys().collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_new_business_has_the_products_defaults() {
        let settings = Settings::default();
        let shown = serde_json::to_value(settings.notifications).unwrap();
        assert_eq!(
            shown,
            json!({"frequency": "immediate", "schedule": "business_hours", "businessStart": "09:00",
                "businessEnd": "17:00", "escalateAfterMinutes": 2, "escalateNextAfterMinutes": 5})
        );
        let calls = settings.calls;
        assert_eq!((calls.ring_seconds, calls.text_delay_seconds, calls.repeat_hours), (20, 10, 24));
        assert_eq!(settings.sending.daily_text_budget, 500);
    }

    #[test]
    fn a_change_leaves_alone_what_it_does_not_name() {
        let settings = after(json!({"calls": {"ringSeconds": 30}})).unwrap();
        assert_eq!((settings.calls.ring_seconds, settings.calls.repeat_hours), (30, 24));
        assert_eq!(settings.notifications, Notifications::default());
    }

    #[test]
    fn every_value_out_of_bounds_is_named_by_its_path() {
        let table = [
            (json!({"calls": {"ringSeconds": 9}}), "calls.ringSeconds"),
            (json!({"calls": {"ringSeconds": 41}}), "calls.ringSeconds"),
            (json!({"calls": {"textDelaySeconds": -1}}), "calls.textDelaySeconds"),
            (json!({"calls": {"repeatHours": 73}}), "calls.repeatHours"),
            (json!({"calls": {"forwardTo": ["5125550142", "pizza"]}}), "calls.forwardTo[1]"),
            (json!({"calls": {"forwardTo": ["+442079460018"]}}), "calls.forwardTo[0]"),
            (json!({"calls": {"forwardTo": ["512 555 0100"]}}), "calls.forwardTo[0]"),
            (json!({"calls": {"emergencyWords": ["x".repeat(41)]}}), "calls.emergencyWords"),
            (json!({"sending": {"dailyTextBudget": 10_001}}), "sending.dailyTextBudget"),
            (json!({"notifications": {"businessStart": "25:00"}}), "notifications.businessStart"),
            (json!({"notifications": {"businessEnd": "09:00"}}), "notifications.businessEnd"),
            (json!({"notifications": {"escalateAfterMinutes": 0}}), "notifications.escalateAfterMinutes"),
            (
                json!({"hours": {"week": {"mon": [{"opens": "08:00", "closes": "soon"}], "tue": [], "wed": [],
                    "thu": [], "fri": [], "sat": [], "sun": []}}}),
                "hours.week.mon[0].closes",
            ),
        ];
        for (change, field) in table {
            assert_eq!(faulty(change.clone()), [field], "{change}");
        }
        let six: Vec<String> = (0..6).map(|n| format!("512555014{n}")).collect();
        assert_eq!(faulty(json!({"calls": {"forwardTo": six}})), ["calls.forwardTo"]);
        let many: Vec<String> = (0..41).map(|n| format!("word {n}")).collect();
        assert_eq!(faulty(json!({"calls": {"emergencyWords": many}})), ["calls.emergencyWords"]);
    }

    #[test]
    fn numbers_and_words_are_stored_once_and_in_one_form() {
        let change = json!({"calls": {"forwardTo": ["(512) 555-0142", "512.555.0142", " "],
            "emergencyWords": [" Gas  Leak ", "gas leak", ""]}});
        let calls = after(change).unwrap().calls;
        assert_eq!(
            (calls.forward_to, calls.emergency_words),
            (vec!["+15125550142".to_owned()], vec!["gas leak".to_owned()])
        );
    }

    #[test]
    fn a_stored_page_that_cannot_be_read_leaves_the_default() {
        let mut settings = Settings::default();
        let org = OrgId(uuid::Uuid::nil());
        settings.take(org, "calls", r#"{"ringSeconds": "soon"}"#);
        settings.take(org, "sending", r#"{"dailyTextBudget": 7}"#);
        settings.take(org, "of_tomorrow", "[]");
        let sending = Sending { daily_text_budget: 7, ..Sending::default() };
        assert_eq!(settings, Settings { sending, ..Settings::default() });
    }
}
