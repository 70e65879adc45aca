//! What an org has set: each page of the settings screen is one value, checked before it is stored, with its defaults
//! in the page's own file.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use sqlx::types::Json;
use utoipa::ToSchema;

use super::{Profile, Recipients, Switches};
use crate::{
    clock::Origin,
    db::{Tx, q},
    error::{FieldErrors, Result},
    hours::Hours,
    id::OrgId,
};

mod calls;
mod notifications;
mod sending;
mod switches;

pub use calls::{Calls, CallsPatch};
pub use notifications::{Frequency, Notifications, NotificationsPatch, Schedule};
pub use sending::{Registration, Sending, SendingPatch};
pub use switches::SwitchesPatch;

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
