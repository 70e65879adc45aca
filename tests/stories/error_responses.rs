//! Errors: for any input the answer is a problem document that names the wrong fields, with security headers.

use axum::http::Method;
use serde_json::json;
use shared::{ops::schema::SCHEMA, platform::db::Db};
use tests::{
    both_databases,
    http::{Multipart, pixel},
    people::Visitor,
};

const LEADS: &str = "/api/leads/create";

both_databases! {
    async fn lead_with_photos_over_http_is_visible_to_its_business_only(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let form = Multipart::ann("acme-plumbing").photo("one.png", &pixel()).photo("two.png", &pixel());
        let created = app.client().post_form(LEADS, form).await;
        assert_eq!(created.status, 201, "{}", created.json());
        let id = created.json()["id"].as_str().unwrap().to_owned();
        assert!(id.starts_with(created.json()["reference"].as_str().unwrap()));
        app.run_tasks().await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let list = owner.get("/api/leads/acme-plumbing").await;
        assert_eq!((list.header("x-total-count"), &list.json()[0]["id"]), ("1", &id.clone().into()));
        let lead = owner.get(&format!("/api/leads/{id}")).await.json();
        assert_eq!((lead["photos"].as_array().map(Vec::len), lead["messages"].as_array().map(Vec::len)), (Some(2), Some(3)));
        let photo = owner.get(lead["photos"][0]["thumbUrl"].as_str().unwrap()).await;
        assert_eq!((photo.status.as_u16(), photo.header("content-type")), (200, "image/jpeg"));
        assert_eq!(&photo.body[..2], [0xff, 0xd8], "redrawn as JPEG");
        let stranger = app.client().signed_in(app, other.owner()).await;
        assert_eq!(stranger.get(lead["photos"][0]["url"].as_str().unwrap()).await.status, 404);
        let file = owner.get("/api/leads/export?format=csv").await;
        assert!(file.header("content-disposition").contains("filename=\"leads-2026-"), "{:?}", file.headers);
    }

    async fn unreadable_request_is_refused_with_problem_document(app) {
        let client = app.client();
        let (json, form) = ("application/json", "application/x-www-form-urlencoded");
        for (path, kind, body, status, code) in [
            ("/api/auth/login", json, "{\"email\":", 400, "bad_request"),
            ("/api/auth/login", json, "", 400, "bad_request"),
            ("/api/auth/login", form, "email=a", 415, "unsupported_media_type"),
            ("/api/auth/register", json, "[]", 422, "validation_failed"),
            ("/api/quotes/create", json, "{\"customerName\": 7}", 422, "validation_failed"),
            (LEADS, json, "{}", 415, "unsupported_media_type"),
            (LEADS, "multipart/form-data", "x", 415, "unsupported_media_type"),
            (LEADS, "multipart/form-data; boundary=x", "--x\r\nbroken", 400, "bad_request"),
            ("/api/none", json, "{}", 404, "not_found"),
            ("/api/auth/me", json, "{}", 405, "method_not_allowed"),
        ] {
            let answer = client.send(Method::POST, path, kind, body.as_bytes().to_vec()).await;
            let (got, problem, _) = answer.problem();
            assert_eq!((got, problem.as_str()), (status, code), "{path} {kind} {body}: {}", answer.json());
        }
    }

    async fn incomplete_form_is_refused_with_a_message_per_field(app) {
        app.org("Acme Plumbing").await;
        let answer = app.client().post_form(LEADS, Multipart::default().text("email", "ann@")).await;
        assert_eq!(answer.problem().0, 422);
        assert_eq!(
            answer.json()["errors"],
            json!({"name": "Name is required", "phone": "Phone number is required", "email": "Invalid email",
                "service": "Service type is required", "zip": "Zip code is required"})
        );
        let expected_error = "Please use an email address that ends in a domain name, like example.com, not in an IP address";
        for address in ["ann@[192.0.2.7]", "ann@192.0.2.7", "ann@[IPv6:2001:db8::7]"] {
            let refused = app.client().post_form(LEADS, Multipart::ann("acme-plumbing").text("email", address)).await;
            assert_eq!((refused.status.as_u16(), refused.json()["errors"].clone()), (422, json!({ "email": expected_error })), "{address}");
        }
        let quote = app.client().post("/api/quotes/create", &json!({})).await;
        assert_eq!(quote.problem().2, ["customerName", "email", "serviceType"]);
    }

    async fn form_naming_two_businesses_is_refused_and_reaches_neither(app) {
        app.org("Acme Plumbing").await;
        app.org("Best Roofing").await;
        for second in ["best-roofing", "nobody", ""] {
            let both = app.client().post_form(LEADS, Multipart::ann("acme-plumbing").repeated_text("orgId", second)).await;
            assert_eq!(both.problem(), (422, "validation_failed".into(), vec!["orgId".into()]), "{second}");
        }
        assert_eq!(app.count("lead").await, 0);
        let twice = app.client().post_form(LEADS, Multipart::ann("acme-plumbing").repeated_text("orgId", "acme-plumbing")).await;
        assert_eq!(twice.status, 201, "{}", twice.json());
        app.run_tasks().await;
    }

    async fn form_field_sent_twice_is_refused_by_name(app) {
        app.org("Acme Plumbing").await;
        let refused = |field: &str| (422, "validation_failed".to_owned(), vec![field.to_owned()]);
        for (field, value) in [("phone", "5125550199"), ("phone", "5125550142"), ("marketingConsent", "true"), ("email", "")] {
            let form = Multipart::ann("acme-plumbing").text("marketingConsent", "false").repeated_text(field, value);
            assert_eq!(app.client().post_form(LEADS, form).await.problem(), refused(field), "{field} {value}");
        }
        let quote = br#"{"customerName": "Ann Lee", "email": "ann@customer.example", "serviceType": "x", "phone": "5125550142", "phone": "5125550199"}"#;
        let sent = app.client().send(Method::POST, "/api/quotes/create", "application/json", quote.to_vec()).await;
        assert_eq!(sent.problem(), refused("phone"));
        let booking = b"name=Ann+Lee&phone=5125550142&phone=5125550199".to_vec();
        let sent = app.client().send(Method::POST, "/book/acme-plumbing", "application/x-www-form-urlencoded", booking).await;
        assert_eq!(sent.problem(), refused("phone"));
        assert_eq!(app.count("lead").await, 0);
    }

    async fn nul_characters_and_invalid_parameters_are_refused_by_field(app) {
        let shop = app.org("Acme Plumbing").await;
        let nul = app.client().post_form(LEADS, Multipart::ann("acme-plumbing").text("notes", "a\0b")).await;
        assert_eq!(nul.problem().2, ["notes"]);
        let quote = json!({"customerName": "A\u{0}nn", "email": "ann@customer.example", "serviceType": "x"});
        assert_eq!(app.client().post("/api/quotes/create", &quote).await.problem().2, ["customerName"]);
        let owner = app.client().signed_in(app, shop.owner()).await;
        assert_eq!(owner.get("/api/leads/acme-plumbing?q=%00").await.problem(), (422, "validation_failed".into(), vec!["q".into()]));
        for path in ["/api/leads/not-a-uuid", "/api/leads/%00", "/api/leads/1/photos/2"] {
            assert_eq!(owner.get(path).await.problem().0, 404, "{path}");
        }
        for query in ["limit=0", "limit=501", "limit=x", "stage=Lost", "cursor=x"] {
            let (status, _, fields) = owner.get(&format!("/api/leads/acme-plumbing?{query}")).await.problem();
            assert_eq!((status, fields), (422, vec![query.split('=').next().unwrap().to_owned()]), "{query}");
        }
        assert_eq!(owner.post("/api/messages/x/retry", &json!(null)).await.problem().0, 404);
        assert_eq!(app.count("lead").await, 0);
    }

    async fn unsuitable_photos_are_refused_by_name_and_nothing_is_stored(app) {
        app.org("Acme Plumbing").await;
        let six = (1..=6).fold(Multipart::ann("acme-plumbing"), |form, n| form.photo(&format!("{n}.png"), &pixel()));
        let mut large = pixel();
        large.resize(6 * 1024 * 1024, 0);
        for (form, words) in [
            (six, "“6.png” is one too many"),
            (Multipart::ann("acme-plumbing").photo("letter.jpg", b"Dear Sir or Madam"), "“letter.jpg” is not a PNG, JPG or WebP picture"),
            (Multipart::ann("acme-plumbing").photo("roof.png", &large), "“roof.png” is larger than 5 MB"),
            (Multipart::ann("acme-plumbing").photo("half.png", &pixel()[..40]), "“half.png” is damaged"),
        ] {
            let answer = app.client().post_form(LEADS, form).await;
            assert_eq!(answer.problem(), (422, "photo_rejected".into(), vec!["photos".into()]), "{words}");
            let photo_error = answer.json()["errors"]["photos"].as_str().unwrap_or_default().to_owned();
            assert!(photo_error.contains(words), "{photo_error}");
        }
        assert_eq!((app.count("lead").await, app.count("photo_upload").await, app.count("photo").await), (0, 0, 0));
        for folder in ["uploads", "spool"] {
            let left = std::fs::read_dir(app.settings.data_dir.join(folder)).map_or(0, Iterator::count);
            assert_eq!(left, 0, "no file is left over in {folder}");
        }
    }

    async fn oversized_body_is_refused_as_too_large(app) {
        app.org("Acme Plumbing").await;
        let body = vec![b'x'; 27 * 1024 * 1024];
        let kind = "multipart/form-data; boundary=x";
        let form = app.client().send(Method::POST, LEADS, kind, body).await;
        let long = json!({"email": "x".repeat(70_000), "password": "x"});
        let login = app.client().post("/api/auth/login", &long).await;
        for (refused, limit) in [(form, "26 MB"), (login, "64 KB")] {
            assert_eq!(refused.problem().1, "payload_too_large");
            assert!(refused.json()["detail"].as_str().unwrap().contains(limit), "{}", refused.json());
        }
    }

    async fn idempotency_key_over_http_repeats_receipt_and_refuses_other_body(app) {
        app.org("Acme Plumbing").await;
        let client = app.client().here().with("idempotency-key", "8e0c-1");
        let form = || Multipart::ann("acme-plumbing").photo("one.png", &pixel());
        let first = client.post_form(LEADS, form()).await;
        let again = client.post_form(LEADS, form()).await;
        assert_eq!((first.status.as_u16(), first.json()), (again.status.as_u16(), again.json()));
        let other = client.post_form(LEADS, form().text("notes", "and the sink")).await;
        assert_eq!(other.problem().1, "idempotency_mismatch");
        assert_eq!((app.count("lead").await, app.count("lead_inquiry").await, app.count("photo_upload").await), (1, 1, 1));
        app.run_tasks().await;
        assert_eq!((app.count("photo_upload").await, app.count("photo").await), (0, 1));
    }

    async fn responses_carry_security_headers(app) {
        let shop = app.org("Acme Plumbing").await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let answers = [
            owner.get("/").await,
            owner.get("/api/auth/me").await,
            owner.get("/api/leads/acme-plumbing").await,
            owner.get("/api/leads/export").await,
            owner.get("/api/none").await,
            app.client().get("/api/auth/me").await,
            app.client().post("/api/auth/login", &json!({})).await,
            app.client().send(Method::POST, LEADS, "multipart/form-data; boundary=x", vec![b'x'; 27 << 20]).await,
        ];
        for answer in &answers {
            let policy = answer.header("content-security-policy");
            assert!(policy.contains("default-src") && !policy.contains("unsafe-inline' 'unsafe"), "{policy}");
            let scripts = policy.split(';').find(|part| part.trim().starts_with("script-src")).unwrap_or_default();
            assert!(!scripts.contains("unsafe-inline"), "{policy}");
            assert_eq!(answer.header("x-content-type-options"), "nosniff", "{:?}", answer.status);
            for name in ["referrer-policy", "strict-transport-security", "cross-origin-opener-policy", "x-request-id"] {
                assert!(!answer.header(name).is_empty(), "{name} is missing from a {}", answer.status);
            }
        }
    }

    async fn event_stream_reports_leads_of_own_business_only(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let visitor = app.client().here();
        let mut mine = visitor.signed_in(app, shop.owner()).await.events().await;
        let mut theirs = visitor.signed_in(app, other.owner()).await.events().await;
        mine.read_until("connected").await;
        theirs.read_until("connected").await;
        let first = visitor.post_form(LEADS, Multipart::ann("acme-plumbing")).await.json();
        let stream_text = mine.read_until(first["id"].as_str().unwrap()).await;
        assert!(stream_text.contains("event: lead") && stream_text.contains("id: "), "{stream_text}");
        let second = visitor.post_form(LEADS, Multipart::ann("best-roofing")).await.json();
        let stream_text = theirs.read_until(second["id"].as_str().unwrap()).await;
        assert!(!stream_text.contains(first["id"].as_str().unwrap()), "{stream_text}");
        app.run_tasks().await;
    }

    async fn unavailable_database_gives_503_with_retry_after(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let away = Db::connect(&app.settings.db, &SCHEMA).await.unwrap();
        let client = app.client_on(away.clone()).signed_in(app, shop.owner()).await;
        assert_eq!(client.get("/readyz").await.status, 200);
        away.close().await;
        for path in ["/api/auth/me", "/api/leads/acme-plumbing", &format!("/api/leads/{lead}"), "/readyz", "/api/public/form"] {
            let answer = client.get(path).await;
            assert_eq!((answer.status.as_u16(), answer.header("retry-after")), (503, "5"), "{path}");
        }
        let answer = client.post_form(LEADS, Multipart::ann("acme-plumbing")).await;
        assert_eq!(answer.problem().1, "unavailable");
        assert_eq!(client.get("/healthz").await.status, 200, "the process itself lives");
    }
}
