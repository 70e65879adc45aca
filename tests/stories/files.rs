//! Photos and documents of leads and jobs: accepted types, visibility, lifetime of an address, the storage quota, and
//! removal.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::{domain::tenancy::account::Role, platform::id::LeadId};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client, Multipart, pixel},
    people::{Person, Shop, Visitor},
};

mod annotations;
mod archive;
mod file_access;
mod interrupted_uploads;
mod storage_quota;

fn pdf(words: &str) -> Vec<u8> {
    format!("%PDF-1.4\n% {words}\n1 0 obj <</Type /Catalog>> endobj\nxref\n0 1\ntrailer <</Root 1 0 R>>\nstartxref\n44\n%%EOF\n")
        .into_bytes()
}

/// A picture made distinct by bytes after its end, which are not stored.
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

/// The keys in the store.
async fn stored(app: &TestApp) -> Vec<String> {
    let far = app.now() + Duration::days(36_500);
    let mut keys = app.context.storage.list_older_than(far).await.unwrap();
    keys.sort();
    keys
}

async fn used(app: &TestApp, shop: &Shop) -> i64 {
    let mut conn = app.db.acquire_reader().await.unwrap();
    shared::domain::tenancy::storage_quota::load_usage(&mut conn, shop.id(), 0).await.unwrap().used
}

both_databases! {
    async fn photos_and_documents_keep_job_type_category_and_caption(app) {
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

    async fn invalid_file_is_refused_by_name_and_nothing_is_stored(app) {
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

    async fn stored_picture_keeps_only_its_pixels(app) {
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

    async fn repeated_upload_with_same_key_stores_one_file(app) {
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
}
