//! What each step asks of Twilio: the collection, how its part is found there, and the form. Sources: Twilio, "Standard
//! and Low-Volume Standard Brand onboarding guide for ISVs" and "New Sole Proprietor registration for ISVs".

use serde_json::json;

use super::{BrandType, BusinessProfile, LegalForm, TenDlcProgress, TenDlcStep};
use crate::{
    domain::{messaging::texting_registration::kit::RegistrationKit, tenancy::org::Org},
    platform::id::TextingRegistrationId,
    providers::sms::{A2pCollection, A2pResource},
};

mod attributes;
mod campaign;

/// Policies of Twilio's: the same for every account.
const SECONDARY_PROFILE_POLICY: &str = "RNdfbf3fae0e1107f8aded0e7cead80bf5";
const STARTER_PROFILE_POLICY: &str = "RN806dd6cd175f314e1f96a9727ee271f4";
const MESSAGING_PROFILE_POLICY: &str = "RNb0d4771c2c98518d916a3d4cd70a8f8b";
const SOLE_PROPRIETOR_POLICY: &str = "RN670d5d2e282a6130ae063b234b6019c8";

/// Names and values, in Twilio's spelling. A name may come more than once.
pub type CallForm = Vec<(&'static str, String)>;

/// What the steps are made of.
#[derive(Clone, Copy, Debug)]
pub struct StepInputs<'a> {
    pub id: TextingRegistrationId,
    pub org: &'a Org,
    pub profile: &'a BusinessProfile,
    pub progress: &'a TenDlcProgress,
    pub kit: &'a RegistrationKit,
    /// The operator's primary customer profile.
    pub primary_profile: &'a str,
    /// E.164.
    pub number: &'a str,
    /// Twilio's id of the number; needed by the last step.
    pub number_sid: &'a str,
}

/// How the part of a step is found in its collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResourceSearch {
    /// By its friendly name, which holds our id.
    Name(String),
    /// By the object that is assigned, or the customer profile of a brand.
    RefersTo(String),
    /// E.164.
    Number(String),
    /// The collection has one at most.
    Only,
}

/// What a step asks of Twilio.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepCall {
    pub collection: A2pCollection,
    pub search: ResourceSearch,
    /// To create it.
    pub form: CallForm,
    /// To change it, or to send it again.
    pub change: CallForm,
}

impl ResourceSearch {
    #[must_use]
    pub fn matches_part(&self, found: &A2pResource) -> bool {
        match self {
            Self::Name(name) => found.name.as_ref() == Some(name),
            Self::RefersTo(sid) => found.refers_to.as_ref() == Some(sid),
            Self::Number(number) => found.number.as_ref() == Some(number),
            Self::Only => true,
        }
    }

    #[must_use]
    pub fn friendly_name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            Self::RefersTo(_) | Self::Number(_) | Self::Only => None,
        }
    }
}

impl StepCall {
    fn new(collection: A2pCollection, search: ResourceSearch, form: CallForm) -> Self {
        Self { collection, search, form, change: Vec::new() }
    }

    fn with_change(self, change: CallForm) -> Self {
        Self { change, ..self }
    }
}

impl StepInputs<'_> {
    /// The friendly name of a part: at most 64 characters.
    fn name_part(&self, part: &str) -> String {
        format!("Toolbox {} {} {part}", self.id.0.simple(), self.progress.brand_type.short_name())
    }

    fn is_sole_proprietor(&self) -> bool {
        self.progress.brand_type == BrandType::SoleProprietor
    }

    fn profile_policy(&self) -> &'static str {
        if self.is_sole_proprietor() { STARTER_PROFILE_POLICY } else { SECONDARY_PROFILE_POLICY }
    }

    fn product_policy(&self) -> &'static str {
        if self.is_sole_proprietor() { SOLE_PROPRIETOR_POLICY } else { MESSAGING_PROFILE_POLICY }
    }

    /// A bundle of parts that Twilio reviews.
    fn bundle(&self, collection: A2pCollection, part: &str, policy: &str) -> StepCall {
        let name = self.name_part(part);
        let form = vec![
            ("FriendlyName", name.clone()),
            ("Email", self.profile.contact_email.clone()),
            ("PolicySid", policy.to_owned()),
        ];
        let submit = vec![("Status", "pending-review".to_owned())];
        StepCall::new(collection, ResourceSearch::Name(name), form).with_change(submit)
    }

    fn end_user(&self, part: &str, (kind, attributes): (&str, serde_json::Value)) -> StepCall {
        let name = self.name_part(part);
        let change = vec![("FriendlyName", name.clone()), ("Attributes", attributes.to_string())];
        let mut form = change.clone();
        form.push(("Type", kind.to_owned()));
        StepCall::new(A2pCollection::EndUsers, ResourceSearch::Name(name), form).with_change(change)
    }

    fn address(&self) -> StepCall {
        let (name, profile) = (self.name_part("address"), self.profile);
        let change = vec![
            ("FriendlyName", name.clone()),
            ("CustomerName", profile.legal_name.clone()),
            ("Street", profile.street.clone()),
            ("City", profile.city.clone()),
            ("Region", profile.state.clone()),
            ("PostalCode", profile.zip.clone()),
        ];
        let mut form = change.clone();
        form.push(("IsoCountry", "US".to_owned()));
        StepCall::new(A2pCollection::Addresses, ResourceSearch::Name(name), form).with_change(change)
    }

    fn address_document(&self) -> Option<StepCall> {
        let name = self.name_part("document");
        let attributes = json!({ "address_sids": self.progress.find_sid(TenDlcStep::Address)? });
        let form = vec![
            ("FriendlyName", name.clone()),
            ("Type", "customer_profile_address".to_owned()),
            ("Attributes", attributes.to_string()),
        ];
        Some(StepCall::new(A2pCollection::SupportingDocuments, ResourceSearch::Name(name), form))
    }

    fn brand(&self) -> Option<StepCall> {
        let customer_profile = self.progress.find_sid(TenDlcStep::CustomerProfile)?.to_owned();
        let product = self.progress.find_sid(TenDlcStep::TrustProduct)?.to_owned();
        let mut form = vec![("CustomerProfileBundleSid", customer_profile.clone()), ("A2PProfileBundleSid", product)];
        if self.is_sole_proprietor() {
            form.push(("BrandType", "SOLE_PROPRIETOR".to_owned()));
        } else {
            form.push(("BrandType", "STANDARD".to_owned()));
            form.push(("SkipAutomaticSecVet", "true".to_owned()));
        }
        Some(StepCall::new(A2pCollection::Brands, ResourceSearch::RefersTo(customer_profile), form))
    }

    /// Texts to its numbers go on to the addresses of the number. Without that Twilio drops them.
    fn messaging_service(&self) -> StepCall {
        let name = self.name_part("service");
        let form = vec![("FriendlyName", name.clone()), ("UseInboundWebhookOnNumber", "true".to_owned())];
        StepCall::new(A2pCollection::MessagingServices, ResourceSearch::Name(name), form)
    }
}

