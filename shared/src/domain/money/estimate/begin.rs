//! First half of an estimate: validated, numbered, and stored as still to be drawn.

use chrono::{Duration, NaiveDate};
use sqlx::types::Json;

use super::{
    EstimateKind, EstimateStatus, EstimateTarget, announce_estimate, change,
    content::{self, EstimateForm, EstimateFormContext, EstimateSnapshot, LeadRecipient, NewEstimate, format_number},
    deposit_amount, org_today,
};
use crate::{
    conflicts::ConflictCode,
    domain::{
        tenancy::{activity_log::ActivityActor, org::OrgContext},
        work::{job, pipeline},
    },
    platform::{
        access_link,
        clock::ClockRng,
        db::{AsConn, Tx, insert_row, q},
        error::{Error, Result},
        id::{EstimateId, JobId, LeadId, OrgId},
        sequence,
        tasks::{self, NewTask},
    },
};

/// Time that the caller has to finish before the task takes over.
const TASK_TAKEOVER_DELAY: Duration = Duration::seconds(30);

#[derive(Clone, Copy)]
struct EstimateSubject {
    lead: LeadId,
    job: Option<JobId>,
}

impl EstimateSubject {
    async fn from_target(conn: &mut dyn AsConn, org: OrgId, of: EstimateTarget) -> Result<Self> {
        match of {
            EstimateTarget::Lead(lead) => Ok(Self { lead, job: None }),
            EstimateTarget::Job(job) => Ok(Self { lead: job::find(conn, org, job).await?.lead_id, job: Some(job) }),
            EstimateTarget::Version(id) => {
                let sql = "SELECT lead_id, job_id FROM estimate WHERE org_id = $1 AND id = $2";
                let found = q!(conn, fetch_optional as (LeadId, Option<JobId>), sql, org, id)?;
                found.map(|(lead, job)| Self { lead, job }).ok_or(Error::NotFound)
            }
        }
    }

    fn kind(self) -> EstimateKind {
        EstimateKind::from_job(self.job)
    }
}

/// First half: a numbered estimate that its customer cannot see yet.
/// Errors: [`Error::NotFound`], [`Error::Invalid`] naming every field that does not fit, [`Error::Conflict`] when there
/// can be no newer version of it, or the job cannot be changed.
pub async fn begin_issue(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    of: EstimateTarget,
    form: &EstimateForm,
    by: &ActivityActor,
) -> Result<EstimateId> {
    let (origin, profile) = (ctx.origin, ctx.profile);
    let org = profile.org.id;
    let subject = EstimateSubject::from_target(&mut *tx, org, of).await?;
    pipeline::lock_stage(tx, org, subject.lead).await?;
    let asker = content::load_recipient(&mut *tx, org, subject.lead).await?;
    let today = org_today(ctx);
    let sort = subject.kind();
    let new = form.to_new_estimate(&EstimateFormContext { profile, asker: &asker, today, sort })?;
    let before = find_previous_version(&mut *tx, org, of, sort, today).await?;
    let change = match subject.job {
        Some(job) => {
            let own = before.map(|(number, _)| number);
            let total = new.paper.compute_totals(&new.paper.recommended_selection()).total;
            Some(change::prepare_change_order(&mut *tx, org, (subject.lead, job), own, total).await?)
        }
        None => None,
    };
    let id = EstimateId(origin.uuid_v7());
    let link = access_link::ensure_link(&mut *tx, origin, org, access_link::LinkKind::Estimate, id.0, None).await?;
    let (number, version) = match before {
        Some((number, version)) => (number, version + 1),
        None => (sort.signed_number(sequence::next_number(&mut *tx, org, sort.number_series()).await?), 1),
    };
    let prefix = sort.number_prefix(&profile.settings.estimates.prefix);
    let shown = format_number(prefix, sort.signed_number(number), version);
    let row = PreparedEstimate {
        id,
        subject,
        number,
        version,
        content: EstimateSnapshot::new(profile, &asker, &new, shown, link, change),
    };
    row.insert(tx, origin, org, (&asker, &new), by).await?;
    let task = NewTask {
        org: Some(org),
        kind: tasks::TaskKind::FinalizeDocument,
        subject: Some(id.0),
        run_at: origin.now() + TASK_TAKEOVER_DELAY,
        unique_key: format!("finalize_document:{id}"),
    };
    tasks::enqueue(tx, origin, vec![task]).await?;
    announce_estimate(tx, origin, org, id, subject.lead).await?;
    Ok(id)
}

struct PreparedEstimate {
    id: EstimateId,
    subject: EstimateSubject,
    number: i64,
    version: i64,
    content: EstimateSnapshot,
}

impl PreparedEstimate {
    async fn insert(
        self,
        tx: &mut Tx,
        origin: &ClockRng,
        org: OrgId,
        (asker, new): (&LeadRecipient, &NewEstimate),
        by: &ActivityActor,
    ) -> Result<()> {
        let total = new.paper.compute_totals(&new.paper.recommended_selection()).total;
        insert_row!(
            tx,
            execute,
            estimate {
                org_id: org,
                id: self.id,
                lead_id: self.subject.lead,
                customer_id: asker.customer,
                job_id: self.subject.job,
                number: self.number,
                version: self.version,
                status: EstimateStatus::Preparing,
                content: Json(self.content),
                total_cents: total,
                deposit_cents: deposit_amount(new.deposit, total),
                issued_on: new.issued_on,
                expires_on: new.expires_on,
                created_by: by.account_id(),
                created_at: origin.now(),
            }
        )?;
        Ok(())
    }
}

/// The number to continue and its newest version; none when a new number is taken.
async fn find_previous_version(
    conn: &mut dyn AsConn,
    org: OrgId,
    of: EstimateTarget,
    sort: EstimateKind,
    today: NaiveDate,
) -> Result<Option<(i64, i64)>> {
    let number = match of {
        EstimateTarget::Lead(lead) => {
            let sql = "SELECT number FROM estimate WHERE org_id = $1 AND lead_id = $2 AND job_id IS NULL
                 AND status <> 'withdrawn' ORDER BY created_at DESC, version DESC, id DESC LIMIT 1";
            q!(&mut *conn, fetch_optional scalar i64, sql, org, lead)?
        }
        // Each change order has its own number.
        EstimateTarget::Job(_) => None,
        EstimateTarget::Version(id) => {
            let sql = "SELECT number, status, expires_on FROM estimate WHERE org_id = $1 AND id = $2";
            let row = q!(&mut *conn, fetch_optional as (i64, EstimateStatus, Option<NaiveDate>), sql, org, id)?;
            let (number, status, expires_on) = row.ok_or(Error::NotFound)?;
            check_revisable(sort, status.status_on(today, expires_on))?;
            Some(number)
        }
    };
    let Some(number) = number else { return Ok(None) };
    let newest = "SELECT MAX(version) FROM estimate WHERE org_id = $1 AND number = $2";
    Ok(Some((number, q!(conn, fetch_one scalar i64, newest, org, number)?)))
}

fn check_revisable(sort: EstimateKind, status: EstimateStatus) -> Result<()> {
    let refused = match status {
        EstimateStatus::Open
        | EstimateStatus::Expired
        | EstimateStatus::Declined
        | EstimateStatus::Approved
        | EstimateStatus::Preparing => return Ok(()),
        EstimateStatus::Replaced | EstimateStatus::Superseded => ConflictCode::NewerVersionEditable,
        EstimateStatus::Withdrawn => {
            sort.choose_by_kind(ConflictCode::EstimateWithdrawnForGood, ConflictCode::ChangeOrderWithdrawnForGood)
        }
    };
    Err(refused.into())
}
