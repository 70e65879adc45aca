//! An invoice as its customer sees it at their address.

use chrono::NaiveDate;
use serde_json::{Value, json};

use super::{Status, announce, content::Content, row::Row, today};
use crate::{
    documents::{
        line_items::{Paper, Totals},
        template::Language,
    },
    domain::{
        intake::lead::Intake,
        messaging::{
            alert::{self, NewAlert},
            conversation::question::{self, Question},
            followup::compose,
        },
        money::ledger::{PaymentView, receipt::Receipt, view as ledger},
        work::{
            activity::{self, Doer, EventKind, NewEvent},
            file, pipeline,
        },
    },
    platform::{
        access_link::{self, Link},
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        id::{FileId, InvoiceId, PaymentId},
        money::Cents,
        text,
    },
};

/// What the customer's page shows.
#[derive(Clone, Debug)]
pub struct Bill {
    pub status: Status,
    content: Content,
    /// `INV-1001`.
    pub number: String,
    pub issued_on: Option<NaiveDate>,
    pub due_on: Option<NaiveDate>,
    /// Its day has passed, and something of it is open.
    pub is_overdue: bool,
    pub totals: Totals,
    /// What is still to be paid.
    pub balance: Cents,
    /// What was put to it, oldest first, each with its part.
    pub paid: Vec<(PaymentView, Cents)>,
    /// The PDF, as it was sent.
    pub file: Option<FileId>,
}

impl Bill {
    #[must_use]
    pub fn language(&self) -> Language {
        self.content.language
    }

    /// What it is for: "Plumbing".
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.content.title.as_deref()
    }

    /// What it follows from: "EST-1001".
    #[must_use]
    pub fn about(&self) -> Option<&str> {
        self.content.about.as_deref()
    }

    /// Whom it is for.
    #[must_use]
    pub fn customer(&self) -> &str {
        &self.content.to.name
    }

    #[must_use]
    pub fn paper(&self) -> &Paper {
        &self.content.paper
    }

    #[must_use]
    pub fn how_to_pay(&self) -> Option<&str> {
        self.content.how_to_pay.as_deref()
    }
}

/// What the customer sees; none while its PDF is still being made.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such invoice.
pub async fn bill(conn: &mut dyn AsConn, house: &Intake<'_>, id: InvoiceId) -> Result<Option<Bill>> {
    let (org, now) = (house.profile.org.id, house.origin.now());
    let row = Row::get(&mut *conn, org, id).await?;
    let Some(number) = row.shown().filter(|_| !matches!(row.status, Status::Draft | Status::Preparing)) else {
        return Ok(None);
    };
    let rows = ledger::payments(conn, org, row.lead, now).await?;
    let part = |paid: PaymentView| {
        let part = paid.allocations.iter().find(|part| part.invoice_id == id)?.amount;
        Some((paid, part))
    };
    let mut paid: Vec<(PaymentView, Cents)> = rows.into_iter().filter_map(part).collect();
    paid.reverse();
    let late = row.due_on.is_some_and(|due_on| today(house) > due_on);
    Ok(Some(Bill {
        status: row.status,
        number,
        issued_on: row.issued_on,
        due_on: row.due_on,
        is_overdue: late && row.status == Status::Open,
        balance: row.balance(),
        file: row.file_id,
        paid,
        totals: row.content.paper.totals(&row.content.paper.recommended()),
        content: row.content.0,
    }))
}

/// The receipt of one of the payments that were put to it.
///
/// # Errors
/// [`Error::NotFound`] when it is none of them.
pub async fn receipt(
    conn: &mut dyn AsConn,
    house: &Intake<'_>,
    (id, payment): (InvoiceId, PaymentId),
) -> Result<Receipt> {
    let bill = bill(&mut *conn, house, id).await?.ok_or(Error::NotFound)?;
    if !bill.paid.iter().any(|(paid, _)| paid.id == payment) {
        return Err(Error::NotFound);
    }
    Receipt::of(conn, house.profile, payment, house.origin.now()).await
}

/// The customer has looked at it, for longer than a program that only follows links.
pub async fn seen(tx: &mut Tx, house: &Intake<'_>, link: &Link) -> Result<()> {
    let (now, org) = (house.origin.now(), house.profile.org.id);
    let id = InvoiceId(link.subject_id);
    access_link::note_seen(tx, now, link).await?;
    let first = "UPDATE invoice SET viewed_at = $3 WHERE org_id = $1 AND id = $2 AND viewed_at IS NULL";
    if q!(&mut *tx, execute, first, org, id, now)? == 0 {
        return Ok(());
    }
    let row = Row::get(&mut *tx, org, id).await?;
    if let Some(file) = row.file_id {
        file::note_viewed(&mut *tx, org, file, now).await?;
    }
    record(tx, house, &row, EventKind::InvoiceViewed, json!({"number": row.shown()})).await?;
    announce(tx, house.origin, org, id, row.lead).await
}

/// The customer asks something about it: it stands in their conversation, where it can be answered by text or email.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Invalid`] without a question.
pub async fn ask(tx: &mut Tx, house: &Intake<'_>, id: InvoiceId, question: Option<&str>) -> Result<()> {
    let (origin, org) = (house.origin, house.profile.org.id);
    let mut fields = FieldErrors::default();
    let question = text::lines("question", question, 2000).required("Please write your question", &mut fields);
    fields.finish()?;
    let lead = super::lead_of(&mut *tx, org, id).await?;
    pipeline::hold(&mut *tx, org, lead).await?;
    let row = Row::get(&mut *tx, org, id).await?;
    let number = row.shown().ok_or(Error::NotFound)?;
    let partner = compose::partner(&mut *tx, house, lead).await?;
    let asked = Question {
        lead,
        customer: partner.customer,
        name: &row.content.to.name,
        email: partner.email.as_deref(),
        subject: &format!("Question about {number}"),
        words: &format!("{number}: {question}"),
    };
    let Some(message) = question::take(&mut *tx, house, asked).await? else { return Ok(()) };
    let detail = json!({"number": number});
    record(tx, house, &row, EventKind::InvoiceAsked, detail).await?;
    let title = format!("{} asks about invoice {number}", row.content.to.name);
    let key = format!("invoice:{id}:asked:{message}");
    let asks = NewAlert::new(alert::Kind::InvoiceAsked, key, title, question::shortened(&question));
    alert::raise(tx, origin, house.profile, NewAlert { lead: Some(lead), ..asks }).await?;
    announce(tx, origin, org, id, lead).await
}

/// What the customer did with it.
async fn record(tx: &mut Tx, house: &Intake<'_>, row: &Row, kind: EventKind, detail: Value) -> Result<()> {
    let by = Doer::Customer { name: row.content.to.name.clone() };
    let event = NewEvent {
        job: row.job,
        subject: Some(row.id.0),
        detail,
        ..NewEvent::new(row.lead, kind, house.origin.now(), by)
    };
    activity::record(tx, house.origin, house.profile.org.id, event).await.map(|_| ())
}
