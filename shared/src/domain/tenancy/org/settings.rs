//! Settings of a business: each page of the settings screen is one value, validated before storage; its defaults are in
//! the page's file.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use sqlx::types::Json;
use utoipa::ToSchema;

use super::{FeatureSwitches, OrgProfile, OrgRecipients};
use crate::platform::{
    business_hours::BusinessHours,
    clock::ClockRng,
    db::{Tx, q},
    error::{FieldErrors, Result},
    id::OrgId,
};

mod booking;
mod calls;
mod devices;
mod estimates;
mod figures;
mod holdout;
mod invoicing;
mod jobs;
mod lead_owners;
mod look;
mod notifications;
mod program_state;
mod pulse;
mod reviews;
mod sending;
mod setup_list;
mod switches;

pub(crate) use program_state::{load_program_state, store_program_state};

pub use booking::{BookingPatch, BookingSettings};
pub use calls::{CallSettings, CallsPatch};
pub use devices::{DeviceSettings, DevicesPatch};
pub use estimates::{DepositDoc, DepositKind, DepositPolicy, EstimateSettings, EstimatesPatch, TaxRate};
pub use figures::{FigureSettings, FiguresPatch};
pub use holdout::{HoldoutPatch, HoldoutSettings};
pub use invoicing::{InvoicingPatch, InvoicingSettings, OnCompletion};
pub use jobs::{JobSettings, JobsPatch, RequiredPhotos};
pub use lead_owners::{LeadOwnerSettings, LeadOwnersPatch, OwnedZips};
pub use look::{LookPatch, LookSettings};
pub use notifications::{NotificationFrequency, NotificationSchedule, NotificationSettings, NotificationsPatch};
pub use pulse::{PulseFrequency, PulsePatch, PulseSettings, Weekday};
pub use reviews::{ReviewRequestTiming, ReviewSettings, ReviewsPatch};
pub use sending::{CarrierRegistration, SendingPatch, SendingSettings};
pub use setup_list::{SetupListPatch, SetupListSettings};
pub use switches::SwitchesPatch;

/// All settings except switches and recipients, which have their own tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrgSettings {
    pub notifications: NotificationSettings,
    pub hours: BusinessHours,
    pub calls: CallSettings,
    pub sending: SendingSettings,
    pub estimates: EstimateSettings,
    pub jobs: JobSettings,
    pub invoicing: InvoicingSettings,
    pub booking: BookingSettings,
    pub figures: FigureSettings,
    pub reviews: ReviewSettings,
    pub pulse: PulseSettings,
    pub holdout: HoldoutSettings,
    pub lead_owners: LeadOwnerSettings,
    pub devices: DeviceSettings,
    pub look: LookSettings,
    pub setup_list: SetupListSettings,
}

/// Everything the settings page shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Settings)]
pub struct SettingsView {
    pub switches: FeatureSwitches,
    pub notifications: NotificationSettings,
    pub recipients: OrgRecipients,
    pub hours: BusinessHours,
    pub calls: CallSettings,
    pub sending: SendingSettings,
    pub estimates: EstimateSettings,
    pub jobs: JobSettings,
    pub invoicing: InvoicingSettings,
    pub booking: BookingSettings,
    pub figures: FigureSettings,
    pub reviews: ReviewSettings,
    pub pulse: PulseSettings,
    #[serde(rename = "holdOut")]
    pub holdout: HoldoutSettings,
    pub lead_owners: LeadOwnerSettings,
    pub devices: DeviceSettings,
    pub look: LookSettings,
    pub setup_list: SetupListSettings,
}

