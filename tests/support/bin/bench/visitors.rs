//! Many visitors at once: forms with photos, and the memory of open event streams, half-sent heads and uploads.

use std::{
    io::Cursor,
    time::{Duration, Instant},
};

use bytes::Bytes;
use image::{ImageFormat, Rgb, RgbImage};
use reqwest::{
    Client,
    multipart::{Form, Part},
};
use shared::{
    domain::tenancy::{
        account::{self, NewAccount, RegistrationOutcome},
        audit::AuditActor,
        session,
    },
    platform::{
        clock::ClockRng,
        db::{Db, q},
    },
};
use tests::{
    addresses,
    processes::{Api, api, http_client, worker},
    test_install::{Business, TestInstall, email, phone},
};
use tokio::{io::AsyncWriteExt, net::TcpStream, task::JoinSet};

use crate::{
    figures::{Figures, Goal, quantile},
    half_open,
    rest::megabytes,
};

const VISITORS: usize = 60;
const PHOTOS: usize = 5;
/// The size that a browser sends for a phone's photo (`web/src/lib/image-compress.ts`).
const SIZE: [u32; 2] = [2048, 1536];
const ANSWER_MS: f64 = 2_000.0;
const REDRAWN_WITHIN: Duration = Duration::from_mins(5);
const STREAMS: usize = 500;
/// Per person.
const STREAMS_EACH: usize = 10;
const HEADS: usize = 10_000;
const UPLOADS: usize = 300;
const TOGETHER_MB: f64 = 150.0;
const SETTLE: Duration = Duration::from_secs(2);

pub async fn photos_and_memory(engine: &str, [first, second]: [&TestInstall; 2], figures: &mut Figures) {
    photos(engine, first, figures).await;
    memory(engine, second, figures).await;
}

/// Forms with five photos by sixty visitors at once, and the time until the last photo is redrawn.
async fn photos(engine: &str, install: &TestInstall, figures: &mut Figures) {
    let db = install.open().await;
    Business::open(&db, "Acme Plumbing").await;
    let api = api(install, &[]).await;
    let _worker = worker(install, &[]).await;
    let photo = photo();
    let (began, mut asked) = (Instant::now(), JoinSet::new());
    for number in 0..VISITORS {
        asked.spawn(asks(http_client(), api.url.clone(), number, photo.clone()));
    }
    let mut times = asked.join_all().await;
    figures.add(engine, "60 forms with five photos at once, p50", quantile(&mut times, 0.5), "ms", Goal::None);
    figures.add(engine, "  p99", quantile(&mut times, 0.99), "ms", Goal::AtMost(ANSWER_MS));
    figures.add(engine, "  memory of the API right after", megabytes(&api.program), "MB", Goal::None);
    redrawn(&db).await;
    figures.add(engine, "  until the last photo is redrawn", began.elapsed().as_secs_f64(), "s", Goal::None);
    db.close().await;
}

/// The API's memory with streams, half-sent heads and uploads open together.
async fn memory(engine: &str, install: &TestInstall, figures: &mut Figures) {
    if !half_open::may_open() {
        eprintln!("open connections are left out: this process may not open so many files (ulimit -n)");
        return;
    }
    let db = install.open().await;
    Business::open(&db, "Acme Plumbing").await;
    let cookies = signed_in(&db, STREAMS / STREAMS_EACH).await;
    db.close().await;
    let api = api(install, &[]).await;
    let address = api.url.trim_start_matches("http://").to_owned();
    let mut open = Vec::with_capacity(STREAMS + HEADS + UPLOADS);
    for cookie in cookies.iter().flat_map(|cookie| std::iter::repeat_n(cookie, STREAMS_EACH)) {
        open.push(
            begins(&address, &format!("GET /api/events HTTP/1.1\r\nhost: localhost\r\ncookie: {cookie}\r\n\r\n")).await,
        );
    }
    for _ in 0..UPLOADS {
        open.push(begins(&address, &half_an_upload()).await);
    }
    for _ in 0..HEADS {
        open.push(begins(&address, "GET /healthz HTTP/1.1\r\nhost: localhost").await);
    }
    tokio::time::sleep(SETTLE).await;
    let name = "memory of the API with 500 streams, 10,000 half heads, 300 uploads";
    figures.add(engine, name, megabytes(&api.program), "MB", Goal::AtMost(TOGETHER_MB));
    answers(&api).await;
    drop(open);
}

