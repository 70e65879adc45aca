//! The command line of `api`: its commands, their arguments, and a help text with an example for each.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::{audit::AuditVerifyArgs, commands::RestoreOptions};

/// Serves the API and the web app of Toolbox, and runs an operator's commands.
#[derive(Debug, Parser)]
#[command(
    name = "api",
    version,
    after_help = "Examples:\n  api\n  api backup\n  api help restore\n\nAll settings are environment variables; docs/configuration.md lists them."
)]
pub struct ApiArgs {
    /// None serves.
    #[command(subcommand)]
    pub command: Option<ApiCommand>,
}

// A doc comment on these types would take the place of the program's own description.
#[derive(Debug, PartialEq, Eq, Subcommand)]
pub enum ApiCommand {
    /// Serve the API and the web app; the same as no command
    #[command(after_help = "Example:\n  api serve")]
    Serve,
    /// Bring the database to the newest version, then exit
    #[command(after_help = "Example:\n  api migrate")]
    Migrate,
    /// Seed the demonstration anew as of today, then exit
    #[command(after_help = "Example:\n  api seed-demo")]
    SeedDemo,
    /// Print the API's description (OpenAPI 3.1)
    #[command(after_help = "Example:\n  api openapi")]
    Openapi,
    /// Ask the API on this machine whether it is alive: status 0 when it is, else 1
    ///
    /// Sends `GET /healthz` to the address of `BIND_ADDR` and `PORT`. Reads no other setting, and makes no file.
    #[command(after_help = "Example:\n  api healthcheck")]
    Healthcheck,
    #[command(flatten)]
    Access(AccessCommand),
    /// Look through the audit logs
    #[command(after_help = "Example:\n  api audit verify")]
    Audit {
        #[command(subcommand)]
        command: AuditCommand,
    },
    #[command(flatten)]
    Install(InstallCommand),
}

// Decisions about one person or their business, where no operator signs in.
#[derive(Debug, PartialEq, Eq, Subcommand)]
pub enum AccessCommand {
    /// Mail an invitation to register a business, and print its link, whatever `REGISTRATION` says
    #[command(after_help = "Example:\n  api invite ann@example.com")]
    Invite {
        /// Email address of the person
        address: String,
    },
    /// Count an owner's email address as proven, where mail cannot arrive
    #[command(after_help = "Example:\n  api prove-address ann@example.com")]
    ProveAddress {
        /// Email address that the owner signs in with
        address: String,
    },
    /// Let the business of this person send without payment
    #[command(after_help = "Example:\n  api let-through ann@example.com")]
    LetThrough {
        /// Email address that the person signs in with
        address: String,
    },
    /// Turn off the two-step sign-in of a person who lost phone and recovery codes
    #[command(name = "reset-2fa", alias = "let-in", after_help = "Example:\n  api reset-2fa ann@example.com")]
    ResetTwoFactor {
        /// Email address that the person signs in with
        address: String,
    },
}

#[derive(Debug, PartialEq, Eq, Subcommand)]
pub enum AuditCommand {
    /// Fail when a line was changed, removed, moved or added
    ///
    /// With the seal from a mail it also fails when the end was cut off or all was written anew.
    #[command(after_help = "Example:\n  api audit verify --org acme-plumbing")]
    Verify(AuditVerifyArgs),
}

// Work on the whole install, or on all of a business.
#[derive(Debug, PartialEq, Eq, Subcommand)]
pub enum InstallCommand {
    /// Make a backup now, read it back, and put it back for a try
    #[command(after_help = "Examples:\n  api backup\n  api backup drill")]
    Backup {
        #[command(subcommand)]
        command: Option<BackupCommand>,
    },
    /// Read all of a backup
    #[command(after_help = "Example:\n  api verify-backup var/backups/toolbox-20261122T030000.000Z")]
    VerifyBackup {
        /// Folder of the backup
        folder: PathBuf,
    },
    /// Put a backup back; it sends nothing until released
    #[command(
        after_help = "Example:\n  api restore var/backups/toolbox-20261122T030000.000Z --replace\n\nThen: api release-outbox"
    )]
    Restore {
        /// Folder of the backup
        folder: PathBuf,
        #[command(flatten)]
        options: RestoreOptions,
    },
    /// Let a restored install send again
    #[command(after_help = "Example:\n  api release-outbox")]
    ReleaseOutbox,
    /// Write all of a business into an archive
    #[command(after_help = "Example:\n  api export acme-plumbing acme.zip")]
    Export {
        /// Slug or id of the business
        business: String,
        /// Archive to write
        file: PathBuf,
    },
    /// Take a business into this empty install, compared
    #[command(after_help = "Example:\n  api import-export acme.zip")]
    ImportExport {
        /// Archive to read
        file: PathBuf,
    },
    /// Give a number of the account at Twilio to a business
    ///
    /// A number of another business moves only with `--from`. The owners of both get an email when it moves.
    #[command(
        after_help = "Examples:\n  api assign-number +15125550100 acme-plumbing\n  api assign-number +15125550100 acme-plumbing --from best-roofing"
    )]
    AssignNumber {
        /// The number with its country code
        number: String,
        /// Slug or id of the business that gets it
        business: String,
        /// Slug or id of the business that has it now
        #[arg(long)]
        from: Option<String>,
    },
    /// Remove a business with all it has
    #[command(after_help = "Example:\n  api delete-business acme-plumbing --yes")]
    DeleteBusiness {
        /// Slug or id of the business
        business: String,
        /// Remove it; without this the command only names the business
        #[arg(long)]
        yes: bool,
    },
    /// Seal everything with the key in force; make a new one first where it is generated
    ///
    /// Refused while a program on this machine runs that does not know that key.
    #[command(after_help = "Examples:\n  api rotate-key\n  api rotate-key --forget-old")]
    RotateKey {
        /// Remove the old keys, once nothing is sealed with them
        #[arg(long, conflicts_with = "lost_key")]
        forget_old: bool,
        /// Go on where the earlier key is lost
        #[arg(long)]
        lost_key: bool,
        /// Rotate although a running program does not know the key in force
        #[arg(long, conflicts_with_all = ["forget_old", "lost_key"])]
        force: bool,
    },
    /// Move to the database that `NEW_DATABASE_URL` names, compared
    #[command(after_help = "Example:\n  api move")]
    Move,
}

