//! Email through a mail server that is down, refuses, or does not answer; and into files without a server.

use chrono::Duration;
use serde_json::json;
use shared::{
    domain::{
        messaging::message::{self, MessageChannel, MessageStatus, MessageView, ResendPermission},
        tenancy::org::SendChannels,
    },
    platform::id::LeadId,
};
use tests::{
    app::TestApp,
    both_databases,
    fake_smtp::{FakeSmtp, Fault, ReceivedEmail, Verb},
    people::{Shop, Visitor},
};
use tokio::net::TcpListener;

async fn ann_asks(app: &TestApp) -> (Shop, LeadId) {
    ann_asks_at("Acme Plumbing", app).await
}

async fn ann_asks_at(name: &str, app: &TestApp) -> (Shop, LeadId) {
    let shop = app.org(name).await;
    let forget = "DELETE FROM recipient WHERE org_id = $1";
    app.within(async |tx| Ok(shared::q!(tx, execute, forget, shop.id())?)).await.expect("no recipients are left");
    let lead = Visitor::ann().submits_lead(app, &shop).await;
    app.run_tasks().await;
    (shop, lead)
}

async fn reply(app: &TestApp, shop: &Shop, lead: LeadId) -> MessageView {
    let messages = app.lead(shop.id(), lead).await.messages;
    messages.into_iter().find(|m| m.channel == MessageChannel::Email).expect("an email")
}

fn answer(verb: Verb, reply: &str) -> Fault {
    Fault::Reply { verb, reply: reply.into() }
}

