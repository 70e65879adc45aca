//! A customer's name that contains code: it is shown as a name only, from the first request to the last file.

use std::{io::Write, process::Command};

use serde_json::json;
use shared::{
    providers::sms::SmsProvider,
    views::lead::{LeadListFilter, export},
};
use tests::{both_databases, people::Visitor};

/// A placeholder to a template, and a script to a page.
const NAME: &str = "{{businessPhone}} <img onerror=x>";
/// The escaped form in a page or an email.
const ESCAPED: &str = "{{businessPhone}} &lt;img onerror";
const RUNS: &str = "<img onerror";

fn words(pdf: &[u8]) -> String {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(pdf).unwrap();
    let read = Command::new("pdftotext").arg("-layout").arg(file.path()).arg("-").output();
    let read = read.unwrap_or_else(|e| panic!("pdftotext (Debian's poppler-utils): {e}"));
    String::from_utf8(read.stdout).unwrap()
}

both_databases! {
    async fn markup_name_is_kept_verbatim_and_escaped_in_html(app) {
        app.use_twilio_at("http://127.0.0.1:9");
        app.context.sms = SmsProvider::Memory(app.sms.clone());
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().named(NAME).submits_lead(app, &shop).await;
        app.run_tasks().await;

        let letters = app.mail.accepted_messages();
        for to in ["ann@customer.example", shop.owner().email.as_str()] {
            let letter = letters.iter().find(|letter| letter.to == to).unwrap_or_else(|| panic!("{to}: {letters:?}"));
            // The answer to a form repeats a first name only when it consists of letters.
            let is_repeated = to == shop.owner().email;
            assert_eq!(letter.text.contains(NAME), is_repeated, "{}", letter.text);
            let html = letter.html.as_deref().unwrap_or_default();
            assert!(!html.contains(RUNS) && (html.is_empty() || html.contains(ESCAPED) == is_repeated), "{html}");
        }

        let office = app.client().signed_in(app, shop.owner()).await;
        let list = office.get(&format!("/api/leads/{}", shop.org.slug)).await.json();
        assert_eq!(list[0]["name"], json!(NAME));
        let mut conn = app.db.acquire_reader().await.unwrap();
        let rows = export::load_export_rows(&mut conn, shop.id(), &LeadListFilter::default()).await.unwrap();
        drop(conn);
        let file = export::render_csv(&rows, shop.org.zone()).unwrap();
        let record = csv::Reader::from_reader(file.as_bytes()).records().next().unwrap().unwrap();
        assert_eq!(&record[0], NAME);

        let paper = office.post(&format!("/api/leads/{lead}/estimate"), &json!({"quotedTotal": 1250.5})).await;
        assert_eq!(paper.status, 200, "{}", paper.json());
        let written = words(&paper.body);
        assert!(written.contains("{{businessPhone}}") && written.contains("onerror=x>"), "{written}");
        app.run_tasks().await;
        let estimates = office.get(&format!("/api/leads/{lead}/estimates")).await.json();
        let link = estimates[0]["link"].as_str().unwrap().trim_start_matches("https://toolbox.example").to_owned();
        let page = String::from_utf8(app.client().get(&link).await.body).unwrap();
        assert!(page.contains(ESCAPED) && !page.contains(RUNS), "{page}");
        for letter in app.mail.accepted_messages() {
            assert!(!letter.html.unwrap_or_default().contains(RUNS), "{}", letter.subject);
        }
    }
}
