//! Checks of job input; there are no others.

use chrono::{DateTime, Duration, Utc};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{ARRIVAL_WINDOWS, JobPriority, MAX_JOB_DURATION, RequiredPhotos};
use crate::{
    domain::{intake::lead::NewCustomer, tenancy::org::JobSettings},
    platform::{
        error::{FieldErrors, Result},
        field_schemas,
        id::{CrewId, LeadId, PropertyId},
        money::{Cents, DecimalInput},
        text::{given, multi_line, single_line},
    },
};

const MAX_SERVICE: usize = 80;
const MAX_ADDRESS: usize = 300;
const MAX_ZIP: usize = 12;
/// Maximum length of a description, of instructions, and of weather notes.
const MAX_TEXT: usize = 4_000;
pub(super) const MOST_MATERIALS: usize = 100;
pub(super) const MAX_MATERIAL: usize = 200;
const MOST_CHECKS: usize = 50;
const MAX_CHECK: usize = 200;
const SHORTEST: Duration = Duration::minutes(15);
/// A date further away is a typing error.
const FURTHEST: Duration = Duration::days(3660);

/// A job: of a lead, or of a customer entered with it.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewJob {
    /// This or `customer`.
    #[schema(value_type = Option<uuid::Uuid>)]
    pub lead_id: Option<LeadId>,
    pub customer: Option<NewCustomer>,
    /// That of the lead when absent.
    #[schema(schema_with = field_schemas::nullable_line::<80>)]
    pub service: Option<String>,
    #[schema(schema_with = field_schemas::nullable_text::<4_000>)]
    pub description: Option<String>,
    /// One of the customer's places.
    #[schema(value_type = Option<uuid::Uuid>)]
    pub property_id: Option<PropertyId>,
    #[schema(schema_with = field_schemas::nullable_line::<300>)]
    pub address: Option<String>,
    #[schema(schema_with = field_schemas::nullable_line::<12>)]
    pub zip: Option<String>,
    #[schema(value_type = Option<uuid::Uuid>)]
    pub crew_id: Option<CrewId>,
    /// Within ten years. Without it the job is in the tray.
    pub starts_at: Option<DateTime<Utc>>,
    #[schema(minimum = 15, maximum = 20160)]
    pub duration_minutes: Option<i64>,
    /// 0, 15, 30, 60, 120 or 240.
    pub arrival_minutes: Option<i64>,
    pub priority: Option<JobPriority>,
    /// US dollars; what was agreed with the customer when absent.
    #[schema(value_type = Option<f64>, minimum = 0)]
    pub value: Option<DecimalInput>,
    #[schema(max_items = 100)]
    pub materials: Option<Vec<String>>,
    #[schema(schema_with = field_schemas::nullable_text::<4_000>)]
    pub special_instructions: Option<String>,
    #[schema(schema_with = field_schemas::nullable_text::<4_000>)]
    pub weather_concerns: Option<String>,
    pub required_photos: Option<RequiredPhotos>,
    #[schema(max_items = 50)]
    pub checklist: Option<Vec<String>>,
    /// Whether the customer is notified when it gets a time; yes when absent.
    pub tell: Option<bool>,
}

pub(super) struct CheckedNewJob {
    pub service: Option<String>,
    pub description: Option<String>,
    pub address: Option<String>,
    pub zip: Option<String>,
    pub starts_at: Option<DateTime<Utc>>,
    pub duration_minutes: i64,
    pub arrival_minutes: i64,
    pub priority: JobPriority,
    pub value: Option<Cents>,
    pub materials: Vec<String>,
    pub special_instructions: Option<String>,
    pub weather_concerns: Option<String>,
    pub required_photos: RequiredPhotos,
    pub checklist: Vec<String>,
}

