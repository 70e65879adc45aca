//! Mail of the install, about no business: to the operator, and to payers without an account.
//!
//! Messages about a business ([`crate::domain::messaging::message`]) pass a gate, have a deadline and are visible to
//! the owner. Install mail has none of that: it is rare, uses the same renderer, and is retried until the mail server
//! accepts or rejects it. Every try has the same Message-ID, so a try with an unknown result is repeated: a duplicate
//! is harmless, a lost demo request is not.
//!
//! Subject, text and links are sealed with the install's key ring, because the links open invitations and the table
//! belongs to no business. They are deleted when the mail is sent or refused, and the row after 90 days
//! (`ops/retention/install_mail.rs`).

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sqlx::{FromRow, types::Json};

use crate::{
    documents::template::{self, EmailPage},
    domain::tenancy::account::invite::proof,
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, insert_row, q},
        email_address::EmailAddress,
        encryption::renewal::{self, Reencryption, ReencryptionCount},
        error::{Error, Result},
        id::InstallMailId,
        secret::SecretKey,
        tasks::{self, NewTask, TaskKind},
    },
};

const FROM: &str = "Toolbox";
const FOOTER: &str = "This email is from Toolbox, the software, and not from a business that uses it.";

const PURPOSE: &str = "install mail";
/// Time for a worker to get the key of the program that queued the mail.
const KEY_WAIT: Duration = Duration::hours(1);
/// Why a mail was given up whose key is lost.
pub const LOST_KEY_REASON: &str = "sealed with a key that is not known";
/// Retention, from the creation. Mail that never left goes too: nobody needs it by then.
const KEEP: Duration = Duration::days(90);
/// Rows of one transaction of the purge.
const PURGE_SLICE: i64 = 500;

#[derive(Clone, Copy, Debug)]
pub struct InstallMail<'a> {
    pub to: &'a EmailAddress,
    pub subject: &'a str,
    /// Without the URLs of `links`, which the renderer adds.
    pub body: &'a str,
    /// Labels and URLs, at most two. Each becomes a button and a plain link.
    pub links: &'a [(&'a str, &'a str)],
    /// Idempotency key: one per cause and receiver.
    pub key: &'a str,
}

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct QueuedInstallMail {
    pub id: InstallMailId,
    pub to_address: EmailAddress,
    /// Empty before [`Self::decrypt_content`], as are `body` and `page`.
    pub subject: String,
    pub body: String,
    /// None for mail queued before install mail had HTML.
    pub page: Option<Json<EmailPage>>,
    /// None for mail queued before it was sealed.
    sealed: Option<Vec<u8>>,
    pub created_at: DateTime<Utc>,
}

/// Plaintext of `sealed`.
#[derive(Serialize, Deserialize)]
struct MailContent {
    subject: String,
    body: String,
    page: EmailPage,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedInstallMail {
    pub text: String,
    pub html: Option<String>,
}

impl QueuedInstallMail {
    /// None when no key of the ring opens it.
    #[must_use]
    pub fn decrypt_content(self, ring: &SecretKey) -> Option<Self> {
        let Some(sealed) = &self.sealed else { return Some(self) };
        let plain = ring.decrypt_bytes(PURPOSE, &[self.id.0.as_bytes()], sealed)?;
        let MailContent { subject, body, page } = serde_json::from_slice(&plain).ok()?;
        Some(Self { subject, body, page: Some(Json(page)), sealed: None, ..self })
    }

    /// Whether the program that queued it may have a key that the worker gets at its next start.
    #[must_use]
    pub fn awaits_key(&self, now: DateTime<Utc>) -> bool {
        now < self.created_at + KEY_WAIT
    }

