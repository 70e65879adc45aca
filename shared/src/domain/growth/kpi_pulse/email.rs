//! A report as an email: money first, each figure with the list behind it, and a small chart.

use super::{Due, Outcome, Report, failure::What, report::CHART_DAYS, words};
use crate::{
    documents::template::{Chart, Page, Row, Section},
    domain::{
        growth::metrics::figures::{Count, Span},
        tenancy::org::Profile,
    },
    platform::{money::Cents, public_url::PublicUrl},
};

const DASHBOARD: &str = "/app";
/// Sources that are named; the others are in the list behind the figure.
const MOST_SOURCES: usize = 5;

/// A report that is to be worded.
#[derive(Clone, Copy, Debug)]
pub struct Letter<'a> {
    pub profile: &'a Profile,
    pub url: &'a PublicUrl,
    pub report: &'a Report,
    pub outcome: Outcome,
    pub due: &'a Due,
}

/// A label, what stands beside it, and the list behind it.
fn row(label: &str, value: String, rows: &str) -> Row {
    Row { label: label.to_owned(), value, link: Some(rows.to_owned()) }
}

impl Letter<'_> {
    pub(super) fn words(&self) -> &'static words::Words {
        words::words(self.profile.settings.pulse.language)
    }

    /// Why it comes when it comes, if that is not its time.
    pub(super) fn lateness(&self) -> Option<String> {
        let language = self.profile.settings.pulse.language;
        let at = self.due.due_at.with_timezone(&self.profile.org.zone());
        let when = format!("{}, {}", words::day(at.date_naive(), language), crate::documents::date_format::hour(&at));
        (self.outcome == Outcome::Late).then(|| words::late(&when, language))
    }

    /// What it says before anybody has opened it.
    #[must_use]
    pub fn subject(&self) -> String {
        let (words, language) = (self.words(), self.profile.settings.pulse.language);
        let of = &self.report.of;
        let told = format!(
            "{}: {} {}, {} {} ({})",
            self.profile.org.name,
            of.collected.value.shown(),
            words.collected.to_lowercase(),
            of.new_leads.value,
            words.new_leads.to_lowercase(),
            words::days(of.period, language)
        );
        self.lateness().map_or(told.clone(), |late| format!("{late}. {told}"))
    }

    /// The same in plain words: every figure with its name.
    #[must_use]
    pub fn text(&self) -> String {
        let mut parts: Vec<String> = self.lead_in();
        parts.push(self.duties().said());
        parts.extend(self.sections().iter().map(Section::said));
        parts.push(self.chart().alt);
        parts.push(format!("{}: {}", self.words().open, self.url.join(DASHBOARD)));
        parts.join("\n\n")
    }

    /// As HTML shows it.
    #[must_use]
    pub fn page(&self) -> Page {
        let words = self.words();
        let sections = std::iter::once(self.duties()).chain(self.sections());
        Page {
            text: Some(self.lead_in().join("\n\n")),
            button: Some((words.open.to_owned(), self.url.join(DASHBOARD))),
            sections: sections.map(|section| section.at(|path| self.url.join(path))).collect(),
            chart: Some(self.chart()),
            footer: words.footer.to_owned(),
            language: Some(self.profile.settings.pulse.language),
            ..Page::default()
        }
    }

    fn lead_in(&self) -> Vec<String> {
        let language = self.profile.settings.pulse.language;
        let zone = self.profile.org.zone();
        let mut said: Vec<String> = self.lateness().into_iter().map(|late| format!("{late}.")).collect();
        if !self.report.figures.is_counted {
            said.push(self.words().not_counted.to_owned());
        }
        let told = self.report.failures.iter().map(|failure| match &failure.what {
            What::Device { label, since } => {
                let since = words::day(since.with_timezone(&zone).date_naive(), language);
                format!("⚠ {}.", words::silent(label, &since, language))
            }
            what => format!("⚠ {}.", what.said(language)),
        });
        said.extend(told);
        said
    }

    fn duties(&self) -> Section {
        let (words, language) = (self.words(), self.profile.settings.pulse.language);
        let todos = &self.report.todos;
        let told = todos.iter().zip(1..).map(|(todo, n)| Row {
            label: format!("{n}."),
            value: words::todo(todo, language),
            link: Some(todo.path.clone()),
        });
        let mut rows: Vec<Row> = told.collect();
        if rows.is_empty() {
            rows.push(Row { label: String::new(), value: words.nothing_to_do.to_owned(), link: None });
        }
        Section { title: words.to_do.to_owned(), rows }
    }

    fn sections(&self) -> [Section; 3] {
        let words = self.words();
        [
            Section { title: words.money.to_owned(), rows: self.money() },
            Section { title: words.leads.to_owned(), rows: self.leads() },
            Section { title: words.work.to_owned(), rows: self.work() },
        ]
    }

    /// The figure, and beside a whole week what has changed since the one before.
    fn count(&self, of: impl Fn(&Span) -> &Count) -> String {
        let (now, before) = (of(&self.report.of).value, of(&self.report.before).value);
        if self.compares() { format!("{now} ({:+})", now - before) } else { now.to_string() }
    }

    fn amount(&self, of: impl Fn(&Span) -> Cents) -> String {
        let (now, before) = (of(&self.report.of), of(&self.report.before));
        let change = Cents(now.0.saturating_sub(before.0));
        let sign = if change < Cents::ZERO { "" } else { "+" };
        if self.compares() { format!("{} ({sign}{})", now.shown(), change.shown()) } else { now.shown() }
    }

    /// Only whole weeks are alike: a Sunday is no Saturday.
    fn compares(&self) -> bool {
        self.report.of.period.length() == 7
    }

    fn money(&self) -> Vec<Row> {
        let (words, of, figures) = (self.words(), &self.report.of, &self.report.figures);
        let owed = &figures.receivables;
        let margin = format!("{} · {:.1}%{}", of.margin.amount.shown(), of.margin.percent, self.estimated());
        let mut rows = vec![row(words.collected, self.amount(|span| span.collected.value), &of.collected.rows)];
        if of.refunded.value != Cents::ZERO {
            rows.push(row(words.refunded, of.refunded.value.shown(), &of.refunded.rows));
        }
        if of.recovered.value > Cents::ZERO {
            rows.push(row(words.recovered_money, of.recovered.value.shown(), &of.recovered.rows));
        }
        rows.extend([
            row(words.margin, margin, &of.margin.rows),
            row(words.month, figures.month.revenue.value.shown(), &figures.month.revenue.rows),
            row(words.owed, owed.open.total.shown(), &owed.open.rows),
            row(words.overdue_30, owed.to30_days.total.shown(), &owed.to30_days.rows),
            row(words.overdue_60, owed.to60_days.total.shown(), &owed.to60_days.rows),
            row(words.overdue_more, owed.over60_days.total.shown(), &owed.over60_days.rows),
        ]);
        rows
    }

    fn estimated(&self) -> String {
        if self.report.of.margin.is_estimate { format!(" {}", self.words().estimated) } else { String::new() }
    }

    fn leads(&self) -> Vec<Row> {
        let (words, of) = (self.words(), &self.report.of);
        let wait = |minutes: Option<f64>| minutes.map_or_else(|| words.nobody.to_owned(), waited);
        let within = of.answers.human_within_five_minutes;
        let within = within.map_or_else(|| words.nobody.to_owned(), |percent| format!("{percent:.1}%"));
        let calls = format!("{}, {} {}", of.calls.missed.value, of.calls.recovered.value, words.recovered);
        let promises = &of.promises;
        let kept = words::promises(promises.kept.value, promises.broken.value, self.profile.settings.pulse.language);
        let kept = row(words.promises, kept, &promises.broken.rows);
        let mut rows = vec![row(words.new_leads, self.count(|span| &span.new_leads), &of.new_leads.rows)];
        let sources = self.report.sources.iter().filter(|source| source.leads > 0).take(MOST_SOURCES);
        rows.extend(sources.map(|source| row(&format!("· {}", source.source), source.leads.to_string(), &source.rows)));
        rows.extend([
            row(words.answered, wait(of.answers.auto.median_minutes), &of.answers.rows),
            row(words.answered_by_person, wait(of.answers.human.median_minutes), &of.answers.rows),
            row(words.within_five, within, &of.answers.rows),
            kept,
            row(words.missed, calls, &of.calls.missed.rows),
        ]);
        rows
    }

    fn work(&self) -> Vec<Row> {
        let (words, of, report) = (self.words(), &self.report.of, self.report);
        let quotes = |count: String, total: Cents| format!("{count} · {}", total.shown());
        let sent = quotes(self.count(|span| &span.quotes.sent), of.quotes.sent_total.value);
        let won = quotes(self.count(|span| &span.quotes.won), of.quotes.won_total.value);
        let stars = of.reviews.average.map(|stars| format!(" · {stars:.2}")).unwrap_or_default();
        let reviews =
            format!("{} / {} {}{stars}", of.reviews.asked.value, of.reviews.received.value, words.reviews_value);
        let jobs =
            |count: i64| Row { label: String::new(), value: count.to_string(), link: Some("/app/schedule".into()) };
        vec![
            row(words.sent, sent, &of.quotes.sent.rows),
            row(words.won, won, &of.quotes.won.rows),
            row(words.done, self.count(|span| &span.jobs_done), &of.jobs_done.rows),
            Row { label: words.today.to_owned(), ..jobs(report.jobs_today) },
            Row { label: words.tomorrow.to_owned(), ..jobs(report.jobs_tomorrow) },
            row(words.reviews, reviews, &of.reviews.received.rows),
            row(words.saved, format!("{:.1} {}", of.time_saved.hours, words.hours), &of.time_saved.rows),
        ]
    }

    /// What came in on each of the last days; those of the report stand out.
    fn chart(&self) -> Chart {
        let (report, language) = (self.report, self.profile.settings.pulse.language);
        let days = &report.days[report.days.len().saturating_sub(usize::try_from(CHART_DAYS).unwrap_or_default())..];
        let most =
            days.iter().max_by_key(|day| day.paid_jobs_revenue).filter(|day| day.paid_jobs_revenue > Cents::ZERO);
        let span = match (days.first(), days.last()) {
            (Some(first), Some(last)) => words::days(
                crate::domain::growth::metrics::figures::Period { from: first.date, to: last.date },
                language,
            ),
            _ => String::new(),
        };
        Chart {
            values: days.iter().map(|day| day.paid_jobs_revenue.0).collect(),
            marked: days.iter().filter(|day| report.of.period.holds(day.date)).count(),
            labels: days.iter().map(|day| chrono::Datelike::day(&day.date).to_string()).collect(),
            alt: words::chart(&span, most.map(|day| (day.paid_jobs_revenue, day.date)), language),
        }
    }
}

/// Minutes as people say them: "4 s", "20 min", "2 h 5 min", "3 d 4 h".
pub(super) fn waited(minutes: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "waits are far below 2^53 seconds")]
    let seconds = (minutes * 60.0).round() as i64;
    let (days, hours, rest) = (seconds / 86_400, seconds % 86_400 / 3_600, seconds % 3_600 / 60);
    match seconds {
        ..1 => "< 1 s".to_owned(),
        1..60 => format!("{seconds} s"),
        60..3_600 => format!("{rest} min"),
        3_600..86_400 => format!("{hours} h {rest} min"),
        _ => format!("{days} d {hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_said_in_the_unit_that_fits() {
        let said = [0.001, 0.0666, 20.0, 125.0, 4_560.0].map(waited);
        assert_eq!(said, ["< 1 s", "4 s", "20 min", "2 h 5 min", "3 d 4 h"]);
    }
}
