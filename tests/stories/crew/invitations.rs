//! An invitation: a link that works once, for seven days, for the invited address.

use futures::future::join_all;
use shared::platform::db::{q, qb};

use super::*;

const PASSWORD: &str = "copper-elbow-joint";

fn invite_path(invite: &Value) -> String {
    let link = invite["link"].as_str().unwrap();
    format!("/api/public/invite/{}", link.strip_prefix("https://toolbox.example/join/").unwrap())
}

async fn invites(owner: &Client, body: &Value) -> Value {
    let answer = owner.post("/api/team/invites", body).await;
    assert_eq!(answer.status, 201, "{}", answer.json());
    answer.json()
}

fn dave(email: &str) -> Value {
    json!({"name": "Dave Drill", "email": email, "password": PASSWORD})
}

async fn waiting(owner: &Client) -> Vec<Value> {
    owner.get("/api/team/invites").await.json().as_array().unwrap().clone()
}

async fn is_stored(app: &TestApp, table: &str, columns: &str, text: &str) -> bool {
    let mut conn = app.db.acquire_reader().await.unwrap();
    let rows = qb!(&mut conn, fetch_all scalar String, |b| {
        b.push("SELECT ").push(columns).push(" FROM ").push(table);
    });
    rows.unwrap().iter().any(|row| row.contains(text))
}

