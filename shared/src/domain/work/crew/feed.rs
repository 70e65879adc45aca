//! A crew's visits as a calendar that any phone subscribes to (RFC 5545): without an account, and without money.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use crate::{
    domain::{
        intake::{
            contact_point::{ONLY_TYPED, Proof},
            lead::form::service_label,
        },
        money::estimate::change::{self, ExtraWork},
        work::{crew, job::Status},
    },
    platform::{
        db::{AsConn, q},
        error::{Error, Result},
        ical::{File, escaped, instant},
        id::{CrewId, JobId, OrgId},
        phone::Phone,
        public_url::PublicUrl,
    },
};

mod place;

pub use place::{complete, rotate};
pub(crate) use place::{end_all, left};

/// How far the calendar looks back, and ahead.
const BACK: Duration = Duration::days(30);
const AHEAD: Duration = Duration::days(180);
/// How far ahead a visit shows how to reach the customer and how to get in. The address of a calendar opens without an
/// account: what it lets a finder do is kept small.
const CONTACT_AHEAD: Duration = Duration::days(7);
/// How often a calendar should look again.
const REFRESH: &str = "PT15M";

/// One visit, as it is read.
#[derive(Clone, Debug, FromRow)]
struct Visit {
    id: JobId,
    number: i64,
    service: String,
    customer: String,
    /// Where messages about the matter go (`contact_point::of_lead`), and what proves it.
    phone_e164: Option<String>,
    phone_proof: Option<Proof>,
    address: Option<String>,
    zip: Option<String>,
    description: Option<String>,
    special_instructions: Option<String>,
    status: Status,
    starts_at: DateTime<Utc>,
    ends_at: DateTime<Utc>,
    version: i64,
    updated_at: DateTime<Utc>,
    /// What approved change orders add to it.
    #[sqlx(skip)]
    extra: Vec<ExtraWork>,
}

/// The calendar of a crew. The same visits are the same bytes.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such crew.
pub async fn calendar(
    conn: &mut dyn AsConn,
    url: &PublicUrl,
    (org, crew): (OrgId, CrewId),
    now: DateTime<Utc>,
) -> Result<String> {
    let name = crew::name(&mut *conn, org, Some(crew)).await?.ok_or(Error::NotFound)?;
    let mut visits = q!(
        &mut *conn,
        fetch_all as Visit,
        "SELECT j.id, j.number, j.service, l.name AS customer, COALESCE(c.phone_e164, l.phone_e164) AS phone_e164,
             CASE WHEN k.customer_id = c.id THEN k.proof WHEN k.customer_id IS NOT NULL THEN 'form' END AS phone_proof,
             j.address, j.zip, j.description, j.special_instructions, j.status, j.starts_at, j.ends_at, j.version, j.updated_at
         FROM job j JOIN lead l ON l.org_id = j.org_id AND l.id = j.lead_id
             JOIN customer c ON c.org_id = j.org_id AND c.id = l.customer_id
             LEFT JOIN customer_key k ON k.org_id = j.org_id AND k.kind = 'phone'
                 AND k.value = COALESCE(c.phone_e164, l.phone_e164)
         WHERE j.org_id = $1 AND j.crew_id = $2 AND j.starts_at >= $3 AND j.starts_at < $4
         ORDER BY j.starts_at, j.id",
        org,
        crew,
        now - BACK,
        now + AHEAD
    )?;
    let mut extra = change::of_crew(conn, (org, crew), now - BACK, now + AHEAD).await?;
    for visit in &mut visits {
        visit.extra = extra.remove(&visit.id).unwrap_or_default();
    }
    Ok(written(&name, &visits, url, now))
}