#[derive(Debug, PartialEq, Eq, Subcommand)]
pub enum BackupCommand {
    /// Put the last backup, or the named one, back for a try
    #[command(after_help = "Example:\n  api backup drill")]
    Drill {
        /// Folder of the backup; the last one when left out
        folder: Option<PathBuf>,
    },
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory, error::ErrorKind};

    use super::*;

    fn read(line: &str) -> Result<Option<ApiCommand>, ErrorKind> {
        ApiArgs::try_parse_from(line.split_whitespace()).map(|args| args.command).map_err(|e| e.kind())
    }

    /// Names and examples of a command and of all below it.
    fn collect_helps(command: &Command, found: &mut Vec<(String, String)>) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        found.push((command.get_name().to_owned(), help));
        for below in command.get_subcommands() {
            collect_helps(below, found);
        }
    }

    #[test]
    fn command_line_is_free_of_contradictions() {
        ApiArgs::command().debug_assert();
    }

    #[test]
    fn every_command_has_an_example_that_it_takes() {
        let mut helps = Vec::new();
        collect_helps(&ApiArgs::command(), &mut helps);
        assert!(helps.len() > 20, "{helps:?}");
        for (name, help) in helps {
            let examples: Vec<&str> = help.lines().filter(|line| line.starts_with("  api")).collect();
            assert!(!examples.is_empty(), "{name} has no example");
            for example in examples.into_iter().filter(|line| !line.starts_with("  api help")) {
                assert!(read(example).is_ok(), "{name}: {example}: {:?}", read(example));
            }
        }
    }

    #[test]
    fn no_command_is_left_to_the_default() {
        assert_eq!(read("api"), Ok(None));
        assert_eq!(read("api serve"), Ok(Some(ApiCommand::Serve)));
    }

    #[test]
    fn help_and_version_end_without_work() {
        for line in ["api help", "api --help", "api -h", "api restore --help", "api help audit verify"] {
            assert_eq!(read(line), Err(ErrorKind::DisplayHelp), "{line}");
        }
        assert_eq!(read("api --version"), Err(ErrorKind::DisplayVersion));
        assert_eq!(ApiArgs::command().get_version(), Some(env!("CARGO_PKG_VERSION")));
    }

    #[test]
    fn description_of_the_program_is_its_own() {
        let about = ApiArgs::command().get_about().map(ToString::to_string).unwrap_or_default();
        assert!(about.starts_with("Serves the API"), "{about}");
    }

    #[test]
    fn audit_verify_selects_org_and_seal_and_refuses_others() {
        let verify = |org: Option<&str>, seal: Option<&str>| {
            let wish = AuditVerifyArgs { org: org.map(ToOwned::to_owned), seal: seal.map(ToOwned::to_owned) };
            Ok(Some(ApiCommand::Audit { command: AuditCommand::Verify(wish) }))
        };
        assert_eq!(read("api audit verify"), verify(None, None));
        assert_eq!(read("api audit verify --seal AB --org acme"), verify(Some("acme"), Some("AB")));
        // The letters of a seal may begin with any of base64url.
        assert_eq!(read("api audit verify --seal --AB"), verify(None, Some("--AB")));
        for line in ["api audit", "api audit check", "api audit verify --org", "api audit verify acme"] {
            assert!(read(line).is_err(), "{line}");
        }
    }

    #[test]
    fn restore_takes_both_flags_in_any_order() {
        let restore = |replaces, lost_key| {
            let options = RestoreOptions { replaces, lost_key };
            Ok(Some(ApiCommand::Install(InstallCommand::Restore { folder: "b".into(), options })))
        };
        assert_eq!(read("api restore b"), restore(false, false));
        assert_eq!(read("api restore b --replace"), restore(true, false));
        assert_eq!(read("api restore --lost-key b --replace"), restore(true, true));
        assert_eq!(read("api restore --replace"), Err(ErrorKind::MissingRequiredArgument));
    }

    #[test]
    fn unknown_words_are_refused() {
        assert_eq!(read("api nonsense"), Err(ErrorKind::InvalidSubcommand));
        for line in
            ["api --no-such-flag", "api serve --no-such-flag", "api reset-2fa --no-such-flag", "api migrate now"]
        {
            assert_eq!(read(line), Err(ErrorKind::UnknownArgument), "{line}");
        }
        assert_eq!(read("api rotate-key --forget-old --lost-key"), Err(ErrorKind::ArgumentConflict));
        assert_eq!(read("api invite"), Err(ErrorKind::MissingRequiredArgument));
        assert_eq!(read("api assign-number +15125550100"), Err(ErrorKind::MissingRequiredArgument));
    }
}
