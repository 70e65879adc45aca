//! The `api` program: reads the environment once, then serves or runs a command (migration, demonstration seed, API
//! description, access reset, audit check, other operator commands for the whole install).

use std::{
    io::{self, IsTerminal},
    process::ExitCode,
};

use api::{
    ApiConfig, AppState, ConnectionLimits,
    audit::{self, AuditVerifyArgs},
    build_openapi,
    cli::{AccessCommand, ApiArgs, ApiCommand, AuditCommand, BackupCommand, InstallCommand},
    commands::{self, CommandResult},
    config::parse_listen_addr,
    healthcheck::check_health,
    rotate_key, serve_http,
};
use clap::Parser;
use shared::{
    ops::{demo_seed, schema::SCHEMA, settings::InstallSettings},
    platform::{
        clock::ClockRng,
        config::{ConfigError, EnvVars, parse_log_format},
        db::{Db, tenant_scope},
        liveness,
        log_setup::{LogOptions, install_subscriber},
        private_file,
        spans::exporter::{OtlpConfig, SpanExporter},
        stop_signal::StopSignal,
        storage::Storage,
        tls::install_crypto_provider,
    },
};
use tokio::runtime::Runtime;
use tracing_subscriber::EnvFilter;

mod assign_number;
mod invite;
mod operator_approval;
mod reset_mfa;

/// Returns free memory to the system, which would otherwise be held since the start.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Exit status of a start that cannot succeed until a variable is changed.
const BAD_CONFIGURATION: u8 = 2;

fn main() -> ExitCode {
    private_file::set_umask();
    match ApiArgs::parse().command.unwrap_or(ApiCommand::Serve) {
        ApiCommand::Serve => serve(),
        ApiCommand::Migrate => with_settings(migrate),
        ApiCommand::SeedDemo => with_settings(seed_demo),
        ApiCommand::Openapi => print_openapi(),
        ApiCommand::Healthcheck => print_health(),
        ApiCommand::Access(command) => with_settings(async |settings, _| change_access(&settings, command).await),
        ApiCommand::Audit { command: AuditCommand::Verify(wish) } => {
            with_settings(async |settings, _| verify_audit(&settings, &wish).await)
        }
        ApiCommand::Install(command) => {
            with_settings(async |settings, _| print_result(run_install_command(&settings, command).await))
        }
    }
}

async fn change_access(settings: &InstallSettings, command: AccessCommand) -> Result<(), String> {
    match command {
        AccessCommand::Invite { address } => invite::invite_by_email(settings, &address).await,
        AccessCommand::ProveAddress { address } => operator_approval::prove_address(settings, &address).await,
        AccessCommand::LetThrough { address } => operator_approval::approve_business(settings, &address).await,
        AccessCommand::ResetTwoFactor { address } => reset_mfa::run(settings, &address).await,
    }
}

async fn run_install_command(settings: &InstallSettings, command: InstallCommand) -> CommandResult {
    let origin = &ClockRng::system();
    match command {
        InstallCommand::Backup { command: None } => commands::create_backup(settings, origin).await,
        InstallCommand::Backup { command: Some(BackupCommand::Drill { folder }) } => {
            commands::run_restore_drill(settings, origin, folder.as_deref()).await
        }
        InstallCommand::VerifyBackup { folder } => commands::verify_backup(&folder).await,
        InstallCommand::Restore { folder, options } => {
            commands::restore_backup(settings, origin, &folder, options).await
        }
        InstallCommand::ReleaseOutbox => commands::release_send_freeze(settings, origin).await,
        InstallCommand::Export { business, file } => {
            commands::export_business(settings, origin, &business, &file).await
        }
        InstallCommand::ImportExport { file } => commands::import_business(settings, origin, &file).await,
        InstallCommand::AssignNumber { number, business, from } => {
            let wanted = assign_number::NumberAssignmentArgs { number, business, from };
            assign_number::assign_number(settings, origin, &wanted).await
        }
        InstallCommand::DeleteBusiness { business, yes } => {
            commands::delete_business(settings, origin, &business, yes).await
        }
        InstallCommand::RotateKey { lost_key: true, .. } => rotate_key::abandon_lost_key(settings, origin).await,
        InstallCommand::RotateKey { forget_old: true, .. } => rotate_key::remove_old_keys(settings, origin).await,
        InstallCommand::RotateKey { force, .. } => rotate_key::rotate_key(settings, origin, force).await,
        InstallCommand::Move => commands::transfer_database(settings, origin).await,
    }
}

fn print_result(result: CommandResult) -> Result<(), String> {
    println!("{}", result?);
    Ok(())
}

fn print_openapi() -> ExitCode {
    match build_openapi().to_pretty_json() {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(e) => {
            eprintln!("the description cannot be written: {e}");
            ExitCode::FAILURE
        }
    }
}

