//! Receipts: what somebody who paid gets in writing, as a PDF that is drawn anew from the ledger whenever it is asked
//! for, and by email once the payment can no longer be taken back.

use chrono::{DateTime, Duration, Utc};
use serde_json::json;
use sqlx::FromRow;

use super::{Kind, Method, NewPayment, PaymentView, debt, view};
use crate::{
    documents::{
        pdf::{self, Means, ReceiptPaper, Recipient, Sender},
        template::{self, Page, Variables},
    },
    domain::{
        messaging::{
            automation::{self, Draft, not_sent, sends},
            message::{self, Channel},
        },
        money::estimate::{
            Asker, Delivery,
            content::asker,
            send::{NotSentBy, SentBy},
        },
        tenancy::org::Profile,
        work::{
            activity::UNDO,
            file::{self, Category, NewFile},
        },
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{EventId, LeadId, MessageId, OrgId, PaymentId},
        money::Cents,
        storage::Storage,
        tasks::{self, NewTask},
    },
};

mod returned;
mod words;

pub use returned::{gone_back, note_gone_back};

const RULE: &str = "receipt";
const EVENT: &str = "payment_recorded";
/// The receipt leaves when the minute of grace is surely over.
const AFTER_UNDO: Duration = Duration::seconds(1);

/// Whether who paid is to get a receipt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wish {
    /// As the settings say.
    #[default]
    AsUsual,
    Yes,
    No,
}

impl From<Option<bool>> for Wish {
    fn from(ticked: Option<bool>) -> Self {
        ticked.map_or(Self::AsUsual, |ticked| if ticked { Self::Yes } else { Self::No })
    }
}

/// A receipt before it is drawn.
#[derive(Clone, Debug)]
pub struct Receipt {
    pub org: OrgId,
    pub lead: LeadId,
    pub payment: PaymentId,
    event: Option<EventId>,
    logo_key: Option<String>,
    paper: ReceiptPaper,
}

/// What a payment's row says beside what people see of it.
#[derive(FromRow)]
struct Row {
    lead_id: LeadId,
    event_id: Option<EventId>,
    created_at: DateTime<Utc>,
}

/// When money was recorded: a receipt goes out a minute later, or it stands why not.
pub(super) async fn decide(
    tx: &mut Tx,
    origin: &Origin,
    profile: &Profile,
    id: PaymentId,
    new: &NewPayment,
) -> Result<()> {
    let org = profile.org.id;
    let who = asker(&mut *tx, org, new.lead).await?;
    let is_on = profile.settings.invoicing.receipts;
    let wanted = match new.receipt {
        Wish::AsUsual if !is_on => Some("receipts are switched off"),
        Wish::No => Some("nobody asked for one"),
        Wish::AsUsual | Wish::Yes => why_not(profile, &who),
    };
    let Some(why) = wanted else {
        let run_at = origin.now() + UNDO + AFTER_UNDO;
        let task = NewTask {
            org: Some(org),
            kind: tasks::Kind::SendReceipt,
            subject: Some(id.0),
            run_at,
            unique_key: format!("receipt:{id}"),
        };
        return tasks::enqueue(tx, origin, vec![task]).await.map(|_| ());
    };
    let decided = not_sent(RULE, Channel::Email, why, saw(profile, &who));
    automation::carry_out(tx, origin, org, new.lead, EVENT, vec![decided]).await
}

/// Why no receipt can go out; none when it can.
fn why_not(profile: &Profile, who: &Asker) -> Option<&'static str> {
    match who.to.email {
        None => Some(who.to.no_email()),
        Some(_) if !profile.wording(template::Kind::Receipt, who.language()).enabled => {
            Some("this template is switched off")
        }
        Some(_) => None,
    }
}

fn saw(profile: &Profile, who: &Asker) -> serde_json::Value {
    let wording = profile.wording(template::Kind::Receipt, who.language());
    json!({
        "receipts": profile.settings.invoicing.receipts, "templateEnabled": wording.enabled,
        "hasAddress": who.to.email.is_some(), "language": who.language(),
    })
}

