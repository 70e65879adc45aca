//! Timing of sign-in for known and unknown addresses, and slowdown of signed-in users under many sign-ins (trust
//! requirements 48, 49 and 52).

use std::{
    process::Stdio,
    time::{Duration, Instant},
};

use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use shared::{
    domain::tenancy::account::{self, NewAccount, password::PasswordHashPool},
    platform::{clock::ClockRng, db::Db},
};
use tests::{
    addresses,
    fake_smtp::FakeSmtp,
    fake_twilio::FakeTwilio,
    processes::{Api, Env, api, http_client, through},
    test_install::TestInstall,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
};

use crate::figures::{Figures, Goal, quantile};

const PASSWORD: &str = "copper-elbow-joint";
const HASHES: usize = 20;
/// Milliseconds. A faster hash makes guessing cheap, a slower one keeps people waiting.
const HASH_MS: [f64; 2] = [20.0, 120.0];
const TRIES: usize = 400;
const APART_MS: f64 = 5.0;
const LOOKS: usize = 200;
const PARALLEL_SIGN_INS: usize = 200;
const ROUNDS: usize = 10;
/// Short enough that all requests of a round fall into the peak of the load.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);
const SLOWER: f64 = 2.0;
const BUSY_MS: f64 = 50.0;

/// Addresses with an account.
fn known(number: usize) -> String {
    format!("known{number}@customer.example")
}

/// As many without one.
fn unknown(number: usize) -> String {
    format!("nobody{number}@customer.example")
}

pub async fn hashes(figures: &mut Figures) {
    let hasher = PasswordHashPool::new(ClockRng::system().entropy);
    let mut times = Vec::new();
    for _ in 0..HASHES {
        let one = Instant::now();
        hasher.hash_password(PASSWORD.to_owned()).await.expect("a hash");
        times.push(ms(one));
    }
    let median = quantile(&mut times, 0.5);
    figures.add("", "one password's hash, median", median, "ms", Goal::AtMost(HASH_MS[1]));
    figures.add("", "  and not less than", median, "ms", Goal::AtLeast(HASH_MS[0]));
}

/// Sign-in, registration and reset for known and unknown addresses in turns; then simultaneous sign-ins.
pub async fn measure_addresses(engine: &str, install: &TestInstall, figures: &mut Figures) {
    let db = install.open().await;
    settle(&db).await;
    db.close().await;
    let (twilio, smtp) = (FakeTwilio::start().await, FakeSmtp::start().await);
    let mut env: Env = through(&twilio, &smtp);
    // Each try comes from its own network, so that the rate limit does not answer.
    env.push(("TRUSTED_PROXIES".to_owned(), "127.0.0.1".to_owned()));
    let api = api(install, &env).await;
    let bench = SignInBench { client: http_client(), api };
    for (name, path, body) in [
        ("sign-in", "/api/auth/login", sign_in as fn(&str) -> Value),
        ("reset", "/api/auth/reset", reset),
        ("registration", "/api/auth/register", registration),
    ] {
        let [mut here, mut not] = bench.in_turns(path, body).await;
        let (here, not) = (quantile(&mut here, 0.5), quantile(&mut not, 0.5));
        figures.add(engine, &format!("{name}, known address, median of {TRIES}"), here, "ms", Goal::None);
        figures.add(engine, "  unknown address", not, "ms", Goal::None);
        figures.add(engine, "  apart", (here - not).abs(), "ms", Goal::AtMost(APART_MS));
    }
    bench.measure_load(engine, figures).await;
}

async fn settle(db: &Db) {
    let origin = ClockRng::system();
    let hash = PasswordHashPool::new(origin.entropy.clone()).hash_password(PASSWORD.to_owned()).await.expect("a hash");
    // Sign-in, reset, registration and the load use the same accounts.
    for number in 0..TRIES {
        let new = NewAccount {
            name: "Olive Owner".into(),
            email: addresses::email(&known(number)),
            password: String::new(),
            org_name: format!("Acme Plumbing {number}"),
            industry: "Plumbing".into(),
        };
        let mut tx = db.begin().await.expect("a transaction");
        account::register(&mut tx, &origin, &new, &hash).await.expect("an account");
        tx.commit().await.expect("a commit");
    }
}

fn sign_in(email: &str) -> Value {
    json!({"email": email, "password": "not this one at all"})
}

fn reset(email: &str) -> Value {
    json!({"email": email})
}

fn registration(email: &str) -> Value {
    json!({"name": "Olive Owner", "email": email, "password": PASSWORD, "orgName": "Best Roofing", "industry": "Roofing"})
}

/// The argument that runs this program as the load process.
pub const LOAD_ARGUMENT: &str = "--load-process";
/// The line that the load process prints when connected.
const READY: &str = "ready";

/// Two hundred sign-ins from a process of their own, so that the cost of making them does not slow the API.
struct LoadProcess {
    process: Child,
    stdout_lines: Lines<BufReader<ChildStdout>>,
}

impl LoadProcess {
    /// Connects the clients; the cost of connecting is not measured.
    async fn connect_clients(url: &str, first: usize) -> Self {
        let program = std::env::current_exe().expect("this program");
        let mut command = Command::new(program);
        command.args([LOAD_ARGUMENT, url, &first.to_string()]).kill_on_drop(true);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a load process");
        let stdout_lines = BufReader::new(process.stdout.take().expect("its stdout")).lines();
        let mut clients = Self { process, stdout_lines };
        assert_eq!(clients.line().await, READY);
        clients
    }

