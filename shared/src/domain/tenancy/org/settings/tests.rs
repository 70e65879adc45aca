//! Tests of defaults, validation and storage of the settings pages.

use serde_json::json;

use super::*;
use crate::platform::{error::Error, money::Ppm};
use crate::tests::IntoMessages;

fn after(change: Value) -> Result<OrgSettings> {
    let patch: SettingsPatch = serde_json::from_value(change).unwrap();
    OrgSettings::default().apply_patch(&patch, Some("+15125550100"))
}

fn faulty(change: Value) -> Vec<&'static str> {
    match after(change) {
        Err(Error::Invalid(errors)) => errors.into_messages().into_iter().map(|(field, _)| field).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn new_business_has_default_settings() {
    let settings = OrgSettings::default();
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
fn patch_keeps_settings_it_does_not_name() {
    let settings = after(json!({"calls": {"ringSeconds": 30}})).unwrap();
    assert_eq!((settings.calls.ring_seconds, settings.calls.repeat_hours), (30, 24));
    assert_eq!(settings.notifications, NotificationSettings::default());
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
        (json!({"figures": {"autoReplyMinutes": 241}}), "figures.autoReplyMinutes"),
        (json!({"figures": {"schedulingMinutes": -1}}), "figures.schedulingMinutes"),
        (json!({"figures": {"monthlyOverhead": "-0.01"}}), "figures.monthlyOverhead"),
        (json!({"look": {"color": "teal"}}), "look.color"),
        (json!({"look": {"color": "#0061"}}), "look.color"),
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
    let table = [
        (json!({"estimates": {"prefix": "EST/"}}), "estimates.prefix"),
        (json!({"estimates": {"prefix": "x".repeat(11)}}), "estimates.prefix"),
        (json!({"estimates": {"quoteHours": 0}}), "estimates.quoteHours"),
        (json!({"estimates": {"quoteHours": 169}}), "estimates.quoteHours"),
        (json!({"estimates": {"validDays": 366}}), "estimates.validDays"),
        (json!({"estimates": {"deposit": {"kind": "percent", "value": 0}}}), "estimates.deposit"),
        (json!({"estimates": {"deposit": {"kind": "amount", "value": -1}}}), "estimates.deposit"),
        (json!({"estimates": {"taxRates": [{"name": " ", "rate": 8}]}}), "estimates.taxRates"),
        (
            json!({"estimates": {"taxRates": [{"name": "City", "rate": 1}, {"name": "city", "rate": 2}]}}),
            "estimates.taxRates",
        ),
        (json!({"estimates": {"defaultTax": "City"}}), "estimates.defaultTax"),
        (json!({"estimates": {"followUpDays": [0]}}), "estimates.followUpDays"),
        (json!({"estimates": {"terms": "x".repeat(10_001)}}), "estimates.terms"),
        (json!({"jobs": {"durationMinutes": 14}}), "jobs.durationMinutes"),
        (json!({"jobs": {"arrivalMinutes": 45}}), "jobs.arrivalMinutes"),
        (json!({"jobs": {"checklist": ["x".repeat(121)]}}), "jobs.checklist"),
        (json!({"jobs": {"dayBeforeAt": "9 o'clock"}}), "jobs.dayBeforeAt"),
        (json!({"invoicing": {"prefix": "a b"}}), "invoicing.prefix"),
        (json!({"invoicing": {"termsDays": 181}}), "invoicing.termsDays"),
        (json!({"invoicing": {"howToPay": "a\u{0}"}}), "invoicing.howToPay"),
        (json!({"invoicing": {"dunningDays": [-31]}}), "invoicing.dunningDays"),
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
fn phone_numbers_and_words_are_stored_normalized_without_duplicates() {
    let change = json!({"calls": {"forwardTo": ["(512) 555-0142", "512.555.0142", " "],
        "emergencyWords": [" Gas  Leak ", "gas leak", ""]}});
    let calls = after(change).unwrap().calls;
    assert_eq!(
        (calls.forward_to, calls.emergency_words),
        (vec!["+15125550142".to_owned()], vec!["gas leak".to_owned()])
    );
}

#[test]
fn estimate_job_and_invoicing_settings_round_trip_through_storage() {
    let settings = OrgSettings::default();
    let shown = serde_json::to_value(&settings.estimates).unwrap();
    assert_eq!(
        shown,
        json!({"quoteHours": 24, "prefix": "EST-", "validDays": 30, "deposit": {"kind": "none", "value": null}, "taxRates": [],
            "defaultTax": null, "terms": "", "followUpDays": [2, 5, 10]})
    );
    let shown = serde_json::to_value(&settings.invoicing).unwrap();
    assert_eq!(
        shown,
        json!({"prefix": "INV-", "termsDays": 14, "onCompletion": "draft", "howToPay": "", "dunning": true,
            "dunningDays": [-3, 0, 3, 7, 14, 30], "receipts": true})
    );
    let changed = after(json!({
        "estimates": {"deposit": {"kind": "percent", "value": 30.5}, "taxRates": [{"name": "City", "rate": 8.25}],
            "defaultTax": "City", "followUpDays": [5, 2, 5], "terms": "Half now.\r\nHalf later."},
        "jobs": {"requiredPhotos": "before_and_after", "checklist": [" Water off ", ""], "late": false},
        "invoicing": {"onCompletion": "send", "dunningDays": []},
    }))
    .unwrap();
    assert_eq!(changed.estimates.deposit, DepositPolicy::Percent(Ppm(305_000)));
    assert_eq!(changed.estimates.default_tax().map(|tax| tax.rate), Some(Ppm(82_500)));
    assert_eq!(
        (&changed.estimates.follow_up_days[..], changed.estimates.terms()),
        (&[2, 5][..], Some("Half now.\nHalf later."))
    );
    assert_eq!(changed.jobs.checklist, ["Water off"]);
    let mut stored = OrgSettings::default();
    let org = OrgId(uuid::Uuid::nil());
    stored.load_page(org, "estimates", &serde_json::to_string(&changed.estimates).unwrap());
    stored.load_page(org, "jobs", &serde_json::to_string(&changed.jobs).unwrap());
    stored.load_page(org, "invoicing", &serde_json::to_string(&changed.invoicing).unwrap());
    assert_eq!(stored, changed);
    let none = json!({"estimates": {"deposit": {"kind": "none", "value": 5}, "defaultTax": null, "taxRates": []}});
    let patch: SettingsPatch = serde_json::from_value(none).unwrap();
    let none = changed.apply_patch(&patch, None).unwrap().estimates;
    assert_eq!((none.deposit, none.default_tax), (DepositPolicy::None, None));
}

#[test]
fn unreadable_stored_settings_page_falls_back_to_defaults() {
    let mut settings = OrgSettings::default();
    let org = OrgId(uuid::Uuid::nil());
    settings.load_page(org, "calls", r#"{"ringSeconds": "soon"}"#);
    settings.load_page(org, "sending", r#"{"dailyTextBudget": 7}"#);
    settings.load_page(org, "of_tomorrow", "[]");
    let sending = SendingSettings { daily_text_budget: 7, ..SendingSettings::default() };
    assert_eq!(settings, OrgSettings { sending, ..OrgSettings::default() });
}

#[test]
fn look_color_is_normalized_and_taken_away() {
    let changed = after(json!({"look": {"color": "#00616F", "showsPoweredBy": false}})).unwrap();
    assert_eq!(changed.look, LookSettings { color: Some("#00616f".to_owned()), shows_powered_by: false });
    for none in [json!(null), json!("")] {
        let patch: SettingsPatch = serde_json::from_value(json!({"look": {"color": none}})).unwrap();
        let look = changed.apply_patch(&patch, None).unwrap().look;
        assert_eq!(look, LookSettings { color: None, shows_powered_by: false });
    }
    let mut stored = OrgSettings::default();
    stored.load_page(OrgId(uuid::Uuid::nil()), "look", r##"{"color": "#ffcc00"}"##);
    assert!(stored.look.shows_powered_by && stored.look.brand_palette().is_some());
}
