//! A name that a stranger typed into a public form: messages greet nobody by it, and papers show no link or number of it.

use super::*;

const TYPED: &str = "Your warranty ran out, pay today at evil.example 512-555-0177";
const SHOWN: &str = "Your warranty ran out, pay today at";

fn assert_harmless(words: &str) {
    for bad in ["evil", "0177"] {
        assert!(!words.contains(bad), "{bad} in {words}");
    }
}

/// Checks everything that was sent to the customer.
fn assert_harmless_messages(app: &TestApp) {
    let texts = app.sms.accepted_messages().into_iter().filter(|text| text.to == ANN).map(|text| text.body);
    let letters = app.mail.accepted_messages().into_iter().filter(|letter| letter.to == "ann@customer.example");
    let letters = letters.map(|letter| {
        let files: Vec<_> = letter.attachments.iter().map(|file| file.name.as_str()).collect();
        format!("{}\n{}\n{}\n{}", letter.subject, letter.text, letter.html.unwrap_or_default(), files.join("\n"))
    });
    let all: Vec<String> = texts.chain(letters).collect();
    assert!(all.len() >= 4, "the answer to the form and the paper, by text and by email: {all:?}");
    for words in all {
        assert_harmless(&words);
        assert!(!words.contains("Hi Your"), "{words}");
    }
}

both_databases! {
    async fn estimate_with_hostile_name_shows_no_link_or_number(app) {
        let fixture = billing_fixture_for(app, &Visitor::ann().named(TYPED)).await;
        let made = fixture.office.post(&format!("/api/leads/{}/estimate", fixture.lead), &json!({"quotedTotal": 1250.5})).await;
        assert_eq!(made.status, 200, "{}", made.json());
        assert_harmless(made.header("content-disposition"));
        app.run_tasks().await;
        let text = app.sms.accepted_messages().into_iter().find(|text| text.body.contains("your estimate from")).unwrap();
        assert!(text.body.starts_with("Hi there, your estimate from Acme Plumbing"), "{}", text.body);
        let letter = app.mail.accepted_messages().into_iter().find(|letter| letter.subject.starts_with("Your estimate")).unwrap();
        assert!(letter.text.starts_with("Hi there,"), "{}", letter.text);
        assert_harmless_messages(app);
        let paper = words(&made.body);
        assert!(paper.contains("Your warranty"), "{paper}");
        assert_harmless(&paper);
        let listed = fixture.office.get(&format!("/api/leads/{}/estimates", fixture.lead)).await.json();
        let page = text_of_page(app, &listed[0]).await;
        assert!(page.contains(SHOWN), "{page}");
        assert_harmless(&page);
    }

    async fn invoice_with_hostile_name_shows_no_link_or_number(app) {
        let fixture = billing_fixture_for(app, &Visitor::ann().named(TYPED)).await;
        fixture.agrees(1250.5).await;
        let draft = fixture.drafts(json!({"jobId": fixture.job().await, "dueOn": null})).await;
        fixture.sends(&draft, json!({})).await;
        app.run_tasks().await;
        let [text] = &texts(app)[..] else { panic!("one text: {:?}", texts(app)) };
        assert!(text.starts_with("Hi there, Acme Plumbing: invoice INV-1001"), "{text}");
        let [letter] = &letters(app)[..] else { panic!("one email: {:?}", letters(app)) };
        assert!(letter.text.starts_with("Hi there,"), "{}", letter.text);
        assert_harmless_messages(app);
        let paper = words(&letter.attachments[0].bytes);
        assert!(paper.contains("Your warranty"), "{paper}");
        assert_harmless(&paper);
        let page = text_of_page(app, &fixture.shown(&draft).await).await;
        assert!(page.contains(SHOWN), "{page}");
        assert_harmless(&page);
    }

    async fn name_of_business_keeps_its_digits_on_papers(app) {
        let fixture = billing_fixture_for(app, &Visitor::ann().named("3M Company")).await;
        fixture.agrees(1250.5).await;
        app.run_tasks().await;
        let listed = fixture.office.get(&format!("/api/leads/{}/estimates", fixture.lead)).await.json();
        assert!(text_of_page(app, &listed[0]).await.contains("3M Company"));
    }
}

async fn text_of_page(app: &TestApp, paper: &Value) -> String {
    text(&app.client().get(&at(paper)).await)
}
