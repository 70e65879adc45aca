//! Pages that the books do not know although they were paid: opened after the backup that the books come from. The
//! metadata of the payment names the page, the lead and the paper.

use chrono::{DateTime, Duration, Utc};
use uuid::Uuid;

use super::{PaymentSubject, find_by_id};
use crate::{
    domain::{
        messaging::alert::{self, NewAlert},
        tenancy::org::OrgContext,
    },
    platform::{
        db::{Tx, insert_row, q},
        error::Result,
        id::{CheckoutId, EstimateId, InvoiceId, LeadId, OrgId},
        money::Cents,
    },
    providers::payments::{
        DOLLARS,
        records::{StripeCharge, StripeMetadata},
    },
};

/// A page is paid within a day of its opening.
const LONGEST_OPENING: Duration = Duration::days(1);

fn parse_id(text: Option<&str>) -> Option<Uuid> {
    text.and_then(|text| text.parse().ok())
}

/// Stores the page of a charge again, as a closed one; a look at it then books the payment like any other. None where
/// the metadata names neither a paper nor a lead of the books. `account` is the one that took the payment.
pub(crate) async fn recreate_page(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    account: &str,
    (charge, payment): (&StripeCharge, &str),
) -> Result<Option<CheckoutId>> {
    let org = ctx.profile.org.id;
    let Some(id) = parse_id(charge.metadata.checkout.as_deref()).map(CheckoutId) else { return Ok(None) };
    // A look finds a page by its id alone: no business may name the page of another.
    if find_by_id(&mut *tx, id).await?.is_some() {
        return Ok(None);
    }
    let Some((lead_id, subject)) = find_paid_paper(&mut *tx, org, &charge.metadata).await? else { return Ok(None) };
    let charged_at: DateTime<Utc> = DateTime::from_timestamp(charge.created, 0).unwrap_or_else(|| ctx.origin.now());
    let amount_cents = Cents::from(charge.amount);
    insert_row!(
        &mut *tx,
        execute,
        checkout {
            org_id: org,
            id,
            lead_id,
            about: subject.as_str(),
            about_id: subject.id(),
            amount_cents,
            status: "expired",
            created_at: charged_at - LONGEST_OPENING,
            expires_at: charged_at,
            payment_provider_id: payment,
            account,
            livemode: charge.livemode,
        }
    )?;
    // One in another currency has an alert of its own, and is not booked.
    if charge.currency == DOLLARS {
        alert_recreated(tx, ctx, (id, lead_id), amount_cents).await?;
    }
    Ok(Some(id))
}

/// The paper and its lead. Where only the lead is in the books, the payment becomes a credit of it.
async fn find_paid_paper(tx: &mut Tx, org: OrgId, marks: &StripeMetadata) -> Result<Option<(LeadId, PaymentSubject)>> {
    let (invoice, estimate) = (parse_id(marks.invoice.as_deref()), parse_id(marks.estimate.as_deref()));
    let (subject, sql) = match (invoice, estimate) {
        (Some(id), _) => {
            (PaymentSubject::Invoice(InvoiceId(id)), "SELECT lead_id FROM invoice WHERE org_id = $1 AND id = $2")
        }
        (None, Some(id)) => {
            (PaymentSubject::Deposit(EstimateId(id)), "SELECT lead_id FROM estimate WHERE org_id = $1 AND id = $2")
        }
        (None, None) => return Ok(None),
    };
    if let Some(lead) = q!(&mut *tx, fetch_optional scalar LeadId, sql, org, subject.id())? {
        return Ok(Some((lead, subject)));
    }
    let Some(lead) = parse_id(marks.lead.as_deref()) else { return Ok(None) };
    let sql = "SELECT id FROM lead WHERE org_id = $1 AND id = $2";
    Ok(q!(tx, fetch_optional scalar LeadId, sql, org, lead)?.map(|lead| (lead, subject)))
}

async fn alert_recreated(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    (id, lead): (CheckoutId, LeadId),
    amount: Cents,
) -> Result<()> {
    let alert = NewAlert {
        lead: Some(lead),
        ..NewAlert::new(
            alert::AlertKind::PaymentReceived,
            format!("checkout:{id}:recreated"),
            format!("A card payment of {} was missing in your books", amount.format_usd()),
            "Stripe took it, and your books come from an older copy. It is being added: it pays what is due, and the rest \
             is a credit."
                .to_owned(),
        )
    };
    alert::raise_alert(tx, ctx.origin, ctx.profile, alert).await.map(|_| ())
}
