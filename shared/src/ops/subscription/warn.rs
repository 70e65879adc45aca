//! Tells a business's owners by email when a payment of theirs failed, their subscription has ended, or their business only
//! reads: until when what goes on, and where it is set right. Once for each, however often it is learnt.

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::{House, Standing, State, of_org};
use crate::{
    documents::template,
    domain::{
        messaging::message::{self, Channel, Draft, Kind},
        tenancy::org,
    },
    platform::{
        db::{Tx, q},
        error::Result,
        id::{AccountId, MessageId, OrgId},
    },
};

#[derive(FromRow)]
struct Owner {
    id: AccountId,
    name: String,
    email: String,
}

/// Looks at how a business stands now, and tells its owners if there is something to be told.
pub(super) async fn owners(tx: &mut Tx, house: House<'_>, org: OrgId) -> Result<()> {
    let all = of_org(&mut *tx, org).await?;
    let standing = Standing::of_all(all.iter().map(|one| &one.fact), house.origin.now());
    let (State::PastDue | State::Grace | State::ReadOnly, Some(until)) = (standing.state, standing.until) else {
        return Ok(());
    };
    let Some(business) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let day = until.with_timezone(&business.zone()).format("%A, %B %-d").to_string();
    let sql =
        "SELECT id, name, email FROM account WHERE org_id = $1 AND role = 'owner' AND is_active = TRUE ORDER BY id";
    let owners = q!(&mut *tx, fetch_all as Owner, sql, org)?;
    for owner in owners {
        let letter = letter(house, &owner, (standing.state, until, day.as_str()));
        message::queue(tx, house.origin, org, &[letter.under(MessageId(house.origin.uuid()))]).await?;
    }
    Ok(())
}

fn letter(house: House<'_>, owner: &Owner, (state, until, day): (State, DateTime<Utc>, &str)) -> Draft {
    let goes_on = format!(
        "Everything goes on until {day}. From then on nothing can be changed and your customers get no automatic answers; \
         you can still read and export everything."
    );
    let (name, subject, what, then) = match state {
        State::PastDue => (
            "past_due",
            "Your payment for Toolbox did not go through",
            "Your last payment for Toolbox did not go through.",
            goes_on,
        ),
        State::ReadOnly => (
            "read_only",
            "Toolbox only reads from now on",
            "Your subscription is not paid for: nothing can be changed, and your customers get no automatic answers.",
            format!("You can read and export everything. Your data is kept until {day} at least."),
        ),
        _ => ("grace", "Your Toolbox subscription has ended", "Your Toolbox subscription has ended.", goes_on),
    };
    let words = format!("Hi {},\n\n{what}\n\n{then}", owner.name);
    let address = house.public_url.join("/app/billing");
    let body = format!("{words}\n\nSet it right: {address}");
    let key = format!("subscription_{name}:{}:{}:email", until.format("%Y-%m-%d"), owner.id);
    Draft {
        subject: Some(subject.to_owned()),
        page: Some(template::Page {
            text: Some(words),
            button: Some(("Open Billing".to_owned(), address)),
            footer: "You get this mail because you own this account.".to_owned(),
            ..template::Page::default()
        }),
        ..Draft::new(Channel::Email, Kind::AccountNotice, owner.email.clone(), body, key)
    }
}
