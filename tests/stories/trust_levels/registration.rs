//! Who may register a business.

use api::ApiConfig;
use shared::{domain::tenancy::registration::is_install_locked, platform::email_address::EmailAddress};

use super::*;

async fn mode(app: &TestApp) -> Value {
    app.client().get("/api/auth/registration").await.json()
}

fn refusal_code(mode: RegistrationMode) -> &'static str {
    if mode == RegistrationMode::Invite { "registration_by_invitation" } else { "registration_closed" }
}

fn invitation_token(text: &str) -> String {
    let (_, rest) = text.split_once("https://toolbox.example/register#").unwrap();
    rest.split_whitespace().next().unwrap().to_owned()
}

/// Invitations in the mails to the operator.
fn operator_invitations(app: &TestApp) -> Vec<String> {
    let letters = app.mail.accepted_messages();
    let invitations = letters.iter().filter(|letter| letter.to == OPERATOR && letter.text.contains("/register#"));
    invitations.map(|letter| invitation_token(&letter.text)).collect()
}

both_databases! {
    async fn install_without_stripe_closes_after_its_first_trusted_business(app) {
        app.settings.registration = None;
        assert_eq!(mode(app).await, json!({"mode": "open", "notice": null, "hasDemo": true}));
        let owner = registered(app, EMAIL, "Roofs").await;
        assert_eq!(trust(&owner).await["level"], "new", "its address is proven all the same");
        assert_eq!(proves(&owner, &mailed(app, EMAIL).await).await.status, 200);
        assert_eq!(trust(&owner).await["level"], "trusted");
        assert_eq!(mode(app).await["mode"], "closed");
        let refused = registers(&app.client(), "second@firm.example", "Second", None).await;
        assert_eq!((refused.status.as_u16(), refused.problem().1.as_str()), (403, "registration_closed"));
        let known = registers(&app.client(), EMAIL, "Roofs", None).await;
        assert_eq!((known.status, known.problem()), (refused.status, refused.problem()), "and tells nothing about addresses");
        app.run_tasks().await;
    }

    async fn registration_info_says_whether_there_is_a_demonstration(app) {
        let has_demo = async |has_demo: bool| {
            let client = app.client_as(ApiConfig { has_demo, ..ApiConfig::default() });
            client.get("/api/auth/registration").await.json()["hasDemo"].clone()
        };
        assert_eq!((has_demo(true).await, has_demo(false).await), (json!(true), json!(false)));
    }

    async fn registration_stays_open_and_grants_no_trust_where_businesses_pay(app) {
        let stripe = FakeStripe::start().await;
        app.use_billing(&stripe);
        app.settings.registration = None;
        let first = registered(app, EMAIL, "Roofs").await;
        assert_eq!(proves(&first, &mailed(app, EMAIL).await).await.status, 200);
        assert_eq!(trust(&first).await["level"], "address_proven");
        assert_eq!(mode(app).await["mode"], "open");
        assert_eq!(registers(&app.client(), "second@firm.example", "Second", None).await.status, 201);
        app.run_tasks().await;
    }

    async fn operator_invitation_works_only_for_its_address_and_proves_it(app) {
        app.settings.platform_admins = vec![email(OPERATOR)];
        let firm = app.org("The Operator's Own").await;
        let sql = "UPDATE account SET email = $2, email_proved_at = created_at WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, sql, firm.id(), OPERATOR)?)).await.unwrap();
        let person = tests::people::Person { email: OPERATOR.into(), ..firm.owner().clone() };
        for mode in [RegistrationMode::Invite, RegistrationMode::Closed] {
            app.settings.registration = Some(mode);
            let operator = app.client().signed_in(app, &person).await;
            let email = format!("invited@{mode:?}.example").to_lowercase();
            let asked = operator.post("/api/admin/businesses/invite", &json!({ "email": email })).await;
            assert_eq!(asked.status, 202, "{}", asked.json());
            app.run_tasks().await;
            let letter = app.mail.accepted_messages().into_iter().rfind(|letter| letter.to == email).unwrap();
            let token = &invitation_token(&letter.text);
            let other = registers(&app.client(), "other@firm.example", "Other", Some(token)).await;
            assert_eq!(other.problem().1, refusal_code(mode));
            assert_eq!(registers(&app.client(), &email, "Invited", Some(token)).await.status, 201);
            let signed = login(&app.client(), &email, PASSWORD).await;
            let owner = app.client().with_session(&signed.session().unwrap());
            assert_eq!(trust(&owner).await["level"], "address_proven");
            assert_eq!(owner.post("/api/admin/businesses/invite", &json!({ "email": email })).await.status, 403);
        }
        assert_eq!(app.count("audit_event WHERE action = 'business_invited'").await, 2);
        app.run_tasks().await;
    }

    async fn operator_is_refused_like_others_and_registers_by_mailed_invitation(app) {
        app.settings.platform_admins = vec![email(OPERATOR)];
        for mode in [RegistrationMode::Invite, RegistrationMode::Closed] {
            app.settings.registration = Some(mode);
            let other = registers(&app.client(), "other@firm.example", "Other", None).await;
            assert_eq!((other.status.as_u16(), other.problem().1.as_str()), (403, refusal_code(mode)));
            let own = registers(&app.client(), OPERATOR, "The Operator's Own", None).await;
            assert_eq!((own.status, own.problem()), (other.status, other.problem()));
            let details = [&own, &other].map(|answer| answer.json()["detail"].clone());
            assert_eq!(details[0], details[1], "nobody finds out who runs the install");
        }
        app.run_tasks().await;
        assert_eq!(app.count("account WHERE email = 'operator@toolbox.example'").await, 0);
        assert_eq!(receivers(app), [OPERATOR]);
        let invitations = operator_invitations(app);
        assert_eq!(invitations.len(), 1, "one an hour");
        assert_eq!(registers(&app.client(), OPERATOR, "The Operator's Own", Some(&invitations[0])).await.status, 201);
        let signed = login(&app.client(), OPERATOR, PASSWORD).await;
        let owner = app.client().with_session(&signed.session().unwrap());
        assert_eq!(trust(&owner).await["level"], "trusted", "the link proved the address");
        app.run_tasks().await;
    }

    async fn refused_operator_is_invited_again_after_an_hour(app) {
        app.settings.platform_admins = vec![email(OPERATOR)];
        app.settings.registration = Some(RegistrationMode::Closed);
        for (wait, count) in [(0, 1), (30, 1), (31, 2)] {
            app.advance(Duration::minutes(wait));
            assert_eq!(registers(&app.client(), OPERATOR, "The Operator's Own", None).await.status, 403);
            app.run_tasks().await;
            assert_eq!(operator_invitations(app).len(), count, "after {wait} more minutes");
        }
    }

    async fn operator_registers_without_invitation_where_registration_is_open(app) {
        app.settings.platform_admins = vec![email(OPERATOR)];
        app.settings.registration = Some(RegistrationMode::Open);
        let owner = registered(app, OPERATOR, "The Operator's Own").await;
        assert_eq!(trust(&owner).await["level"], "new", "the address is not proven by its registration");
        assert_eq!(proves(&owner, &mailed(app, OPERATOR).await).await.status, 200);
        assert_eq!(trust(&owner).await["level"], "trusted");
        app.run_tasks().await;
    }

    async fn refused_registrations_count_toward_limit_of_network(app) {
        app.settings.registration = Some(RegistrationMode::Closed);
        app.settings.platform_admins = vec![email(OPERATOR)];
        let stranger = app.client().from_address([203, 0, 113, 9]);
        for n in 0..20 {
            assert_eq!(registers(&stranger, &format!("guess{n}@toolbox.example"), "Guess", None).await.status, 403);
        }
        assert_eq!(registers(&stranger, OPERATOR, "Guess", None).await.status, 429);
    }

    async fn install_is_locked_only_without_account_operator_and_open_registration(app) {
        let named = [email(OPERATOR)];
        let is_locked = async |set: Option<RegistrationMode>, operators: &[EmailAddress]| {
            let mut conn = app.db.acquire_reader().await.unwrap();
            is_install_locked(&mut conn, (set, false), operators).await.unwrap()
        };
        for mode in [RegistrationMode::Invite, RegistrationMode::Closed] {
            assert!(is_locked(Some(mode), &[]).await, "{mode:?}");
            assert!(!is_locked(Some(mode), &named).await, "{mode:?}");
        }
        assert!(!is_locked(Some(RegistrationMode::Open), &[]).await);
        assert!(!is_locked(None, &[]).await);
        app.org("Acme Plumbing").await;
        assert!(!is_locked(Some(RegistrationMode::Closed), &[]).await);
    }
}