/// Reads only where the API listens. Status 1 for every failure, as container engines expect.
fn print_health() -> ExitCode {
    let mut vars = EnvVars::from_process();
    let listen = parse_listen_addr(&mut vars);
    let checked = match (vars.into_result(), start_runtime()) {
        (Err(faults), _) => Err(faults.to_string()),
        (_, Err(e)) => Err(format!("cannot start: {e}")),
        (Ok(()), Ok(runtime)) => runtime.block_on(check_health(listen)),
    };
    match checked {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// The handlers come before everything else: a stop during the start, and during the migrations, ends in order too.
fn serve() -> ExitCode {
    let started = start_runtime().and_then(|runtime| {
        let entered = runtime.enter();
        let stop = StopSignal::install_handlers()?;
        drop(entered);
        Ok((runtime, stop))
    });
    match started {
        Ok((runtime, stop)) => run_in(&runtime, async move |settings, config| run_server(settings, config, stop).await),
        Err(e) => report_failed_start(&e),
    }
}

/// For commands, which a signal ends at once.
fn with_settings(work: impl AsyncFnOnce(InstallSettings, ApiConfig) -> Result<(), String>) -> ExitCode {
    match start_runtime() {
        Ok(runtime) => run_in(&runtime, work),
        Err(e) => report_failed_start(&e),
    }
}

fn start_runtime() -> io::Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()
}

fn report_failed_start(error: &io::Error) -> ExitCode {
    eprintln!("cannot start: {error}");
    ExitCode::FAILURE
}

fn run_in(runtime: &Runtime, work: impl AsyncFnOnce(InstallSettings, ApiConfig) -> Result<(), String>) -> ExitCode {
    let mut vars = EnvVars::from_process();
    // First, so that warnings about the settings are logged.
    let exporter = start_log(&mut vars);
    let settings = InstallSettings::from_vars(&mut vars, &ClockRng::system().entropy);
    let config = ApiConfig::from_vars(&mut vars);
    vars.warn_of_misspelt_names();
    if let Err(ConfigError(faults)) = vars.into_result() {
        for fault in faults {
            eprintln!("configuration: {fault}");
        }
        return ExitCode::from(BAD_CONFIGURATION);
    }
    install_crypto_provider();
    let exporter = exporter.and_then(|exporter| exporter.start_on(runtime.handle()));
    // Commands act on the whole install; the server names the business of each request.
    let ended = runtime.block_on(tenant_scope::across_tenants(work(settings, config)));
    if let Some(exporter) = exporter {
        runtime.block_on(exporter.stop_and_flush());
    }
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// The exporter of spans, where one is set.
fn start_log(vars: &mut EnvVars) -> Option<SpanExporter> {
    let wanted = vars.get("RUST_LOG").unwrap_or_else(|| "info,sqlx=warn,hyper=warn,tower=warn".to_owned());
    let filter = EnvFilter::try_new(&wanted).unwrap_or_else(|_| {
        vars.record_invalid("RUST_LOG", "must be a list of log levels such as info or api=debug,sqlx=warn");
        EnvFilter::new("info")
    });
    let options =
        LogOptions { format: parse_log_format(vars), has_colors: io::stderr().is_terminal(), has_target: true };
    let (layer, exporter) = OtlpConfig::from_vars(vars).map(|config| config.build_export("toolbox-api")).unzip();
    if let Err(error) = install_subscriber(filter, options, layer) {
        eprintln!("the log cannot be started: {error}");
    }
    exporter
}

async fn run_server(settings: InstallSettings, config: ApiConfig, mut stop: StopSignal) -> Result<(), String> {
    let listener = tokio::net::TcpListener::bind(config.listen)
        .await
        .map_err(|e| format!("BIND_ADDR: cannot listen on {}: {e}", config.listen))?;
    let address = settings.public_url.join("/");
    let listening = listener.local_addr().unwrap_or(config.listen);
    let origin = ClockRng::system();
    let started = origin.uuid_v7();
    let state = AppState::new(settings, config, origin, None).map_err(|e| format!("cannot start: {e}"))?;
    let (folder, process) = (&state.settings.data_dir, format!("api-{}-{}", std::process::id(), started.simple()));
    let _alive = liveness::acquire_lock(folder, &process, &state.settings.secret)
        .and_then(|alive| liveness::remove_dead_files(folder).map(|()| alive))
        .inspect_err(|e| tracing::warn!(error = %e, "api rotate-key will not know that this process runs"));
    tracing::info!(%address, %listening, "Toolbox is at this address");
    if state.settings.public_url.is_publicly_reachable() && state.config.site.has_default_claims() {
        tracing::warn!(
            "the FAQ states figures on what customers may expect: be able to prove them, or word them in SITE_FILE"
        );
    }
    let limits = ConnectionLimits::default();
    let served = serve_http(state.clone(), listener, limits, async move { stop.wait_for_stop().await }).await;
    state.close_database().await;
    served.map_err(|e| format!("the server stopped: {e}"))?;
    state.shutdown_reason().map_or(Ok(()), |why| Err(why.to_owned()))
}

async fn migrate(settings: InstallSettings, _config: ApiConfig) -> Result<(), String> {
    let db = Db::connect(&settings.db.as_owner(), &SCHEMA).await.map_err(|e| format!("DATABASE_URL: {e}"))?;
    db.migrate_and_grant(&settings.db)
        .await
        .map_err(|e| format!("the database could not be brought up to date: {e}"))?;
    db.close().await;
    settings.db.mark_installed();
    println!("the database is at the newest version");
    Ok(())
}

async fn seed_demo(settings: InstallSettings, _config: ApiConfig) -> Result<(), String> {
    let db = commands::connect_database(&settings).await?;
    let storage = Storage::open(&settings.storage).map_err(|e| format!("STORAGE_URL: {e}"))?;
    let origin = ClockRng::system();
    let ctx = demo_seed::SeedContext {
        origin: &origin,
        secret: &settings.secret,
        public_url: &settings.public_url,
        storage: &storage,
    };
    demo_seed::seed_demo(&db, &ctx).await.map_err(|e| format!("the demonstration could not be seeded: {e}"))?;
    db.close().await;
    println!("the demonstration is seeded: {}", settings.public_url.join("/demo"));
    Ok(())
}

async fn verify_audit(settings: &InstallSettings, wish: &AuditVerifyArgs) -> Result<(), String> {
    let db = commands::connect_database(settings).await?;
    let (report, is_whole) = audit::verify_audit_logs(&db, &settings.secret, &ClockRng::system(), wish).await?;
    db.close().await;
    print!("{report}");
    if is_whole { Ok(()) } else { Err("someone with access to the database changed an audit log".to_owned()) }
}