impl NewJob {
    /// Absent values take the business's defaults for new jobs.
    ///
    /// # Errors
    /// [`crate::platform::error::Error::Invalid`], naming every field that does not fit.
    pub(super) fn validate(&self, set: &JobSettings, now: DateTime<Utc>) -> Result<CheckedNewJob> {
        let mut errors = FieldErrors::default();
        if self.lead_id.is_some() == self.customer.is_some() {
            errors.add("leadId", "Choose a lead, or say who it is for");
        }
        if self.customer.is_some() && self.to_new_customer().service.is_none_or(|words| words.trim().is_empty()) {
            errors.add("service", "Say what is done");
        }
        let checked = CheckedNewJob {
            service: single_line("service", self.service.as_deref(), MAX_SERVICE).parse_optional(&mut errors),
            description: multi_line("description", self.description.as_deref(), MAX_TEXT).parse_optional(&mut errors),
            address: single_line("address", self.address.as_deref(), MAX_ADDRESS).parse_optional(&mut errors),
            zip: single_line("zip", self.zip.as_deref(), MAX_ZIP).parse_optional(&mut errors),
            starts_at: validate_time("startsAt", self.starts_at, now, &mut errors),
            duration_minutes: validate_duration(self.duration_minutes.unwrap_or(set.duration_minutes), &mut errors),
            arrival_minutes: validate_arrival(self.arrival_minutes.unwrap_or(set.arrival_minutes), &mut errors),
            priority: self.priority.unwrap_or_default(),
            value: validate_amount(self.value.as_ref(), &mut errors),
            materials: validate_lines(
                "materials",
                self.materials.as_deref(),
                (MOST_MATERIALS, MAX_MATERIAL),
                &mut errors,
            ),
            special_instructions: validate_instructions(self.special_instructions.as_deref(), &mut errors),
            weather_concerns: validate_weather(self.weather_concerns.as_deref(), &mut errors),
            required_photos: self.required_photos.unwrap_or(set.required_photos),
            checklist: match &self.checklist {
                Some(typed) => validate_checklist(typed, &mut errors),
                None => set.checklist.clone(),
            },
        };
        errors.into_result()?;
        Ok(checked)
    }

    pub(super) fn to_new_customer(&self) -> NewCustomer {
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

/// A change of what a job says: what is absent stays, null is cleared.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobChange)]
pub struct JobPatch {
    /// The version that was looked at.
    #[schema(value_type = i64, required)]
    pub version: Option<i64>,
    #[schema(schema_with = field_schemas::required_line::<80>)]
    pub service: Option<String>,
    #[serde(default, deserialize_with = "given")]
    #[schema(schema_with = field_schemas::nullable_text::<4_000>)]
    pub description: Option<Option<String>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<uuid::Uuid>)]
    pub property_id: Option<Option<PropertyId>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(schema_with = field_schemas::nullable_line::<300>)]
    pub address: Option<Option<String>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(schema_with = field_schemas::nullable_line::<12>)]
    pub zip: Option<Option<String>>,
    #[schema(minimum = 15, maximum = 20160)]
    pub duration_minutes: Option<i64>,
    /// 0, 15, 30, 60, 120 or 240.
    pub arrival_minutes: Option<i64>,
    pub priority: Option<JobPriority>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<f64>, minimum = 0)]
    pub value: Option<Option<DecimalInput>>,
    #[schema(max_items = 100)]
    pub materials: Option<Vec<String>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(schema_with = field_schemas::nullable_text::<4_000>)]
    pub special_instructions: Option<Option<String>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(schema_with = field_schemas::nullable_text::<4_000>)]
    pub weather_concerns: Option<Option<String>>,
    pub required_photos: Option<RequiredPhotos>,
    /// A line that was there keeps its tick.
    #[schema(max_items = 50)]
    pub checklist: Option<Vec<String>>,
}