    /// Plain text and HTML, with the unstored part inserted: an invitation's proof.
    ///
    /// # Errors
    /// Only for a broken email layout, which a test rules out.
    pub fn render(&self, secret: &SecretKey) -> Result<RenderedInstallMail> {
        let put_in = |text: &str| proof::fill_proof_in_text(secret, self.to_address.as_str(), text);
        let body = put_in(&self.body);
        let Some(Json(page)) = &self.page else { return Ok(RenderedInstallMail { text: body, html: None }) };
        let with_proof = |button: &(String, String)| (button.0.clone(), put_in(&button.1));
        let page = EmailPage {
            button: page.button.as_ref().map(with_proof),
            other_button: page.other_button.as_ref().map(with_proof),
            ..page.clone()
        };
        let html = template::render_html(FROM, &self.subject, &body, &page, template::EmailSender::default())?;
        Ok(RenderedInstallMail { text: template::render_plain_text(&body, Some(&page)), html: Some(html) })
    }
}

fn build_page(links: &[(&str, &str)]) -> EmailPage {
    let mut buttons = links.iter().map(|(label, address)| ((*label).to_owned(), (*address).to_owned()));
    // The body may contain strangers' text, so only button URLs become links.
    EmailPage {
        button: buttons.next(),
        other_button: buttons.next(),
        footer: FOOTER.to_owned(),
        ..EmailPage::default()
    }
}

fn encrypt_content(ring: &SecretKey, origin: &ClockRng, id: InstallMailId, mail: &InstallMail<'_>) -> Result<Vec<u8>> {
    let content =
        MailContent { subject: mail.subject.to_owned(), body: mail.body.to_owned(), page: build_page(mail.links) };
    let plain = serde_json::to_vec(&content).map_err(|e| Error::Internal(format!("an install mail: {e}")))?;
    Ok(ring.encrypt_bytes(&origin.entropy, PURPOSE, &[id.0.as_bytes()], &plain))
}

/// Stores a mail and its task. An existing key is left unchanged.
pub async fn enqueue_mail(tx: &mut Tx, origin: &ClockRng, ring: &SecretKey, mail: &InstallMail<'_>) -> Result<()> {
    let (id, now) = (InstallMailId(origin.uuid_v7()), origin.now());
    let sealed = encrypt_content(ring, origin, id, mail)?;
    let stored = insert_row!(
        &mut *tx,
        execute,
        install_mail {
            id,
            to_address: mail.to,
            subject: "",
            body: "",
            dedupe_key: mail.key,
            status: "queued",
            created_at: now,
            sealed,
        },
        "ON CONFLICT (dedupe_key) DO NOTHING"
    )?;
    if stored == 0 {
        return Ok(());
    }
    let task = NewTask {
        org: None,
        kind: TaskKind::SendInstallMail,
        subject: Some(id.0),
        run_at: now,
        unique_key: format!("install_mail:{id}"),
    };
    tasks::enqueue(tx, origin, vec![task]).await.map(|_| ())
}

pub async fn find_queued(conn: &mut dyn AsConn, id: InstallMailId) -> Result<Option<QueuedInstallMail>> {
    let sql = "SELECT id, to_address, subject, body, page, sealed, created_at FROM install_mail
         WHERE id = $1 AND status = 'queued'";
    Ok(q!(conn, fetch_optional as QueuedInstallMail, sql, id)?)
}

pub async fn record_outcome(tx: &mut Tx, origin: &ClockRng, id: InstallMailId, refused: Option<&str>) -> Result<()> {
    let status = if refused.is_some() { "failed" } else { "sent" };
    let sql = "UPDATE install_mail SET status = $2, reason = $3, ended_at = $4, subject = '', body = '', page = NULL,
             sealed = NULL
         WHERE id = $1 AND status = 'queued'";
    q!(tx, execute, sql, id, status, refused, origin.now())?;
    Ok(())
}

/// Mail past its retention, oldest first: one slice of it.
pub async fn list_old_mail(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<Vec<InstallMailId>> {
    let sql = "SELECT id FROM install_mail WHERE created_at < $1 ORDER BY created_at LIMIT $2";
    Ok(q!(conn, fetch_all scalar InstallMailId, sql, now - KEEP, PURGE_SLICE)?)
}

pub async fn delete_mail(tx: &mut Tx, ids: &[InstallMailId]) -> Result<()> {
    for id in ids {
        q!(&mut *tx, execute, "DELETE FROM install_mail WHERE id = $1", *id)?;
    }
    Ok(())
}

pub(crate) async fn reencrypt_queued_mail(
    tx: &mut Tx,
    origin: &ClockRng,
    ring: &SecretKey,
) -> Result<ReencryptionCount> {
    let mut count = ReencryptionCount::default();
    let sql = "SELECT id, sealed FROM install_mail WHERE sealed IS NOT NULL ORDER BY id";
    for (id, sealed) in q!(&mut *tx, fetch_all as (InstallMailId, Vec<u8>), sql)? {
        let renewed = renewal::reencrypt_bytes(ring, &origin.entropy, (PURPOSE, &[id.0.as_bytes()]), &sealed);
        count.record_result(&renewed);
        if let Reencryption::Reencrypted(new) = renewed {
            let sql = "UPDATE install_mail SET sealed = $2 WHERE id = $1 AND sealed = $3";
            q!(&mut *tx, execute, sql, id, new, sealed)?;
        }
    }
    Ok(count)
}

/// Gives up queued mail that no key of the ring opens. Returns how many.
pub(crate) async fn fail_lost_mail(tx: &mut Tx, origin: &ClockRng, ring: &SecretKey) -> Result<u64> {
    let mut failed = 0;
    let sql = "SELECT id, sealed FROM install_mail WHERE sealed IS NOT NULL ORDER BY id";
    for (id, sealed) in q!(&mut *tx, fetch_all as (InstallMailId, Vec<u8>), sql)? {
        if ring.decrypt_bytes(PURPOSE, &[id.0.as_bytes()], &sealed).is_none() {
            record_outcome(&mut *tx, origin, id, Some(LOST_KEY_REASON)).await?;
            failed += 1;
        }
    }
    Ok(failed)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn queued(links: &[(&str, &str)], body: &str) -> RenderedInstallMail {
        let mail = QueuedInstallMail {
            id: InstallMailId(Uuid::nil()),
            to_address: EmailAddress::from_stored("ann@acme.example".to_owned()),
            subject: "Set up your business".to_owned(),
            body: body.to_owned(),
            page: Some(Json(build_page(links))),
            sealed: None,
            created_at: DateTime::UNIX_EPOCH,
        };
        let drawn = mail.render(&SecretKey::new([7; 32])).unwrap();
        RenderedInstallMail { html: drawn.html.map(|html| html.replace("&#x2f;", "/")), ..drawn }
    }

    #[test]
    fn mail_links_appear_as_html_button_and_as_copyable_address() {
        let links = [("Create your account", "https://box.example/register#a"), ("Sign in", "https://box.example/app")];
        let drawn = queued(&links, "Your payment has arrived.");
        let html = drawn.html.unwrap();
        for (label, address) in links {
            assert!(html.contains(&format!(">{label}</a>")), "{label}: {html}");
            assert!(html.contains(&format!(">{address}</a>")), "in letters that can be copied: {address}: {html}");
            assert!(drawn.text.contains(&format!("{label}:\n{address}")), "{}", drawn.text);
        }
    }

    #[test]
    fn user_text_in_mail_is_escaped_and_not_linked() {
        let drawn = queued(&[("All requests", "https://box.example/app/admin")], "<b>https://evil.example</b> asks");
        let html = drawn.html.unwrap();
        assert!(!html.contains("<b>") && !html.contains("href=\"https://evil.example"), "{html}");
    }

    #[test]
    fn invitation_proof_is_inserted_into_button_and_plain_link() {
        let mark = format!("https://box.example/join/abc[proof {}]", Uuid::from_u128(1));
        let drawn = queued(&[("Choose your password", &mark)], "Join us.");
        let html = drawn.html.unwrap();
        let (_, proof) = drawn.text.split_once("/join/abc~").unwrap();
        assert_eq!(proof.len(), 22);
        assert_eq!(html.matches(&format!("/join/abc~{proof}")).count(), 3, "button, plain link and its words: {html}");
        assert!(!html.contains("[proof") && !drawn.text.contains("[proof"));
    }
}
