//! Checks of job forms.

use super::*;
use crate::platform::error::Error;

fn now() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + Duration::days(20_713)
}

fn refused(job: &NewJob) -> Vec<String> {
    match job.validate(&JobSettings::default(), now()) {
        Err(Error::Invalid(errors)) => errors.0.into_keys().map(std::borrow::Cow::into_owned).collect(),
        _ => Vec::new(),
    }
}

fn of_lead() -> NewJob {
    NewJob { lead_id: Some(LeadId(uuid::Uuid::from_u128(1))), ..NewJob::default() }
}

#[test]
fn omitted_fields_take_business_defaults() {
    let set = JobSettings {
        duration_minutes: 90,
        arrival_minutes: 60,
        checklist: vec!["Water off".into()],
        ..JobSettings::default()
    };
    let job = of_lead().validate(&set, now()).unwrap();
    assert_eq!((job.duration_minutes, job.arrival_minutes, job.checklist), (90, 60, vec!["Water off".to_owned()]));
    assert_eq!((job.priority, job.value), (JobPriority::Standard, None));
    let none = NewJob { checklist: Some(Vec::new()), ..of_lead() };
    assert!(none.validate(&set, now()).unwrap().checklist.is_empty(), "an empty list is a value");
}

#[test]
fn invalid_fields_are_all_reported_by_name() {
    assert_eq!(refused(&NewJob::default()), ["leadId"]);
    let bare = NewJob { customer: Some(NewCustomer::default()), ..NewJob::default() };
    assert_eq!(refused(&bare), ["service"]);
    let wrong = NewJob {
        service: Some("x".repeat(81)),
        starts_at: Some(now() + Duration::days(4_000)),
        duration_minutes: Some(0),
        arrival_minutes: Some(7),
        value: Some(DecimalInput::Number(-1.0)),
        materials: Some(vec!["pipe\u{0}".into()]),
        checklist: Some(vec!["Look".into(); 51]),
        ..of_lead()
    };
    let named = ["arrivalMinutes", "checklist", "durationMinutes", "materials", "service", "startsAt", "value"];
    assert_eq!(refused(&wrong), named);
    let amounts = [DecimalInput::Number(1.005), DecimalInput::Text("lots".into()), DecimalInput::Number(f64::NAN)];
    for value in amounts {
        assert_eq!(refused(&NewJob { value: Some(value), ..of_lead() }), ["value"]);
    }
}

#[test]
fn absent_field_is_kept_and_null_field_is_cleared() {
    let patch: JobPatch =
        serde_json::from_str(r#"{"version": 3, "address": null, "zip": "78701", "value": "1,250.50"}"#).unwrap();
    let checked = patch.validate().unwrap();
    assert_eq!(checked.version, 3);
    assert_eq!((checked.address, checked.zip), (Some(None), Some(Some("78701".to_owned()))));
    assert_eq!((checked.description, checked.value), (None, Some(Some(Cents(125_050)))));
    assert!(JobPatch::default().validate().is_err(), "a change without a version");
}
