//! Texts of crew alerts.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::{CrewJobNow, NetChange};
use crate::domain::intake::lead::service_label;

/// Lines that fit on a locked screen.
const MOST: usize = 4;

pub(super) fn render_alert(changes: &[(CrewJobNow, NetChange)], zone: Tz) -> Option<(String, String)> {
    match changes {
        [] => None,
        [(job, net)] => Some((alert_title(job, net, zone), alert_body(job, net, zone))),
        many => {
            let mut lines: Vec<String> = many.iter().take(MOST).map(|(job, net)| alert_line(job, net, zone)).collect();
            if many.len() > MOST {
                lines.push(format!("and {} more", many.len() - MOST));
            }
            Some((format!("Your schedule changed: {} jobs", many.len()), lines.join("\n")))
        }
    }
}

fn format_time(at: DateTime<Utc>, zone: Tz) -> String {
    at.with_timezone(&zone).format("%a, %b %-d, %-I:%M %p").to_string()
}

fn format_clock(at: Option<DateTime<Utc>>, zone: Tz) -> String {
    at.map(|at| at.with_timezone(&zone).format("%-I:%M %p").to_string()).unwrap_or_default()
}

fn format_start(job: &CrewJobNow, zone: Tz) -> String {
    job.starts_at.map(|at| format_time(at, zone)).unwrap_or_default()
}

fn alert_title(job: &CrewJobNow, net: &NetChange, zone: Tz) -> String {
    match net {
        NetChange::New => format!("New job: {}", format_start(job, zone)),
        NetChange::Moved { .. } => format!("Moved to {}", format_start(job, zone)),
        NetChange::EndChanged => format!("{}, now until {}", format_start(job, zone), format_clock(job.ends_at, zone)),
        NetChange::Unscheduled { from } => format!("No longer on {}", format_time(*from, zone)),
        NetChange::Reassigned { from } => format!("No longer yours: {}", format_time(*from, zone)),
        NetChange::Cancelled { from } => format!("Cancelled: {}", format_time(*from, zone)),
        NetChange::Changed(_) => format!("Job {} was changed", job.number),
    }
}

fn job_label(job: &CrewJobNow) -> String {
    format!("#{} {} · {}", job.number, service_label(&job.service), job.customer)
}

fn alert_body(job: &CrewJobNow, net: &NetChange, zone: Tz) -> String {
    let what = job_label(job);
    match net {
        NetChange::New => match &job.address {
            Some(address) => format!("{what}, {address}"),
            None => what,
        },
        NetChange::Moved { from } => format!("{what}. It was {}.", format_time(*from, zone)),
        NetChange::Unscheduled { .. } => format!("{what}. It has no time now."),
        NetChange::Reassigned { .. } => format!("{what}. Another crew has it now."),
        NetChange::Changed(fields) => format!("{what}. New: {}.", describe_fields(fields)),
        NetChange::EndChanged | NetChange::Cancelled { .. } => what,
    }
}

fn alert_line(job: &CrewJobNow, net: &NetChange, zone: Tz) -> String {
    format!("{}: {}", alert_title(job, net, zone), job_label(job))
}

fn describe_fields(fields: &[String]) -> String {
    let words = fields.iter().map(|field| match field.as_str() {
        "service" => "the service",
        "description" => "the description",
        "extraWork" => "extra work",
        "address" | "zip" | "propertyId" => "the address",
        "materials" => "the materials",
        "specialInstructions" => "the instructions",
        "weatherConcerns" => "the weather",
        "requiredPhotos" => "the photos to take",
        "checklist" => "the checklist",
        "priority" => "the priority",
        "arrivalMinutes" => "the arrival window",
        _ => "details",
    });
    let mut changes: Vec<&str> = Vec::new();
    for word in words {
        if !changes.contains(&word) {
            changes.push(word);
        }
    }
    changes.join(", ")
}
