//! The worker's start: read the environment, wait for the database, run until told to stop.

use std::{process::ExitCode, sync::Arc, time::Duration};

use shared::{
    ops::{key_rotation::mark, schema::SCHEMA, settings::Settings},
    platform::{
        clock::Origin,
        config::Vars,
        db::{Db, absence::Absence, tenant_scope, write_proof},
        error::Error,
        private_file,
    },
};
use tokio::signal::unix::{SignalKind, signal};
use worker::{Context, config::WorkerConfig, wake::Wake};

/// Gives memory that is free back to the system: what the start needs for a moment would otherwise be held for good.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Between two looks at a database that is away or not migrated yet.
const WAIT: Duration = Duration::from_millis(100);

const HELP: &str = "\
Toolbox worker

  worker          send what is queued and do what is due, until it is told to stop (SIGTERM or Ctrl-C)
  worker --help   this text

All settings are environment variables; docs/configuration.md lists them.";

/// A start that cannot succeed until somebody changes how it is called, or a variable.
const BAD_CONFIGURATION: u8 = 2;

fn main() -> ExitCode {
    private_file::set_umask();
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let Some(ended) = answered(&words) {
        return ended;
    }
    let mut vars = Vars::from_process();
    let origin = Origin::system();
    let settings = Settings::from_vars(&mut vars, &origin.entropy);
    let config = WorkerConfig::from_vars(&mut vars);
    let log = shared::platform::config::LogConfig::from_vars(&mut vars);
    if let Err(faults) = vars.finish() {
        for fault in faults.0 {
            eprintln!("{fault}");
        }
        return ExitCode::from(BAD_CONFIGURATION);
    }
    log.start();
    shared::platform::tls::install_crypto();
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(e) => {
            eprintln!("the worker cannot start: {e}");
            return ExitCode::FAILURE;
        }
    };
    let ended = runtime.block_on(tenant_scope::across_businesses(serve(&settings, config, origin)));
    if let Err(why) = &ended {
        tracing::error!("{why}");
    }
    ExitCode::from(worker::exit_status(&ended))
}

/// The help, or what is wrong with the words behind the program's name; none where the worker is to start.
fn answered(words: &[String]) -> Option<ExitCode> {
    let first = words.first()?;
    if words.iter().any(|word| matches!(word.as_str(), "help" | "--help" | "-h")) {
        println!("{HELP}");
        return Some(ExitCode::SUCCESS);
    }
    eprintln!("unknown: {first}\n\n{HELP}");
    Some(ExitCode::from(BAD_CONFIGURATION))
}

async fn serve(settings: &Settings, config: WorkerConfig, origin: Origin) -> Result<(), String> {
    let mut terminate = signal(SignalKind::terminate()).map_err(|e| e.to_string())?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(|e| e.to_string())?;
    let db = tokio::select! {
        db = wait_for_database(settings) => db?,
        _ = terminate.recv() => return Ok(()),
        _ = interrupt.recv() => return Ok(()),
    };
    let context = Arc::new(Context::new(settings, config, db.clone(), origin)?);
    let wake = Wake::on(&context, &settings.nudge_socket());
    tracing::info!(worker = %context.name, slots = config.concurrency, "the worker is ready");
    let stop = async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    };
    let ended = worker::run(context, wake, stop).await;
    db.close().await;
    ended
}

/// The API migrates; the worker waits until the schema is the one it was built for, and the database takes writes.
///
/// # Errors
/// Why it must not work with the database that is there.
async fn wait_for_database(settings: &Settings) -> Result<Db, String> {
    let (mut told, mut absence) = (false, Absence::default());
    loop {
        match Db::connect_existing(&settings.db, &SCHEMA).await {
            Ok(db) => match is_ready(&db, settings).await {
                Ok(true) => return Ok(db),
                Ok(false) => db.close().await,
                Err(Error::Refused(why)) => return Err(why),
                Err(e) => {
                    db.close().await;
                    absence.say_if_it_lasts(&e);
                }
            },
            // Also where it is refused: a restore puts one there, and the worker goes on with it then.
            Err(e) => absence.say_if_it_lasts(&e),
        }
        if !told {
            tracing::info!("waiting for the database and its migrations");
            told = true;
        }
        tokio::time::sleep(WAIT).await;
    }
}

async fn is_ready(db: &Db, settings: &Settings) -> shared::platform::error::Result<bool> {
    db.refuse_newer().await?;
    if !db.is_current().await? {
        return Ok(false);
    }
    mark::refuse_other_key(&mut db.read().await?, &settings.secret).await?;
    write_proof::attempt(db).await?;
    Ok(true)
}
