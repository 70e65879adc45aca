//! Emails that rules sent to customers: each that asks for something has a button and shows the address of its page.

use std::collections::HashMap;

use shared::{domain::messaging::message::MessageKind, platform::db::q, providers::mail::SentEmail};
use uuid::Uuid;

use super::TestApp;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PageLink {
    Required,
    /// What it is about may have no page: work that never had a time.
    RequiredIfPageExists,
    /// It asks for nothing, carries its paper, never goes by email to a customer, or a person wrote it.
    Optional,
}

#[derive(Debug)]
struct CustomerEmail {
    kind: MessageKind,
    /// What it is about.
    about: Option<Uuid>,
    /// Whether that had a page when the email was made.
    has_page: bool,
    /// The step of the plan that sent it.
    step: Option<String>,
}

impl CustomerEmail {
    /// Every kind is listed: a new one must be decided here.
    fn page_link(&self) -> PageLink {
        match self.kind {
            MessageKind::Estimate | MessageKind::ChangeOrder | MessageKind::Invoice | MessageKind::ReviewRequest => {
                PageLink::Required
            }
            // Whether a booked time is kept.
            MessageKind::AutoReply if self.about.is_some() => PageLink::Required,
            // The notice of a cancellation, and the reminder an hour before, ask for nothing.
            MessageKind::Visit if !matches!(self.step.as_deref(), Some("booked" | "moved" | "day_before")) => {
                PageLink::Optional
            }
            MessageKind::EstimateFollowUp
            | MessageKind::ChangeOrderFollowUp
            | MessageKind::Dunning
            | MessageKind::Visit
            | MessageKind::OnTheWay => PageLink::RequiredIfPageExists,
            MessageKind::AutoReply
            | MessageKind::MissedCall
            | MessageKind::Nudge
            | MessageKind::TextReply
            | MessageKind::HelpReply
            | MessageKind::StopConfirmation
            | MessageKind::Signed
            | MessageKind::Receipt
            | MessageKind::Manual
            | MessageKind::Incoming
            | MessageKind::OwnerNotice
            | MessageKind::AccountNotice
            | MessageKind::Test
            | MessageKind::Digest
            | MessageKind::Pulse => PageLink::Optional,
        }
    }

    fn must_open_page(&self) -> bool {
        match self.page_link() {
            PageLink::Required => true,
            PageLink::RequiredIfPageExists => self.has_page,
            PageLink::Optional => false,
        }
    }
}

impl TestApp {
    /// Emails that ask for something open their page by a button and by a plain link. In every other email the address
    /// of a document has a button, a line of its own, and is a visible link.
    pub(super) async fn customer_emails_open_their_pages(&self) {
        let emails = self.load_customer_emails().await;
        for letter in self.mail.accepted_messages() {
            let Some(email) = emails.get(&letter.id) else { continue };
            let html = letter.html.as_deref().unwrap_or_default().replace("&#x2f;", "/");
            if email.must_open_page() {
                assert_opens_page(&letter, &html, email);
            }
            if email.kind != MessageKind::Manual {
                assert_papers_are_linked(&letter, &html);
            }
        }
    }

    async fn load_customer_emails(&self) -> HashMap<Uuid, CustomerEmail> {
        let mut conn = self.db.acquire_reader().await.expect("a connection");
        let steps = q!(&mut conn, fetch_all as (Uuid, String), "SELECT id, step FROM follow_up").expect("the steps");
        let steps: HashMap<Uuid, String> = steps.into_iter().collect();
        let sql = "SELECT m.id, m.kind, m.dedupe_key, m.about_id,
                 EXISTS (SELECT 1 FROM access_link k WHERE k.org_id = m.org_id AND k.subject_id = m.about_id
                     AND k.created_at <= m.created_at AND (k.revoked_at IS NULL OR k.revoked_at > m.created_at))
             FROM message m WHERE m.direction = 'out' AND m.channel = 'email' AND m.customer_id IS NOT NULL";
        let rows = q!(&mut conn, fetch_all as (Uuid, MessageKind, String, Option<Uuid>, bool), sql);
        let to_email = |(id, kind, key, about, has_page): (Uuid, MessageKind, String, Option<Uuid>, bool)| {
            (id, CustomerEmail { kind, about, has_page, step: find_step(&key, &steps) })
        };
        rows.expect("the emails").into_iter().map(to_email).collect()
    }
}

/// The step that a message of a plan was sent for (`followup::compose`).
fn find_step(key: &str, steps: &HashMap<Uuid, String>) -> Option<String> {
    let id: Uuid = key.strip_prefix("follow:")?.split(':').next()?.parse().ok()?;
    steps.get(&id).cloned()
}

fn find_button_address(html: &str) -> Option<&str> {
    let (_, rest) = html.split_once("<a class=\"main\" href=\"")?;
    rest.split('"').next()
}

fn assert_opens_page(letter: &SentEmail, html: &str, email: &CustomerEmail) {
    let subject = &letter.subject;
    let address = find_button_address(html).unwrap_or_else(|| panic!("no button in {subject} of {email:?}: {html}"));
    assert!(address.starts_with("http"), "{subject} of {email:?}: {address}");
    assert!(letter.text.lines().any(|line| line == address), "{subject} of {email:?}: {}", letter.text);
    assert!(html.contains(&format!(">{address}</a>")), "no plain link in {subject} of {email:?}: {html}");
}

fn assert_papers_are_linked(letter: &SentEmail, html: &str) {
    let is_paper = |word: &&str| {
        let place = word.strip_prefix("https://toolbox.example/").unwrap_or_default();
        (place.starts_with("p/") || place.starts_with("r/")) && !place.ends_with("/stop")
    };
    let papers: Vec<&str> = letter.text.split_whitespace().filter(is_paper).collect();
    let has_button = |paper: &&str| html.contains(&format!("<a class=\"main\" href=\"{paper}\""));
    assert!(papers.is_empty() || papers.iter().any(has_button), "no button in {}: {html}", letter.subject);
    for paper in papers {
        assert!(letter.text.lines().any(|line| line == paper), "{}: {}", letter.subject, letter.text);
        assert!(html.contains(&format!(">{paper}</a>")), "no plain link in {}: {html}", letter.subject);
    }
}
