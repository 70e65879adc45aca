//! The people of the demonstration: names, streets and numbers that are nobody's.
//!
//! Telephone numbers are of the range that is kept for fiction (555-01xx), emails are under example.com.

/// Who asks for work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    pub name: String,
    /// As a person writes it.
    pub phone: String,
    pub email: String,
    pub address: String,
    pub zip: &'static str,
}

const FIRST: [&str; 24] = [
    "Grace", "Marcus", "Helen", "Victor", "Priya", "Owen", "Nadia", "Walter", "Carmen", "Dennis", "Ingrid", "Samuel",
    "Lucille", "Andre", "Beatrice", "Tomas", "Joyce", "Elliot", "Marisol", "Franklin", "Wanda", "Hector", "Paula",
    "Leon",
];
const LAST: [&str; 19] = [
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
/// Of the Twin Cities.
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

/// How many there are: each has a number of their own, and those from 90 on are the firm's.
pub const PEOPLE: usize = 360;
const IN_AN_AREA: usize = 90;

/// Person number `n`, the same one every day.
#[must_use]
pub fn person(n: usize) -> Person {
    let n = n % PEOPLE;
    let (first, last) = (FIRST[n % FIRST.len()], LAST[(n * 7 + n / FIRST.len()) % LAST.len()]);
    Person {
        name: format!("{first} {last}"),
        phone: format!("({}) 555-01{:02}", AREAS[n / IN_AN_AREA], n % IN_AN_AREA),
        email: format!("{}.{}{n}@example.com", first.to_lowercase(), last.to_lowercase()),
        address: format!("{} {}", 1200 + n * 37 % 4700, STREETS[n * 5 % STREETS.len()]),
        zip: ZIPS[n * 3 % ZIPS.len()],
    }
}

/// Those who work there: name, what they may do, and their number.
pub const STAFF: [(&str, &str, &str); 5] = [
    ("Ruth Halvarsen", "owner", "(612) 555-0190"),
    ("Denise Marlowe", "office", "(612) 555-0191"),
    ("Eddie Tran", "crew", "(612) 555-0192"),
    ("Luis Ferreira", "crew", "(612) 555-0193"),
    ("Kayla Brandt", "crew", "(612) 555-0194"),
];

/// The three crews: their name, and who of [`STAFF`] goes out with them.
pub const CREWS: [(&str, usize); 3] = [("North crew", 2), ("South crew", 3), ("Heating crew", 4)];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::platform::phone::Phone;

    #[test]
    fn everybody_is_somebody_else_with_a_number_of_fiction() {
        let people: Vec<Person> = (0..PEOPLE).map(person).collect();
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
