//! What the owners are told when the operator takes their texting number away.

use serde_json::json;
use shared::platform::db::q;
use tests::{app::TestApp, both_databases, fake_stripe::FakeStripe, people::Shop};

use super::{FREE, install, operator, put, without_number};

const TITLE: &str = "Your business no longer has a texting number";

/// The operator gives the number to the business and takes it away. Returns what the owner is mailed.
async fn gives_and_takes(app: &mut TestApp, (acme, best): (&Shop, &Shop)) -> String {
    let client = operator(app, acme).await;
    let path = format!("/api/admin/sending-numbers/{FREE}");
    for org in [json!(best.id()), json!(null)] {
        let done = put(&client, &path, &json!({ "orgId": org })).await;
        assert_eq!(done.status, 200, "{}", done.json());
        app.run_tasks().await;
    }
    let letters = app.mail.accepted_messages();
    let letter = letters.iter().rfind(|letter| letter.subject == TITLE).unwrap_or_else(|| panic!("{letters:?}"));
    letter.text.clone()
}

fn assert_words(text: &str, said: &[&str], unsaid: &[&str]) {
    assert!(said.iter().all(|words| text.contains(words)), "{said:?}: {text}");
    assert!(!unsaid.iter().any(|words| text.contains(words)), "{unsaid:?}: {text}");
}

both_databases! {
    async fn notice_of_a_lost_number_names_emails_and_the_next_step_as_the_install_has_them(app) {
        let install = install(app).await;
        let (acme, best) = (app.org("Acme Plumbing").await, without_number(app, "Best Roofing").await);
        install.twilio.owns(FREE, true);
        let (by_email, sets_up, proves) = ("go by email", "Set up another one under Settings", "Prove one under Settings");
        let text = gives_and_takes(app, (&acme, &best)).await;
        assert_words(&text, &["Texts are off.", sets_up], &[by_email, proves, "Ask the people"]);
        app.takes_email_for_set_up();
        app.settings.numbers_per_business = 0;
        let text = gives_and_takes(app, (&acme, &best)).await;
        assert_words(&text, &["Texts are off.", by_email, proves, "ask the people who run your Toolbox"], &[sets_up]);
    }

    async fn notice_to_a_business_that_may_email_nobody_promises_no_emails(app) {
        let stripe = FakeStripe::start().await;
        let install = install(app).await;
        app.use_billing(&stripe);
        app.takes_email_for_set_up();
        let (acme, best) = (app.org("Acme Plumbing").await, without_number(app, "Best Roofing").await);
        let unpaid = "UPDATE org_trust SET let_through_at = NULL WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, unpaid, best.id())?)).await.unwrap();
        install.twilio.owns(FREE, true);
        let text = gives_and_takes(app, (&acme, &best)).await;
        assert_words(&text, &["Texts are off.", "Prove one under Settings"], &["go by email", "Set up another one"]);
    }
}
