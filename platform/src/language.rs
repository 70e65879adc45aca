//! Detection of English or Spanish in customers' texts.

use std::{collections::HashSet, sync::LazyLock};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, sqlx::Type, ToSchema,
)]
#[sqlx(type_name = "TEXT", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Language {
    #[default]
    En,
    Es,
}

/// Frequent English words that do not exist in Spanish.
const ENGLISH: &str = "about am and any anyone are asap at back be been broken but call can come could did do does don't estimate \
    everywhere for from get give got had has have hello help hey hi how i i'd i'm i've if in is isn't it it's \
    its just know leaking let like looking much my need needs not of off ok on or our out please pls quote \
    repair should someone sorry tell thank thanks that the there they this to today tomorrow up us wait want was \
    water we were what what's whats when where who will with working would yes you your";

/// Frequent Spanish words, without accents, as most people text.
const SPANISH: &str = "agua ahora aire al alguien aqui arreglar ayer ayuda ayudar bano bien buen buena buenas bueno buenos busco \
    calle casa cita como con cotizacion cuando cuanto cuesta de del dia dias direccion disculpe domicilio donde \
    el electricista ella en es esa ese esta estamos estan este esto estoy favor fuga funciona gotea gracias \
    hacen hay hola hora hoy la las le les llamar llame llamen llamenme llegan los luz manana mandeme mas mi mis \
    muy necesita necesitamos necesito nos numero o para perdon pero plomero por porque precio presupuesto puede \
    pueden puedo que quien quiere quiero quisiera rompio se senor si sin sirve solo son soy su sus tambien tarde \
    tardes techo tengo tiene tienen trabajan tubo un una unos urge usted ustedes vale venir y ya yo";

static COMMON_ENGLISH: LazyLock<HashSet<&'static str>> = LazyLock::new(|| ENGLISH.split_whitespace().collect());
static COMMON_SPANISH: LazyLock<HashSet<&'static str>> = LazyLock::new(|| SPANISH.split_whitespace().collect());

/// Words that decide even alone.
const ENGLISH_ALONE: &[&str] = &["hello", "thanks", "please", "thank", "you", "the", "yes"];
const SPANISH_ALONE: &[&str] = &["hola", "gracias", "buenas", "buenos", "necesito", "quiero", "ustedes", "usted"];

/// Minimum score before a language is named.
const ENOUGH: usize = 2;

impl Language {
    /// Language of a person's own texts. None when they say too little or mix both; the business's setting then
    /// applies.
    #[must_use]
    pub fn detect_from_texts<S: AsRef<str>>(texts: &[S]) -> Option<Self> {
        let (mut english, mut spanish) = (0, 0);
        for text in texts {
            for word in split_words(text.as_ref()) {
                let plain = strip_accents(&word);
                english += word_weight(&plain, &COMMON_ENGLISH, ENGLISH_ALONE);
                spanish += word_weight(&plain, &COMMON_SPANISH, SPANISH_ALONE);
                // Letters that English typing does not produce.
                spanish += usize::from(word.contains(['ñ', '¿', '¡']));
            }
        }
        if spanish >= ENOUGH && spanish >= 2 * english {
            Some(Self::Es)
        } else if english >= ENOUGH && english >= 2 * spanish {
            Some(Self::En)
        } else {
            None
        }
    }
}

fn word_weight(word: &str, common: &HashSet<&str>, alone: &[&str]) -> usize {
    if alone.contains(&word) { ENOUGH } else { usize::from(common.contains(word)) }
}

/// Lower-case words; the Spanish opening marks stay attached.
fn split_words(text: &str) -> impl Iterator<Item = String> {
    let text = text.to_lowercase().replace('’', "'");
    let parts: Vec<String> = text
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '¿' | '¡')))
        .filter(|word| !word.is_empty())
        .map(ToOwned::to_owned)
        .collect();
    parts.into_iter()
}

/// Folds `Mañana` to `manana` and drops the opening marks.
#[must_use]
pub fn strip_accents(text: &str) -> String {
    text.chars()
        .filter_map(|c| match c {
            'á' | 'à' => Some('a'),
            'é' | 'è' => Some('e'),
            'í' | 'ì' => Some('i'),
            'ó' | 'ò' => Some('o'),
            'ú' | 'ù' | 'ü' => Some('u'),
            'ñ' => Some('n'),
            '¿' | '¡' => None,
            other => Some(other),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of language, tab, sentence; `-` where it is undecidable.
    const SENTENCES: &str = include_str!("language_corpus.txt");

    #[test]
    fn sample_sentences_are_assigned_correct_language() {
        let mut wrong = Vec::new();
        let mut counted = 0;
        for line in SENTENCES.lines().filter(|line| !line.is_empty()) {
            let (language, sentence) = line.split_once('\t').unwrap();
            let expected = match language {
                "en" => Some(Language::En),
                "es" => Some(Language::Es),
                "-" => None,
                other => panic!("no language: {other}"),
            };
            counted += 1;
            let found = Language::detect_from_texts(&[sentence]);
            if found != expected {
                wrong.push(format!("{sentence}: {found:?}"));
            }
        }
        assert!(counted >= 60, "{counted} sentences");
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn language_is_detected_across_several_texts() {
        assert_eq!(Language::detect_from_texts(&["Ok", "La casa", "el techo"]), Some(Language::Es));
        assert_eq!(Language::detect_from_texts::<&str>(&[]), None);
    }

    #[test]
    fn spanish_words_are_unaccented_and_not_in_english_list() {
        for word in SPANISH.split_whitespace() {
            assert!(ENGLISH.split_whitespace().all(|english| english != word), "{word}");
            assert_eq!(strip_accents(word), word);
        }
        assert!(SPANISH_ALONE.iter().all(|w| strip_accents(w) == **w));
    }
}
