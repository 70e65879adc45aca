//! English or Spanish: which one a wording is in, and which one a customer writes.

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

/// Small words that an English sentence cannot do without and a Spanish one does not have.
const ENGLISH: &str = "about am and any anyone are asap at back be been broken but call can come could did do does don't estimate \
    everywhere for from get give got had has have hello help hey hi how i i'd i'm i've if in is isn't it it's \
    its just know leaking let like looking much my need needs not of off ok on or our out please pls quote \
    repair should someone sorry tell thank thanks that the there they this to today tomorrow up us wait want was \
    water we were what what's whats when where who will with working would yes you your";

/// The same for Spanish, without accents, as most people text.
const SPANISH: &str = "agua ahora aire al alguien aqui arreglar ayer ayuda ayudar bano bien buen buena buenas bueno buenos busco \
    calle casa cita como con cotizacion cuando cuanto cuesta de del dia dias direccion disculpe domicilio donde \
    el electricista ella en es esa ese esta estamos estan este esto estoy favor fuga funciona gotea gracias \
    hacen hay hola hora hoy la las le les llamar llame llamen llamenme llegan los luz manana mandeme mas mi mis \
    muy necesita necesitamos necesito nos numero o para perdon pero plomero por porque precio presupuesto puede \
    pueden puedo que quien quiere quiero quisiera rompio se senor si sin sirve solo son soy su sus tambien tarde \
    tardes techo tengo tiene tienen trabajan tubo un una unos urge usted ustedes vale venir y ya yo";

static COMMON_ENGLISH: LazyLock<HashSet<&'static str>> = LazyLock::new(|| ENGLISH.split_whitespace().collect());
static COMMON_SPANISH: LazyLock<HashSet<&'static str>> = LazyLock::new(|| SPANISH.split_whitespace().collect());

/// Words nobody uses in the other language, even alone.
const ENGLISH_ALONE: &[&str] = &["hello", "thanks", "please", "thank", "you", "the", "yes"];
const SPANISH_ALONE: &[&str] = &["hola", "gracias", "buenas", "buenos", "necesito", "quiero", "ustedes", "usted"];

/// So much must be heard before a language is named.
const ENOUGH: usize = 2;

impl Language {
    /// The language a person writes in, from their own texts. None when they say too little, or mix both: then the
    /// business's own choice stands.
    #[must_use]
    pub fn of_customer<S: AsRef<str>>(texts: &[S]) -> Option<Self> {
        let (mut english, mut spanish) = (0, 0);
        for text in texts {
            for word in words(text.as_ref()) {
                let plain = without_accents(&word);
                english += weight(&plain, &COMMON_ENGLISH, ENGLISH_ALONE);
                spanish += weight(&plain, &COMMON_SPANISH, SPANISH_ALONE);
                // Nobody types these letters in English, whatever else the word is.
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

fn weight(word: &str, common: &HashSet<&str>, alone: &[&str]) -> usize {
    if alone.contains(&word) { ENOUGH } else { usize::from(common.contains(word)) }
}

/// Lower-case words; the Spanish opening marks stay with theirs.
fn words(text: &str) -> impl Iterator<Item = String> {
    let text = text.to_lowercase().replace('’', "'");
    let parts: Vec<String> = text
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '¿' | '¡')))
        .filter(|word| !word.is_empty())
        .map(ToOwned::to_owned)
        .collect();
    parts.into_iter()
}

/// `Mañana` and `manana` are the same word to whoever types it on a phone. Opening marks go.
pub(super) fn without_accents(text: &str) -> String {
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

    /// Language, tab, sentence; `-` where nobody could say.
    const SENTENCES: &str = include_str!("language_corpus.txt");

    #[test]
    fn sixty_sentences_are_told_apart() {
        let mut wrong = Vec::new();
        let mut told = 0;
        for line in SENTENCES.lines().filter(|line| !line.is_empty()) {
            let (language, sentence) = line.split_once('\t').unwrap();
            let expected = match language {
                "en" => Some(Language::En),
                "es" => Some(Language::Es),
                "-" => None,
                other => panic!("no language: {other}"),
            };
            told += 1;
            let found = Language::of_customer(&[sentence]);
            if found != expected {
                wrong.push(format!("{sentence}: {found:?}"));
            }
        }
        assert!(told >= 60, "{told} sentences");
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn several_texts_are_heard_together() {
        assert_eq!(Language::of_customer(&["Ok", "La casa", "el techo"]), Some(Language::Es));
        assert_eq!(Language::of_customer::<&str>(&[]), None);
    }

    #[test]
    fn the_two_lists_share_no_word_and_have_no_accents() {
        for word in SPANISH.split_whitespace() {
            assert!(ENGLISH.split_whitespace().all(|english| english != word), "{word}");
            assert_eq!(without_accents(word), word);
        }
        assert!(SPANISH_ALONE.iter().all(|w| without_accents(w) == **w));
    }
}
