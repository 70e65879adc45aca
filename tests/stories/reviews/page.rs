//! The review page behind the link: the same for every customer, with or without scripts, and only a press counts.

use axum::http::Method;
use chrono::Duration;
use serde_json::json;
use shared::platform::{
    access_link::{self as links, LinkKind},
    id::LinkId,
};
use tests::{app::TestApp, both_databases, http::Answer, people::Visitor};
use uuid::Uuid;

use super::{FORM, ReviewFixture, SITE, firm, later, link, mails, number, path};

async fn post(app: &TestApp, at: &str, body: &str) -> Answer {
    app.client().send(Method::POST, at, FORM, body.as_bytes().to_vec()).await
}

async fn text(app: &TestApp, at: &str) -> String {
    let answer = app.client().get(at).await;
    assert_eq!(answer.status, 200, "{at}");
    String::from_utf8(answer.body).unwrap().replace("&#x2f;", "/")
}

/// The page's links to the public site.
fn public(page: &str) -> &str {
    let at = page.find("<section id=\"public\">").expect("the public site is offered");
    page[at..].split("</section>").next().unwrap()
}

async fn asked(app: &TestApp, firm: &ReviewFixture, n: u32) -> String {
    firm.served(app, n).await;
    later(app, Duration::hours(2)).await;
    link(&firm.texts(&number(n))[0])
}