fn written(crew: &str, visits: &[Visit], url: &PublicUrl, now: DateTime<Utc>) -> String {
    let mut file = File::default();
    file.line("BEGIN", "VCALENDAR");
    file.line("VERSION", "2.0");
    file.line("PRODID", "-//Toolbox//Crew calendar//EN");
    file.line("CALSCALE", "GREGORIAN");
    file.line("METHOD", "PUBLISH");
    file.line("NAME", &escaped(crew));
    file.line("X-WR-CALNAME", &escaped(crew));
    file.line("REFRESH-INTERVAL;VALUE=DURATION", REFRESH);
    file.line("X-PUBLISHED-TTL", REFRESH);
    for visit in visits {
        visit.write(&mut file, url, now);
    }
    file.line("END", "VCALENDAR");
    file.0
}

impl Visit {
    /// Whether phone, description and instructions are shown: from seven days before it until its end.
    fn shows_contact(&self, now: DateTime<Utc>) -> bool {
        let is_over = self.ends_at < now && self.status != Status::InProgress;
        !is_over && self.status != Status::Cancelled && self.starts_at <= now + CONTACT_AHEAD
    }

    fn write(&self, file: &mut File, url: &PublicUrl, now: DateTime<Utc>) {
        file.line("BEGIN", "VEVENT");
        file.line("UID", &format!("job-{}@{}", self.id, url.host()));
        file.line("SEQUENCE", &self.version.to_string());
        file.line("DTSTAMP", &instant(self.updated_at));
        file.line("LAST-MODIFIED", &instant(self.updated_at));
        file.line("DTSTART", &instant(self.starts_at));
        file.line("DTEND", &instant(self.ends_at));
        file.line(
            "SUMMARY",
            &escaped(&format!("#{} {} · {}", self.number, service_label(&self.service), self.customer)),
        );
        let place = [self.address.as_deref(), self.zip.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(", ");
        if !place.is_empty() {
            file.line("LOCATION", &escaped(&place));
        }
        let phone = self.phone_e164.as_deref().and_then(Phone::parse).map(|phone| match self.phone_proof {
            Some(Proof::Form | Proof::Answered) => format!("{} ({ONLY_TYPED})", phone.shown()),
            _ => phone.shown().into_owned(),
        });
        let about = [phone.as_deref(), self.description.as_deref(), self.special_instructions.as_deref()];
        // The description too: a customer who books types the gate code there.
        let about = if self.shows_contact(now) { about } else { [None; 3] };
        let extra: Vec<String> = self.extra.iter().map(ExtraWork::worded).collect();
        let about = about.into_iter().flatten().chain(extra.iter().map(String::as_str)).collect::<Vec<_>>().join("\n");
        if !about.is_empty() {
            file.line("DESCRIPTION", &escaped(&about));
        }
        file.line("URL", &url.join(&format!("/app/jobs/{}", self.id)));
        file.line("STATUS", if self.status == Status::Cancelled { "CANCELLED" } else { "CONFIRMED" });
        file.line("END", "VEVENT");
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::platform::ical::LINE_OCTETS;

    fn visit() -> Visit {
        let at = |hour| DateTime::UNIX_EPOCH + Duration::days(20_713) + Duration::hours(hour);
        Visit {
            id: JobId(Uuid::from_u128(7)),
            number: 1007,
            service: "Roof Repair".to_owned(),
            customer: "Łukasz Żółć; José, Ñandú".to_owned(),
            phone_e164: Some("+15125550142".to_owned()),
            phone_proof: Some(Proof::Texted),
            address: Some("12 Oak St, Austin".to_owned()),
            zip: Some("78701".to_owned()),
            description: Some("The tap drips\nsince \"Friday\" \\ always".to_owned()),
            special_instructions: Some("Ring twice".to_owned()),
            status: Status::Scheduled,
            starts_at: at(15),
            ends_at: at(17),
            version: 3,
            updated_at: at(1),
            extra: Vec::new(),
        }
    }

    fn url() -> PublicUrl {
        PublicUrl::parse("https://toolbox.example").unwrap()
    }

    /// As a calendar reads it: lines put together again.
    fn unfolded(file: &str) -> Vec<String> {
        assert!(file.ends_with("\r\n") && !file.replace("\r\n", "").contains(['\r', '\n']), "{file:?}");
        let whole = file.replace("\r\n ", "");
        whole.split("\r\n").filter(|line| !line.is_empty()).map(ToOwned::to_owned).collect()
    }

    #[test]
    fn a_visit_is_an_event_that_every_calendar_reads() {
        let file = written("Dave's crew", &[visit()], &url(), visit().starts_at);
        assert!(file.split("\r\n").all(|line| line.len() <= LINE_OCTETS), "{file}");
        let lines = unfolded(&file);
        let event = lines.iter().position(|line| line == "BEGIN:VEVENT").unwrap();
        assert_eq!(
            lines[event..],
            [
                "BEGIN:VEVENT",
                "UID:job-00000000-0000-0000-0000-000000000007@toolbox.example",
                "SEQUENCE:3",
                "DTSTAMP:20260917T010000Z",
                "LAST-MODIFIED:20260917T010000Z",
                "DTSTART:20260917T150000Z",
                "DTEND:20260917T170000Z",
                "SUMMARY:#1007 Roof Repair · Łukasz Żółć\\; José\\, Ñandú",
                "LOCATION:12 Oak St\\, Austin\\, 78701",
                "DESCRIPTION:(512) 555-0142\\nThe tap drips\\nsince \"Friday\" \\\\ always\\nRing twice",
                "URL:https://toolbox.example/app/jobs/00000000-0000-0000-0000-000000000007",
                "STATUS:CONFIRMED",
                "END:VEVENT",
                "END:VCALENDAR",
            ]
        );
        let off = written("Blue", &[Visit { status: Status::Cancelled, ..visit() }], &url(), visit().starts_at);
        assert!(off.contains("\r\nSTATUS:CANCELLED\r\n"));
    }

    #[test]
    fn a_number_that_was_only_typed_into_a_form_says_so() {
        let typed = Visit { phone_proof: Some(Proof::Form), ..visit() };
        let lines = unfolded(&written("Blue", &[typed], &url(), visit().starts_at));
        assert!(
            lines.iter().any(|line| line.starts_with("DESCRIPTION:(512) 555-0142 (typed into a form)")),
            "{lines:?}"
        );
    }

    #[test]
    fn what_somebody_typed_ends_no_line() {
        let trap = Visit { customer: "Bo\r\nEND:VCALENDAR\u{7}".to_owned(), ..visit() };
        let lines = unfolded(&written("Blue\nSUMMARY:x", &[trap], &url(), visit().starts_at));
        assert_eq!(lines.iter().filter(|line| *line == "END:VCALENDAR").count(), 1);
        assert!(lines.iter().any(|line| line.ends_with("Bo\\nEND:VCALENDAR")), "{lines:?}");
        assert_eq!(lines.iter().filter(|line| line.starts_with("SUMMARY:")).count(), 1);
    }

    #[test]
    fn the_phone_and_what_was_typed_stand_there_from_seven_days_before_until_the_end() {
        let shown = |visit: Visit, now| {
            let file = unfolded(&written("Blue", &[visit], &url(), now)).join("\n");
            assert_eq!(file.contains("(512) 555-0142"), file.contains("Ring twice"), "{file}");
            assert_eq!(file.contains("The tap drips"), file.contains("Ring twice"), "{file}");
            assert!(file.contains("12 Oak St"), "{file}");
            file.contains("Ring twice")
        };
        let (start, end) = (visit().starts_at, visit().ends_at);
        let at = |now| shown(visit(), now);
        assert!(at(start - CONTACT_AHEAD) && at(start) && at(end));
        assert!(!at(start - CONTACT_AHEAD - Duration::seconds(1)) && !at(end + Duration::seconds(1)));
        assert!(shown(Visit { status: Status::InProgress, ..visit() }, end + Duration::hours(3)), "it runs late");
        assert!(!shown(Visit { status: Status::Cancelled, ..visit() }, start));
    }
}
