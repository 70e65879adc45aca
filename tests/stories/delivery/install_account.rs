//! Trouble with the install's own accounts: who is told what, and when it ends.

use shared::domain::messaging::{
    alert,
    message::provider_trouble::{TroubleCause, record_trouble},
};
use tests::addresses::email;
use worker::channel_check::check_channels;

use super::*;

const OPERATOR: &str = "operator@toolbox.example";
const SMS_PAUSED: &str = "toolbox_channel_paused{channel=\"sms\",why=\"credentials\"} 1";
const ACCOUNT_PAUSED: &str = "toolbox_channel_paused{channel=\"sms\",why=\"account\"} 1";
const SET_UP_WRONG: &str = "toolbox_channel_paused{channel=\"sms\",why=\"service\"} 1";
const EMAIL_PAUSED: &str = "toolbox_channel_paused{channel=\"email\",why=\"service\"} 1";

async fn has_metric(app: &TestApp, line: &str) -> bool {
    let text = String::from_utf8(app.client().here().get("/metrics").await.body).unwrap();
    text.lines().any(|one| one == line)
}

async fn check(app: &TestApp) {
    check_channels(&app.context).await.unwrap();
    app.run_tasks().await;
}

both_databases! {
    async fn failing_install_account_is_mailed_to_operators_and_owners_read_no_provider_words(app) {
        app.context.operators = vec![email(OPERATOR)];
        app.org("Other Roofs").await;
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        is_refused(app, &line, &shop, 1, ACCOUNT[0]).await;
        check(app).await;
        check(app).await;
        let letters = app.mail.accepted_messages();
        let to_operator: Vec<_> = letters.iter().filter(|letter| letter.to == OPERATOR).collect();
        assert_eq!(to_operator.len(), 1, "one mail a day");
        assert_eq!(to_operator[0].subject, "Toolbox cannot send texts");
        assert!(to_operator[0].text.contains("TWILIO_AUTH_TOKEN"), "{}", to_operator[0].text);
        let to_owner = letters.iter().find(|letter| letter.subject == "Texts are not going out right now").unwrap();
        assert!(to_owner.text.contains("The cause is in the set-up of Toolbox, not in your settings."), "{}", to_owner.text);
        assert!(!to_owner.text.to_lowercase().contains("twilio"), "{}", to_owner.text);
        let raised = alert::list(&mut app.db.acquire_reader().await.unwrap(), shop.id()).await.unwrap();
        let trouble = raised.iter().find(|alert| alert.kind == alert::AlertKind::TextingTrouble).unwrap();
        assert_eq!(trouble.title, "Texts are not going out right now");
        assert!(!trouble.body.contains("Twilio"), "{}", trouble.body);
        assert!(has_metric(app, SMS_PAUSED).await);
        worker::housekeeping::check_sms_account(&app.context).await.unwrap();
        assert!(!has_metric(app, SMS_PAUSED).await, "the account works again");
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
    }

    async fn daily_limit_stays_a_trouble_while_its_pause_lasts(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        is_refused(app, &line, &shop, 1, DAILY[0]).await;
        assert!(has_metric(app, ACCOUNT_PAUSED).await);
        app.advance(Duration::minutes(6));
        check(app).await;
        assert!(has_metric(app, ACCOUNT_PAUSED).await, "the account is active, but takes no texts");
        app.live_through(Duration::minutes(62), Duration::minutes(1)).await;
        check(app).await;
        assert!(!has_metric(app, ACCOUNT_PAUSED).await, "the texts go again");
    }

    async fn check_ends_only_the_cause_that_was_due(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let _line = app.line(&mut shop, NUMBER).await;
        for cause in [TroubleCause::Credentials, TroubleCause::Service] {
            let trouble = (MessageChannel::Sms, cause);
            app.within(async |tx| record_trouble(tx, app.now(), trouble, "Twilio refused").await).await.unwrap();
        }
        app.advance(Duration::minutes(6));
        check(app).await;
        assert_eq!((has_metric(app, SMS_PAUSED).await, has_metric(app, SET_UP_WRONG).await), (false, true));
    }

    async fn failed_check_replaces_the_cause_by_that_of_its_failure(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let trouble = (MessageChannel::Sms, TroubleCause::Credentials);
        app.within(async |tx| record_trouble(tx, app.now(), trouble, "Twilio refused").await).await.unwrap();
        line.twilio.set_account_status("suspended");
        app.advance(Duration::minutes(6));
        check(app).await;
        assert_eq!((has_metric(app, SMS_PAUSED).await, has_metric(app, ACCOUNT_PAUSED).await), (false, true));
    }

    async fn number_of_one_business_is_no_trouble_of_the_install(app) {
        app.context.operators = vec![email(OPERATOR)];
        app.org("Other Roofs").await;
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        is_refused(app, &line, &shop, 1, 21606).await;
        check(app).await;
        let letters = app.mail.accepted_messages();
        assert!(!has_metric(app, SET_UP_WRONG).await && letters.iter().all(|letter| letter.to != OPERATOR));
        let to_owner = letters.iter().find(|letter| letter.subject == "Texts from your number are not going out").unwrap();
        assert!(!to_owner.text.to_lowercase().contains("twilio"), "{}", to_owner.text);
        is_refused(app, &line, &shop, 2, 21703).await;
        check(app).await;
        assert!(has_metric(app, SET_UP_WRONG).await, "the service is the install's");
        let letters = app.mail.accepted_messages();
        let to_operator = letters.iter().find(|letter| letter.to == OPERATOR).unwrap();
        assert_eq!(to_operator.subject, "Toolbox cannot send some texts");
        assert!(!to_operator.text.contains("Texts wait"), "{}", to_operator.text);
    }

    async fn failing_mail_server_is_an_alert_to_operators_until_it_answers(app) {
        let shop = app.org("Acme Plumbing").await;
        app.context.operators = vec![email(&shop.owner().email)];
        let trouble = (MessageChannel::Email, TroubleCause::Service);
        app.within(async |tx| record_trouble(tx, app.now(), trouble, "the mail server could not be reached").await)
            .await
            .unwrap();
        check(app).await;
        check(app).await;
        let raised = alert::list(&mut app.db.acquire_reader().await.unwrap(), shop.id()).await.unwrap();
        let told = raised.iter().filter(|alert| alert.title == "Toolbox cannot send email").count();
        assert_eq!((told, has_metric(app, EMAIL_PAUSED).await), (1, true));
        app.advance(Duration::minutes(61));
        check(app).await;
        assert!(!has_metric(app, EMAIL_PAUSED).await, "the mail server answers");
    }
}