/// The payment whose receipt waits to go out; none when it was taken back, is not settled, or its receipt has gone out
/// or was sent by somebody meanwhile.
pub async fn pending(conn: &mut dyn AsConn, id: PaymentId) -> Result<Option<OrgId>> {
    Ok(q!(
        conn,
        fetch_optional scalar OrgId,
        "SELECT p.org_id FROM payment p WHERE p.id = $1 AND p.undone_at IS NULL AND p.status = 'settled'
             AND NOT EXISTS (SELECT 1 FROM message m WHERE m.org_id = p.org_id AND m.lead_id = p.lead_id
                 AND m.about_id = p.id AND m.kind = 'receipt')",
        id
    )?)
}

/// The sending that follows from the payment itself; others are of a person who asks for it.
pub const FIRST: &str = "0";

fn key(id: PaymentId, turn: &str) -> String {
    format!("payment:{id}:receipt:{turn}")
}

impl Receipt {
    /// What stands on the receipt of a payment or a refund. What is owed after it is what was owed then.
    ///
    /// # Errors
    /// [`Error::NotFound`] when the org has no such payment, it was taken back, or is no movement of money;
    /// [`Error::Conflict`] when it is not settled; [`Error::Clash`] when it went back.
    pub async fn of(conn: &mut dyn AsConn, profile: &Profile, id: PaymentId, now: DateTime<Utc>) -> Result<Self> {
        let org = profile.org.id;
        let sql = "SELECT lead_id, event_id, created_at FROM payment WHERE org_id = $1 AND id = $2";
        let row = q!(&mut *conn, fetch_optional as Row, sql, org, id)?.ok_or(Error::NotFound)?;
        let all = view::payments(&mut *conn, org, row.lead_id, now).await?;
        let paid = all.iter().find(|one| one.id == id).ok_or(Error::NotFound)?;
        if let Some(why) = words::why_none(paid.kind, paid.status) {
            return Err(Error::Conflict(why));
        }
        if let Some(why) = returned::why(paid, &all) {
            return Err(Error::Clash(format!("There is no receipt: {why}.")));
        }
        let number = paid.number.clone().ok_or(Error::NotFound)?;
        let who = asker(&mut *conn, org, row.lead_id).await?;
        let (owed, credit) = after(conn, org, &row).await?;
        let paper = ReceiptPaper {
            language: who.language(),
            sender: sender(profile),
            recipient: recipient(&who),
            number,
            received_on: paid.received_on,
            amount: paid.amount,
            means: means(paid.method),
            reference: paid.reference.clone(),
            note: None,
            is_refund: paid.kind == Kind::Refund,
            title: who.work().map(ToOwned::to_owned),
            invoices: parts(paid),
            owed,
            credit,
        };
        let logo_key = profile.org.logo_key.clone();
        Ok(Self { org, lead: row.lead_id, payment: id, event: row.event_id, logo_key, paper })
    }

    /// `Receipt RCP-1001.pdf`.
    #[must_use]
    pub fn file_name(&self) -> String {
        words::file_name(&self.paper.number, self.paper.is_refund, self.paper.language)
    }

    /// Its PDF. A logo that cannot be fetched is left out: money was taken, and a receipt is due.
    ///
    /// # Errors
    /// [`Error::Internal`] when the drawing failed.
    pub async fn draw(&self, storage: &Storage) -> Result<Vec<u8>> {
        let mut paper = self.paper.clone();
        if let Some(key) = &self.logo_key {
            match storage.get(key).await {
                Ok(logo) => paper.sender.logo = Some(logo.to_vec()),
                Err(e) => tracing::warn!(org = %self.org, error = %e, "a receipt goes without its logo"),
            }
        }
        let drawn = tokio::task::spawn_blocking(move || pdf::receipt(&paper)).await;
        drawn.map_err(|e| Error::Internal(format!("a receipt: {e}")))
    }

    /// As a file of its lead, to be put under its key.
    #[must_use]
    pub fn file(&self, origin: &Origin, pdf: &[u8]) -> NewFile {
        NewFile::paper(origin, self.org, self.lead, Category::Invoice, &self.file_name(), pdf)
    }

