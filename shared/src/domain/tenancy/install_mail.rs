//! Mail of the install itself, about no business: to its operator, and to who has paid and has no account yet.
//!
//! Words about a business are messages ([`crate::domain::messaging::message`]), which have a gate, a deadline and a place where their
//! owner sees them. These have none of it: they are few, drawn by the same renderer, and sent until the mail server takes
//! or refuses them.
//! Every try carries the same Message-ID, so one whose end nobody knows may be made again: a second copy harms nobody,
//! a lost request for a demo does.

use chrono::{DateTime, Duration, Utc};
use sqlx::{FromRow, types::Json};

use crate::{
    documents::template::{self, Page},
    domain::tenancy::account::invite::proof,
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::Result,
        id::InstallMailId,
        secret::SecretKey,
        tasks::{self, Kind, NewTask},
    },
};

/// Whose mail it is, above its heading.
const FROM: &str = "Toolbox";
const FOOTER: &str = "This email is from Toolbox, the software, and not from a business that uses it.";

/// How long what was sent is kept.
const KEEP: Duration = Duration::days(90);

/// Words for one address.
#[derive(Clone, Copy, Debug)]
pub struct Mail<'a> {
    pub to: &'a str,
    pub subject: &'a str,
    /// Without the addresses of `links`: the renderer of all emails adds them.
    pub body: &'a str,
    /// What it asks for: labels and addresses, at most two. Each becomes a button and a plain link.
    pub links: &'a [(&'a str, &'a str)],
    /// One cause and one receiver, one key.
    pub key: &'a str,
}

/// A mail that is still to be sent.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Queued {
    pub id: InstallMailId,
    pub to_address: String,
    pub subject: String,
    pub body: String,
    /// None for what was queued before mails of the install had HTML.
    pub page: Option<Json<Page>>,
    pub created_at: DateTime<Utc>,
}

/// A mail as it leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    pub text: String,
    pub html: Option<String>,
}

impl Queued {
    /// The plain part and the HTML, with what must not be kept put in: an invitation's proof.
    ///
    /// # Errors
    /// Only if the layout of emails were broken, which a test rules out.
    pub fn rendered(&self, secret: &SecretKey) -> Result<Rendered> {
        let put_in = |text: &str| proof::put_in_text(secret, &self.to_address, text);
        let body = put_in(&self.body);
        let Some(Json(page)) = &self.page else { return Ok(Rendered { text: body, html: None }) };
        let with_proof = |button: &(String, String)| (button.0.clone(), put_in(&button.1));
        let page = Page {
            button: page.button.as_ref().map(with_proof),
            other_button: page.other_button.as_ref().map(with_proof),
            ..page.clone()
        };
        let html = template::html(FROM, &self.subject, &body, &page, None)?;
        Ok(Rendered { text: template::plain(&body, Some(&page)), html: Some(html) })
    }
}

fn page(links: &[(&str, &str)]) -> Page {
    let mut buttons = links.iter().map(|(label, address)| ((*label).to_owned(), (*address).to_owned()));
    // Strangers' words may stand in these mails: only the addresses of the buttons become links.
    Page { button: buttons.next(), other_button: buttons.next(), footer: FOOTER.to_owned(), ..Page::default() }
}

/// Stores a mail with the task that sends it. One whose key is there already is left as it is.
pub async fn queue(tx: &mut Tx, origin: &Origin, mail: &Mail<'_>) -> Result<()> {
    let (id, now) = (InstallMailId(origin.uuid()), origin.now());
    let stored = q!(
        &mut *tx,
        execute,
        "INSERT INTO install_mail (id, to_address, subject, body, dedupe_key, status, created_at, page)
         VALUES ($1, $2, $3, $4, $5, 'queued', $6, $7) ON CONFLICT (dedupe_key) DO NOTHING",
        id,
        mail.to,
        mail.subject,
        mail.body,
        mail.key,
        now,
        Json(page(mail.links))
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

/// The mail of this id, if it has neither been sent nor refused.
pub async fn queued(conn: &mut dyn AsConn, id: InstallMailId) -> Result<Option<Queued>> {
    let sql =
        "SELECT id, to_address, subject, body, page, created_at FROM install_mail WHERE id = $1 AND status = 'queued'";
    Ok(q!(conn, fetch_optional as Queued, sql, id)?)
}

/// Notes how it ended: with a reason when the mail server will not have it.
pub async fn ended(tx: &mut Tx, origin: &Origin, id: InstallMailId, refused: Option<&str>) -> Result<()> {
    let status = if refused.is_some() { "failed" } else { "sent" };
    let sql = "UPDATE install_mail SET status = $2, reason = $3, ended_at = $4 WHERE id = $1 AND status = 'queued'";
    q!(tx, execute, sql, id, status, refused, origin.now())?;
    Ok(())
}

/// Removes what is long over.
pub async fn prune(tx: &mut Tx, now: DateTime<Utc>) -> Result<()> {
    q!(tx, execute, "DELETE FROM install_mail WHERE created_at < $1 AND status <> 'queued'", now - KEEP)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn queued(links: &[(&str, &str)], body: &str) -> Rendered {
        let mail = Queued {
            id: InstallMailId(Uuid::nil()),
            to_address: "ann@acme.example".to_owned(),
            subject: "Set up your business".to_owned(),
            body: body.to_owned(),
            page: Some(Json(page(links))),
            created_at: DateTime::UNIX_EPOCH,
        };
        let drawn = mail.rendered(&SecretKey::new([7; 32])).unwrap();
        Rendered { html: drawn.html.map(|html| html.replace("&#x2f;", "/")), ..drawn }
    }

    #[test]
    fn each_link_is_a_button_and_a_plain_link_in_both_parts() {
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
    fn strangers_words_are_no_markup_and_no_link() {
        let drawn = queued(&[("All requests", "https://box.example/app/admin")], "<b>https://evil.example</b> asks");
        let html = drawn.html.unwrap();
        assert!(!html.contains("<b>") && !html.contains("href=\"https://evil.example"), "{html}");
    }

    #[test]
    fn an_invitations_proof_is_put_into_the_button_and_the_plain_link() {
        let mark = format!("https://box.example/join/abc[proof {}]", Uuid::from_u128(1));
        let drawn = queued(&[("Choose your password", &mark)], "Join us.");
        let html = drawn.html.unwrap();
        let (_, proof) = drawn.text.split_once("/join/abc~").unwrap();
        assert_eq!(proof.len(), 22);
        assert_eq!(html.matches(&format!("/join/abc~{proof}")).count(), 3, "button, plain link and its words: {html}");
        assert!(!html.contains("[proof") && !drawn.text.contains("[proof"));
    }
}
