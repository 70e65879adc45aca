//! Who is left out of an automation so that its gain can be measured: one phone number in ten, always the same ones.
//!
//! The group is told by a keyed hash of the business and the number: nothing is kept of a number to know it again, and
//! nobody can choose it. Only rules whose silence harms nobody can be put under test; answers to forms, to emergencies and
//! to opt-outs, reminders of visits, receipts and papers never are.

use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    domain::{intake::lead::Intake, messaging::automation::Decision, tenancy::org::settings::HoldOut},
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::Result,
        id::{LeadId, OrgId},
        phone::Phone,
        secret::SecretKey,
    },
};

/// Why nothing was sent, as the conversation shows it.
pub const HELD_OUT: &str = "held out: measured group";
/// So many of a thousand numbers are left out.
const SHARE: u64 = 100;

/// A rule that can be put under test, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = MeasuredRule)]
pub enum Test {
    /// The questions after an estimate that nobody answered.
    EstimateFollowUp,
    /// The text after a missed call, with its reminder.
    MissedCallText,
}

impl Test {
    pub const ALL: [Self; 2] = [Self::EstimateFollowUp, Self::MissedCallText];

    /// Whether the business has put it under test.
    #[must_use]
    pub fn is_on(self, settings: &HoldOut) -> bool {
        match self {
            Self::EstimateFollowUp => settings.follow_ups,
            Self::MissedCallText => settings.missed_calls,
        }
    }
}

/// Where somebody falls in a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Served,
    HeldOut,
}

/// The group of a number at this business: the same for every test, every time.
#[must_use]
pub fn group(secret: &SecretKey, org: OrgId, phone: &Phone) -> Group {
    let tag = secret.tag("hold-out", &[org.0.as_bytes(), phone.as_e164().as_bytes()]);
    let is_held_out = u64::from_be_bytes(std::array::from_fn(|i| tag[i])) % 1_000 < SHARE;
    if is_held_out { Group::HeldOut } else { Group::Served }
}

/// The group of somebody while the test is on; none while it is not, and for whom no number is known.
#[must_use]
pub fn measured(intake: &Intake<'_>, test: Test, phone: Option<&Phone>) -> Option<Group> {
    let profile = intake.profile;
    let phone = phone.filter(|_| test.is_on(&profile.settings.hold_out))?;
    Some(group(intake.secret, profile.org.id, phone))
}

/// Notes that the time of a rule under test came for a request, if it spoke or kept silent for the test alone. The first
/// time counts: a request stays where it fell.
pub(crate) async fn note(
    tx: &mut Tx,
    intake: &Intake<'_>,
    (test, group): (Test, Option<Group>),
    lead: LeadId,
    decisions: &[&Decision],
) -> Result<()> {
    let Some(group) = group else { return Ok(()) };
    let counts = decisions.iter().any(|decision| decision.message.is_some() || decision.reason == HELD_OUT);
    if !counts {
        return Ok(());
    }
    let (org, origin): (OrgId, &Origin) = (intake.profile.org.id, intake.origin);
    q!(
        tx,
        execute,
        "INSERT INTO hold_out (org_id, rule, lead_id, is_held_out, at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (org_id, rule, lead_id) DO NOTHING",
        org,
        test,
        lead,
        group == Group::HeldOut,
        origin.now()
    )?;
    Ok(())
}

/// The number by which a request's group is told.
pub(crate) async fn phone_of(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Option<Phone>> {
    let sql = "SELECT COALESCE(c.phone_e164, l.phone_e164) FROM lead l
         JOIN customer c ON c.org_id = l.org_id AND c.id = l.customer_id WHERE l.org_id = $1 AND l.id = $2";
    let found = q!(conn, fetch_optional scalar Option<String>, sql, org, lead)?;
    Ok(found.flatten().as_deref().and_then(Phone::parse))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn held_out(key: u8, org: u128) -> Vec<usize> {
        let (secret, org) = (SecretKey::new([key; 32]), OrgId(Uuid::from_u128(org)));
        let phone = |n: usize| Phone::parse(&format!("+1512{:07}", 2_000_000 + n)).unwrap();
        (0..10_000).filter(|n| group(&secret, org, &phone(*n)) == Group::HeldOut).collect()
    }

    #[test]
    fn one_number_in_ten_is_left_out_and_never_more_than_eleven_of_a_hundred() {
        for (key, org) in [(1, 1), (1, 2), (7, 1), (9, 3)] {
            let count = held_out(key, org).len();
            assert!((900..=1_100).contains(&count), "{count} of 10,000");
        }
    }

    #[test]
    fn a_number_stays_where_it_is_and_is_elsewhere_at_another_business() {
        assert_eq!(held_out(1, 1), held_out(1, 1));
        assert_ne!(held_out(1, 1), held_out(1, 2));
        assert_ne!(held_out(1, 1), held_out(2, 1), "nobody without the key can tell");
    }
}
