//! Calendar feed of a crew's visits (RFC 5545): needs no account, shows no prices.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use crate::{
    domain::{
        intake::{
            contact_point::{ContactPointProof, UNPROVEN_NOTE},
            lead::{customer::is_person_name, form::service_label},
        },
        money::estimate::change::{self, ExtraWork},
        work::{crew, job::JobState},
    },
    platform::{
        db::{AsConn, q},
        error::{Error, Result},
        ical::{IcalFile, escape_text, format_utc},
        id::{CrewId, JobId, OrgId},
        phone::Phone,
        public_url::PublicUrl,
    },
};

mod street;

use street::street_without_entry;

const BACK: Duration = Duration::days(30);
const AHEAD: Duration = Duration::days(180);
/// How long before a visit contact details, access notes and the whole address are shown. The feed opens without an account, so a leaked
/// address must reveal little.
const CONTACT_AHEAD: Duration = Duration::days(7);
/// A visit that is still in progress so long after its planned end was forgotten.
const LONGEST_DELAY: Duration = Duration::hours(24);
const REFRESH: &str = "PT15M";
/// While no contact is shown, instead of a number that stands for the name of an unknown caller.
const UNNAMED: &str = "Customer";
/// A name with so many digits holds a phone number.
const PHONE_DIGITS: usize = 7;

#[derive(Clone, Debug, FromRow)]
struct CrewFeedVisit {
    id: JobId,
    number: i64,
    service: String,
    customer: String,
    /// Address for messages about the lead (`contact_point::load_lead_recipient`), and its proof.
    phone_e164: Option<Phone>,
    phone_proof: Option<ContactPointProof>,
    address: Option<String>,
    zip: Option<String>,
    description: Option<String>,
    special_instructions: Option<String>,
    status: JobState,
    starts_at: DateTime<Utc>,
    ends_at: DateTime<Utc>,
    version: i64,
    updated_at: DateTime<Utc>,
    /// Work added by approved change orders.
    #[sqlx(skip)]
    extra: Vec<ExtraWork>,
}

