//! File permissions of the data folder of a running install: closed to other users whatever umask the programs were
//! started with, and closed at the next start where an older version left it open.

use std::{
    os::unix::fs::{FileTypeExt, PermissionsExt},
    path::{Path, PathBuf},
};

use tests::{
    processes::{self, Env, Program},
    test_install::{Business, TestInstall},
};

/// Paths that another user could read or enter, and the number of paths looked at.
fn open_to_others(folder: &Path) -> (Vec<PathBuf>, usize) {
    let (mut open, mut seen, mut folders) = (Vec::new(), 0, vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let (path, kind) = entry.map(|entry| (entry.path(), entry.file_type().unwrap())).unwrap();
            let Ok(found) = std::fs::symlink_metadata(&path) else { continue };
            let most = if kind.is_dir() { 0o700 } else { 0o600 };
            // The test itself writes the programs' logs.
            let is_ours = path.extension().is_some_and(|end| end == "log");
            if found.permissions().mode() & 0o777 & !most != 0 && !is_ours {
                open.push(path.clone());
            }
            seen += 1;
            if kind.is_dir() {
                folders.push(path);
            }
        }
    }
    (open, seen)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_folder_under_umask_000_is_private_with_everything_in_it() {
    let test_install = TestInstall::sqlite();
    let data = test_install.folder().to_path_buf();
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o777)).unwrap();
    for (folder, file) in [("mail", "mail/1.eml"), ("uploads", "old.key")] {
        std::fs::create_dir_all(data.join(folder)).unwrap();
        std::fs::set_permissions(data.join(folder), std::fs::Permissions::from_mode(0o777)).unwrap();
        std::fs::write(data.join(file), "left by an older version").unwrap();
        std::fs::set_permissions(data.join(file), std::fs::Permissions::from_mode(0o666)).unwrap();
    }
    // Child processes inherit the umask.
    let before = rustix::process::umask(rustix::fs::Mode::empty());
    let env: Env = vec![("DISK_FLOOR_BYTES".to_owned(), "0".to_owned())];
    let api = processes::api(&test_install, &env).await;
    let worker = processes::worker(&test_install, &env).await;
    let db = test_install.open().await;
    let business = Business::open(&db, "Acme Plumbing").await;
    business.take_in(&db, 1).await;
    let client = processes::http_client();
    let health = client.get(format!("{}/healthz", api.url)).send().await.expect("an answer");
    assert!(health.status().is_success(), "{}", health.status());
    let mut backup = Program::start_doing("api", &["backup"], &test_install, &env);
    assert!(backup.ended(std::time::Duration::from_mins(1)).await.success(), "{}", backup.log());
    let socket = data.join("worker.sock");
    for _ in 0..200 {
        if socket.exists() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert!(std::fs::metadata(&socket).unwrap().file_type().is_socket());
    let (open, seen) = open_to_others(&data);
    rustix::process::umask(before);
    assert!(seen > 8, "{seen}");
    assert_eq!(open, Vec::<PathBuf>::new());
    assert_eq!(std::fs::metadata(&data).unwrap().permissions().mode() & 0o777, 0o700);
    for file in ["toolbox.db", "toolbox.db-wal", "toolbox.db-shm", "secret.key", "vapid.key"] {
        assert_eq!(std::fs::metadata(data.join(file)).unwrap().permissions().mode() & 0o777, 0o600, "{file}");
    }
    db.close().await;
    worker.kill();
}