#[expect(clippy::option_option, reason = "absent, taken away and changed are three things")]
pub(super) struct CheckedJobPatch {
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
    pub(super) fn validate(&self) -> Result<CheckedJobPatch> {
        let mut errors = FieldErrors::default();
        let service = self.service.as_deref();
        let checked = CheckedJobPatch {
            version: require_version(self.version, &mut errors),
            service: service
                .map(|s| single_line("service", Some(s), MAX_SERVICE).parse_required("Say what is done", &mut errors)),
            description: map_present(self.description.as_ref(), |text| {
                multi_line("description", text, MAX_TEXT).parse_optional(&mut errors)
            }),
            address: map_present(self.address.as_ref(), |text| {
                single_line("address", text, MAX_ADDRESS).parse_optional(&mut errors)
            }),
            zip: map_present(self.zip.as_ref(), |text| single_line("zip", text, MAX_ZIP).parse_optional(&mut errors)),
            duration_minutes: self.duration_minutes.map(|minutes| validate_duration(minutes, &mut errors)),
            arrival_minutes: self.arrival_minutes.map(|minutes| validate_arrival(minutes, &mut errors)),
            value: self.value.as_ref().map(|typed| validate_amount(typed.as_ref(), &mut errors)),
            materials: self
                .materials
                .as_deref()
                .map(|typed| validate_lines("materials", Some(typed), (MOST_MATERIALS, MAX_MATERIAL), &mut errors)),
            special_instructions: map_present(self.special_instructions.as_ref(), |text| {
                validate_instructions(text, &mut errors)
            }),
            weather_concerns: map_present(self.weather_concerns.as_ref(), |text| validate_weather(text, &mut errors)),
            checklist: self.checklist.as_deref().map(|typed| validate_checklist(typed, &mut errors)),
        };
        errors.into_result()?;
        Ok(checked)
    }
}

#[expect(clippy::option_option, reason = "absent, taken away and changed are three things")]
fn map_present(
    typed: Option<&Option<String>>,
    read: impl FnOnce(Option<&str>) -> Option<String>,
) -> Option<Option<String>> {
    typed.map(|text| read(text.as_deref()))
}

pub(super) fn require_version(sent: Option<i64>, errors: &mut FieldErrors) -> i64 {
    if sent.is_none() {
        errors.add("version", "Say which version of the job this changes");
    }
    sent.unwrap_or_default()
}

/// Within ten years.
pub(super) fn validate_time(
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

pub(super) fn validate_duration(minutes: i64, errors: &mut FieldErrors) -> i64 {
    let (least, most) = (SHORTEST.num_minutes(), MAX_JOB_DURATION.num_minutes());
    if !(least..=most).contains(&minutes) {
        errors.add("durationMinutes", format!("Choose a whole number from {least} to {most}"));
    }
    minutes
}

fn validate_arrival(minutes: i64, errors: &mut FieldErrors) -> i64 {
    if !ARRIVAL_WINDOWS.contains(&minutes) {
        errors.add("arrivalMinutes", "Choose 0, 15, 30, 60, 120 or 240 minutes");
    }
    minutes
}

fn validate_amount(typed: Option<&DecimalInput>, errors: &mut FieldErrors) -> Option<Cents> {
    let typed = typed?;
    let cents = typed.to_cents().filter(|cents| *cents >= Cents::ZERO);
    if cents.is_none() {
        errors.add("value", "Please enter a valid amount");
    }
    cents
}

fn validate_instructions(typed: Option<&str>, errors: &mut FieldErrors) -> Option<String> {
    multi_line("specialInstructions", typed, MAX_TEXT).parse_optional(errors)
}

fn validate_weather(typed: Option<&str>, errors: &mut FieldErrors) -> Option<String> {
    multi_line("weatherConcerns", typed, MAX_TEXT).parse_optional(errors)
}

fn validate_checklist(typed: &[String], errors: &mut FieldErrors) -> Vec<String> {
    validate_lines("checklist", Some(typed), (MOST_CHECKS, MAX_CHECK), errors)
}

fn validate_lines(
    field: &'static str,
    typed: Option<&[String]>,
    (most, longest): (usize, usize),
    errors: &mut FieldErrors,
) -> Vec<String> {
    let typed = typed.unwrap_or_default();
    let found: Vec<String> =
        typed.iter().filter_map(|text| single_line(field, Some(text), longest).parse_optional(errors)).collect();
    if found.len() > most {
        errors.add(field, format!("Keep at most {most} lines"));
    }
    found
}

#[cfg(test)]
mod tests;