impl SettingsView {
    #[must_use]
    pub fn new(profile: OrgProfile, recipients: OrgRecipients) -> Self {
        let OrgSettings {
            notifications,
            hours,
            calls,
            sending,
            estimates,
            jobs,
            invoicing,
            booking,
            figures,
            reviews,
            pulse,
            holdout,
            lead_owners,
            devices,
            look,
            setup_list,
        } = profile.settings;
        let switches = profile.switches;
        Self {
            switches,
            notifications,
            recipients,
            hours,
            calls,
            sending,
            estimates,
            jobs,
            invoicing,
            booking,
            figures,
            reviews,
            pulse,
            holdout,
            lead_owners,
            devices,
            look,
            setup_list,
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
    pub hours: Option<BusinessHours>,
    pub calls: Option<CallsPatch>,
    pub sending: Option<SendingPatch>,
    pub estimates: Option<EstimatesPatch>,
    pub jobs: Option<JobsPatch>,
    pub invoicing: Option<InvoicingPatch>,
    pub booking: Option<BookingPatch>,
    pub figures: Option<FiguresPatch>,
    pub reviews: Option<ReviewsPatch>,
    pub pulse: Option<PulsePatch>,
    #[serde(rename = "holdOut")]
    pub holdout: Option<HoldoutPatch>,
    pub lead_owners: Option<LeadOwnersPatch>,
    pub devices: Option<DevicesPatch>,
    pub look: Option<LookPatch>,
    pub setup_list: Option<SetupListPatch>,
}

fn set_if_given<T: Clone>(field: &mut T, wanted: Option<&T>) {
    if let Some(value) = wanted {
        *field = value.clone();
    }
}

fn check_range(errors: &mut FieldErrors, field: &'static str, value: i64, range: std::ops::RangeInclusive<i64>) {
    if !range.contains(&value) {
        errors.add(field, format!("Choose a whole number from {} to {}", range.start(), range.end()));
    }
}

fn normalize_days(
    field: &'static str,
    typed: &[i64],
    most: usize,
    range: std::ops::RangeInclusive<i64>,
    errors: &mut FieldErrors,
) -> Vec<i64> {
    let found: Vec<i64> = typed.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    if found.len() > most {
        errors.add(field, format!("Keep at most {most} days"));
    }
    for day in &found {
        check_range(errors, field, *day, range.clone());
    }
    found
}

impl OrgSettings {
    /// The settings after a change. `own_number` is the number that customers call.
    pub fn apply_patch(&self, patch: &SettingsPatch, own_number: Option<&str>) -> Result<Self> {
        let mut next = self.clone();
        let mut errors = FieldErrors::default();
        if let Some(notifications) = &patch.notifications {
            notifications.apply_to(&mut next.notifications, &mut errors);
        }
        if let Some(hours) = &patch.hours {
            hours.validate_into(&mut errors);
            if hours.closed_dates.iter().any(|closed| closed.label.chars().any(char::is_control)) {
                errors.add("hours.closedDates", "A name holds characters that cannot be used");
            }
            next.hours = hours.clone();
        }
        if let Some(calls) = &patch.calls {
            calls.apply_to(&mut next.calls, own_number, &mut errors);
        }
        if let Some(sending) = &patch.sending {
            sending.apply_to(&mut next.sending, &mut errors);
        }
        if let Some(estimates) = &patch.estimates {
            estimates.apply_to(&mut next.estimates, &mut errors);
        }
        if let Some(jobs) = &patch.jobs {
            jobs.apply_to(&mut next.jobs, &mut errors);
        }
        if let Some(invoicing) = &patch.invoicing {
            invoicing.apply_to(&mut next.invoicing, &mut errors);
        }
        if let Some(booking) = &patch.booking {
            booking.apply_to(&mut next.booking, &mut errors);
        }
        if let Some(figures) = &patch.figures {
            figures.apply_to(&mut next.figures, &mut errors);
        }
        if let Some(reviews) = &patch.reviews {
            reviews.apply_to(&mut next.reviews, &mut errors);
        }
        if let Some(pulse) = &patch.pulse {
            pulse.apply_to(&mut next.pulse, &mut errors);
        }
        if let Some(holdout) = &patch.holdout {
            holdout.apply_to(&mut next.holdout);
        }
        if let Some(lead_owners) = &patch.lead_owners {
            lead_owners.apply_to(&mut next.lead_owners, &mut errors);
        }
        if let Some(devices) = &patch.devices {
            devices.apply_to(&mut next.devices, &mut errors);
        }
        if let Some(look) = &patch.look {
            look.apply_to(&mut next.look, &mut errors);
        }
        if let Some(setup_list) = &patch.setup_list {
            setup_list.apply_to(&mut next.setup_list);
        }
        errors.into_result()?;
        Ok(next)
    }

    /// Reads one stored page. An unreadable one leaves the default: a setting must never cost a lead.
    pub(super) fn load_page(&mut self, org: OrgId, name: &str, value: &str) {
        let taken = match name {
            "notifications" => merge_stored(&mut self.notifications, value),
            "hours" => merge_stored(&mut self.hours, value),
            "calls" => merge_stored(&mut self.calls, value),
            "sending" => merge_stored(&mut self.sending, value),
            "estimates" => merge_stored(&mut self.estimates, value),
            "jobs" => merge_stored(&mut self.jobs, value),
            "invoicing" => merge_stored(&mut self.invoicing, value),
            "booking" => merge_stored(&mut self.booking, value),
            "figures" => merge_stored(&mut self.figures, value),
            "reviews" => merge_stored(&mut self.reviews, value),
            "pulse" => merge_stored(&mut self.pulse, value),
            "hold_out" => merge_stored(&mut self.holdout, value),
            "lead_owners" => merge_stored(&mut self.lead_owners, value),
            "devices" => merge_stored(&mut self.devices, value),
            "look" => merge_stored(&mut self.look, value),
            "setup_list" => merge_stored(&mut self.setup_list, value),
            _ => Ok(()),
        };
        if let Err(e) = taken {
            tracing::error!(%org, page = name, error = %e, "a stored setting cannot be read");
        }
    }

    pub(super) async fn save_changes(&self, tx: &mut Tx, origin: &ClockRng, org: OrgId, before: &Self) -> Result<()> {
        if self.notifications != before.notifications {
            store_page(&mut *tx, origin, org, "notifications", &self.notifications).await?;
        }
        if self.hours != before.hours {
            store_page(&mut *tx, origin, org, "hours", &self.hours).await?;
        }
        if self.calls != before.calls {
            store_page(&mut *tx, origin, org, "calls", &self.calls).await?;
        }
        if self.sending != before.sending {
            store_page(&mut *tx, origin, org, "sending", &self.sending).await?;
        }
        if self.estimates != before.estimates {
            store_page(&mut *tx, origin, org, "estimates", &self.estimates).await?;
        }
        if self.jobs != before.jobs {
            store_page(&mut *tx, origin, org, "jobs", &self.jobs).await?;
        }
        if self.invoicing != before.invoicing {
            store_page(&mut *tx, origin, org, "invoicing", &self.invoicing).await?;
        }
        if self.booking != before.booking {
            store_page(&mut *tx, origin, org, "booking", &self.booking).await?;
        }
        if self.figures != before.figures {
            store_page(&mut *tx, origin, org, "figures", &self.figures).await?;
        }
        if self.reviews != before.reviews {
            store_page(&mut *tx, origin, org, "reviews", &self.reviews).await?;
        }
        if self.pulse != before.pulse {
            store_page(&mut *tx, origin, org, "pulse", &self.pulse).await?;
        }
        if self.holdout != before.holdout {
            store_page(&mut *tx, origin, org, "hold_out", &self.holdout).await?;
        }
        if self.lead_owners != before.lead_owners {
            store_page(&mut *tx, origin, org, "lead_owners", &self.lead_owners).await?;
        }
        if self.devices != before.devices {
            store_page(&mut *tx, origin, org, "devices", &self.devices).await?;
        }
        if self.look != before.look {
            store_page(&mut *tx, origin, org, "look", &self.look).await?;
        }
        if self.setup_list != before.setup_list {
            store_page(&mut *tx, origin, org, "setup_list", &self.setup_list).await?;
        }
        Ok(())
    }
}

/// Merges the stored page over the defaults: pages of earlier versions lack newer fields.
fn merge_stored<T: Serialize + DeserializeOwned>(page: &mut T, stored: &str) -> serde_json::Result<()> {
    let mut whole = serde_json::to_value(&*page)?;
    let stored: Map<String, Value> = serde_json::from_str(stored)?;
    if let Value::Object(fields) = &mut whole {
        fields.extend(stored);
    }
    *page = serde_json::from_value(whole)?;
    Ok(())
}

async fn store_page<T: Serialize + Sync>(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    name: &str,
    page: &T,
) -> Result<()> {
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
mod tests;
