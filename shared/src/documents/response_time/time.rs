//! Lengths of time in words: "the next two hours", "24h", "hora y media". English and Spanish.

use std::{collections::HashSet, sync::LazyLock};

use super::tokens::{Sort, Token, one_of};

/// Minutes of each unit.
const HOUR: i64 = 60;
const DAY: i64 = 24 * HOUR;
const WEEK: i64 = 7 * DAY;
/// Longer than two weeks no answer is promised by a clock.
const LONGEST: i64 = 14 * DAY;
/// Numbers are kept in sixtieths: a half and a quarter are whole.
const WHOLE: i64 = 60;

/// What begins a length of time within which something is to happen.
const WITHIN: &str = "within in inside under en dentro antes tardar";
/// The same in two words.
const WITHIN_TWO: &[[&str; 2]] = &[
    ["less", "than"],
    ["later", "than"],
    ["more", "than"],
    ["at", "most"],
    ["maximum", "of"],
    ["menos", "de"],
    ["máximo", "de"],
];
/// What may stand between the two. "Last", "past" and their like do not: they look back.
const BETWEEN: &str = "\
    of the next coming following about around roughly approximately approx just under less than at most no more \
    later up to only a maximum max as little de un una plazo el la las los próximas próxima próximos próximo \
    proximas proxima siguientes siguiente máximo menos unos aproximadamente alrededor transcurso lapso cuestión \
    más";
/// So many of these at most.
const MOST_BETWEEN: usize = 7;
/// Days and hours of work: when they are over no clock knows.
const OF_WORK: &str = "business working office work weekday hábil hábiles habil habiles laborable laborables laboral";
/// Says that what was named is the most.
const OR_LESS: &[[&str; 2]] =
    &[["or", "less"], ["or", "sooner"], ["or", "faster"], ["o", "menos"], ["como", "máximo"], ["at", "most"]];

/// Words about when something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    /// So many minutes from now.
    Minutes(i64),
    /// A time that is not so many hours from now: business days, "a few hours", "by tomorrow".
    Vague,
}

/// Words about a time, from one token to before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub length: Length,
    pub from: usize,
    pub to: usize,
}

/// The small numbers, and what stands for one.
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
/// Days, parts of days and deadlines that no clock can keep begin with one of these.
const DAYS: &str = "today tonight tomorrow hoy mañana";
const PARTS_OF: &str = "this esta tomorrow";
const NEXT: &str = "same next mismo";
const UNTIL: &str = "by before until";
const UNTIL_TWO: &[[&str; 2]] = &[["antes", "de"], ["antes", "del"]];

/// The words with which a time may begin, besides digits: all others are passed over at once.
static BEGINNINGS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let lists = [WITHIN, HALF, SOME, AN_HOUR, DAYS, PARTS_OF, NEXT, UNTIL];
    let pairs = WITHIN_TWO.iter().chain(UNTIL_TWO).map(|[first, _]| *first);
    let numbers = NUMBERS.iter().chain(TENS).map(|(word, _)| *word);
    lists.into_iter().flat_map(|list| list.split(' ')).chain(pairs).chain(numbers).collect()
});

/// Whether a time may begin with this word.
fn may_begin(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit() || c == '½') || BEGINNINGS.contains(word)
}

fn named(word: &str, numbers: &[(&str, i64)]) -> Option<i64> {
    numbers.iter().find(|(name, _)| *name == word).map(|(_, n)| *n)
}

fn unit(word: &str) -> Option<i64> {
    Some(match word {
        "minute" | "minutes" | "min" | "mins" | "minuto" | "minutos" => 1,
        "hour" | "hours" | "hr" | "hrs" | "h" | "hs" | "hora" | "horas" => HOUR,
        "day" | "days" | "día" | "días" | "dia" | "dias" => DAY,
        "week" | "weeks" | "semana" | "semanas" => WEEK,
        "month" | "months" | "mes" | "meses" => 30 * DAY,
        _ => return None,
    })
}

/// `24`, `1.5`, `1/2`, in sixtieths. Not `24/7`.
fn digits(word: &str) -> Option<i64> {
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

/// The message from some token on.
#[derive(Clone, Copy)]
pub(super) struct Words<'a>(pub &'a [Token]);

