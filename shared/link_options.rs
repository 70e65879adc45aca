//! Build script of both programs: link options that make a release smaller, where this machine's linker and C library
//! know them.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// - Equal functions and tables are kept once, unless something compares their addresses.
/// - Relative relocations, which each start reads whole, are packed into a fiftieth.
const OPTIONS: [&str; 2] = ["-Wl,--icf=safe", "-Wl,-z,pack-relative-relocs"];

fn main() {
    println!("cargo::rerun-if-changed=../shared/link_options.rs");
    let value = |name: &str| env::var_os(name).unwrap_or_default();
    // A program for another machine cannot be tried here.
    if value("PROFILE") != "release" || value("TARGET") != value("HOST") {
        return;
    }
    let folder = PathBuf::from(value("OUT_DIR"));
    for option in OPTIONS.into_iter().filter(|option| can_use(option, &folder)) {
        println!("cargo::rustc-link-arg-bins={option}");
    }
}

/// Whether an empty program can be linked with this option, and runs.
fn can_use(option: &str, folder: &Path) -> bool {
    let (source, program) = (folder.join("probe.rs"), folder.join("probe"));
    let Some(rustc) = env::var_os("RUSTC").filter(|_| fs::write(&source, "fn main() {}").is_ok()) else {
        return false;
    };
    let mut link = Command::new(rustc);
    link.arg(&source).arg("-o").arg(&program).arg(format!("-Clink-arg={option}"));
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        link.arg("-C").arg(format!("linker={}", linker.display()));
    }
    let flags = env::var_os("CARGO_ENCODED_RUSTFLAGS").and_then(|flags| flags.into_string().ok()).unwrap_or_default();
    link.args(flags.split('\x1f').filter(|flag| !flag.is_empty()));
    succeeds(&mut link) && succeeds(&mut Command::new(&program))
}

fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
