//! The `api` program: reads the environment once, then serves or runs a command (migration, demonstration seed, API
//! description, access reset, audit check, other operator commands for the whole install).

use std::{
    io::{self, IsTerminal},
    path::Path,
    process::ExitCode,
};

use api::{
    ApiConfig, AppState, audit, build_openapi,
    commands::{self, CommandResult, RestoreOptions},
    rotate_key, serve_http,
};
use shared::{
    ops::{demo_seed, schema::SCHEMA, settings::InstallSettings},
    platform::{
        clock::ClockRng,
        config::{ConfigError, EnvVars, parse_log_format},
        db::{Db, tenant_scope},
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

mod invite;
mod reset_mfa;
mod trusted;

/// Returns free memory to the system, which would otherwise be held since the start.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const HELP: &str = "\
Toolbox API

  api [serve]    serve the API and the web app (default)
  api migrate    bring the database to the newest version, then exit
  api seed-demo  seed the demonstration anew as of today, then exit
  api openapi    print the API's description (OpenAPI 3.1)
  api help       this text

  api invite <address>                 mail an invitation to register a business, and print its link, whatever
                                       REGISTRATION says; for example: api invite ann@example.com
  api prove-address <address>          count an owner's email address as proven, where mail cannot arrive
  api let-through <address>            let the business of this person send without payment
  api let-in <address>                 turn off two-step sign-in of who lost phone and recovery codes
  api audit verify [--org <business>] [--seal <letters>]
                                       look through the audit logs; fails when a line was changed, removed, moved
                                       or added, and with the seal from a mail also when the end was cut off or
                                       all was written anew
  api backup                           make a backup now, read it back, and put it back for a try
  api backup drill [<folder>]          put the last backup, or this one, back for a try
  api verify-backup <folder>           read all of a backup
  api restore <folder> [--replace] [--lost-key]
                                       put a backup back; it sends nothing until released. --replace sets a
                                       database aside that is there, --lost-key goes on without its SECRET_KEY
  api release-outbox                   let a restored install send again
  api export <business> <file.zip>     write all of a business into an archive
  api import-export <file.zip>         take a business into this empty install, compared
  api delete-business <business> --yes remove a business with all it has
  api rotate-key [--forget-old | --lost-key]
                                       seal everything with the key in force; makes a new one first where it is
                                       generated. --forget-old removes the generated keys of before;
                                       --lost-key goes on where the key of before is lost
  api move                             move to the database that NEW_DATABASE_URL names, compared

All settings are environment variables; docs/configuration.md lists them.";

/// Flags of all commands. The values of the first two may look like flags.
const FLAGS: [&str; 6] = ["--org", "--seal", "--replace", "--lost-key", "--yes", "--forget-old"];

/// Exit status of a start that cannot succeed until a variable is changed.
const BAD_CONFIGURATION: u8 = 2;

fn main() -> ExitCode {
    private_file::set_umask();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if words.iter().any(|word| matches!(*word, "--help" | "-h")) {
        println!("{HELP}");
        return ExitCode::SUCCESS;
    }
    if let Some(flag) = unknown_flag(&words) {
        eprintln!("unknown flag: {flag}\n\n{HELP}");
        return ExitCode::from(BAD_CONFIGURATION);
    }
    match words[..] {
        [] | ["serve"] => serve(),
        ["migrate"] => with_settings(migrate),
        ["seed-demo"] => with_settings(seed_demo),
        ["invite", ..] => with_settings(invite::invite_by_email),
        ["let-in", ..] => with_settings(reset_mfa::run),
        ["prove-address", ..] => with_settings(trusted::prove_address),
        ["let-through", ..] => with_settings(trusted::approve_business),
        ["openapi"] => print_openapi(),
        ["audit", ..] => with_settings(verify_audit),
        ["help"] => {
            println!("{HELP}");
            ExitCode::SUCCESS
        }
        _ => run_operator_command(&words),
    }
}

fn unknown_flag<'w>(words: &[&'w str]) -> Option<&'w str> {
    let before = std::iter::once("").chain(words.iter().copied());
    let is_value = |before: &str| matches!(before, "--org" | "--seal");
    let mut flags = words.iter().copied().zip(before).filter(|(_, before)| !is_value(before)).map(|(word, _)| word);
    flags.find(|word| word.starts_with("--") && !FLAGS.contains(word))
}

