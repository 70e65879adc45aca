//! The cost of an idle install: start, memory, processor time.

use std::time::Duration;

use tests::{
    processes::{Program, api, worker},
    test_install::TestInstall,
};

use crate::figures::{Figures, Goal, quantile};

const STARTS: usize = 3;
const SETTLE: Duration = Duration::from_secs(3);
const WATCH: Duration = Duration::from_secs(10);
/// The unit of `/proc/<pid>/stat`: a hundredth of a second on every Linux this runs on (`proc_pid_stat(5)`).
const TICKS_PER_SECOND: f64 = 100.0;

/// From an empty folder to the first 200 of `/readyz`, migration included.
pub async fn cold_start(engine: &str, figures: &mut Figures) {
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let api = api(&crate::install(engine).await, &[]).await;
        times.push(api.ready_after.as_secs_f64() * 1000.0);
    }
    figures.add(
        engine,
        "cold start of the API, empty folder, median of 3",
        quantile(&mut times, 0.5),
        "ms",
        Goal::AtMost(300.0),
    );
}

/// Memory of both processes, and processor time of the idle worker.
pub async fn at_rest(engine: &str, test_install: &TestInstall, figures: &mut Figures) {
    let api = api(test_install, &[]).await;
    let worker = worker(test_install, &[]).await;
    tokio::time::sleep(SETTLE).await;
    let before = (ticks(&api.program), ticks(&worker));
    tokio::time::sleep(WATCH).await;
    let share = |from: f64, to: f64| (to - from) / TICKS_PER_SECOND / WATCH.as_secs_f64() * 100.0;
    let worker_share = share(before.1, ticks(&worker));
    let api_share = share(before.0, ticks(&api.program));
    let (api_mb, worker_mb) = (megabytes(&api.program), megabytes(&worker));
    figures.add(engine, "memory at rest, API", api_mb, "MB", Goal::None);
    figures.add(engine, "memory at rest, worker", worker_mb, "MB", Goal::None);
    figures.add(engine, "memory at rest, together", api_mb + worker_mb, "MB", Goal::AtMost(40.0));
    figures.add(engine, "processor, idle worker", worker_share, "% of a core", Goal::AtMost(1.0));
    figures.add(engine, "processor, idle API", api_share, "% of a core", Goal::None);
}

pub fn megabytes(program: &Program) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", program.pid())).expect("a running process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().expect("a number of kilobytes");
    kilobytes / 1024.0
}

/// Processor time, user and system.
fn ticks(program: &Program) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", program.pid())).expect("a running process");
    // The program's name is in brackets and may contain anything; fields 3 and on follow.
    let (_, fields) = stat.rsplit_once(") ").expect("its fields");
    let fields: Vec<f64> = fields.split(' ').skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    fields.iter().sum()
}