impl Words<'_> {
    fn word(&self, at: usize) -> &str {
        self.0.get(at).filter(|token| token.sort == Sort::Word).map_or("", |token| &token.text)
    }

    fn is(&self, at: usize, words: &str) -> bool {
        one_of(self.word(at), words)
    }

    fn pair(&self, at: usize, pairs: &[[&str; 2]]) -> bool {
        pairs.iter().any(|[first, second]| self.word(at) == *first && self.word(at + 1) == *second)
    }

    /// One number, in sixtieths, and what comes after it.
    fn number(&self, at: usize) -> Option<(i64, usize)> {
        let word = self.word(at);
        if let Some(sixtieths) = digits(word) {
            return Some((sixtieths, at + 1));
        }
        if let Some(ten) = named(word, TENS) {
            let next = if self.is(at + 1, "y") { at + 2 } else { at + 1 };
            let one = named(self.word(next), NUMBERS).filter(|n| *n < 10 && !self.is(next, "a an"));
            return Some(one.map_or((ten * WHOLE, at + 1), |one| ((ten + one) * WHOLE, next + 1)));
        }
        let n = named(word, NUMBERS)?;
        // "A couple of", "un par de".
        if self.is(at, "a un") && self.is(at + 1, "couple par") {
            let next = at + 2;
            return Some((2 * WHOLE, if self.is(next, "of de") { next + 1 } else { next }));
        }
        Some((n * WHOLE, if self.is(at + 1, "of") && n == 2 { at + 2 } else { at + 1 }))
    }

    /// A number, or the larger of two: "1-2", "1 to 2", "1 o 2", "one (1)".
    fn numbers(&self, at: usize) -> Option<(i64, usize)> {
        let (mut most, mut next) = self.number(at)?;
        if self.pair(next, &[["and", "a"]]) && self.is(next + 2, "half") {
            return Some((most + WHOLE / 2, next + 3));
        }
        let is_mark = |at: usize| self.0.get(at).is_some_and(|token| token.sort == Sort::Weak);
        if is_mark(next) && self.number(next + 1).is_some() && is_mark(next + 2) {
            return Some((most, next + 3));
        }
        let is_dash = self.0.get(next).is_some_and(|token| token.text == "–");
        let is_joined = self.0.get(next).is_some_and(|token| token.is_joined);
        let beyond = next + usize::from(is_dash || self.is(next, "to or a o"));
        let is_range = (beyond > next || is_joined) && !self.is(beyond, "a an un una");
        if let Some((other, after)) = self.number(beyond).filter(|_| is_range) {
            (most, next) = (most.max(other), after);
        }
        Some((most, next))
    }

    /// "Two hours", "half an hour", "the hour", "una hora y media".
    fn length(&self, at: usize) -> Option<(Length, usize)> {
        if let Some(next) = self.half(at) {
            return Some((Length::Minutes(HOUR / 2), next));
        }
        if self.is(at, SOME) && unit(self.word(at + 1)).is_some() {
            return Some((Length::Vague, at + 2));
        }
        let (sixtieths, mut next) = match self.numbers(at) {
            Some(number) => number,
            // "Within the hour", "en la próxima hora": one of them.
            None if at > 0 && self.is(at, AN_HOUR) => (WHOLE, at),
            None => return None,
        };
        let of_work = self.is(next, OF_WORK);
        next += usize::from(of_work);
        let unit = unit(self.word(next))?;
        next += 1;
        if of_work || self.is(next, OF_WORK) {
            return Some((Length::Vague, next + usize::from(!of_work)));
        }
        let mut minutes = sixtieths * unit / WHOLE;
        if self.pair(next, &[["and", "a"]]) && self.is(next + 2, "half") {
            (minutes, next) = (minutes + unit / 2, next + 3);
        } else if self.pair(next, &[["y", "media"]]) {
            (minutes, next) = (minutes + unit / 2, next + 2);
        }
        let length = if (1..=LONGEST).contains(&minutes) { Length::Minutes(minutes) } else { Length::Vague };
        Some((length, next))
    }

    fn half(&self, at: usize) -> Option<usize> {
        let at = if self.is(at, "a") && self.is(at + 1, "half") { at + 1 } else { at };
        if !self.is(at, HALF) {
            return None;
        }
        let next = if self.is(at + 1, "a an") { at + 2 } else { at + 1 };
        self.is(next, AN_HOUR).then_some(next + 1)
    }

    /// A length of time that begins here.
    pub(super) fn time(&self, at: usize) -> Option<Found> {
        if may_begin(self.word(at)) { self.any_time(at) } else { None }
    }

    fn any_time(&self, at: usize) -> Option<Found> {
        let found = self.within(at).or_else(|| self.at_most(at)).or_else(|| self.vague(at))?;
        let length = if self.is_in_hours(found.to) { Length::Vague } else { found.length };
        (!self.is_habit(found.to)).then_some(Found { length, ..found })
    }

    /// "During business hours", "on weekdays": the clock stands still in between.
    fn is_in_hours(&self, next: usize) -> bool {
        self.is(next, "during")
            || self.pair(next, &[["en", "horario"], ["en", "días"]])
            || (self.is(next, "on in") && (self.is(next + 1, OF_WORK) || self.is(next + 1, "weekdays")))
    }

    /// "Within the next two hours".
    fn within(&self, at: usize) -> Option<Found> {
        let begin = match () {
            () if self.pair(at, WITHIN_TWO) => at + 2,
            () if self.is(at, WITHIN) => at + 1,
            () => return None,
        };
        // "No later than": without its first word it would say the opposite.
        let from = if at > 0 && self.is(at - 1, "no") { at - 1 } else { at };
        for next in begin..begin + MOST_BETWEEN {
            if let Some((length, to)) = self.length(next) {
                return Some(Found { length, from, to });
            }
            if !self.is(next, BETWEEN) {
                return None;
            }
        }
        None
    }

    /// "2 hours or less", "a 2-hour turnaround", "response time: 2 hours".
    fn at_most(&self, at: usize) -> Option<Found> {
        let (length, to) = self.length(at)?;
        let before = |n: usize| at.checked_sub(n).map_or("", |at| self.word(at));
        let named = self.is(to, "turnaround")
            || (self.is(to, "response reply callback answer") && self.is(to + 1, "time guarantee"));
        let follows = ["time", "turnaround"].iter().any(|word| (1..=2).any(|n| before(n) == *word));
        if named {
            let to = if self.is(to, "turnaround") { to + 1 } else { to + 2 };
            return Some(Found { length, from: at, to });
        }
        (self.pair(to, OR_LESS) || (follows && self.is_about_answers(at))).then_some(Found { length, from: at, to })
    }

    /// Whether "response time" or "turnaround" stands right before.
    fn is_about_answers(&self, at: usize) -> bool {
        (at.saturating_sub(3)..at)
            .any(|n| self.is(n, "turnaround") || (self.is(n, "response reply callback") && self.is(n + 1, "time")))
    }

    /// "By tomorrow", "this afternoon", "antes de las 5".
    fn vague(&self, at: usize) -> Option<Found> {
        let found = |to| Some(Found { length: Length::Vague, from: at, to });
        if self.is(at, DAYS) {
            return found(at + 1);
        }
        if self.is(at, PARTS_OF) && self.is(at + 1, "morning afternoon evening tarde noche mañana") {
            return found(at + 2);
        }
        if self.is(at, NEXT) && self.is(at + 1, "day business working día dia") {
            return found(at + 2);
        }
        let next = match () {
            () if self.is(at, UNTIL) => at + 1,
            () if self.pair(at, UNTIL_TWO) => at + 2,
            () => return None,
        };
        let next = next + usize::from(self.is(next, "the las la el"));
        let is_time = digits(self.word(next)).is_some() && unit(self.word(next + 1)).is_none();
        (is_time || self.is(next, DEADLINES)).then_some(Found { length: Length::Vague, from: at, to: next + 1 })
    }

    /// "24 hours a day": that is when somebody is there.
    fn is_habit(&self, next: usize) -> bool {
        self.is(next, "a per al por each every") && self.is(next + 1, "day día dia week")
    }
}

