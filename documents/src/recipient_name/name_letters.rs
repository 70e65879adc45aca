//! Letters and capitals of a single name.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use super::name_words::PARTICLES;

/// In letters.
const LONGEST_PART: usize = 16;
/// In letters.
const LONGEST_NAME: usize = 20;
const MOST_JOINTS: usize = 2;
/// Beginnings after which a name has a second capital.
const CAPITAL_PREFIXES: [&str; 10] = ["mc", "mac", "de", "la", "le", "di", "van", "fitz", "jo", "mary"];

/// Script by the place of its letters in Unicode. Japanese names mix three scripts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameScript {
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    Devanagari,
    EastAsian,
    Hangul,
    /// Number of a block of 256 characters.
    Other(u32),
}

impl NameScript {
    fn of_letter(letter: char) -> Option<Self> {
        match letter {
            // Not the clicks U+01C0 to U+01C3: they look like "|" and "!".
            'A'..='Z'
            | 'a'..='z'
            | '\u{c0}'..='\u{d6}'
            | '\u{d8}'..='\u{f6}'
            | '\u{f8}'..='\u{1bf}'
            | '\u{1c4}'..='\u{293}'
            | '\u{1e00}'..='\u{1eff}' => Some(Self::Latin),
            '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Some(Self::Greek),
            '\u{400}'..='\u{481}' | '\u{48a}'..='\u{52f}' => Some(Self::Cyrillic),
            '\u{590}'..='\u{5ff}' => Some(Self::Hebrew),
            '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' => Some(Self::Arabic),
            '\u{900}'..='\u{97f}' => Some(Self::Devanagari),
            '\u{3005}'..='\u{3007}'
            | '\u{3041}'..='\u{30ff}'
            | '\u{31f0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}' => Some(Self::EastAsian),
            '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7ff}' => Some(Self::Hangul),
            _ if letter < '\u{530}' => None,
            _ => Some(Self::Other(u32::from(letter) >> 8)),
        }
    }

    fn of_name(name: &str) -> Option<Self> {
        let mut scripts = name.chars().filter(|c| !is_joint(*c) && !is_accent(*c)).map(Self::of_letter);
        let first = scripts.next()??;
        scripts.all(|script| script == Some(first)).then_some(first)
    }

    fn has_capitals(self) -> bool {
        matches!(self, Self::Latin | Self::Greek | Self::Cyrillic)
    }

    /// Marks on one letter. Accents of the first three scripts are composed with their letter.
    fn most_marks(self) -> usize {
        if self.has_capitals() { 1 } else { 3 }
    }

    fn has_names_of_one_letter(self) -> bool {
        matches!(self, Self::EastAsian | Self::Hangul)
    }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2bb}' | '\u{2bc}')
}

fn is_joint(c: char) -> bool {
    is_apostrophe(c) || matches!(c, '-' | '\u{2010}')
}

/// Not the strokes through a letter.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{331}')
}

fn count_letters(text: &str) -> usize {
    text.chars().filter(|c| !is_joint(*c) && !is_combining_mark(*c)).count()
}

/// The word without symbols around it, in the usual case. Nothing for a word that is no name.
pub(super) fn spell_name(word: &str) -> Option<String> {
    let trimmed = word.trim_matches(|c: char| !c.is_alphanumeric() && !is_combining_mark(c));
    let name: String = trimmed.nfkc().collect();
    let script = NameScript::of_name(&name)?;
    let parts: Vec<&str> = name.split(is_joint).collect();
    let joints: Vec<char> = name.chars().filter(|c| is_joint(*c)).collect();
    let is_name = joints.len() <= MOST_JOINTS
        && count_letters(&name) <= LONGEST_NAME
        && parts.iter().enumerate().all(|(at, part)| is_name_part(part, joints.get(at).copied(), script));
    if !is_name {
        return None;
    }
    if !script.has_capitals() {
        return Some(name);
    }
    let is_small = !name.chars().any(char::is_uppercase);
    let mut spelled = String::new();
    for (at, part) in parts.iter().enumerate() {
        spelled += &spell_part(part, at > 0, is_small)?;
        spelled.extend(joints.get(at));
    }
    Some(spelled)
}

/// `joint` follows the part: one letter is a part only in "O'Brien".
fn is_name_part(part: &str, joint: Option<char>, script: NameScript) -> bool {
    let mut marks = 0;
    for (at, c) in part.chars().enumerate() {
        let is_mark = is_combining_mark(c);
        marks = if is_mark { marks + 1 } else { 0 };
        if marks > script.most_marks() || (is_mark && at == 0) || !(is_mark || c.is_alphabetic()) {
            return false;
        }
    }
    let is_short_part = joint.is_some_and(is_apostrophe) || script.has_names_of_one_letter();
    match count_letters(part) {
        0 => false,
        1 => is_short_part,
        letters => letters <= LONGEST_PART,
    }
}

/// Nothing for capitals in the middle of a word. `is_small`: the name has no capital at all.
fn spell_part(part: &str, is_later: bool, is_small: bool) -> Option<String> {
    let lower = part.to_lowercase();
    let has_inner_capital = part.chars().skip(1).any(char::is_uppercase);
    let is_capital = has_inner_capital && is_in_capitals(part);
    if !has_inner_capital && !is_small {
        return Some(if is_later { part.to_owned() } else { capitalize_part(part) });
    }
    if (is_capital || is_small) && is_later && PARTICLES.contains(&lower.as_str()) {
        return Some(lower);
    }
    if is_capital && is_short_for_initials(&lower) {
        return Some(part.to_owned());
    }
    if is_capital || is_small {
        return Some(match lower.strip_prefix("mc") {
            Some(rest) if is_capital && rest.chars().count() > 2 => format!("Mc{}", capitalize_part(rest)),
            _ => capitalize_part(&lower),
        });
    }
    CAPITAL_PREFIXES.iter().find_map(|prefix| {
        lower.strip_prefix(*prefix)?;
        let rest = part.get(prefix.len()..)?;
        let is_capitalized = rest.starts_with(char::is_uppercase)
            && (is_in_capitals(rest) || !rest.chars().skip(1).any(char::is_uppercase));
        is_capitalized.then(|| capitalize_part(prefix) + &capitalize_part(&rest.to_lowercase()))
    })
}

fn is_in_capitals(part: &str) -> bool {
    part.chars().filter(|c| !is_combining_mark(*c)).all(char::is_uppercase)
}

/// "TJ", "AJ".
fn is_short_for_initials(lower: &str) -> bool {
    lower.chars().count() == 2 && (lower.ends_with('j') || !lower.contains(['a', 'e', 'i', 'o', 'u', 'y']))
}

fn capitalize_part(lower: &str) -> String {
    let mut letters = lower.chars();
    let first: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    first + letters.as_str()
}
