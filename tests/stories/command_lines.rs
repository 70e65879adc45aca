//! Command lines of the programs: help ends at once, and unknown words are named.

use std::time::Duration;

use tests::{
    processes::{Program, api},
    test_install::TestInstall,
};

const SOON: Duration = Duration::from_secs(20);

async fn ends(name: &str, words: &[&str], install: &TestInstall) -> (Option<i32>, String) {
    let mut program = Program::start_doing(name, words, install, &[]);
    let status = program.ended(SOON).await;
    (status.code(), program.log())
}

#[tokio::test]
async fn help_creates_no_files_and_unknown_flag_is_named() {
    let install = TestInstall::sqlite();
    for name in ["api", "worker", "fakes"] {
        for word in ["--help", "-h", "help"] {
            assert_eq!(ends(name, &[word], &install).await, (Some(0), String::new()), "{name} {word}");
        }
        let (status, output) = ends(name, &["--no-such-flag"], &install).await;
        assert_eq!(status, Some(2), "{name}: {output}");
        assert!(output.contains("--no-such-flag"), "{name}: {output}");
    }
    for words in [
        ["reset-2fa", "--no-such-flag"],
        ["let-in", "--no-such-flag"],
        ["serve", "--no-such-flag"],
        ["audit", "--no-such-flag"],
    ] {
        let (status, output) = ends("api", &words, &install).await;
        assert!(status == Some(2) && output.contains("--no-such-flag"), "{words:?}: {output}");
    }
    for (name, words) in [
        ("api", &["--version"][..]),
        ("api", &["restore", "--help"]),
        ("api", &["help", "audit", "verify"]),
        ("worker", &["--version"]),
        ("worker", &["run", "--help"]),
    ] {
        assert_eq!(ends(name, words, &install).await, (Some(0), String::new()), "{name} {words:?}");
    }
    let made = std::fs::read_dir(install.folder()).unwrap().map(|one| one.unwrap().file_name().into_string().unwrap());
    let made: Vec<String> =
        made.filter(|name| std::path::Path::new(name).extension().is_none_or(|end| end != "log")).collect();
    assert!(made.is_empty(), "no keys and no database: {made:?}");
}

#[tokio::test]
async fn healthcheck_succeeds_beside_a_living_api_only() {
    let install = TestInstall::sqlite();
    let server = api(&install, &[]).await;
    let env = [("BIND_ADDR".to_owned(), server.url.trim_start_matches("http://").to_owned())];
    let check = async || {
        let mut program = Program::start_doing("api", &["healthcheck"], &install, &env);
        let status = program.ended(SOON).await;
        (status.code(), program.log())
    };
    assert_eq!(check().await, (Some(0), String::new()));
    server.program.kill();
    let (status, output) = check().await;
    assert!(status == Some(1) && output.contains("no answer"), "{output}");
}

async fn audit_of_new_install_is_verified(install: &TestInstall) {
    let commands: [(&[&str], i32); 3] = [
        (&["migrate"], 0),
        (&["audit", "verify"], 0),
        // A business that is asked for by name must be there.
        (&["audit", "verify", "--org", "acme"], 1),
    ];
    for (words, expected) in commands {
        let (status, output) = ends("api", words, install).await;
        assert_eq!(status, Some(expected), "{words:?}: {output}");
    }
}

#[tokio::test]
async fn audit_verify_without_a_business_succeeds_on_sqlite() {
    audit_of_new_install_is_verified(&TestInstall::sqlite()).await;
}

#[tokio::test]
async fn audit_verify_without_a_business_succeeds_on_postgres() {
    audit_of_new_install_is_verified(&TestInstall::postgres().await).await;
}
