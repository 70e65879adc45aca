//! `make reset` empties `var` of its own folder after a yes, and no other.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use shared::platform::config::EnvVars;

/// Runs a copy of `.ci/reset` in `folder` with a typed answer. Returns whether it succeeded.
fn reset(folder: &Path, answer: &str) -> bool {
    let script = folder.join(".ci").join("reset");
    fs::create_dir_all(folder.join(".ci")).unwrap();
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.ci/reset"), &script).unwrap();
    let mut child = Command::new("bash")
        .arg(&script)
        .env_clear()
        .envs(EnvVars::from_process().get("PATH").map(|path| ("PATH", path)))
        .env("DATA_DIR", folder.join("other"))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // It may end without a question.
    drop(child.stdin.take().unwrap().write_all(answer.as_bytes()));
    child.wait().unwrap().success()
}

/// A development folder with an install in `var`, and another beside it.
fn development_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["var/mail", "other"] {
        fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    for name in ["var/toolbox.db", "var/mail/one.eml", "other/toolbox.db"] {
        fs::write(folder.path().join(name), "kept").unwrap();
    }
    folder
}

#[test]
fn yes_empties_var_and_no_other_folder() {
    let folder = development_folder();
    std::os::unix::fs::symlink("../other", folder.path().join("var/link")).unwrap();
    assert!(reset(folder.path(), "yes\n"));
    assert_eq!(fs::read_dir(folder.path().join("var")).unwrap().count(), 0);
    assert!(folder.path().join("other/toolbox.db").exists());
}

#[test]
fn any_other_answer_removes_nothing() {
    for answer in ["no\n", "y\n", "\n", ""] {
        let folder = development_folder();
        assert!(!reset(folder.path(), answer), "{answer:?}");
        assert!(folder.path().join("var/mail/one.eml").exists(), "{answer:?}");
    }
}

#[test]
fn var_that_leads_elsewhere_is_left_alone() {
    let folder = development_folder();
    fs::remove_dir_all(folder.path().join("var")).unwrap();
    std::os::unix::fs::symlink("other", folder.path().join("var")).unwrap();
    assert!(!reset(folder.path(), "yes\n"));
    assert!(folder.path().join("other/toolbox.db").exists());
}

#[test]
fn programs_that_run_here_keep_their_data() {
    let folder = development_folder();
    fs::create_dir_all(folder.path().join("target")).unwrap();
    fs::write(folder.path().join("target/running.pid"), std::process::id().to_string()).unwrap();
    assert!(!reset(folder.path(), "yes\n"));
    assert!(folder.path().join("var/toolbox.db").exists());
}
