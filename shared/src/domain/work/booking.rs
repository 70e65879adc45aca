//! Booking: a customer chooses a real time of a crew by themselves, at the business's own address.
//!
//! What is offered is reckoned anew each time from the crews' hours, their jobs and what others are just choosing. A
//! chosen time is held for five minutes. Whoever holds, takes or moves first locks the bookable crews, in the order of
//! their ids, and looks once more: of many who want one time one gets it.

use chrono::Duration;

use crate::{
    domain::{intake::lead::form, tenancy::org::Profile},
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{FieldErrors, Result},
        id::OrgId,
        public_url::PublicUrl,
    },
};

pub mod change;
pub mod hold;
pub mod request;
pub mod slots;
pub mod take;
pub(crate) mod unproven;

pub use hold::{Held, Wish, hold};
pub use slots::{Day, Offer, Slot, offer};
pub use take::{Taken, take};

/// A chosen time is nobody else's for so long.
pub const KEPT: Duration = Duration::minutes(5);
/// How far back areas that were asked for are counted together.
const AREAS_SHOWN: Duration = Duration::days(30);
const TAKEN: &str = "That time has just been taken. Please choose another.";
const OFF: &str = "Times cannot be booked here at the moment. Please call us.";
const FAR: &str = "We do not work in this area. Please call us if you think that is a mistake.";

/// Something that can be booked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// As it is sent and stored.
    pub name: String,
    /// As people read it.
    pub label: String,
    pub minutes: i64,
}

/// What can be booked with this business.
#[must_use]
pub fn services(profile: &Profile) -> Vec<Service> {
    let (set, usual) = (&profile.settings.booking, profile.settings.jobs.duration_minutes);
    if set.durations.is_empty() {
        let all = form::SERVICES.iter();
        return all
            .map(|(name, label)| Service { name: (*name).to_owned(), label: (*label).to_owned(), minutes: usual })
            .collect();
    }
    let own = set.durations.iter();
    own.map(|(name, minutes)| Service {
        name: name.clone(),
        label: form::service_label(name).to_owned(),
        minutes: *minutes,
    })
    .collect()
}

/// The address at which customers book.
#[must_use]
pub fn url(url: &PublicUrl, slug: &str) -> String {
    url.join(&format!("/book/{slug}"))
}

/// The first five digits of a ZIP code, however it was typed.
#[must_use]
pub fn zip(typed: &str) -> Option<String> {
    let typed = typed.trim();
    let (five, rest) = typed.split_at_checked(5)?;
    let is_rest = rest.is_empty() || rest.strip_prefix('-').is_some_and(|four| four.len() == 4 && are_digits(four));
    (are_digits(five) && is_rest).then(|| five.to_owned())
}

fn are_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// What somebody wants done, and where, as far as this business does it.
///
/// # Errors
/// [`crate::platform::error::Error::Invalid`], naming `service` or `zip`.
fn wanted(profile: &Profile, service: &str, typed_zip: &str) -> Result<(Service, String)> {
    let mut errors = FieldErrors::default();
    let service = services(profile).into_iter().find(|known| known.name == service);
    if service.is_none() {
        errors.add("service", "Please choose what should be done");
    }
    let zip = zip(typed_zip);
    match &zip {
        None => errors.add("zip", "Please enter a ZIP code of five digits"),
        Some(zip) if !profile.settings.booking.serves(zip) => errors.add("zip", FAR),
        Some(_) => {}
    }
    errors.finish()?;
    service.zip(zip).ok_or(crate::platform::error::Error::NotFound)
}

/// Counts that somebody from outside the area asked.
pub async fn note_far(tx: &mut Tx, origin: &Origin, profile: &Profile, zip: &str) -> Result<()> {
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

/// From where people asked in vain lately, the most first.
pub async fn far(conn: &mut dyn AsConn, origin: &Origin, org: OrgId) -> Result<Vec<(String, i64)>> {
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
    fn a_zip_code_is_read_as_people_write_it() {
        for (typed, read) in [("78701", Some("78701")), (" 78701 ", Some("78701")), ("78701-1234", Some("78701"))] {
            assert_eq!(zip(typed).as_deref(), read, "{typed}");
        }
        for typed in ["", "7870", "787011", "78701-", "78701-12", "abcde", "7870é", "７８７０１", "78701 1234"] {
            assert_eq!(zip(typed), None, "{typed}");
        }
    }
}
