//! Texts of a report, in the languages of its readers.

use chrono::NaiveDate;

use super::todo::{PulseTodo, TodoKind};
use crate::{
    documents::{
        date_format,
        template::Language::{self, En, Es},
    },
    platform::{money::Cents, period::Period},
};

#[derive(Clone, Copy, Debug)]
pub(super) struct PulseLabels {
    pub money: &'static str,
    pub collected: &'static str,
    pub refunded: &'static str,
    pub recovered_money: &'static str,
    pub margin: &'static str,
    pub estimated: &'static str,
    pub month: &'static str,
    pub owed: &'static str,
    pub overdue_30: &'static str,
    pub overdue_60: &'static str,
    pub overdue_more: &'static str,
    pub leads: &'static str,
    pub new_leads: &'static str,
    pub answered: &'static str,
    pub answered_by_person: &'static str,
    pub within_five: &'static str,
    pub nobody: &'static str,
    pub missed: &'static str,
    pub recovered: &'static str,
    pub promises: &'static str,
    pub work: &'static str,
    pub sent: &'static str,
    pub won: &'static str,
    pub done: &'static str,
    pub today: &'static str,
    pub tomorrow: &'static str,
    pub reviews: &'static str,
    pub reviews_value: &'static str,
    pub saved: &'static str,
    pub hours: &'static str,
    pub to_do: &'static str,
    pub nothing_to_do: &'static str,
    pub open: &'static str,
    pub footer: &'static str,
    pub not_counted: &'static str,
}

const ENGLISH: PulseLabels = PulseLabels {
    money: "Money",
    collected: "Collected",
    refunded: "Given back",
    recovered_money: "Recovered after automatic messages",
    margin: "Margin",
    estimated: "est.",
    month: "This month",
    owed: "Owed to you",
    overdue_30: "Overdue 1-30 days",
    overdue_60: "Overdue 31-60 days",
    overdue_more: "Overdue 60+ days",
    leads: "Leads",
    new_leads: "New leads",
    answered: "First answer, automatic (median)",
    answered_by_person: "First answer, by a person (median)",
    within_five: "By a person within 5 min",
    nobody: "no one yet",
    missed: "Missed calls",
    recovered: "recovered",
    promises: "Promises of an answer",
    work: "Work",
    sent: "Quotes sent",
    won: "Quotes won",
    done: "Jobs done",
    today: "Jobs today",
    tomorrow: "Jobs tomorrow",
    reviews: "Reviews",
    reviews_value: "asked, received",
    saved: "Hours saved",
    hours: "h",
    to_do: "To do today",
    nothing_to_do: "Nothing needs you today.",
    open: "Open the dashboard",
    footer: "You get this report because KPI reporting is on. Time, days and receivers: Settings, Figures and reports.",
    not_counted: "What was there before is still being counted: these figures may grow.",
};

const SPANISH: PulseLabels = PulseLabels {
    money: "Dinero",
    collected: "Cobrado",
    refunded: "Devuelto",
    recovered_money: "Recuperado tras mensajes automáticos",
    margin: "Margen",
    estimated: "est.",
    month: "Este mes",
    owed: "Le deben",
    overdue_30: "Vencido 1-30 días",
    overdue_60: "Vencido 31-60 días",
    overdue_more: "Vencido más de 60 días",
    leads: "Solicitudes",
    new_leads: "Solicitudes nuevas",
    answered: "Primera respuesta automática (mediana)",
    answered_by_person: "Primera respuesta de una persona (mediana)",
    within_five: "De una persona en 5 min",
    nobody: "nadie todavía",
    missed: "Llamadas perdidas",
    recovered: "recuperadas",
    promises: "Promesas de respuesta",
    work: "Trabajo",
    sent: "Presupuestos enviados",
    won: "Presupuestos ganados",
    done: "Trabajos hechos",
    today: "Trabajos hoy",
    tomorrow: "Trabajos mañana",
    reviews: "Reseñas",
    reviews_value: "pedidas, recibidas",
    saved: "Horas ahorradas",
    hours: "h",
    to_do: "Para hacer hoy",
    nothing_to_do: "Hoy no hay nada pendiente para usted.",
    open: "Abrir el tablero",
    footer: "Recibe este informe porque los informes de KPI están activados. Hora, días y destinatarios: Ajustes, Automatización.",
    not_counted: "Lo anterior todavía se está contando: estas cifras pueden crecer.",
};

pub(super) fn labels_for(language: Language) -> &'static PulseLabels {
    match language {
        En => &ENGLISH,
        Es => &SPANISH,
    }
}

pub(super) fn format_day(day: NaiveDate, language: Language) -> String {
    let month = date_format::short_month_name(day, language);
    let number = chrono::Datelike::day(&day);
    match language {
        En => format!("{}, {month} {number}", date_format::short_weekday_name(day, language)),
        Es => format!("{}, {number} {month}", date_format::short_weekday_name(day, language)),
    }
}

pub(super) fn format_period(period: Period, language: Language) -> String {
    if period.from == period.to {
        return format_day(period.to, language);
    }
    let (from, to) = (format_day(period.from, language), format_day(period.to, language));
    match language {
        En => format!("{from} to {to}"),
        Es => format!("{from} a {to}"),
    }
}

pub(super) fn format_late_notice(when: &str, language: Language) -> String {
    match language {
        En => format!("Late: was due {when}"),
        Es => format!("Con retraso: estaba previsto {when}"),
    }
}

