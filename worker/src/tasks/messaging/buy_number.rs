//! Buys a number that an owner has ordered, once, and gives it to the business.

use shared::{
    domain::{
        messaging::sending_number::order::{self, NumberOrder, NumberOrderState},
        tenancy::{
            audit::{self, AuditAction, AuditActor},
            org,
        },
    },
    platform::{
        db::tenant_scope::across_tenants,
        error::{Error, Result},
        id::{NumberOrderId, OrgId},
    },
    providers::{SendError, sms::NumberPurchase},
};

use crate::Context;

const TOO_LATE: &str = "The phone company could not be reached. Nothing was bought. Pick a number again.";
const IN_ACCOUNT: &str = "This number is in the account of this Toolbox already. Nothing was bought.";
/// Characters of a name at Twilio.
const LONGEST_NAME: usize = 64;

/// Idempotent: a purchase that may have reached Twilio is settled by the list of the account.
///
/// # Errors
/// [`Error::Unavailable`] when Twilio cannot be asked: retried.
pub async fn run_purchase(context: &Context, org: Option<OrgId>, id: NumberOrderId) -> Result<()> {
    let Some(org) = org else { return Ok(()) };
    let found = order::find_unfinished_order(&mut context.db.acquire_reader().await?, org, id).await?;
    match found {
        None => Ok(()),
        Some(order) if order.state == NumberOrderState::Waiting => start_purchase(context, &order).await,
        Some(order) => settle_purchase(context, &order).await,
    }
}

async fn start_purchase(context: &Context, order: &NumberOrder) -> Result<()> {
    if order.is_expired(context.origin.now()) {
        return fail_purchase(context, order, TOO_LATE).await;
    }
    match context.sms.list_account_numbers(Some(&order.number)).await {
        Ok(listed) if listed.is_empty() => buy_number(context, order).await,
        Ok(_) => fail_purchase(context, order, IN_ACCOUNT).await,
        Err(error @ (SendError::Refused { .. } | SendError::NotSetUp { .. })) => {
            fail_purchase(context, order, order::purchase_failure_reason(&error)).await
        }
        Err(error) => Err(Error::Unavailable(error.to_string())),
    }
}

async fn buy_number(context: &Context, order: &NumberOrder) -> Result<()> {
    let mut tx = context.db.begin().await?;
    let owner = org::find(&mut tx, order.org_id).await?;
    let is_ours = order::mark_order_sending(&mut tx, &context.origin, order).await?;
    tx.commit().await?;
    if !is_ours {
        return Ok(());
    }
    context.announcer.notify_changed();
    let name: String = owner.map_or_else(String::new, |org| org.name.chars().take(LONGEST_NAME).collect());
    let webhooks = order::number_webhooks(&context.public_url);
    let purchase = NumberPurchase { number: &order.number, name: &name, webhooks: &webhooks };
    match context.sms.buy_number(purchase).await {
        Ok(()) => complete_purchase(context, order).await,
        Err(SendError::Unknown { .. }) => schedule_check(context, order).await,
        Err(error @ (SendError::Retry { .. } | SendError::Busy { .. })) => {
            let mut tx = context.db.begin().await?;
            order::mark_order_unsent(&mut tx, order).await?;
            tx.commit().await?;
            Err(Error::Unavailable(error.to_string()))
        }
        Err(error) => fail_purchase(context, order, order::purchase_failure_reason(&error)).await,
    }
}

/// The outcome is in doubt, because no answer came or a worker died meanwhile: the list of the account decides.
async fn settle_purchase(context: &Context, order: &NumberOrder) -> Result<()> {
    if context.origin.now() < order.next_check() {
        return schedule_check(context, order).await;
    }
    let listed = context.sms.list_account_numbers(Some(&order.number)).await;
    let listed = listed.map_err(|e| Error::Unavailable(e.to_string()))?;
    if !listed.is_empty() {
        return complete_purchase(context, order).await;
    }
    let mut tx = context.db.begin().await?;
    order::record_absence(&mut tx, &context.origin, order).await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}

/// Reads the order again: it knows when it was sent.
async fn schedule_check(context: &Context, order: &NumberOrder) -> Result<()> {
    let mut tx = context.db.begin().await?;
    if let Some(sent) = order::find_unfinished_order(&mut tx, order.org_id, order.id).await? {
        order::schedule_check(&mut tx, &context.origin, &sent).await?;
    }
    tx.commit().await
}

async fn complete_purchase(context: &Context, order: &NumberOrder) -> Result<()> {
    let mut tx = across_tenants(context.db.begin()).await?;
    if order::complete_order(&mut tx, &context.origin, order).await? {
        let (by, action) = (AuditActor::default(), AuditAction::NumberAssigned);
        audit::record(&mut tx, &context.origin, &by, order.org_id, action, Some(order.org_id.0)).await?;
    }
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}

async fn fail_purchase(context: &Context, order: &NumberOrder, reason: &str) -> Result<()> {
    let mut tx = context.db.begin().await?;
    order::fail_order(&mut tx, &context.origin, order, reason).await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}
