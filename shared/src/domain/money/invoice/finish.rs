//! An invoice on its way out: it gets its number and its day, its file is there, it is opened, takes what was paid ahead,
//! and goes to its customer.

use chrono::{Duration, TimeDelta};
use sqlx::types::Json;

use super::{
    Status, agreed, announce,
    content::Content,
    draw::Drawn,
    dunning,
    make::is_true_still,
    row::Row,
    send::{Parcel, deliver},
    today,
};
use crate::{
    domain::{
        intake::lead::Intake,
        messaging::message,
        money::{
            estimate::{
                Delivery,
                content::{Ways, asker},
            },
            ledger,
        },
        work::{activity::Doer, pipeline},
    },
    platform::{
        access_link,
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{AccountId, InvoiceId, OrgId},
        money::Cents,
        sequence::{self, Series},
        tasks::{self, NewTask},
    },
};

/// How long whoever began may take before the task takes over.
const TASK_TAKES_OVER: Duration = Duration::seconds(30);

/// The first half: the draft gets its number and never changes again. Its customer does not see it yet.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when it is no draft, or what it was reckoned from has changed.
pub async fn begin(tx: &mut Tx, house: &Intake<'_>, id: InvoiceId, ways: Ways, by: &Doer) -> Result<()> {
    let (origin, profile) = (house.origin, house.profile);
    let org = profile.org.id;
    let lead = super::lead_of(&mut *tx, org, id).await?;
    pipeline::hold(tx, org, lead).await?;
    let row = Row::get(&mut *tx, org, id).await?;
    if row.status != Status::Draft {
        return Err(Error::Conflict("It has gone out already."));
    }
    is_true_still(&mut *tx, org, &row).await?;
    let total = agreed::total(&row.content.paper);
    if total <= Cents::ZERO {
        return Err(Error::Conflict("There is nothing to pay on it. Change its lines first."));
    }
    let asker = asker(&mut *tx, org, lead).await?;
    let link = access_link::ensure(tx, origin, org, access_link::Kind::Invoice, id.0, None).await?;
    let content = Content {
        link: Some(link),
        ways: Some(ways),
        sent_by: by.account(),
        ahead: ledger::ahead(tx, org, lead, total).await?,
        ..row.content.0.renewed(profile, &asker)
    };
    let invoicing = &profile.settings.invoicing;
    let today = today(house);
    let due_on = row.due_on.unwrap_or(today + TimeDelta::days(invoicing.terms_days)).max(today);
    let number = sequence::take(&mut *tx, org, Series::Invoice).await?;
    q!(
        &mut *tx,
        execute,
        "UPDATE invoice SET status = $3, number = $4, content = $5, total_cents = $6, issued_on = $7, due_on = $8,
             is_reminded = $9
         WHERE org_id = $1 AND id = $2",
        org,
        id,
        Status::Preparing,
        number,
        Json(content),
        total,
        today,
        due_on,
        invoicing.dunning
    )?;
    let task = NewTask {
        org: Some(org),
        kind: tasks::Kind::FinishPaper,
        subject: Some(id.0),
        run_at: origin.now() + TASK_TAKES_OVER,
        unique_key: format!("finish_paper:{id}"),
    };
    tasks::enqueue(tx, origin, vec![task]).await?;
    announce(tx, origin, org, id, lead).await
}

/// The second half: its file stands in the store, so it is opened, takes what was paid ahead, and goes out. True when
/// this call did it; run again it does nothing.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such invoice.
pub async fn finish(tx: &mut Tx, house: &Intake<'_>, drawn: &Drawn) -> Result<bool> {
    let (origin, org, id) = (house.origin, house.profile.org.id, drawn.id);
    let lead = super::lead_of(&mut *tx, org, id).await?;
    pipeline::hold(tx, org, lead).await?;
    let row = Row::get(&mut *tx, org, id).await?;
    if row.status != Status::Preparing {
        return Ok(false);
    }
    let by = maker(&mut *tx, org, row.content.sent_by).await?;
    let file = drawn.store(tx, origin, org, (lead, row.job), row.content.sent_by).await?;
    let sql = "UPDATE invoice SET status = $3, file_id = $4 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, id, Status::Open, file)?;
    ledger::apply_credit(tx, origin, org, id, &by).await?;
    // As the ledger has left it.
    let row = Row::get(&mut *tx, org, id).await?;
    let ways = row.content.ways.unwrap_or(Ways { email: true, text: true });
    let parcel = Parcel::of(tx, house, &row, file, ways).await?;
    let (_, event) = deliver(tx, house, &parcel, "issued", &by).await?;
    if row.is_reminded && row.status == Status::Open {
        dunning::plan(tx, origin, house.profile, id, Some(event)).await?;
    }
    announce(tx, origin, org, id, lead).await?;
    Ok(true)
}

/// Who had it issued.
async fn maker(conn: &mut dyn AsConn, org: OrgId, account: Option<AccountId>) -> Result<Doer> {
    let Some(id) = account else { return Ok(Doer::System) };
    let sql = "SELECT name FROM account WHERE org_id = $1 AND id = $2";
    let name = q!(conn, fetch_optional scalar String, sql, org, id)?;
    Ok(name.map_or(Doer::System, |name| Doer::Account { id, name }))
}

/// Sends an invoice again that has gone out before.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] with why it cannot be sent.
pub async fn send_again(tx: &mut Tx, house: &Intake<'_>, id: InvoiceId, ways: Ways, by: &Doer) -> Result<Delivery> {
    let org = house.profile.org.id;
    let lead = super::lead_of(&mut *tx, org, id).await?;
    pipeline::hold(tx, org, lead).await?;
    let row = Row::get(&mut *tx, org, id).await?;
    may_be_sent(row.status)?;
    let file = row.file_id.ok_or_else(|| Error::Internal(format!("invoice {id} is open without its file")))?;
    let parcel = Parcel::of(tx, house, &row, file, ways).await?;
    // Each press is a cause of its own.
    let turn = format!("again:{}", house.origin.uuid());
    let (delivery, _) = deliver(tx, house, &parcel, &turn, by).await?;
    message::paper::replace(tx, house.origin, (org, id.0), &delivery.messages()).await?;
    announce(tx, house.origin, org, id, lead).await?;
    Ok(delivery)
}

fn may_be_sent(status: Status) -> Result<()> {
    Err(Error::Conflict(match status {
        Status::Open | Status::Paid => return Ok(()),
        Status::Draft | Status::Preparing => "It is being made right now. Please try again in a moment.",
        Status::Void => "It was taken back. Make a new invoice instead.",
    }))
}

/// Whether it is still a draft, and so to be issued.
pub async fn is_draft(conn: &mut dyn AsConn, org: OrgId, id: InvoiceId) -> Result<bool> {
    Ok(Row::get(conn, org, id).await?.status == Status::Draft)
}

/// A new address for the invoice: the old one opens nothing any more.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] for a draft, which has none.
pub async fn new_link(tx: &mut Tx, origin: &Origin, org: OrgId, id: InvoiceId) -> Result<()> {
    let lead = super::lead_of(&mut *tx, org, id).await?;
    if access_link::in_force(&mut *tx, org, access_link::Kind::Invoice, id.0).await?.is_none() {
        return Err(Error::Conflict("It has no address yet: it gets one when it is sent."));
    }
    access_link::rotate(&mut *tx, origin, org, access_link::Kind::Invoice, id.0, None).await?;
    announce(tx, origin, org, id, lead).await
}
