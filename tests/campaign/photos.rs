//! The kill campaign of photos: `kill -9` of the API and of the worker at random moments, while requests with photos
//! come in and the bucket is unavailable at times.
//!
//! `KILLS` sets how many (50), `SEED` repeats the moments of an earlier run.

use std::{
    collections::{BTreeSet, HashMap},
    fs,
    path::PathBuf,
    time::{Duration, Instant, SystemTime},
};

use axum::http::StatusCode;
use reqwest::multipart::{Form, Part};
use shared::{
    domain::intake::{lead::LeadReceipt, photo_upload},
    platform::{
        clock::{Clock, ClockRng, Entropy},
        config::EnvVars,
        db::{Db, q, tenant_scope},
        id::LeadId,
        photo,
    },
};
use tests::{
    fake_bucket::FakeBucket,
    fake_smtp::FakeSmtp,
    fake_twilio::FakeTwilio,
    http::pixel,
    processes::{Env, Program, free_port, http_client, start_worker, through, worker},
    test_install::{Business, TestInstall, email, phone},
};
use tokio::sync::watch;

use crate::{
    kills::between,
    ledger::{self, at_rest, balance, is_any_on_its_way},
};

/// Limit for the remaining work after the last kill.
const CATCH_UP: Duration = Duration::from_mins(1);
const SOON: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(20);
const VISITORS: usize = 2;
/// Longer than the API keeps files that no row names.
const HOURS: Duration = Duration::from_hours(2);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn photos_survive_repeated_api_and_worker_kills_once_each_on_sqlite() {
    Box::pin(campaign("SQLite", TestInstall::sqlite())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn photos_survive_repeated_api_and_worker_kills_once_each_on_postgres() {
    tenant_scope::across_tenants(Box::pin(async {
        campaign("PostgreSQL", TestInstall::postgres().await).await;
    }))
    .await;
}

/// A confirmed request, and how many photos it brought.
type Confirmed = (LeadReceipt, usize);

struct Stage {
    install: TestInstall,
    db: Db,
    env: Env,
    bucket: FakeBucket,
    chance: Entropy,
}

async fn campaign(engine: &str, install: TestInstall) {
    let mut vars = EnvVars::from_process();
    let kills = vars.parse_or("KILLS", 50_usize, "a whole number");
    let seed = vars.parse_or("SEED", u64::from_le_bytes(ClockRng::system().entropy.random_bytes()), "a whole number");
    vars.into_result().unwrap();
    let (twilio, smtp, bucket) = (FakeTwilio::start().await, FakeSmtp::start().await, FakeBucket::start().await);
    let db = install.open().await;
    let business = Business::open(&db, "Acme Plumbing").await;
    let mut env = through(&twilio, &smtp);
    env.push(("WORKER_LEASE_SECONDS".to_owned(), "1".to_owned()));
    env.extend(bucket.vars().map(|(name, value)| (name.to_owned(), value)));
    let stage = Stage { install, db, env, bucket, chance: Entropy::from_seed(seed) };

    let (place, enough) = (watch::Sender::new(String::new()), watch::Sender::new(false));
    let asks = |line: usize| {
        let visitor = Visitor { slug: business.profile.org.slug.clone(), chance: stage.chance.clone(), line };
        tokio::spawn(visitor.keeps_asking(place.subscribe(), enough.subscribe()))
    };
    let visitors: Vec<_> = (0..VISITORS).map(asks).collect();
    let struck = stage.strikes(kills, &place).await;
    enough.send_replace(true);
    let mut confirmed = Vec::new();
    for visitor in visitors {
        confirmed.extend(visitor.await.unwrap());
    }

    let caught_up = stage.catches_up().await;
    let receipts: Vec<LeadReceipt> = confirmed.iter().map(|(receipt, _)| receipt.clone()).collect();
    balance(&stage.db, &receipts, &twilio, &smtp).await;
    let (photos, raw) = stage.has_all(&confirmed).await;
    let leads = receipts.len();
    println!(
        "{engine}: {kills} kills ({struck} while photos were on their way), {leads} confirmed leads, {photos} photos, each \
         once and in order, {raw} raw files left to the sweep, no task dead, {caught_up:?} to catch up, seed {seed}"
    );
    assert!(struck * 4 >= kills, "only {struck} of {kills} kills came while photos were on their way");
    assert!(leads * 2 >= kills, "only {leads} requests were confirmed");
    stage.db.close().await;
}

impl Stage {
    async fn api(&self, place: &watch::Sender<String>) -> Program {
        let address = format!("127.0.0.1:{}", free_port());
        let url = format!("http://{address}");
        let mut env = self.env.clone();
        env.extend([("BIND_ADDR".to_owned(), address), ("PUBLIC_URL".to_owned(), url.clone())]);
        let mut api = Program::start("api", &self.install, &env);
        api.logged("the database is ready", SOON).await;
        place.send_replace(url);
        api
    }

    /// Lets both run for a moment, kills one of them, and starts the next at once; for one in four kills the bucket
    /// is unavailable. Returns how many kills came while photos were in progress. Both are dead in the end.
    async fn strikes(&self, kills: usize, place: &watch::Sender<String>) -> usize {
        let (mut api, mut redraws) = (self.api(place).await, worker(&self.install, &self.env).await);
        let mut struck = 0;
        for _ in 0..kills {
            let is_away = between(&self.chance, 0, 3) == 0;
            self.bucket.refuses(is_away.then_some(StatusCode::SERVICE_UNAVAILABLE));
            tokio::time::sleep(Duration::from_millis(between(&self.chance, 20, 500))).await;
            let has_photos = self.waiting().await > 0;
            if between(&self.chance, 0, 1) == 0 {
                api.kill();
                api = self.api(place).await;
            } else {
                redraws.kill();
                redraws = worker(&self.install, &self.env).await;
            }
            struck += usize::from(has_photos);
        }
        api.kill();
        redraws.kill();
        self.bucket.refuses(None);
        struck
    }

    async fn waiting(&self) -> i64 {
        let mut conn = self.db.acquire_reader().await.unwrap();
        q!(&mut conn, fetch_one scalar i64, "SELECT COUNT(*) FROM photo_upload").unwrap()
    }

    /// Finishes the remaining work. Returns how long that took.
    async fn catches_up(&self) -> Duration {
        self.pauses_are_over().await;
        let place = watch::Sender::new(String::new());
        let (api, last) = (self.api(&place).await, worker(&self.install, &self.env).await);
        let began = Instant::now();
        while self.waiting().await > 0 {
            assert!(began.elapsed() < CATCH_UP, "photos wait:\n{}\n{}", api.log(), last.log());
            tokio::time::sleep(LOOK).await;
        }
        at_rest(&self.db, CATCH_UP).await;
        let caught_up = began.elapsed();
        last.kill();
        // The last kill may have hit a text that was in doubt and had just been sent again.
        while is_any_on_its_way(&self.db).await {
            let last = start_worker(&self.install, &self.env);
            at_rest(&self.db, CATCH_UP).await;
            last.kill();
        }
        self.empties_spool(&api).await;
        assert_eq!(ledger::tasks(&self.db, "dead").await, 0);
        caught_up
    }

    /// Moves the clock of the tasks: leases of dead workers end, and the pauses before retries are over.
    async fn pauses_are_over(&self) {
        let origin = ClockRng::system();
        let mut tx = self.db.begin().await.unwrap();
        q!(&mut tx, execute, "UPDATE photo_upload SET busy_until = NULL WHERE busy_until IS NOT NULL").unwrap();
        let sql = "UPDATE task SET run_at = $1, dispatch_at = $1 WHERE kind = 'redraw_photos' AND status = 'ready'";
        q!(&mut tx, execute, sql, origin.now()).unwrap();
        tx.commit().await.unwrap();
        photo_upload::enqueue_redraw(&self.db, &origin).await.unwrap();
    }

    /// Makes files in the API's folder hours old: those without a row are removed, half-received ones too.
    async fn empties_spool(&self, api: &Program) {
        let long_ago = SystemTime::from(Clock::System.now()) - HOURS;
        for path in self.spooled() {
            // The API may have removed the file already.
            if let Ok(file) = fs::File::options().write(true).open(path) {
                file.set_modified(long_ago).unwrap();
            }
        }
        let began = Instant::now();
        while !self.spooled().is_empty() {
            assert!(began.elapsed() < SOON, "{:?} stay:\n{}", self.spooled(), api.log());
            tokio::time::sleep(LOOK).await;
        }
    }

    fn spooled(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.install.folder().join("spool")) else { return Vec::new() };
        entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
    }

    /// Compares rows and files with what was confirmed. Returns the number of photos, and of original files that are
    /// still in the bucket because a worker died after its commit. The hourly sweep removes those.
    async fn has_all(&self, confirmed: &[Confirmed]) -> (usize, usize) {
        let sql = "SELECT lead_id, original_name, full_key, thumb_key FROM photo ORDER BY lead_id, position";
        let mut conn = self.db.acquire_reader().await.unwrap();
        let rows = q!(&mut conn, fetch_all as (LeadId, String, String, String), sql).unwrap();
        drop(conn);
        let (photos, mut names, mut files) = (rows.len(), HashMap::<LeadId, Vec<String>>::new(), BTreeSet::new());
        for (lead, name, full, thumb) in rows {
            names.entry(lead).or_default().push(name);
            files.extend([full, thumb]);
        }
        let mut wrong = Vec::new();
        for (receipt, sent) in confirmed {
            let (there, wanted) = (names.remove(&receipt.id).unwrap_or_default(), names_of(*sent));
            if there != wanted {
                wrong.push(format!("lead {} has {there:?} of {wanted:?}", receipt.id));
            }
        }
        let kept: BTreeSet<String> = self.bucket.keys().into_iter().collect();
        wrong.extend(files.difference(&kept).map(|key| format!("{key} is lost")));
        let rest: Vec<&String> = kept.difference(&files).collect();
        wrong.extend(rest.iter().filter(|key| !photo_upload::is_raw_key(key)).map(|key| format!("{key} is nobody's")));
        assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
        assert_eq!(files.len(), photos * 2, "no two photos share a file");
        (photos, rest.len())
    }
}

fn names_of(photos: usize) -> Vec<String> {
    (1..=photos).map(|number| format!("{number}.jpg")).collect()
}

/// A visitor that sends requests repeatedly, each under another name.
struct Visitor {
    slug: String,
    chance: Entropy,
    line: usize,
}

impl Visitor {
    /// Sends to the current API until stopped. Only confirmed requests count, not those during which the API was killed.
    async fn keeps_asking(self, place: watch::Receiver<String>, enough: watch::Receiver<bool>) -> Vec<Confirmed> {
        let (client, mut confirmed) = (http_client(), Vec::new());
        let picture = photo::reencode_photo(&pixel()).unwrap().full;
        let mut number = self.line * 100_000;
        while !*enough.borrow() {
            number += 1;
            let photos = usize::try_from(between(&self.chance, 1, 3)).unwrap();
            let url = format!("{}/api/leads/create", place.borrow().as_str());
            if let Ok(answer) = client.post(url).multipart(self.form(number, photos, &picture)).send().await {
                let status = answer.status();
                // After a kill there may be no database for a moment.
                assert!(status == 201 || status.is_server_error(), "{status}");
                let receipt = answer.json::<LeadReceipt>().await;
                confirmed.extend(receipt.ok().filter(|_| status == 201).map(|receipt| (receipt, photos)));
            }
            tokio::time::sleep(Duration::from_millis(between(&self.chance, 20, 150))).await;
        }
        let left_out = confirmed.iter().filter(|(receipt, _)| receipt.photos_left_out.is_some()).count();
        assert_eq!(left_out, 0, "there is room for all photos");
        confirmed
    }

    fn form(&self, number: usize, photos: usize, picture: &[u8]) -> Form {
        let form = Form::new()
            .text("name", format!("Visitor {number}"))
            .text("phone", phone(number))
            .text("email", email(number))
            .text("service", "plumbing")
            .text("zip", "78701")
            .text("orgId", self.slug.clone());
        names_of(photos)
            .into_iter()
            .fold(form, |form, name| form.part("photos", Part::bytes(picture.to_vec()).file_name(name)))
    }
}
