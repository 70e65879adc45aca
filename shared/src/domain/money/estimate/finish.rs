//! The second half of an estimate: its file is there, so it is opened and goes out.

use chrono::NaiveDate;
use sqlx::{FromRow, types::Json};

use super::{
    Delivery, Drawn, Sort, Status, Ways, announce,
    content::{self, Content},
    estimate_kind::Happened,
    lead_of,
    manual::{Taken, take_back},
    send,
};
use crate::{
    domain::{
        intake::lead::{Intake, Stage},
        messaging::{followup, message},
        money::ledger,
        work::{
            activity::{self, Doer, NewEvent},
            job,
            pipeline::{self, Cause},
        },
    },
    platform::{
        access_link,
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{AccountId, EstimateId, FileId, JobId, LeadId, MessageId, OrgId},
        money::Cents,
    },
};

/// A version with what finishing and sending it take.
#[derive(FromRow)]
pub(super) struct Row {
    pub id: EstimateId,
    #[sqlx(rename = "lead_id")]
    pub lead: LeadId,
    /// The job that a change order changes.
    #[sqlx(rename = "job_id")]
    pub job: Option<JobId>,
    number: i64,
    version: i64,
    pub status: Status,
    pub content: Json<Content>,
    total_cents: Cents,
    pub expires_on: Option<NaiveDate>,
    pub file_id: Option<FileId>,
    created_by: Option<AccountId>,
    made_by: Option<String>,
}

impl Row {
    pub async fn get(conn: &mut dyn AsConn, org: OrgId, id: EstimateId) -> Result<Self> {
        q!(
            conn,
            fetch_optional as Self,
            "SELECT e.id, e.lead_id, e.job_id, e.number, e.version, e.status, e.content, e.total_cents, e.expires_on,
                 e.file_id, e.created_by, a.name AS made_by
             FROM estimate e LEFT JOIN account a ON a.org_id = e.org_id AND a.id = e.created_by
             WHERE e.org_id = $1 AND e.id = $2",
            org,
            id
        )?
        .ok_or(Error::NotFound)
    }

    pub fn sort(&self) -> Sort {
        Sort::of(self.job)
    }

    fn maker(&self) -> Doer {
        match (self.created_by, &self.made_by) {
            (Some(id), Some(name)) => Doer::Account { id, name: name.clone() },
            _ => Doer::System,
        }
    }
}

/// The second half: its file stands in the store, so it is opened, takes the place of its earlier versions, and goes
/// out. True when this call did it; run again it does nothing.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such estimate.
pub async fn finish(tx: &mut Tx, house: &Intake<'_>, drawn: &Drawn) -> Result<bool> {
    let (origin, org, id) = (house.origin, house.profile.org.id, drawn.id);
    let lead = lead_of(&mut *tx, org, id).await?;
    pipeline::hold(tx, org, lead).await?;
    let row = Row::get(&mut *tx, org, id).await?;
    if row.status != Status::Preparing {
        return Ok(false);
    }
    let file = drawn.store(tx, origin, org, (lead, row.job), row.created_by).await?;
    let newer = "SELECT EXISTS (SELECT 1 FROM estimate WHERE org_id = $1 AND number = $2 AND version > $3
        AND status NOT IN ('preparing', 'withdrawn'))";
    let is_late = q!(&mut *tx, fetch_one scalar bool, newer, org, row.number, row.version)?;
    if !is_late {
        replace_earlier(tx, house, &row).await?;
    }
    q!(
        &mut *tx,
        execute,
        "UPDATE estimate SET status = $3, file_id = $4, settled_at = $5 WHERE org_id = $1 AND id = $2",
        org,
        id,
        if is_late { Status::Replaced } else { Status::Open },
        file,
        is_late.then(|| origin.now())
    )?;
    announce(tx, origin, org, id, lead).await?;
    if is_late {
        return Ok(true);
    }
    let by = row.maker();
    if is_off(&mut *tx, org, row.job).await? {
        let reason = "the job was cancelled while it was being made";
        return take_back(tx, origin, org, id, Taken { reason, with: None, by: &by }).await.map(|_| true);
    }
    hand_over(tx, house, &row, (file, row.content.ways), "made", &by).await?;
    // A change order changes neither what was quoted nor where the work stands.
    if row.sort() == Sort::Estimate {
        note_quoted(tx, org, lead).await?;
        pipeline::advance(tx, origin, org, lead, Stage::Quoted, Cause::EstimateSent, &by, None).await?;
    }
    Ok(true)
}

