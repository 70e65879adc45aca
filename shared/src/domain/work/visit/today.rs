//! Today's visit of somebody who calls or writes: who comes to them, and that whoever comes hears of it.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;
use sqlx::FromRow;

use crate::{
    domain::{
        intake::lead::form::service_label,
        messaging::{
            alert::{self, Kind, NewAlert},
            automation::words::shortened,
        },
        tenancy::{account::Role, org::Profile},
    },
    platform::{
        business_hours,
        clock::Origin,
        db::{AsConn, Tx, q},
        error::Result,
        id::{AccountId, CrewId, CustomerId, JobId, OrgId, TouchId},
    },
};

/// How much of what they wrote a phone shows.
const QUOTED: usize = 140;

/// The visit of today that is going on, or comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Today {
    job: Row,
    /// Who of its crew is told on a phone, and as what.
    people: Vec<(AccountId, Role)>,
}

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
struct Row {
    id: JobId,
    number: i64,
    service: String,
    customer: String,
    address: Option<String>,
    crew_id: CrewId,
    crew: String,
}

/// What a crew hears of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard<'a> {
    Call,
    Text(&'a str),
}

impl Today {
    /// The visit with which a crew comes to this person today, on the business's clock; none when there is none, or
    /// nobody has been sent yet.
    pub async fn of(
        conn: &mut dyn AsConn,
        profile: &Profile,
        customer: CustomerId,
        now: DateTime<Utc>,
    ) -> Result<Option<Self>> {
        let org = profile.org.id;
        let (from, to) = day(profile.org.zone(), now);
        let found = q!(
            &mut *conn,
            fetch_optional as Row,
            "SELECT j.id, j.number, j.service, l.name AS customer, j.address, c.id AS crew_id, c.name AS crew FROM job j
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
        let people = reachable(conn, org, job.crew_id).await?;
        Ok(Some(Self { job, people }))
    }

    /// The crew, if it does hear of what is said to the business: only then a customer is told so.
    #[must_use]
    pub fn crew_that_hears(&self) -> Option<&str> {
        (!self.people.is_empty()).then_some(self.job.crew.as_str())
    }

    /// Tells those who go out, on their own devices. The office is told as of every call and text.
    pub(crate) async fn tell(
        &self,
        tx: &mut Tx,
        origin: &Origin,
        profile: &Profile,
        touch: TouchId,
        heard: Heard<'_>,
    ) -> Result<()> {
        for (person, _) in self.people.iter().filter(|(_, role)| *role == Role::Crew) {
            let alert = self.alert(*person, touch, heard);
            alert::raise(&mut *tx, origin, profile, alert).await?;
        }
        Ok(())
    }

    fn alert(&self, person: AccountId, touch: TouchId, heard: Heard<'_>) -> NewAlert {
        let job = &self.job;
        let place = job.address.as_deref().map(|address| format!(", {address}")).unwrap_or_default();
        let which = format!("#{} {}{place}", job.number, service_label(&job.service));
        let (kind, title, body) = match heard {
            Heard::Call => {
                (Kind::MissedCall, format!("Missed call: {}", job.customer), format!("Your visit today: {which}"))
            }
            Heard::Text(words) => {
                let words = shortened(words, QUOTED);
                (Kind::TextReceived, format!("Text from {}", job.customer), format!("{words}\n{which}"))
            }
        };
        NewAlert {
            path: Some(format!("/app/jobs/{}", job.id)),
            account: Some(person),
            ..NewAlert::new(kind, format!("today:{touch}:{person}"), title, body)
        }
    }
}

/// The day of this instant, from midnight to midnight.
fn day(zone: Tz, now: DateTime<Utc>) -> (DateTime<Utc>, DateTime<Utc>) {
    let today = now.with_timezone(&zone).date_naive();
    let midnight = |day: NaiveDate| business_hours::instant(zone, day.and_time(NaiveTime::MIN));
    (midnight(today), midnight(today.checked_add_days(Days::new(1)).unwrap_or(today)))
}

/// Who of a crew has a device that takes alerts.
async fn reachable(conn: &mut dyn AsConn, org: OrgId, crew: CrewId) -> Result<Vec<(AccountId, Role)>> {
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
