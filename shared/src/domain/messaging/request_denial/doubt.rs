//! Whether a text soon after a yes may take it back. It negates, and is not plainly about the work or its time: unlike a
//! denial in usual words it need not say what it denies. A false alarm costs the office one tap.

use super::normalize_words;
use crate::domain::messaging::{affirmative_reply::is_plain_yes, automation::thank_you_text::is_thanks};

const NEGATIONS: &str = "no not nope nah never none nothing nobody noone neither nor without wrong mistake mistaken who whos whose why \
    cannot aint dont doesnt didnt isnt wasnt arent werent wont wouldnt cant couldnt shouldnt havent hasnt hadnt stranger strangers \
    unknown prank joke kidding nunca jamas nadie nada ningun ninguna tampoco quien equivocado equivocada error broma";
/// "What … is this?" is in doubt too.
const THIS: &str = "this that esto eso";
/// Refusals of the request itself, whatever work they name.
const REFUSALS: &[&str] = &[
    "not interested",
    "no interest",
    "not looking for",
    "wasnt looking for",
    "isnt looking for",
    "arent looking for",
    "never wanted",
    "didnt want any",
    "didnt make any",
    "didnt make an appointment",
    "did not make any",
    "did not make an appointment",
    "didnt book",
    "did not book",
    "never booked",
    "didnt order",
    "did not order",
    "didnt schedule",
    "never scheduled",
    "didnt call anyone",
    "didnt call you",
    "did not call you",
    "dont own",
    "do not own",
    "dont have a house",
    "dont even have",
    "dont need any",
    "do not need any",
    "dont need a quote",
    "dont need your",
    "dont want any",
    "dont want this",
    "dont want your",
    "dont live",
    "doesnt live",
    "no longer live",
    "no longer lives",
    "dont recognize",
    "dont remember",
    "dont recall",
    "dont know why you",
    "no idea why",
    "no clue why",
    "no clue what",
    "wrong house",
    "wrong guy",
    "wrong family",
    "wrong lady",
    "wrong man",
    "wrong woman",
    "not my request",
    "not my email",
    "not my number",
    "not my name",
    "not my house",
    "not his number",
    "not her number",
    "not his phone",
    "not her phone",
    "not the owner",
    "not the homeowner",
    "what quote",
    "what estimate",
    "what appointment",
    "what visit",
    "no me interesa",
    "no estoy interesado",
    "no estoy interesada",
    "no necesito ningun",
    "no necesito nada",
    "no quiero nada",
    "no tengo casa",
    "no es mi correo",
    "no es mi casa",
    "casa equivocada",
    "no recuerdo haber",
];
/// A text with one of these is about the work, the way to it, or the payment.
const WORK: &str = "door doors gate gates code codes key keys lock locked lockbox garage driveway front back side yard backyard fence \
    dog dogs cat cats pet pets parking park street drive road corner entrance house home room rooms kitchen bath bathroom bedroom \
    basement attic closet hallway stairs upstairs downstairs floor floors ceiling wall walls window windows roof roofs roofing shingle \
    shingles gutter gutters chimney leak leaks leaking leaked drip drips dripping drain drains draining clog clogged sink faucet tap \
    taps toilet toilets shower tub pipe pipes water hot cold heat heats heater heating furnace ac hvac air cool cooling thermostat \
    filter filters vent vents fan breaker panel outlet outlets switch light lights wire wires wiring power electric electricity gas \
    smell smells noise sound loud broken break broke crack cracked cracks rust mold wet dry flood flooded flooding damage damaged \
    paint painted painting color colors trim deck siding concrete tile tiles carpet cabinet cabinets counter tree trees lawn grass \
    sprinkler pump tank septic valve meter hose motor unit units system model brand serial part parts warranty insurance deductible \
    permit permits hoa price prices cost costs charge pay paid payment card cash check checks invoice bill deposit receipt budget \
    expensive cheap estimate estimates quote quotes picture pictures photo photos pic pics video send sending sent come coming comes \
    came arrive arrived show showed showing tech technician plumber electrician roofer painter crew guys team truck van work works \
    working worked job fix fixed fixing repair repaired repairs replace replaced replacing install installed turn turned turns open \
    opens opened close closed closes start starts started stop stopped stuck reset resetting blue white black red green gray grey brown beige high low bigger smaller size inch inches feet foot upper lower top \
    bottom left middle apartment apt building neighbor neighbors tenant tenants husband wife kids baby bell doorbell knock ring call \
    called calling calls answer answered voicemail urgent emergency hurry rush worse better big small old new tools ladder trash \
    attached access shut shutoff off signal service option options material materials puerta porton codigo llave llaves cochera perro \
    perros casa cocina bano techo gotea goteando fuga agua caliente fria calentador luz gas tuberia desague pintura pared paredes \
    ventana ventanas precio cuesta pago pagar tarjeta efectivo factura presupuesto foto fotos viene vienen venir llego llegan trabajo \
    funciona urgente estacionar esposo esposa vecino llamar llama llame";
