//! What people type about a job, checked once, here and nowhere else.

use chrono::{DateTime, Duration, Utc};
use serde::Deserialize;

use super::{ARRIVALS, LONGEST, Priority, RequiredPhotos};
use crate::{
    domain::{intake::lead::NewCustomer, tenancy::org::settings::Jobs},
    platform::{
        error::{FieldErrors, Result},
        id::{CrewId, LeadId, PropertyId},
        money::{Cents, Typed},
        text::{given, line, lines},
    },
};

const MAX_SERVICE: usize = 80;
const MAX_ADDRESS: usize = 300;
const MAX_ZIP: usize = 12;
/// Of a description, of instructions, and of what the weather may do.
const MAX_TEXT: usize = 4_000;
pub(super) const MOST_MATERIALS: usize = 100;
pub(super) const MAX_MATERIAL: usize = 200;
const MOST_CHECKS: usize = 50;
const MAX_CHECK: usize = 200;
/// The shortest job.
const SHORTEST: Duration = Duration::minutes(15);
/// A date further away is a slip of the finger.
const FURTHEST: Duration = Duration::days(3660);

/// A job as it is sent: of a lead, or of somebody who is typed in with it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NewJob {
    pub lead_id: Option<LeadId>,
    pub customer: Option<NewCustomer>,
    pub service: Option<String>,
    pub description: Option<String>,
    pub property_id: Option<PropertyId>,
    pub address: Option<String>,
    pub zip: Option<String>,
    pub crew_id: Option<CrewId>,
    pub starts_at: Option<DateTime<Utc>>,
    pub duration_minutes: Option<i64>,
    pub arrival_minutes: Option<i64>,
    pub priority: Option<Priority>,
    pub value: Option<Typed>,
    pub materials: Option<Vec<String>>,
    pub special_instructions: Option<String>,
    pub weather_concerns: Option<String>,
    pub required_photos: Option<RequiredPhotos>,
    pub checklist: Option<Vec<String>>,
    /// Whether the customer is told when it has a time; they are when it is not said.
    pub tell: Option<bool>,
}

/// A job whose every field fits.
pub(super) struct Checked {
    pub service: Option<String>,
    pub description: Option<String>,
    pub address: Option<String>,
    pub zip: Option<String>,
    pub starts_at: Option<DateTime<Utc>>,
    pub duration_minutes: i64,
    pub arrival_minutes: i64,
    pub priority: Priority,
    pub value: Option<Cents>,
    pub materials: Vec<String>,
    pub special_instructions: Option<String>,
    pub weather_concerns: Option<String>,
    pub required_photos: RequiredPhotos,
    pub checklist: Vec<String>,
}

impl NewJob {
    /// What is not said is as the business set it for new jobs.
    ///
    /// # Errors
    /// [`crate::platform::error::Error::Invalid`], naming every field that does not fit.
    pub(super) fn check(&self, set: &Jobs, now: DateTime<Utc>) -> Result<Checked> {
        let mut errors = FieldErrors::default();
        if self.lead_id.is_some() == self.customer.is_some() {
            errors.add("leadId", "Choose a lead, or say who it is for");
        }
        if self.customer.is_some() && self.typed_in().service.is_none_or(|words| words.trim().is_empty()) {
            errors.add("service", "Say what is done");
        }
        let checked = Checked {
            service: line("service", self.service.as_deref(), MAX_SERVICE).optional(&mut errors),
            description: lines("description", self.description.as_deref(), MAX_TEXT).optional(&mut errors),
            address: line("address", self.address.as_deref(), MAX_ADDRESS).optional(&mut errors),
            zip: line("zip", self.zip.as_deref(), MAX_ZIP).optional(&mut errors),
            starts_at: near("startsAt", self.starts_at, now, &mut errors),
            duration_minutes: duration(self.duration_minutes.unwrap_or(set.duration_minutes), &mut errors),
            arrival_minutes: arrival(self.arrival_minutes.unwrap_or(set.arrival_minutes), &mut errors),
            priority: self.priority.unwrap_or_default(),
            value: amount(self.value.as_ref(), &mut errors),
            materials: list("materials", self.materials.as_deref(), (MOST_MATERIALS, MAX_MATERIAL), &mut errors),
            special_instructions: instructions(self.special_instructions.as_deref(), &mut errors),
            weather_concerns: weather(self.weather_concerns.as_deref(), &mut errors),
            required_photos: self.required_photos.unwrap_or(set.required_photos),
            checklist: match &self.checklist {
                Some(typed) => checks(typed, &mut errors),
                None => set.checklist.clone(),
            },
        };
        errors.finish()?;
        Ok(checked)
    }

    /// The one it is for, with what the job says of the work and the place.
    pub(super) fn typed_in(&self) -> NewCustomer {
        let customer = self.customer.clone().unwrap_or_default();
        let or = |typed: Option<String>, other: &Option<String>| typed.or_else(|| other.clone());
        NewCustomer {
            service: or(customer.service, &self.service),
            address: or(customer.address, &self.address),
            zip: or(customer.zip, &self.zip),
            ..customer
        }
    }
}

/// A change of what a job says: what is absent stays, null is cleared. Time, crew and status have ways of their own.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobPatch {
    /// The version that was looked at.
    pub version: Option<i64>,
    pub service: Option<String>,
    #[serde(deserialize_with = "given")]
    pub description: Option<Option<String>>,
    #[serde(deserialize_with = "given")]
    pub property_id: Option<Option<PropertyId>>,
    #[serde(deserialize_with = "given")]
    pub address: Option<Option<String>>,
    #[serde(deserialize_with = "given")]
    pub zip: Option<Option<String>>,
    pub duration_minutes: Option<i64>,
    pub arrival_minutes: Option<i64>,
    pub priority: Option<Priority>,
    #[serde(deserialize_with = "given")]
    pub value: Option<Option<Typed>>,
    pub materials: Option<Vec<String>>,
    #[serde(deserialize_with = "given")]
    pub special_instructions: Option<Option<String>>,
    #[serde(deserialize_with = "given")]
    pub weather_concerns: Option<Option<String>>,
    pub required_photos: Option<RequiredPhotos>,
    pub checklist: Option<Vec<String>>,
}

