//! Holdout groups: one phone number in ten is left out of an automation so that its gain can be measured.
//!
//! The group comes from a keyed hash of business and number: no list of numbers is stored, and a group cannot be
//! chosen. Only rules whose silence does no harm can be tested; answers to forms, emergencies and opt-outs, visit
//! reminders, receipts and documents never are.

use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    domain::{
        messaging::automation::RuleDecision,
        tenancy::org::{HoldoutSettings, OrgContext},
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::{LeadId, OrgId},
        phone::Phone,
        secret::SecretKey,
    },
};

pub const HELD_OUT: &str = "held out: measured group";
/// Held-out numbers per thousand.
const HOLDOUT_PER_MILLE: u64 = 100;

/// A rule that can be put under test, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum MeasuredRule {
    /// The follow-ups of an unanswered estimate.
    EstimateFollowUp,
    /// The text after a missed call, with its reminder.
    MissedCallText,
}

impl MeasuredRule {
    pub const ALL: [Self; 2] = [Self::EstimateFollowUp, Self::MissedCallText];

    #[must_use]
    pub fn is_on(self, settings: &HoldoutSettings) -> bool {
        match self {
            Self::EstimateFollowUp => settings.follow_ups,
            Self::MissedCallText => settings.missed_calls,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldoutGroup {
    Served,
    HeldOut,
}

/// Group of a number at this business: the same for every test and every time.
#[must_use]
pub fn assign_group(secret: &SecretKey, org: OrgId, phone: &Phone) -> HoldoutGroup {
    let tag = secret.mac_tag("hold-out", &[org.0.as_bytes(), phone.as_e164().as_bytes()]);
    let is_held_out = u64::from_be_bytes(std::array::from_fn(|i| tag[i])) % 1_000 < HOLDOUT_PER_MILLE;
    if is_held_out { HoldoutGroup::HeldOut } else { HoldoutGroup::Served }
}

/// None while the test is off, or without a known number.
#[must_use]
pub fn active_test_group(intake: &OrgContext<'_>, test: MeasuredRule, phone: Option<&Phone>) -> Option<HoldoutGroup> {
    let profile = intake.profile;
    let phone = phone.filter(|_| test.is_on(&profile.settings.holdout))?;
    Some(assign_group(intake.secret, profile.org.id, phone))
}

/// Records a lead's group when the tested rule sent a message or was silent only for the test. The first record is
/// kept.
pub(crate) async fn record_test_group(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    (test, group): (MeasuredRule, Option<HoldoutGroup>),
    lead: LeadId,
    decisions: &[&RuleDecision],
) -> Result<()> {
    let Some(group) = group else { return Ok(()) };
    let counts = decisions.iter().any(|decision| decision.message.is_some() || decision.reason == HELD_OUT);
    if !counts {
        return Ok(());
    }
    let (org, origin): (OrgId, &ClockRng) = (intake.profile.org.id, intake.origin);
    q!(
        tx,
        execute,
        "INSERT INTO control_group_assignment (org_id, rule, lead_id, is_held_out, at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (org_id, rule, lead_id) DO NOTHING",
        org,
        test,
        lead,
        group == HoldoutGroup::HeldOut,
        origin.now()
    )?;
    Ok(())
}

pub(crate) async fn find_lead_phone(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Option<Phone>> {
    let sql = "SELECT COALESCE(c.phone_e164, l.phone_e164) FROM lead l
         JOIN customer c ON c.org_id = l.org_id AND c.id = l.customer_id WHERE l.org_id = $1 AND l.id = $2";
    Ok(q!(conn, fetch_optional scalar Option<Phone>, sql, org, lead)?.flatten())
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn held_out(key: u8, org: u128) -> Vec<usize> {
        let (secret, org) = (SecretKey::new([key; 32]), OrgId(Uuid::from_u128(org)));
        let phone = |n: usize| Phone::parse(&format!("+1512{:07}", 2_000_000 + n)).unwrap();
        (0..10_000).filter(|n| assign_group(&secret, org, &phone(*n)) == HoldoutGroup::HeldOut).collect()
    }

    #[test]
    fn holdout_share_is_ten_percent_within_one_point() {
        for (key, org) in [(1, 1), (1, 2), (7, 1), (9, 3)] {
            let count = held_out(key, org).len();
            assert!((900..=1_100).contains(&count), "{count} of 10,000");
        }
    }

    #[test]
    fn holdout_membership_is_stable_and_differs_by_org_and_key() {
        assert_eq!(held_out(1, 1), held_out(1, 1));
        assert_ne!(held_out(1, 1), held_out(1, 2));
        assert_ne!(held_out(1, 1), held_out(2, 1), "nobody without the key can tell");
    }
}
