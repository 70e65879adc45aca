//! A PostgreSQL server for a campaign, which may be killed. It is in a temporary folder and listens at a socket
//! there: while the server is down, another process could take a port.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    os::unix::{
        fs::{PermissionsExt, chown},
        process::CommandExt,
    },
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use shared::platform::config::EnvVars;
use sqlx::{Connection, Executor, PgConnection};
use tempfile::TempDir;

const PORT: &str = "5432";
/// Enough for two workers and the campaign, and few enough to exhaust in a test.
const CONNECTIONS: usize = 72;
const LOOK: Duration = Duration::from_millis(10);
const SOON: Duration = Duration::from_mins(1);
/// A setting that another server of this machine may have. After a crash it loses the last commits, unless the
/// connection overrides it.
const FORGETFUL: &str = "synchronous_commit=off";

/// A server and its folder. Dropping it removes both.
pub struct Server {
    programs: PathBuf,
    home: TempDir,
    /// User and group that run the server, since PostgreSQL refuses to run as root.
    runs_as: Option<(u32, u32)>,
    running: Option<Child>,
}

impl Server {
    /// A new server with the database that [`Self::url`] names. None where PostgreSQL's server is not installed.
    ///
    /// # Panics
    /// When it does not start, or is missing though `tests/with-postgres.sh` has found it.
    pub async fn start_new() -> Option<Self> {
        let Some(programs) = programs() else {
            assert!(
                EnvVars::from_process().get("TOOLBOX_TEST_POSTGRES").is_none(),
                "initdb and postgres are not found"
            );
            return None;
        };
        let home = TempDir::new().expect("a temporary folder");
        let runs_as = (id("-u", None) == 0).then(|| (id("-u", Some("postgres")), id("-g", Some("postgres"))));
        if let Some((user, group)) = runs_as {
            chown(home.path(), Some(user), Some(group)).expect("the folder given to the server");
        }
        fs::set_permissions(home.path(), Permissions::from_mode(0o755)).expect("the folder opened");
        let mut server = Self { programs, home, runs_as, running: None };
        let words = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
        let made = server.command("initdb").args(words).status().expect("initdb");
        assert!(made.success(), "initdb: {}", server.log());
        server.start().await;
        let mut conn = server.as_superuser().await;
        for sql in ["CREATE ROLE toolbox LOGIN", "CREATE DATABASE toolbox OWNER toolbox"] {
            conn.execute(sql).await.expect("a role and a database");
        }
        Some(server)
    }

    /// The value for `DATABASE_URL`: a role that owns the database and is no superuser.
    pub fn url(&self) -> String {
        self.address("toolbox", "toolbox")
    }

    fn address(&self, role: &str, database: &str) -> String {
        format!("postgres://{role}@localhost:{PORT}/{database}?host={}", self.home.path().display())
    }

    /// Superusers have reserved connections.
    pub async fn as_superuser(&self) -> PgConnection {
        PgConnection::connect(&self.address("postgres", "postgres")).await.expect("the server answers its superuser")
    }

    fn log(&self) -> String {
        fs::read_to_string(self.home.path().join("log")).unwrap_or_default()
    }

    fn command(&self, program: &str) -> Command {
        let log: File = OpenOptions::new().create(true).append(true).open(self.home.path().join("log")).expect("a log");
        let mut command = Command::new(self.programs.join(program));
        command.arg("-D").arg(self.home.path().join("data")).current_dir(self.home.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        if let Some((user, group)) = self.runs_as {
            command.uid(user).gid(group);
        }
        command
    }

    /// Starts the server and waits until it answers. Remains of the previous one may delay that for a moment.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn start(&mut self) {
        let began = Instant::now();
        while self.running.is_none() {
            assert!(began.elapsed() < SOON, "the server does not start:\n{}", self.log());
            let mut child = self.postmaster().spawn().expect("the server starts");
            while child.try_wait().expect("its state").is_none() {
                assert!(began.elapsed() < SOON, "the server does not answer:\n{}", self.log());
                if PgConnection::connect(&self.address("postgres", "postgres")).await.is_ok() {
                    break;
                }
                tokio::time::sleep(LOOK).await;
            }
            if child.try_wait().expect("its state").is_none() {
                self.running = Some(child);
            }
        }
    }

