//! `PgBouncer` in transaction mode in front of the test server.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use shared::platform::config::EnvVars;
use tempfile::TempDir;
use tests::processes::free_port;
use tokio::net::TcpStream;
use url::Url;

const SOON: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(20);

/// Dropping it ends the pooler.
pub struct PgBouncer {
    child: Child,
    url: String,
    _home: TempDir,
}

impl PgBouncer {
    /// None where `pgbouncer` is not in `PATH`.
    ///
    /// # Panics
    /// When it is there and does not answer.
    pub async fn start_before(server: &str) -> Option<Self> {
        let path = EnvVars::from_process().get("PATH")?;
        path.split(':').find(|folder| Path::new(folder).join("pgbouncer").is_file())?;
        let home = TempDir::new().expect("a temporary folder");
        // As root it runs as another user, who must be able to read its files.
        fs::set_permissions(home.path(), Permissions::from_mode(0o755)).expect("the folder opened");
        let mut url = Url::parse(server).expect("the server's address is one");
        let (users, settings) = (home.path().join("users"), home.path().join("settings"));
        fs::write(&users, format!("\"{}\" \"\"\n", url.username())).expect("its users");
        let port = free_port();
        let text = format!(
            "[databases]\n* = host={} port={}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
             auth_type = trust\nauth_file = {}\npool_mode = transaction\nmax_client_conn = 500\ndefault_pool_size = 20\n\
             unix_socket_dir =\n",
            url.host_str().expect("its host"),
            url.port().expect("its port"),
            users.display()
        );
        fs::write(&settings, text).expect("its settings");
        url.set_port(Some(port)).expect("a port in the address");
        let mut command = Command::new("pgbouncer");
        command.arg("-q").arg(&settings).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0) {
            command.args(["-u", "postgres"]);
        }
        let pooler = Self { child: command.spawn().expect("pgbouncer starts"), url: url.into(), _home: home };
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            assert!(began.elapsed() < SOON, "pgbouncer does not answer");
            tokio::time::sleep(LOOK).await;
        }
        Some(pooler)
    }

    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        // Both fail when it has ended already, which is fine.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
