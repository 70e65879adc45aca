//! Look of a business on its form, pages, emails and papers: color, logo, and the line at the foot.

use axum::http::Method;
use serde_json::{Value, json};
use shared::{domain::tenancy::account::Role, providers::sms::SmsProvider};
use tests::{
    both_databases,
    http::{Answer, Client, Multipart, pixel},
    people::Visitor,
};

const HOME: &str = "ann@customer.example";
const BOOK: &str = "/book/acme-plumbing";

async fn changes_look(client: &Client, look: Value) -> Answer {
    let body = json!({"look": look}).to_string().into_bytes();
    client.send(Method::PATCH, "/api/org/acme-plumbing/settings", "application/json", body).await
}

async fn page(client: &Client, path: &str) -> String {
    let answer = client.get(path).await;
    assert_eq!(answer.status, 200, "{path}");
    String::from_utf8(answer.body).unwrap().replace("&#x2f;", "/")
}

/// Address of the stylesheet of the business's color.
fn color_style(page: &str) -> String {
    let (_, rest) = page.split_once("href=\"/p-assets/look-").unwrap_or_else(|| panic!("{page}"));
    format!("/p-assets/look-{}", rest.split('"').next().unwrap())
}

both_databases! {
    async fn form_and_pages_carry_color_logo_and_line_of_their_business_only(app) {
        let shop = app.org("Acme Plumbing").await;
        app.org("Beta Roofing").await;
        let (owner, visitor) = (app.client().signed_in(app, shop.owner()).await, app.client());
        let logo = Multipart::default().file("logo", "logo.png", &pixel());
        let logo = owner.post_form(&format!("/api/org/{}/logo", shop.id()), logo).await.json()["logoUrl"].clone();
        let plain = page(&visitor, BOOK).await;
        assert!(plain.contains("Powered by Toolbox") && !plain.contains("/p-assets/look-"), "{plain}");
        assert!(!plain.contains("href=\"/\""), "no link to the page of Toolbox: {plain}");
        let changed = changes_look(&owner, json!({"color": "#FFCC00"})).await;
        assert_eq!(changed.status, 200, "{}", changed.json());
        assert_eq!(changed.json()["look"], json!({"color": "#ffcc00", "showsPoweredBy": true}));
        let form = visitor.get("/api/public/form?org=acme-plumbing").await.json();
        assert_eq!(form["look"], json!({"logoUrl": logo, "showsPoweredBy": true, "colors": {
            "light": {"fill": "#ffcc00", "onFill": "#000000", "ink": "#806600"},
            "dark": {"fill": "#ffcc00", "onFill": "#000000", "ink": "#ffcc00"},
        }}));
        let branded = page(&visitor, BOOK).await;
        assert!(branded.contains(logo.as_str().unwrap()), "{branded}");
        let style = visitor.get(&color_style(&branded)).await;
        assert_eq!((style.status.as_u16(), style.header("content-type")), (200, "text/css; charset=utf-8"));
        assert!(style.header("cache-control").contains("immutable"));
        assert_eq!(visitor.get("/p-assets/look-ffcc00-000000000000.css").await.status, 404);
        let neighbor = visitor.get("/api/public/form?org=beta-roofing").await.json();
        assert_eq!(neighbor["look"], json!({"logoUrl": null, "colors": null, "showsPoweredBy": true}));
        assert!(!page(&visitor, "/book/beta-roofing").await.contains("/p-assets/look-"));
        assert_eq!(changes_look(&owner, json!({"color": null, "showsPoweredBy": false})).await.status, 200);
        let bare = page(&visitor, BOOK).await;
        assert!(!bare.contains("Powered by") && !bare.contains("/p-assets/look-"), "{bare}");
    }

    async fn form_names_the_booking_page_only_where_there_is_one(app) {
        let shop = app.org("Acme Plumbing").await;
        let (owner, visitor) = (app.client().signed_in(app, shop.owner()).await, app.client());
        assert_eq!(visitor.get("/api/public/form?org=acme-plumbing").await.json()["bookingUrl"], json!(null));
        let own = json!({"bookingLink": "https://times.example/acme"}).to_string().into_bytes();
        assert_eq!(owner.send(Method::PATCH, "/api/org/acme-plumbing", "application/json", own).await.status, 200);
        let form = visitor.get("/api/public/form?org=acme-plumbing").await.json();
        assert_eq!(form["bookingUrl"], json!("https://times.example/acme"));
    }

    async fn look_is_refused_by_field_and_by_role(app) {
        let shop = app.org("Acme Plumbing").await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        for color in ["red", "#fff", "#12345g", "#00616f;}", "javascript:alert(1)"] {
            assert_eq!(changes_look(&owner, json!({"color": color})).await.problem().2, ["look.color"], "{color}");
        }
        let crew = app.client().signed_in(app, &app.staff(&shop, Role::Crew).await).await;
        assert_eq!(changes_look(&crew, json!({"color": "#1d4ed8"})).await.status, 403);
        let other = app.org("Beta Roofing").await;
        let stranger = app.client().signed_in(app, other.owner()).await;
        let refused = changes_look(&stranger, json!({"color": "#1d4ed8"})).await;
        assert!([403, 404].contains(&refused.status.as_u16()), "{}", refused.json());
        assert!(!page(&app.client(), BOOK).await.contains("/p-assets/look-"));
    }

    async fn color_is_on_customer_emails_and_estimates_but_not_on_notices_to_the_office(app) {
        app.use_twilio_at("http://127.0.0.1:9");
        app.context.sms = SmsProvider::Memory(app.sms.clone());
        let shop = app.org("Acme Plumbing").await;
        let (owner, customer) = (app.client().signed_in(app, shop.owner()).await, app.client());
        assert_eq!(changes_look(&owner, json!({"color": "#1d4ed8"})).await.status, 200);
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let letters = app.mail.accepted_messages();
        let html = |to: &str| letters.iter().rfind(|letter| letter.to == to).and_then(|letter| letter.html.clone()).unwrap();
        assert!(html(HOME).contains("border-top:4px solid #1d4ed8"), "{}", html(HOME));
        assert!(!html(&shop.owner().email).contains("#1d4ed8"));
        let sent = owner.post(&format!("/api/leads/{lead}/estimate"), &json!({"quotedTotal": 1250.5})).await;
        assert_eq!(sent.status, 200, "{}", sent.json());
        app.run_tasks().await;
        let estimates = owner.get(&format!("/api/leads/{lead}/estimates")).await.json();
        let link = url::Url::parse(estimates[0]["link"].as_str().unwrap()).unwrap();
        assert!(page(&customer, link.path()).await.contains("/p-assets/look-1d4ed8-"));
        let paper = format!("{}/pdf", link.path());
        let issued = customer.get(&paper).await;
        assert_eq!(issued.status, 200);
        assert_eq!(changes_look(&owner, json!({"color": "#b3122a"})).await.status, 200);
        assert!(page(&customer, link.path()).await.contains("/p-assets/look-b3122a-"));
        assert_eq!(customer.get(&paper).await.body, issued.body, "an issued paper does not change");
    }
}