/// Text alternative of the chart.
pub(super) fn format_chart_alt(span: &str, most: Option<(Cents, NaiveDate)>, language: Language) -> String {
    match (language, most) {
        (En, Some((most, on))) => {
            format!("Collected by day, {span}. Most: {} on {}.", most.format_usd(), format_day(on, language))
        }
        (Es, Some((most, on))) => {
            format!("Cobrado por día, {span}. Máximo: {}, {}.", most.format_usd(), format_day(on, language))
        }
        (En, None) => format!("Collected by day, {span}: nothing."),
        (Es, None) => format!("Cobrado por día, {span}: nada."),
    }
}

pub(super) fn format_silent_device(label: &str, since: &str, language: Language) -> String {
    match language {
        En => format!("{label}: no push since {since}"),
        Es => format!("{label}: sin avisos desde {since}"),
    }
}

pub(super) fn format_promises(kept: i64, broken: i64, language: Language) -> String {
    let many = |n: i64| if n == 1 { "" } else { "s" };
    match language {
        En => format!("{kept} kept, {broken} broken"),
        Es => format!("{kept} cumplida{}, {broken} incumplida{}", many(kept), many(broken)),
    }
}

pub(super) fn format_todo(todo: &PulseTodo, language: Language) -> String {
    let (n, first, total) = (todo.count, todo.first.as_deref().unwrap_or_default(), todo.total.format_usd());
    let sum = if todo.total == Cents::ZERO { String::new() } else { format!(" ({total})") };
    let more = if n > 1 { n - 1 } else { 0 };
    let named = match (language, more) {
        (_, 0) => first.to_owned(),
        (En, more) => format!("{first} and {more} more"),
        (Es, more) => format!("{first} y {more} más"),
    };
    match (language, todo.what) {
        (En, TodoKind::Emergency) => format!("Emergency no one has looked at: {named}"),
        (Es, TodoKind::Emergency) => format!("Emergencia que nadie ha visto: {named}"),
        (En, TodoKind::NoCrew) => format!("Assign a crew to the job of {named}"),
        (Es, TodoKind::NoCrew) => format!("Asigne una cuadrilla al trabajo de {named}"),
        (En, TodoKind::Promised) => format!("Answer {named} now: the promised time is over"),
        (Es, TodoKind::Promised) => format!("Responda ya a {named}: el plazo prometido pasó"),
        (En, TodoKind::Waiting) => format!("Answer {named}: no one has answered yet"),
        (Es, TodoKind::Waiting) => format!("Responda a {named}: nadie ha respondido todavía"),
        (En, TodoKind::Confirm) => format!("Book the requested visit: {named}"),
        (Es, TodoKind::Confirm) => format!("Programe la visita solicitada: {named}"),
        (En, TodoKind::Quote) => format!("Send the estimate to {named}"),
        (Es, TodoKind::Quote) => format!("Envíe el presupuesto a {named}"),
        (En, TodoKind::Schedule) => format!("Schedule the work of {named}{sum}"),
        (Es, TodoKind::Schedule) => format!("Programe el trabajo de {named}{sum}"),
        (En, TodoKind::Review) => format!("Answer the review of {named}"),
        (Es, TodoKind::Review) => format!("Responda a la reseña de {named}"),
        (En, TodoKind::Lapsing) => format!("Ask about the estimate that is about to lapse ({total}): {named}"),
        (Es, TodoKind::Lapsing) => format!("Pregunte por el presupuesto que está por vencer ({total}): {named}"),
        (En, TodoKind::Overdue) if n == 1 => format!("Collect 1 overdue invoice: {total}"),
        (En, TodoKind::Overdue) => format!("Collect {n} overdue invoices: {total}"),
        (Es, TodoKind::Overdue) if n == 1 => format!("Cobre 1 factura vencida: {total}"),
        (Es, TodoKind::Overdue) => format!("Cobre {n} facturas vencidas: {total}"),
        (En, TodoKind::Unsent) => format!("Send the invoice{sum}: {named}"),
        (Es, TodoKind::Unsent) => format!("Envíe la factura{sum}: {named}"),
        (En, TodoKind::Held) => format!("Look at the request that is held: {named}"),
        (Es, TodoKind::Held) => format!("Revise la solicitud retenida: {named}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_tasks_are_worded_in_english_and_spanish() {
        let thursday: NaiveDate = "2026-09-17".parse().unwrap();
        assert_eq!([format_day(thursday, En), format_day(thursday, Es)], ["Thu, Sep 17", "jue, 17 sep"]);
        assert_eq!(format_period(Period::days_ending(thursday, 7), En), "Fri, Sep 11 to Thu, Sep 17");
        let waits = |count| PulseTodo {
            what: TodoKind::Waiting,
            count,
            total: Cents::ZERO,
            first: Some("Ann Lee".into()),
            path: String::new(),
        };
        assert_eq!(format_promises(3, 1, En), "3 kept, 1 broken");
        assert_eq!(
            [format_promises(3, 1, Es), format_promises(1, 0, Es)],
            ["3 cumplidas, 1 incumplida", "1 cumplida, 0 incumplidas"]
        );
        assert_eq!(format_todo(&waits(1), En), "Answer Ann Lee: no one has answered yet");
        assert_eq!(format_todo(&waits(3), Es), "Responda a Ann Lee y 2 más: nadie ha respondido todavía");
        let overdue =
            PulseTodo { what: TodoKind::Overdue, count: 2, total: Cents(95_050), first: None, path: String::new() };
        assert_eq!(format_todo(&overdue, En), "Collect 2 overdue invoices: $950.50");
    }
}