both_databases! {
    async fn email_invitee_joins_crew_and_sees_its_jobs(app) {
        let shop = app.org("Acme Plumbing").await;
        let (lead, owner) = (ann(app, &shop).await, office(app, &shop).await);
        let blue = crew(&owner, "Blue", &[]).await;
        let job = books(app, &owner, lead, &blue).await;
        let invite = invites(&owner, &json!({"name": "Dave Drill", "email": "Dave@Crew.example", "role": "crew", "crewId": blue})).await;
        assert_eq!((&invite["sent"]["channel"], &invite["email"]), (&json!("email"), &json!("dave@crew.example")));
        app.run_tasks().await;
        let letter = app.mail.accepted_messages().into_iter().find(|letter| letter.to == "dave@crew.example").unwrap();
        assert!(letter.text.contains(invite["link"].as_str().unwrap()) && letter.subject.contains("Acme Plumbing"), "{letter:?}");
        assert!(letter.text.contains("Hi Dave,"), "first name only: {}", letter.text);
        assert!(!is_stored(app, "access_link", "CAST(kind AS TEXT)", invite["link"].as_str().unwrap()).await);

        let phone = app.client();
        let offer = phone.get(&invite_path(&invite)).await.json();
        assert_eq!(offer, json!({"orgName": "Acme Plumbing", "name": "Dave Drill", "email": "dave@crew.example", "role": "crew", "isEmailClosed": false}));
        let weak = phone.post(&invite_path(&invite), &json!({"name": "", "email": "dave", "password": "acme plumbing"})).await;
        assert_eq!(weak.problem().2, ["email", "name", "password"]);
        let mailed = letter.text.split_once("/join/").unwrap().1.split_whitespace().next().unwrap();
        let mailed = format!("/api/public/invite/{mailed}");
        assert_eq!(mailed, app.mailed_invite_path(&invite_path(&invite), "dave@crew.example").await, "the mail's link proves the address");
        let joined = phone.post(&mailed, &dave("dave@crew.example")).await;
        assert_eq!(joined.status, 201, "{}", joined.json());
        assert_eq!((&joined.json()["role"], &joined.json()["name"]), (&json!("crew"), &json!("Dave Drill")));
        let phone = phone.with_session(&joined.session().unwrap());
        assert_eq!(phone.get("/api/jobs").await.json()[0]["id"], job["id"]);
        assert_eq!(phone.get("/api/leads/acme-plumbing").await.status, 403);

        let again = app.client().post(&invite_path(&invite), &dave("other@crew.example")).await;
        assert_eq!((again.status.as_u16(), again.json()["detail"].as_str()),
            (409, Some("This invitation was used already. Sign in with your email and password.")));
        assert_eq!(app.client().get(&invite_path(&invite)).await.status, 404);
        assert_eq!(waiting(&owner).await, Vec::<Value>::new());
        let team = owner.get("/api/team").await.json();
        let row = team.as_array().unwrap().iter().find(|row| row["name"] == "Dave Drill").unwrap().clone();
        assert_eq!((&row["crewIds"], &row["isActive"], &row["email"]), (&json!([blue]), &json!(true), &json!("dave@crew.example")));
        let signed_in = app.client().post("/api/auth/login", &json!({"email": "dave@crew.example", "password": PASSWORD})).await;
        assert_eq!(signed_in.status, 200, "{}", signed_in.json());
        app.run_tasks().await;
    }

    async fn invitation_by_phone_is_texted_or_handed_over_without_sms(app) {
        let shop = app.org("Acme Plumbing").await;
        let owner = office(app, &shop).await;
        let kim = json!({"name": "Kim", "phone": "(512) 555-0188", "role": "crew"});
        let by_hand = invites(&owner, &kim).await;
        assert_eq!((&by_hand["sent"], &by_hand["phoneShown"]), (&json!(null), &json!("(512) 555-0188")));
        assert_eq!(app.client().get(&invite_path(&by_hand)).await.status, 200);
        texts_leave(app);
        let owner = office(app, &shop).await;
        let invite = invites(&owner, &kim).await;
        app.run_tasks().await;
        let text = app.sms.accepted_messages().remove(0);
        assert_eq!(text.to, "+15125550188");
        assert_eq!(text.body, format!("Olive Owner invites you to join Acme Plumbing. Choose a password here, within 7 days: {}", invite["link"].as_str().unwrap()));
        assert_eq!(app.client().get(&invite_path(&by_hand)).await.status, 404, "the one before is replaced");
        assert_eq!(waiting(&owner).await.len(), 1);
        let asked = app.client().post(&invite_path(&invite), &dave("kim@crew.example")).await;
        assert_eq!((asked.status.as_u16(), asked.json()), (202, json!({"step": "confirm_email", "ticket": ""})));
        app.run_tasks().await;
        let letter = app.mail.accepted_messages().into_iter().rfind(|letter| letter.to == "kim@crew.example").unwrap();
        let mailed = letter.text.split_once("/join/").unwrap().1.split_whitespace().next().unwrap();
        let joined = app.client().post(&format!("/api/public/invite/{mailed}"), &dave("kim@crew.example")).await;
        assert_eq!(joined.status, 201);
        let team = owner.get("/api/team").await.json();
        assert!(team.as_array().unwrap().iter().any(|row| row["phoneShown"] == "(512) 555-0188"), "{team}");
        let wrong = owner.post("/api/team/invites", &json!({"name": " ", "phone": "12", "crewId": shop.id()})).await;
        assert_eq!(wrong.problem().2, ["crewId", "email", "name", "phone", "role"]);
        let known = owner.post("/api/team/invites", &json!({"name": "Kim", "email": "kim@crew.example", "role": "office"})).await;
        assert_eq!(known.problem().2, ["email"]);
    }

    async fn expired_revoked_or_forged_invitation_opens_nothing(app) {
        let shop = app.org("Acme Plumbing").await;
        let owner = office(app, &shop).await;
        let ask = async |name: &str| invites(&owner, &json!({"name": name, "email": format!("{name}@crew.example"), "role": "office"})).await;
        let (old, back) = (ask("old").await, ask("back").await);
        assert_eq!(delete(&owner, &format!("/api/team/invites/{}", back["id"].as_str().unwrap())).await.status, 204);
        let gone = app.client().get(&invite_path(&back)).await;
        assert_eq!((gone.status.as_u16(), app.client().post(&invite_path(&back), &dave("a@b.example")).await.status.as_u16()), (404, 404));
        let good = invite_path(&old);
        let forged = format!("{}{}", &good[..good.len() - 1], if good.ends_with('A') { 'B' } else { 'A' });
        let blue = crew(&owner, "Blue", &[]).await;
        let feed = owner.get("/api/crews").await.json()[0]["feedUrl"].as_str().unwrap().to_owned();
        let feed = format!("/api/public/invite/{}", feed.rsplit('/').next().unwrap().trim_end_matches(".ics"));
        for other in [forged.as_str(), feed.as_str(), "/api/public/invite/x", &format!("/api/public/invite/{blue}")] {
            let answer = app.client().get(other).await;
            let (mut theirs, mut nothing) = (answer.json(), gone.json());
            for json in [&mut theirs, &mut nothing] {
                json.as_object_mut().unwrap().remove("requestId");
            }
            assert_eq!((answer.status.as_u16(), theirs), (404, nothing), "{other}");
        }
        app.advance(Duration::days(7));
        assert_eq!(app.client().get(&good).await.json()["detail"], "This invitation is no longer valid. Ask for a new one.");
        let late = app.client().post(&good, &dave("old@crew.example")).await;
        assert_eq!((late.status.as_u16(), late.json()["detail"].as_str()), (409, Some("This invitation has expired. Ask for a new one.")));
        app.run_tasks().await;
    }

    async fn invitation_submits_are_rate_limited_per_business(app) {
        let shop = app.org("Acme Plumbing").await;
        let owner = office(app, &shop).await;
        let mut paths = Vec::new();
        for n in 0..4 {
            let asked = json!({"name": "Dave", "email": format!("dave{n}@crew.example"), "role": "crew"});
            paths.push(invite_path(&invites(&owner, &asked).await));
        }
        for at in &paths[..3] {
            for _ in 0..20 {
                assert_eq!(app.client().post(at, &json!({})).await.status, 422);
            }
        }
        assert_eq!(app.client().post(&paths[3], &json!({})).await.problem().1, "too_many_requests", "sixty in all");
        app.advance(Duration::hours(1));
        let mailed = app.mailed_invite_path(&paths[3], "dave@crew.example").await;
        assert_eq!(app.client().post(&mailed, &dave("dave@crew.example")).await.status, 201);
        app.run_tasks().await;
    }

    async fn invitation_does_not_reveal_whether_address_has_account(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let owner = office(app, &shop).await;
        let victim = other.owner().email.clone();
        let asked = |email: &str| json!({"name": "Vic", "email": email, "role": "crew"});
        let (known, unknown) = (invites(&owner, &asked(&victim)).await, invites(&owner, &asked("nobody@crew.example")).await);
        assert_eq!((&known["sent"]["channel"], &known["role"]), (&unknown["sent"]["channel"], &unknown["role"]));
        let names = |answer: &tests::http::Answer| answer.headers.keys().map(ToString::to_string).collect::<Vec<_>>();
        let before = (app.count("account").await, app.count("session").await);
        // Through the link that the business sees, for the invited address and for any other.
        for (at, first, second) in [(&known, victim.as_str(), "nobody@crew.example"), (&unknown, victim.as_str(), "third@crew.example")] {
            let one = app.client().post(&invite_path(at), &dave(first)).await;
            let two = app.client().post(&invite_path(at), &dave(second)).await;
            assert_eq!((one.status.as_u16(), one.json(), names(&one)), (202, two.json(), names(&two)));
        }
        assert_eq!((app.count("account").await, app.count("session").await), before, "no account and no session is made");
        let forged = format!("{}~AAAAAAAAAAAAAAAAAAAAAA", invite_path(&known));
        assert_eq!(app.client().post(&forged, &dave(&victim)).await.status, 202);
        let of_another = app.mailed_invite_path(&invite_path(&known), "nobody@crew.example").await;
        assert_eq!(app.client().post(&of_another, &dave(&victim)).await.status, 202, "a proof is of one address");
        app.run_tasks().await;
        let letters = app.mail.accepted_messages();
        let was_mailed = |to: &str, words: &str| letters.iter().any(|letter| letter.to == to && letter.text.contains(words));
        assert!(was_mailed(&victim, "You already sign in to Toolbox") && was_mailed("third@crew.example", "Choose your password:"));
        assert!(!is_stored(app, "install_mail", "body", "~").await, "and no proof is kept");
        // With another address the form does not fill in the invited one: the link proves their own.
        let invited = app.mailed_invite_path(&invite_path(&unknown), "nobody@crew.example").await;
        assert_eq!(app.client().get(&invited).await.json()["email"], "nobody@crew.example");
        let typed = app.mailed_invite_path(&invite_path(&unknown), "third@crew.example").await;
        assert_eq!(app.client().get(&typed).await.json()["email"], Value::Null);
    }

    async fn invitation_survives_taken_address_and_ten_joins_create_one_account(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let owner = office(app, &shop).await;
        let invite = invites(&owner, &json!({"name": "Dave", "email": "dave@crew.example", "role": "crew"})).await;
        let theirs = app.mailed_invite_path(&invite_path(&invite), &other.owner().email).await;
        let known = app.client().post(&theirs, &dave(&other.owner().email)).await;
        assert_eq!(known.problem().2, ["email"], "the reader of the mail learns that the address is known");
        let before = app.count("account").await;
        let (one, at, here) = (app.client(), invite_path(&invite), &*app);
        let tries = (0..5).map(|n| {
            let (one, at) = (one.clone(), at.clone());
            async move {
                let email = format!("dave{n}@crew.example");
                let at = here.mailed_invite_path(&at, &email).await;
                one.post(&at, &dave(&email)).await.status.as_u16()
            }
        });
        let mut answers = join_all(tries).await;
        answers.sort_unstable();
        assert_eq!((answers[0], answers[1], answers[4]), (201, 409, 409), "{answers:?}");
        let sql = "SELECT COUNT(*) FROM invite WHERE account_id IS NOT NULL";
        let used = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql).unwrap();
        assert_eq!((app.count("account").await - before, used), (1, 1));
        app.run_tasks().await;
    }
}