    fn postmaster(&self) -> Command {
        let mut command = self.command("postgres");
        command.arg("-k").arg(self.home.path()).args(["-p", PORT, "-c", "listen_addresses=", "-c", "jit=off"]);
        command.args(["-c", FORGETFUL, "-c", &format!("max_connections={CONNECTIONS}")]);
        command
    }

    /// `kill -9` of the postmaster and all its children; returns when they are gone.
    ///
    /// # Panics
    /// When it does not run.
    pub fn kill(&mut self) {
        let mut postmaster = self.running.take().expect("a server that runs");
        // Stopped first: it cannot start a child that would be missed.
        signal("STOP", &[postmaster.id()]);
        let children = children_of(postmaster.id());
        postmaster.kill().expect("the kill");
        signal("KILL", &children);
        postmaster.wait().expect("its end");
    }

    /// `pg_ctl stop -m immediate`: it disconnects all clients and writes nothing more.
    ///
    /// # Panics
    /// When it does not run, or does not stop.
    pub fn stop_at_once(&mut self) {
        let mut postmaster = self.running.take().expect("a server that runs");
        let stopped = self.command("pg_ctl").args(["-m", "immediate", "-w", "stop"]).status().expect("pg_ctl");
        assert!(stopped.success(), "pg_ctl stop:\n{}", self.log());
        postmaster.wait().expect("its end");
    }

    pub async fn terminate_backends(&self) {
        let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'toolbox'";
        self.as_superuser().await.execute(sql).await.expect("they are ended");
    }

    pub async fn backends(&self) -> Vec<u32> {
        let sql = "SELECT pid FROM pg_stat_activity WHERE usename = 'toolbox' ORDER BY pid";
        let pids: Vec<i32> = sqlx::query_scalar(sql).fetch_all(&mut self.as_superuser().await).await.expect("a list");
        pids.into_iter().filter_map(|pid| u32::try_from(pid).ok()).collect()
    }

    pub async fn take_all_connections(&self) -> Vec<PgConnection> {
        let mut taken = Vec::with_capacity(CONNECTIONS);
        while let Ok(conn) = PgConnection::connect(&self.url()).await {
            taken.push(conn);
        }
        taken
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut postmaster) = self.running.take() {
            // The postmaster kills stopped children after five seconds.
            signal("QUIT", &[postmaster.id()]);
            drop(postmaster.wait());
        }
    }
}

/// Folder of the newest version's programs, as in `tests/with-postgres.sh`.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten().map(|version| version.path());
    let mut folders: Vec<(u32, PathBuf)> =
        versions.filter_map(|path| Some((path.file_name()?.to_str()?.parse().ok()?, path.join("bin")))).collect();
    folders.sort();
    let path = EnvVars::from_process().get("PATH").unwrap_or_default();
    let mut places = folders.into_iter().rev().map(|(_, bin)| bin).chain(path.split(':').map(PathBuf::from));
    places.find(|bin| ["initdb", "postgres", "pg_ctl"].iter().all(|program| bin.join(program).is_file()))
}

/// The numeric id of a user or group; without a name that of the current user.
fn id(which: &str, user: Option<&str>) -> u32 {
    let output = Command::new("id").arg(which).args(user).output().expect("id");
    String::from_utf8_lossy(&output.stdout).trim().parse().expect("the number of a user")
}

/// Sends a signal. Processes that have ended are ignored.
pub fn signal(name: &str, pids: &[u32]) {
    let pids: Vec<String> = pids.iter().map(ToString::to_string).collect();
    let command = format!("kill -s {name} {} 2>/dev/null", pids.join(" "));
    Command::new("sh").args(["-c", &command]).status().expect("a shell");
}

fn children_of(parent: u32) -> Vec<u32> {
    let line = format!("PPid:\t{parent}\n");
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_child = |pid: &u32| {
        fs::read_to_string(format!("/proc/{pid}/status")).is_ok_and(|status_text| status_text.contains(&line))
    };
    processes.filter_map(|one| one.file_name().to_str()?.parse().ok()).filter(is_child).collect()
}
