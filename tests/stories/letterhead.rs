//! What frames an email to a customer: where an answer goes, where the business is, and the language of its page.

use axum::http::Method;
use serde_json::json;
use shared::{
    domain::{messaging::message::Channel, tenancy::account::Role},
    providers::mail::SentLetter,
};
use tests::{
    app::TestApp,
    both_databases,
    fake_smtp::FakeSmtp,
    people::{Shop, Visitor},
};

const HOME: &str = "ann@customer.example";

async fn forget_everybody(app: &TestApp, shop: &Shop) {
    let forget = "DELETE FROM recipient WHERE org_id = $1";
    app.within(async |tx| Ok(shared::q!(tx, execute, forget, shop.id())?)).await.unwrap();
}

/// The newest letter to the customer.
fn newest(app: &TestApp) -> SentLetter {
    app.mail.accepted().into_iter().rfind(|letter| letter.to == HOME).unwrap()
}

both_databases! {
    async fn an_answer_to_an_email_reaches_the_business(app) {
        let smtp = FakeSmtp::start().await;
        app.use_smtp(&smtp);
        let shop = app.org("Acme Plumbing").await;
        forget_everybody(app, &shop).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let header = |n: usize| smtp.letters()[n].header("Reply-To").map(ToOwned::to_owned);
        assert_eq!(header(0).as_deref(), Some(shop.owner().email.as_str()), "the owner's, when nobody is told");
        app.tells(&shop, Channel::Email, "desk@acme.example").await;
        Visitor::ann().phone("5125550177").email(Some("bea@customer.example")).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let to_bea = smtp.letters().into_iter().find(|letter| letter.to == ["bea@customer.example"]).unwrap();
        assert_eq!(to_bea.header("Reply-To"), Some("desk@acme.example"));
        let notice = smtp.letters().into_iter().find(|letter| letter.to == ["desk@acme.example"]).unwrap();
        assert_eq!(notice.header("Reply-To"), None, "a notice to the business itself needs none");
        let office = app.staff(&shop, Role::Office).await;
        let client = app.client().signed_in(app, &office).await;
        let customer = app.lead(shop.id(), lead).await.customer_id;
        let written = json!({"channel": "email", "body": "We come at eight.", "subject": "Your visit"});
        assert_eq!(client.post(&format!("/api/customers/{customer}/messages"), &written).await.status, 201);
        app.run_tasks().await;
        let by_hand = smtp.letters().into_iter().rfind(|letter| letter.to == [HOME]).unwrap();
        assert_eq!(by_hand.header("Reply-To"), Some(office.email.as_str()), "the one who wrote it");
    }

    async fn the_postal_address_stands_at_the_foot_of_what_customers_get_and_nowhere_else(app) {
        let shop = app.org("Acme Plumbing").await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert!(!newest(app).text.contains("Acme Plumbing\n1 Main St"));
        let owner = app.client().signed_in(app, shop.owner()).await;
        let (path, address) = (format!("/api/org/{}", shop.id()), json!({"postalAddress": "1 Main St\nAustin TX"}));
        assert_eq!(owner.send(Method::PATCH, &path, "application/json", address.to_string().into_bytes()).await.status, 200);
        Visitor::ann().phone("5125550177").email(Some("bea@customer.example")).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let letters = app.mail.accepted();
        let to = |address: &str| letters.iter().rfind(|letter| letter.to == address).unwrap();
        let customer = to("bea@customer.example");
        assert!(customer.text.ends_with("\n\nAcme Plumbing\n1 Main St\nAustin TX"), "{}", customer.text);
        assert!(!customer.text.contains("Acme Plumbing\n\nAcme Plumbing"), "{}", customer.text);
        assert!(customer.html.as_deref().unwrap().contains("<br>1 Main St<br>Austin TX</td>"));
        let owner = to(&shop.owner().email);
        assert!(!owner.text.contains("Main St") && !owner.html.as_deref().unwrap().contains("Main St"));
    }

    async fn an_email_in_spanish_says_so_to_whatever_reads_it_aloud(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert!(newest(app).html.unwrap().contains("<html lang=\"en\">"));
        let customer = app.lead(shop.id(), lead).await.customer_id;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let written = json!({"channel": "email", "body": "Hola, llegamos mañana a las ocho. Gracias", "subject": "Su cita"});
        assert_eq!(owner.post(&format!("/api/customers/{customer}/messages"), &written).await.status, 201);
        app.run_tasks().await;
        let html = newest(app).html.unwrap();
        assert!(html.contains("<html lang=\"es\">") && html.contains("Acme Plumbing le escribió."), "{html}");
    }
}
