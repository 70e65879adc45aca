//! Claim of a subscription that was paid for before its business existed: the payer gets a link by email, and the owner
//! who opens it gets the subscription for their business. The link proves control of the payer's mail address, and
//! cannot be guessed.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use uuid::Uuid;

use super::{BillingContext, COLUMNS, SubscriptionRecord, attempt};
use crate::{
    conflicts::ConflictCode,
    documents::recipient_name::email_greeting,
    domain::{
        intake::demo_request::{self, DemoRequest},
        tenancy::{
            install_mail::{self, InstallMail},
            registration,
        },
    },
    platform::{
        db::{Tx, q, qb},
        email_address::EmailAddress,
        error::{Error, Result},
        id::{DemoRequestId, OrgId, SubscriptionId},
        live::{self, Topic},
        secret::{SecretKey, TAG_LEN},
    },
};

const PURPOSE: &str = "claim of a subscription";

/// Token in the link: the subscription's id and a keyed hash of it.
#[must_use]
pub fn claim_token(secret: &SecretKey, id: SubscriptionId) -> String {
    let tag = secret.mac_tag(PURPOSE, &[id.0.as_bytes()]);
    URL_SAFE_NO_PAD.encode([id.0.as_bytes().as_slice(), &tag].concat())
}

fn parse_claim_token(secret: &SecretKey, token: &str) -> Option<SubscriptionId> {
    let bytes: [u8; 16 + TAG_LEN] = URL_SAFE_NO_PAD.decode(token).ok()?.try_into().ok()?;
    let (id, tag) = bytes.split_first_chunk::<16>()?;
    secret.verify_tag(PURPOSE, &[id.as_slice()], tag).then(|| SubscriptionId(Uuid::from_bytes(*id)))
}

/// Gives the subscription behind a link to a business. Repeated, it changes nothing.
/// Errors: [`Error::NotFound`] when the token is none of ours, or another business has it.
pub async fn claim_subscription(
    tx: &mut Tx,
    ctx: BillingContext<'_>,
    org: OrgId,
    token: &str,
) -> Result<SubscriptionRecord> {
    let id = parse_claim_token(ctx.secret, token).ok_or(Error::NotFound)?;
    let claimed = qb!(&mut *tx, fetch_optional as SubscriptionRecord, |b| {
        b.push("UPDATE subscription SET org_id = ").push_bind(org).push(" WHERE id = ").push_bind(id);
        b.push(" AND has_begun = TRUE AND is_counted = TRUE AND (org_id IS NULL OR org_id = ")
            .push_bind(org)
            .push(") RETURNING ")
            .push(COLUMNS);
    })?;
    live::publish_event(tx, ctx.origin, org, Topic::Settings, org.0, None).await?;
    let claimed = claimed.ok_or(Error::NotFound)?;
    attempt::notify_double_subscription(tx, ctx, &claimed).await?;
    Ok(claimed)
}

/// Writes to the payer, once however often it is called.
pub(super) async fn send_claim_invite(tx: &mut Tx, ctx: BillingContext<'_>, paid: &SubscriptionRecord) -> Result<()> {
    let Some(request) = paid.request_id else { return Ok(()) };
    let Some(request) = demo_request::find(&mut *tx, request).await? else { return Ok(()) };
    enqueue_claim_email(tx, ctx, (paid.id, &request), &format!("claim:{}", paid.id)).await
}

/// Writes to the payer again, by an operator's request, once for each address; `email` replaces a mistyped address,
/// also on the request.
/// Errors: [`Error::NotFound`] when there is no such request, [`Error::Conflict`] when nothing waits to be claimed.
pub async fn resend_claim_invite(
    tx: &mut Tx,
    ctx: BillingContext<'_>,
    id: DemoRequestId,
    email: Option<&EmailAddress>,
) -> Result<()> {
    let mut request = demo_request::find(&mut *tx, id).await?.ok_or(Error::NotFound)?;
    if !request.is_paid {
        return Err(ConflictCode::RequestNotPaid.into_error());
    }
    let sql = "SELECT id FROM subscription WHERE request_id = $1 AND has_begun = TRUE AND is_counted = TRUE
         AND org_id IS NULL ORDER BY created_at DESC, id DESC LIMIT 1";
    let waiting = q!(&mut *tx, fetch_optional scalar SubscriptionId, sql, id)?;
    let paid = waiting.ok_or(ConflictCode::SubscriptionClaimed.into_error())?;
    if let Some(email) = email {
        demo_request::update_email(&mut *tx, id, email).await?;
        request.email.clone_from(email);
    }
    // No address in a key: it outlives the mail.
    let address = ctx.secret.keyed_hash(PURPOSE, request.email.as_str());
    let key = format!("claim:{paid}:{}", URL_SAFE_NO_PAD.encode(address));
    enqueue_claim_email(tx, ctx, (paid, &request), &key).await
}

async fn enqueue_claim_email(
    tx: &mut Tx,
    ctx: BillingContext<'_>,
    (id, request): (SubscriptionId, &DemoRequest),
    key: &str,
) -> Result<()> {
    // A payer may register in every mode of registration.
    let register = registration::invitation_link(ctx.secret, ctx.public_url, request.email.as_str(), ctx.origin.now());
    let link = ctx.public_url.join(&format!("/app/billing?claim={}", claim_token(ctx.secret, id)));
    let body = format!(
        "{}\n\nThank you: your payment for {} has arrived.\n\n1. Create your account, if you have none yet.\n2. Then \
         sign in by the second link, and your subscription is yours.\n\nWe will be in touch about your 60-minute \
         onboarding call.",
        email_greeting(&request.name),
        request.org_name
    );
    let links = [("1. Create your account", register.as_str()), ("2. Sign in to your subscription", link.as_str())];
    let subject = "Your payment has arrived: set up your account";
    let mail = InstallMail { to: &request.email, subject, body: &body, links: &links, key };
    install_mail::enqueue_mail(tx, ctx.origin, ctx.secret, &mail).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claim_token_is_valid_only_for_own_key_and_subscription() {
        let (secret, id) = (SecretKey::new([7; 32]), SubscriptionId(Uuid::from_u128(5)));
        let good = claim_token(&secret, id);
        assert_eq!(parse_claim_token(&secret, &good), Some(id));
        assert_eq!(parse_claim_token(&SecretKey::new([8; 32]), &good), None);
        let other = claim_token(&secret, SubscriptionId(Uuid::from_u128(6 << 64 | 5)));
        // The id of one with the proof of the other.
        let mixed = format!("{}{}", &good[..20], &other[20..]);
        for bad in ["", "x", &good[1..], &format!("{good}A"), &mixed] {
            assert_eq!(parse_claim_token(&secret, bad), None, "{bad}");
        }
    }
}
