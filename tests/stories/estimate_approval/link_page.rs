//! The page behind an estimate's link: when it closes, what a forged link gets, and what the browser may do on it.

use axum::http::Method;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::Duration;
use serde_json::json;
use shared::platform::db::q;
use tests::both_databases;

use super::{FORM, amount, here, sent, text, with_options};

both_databases! {
    async fn estimate_page_closes_on_expiry_withdrawal_and_revocation(app) {
        let mut sent = sent(app, &json!({"quotedTotal": 90})).await;
        let sha256 = sent.sha256().await;
        let pairs = [("name", "Ann Lee"), ("agree", "yes"), ("sha256", sha256.as_str())];
        app.advance(Duration::days(32));
        assert!(sent.page().await.contains("This estimate has expired"));
        let late = sent.posts("approve", &pairs).await;
        assert_eq!(late.status, 409);
        assert!(text(&late).contains("This estimate has expired. Ask for a fresh one."));
        sent.office = app.client().signed_in(app, sent.shop.owner()).await;
        let id = sent.estimate().await["id"].as_str().unwrap().to_owned();
        assert_eq!(sent.office.post(&format!("/api/estimates/{id}/withdraw"), &json!({"reason": "Typed twice"})).await.status, 200);
        assert!(sent.page().await.contains("This estimate was withdrawn"));
        assert_eq!(sent.office.post(&format!("/api/estimates/{id}/link"), &json!({"revoke": true})).await.status, 200);
        assert_eq!(sent.customer.get(&sent.at).await.status, 404);
        assert_eq!(app.count("approval").await, 0);
        app.run_tasks().await;
    }

    async fn forged_and_truncated_links_get_the_same_404(app) {
        let sent = sent(app, &amount()).await;
        let token = sent.at.trim_start_matches("/p/").to_owned();
        let bytes = URL_SAFE_NO_PAD.decode(&token).unwrap();
        let mut answers = std::collections::BTreeSet::new();
        for bit in (0..bytes.len() * 8).step_by(7) {
            let mut forged = bytes.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            let answer = sent.customer.get(&format!("/p/{}", URL_SAFE_NO_PAD.encode(forged))).await;
            answers.insert((answer.status.as_u16(), text(&answer)));
        }
        for odd in ["", "x", &token[..42], &format!("{token}A"), "%00", "..%2f..%2fetc"] {
            let answer = sent.customer.get(&format!("/p/{odd}")).await;
            if !odd.is_empty() {
                answers.insert((answer.status.as_u16(), text(&answer)));
            }
        }
        assert_eq!(answers.len(), 1, "{answers:?}");
        let (status, page) = answers.pop_first().unwrap();
        assert!(status == 404 && page.contains("This link is no longer valid") && !page.contains("Acme"));
        for what in ["approve", "decline", "ask", "seen"] {
            let answer = sent.customer.send(Method::POST, &format!("/p/{}x/{what}", &token[..42]), FORM, Vec::new()).await;
            assert_eq!(answer.status, 404, "{what}");
        }
    }

    async fn page_is_small_locked_down_and_in_customer_language(app) {
        let sent = sent(app, &with_options()).await;
        let answer = sent.customer.get(&sent.at).await;
        assert_eq!(answer.header("referrer-policy"), "same-origin");
        assert_eq!((answer.header("x-robots-tag"), answer.header("cache-control")), ("noindex, nofollow", "no-store"));
        assert!(answer.header("content-security-policy").starts_with("default-src 'none'; style-src 'self'; script-src 'self'"));
        assert_eq!(answer.header("set-cookie"), "");
        let page = text(&answer);
        assert!(!page.contains("style=") && !page.contains("onclick") && !page.contains("http://"), "nothing of its own to run");
        let mut weight = page.len();
        for address in page.split('"').filter(|part| part.starts_with("/p-assets/")) {
            let asset = sent.customer.get(address).await;
            assert_eq!((asset.status.as_u16(), asset.header("cache-control")), (200, "public, max-age=31536000, immutable"));
            weight += asset.body.len();
        }
        assert!(weight < 150_000, "{weight} bytes");
        assert_eq!(sent.customer.get("/p-assets/page-000000000000.css").await.status, 404);
        let sql = "UPDATE customer SET language = 'es' WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, sql, sent.shop.id())?)).await.unwrap();
        let id = sent.estimate().await["id"].as_str().unwrap().to_owned();
        let revised = sent.office.post(&format!("/api/estimates/{id}/revise"), &with_options()).await;
        assert_eq!(revised.status, 201);
        let link = here(&revised.json());
        let spanish = text(&sent.customer.get(&link).await);
        assert!(spanish.contains("<html lang=\"es\">") && spanish.contains("Aprobar y firmar"), "{spanish}");
        let refused = sent.customer.send(Method::POST, &format!("{link}/ask"), FORM, Vec::new()).await;
        assert!(text(&refused).contains("Escriba su pregunta"));
        app.run_tasks().await;
    }
}