async fn asks(client: Client, url: String, number: usize, photo: Bytes) -> f64 {
    let mut form = Form::new()
        .text("name", format!("Visitor {number}"))
        .text("phone", phone(number))
        .text("email", email(number))
        .text("service", "plumbing")
        .text("zip", "78701");
    for at in 1..=PHOTOS {
        let part = Part::stream(photo.clone()).file_name(format!("{at}.jpg")).mime_str("image/jpeg").expect("a type");
        form = form.part("photos", part);
    }
    let began = Instant::now();
    crate::intake::accepted(client.post(format!("{url}/api/leads/create")).multipart(form)).await;
    began.elapsed().as_secs_f64() * 1000.0
}

/// A picture that compresses badly: stripes under noise.
fn photo() -> Bytes {
    let mut state = 22_u32;
    let picture = RgbImage::from_fn(SIZE[0], SIZE[1], |x, y| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [noise, ..] = (state >> 28).to_le_bytes();
        let [stripe, ..] = ((x + y) / 16).to_le_bytes();
        Rgb([stripe.wrapping_add(noise), stripe, 255 - stripe])
    });
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Jpeg).expect("a JPEG");
    bytes.into_inner().into()
}

async fn redrawn(db: &Db) {
    let began = Instant::now();
    loop {
        let mut conn = db.acquire_reader().await.expect("a connection");
        let waiting = q!(&mut conn, fetch_one scalar i64, "SELECT COUNT(*) FROM photo_upload").expect("a count");
        if waiting == 0 {
            return;
        }
        drop(conn);
        assert!(began.elapsed() < REDRAWN_WITHIN, "{waiting} photos still wait");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

async fn signed_in(db: &Db, owners: usize) -> Vec<String> {
    let origin = ClockRng::system();
    let mut cookies = Vec::with_capacity(owners);
    for number in 0..owners {
        let new = NewAccount {
            name: "Olive Owner".into(),
            email: addresses::email(&format!("owner{number}@acme.example")),
            password: String::new(),
            org_name: format!("Acme Plumbing {number}"),
            industry: "Plumbing".into(),
        };
        let mut tx = db.begin().await.expect("a transaction");
        let made = account::register(&mut tx, &origin, &new, "no password").await.expect("a business");
        assert!(matches!(made, RegistrationOutcome::New { .. }), "the address was known");
        let account = account::find_by_email(&mut tx, new.email.as_str()).await.expect("a look").expect("the owner");
        let token =
            session::create_session(&mut tx, &origin, &account, &AuditActor::default()).await.expect("a session");
        tx.commit().await.expect("a commit");
        cookies.push(format!("sid={token}"));
    }
    cookies
}

fn half_an_upload() -> String {
    let rest = "x".repeat(64 * 1024);
    format!(
        "POST /api/leads/create HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000\r\n\
         content-type: multipart/form-data; boundary=b\r\n\r\n\
         --b\r\ncontent-disposition: form-data; name=\"photos\"; filename=\"1.jpg\"\r\ncontent-type: image/jpeg\r\n\r\n{rest}"
    )
}

/// A connection on which this was sent. The server may have dropped it already.
async fn begins(address: &str, sent: &str) -> TcpStream {
    let mut io = half_open::connected(address).await;
    let _ = io.write_all(sent.as_bytes()).await;
    io
}

async fn answers(api: &Api) {
    let answer = http_client().get(format!("{}/healthz", api.url)).send().await.expect("an answer");
    assert!(answer.status().is_success(), "{}", answer.status());
}
