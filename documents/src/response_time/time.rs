//! Parser of time lengths in words: "the next two hours", "24h", "hora y media". English and Spanish.

use std::{collections::HashSet, sync::LazyLock};

use super::tokens::{MessageToken, TokenKind, word_in_list};

/// In minutes.
const HOUR: i64 = 60;
const DAY: i64 = 24 * HOUR;
const WEEK: i64 = 7 * DAY;
/// Two weeks, in minutes: longer times do not count as a promised answer.
const LONGEST: i64 = 14 * DAY;
/// Numbers are in sixtieths, so that halves and quarters are whole.
const WHOLE: i64 = 60;

const WITHIN: &str = "within in inside under en dentro antes tardar";
const WITHIN_TWO: &[[&str; 2]] = &[
    ["less", "than"],
    ["later", "than"],
    ["more", "than"],
    ["at", "most"],
    ["maximum", "of"],
    ["menos", "de"],
    ["máximo", "de"],
];
/// Words allowed between the two. "Last", "past" and the like are not: they refer to the past.
const BETWEEN: &str = "\
    of the next coming following about around roughly approximately approx just under less than at most no more \
    later up to only a maximum max as little de un una plazo el la las los próximas próxima próximos próximo \
    proximas proxima siguientes siguiente máximo menos unos aproximadamente alrededor transcurso lapso cuestión \
    más";
const MOST_BETWEEN: usize = 7;
/// Working days and hours: their end cannot be computed.
const OF_WORK: &str = "business working office work weekday hábil hábiles habil habiles laborable laborables laboral";
const OR_LESS: &[[&str; 2]] =
    &[["or", "less"], ["or", "sooner"], ["or", "faster"], ["o", "menos"], ["como", "máximo"], ["at", "most"]];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeLength {
    Minutes(i64),
    /// Not a number of clock hours: business days, "a few hours", "by tomorrow".
    Vague,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FoundTime {
    pub length: TimeLength,
    pub from: usize,
    pub to: usize,
}

const NUMBERS: &[(&str, i64)] = &[
    ("a", 1),
    ("an", 1),
    ("one", 1),
    ("un", 1),
    ("una", 1),
    ("uno", 1),
    ("two", 2),
    ("dos", 2),
    ("couple", 2),
    ("par", 2),
    ("three", 3),
    ("tres", 3),
    ("four", 4),
    ("cuatro", 4),
    ("five", 5),
    ("cinco", 5),
    ("six", 6),
    ("seis", 6),
    ("seven", 7),
    ("siete", 7),
    ("eight", 8),
    ("ocho", 8),
    ("nine", 9),
    ("nueve", 9),
    ("ten", 10),
    ("diez", 10),
    ("eleven", 11),
    ("once", 11),
    ("twelve", 12),
    ("doce", 12),
    ("fifteen", 15),
    ("quince", 15),
    ("veinticuatro", 24),
];
const TENS: &[(&str, i64)] = &[
    ("twenty", 20),
    ("veinte", 20),
    ("thirty", 30),
    ("treinta", 30),
    ("forty", 40),
    ("cuarenta", 40),
    ("fifty", 50),
    ("cincuenta", 50),
    ("sixty", 60),
    ("sesenta", 60),
    ("seventy", 70),
    ("setenta", 70),
    ("ninety", 90),
    ("noventa", 90),
];
const HALF: &str = "half media";
const SOME: &str = "few several unas unos algunas varias";
const AN_HOUR: &str = "hour hora";
/// First words of days, parts of days and deadlines that cannot be measured.
const DAYS: &str = "today tonight tomorrow hoy mañana";
const PARTS_OF: &str = "this esta tomorrow";
const NEXT: &str = "same next mismo";
const UNTIL: &str = "by before until";
const UNTIL_TWO: &[[&str; 2]] = &[["antes", "de"], ["antes", "del"]];

/// All words that can begin a time, besides digits. Lookup skips every other word at once.
static BEGINNINGS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let lists = [WITHIN, HALF, SOME, AN_HOUR, DAYS, PARTS_OF, NEXT, UNTIL];
    let pairs = WITHIN_TWO.iter().chain(UNTIL_TWO).map(|[first, _]| *first);
    let numbers = NUMBERS.iter().chain(TENS).map(|(word, _)| *word);
    lists.into_iter().flat_map(|list| list.split(' ')).chain(pairs).chain(numbers).collect()
});

