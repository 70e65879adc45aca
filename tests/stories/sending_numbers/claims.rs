//! Claims of a number by its owner: the code, its tries, and what it hides.

use chrono::Duration;
use serde_json::json;
use shared::{
    domain::messaging::sending_number::claim::{self, CodeCheckResult},
    platform::{db::q, secret::SecretKey},
};
use tests::{
    both_databases,
    fake_twilio::{FROM, Fault},
    phone::ANN,
};
use worker::tasks::messaging::send_number_code;

use super::{FREE, Install, POOL, inbound_texts, install, install_with_service, says, sharing, without_number};

both_databases! {
    async fn claim_code_survives_key_rotation(app) {
        let shop = without_number(app, "Acme Plumbing").await;
        let by = (shop.id(), shop.owner().id);
        let number = shared::platform::phone::Phone::parse(FREE).unwrap();
        let claimed = app.within(async |tx| claim::create_claim(tx, &app.origin, by, &number, claim::NumberClaimMethod::Text).await).await;
        claimed.unwrap();
        let sql = "SELECT id FROM number_claim WHERE org_id = $1";
        let id = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar shared::platform::id::NumberClaimId, sql, shop.id()).unwrap();
        let old = SecretKey::new([7; 32]);
        let ring = SecretKey::new([8; 32]).with_old_keys([[7; 32]]);
        let sent = claim::verification_code(&old, id);
        assert_ne!(sent, claim::verification_code(&ring, id));
        let tries = async |secret: &SecretKey| {
            app.within(async |tx| claim::confirm_code(tx, &app.origin, secret, by, &sent).await).await.unwrap()
        };
        assert_eq!(tries(&SecretKey::new([9; 32])).await, CodeCheckResult::Wrong(4), "of another install it is no code");
        assert_eq!(tries(&ring).await, CodeCheckResult::Right);
        app.run_tasks().await;
    }

    async fn owner_proves_number_by_code_sent_to_it(app) {
        let install = install(app).await;
        let (acme, best) = (app.org("Acme Plumbing").await, without_number(app, "Best Roofing").await);
        let olive = app.client().signed_in(app, best.owner()).await;
        let claims = async |number: &str, way: &str| olive.post("/api/sending-number/claim", &json!({"number": number, "way": way})).await;
        assert_eq!(claims(FREE, "text").await.problem().2, ["number"], "not in the account: it could not send");
        let theirs = claims(FROM, "text").await;
        assert!(!theirs.json().to_string().contains("Acme"), "the answer does not name the other business");
        assert_eq!(theirs.problem().2, ["number"]);
        assert!(install.twilio.requests().is_empty(), "and no stranger is texted a code");
        install.twilio.owns(FREE, true);
        assert_eq!(claims(FREE, "text").await.status, 202);
        app.run_tasks().await;
        let code_of = |install: &Install| install.twilio.last_to(FREE).unwrap().text.body.split(' ').next().unwrap().to_owned();
        let code = code_of(&install);
        assert_eq!(code.len(), 6);
        // Twilio posts it to our own webhook too, where it belongs to no business.
        assert_eq!(install.writes(FROM, FREE, &code).await, 404);
        let confirms = async |code: &str| olive.post("/api/sending-number/confirm", &json!({"code": code})).await;
        let wrong = if code == "000000" { "000001" } else { "000000" };
        for _ in 0..5 {
            assert_eq!(confirms(wrong).await.problem().2, ["code"]);
        }
        assert_eq!(confirms(&code).await.status, 409, "five guesses are all");
        assert_eq!(claims(FREE, "call").await.status, 202);
        app.run_tasks().await;
        let [call] = &install.twilio.placed_calls()[..] else { panic!("one call") };
        assert_eq!((call.to.as_str(), call.from.as_str()), (FREE, FROM));
        let digits: String = call.twiml.split("</Say>").next().unwrap().chars().filter(char::is_ascii_digit).collect();
        app.advance(Duration::minutes(11));
        assert_eq!(confirms(&digits[digits.len() - 6..]).await.status, 409, "over after ten minutes");
        assert_eq!(claims(FREE, "text").await.status, 202);
        app.run_tasks().await;
        let arthur = app.client().signed_in(app, acme.owner()).await;
        let code = code_of(&install);
        assert_eq!(arthur.post("/api/sending-number/confirm", &json!({"code": code})).await.status, 409, "another business cannot confirm the claim");
        let proved = confirms(&code).await;
        assert_eq!((proved.status.as_u16(), &proved.json()["number"]), (200, &json!(FREE)), "{}", proved.json());
        assert_eq!(confirms(&code).await.status, 409, "once");
        says(app, &best, "From Best").await;
        assert_eq!(install.to_ann(), [(Some(FREE.to_owned()), None)]);
        assert_eq!(app.count("task WHERE kind = 'send_number_code' AND status = 'dead'").await, 0);
    }

    async fn claim_of_service_number_hides_no_customer_text(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, without_number(app, "Best Roofing").await);
        says(app, &acme, "From Acme").await;
        install.twilio.owns(POOL, true);
        let olive = app.client().signed_in(app, best.owner()).await;
        let claimed = olive.post("/api/sending-number/claim", &json!({"number": POOL, "way": "text"})).await;
        assert_eq!(claimed.status, 202, "{}", claimed.json());
        app.run_tasks().await;
        let code = install.twilio.last_to(POOL).unwrap().text.body;
        assert_eq!(install.writes(FREE, POOL, &code).await, 404, "a code is nobody's to read");
        assert_eq!(install.writes(ANN, POOL, "Can you come on Monday?").await, 200);
        assert_eq!(inbound_texts(app, &acme).await, ["Can you come on Monday?"]);
        app.run_tasks().await;
    }

    async fn claim_code_is_not_resent_after_worker_dies_in_provider_call(app) {
        let install = install(app).await;
        let best = without_number(app, "Best Roofing").await;
        install.twilio.owns(FREE, true);
        let olive = app.client().signed_in(app, best.owner()).await;
        assert_eq!(olive.post("/api/sending-number/claim", &json!({"number": FREE, "way": "text"})).await.status, 202);
        let sql = "SELECT id FROM number_claim WHERE org_id = $1";
        let id = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar shared::platform::id::NumberClaimId, sql, best.id()).unwrap();
        install.twilio.script(Fault::AcceptThenHang { millis: 60_000 });
        let arrived = async {
            while install.twilio.received().is_empty() {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            ended = send_number_code::run(&app.context, id) => panic!("the call hangs: {ended:?}"),
            () = arrived => {}
        }
        app.run_tasks().await;
        assert_eq!(install.twilio.received().len(), 1);
    }

    async fn claim_codes_are_rate_limited_and_only_newest_is_sent(app) {
        let install = install(app).await;
        let best = without_number(app, "Best Roofing").await;
        install.twilio.owns(FREE, true);
        let olive = app.client().signed_in(app, best.owner()).await;
        let mut seen = Vec::new();
        for _ in 0..6 {
            seen.push(olive.post("/api/sending-number/claim", &json!({"number": FREE, "way": "text"})).await.status.as_u16());
        }
        assert_eq!(seen, [202, 202, 202, 202, 202, 429]);
        app.run_tasks().await;
        assert_eq!(install.twilio.received().len(), 1, "only the newest code leaves");
    }

    async fn refused_claims_use_up_no_code_and_are_rate_limited(app) {
        let install = install(app).await;
        let best = without_number(app, "Best Roofing").await;
        let olive = app.client().signed_in(app, best.owner()).await;
        let claims = async |number: &str| {
            olive.post("/api/sending-number/claim", &json!({"number": number, "way": "text"})).await
        };
        for _ in 0..10 {
            assert_eq!(claims(FREE).await.problem().2, ["number"], "it is not in the account");
        }
        install.twilio.owns(FREE, true);
        for _ in 0..5 {
            assert_eq!(claims(FREE).await.status, 202, "all five codes are left");
        }
        assert_eq!(claims(FREE).await.status, 429, "the codes of the hour are used up");
        for _ in 0..4 {
            assert_eq!(claims(POOL).await.problem().2, ["number"], "a refusal needs no code");
        }
        assert_eq!(claims(POOL).await.problem().1, "too_many_requests", "twenty questions an hour are all");
        app.run_tasks().await;
    }

    async fn claim_needs_proven_address_and_names_no_link_in_code_text(app) {
        let install = install(app).await;
        let shop = app.fresh_org("Prizes at evil.example").await;
        install.twilio.owns(FREE, true);
        let owner = app.client().signed_in(app, shop.owner()).await;
        let claims = async || owner.post("/api/sending-number/claim", &json!({"number": FREE, "way": "text"})).await;
        let refused = claims().await;
        assert_eq!((refused.status.as_u16(), refused.problem().1.as_str()), (403, "trust_limit"));
        app.run_tasks().await;
        assert!(install.twilio.received().is_empty(), "no code leaves");
        let sql = "INSERT INTO org_trust (org_id, proven_at) VALUES ($1, $2)
            ON CONFLICT (org_id) DO UPDATE SET proven_at = excluded.proven_at";
        app.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), app.now())?)).await.unwrap();
        assert_eq!(claims().await.status, 202);
        app.run_tasks().await;
        let body = install.twilio.last_to(FREE).unwrap().text.body;
        assert!(body.contains("a business on Toolbox") && !body.contains("evil"), "{body}");
    }
}
