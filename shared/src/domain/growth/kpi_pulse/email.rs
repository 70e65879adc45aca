//! A report as an email: money first, each figure with the list behind it, and a small chart.

use super::{DuePulse, PulseOutcome, PulseReport, failure::IncidentKind, report::CHART_DAYS, words};
use crate::{
    documents::template::{BarChart, EmailPage, EmailSection, SectionRow},
    domain::{
        growth::metrics::figures::{CountFigure, SpanFigures},
        tenancy::org::OrgProfile,
    },
    platform::{money::Cents, public_url::PublicUrl},
};

const DASHBOARD: &str = "/app";
const MOST_SOURCES: usize = 5;

#[derive(Clone, Copy, Debug)]
pub struct PulseMessage<'a> {
    pub profile: &'a OrgProfile,
    pub url: &'a PublicUrl,
    pub report: &'a PulseReport,
    pub outcome: PulseOutcome,
    pub due: &'a DuePulse,
}

fn linked_row(label: &str, value: String, rows: &str) -> SectionRow {
    SectionRow { label: label.to_owned(), value, link: Some(rows.to_owned()) }
}

impl PulseMessage<'_> {
    pub(super) fn labels(&self) -> &'static words::PulseLabels {
        words::labels_for(self.profile.settings.pulse.language)
    }

    pub(super) fn late_notice(&self) -> Option<String> {
        let language = self.profile.settings.pulse.language;
        let at = self.due.due_at.with_timezone(&self.profile.org.zone());
        let when = format!(
            "{}, {}",
            words::format_day(at.date_naive(), language),
            crate::documents::date_format::format_time(&at)
        );
        (self.outcome == PulseOutcome::Late).then(|| words::format_late_notice(&when, language))
    }

    #[must_use]
    pub fn subject(&self) -> String {
        let (words, language) = (self.labels(), self.profile.settings.pulse.language);
        let of = &self.report.of;
        let summary = format!(
            "{}: {} {}, {} {} ({})",
            self.profile.org.name,
            of.collected.value.format_usd(),
            words.collected.to_lowercase(),
            of.new_leads.value,
            words.new_leads.to_lowercase(),
            words::format_period(of.period, language)
        );
        self.late_notice().map_or(summary.clone(), |late| format!("{late}. {summary}"))
    }

    #[must_use]
    pub fn render_text(&self) -> String {
        let mut parts: Vec<String> = self.opening_lines();
        parts.push(self.todo_section().to_plain_text());
        parts.extend(self.figure_sections().iter().map(EmailSection::to_plain_text));
        parts.push(self.revenue_chart().alt);
        parts.push(format!("{}: {}", self.labels().open, self.url.join(DASHBOARD)));
        parts.join("\n\n")
    }

    #[must_use]
    pub fn render_page(&self) -> EmailPage {
        let words = self.labels();
        let sections = std::iter::once(self.todo_section()).chain(self.figure_sections());
        EmailPage {
            text: Some(self.opening_lines().join("\n\n")),
            button: Some((words.open.to_owned(), self.url.join(DASHBOARD))),
            sections: sections.map(|section| section.with_absolute_links(|path| self.url.join(path))).collect(),
            chart: Some(self.revenue_chart()),
            footer: words.footer.to_owned(),
            language: Some(self.profile.settings.pulse.language),
            ..EmailPage::default()
        }
    }

    fn opening_lines(&self) -> Vec<String> {
        let language = self.profile.settings.pulse.language;
        let zone = self.profile.org.zone();
        let mut lines: Vec<String> = self.late_notice().into_iter().map(|late| format!("{late}.")).collect();
        if !self.report.figures.is_counted {
            lines.push(self.labels().not_counted.to_owned());
        }
        let notices = self.report.failures.iter().map(|failure| match &failure.what {
            IncidentKind::Device { label, since } => {
                let since = words::format_day(since.with_timezone(&zone).date_naive(), language);
                format!("⚠ {}.", words::format_silent_device(label, &since, language))
            }
            what => format!("⚠ {}.", what.to_sentence(language)),
        });
        lines.extend(notices);
        lines
    }

    fn todo_section(&self) -> EmailSection {
        let (words, language) = (self.labels(), self.profile.settings.pulse.language);
        let todos = &self.report.todos;
        let todo_rows = todos.iter().zip(1..).map(|(todo, n)| SectionRow {
            label: format!("{n}."),
            value: words::format_todo(todo, language),
            link: Some(todo.path.clone()),
        });
        let mut rows: Vec<SectionRow> = todo_rows.collect();
        if rows.is_empty() {
            rows.push(SectionRow { label: String::new(), value: words.nothing_to_do.to_owned(), link: None });
        }
        EmailSection { title: words.to_do.to_owned(), rows }
    }

    fn figure_sections(&self) -> [EmailSection; 3] {
        let words = self.labels();
        [
            EmailSection { title: words.money.to_owned(), rows: self.money_rows() },
            EmailSection { title: words.leads.to_owned(), rows: self.lead_rows() },
            EmailSection { title: words.work.to_owned(), rows: self.work_rows() },
        ]
    }

    fn format_count(&self, of: impl Fn(&SpanFigures) -> &CountFigure) -> String {
        let (now, before) = (of(&self.report.of).value, of(&self.report.before).value);
        if self.has_comparison() { format!("{now} ({:+})", now - before) } else { now.to_string() }
    }

    fn format_amount(&self, of: impl Fn(&SpanFigures) -> Cents) -> String {
        let (now, before) = (of(&self.report.of), of(&self.report.before));
        let change = Cents(now.0.saturating_sub(before.0));
        let sign = if change < Cents::ZERO { "" } else { "+" };
        if self.has_comparison() {
            format!("{} ({sign}{})", now.format_usd(), change.format_usd())
        } else {
            now.format_usd()
        }
    }

    /// Only whole weeks are comparable, because weekdays differ.
    fn has_comparison(&self) -> bool {
        self.report.of.period.day_count() == 7
    }

    fn money_rows(&self) -> Vec<SectionRow> {
        let (words, of, figures) = (self.labels(), &self.report.of, &self.report.figures);
        let owed = &figures.receivables;
        let margin = format!("{} · {:.1}%{}", of.margin.amount.format_usd(), of.margin.percent, self.estimate_suffix());
        let mut rows =
            vec![linked_row(words.collected, self.format_amount(|span| span.collected.value), &of.collected.rows)];
        if of.refunded.value != Cents::ZERO {
            rows.push(linked_row(words.refunded, of.refunded.value.format_usd(), &of.refunded.rows));
        }
        if of.recovered.value > Cents::ZERO {
            rows.push(linked_row(words.recovered_money, of.recovered.value.format_usd(), &of.recovered.rows));
        }
        rows.extend([
            linked_row(words.margin, margin, &of.margin.rows),
            linked_row(words.month, figures.month.revenue.value.format_usd(), &figures.month.revenue.rows),
            linked_row(words.owed, owed.open.total.format_usd(), &owed.open.rows),
            linked_row(words.overdue_30, owed.to30_days.total.format_usd(), &owed.to30_days.rows),
            linked_row(words.overdue_60, owed.to60_days.total.format_usd(), &owed.to60_days.rows),
            linked_row(words.overdue_more, owed.over60_days.total.format_usd(), &owed.over60_days.rows),
        ]);
        rows
    }

    fn estimate_suffix(&self) -> String {
        if self.report.of.margin.is_estimate { format!(" {}", self.labels().estimated) } else { String::new() }
    }

    fn lead_rows(&self) -> Vec<SectionRow> {
        let (words, of) = (self.labels(), &self.report.of);
        let wait = |minutes: Option<f64>| minutes.map_or_else(|| words.nobody.to_owned(), format_wait);
        let within = of.answers.human_within_five_minutes;
        let within = within.map_or_else(|| words.nobody.to_owned(), |percent| format!("{percent:.1}%"));
        let calls = format!("{}, {} {}", of.calls.missed.value, of.calls.recovered.value, words.recovered);
        let promises = &of.promises;
        let kept =
            words::format_promises(promises.kept.value, promises.broken.value, self.profile.settings.pulse.language);
        let kept = linked_row(words.promises, kept, &promises.broken.rows);
        let mut rows = vec![linked_row(words.new_leads, self.format_count(|span| &span.new_leads), &of.new_leads.rows)];
        let sources = self.report.sources.iter().filter(|source| source.leads > 0).take(MOST_SOURCES);
        rows.extend(
            sources.map(|source| linked_row(&format!("· {}", source.source), source.leads.to_string(), &source.rows)),
        );
        rows.extend([
            linked_row(words.answered, wait(of.answers.auto.median_minutes), &of.answers.rows),
            linked_row(words.answered_by_person, wait(of.answers.human.median_minutes), &of.answers.rows),
            linked_row(words.within_five, within, &of.answers.rows),
            kept,
            linked_row(words.missed, calls, &of.calls.missed.rows),
        ]);
        rows
    }

    fn work_rows(&self) -> Vec<SectionRow> {
        let (words, of, report) = (self.labels(), &self.report.of, self.report);
        let quotes = |count: String, total: Cents| format!("{count} · {}", total.format_usd());
        let sent = quotes(self.format_count(|span| &span.quotes.sent), of.quotes.sent_total.value);
        let won = quotes(self.format_count(|span| &span.quotes.won), of.quotes.won_total.value);
        let stars = of.reviews.average.map(|stars| format!(" · {stars:.2}")).unwrap_or_default();
        let reviews =
            format!("{} / {} {}{stars}", of.reviews.asked.value, of.reviews.received.value, words.reviews_value);
        let jobs = |count: i64| SectionRow {
            label: String::new(),
            value: count.to_string(),
            link: Some("/app/schedule".into()),
        };
        vec![
            linked_row(words.sent, sent, &of.quotes.sent.rows),
            linked_row(words.won, won, &of.quotes.won.rows),
            linked_row(words.done, self.format_count(|span| &span.jobs_done), &of.jobs_done.rows),
            SectionRow { label: words.today.to_owned(), ..jobs(report.jobs_today) },
            SectionRow { label: words.tomorrow.to_owned(), ..jobs(report.jobs_tomorrow) },
            linked_row(words.reviews, reviews, &of.reviews.received.rows),
            linked_row(words.saved, format!("{:.1} {}", of.time_saved.hours, words.hours), &of.time_saved.rows),
        ]
    }

    fn revenue_chart(&self) -> BarChart {
        let (report, language) = (self.report, self.profile.settings.pulse.language);
        let days = &report.days[report.days.len().saturating_sub(usize::try_from(CHART_DAYS).unwrap_or_default())..];
        let most =
            days.iter().max_by_key(|day| day.paid_jobs_revenue).filter(|day| day.paid_jobs_revenue > Cents::ZERO);
        let span = match (days.first(), days.last()) {
            (Some(first), Some(last)) => {
                words::format_period(crate::platform::period::Period { from: first.date, to: last.date }, language)
            }
            _ => String::new(),
        };
        BarChart {
            values: days.iter().map(|day| day.paid_jobs_revenue.0).collect(),
            marked: days.iter().filter(|day| report.of.period.contains_day(day.date)).count(),
            labels: days.iter().map(|day| chrono::Datelike::day(&day.date).to_string()).collect(),
            alt: words::format_chart_alt(&span, most.map(|day| (day.paid_jobs_revenue, day.date)), language),
        }
    }
}

pub(super) fn format_wait(minutes: f64) -> String {
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
    fn wait_is_shown_in_fitting_unit() {
        let formatted = [0.001, 0.0666, 20.0, 125.0, 4_560.0].map(format_wait);
        assert_eq!(formatted, ["< 1 s", "4 s", "20 min", "2 h 5 min", "3 d 4 h"]);
    }
}
