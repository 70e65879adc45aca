//! The files in `packaging` name only metrics, variables and images that exist, and the package is built the same twice.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use shared::platform::config::misspelt::KNOWN_NAMES;

const COMPOSE_FILES: [&str; 2] = ["packaging/compose.yaml", "packaging/compose.sqlite.yaml"];
const UNITS: [&str; 2] = ["packaging/systemd/toolbox-api.service", "packaging/systemd/toolbox-worker.service"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn read_text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Words such as `toolbox_tasks_due`.
fn metric_names(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_ascii_lowercase() && letter != '_');
    words.filter(|word| word.starts_with("toolbox_")).map(ToOwned::to_owned).collect()
}

fn metrics_of_the_api(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        if path.is_dir() {
            metrics_of_the_api(&path, names);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            names.append(&mut metric_names(&fs::read_to_string(&path).unwrap()));
        }
    }
}

/// The name of a histogram whose lines have an ending each.
fn without_ending(name: &str) -> &str {
    let endings = ["_bucket", "_sum", "_count"];
    endings.into_iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

#[test]
fn alerts_and_dashboard_name_only_metrics_of_the_api() {
    let mut known = BTreeSet::new();
    metrics_of_the_api(&root().join("api/src"), &mut known);
    for path in ["packaging/monitoring/alerts.yml", "packaging/monitoring/dashboard.json"] {
        let named = metric_names(&read_text(path));
        assert!(named.len() > 10, "{path} names {named:?}");
        let unknown: Vec<&String> = named.iter().filter(|name| !known.contains(without_ending(name))).collect();
        assert!(unknown.is_empty(), "{path} names what the API does not measure: {unknown:?}");
    }
}

#[test]
fn every_panel_of_the_dashboard_has_a_title_and_a_query() {
    let dashboard: Value = serde_json::from_str(&read_text("packaging/monitoring/dashboard.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    assert!(panels.len() > 10);
    for panel in panels {
        let queries = panel["targets"].as_array().unwrap();
        let is_asked = |query: &Value| query["expr"].as_str().is_some_and(|text| !text.is_empty());
        assert!(panel["title"].is_string() && !queries.is_empty() && queries.iter().all(is_asked), "{panel}");
    }
}

/// Names before the first `separator` of each line that has the shape of a variable.
fn assigned_names(lines: &str, separator: char) -> Vec<String> {
    let is_name = |name: &str| {
        let fits = |letter: u8| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == b'_';
        name.len() > 2 && name.bytes().all(fits)
    };
    let names = lines.lines().filter_map(|line| line.trim_start_matches(['#', ' ']).split_once(separator));
    names.map(|(name, _)| name).filter(|name| is_name(name)).map(ToOwned::to_owned).collect()
}

fn assert_known(path: &str, names: &[String]) {
    assert!(!names.is_empty(), "{path} sets nothing");
    let unknown: Vec<&String> = names.iter().filter(|name| !KNOWN_NAMES.contains(&name.as_str())).collect();
    assert!(unknown.is_empty(), "{path} sets what no program reads: {unknown:?}");
}

#[test]
fn compose_files_and_units_set_only_variables_of_the_programs() {
    for path in COMPOSE_FILES {
        let text = read_text(path);
        let (_, rest) = text.split_once("\nx-environment:").unwrap();
        let (environment, _) = rest.split_once("\n\n").unwrap();
        assert_known(path, &assigned_names(environment, ':'));
    }
    assert_known("packaging/toolbox.env", &assigned_names(&read_text("packaging/toolbox.env"), '='));
    for path in UNITS {
        let text = read_text(path);
        let lines: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("Environment=")).collect();
        assert_known(path, &assigned_names(&lines.join("\n"), '='));
    }
}

/// What `services:` of a compose file says of one.
fn compose_service<'a>(text: &'a str, name: &str) -> &'a str {
    let (_, rest) = text.split_once(&format!("\n  {name}:\n")).unwrap();
    rest.split("\n\n").next().unwrap()
}

