//! Automatic answers to a form: they repeat none of its links, numbers or words.

use axum::http::Method;
use chrono::Duration;
use serde_json::json;
use tests::{both_databases, people::Visitor};

use super::shop;

both_databases! {
    async fn form_answer_repeats_no_typed_link_or_number(app) {
        let (shop, _) = shop(app).await;
        for (n, name) in ["https://evil.example/x", "evil.example", "Call 512-555-0199", "evil\u{3002}example now", "Win $500 at evil dot example", "e\u{200b}vil.example"].into_iter().enumerate() {
            let number = u32::try_from(n).unwrap() + 40;
            Visitor::number(number).named(name).email(Some("victim@customer.example")).submits_lead(app, &shop).await;
            app.run_tasks().await;
            app.advance(Duration::hours(25));
        }
        app.run_tasks().await;
        let texts = app.sms.accepted_messages().into_iter().map(|text| text.body);
        let letters = app.mail.accepted_messages().into_iter().filter(|mail| mail.to == "victim@customer.example");
        let all_messages: Vec<String> = texts.chain(letters.map(|mail| format!("{}\n{}\n{}", mail.subject, mail.text, mail.html.unwrap_or_default()))).collect();
        assert!(all_messages.len() >= 6, "{all_messages:?}");
        for words in &all_messages {
            for bad in ["evil", "0199"] {
                assert!(!words.contains(bad), "{bad}: {words}");
            }
        }
    }

    async fn form_answer_greets_by_first_name(app) {
        let (shop, _) = shop(app).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let text = app.sms.accepted_messages()[0].body.clone();
        assert!(text.contains("Hi Ann,") && !text.contains("Lee"), "{text}");
    }

    async fn form_answer_with_booking_link_has_button_and_plain_link(app) {
        let (mut shop, office) = shop(app).await;
        let body = "Thanks for asking {{ businessName }}.{% if bookingLink %} Book a time: {{ bookingLink }}{% endif %}";
        let path = format!("/api/org/{}/templates/email", shop.id());
        let change = json!({"body": body}).to_string().into_bytes();
        let changed = office.send(Method::PATCH, &path, "application/json", change).await;
        assert!(changed.status.is_success(), "{}", changed.json());
        shop.org.booking_link = Some("https://book.example/acme".to_owned());
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let letter = app.mail.accepted_messages().into_iter().find(|mail| mail.to == "ann@customer.example").unwrap();
        assert!(letter.text.contains("https://book.example/acme"), "{}", letter.text);
        tests::long_email::assert_button_and_link(&letter);
    }

    async fn default_answer_repeats_no_words_of_the_form(app) {
        let (_shop, _) = shop(app).await;
        let quote = json!({"customerName": "Ann Lee", "email": "victim@customer.example", "serviceType": "plumbing",
            "projectDescription": "Your card was declined, answer with its number."});
        assert!(app.client().post("/api/quotes/create", &quote).await.status.is_success());
        app.run_tasks().await;
        let letters: Vec<_> = app.mail.accepted_messages().into_iter().filter(|mail| mail.to == "victim@customer.example").collect();
        assert!(!letters.is_empty());
        for mail in letters {
            let mail_text = format!("{}\n{}\n{}", mail.subject, mail.text, mail.html.unwrap_or_default());
            assert!(!mail_text.contains("declined"), "{mail_text}");
        }
    }
}
