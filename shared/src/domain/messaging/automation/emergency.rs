//! Emergency words of the business: whole words with common endings, unless negated or used in another meaning.

use std::iter;

const SOMETHING_ELSE: [(&str, &[&str]); 3] = [
    ("flood", &["light", "lighting", "lamp", "insurance", "zone", "plain", "map", "policy"]),
    ("sparks", &["plug", "joy"]),
    ("urgent", &["care"]),
];
/// Look like a form of the word but mean something else: "I fired my plumber".
const OTHER_WORDS: [(&str, &[&str]); 1] = [("fire", &["fired", "firing"])];
/// Sparks is a town.
const NEVADA: [&str; 2] = ["nv", "nevada"];
/// Fillers between a negation and its object.
const FILLERS: [&str; 16] = [
    "any",
    "really",
    "very",
    "super",
    "too",
    "yet",
    "actually",
    "exactly",
    "currently",
    "real",
    "true",
    "such",
    "at",
    "muy",
    "tan",
    "realmente",
];
/// Fillers too, but not after a plain "no": "No the flood is back" only lacks its comma.
const ARTICLES: [&str; 8] = ["a", "an", "the", "that", "so", "all", "un", "una"];
/// Negate what follows; written without apostrophes. "Can't" is excluded: "can't stop flooding".
const DENIALS: [&str; 21] = [
    "not", "no", "non", "never", "without", "nothing", "isnt", "arent", "wasnt", "werent", "aint", "dont", "doesnt",
    "didnt", "hasnt", "havent", "wont", "sin", "nada", "ninguna", "ningun",
];
/// Verbs between a negation and its object: "don't have an emergency", "no longer urgent", "no es urgente".
const VERBS: [&str; 16] = [
    "have", "has", "see", "need", "be", "been", "longer", "more", "es", "hay", "esta", "son", "fue", "tengo", "veo",
    "necesito",
];
/// "Don't think it is an emergency", "no creo que sea urgente".
const OPINIONS: [&str; 7] = ["think", "believe", "consider", "seem", "creo", "parece", "considero"];
const OPINION_FILLERS: [&str; 9] = ["it", "is", "this", "that", "its", "be", "que", "sea", "como"];

