//! The command line of `worker`. It takes no settings: those are environment variables.

use clap::{Parser, Subcommand};

/// Sends what is queued and does what is due, until it is told to stop (SIGTERM or Ctrl-C).
#[derive(Debug, Parser)]
#[command(
    name = "worker",
    version,
    after_help = "Example:\n  worker\n\nAll settings are environment variables; docs/configuration.md lists them."
)]
pub struct WorkerArgs {
    /// None runs.
    #[command(subcommand)]
    pub command: Option<WorkerCommand>,
}

// A doc comment on this type would take the place of the program's own description.
#[derive(Debug, PartialEq, Eq, Subcommand)]
pub enum WorkerCommand {
    /// Run until told to stop; the same as no command
    #[command(after_help = "Example:\n  worker run")]
    Run,
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, error::ErrorKind};

    use super::*;

    fn read(line: &str) -> Result<Option<WorkerCommand>, ErrorKind> {
        WorkerArgs::try_parse_from(line.split_whitespace()).map(|args| args.command).map_err(|e| e.kind())
    }

    #[test]
    fn command_line_starts_a_worker_only_when_nothing_else_is_asked() {
        WorkerArgs::command().debug_assert();
        assert_eq!(read("worker"), Ok(None));
        assert_eq!(read("worker run"), Ok(Some(WorkerCommand::Run)));
        for line in ["worker --help", "worker -h", "worker help", "worker help run", "worker run --help"] {
            assert_eq!(read(line), Err(ErrorKind::DisplayHelp), "{line}");
        }
        assert_eq!(read("worker --version"), Err(ErrorKind::DisplayVersion));
        assert_eq!(read("worker nonsense"), Err(ErrorKind::InvalidSubcommand));
        assert_eq!(read("worker --no-such-flag"), Err(ErrorKind::UnknownArgument));
    }

    #[test]
    fn version_is_that_of_the_package() {
        assert_eq!(WorkerArgs::command().get_version(), Some(env!("CARGO_PKG_VERSION")));
    }
}
