//! A subscription that was paid for before there was a business: its payer gets a link by email, and the owner who
//! opens it has it for their business. The link proves that the payer's mail is theirs; a guessed one opens nothing.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use uuid::Uuid;

use super::{COLUMNS, House, Subscribed};
use crate::{
    db::{Tx, qb},
    demo_request,
    error::{Error, Result},
    id::{OrgId, SubscriptionId},
    install_mail::{self, Mail},
    live::{self, Topic},
    secret::{SecretKey, TAG},
};

const PURPOSE: &str = "claim of a subscription";

/// What stands in the link: the subscription's id and a keyed hash of it.
#[must_use]
pub fn token(secret: &SecretKey, id: SubscriptionId) -> String {
    let tag = secret.tag(PURPOSE, &[id.0.as_bytes()]);
    URL_SAFE_NO_PAD.encode([id.0.as_bytes().as_slice(), &tag].concat())
}

fn read(secret: &SecretKey, token: &str) -> Option<SubscriptionId> {
    let bytes: [u8; 16 + TAG] = URL_SAFE_NO_PAD.decode(token).ok()?.try_into().ok()?;
    let (id, tag) = bytes.split_first_chunk::<16>()?;
    secret.is_tag(PURPOSE, &[id.as_slice()], tag).then(|| SubscriptionId(Uuid::from_bytes(*id)))
}

/// Gives the subscription behind a link to a business. The same again changes nothing.
///
/// # Errors
/// [`Error::NotFound`] when the token is none of ours, or another business has it.
pub async fn claim(tx: &mut Tx, house: House<'_>, org: OrgId, token: &str) -> Result<Subscribed> {
    let id = read(house.secret, token).ok_or(Error::NotFound)?;
    let claimed = qb!(&mut *tx, fetch_optional as Subscribed, |b| {
        b.push("UPDATE subscription SET org_id = ").push_bind(org).push(" WHERE id = ").push_bind(id);
        b.push(" AND has_begun = TRUE AND (org_id IS NULL OR org_id = ")
            .push_bind(org)
            .push(") RETURNING ")
            .push(COLUMNS);
    })?;
    live::announce(tx, house.origin, org, Topic::Settings, org.0, None).await?;
    claimed.ok_or(Error::NotFound)
}

/// Writes to who has paid. Once, however often it is asked for.
pub(super) async fn invite(tx: &mut Tx, house: House<'_>, paid: &Subscribed) -> Result<()> {
    let Some(request) = paid.request_id else { return Ok(()) };
    let Some(request) = demo_request::find(&mut *tx, request).await? else { return Ok(()) };
    let register = house.public_url.join("/register");
    let link = house.public_url.join(&format!("/app/billing?claim={}", token(house.secret, paid.id)));
    let body = format!(
        "Hi {},\n\nThank you: your payment for {} has arrived.\n\n1. Create your account, if you have none yet:\n{register}\n\n\
         2. Then sign in by this link, and your subscription is yours:\n{link}\n\nWe will be in touch about your 60-minute \
         onboarding call.",
        request.name, request.org_name
    );
    let mail = Mail {
        to: &request.email,
        subject: "Your payment has arrived: set up your account",
        body: &body,
        key: &format!("claim:{}", paid.id),
    };
    install_mail::queue(tx, house.origin, &mail).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_link_of_ours_opens_a_subscription() {
        let (secret, id) = (SecretKey::new([7; 32]), SubscriptionId(Uuid::from_u128(5)));
        let good = token(&secret, id);
        assert_eq!(read(&secret, &good), Some(id));
        assert_eq!(read(&SecretKey::new([8; 32]), &good), None);
        let other = token(&secret, SubscriptionId(Uuid::from_u128(6 << 64 | 5)));
        // The one's id with the other's proof.
        let mixed = format!("{}{}", &good[..20], &other[20..]);
        for bad in ["", "x", &good[1..], &format!("{good}A"), &mixed] {
            assert_eq!(read(&secret, bad), None, "{bad}");
        }
    }
}
