//! Receipts: a PDF drawn from the ledger on each request, and an email once the payment can no longer be undone.

use chrono::{DateTime, Duration, Utc};
use serde_json::json;
use sqlx::FromRow;

use super::{NewPayment, PaymentKind, PaymentMethod, PaymentView, load_approved_balance, view};
use crate::{
    documents::{
        pdf::{self, PaymentMeans, PdfRecipient, PdfSender, ReceiptPdf},
        template::{self, EmailPage, WordingValues},
    },
    domain::{
        messaging::{
            automation::{self, MessageDraft, decide_send, decide_skip},
            message::{self, MessageChannel},
        },
        money::estimate::{
            DocumentSendResult, LeadRecipient,
            content::load_recipient,
            send::{NotSentBy, QueuedDocumentMessage},
        },
        tenancy::org::OrgProfile,
        work::{
            activity::UNDO_WINDOW,
            file::{self, FileCategory, NewFile},
        },
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        email_address::EmailAddress,
        error::{Error, Result},
        id::{EventId, LeadId, MessageId, OrgId, PaymentId},
        money::Cents,
        storage::Storage,
        tasks::{self, NewTask},
    },
};

mod returned_payment;
mod words;

pub use returned_payment::{find_returned_payment, record_receipt_withheld};

const RULE: &str = "receipt";
const EVENT: &str = "payment_recorded";
/// Margin after the one-minute undo period.
const AFTER_UNDO: Duration = Duration::seconds(1);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReceiptOption {
    /// By the settings.
    #[default]
    AsUsual,
    Yes,
    No,
}

impl From<Option<bool>> for ReceiptOption {
    fn from(ticked: Option<bool>) -> Self {
        ticked.map_or(Self::AsUsual, |ticked| if ticked { Self::Yes } else { Self::No })
    }
}

#[derive(Clone, Debug)]
pub struct PaymentReceipt {
    pub org: OrgId,
    pub lead: LeadId,
    pub payment: PaymentId,
    event: Option<EventId>,
    logo_key: Option<String>,
    paper: ReceiptPdf,
}

#[derive(FromRow)]
struct ReceiptPaymentRow {
    lead_id: LeadId,
    event_id: Option<EventId>,
    created_at: DateTime<Utc>,
}

/// Queues the receipt for after the undo period, or records why there is none.
pub(super) async fn decide_receipt(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    id: PaymentId,
    new: &NewPayment,
) -> Result<()> {
    let org = profile.org.id;
    let who = load_recipient(&mut *tx, org, new.lead).await?;
    let is_on = profile.settings.invoicing.receipts;
    let wanted = match new.receipt {
        ReceiptOption::AsUsual if !is_on => Some("receipts are switched off"),
        ReceiptOption::No => Some("no one asked for one"),
        ReceiptOption::AsUsual | ReceiptOption::Yes => skip_reason(profile, &who),
    };
    let Some(why) = wanted else {
        let run_at = origin.now() + UNDO_WINDOW + AFTER_UNDO;
        let task = NewTask {
            org: Some(org),
            kind: tasks::TaskKind::SendReceipt,
            subject: Some(id.0),
            run_at,
            unique_key: format!("receipt:{id}"),
        };
        return tasks::enqueue(tx, origin, vec![task]).await.map(|_| ());
    };
    let decided = decide_skip(RULE, MessageChannel::Email, why, decision_evidence(profile, &who));
    automation::apply_decisions(tx, origin, org, new.lead, EVENT, vec![decided]).await
}

/// Reason for no receipt; none when one can go out.
fn skip_reason(profile: &OrgProfile, who: &LeadRecipient) -> Option<&'static str> {
    match who.to.email {
        None => Some(who.to.missing_email_reason()),
        Some(_) if !profile.wording(template::TemplateKindName::Receipt, who.language()).enabled => {
            Some("this template is switched off")
        }
        Some(_) => None,
    }
}

fn decision_evidence(profile: &OrgProfile, who: &LeadRecipient) -> serde_json::Value {
    let wording = profile.wording(template::TemplateKindName::Receipt, who.language());
    json!({
        "receipts": profile.settings.invoicing.receipts, "templateEnabled": wording.enabled,
        "hasAddress": who.to.email.is_some(), "language": who.language(),
    })
}