/// A change whose every field fits.
#[expect(clippy::option_option, reason = "absent, taken away and changed are three things")]
pub(super) struct CheckedPatch {
    pub version: i64,
    pub service: Option<String>,
    pub description: Option<Option<String>>,
    pub address: Option<Option<String>>,
    pub zip: Option<Option<String>>,
    pub duration_minutes: Option<i64>,
    pub arrival_minutes: Option<i64>,
    pub value: Option<Option<Cents>>,
    pub materials: Option<Vec<String>>,
    pub special_instructions: Option<Option<String>>,
    pub weather_concerns: Option<Option<String>>,
    pub checklist: Option<Vec<String>>,
}

impl JobPatch {
    /// # Errors
    /// [`crate::platform::error::Error::Invalid`], naming every field that does not fit.
    pub(super) fn check(&self) -> Result<CheckedPatch> {
        let mut errors = FieldErrors::default();
        let service = self.service.as_deref();
        let checked = CheckedPatch {
            version: version(self.version, &mut errors),
            service: service.map(|s| line("service", Some(s), MAX_SERVICE).required("Say what is done", &mut errors)),
            description: maybe(self.description.as_ref(), |text| {
                lines("description", text, MAX_TEXT).optional(&mut errors)
            }),
            address: maybe(self.address.as_ref(), |text| line("address", text, MAX_ADDRESS).optional(&mut errors)),
            zip: maybe(self.zip.as_ref(), |text| line("zip", text, MAX_ZIP).optional(&mut errors)),
            duration_minutes: self.duration_minutes.map(|minutes| duration(minutes, &mut errors)),
            arrival_minutes: self.arrival_minutes.map(|minutes| arrival(minutes, &mut errors)),
            value: self.value.as_ref().map(|typed| amount(typed.as_ref(), &mut errors)),
            materials: self
                .materials
                .as_deref()
                .map(|typed| list("materials", Some(typed), (MOST_MATERIALS, MAX_MATERIAL), &mut errors)),
            special_instructions: maybe(self.special_instructions.as_ref(), |text| instructions(text, &mut errors)),
            weather_concerns: maybe(self.weather_concerns.as_ref(), |text| weather(text, &mut errors)),
            checklist: self.checklist.as_deref().map(|typed| checks(typed, &mut errors)),
        };
        errors.finish()?;
        Ok(checked)
    }
}

#[expect(clippy::option_option, reason = "absent, taken away and changed are three things")]
fn maybe(typed: Option<&Option<String>>, read: impl FnOnce(Option<&str>) -> Option<String>) -> Option<Option<String>> {
    typed.map(|text| read(text.as_deref()))
}

/// Who changes a job says which one they looked at.
pub(super) fn version(sent: Option<i64>, errors: &mut FieldErrors) -> i64 {
    if sent.is_none() {
        errors.add("version", "Say which version of the job this changes");
    }
    sent.unwrap_or_default()
}

/// A time that somebody means: within ten years.
pub(super) fn near(
    field: &'static str,
    at: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
    errors: &mut FieldErrors,
) -> Option<DateTime<Utc>> {
    if at.is_some_and(|at| (at - now).abs() > FURTHEST) {
        errors.add(field, "Choose a date within ten years");
    }
    at.map(|at| chrono::SubsecRound::trunc_subsecs(at, 3))
}

pub(super) fn duration(minutes: i64, errors: &mut FieldErrors) -> i64 {
    let (least, most) = (SHORTEST.num_minutes(), LONGEST.num_minutes());
    if !(least..=most).contains(&minutes) {
        errors.add("durationMinutes", format!("Choose a whole number from {least} to {most}"));
    }
    minutes
}

fn arrival(minutes: i64, errors: &mut FieldErrors) -> i64 {
    if !ARRIVALS.contains(&minutes) {
        errors.add("arrivalMinutes", "Choose 0, 15, 30, 60, 120 or 240 minutes");
    }
    minutes
}

fn amount(typed: Option<&Typed>, errors: &mut FieldErrors) -> Option<Cents> {
    let typed = typed?;
    let cents = typed.cents().filter(|cents| *cents >= Cents::ZERO);
    if cents.is_none() {
        errors.add("value", "Please enter a valid amount");
    }
    cents
}

fn instructions(typed: Option<&str>, errors: &mut FieldErrors) -> Option<String> {
    lines("specialInstructions", typed, MAX_TEXT).optional(errors)
}

fn weather(typed: Option<&str>, errors: &mut FieldErrors) -> Option<String> {
    lines("weatherConcerns", typed, MAX_TEXT).optional(errors)
}

fn checks(typed: &[String], errors: &mut FieldErrors) -> Vec<String> {
    list("checklist", Some(typed), (MOST_CHECKS, MAX_CHECK), errors)
}

/// Lines of text without the empty ones.
fn list(
    field: &'static str,
    typed: Option<&[String]>,
    (most, longest): (usize, usize),
    errors: &mut FieldErrors,
) -> Vec<String> {
    let typed = typed.unwrap_or_default();
    let found: Vec<String> =
        typed.iter().filter_map(|text| line(field, Some(text), longest).optional(errors)).collect();
    if found.len() > most {
        errors.add(field, format!("Keep at most {most} lines"));
    }
    found
}

#[cfg(test)]
mod tests;
