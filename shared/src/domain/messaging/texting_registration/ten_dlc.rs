//! Registration of a business's local numbers (A2P 10DLC): its steps at Twilio, and what they cost.
//!
//! Each step is one call of a task. Its outcome is stored before the next one begins, and what exists at Twilio is looked
//! up before anything is created, so that a cut answer makes no second brand or campaign. A brand is paid for only when
//! Twilio has approved both profiles.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{BusinessProfile, LegalForm, TextingRegistrationState};

pub mod calls;
pub(super) mod local_state;
mod phases;
pub mod reasons;
pub mod store;

pub use phases::{
    RegistrationFees, RegistrationPhase, RegistrationPhaseState, RegistrationProgress, estimate_fees, list_phases,
};

/// Twilio's kind of brand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BrandType {
    /// `STANDARD` without secondary vetting: below 6,000 segments a day.
    LowVolumeStandard,
    /// For who has no EIN; one number.
    SoleProprietor,
}

impl BrandType {
    #[must_use]
    pub fn of_profile(profile: &BusinessProfile) -> Self {
        if profile.legal_form == LegalForm::SoleProprietor && profile.ein.is_empty() {
            Self::SoleProprietor
        } else {
            Self::LowVolumeStandard
        }
    }

    /// Part of friendly names: the parts of one kind of brand do not fit the other.
    const fn short_name(self) -> &'static str {
        match self {
            Self::LowVolumeStandard => "standard",
            Self::SoleProprietor => "sole",
        }
    }
}

/// A step at Twilio, in the order in which they are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum TenDlcStep {
    CustomerProfile,
    BusinessInformation,
    Representative,
    Address,
    AddressDocument,
    AssignBusiness,
    AssignRepresentative,
    AssignAddress,
    AssignPrimary,
    EvaluateProfile,
    SubmitProfile,
    ReviewProfile,
    TrustProduct,
    MessagingInformation,
    AssignMessaging,
    AssignProfile,
    EvaluateProduct,
    SubmitProduct,
    ReviewProduct,
    Brand,
    ReviewBrand,
    MessagingService,
    Campaign,
    ReviewCampaign,
    SenderNumber,
}

/// How a step is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// Made once.
    Create,
    /// Made once, and changed with each correction.
    Describe,
    /// Made once, without an id that later steps need.
    Assign,
    Evaluate,
    /// Handed to Twilio for review.
    Submit,
    /// Waits for Twilio or the carriers.
    Review,
    /// Made once for money; sent again when it was turned down.
    Charge,
}

const ORDER: [TenDlcStep; 25] = [
    TenDlcStep::CustomerProfile,
    TenDlcStep::BusinessInformation,
    TenDlcStep::Representative,
    TenDlcStep::Address,
    TenDlcStep::AddressDocument,
    TenDlcStep::AssignBusiness,
    TenDlcStep::AssignRepresentative,
    TenDlcStep::AssignAddress,
    TenDlcStep::AssignPrimary,
    TenDlcStep::EvaluateProfile,
    TenDlcStep::SubmitProfile,
    TenDlcStep::ReviewProfile,
    TenDlcStep::TrustProduct,
    TenDlcStep::MessagingInformation,
    TenDlcStep::AssignMessaging,
    TenDlcStep::AssignProfile,
    TenDlcStep::EvaluateProduct,
    TenDlcStep::SubmitProduct,
    TenDlcStep::ReviewProduct,
    TenDlcStep::Brand,
    TenDlcStep::ReviewBrand,
    TenDlcStep::MessagingService,
    TenDlcStep::Campaign,
    TenDlcStep::ReviewCampaign,
    TenDlcStep::SenderNumber,
];

impl TenDlcStep {
    pub const FIRST: Self = Self::CustomerProfile;

    /// None behind the last one.
    #[must_use]
    pub fn next_step(self, brand: BrandType) -> Option<Self> {
        let applies = |step: &Self| {
            brand == BrandType::LowVolumeStandard || !matches!(step, Self::Representative | Self::AssignRepresentative)
        };
        ORDER.into_iter().filter(applies).find(|step| *step > self)
    }

    #[must_use]
    pub const fn step_kind(self) -> StepKind {
        match self {
            Self::CustomerProfile | Self::TrustProduct | Self::AddressDocument | Self::MessagingService => {
                StepKind::Create
            }
            Self::BusinessInformation | Self::Representative | Self::Address | Self::MessagingInformation => {
                StepKind::Describe
            }
            Self::AssignBusiness
            | Self::AssignRepresentative
            | Self::AssignAddress
            | Self::AssignPrimary
            | Self::AssignMessaging
            | Self::AssignProfile
            | Self::SenderNumber => StepKind::Assign,
            Self::EvaluateProfile | Self::EvaluateProduct => StepKind::Evaluate,
            Self::SubmitProfile | Self::SubmitProduct => StepKind::Submit,
            Self::ReviewProfile | Self::ReviewProduct | Self::ReviewBrand | Self::ReviewCampaign => StepKind::Review,
            Self::Brand | Self::Campaign => StepKind::Charge,
        }
    }

