//! The customer page: details, places, requests, work, balance, consents, and possible duplicates.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{CustomerDebt, load_amounts_owed};
use crate::{
    documents::template::Language,
    domain::{
        intake::{
            contact_point::{
                ContactPointKind, ContactPointProof, find_other_owner_name, find_proof, load_customer_recipient,
            },
            customer::{
                CustomerErasureStatus, display_phone,
                duplicate::{self, CustomerDuplicate},
                merged_customers::{MergedCustomer, list_merged_from},
                property::{self, Property},
                resolve_merged,
            },
        },
        messaging::{
            message::MessageChannel,
            opt_out::store::{self as opt_out, CustomerNumber, OptOut},
        },
        money::ledger::view::{InvoiceSummary, LeadMoney, PaymentView, load_lead_money},
    },
    platform::{
        db::{AsConn, q},
        error::{Error, Result},
        id::{CustomerId, LeadId, OrgId},
        money::Cents,
        phone::Phone,
    },
    views::contact_proposal::{self, ContactProposal},
};

mod lines;

pub use lines::{ConversationLine, CustomerConsent, CustomerLead, EstimateLine, JobLine, OtherAddress};
use lines::{
    exclude_known_addresses, find_conversation_line, list_consents, list_estimates, list_jobs, list_leads,
    list_named_addresses, load_other_contacts,
};

const MOST: i64 = 100;

/// Everything about a customer.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Customer)]
pub struct CustomerDetail {
    /// Another one than was asked for, when that was merged into this.
    pub id: CustomerId,
    pub name: String,
    /// The number that replies go to, in E.164.
    pub phone: Option<String>,
    /// As people read it.
    pub phone_shown: Option<String>,
    /// They also used these numbers, as people read them.
    pub other_phones: Vec<String>,
    pub email: Option<String>,
    pub other_emails: Vec<String>,
    /// Those of the other numbers and emails that get nothing until a member uses them.
    pub other_set_aside: Vec<String>,
    /// What proves the phone and the email above; null without one, or where another record is known by it.
    pub phone_proof: Option<ContactPointProof>,
    pub email_proof: Option<ContactPointProof>,
    /// The other record, by name, that is known by the phone or the email above.
    pub phone_also_for: Option<String>,
    pub email_also_for: Option<String>,
    /// What a form also named for this customer: nothing is sent there until a member uses it.
    pub also_gave: Vec<ContactProposal>,
    /// Those of the record's phone and email that get nothing until a member uses them.
    pub set_aside: Vec<ContactPointKind>,
    pub language: Option<Language>,
    pub is_staff: bool,
    pub is_blocked: bool,
    /// An unsettled complaint: no review is requested.
    pub has_complaint: bool,
    /// They asked not to be texted, at the number that replies go to, else at another of theirs that is not set aside.
    pub sms_opt_out: Option<OptOut>,
    /// That other number, as people read it; null where it is the one that replies go to.
    pub sms_opt_out_number: Option<String>,
    pub created_at: DateTime<Utc>,
    /// What they agreed to and what not, newest first.
    pub consents: Vec<CustomerConsent>,
    pub properties: Vec<Property>,
    /// Addresses that their requests and jobs named, and that are not among the places.
    pub other_addresses: Vec<OtherAddress>,
    pub leads: Vec<CustomerLead>,
    pub jobs: Vec<JobLine>,
    pub estimates: Vec<EstimateLine>,
    pub invoices: Vec<InvoiceSummary>,
    pub payments: Vec<PaymentView>,
    pub money: CustomerMoney,
    /// The last message; null without messages.
    pub thread: Option<ConversationLine>,
    pub merged_from: Vec<MergedCustomer>,
    pub duplicates: Vec<CustomerDuplicate>,
    /// Null while no erasure waits and none was done.
    pub erasure: Option<CustomerErasureStatus>,
}

/// Sums in US dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomerMoney {
    /// Of what was approved, change orders with it, else of what is open.
    pub quoted: Cents,
    pub invoiced: Cents,
    /// What came in and stayed.
    pub paid: Cents,
    /// To be paid of what was approved or invoiced.
    pub owed: Cents,
    /// The part of `owed` that was approved and that no invoice asks for yet.
    pub not_invoiced: Cents,
}

#[derive(FromRow)]
struct CustomerPageRow {
    name: String,
    phone_e164: Option<Phone>,
    email: Option<String>,
    language: Option<Language>,
    is_staff: bool,
    is_blocked: bool,
    complaint_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
}