fn can_begin_time(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit() || c == '½') || BEGINNINGS.contains(word)
}

fn number_of_word(word: &str, numbers: &[(&str, i64)]) -> Option<i64> {
    numbers.iter().find(|(name, _)| *name == word).map(|(_, n)| *n)
}

fn unit_minutes(word: &str) -> Option<i64> {
    Some(match word {
        "minute" | "minutes" | "min" | "mins" | "minuto" | "minutos" => 1,
        "hour" | "hours" | "hr" | "hrs" | "h" | "hs" | "hora" | "horas" => HOUR,
        "day" | "days" | "día" | "días" | "dia" | "dias" => DAY,
        "week" | "weeks" | "semana" | "semanas" => WEEK,
        "month" | "months" | "mes" | "meses" => 30 * DAY,
        _ => return None,
    })
}

/// `24`, `1.5`, `1/2`, in sixtieths; not `24/7`.
fn parse_digits(word: &str) -> Option<i64> {
    if word == "½" {
        return Some(WHOLE / 2);
    }
    let whole = |text: &str| text.parse::<i64>().ok().filter(|n| *n <= 10_000);
    if let Some((over, under)) = word.split_once('/') {
        let (over, under) = (whole(over)?, whole(under)?);
        return (over < under && under <= 4).then(|| over * WHOLE / under);
    }
    match word.split_once('.') {
        Some((units, tenths)) => {
            let tenths = tenths.chars().next().and_then(|c| c.to_digit(10))?;
            Some(whole(units)? * WHOLE + i64::from(tenths) * WHOLE / 10)
        }
        None => Some(whole(word)? * WHOLE),
    }
}

#[derive(Clone, Copy)]
pub(super) struct TimeParser<'a>(pub &'a [MessageToken]);

