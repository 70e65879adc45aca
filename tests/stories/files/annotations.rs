//! A photo that was drawn on names its original, in the app and in the archive.

use chrono::Duration;
use serde_json::{Value, json};
use tests::{
    both_databases,
    http::{Multipart, pixel},
    people::Visitor,
};

use super::{Site, id, moment, name, pdf, photo, remove};

fn copy_of(original: &Value, name: &str) -> Multipart {
    photo(moment("before").text("madeFrom", id(original)), name)
}

async fn packed(site: &Site) -> Vec<String> {
    let archive = site.office.get(&format!("{}.zip", site.path())).await.body;
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(archive)).unwrap();
    (0..archive.len()).map(|at| archive.by_index(at).unwrap().name().unwrap().into_owned()).collect()
}

both_databases! {
    async fn annotated_copy_names_its_original_and_follows_it_in_the_archive(app) {
        let site = Site::of(app).await;
        let mut added = Vec::new();
        for name in ["leak.png", "tap.png", "leak.png"] {
            added.push(site.adds(photo(moment("before"), name)).await.remove(0));
            app.advance(Duration::minutes(1));
        }
        assert_eq!(added[0]["madeFrom"], Value::Null);
        let copy = site.adds(copy_of(&added[0], "leak (marked).jpg")).await.remove(0);
        assert_eq!((name(&copy), &copy["madeFrom"]), ("leak (marked).jpg", &added[0]["id"]));
        app.advance(Duration::minutes(1));
        let again = site.adds(copy_of(&copy, "leak (marked) (marked).jpg")).await.remove(0);
        site.adds(copy_of(&added[2], "leak (marked).jpg")).await;
        let shown = site.files(&site.crew).await;
        let of_crew = shown.iter().find(|file| file["id"] == again["id"]).unwrap();
        assert_eq!(of_crew["madeFrom"], copy["id"], "the crew sees it too");
        let wanted = ["leak.jpg", "leak-marked.jpg", "leak-marked (2).jpg", "tap.jpg", "leak (2).jpg", "leak (2)-marked.jpg"];
        assert_eq!(packed(&site).await, wanted);

        assert_eq!(remove(&site.office, &added[0]["id"]).await.status, 204);
        let wanted = ["tap.jpg", "leak.jpg", "leak-marked.jpg", "leak (marked).jpg", "leak (marked)-marked.jpg"];
        assert_eq!(packed(&site).await, wanted, "a copy without its original is exported itself");
        let late = site.adds(copy_of(&added[0], "late.jpg")).await;
        assert_eq!(late[0]["madeFrom"], added[0]["id"], "it was on its way when the original was removed");
        app.run_tasks().await;
    }

    async fn annotated_copy_requires_a_photo_of_the_same_work_as_original(app) {
        let site = Site::of(app).await;
        let other = Visitor::number(2).submits_lead(app, &site.shop).await;
        let elsewhere = site.office.post_form(&format!("/api/leads/{other}/files"), photo(Multipart::default(), "roof.png")).await;
        let paper = site.adds(Multipart::default().file("files", "permit.pdf", &pdf("permit"))).await;
        let beside = site.office.post("/api/jobs", &json!({"leadId": site.lead})).await.json();
        let of_job = site.office.post_form(&format!("/api/jobs/{}/files", id(&beside)), photo(Multipart::default(), "hall.png")).await;
        let nobodys = json!({"id": uuid::Uuid::from_u128(7)});
        let count = app.count("file").await;
        for wrong in [&elsewhere.json()[0], &paper[0], &of_job.json()[0], &nobodys, &json!({"id": "leak.jpg"})] {
            let refused = site.crew.post_form(&site.path(), copy_of(wrong, "copy.jpg")).await;
            assert_eq!((refused.status.as_u16(), refused.problem().2), (422, vec!["madeFrom".to_owned()]), "{wrong}");
        }
        let both = Multipart::default().text("madeFrom", id(&nobodys)).file("files", "permit.pdf", &pdf("permit"));
        assert_eq!(site.office.post_form(&site.path(), both).await.problem().2, ["madeFrom"]);
        assert_eq!(app.count("file").await, count);
        // A lead accepts any photo as the original, also one that came with the request.
        let form = Multipart::ann(&site.shop.org.slug).photo("drip.png", &pixel());
        assert_eq!(app.client().here().post_form("/api/leads/create", form).await.status, 201);
        app.run_tasks().await;
        let shown = site.files(&site.office).await;
        let drip = shown.iter().find(|file| name(file) == "drip.jpg").unwrap();
        assert_eq!(site.adds(copy_of(drip, "drip (marked).jpg")).await[0]["madeFrom"], drip["id"]);
        let hall = site.office.post_form(&format!("/api/leads/{}/files", site.lead), copy_of(&of_job.json()[0], "hall (marked).jpg")).await;
        assert_eq!(hall.status, 201, "{}", hall.json());
    }

    async fn repeated_copy_is_stored_once_and_other_original_is_a_key_mismatch(app) {
        let site = Site::of(app).await;
        let one = site.adds(photo(moment("before"), "leak.png")).await.remove(0);
        let two = site.adds(photo(moment("before"), "tap.png")).await.remove(0);
        let keyed = site.office.with("idempotency-key", "a copy");
        let first = keyed.post_form(&site.path(), copy_of(&one, "copy.jpg")).await.json();
        assert_eq!(keyed.post_form(&site.path(), copy_of(&one, "copy.jpg")).await.json(), first);
        let other = keyed.post_form(&site.path(), copy_of(&two, "copy.jpg")).await;
        assert_eq!(other.problem().1, "idempotency_mismatch");
        assert_eq!(app.count("file").await, 3);
    }
}