fn assign(collection: A2pCollection, object: &str) -> StepCall {
    let form = vec![("ObjectSid", object.to_owned())];
    StepCall::new(collection, ResourceSearch::RefersTo(object.to_owned()), form)
}

fn evaluate(collection: A2pCollection, policy: &str) -> StepCall {
    StepCall::new(collection, ResourceSearch::Only, vec![("PolicySid", policy.to_owned())])
}

/// None where a step before has left no id.
#[must_use]
pub fn build_call(step: TenDlcStep, from: &StepInputs<'_>) -> Option<StepCall> {
    let sid = |step| from.progress.find_sid(step).map(ToOwned::to_owned);
    let to_profile = |object| {
        let bundle = sid(TenDlcStep::CustomerProfile)?;
        Some(assign(A2pCollection::ProfileAssignments(bundle), &sid(object)?))
    };
    let to_product = |object| {
        let bundle = sid(TenDlcStep::TrustProduct)?;
        Some(assign(A2pCollection::ProductAssignments(bundle), &sid(object)?))
    };
    Some(match step {
        TenDlcStep::CustomerProfile | TenDlcStep::SubmitProfile | TenDlcStep::ReviewProfile => {
            from.bundle(A2pCollection::CustomerProfiles, "profile", from.profile_policy())
        }
        TenDlcStep::BusinessInformation => from.end_user("business", attributes::describe_business(from)),
        TenDlcStep::Representative => from.end_user("representative", attributes::describe_representative(from)),
        TenDlcStep::Address => from.address(),
        TenDlcStep::AddressDocument => from.address_document()?,
        TenDlcStep::AssignBusiness => to_profile(TenDlcStep::BusinessInformation)?,
        TenDlcStep::AssignRepresentative => to_profile(TenDlcStep::Representative)?,
        TenDlcStep::AssignAddress => to_profile(TenDlcStep::AddressDocument)?,
        TenDlcStep::AssignPrimary => {
            assign(A2pCollection::ProfileAssignments(sid(TenDlcStep::CustomerProfile)?), from.primary_profile)
        }
        TenDlcStep::EvaluateProfile => {
            evaluate(A2pCollection::ProfileEvaluations(sid(TenDlcStep::CustomerProfile)?), from.profile_policy())
        }
        TenDlcStep::TrustProduct | TenDlcStep::SubmitProduct | TenDlcStep::ReviewProduct => {
            from.bundle(A2pCollection::TrustProducts, "product", from.product_policy())
        }
        TenDlcStep::MessagingInformation => from.end_user("messaging", attributes::describe_messaging(from)),
        TenDlcStep::AssignMessaging => to_product(TenDlcStep::MessagingInformation)?,
        TenDlcStep::AssignProfile => to_product(TenDlcStep::CustomerProfile)?,
        TenDlcStep::EvaluateProduct => {
            evaluate(A2pCollection::ProductEvaluations(sid(TenDlcStep::TrustProduct)?), from.product_policy())
        }
        TenDlcStep::Brand | TenDlcStep::ReviewBrand => from.brand()?,
        TenDlcStep::MessagingService => from.messaging_service(),
        TenDlcStep::Campaign | TenDlcStep::ReviewCampaign => campaign::describe_campaign(from)?,
        TenDlcStep::SenderNumber => StepCall::new(
            A2pCollection::ServiceNumbers(sid(TenDlcStep::MessagingService)?),
            ResourceSearch::Number(from.number.to_owned()),
            vec![("PhoneNumberSid", from.number_sid.to_owned())],
        ),
    })
}

#[cfg(test)]
mod tests;
