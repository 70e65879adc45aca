//! What a search text can mean: words of a name, a part of a phone number, the number of a paper or job.

use super::SearchRank;
use crate::platform::{db::like_anywhere, phone::Phone};

/// Longest search text, in characters.
pub const MAX_SEARCH_TEXT: usize = 100;
const SHORTEST_TEXT: usize = 2;
const FEWEST_PHONE_DIGITS: usize = 4;
const MOST_PHONE_DIGITS: usize = 15;
const MOST_NUMBER_DIGITS: usize = 9;
const LARGEST_NUMBER: i64 = 999_999_999;

/// Words before a number, with the records that they name.
const SERIES_WORDS: [(&str, SearchSeries); 9] = [
    ("est", SearchSeries::Estimates),
    ("estimate", SearchSeries::Estimates),
    ("quote", SearchSeries::Estimates),
    ("co", SearchSeries::ChangeOrders),
    ("change order", SearchSeries::ChangeOrders),
    ("inv", SearchSeries::Invoices),
    ("invoice", SearchSeries::Invoices),
    ("job", SearchSeries::Jobs),
    ("#", SearchSeries::Any),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchSeries {
    Any,
    Estimates,
    ChangeOrders,
    Invoices,
    Jobs,
}

impl SearchSeries {
    pub(super) fn includes_series(self, one: Self) -> bool {
        self == Self::Any || self == one
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SearchQuery {
    /// In lower case, with single blanks.
    pub(super) text: String,
    pub(super) phone: Option<PhonePart>,
    pub(super) number: Option<SearchNumber>,
}

/// Digits of a phone number, at its beginning or at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PhonePart {
    pub(super) digits: String,
    /// The beginning of the number in E.164.
    pub(super) beginning: String,
    /// The number itself, where the text is a whole one.
    pub(super) whole: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SearchNumber {
    pub(super) series: SearchSeries,
    pub(super) number: i64,
}

impl SearchQuery {
    /// None for a text that is too short or too long.
    pub(super) fn parse_text(text: &str) -> Option<Self> {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        if !(SHORTEST_TEXT..=MAX_SEARCH_TEXT).contains(&text.chars().count()) {
            return None;
        }
        Some(Self { phone: PhonePart::parse(&text), number: SearchNumber::parse(&text), text })
    }

    /// Pattern of a text that contains it.
    pub(super) fn pattern_anywhere(&self) -> String {
        like_anywhere(&self.text)
    }

    /// Pattern of a text that begins with it.
    pub(super) fn pattern_at_start(&self) -> String {
        like_anywhere(&self.text).split_off(1)
    }

    /// Bounds that hold together every text that begins with it, and few others. Databases order text by bytes or by a
    /// language: the first pair holds what goes on with an English letter, the second, by bytes, all other letters.
    pub(super) fn prefix_bounds(&self) -> [(String, String); 2] {
        let text = &self.text;
        [(text.clone(), format!("{text}zzzzzzzzzz")), (format!("{text}{{"), format!("{text}\u{ffff}"))]
    }

    pub(super) fn is_one_word(&self) -> bool {
        !self.text.contains(' ')
    }

    /// Rank of a record with this name.
    pub(super) fn rank_name(&self, name: &str) -> SearchRank {
        let name = name.to_lowercase();
        if name == self.text {
            SearchRank::Exact
        } else if name.split_whitespace().any(|word| word.starts_with(&self.text)) || name.starts_with(&self.text) {
            SearchRank::Prefix
        } else {
            SearchRank::Contained
        }
    }
}

impl PhonePart {
    fn parse(text: &str) -> Option<Self> {
        let is_number =
            text.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | '-' | '.' | '(' | ')' | '+' | '/'));
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        if !is_number || !(FEWEST_PHONE_DIGITS..=MOST_PHONE_DIGITS).contains(&digits.len()) {
            return None;
        }
        // No area code begins with 1.
        let has_country = text.starts_with('+') || digits.starts_with('1');
        let beginning = if has_country { format!("+{digits}") } else { format!("+1{digits}") };
        Some(Self { whole: Phone::parse(text).map(Phone::into_e164), digits, beginning })
    }

    pub(super) fn last_four(&self) -> &str {
        // At least four digits, and all of them ASCII.
        self.digits.get(self.digits.len().saturating_sub(FEWEST_PHONE_DIGITS)..).unwrap_or_default()
    }

    pub(super) fn rank_number(&self, e164: &str) -> SearchRank {
        if self.whole.as_deref() == Some(e164) { SearchRank::Exact } else { SearchRank::Prefix }
    }
}

impl SearchNumber {
    /// `1001`, `#1001`, `EST-1001-2`, `inv 1001`, and a prefix of the business's own before a hyphen.
    fn parse(text: &str) -> Option<Self> {
        let start = text.find(|c: char| c.is_ascii_digit())?;
        let (prefix, rest) = text.split_at(start);
        let digits = match rest.split_once('-') {
            Some((number, version)) if is_digits(version) && !prefix.is_empty() => number,
            _ => rest,
        };
        if !is_digits(digits) || digits.len() > MOST_NUMBER_DIGITS {
            return None;
        }
        let (series, number) = (find_series(prefix)?, digits.parse::<i64>().ok()?);
        (number > 0).then_some(Self { series, number })
    }

    /// The number itself, then those that begin with its digits, each as the first and the last one.
    pub(super) fn number_ranges(self) -> impl Iterator<Item = (SearchRank, i64, i64)> {
        let spans = [(SearchRank::Exact, 1), (SearchRank::Prefix, 10), (SearchRank::Prefix, 100)];
        let range = move |(rank, span): (SearchRank, i64)| {
            let first = self.number.saturating_mul(span);
            (rank, first, first.saturating_add(span - 1))
        };
        spans.into_iter().map(range).filter(|(_, _, last)| *last <= LARGEST_NUMBER)
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn find_series(prefix: &str) -> Option<SearchSeries> {
    if prefix.is_empty() {
        return Some(SearchSeries::Any);
    }
    let word = if prefix == "#" { prefix } else { prefix.trim_end_matches(['-', ' ', '#']) };
    let known = SERIES_WORDS.iter().find(|(name, _)| *name == word).map(|(_, series)| *series);
    known.or_else(|| prefix.ends_with('-').then_some(SearchSeries::Any))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_short_and_too_long_texts_mean_nothing() {
        assert_eq!(SearchQuery::parse_text(" a "), None);
        assert_eq!(SearchQuery::parse_text(&"a".repeat(MAX_SEARCH_TEXT + 1)), None);
        assert_eq!(SearchQuery::parse_text("  Ann   LEE ").unwrap().text, "ann lee");
    }

    #[test]
    fn phone_parts_are_read_in_any_spelling() {
        let table = [
            ("(512) 555", "512555", "+1512555", None),
            ("+1 512 555 0142", "15125550142", "+15125550142", Some("+15125550142")),
            ("512.555.0142", "5125550142", "+15125550142", Some("+15125550142")),
            ("0142", "0142", "+10142", None),
        ];
        for (typed, digits, beginning, whole) in table {
            let part = SearchQuery::parse_text(typed).unwrap().phone.unwrap();
            assert_eq!((part.digits.as_str(), part.beginning.as_str()), (digits, beginning), "{typed}");
            assert_eq!(part.whole.as_deref(), whole, "{typed}");
        }
        assert_eq!(SearchQuery::parse_text("5550142").unwrap().phone.unwrap().last_four(), "0142");
        for typed in ["014", "12 main st", "ann", "1234567890123456"] {
            assert_eq!(SearchQuery::parse_text(typed).unwrap().phone, None, "{typed}");
        }
    }

    #[test]
    fn numbers_of_papers_and_jobs_are_read_with_and_without_prefix() {
        let table = [
            ("1001", Some((SearchSeries::Any, 1001))),
            ("#1001", Some((SearchSeries::Any, 1001))),
            ("EST-1001", Some((SearchSeries::Estimates, 1001))),
            ("est-1001-2", Some((SearchSeries::Estimates, 1001))),
            ("invoice 7", Some((SearchSeries::Invoices, 7))),
            ("CO-1002", Some((SearchSeries::ChangeOrders, 1002))),
            ("job #1003", Some((SearchSeries::Jobs, 1003))),
            ("2026-1001", None),
            ("Q-1001", Some((SearchSeries::Any, 1001))),
            ("ann 12", None),
            ("5125550142", None),
            ("12 main st", None),
            ("000", None),
        ];
        for (typed, wanted) in table {
            let found = SearchQuery::parse_text(typed).unwrap().number.map(|found| (found.series, found.number));
            assert_eq!(found, wanted, "{typed}");
        }
    }

    #[test]
    fn number_also_finds_those_that_begin_with_its_digits() {
        let found: Vec<_> = SearchQuery::parse_text("#10").unwrap().number.unwrap().number_ranges().collect();
        let wanted = [(SearchRank::Exact, 10, 10), (SearchRank::Prefix, 100, 109), (SearchRank::Prefix, 1_000, 1_099)];
        assert_eq!(found, wanted);
    }

    #[test]
    fn wildcards_are_searched_as_they_are() {
        let query = SearchQuery::parse_text("50%_\\").unwrap();
        assert_eq!(query.pattern_anywhere(), "%50\\%\\_\\\\%");
        assert_eq!(query.pattern_at_start(), "50\\%\\_\\\\%");
    }

    proptest::proptest! {
        #[test]
        fn bounds_hold_every_text_that_begins_with_the_query(text in "[a-z]{2,6}", rest in "\\PC{0,12}") {
            let query = SearchQuery::parse_text(&text).unwrap();
            let rest = rest.to_lowercase();
            let longer = format!("{text}{rest}");
            let is_common = rest.chars().all(|c| c < '\u{ffff}') && !rest.starts_with("zzzzzzzzzz");
            let is_within = query.prefix_bounds().iter().any(|(from, to)| *from <= longer && longer < *to);
            proptest::prop_assert!(is_within || !is_common, "{:?}", longer);
        }
    }
}
