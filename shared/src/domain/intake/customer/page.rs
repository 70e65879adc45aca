//! A customer on one page: who they are, where they live, what they asked for, what was done, what they owe, what they
//! agreed to, and which other records may be theirs.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{
    duplicate::{self, Duplicate},
    merge::{MergedFrom, merged_from},
    owed, property,
    property::Property,
    shown, standing_for,
};
use crate::{
    documents::template::Language,
    domain::{
        intake::contact_point::{
            Kind, Proof, also_for, of_customer, proof,
            proposal::{self, Proposal},
        },
        messaging::opt_out::store::{self as opt_out, Number, OptOut},
        money::ledger::view::{InvoiceSummary, PaymentView, money},
    },
    platform::{
        db::{AsConn, q},
        error::{Error, Result},
        id::{CustomerId, LeadId, OrgId},
        money::Cents,
    },
};

mod lines;

pub use lines::{Consent, EstimateLine, JobLine, LeadLine, OtherAddress, ThreadLine};
use lines::{addresses, consents, estimates, jobs, leads, other_emails, thread, unknown};

/// Rows of each kind: the newest.
const MOST: i64 = 100;

/// Everything about a customer.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Customer {
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
    /// What proves the phone and the email above; null without one, or where another record is known by it.
    pub phone_proof: Option<Proof>,
    pub email_proof: Option<Proof>,
    /// The other record, by name, that is known by the phone or the email above.
    pub phone_also_for: Option<String>,
    pub email_also_for: Option<String>,
    /// What a form also named for this customer: nothing is sent there until somebody uses it.
    pub also_gave: Vec<Proposal>,
    /// What of the record's phone and email gets nothing until somebody uses it.
    pub set_aside: Vec<Kind>,
    pub language: Option<Language>,
    pub is_staff: bool,
    pub is_blocked: bool,
    /// There is a problem that is not settled: nobody asks them for a review.
    pub has_complaint: bool,
    /// They asked not to be texted, at the number that replies go to, else at another of theirs.
    pub sms_opt_out: Option<OptOut>,
    pub created_at: DateTime<Utc>,
    /// What they agreed to and what not, newest first.
    pub consents: Vec<Consent>,
    pub properties: Vec<Property>,
    /// Addresses that their requests and jobs named, and that are not among the places.
    pub other_addresses: Vec<OtherAddress>,
    pub leads: Vec<LeadLine>,
    pub jobs: Vec<JobLine>,
    pub estimates: Vec<EstimateLine>,
    pub invoices: Vec<InvoiceSummary>,
    pub payments: Vec<PaymentView>,
    pub money: CustomerMoney,
    /// What was said last; null when nothing was.
    pub thread: Option<ThreadLine>,
    pub merged_from: Vec<MergedFrom>,
    pub duplicates: Vec<Duplicate>,
}

/// Sums in US dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct CustomerMoney {
    /// Of what was approved, change orders with it, else of what is open.
    pub quoted: Cents,
    pub invoiced: Cents,
    /// What came in and stayed.
    pub paid: Cents,
    /// To be paid of what was approved or invoiced.
    pub owed: Cents,
}

#[derive(FromRow)]
struct Row {
    name: String,
    phone_e164: Option<String>,
    email: Option<String>,
    language: Option<Language>,
    is_staff: bool,
    is_blocked: bool,
    complaint_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
}

/// Everything about a customer; of a record that was merged, everything about the one it was merged into. `today` is the
/// business's.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such customer.
pub async fn get(
    conn: &mut dyn AsConn,
    org: OrgId,
    asked: CustomerId,
    now: DateTime<Utc>,
    today: NaiveDate,
) -> Result<Customer> {
    let id = standing_for(&mut *conn, org, asked).await?;
    let row = q!(
        &mut *conn,
        fetch_optional as Row,
        "SELECT name, phone_e164, email, language, is_staff, is_blocked, complaint_at, created_at FROM customer
         WHERE org_id = $1 AND id = $2",
        org,
        id
    )?
    .ok_or(Error::NotFound)?;
    let numbers = opt_out::numbers(&mut *conn, org, id).await?;
    let (properties, named) = (property::list(&mut *conn, org, id).await?, addresses(&mut *conn, org, id).await?);
    let leads = leads(&mut *conn, org, id).await?;
    let mut paper = Paper::default();
    for lead in with_money(&mut *conn, org, id).await? {
        paper.add(money(&mut *conn, org, lead, now, today).await?);
    }
    paper.sums.owed = owed(&mut *conn, org, &[id]).await?.get(&id).copied().unwrap_or_default();
    let others = numbers.iter().filter(|number| Some(&number.address) != row.phone_e164.as_ref());
    Ok(Customer {
        id,
        other_phones: others.filter_map(|number| shown(Some(&number.address))).collect(),
        other_emails: other_emails(&mut *conn, org, id, row.email.as_deref()).await?,
        phone_proof: proof(&mut *conn, org, id, (Kind::Phone, row.phone_e164.as_deref())).await?,
        email_proof: proof(&mut *conn, org, id, (Kind::Email, row.email.as_deref())).await?,
        phone_also_for: also_for(&mut *conn, org, id, (Kind::Phone, row.phone_e164.as_deref())).await?,
        email_also_for: also_for(&mut *conn, org, id, (Kind::Email, row.email.as_deref())).await?,
        also_gave: proposal::open(&mut *conn, org, id).await?,
        set_aside: of_customer(&mut *conn, org, id).await?.waiting(),
        sms_opt_out: opt_out_of(&numbers, row.phone_e164.as_deref()),
        consents: consents(&mut *conn, org, id).await?,
        other_addresses: unknown(&properties, named),
        properties,
        jobs: jobs(&mut *conn, org, id).await?,
        estimates: estimates(&mut *conn, org, id, today).await?,
        invoices: paper.invoices,
        payments: paper.payments,
        money: paper.sums,
        thread: thread(&mut *conn, org, id).await?,
        merged_from: merged_from(&mut *conn, org, id, now).await?,
        duplicates: duplicate::of(conn, org, id, &row.name).await?,
        leads,
        phone_shown: shown(row.phone_e164.as_deref()),
        name: row.name,
        phone: row.phone_e164,
        email: row.email,
        language: row.language,
        is_staff: row.is_staff,
        is_blocked: row.is_blocked,
        has_complaint: row.complaint_at.is_some(),
        created_at: row.created_at,
    })
}

/// What stands at the number that replies go to, else at another.
fn opt_out_of(numbers: &[Number], current: Option<&str>) -> Option<OptOut> {
    let at = |number: &&Number| Some(number.address.as_str()) == current;
    let own = numbers.iter().find(at).and_then(Number::opt_out);
    own.or_else(|| numbers.iter().find_map(Number::opt_out))
}

/// The papers of all their leads.
#[derive(Default)]
struct Paper {
    invoices: Vec<InvoiceSummary>,
    payments: Vec<PaymentView>,
    sums: CustomerMoney,
}

impl Paper {
    fn add(&mut self, lead: crate::domain::money::ledger::view::LeadMoney) {
        let sums = &mut self.sums;
        sums.quoted = Cents(sums.quoted.0 + lead.agreed.unwrap_or_default().0);
        sums.invoiced = Cents(sums.invoiced.0 + lead.invoiced.0);
        sums.paid = Cents(sums.paid.0 + lead.collected.0);
        self.invoices.extend(lead.invoices);
        self.payments.extend(lead.payments);
    }
}

/// The leads that money was spoken of, newest first.
async fn with_money(conn: &mut dyn AsConn, org: OrgId, id: CustomerId) -> Result<Vec<LeadId>> {
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