impl TimeParser<'_> {
    fn word_at(&self, at: usize) -> &str {
        self.0.get(at).filter(|token| token.sort == TokenKind::Word).map_or("", |token| &token.text)
    }

    fn is_one_of(&self, at: usize, words: &str) -> bool {
        word_in_list(self.word_at(at), words)
    }

    fn is_pair_of(&self, at: usize, pairs: &[[&str; 2]]) -> bool {
        pairs.iter().any(|[first, second]| self.word_at(at) == *first && self.word_at(at + 1) == *second)
    }

    /// One number in sixtieths, and the index after it.
    fn parse_number(&self, at: usize) -> Option<(i64, usize)> {
        let word = self.word_at(at);
        if let Some(sixtieths) = parse_digits(word) {
            return Some((sixtieths, at + 1));
        }
        if let Some(ten) = number_of_word(word, TENS) {
            let next = if self.is_one_of(at + 1, "y") { at + 2 } else { at + 1 };
            let one = number_of_word(self.word_at(next), NUMBERS).filter(|n| *n < 10 && !self.is_one_of(next, "a an"));
            return Some(one.map_or((ten * WHOLE, at + 1), |one| ((ten + one) * WHOLE, next + 1)));
        }
        let n = number_of_word(word, NUMBERS)?;
        if self.is_one_of(at, "a un") && self.is_one_of(at + 1, "couple par") {
            let next = at + 2;
            return Some((2 * WHOLE, if self.is_one_of(next, "of de") { next + 1 } else { next }));
        }
        Some((n * WHOLE, if self.is_one_of(at + 1, "of") && n == 2 { at + 2 } else { at + 1 }))
    }

    /// A number, or the larger of a range: "1-2", "1 to 2", "1 o 2", "one (1)".
    fn parse_number_range(&self, at: usize) -> Option<(i64, usize)> {
        let (mut most, mut next) = self.parse_number(at)?;
        if self.is_pair_of(next, &[["and", "a"]]) && self.is_one_of(next + 2, "half") {
            return Some((most + WHOLE / 2, next + 3));
        }
        let is_mark = |at: usize| self.0.get(at).is_some_and(|token| token.sort == TokenKind::Weak);
        if is_mark(next) && self.parse_number(next + 1).is_some() && is_mark(next + 2) {
            return Some((most, next + 3));
        }
        let is_dash = self.0.get(next).is_some_and(|token| token.text == "–");
        let is_joined = self.0.get(next).is_some_and(|token| token.is_joined);
        let beyond = next + usize::from(is_dash || self.is_one_of(next, "to or a o"));
        let is_range = (beyond > next || is_joined) && !self.is_one_of(beyond, "a an un una");
        if let Some((other, after)) = self.parse_number(beyond).filter(|_| is_range) {
            (most, next) = (most.max(other), after);
        }
        Some((most, next))
    }

    /// "Two hours", "half an hour", "the hour", "una hora y media".
    fn parse_length(&self, at: usize) -> Option<(TimeLength, usize)> {
        if let Some(next) = self.parse_half_hour(at) {
            return Some((TimeLength::Minutes(HOUR / 2), next));
        }
        if self.is_one_of(at, SOME) && unit_minutes(self.word_at(at + 1)).is_some() {
            return Some((TimeLength::Vague, at + 2));
        }
        let (sixtieths, mut next) = match self.parse_number_range(at) {
            Some(number) => number,
            // "Within the hour", "en la próxima hora" mean one.
            None if at > 0 && self.is_one_of(at, AN_HOUR) => (WHOLE, at),
            None => return None,
        };
        let of_work = self.is_one_of(next, OF_WORK);
        next += usize::from(of_work);
        let unit = unit_minutes(self.word_at(next))?;
        next += 1;
        if of_work || self.is_one_of(next, OF_WORK) {
            return Some((TimeLength::Vague, next + usize::from(!of_work)));
        }
        let mut minutes = sixtieths * unit / WHOLE;
        if self.is_pair_of(next, &[["and", "a"]]) && self.is_one_of(next + 2, "half") {
            (minutes, next) = (minutes + unit / 2, next + 3);
        } else if self.is_pair_of(next, &[["y", "media"]]) {
            (minutes, next) = (minutes + unit / 2, next + 2);
        }
        let length = if (1..=LONGEST).contains(&minutes) { TimeLength::Minutes(minutes) } else { TimeLength::Vague };
        Some((length, next))
    }

    fn parse_half_hour(&self, at: usize) -> Option<usize> {
        let at = if self.is_one_of(at, "a") && self.is_one_of(at + 1, "half") { at + 1 } else { at };
        if !self.is_one_of(at, HALF) {
            return None;
        }
        let next = if self.is_one_of(at + 1, "a an") { at + 2 } else { at + 1 };
        self.is_one_of(next, AN_HOUR).then_some(next + 1)
    }

    pub(super) fn parse_time(&self, at: usize) -> Option<FoundTime> {
        if can_begin_time(self.word_at(at)) { self.parse_any_time(at) } else { None }
    }

    fn parse_any_time(&self, at: usize) -> Option<FoundTime> {
        let found = self.parse_within(at).or_else(|| self.parse_at_most(at)).or_else(|| self.parse_vague(at))?;
        let length = if self.is_in_business_hours(found.to) { TimeLength::Vague } else { found.length };
        (!self.is_opening_hours(found.to)).then_some(FoundTime { length, ..found })
    }

    /// "During business hours", "on weekdays": working time, not clock time.
    fn is_in_business_hours(&self, next: usize) -> bool {
        self.is_one_of(next, "during")
            || self.is_pair_of(next, &[["en", "horario"], ["en", "días"]])
            || (self.is_one_of(next, "on in")
                && (self.is_one_of(next + 1, OF_WORK) || self.is_one_of(next + 1, "weekdays")))
    }

    fn parse_within(&self, at: usize) -> Option<FoundTime> {
        let begin = match () {
            () if self.is_pair_of(at, WITHIN_TWO) => at + 2,
            () if self.is_one_of(at, WITHIN) => at + 1,
            () => return None,
        };
        // "No later than": dropping the "no" would invert the meaning.
        let from = if at > 0 && self.is_one_of(at - 1, "no") { at - 1 } else { at };
        for next in begin..begin + MOST_BETWEEN {
            if let Some((length, to)) = self.parse_length(next) {
                return Some(FoundTime { length, from, to });
            }
            if !self.is_one_of(next, BETWEEN) {
                return None;
            }
        }
        None
    }

    /// "2 hours or less", "a 2-hour turnaround", "response time: 2 hours".
    fn parse_at_most(&self, at: usize) -> Option<FoundTime> {
        let (length, to) = self.parse_length(at)?;
        let before = |n: usize| at.checked_sub(n).map_or("", |at| self.word_at(at));
        let named = self.is_one_of(to, "turnaround")
            || (self.is_one_of(to, "response reply callback answer") && self.is_one_of(to + 1, "time guarantee"));
        let follows = ["time", "turnaround"].iter().any(|word| (1..=2).any(|n| before(n) == *word));
        if named {
            let to = if self.is_one_of(to, "turnaround") { to + 1 } else { to + 2 };
            return Some(FoundTime { length, from: at, to });
        }
        (self.is_pair_of(to, OR_LESS) || (follows && self.follows_response_time(at))).then_some(FoundTime {
            length,
            from: at,
            to,
        })
    }

    fn follows_response_time(&self, at: usize) -> bool {
        (at.saturating_sub(3)..at).any(|n| {
            self.is_one_of(n, "turnaround")
                || (self.is_one_of(n, "response reply callback") && self.is_one_of(n + 1, "time"))
        })
    }

    /// "By tomorrow", "this afternoon", "antes de las 5".
    fn parse_vague(&self, at: usize) -> Option<FoundTime> {
        let found = |to| Some(FoundTime { length: TimeLength::Vague, from: at, to });
        if self.is_one_of(at, DAYS) {
            return found(at + 1);
        }
        if self.is_one_of(at, PARTS_OF) && self.is_one_of(at + 1, "morning afternoon evening tarde noche mañana") {
            return found(at + 2);
        }
        if self.is_one_of(at, NEXT) && self.is_one_of(at + 1, "day business working día dia") {
            return found(at + 2);
        }
        let next = match () {
            () if self.is_one_of(at, UNTIL) => at + 1,
            () if self.is_pair_of(at, UNTIL_TWO) => at + 2,
            () => return None,
        };
        let next = next + usize::from(self.is_one_of(next, "the las la el"));
        let is_time = parse_digits(self.word_at(next)).is_some() && unit_minutes(self.word_at(next + 1)).is_none();
        (is_time || self.is_one_of(next, DEADLINES)).then_some(FoundTime {
            length: TimeLength::Vague,
            from: at,
            to: next + 1,
        })
    }

    /// "24 hours a day" is about opening hours.
    fn is_opening_hours(&self, next: usize) -> bool {
        self.is_one_of(next, "a per al por each every") && self.is_one_of(next + 1, "day día dia week")
    }
}

