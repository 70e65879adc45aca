//! The customer at the head of their conversation: how to reach them, whether they may be texted, and their leads.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    documents::template::Language,
    domain::{
        intake::{
            contact_point::{ContactPointKind, ContactPointProof, CustomerRecipient, find_other_owner_name},
            customer::sms_refusal_cutoff,
            lead::{self, PipelineStage},
        },
        messaging::{
            message::MessageChannel,
            opt_out::store::{self as opt_out, OptOut},
        },
    },
    platform::{
        db::{AsConn, q},
        error::{Error, Result},
        id::{CustomerId, LeadId, OrgId},
        phone::Phone,
    },
};

/// The customer, as the conversation's header shows them.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomerCard {
    pub id: CustomerId,
    pub name: String,
    pub phone: Option<String>,
    pub phone_shown: Option<String>,
    pub email: Option<String>,
    /// What proves the phone and the email above; null without one, or where another record is known by it.
    pub phone_proof: Option<ContactPointProof>,
    pub email_proof: Option<ContactPointProof>,
    /// The other record, by name, that is known by the phone or the email above.
    pub phone_also_for: Option<String>,
    pub email_also_for: Option<String>,
    /// Those of the phone and email above that get nothing until a member uses them.
    pub set_aside: Vec<ContactPointKind>,
    pub language: Option<Language>,
    pub is_staff: bool,
    pub is_blocked: bool,
    /// Since when the phone network reports that this number cannot be texted; calls still work.
    #[serde(rename = "noSmsSince")]
    pub sms_undeliverable_since: Option<DateTime<Utc>>,
    /// They asked not to be texted, at the number that replies go to.
    pub sms_opt_out: Option<OptOut>,
    /// Replies go to the number they used last; these are theirs too.
    pub other_numbers: Vec<OtherNumber>,
    pub leads: Vec<LeadLine>,
}

/// Another number of the same person.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OtherNumber {
    pub phone: String,
    pub phone_shown: String,
    /// They asked not to be texted at this one.
    pub sms_opt_out: Option<OptOut>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeadLine {
    pub id: LeadId,
    pub reference: String,
    pub service: String,
    pub stage: PipelineStage,
    pub created_at: DateTime<Utc>,
}

#[derive(FromRow)]
struct CustomerCardRow {
    name: String,
    phone_e164: Option<Phone>,
    email: Option<String>,
    language: Option<Language>,
    is_staff: bool,
    is_blocked: bool,
    sms_undeliverable_since: Option<DateTime<Utc>>,
    phone_proof: Option<ContactPointProof>,
    email_proof: Option<ContactPointProof>,
}

async fn list_leads(conn: &mut dyn AsConn, org: OrgId, id: CustomerId) -> Result<Vec<LeadLine>> {
    let found = q!(
        conn,
        fetch_all as (LeadId, String, PipelineStage, DateTime<Utc>),
        "SELECT id, service, stage, created_at FROM lead WHERE org_id = $1 AND customer_id = $2 ORDER BY created_at DESC LIMIT 20",
        org,
        id
    )?;
    let line = |(id, service, stage, created_at): (LeadId, String, PipelineStage, DateTime<Utc>)| LeadLine {
        id,
        reference: lead::lead_reference(id),
        service,
        stage,
        created_at,
    };
    Ok(found.into_iter().map(line).collect())
}

/// `to` is where messages to them may go.
pub(super) async fn load_customer_card(
    conn: &mut dyn AsConn,
    org: OrgId,
    id: CustomerId,
    to: &CustomerRecipient,
    now: DateTime<Utc>,
) -> Result<CustomerCard> {
    let row = q!(
        &mut *conn,
        fetch_optional as CustomerCardRow,
        "SELECT c.name, c.phone_e164, c.email, c.language, c.is_staff, c.is_blocked,
             CASE WHEN k.sms_undeliverable_since > $3 THEN k.sms_undeliverable_since END AS sms_undeliverable_since,
             k.proof AS phone_proof, e.proof AS email_proof
         FROM customer c
             LEFT JOIN customer_key k ON k.org_id = c.org_id AND k.customer_id = c.id AND k.kind = 'phone'
                 AND k.value = c.phone_e164
             LEFT JOIN customer_key e ON e.org_id = c.org_id AND e.customer_id = c.id AND e.kind = 'email'
                 AND e.value = c.email
         WHERE c.org_id = $1 AND c.id = $2",
        org,
        id,
        sms_refusal_cutoff(now)
    )?
    .ok_or(Error::NotFound)?;
    let current = row.phone_e164.as_ref().map(Phone::as_e164);
    let phone_also_for = find_other_owner_name(&mut *conn, org, id, (ContactPointKind::Phone, current)).await?;
    let email_also_for =
        find_other_owner_name(&mut *conn, org, id, (ContactPointKind::Email, row.email.as_deref())).await?;
    let numbers = opt_out::list_customer_numbers(&mut *conn, org, id).await?;
    // Asked by the number itself: it may be on file without being the record's key.
    let sms_opt_out = match current {
        Some(number) => opt_out::find_opt_out(&mut *conn, org, MessageChannel::Sms, number).await?,
        None => None,
    };
    let others = numbers.into_iter().filter(|number| Some(number.address.as_str()) != current);
    let others: Vec<_> = others
        .filter_map(|number| {
            let phone_shown = Phone::parse(&number.address)?.format_display().into_owned();
            Some(OtherNumber { phone_shown, sms_opt_out: number.opt_out(), phone: number.address })
        })
        .collect();
    let leads = list_leads(conn, org, id).await?;
    Ok(CustomerCard {
        id,
        name: row.name,
        phone_shown: row.phone_e164.as_ref().map(|phone| phone.format_display().into_owned()),
        phone: row.phone_e164.map(Phone::into_e164),
        email: row.email,
        phone_proof: row.phone_proof,
        email_proof: row.email_proof,
        phone_also_for,
        email_also_for,
        set_aside: to.set_aside_kinds(),
        language: row.language,
        is_staff: row.is_staff,
        is_blocked: row.is_blocked,
        sms_undeliverable_since: row.sms_undeliverable_since,
        sms_opt_out,
        other_numbers: others,
        leads,
    })
}