    /// Queues the email that carries it, or notes why there is none. `turn` tells apart the sendings of one payment: the
    /// same turn goes out once.
    pub async fn send(
        &self,
        tx: &mut Tx,
        origin: &Origin,
        profile: &Profile,
        file: NewFile,
        turn: &str,
    ) -> Result<Delivery> {
        let who = asker(&mut *tx, self.org, self.lead).await?;
        let saw = saw(profile, &who);
        let to = match (who.to.email.clone(), why_not(profile, &who)) {
            (Some(to), None) => to,
            (_, why) => {
                let reason = why.unwrap_or(who.to.no_email());
                let decided = not_sent(RULE, Channel::Email, reason, saw);
                automation::carry_out(tx, origin, self.org, self.lead, EVENT, vec![decided]).await?;
                let not_sent = vec![NotSentBy { channel: Channel::Email, reason: reason.to_owned() }];
                return Ok(Delivery { sent: Vec::new(), not_sent });
            }
        };
        let file = file::add(tx, origin, self.org, file).await?;
        let draft = self.draft(profile, &who, to.clone(), key(self.payment, turn))?;
        let why = if turn == FIRST { "money was received" } else { "somebody of the business had the receipt sent" };
        let decided = sends(RULE, Channel::Email, why, saw, Draft { files: vec![(file, true)], ..draft });
        automation::carry_out(tx, origin, self.org, self.lead, EVENT, vec![decided]).await?;
        let sql = "SELECT id FROM message WHERE org_id = $1 AND dedupe_key = $2";
        let message_id = q!(tx, fetch_one scalar MessageId, sql, self.org, key(self.payment, turn))?;
        Ok(Delivery {
            sent: vec![SentBy { channel: Channel::Email, message_id, to, outlook: None }],
            not_sent: Vec::new(),
        })
    }

    fn draft(&self, profile: &Profile, who: &Asker, to: String, key: String) -> Result<Draft> {
        let (business, language, is_refund) = (&profile.org.name, who.language(), self.paper.is_refund);
        let variables = Variables {
            language,
            business_name: business.clone(),
            business_phone: profile.org.phone.clone(),
            customer_name: who.greeted().to_owned(),
            amount: Some(self.paper.amount),
            receipt_number: Some(self.paper.number.clone()),
            ..Variables::default()
        };
        // The business's own wording thanks for a payment.
        let wording = if is_refund {
            template::refund_wording(language)
        } else {
            profile.wording(template::Kind::Receipt, language)
        };
        let said = template::render(template::Kind::Receipt, &wording, &variables)?;
        let footer = words::footer(business, is_refund, language);
        Ok(Draft {
            customer: Some(who.customer),
            subject: said.subject,
            page: Some(Page { footer, links: true, language: Some(language), ..Page::default() }),
            about: Some(self.payment.0),
            event: self.event,
            ..Draft::new(Channel::Email, message::Kind::Receipt, to, said.body, key)
        })
    }
}

/// What was owed, and what was held for the customer, when this was recorded: of what they approved or were billed for.
/// Where that is nothing yet, nothing is said of what is owed, and what was paid is no credit.
async fn after(conn: &mut dyn AsConn, org: OrgId, row: &Row) -> Result<(Option<Cents>, Cents)> {
    let due = debt(&mut *conn, org, row.lead_id).await?.due;
    if due == Cents::ZERO {
        return Ok((None, Cents::ZERO));
    }
    let had = q!(
        conn,
        fetch_one scalar Cents,
        "SELECT CAST(COALESCE(SUM(CASE WHEN kind = 'refund' THEN -amount_cents ELSE amount_cents END), 0) AS BIGINT)
         FROM payment WHERE org_id = $1 AND lead_id = $2 AND status = 'settled' AND undone_at IS NULL
             AND (created_at <= $3 OR event_id = $4)",
        org,
        row.lead_id,
        row.created_at,
        row.event_id
    )?;
    let rest = due.0 - had.0;
    // More may have gone back than was paid: that stands on no bill.
    Ok((Some(Cents(rest.clamp(0, due.0))), Cents((-rest).max(0))))
}

fn sender(profile: &Profile) -> Sender {
    let org = &profile.org;
    Sender {
        name: org.name.clone(),
        address: org.postal_address.clone(),
        phone: org.phone.clone(),
        licence_line: org.licence_line.clone(),
        ..Sender::default()
    }
}

fn recipient(who: &Asker) -> Recipient {
    who.recipient()
}

pub(crate) fn means(method: Method) -> Means {
    match method {
        Method::Cash => Means::Cash,
        Method::Check => Means::Check,
        Method::Card => Means::Card,
        Method::Bank => Means::Bank,
        Method::Other => Means::Other,
        Method::None => Means::WrittenOff,
    }
}

/// The invoices it was put to, each with its part.
fn parts(paid: &PaymentView) -> Vec<(String, Cents)> {
    paid.allocations.iter().filter_map(|part| Some((part.number.clone()?, part.amount))).collect()
}