/// Deterministic: the same visits give the same bytes.
pub async fn render_crew_calendar(
    conn: &mut dyn AsConn,
    url: &PublicUrl,
    (org, crew): (OrgId, CrewId),
    now: DateTime<Utc>,
) -> Result<String> {
    let name = crew::find_crew_name(&mut *conn, org, Some(crew)).await?.ok_or(Error::NotFound)?;
    let mut visits = q!(
        &mut *conn,
        fetch_all as CrewFeedVisit,
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
    let mut extra = change::list_extra_work_for_crew(conn, (org, crew), now - BACK, now + AHEAD).await?;
    for visit in &mut visits {
        visit.extra = extra.remove(&visit.id).unwrap_or_default();
    }
    Ok(build_ics(&name, &visits, url, now))
}

fn build_ics(crew: &str, visits: &[CrewFeedVisit], url: &PublicUrl, now: DateTime<Utc>) -> String {
    let mut file = IcalFile::default();
    file.push_line("BEGIN", "VCALENDAR");
    file.push_line("VERSION", "2.0");
    file.push_line("PRODID", "-//Toolbox//Crew calendar//EN");
    file.push_line("CALSCALE", "GREGORIAN");
    file.push_line("METHOD", "PUBLISH");
    file.push_line("NAME", &escape_text(crew));
    file.push_line("X-WR-CALNAME", &escape_text(crew));
    file.push_line("REFRESH-INTERVAL;VALUE=DURATION", REFRESH);
    file.push_line("X-PUBLISHED-TTL", REFRESH);
    for visit in visits {
        visit.write_event(&mut file, url, now);
    }
    file.push_line("END", "VCALENDAR");
    file.0
}

impl CrewFeedVisit {
    fn is_over(&self, now: DateTime<Utc>) -> bool {
        let delay = if self.status == JobState::InProgress { LONGEST_DELAY } else { Duration::zero() };
        self.ends_at + delay < now
    }

    /// From seven days before the visit until its end.
    fn shows_contact(&self, now: DateTime<Utc>) -> bool {
        !self.is_over(now) && self.status != JobState::Cancelled && self.starts_at <= now + CONTACT_AHEAD
    }

    /// While no contact is shown: the street and the zip code only.
    fn shown_place(&self, now: DateTime<Utc>) -> String {
        let shows_all = self.shows_contact(now);
        let address =
            self.address.as_deref().map(|all| if shows_all { all.to_owned() } else { street_without_entry(all) });
        let parts = [address.as_deref(), self.zip.as_deref()].into_iter().flatten().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(", ")
    }

    fn shown_customer(&self, now: DateTime<Utc>) -> &str {
        let digits = self.customer.chars().filter(|letter| letter.is_numeric()).count();
        let is_name = is_person_name(&self.customer) && digits < PHONE_DIGITS;
        if is_name || self.shows_contact(now) { &self.customer } else { UNNAMED }
    }

    fn write_event(&self, file: &mut IcalFile, url: &PublicUrl, now: DateTime<Utc>) {
        file.push_line("BEGIN", "VEVENT");
        file.push_line("UID", &format!("job-{}@{}", self.id, url.host()));
        file.push_line("SEQUENCE", &self.version.to_string());
        file.push_line("DTSTAMP", &format_utc(self.updated_at));
        file.push_line("LAST-MODIFIED", &format_utc(self.updated_at));
        file.push_line("DTSTART", &format_utc(self.starts_at));
        file.push_line("DTEND", &format_utc(self.ends_at));
        file.push_line(
            "SUMMARY",
            &escape_text(&format!("#{} {} · {}", self.number, service_label(&self.service), self.shown_customer(now))),
        );
        let place = self.shown_place(now);
        if !place.is_empty() {
            file.push_line("LOCATION", &escape_text(&place));
        }
        let phone = self.phone_e164.as_ref().map(|phone| match self.phone_proof {
            Some(ContactPointProof::Form | ContactPointProof::Answered) => {
                format!("{} ({UNPROVEN_NOTE})", phone.format_display())
            }
            _ => phone.format_display().into_owned(),
        });
        let about = [phone.as_deref(), self.description.as_deref(), self.special_instructions.as_deref()];
        // The description too: customers type gate codes there.
        let about = if self.shows_contact(now) { about } else { [None; 3] };
        let extra: Vec<String> = self.extra.iter().map(ExtraWork::to_sentence).collect();
        let about = about.into_iter().flatten().chain(extra.iter().map(String::as_str)).collect::<Vec<_>>().join("\n");
        if !about.is_empty() {
            file.push_line("DESCRIPTION", &escape_text(&about));
        }
        file.push_line("URL", &url.join(&format!("/app/jobs/{}", self.id)));
        file.push_line("STATUS", if self.status == JobState::Cancelled { "CANCELLED" } else { "CONFIRMED" });
        file.push_line("END", "VEVENT");
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::platform::ical::LINE_OCTETS;

    fn visit() -> CrewFeedVisit {
        let at = |hour| DateTime::UNIX_EPOCH + Duration::days(20_713) + Duration::hours(hour);
        CrewFeedVisit {
            id: JobId(Uuid::from_u128(7)),
            number: 1007,
            service: "Roof Repair".to_owned(),
            customer: "Łukasz Żółć; José, Ñandú".to_owned(),
            phone_e164: Some(Phone::from_stored("+15125550142".to_owned())),
            phone_proof: Some(ContactPointProof::Texted),
            address: Some("12 Oak St, Austin".to_owned()),
            zip: Some("78701".to_owned()),
            description: Some("The tap drips\nsince \"Friday\" \\ always".to_owned()),
            special_instructions: Some("Ring twice".to_owned()),
            status: JobState::Scheduled,
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

    fn unfolded(file: &str) -> Vec<String> {
        assert!(file.ends_with("\r\n") && !file.replace("\r\n", "").contains(['\r', '\n']), "{file:?}");
        let whole = file.replace("\r\n ", "");
        whole.split("\r\n").filter(|line| !line.is_empty()).map(ToOwned::to_owned).collect()
    }

    #[test]
    fn visit_is_written_as_icalendar_event() {
        let file = build_ics("Dave's crew", &[visit()], &url(), visit().starts_at);
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
        let off =
            build_ics("Blue", &[CrewFeedVisit { status: JobState::Cancelled, ..visit() }], &url(), visit().starts_at);
        assert!(off.contains("\r\nSTATUS:CANCELLED\r\n"));
    }

    #[test]
    fn unverified_phone_is_marked_as_typed_into_form() {
        let typed = CrewFeedVisit { phone_proof: Some(ContactPointProof::Form), ..visit() };
        let lines = unfolded(&build_ics("Blue", &[typed], &url(), visit().starts_at));
        assert!(
            lines.iter().any(|line| line.starts_with("DESCRIPTION:(512) 555-0142 (typed into a form)")),
            "{lines:?}"
        );
    }

    #[test]
    fn line_breaks_in_user_text_are_escaped() {
        let trap = CrewFeedVisit { customer: "Bo\r\nEND:VCALENDAR\u{7}".to_owned(), ..visit() };
        let lines = unfolded(&build_ics("Blue\nSUMMARY:x", &[trap], &url(), visit().starts_at));
        assert_eq!(lines.iter().filter(|line| *line == "END:VCALENDAR").count(), 1);
        assert!(lines.iter().any(|line| line.ends_with("Bo\\nEND:VCALENDAR")), "{lines:?}");
        assert_eq!(lines.iter().filter(|line| line.starts_with("SUMMARY:")).count(), 1);
    }

    #[test]
    fn gate_code_in_address_is_shown_with_contact_details_only() {
        let gated = || CrewFeedVisit { address: Some("12 Elm St, gate 4411".to_owned()), ..visit() };
        let place = |visit: CrewFeedVisit, now| {
            let lines = unfolded(&build_ics("Blue", &[visit], &url(), now));
            lines.iter().find(|line| line.starts_with("LOCATION:")).cloned()
        };
        let start = visit().starts_at;
        let (whole, street) = ("LOCATION:12 Elm St\\, gate 4411\\, 78701", "LOCATION:12 Elm St\\, 78701");
        assert_eq!(place(gated(), start).as_deref(), Some(whole));
        assert_eq!(place(gated(), start - CONTACT_AHEAD - Duration::seconds(1)).as_deref(), Some(street));
        assert_eq!(place(gated(), visit().ends_at + Duration::seconds(1)).as_deref(), Some(street));
        let off = CrewFeedVisit { status: JobState::Cancelled, ..gated() };
        assert_eq!(place(off, start).as_deref(), Some(street));
        let bare = CrewFeedVisit { address: Some("gate 4411".to_owned()), zip: None, ..visit() };
        assert_eq!(place(bare, start - Duration::days(8)), None);
    }

    #[test]
    fn number_in_customer_name_is_shown_with_contact_details_only() {
        let shown = |visit: CrewFeedVisit, now| {
            let lines = unfolded(&build_ics("Blue", &[visit], &url(), now));
            let summary = lines.iter().find(|line| line.starts_with("SUMMARY:")).unwrap();
            summary.rsplit_once(" · ").unwrap().1.to_owned()
        };
        let start = visit().starts_at;
        let hidden_at = [start - CONTACT_AHEAD - Duration::seconds(1), visit().ends_at + Duration::seconds(1)];
        for number in ["(512) 555-0142", "+44 20 7946 0958", "Ann 512 555 0142"] {
            let caller = || CrewFeedVisit { customer: number.to_owned(), ..visit() };
            assert_eq!(shown(caller(), start), number);
            assert_eq!(hidden_at.map(|now| shown(caller(), now)), [UNNAMED; 2], "{number}");
            let off = CrewFeedVisit { status: JobState::Cancelled, ..caller() };
            assert_eq!(shown(off, start), UNNAMED, "{number}");
        }
        let named = || CrewFeedVisit { customer: "Ann Lee 2".to_owned(), ..visit() };
        assert_eq!(hidden_at.map(|now| shown(named(), now)), ["Ann Lee 2"; 2]);
    }

    #[test]
    fn contact_details_are_shown_from_seven_days_before_until_visit_end() {
        let shown = |visit: CrewFeedVisit, now| {
            let file = unfolded(&build_ics("Blue", &[visit], &url(), now)).join("\n");
            assert_eq!(file.contains("(512) 555-0142"), file.contains("Ring twice"), "{file}");
            assert_eq!(file.contains("The tap drips"), file.contains("Ring twice"), "{file}");
            assert!(file.contains("12 Oak St"), "{file}");
            file.contains("Ring twice")
        };
        let (start, end) = (visit().starts_at, visit().ends_at);
        let at = |now| shown(visit(), now);
        assert!(at(start - CONTACT_AHEAD) && at(start) && at(end));
        assert!(!at(start - CONTACT_AHEAD - Duration::seconds(1)) && !at(end + Duration::seconds(1)));
        let begun = || CrewFeedVisit { status: JobState::InProgress, ..visit() };
        assert!(shown(begun(), end + LONGEST_DELAY), "it runs late");
        assert!(!shown(begun(), end + LONGEST_DELAY + Duration::seconds(1)), "its end was never noted");
        assert!(!shown(CrewFeedVisit { status: JobState::Cancelled, ..visit() }, start));
    }
}
