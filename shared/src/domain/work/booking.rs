//! Online booking: a customer chooses a free time of a crew at the business's own address.
//!
//! Free times are computed on each request from the crews' hours, jobs and current holds. A chosen time is held for
//! five minutes. The limits of holds are in `hold_limits`, that of people known only by an email in `email_share`.
//! Holding, taking and moving first lock the bookable crews in the order of their ids and check again, so that one of
//! many concurrent customers gets a time.

use chrono::Duration;

use crate::{
    domain::{intake::lead, tenancy::org::OrgProfile},
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{FieldErrors, Result},
        id::OrgId,
    },
};

pub(crate) mod accept;
mod approved_work;
pub mod change;
mod denial;
mod email_share;
mod held_visit;
pub mod hold;
mod hold_limits;
mod lead_times;
mod not_held;
pub(crate) mod question;
pub mod request;
pub mod slots;
pub mod take;
pub mod unproven;
mod waiting_hold;

pub use approved_work::{ApprovedWork, WorkChoice, WorkPlan, load_work_plan, plan_approved_work};
pub use held_visit::{HeldVisit, HeldVisitState, find_held_visit};
pub use hold::{SlotHold, SlotHoldRequest, hold_slot};
pub use hold_limits::HoldSource;
pub use lead_times::{ChosenTime, TimeChoice, choose_lead_time, offer_lead_times};
pub use slots::{BookingDay, BookingSlot, NextTime, SlotOffer, TimesOffer, offer_slots};
pub use take::{BookingResult, QuestionsSent, take_booking};
pub use waiting_hold::{WaitingHold, list_waiting_holds};

/// How long a chosen time is held.
pub const SLOT_HOLD_TTL: Duration = Duration::minutes(5);
/// Period in which out-of-area requests are counted.
const AREAS_SHOWN: Duration = Duration::days(30);
const FAR: &str = "We do not work in this area. Please call us if you think that is a mistake.";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookableService {
    pub name: String,
    pub label: String,
    pub minutes: i64,
}

#[must_use]
pub fn list_bookable_services(profile: &OrgProfile) -> Vec<BookableService> {
    let (set, usual) = (&profile.settings.booking, profile.settings.jobs.duration_minutes);
    if set.durations.is_empty() {
        let all = lead::SERVICES.iter();
        return all
            .map(|(name, label)| BookableService {
                name: (*name).to_owned(),
                label: (*label).to_owned(),
                minutes: usual,
            })
            .collect();
    }
    let own = set.durations.iter();
    own.map(|(name, minutes)| BookableService {
        name: name.clone(),
        label: lead::service_label(name).to_owned(),
        minutes: *minutes,
    })
    .collect()
}

#[must_use]
pub fn parse_zip(typed: &str) -> Option<String> {
    let typed = typed.trim();
    let (five, rest) = typed.split_at_checked(5)?;
    let is_rest = rest.is_empty() || rest.strip_prefix('-').is_some_and(|four| four.len() == 4 && are_digits(four));
    (are_digits(five) && is_rest).then(|| five.to_owned())
}

fn are_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// # Errors
/// [`crate::platform::error::Error::Invalid`], naming `service` or `parse_zip`.
fn validate_service_and_zip(profile: &OrgProfile, service: &str, typed_zip: &str) -> Result<(BookableService, String)> {
    let mut errors = FieldErrors::default();
    let service = list_bookable_services(profile).into_iter().find(|offered| offered.name == service);
    if service.is_none() {
        errors.add("service", "Please choose what should be done");
    }
    let zip = parse_zip(typed_zip);
    match &zip {
        None => errors.add("zip", "Please enter a ZIP code of five digits"),
        Some(zip) if !profile.settings.booking.serves_zip(zip) => errors.add("zip", FAR),
        Some(_) => {}
    }
    errors.into_result()?;
    service.zip(zip).ok_or(crate::platform::error::Error::NotFound)
}

pub async fn record_out_of_area(tx: &mut Tx, origin: &ClockRng, profile: &OrgProfile, zip: &str) -> Result<()> {
    let day = origin.now().with_timezone(&profile.org.zone()).date_naive();
    q!(
        tx,
        execute,
        "INSERT INTO out_of_area (org_id, day, zip, asked) VALUES ($1, $2, $3, 1)
         ON CONFLICT (org_id, day, zip) DO UPDATE SET asked = out_of_area.asked + 1",
        profile.org.id,
        day,
        zip
    )?;
    Ok(())
}

pub async fn list_out_of_area(conn: &mut dyn AsConn, origin: &ClockRng, org: OrgId) -> Result<Vec<(String, i64)>> {
    Ok(q!(
        conn,
        fetch_all as (String, i64),
        "SELECT zip, CAST(SUM(asked) AS BIGINT) AS asked FROM out_of_area WHERE org_id = $1 AND day >= $2
         GROUP BY zip ORDER BY 2 DESC, 1 LIMIT 20",
        org,
        (origin.now() - AREAS_SHOWN).date_naive()
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zip_code_is_read_with_padding_or_plus_four_suffix() {
        for (typed, read) in [("78701", Some("78701")), (" 78701 ", Some("78701")), ("78701-1234", Some("78701"))] {
            assert_eq!(parse_zip(typed).as_deref(), read, "{typed}");
        }
        for typed in ["", "7870", "787011", "78701-", "78701-12", "abcde", "7870é", "７８７０１", "78701 1234"] {
            assert_eq!(parse_zip(typed), None, "{typed}");
        }
    }
}