/// When something may be due by.
const DEADLINES: &str = "\
    end close noon midnight morning afternoon evening tomorrow today tonight monday tuesday wednesday thursday \
    friday saturday sunday lunes martes miércoles miercoles jueves viernes sábado sabado domingo mañana mediodía \
    final fin hoy next";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::response_time::tokens::cut;

    #[test]
    fn a_time_is_found_wherever_it_would_be_without_the_list_of_beginnings() {
        const TEXT: &str = "\
            We reply within 2 hours, in half an hour, at most a day, no later than twenty-four hours, 24h or less. A few \
            hours. Un par de horas o menos, en media hora, antes de las 5, la hora, a couple of days or sooner, ½ hour \
            turnaround, by noon, this afternoon, mañana, same day, response time: one (1) hour, veinticuatro horas.";
        let words: Vec<&str> = TEXT.split(' ').chain(BEGINNINGS.iter().copied()).collect();
        let texts = words.iter().flat_map(|a| words.iter().map(move |b| format!("{a} {b} hours or less")));
        for text in texts.chain([TEXT.to_owned()]) {
            let tokens = cut(&text);
            let all = Words(&tokens);
            for at in 0..tokens.len() {
                assert_eq!(all.time(at), all.any_time(at), "at {at} of {text}");
            }
        }
    }
}
