//! The first half of an estimate: read from what was typed, numbered, and stored as what is still to be drawn.

use chrono::{Duration, NaiveDate};
use sqlx::types::Json;

use super::{
    Of, Sort, Status, announce, change,
    content::{self, Asker, Content, EstimateForm, New, Reader, shown_number},
    deposit, today,
};
use crate::{
    domain::{
        intake::lead::Intake,
        work::{activity::Doer, job, pipeline},
    },
    platform::{
        access_link,
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{EstimateId, JobId, LeadId, OrgId},
        sequence,
        tasks::{self, NewTask},
    },
};

/// How long whoever began may take before the task takes over.
const TASK_TAKES_OVER: Duration = Duration::seconds(30);

/// What a paper belongs to.
#[derive(Clone, Copy)]
struct Subject {
    lead: LeadId,
    /// The job that a change order changes.
    job: Option<JobId>,
}

impl Subject {
    async fn of(conn: &mut dyn AsConn, org: OrgId, of: Of) -> Result<Self> {
        match of {
            Of::Lead(lead) => Ok(Self { lead, job: None }),
            Of::Job(job) => Ok(Self { lead: job::find(conn, org, job).await?.lead_id, job: Some(job) }),
            Of::Version(id) => {
                let sql = "SELECT lead_id, job_id FROM estimate WHERE org_id = $1 AND id = $2";
                let found = q!(conn, fetch_optional as (LeadId, Option<JobId>), sql, org, id)?;
                found.map(|(lead, job)| Self { lead, job }).ok_or(Error::NotFound)
            }
        }
    }

    fn sort(self) -> Sort {
        Sort::of(self.job)
    }
}

/// The first half: an estimate with its number, not to be seen by its customer yet.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Invalid`] naming every field that does not fit, [`Error::Conflict`] when there can be no
/// newer version of it, or the job cannot be changed.
pub async fn begin(tx: &mut Tx, house: &Intake<'_>, of: Of, form: &EstimateForm, by: &Doer) -> Result<EstimateId> {
    let (origin, profile) = (house.origin, house.profile);
    let org = profile.org.id;
    let subject = Subject::of(&mut *tx, org, of).await?;
    pipeline::hold(tx, org, subject.lead).await?;
    let asker = content::asker(&mut *tx, org, subject.lead).await?;
    let today = today(house);
    let sort = subject.sort();
    let new = form.read(&Reader { profile, asker: &asker, today, sort })?;
    let before = before(&mut *tx, org, of, sort, today).await?;
    let change = match subject.job {
        Some(job) => {
            let own = before.map(|(number, _)| number);
            let total = new.paper.totals(&new.paper.recommended()).total;
            Some(change::begun(&mut *tx, org, (subject.lead, job), own, total).await?)
        }
        None => None,
    };
    let id = EstimateId(origin.uuid());
    let link = access_link::ensure(&mut *tx, origin, org, access_link::Kind::Estimate, id.0, None).await?;
    let (number, version) = match before {
        Some((number, version)) => (number, version + 1),
        None => (sort.stored(sequence::take(&mut *tx, org, sort.series()).await?), 1),
    };
    let prefix = sort.prefix(&profile.settings.estimates.prefix);
    let shown = shown_number(prefix, sort.stored(number), version);
    let row =
        Prepared { id, subject, number, version, content: Content::new(profile, &asker, &new, shown, link, change) };
    row.store(tx, origin, org, (&asker, &new), by).await?;
    let task = NewTask {
        org: Some(org),
        kind: tasks::Kind::FinishPaper,
        subject: Some(id.0),
        run_at: origin.now() + TASK_TAKES_OVER,
        unique_key: format!("finish_paper:{id}"),
    };
    tasks::enqueue(tx, origin, vec![task]).await?;
    announce(tx, origin, org, id, subject.lead).await?;
    Ok(id)
}

/// A version that is about to be stored.
struct Prepared {
    id: EstimateId,
    subject: Subject,
    /// As it is stored.
    number: i64,
    version: i64,
    content: Content,
}

impl Prepared {
    async fn store(
        self,
        tx: &mut Tx,
        origin: &Origin,
        org: OrgId,
        (asker, new): (&Asker, &New),
        by: &Doer,
    ) -> Result<()> {
        let total = new.paper.totals(&new.paper.recommended()).total;
        q!(
            tx,
            execute,
            "INSERT INTO estimate (org_id, id, lead_id, customer_id, job_id, number, version, status, content, total_cents,
                 deposit_cents, issued_on, expires_on, created_by, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
            org,
            self.id,
            self.subject.lead,
            asker.customer,
            self.subject.job,
            self.number,
            self.version,
            Status::Preparing,
            Json(self.content),
            total,
            deposit(new.deposit, total),
            new.issued_on,
            new.expires_on,
            by.account(),
            origin.now()
        )?;
        Ok(())
    }
}

/// The number that is continued, and its newest version; none when a number of its own is taken.
async fn before(conn: &mut dyn AsConn, org: OrgId, of: Of, sort: Sort, today: NaiveDate) -> Result<Option<(i64, i64)>> {
    let number = match of {
        Of::Lead(lead) => {
            let sql = "SELECT number FROM estimate WHERE org_id = $1 AND lead_id = $2 AND job_id IS NULL
                 AND status <> 'withdrawn' ORDER BY created_at DESC, version DESC, id DESC LIMIT 1";
            q!(&mut *conn, fetch_optional scalar i64, sql, org, lead)?
        }
        // Each change stands beside the others.
        Of::Job(_) => None,
        Of::Version(id) => {
            let sql = "SELECT number, status, expires_on FROM estimate WHERE org_id = $1 AND id = $2";
            let row = q!(&mut *conn, fetch_optional as (i64, Status, Option<NaiveDate>), sql, org, id)?;
            let (number, status, expires_on) = row.ok_or(Error::NotFound)?;
            may_be_revised(sort, status.on(today, expires_on))?;
            Some(number)
        }
    };
    let Some(number) = number else { return Ok(None) };
    let newest = "SELECT MAX(version) FROM estimate WHERE org_id = $1 AND number = $2";
    Ok(Some((number, q!(conn, fetch_one scalar i64, newest, org, number)?)))
}

fn may_be_revised(sort: Sort, status: Status) -> Result<()> {
    Err(Error::Conflict(match status {
        Status::Open | Status::Expired | Status::Declined | Status::Approved | Status::Preparing => return Ok(()),
        Status::Replaced | Status::Superseded => "A newer version of it was made. Please change that one.",
        Status::Withdrawn => sort
            .say("It was withdrawn. Please make a new estimate.", "It was withdrawn. Please make a new change order."),
    }))
}
