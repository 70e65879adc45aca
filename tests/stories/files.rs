//! Photos and documents of leads and jobs: what is taken, who sees it, how long an address lives, what the business's
//! space allows, and what goes with a removed file.

use std::{collections::BTreeMap, io::Read};

use axum::http::Method;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::Duration;
use serde_json::{Value, json};
use shared::{account::Role, id::LeadId, q, qb};
use tests::{
    app::TestApp,
    both_databases,
    fake_twilio::{InboundText, Picture},
    http::{Answer, Client, Multipart, pixel},
    people::{Person, Shop, Visitor},
    phone::ANN,
};

mod marked;

const NUMBER: &str = "+15125550100";

/// A small whole PDF that says `words`.
fn pdf(words: &str) -> Vec<u8> {
    format!("%PDF-1.4\n% {words}\n1 0 obj <</Type /Catalog>> endobj\nxref\n0 1\ntrailer <</Root 1 0 R>>\nstartxref\n44\n%%EOF\n")
        .into_bytes()
}

/// One picture more, that is told from others by what hangs behind it: nothing of which is kept.
fn photo(form: Multipart, name: &str) -> Multipart {
    form.file("files", name, &pixel())
}

fn moment(moment: &str) -> Multipart {
    Multipart::default().text("moment", moment)
}

/// A business with Ann's lead and a job of it, done by Dave's crew.
struct Site {
    shop: Shop,
    office: Client,
    crew: Client,
    lead: LeadId,
    job: String,
}

impl Site {
    async fn of(app: &TestApp) -> Self {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let dave = app.staff(&shop, Role::Crew).await;
        let job = job(&office, &dave, lead).await;
        let crew = app.client().signed_in(app, &dave).await;
        Self { shop, office, crew, lead, job }
    }

    fn path(&self) -> String {
        format!("/api/jobs/{}/files", self.job)
    }

    async fn adds(&self, form: Multipart) -> Vec<Value> {
        let answer = self.office.post_form(&self.path(), form).await;
        assert_eq!(answer.status, 201, "{}", answer.json());
        answer.json().as_array().unwrap().clone()
    }

    async fn files(&self, client: &Client) -> Vec<Value> {
        let answer = client.get(&format!("/api/jobs/{}", self.job)).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
        answer.json()["files"].as_array().unwrap().clone()
    }
}

/// A job of this lead for a new crew with one member.
async fn job(office: &Client, member: &Person, lead: LeadId) -> String {
    let crew = office.post("/api/crews", &json!({"name": "Dave's crew", "memberIds": [member.id]})).await;
    assert_eq!(crew.status, 201, "{}", crew.json());
    let new = json!({"leadId": lead, "crewId": crew.json()["id"]});
    let made = office.post("/api/jobs", &new).await;
    assert_eq!(made.status, 201, "{}", made.json());
    made.json()["id"].as_str().unwrap().to_owned()
}

async fn remove(client: &Client, id: &Value) -> Answer {
    client.send(Method::DELETE, &format!("/api/files/{}", id.as_str().unwrap()), "", Vec::new()).await
}

fn id(file: &Value) -> &str {
    file["id"].as_str().unwrap()
}

fn name(file: &Value) -> &str {
    file["name"].as_str().unwrap()
}

/// The last part of a fresh signed address.
async fn token(client: &Client, file: &Value) -> String {
    let answer = client.get(&format!("/api/files/{}/address", id(file))).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    let url = answer.json()["url"].as_str().unwrap().to_owned();
    url.strip_prefix("https://toolbox.example/f/").unwrap_or_else(|| panic!("{url}")).to_owned()
}

/// What the store holds, by key.
async fn stored(app: &TestApp) -> Vec<String> {
    let far = app.now() + Duration::days(36_500);
    let mut keys = app.context.storage.list_older_than(far).await.unwrap();
    keys.sort();
    keys
}