fn run_operator_command(words: &[&str]) -> ExitCode {
    let origin = &ClockRng::system();
    match *words {
        ["backup"] => with_settings(async |settings, _| print_result(commands::create_backup(&settings, origin).await)),
        ["verify-backup", folder] => {
            with_settings(async |_, _| print_result(commands::verify_backup(Path::new(folder)).await))
        }
        ["backup", "drill"] => {
            with_settings(async |settings, _| print_result(commands::run_restore_drill(&settings, origin, None).await))
        }
        ["backup", "drill", folder] => with_settings(async |settings, _| {
            print_result(commands::run_restore_drill(&settings, origin, Some(Path::new(folder))).await)
        }),
        ["restore", folder, ref rest @ ..] if RestoreOptions::parse_flags(rest).is_some() => {
            let allowed = RestoreOptions::parse_flags(rest).unwrap_or_default();
            with_settings(async |settings, _| {
                print_result(commands::restore_backup(&settings, origin, Path::new(folder), allowed).await)
            })
        }
        ["release-outbox"] => {
            with_settings(async |settings, _| print_result(commands::release_send_freeze(&settings, origin).await))
        }
        ["export", business, file] => with_settings(async |settings, _| {
            print_result(commands::export_business(&settings, origin, business, Path::new(file)).await)
        }),
        ["import-export", file] => with_settings(async |settings, _| {
            print_result(commands::import_business(&settings, origin, Path::new(file)).await)
        }),
        ["delete-business", business] => with_settings(async |settings, _| {
            print_result(commands::delete_business(&settings, origin, business, false).await)
        }),
        ["delete-business", business, "--yes"] => with_settings(async |settings, _| {
            print_result(commands::delete_business(&settings, origin, business, true).await)
        }),
        ["rotate-key"] => {
            with_settings(async |settings, _| print_result(rotate_key::rotate_key(&settings, origin).await))
        }
        ["rotate-key", "--forget-old"] => {
            with_settings(async |settings, _| print_result(rotate_key::remove_old_keys(&settings, origin).await))
        }
        ["rotate-key", "--lost-key"] => {
            with_settings(async |settings, _| print_result(rotate_key::abandon_lost_key(&settings, origin).await))
        }
        ["move"] => {
            with_settings(async |settings, _| print_result(commands::transfer_database(&settings, origin).await))
        }
        _ => {
            eprintln!("unknown command: {}\n\n{HELP}", words.join(" "));
            ExitCode::from(BAD_CONFIGURATION)
        }
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
    let state = AppState::new(settings, config, ClockRng::system(), None).map_err(|e| format!("cannot start: {e}"))?;
    tracing::info!(%address, "Toolbox is at this address");
    if state.settings.public_url.is_publicly_reachable() && state.config.site.has_default_claims() {
        tracing::warn!(
            "the FAQ states figures on what customers may expect: be able to prove them, or word them in SITE_FILE"
        );
    }
    let served = serve_http(state.clone(), listener, async move { stop.wait_for_stop().await }).await;
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

async fn verify_audit(settings: InstallSettings, _config: ApiConfig) -> Result<(), String> {
    let wish = audit::AuditVerifyArgs::parse_args(std::env::args().skip(2))?;
    let db = commands::connect_database(&settings).await?;
    let (report, is_whole) = audit::verify_audit_logs(&db, &settings.secret, &ClockRng::system(), &wish).await?;
    db.close().await;
    print!("{report}");
    if is_whole { Ok(()) } else { Err("an audit log was changed by somebody with access to the database".to_owned()) }
}