#[test]
fn owner_of_the_tables_is_named_for_the_api_alone() {
    let text = read_text(COMPOSE_FILES[0]);
    let owner = "DATABASE_MIGRATE_URL: postgres://toolbox_owner:";
    assert!(compose_service(&text, "api").contains(owner), "{text}");
    assert_eq!(text.matches("DATABASE_MIGRATE_URL").count(), 1, "neither the worker nor what both share has it");
    assert!(text.contains("\n  DATABASE_URL: postgres://toolbox:"), "{text}");
    let script = read_text("packaging/postgres/create-role.sh");
    assert!(script.contains("CREATE DATABASE toolbox OWNER toolbox_owner;"), "{script}");
    let own_file = "EnvironmentFile=-/etc/toolbox/api.env";
    assert_eq!(UNITS.map(|path| read_text(path).contains(own_file)), [true, false]);
    assert!(read_text("packaging/deb/toolbox").contains("/etc/toolbox/api.env"), "commands migrate too");
}

#[test]
fn example_of_the_containers_names_what_compose_requires() {
    let text = read_text(COMPOSE_FILES[0]);
    let named = assigned_names(&read_text("packaging/compose.env.example"), '=');
    let asked = text.split("${").skip(1).filter_map(|rest| rest.split_once(":?")).map(|(name, _)| name);
    let required: BTreeSet<&str> = asked.filter(|name| !name.contains('}')).collect();
    assert!(required.contains("TOOLBOX_OWNER_PASSWORD"), "{required:?}");
    assert!(required.iter().all(|name| named.iter().any(|one| one == name)), "{required:?} but {named:?}");
}

#[test]
fn images_are_named_without_the_host_of_a_registry() {
    for path in ["packaging/Dockerfile", COMPOSE_FILES[0], COMPOSE_FILES[1]] {
        let text = read_text(path);
        let images: Vec<&str> = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("FROM ").or(line.trim().strip_prefix("image: ")))
            .collect();
        assert!(images.len() > 1, "{path}");
        assert!(images.iter().all(|image| !image.contains('/')), "{path}: {images:?}");
    }
}

#[test]
fn image_has_no_root_and_checks_itself() {
    let dockerfile = read_text("packaging/Dockerfile");
    let (_, image) = dockerfile.rsplit_once("\nFROM scratch\n").unwrap();
    assert!(image.contains("USER 10001:10001") && image.contains(r#"CMD ["api", "healthcheck"]"#), "{image}");
    for path in COMPOSE_FILES {
        let text = read_text(path);
        for line in ["read_only: true", "cap_drop: [ALL]", "no-new-privileges:true"] {
            assert!(text.contains(line), "{path} lacks {line}");
        }
    }
}

#[test]
fn units_confine_the_programs() {
    for path in UNITS {
        let text = read_text(path);
        for line in [
            "User=toolbox",
            "ProtectSystem=strict",
            "NoNewPrivileges=true",
            "PrivateTmp=true",
            "StateDirectory=toolbox",
            "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6",
            "SystemCallFilter=@system-service",
            "MemoryDenyWriteExecute=true",
            "CapabilityBoundingSet=",
            "UMask=0077",
            "Restart=on-failure",
            "TimeoutStopSec=20",
        ] {
            assert!(text.lines().any(|one| one == line), "{path} lacks {line}");
        }
    }
}

/// `packaging/test-deb` installs it; that takes root.
#[test]
fn package_of_the_same_programs_has_the_same_bytes() {
    if Command::new("dpkg-deb").arg("--version").output().is_err() {
        eprintln!("skipped: dpkg-deb is missing");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let build = |name: &str| {
        let out = folder.path().join(name);
        let made = Command::new(root().join("packaging/build-deb"))
            .arg(root().join("packaging/test"))
            .arg(&out)
            .envs([("DEB_ARCH", "amd64"), ("DEB_VERSION", "0.0.1"), ("SOURCE_DATE_EPOCH", "1790000000")])
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        fs::read(out.join("toolbox_0.0.1_amd64.deb")).unwrap()
    };
    assert!(build("one") == build("two"), "two builds differ");
}
