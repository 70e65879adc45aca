//! Who is told: the owners of a business that wants it, and the install's operators of what concerns the install.

use uuid::Uuid;

use super::{Cause, PAGE, fired, is_on, key_of, owners};
use crate::{
    documents::template::Page,
    domain::{
        messaging::{
            alert::{self, NewAlert, Raised},
            message::{self, Channel, Draft, Kind, NewMessage},
        },
        tenancy::{
            account::proof,
            install_mail::{self, Mail},
            org::{self, Org},
        },
    },
    platform::{
        clock::Origin,
        db::Tx,
        error::Result,
        id::{MessageId, OrgId},
        public_url::PublicUrl,
    },
};

/// How it is told, and to whom beside the owners.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    pub origin: &'a Origin,
    pub public_url: &'a PublicUrl,
    /// Addresses of the install's operators.
    pub operators: &'a [String],
}

/// What became of it at a business.
#[derive(Debug, Default)]
struct There {
    /// Whether somebody is told now, and not today already.
    is_new: bool,
    /// The addresses it was written to, now or earlier today.
    knowing: Vec<String>,
}

/// Tells the owners of what is their business's matter alone, unless they do not want it or were told today. Returns
/// whether they are told now.
pub async fn raise(tx: &mut Tx, origin: &Origin, public_url: &PublicUrl, org: OrgId, cause: &Cause) -> Result<bool> {
    debug_assert!(!cause.operators(), "the operators are to be told of it, too");
    tell(tx, &Told { origin, public_url, operators: &[] }, Some(org), cause).await
}

/// Tells the owners, where there is a business, unless they do not want it or were told today; and the operators, of what
/// concerns the install, whether or not the owners want it. Nobody is written to twice. Returns whether there may be
/// something to send now.
pub async fn tell(tx: &mut Tx, told: &Told<'_>, org: Option<OrgId>, cause: &Cause) -> Result<bool> {
    let business = match org {
        Some(org) => org::find(&mut *tx, org).await?,
        None => None,
    };
    let (mut there, mut beside) = (There::default(), None);
    if let Some(business) = business {
        let wants_it = is_on(&mut *tx, business.id, cause.alert).await?;
        beside = Some(if wants_it {
            format!("The owners of {} are told, too.", business.name)
        } else {
            format!("The owners of {} have switched this alert off and are not told.", business.name)
        });
        if wants_it {
            there = tell_owners(&mut *tx, told, business, cause).await?;
        }
    }
    if !cause.operators() {
        return Ok(there.is_new);
    }
    let others: Vec<&str> =
        told.operators.iter().filter(|to| !there.knowing.contains(to)).map(String::as_str).collect();
    tell_operators(tx, told, &others, org, cause, beside.as_deref()).await?;
    Ok(there.is_new || !others.is_empty())
}

async fn tell_owners(tx: &mut Tx, told: &Told<'_>, business: Org, cause: &Cause) -> Result<There> {
    let (origin, org) = (told.origin, business.id);
    let owners = owners(&mut *tx, org).await?;
    let day = origin.now().with_timezone(&business.zone()).date_naive();
    let key = format!("security:{}:{}:{day}", key_of(cause.alert), cause.subject);
    let mut knowing: Vec<String> = owners.iter().map(|owner| owner.email.clone()).collect();
    knowing.extend(cause.also.iter().cloned());
    knowing.sort_unstable();
    knowing.dedup();
    let letter = |to: &String| letter(&business, to, cause, &key, told.public_url).under(MessageId(origin.uuid()));
    let letters: Vec<NewMessage> = knowing.iter().map(letter).collect();
    if message::queue(&mut *tx, origin, org, &letters).await?.is_empty() {
        return Ok(There { is_new: false, knowing });
    }
    let profile = org::profile(&mut *tx, business).await?;
    for owner in &owners {
        let new = NewAlert {
            path: Some(PAGE.to_owned()),
            account: Some(owner.id),
            ..NewAlert::new(
                alert::Kind::Security,
                format!("{key}:{}", owner.id),
                cause.title.clone(),
                first(&cause.body),
            )
        };
        alert::store(tx, origin, org, &Raised::new(&profile, new, origin.now(), true)).await?;
    }
    fired(tx, origin, org, cause.alert).await?;
    Ok(There { is_new: true, knowing })
}

/// By mail of the install, which no switch of a business stops.
async fn tell_operators(
    tx: &mut Tx,
    told: &Told<'_>,
    to: &[&str],
    org: Option<OrgId>,
    cause: &Cause,
    beside: Option<&str>,
) -> Result<()> {
    let subject = subject(cause);
    let admin = told.public_url.join(PAGE);
    let links = [("Security Admin", admin.as_str())];
    let parts: Vec<&str> = [Some(cause.body.as_str()), beside].into_iter().flatten().collect();
    let body = parts.join("\n\n");
    let (alert, day) = (key_of(cause.alert), told.origin.now().date_naive());
    for to in to {
        let key = format!("{}{alert}:{}:{day}:{to}", key_of_business(org), cause.subject);
        let mail = Mail { to, subject: &subject, body: &body, links: &links, key: &key };
        install_mail::queue(&mut *tx, told.origin, &mail).await?;
    }
    Ok(())
}

/// What the keys of all mails to operators about a business begin with: they name its people, and go when it goes.
pub(crate) fn key_of_business(org: Option<OrgId>) -> String {
    format!("security:{}:", org.unwrap_or(OrgId(Uuid::nil())))
}

fn subject(cause: &Cause) -> String {
    format!("Security alert: {}", cause.title)
}

/// What a device has room for.
fn first(body: &str) -> String {
    body.split("\n\n").next().unwrap_or_default().to_owned()
}

fn letter(business: &Org, to: &str, cause: &Cause, key: &str, public_url: &PublicUrl) -> Draft {
    let address = public_url.join(PAGE);
    Draft {
        subject: Some(subject(cause)),
        page: Some(Page {
            text: Some(cause.body.clone()),
            button: Some(("Open Security Admin".to_owned(), address.clone())),
            footer: format!(
                "A security alert of {}. Security Admin switches it off.",
                proof::mentionable(&business.name)
            ),
            ..Page::default()
        }),
        ..Draft::new(
            Channel::Email,
            Kind::AccountNotice,
            to.to_owned(),
            format!("{}\n\nSecurity Admin: {address}", cause.body),
            format!("{key}:{to}:email"),
        )
    }
}