/// Whether `text` contains one of `words`, ignoring case, spaces and accents.
#[must_use]
pub fn is_emergency(words: &[String], text: &str) -> bool {
    let tokens = tokenize(text);
    words.iter().any(|word| {
        let wanted = tokenize(word);
        if wanted.is_empty() {
            // A sign such as an exclamation mark or an emoji is not a word.
            let sign = word.trim();
            return !sign.is_empty() && text.contains(sign);
        }
        (0..tokens.len()).any(|at| matches_at(&wanted, &tokens, at))
    })
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct EmergencyToken {
    word: String,
    /// Ends a clause.
    is_last: bool,
}

impl EmergencyToken {
    fn is_inflection_of(&self, wanted: &str) -> bool {
        let is_other = |(word, others): &(&str, &[&str])| *word == wanted && others.contains(&self.word.as_str());
        self.word == wanted || (stem(&self.word) == stem(wanted) && !OTHER_WORDS.iter().any(is_other))
    }
}

/// Lower-case words without accents. An apostrophe belongs to its word ("isn't"); a final `'s` does not.
fn tokenize(text: &str) -> Vec<EmergencyToken> {
    let mut tokens: Vec<EmergencyToken> = Vec::new();
    let mut word = String::new();
    let letters: Vec<char> =
        text.chars().flat_map(char::to_lowercase).filter(|c| !is_accent(*c)).map(fold_accent).collect();
    for (at, letter) in letters.iter().copied().chain(iter::once(' ')).enumerate() {
        let next = letters.get(at + 1);
        if letter.is_alphanumeric() || (letter == '\'' && !word.is_empty() && next.is_some_and(|c| c.is_alphabetic())) {
            word.push(letter);
            continue;
        }
        if !word.is_empty() {
            let whole = word.strip_suffix("'s").unwrap_or(&word).to_owned();
            tokens.push(EmergencyToken { word: whole, is_last: false });
            word.clear();
        }
        let ends = matches!(letter, ',' | ';' | '!' | '?' | ')' | '(' | '…' | '—' | '–')
            || (matches!(letter, '.' | ':' | '-') && next.is_none_or(|c| c.is_whitespace()));
        if let Some(last) = tokens.last_mut() {
            last.is_last |= ends;
        }
    }
    tokens
}

fn is_accent(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

fn fold_accent(c: char) -> char {
    match c {
        'á' | 'à' | 'â' | 'ä' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'ì' | 'î' | 'ï' => 'i',
        'ó' | 'ò' | 'ô' | 'ö' => 'o',
        'ú' | 'ù' | 'û' | 'ü' => 'u',
        'ñ' => 'n',
        '’' | '‘' | '´' | '`' => '\'',
        _ => c,
    }
}

fn stem(word: &str) -> &str {
    let without = |ending| word.strip_suffix(ending).filter(|stem| stem.len() > 2 && stem.contains(is_vowel));
    if let Some(stem) = without("ing").or_else(|| without("ed")) {
        // "clogged" is "clog"; "spilled" is "spill".
        let last = stem.chars().last().unwrap_or_default();
        let is_doubled = stem.len() > 3 && stem.ends_with([last; 2].iter().collect::<String>().as_str());
        let is_one = is_doubled && !is_vowel(last) && !matches!(last, 'l' | 's' | 'z' | 'f');
        return if is_one { &stem[..stem.len() - last.len_utf8()] } else { stem };
    }
    let word = without("mente").or_else(|| without("ly")).unwrap_or(word);
    let word = match word.strip_suffix("ies").filter(|stem| stem.len() > 2) {
        // "emergencies" and "emergency" meet without their last letters.
        Some(stem) => return stem,
        None => word.strip_suffix('s').filter(|stem| stem.len() > 2 && !stem.ends_with('s')).unwrap_or(word),
    };
    let word = word.strip_suffix('y').filter(|stem| stem.len() > 2).unwrap_or(word);
    word.strip_suffix('e').filter(|stem| stem.len() > 2).unwrap_or(word)
}

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

fn matches_at(wanted: &[EmergencyToken], tokens: &[EmergencyToken], at: usize) -> bool {
    let Some(found) = tokens.get(at..at + wanted.len()) else { return false };
    let is_whole = wanted.iter().zip(found).enumerate().all(|(n, (wanted_word, token))| {
        let goes_on = n + 1 == wanted.len() || !token.is_last || wanted_word.is_last;
        goes_on && token.is_inflection_of(&wanted_word.word)
    });
    // "No heat" is a denial itself.
    let is_denial = wanted.first().is_some_and(|token| is_negation(Some(&token.word)));
    is_whole && (is_denial || !is_denied(&tokens[..at])) && !is_harmless_context(found, &tokens[at + wanted.len()..])
}

fn is_denied(before: &[EmergencyToken]) -> bool {
    // Only the current clause counts.
    let clause: Vec<&str> = before.iter().rev().take_while(|token| !token.is_last).map(|t| t.word.as_str()).collect();
    let rest = skip_fillers(&clause, &[&FILLERS, &ARTICLES]);
    let has_article = clause[..clause.len() - rest.len()].iter().any(|word| ARTICLES.contains(word));
    if is_negation(rest.first().copied()) && !(has_article && rest.first() == Some(&"no")) {
        return true;
    }
    if rest.first().is_some_and(|word| VERBS.contains(word)) {
        return is_negation(skip_fillers(&rest[1..], &[&FILLERS]).first().copied());
    }
    let rest = skip_fillers(rest, &[&OPINION_FILLERS]);
    rest.first().is_some_and(|word| OPINIONS.iter().any(|opinion| stem(word) == stem(opinion)))
        && is_negation(rest.get(1).copied())
}

fn is_negation(word: Option<&str>) -> bool {
    word.is_some_and(|word| DENIALS.contains(&word.replace('\'', "").as_str()))
}

fn skip_fillers<'a, 'b>(words: &'a [&'b str], fillers: &[&[&str]]) -> &'a [&'b str] {
    let is_filler = |word: &&str| fillers.iter().any(|list| list.contains(word));
    let from = words.iter().position(|word| !is_filler(word)).unwrap_or(words.len());
    &words[from..]
}

fn is_harmless_context(found: &[EmergencyToken], after: &[EmergencyToken]) -> bool {
    let (Some(last), Some(next)) = (found.last(), after.first()) else { return false };
    let is_zip = next.word.len() == 5 && next.word.bytes().all(|b| b.is_ascii_digit());
    if last.word == "sparks" && (NEVADA.contains(&next.word.as_str()) || is_zip) {
        return true;
    }
    !last.is_last
        && SOMETHING_ELSE.iter().any(|(word, nexts)| {
            stem(word) == stem(&last.word) && nexts.iter().any(|other| stem(other) == stem(&next.word))
        })
}

#[cfg(test)]
mod tests;
