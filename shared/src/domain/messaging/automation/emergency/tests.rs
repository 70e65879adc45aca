//! Emergencies and look-alikes under the default word list.

use super::*;
use crate::domain::tenancy::org::settings::CallSettings;

const YES: [&str; 52] = [
    "No the flood is back",
    "No - emergency!",
    "I do not have no heat",
    "EMERGENCY",
    "emergency!!",
    "This is an emergency.",
    "It's an emergency, please hurry",
    "We have two emergencies here",
    "#emergency",
    "URGENT: no water",
    "It is urgent",
    "We urgently need somebody",
    "Not sure if it's urgent",
    "Why is nobody coming? Urgent!",
    "The basement is a FLOOD",
    "My kitchen is flooded",
    "the laundry room floods again",
    "Water is flooding the hall",
    "kitchen-flood",
    "Flood light is out and the cellar is flooding",
    "no light, flood in the basement",
    "A pipe burst",
    "the pipe's bursting",
    "Pipes keep bursting in the attic",
    "Not a flood but a burst pipe",
    "No this is an emergency",
    "I can't stop the flooding",
    "Do not call, emergency!",
    "No. Emergency.",
    "Don't wait, urgent",
    "I smell gas",
    "We are smelling gas in the kitchen",
    "My wife smelled gas",
    "gas leak",
    "There is a GAS\n  LEAK in the yard",
    "gas leaking from the meter",
    "gas-leak!",
    "Sparks from the outlet",
    "The outlet is sparking",
    "sparks, please come",
    "I live in Sparks, NV and my panel is on fire",
    "The panel is on fire",
    "there is no heat",
    "No heat since yesterday",
    "no heating in the house",
    "Es una emergencia",
    "¡Emergencia! Hay agua por todas partes",
    "Es muy urgente",
    "Urgente: se rompió un tubo",
    "Urgentemente necesito un plomero",
    "tengo dos emergencias",
    "floo\u{301}d",
];

const NO: [&str; 59] = [
    "not at all urgent",
    "no es ninguna emergencia",
    "ninguna emergencia",
    "",
    "Install floodlights",
    "Install floodlight over the garage",
    "Two flood lights at the back door",
    "Flood light installation",
    "flood lamps",
    "Does my flood insurance cover it?",
    "We live in a flood zone",
    "Is this a flood-zone?",
    "flood plain map",
    "The floodgate of questions",
    "not urgent",
    "Not urgent at all",
    "It's not really urgent",
    "It is not that urgent",
    "not very urgent, next week is fine",
    "this isn't urgent",
    "This isn’t urgent",
    "it isnt urgent",
    "Ain't urgent",
    "no emergency",
    "No real emergency, just a drip",
    "not an emergency",
    "It's not an emergency",
    "This is not a real emergency",
    "non-emergency",
    "Non emergency call",
    "nonemergency",
    "I don't think it is an emergency",
    "I do not think this is urgent",
    "We don't have an emergency",
    "there is no flooding",
    "not flooded yet",
    "No longer an emergency",
    "nothing urgent",
    "There was never a flood",
    "I don't smell gas",
    "no gas leak",
    "the panel is not on fire",
    "insurgent",
    "an outburst of joy",
    "Sparks, NV",
    "Sparks NV",
    "I live in Sparks, Nevada",
    "12 Main St, Sparks 89431",
    "new spark plugs",
    "Work at the urgent care in town",
    "sparkling water tap",
    "Is the gas on? Leak test next week",
    "We have heat",
    "no es urgente",
    "No es muy urgente",
    "no es una emergencia",
    "no hay emergencia",
    "nada urgente",
    "no creo que sea urgente",
];

fn begins_with() -> Vec<String> {
    CallSettings::default().emergency_words
}

#[test]
fn emergencies_are_told_from_lookalikes() {
    let words = begins_with();
    let missed: Vec<_> = YES.iter().filter(|text| !is_emergency(&words, text)).collect();
    let false_alarms: Vec<_> = NO.iter().filter(|text| is_emergency(&words, text)).collect();
    assert!(missed.is_empty() && false_alarms.is_empty(), "missed: {missed:#?}\nfalse alarms: {false_alarms:#?}");
}

#[test]
fn owner_keywords_match_regardless_of_case_spacing_and_accents() {
    let words: Vec<String> =
        ["Water  Everywhere", "inundación", "A/C out", "help, please", "smoke", "fire", "clog", "🚨"]
            .map(ToOwned::to_owned)
            .into();
    let yes = [
        "there is WATER\teverywhere",
        "water   everywhere!",
        "Inundacion en la cocina",
        "INUNDACIÓN",
        "hay inundaciones",
        "our a/c  out again",
        "Help please",
        "HELP, PLEASE",
        "it is smoking",
        "Fire!",
        "fires in the yard",
        "The drain clogged",
        "🚨 come",
    ];
    let no = [
        "water, everywhere else it is dry",
        "the a/c is out of warranty",
        "I fired my plumber",
        "We are firing our electrician",
        "no smoke",
        "the firehouse",
        "smokestack",
        "sin inundación",
    ];
    let missed: Vec<_> = yes.iter().filter(|text| !is_emergency(&words, text)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
    let false_alarms: Vec<_> = no.iter().filter(|text| is_emergency(&words, text)).collect();
    assert!(false_alarms.is_empty(), "{false_alarms:#?}");
}

#[test]
fn empty_keyword_list_matches_no_emergency() {
    assert!(!is_emergency(&[], "flood"));
    assert!(!is_emergency(&[String::new(), "  ".to_owned()], "flood  "));
}