    async fn line(&mut self) -> String {
        self.stdout_lines.next_line().await.expect("its stdout").expect("a line from the load process")
    }

    /// Sends all at once: the status of each answer, and its milliseconds.
    async fn send_requests(mut self) -> Vec<(u16, f64)> {
        let mut stdin = self.process.stdin.take().expect("its stdin");
        stdin.write_all(b"\n").await.expect("the start line");
        let answers: Vec<_> = serde_json::from_str(&self.line().await).expect("its answers");
        assert_eq!(answers.len(), PARALLEL_SIGN_INS);
        answers
    }
}

/// The load process; prints the answers.
pub async fn run_load_process(url: &str, first: usize) {
    let client = http_client();
    println!("{READY}");
    std::io::stdin().read_line(&mut String::new()).expect("the start line");
    let requests = (0..PARALLEL_SIGN_INS).map(|number| {
        let request =
            build_request(&client, &format!("{url}/api/auth/login"), &sign_in(&unknown(number)), first + number);
        // In separate tasks: waiting for a turn here is not the API's time.
        tokio::spawn(async move {
            let one = Instant::now();
            let answer = request.send().await.expect("an answer");
            (answer.status().as_u16(), ms(one))
        })
    });
    let answers = futures::future::try_join_all(requests).await.expect("responses to all requests");
    println!("{}", json!(answers));
}

fn build_request(client: &Client, url: &str, body: &Value, from: usize) -> RequestBuilder {
    let network = format!("203.{}.{}.{}", from / 65_536, from / 256 % 256, from % 256);
    client.post(url).json(body).header("sec-fetch-site", "same-origin").header("x-forwarded-for", network)
}

struct SignInBench {
    client: Client,
    api: Api,
}

impl SignInBench {
    fn build_request(&self, path: &str, body: &Value, from: usize) -> RequestBuilder {
        build_request(&self.client, &format!("{}{path}", self.api.url), body, from)
    }

    /// The duration of each answer, for known and for unknown addresses.
    async fn in_turns(&self, path: &str, body: fn(&str) -> Value) -> [Vec<f64>; 2] {
        let mut times = [Vec::new(), Vec::new()];
        for number in 0..TRIES * 2 {
            let email = if number % 2 == 0 { known(number / 2) } else { unknown(number / 2) };
            let one = Instant::now();
            let answer = self.build_request(path, &body(&email), number).send().await.expect("an answer");
            let status = answer.status();
            let response_body = answer.text().await.expect("its body");
            times[number % 2].push(ms(one));
            assert!(!status.is_server_error() && status != 429, "{path}: {status} {response_body}");
        }
        times
    }

    /// The figures of a signed-in user, without and with two hundred simultaneous sign-ins.
    async fn measure_load(&self, engine: &str, figures: &mut Figures) {
        let cookie = self.sign_in_cookie().await;
        let mut idle = Vec::new();
        for _ in 0..LOOKS {
            idle.push(self.look(&cookie).await);
        }
        let (mut meanwhile, mut refused) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            let clients = LoadProcess::connect_clients(&self.api.url, 100_000 + round * PARALLEL_SIGN_INS).await;
            let looks = async {
                let mut times = Vec::new();
                for _ in 0..LOOKS / ROUNDS {
                    times.push(self.look(&cookie).await);
                    tokio::time::sleep(BETWEEN_LOOKS).await;
                }
                times
            };
            let (answers, looks) = futures::join!(clients.send_requests(), looks);
            refused.extend(answers.into_iter().filter(|(status, _)| *status == 429).map(|(_, time)| time));
            meanwhile.extend(looks);
        }
        let limit = quantile(&mut idle, 0.95);
        figures.add(engine, "figures of the dashboard, p95, no sign-ins", limit, "ms", Goal::None);
        let slowed = Goal::AtMost(limit * SLOWER);
        figures.add(engine, "  while 200 sign in at once", quantile(&mut meanwhile, 0.95), "ms", slowed);
        let busy = quantile(&mut refused, 0.95);
        figures.add(engine, "  a refused sign-in, p95", busy, "ms", Goal::AtMost(BUSY_MS));
    }

    async fn sign_in_cookie(&self) -> String {
        let body = json!({"email": known(0), "password": PASSWORD});
        let answer = self.build_request("/api/auth/login", &body, 90_000).send().await.expect("an answer");
        assert!(answer.status().is_success(), "{}", answer.status());
        let cookies = answer.headers().get_all("set-cookie").iter();
        let pairs = cookies.filter_map(|cookie| cookie.to_str().ok()?.split(';').next());
        pairs.collect::<Vec<_>>().join("; ")
    }

    async fn look(&self, cookie: &str) -> f64 {
        let one = Instant::now();
        let asked = self.client.get(format!("{}/api/kpis/acme-plumbing-0", self.api.url)).header("cookie", cookie);
        let answer = asked.send().await.expect("an answer");
        assert_eq!(answer.status(), 200);
        answer.bytes().await.expect("its body");
        ms(one)
    }
}

fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}
