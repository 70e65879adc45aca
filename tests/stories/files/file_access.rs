//! Access to files: who sees a file, its content type, and how long its address is valid.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::Duration;
use serde_json::Value;
use shared::domain::tenancy::account::Role;
use tests::{
    both_databases,
    http::{Answer, Client, Multipart, pixel},
};

use super::{Site, id, moment, name, pdf, photo, remove};

/// Stored content runs no scripts, sets no base, and cannot be framed.
const STORED_POLICY: &str = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox";

async fn token(client: &Client, file: &Value) -> String {
    let answer = client.get(&format!("/api/files/{}/address", id(file))).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    let url = answer.json()["url"].as_str().unwrap().to_owned();
    url.strip_prefix("https://toolbox.example/f/").unwrap_or_else(|| panic!("{url}")).to_owned()
}

both_databases! {
    async fn file_is_served_with_its_media_type_and_inline_only_if_an_image(app) {
        let site = Site::of(app).await;
        let form = photo(Multipart::default(), "leak.png").file("files", "Grundriß.pdf", &pdf("plan"));
        let files = site.adds(form).await;
        let [picture, paper] = &files[..] else { panic!("{files:?}") };
        for path in [picture["url"].as_str().unwrap(), picture["thumbUrl"].as_str().unwrap()] {
            let answer = site.office.get(path).await;
            assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, "image/jpeg"), "{path}");
            assert!(answer.body.starts_with(&[0xff, 0xd8]) && answer.body.ends_with(&[0xff, 0xd9]));
            assert_eq!(answer.header("content-disposition"), "inline; filename=\"leak.jpg\"");
            assert_eq!(answer.header("content-security-policy"), STORED_POLICY);
            assert_eq!(answer.header("x-content-type-options"), "nosniff");
            assert_eq!(answer.header("cross-origin-resource-policy"), "same-origin");
            assert_eq!(answer.header("cache-control"), "private, max-age=31536000, immutable");
        }
        let kept = site.office.get(&format!("{}?download=1", picture["url"].as_str().unwrap())).await;
        assert_eq!(kept.header("content-disposition"), "attachment; filename=\"leak.jpg\"");
        let answer = site.office.get(paper["url"].as_str().unwrap()).await;
        assert_eq!((answer.header("content-type"), &answer.body), ("application/pdf", &pdf("plan")));
        assert_eq!(answer.header("content-security-policy"), STORED_POLICY);
        let logo = Multipart::default().file("logo", "logo.png", &pixel());
        assert_eq!(site.office.post_form(&format!("/api/org/{}/logo", site.shop.org.slug), logo).await.status, 200);
        let logo = app.client().get(&format!("/api/public/logo/{}", site.shop.id())).await;
        assert_eq!((logo.status.as_u16(), logo.header("content-security-policy")), (200, STORED_POLICY));
        let disposition = "attachment; filename=\"Grundri-.pdf\"; filename*=UTF-8''Grundri%C3%9F.pdf";
        assert_eq!(answer.header("content-disposition"), disposition);
        assert_eq!(site.office.get(&format!("/api/files/{}?size=thumb", id(paper))).await.status, 404, "a document has none");
        assert_eq!(site.office.get(&format!("/api/files/{}?size=huge", id(paper))).await.problem().2, ["size"]);
    }

    async fn crew_sees_only_photos_of_its_own_jobs(app) {
        let site = Site::of(app).await;
        let form = Multipart::ann(&site.shop.org.slug).photo("drip.png", &pixel());
        assert_eq!(app.client().here().post_form("/api/leads/create", form).await.status, 201);
        app.run_tasks().await;
        let paper = &site.adds(Multipart::default().file("files", "estimate.pdf", &pdf("$1,250.00"))).await[0];
        let theirs = site.crew.post_form(&site.path(), photo(moment("before"), "leak.png")).await;
        assert_eq!((theirs.status.as_u16(), theirs.json()[0]["by"].as_str()), (201, Some("Sam Staff")));

        let seen = site.files(&site.crew).await;
        let mut names: Vec<&str> = seen.iter().map(name).collect();
        names.sort_unstable();
        assert_eq!(names, ["drip.jpg", "leak.jpg"], "their own, and what the customer sent");
        for file in &seen {
            for path in [&file["url"], &file["thumbUrl"]] {
                assert_eq!(site.crew.get(path.as_str().unwrap()).await.status, 200, "{file}");
            }
        }
        for path in [format!("/api/files/{}", id(paper)), format!("/api/files/{}/address", id(paper))] {
            assert_eq!(site.crew.get(&path).await.status, 404, "{path}");
            assert_eq!(site.office.get(&path).await.status, 200, "{path}");
        }
        let refused = site.crew.post_form(&site.path(), Multipart::default().file("files", "a.pdf", &pdf("x"))).await;
        assert_eq!((refused.problem().0, refused.problem().2), (422, vec!["files".to_owned()]));
        assert_eq!(remove(&site.crew, &seen[0]["id"]).await.status, 403);

        let eve = app.staff(&site.shop, Role::Crew).await;
        let other_crew = app.client().signed_in(app, &eve).await;
        let best = app.org("Best Roofing").await;
        let other_org = app.client().signed_in(app, best.owner()).await;
        for stranger in [&other_crew, &other_org] {
            for path in [format!("/api/files/{}", id(&seen[0])), format!("/api/files/{}/address", id(&seen[0])), format!("{}.zip", site.path())] {
                assert_eq!(stranger.get(&path).await.problem().0, 404, "{path}");
            }
            assert_eq!(stranger.post_form(&site.path(), photo(Multipart::default(), "x.png")).await.status, 404);
        }
        assert_eq!(remove(&other_org, &seen[0]["id"]).await.status, 404);
        assert_eq!(app.client().get(&format!("/api/files/{}", id(&seen[0]))).await.status, 401);
    }

    async fn signed_file_url_expires_within_15_minutes_and_rejects_tampering(app) {
        let site = Site::of(app).await;
        let files = site.adds(photo(photo(Multipart::default(), "one.png"), "two.png").file("files", "three.pdf", &pdf("3"))).await;
        let visitor = app.client();
        let nothing = visitor.get("/f/nothing").await;
        let refused = |answer: &Answer, why: &str| {
            let mut json = answer.json();
            json["requestId"] = Value::Null;
            let mut wanted = nothing.json();
            wanted["requestId"] = Value::Null;
            assert_eq!((answer.status.as_u16(), json), (404, wanted), "{why}");
            let named = |answer: &Answer| answer.headers.keys().map(ToString::to_string).collect::<Vec<_>>();
            assert_eq!(named(answer), named(&nothing), "{why}");
        };
        let good = token(&site.office, &files[0]).await;
        let opened = visitor.get(&format!("/f/{good}")).await;
        assert_eq!((opened.status.as_u16(), opened.header("content-type")), (200, "image/jpeg"));
        assert_eq!(opened.body, site.office.get(files[0]["url"].as_str().unwrap()).await.body);
        assert_eq!(opened.header("content-security-policy"), STORED_POLICY);
        let paper = visitor.get(&format!("/f/{}", token(&site.office, &files[2]).await)).await;
        assert!(paper.header("content-disposition").starts_with("attachment; "));

        let bytes = URL_SAFE_NO_PAD.decode(&good).unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut forged = bytes.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            refused(&visitor.get(&format!("/f/{}", URL_SAFE_NO_PAD.encode(forged))).await, &format!("bit {bit}"));
        }
        let other = URL_SAFE_NO_PAD.decode(token(&site.office, &files[1]).await).unwrap();
        let crossed = [&other[..32], &bytes[32..]].concat();
        refused(&visitor.get(&format!("/f/{}", URL_SAFE_NO_PAD.encode(crossed))).await, "the other file's id");
        refused(&visitor.get(&format!("/f/{}", &good[1..])).await, "cut off");
        refused(&visitor.get(&format!("/f/{good}A")).await, "longer");
        refused(&visitor.get("/f/%ff%fe").await, "no text at all");

        let until = site.office.get(&format!("/api/files/{}/address", id(&files[0]))).await.json()["expiresAt"].clone();
        let until: chrono::DateTime<chrono::Utc> = until.as_str().unwrap().parse().unwrap();
        assert!(until - app.now() <= Duration::minutes(15) && until - app.now() > Duration::minutes(10));
        let fresh = token(&site.office, &files[1]).await;
        app.advance(until - app.now() - Duration::seconds(1));
        assert_eq!(visitor.get(&format!("/f/{good}")).await.status, 200);
        app.advance(Duration::seconds(1));
        refused(&visitor.get(&format!("/f/{good}")).await, "its time is over");
        refused(&visitor.get(&format!("/f/{fresh}")).await, "that of the other file too");

        let fresh = token(&site.office, &files[1]).await;
        assert_eq!(visitor.get(&format!("/f/{fresh}")).await.status, 200);
        assert_eq!(remove(&site.office, &files[1]["id"]).await.status, 204);
        refused(&visitor.get(&format!("/f/{fresh}")).await, "the file is removed");
        app.run_tasks().await;
    }
}
