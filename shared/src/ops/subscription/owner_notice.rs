//! Emails to a business's owners when a payment failed, the subscription ended, or the business became read-only: until
//! when work goes on, and where to fix it. Once for each, however often it is learnt.

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::{BillingContext, SubscriptionState, SubscriptionStatus, list_for_org};
use crate::{
    documents::{recipient_name::email_greeting, template},
    domain::{
        messaging::message::{self, MessageDraft, MessageKind},
        tenancy::org,
    },
    platform::{
        db::{Tx, q},
        email_address::EmailAddress,
        error::Result,
        id::{AccountId, MessageId, OrgId},
    },
};

#[derive(FromRow)]
struct BillingOwnerRow {
    id: AccountId,
    name: String,
    email: EmailAddress,
}

pub(super) async fn notify_owners(tx: &mut Tx, ctx: BillingContext<'_>, org: OrgId) -> Result<()> {
    let all = list_for_org(&mut *tx, org).await?;
    let status = SubscriptionStatus::strongest_of(all.iter().map(|one| &one.fact), ctx.origin.now());
    let (SubscriptionState::PastDue | SubscriptionState::Grace | SubscriptionState::ReadOnly, Some(until)) =
        (status.state, status.until)
    else {
        return Ok(());
    };
    let Some(business) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let day = until.with_timezone(&business.zone()).format("%A, %B %-d").to_string();
    let sql =
        "SELECT id, name, email FROM account WHERE org_id = $1 AND role = 'owner' AND is_active = TRUE ORDER BY id";
    let owners = q!(&mut *tx, fetch_all as BillingOwnerRow, sql, org)?;
    for owner in owners {
        let letter = build_owner_email(ctx, &owner, (status.state, until, day.as_str()));
        message::queue_messages(tx, ctx.origin, org, &[letter.with_id(MessageId(ctx.origin.uuid_v7()))]).await?;
    }
    Ok(())
}

fn build_owner_email(
    ctx: BillingContext<'_>,
    owner: &BillingOwnerRow,
    (state, until, day): (SubscriptionState, DateTime<Utc>, &str),
) -> MessageDraft {
    let goes_on = format!(
        "Everything goes on until {day}. From then on nothing can be changed and your customers get no automatic answers; \
         you can still read and export everything."
    );
    let (name, subject, what, then) = match state {
        SubscriptionState::PastDue => (
            "past_due",
            "Your payment for Toolbox did not go through",
            "Your last payment for Toolbox did not go through.",
            goes_on,
        ),
        SubscriptionState::ReadOnly => (
            "read_only",
            "Toolbox only reads from now on",
            "Your subscription is not paid for: nothing can be changed, and your customers get no automatic answers.",
            format!("You can read and export everything. Your data is kept until {day} at least."),
        ),
        _ => ("grace", "Your Toolbox subscription has ended", "Your Toolbox subscription has ended.", goes_on),
    };
    let words = format!("{}\n\n{what}\n\n{then}", email_greeting(&owner.name));
    let address = ctx.public_url.join("/app/billing");
    let body = format!("{words}\n\nSet it right: {address}");
    let key = format!("subscription_{name}:{}:{}:email", until.format("%Y-%m-%d"), owner.id);
    MessageDraft {
        subject: Some(subject.to_owned()),
        page: Some(template::EmailPage {
            text: Some(words),
            button: Some(("Open Billing".to_owned(), address)),
            footer: "You get this email because you own this account.".to_owned(),
            ..template::EmailPage::default()
        }),
        ..MessageDraft::new(MessageKind::AccountNotice, owner.email.clone(), body, key)
    }
}
