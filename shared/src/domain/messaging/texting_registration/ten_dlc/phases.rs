//! A registration as people see it: its parts, how far each is, and what it costs.

use serde::Serialize;
use utoipa::ToSchema;

use super::{BrandType, TenDlcStep, TextingRegistrationState};
use crate::platform::money::Micros;

/// Part of a registration as people see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RegistrationPhase {
    /// Twilio checks the business.
    Profile,
    /// The carriers' registry takes the business up.
    Brand,
    /// The carriers check what is texted.
    Campaign,
    /// The number is connected.
    Number,
}

/// How far a part of a registration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RegistrationPhaseState {
    Ahead,
    UnderWay,
    Done,
    /// It was turned down, or could not be sent.
    Stopped,
}

/// A part of a registration, and how far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RegistrationProgress {
    pub phase: RegistrationPhase,
    pub state: RegistrationPhaseState,
}

const PHASES: [RegistrationPhase; 4] =
    [RegistrationPhase::Profile, RegistrationPhase::Brand, RegistrationPhase::Campaign, RegistrationPhase::Number];

/// The parts of a registration that is at `step`.
#[must_use]
pub fn list_phases(step: TenDlcStep, state: TextingRegistrationState) -> Vec<RegistrationProgress> {
    let current = PHASES.iter().position(|phase| *phase == step.registration_phase()).unwrap_or_default();
    let here = match state {
        TextingRegistrationState::Approved => RegistrationPhaseState::Done,
        TextingRegistrationState::Rejected | TextingRegistrationState::Failed => RegistrationPhaseState::Stopped,
        _ => RegistrationPhaseState::UnderWay,
    };
    let state_at = |at: usize| match at.cmp(&current) {
        std::cmp::Ordering::Less => RegistrationPhaseState::Done,
        std::cmp::Ordering::Equal => here,
        std::cmp::Ordering::Greater => RegistrationPhaseState::Ahead,
    };
    PHASES.into_iter().enumerate().map(|(at, phase)| RegistrationProgress { phase, state: state_at(at) }).collect()
}

/// US dollars, at most, billed to the operator's account at Twilio (Twilio, "A2P 10DLC fees").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistrationFees {
    /// Once.
    pub brand: Micros,
    /// Once for each review of the campaign.
    pub campaign: Micros,
    /// Each month while the campaign exists.
    pub monthly: Micros,
}

/// What a submission costs. `before` is where the one before ended, and its brand: a sole proprietor who turns out to have
/// an EIN needs another one.
#[must_use]
pub fn estimate_fees(before: Option<(TenDlcStep, BrandType)>) -> RegistrationFees {
    let start = before.map_or(TenDlcStep::FIRST, |(stopped_at, brand)| {
        let may_change = brand == BrandType::SoleProprietor && stopped_at != TenDlcStep::SenderNumber;
        stopped_at.restart_step(may_change)
    });
    let upto = |step: TenDlcStep, micros: i64| Micros(if start <= step { micros } else { 0 });
    RegistrationFees {
        brand: upto(TenDlcStep::Brand, 4_500_000),
        campaign: upto(TenDlcStep::Campaign, 15_000_000),
        // $1.50 for low volume, $2 for a sole proprietor.
        monthly: upto(TenDlcStep::Campaign, 2_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_before_current_one_are_done() {
        use RegistrationPhaseState::{Ahead, Done, Stopped, UnderWay};

        let states = |step, state| list_phases(step, state).into_iter().map(|one| one.state).collect::<Vec<_>>();
        assert_eq!(states(TenDlcStep::Address, TextingRegistrationState::Waiting), [UnderWay, Ahead, Ahead, Ahead]);
        assert_eq!(
            states(TenDlcStep::ReviewCampaign, TextingRegistrationState::Rejected),
            [Done, Done, Stopped, Ahead]
        );
        assert_eq!(states(TenDlcStep::SenderNumber, TextingRegistrationState::Approved), [Done; 4]);
    }

    #[test]
    fn brand_is_paid_for_once() {
        let dollars = |before| {
            let fees = estimate_fees(before);
            (fees.brand.0 / 100_000, fees.campaign.0 / 100_000, fees.monthly.0 / 100_000)
        };
        let company = |step| dollars(Some((step, BrandType::LowVolumeStandard)));
        assert_eq!(dollars(None), (45, 150, 20));
        assert_eq!(company(TenDlcStep::ReviewBrand), (45, 150, 20));
        assert_eq!(company(TenDlcStep::ReviewCampaign), (0, 150, 20));
        assert_eq!(company(TenDlcStep::SenderNumber), (0, 0, 0));
        let alone = |step| dollars(Some((step, BrandType::SoleProprietor)));
        assert_eq!(alone(TenDlcStep::ReviewCampaign), (45, 150, 20), "it may have an EIN after all");
        assert_eq!(alone(TenDlcStep::SenderNumber), (0, 0, 0));
    }
}
