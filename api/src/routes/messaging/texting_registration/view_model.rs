//! What the owner sees of a registration.

use chrono::{DateTime, Utc};
use serde::Serialize;
use shared::{
    domain::{
        messaging::texting_registration::{
            BusinessProfile, TextingRegistration, TextingRegistrationKind, TextingRegistrationState,
            kit::RegistrationKit,
            ten_dlc::{RegistrationFees, RegistrationProgress, estimate_fees, list_phases},
        },
        tenancy::org::Org,
    },
    platform::public_url::PublicUrl,
};
use utoipa::ToSchema;

const TOLL_FREE_UNVERIFIED: &str = "Until it is verified, the carriers block texts from your toll-free number.";
const LOCAL_UNREGISTERED: &str = "Until it is registered, the carriers block texts from your local number (A2P 10DLC).";
const EMAILS_INSTEAD: &str =
    "Where texts are blocked, customers get emails instead, and you can text from your own phone.";
const NO_EMAILS_EITHER: &str = "You can text from your own phone.";

/// Why a local number is not registered here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RegistrationObstacle {
    /// The operator registers it at Twilio.
    ByOperator,
    /// The business may get no numbers here, and no registration.
    NotTrusted,
}

/// The registration of the business's texts.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TextingRegistration)]
pub struct TextingRegistrationView {
    /// What the number needs; null without a number.
    kind: Option<TextingRegistrationKind>,
    /// The number, E.164.
    number: Option<String>,
    /// Null where nothing was submitted here.
    state: Option<TextingRegistrationState>,
    /// Why it was turned down, or could not be sent.
    reason: Option<String>,
    /// Whether it can be submitted now.
    can_submit: bool,
    /// Why a local number cannot be submitted here.
    obstacle: Option<RegistrationObstacle>,
    /// The parts of a local number's registration, and how far each is.
    steps: Vec<RegistrationProgress>,
    /// What a submission costs; null for a toll-free number, and where nothing can be submitted.
    fees: Option<RegistrationFees>,
    /// The phone that has got a text, which its owner answers with YES.
    confirmation_phone: Option<String>,
    #[schema(value_type = Option<DateTime<Utc>>)]
    submitted_at: Option<DateTime<Utc>>,
    /// When its state was last read.
    #[schema(value_type = Option<DateTime<Utc>>)]
    checked_at: Option<DateTime<Utc>>,
    /// What leaves how until it is approved.
    meanwhile: Option<String>,
    /// What was submitted, without the EIN; else what is known of the business.
    profile: BusinessProfile,
    kit: RegistrationKit,
}

pub(super) struct RegistrationFacts {
    pub place: Option<(TextingRegistrationKind, String)>,
    pub stored: Option<TextingRegistration>,
    /// Whether local numbers are registered here.
    pub takes_local: bool,
    pub is_trusted: bool,
    /// As the settings have it of the number that the business sends from.
    pub is_approved: bool,
    pub sends_emails: bool,
}

impl RegistrationFacts {
    fn kind(&self) -> Option<TextingRegistrationKind> {
        self.place.as_ref().map(|(kind, _)| *kind)
    }

    fn is_local(&self) -> bool {
        self.kind() == Some(TextingRegistrationKind::TenDlc)
    }

    fn has_ended_well(&self) -> bool {
        match &self.stored {
            Some(stored) => stored.state == TextingRegistrationState::Approved,
            None => self.is_local() && self.is_approved,
        }
    }

    fn find_obstacle(&self) -> Option<RegistrationObstacle> {
        if !self.is_local() || self.stored.is_some() || self.has_ended_well() {
            None
        } else if !self.takes_local {
            Some(RegistrationObstacle::ByOperator)
        } else if !self.is_trusted {
            Some(RegistrationObstacle::NotTrusted)
        } else {
            None
        }
    }

    fn can_submit(&self) -> bool {
        let is_offered = !self.is_local() || (self.takes_local && self.is_trusted);
        let is_open = self.stored.as_ref().is_none_or(|one| one.refusal_code().is_none());
        self.place.is_some() && is_offered && is_open && !self.has_ended_well()
    }

    fn list_steps(&self) -> Vec<RegistrationProgress> {
        let step = self.stored.as_ref().and_then(|one| one.step.map(|step| (step, one.state)));
        step.map_or_else(Vec::new, |(step, state)| list_phases(step, state))
    }

    fn describe_meanwhile(&self) -> Option<String> {
        let instead = if self.sends_emails { EMAILS_INSTEAD } else { NO_EMAILS_EITHER };
        let blocked = match self.kind() {
            Some(TextingRegistrationKind::TollFree) => TOLL_FREE_UNVERIFIED,
            Some(TextingRegistrationKind::TenDlc) => LOCAL_UNREGISTERED,
            None => return None,
        };
        (!self.has_ended_well()).then(|| format!("{blocked} {instead}"))
    }
}

/// `known`: name and email address of who is signed in.
pub(super) fn build_view(
    org: &Org,
    url: &PublicUrl,
    known: (&str, &str),
    facts: RegistrationFacts,
) -> TextingRegistrationView {
    let stored_step = |one: &TextingRegistration| Some((one.step?, one.ten_dlc_progress()?.brand_type));
    let before = facts.stored.as_ref().and_then(stored_step);
    let (can_submit, is_local) = (facts.can_submit(), facts.is_local());
    let stored = facts.stored.as_ref();
    TextingRegistrationView {
        kind: facts.kind(),
        state: stored.map(|one| one.state),
        reason: stored.and_then(|one| one.reason.clone()),
        can_submit,
        obstacle: facts.find_obstacle(),
        steps: facts.list_steps(),
        fees: (can_submit && is_local).then(|| estimate_fees(before)),
        confirmation_phone: stored.and_then(|one| one.confirmation_phone().map(ToOwned::to_owned)),
        submitted_at: stored.map(|one| one.created_at),
        checked_at: stored.and_then(|one| one.checked_at),
        meanwhile: facts.describe_meanwhile(),
        profile: stored.map_or_else(
            || BusinessProfile::suggest_profile(org, known),
            |one| one.stored_profile().clone().without_ein(),
        ),
        kit: RegistrationKit::from_org(org, url),
        number: facts.place.map(|(_, number)| number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> RegistrationFacts {
        RegistrationFacts {
            place: Some((TextingRegistrationKind::TenDlc, "+15125550731".to_owned())),
            stored: None,
            takes_local: true,
            is_trusted: true,
            is_approved: false,
            sends_emails: true,
        }
    }

    #[test]
    fn local_number_is_submitted_where_install_and_trust_allow_it() {
        assert!(facts().can_submit() && facts().find_obstacle().is_none());
        let by_operator = RegistrationFacts { takes_local: false, ..facts() };
        assert_eq!(
            (by_operator.can_submit(), by_operator.find_obstacle()),
            (false, Some(RegistrationObstacle::ByOperator))
        );
        let unknown = RegistrationFacts { is_trusted: false, ..facts() };
        assert_eq!((unknown.can_submit(), unknown.find_obstacle()), (false, Some(RegistrationObstacle::NotTrusted)));
    }

    #[test]
    fn number_that_operator_has_registered_needs_nothing() {
        let approved = RegistrationFacts { is_approved: true, takes_local: false, ..facts() };
        assert!(
            !approved.can_submit() && approved.find_obstacle().is_none() && approved.describe_meanwhile().is_none()
        );
        assert!(facts().describe_meanwhile().is_some_and(|text| text.contains("A2P 10DLC") && text.contains("emails")));
        assert!(RegistrationFacts { place: None, ..facts() }.describe_meanwhile().is_none());
    }
}
