//! Refusals of the present state (409): a closed list of codes with their words in English and Spanish, and the values
//! that fill them, some of which are reasons themselves. `docs/refusals.md` lists them.

use std::fmt;

use crate::{error::Error, language::Language};

/// One code, its English and its Spanish words a line each. `{name}` is filled in by `filled.rs`.
macro_rules! conflict_texts {
    ($($code:ident $english:literal $spanish:literal;)+) => {
        &[$(ConflictText {
            code: crate::conflicts::ConflictCode::$code,
            english: $english,
            spanish: $spanish,
        }),+]
    };
}

mod access;
mod code;
mod customer;
mod estimate;
mod filled;
mod former_wordings;
mod invoice;
mod messaging;
mod nested;
mod operation;
mod payment;
mod subscription;
#[cfg(test)]
mod tests;
mod work;

pub use code::ConflictCode;
pub use filled::OpenMoneyItem;
pub use former_wordings::{list_former_wordings, reword_stored_reason};
pub use nested::NestedReason;

/// The words of a code.
#[derive(Clone, Copy)]
struct ConflictText {
    code: ConflictCode,
    english: &'static str,
    spanish: &'static str,
}

/// By code. Building it fails when a code has no words, or has them twice.
static TEXTS: [ConflictText; ConflictCode::ALL.len()] = arrange_texts(&[
    estimate::TEXTS,
    invoice::TEXTS,
    payment::TEXTS,
    subscription::TEXTS,
    work::TEXTS,
    customer::TEXTS,
    messaging::TEXTS,
    access::TEXTS,
    operation::TEXTS,
]);

const fn arrange_texts(areas: &[&[ConflictText]]) -> [ConflictText; ConflictCode::ALL.len()] {
    let missing = ConflictText { code: ConflictCode::ALL[0], english: "", spanish: "" };
    let mut texts = [missing; ConflictCode::ALL.len()];
    let (mut area, mut found) = (0, 0);
    while area < areas.len() {
        let mut row = 0;
        while row < areas[area].len() {
            let text = areas[area][row];
            assert!(texts[text.code as usize].english.is_empty(), "a code has words twice");
            texts[text.code as usize] = text;
            found += 1;
            row += 1;
        }
        area += 1;
    }
    assert!(found == texts.len(), "a code has no words");
    texts
}

impl ConflictCode {
    /// The words, with placeholders unfilled.
    #[must_use]
    pub fn template_in(self, language: Language) -> &'static str {
        let text = TEXTS[self as usize];
        match language {
            Language::En => text.english,
            Language::Es => text.spanish,
        }
    }

    /// The English words, of a code without placeholders.
    #[must_use]
    pub fn english_text(self) -> &'static str {
        self.template_in(Language::En)
    }

    /// Of a code without placeholders.
    #[must_use]
    pub const fn into_error(self) -> Error {
        Error::Conflict(ConflictReason { code: self, values: Vec::new(), nested: None })
    }
}

/// A code and the values of its placeholders. `filled.rs` makes those that have some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictReason {
    code: ConflictCode,
    values: Vec<(&'static str, ConflictValue)>,
    nested: Option<NestedReason>,
}

/// The value of a placeholder.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ConflictValue {
    english: String,
    spanish: String,
}

impl ConflictReason {
    #[must_use]
    pub fn conflict_code(&self) -> ConflictCode {
        self.code
    }

    /// Code of the reason that fills a placeholder, where it is one of ours.
    #[must_use]
    pub fn nested_reason(&self) -> Option<NestedReason> {
        self.nested
    }

    /// The whole sentence.
    #[must_use]
    pub fn text_in(&self, language: Language) -> String {
        let (mut text, mut rest) = (String::new(), self.code.template_in(language));
        while let Some((before, (name, after))) =
            rest.split_once('{').and_then(|(before, after)| Some((before, after.split_once('}')?)))
        {
            text.push_str(before);
            text.push_str(self.find_value(name, language));
            rest = after;
        }
        text + rest
    }

    fn find_value(&self, name: &str, language: Language) -> &str {
        let found = self.values.iter().find(|(known, _)| *known == name);
        found.map_or("", |(_, value)| match language {
            Language::En => &value.english,
            Language::Es => &value.spanish,
        })
    }
}

/// The English sentence.
impl fmt::Display for ConflictReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text_in(Language::En))
    }
}

impl From<ConflictCode> for ConflictReason {
    fn from(code: ConflictCode) -> Self {
        Self { code, values: Vec::new(), nested: None }
    }
}

impl From<ConflictCode> for Error {
    fn from(code: ConflictCode) -> Self {
        code.into_error()
    }
}

impl From<ConflictReason> for Error {
    fn from(reason: ConflictReason) -> Self {
        Self::Conflict(reason)
    }
}
