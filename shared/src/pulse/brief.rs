//! A report as a text of two segments at most: all figures in few letters, and the business's name as far as it fits.

use unicode_normalization::UnicodeNormalization;

use super::{Letter, letter::waited};
use crate::{
    calendar,
    money::Cents,
    segments::{self, Encoding},
    template::Language::{self, En, Es},
};

/// What one report may cost.
const MOST_SEGMENTS: usize = 2;
/// Of a name so many letters are shown at most, and where room is short, so many at least.
const NAME: std::ops::RangeInclusive<usize> = 8..=30;

/// A part of the text, and whether it may be left out where there is no room: the email has everything.
struct Part {
    words: String,
    is_spare: bool,
}

impl Letter<'_> {
    /// The text.
    #[must_use]
    pub fn brief(&self) -> String {
        fitted(&self.profile.org.name, &self.parts(), &self.url.join("/app"))
    }

    fn parts(&self) -> Vec<Part> {
        let (of, report) = (&self.report.of, self.report);
        let language = self.profile.settings.pulse.language;
        let say = |en: String, es: String| if language == En { en } else { es };
        let owed = &report.figures.receivables;
        let money = |amount: Cents| amount.shown();
        let within =
            of.answers.human_within_five_minutes.map(|percent| format!(", <5min {percent:.0}%")).unwrap_or_default();
        let median =
            of.answers.human.median_minutes.map(|minutes| format!(", med {}", waited(minutes))).unwrap_or_default();
        let (missed, back) = (of.calls.missed.value, of.calls.recovered.value);
        let (sent, won) = (&of.quotes, of.quotes.won.value);
        let sent_total = money(sent.sent_total.value);
        let won_total = money(sent.won_total.value);
        let (done, today) = (of.jobs_done.value, report.jobs_today);
        let (in_all, open, late) = (money(of.collected.value), money(owed.open.total), money(owed.overdue.total));
        let estimated = if of.margin.is_estimate { " est" } else { "" };
        let margin = money(of.margin.amount);
        let (asked, got) = (of.reviews.asked.value, of.reviews.received.value);
        let (saved, todos) = (of.time_saved.hours, report.todos.len());
        let need = |words: String| Part { words, is_spare: false };
        let spare = |words: String| Part { words, is_spare: true };
        vec![
            need(format!("{}{}:", self.late_mark(), self.when(language))),
            need(say(
                format!("{in_all} in, {open} owed ({late} late)."),
                format!("{in_all} cobrado, {open} por cobrar ({late} vencido)."),
            )),
            need(say(
                format!("{} leads{within}{median}.", of.new_leads.value),
                format!("{} solicitudes{within}{median}.", of.new_leads.value),
            )),
            need(say(
                format!("Quotes {sent} {sent_total}, won {won} {won_total}.", sent = sent.sent.value),
                format!("Presup. {sent} {sent_total}, ganados {won} {won_total}.", sent = sent.sent.value),
            )),
            need(say(format!("Jobs {done}, today {today}."), format!("Trabajos {done}, hoy {today}."))),
            spare(say(
                format!("Calls missed {missed}, back {back}."),
                format!("Llamadas perdidas {missed}, recup. {back}."),
            )),
            spare(say(format!("Margin {margin}{estimated}."), format!("Margen {margin}{estimated}."))),
            spare(say(format!("To do: {todos}."), format!("Por hacer: {todos}."))),
            spare(say(format!("Reviews {got}/{asked}."), format!("Reseñas {got}/{asked}."))),
            spare(say(format!("Saved {saved:.1}h."), format!("Ahorro {saved:.1}h."))),
        ]
    }

    fn late_mark(&self) -> String {
        if self.lateness().is_none() {
            return String::new();
        }
        let due = calendar::hour(&self.due.due_at.with_timezone(&self.profile.org.zone()));
        match self.profile.settings.pulse.language {
            En => format!("LATE (due {due}) "),
            Es => format!("TARDE (previsto {due}) "),
        }
    }

    fn when(&self, language: Language) -> String {
        let period = self.report.of.period;
        let short = |day| format!("{} {}", calendar::short_month(day, language), chrono::Datelike::day(&day));
        if period.from == period.to { short(period.to) } else { format!("{}-{}", short(period.from), short(period.to)) }
    }
}

/// As much as fits: first what is needed with the whole name, the spare parts and the address; then without spare parts
/// from the last on, then with less of the name. A figure is never cut.
fn fitted(name: &str, parts: &[Part], link: &str) -> String {
    let name = plain(name);
    let parts: Vec<Part> = parts.iter().map(|part| Part { words: plain(&part.words), ..*part }).collect();
    let link = Some(link).filter(|link| segments::count(link).encoding == Encoding::Gsm7);
    let needed: Vec<&str> = parts.iter().filter(|part| !part.is_spare).map(|part| part.words.as_str()).collect();
    let spare: Vec<&str> = parts.iter().filter(|part| part.is_spare).map(|part| part.words.as_str()).collect();
    let said = |letters: usize, spares: usize, link: Option<&str>| {
        let name: String = name.chars().take(letters).collect();
        let all = std::iter::once(name.trim())
            .chain(needed.iter().copied())
            .chain(spare.iter().copied().take(spares))
            .chain(link);
        all.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    };
    let fits = |text: &String| segments::count(text).segments <= MOST_SEGMENTS;
    let names = || NAME.rev();
    let with_all = names().map(|letters| said(letters, spare.len(), link));
    let with_link = (0..spare.len()).rev().map(|spares| said(*NAME.start(), spares, link));
    let without = (0..=spare.len()).rev().map(|spares| said(*NAME.start(), spares, None));
    let bare = std::iter::once_with(|| said(0, 0, None));
    let mut tried = with_all.chain(with_link).chain(without).chain(bare);
    tried.find(fits).unwrap_or_else(|| cut(&said(0, 0, None)))
}

/// Whole words as far as they fit: only figures beyond a trillion come here.
fn cut(text: &str) -> String {
    let mut kept = String::new();
    for word in text.split(' ') {
        let longer = if kept.is_empty() { word.to_owned() } else { format!("{kept} {word}") };
        if segments::count(&longer).segments > MOST_SEGMENTS {
            break;
        }
        kept = longer;
    }
    kept
}

/// In letters that GSM-7 has: others lose their accent, or are left out.
fn plain(text: &str) -> String {
    let is_cheap = |text: &str| segments::count(text).encoding == Encoding::Gsm7;
    if is_cheap(text) {
        return text.to_owned();
    }
    if let Some(cheaper) = segments::cheaper(text) {
        return cheaper;
    }
    let composed = text.nfc().flat_map(|letter| {
        let kept = letter.to_string();
        let letters: Vec<char> =
            if is_cheap(&kept) { vec![letter] } else { kept.nfd().filter(|c| is_cheap(&c.to_string())).collect() };
        letters
    });
    composed.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
