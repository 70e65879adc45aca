//! Calls of the steps, with the fields that Twilio documents.

use super::{attributes::business_type, *};
use crate::platform::public_url::PublicUrl;

fn profile() -> BusinessProfile {
    BusinessProfile {
        legal_name: "Acme Plumbing LLC".into(),
        ein: "123456789".into(),
        website: "https://acme.example".into(),
        contact_first_name: "Olive".into(),
        contact_title: "Owner".into(),
        contact_phone: "+15125550100".into(),
        ..BusinessProfile::default()
    }
}

fn progress(brand: BrandType) -> TenDlcProgress {
    [
        (TenDlcStep::CustomerProfile, "BU1"),
        (TenDlcStep::BusinessInformation, "IT1"),
        (TenDlcStep::Representative, "IT2"),
        (TenDlcStep::Address, "AD1"),
        (TenDlcStep::AddressDocument, "RD1"),
        (TenDlcStep::TrustProduct, "BU2"),
        (TenDlcStep::MessagingInformation, "IT3"),
        (TenDlcStep::Brand, "BN1"),
        (TenDlcStep::MessagingService, "MG1"),
        (TenDlcStep::Campaign, "QE1"),
    ]
    .into_iter()
    .fold(TenDlcProgress::for_brand(brand), |progress, (step, sid)| progress.with_sid(step, sid))
}

fn call_of(step: TenDlcStep, brand: BrandType) -> StepCall {
    let org = Org::acme();
    let kit = RegistrationKit::from_org(&org, &PublicUrl::parse("https://toolbox.example").unwrap());
    let (profile, progress) = (profile(), progress(brand));
    let inputs = StepInputs {
        id: TextingRegistrationId(uuid::Uuid::from_u128(1)),
        org: &org,
        profile: &profile,
        progress: &progress,
        kit: &kit,
        primary_profile: "BU9",
        number: "+15125550731",
        number_sid: "PN1",
    };
    build_call(step, &inputs).unwrap()
}

fn value(call: &StepCall, name: &str) -> String {
    call.form.iter().find(|(given, _)| *given == name).map(|(_, value)| value.clone()).unwrap_or_default()
}

#[test]
fn standard_brand_names_the_business_with_its_ein() {
    let standard = BrandType::LowVolumeStandard;
    let bundle = call_of(TenDlcStep::CustomerProfile, standard);
    assert_eq!(value(&bundle, "PolicySid"), SECONDARY_PROFILE_POLICY);
    assert!(value(&bundle, "FriendlyName").len() <= 64, "Twilio's limit");
    let business = call_of(TenDlcStep::BusinessInformation, standard);
    assert_eq!(value(&business, "Type"), "customer_profile_business_information");
    let attributes = value(&business, "Attributes");
    assert!(attributes.contains(r#""business_registration_number":"123456789""#), "{attributes}");
    assert!(business.change.iter().all(|(name, _)| *name != "Type"), "a type is never changed");
    let brand = call_of(TenDlcStep::Brand, standard);
    assert_eq!(
        (value(&brand, "BrandType").as_str(), value(&brand, "SkipAutomaticSecVet").as_str()),
        ("STANDARD", "true")
    );
    assert_eq!(brand.search, ResourceSearch::RefersTo("BU1".into()));
    assert_eq!(value(&call_of(TenDlcStep::AssignPrimary, standard), "ObjectSid"), "BU9");
    assert_eq!(value(&call_of(TenDlcStep::AssignProfile, standard), "ObjectSid"), "BU1");
}

#[test]
fn sole_proprietor_has_a_starter_profile_and_a_mobile_phone() {
    let alone = BrandType::SoleProprietor;
    assert_eq!(value(&call_of(TenDlcStep::CustomerProfile, alone), "PolicySid"), STARTER_PROFILE_POLICY);
    let person = call_of(TenDlcStep::BusinessInformation, alone);
    assert_eq!(value(&person, "Type"), "starter_customer_profile_information");
    let messaging = value(&call_of(TenDlcStep::MessagingInformation, alone), "Attributes");
    assert!(messaging.contains(r#""mobile_phone_number":"+15125550100""#), "{messaging}");
    let brand = call_of(TenDlcStep::Brand, alone);
    assert_eq!(
        (value(&brand, "BrandType"), value(&brand, "SkipAutomaticSecVet")),
        ("SOLE_PROPRIETOR".into(), String::new())
    );
    assert_eq!(value(&call_of(TenDlcStep::Campaign, alone), "UsAppToPersonUsecase"), "SOLE_PROPRIETOR");
    let names = [alone, BrandType::LowVolumeStandard].map(|brand| call_of(TenDlcStep::MessagingService, brand).search);
    assert_ne!(names[0], names[1], "the parts of one kind do not fit the other");
}

#[test]
fn campaign_shows_flow_samples_and_pages() {
    let campaign = call_of(TenDlcStep::Campaign, BrandType::LowVolumeStandard);
    assert_eq!(campaign.collection, A2pCollection::Campaigns("MG1".into()));
    let flow = value(&campaign, "MessageFlow");
    assert!(flow.contains("https://toolbox.example/lead?org=acme") && (40..=2048).contains(&flow.len()), "{flow}");
    assert!((40..=4096).contains(&value(&campaign, "Description").len()));
    let samples: Vec<&String> =
        campaign.form.iter().filter(|(name, _)| *name == "MessageSamples").map(|(_, sample)| sample).collect();
    assert!((2..=5).contains(&samples.len()) && samples.iter().all(|sample| (20..=1024).contains(&sample.len())));
    assert!(campaign.change.iter().all(|(name, _)| *name != "BrandRegistrationSid"), "it stays the brand's");
    let service = call_of(TenDlcStep::MessagingService, BrandType::LowVolumeStandard);
    assert_eq!(value(&service, "UseInboundWebhookOnNumber"), "true", "texts to the number still come here");
}

#[test]
fn step_without_what_it_builds_on_has_no_call() {
    let org = Org::acme();
    let kit = RegistrationKit::from_org(&org, &PublicUrl::parse("https://toolbox.example").unwrap());
    let (profile, progress) = (profile(), TenDlcProgress::for_brand(BrandType::LowVolumeStandard));
    let inputs = StepInputs {
        id: TextingRegistrationId(uuid::Uuid::from_u128(1)),
        org: &org,
        profile: &profile,
        progress: &progress,
        kit: &kit,
        primary_profile: "BU9",
        number: "+15125550731",
        number_sid: "PN1",
    };
    assert_eq!(build_call(TenDlcStep::Brand, &inputs), None);
    assert_eq!(build_call(TenDlcStep::SenderNumber, &inputs), None);
}

#[test]
fn business_type_follows_the_legal_name() {
    for (name, expected) in [
        ("Acme Plumbing LLC", "Limited Liability Corporation"),
        ("Acme Plumbing, L.L.C.", "Limited Liability Corporation"),
        ("Acme Plumbing Inc.", "Corporation"),
        ("Acme Corp", "Corporation"),
        ("Lee & Ray Partners", "Partnership"),
        ("Acme", "Limited Liability Corporation"),
    ] {
        assert_eq!(business_type(LegalForm::PrivateCompany, name), expected, "{name}");
    }
    assert_eq!(business_type(LegalForm::Nonprofit, "Acme Inc."), "Non-profit Corporation");
}
