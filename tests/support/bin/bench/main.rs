//! `make bench`: throughput, latency and memory of the product, each figure beside its limit of the same run.
//!
//! `bench [--json] [--large] [--sqlite | --postgres] [--phone | --paid | --figures | --sign-in | --kept | --queue |
//! --visitors | --soak]`, under `DURABLE=1 tests/with-postgres.sh`, with release builds of `api` and `worker` beside
//! it. Each option measures one part: `--phone` texts and calls; `--paid` PDFs, lists and free times; `--figures` the
//! figures among a million leads; `--sign-in` the sign-in; `--kept` backup and restoration of a gigabyte; `--queue` a
//! claim with up to a million waiting tasks; `--visitors` forms with photos by many at once; `--soak` ten minutes of
//! requests beside a slow provider, twice. `--sqlite` and `--postgres` select one database. No other machine is used.

use std::process::ExitCode;

use tests::test_install::TestInstall;

mod business_history;
mod commits;
mod drain;
mod fairness;
mod figures;
mod half_open;
mod intake;
mod kept;
mod large;
mod latency;
mod paid;
mod paper;
mod phone;
mod queue_depth;
mod rest;
mod sign_in;
mod slots;
mod soak;
mod visitors;

use figures::{Figures, Goal};

/// Connections of the load generator, as in the goals.
const CONNECTIONS: usize = 16;
const PARTS: [&str; 8] = ["--phone", "--paid", "--figures", "--sign-in", "--kept", "--queue", "--visitors", "--soak"];
const LONG: [&str; 5] = ["--sign-in", "--kept", "--queue", "--visitors", "--soak"];
const WORDS: [&str; 4] = ["--json", "--large", SQLITE, POSTGRES];
const SQLITE: &str = "--sqlite";
const POSTGRES: &str = "--postgres";
const USAGE: &str = "usage: bench [--json] [--large] [--sqlite | --postgres] [--phone | --paid | --figures | --sign-in | --kept | --queue | --visitors | --soak]";

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> ExitCode {
    // The bench's own queries are across businesses.
    shared::platform::db::tenant_scope::across_tenants(Box::pin(run())).await
}

async fn run() -> ExitCode {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    if let [sign_in::LOAD_ARGUMENT, url, first] = asked.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        sign_in::run_load_process(url, first.parse().expect("a number")).await;
        return ExitCode::SUCCESS;
    }
    if let Some(unknown) = asked.iter().find(|word| !WORDS.iter().chain(&PARTS).any(|known| known == word)) {
        eprintln!("unknown: {unknown}\n{USAGE}");
        return ExitCode::from(2);
    }
    let has = |word: &str| asked.iter().any(|given| given == word);
    let mut figures = Figures::default();
    let only = PARTS.into_iter().find(|part| has(part));
    // The long parts run only when named.
    let wants = |part: &str| only.map_or(!LONG.contains(&part), |only| only == part);
    if wants("--paid") {
        paper::pdfs(&mut figures);
    }
    if wants("--sign-in") {
        sign_in::hashes(&mut figures).await;
    }
    for (engine, other) in [("SQLite FULL", POSTGRES), ("PostgreSQL", SQLITE)] {
        if has(other) {
            continue;
        }
        eprintln!("measuring on {engine} …");
        if only.is_none() {
            measure(engine, &mut figures).await;
        }
        if wants("--phone") {
            phone_and_backlogs(engine, &mut figures).await;
        }
        if wants("--paid") {
            lists_and_times(engine, &mut figures).await;
        }
        long_parts(engine, &wants, &mut figures).await;
        if has("--large") || only == Some("--figures") {
            large::lists(engine, &install(engine).await, &mut figures).await;
        }
        // A long run may be interrupted: earlier figures are printed first.
        eprintln!("{}", figures.table());
    }
    if has("--json") {
        println!("{:#}", figures.json());
    } else {
        println!("{}", figures.table());
    }
    ExitCode::SUCCESS
}

async fn long_parts(engine: &str, wants: &impl Fn(&str) -> bool, figures: &mut Figures) {
    if wants("--sign-in") {
        sign_in::measure_addresses(engine, &install(engine).await, figures).await;
    }
    if wants("--queue") {
        queue_depth::claims(engine, &install(engine).await, figures).await;
    }
    if wants("--visitors") {
        visitors::photos_and_memory(engine, [&install(engine).await, &install(engine).await], figures).await;
    }
    if wants("--soak") {
        soak::soak(engine, [&install(engine).await, &install(engine).await], figures).await;
    }
    if wants("--kept") {
        kept::backup_and_back(engine, [install(engine).await, install(engine).await], figures).await;
    }
}

async fn install(engine: &str) -> TestInstall {
    if engine == "PostgreSQL" { TestInstall::postgres().await } else { TestInstall::sqlite() }
}

async fn measure(engine: &str, figures: &mut Figures) {
    let alone = commits::per_second(&install(engine).await, 1).await;
    figures.add(engine, "bare lead + task commits, 1 connection", alone, "per s", Goal::None);
    let bare = commits::per_second(&install(engine).await, CONNECTIONS).await;
    figures.add(engine, "bare lead + task commits, 16 connections", bare, "per s", Goal::None);
    intake::leads(engine, &install(engine).await, bare, figures).await;
    latency::to_the_provider(engine, &install(engine).await, figures).await;
    drain::noops(engine, &install(engine).await, figures).await;
    drain::noops_of_one_business(engine, &install(engine).await, figures).await;
    rest::cold_start(engine, figures).await;
    rest::at_rest(engine, &install(engine).await, figures).await;
    half_open::heads(engine, &install(engine).await, figures).await;
}

async fn phone_and_backlogs(engine: &str, figures: &mut Figures) {
    phone::webhook(engine, &install(engine).await, figures).await;
    phone::missed_calls(engine, &install(engine).await, figures).await;
    fairness::one_beside_many(engine, &install(engine).await, figures).await;
    fairness::ten_backlogs(engine, &install(engine).await, figures).await;
}

async fn lists_and_times(engine: &str, figures: &mut Figures) {
    slots::of_a_month(engine, &install(engine).await, figures).await;
    paid::lists(engine, [install(engine).await, install(engine).await], figures).await;
}
