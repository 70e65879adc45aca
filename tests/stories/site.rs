//! The public site: pages before sign-in, and the app at the same address.

use api::ApiConfig;
use axum::http::Method;
use chrono::Duration;
use shared::{domain::tenancy::registration::RegistrationMode, platform::db::q};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Multipart},
};

const HEADLINE: &str = "One Powerful Toolbox";
const PAGES: [&str; 5] = ["/", "/faq", "/privacy", "/terms", "/sms-terms"];

fn text(answer: &Answer) -> String {
    assert_eq!(answer.status, 200);
    String::from_utf8(answer.body.clone()).unwrap()
}

async fn is_landing(app: &TestApp, token: &str) -> bool {
    text(&app.client().with_session(token).get("/").await).contains(HEADLINE)
}

async fn landing_text(app: &TestApp, has_demo: bool) -> String {
    text(&app.client_as(ApiConfig { has_demo, ..ApiConfig::default() }).get("/").await)
}

both_databases! {
    async fn public_pages_need_no_account_and_set_no_cookie(app) {
        let visitor = app.client();
        for path in PAGES {
            let page = visitor.get(path).await;
            assert_eq!(page.header("content-type"), "text/html; charset=utf-8", "{path}");
            assert!(page.headers.get("set-cookie").is_none(), "{path}");
            assert!(page.header("content-security-policy").starts_with("default-src 'none'"), "{path}");
            assert_eq!(page.header("x-robots-tag"), "", "{path}");
            assert!(text(&page).contains("<h1"), "{path}");
            let head = visitor.send(Method::HEAD, path, "", Vec::new()).await;
            assert_eq!((head.status.as_u16(), head.body.len()), (200, 0), "{path}");
            assert_eq!(visitor.post(path, &serde_json::json!({})).await.problem().1, "method_not_allowed", "{path}");
        }
    }

    async fn form_of_an_unknown_business_is_not_found(app) {
        let shop = app.org("Acme Plumbing").await;
        let visitor = app.client();
        let slug = visitor.get("/api/public/form").await.json()["orgSlug"].as_str().unwrap().to_owned();
        let known = [String::new(), format!("?org={slug}"), format!("?org={}", slug.to_uppercase()), format!("?orgId={}", shop.id())];
        for path in ["/lead", "/quote", "/quote-request"] {
            for query in &known {
                assert_eq!(visitor.get(&format!("{path}{query}")).await.status, 200, "{path}{query}");
            }
            let long = format!("?org={}", "a".repeat(101));
            for query in ["?org=nobody", "?orgId=019a0000-0000-7000-8000-000000000001", "?org=a%00b", &long] {
                let page = visitor.get(&format!("{path}{query}")).await;
                assert_eq!(page.status, 404, "{path}{query}");
                assert_eq!(page.header("x-robots-tag"), "noindex, nofollow", "{path}{query}");
            }
        }
        let page = visitor.get("/book/nobody").await;
        assert_eq!(page.status, 404);
        assert!(String::from_utf8(page.body).unwrap().contains("No business has this address"));
    }

    async fn front_page_is_the_app_only_while_signed_in(app) {
        let shop = app.org("Acme Plumbing").await;
        let token = app.signs_in(shop.owner()).await;
        app.advance(Duration::hours(2));
        assert!(!is_landing(app, &token).await);
        let owner = app.client().with_session(&token);
        assert!(text(&owner.get("/faq").await).contains("Ready to Get Started?"), "the FAQ is for everybody");
        let used = app.count("session WHERE last_seen_at <> created_at").await;
        assert_eq!(used, 0, "looking at the front page is no use of the session");
        assert_eq!(owner.post("/api/auth/logout", &serde_json::Value::Null).await.status, 204);
        assert!(is_landing(app, &token).await);
        assert!(is_landing(app, "a-token-that-nobody-has").await);
    }

    async fn front_page_offers_registration_only_where_it_is_open(app) {
        let (button, note) = ("href=\"/register\">Create Account</a>", "You need an invitation to register here.");
        for (mode, offers, explains) in
            [(RegistrationMode::Open, true, false), (RegistrationMode::Invite, false, true), (RegistrationMode::Closed, false, false)]
        {
            app.settings.registration = Some(mode);
            for has_demo in [false, true] {
                let page = landing_text(app, has_demo).await;
                assert_eq!((page.contains(button), page.contains(note)), (offers, explains), "{mode:?}, demo {has_demo}");
            }
        }
        app.settings.registration = None;
        assert!(landing_text(app, false).await.contains(button), "open until there is a business");
        app.org("Acme Plumbing").await;
        let page = landing_text(app, false).await;
        assert!(!page.contains("/register") && !page.contains(note), "closed afterwards");
    }

    async fn terms_and_privacy_pages_show_wording_of_named_business(app) {
        let shop = app.org("Acme & Sons").await;
        let visitor = app.client();
        let form = visitor.get("/api/public/form").await.json();
        let slug = form["orgSlug"].as_str().unwrap().to_owned();
        let asked = [format!("?org={slug}"), format!("?org={}", slug.to_uppercase()), format!("?org={}", shop.id())];
        for org in asked {
            let page = text(&visitor.get(&format!("/sms-terms{org}")).await);
            assert!(page.contains("<h1 class=\"page-title\">Messaging terms: Acme &amp; Sons</h1>"), "{org}");
            let privacy = text(&visitor.get(&format!("/privacy{org}")).await);
            assert!(privacy.contains("Acme &amp; Sons decides what is done with what you tell it."), "{org}");
            for words in ["consentText", "marketingText"] {
                let shown = form[words].as_str().unwrap().replace('&', "&amp;");
                assert!(page.contains(&shown), "{org}: {shown}");
            }
        }
        let number = "UPDATE org SET sms_number = NULL WHERE id = $1";
        assert_eq!(form["hasSender"], true);
        app.within(async |tx| Ok(q!(tx, execute, number, shop.id())?)).await.unwrap();
        let form = visitor.get("/api/public/form").await.json();
        assert_eq!(form["hasSender"], false, "the sent page promises no text either");
        let page = text(&visitor.get(&format!("/sms-terms?org={slug}")).await).replace("&amp;", "&");
        for (words, promise) in [("consentText", "by text if we text you"), ("marketingText", "by text if Acme & Sons texts me")] {
            let shown = form[words].as_str().unwrap();
            assert!(shown.contains(promise) && page.contains(shown), "without a number no text is promised: {shown}");
        }
        let sent = visitor.clone().here().post_form("/api/leads/create", Multipart::ann(&slug)).await;
        assert_eq!(sent.status, 201, "{}", sent.json());
        let stored = "SELECT COUNT(*) FROM consent WHERE wording = $1 OR wording = $2";
        let words = ["consentText", "marketingText"].map(|name| form[name].as_str().unwrap().to_owned());
        let mut conn = app.db.acquire_reader().await.unwrap();
        assert_eq!(q!(&mut conn, fetch_one scalar i64, stored, &words[0], &words[1]).unwrap(), 2, "as it was shown");
        drop(conn);
        app.run_tasks().await;
        for org in ["", "?org=", "?org=nobody", "?org=demo", "?org=%00", "?org=%3Cscript%3E"] {
            let page = text(&visitor.get(&format!("/sms-terms{org}")).await);
            assert!(page.contains("the business you contacted") && !page.contains("Acme"), "{org}");
            assert!(!page.contains("<script>"), "{org}");
            assert!(!text(&visitor.get(&format!("/privacy{org}")).await).contains("Acme"), "{org}");
        }
    }
}