both_databases! {
    async fn email_is_delivered_once_under_its_message_id(app) {
        let smtp = FakeSmtp::start().await;
        app.use_smtp(&smtp);
        let (shop, lead) = ann_asks(app).await;
        let message = reply(app, &shop, lead).await;
        assert_eq!(message.status, MessageStatus::Sent, "{}", message.status_text);
        let [letter] = &smtp.letters()[..] else { panic!("{:?}", smtp.letters()) };
        assert_eq!(letter.to, ["ann@customer.example"]);
        assert_eq!(letter.header("Message-ID"), Some(format!("<{}@toolbox.example>", message.id).as_str()));
        assert!(letter.header("From").is_some_and(|from| from.contains("Acme Plumbing")), "{}", letter.raw);
    }

    async fn only_email_that_no_person_wrote_is_marked_as_auto_submitted(app) {
        let smtp = FakeSmtp::start().await;
        app.use_smtp(&smtp);
        let (shop, lead) = ann_asks(app).await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let customer = app.lead(shop.id(), lead).await.customer_id;
        let written = json!({"channel": "email", "subject": "Your visit", "body": "We come at eight."});
        assert_eq!(office.post(&format!("/api/customers/{customer}/messages"), &written).await.status, 201);
        app.run_tasks().await;
        let letters: Vec<_> = smtp.letters().into_iter().filter(|letter| letter.to == ["ann@customer.example"]).collect();
        let headers = |letter: &ReceivedEmail| ["Subject", "Auto-Submitted"].map(|name| letter.header(name).map(ToOwned::to_owned));
        let [reply, written] = &letters[..] else { panic!("{letters:?}") };
        assert_eq!(headers(reply), [Some("We received your request, Ann".to_owned()), Some("auto-generated".to_owned())]);
        assert_eq!(headers(written), [Some("Your visit".to_owned()), None]);
    }

    async fn unreachable_mail_server_is_retried_until_it_returns(app) {
        let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smtp://{}", nobody.local_addr().unwrap());
        drop(nobody);
        app.use_smtp_at(&url);
        let (shop, lead) = ann_asks(app).await;
        let message = reply(app, &shop, lead).await;
        assert_eq!(message.status_text, "waiting to be sent: the mail server could not be reached");
        app.live_through(Duration::minutes(20), Duration::minutes(1)).await;
        let message = reply(app, &shop, lead).await;
        assert_eq!(message.status, MessageStatus::Queued);
        assert!((4..=12).contains(&message.attempts), "{} tries in 20 minutes", message.attempts);
        let smtp = FakeSmtp::start().await;
        app.use_smtp(&smtp);
        app.live_through(Duration::minutes(30), Duration::minutes(1)).await;
        assert_eq!((reply(app, &shop, lead).await.status, smtp.letters().len()), (MessageStatus::Sent, 1));
    }

    async fn email_fails_after_hours_of_mail_server_outage(app) {
        let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smtp://{}", nobody.local_addr().unwrap());
        drop(nobody);
        app.use_smtp_at(&url);
        let (shop, lead) = ann_asks(app).await;
        app.live_through(Duration::hours(3), Duration::minutes(5)).await;
        let message = reply(app, &shop, lead).await;
        assert_eq!(message.status, MessageStatus::Failed);
        assert!(message.status_text.starts_with("failed: it could not be sent in time"), "{}", message.status_text);
        assert!(app.lead(shop.id(), lead).await.summary.needs_attention);
    }

    async fn greylisted_email_is_retried_and_sent(app) {
        let smtp = FakeSmtp::start().await;
        app.use_smtp(&smtp);
        smtp.script(answer(Verb::Rcpt, "451 4.7.1 greylisted"));
        let (shop, lead) = ann_asks(app).await;
        assert_eq!(reply(app, &shop, lead).await.status, MessageStatus::Queued);
        app.advance(Duration::seconds(7));
        app.run_tasks().await;
        let message = reply(app, &shop, lead).await;
        assert_eq!((message.status, message.attempts, smtp.letters().len()), (MessageStatus::Sent, 2, 1));
    }

    async fn nonexistent_address_fails_at_once_and_is_not_quoted(app) {
        let smtp = FakeSmtp::start().await;
        app.use_smtp(&smtp);
        smtp.script(answer(Verb::Rcpt, "550 5.1.1 <ann@customer.example> no such user"));
        let (shop, lead) = ann_asks(app).await;
        let message = reply(app, &shop, lead).await;
        assert_eq!(message.status_text, "failed: the email address does not exist (550 5.1.1)");
        assert!(message.retryable && app.lead(shop.id(), lead).await.summary.needs_attention);
        app.live_through(Duration::hours(3), Duration::minutes(30)).await;
        assert_eq!((reply(app, &shop, lead).await.attempts, smtp.letters().len()), (1, 0));
    }

    async fn email_without_final_answer_stays_in_doubt_until_manual_retry(app) {
        for (name, keep, arrived) in [("Acme Plumbing", true, 1), ("Best Roofing", false, 0)] {
            let smtp = FakeSmtp::start().await;
            app.use_smtp(&smtp);
            smtp.script(Fault::SilenceAfterDot { keep });
            let (shop, lead) = ann_asks_at(name, app).await;
            let message = reply(app, &shop, lead).await;
            assert_eq!(message.status, MessageStatus::Unknown, "{}", message.status_text);
            app.live_through(Duration::hours(5), Duration::minutes(30)).await;
            assert_eq!((reply(app, &shop, lead).await.attempts, smtp.letters().len()), (1, arrived));
            app.within(async |tx| message::retry_message(tx, &app.origin, shop.id(), message.id).await).await.unwrap();
            app.run_tasks().await;
            assert_eq!((reply(app, &shop, lead).await.status, smtp.letters().len()), (MessageStatus::Sent, arrived + 1));
            let ids: std::collections::BTreeSet<_> =
                smtp.letters().iter().map(|l| l.header("Message-ID").map(ToOwned::to_owned)).collect();
            assert_eq!(ids.len(), 1, "every try carries the same Message-ID");
        }
    }

    async fn email_without_mail_server_is_saved_as_private_file(app) {
        app.use_mail_files();
        let (shop, lead) = ann_asks(app).await;
        let message = reply(app, &shop, lead).await;
        assert_eq!(message.status, MessageStatus::Filed);
        assert_eq!(message.status_text, "saved as a file: email is not set up", "no path of the server");
        let path = app.settings.data_dir.join("mail").join(format!("{}.eml", message.id));
        let letter = std::fs::read_to_string(&path).unwrap();
        #[cfg(unix)]
        for (path, rights) in [(path.parent().unwrap(), 0o700), (path.as_path(), 0o600)] {
            let found = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(path).unwrap().permissions());
            assert_eq!(found & 0o777, rights, "who else may read {}", path.display());
        }
        assert!(letter.contains("To: ann@customer.example") && letter.contains("Content-Type: multipart/alternative"));
        let owner = app.client().signed_in(app, shop.owner()).await;
        let path = format!("/api/messages/{}/retry", message.id);
        let look = owner.get(&path).await.json();
        assert_eq!((&look["may"], &look["reason"]), (&json!("no"), &json!("email is not set up")));
        let shown = owner.get(&format!("/api/leads/{lead}")).await.json()["messages"].clone();
        let filed = shown.as_array().unwrap().iter().find(|shown| shown["id"] == json!(message.id)).unwrap();
        assert_eq!(filed["retryable"], false, "nothing is offered that would be refused");
        let mut conn = app.db.acquire_reader().await.unwrap();
        let again = message::check_resend(&mut conn, &app.origin, SendChannels::ALL, shop.id(), message.id).await.unwrap();
        assert_eq!(again.may, ResendPermission::Go, "once it is: {:?}", again.reason);
    }
}
