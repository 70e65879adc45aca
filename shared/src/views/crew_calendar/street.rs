//! The part of an address that says where a visit is, but not how to get in.

/// Words that begin what is not the street: how to get in, or which unit. English and Spanish.
const ENTRY_WORDS: [&str; 40] = [
    "access",
    "alarm",
    "alarma",
    "apartment",
    "apt",
    "apto",
    "basement",
    "bldg",
    "building",
    "buzzer",
    "clave",
    "code",
    "codigo",
    "combinación",
    "combination",
    "combo",
    "código",
    "door",
    "entry",
    "fl",
    "floor",
    "gate",
    "key",
    "keypad",
    "llave",
    "lock",
    "lockbox",
    "passcode",
    "pin",
    "piso",
    "porton",
    "portón",
    "press",
    "puerta",
    "room",
    "ste",
    "suite",
    "timbre",
    "unidad",
    "unit",
];

/// Words after which a road has its number.
const NUMBERED_ROADS: [&str; 19] = [
    "cr",
    "fm",
    "highway",
    "hwy",
    "i",
    "ih",
    "interstate",
    "loop",
    "rd",
    "rm",
    "road",
    "route",
    "rr",
    "rt",
    "rte",
    "sh",
    "spur",
    "sr",
    "us",
];
/// Words before one of [`NUMBERED_ROADS`]: "County Rd 12".
const ROAD_OWNERS: [&str; 6] = ["county", "farm", "ranch", "state", "texas", "us"];
/// Words that have a number only right after the house number: "450 Avenue 12", but "12 Elm St 4411" ends in a code.
const NUMBERED_STREETS: [&str; 6] = ["ave", "avenida", "avenue", "calle", "st", "street"];
/// Words that end the name of a street.
const STREET_ENDS: [&str; 37] = [
    "ave",
    "avenue",
    "blvd",
    "boulevard",
    "cir",
    "circle",
    "court",
    "cove",
    "crossing",
    "ct",
    "cv",
    "dr",
    "drive",
    "highway",
    "hwy",
    "lane",
    "ln",
    "loop",
    "parkway",
    "pass",
    "path",
    "pkwy",
    "pl",
    "place",
    "rd",
    "road",
    "run",
    "square",
    "st",
    "street",
    "ter",
    "terrace",
    "trail",
    "trl",
    "way",
    "xing",
    "sq",
];
const DIRECTIONS: [&str; 12] = ["n", "s", "e", "w", "ne", "nw", "se", "sw", "north", "south", "east", "west"];
const FRACTIONS: [&str; 4] = ["1/2", "1/4", "3/4", "½"];

/// The text before the first comma, sign or word of [`ENTRY_WORDS`], and before a number that is no part of the street:
/// people type gate codes into the address. A street that is named like such a word ("12 Gate St") is kept, and so is a
/// street after a code ("4411# 12 Elm St"). A number alone is no street, and may be a code.
pub(super) fn street_without_entry(address: &str) -> String {
    let first = after_leading_code(address).split([',', ';', '#', '*', '(', ':', '\n']).next().unwrap_or_default();
    let words: Vec<&str> = first.split_whitespace().collect();
    let end = (0..words.len()).find(|at| begins_entry(&words, *at)).unwrap_or(words.len());
    let mut street = &words[..street_end(&words[..end])];
    while let [before @ .., last] = street
        && !last.contains(char::is_alphanumeric)
    {
        street = before;
    }
    if let [only] = street
        && has_digit(only)
    {
        return String::new();
    }
    street.join(" ")
}

/// Number of words before the first number that is neither the house's nor the street's, without the words that say
/// what that number is.
fn street_end(words: &[&str]) -> usize {
    let is_code = |at: &usize| has_digit(words[*at]) && !is_in_street_name(words, *at);
    let Some(at) = (1..words.len()).find(is_code) else { return words.len() };
    let ends_name = |word: &&str| has_digit(word) || is_one_of(word, &STREET_ENDS) || is_one_of(word, &DIRECTIONS);
    match words[1..at].iter().rposition(ends_name) {
        Some(last) => last + 2,
        // One word is left to be the name: "12 Broadway 4411".
        None => (at - 1).max(at.min(2)),
    }
}

fn is_in_street_name(words: &[&str], at: usize) -> bool {
    let word = plain_word(words[at]);
    (at == 1 && FRACTIONS.contains(&words[at])) || is_ordinal(&word) || is_road_number(words, at, &word)
}

/// "42nd".
fn is_ordinal(word: &str) -> bool {
    let ending = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    (1..=3).contains(&(word.len() - ending.len())) && ["st", "nd", "rd", "th"].contains(&ending)
}

