//! The `worker` program: reads the environment, waits for the database, runs until stopped.

use std::{io, process::ExitCode, sync::Arc, time::Duration};

use clap::Parser;
use shared::{
    ops::{key_rotation::mark, schema::SCHEMA, settings::InstallSettings},
    platform::{
        clock::ClockRng,
        config::EnvVars,
        db::{Db, tenant_scope, unavailability::UnavailabilityLog, write_probe},
        error::Error,
        private_file,
        spans::exporter::OtlpConfig,
        stop_signal::StopSignal,
    },
};
use tokio::runtime::Runtime;
use worker::{
    Context,
    cli::{WorkerArgs, WorkerCommand},
    config::WorkerConfig,
    wake::QueueWakeup,
};

/// Returns free memory to the system, which would otherwise be held since the start.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Pause before a database that is away or not migrated is tried again.
const WAIT: Duration = Duration::from_millis(100);

/// Exit status of a start that cannot succeed until a variable is changed.
const BAD_CONFIGURATION: u8 = 2;

fn main() -> ExitCode {
    private_file::set_umask();
    let WorkerArgs { command: None | Some(WorkerCommand::Run) } = WorkerArgs::parse();
    match start_runtime() {
        Ok((runtime, stop)) => run_in(&runtime, stop),
        Err(e) => {
            eprintln!("the worker cannot start: {e}");
            ExitCode::FAILURE
        }
    }
}

/// The handlers come before everything else: a stop during the start ends in order too.
fn start_runtime() -> io::Result<(Runtime, StopSignal)> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let entered = runtime.enter();
    let stop = StopSignal::install_handlers()?;
    drop(entered);
    Ok((runtime, stop))
}

fn run_in(runtime: &Runtime, stop: StopSignal) -> ExitCode {
    let mut vars = EnvVars::from_process();
    let origin = ClockRng::system();
    // First, so that warnings about the settings are logged.
    let export = OtlpConfig::from_vars(&mut vars).map(|config| config.build_export("toolbox-worker"));
    let (layer, exporter) = export.unzip();
    shared::platform::config::LogConfig::from_vars(&mut vars).init_logging(layer);
    let settings = InstallSettings::from_vars(&mut vars, &origin.entropy);
    let config = WorkerConfig::from_vars(&mut vars);
    vars.warn_of_misspelt_names();
    if let Err(faults) = vars.into_result() {
        for fault in faults.0 {
            eprintln!("{fault}");
        }
        return ExitCode::from(BAD_CONFIGURATION);
    }
    shared::platform::tls::install_crypto_provider();
    let exporter = exporter.and_then(|exporter| exporter.start_on(runtime.handle()));
    let ended = runtime.block_on(tenant_scope::across_tenants(run_until_signal(&settings, config, origin, stop)));
    if let Err(why) = &ended {
        tracing::error!("{why}");
    }
    if let Some(exporter) = exporter {
        runtime.block_on(exporter.stop_and_flush());
    }
    ExitCode::from(worker::exit_status(&ended))
}

async fn run_until_signal(
    settings: &InstallSettings,
    config: WorkerConfig,
    origin: ClockRng,
    mut stop: StopSignal,
) -> Result<(), String> {
    let db = tokio::select! {
        db = wait_for_database(settings) => db?,
        () = stop.wait_for_stop() => return Ok(()),
    };
    let context = Arc::new(Context::new(settings, config, db.clone(), origin)?);
    let wake = QueueWakeup::with_signals(&context, &settings.worker_socket_path());
    tracing::info!(worker = %context.name, slots = config.concurrency, "the worker is ready");
    let ended = worker::run_worker(context, wake, async move { stop.wait_for_stop().await }).await;
    db.close().await;
    ended
}

/// Waits until the API has migrated the schema to this version and the database takes writes. Errors: why the worker
/// must not use the database.
async fn wait_for_database(settings: &InstallSettings) -> Result<Db, String> {
    let (mut is_logged, mut absence) = (false, UnavailabilityLog::default());
    loop {
        match Db::connect_existing(&settings.db, &SCHEMA).await {
            Ok(db) => match is_ready(&db, settings).await {
                Ok(true) => return Ok(db),
                Ok(false) => db.close().await,
                Err(Error::Refused(why)) => return Err(why),
                Err(e) => {
                    db.close().await;
                    absence.log_if_persistent(&e);
                }
            },
            // Also after a refusal: a restore may put the right database there.
            Err(e) => absence.log_if_persistent(&e),
        }
        if !is_logged {
            tracing::info!("waiting for the database and its migrations");
            is_logged = true;
        }
        tokio::time::sleep(WAIT).await;
    }
}

async fn is_ready(db: &Db, settings: &InstallSettings) -> shared::platform::error::Result<bool> {
    db.ensure_supported_schema().await?;
    if !db.is_schema_current().await? {
        return Ok(false);
    }
    mark::ensure_key_matches(&mut db.acquire_reader().await?, &settings.secret).await?;
    write_probe::attempt_write(db).await?;
    Ok(true)
}
