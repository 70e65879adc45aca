//! The real programs of the workspace, started, watched, stopped and killed as an operator or a bad day would.

use std::{
    fs::File,
    net::{Ipv4Addr, TcpListener},
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    time::{Duration, Instant},
};

use shared::platform::config::Vars;

use crate::{fake_smtp::FakeSmtp, fake_twilio::FakeTwilio, ground::Ground};

/// Between two looks at something that is waited for.
const LOOK: Duration = Duration::from_millis(5);
/// What the worker logs when it takes up work.
const WORKER_READY: &str = "the worker is ready";

/// Variables for a process.
pub type Env = Vec<(String, String)>;

/// The variables under which a process sends through both fakes.
#[must_use]
pub fn through(twilio: &FakeTwilio, smtp: &FakeSmtp) -> Env {
    let mut env: Env = twilio.vars().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    env.push(("SMTP_URL".to_owned(), smtp.url()));
    env.push(("MAIL_FROM".to_owned(), "Toolbox <office@toolbox.example>".to_owned()));
    // Not what carriers allow, but what a crowd on one machine needs.
    env.push(("SMS_SEGMENTS_PER_SECOND".to_owned(), "1000".to_owned()));
    env.push(("SMS_PER_DAY".to_owned(), "1000000".to_owned()));
    env
}

/// A running program. It is killed when dropped.
pub struct Program {
    child: Child,
    log: PathBuf,
    started: Instant,
}

/// What the kernel is asked to tell a process.
#[derive(Clone, Copy, Debug)]
pub enum Signal {
    Term,
    Stop,
    Cont,
}

impl Program {
    /// Starts `name` (`api` or `worker`) on `ground`, with nothing of this process's environment but its path.
    ///
    /// # Panics
    /// When it was not built, or does not start.
    #[must_use]
    pub fn start(name: &str, ground: &Ground, env: &[(String, String)]) -> Self {
        Self::start_doing(name, &[], ground, env)
    }

    /// The same with words behind its name: `api backup`.
    ///
    /// # Panics
    /// When it was not built, or does not start.
    #[must_use]
    pub fn start_doing(name: &str, words: &[&str], ground: &Ground, env: &[(String, String)]) -> Self {
        static STARTS: AtomicUsize = AtomicUsize::new(0);
        let log = ground.folder().join(format!("{name}-{}.log", STARTS.fetch_add(1, Relaxed)));
        let errors = File::create(&log).expect("a log file");
        let child = Command::new(built(name))
            .args(words)
            .env_clear()
            .envs(Vars::from_process().get("PATH").map(|path| ("PATH", path)))
            .env("DATA_DIR", ground.folder())
            .env("DATABASE_URL", ground.url())
            // A year of a firm that nobody in the story asked for.
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

    /// When it was started.
    #[must_use]
    pub fn started(&self) -> Instant {
        self.started
    }

    /// Everything it has logged.
    #[must_use]
    pub fn log(&self) -> String {
        std::fs::read(&self.log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }

    /// Waits until `words` stand in its log.
    ///
    /// # Panics
    /// When they do not within `limit`, or the program ends before.
    pub async fn logged(&mut self, words: &str, limit: Duration) {
        let began = Instant::now();
        while !self.log().contains(words) {
            let ended = self.child.try_wait().expect("its state");
            assert!(ended.is_none() && began.elapsed() < limit, "no {words:?}, {ended:?}:\n{}", self.log());
            tokio::time::sleep(LOOK).await;
        }
    }

    /// `kill -9`: returns when it is gone.
    ///
    /// # Panics
    /// When it cannot be killed.
    pub fn kill(mut self) {
        self.child.kill().expect("the kill");
        self.child.wait().expect("its end");
    }

    /// Sends a signal.
    ///
    /// # Panics
    /// When the process is not there.
    pub fn tell(&self, signal: Signal) {
        let name = match signal {
            Signal::Term => "TERM",
            Signal::Stop => "STOP",
            Signal::Cont => "CONT",
        };
        // The shell's own `kill`: the only one that is surely there, and no unsafe code of ours.
        let command = format!("kill -s {name} {}", self.pid());
        let told = Command::new("sh").args(["-c", &command]).status().expect("a shell");
        assert!(told.success(), "{command}");
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// When it still runs after `limit`.
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
        // Both fail when it has ended already, which is what is wanted.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A worker that has just been started; it may still be waiting for its database.
#[must_use]
pub fn start_worker(ground: &Ground, env: &[(String, String)]) -> Program {
    Program::start("worker", ground, env)
}

/// A worker that takes up work.
pub async fn worker(ground: &Ground, env: &[(String, String)]) -> Program {
    let mut worker = start_worker(ground, env);
    worker.logged(WORKER_READY, Duration::from_secs(20)).await;
    worker
}

/// An API on a port of its own.
pub struct Api {
    pub program: Program,
    pub url: String,
    /// From its start to the first 200 of `/readyz`.
    pub ready_after: Duration,
}

/// An API that answers.
///
/// # Panics
/// When it does not within 20 seconds.
pub async fn api(ground: &Ground, env: &[(String, String)]) -> Api {
    let address = format!("127.0.0.1:{}", free_port());
    let mut env = env.to_vec();
    env.push(("BIND_ADDR".to_owned(), address.clone()));
    env.push(("PUBLIC_URL".to_owned(), format!("http://{address}")));
    let client = http_client();
    let mut program = Program::start("api", ground, &env);
    let url = format!("http://{address}");
    let ready = format!("{url}/readyz");
    loop {
        let answer = client.get(&ready).send().await;
        if answer.is_ok_and(|answer| answer.status().is_success()) {
            break;
        }
        let ended = program.child.try_wait().expect("its state");
        let late = program.started.elapsed() > Duration::from_secs(20);
        assert!(ended.is_none() && !late, "the API is not ready, {ended:?}:\n{}", program.log());
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let ready_after = program.started.elapsed();
    Api { program, url, ready_after }
}

/// A client for stories: this machine only, so no proxy and no patience.
///
/// # Panics
/// When it cannot be made.
#[must_use]
pub fn http_client() -> reqwest::Client {
    shared::platform::tls::install_crypto();
    let client = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(30)).build();
    client.expect("an HTTP client")
}

/// A port that was free a moment ago.
///
/// # Panics
/// When this machine has none.
#[must_use]
pub fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.local_addr().expect("its number").port()
}

/// The program as it was built beside this one: same folder, same profile.
fn built(name: &str) -> PathBuf {
    let own = std::env::current_exe().expect("this program's path");
    let folder = own.parent().expect("its folder");
    let folder = if folder.ends_with("deps") { folder.parent().unwrap_or(folder) } else { folder };
    let path = folder.join(name);
    assert!(path.exists(), "{} is not built; type: cargo build -p api -p worker", path.display());
    path
}
