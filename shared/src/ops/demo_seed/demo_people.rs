//! People of the demonstration, with fictional names and streets. Telephone numbers are from the range reserved for
//! fiction (555-01xx), emails are under example.com.

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemoPerson {
    pub name: String,
    /// In written form, not E.164.
    pub phone: String,
    pub email: String,
    pub address: String,
    pub zip: &'static str,
}

const FIRST_NAMES: [&str; 24] = [
    "Grace", "Marcus", "Helen", "Victor", "Priya", "Owen", "Nadia", "Walter", "Carmen", "Dennis", "Ingrid", "Samuel",
    "Lucille", "Andre", "Beatrice", "Tomas", "Joyce", "Elliot", "Marisol", "Franklin", "Wanda", "Hector", "Paula",
    "Leon",
];
const LAST_NAMES: [&str; 19] = [
    "Aldercott",
    "Brannigsen",
    "Castellow",
    "Dunmarsh",
    "Eversholm",
    "Fairlawn",
    "Garrowby",
    "Hollinsted",
    "Ibarrola",
    "Jessamy",
    "Kettleford",
    "Lindqvale",
    "Merriwick",
    "Northgard",
    "Oakesmith",
    "Pellerano",
    "Quillborne",
    "Ravensdal",
    "Sandovar",
];
/// Area codes of the Twin Cities.
const AREAS: [&str; 4] = ["612", "651", "763", "952"];
const STREETS: [&str; 16] = [
    "Larkspur Avenue",
    "Millrace Street",
    "Old Quarry Road",
    "Penny Lane North",
    "Tamarack Court",
    "Wheelwright Way",
    "Cottonmill Drive",
    "Bellflower Street",
    "Sawtooth Avenue",
    "Granary Lane",
    "Lantern Hill Road",
    "Copper Kettle Court",
    "Foundry Street",
    "Riverbend Terrace",
    "Sugar Maple Lane",
    "Signal Hill Avenue",
];
const ZIPS: [&str; 8] = ["55405", "55406", "55407", "55408", "55409", "55410", "55417", "55419"];

/// Each person has a phone number of their own; numbers from 555-0190 on are the firm's.
pub const PEOPLE: usize = 360;
const PHONES_PER_AREA: usize = 90;

/// Person number `n` is the same every day.
#[must_use]
pub fn demo_person(n: usize) -> DemoPerson {
    let n = n % PEOPLE;
    let (first, last) =
        (FIRST_NAMES[n % FIRST_NAMES.len()], LAST_NAMES[(n * 7 + n / FIRST_NAMES.len()) % LAST_NAMES.len()]);
    DemoPerson {
        name: format!("{first} {last}"),
        phone: format!("({}) 555-01{:02}", AREAS[n / PHONES_PER_AREA], n % PHONES_PER_AREA),
        email: format!("{}.{}{n}@example.com", first.to_lowercase(), last.to_lowercase()),
        address: format!("{} {}", 1200 + n * 37 % 4700, STREETS[n * 5 % STREETS.len()]),
        zip: ZIPS[n * 3 % ZIPS.len()],
    }
}

/// Name, role and phone number.
pub const STAFF: [(&str, &str, &str); 5] = [
    ("Ruth Halvarsen", "owner", "(612) 555-0190"),
    ("Denise Marlowe", "office", "(612) 555-0191"),
    ("Eddie Tran", "crew", "(612) 555-0192"),
    ("Luis Ferreira", "crew", "(612) 555-0193"),
    ("Kayla Brandt", "crew", "(612) 555-0194"),
];

/// Name of each crew, and the index in [`STAFF`] of its member.
pub const CREWS: [(&str, usize); 3] = [("North crew", 2), ("South crew", 3), ("Heating crew", 4)];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::platform::phone::Phone;

    #[test]
    fn demo_people_have_unique_fictional_phone_numbers() {
        let people: Vec<DemoPerson> = (0..PEOPLE).map(demo_person).collect();
        for person in &people {
            let phone = Phone::parse(&person.phone).filter(Phone::is_textable);
            assert!(phone.is_some_and(|phone| phone.as_e164()[5..].starts_with("55501")), "{person:?}");
            assert!(person.email.ends_with("@example.com"), "{person:?}");
        }
        let phones: BTreeSet<_> = people.iter().map(|person| &person.phone).collect();
        let names: BTreeSet<_> = people.iter().map(|person| &person.name).collect();
        let staff: BTreeSet<_> = STAFF.iter().map(|(_, _, phone)| (*phone).to_owned()).collect();
        assert_eq!(phones.len(), PEOPLE);
        assert!(names.len() * 100 >= PEOPLE * 90, "{} names", names.len());
        assert!(people.iter().all(|person| !staff.contains(&person.phone)));
    }
}