/// Whether the job that is to be changed was cancelled meanwhile.
async fn is_off(conn: &mut dyn AsConn, org: OrgId, job: Option<JobId>) -> Result<bool> {
    let Some(job) = job else { return Ok(false) };
    Ok(job::find(conn, org, job).await?.status == job::Status::Cancelled)
}

/// Open and declined versions before this one give way. What was approved stays as it was signed.
async fn replace_earlier(tx: &mut Tx, house: &Intake<'_>, newer: &Row) -> Result<()> {
    let (origin, org) = (house.origin, house.profile.org.id);
    let replaced = q!(
        &mut *tx,
        fetch_all scalar EstimateId,
        "UPDATE estimate SET status = 'replaced', settled_at = $4
         WHERE org_id = $1 AND number = $2 AND version < $3 AND status IN ('open', 'declined') RETURNING id",
        org,
        newer.number,
        newer.version,
        origin.now()
    )?;
    for id in replaced {
        let kind = newer.sort().event(Happened::Replaced);
        let event = NewEvent {
            job: newer.job,
            subject: Some(id.0),
            detail: serde_json::json!({"by": newer.content.number}),
            ..NewEvent::new(newer.lead, kind, origin.now(), newer.maker())
        };
        let event = activity::record(tx, origin, org, event).await?;
        followup::stop(tx, origin, org, id.0, "a newer version was made", Some(event)).await?;
        access_link::settled(tx, origin, org, access_link::Kind::Estimate, id.0).await?;
        stop_messages(tx, origin, org, id, "a newer version was made").await?;
        announce(tx, origin, org, id, newer.lead).await?;
    }
    Ok(())
}

/// What was still to leave about an estimate does not.
pub(super) async fn stop_messages(tx: &mut Tx, origin: &Origin, org: OrgId, id: EstimateId, why: &str) -> Result<()> {
    let sql = "SELECT id FROM message WHERE org_id = $1 AND about_id = $2 AND status IN ('queued', 'held')";
    for message in q!(&mut *tx, fetch_all scalar MessageId, sql, org, id)? {
        message::drop_unsent(tx, origin, org, message, why).await?;
    }
    Ok(())
}

/// What stands on the lead as quoted: the approved estimates, else the open one.
pub(super) async fn note_quoted(tx: &mut Tx, org: OrgId, lead: LeadId) -> Result<()> {
    let quoted = ledger::quoted(&mut *tx, org, lead).await?;
    let sql = "UPDATE lead SET quoted_cents = $3 WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, org, lead, quoted)?;
    Ok(())
}

pub(super) async fn hand_over(
    tx: &mut Tx,
    house: &Intake<'_>,
    row: &Row,
    (file, ways): (FileId, Ways),
    turn: &str,
    by: &Doer,
) -> Result<Delivery> {
    let org = house.profile.org.id;
    let asker = content::asker(&mut *tx, org, row.lead).await?;
    let parcel = send::Parcel {
        asker: &asker,
        sort: row.sort(),
        job: row.job,
        job_total: row.content.change.as_ref().map(|change| change.with(row.total_cents)),
        id: row.id,
        number: &row.content.number,
        version: row.version,
        total: row.total_cents,
        file,
        link: address(&mut *tx, house, row.id).await?,
        ways,
    };
    send::deliver(tx, house, &parcel, turn, by).await
}

/// Where the customer reads and approves it; made anew when it was taken back.
async fn address(tx: &mut Tx, house: &Intake<'_>, id: EstimateId) -> Result<String> {
    let org = house.profile.org.id;
    let link = access_link::ensure(tx, house.origin, org, access_link::Kind::Estimate, id.0, None).await?;
    Ok(house.public_url.join(&access_link::path(house.secret, link, access_link::Kind::Estimate)))
}