    #[must_use]
    pub fn registration_phase(self) -> RegistrationPhase {
        match self {
            Self::Brand | Self::ReviewBrand => RegistrationPhase::Brand,
            Self::MessagingService | Self::Campaign | Self::ReviewCampaign => RegistrationPhase::Campaign,
            Self::SenderNumber => RegistrationPhase::Number,
            _ => RegistrationPhase::Profile,
        }
    }

    /// Where a correction begins again: an approved brand is not paid for twice.
    #[must_use]
    pub fn restart_step(self, is_other_brand: bool) -> Self {
        match self.registration_phase() {
            RegistrationPhase::Campaign | RegistrationPhase::Number if !is_other_brand => {
                if self == Self::SenderNumber { self } else { Self::MessagingService }
            }
            _ => Self::FIRST,
        }
    }
}

/// What Twilio has made, and for which kind of brand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TenDlcProgress {
    pub brand_type: BrandType,
    sids: BTreeMap<TenDlcStep, String>,
}

impl TenDlcProgress {
    #[must_use]
    pub const fn for_brand(brand_type: BrandType) -> Self {
        Self { brand_type, sids: BTreeMap::new() }
    }

    /// Twilio's id of what the step has made.
    #[must_use]
    pub fn find_sid(&self, step: TenDlcStep) -> Option<&str> {
        self.sids.get(&step).map(String::as_str)
    }

    #[must_use]
    pub fn with_sid(mut self, step: TenDlcStep, sid: &str) -> Self {
        self.sids.insert(step, sid.to_owned());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(brand: BrandType) -> Vec<TenDlcStep> {
        std::iter::successors(Some(TenDlcStep::FIRST), |step| step.next_step(brand)).collect()
    }

    #[test]
    fn steps_are_taken_in_order_and_sole_proprietor_has_no_representative() {
        assert!(ORDER.is_sorted());
        assert_eq!(walk(BrandType::LowVolumeStandard), ORDER);
        let alone = walk(BrandType::SoleProprietor);
        assert_eq!(alone.len(), ORDER.len() - 2);
        assert!(!alone.contains(&TenDlcStep::Representative) && !alone.contains(&TenDlcStep::AssignRepresentative));
    }

    #[test]
    fn money_is_spent_after_both_reviews() {
        let first = ORDER.into_iter().find(|step| step.step_kind() == StepKind::Charge);
        assert_eq!(first, Some(TenDlcStep::Brand));
        assert!(TenDlcStep::Brand > TenDlcStep::ReviewProfile && TenDlcStep::Brand > TenDlcStep::ReviewProduct);
    }

    #[test]
    fn correction_keeps_what_was_paid_for_unless_brand_is_of_another_kind() {
        for (stopped_at, restart) in [
            (TenDlcStep::ReviewProfile, TenDlcStep::FIRST),
            (TenDlcStep::ReviewBrand, TenDlcStep::FIRST),
            (TenDlcStep::ReviewCampaign, TenDlcStep::MessagingService),
            (TenDlcStep::SenderNumber, TenDlcStep::SenderNumber),
        ] {
            assert_eq!(stopped_at.restart_step(false), restart);
            assert_eq!(stopped_at.restart_step(true), TenDlcStep::FIRST);
        }
    }

    #[test]
    fn progress_is_read_back_from_json() {
        let progress = TenDlcProgress::for_brand(BrandType::SoleProprietor).with_sid(TenDlcStep::Brand, "BN1");
        let json = serde_json::to_string(&progress).unwrap();
        assert_eq!(json, r#"{"brandType":"sole_proprietor","sids":{"brand":"BN1"}}"#);
        assert_eq!(serde_json::from_str::<TenDlcProgress>(&json).unwrap(), progress);
    }

    #[test]
    fn sole_proprietor_with_ein_is_a_standard_brand() {
        let alone = BusinessProfile { legal_form: LegalForm::SoleProprietor, ..BusinessProfile::default() };
        assert_eq!(BrandType::of_profile(&alone), BrandType::SoleProprietor);
        let with_ein = BusinessProfile { ein: "123456789".into(), ..alone };
        assert_eq!(BrandType::of_profile(&with_ein), BrandType::LowVolumeStandard);
    }
}
