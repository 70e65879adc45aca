//! The real programs of the workspace as processes: started, watched, stopped and killed.

use std::{
    fs::File,
    net::{Ipv4Addr, TcpListener},
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    time::{Duration, Instant},
};

use shared::platform::config::EnvVars;

use crate::{fake_smtp::FakeSmtp, fake_twilio::FakeTwilio, test_install::TestInstall};

/// Interval of polling.
const LOOK: Duration = Duration::from_millis(5);
const WORKER_READY: &str = "the worker is ready";

pub type Env = Vec<(String, String)>;

/// The variables of a process that sends through both fakes.
#[must_use]
pub fn through(twilio: &FakeTwilio, smtp: &FakeSmtp) -> Env {
    let mut env: Env = twilio.vars().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    env.push(("SMTP_URL".to_owned(), smtp.url()));
    env.push(("MAIL_FROM".to_owned(), "Toolbox <office@toolbox.example>".to_owned()));
    // Above carriers' limits, for the volume of a load test.
    env.push(("SMS_SEGMENTS_PER_SECOND".to_owned(), "1000".to_owned()));
    env.push(("SMS_PER_DAY".to_owned(), "1000000".to_owned()));
    env
}

/// Dropping it kills the program.
pub struct Program {
    child: Child,
    log: PathBuf,
    started: Instant,
}

#[derive(Clone, Copy, Debug)]
pub enum Signal {
    Term,
    Stop,
    Cont,
}

impl Program {
    /// Starts `name` (`api` or `worker`) on `install`, with only `PATH` of this process's environment. Panics when it
    /// was not built.
    #[must_use]
    pub fn start(name: &str, install: &TestInstall, env: &[(String, String)]) -> Self {
        Self::start_doing(name, &[], install, env)
    }

    /// With arguments: `api backup`.
    #[must_use]
    pub fn start_doing(name: &str, words: &[&str], install: &TestInstall, env: &[(String, String)]) -> Self {
        static STARTS: AtomicUsize = AtomicUsize::new(0);
        let log = install.folder().join(format!("{name}-{}.log", STARTS.fetch_add(1, Relaxed)));
        let errors = File::create(&log).expect("a log file");
        let child = Command::new(built(name))
            .args(words)
            .env_clear()
            .envs(EnvVars::from_process().get("PATH").map(|path| ("PATH", path)))
            .env("DATA_DIR", install.folder())
            .env("DATABASE_URL", install.url())
            // The demonstration, whose seeding takes long, is not needed here.
            .env("DEMO", "off")
            .envs(env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(errors)
            .spawn();
        Self { child: child.expect("the program starts"), log, started: Instant::now() }
    }

    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    #[must_use]
    pub fn started(&self) -> Instant {
        self.started
    }

    #[must_use]
    pub fn log(&self) -> String {
        std::fs::read(&self.log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }

    /// Waits until `words` are in its log. Panics after `limit`, or when the program ends before.
    pub async fn logged(&mut self, words: &str, limit: Duration) {
        let began = Instant::now();
        while !self.log().contains(words) {
            let ended = self.child.try_wait().expect("its state");
            assert!(ended.is_none() && began.elapsed() < limit, "no {words:?}, {ended:?}:\n{}", self.log());
            tokio::time::sleep(LOOK).await;
        }
    }

    /// `kill -9`: returns when it is gone.
    pub fn kill(mut self) {
        self.child.kill().expect("the kill");
        self.child.wait().expect("its end");
    }

    pub fn tell(&self, signal: Signal) {
        let name = match signal {
            Signal::Term => "TERM",
            Signal::Stop => "STOP",
            Signal::Cont => "CONT",
        };
        // The shell's `kill` is always available, and needs no unsafe code here.
        let command = format!("kill -s {name} {}", self.pid());
        let exit_status = Command::new("sh").args(["-c", &command]).status().expect("a shell");
        assert!(exit_status.success(), "{command}");
    }

    /// Waits until it handles SIGTERM itself, which would kill it before. Panics after `limit`.
    pub async fn handles_stop(&self, limit: Duration) {
        const TERMINATE: u64 = 1 << 14;
        let began = Instant::now();
        let caught = || {
            let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap_or_default();
            let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or_default().trim();
            u64::from_str_radix(mask, 16).unwrap_or_default()
        };
        while caught() & TERMINATE == 0 {
            assert!(began.elapsed() < limit, "it does not handle SIGTERM:\n{}", self.log());
            tokio::task::yield_now().await;
        }
    }

    /// Waits for its end. Panics after `limit`.
    pub async fn ended(&mut self, limit: Duration) -> ExitStatus {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("its state") {
                return status;
            }
            assert!(began.elapsed() < limit, "it still runs after {limit:?}:\n{}", self.log());
            tokio::time::sleep(LOOK).await;
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Both fail when it has ended already, which is fine.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Does not wait until the worker has its database.
#[must_use]
pub fn start_worker(install: &TestInstall, env: &[(String, String)]) -> Program {
    Program::start("worker", install, env)
}

/// Waits until the worker takes up work.
pub async fn worker(install: &TestInstall, env: &[(String, String)]) -> Program {
    let mut worker = start_worker(install, env);
    worker.logged(WORKER_READY, Duration::from_secs(20)).await;
    worker
}

pub struct Api {
    pub program: Program,
    pub url: String,
    /// From its start to the first 200 of `/readyz`.
    pub ready_after: Duration,
}

/// Waits until the API is ready. Panics after 20 seconds.
pub async fn api(install: &TestInstall, env: &[(String, String)]) -> Api {
    api_whose_readiness(install, env, |status, _| status.is_success()).await
}

/// Waits until the answer of `/readyz` is the expected one, by its status and body. Panics after 20 seconds.
pub async fn api_whose_readiness(
    install: &TestInstall,
    env: &[(String, String)],
    is_expected: impl Fn(reqwest::StatusCode, &str) -> bool,
) -> Api {
    let address = format!("127.0.0.1:{}", free_port());
    let mut env = env.to_vec();
    env.push(("BIND_ADDR".to_owned(), address.clone()));
    env.push(("PUBLIC_URL".to_owned(), format!("http://{address}")));
    let client = http_client();
    let mut program = Program::start("api", install, &env);
    let url = format!("http://{address}");
    let ready = format!("{url}/readyz");
    loop {
        if let Ok(answer) = client.get(&ready).send().await {
            let status = answer.status();
            if is_expected(status, &answer.text().await.unwrap_or_default()) {
                break;
            }
        }
        let ended = program.child.try_wait().expect("its state");
        let late = program.started.elapsed() > Duration::from_secs(20);
        assert!(ended.is_none() && !late, "the API is not ready, {ended:?}:\n{}", program.log());
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let ready_after = program.started.elapsed();
    Api { program, url, ready_after }
}

/// Without a proxy, as all servers are on this machine.
#[must_use]
pub fn http_client() -> reqwest::Client {
    shared::platform::tls::install_crypto_provider();
    let client = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(30)).build();
    client.expect("an HTTP client")
}

/// The port was free a moment ago: another process may take it.
#[must_use]
pub fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.local_addr().expect("its number").port()
}

/// The program built beside this one: same folder, same profile.
fn built(name: &str) -> PathBuf {
    let own = std::env::current_exe().expect("this program's path");
    let folder = own.parent().expect("its folder");
    let folder = if folder.ends_with("deps") { folder.parent().unwrap_or(folder) } else { folder };
    let path = folder.join(name);
    assert!(path.exists(), "{} is not built; type: cargo build -p api -p worker", path.display());
    path
}