const TIMES: &str = "time times when day days date dates today tomorrow tonight morning mornings afternoon evening noon midday night \
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun weekend week weeks month \
    hour hours minute minutes min mins late later early earlier soon until till before after yet now already still \
    schedule reschedule hora horas cuando hoy manana tarde temprano noche dia lunes martes miercoles jueves viernes sabado domingo \
    semana luego despues antes todavia aun ahora minutos";
/// Texts of only these answer a question of ours.
const PLAIN_ANSWERS: &str = "no not nope nah yes yeah ok okay i im ive we were you youre it its that thats there theres is are was am do does \
    did dont doesnt didnt cant cannot wont couldnt wouldnt isnt arent wasnt havent think so know sure mind worry worries problem about \
    thanks thank please pls sorry rather but and or just really very all good bad fine great at to for in on of the a an my me us our your be will \
    would can could should have has make made need anything else nothing never why more much many one ones other another both either \
    neither too only then sir maam hi hello hey talk see say said look idea matter way who ask gracias nada mas se si creo que lo la el \
    por favor senor senora todo bien claro es esta hay puedo necesito";

/// Whether a text of the 48 hours after a yes sets what the yes confirmed aside.
pub(crate) fn is_doubtful_after_yes(text: &str) -> bool {
    let plain = normalize_words(text);
    let padded = format!(" {plain} ");
    if REFUSALS.iter().any(|phrase| padded.contains(&format!(" {phrase} "))) {
        return true;
    }
    let words: Vec<&str> = plain.split(' ').collect();
    let asks_what = has_any(&words, "what que") && has_any(&words, THIS) && text.contains('?');
    (asks_what || has_any(&words, NEGATIONS))
        && !is_about_work_or_time(text)
        && !words.iter().all(|word| is_listed(PLAIN_ANSWERS, word))
        && !is_plain_yes(text)
        && !is_thanks(text)
}

/// By one word or number.
pub(super) fn is_about_work_or_time(text: &str) -> bool {
    let plain = normalize_words(text);
    plain
        .split(' ')
        .any(|word| word.starts_with(|c: char| c.is_ascii_digit()) || is_listed(WORK, word) || is_listed(TIMES, word))
}

fn has_any(words: &[&str], list: &str) -> bool {
    words.iter().any(|word| is_listed(list, word))
}

fn is_listed(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}

#[cfg(test)]
mod tests {
    use super::is_doubtful_after_yes;
    use crate::domain::messaging::request_denial::{is_asking_for_sender, is_name_denied, is_request_denied};

    const MOST_FALSE_ALARMS: usize = 1;

    fn takes_back(text: &str) -> bool {
        let names = ["Vera Vale".to_owned()];
        is_request_denied(text)
            || is_asking_for_sender(text)
            || is_name_denied(text, &names)
            || is_doubtful_after_yes(text)
    }

    #[test]
    fn denials_in_unusual_words_take_yes_back() {
        let denials = include_str!("denials.txt");
        assert!(denials.lines().count() >= 40);
        let missed: Vec<&str> = denials.lines().filter(|text| !takes_back(text)).collect();
        assert!(missed.is_empty(), "{missed:?}");
    }

    #[test]
    fn ordinary_texts_about_work_take_nothing_back() {
        let ordinary = include_str!("ordinary_texts.txt");
        assert!(ordinary.lines().count() >= 40);
        let alarms: Vec<&str> = ordinary.lines().filter(|text| takes_back(text)).collect();
        assert!(alarms.len() <= MOST_FALSE_ALARMS, "{alarms:?}");
    }
}
