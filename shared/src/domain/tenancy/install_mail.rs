//! Mail of the install, about no business: to the operator, and to payers without an account.
//!
//! Messages about a business ([`crate::domain::messaging::message`]) pass a gate, have a deadline and are visible to
//! the owner. Install mail has none of that: it is rare, uses the same renderer, and is retried until the mail server
//! accepts or rejects it. Every try has the same Message-ID, so a try with an unknown result is repeated: a duplicate
//! is harmless, a lost demo request is not.

use chrono::{DateTime, Duration, Utc};
use sqlx::{FromRow, types::Json};

use crate::{
    documents::template::{self, EmailPage},
    domain::tenancy::account::invite::proof,
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, insert_row, q},
        email_address::EmailAddress,
        error::Result,
        id::InstallMailId,
        secret::SecretKey,
        tasks::{self, Kind, NewTask},
    },
};

const FROM: &str = "Toolbox";
const FOOTER: &str = "This email is from Toolbox, the software, and not from a business that uses it.";

/// Retention of sent and refused mail, from its creation.
const KEEP: Duration = Duration::days(90);

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
    pub subject: String,
    pub body: String,
    /// None for mail queued before install mail had HTML.
    pub page: Option<Json<EmailPage>>,
    pub created_at: DateTime<Utc>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedInstallMail {
    pub text: String,
    pub html: Option<String>,
}

impl QueuedInstallMail {
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
        let html = template::render_html(FROM, &self.subject, &body, &page, None)?;
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

/// Stores a mail and its task. An existing key is left unchanged.
pub async fn enqueue_mail(tx: &mut Tx, origin: &ClockRng, mail: &InstallMail<'_>) -> Result<()> {
    let (id, now) = (InstallMailId(origin.uuid_v7()), origin.now());
    let stored = insert_row!(
        &mut *tx,
        execute,
        install_mail {
            id,
            to_address: mail.to,
            subject: mail.subject,
            body: mail.body,
            dedupe_key: mail.key,
            status: "queued",
            created_at: now,
            page: Json(build_page(mail.links)),
        },
        "ON CONFLICT (dedupe_key) DO NOTHING"
    )?;
    if stored == 0 {
        return Ok(());
    }
    let task = NewTask {
        org: None,
        kind: Kind::SendInstallMail,
        subject: Some(id.0),
        run_at: now,
        unique_key: format!("install_mail:{id}"),
    };
    tasks::enqueue(tx, origin, vec![task]).await.map(|_| ())
}

pub async fn find_queued(conn: &mut dyn AsConn, id: InstallMailId) -> Result<Option<QueuedInstallMail>> {
    let sql =
        "SELECT id, to_address, subject, body, page, created_at FROM install_mail WHERE id = $1 AND status = 'queued'";
    Ok(q!(conn, fetch_optional as QueuedInstallMail, sql, id)?)
}

pub async fn record_outcome(tx: &mut Tx, origin: &ClockRng, id: InstallMailId, refused: Option<&str>) -> Result<()> {
    let status = if refused.is_some() { "failed" } else { "sent" };
    let sql = "UPDATE install_mail SET status = $2, reason = $3, ended_at = $4 WHERE id = $1 AND status = 'queued'";
    q!(tx, execute, sql, id, status, refused, origin.now())?;
    Ok(())
}

pub async fn prune_finished_mail(tx: &mut Tx, now: DateTime<Utc>) -> Result<()> {
    q!(tx, execute, "DELETE FROM install_mail WHERE created_at < $1 AND status <> 'queued'", now - KEEP)?;
    Ok(())
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
