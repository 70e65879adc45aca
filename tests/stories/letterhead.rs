//! The frame of an email to a customer: reply address, postal address, and language of its page.

use axum::http::Method;
use serde_json::json;
use shared::{
    domain::{messaging::message::MessageChannel, tenancy::account::Role},
    providers::mail::SentEmail,
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

fn newest(app: &TestApp) -> SentEmail {
    app.mail.accepted_messages().into_iter().rfind(|letter| letter.to == HOME).unwrap()
}

both_databases! {
    async fn reply_to_of_customer_email_is_a_business_address(app) {
        let smtp = FakeSmtp::start().await;
        app.use_smtp(&smtp);
        let shop = app.org("Acme Plumbing").await;
        forget_everybody(app, &shop).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let header = |n: usize| smtp.letters()[n].header("Reply-To").map(ToOwned::to_owned);
        assert_eq!(header(0).as_deref(), Some(shop.owner().email.as_str()), "the owner's address without a notification address");
        app.tells(&shop, MessageChannel::Email, "desk@acme.example").await;
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

    async fn postal_address_is_in_the_footer_of_customer_emails_only(app) {
        let shop = app.org("Acme Plumbing").await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert!(!newest(app).text.contains("Acme Plumbing\n1 Main St"));
        let owner = app.client().signed_in(app, shop.owner()).await;
        let (path, address) = (format!("/api/org/{}", shop.id()), json!({"postalAddress": "1 Main St\nAustin TX"}));
        assert_eq!(owner.send(Method::PATCH, &path, "application/json", address.to_string().into_bytes()).await.status, 200);
        Visitor::ann().phone("5125550177").email(Some("bea@customer.example")).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let letters = app.mail.accepted_messages();
        let to = |address: &str| letters.iter().rfind(|letter| letter.to == address).unwrap();
        let customer = to("bea@customer.example");
        assert!(customer.text.ends_with("\n\nAcme Plumbing\n1 Main St\nAustin TX"), "{}", customer.text);
        assert!(!customer.text.contains("Acme Plumbing\n\nAcme Plumbing"), "{}", customer.text);
        assert!(customer.html.as_deref().unwrap().contains("<br>1 Main St<br>Austin TX</td>"));
        let owner = to(&shop.owner().email);
        assert!(!owner.text.contains("Main St") && !owner.html.as_deref().unwrap().contains("Main St"));
    }

    async fn spanish_email_declares_its_language_in_html(app) {
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
