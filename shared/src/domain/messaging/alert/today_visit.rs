//! Today's visit of a customer who calls or writes: which crew comes, and the alert to that crew.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;
use sqlx::FromRow;

use crate::{
    domain::{
        intake::lead::service_label,
        messaging::{
            alert::{self, AlertKind, NewAlert},
            automation::message_wording::truncate_line,
        },
        tenancy::{account::Role, org::OrgProfile},
    },
    platform::{
        business_hours,
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::{AccountId, CrewId, CustomerId, JobId, LeadId, OrgId, TouchId},
    },
};

/// Characters of the customer's text in an alert.
const QUOTED: usize = 140;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TodayVisit {
    job: TodayVisitRow,
    /// Crew members with a device, and their roles.
    people: Vec<(AccountId, Role)>,
}

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
struct TodayVisitRow {
    id: JobId,
    lead_id: LeadId,
    number: i64,
    service: String,
    customer: String,
    address: Option<String>,
    crew_id: CrewId,
    crew: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InboundContact<'a> {
    Call,
    Text(&'a str),
}

impl TodayVisit {
    /// In the business's time zone; none without a visit today, or without a crew.
    pub async fn find_for_customer(
        conn: &mut dyn AsConn,
        profile: &OrgProfile,
        customer: CustomerId,
        now: DateTime<Utc>,
    ) -> Result<Option<Self>> {
        let org = profile.org.id;
        let (from, to) = day_bounds(profile.org.zone(), now);
        let found = q!(
            &mut *conn,
            fetch_optional as TodayVisitRow,
            "SELECT j.id, j.lead_id, j.number, j.service, l.name AS customer, j.address, c.id AS crew_id, c.name AS crew FROM job j
             JOIN crew c ON c.org_id = j.org_id AND c.id = j.crew_id
             JOIN lead l ON l.org_id = j.org_id AND l.id = j.lead_id
             WHERE j.org_id = $1 AND j.customer_id = $2 AND j.starts_at >= $3 AND j.starts_at < $4
                 AND j.status IN ('scheduled', 'in_progress')
             ORDER BY j.status, CASE WHEN j.ends_at > $5 THEN 0 ELSE 1 END, j.starts_at, j.id LIMIT 1",
            org,
            customer,
            from,
            to,
            now
        )?;
        let Some(job) = found else { return Ok(None) };
        let people = list_reachable_members(conn, org, job.crew_id).await?;
        Ok(Some(Self { job, people }))
    }

    /// The crew if it is alerted: only then may the customer be told so.
    #[must_use]
    pub fn notified_crew(&self) -> Option<&str> {
        (!self.people.is_empty()).then_some(self.job.crew.as_str())
    }

    /// Alerts the crew's devices; the office is alerted of every call and text anyway.
    pub(crate) async fn notify_crew(
        &self,
        tx: &mut Tx,
        origin: &ClockRng,
        profile: &OrgProfile,
        touch: TouchId,
        contact: InboundContact<'_>,
    ) -> Result<()> {
        for (person, _) in self.people.iter().filter(|(_, role)| *role == Role::Crew) {
            let alert = self.build_alert(*person, touch, contact);
            alert::raise_alert(&mut *tx, origin, profile, alert).await?;
        }
        Ok(())
    }

    fn build_alert(&self, person: AccountId, touch: TouchId, contact: InboundContact<'_>) -> NewAlert {
        let job = &self.job;
        let place = job.address.as_deref().map(|address| format!(", {address}")).unwrap_or_default();
        let which = format!("#{} {}{place}", job.number, service_label(&job.service));
        let (kind, title, body) = match contact {
            InboundContact::Call => {
                (AlertKind::MissedCall, format!("Missed call: {}", job.customer), format!("Your visit today: {which}"))
            }
            InboundContact::Text(words) => {
                let words = truncate_line(words, QUOTED);
                (AlertKind::TextReceived, format!("Text from {}", job.customer), format!("{words}\n{which}"))
            }
        };
        NewAlert {
            lead: Some(job.lead_id),
            path: Some(format!("/app/jobs/{}", job.id)),
            account: Some(person),
            ..NewAlert::new(kind, format!("today:{touch}:{person}"), title, body)
        }
    }
}

fn day_bounds(zone: Tz, now: DateTime<Utc>) -> (DateTime<Utc>, DateTime<Utc>) {
    let today = now.with_timezone(&zone).date_naive();
    let midnight = |day: NaiveDate| business_hours::local_to_utc(zone, day.and_time(NaiveTime::MIN));
    (midnight(today), midnight(today.checked_add_days(Days::new(1)).unwrap_or(today)))
}

async fn list_reachable_members(conn: &mut dyn AsConn, org: OrgId, crew: CrewId) -> Result<Vec<(AccountId, Role)>> {
    Ok(q!(
        conn,
        fetch_all as (AccountId, Role),
        "SELECT a.id, a.role FROM crew_member m JOIN account a ON a.org_id = m.org_id AND a.id = m.account_id
         WHERE m.org_id = $1 AND m.crew_id = $2 AND a.is_active = TRUE AND EXISTS (SELECT 1 FROM push_device d
             WHERE d.org_id = m.org_id AND d.account_id = a.id AND d.dead_at IS NULL) ORDER BY a.id",
        org,
        crew
    )?)
}
