//! Daily email with the anchor of a business's audit log.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

use crate::{
    documents::template::EmailPage,
    domain::{
        messaging::message::{MessageDraft, MessageKind, NewMessage, queue_messages},
        tenancy::{
            audit::{self, AuditAnchor},
            org::{self, Org},
            security::{self, OwnerContact},
        },
    },
    platform::{
        clock::ClockRng,
        db::{Db, Tx},
        error::{Error, Result},
        id::{MessageId, OrgId},
        public_url::PublicUrl,
        secret::SecretKey,
    },
};

/// Mails the chain's end to owners of businesses with new lines, at most daily. Returns how many.
pub async fn mail_daily(db: &Db, origin: &ClockRng, secret: &SecretKey, public_url: &PublicUrl) -> Result<usize> {
    let due = audit::list_orgs_due_for_anchor(&mut db.acquire_reader().await?, origin.now()).await?;
    for org in &due {
        let mut tx = db.begin().await?;
        mail_anchor(&mut tx, origin, secret, public_url, *org).await?;
        tx.commit().await?;
    }
    Ok(due.len())
}

async fn mail_anchor(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    public_url: &PublicUrl,
    org: OrgId,
) -> Result<()> {
    // Another worker was first.
    let Some(anchor) = audit::create_anchor(&mut *tx, origin, secret, org).await? else { return Ok(()) };
    // The owner opted out of the mail: the stored anchor remains.
    if !security::is_alert_enabled(&mut *tx, org, security::SecurityAlertId::AuditAnchor).await? {
        return Ok(());
    }
    let business = org::find(&mut *tx, org).await?.ok_or(Error::NotFound)?;
    let letters: Vec<NewMessage> = security::list_owners(&mut *tx, org)
        .await?
        .iter()
        .map(|owner| {
            build_anchor_email(&business, owner, &anchor, secret, public_url).with_id(MessageId(origin.uuid_v7()))
        })
        .collect();
    queue_messages(&mut *tx, origin, org, &letters).await?;
    security::record_fired(tx, origin, org, security::SecurityAlertId::AuditAnchor).await
}

fn build_anchor_email(
    org: &Org,
    owner: &OwnerContact,
    anchor: &AuditAnchor,
    secret: &SecretKey,
    public_url: &PublicUrl,
) -> MessageDraft {
    let text = anchor.to_text(secret);
    let words = format!(
        "Your audit log has {}. Please keep this email: the line below can always show whether anyone changed or removed one of them.\n\n{text}\n\nYou don't need to do anything.",
        audit::format_line_count(anchor.seq)
    );
    let address = public_url.join("/app/admin");
    MessageDraft {
        subject: Some(format!("Seal of your audit log: {}", audit::format_line_count(anchor.seq))),
        page: Some(EmailPage {
            text: Some(words.clone()),
            button: Some(("Open Security Admin".to_owned(), address.clone())),
            footer: format!("You get this email as the owner of {}. Security Admin switches it off.", org.name),
            ..EmailPage::default()
        }),
        ..MessageDraft::new(
            MessageKind::AccountNotice,
            owner.email.clone(),
            format!("{words}\n\nSecurity Admin: {address}"),
            // A rewritten line has another hash, so its anchor is mailed too.
            format!("audit_anchor:{}:{}:{}:email", anchor.seq, URL_SAFE_NO_PAD.encode(&anchor.hash[..9]), owner.id),
        )
    }
}
