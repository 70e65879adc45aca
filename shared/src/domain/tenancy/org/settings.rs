//! What an org has set: each page of the settings screen is one value, checked before it is stored, with its defaults
//! in the page's own file.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use sqlx::types::Json;
use utoipa::ToSchema;

use super::{Profile, Recipients, Switches};
use crate::platform::{
    business_hours::Hours,
    clock::Origin,
    db::{Tx, q},
    error::{FieldErrors, Result},
    id::OrgId,
};

mod booking;
mod calls;
mod devices;
mod estimates;
mod figures;
mod hold_out;
mod invoicing;
mod jobs;
mod lead_owners;
mod notifications;
mod pulse;
mod reviews;
mod sending;
mod switches;

pub use booking::{Booking, BookingPatch};
pub use calls::{Calls, CallsPatch};
pub use devices::{Devices, DevicesPatch};
pub use estimates::{Deposit, DepositDoc, DepositKind, Estimates, EstimatesPatch, TaxRate};
pub use figures::{Figures, FiguresPatch};
pub use hold_out::{HoldOut, HoldOutPatch};
pub use invoicing::{Invoicing, InvoicingPatch, OnCompletion};
pub use jobs::{Jobs, JobsPatch, RequiredPhotos};
pub use lead_owners::{LeadOwners, LeadOwnersPatch, OwnedZips};
pub use notifications::{Frequency, Notifications, NotificationsPatch, Schedule};
pub use pulse::{Pulse, PulseFrequency, PulsePatch, Weekday};
pub use reviews::{AskWhen, Reviews, ReviewsPatch};
pub use sending::{Registration, Sending, SendingPatch};
pub use switches::SwitchesPatch;

/// Everything but the switches and the recipients, which have tables of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    pub notifications: Notifications,
    pub hours: Hours,
    pub calls: Calls,
    pub sending: Sending,
    pub estimates: Estimates,
    pub jobs: Jobs,
    pub invoicing: Invoicing,
    pub booking: Booking,
    pub figures: Figures,
    pub reviews: Reviews,
    pub pulse: Pulse,
    pub hold_out: HoldOut,
    pub lead_owners: LeadOwners,
    pub devices: Devices,
}

/// Everything the settings page shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Settings)]
pub struct SettingsView {
    pub switches: Switches,
    pub notifications: Notifications,
    pub recipients: Recipients,
    pub hours: Hours,
    pub calls: Calls,
    pub sending: Sending,
    pub estimates: Estimates,
    pub jobs: Jobs,
    pub invoicing: Invoicing,
    pub booking: Booking,
    pub figures: Figures,
    pub reviews: Reviews,
    pub pulse: Pulse,
    pub hold_out: HoldOut,
    pub lead_owners: LeadOwners,
    pub devices: Devices,
}

impl SettingsView {
    #[must_use]
    pub fn new(profile: Profile, recipients: Recipients) -> Self {
        let Settings {
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
            hold_out,
            lead_owners,
            devices,
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
            hold_out,
            lead_owners,
            devices,
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
    pub estimates: Option<EstimatesPatch>,
    pub jobs: Option<JobsPatch>,
    pub invoicing: Option<InvoicingPatch>,
    pub booking: Option<BookingPatch>,
    pub figures: Option<FiguresPatch>,
    pub reviews: Option<ReviewsPatch>,
    pub pulse: Option<PulsePatch>,
    pub hold_out: Option<HoldOutPatch>,
    pub lead_owners: Option<LeadOwnersPatch>,
    pub devices: Option<DevicesPatch>,
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

/// Days as they are stored: in order, each once.
fn days(
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
        within(errors, field, *day, range.clone());
    }
    found
}

impl Settings {
    /// The settings after a change. `own_number` is the one customers call.
    ///
    /// # Errors
    /// [`crate::platform::error::Error::Invalid`], naming every field that does not fit.
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
        if let Some(estimates) = &patch.estimates {
            estimates.apply(&mut next.estimates, &mut errors);
        }
        if let Some(jobs) = &patch.jobs {
            jobs.apply(&mut next.jobs, &mut errors);
        }
        if let Some(invoicing) = &patch.invoicing {
            invoicing.apply(&mut next.invoicing, &mut errors);
        }
        if let Some(booking) = &patch.booking {
            booking.apply(&mut next.booking, &mut errors);
        }
        if let Some(figures) = &patch.figures {
            figures.apply(&mut next.figures, &mut errors);
        }
        if let Some(reviews) = &patch.reviews {
            reviews.apply(&mut next.reviews, &mut errors);
        }
        if let Some(pulse) = &patch.pulse {
            pulse.apply(&mut next.pulse, &mut errors);
        }
        if let Some(hold_out) = &patch.hold_out {
            hold_out.apply(&mut next.hold_out);
        }
        if let Some(lead_owners) = &patch.lead_owners {
            lead_owners.apply(&mut next.lead_owners, &mut errors);
        }
        if let Some(devices) = &patch.devices {
            devices.apply(&mut next.devices, &mut errors);
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
            "estimates" => overlay(&mut self.estimates, value),
            "jobs" => overlay(&mut self.jobs, value),
            "invoicing" => overlay(&mut self.invoicing, value),
            "booking" => overlay(&mut self.booking, value),
            "figures" => overlay(&mut self.figures, value),
            "reviews" => overlay(&mut self.reviews, value),
            "pulse" => overlay(&mut self.pulse, value),
            "hold_out" => overlay(&mut self.hold_out, value),
            "lead_owners" => overlay(&mut self.lead_owners, value),
            "devices" => overlay(&mut self.devices, value),
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
        if self.estimates != before.estimates {
            store(&mut *tx, origin, org, "estimates", &self.estimates).await?;
        }
        if self.jobs != before.jobs {
            store(&mut *tx, origin, org, "jobs", &self.jobs).await?;
        }
        if self.invoicing != before.invoicing {
            store(&mut *tx, origin, org, "invoicing", &self.invoicing).await?;
        }
        if self.booking != before.booking {
            store(&mut *tx, origin, org, "booking", &self.booking).await?;
        }
        if self.figures != before.figures {
            store(&mut *tx, origin, org, "figures", &self.figures).await?;
        }
        if self.reviews != before.reviews {
            store(&mut *tx, origin, org, "reviews", &self.reviews).await?;
        }
        if self.pulse != before.pulse {
            store(&mut *tx, origin, org, "pulse", &self.pulse).await?;
        }
        if self.hold_out != before.hold_out {
            store(&mut *tx, origin, org, "hold_out", &self.hold_out).await?;
        }
        if self.lead_owners != before.lead_owners {
            store(&mut *tx, origin, org, "lead_owners", &self.lead_owners).await?;
        }
        if self.devices != before.devices {
            store(&mut *tx, origin, org, "devices", &self.devices).await?;
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
mod tests;