/// Everything about a customer; for a merged record, about the one it was merged into. `today` is in the business's
/// time zone.
pub async fn get(
    conn: &mut dyn AsConn,
    org: OrgId,
    asked: CustomerId,
    now: DateTime<Utc>,
    today: NaiveDate,
) -> Result<CustomerDetail> {
    let id = resolve_merged(&mut *conn, org, asked).await?;
    let row = q!(
        &mut *conn,
        fetch_optional as CustomerPageRow,
        "SELECT name, phone_e164, email, language, is_staff, is_blocked, complaint_at, created_at FROM customer
         WHERE org_id = $1 AND id = $2",
        org,
        id
    )?
    .ok_or(Error::NotFound)?;
    let numbers = opt_out::list_customer_numbers(&mut *conn, org, id).await?;
    let (properties, named) =
        (property::list(&mut *conn, org, id).await?, list_named_addresses(&mut *conn, org, id).await?);
    let leads = list_leads(&mut *conn, org, id).await?;
    let paper = CustomerDocuments::load_documents(&mut *conn, (org, id), now, today).await?;
    let current = row.phone_e164.as_ref().map(Phone::as_e164);
    let others = load_other_contacts(&mut *conn, (org, id), &numbers, (current, row.email.as_deref())).await?;
    let phone = (ContactPointKind::Phone, current);
    let email = (ContactPointKind::Email, row.email.as_deref());
    let own_opt_out = load_own_opt_out(&mut *conn, org, current).await?;
    let elsewhere = find_stopped_number(&numbers, &others.numbers_set_aside).filter(|_| own_opt_out.is_none());
    Ok(CustomerDetail {
        id,
        other_phones: others.phones,
        other_emails: others.emails,
        other_set_aside: others.set_aside,
        phone_proof: find_proof(&mut *conn, org, id, phone).await?,
        email_proof: find_proof(&mut *conn, org, id, email).await?,
        phone_also_for: find_other_owner_name(&mut *conn, org, id, phone).await?,
        email_also_for: find_other_owner_name(&mut *conn, org, id, email).await?,
        also_gave: contact_proposal::list_open_proposals(&mut *conn, org, id).await?,
        set_aside: load_customer_recipient(&mut *conn, org, id).await?.set_aside_kinds(),
        sms_opt_out_number: display_phone(elsewhere.map(|number| number.address.as_str())),
        sms_opt_out: own_opt_out.or_else(|| elsewhere.and_then(CustomerNumber::opt_out)),
        consents: list_consents(&mut *conn, org, id).await?,
        other_addresses: exclude_known_addresses(&properties, named),
        properties,
        jobs: list_jobs(&mut *conn, org, id).await?,
        estimates: list_estimates(&mut *conn, org, id, today).await?,
        invoices: paper.invoices,
        payments: paper.payments,
        money: paper.sums,
        thread: find_conversation_line(&mut *conn, org, id).await?,
        merged_from: list_merged_from(&mut *conn, org, id, now).await?,
        duplicates: duplicate::find_duplicates(conn, org, id, &row.name).await?,
        leads,
        phone_shown: row.phone_e164.as_ref().map(|phone| phone.format_display().into_owned()),
        name: row.name,
        phone: row.phone_e164.map(Phone::into_e164),
        email: row.email,
        language: row.language,
        is_staff: row.is_staff,
        is_blocked: row.is_blocked,
        has_complaint: row.complaint_at.is_some(),
        // Known to a higher layer, which adds it.
        erasure: None,
        created_at: row.created_at,
    })
}

/// Asked by the number itself: it may be on file without being the record's key.
async fn load_own_opt_out(conn: &mut dyn AsConn, org: OrgId, current: Option<&str>) -> Result<Option<OptOut>> {
    let Some(number) = current else { return Ok(None) };
    opt_out::find_opt_out(conn, org, MessageChannel::Sms, number).await
}

/// A number of the customer that has an opt-out. A stranger's STOP at one that is set aside is not theirs.
fn find_stopped_number<'a>(numbers: &'a [CustomerNumber], set_aside: &[String]) -> Option<&'a CustomerNumber> {
    numbers.iter().find(|number| number.opt_out().is_some() && !set_aside.contains(&number.address))
}

#[derive(Default)]
struct CustomerDocuments {
    invoices: Vec<InvoiceSummary>,
    payments: Vec<PaymentView>,
    sums: CustomerMoney,
}

impl CustomerDocuments {
    async fn load_documents(
        conn: &mut dyn AsConn,
        (org, id): (OrgId, CustomerId),
        now: DateTime<Utc>,
        today: NaiveDate,
    ) -> Result<Self> {
        let mut paper = Self::default();
        for lead in list_leads_with_money(&mut *conn, org, id).await? {
            paper.add_lead_money(load_lead_money(&mut *conn, org, lead, now, today).await?);
        }
        let CustomerDebt { all, not_invoiced } =
            load_amounts_owed(conn, org, &[id]).await?.get(&id).copied().unwrap_or_default();
        (paper.sums.owed, paper.sums.not_invoiced) = (all, not_invoiced);
        Ok(paper)
    }

    fn add_lead_money(&mut self, lead: LeadMoney) {
        let sums = &mut self.sums;
        sums.quoted = Cents(sums.quoted.0 + lead.agreed.unwrap_or_default().0);
        sums.invoiced = Cents(sums.invoiced.0 + lead.invoiced.0);
        sums.paid = Cents(sums.paid.0 + lead.collected.0);
        self.invoices.extend(lead.invoices);
        self.payments.extend(lead.payments);
    }
}

async fn list_leads_with_money(conn: &mut dyn AsConn, org: OrgId, id: CustomerId) -> Result<Vec<LeadId>> {
    Ok(q!(
        conn,
        fetch_all scalar LeadId,
        "SELECT l.id FROM lead l WHERE l.org_id = $1 AND l.customer_id = $2
             AND (EXISTS (SELECT 1 FROM estimate e WHERE e.org_id = l.org_id AND e.lead_id = l.id)
                 OR EXISTS (SELECT 1 FROM invoice i WHERE i.org_id = l.org_id AND i.lead_id = l.id)
                 OR EXISTS (SELECT 1 FROM payment p WHERE p.org_id = l.org_id AND p.lead_id = l.id))
         ORDER BY l.created_at DESC, l.id DESC LIMIT $3",
        org,
        id,
        MOST
    )?)
}
