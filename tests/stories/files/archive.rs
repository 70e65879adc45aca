//! All files of a job in one archive.

use std::{collections::BTreeMap, io::Read};

use serde_json::json;
use shared::q;
use tests::{both_databases, http::Multipart};

use super::{Site, id, moment, pdf, photo};

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

both_databases! {
    async fn job_archive_holds_every_file_byte_for_byte(app) {
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
        let written = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql).unwrap();
        assert_eq!(written, 3);
    }
}
