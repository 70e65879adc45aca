//! Report as a text of at most two segments, with all figures; the business's name is shortened to fit.

use unicode_normalization::UnicodeNormalization;

use super::{PulseMessage, email::format_wait};
use crate::{
    documents::{
        date_format,
        template::Language::{self, En, Es},
    },
    platform::{
        money::Cents,
        sms_segments::{self, SmsEncoding},
    },
};

const MOST_SEGMENTS: usize = 2;
/// Letters of the name: the maximum shown, and the minimum where space is short.
const NAME: std::ops::RangeInclusive<usize> = 8..=30;

/// A spare part may be dropped for space; the email has everything.
struct SmsPart {
    words: String,
    is_spare: bool,
}

impl PulseMessage<'_> {
    #[must_use]
    pub fn render_sms(&self) -> String {
        fit_to_segments(&self.profile.org.name, &self.sms_parts(), &self.url.join("/app"))
    }

    fn sms_parts(&self) -> Vec<SmsPart> {
        let needed = self.required_texts().into_iter().map(|words| SmsPart { words, is_spare: false });
        let spare = self.optional_texts().into_iter().map(|words| SmsPart { words, is_spare: true });
        needed.chain(spare).collect()
    }

    fn required_texts(&self) -> [String; 6] {
        let (of, report) = (&self.report.of, self.report);
        let language = self.profile.settings.pulse.language;
        let (owed, quotes) = (&report.figures.receivables, &of.quotes);
        let (leads, done, today) = (of.new_leads.value, of.jobs_done.value, report.jobs_today);
        let within = of.answers.human_within_five_minutes.map(|percent| format!(", <5min {percent:.0}%"));
        let median = of.answers.human.median_minutes.map(|minutes| format!(", med {}", format_wait(minutes)));
        let answers = within.unwrap_or_default() + &median.unwrap_or_default();
        let [got, open, late] = [of.collected.value, owed.open.total, owed.overdue.total].map(Cents::format_usd);
        let (sent, won) = (quotes.sent.value, quotes.won.value);
        let [sent_for, won_for] = [quotes.sent_total.value, quotes.won_total.value].map(Cents::format_usd);
        let stopped: Vec<String> =
            report.failures.iter().take(2).map(|failure| failure.what.to_short_text(language)).collect();
        let when = format!("{}{}:", self.late_mark(), self.period_label(language));
        let [money, requests, papers, jobs] = match language {
            En => [
                format!("{got} in, {open} owed ({late} late)."),
                format!("{leads} leads{answers}."),
                format!("Quotes {sent} {sent_for}, won {won} {won_for}."),
                format!("Jobs {done}, today {today}."),
            ],
            Es => [
                format!("{got} cobrado, {open} por cobrar ({late} vencido)."),
                format!("{leads} solicitudes{answers}."),
                format!("Presup. {sent} {sent_for}, ganados {won} {won_for}."),
                format!("Trabajos {done}, hoy {today}."),
            ],
        };
        [when, stopped.join(", "), money, requests, papers, jobs]
    }

    /// Parts that are dropped for space, the last one first.
    fn optional_texts(&self) -> [String; 5] {
        let of = &self.report.of;
        let (missed, back) = (of.calls.missed.value, of.calls.recovered.value);
        let margin = of.margin.amount.format_usd() + if of.margin.is_estimate { " est" } else { "" };
        let (asked, got) = (of.reviews.asked.value, of.reviews.received.value);
        let (saved, todos) = (of.time_saved.hours, self.report.figures.waiting.to_label());
        match self.profile.settings.pulse.language {
            En => [
                format!("Calls missed {missed}, back {back}."),
                format!("Margin {margin}."),
                format!("To do: {todos}."),
                format!("Reviews {got}/{asked}."),
                format!("Saved {saved:.1}h."),
            ],
            Es => [
                format!("Llamadas perdidas {missed}, recup. {back}."),
                format!("Margen {margin}."),
                format!("Por hacer: {todos}."),
                format!("Reseñas {got}/{asked}."),
                format!("Ahorro {saved:.1}h."),
            ],
        }
    }

    fn late_mark(&self) -> String {
        if self.late_notice().is_none() {
            return String::new();
        }
        let due = date_format::format_time(&self.due.due_at.with_timezone(&self.profile.org.zone()));
        match self.profile.settings.pulse.language {
            En => format!("LATE (due {due}) "),
            Es => format!("TARDE (previsto {due}) "),
        }
    }

    fn period_label(&self, language: Language) -> String {
        let period = self.report.of.period;
        let short = |day| format!("{} {}", date_format::short_month_name(day, language), chrono::Datelike::day(&day));
        if period.from == period.to { short(period.to) } else { format!("{}-{}", short(period.from), short(period.to)) }
    }
}

/// Shortens to fit: first drops spare parts from the last on, then shortens the name. A figure is never cut.
fn fit_to_segments(name: &str, parts: &[SmsPart], link: &str) -> String {
    let name = to_gsm7(name);
    let parts: Vec<SmsPart> = parts.iter().map(|part| SmsPart { words: to_gsm7(&part.words), ..*part }).collect();
    let link = Some(link).filter(|link| sms_segments::count_segments(link).encoding == SmsEncoding::Gsm7);
    let needed: Vec<&str> = parts.iter().filter(|part| !part.is_spare).map(|part| part.words.as_str()).collect();
    let spare: Vec<&str> = parts.iter().filter(|part| part.is_spare).map(|part| part.words.as_str()).collect();
    let joined_text = |letters: usize, spares: usize, link: Option<&str>| {
        let name: String = name.chars().take(letters).collect();
        let all = std::iter::once(name.trim())
            .chain(needed.iter().copied())
            .chain(spare.iter().copied().take(spares))
            .chain(link);
        all.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    };
    let fits = |text: &String| sms_segments::count_segments(text).segments <= MOST_SEGMENTS;
    let names = || NAME.rev();
    let with_all = names().map(|letters| joined_text(letters, spare.len(), link));
    let with_link = (0..spare.len()).rev().map(|spares| joined_text(*NAME.start(), spares, link));
    let without = (0..=spare.len()).rev().map(|spares| joined_text(*NAME.start(), spares, None));
    let bare = std::iter::once_with(|| joined_text(0, 0, None));
    let mut tried = with_all.chain(with_link).chain(without).chain(bare);
    tried.find(fits).unwrap_or_else(|| truncate_to_segments(&joined_text(0, 0, None)))
}

/// Whole words that fit; reached only by figures beyond a trillion.
fn truncate_to_segments(text: &str) -> String {
    let mut kept = String::new();
    for word in text.split(' ') {
        let longer = if kept.is_empty() { word.to_owned() } else { format!("{kept} {word}") };
        if sms_segments::count_segments(&longer).segments > MOST_SEGMENTS {
            break;
        }
        kept = longer;
    }
    kept
}

/// Only GSM-7 letters: others lose their accent or are dropped.
fn to_gsm7(text: &str) -> String {
    let is_cheap = |text: &str| sms_segments::count_segments(text).encoding == SmsEncoding::Gsm7;
    if is_cheap(text) {
        return text.to_owned();
    }
    if let Some(cheaper) = sms_segments::to_gsm7(text) {
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
