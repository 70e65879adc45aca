//! What a crew reads of a change of its day.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::{Net, Now};
use crate::domain::intake::lead::form::service_label;

/// More than this is not read on a locked screen.
const MOST: usize = 4;

/// Title and body of one alert about all of it; none when there is nothing to say.
pub(super) fn said(changes: &[(Now, Net)], zone: Tz) -> Option<(String, String)> {
    match changes {
        [] => None,
        [(job, net)] => Some((title(job, net, zone), body(job, net, zone))),
        many => {
            let mut lines: Vec<String> = many.iter().take(MOST).map(|(job, net)| line(job, net, zone)).collect();
            if many.len() > MOST {
                lines.push(format!("and {} more", many.len() - MOST));
            }
            Some((format!("Your schedule changed: {} jobs", many.len()), lines.join("\n")))
        }
    }
}

/// "Tue, Nov 24, 8:00 AM".
fn shown(at: DateTime<Utc>, zone: Tz) -> String {
    at.with_timezone(&zone).format("%a, %b %-d, %-I:%M %p").to_string()
}

fn clock(at: Option<DateTime<Utc>>, zone: Tz) -> String {
    at.map(|at| at.with_timezone(&zone).format("%-I:%M %p").to_string()).unwrap_or_default()
}

fn starts(job: &Now, zone: Tz) -> String {
    job.starts_at.map(|at| shown(at, zone)).unwrap_or_default()
}

fn title(job: &Now, net: &Net, zone: Tz) -> String {
    match net {
        Net::New => format!("New job: {}", starts(job, zone)),
        Net::Moved { .. } => format!("Moved to {}", starts(job, zone)),
        Net::Longer => format!("{}, now until {}", starts(job, zone), clock(job.ends_at, zone)),
        Net::Unplanned { from } => format!("Not on {} any more", shown(*from, zone)),
        Net::Gone { from } => format!("Not yours any more: {}", shown(*from, zone)),
        Net::Cancelled { from } => format!("Cancelled: {}", shown(*from, zone)),
        Net::Changed(_) => format!("Job {} was changed", job.number),
    }
}

/// "#1007 Roof Repair · Ann Lee".
fn what(job: &Now) -> String {
    format!("#{} {} · {}", job.number, service_label(&job.service), job.customer)
}

fn body(job: &Now, net: &Net, zone: Tz) -> String {
    let what = what(job);
    match net {
        Net::New => match &job.address {
            Some(address) => format!("{what}, {address}"),
            None => what,
        },
        Net::Moved { from } => format!("{what}. It was {}.", shown(*from, zone)),
        Net::Unplanned { .. } => format!("{what}. It has no time now."),
        Net::Gone { .. } => format!("{what}. Another crew has it now."),
        Net::Changed(fields) => format!("{what}. New: {}.", named(fields)),
        Net::Longer | Net::Cancelled { .. } => what,
    }
}

fn line(job: &Now, net: &Net, zone: Tz) -> String {
    format!("{}: {}", title(job, net, zone), what(job))
}

/// What was changed, in the words of the job's page.
fn named(fields: &[String]) -> String {
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
    let mut said: Vec<&str> = Vec::new();
    for word in words {
        if !said.contains(&word) {
            said.push(word);
        }
    }
    said.join(", ")
}
