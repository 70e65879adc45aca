//! An estimate as its customer sees it at their address.

use chrono::NaiveDate;
use sqlx::{FromRow, types::Json};

use super::{
    Sort, Status,
    change::{self, Agreed, But},
    content::Content,
    today,
    view::hex,
};
use crate::{
    domain::intake::lead::Intake,
    platform::{
        db::{AsConn, q},
        error::{Error, Result},
        id::{CustomerId, EstimateId, FileId, JobId, LeadId},
        money::Cents,
    },
};

/// One version, with what showing it and answering it take.
#[derive(Clone, Debug, FromRow)]
pub(super) struct Row {
    pub lead_id: LeadId,
    pub customer_id: CustomerId,
    /// The job that a change order changes.
    pub job_id: Option<JobId>,
    pub status: Status,
    pub content: Json<Content>,
    pub issued_on: NaiveDate,
    pub expires_on: Option<NaiveDate>,
    pub file_id: Option<FileId>,
    /// Of the PDF as it lies in the file store.
    pub sha256: Option<Vec<u8>>,
    pub number: i64,
}

impl Row {
    pub async fn get(conn: &mut dyn AsConn, house: &Intake<'_>, id: EstimateId) -> Result<Self> {
        q!(
            conn,
            fetch_optional as Self,
            "SELECT e.lead_id, e.customer_id, e.job_id, e.status, e.content, e.issued_on, e.expires_on, e.file_id, f.sha256,
                 e.number
             FROM estimate e LEFT JOIN file f ON f.org_id = e.org_id AND f.id = e.file_id
             WHERE e.org_id = $1 AND e.id = $2",
            house.profile.org.id,
            id
        )?
        .ok_or(Error::NotFound)
    }

    pub fn sort(&self) -> Sort {
        Sort::of(self.job_id)
    }

    /// Where it stands on the business's day.
    pub fn standing(&self, house: &Intake<'_>) -> Status {
        self.status.on(today(house), self.expires_on)
    }
}

/// What the customer's page shows.
#[derive(Clone, Debug)]
pub struct Offer {
    pub id: EstimateId,
    pub status: Status,
    pub(super) content: Content,
    pub issued_on: NaiveDate,
    pub expires_on: Option<NaiveDate>,
    /// The PDF, as it was sent.
    pub file: Option<FileId>,
    /// Of that PDF, in hexadecimal digits: an approval names it, so that nobody approves what they did not see.
    pub sha256: String,
    /// Once it was approved.
    pub approval: Option<super::view::ApprovalView>,
    /// The signed copy, once it is made.
    pub signed_file: Option<FileId>,
    /// What a change order is added to, as it is agreed now, or was when this one was signed.
    before: Vec<Agreed>,
}

/// What the customer sees; none while its PDF is still being made.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such estimate.
pub async fn offer(conn: &mut dyn AsConn, house: &Intake<'_>, id: EstimateId) -> Result<Option<Offer>> {
    let row = Row::get(&mut *conn, house, id).await?;
    if row.status == Status::Preparing {
        return Ok(None);
    }
    let shown = super::view(&mut *conn, house, id).await?;
    let before = match row.job_id {
        Some(job) => {
            let but = But { number: Some(row.number), since: shown.approved_at };
            change::agreed(conn, house.profile.org.id, (row.lead_id, job), but).await?
        }
        None => Vec::new(),
    };
    Ok(Some(Offer {
        before,
        id,
        status: shown.status,
        issued_on: row.issued_on,
        expires_on: row.expires_on,
        file: row.file_id,
        sha256: row.sha256.as_deref().map(hex).unwrap_or_default(),
        approval: shown.approval,
        signed_file: shown.signed_file_id,
        content: row.content.0,
    }))
}

impl Offer {
    /// `EST-1001`.
    #[must_use]
    pub fn number(&self) -> &str {
        &self.content.number
    }

    #[must_use]
    pub fn language(&self) -> crate::documents::template::Language {
        self.content.language
    }

    #[must_use]
    pub fn sort(&self) -> Sort {
        self.content.sort()
    }

    /// The number of the job that a change order changes.
    #[must_use]
    pub fn job(&self) -> Option<i64> {
        self.content.change.as_ref().map(|change| change.job)
    }

    /// What had been agreed before a change order, each with its label, oldest first.
    #[must_use]
    pub fn before(&self) -> Vec<(String, Cents)> {
        let Some(job) = self.job() else { return Vec::new() };
        self.before.iter().map(|part| (part.label(job, self.content.language), part.total)).collect()
    }

    /// What is agreed in all with so much more.
    #[must_use]
    pub fn with(&self, total: Cents) -> Cents {
        [change::sum(&self.before), total].into_iter().sum()
    }

    /// What it is for: "Plumbing".
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.content.title.as_deref()
    }

    /// Whom it is for.
    #[must_use]
    pub fn customer(&self) -> &str {
        &self.content.to.name
    }

    #[must_use]
    pub fn paper(&self) -> &crate::documents::line_items::Paper {
        &self.content.paper
    }

    #[must_use]
    pub fn deposit(&self) -> crate::documents::line_items::DepositRule {
        self.content.deposit
    }
}