const DEADLINES: &str = "\
    end close noon midnight morning afternoon evening tomorrow today tonight monday tuesday wednesday thursday \
    friday saturday sunday lunes martes miércoles miercoles jueves viernes sábado sabado domingo mañana mediodía \
    final fin hoy next";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response_time::tokens::tokenize_message;

    #[test]
    fn time_search_with_beginnings_list_matches_exhaustive_search() {
        const TEXT: &str = "\
            We reply within 2 hours, in half an hour, at most a day, no later than twenty-four hours, 24h or less. A few \
            hours. Un par de horas o menos, en media hora, antes de las 5, la hora, a couple of days or sooner, ½ hour \
            turnaround, by noon, this afternoon, mañana, same day, response time: one (1) hour, veinticuatro horas.";
        let words: Vec<&str> = TEXT.split(' ').chain(BEGINNINGS.iter().copied()).collect();
        let texts = words.iter().flat_map(|a| words.iter().map(move |b| format!("{a} {b} hours or less")));
        for text in texts.chain([TEXT.to_owned()]) {
            let tokens = tokenize_message(&text);
            let all = TimeParser(&tokens);
            for at in 0..tokens.len() {
                assert_eq!(all.parse_time(at), all.parse_any_time(at), "at {at} of {text}");
            }
        }
    }
}