/// "I-35", "FM2222", "County Rd 12", "Avenue 12": between it and the house number are only words for such a road.
fn is_road_number(words: &[&str], at: usize, word: &str) -> bool {
    let word = word.trim_end_matches(['n', 's', 'e', 'w']);
    let prefix = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let is_short = (1..=4).contains(&(word.len() - prefix.len()));
    let house = usize::from(has_digit(words[0]));
    let mut road: Vec<String> = words[house..at].iter().map(|word| plain_word(word)).collect();
    road.push(prefix.trim_end_matches('-').to_owned());
    road.retain(|word| !word.is_empty() && !DIRECTIONS.contains(&word.as_str()));
    let Some((last, owners)) = road.split_last() else { return false };
    let is_street = owners.is_empty() && NUMBERED_STREETS.contains(&last.as_str());
    let is_road =
        NUMBERED_ROADS.contains(&last.as_str()) && owners.iter().all(|word| ROAD_OWNERS.contains(&word.as_str()));
    is_short && (is_street || is_road)
}

fn plain_word(word: &str) -> String {
    word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase()
}

fn is_one_of(word: &str, known: &[&str]) -> bool {
    known.contains(&plain_word(word).as_str())
}

fn has_digit(word: &str) -> bool {
    word.contains(char::is_numeric)
}

/// The address without digits at its begin that are followed by `#` at once.
fn after_leading_code(address: &str) -> &str {
    let is_separator = |letter: char| !letter.is_alphanumeric();
    match address.trim_start().split_once('#') {
        Some((code, rest)) if !code.is_empty() && code.chars().all(|letter| letter.is_ascii_digit()) => {
            rest.trim_start_matches(is_separator)
        }
        _ => address,
    }
}

fn begins_entry(words: &[&str], at: usize) -> bool {
    is_one_of(words[at], &ENTRY_WORDS) && !is_street_name(words, at)
}

/// Whether the word is between the street number and a word without digits.
fn is_street_name(words: &[&str], at: usize) -> bool {
    let is_after_number = at == 1 && words[0].starts_with(|letter: char| letter.is_ascii_digit());
    is_after_number && words.get(2).is_some_and(|word| !has_digit(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn street_is_cut_before_entry_details() {
        for (address, street) in [
            ("12 Elm St, gate 4411", "12 Elm St"),
            ("12 Elm St gate 4411", "12 Elm St"),
            ("12 Elm St Apt. 3", "12 Elm St"),
            ("12 Elm St #4411", "12 Elm St"),
            ("12 Elm St (key under the mat)", "12 Elm St"),
            ("12 Elm St CODE: 4411", "12 Elm St"),
            ("12 Elm St\ncode 4411", "12 Elm St"),
            ("12 Gate St", "12 Gate St"),
            ("12 gate 4411", ""),
            ("gate 4411", ""),
            ("4411# 12 Elm St", "12 Elm St"),
            (" 4411#, 12 Elm St #3", "12 Elm St"),
            ("12 #4411 Elm St", ""),
            ("4411, 12 Elm St", ""),
            ("4411 12 Elm St", ""),
            ("12 Elm St combination 4411", "12 Elm St"),
            ("12 Elm St press 4411", "12 Elm St"),
            ("12 Elm St alarm 4411", "12 Elm St"),
            ("12 Press Ln", "12 Press Ln"),
            ("100 Keystone Rd", "100 Keystone Rd"),
            ("12 Elm St 4411#", "12 Elm St"),
            ("12 Elm St - 4411", "12 Elm St"),
            ("12 Elm St call box 4411", "12 Elm St"),
            ("12 Elm St Austin TX 78701", "12 Elm St"),
            ("12 State St 4411", "12 State St"),
            ("12 Elm St ４４１１", "12 Elm St"),
            ("12 Broadway 4411", "12 Broadway"),
            ("Elm St 4411", "Elm St"),
        ] {
            assert_eq!(street_without_entry(address), street, "{address}");
        }
    }

    /// Streets with numbers in their names, and some without.
    const STREETS: [&str; 16] = [
        "12 Elm St",
        "12 Broadway",
        "12B Elm St.",
        "12 1/2 Elm St NW",
        "1200 N I-35",
        "1200 S IH 35",
        "1200 W 42nd St",
        "100 5th Ave",
        "1200 US Hwy 290",
        "1200 US-290E",
        "8000 FM 2222",
        "8000 FM2222",
        "800 County Rd 12",
        "800 Ranch Rd 620 N",
        "450 Avenue 12",
        "1604 SW Loop 410",
    ];

    #[test]
    fn numbered_roads_and_streets_are_kept() {
        for street in STREETS {
            assert_eq!(street_without_entry(street), street);
        }
    }

    proptest::proptest! {
        #[test]
        fn no_code_after_a_street_is_shown(
            street in proptest::sample::select(STREETS.to_vec()),
            before in "(|callbox |call-box |dial |gatecode |garage |password |gate code |- |#|x)",
            code in "[0-9]{3,6}",
            after in "(|#|\\*| thanks|, Austin)",
        ) {
            let address = format!("{street} {before}{code}{after}");
            proptest::prop_assert_eq!(street_without_entry(&address), street, "{}", address);
        }
    }
}