/// Tenant of a payment whose receipt waits to go out; none when the payment was undone or is not settled, or a receipt
/// was sent meanwhile.
pub async fn find_pending_receipt(conn: &mut dyn AsConn, id: PaymentId) -> Result<Option<OrgId>> {
    Ok(q!(
        conn,
        fetch_optional scalar OrgId,
        "SELECT p.org_id FROM payment p WHERE p.id = $1 AND p.undone_at IS NULL AND p.status = 'settled'
             AND NOT EXISTS (SELECT 1 FROM message m WHERE m.org_id = p.org_id AND m.lead_id = p.lead_id
                 AND m.about_id = p.id AND m.kind = 'receipt')",
        id
    )?)
}

/// Turn of the automatic sending; others are requested by a person.
pub const FIRST_TURN: &str = "0";

fn dedupe_key(id: PaymentId, turn: &str) -> String {
    format!("payment:{id}:receipt:{turn}")
}

impl PaymentReceipt {
    /// Receipt of a payment or a refund. The owed amount is that of its time.
    /// Errors: [`Error::NotFound`] when the org has no such payment, it was undone, or is no movement of money;
    /// [`Error::Conflict`] when it is not settled, or went back.
    pub async fn for_payment(
        conn: &mut dyn AsConn,
        profile: &OrgProfile,
        id: PaymentId,
        now: DateTime<Utc>,
    ) -> Result<Self> {
        let org = profile.org.id;
        let sql = "SELECT lead_id, event_id, created_at FROM payment WHERE org_id = $1 AND id = $2";
        let row = q!(&mut *conn, fetch_optional as ReceiptPaymentRow, sql, org, id)?.ok_or(Error::NotFound)?;
        let all = view::list_payments(&mut *conn, org, row.lead_id, now).await?;
        let paid = all.iter().find(|one| one.id == id).ok_or(Error::NotFound)?;
        if let Some(why) = words::no_receipt_reason(paid.kind, paid.status) {
            return Err(why.into());
        }
        if let Some(why) = returned_payment::returned_reason(paid, &all) {
            return Err(why.conflict_code().into());
        }
        let number = paid.number.clone().ok_or(Error::NotFound)?;
        let who = load_recipient(&mut *conn, org, row.lead_id).await?;
        let (owed, credit) = balance_after(conn, org, &row).await?;
        let paper = ReceiptPdf {
            language: who.language(),
            sender: pdf_sender(profile),
            recipient: pdf_recipient(&who),
            number,
            received_on: paid.received_on,
            amount: paid.amount,
            means: to_pdf_means(paid.method),
            reference: paid.reference.clone(),
            note: None,
            is_refund: paid.kind == PaymentKind::Refund,
            title: who.service_name().map(ToOwned::to_owned),
            invoices: invoice_parts(paid),
            owed,
            credit,
        };
        let logo_key = profile.org.logo_key.clone();
        Ok(Self { org, lead: row.lead_id, payment: id, event: row.event_id, logo_key, paper })
    }

    #[must_use]
    pub fn file_name(&self) -> String {
        words::file_name(&self.paper.number, self.paper.is_refund, self.paper.language)
    }

    /// A logo that cannot be fetched is left out: the receipt is due all the same.
    /// Errors: [`Error::Internal`] when the drawing failed.
    pub async fn render_pdf(&self, storage: &Storage) -> Result<Vec<u8>> {
        let mut paper = self.paper.clone();
        if let Some(key) = &self.logo_key {
            match storage.get(key).await {
                Ok(logo) => paper.sender.logo = Some(logo.to_vec()),
                Err(e) => tracing::warn!(org = %self.org, error = %e, "a receipt goes without its logo"),
            }
        }
        let drawn = tokio::task::spawn_blocking(move || pdf::render_receipt(&paper)).await;
        drawn.map_err(|e| Error::Internal(format!("a receipt: {e}")))
    }

    #[must_use]
    pub fn to_file(&self, origin: &ClockRng, pdf: &[u8]) -> NewFile {
        NewFile::from_pdf(origin, self.org, self.lead, FileCategory::Invoice, &self.file_name(), pdf)
    }