async fn used(app: &TestApp, shop: &Shop) -> i64 {
    let mut conn = app.db.read().await.unwrap();
    shared::file::quota::of(&mut conn, shop.id(), 0).await.unwrap().used
}

both_databases! {
    async fn photos_and_documents_stay_with_their_job_and_say_what_they_are(app) {
        let site = Site::of(app).await;
        let taken = app.now() - Duration::minutes(5);
        let form = moment("before").text("caption", "The leak").text("takenAt", &taken.to_rfc3339());
        let [photo] = &site.adds(photo(form, "C:\\DCIM\\leak.png")).await[..] else { panic!("one file") };
        assert_eq!((name(photo), photo["type"].as_str(), photo["moment"].as_str()), ("leak.jpg", Some("photo"), Some("before")));
        assert_eq!((photo["category"].as_str(), photo["automationTool"].as_str()), (Some("progress_photo"), Some("job_tracker")));
        assert_eq!((photo["caption"].as_str(), photo["by"].as_str()), (Some("The leak"), Some("Olive Owner")));
        assert_eq!((&photo["status"], &photo["sentAt"], &photo["sentVia"]), (&Value::Null, &Value::Null, &Value::Null));
        let after = &site.adds(self::photo(moment("after"), "done.png")).await[0];
        assert_eq!(after["category"], "completion_photo");
        let paper = &site.adds(Multipart::default().file("files", "permit (city).PDF", &pdf("permit"))).await[0];
        assert_eq!((name(paper), paper["type"].as_str(), paper["category"].as_str()), ("permit (city).pdf", Some("document"), Some("estimate")));
        assert_eq!((&paper["thumbUrl"], paper["size"].as_u64()), (&Value::Null, Some(pdf("permit").len() as u64)));

        let shown = site.files(&site.office).await;
        let names: Vec<&str> = shown.iter().map(name).collect();
        assert_eq!(names.len(), 3);
        assert!(["leak.jpg", "done.jpg", "permit (city).pdf"].iter().all(|wanted| names.contains(wanted)), "{names:?}");
        let detail = site.office.get(&format!("/api/jobs/{}", site.job)).await.json();
        assert_eq!((&detail["photosBeforeUrl"], &detail["photosAfterUrl"]), (&json!([photo["url"]]), &json!([after["url"]])));
        let events = detail["events"].as_array().unwrap();
        let added: Vec<&Value> = events.iter().filter(|event| event["kind"] == "files_added").collect();
        assert_eq!(added.len(), 3, "{events:?}");
        assert!(added.iter().any(|event| event["at"].as_str().unwrap().parse::<chrono::DateTime<chrono::Utc>>().unwrap() == taken));
        let of_lead = site.office.get(&format!("/api/leads/{}/files", site.lead)).await.json();
        assert_eq!(of_lead.as_array().map(Vec::len), Some(3));
        assert_eq!(app.count("file").await, 3);
    }

    async fn a_file_is_served_as_what_it_is_and_shown_only_if_it_is_a_picture(app) {
        let site = Site::of(app).await;
        let form = photo(Multipart::default(), "leak.png").file("files", "Grundriß.pdf", &pdf("plan"));
        let files = site.adds(form).await;
        let [picture, paper] = &files[..] else { panic!("{files:?}") };
        for path in [picture["url"].as_str().unwrap(), picture["thumbUrl"].as_str().unwrap()] {
            let answer = site.office.get(path).await;
            assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, "image/jpeg"), "{path}");
            assert!(answer.body.starts_with(&[0xff, 0xd8]) && answer.body.ends_with(&[0xff, 0xd9]));
            assert_eq!(answer.header("content-disposition"), "inline; filename=\"leak.jpg\"");
            assert_eq!(answer.header("content-security-policy"), "default-src 'none'; sandbox");
            assert_eq!(answer.header("x-content-type-options"), "nosniff");
            assert_eq!(answer.header("cross-origin-resource-policy"), "same-origin");
            assert_eq!(answer.header("cache-control"), "private, max-age=31536000, immutable");
        }
        let kept = site.office.get(&format!("{}?download=1", picture["url"].as_str().unwrap())).await;
        assert_eq!(kept.header("content-disposition"), "attachment; filename=\"leak.jpg\"");
        let answer = site.office.get(paper["url"].as_str().unwrap()).await;
        assert_eq!((answer.header("content-type"), &answer.body), ("application/pdf", &pdf("plan")));
        let disposition = "attachment; filename=\"Grundri-.pdf\"; filename*=UTF-8''Grundri%C3%9F.pdf";
        assert_eq!(answer.header("content-disposition"), disposition);
        assert_eq!(site.office.get(&format!("/api/files/{}?size=thumb", id(paper))).await.status, 404, "a document has none");
        assert_eq!(site.office.get(&format!("/api/files/{}?size=huge", id(paper))).await.problem().2, ["size"]);
    }

    async fn a_crew_sees_photos_of_its_own_jobs_and_nothing_else(app) {
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

    async fn what_is_no_photo_and_no_pdf_is_refused_by_name_and_nothing_is_stored(app) {
        let site = Site::of(app).await;
        let end_of_archive = [b"PK\x05\x06".as_slice(), &[0; 18]].concat();
        let jpeg_then = |rest: &[u8]| [[0xff, 0xd8, 0xff, 0xe0].as_slice(), rest].concat();
        let cases: [(&str, Vec<u8>); 13] = [
            ("page.jpg", b"<!doctype html><script>alert(1)</script>".to_vec()),
            ("drawing.png", b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>".to_vec()),
            ("program.jpg", b"\x7fELF\x02\x01\x01".to_vec()),
            ("archive.jpg", [b"PK\x03\x04".as_slice(), &[0; 60]].concat()),
            ("moving.gif", b"GIF89a\x01\x00\x01\x00\x00\x00\x00;".to_vec()),
            ("half.jpg", jpeg_then(&[0; 200])),
            ("half.png", pixel()[..40].to_vec()),
            ("word.pdf", b"PK\x03\x04 a word document".to_vec()),
            ("page.pdf", b"<html>%PDF-1.4\nstartxref\n1\n%%EOF".to_vec()),
            ("script.pdf", [pdf("x"), b"<script>alert(1)</script>".to_vec()].concat()),
            ("archive.pdf", [pdf("x"), end_of_archive.clone()].concat()),
            ("hidden.pdf", [b"%PDF-1.4\n%".to_vec(), end_of_archive, pdf("x")].concat()),
            ("half.pdf", pdf("x")[..40].to_vec()),
        ];
        for (name, bytes) in &cases {
            let form = photo(Multipart::default(), "good.png").file("files", name, bytes);
            let answer = site.office.post_form(&site.path(), form).await;
            assert_eq!((answer.problem().0, answer.problem().1.as_str()), (422, "photo_rejected"), "{name}");
            let words = answer.json()["errors"]["files"].as_str().unwrap().to_owned();
            assert!(words.contains(name) && !words.contains("good.png"), "{words}");
        }
        let large = |start: &[u8], size: usize| [start, &vec![b' '; size - start.len()]].concat();
        for (name, bytes) in [("large.png", large(&pixel(), 5 * 1024 * 1024 + 1)), ("large.pdf", large(b"%PDF-1.4\n", 10 * 1024 * 1024 + 1))] {
            let answer = site.office.post_form(&site.path(), Multipart::default().file("files", name, &bytes)).await;
            assert!(answer.json()["errors"]["files"].as_str().unwrap().contains("is larger than"), "{name}");
        }
        let six = (0..6).fold(Multipart::default(), |form, n| photo(form, &format!("{n}.png")));
        let words = site.office.post_form(&site.path(), six).await.json()["errors"]["files"].clone();
        assert_eq!(words, "“5.png” is one too many: at most 5 files");
        assert_eq!(site.office.post_form(&site.path(), moment("after")).await.problem().2, ["files"], "none at all");
        let vast = Multipart::default().file("files", "vast.pdf", &large(b"%PDF-1.4\n", 52 * 1024 * 1024));
        assert_eq!(site.office.post_form(&site.path(), vast).await.problem().0, 413);
        assert_eq!((app.count("file").await, stored(app).await.len(), used(app, &site.shop).await), (0, 0, 0));
    }

    async fn of_a_picture_only_its_pixels_are_kept(app) {
        let site = Site::of(app).await;
        let polyglot = [pixel(), pdf("hidden"), b"<script>alert(1)</script>".to_vec()].concat();
        let file = &site.adds(Multipart::default().file("files", "both.png", &polyglot)).await[0];
        for key in stored(app).await {
            let bytes = app.context.storage.get(&key).await.unwrap();
            assert!(bytes.starts_with(&[0xff, 0xd8]) && bytes.ends_with(&[0xff, 0xd9]), "{key}");
            assert!(!bytes.windows(7).any(|part| part == b"<script" || part == b"%PDF-1."), "{key}");
            assert!(key.starts_with(&format!("{}/", site.shop.id())) && !key.contains("both"), "{key}: random, of its business");
        }
        assert_eq!(site.office.get(file["url"].as_str().unwrap()).await.header("content-type"), "image/jpeg");
    }

    async fn the_same_request_again_stores_nothing_twice(app) {
        let site = Site::of(app).await;
        let crew = site.crew.with("idempotency-key", "a key of the phone");
        let form = || photo(moment("before"), "leak.png");
        let first = crew.post_form(&site.path(), form()).await;
        let again = crew.post_form(&site.path(), form()).await;
        assert_eq!((first.status.as_u16(), again.status.as_u16()), (201, 201));
        assert_eq!(first.json(), again.json());
        assert_eq!((app.count("file").await, stored(app).await.len()), (1, 2));
        let other = crew.post_form(&site.path(), photo(moment("after"), "leak.png")).await;
        assert_eq!(other.problem().1, "idempotency_mismatch");
        let events = site.office.get(&format!("/api/jobs/{}", site.job)).await.json()["events"].clone();
        assert_eq!(events.as_array().unwrap().iter().filter(|e| e["kind"] == "files_added").count(), 1);
    }

    async fn a_signed_address_opens_for_a_quarter_of_an_hour_and_cannot_be_aimed_anew(app) {
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
        assert_eq!(opened.header("content-security-policy"), "default-src 'none'; sandbox");
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

    async fn a_business_whose_space_is_full_uploads_nothing_more_and_still_gets_leads(app) {
        app.settings.storage_quota = 2_000;
        app.context.storage_quota = 2_000;
        let mut site = Site::of(app).await;
        let line = app.line(&mut site.shop, NUMBER).await;
        let first = site.adds(Multipart::default().file("files", "one.pdf", &pdf(&"x".repeat(1_500)))).await;
        let before = used(app, &site.shop).await;
        assert!((1_500..2_000).contains(&before), "{before}");
        let second = Multipart::default().file("files", "two.pdf", &pdf(&"x".repeat(500)));
        let refused = site.office.post_form(&site.path(), second.clone()).await;
        assert_eq!((refused.problem().0, refused.problem().1.as_str()), (507, "storage_full"));
        assert!(refused.json()["detail"].as_str().unwrap().contains("file space"));
        assert_eq!((app.count("file").await, stored(app).await.len(), used(app, &site.shop).await), (1, 1, before), "nothing half");

        // A photo is some 700 bytes as it is stored.
        let visitor = app.client().here();
        let asks = |form: Multipart| visitor.post_form("/api/leads/create", form);
        let with_photo = || Multipart::ann("acme-plumbing").photo("leak.png", &pixel());
        let refused = asks(with_photo()).await;
        assert_eq!((refused.problem().0, refused.problem().1.as_str()), (507, "storage_full"));
        let words = refused.json()["detail"].as_str().unwrap().to_owned();
        assert!(words.contains("without photos") && !words.contains("Remove"), "a visitor can remove nothing: {words}");
        assert_eq!(asks(Multipart::ann("acme-plumbing")).await.status, 201);
        app.run_tasks().await;

        let text = InboundText::new(ANN, NUMBER, "Look at this");
        line.delivers(&text.with_picture(Picture::new("image/png", &pixel()))).await;
        app.run_tasks().await;
        assert_eq!((app.count("photo").await, used(app, &site.shop).await), (0, before));
        let lead = app.only_lead(&site.shop).await;
        let said = lead.messages.iter().find(|m| m.body == "Look at this").unwrap();
        assert_eq!(said.status_text, "received without its picture: your file space is full");

        assert_eq!(remove(&site.office, &first[0]["id"]).await.status, 204);
        assert_eq!(used(app, &site.shop).await, 0);
        assert_eq!(remove(&site.office, &first[0]["id"]).await.status, 404, "once");
        site.adds(second).await;
        assert_eq!(asks(with_photo()).await.status, 201);
        app.run_tasks().await;
        assert_eq!(app.count("photo").await, 1);
    }

    async fn uploads_at_the_same_instant_share_one_space(app) {
        // A document has 998 bytes: two fit, three do not.
        app.settings.storage_quota = 2_500;
        let site = Site::of(app).await;
        let form = |n: usize| Multipart::default().file("files", &format!("{n}.pdf"), &pdf(&"x".repeat(900)));
        let path = site.path();
        let answers = futures::future::join_all((0..8).map(|n| site.office.post_form(&path, form(n)))).await;
        let mut taken: Vec<u16> = answers.iter().map(|answer| answer.status.as_u16()).collect();
        taken.sort_unstable();
        assert_eq!(taken, [201, 201, 507, 507, 507, 507, 507, 507], "two of them fit");
        assert_eq!((app.count("file").await, stored(app).await.len()), (2, 2));
        assert!(used(app, &site.shop).await <= 2_500);
    }

    async fn the_archive_of_a_job_holds_every_file_byte_for_byte(app) {
        let site = Site::of(app).await;
        let empty = site.office.get(&format!("{}.zip", site.path())).await;
        assert_eq!(empty.problem().0, 409, "there is nothing yet");
        let form = photo(photo(moment("before"), "leak.png"), "leak.png");
        let photos = site.adds(form).await;
        let papers = site.adds(Multipart::default().file("files", "Plan für Łukasz.pdf", &pdf("plan"))).await;
        let other = site.office.post("/api/jobs", &json!({"leadId": site.lead})).await.json();
        let beside = site.office.post_form(&format!("/api/jobs/{}/files", id(&other)), photo(Multipart::default(), "other.png")).await;
        assert_eq!(beside.status, 201);

        let mut wanted: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for (file, name) in [(&photos[0], "leak.jpg"), (&photos[1], "leak (2).jpg"), (&papers[0], "Plan für Łukasz.pdf")] {
            wanted.insert(name.into(), site.office.get(file["url"].as_str().unwrap()).await.body);
        }
        let answer = site.office.get(&format!("{}.zip", site.path())).await;
        let number = site.office.get(&format!("/api/jobs/{}", site.job)).await.json()["number"].clone();
        let day = app.now().with_timezone(&chrono_tz::America::Chicago).format("%Y-%m-%d");
        assert_eq!(answer.header("content-type"), "application/zip");
        let disposition = format!("attachment; filename=\"job-{number}-files-{day}.zip\"");
        assert_eq!(answer.header("content-disposition"), disposition);
        assert_eq!(unpacked(&answer.body), wanted);
        let taken = app.now().with_timezone(&chrono_tz::America::Chicago);
        let mut archive = zip::ZipArchive::new(std::io::Cursor::new(&answer.body)).unwrap();
        let at = archive.by_index(0).unwrap().last_modified().unwrap();
        assert_eq!(format!("{at}"), taken.format("%Y-%m-%d %H:%M:%S").to_string(), "on the business's clock");

        wanted.remove("Plan für Łukasz.pdf");
        assert_eq!(unpacked(&site.office.get(&format!("{}.zip?type=photo", site.path())).await.body), wanted);
        assert_eq!(unpacked(&site.crew.get(&format!("{}.zip", site.path())).await.body), wanted, "a crew gets the photos");
        assert_eq!(site.crew.get(&format!("{}.zip?type=document", site.path())).await.status, 409);
        assert_eq!(site.office.get(&format!("{}.zip?type=film", site.path())).await.problem().2, ["type"]);
        let sql = "SELECT COUNT(*) FROM audit_event WHERE action = 'files_downloaded'";
        let written = q!(&mut app.db.read().await.unwrap(), fetch_one scalar i64, sql).unwrap();
        assert_eq!(written, 3);
    }

    async fn what_was_sent_with_a_message_shows_how_far_it_got(app) {
        let site = Site::of(app).await;
        let file = site.adds(Multipart::default().file("files", "Estimate.pdf", &pdf("e"))).await[0].clone();
        let status = async |app: &TestApp, sql: &'static str| {
            app.within(async |tx| Ok(qb!(tx, execute, |b| { b.push(sql); })?)).await.unwrap();
            let shown = site.files(&site.office).await[0].clone();
            (shown["status"].clone(), shown["sentVia"].clone())
        };
        let none = status(app, "DELETE FROM message_file").await;
        assert_eq!(none, (Value::Null, Value::Null));
        let attach = "INSERT INTO message_file (org_id, message_id, file_id, is_attached)
            SELECT f.org_id, m.id, f.id, TRUE FROM file f JOIN message m ON m.org_id = f.org_id AND m.lead_id = f.lead_id
            WHERE m.channel = 'email' AND m.to_address = 'ann@customer.example'";
        let sent = status(app, attach).await;
        assert_eq!(sent, (json!("sent"), json!("email")));
        let waits = "UPDATE message SET status = 'queued'";
        assert_eq!(status(app, waits).await.0, Value::Null, "what waits was not sent");
        assert_eq!(remove(&site.office, &file["id"]).await.problem().0, 409, "and its file stays until then");
        let delivered = status(app, "UPDATE message SET status = 'delivered'").await;
        assert_eq!(delivered, (json!("delivered"), json!("email")));
        let (org, now) = (site.shop.id(), app.now());
        let file_id = shared::id::FileId(id(&file).parse().unwrap());
        app.within(async |tx| shared::file::note_viewed(tx, org, file_id, now).await).await.unwrap();
        assert_eq!(site.files(&site.office).await[0]["status"], "viewed");
        app.within(async |tx| shared::file::note_downloaded(tx, org, file_id, now).await).await.unwrap();
        assert_eq!(site.files(&site.office).await[0]["status"], "downloaded");
    }

    async fn the_paper_of_an_estimate_cannot_be_removed(app) {
        let site = Site::of(app).await;
        let made = site.office.post(&format!("/api/leads/{}/estimate", site.lead), &json!({"quotedTotal": 1250})).await;
        assert_eq!(made.status, 200, "{}", made.json());
        app.run_tasks().await;
        let files = site.office.get(&format!("/api/leads/{}/files", site.lead)).await.json();
        let paper = files.as_array().unwrap().iter().find(|file| file["type"] == "document").unwrap();
        assert_eq!((paper["category"].as_str(), paper["status"].as_str()), (Some("estimate"), Some("sent")));
        let refused = remove(&site.office, &paper["id"]).await;
        assert_eq!((refused.problem().0, refused.problem().1.as_str()), (409, "conflict"));
        let kept = site.office.get(paper["url"].as_str().unwrap()).await;
        assert_eq!(kept.body, made.body, "the very bytes");
        assert_eq!(site.crew.get(paper["url"].as_str().unwrap()).await.status, 404);
        assert!(used(app, &site.shop).await >= i64::try_from(made.body.len()).unwrap(), "and it counts");
    }

    async fn photos_of_forms_are_files_of_their_lead_and_can_be_removed(app) {
        let site = Site::of(app).await;
        let form = Multipart::ann(&site.shop.org.slug).photo("drip.png", &pixel());
        assert_eq!(app.client().here().post_form("/api/leads/create", form).await.status, 201);
        app.run_tasks().await;
        let files = site.files(&site.office).await;
        let [photo] = &files[..] else { panic!("{files:?}") };
        assert_eq!((photo["automationTool"].as_str(), photo["category"].as_str()), (Some("lead_intake"), Some("progress_photo")));
        assert_eq!((photo["by"].as_str(), &photo["status"]), (Some("Ann Lee"), &Value::Null));
        assert!(used(app, &site.shop).await > 0, "it counts in the business's space");
        assert_eq!(remove(&site.office, &photo["id"]).await.status, 204);
        assert_eq!(used(app, &site.shop).await, 0);
        assert!(site.files(&site.office).await.is_empty());
        let lead = app.lead(site.shop.id(), site.lead).await;
        assert!(lead.photos.is_empty() && lead.summary.photos_url.is_empty());
        assert_eq!(site.office.get(photo["url"].as_str().unwrap()).await.status, 404);
    }

    async fn the_sweep_removes_what_nothing_names_and_what_was_removed_a_day_ago(app) {
        let site = Site::of(app).await;
        let files = site.adds(photo(photo(Multipart::default(), "one.png"), "two.png").file("files", "plan.pdf", &pdf("3"))).await;
        let form = Multipart::ann(&site.shop.org.slug).photo("drip.png", &pixel());
        assert_eq!(app.client().here().post_form("/api/leads/create", form).await.status, 201);
        let logo = Multipart::default().file("logo", "logo.png", &pixel());
        let path = format!("/api/org/{}/logo", site.shop.org.slug);
        assert_eq!(site.office.post_form(&path, logo).await.status, 200);
        app.run_tasks().await;
        let named = stored(app).await;
        assert_eq!(named.len(), 2 + 2 + 1 + 2 + 1, "{named:?}");
        app.context.storage.put("stray/left-over.jpg", b"x").await.unwrap();
        worker::housekeeping::remove_stray_files(&app.context).await.unwrap();
        assert_eq!(stored(app).await.len(), named.len() + 1, "a request may still be about to name it");

        // Whatever the machine's clock says, all of this was written long ago.
        app.advance(Duration::days(3650));
        app.run_tasks().await;
        worker::housekeeping::remove_stray_files(&app.context).await.unwrap();
        assert_eq!(stored(app).await, named);

        let office = app.client().signed_in(app, site.shop.owner()).await;
        assert_eq!(remove(&office, &files[0]["id"]).await.status, 204);
        assert_eq!(remove(&office, &files[2]["id"]).await.status, 204);
        worker::housekeeping::remove_stray_files(&app.context).await.unwrap();
        assert_eq!(stored(app).await, named, "an answer may still be on its way");
        app.advance(Duration::days(1) + Duration::seconds(1));
        worker::housekeeping::remove_stray_files(&app.context).await.unwrap();
        let left = stored(app).await;
        assert_eq!(left.len(), named.len() - 3);
        let gone = |file: &Value| !left.iter().any(|key| key.contains(id(file)));
        assert!(gone(&files[0]) && gone(&files[2]) && !gone(&files[1]), "{left:?}");
        let office = app.client().signed_in(app, site.shop.owner()).await;
        assert_eq!(office.get(files[1]["url"].as_str().unwrap()).await.status, 200);
        app.run_tasks().await;
    }
}

/// The files of an archive by name.
fn unpacked(archive: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(archive)).unwrap();
    let mut files = BTreeMap::new();
    for at in 0..archive.len() {
        let mut file = archive.by_index(at).unwrap();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        files.insert(file.name().unwrap().into_owned(), bytes);
    }
    files
}