both_databases! {
    async fn page_is_the_same_for_every_star_rating_before_and_after(app) {
        let firm = firm(app).await;
        for n in 1..=5 {
            firm.served(app, n).await;
        }
        later(app, Duration::hours(2)).await;
        let mut pages = Vec::new();
        for n in 1..=5 {
            let at = link(&firm.texts(&number(n))[0]);
            let before = text(app, &at).await;
            let sent = post(app, &at, &format!("stars={n}&words=So+so&name=Visitor+{n}")).await;
            assert_eq!((sent.status.as_u16(), sent.header("location")), (303, at.as_str()));
            let after = text(app, &at).await;
            assert_eq!(public(&before), public(&after), "{n} stars");
            assert!(before.len() < 20_000 && after.contains("Thank you for your review"), "{}", before.len());
            // Apart from the checked star and the name, the pages of one star and of five are equal.
            pages.push(after.replace(" checked", "").replace(&format!("Visitor {n}"), "Visitor").replace(&at, "/r/"));
        }
        pages.dedup();
        assert_eq!(pages.len(), 1);
        app.run_tasks().await;
    }

    async fn link_fetches_by_programs_count_as_no_click(app) {
        let firm = firm(app).await;
        let (_, job) = firm.served(app, 1).await;
        later(app, Duration::hours(2)).await;
        let at = link(&firm.texts(&number(1))[0]);
        for path in ["", "/go", "/stop"] {
            for _ in 0..3 {
                text(app, &format!("{at}{path}")).await;
                app.client().send(Method::HEAD, &format!("{at}{path}"), "", Vec::new()).await;
            }
        }
        assert_eq!(firm.request_state(app, &job).await, ("asked".into(), None));
        let pressed = post(app, &format!("{at}/go"), "").await;
        assert_eq!((pressed.status.as_u16(), pressed.header("location")), (303, format!("{at}/go").as_str()));
        let forwards = app.client().get(&format!("{at}/go")).await;
        assert_eq!(forwards.header("refresh"), format!("0; url={SITE}"));
        assert!(String::from_utf8(forwards.body).unwrap().replace("&#x2f;", "/").contains(&format!("href=\"{SITE}\"")));
        let ask = firm.ask(app, &job).await;
        assert_eq!((&ask["state"], &ask["why"], &ask["clickedAt"]), (&json!("answered"), &json!("clicked"), &json!("2026-09-17T17:00:00Z")));
        assert_eq!(post(app, &format!("{at}/go"), "").await.status, 303, "again changes nothing");
        later(app, Duration::days(30)).await;
        assert_eq!((firm.texts(&number(1)).len(), mails(app).len()), (1, 0));
    }

    async fn forged_truncated_and_foreign_links_get_one_response(app) {
        let firm = firm(app).await;
        let at = asked(app, &firm, 1).await;
        let token = at.trim_start_matches("/r/");
        let id = LinkId(Uuid::from_u128(7));
        let made = |kind| links::build_token(&app.settings.secret, id, kind);
        let mut last = token.to_owned();
        last.pop();
        let tokens = [last, format!("{token}A"), "x".to_owned(), made(LinkKind::Review), made(LinkKind::Visit), made(LinkKind::Estimate)];
        let mut bodies = Vec::new();
        for token in &tokens {
            for path in ["", "/go", "/stop"] {
                let answer = app.client().get(&format!("/r/{token}{path}")).await;
                assert_eq!(answer.status, 404, "{token}{path}");
                bodies.push(answer.body);
                let answer = post(app, &format!("/r/{token}{path}"), "stars=5").await;
                assert_eq!(answer.status, 404, "{token}{path}");
                bodies.push(answer.body);
            }
        }
        // A link of another kind opens nothing here, nor does this link elsewhere.
        bodies.push(app.client().get(&format!("/p/{token}")).await.body);
        bodies.dedup();
        assert_eq!(bodies.len(), 1);
        assert_eq!(app.count("review").await, 0);
    }

    async fn request_yields_one_review_that_the_customer_may_change(app) {
        let firm = firm(app).await;
        let (lead, job) = firm.served(app, 1).await;
        later(app, Duration::hours(2)).await;
        let at = link(&firm.texts(&number(1))[0]);
        for (body, wanted) in [("words=Fine", "Please choose how many stars"), ("stars=6", "Please choose how many stars"), ("stars=4.5", "Please choose how many stars")] {
            let refused = post(app, &at, body).await;
            assert_eq!(refused.status, 422, "{body}");
            assert!(String::from_utf8(refused.body).unwrap().contains(wanted), "{body}");
        }
        let long = post(app, &at, &format!("stars=4&words={}", "x".repeat(5_001))).await;
        let page = String::from_utf8(long.body).unwrap();
        assert!(long.status == 422 && page.contains("Please keep this to 5000 characters") && page.contains("value=\"4\" required checked"), "the valid input is kept");
        // Two simultaneous taps are one review.
        let (one, two) = futures::join!(post(app, &at, "stars=4&words=Good&name=Ann"), post(app, &at, "stars=4&words=Good&name=Ann"));
        assert_eq!((one.status.as_u16(), two.status.as_u16()), (303, 303));
        assert_eq!(post(app, &at, "stars=5&words=Very+good+%3Cb%3E&name=").await.status, 303);
        let reviews = firm.get(app, "/api/reviews").await;
        let [review] = &reviews.as_array().unwrap()[..] else { panic!("{reviews}") };
        assert_eq!((&review["rating"], &review["review_text"], &review["customer_name"]), (&json!(5.0), &json!("Very good <b>"), &json!("Ann")));
        assert_eq!((&review["matched"], &review["jobId"], &review["source"], &review["way"]), (&json!("request"), &job["id"], &json!("Website"), &json!("page")));
        assert_eq!((&review["date"], &review["leadId"]), (&json!("2026-09-17"), &json!(lead)));
        let ask = firm.ask(app, &job).await;
        assert_eq!((&ask["state"], &ask["why"], &ask["reviewId"]), (&json!("answered"), &json!("reviewed"), &review["id"]));
        assert!(text(app, &at).await.contains("Very good &lt;b&gt;"));
        let steps = firm.get(app, &path(&job, "")).await["timeline"][10].clone();
        assert_eq!((&steps["status"], &steps["description"]), (&json!("completed"), &json!("A review came in")));
        let removed = firm.office(app).await.send(Method::DELETE, &format!("/api/reviews/{}", review["id"].as_str().unwrap()), "", Vec::new()).await;
        assert_eq!(removed.status, 409, "reviews of customers cannot be removed");
    }

    async fn spanish_customer_gets_request_and_page_in_spanish(app) {
        let firm = firm(app).await;
        let mut visitor = Visitor::ann();
        visitor.form.marketing_consent = true;
        visitor.form.notes = Some("Hola, tengo una fuga de agua en la cocina, por favor vengan".into());
        let lead = visitor.submits_confirmed_lead(app, &firm.shop).await;
        let customer = firm.get(app, &format!("/api/leads/{lead}")).await["customerId"].as_str().unwrap().to_owned();
        firm.patches(app, &format!("/api/customers/{customer}"), &json!({"language": "es"})).await;
        firm.does(app, lead).await;
        later(app, Duration::hours(2)).await;
        let texts = firm.texts("+15125550142");
        assert!(texts[0].contains("¿Nos deja una reseña?"), "{texts:?}");
        let at = link(&texts[0]);
        let page = text(app, &at).await;
        assert!(page.contains("<html lang=\"es\">") && page.contains("¿Cuántas estrellas nos da?") && page.contains("Dejar la reseña en Google"), "{page}");
        let refused = String::from_utf8(post(app, &at, "stars=").await.body).unwrap();
        assert!(refused.contains("Elija cuántas estrellas"));
        assert!(text(app, &format!("{at}/stop")).await.contains("¿Ninguna solicitud de reseña más?"));
    }

    async fn page_without_a_permitted_public_site_shows_no_public_link(app) {
        let firm = firm(app).await;
        let at = asked(app, &firm, 1).await;
        let set = |link: Option<&'static str>| {
            let id = firm.shop.id();
            async move |tx: &mut shared::platform::db::Tx| {
                Ok(shared::q!(tx, execute, "UPDATE org SET review_link = $2 WHERE id = $1", id, link)?)
            }
        };
        // A link from before it was forbidden.
        for link in [None, Some("https://www.yelp.com/biz/acme")] {
            app.within(set(link)).await.unwrap();
            assert!(!text(app, &at).await.contains("id=\"public\""));
            let pressed = post(app, &format!("{at}/go"), "").await;
            assert_eq!((pressed.status.as_u16(), pressed.header("location")), (303, at.as_str()));
            assert_eq!(app.client().get(&format!("{at}/go")).await.header("location"), at);
        }
        let job = firm.get(app, "/api/reviews/asks").await[0].clone();
        assert_eq!(job["state"], "asked", "nothing was opened");
    }
}