    /// Queues the email with it, or records why there is none. Each `turn` of a payment goes out once.
    pub async fn send_email(
        &self,
        tx: &mut Tx,
        origin: &ClockRng,
        profile: &OrgProfile,
        file: NewFile,
        turn: &str,
    ) -> Result<DocumentSendResult> {
        let who = load_recipient(&mut *tx, self.org, self.lead).await?;
        let evidence = decision_evidence(profile, &who);
        let to = match (who.to.email.clone(), skip_reason(profile, &who)) {
            (Some(to), None) => to,
            (_, why) => {
                let reason = why.unwrap_or(who.to.missing_email_reason());
                let decided = decide_skip(RULE, MessageChannel::Email, reason, evidence);
                automation::apply_decisions(tx, origin, self.org, self.lead, EVENT, vec![decided]).await?;
                let not_sent = vec![NotSentBy { channel: MessageChannel::Email, reason: reason.to_owned() }];
                return Ok(DocumentSendResult { sent: Vec::new(), not_sent });
            }
        };
        let file = file::insert_document(tx, origin, self.org, file).await?;
        let draft = self.build_draft(profile, &who, to.clone(), dedupe_key(self.payment, turn))?;
        let why =
            if turn == FIRST_TURN { "money was received" } else { "someone at the business had the receipt sent" };
        let decided = decide_send(
            RULE,
            MessageChannel::Email,
            why,
            evidence,
            MessageDraft { files: vec![(file, true)], ..draft },
        );
        automation::apply_decisions(tx, origin, self.org, self.lead, EVENT, vec![decided]).await?;
        let sql = "SELECT id FROM message WHERE org_id = $1 AND dedupe_key = $2";
        let message_id = q!(tx, fetch_one scalar MessageId, sql, self.org, dedupe_key(self.payment, turn))?;
        Ok(DocumentSendResult {
            sent: vec![QueuedDocumentMessage {
                channel: MessageChannel::Email,
                message_id,
                to: to.into_string(),
                outlook: None,
            }],
            not_sent: Vec::new(),
        })
    }

    fn build_draft(
        &self,
        profile: &OrgProfile,
        who: &LeadRecipient,
        to: EmailAddress,
        key: String,
    ) -> Result<MessageDraft> {
        let (business, language, is_refund) = (&profile.org.name, who.language(), self.paper.is_refund);
        let variables = WordingValues {
            language,
            business_name: business.clone(),
            business_phone: profile.org.phone.clone(),
            customer_name: who.name.clone(),
            amount: Some(self.paper.amount),
            receipt_number: Some(self.paper.number.clone()),
            ..WordingValues::default()
        };
        // The business's own wording thanks for a payment, so it is not used for a refund.
        let wording = if is_refund {
            template::refund_wording(language)
        } else {
            profile.wording(template::TemplateKindName::Receipt, language)
        };
        let rendered = template::render_wording(template::TemplateKindName::Receipt, &wording, &variables)?;
        let footer = words::email_footer(business, is_refund, language);
        Ok(MessageDraft {
            customer: Some(who.customer),
            subject: rendered.subject,
            page: Some(EmailPage { footer, links: true, language: Some(language), ..EmailPage::default() }),
            about: Some(self.payment.0),
            event: self.event,
            ..MessageDraft::new(message::MessageKind::Receipt, to, rendered.body, key)
        })
    }
}

/// Owed amount and credit when this was recorded, of approved and billed amounts. Where those are zero, no owed amount
/// is stated, and a payment is no credit.
async fn balance_after(conn: &mut dyn AsConn, org: OrgId, row: &ReceiptPaymentRow) -> Result<(Option<Cents>, Cents)> {
    let due = load_approved_balance(&mut *conn, org, row.lead_id).await?.due;
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
    // Refunds may exceed the payments; the excess is on no bill.
    Ok((Some(Cents(rest.clamp(0, due.0))), Cents((-rest).max(0))))
}

fn pdf_sender(profile: &OrgProfile) -> PdfSender {
    let org = &profile.org;
    PdfSender {
        name: org.name.clone(),
        address: org.postal_address.clone(),
        phone: org.phone.clone(),
        licence_line: org.licence_line.clone(),
        color: profile.settings.look.brand_color(),
        ..PdfSender::default()
    }
}

fn pdf_recipient(who: &LeadRecipient) -> PdfRecipient {
    who.to_pdf_recipient()
}

pub(crate) fn to_pdf_means(method: PaymentMethod) -> PaymentMeans {
    match method {
        PaymentMethod::Cash => PaymentMeans::Cash,
        PaymentMethod::Check => PaymentMeans::Check,
        PaymentMethod::Card => PaymentMeans::Card,
        PaymentMethod::Bank => PaymentMeans::Bank,
        PaymentMethod::Other => PaymentMeans::Other,
        PaymentMethod::None => PaymentMeans::WrittenOff,
    }
}

fn invoice_parts(paid: &PaymentView) -> Vec<(String, Cents)> {
    paid.allocations.iter().filter_map(|part| Some((part.number.clone()?, part.amount))).collect()
}
