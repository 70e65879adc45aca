//! A customer who is called like a piece of a program: from the first request to the last file it is a name, and only that.

use std::{io::Write, process::Command};

use serde_json::json;
use shared::{
    domain::intake::lead::{export, view::ListFilter},
    providers::sms::Sms,
};
use tests::{both_databases, people::Visitor};

/// To a template it would be the business's number, to a page a picture that runs.
const NAME: &str = "{{businessPhone}} <img onerror=x>";
/// The same where a page or a letter is made of it.
const ESCAPED: &str = "{{businessPhone}} &lt;img onerror";
const RUNS: &str = "<img onerror";

/// What is written on a PDF.
fn words(pdf: &[u8]) -> String {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(pdf).unwrap();
    let read = Command::new("pdftotext").arg("-layout").arg(file.path()).arg("-").output();
    let read = read.unwrap_or_else(|e| panic!("pdftotext (Debian's poppler-utils): {e}"));
    String::from_utf8(read.stdout).unwrap()
}

both_databases! {
    async fn a_name_like_a_program_is_read_as_it_was_typed_and_runs_nowhere(app) {
        app.use_twilio_at("http://127.0.0.1:9");
        app.context.sms = Sms::Memory(app.sms.clone());
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().named(NAME).submits_lead(app, &shop).await;
        app.run_tasks().await;

        let letters = app.mail.accepted();
        for to in ["ann@customer.example", shop.owner().email.as_str()] {
            let letter = letters.iter().find(|letter| letter.to == to).unwrap_or_else(|| panic!("{to}: {letters:?}"));
            // The answer to a form repeats a first name of letters, or none.
            let is_repeated = to == shop.owner().email;
            assert_eq!(letter.text.contains(NAME), is_repeated, "{}", letter.text);
            let html = letter.html.as_deref().unwrap_or_default();
            assert!(!html.contains(RUNS) && (html.is_empty() || html.contains(ESCAPED) == is_repeated), "{html}");
        }

        let office = app.client().signed_in(app, shop.owner()).await;
        let list = office.get(&format!("/api/leads/{}", shop.org.slug)).await.json();
        assert_eq!(list[0]["name"], json!(NAME));
        let mut conn = app.db.read().await.unwrap();
        let rows = export::rows(&mut conn, shop.id(), &ListFilter::default()).await.unwrap();
        drop(conn);
        let file = export::csv(&rows, shop.org.zone()).unwrap();
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
        for letter in app.mail.accepted() {
            assert!(!letter.html.unwrap_or_default().contains(RUNS), "{}", letter.subject);
        }
    }
}
