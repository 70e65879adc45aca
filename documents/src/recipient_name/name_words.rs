//! Words that are no first name: everyday words, words for nobody in particular, businesses, addresses, obscenities.
//! Lists are in lower case, and without accents except for the organizations.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// First words of surnames.
pub(super) const PARTICLES: [&str; 22] = [
    "van", "von", "der", "den", "ter", "zu", "de", "del", "la", "las", "los", "le", "du", "da", "dos", "di", "st",
    "saint", "el", "al", "bin", "ibn",
];
const EVERYDAY_WORDS: &str = " \
    a about again all am and are at be been being but by coming does done for from get go going got had has \
    have he hello her here hey hi him his how i if in is it its ll looking me my no not now of off ok our \
    out please re she so sorry that the their them there they this to us ve was watching we were what when where who \
    why with yes you your youre yours \
    alert answer bank bitcoin buy call cheap claim click com debt deal discount dollar dollars dot download evil fire \
    free gift help house http https link lottery message money offer order owe owed owes paid pay paypal \
    payment pills police prize refund reply scam sell send stop text urgent verify visit warning warranty winner \
    won www \
    ahora aqui ayuda casa clic compra compre con cuenta deuda dinero el esta este gratis haga hola la llama llame los \
    nos nuestro oferta paga pagar pague para policia por premio que urgente usted visita visite vota vote ";
/// Rejected in a compound only: "Bill" is a first name.
const COMPOUND_WORDS: &str = " bill bills one two three four five six seven eight nine zero ";
const NOBODY_WORDS: &str = " \
    admin anon anonimo anonymous anybody asdf caller client cliente customer estate friend guest home homeowner \
    landlady landlord lead manager na name neighbor nobody nombre none null occupant office owner person property \
    qwerty renter rental resident somebody someone tenant test tester testing undefined unknown user vecino visitor \
    whom ";
const ORGANIZATION_WORDS: &str = " \
    agency apartments associates association bros brothers cafe church co company compañía condominiums construction \
    contracting contractors corp corporation diner electric enterprises familia families family foundation gmbh group \
    heating hijos holdings hotel inc incorporated industries insurance landscaping limited llc llp ltd \
    maintenance management painting plumbing properties realty remodeling rentals repair restaurant roofing salon \
    school service services servicios solutions sons store trust ";
const OBSCENE_WORDS: &str = " \
    arse ass cock dickhead hitler nazi penis piss poop porn pussy puta puto rape sex shit shithead shitface \
    bullshit slut vagina verga xxx ";
const OBSCENE_STEMS: [&str; 12] =
    ["fuck", "cunt", "bitch", "whore", "asshole", "nigger", "nigga", "faggot", "pendej", "chingad", "mierda", "cabron"];
const ADDRESS_STEMS: [&str; 10] =
    ["dotcom", "tinyurl", "bitly", "http", "www", "police", "money", "warranty", "bitcoin", "password"];
/// Beginnings of sentences without spaces.
const SENTENCE_BEGINNINGS: [&str; 9] = ["you", "iam", "iknow", "iwill", "weare", "weknow", "wewill", "thisis", "wwww"];
const NAMES_LIKE_SENTENCES: [&str; 14] = [
    "young", "younes", "younis", "younus", "younas", "younous", "yousef", "yousif", "yousuf", "yousaf", "yousra",
    "youssef", "youssou", "youcef",
];
const SHORTEST_DOMAIN: usize = 6;
const NAME_LIKE_DOMAIN: &str = "malcom";

fn contains_word(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}

pub(super) fn is_organization_word(lower: &str) -> bool {
    contains_word(ORGANIZATION_WORDS, lower)
}

pub(super) fn names_no_person(name: &str) -> bool {
    let plain: String = name.to_lowercase().nfd().filter(|c| !is_combining_mark(*c)).collect();
    let parts: Vec<&str> = plain.split(|c: char| !c.is_alphanumeric()).collect();
    let joined = parts.concat();
    let is_compound = parts.len() > 1;
    parts.iter().any(|part| is_common_word(part, is_compound) || reads_like_sentence(part))
        || is_common_word(&joined, false)
        || reads_like_sentence(&joined)
        || reads_like_address(&joined)
        || OBSCENE_STEMS.iter().any(|stem| joined.contains(stem))
}

/// In a compound, a particle is part of a name: "Maria-del-Carmen".
fn is_common_word(word: &str, is_compound: bool) -> bool {
    let is_particle = is_compound && PARTICLES.contains(&word);
    (contains_word(EVERYDAY_WORDS, word) && !is_particle)
        || contains_word(OBSCENE_WORDS, word)
        || contains_word(if is_compound { COMPOUND_WORDS } else { NOBODY_WORDS }, word)
}

fn reads_like_sentence(word: &str) -> bool {
    SENTENCE_BEGINNINGS.iter().any(|beginning| word.starts_with(beginning))
        && !NAMES_LIKE_SENTENCES.iter().any(|name| word.starts_with(name))
}

fn reads_like_address(joined: &str) -> bool {
    let is_domain = joined.ends_with("com") && joined.chars().count() >= SHORTEST_DOMAIN && joined != NAME_LIKE_DOMAIN;
    is_domain || ADDRESS_STEMS.iter().any(|stem| joined.contains(stem))
}
