//! Settings of a PostgreSQL server: sizes of the pools, pooler, further addresses.

use std::str::FromStr;

use sqlx::postgres::PgConnectOptions;

use super::pooler::Pooler;
use crate::config::EnvVars;

/// With one connection for LISTEN and one for the flush a process holds 18: five of them stay below the 97 connections
/// that PostgreSQL's default of 100 leaves to roles that are no superuser.
const WRITE_CONNECTIONS: u32 = 10;
const READ_CONNECTIONS: u32 = 6;
/// A request may hold a connection for its key lookups beside the one of its transaction.
const LEAST_WRITERS: u32 = 4;
const LEAST_READERS: u32 = 2;
const MOST: u32 = 200;

/// Addresses may contain a password: never print them.
#[derive(Clone, Debug)]
pub(super) struct ServerSettings {
    pub(super) write_connections: u32,
    pub(super) read_connections: u32,
    pub(super) pooler: Pooler,
    /// `DATABASE_LISTEN_URL`: the same database without the pooler.
    pub(super) listen_url: Option<String>,
    /// `DATABASE_REPORTS_URL`: a replica for reads that may be some seconds old.
    pub(super) reports_url: Option<String>,
    /// For tests: `DISCARD ALL` on every connection that returns to its pool.
    pub(super) discards_sessions: bool,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            write_connections: WRITE_CONNECTIONS,
            read_connections: READ_CONNECTIONS,
            pooler: Pooler::None,
            listen_url: None,
            reports_url: None,
            discards_sessions: false,
        }
    }
}

impl ServerSettings {
    pub(super) fn from_vars(vars: &mut EnvVars, is_postgres: bool) -> Self {
        let settings = Self {
            write_connections: parse_pool_size(vars, "DATABASE_WRITE_CONNECTIONS", WRITE_CONNECTIONS, LEAST_WRITERS),
            read_connections: parse_pool_size(vars, "DATABASE_READ_CONNECTIONS", READ_CONNECTIONS, LEAST_READERS),
            pooler: parse_pooler(vars, is_postgres),
            listen_url: parse_further_url(vars, "DATABASE_LISTEN_URL", is_postgres),
            reports_url: parse_further_url(vars, "DATABASE_REPORTS_URL", is_postgres),
            discards_sessions: false,
        };
        if settings.pooler == Pooler::Transaction && vars.get("DATABASE_LISTEN_URL").is_none() {
            vars.record_invalid(
                "DATABASE_LISTEN_URL",
                "must be set beside DATABASE_POOLER=transaction, with an address that does not lead through the pooler",
            );
        }
        settings
    }

    /// For the role that owns the tables: its address leads to the server itself.
    pub(super) fn without_pooler(&self) -> Self {
        Self { pooler: Pooler::None, listen_url: None, reports_url: None, ..self.clone() }
    }
}

fn parse_pool_size(vars: &mut EnvVars, name: &str, default: u32, least: u32) -> u32 {
    let expected = format!("a whole number from {least} to {MOST}");
    let size = vars.parse_or(name, default, &expected);
    if (least..=MOST).contains(&size) {
        return size;
    }
    vars.record_invalid(name, format!("must be {expected}"));
    default
}

fn parse_pooler(vars: &mut EnvVars, is_postgres: bool) -> Pooler {
    match vars.get("DATABASE_POOLER").as_deref() {
        None | Some("none") => Pooler::None,
        Some("transaction") if is_postgres => Pooler::Transaction,
        Some("transaction") => {
            vars.record_invalid("DATABASE_POOLER", "has a meaning only beside a DATABASE_URL of PostgreSQL");
            Pooler::None
        }
        Some(_) => {
            vars.record_invalid(
                "DATABASE_POOLER",
                "must be none or transaction; a pooler in statement mode does not work",
            );
            Pooler::None
        }
    }
}

fn parse_further_url(vars: &mut EnvVars, name: &str, is_postgres: bool) -> Option<String> {
    let url = vars.get(name)?;
    if is_postgres && super::connect::is_postgres(&url) && PgConnectOptions::from_str(&url).is_ok() {
        return Some(url);
    }
    vars.record_invalid(name, "must be postgres://user:password@host/name, beside a DATABASE_URL of PostgreSQL");
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)], is_postgres: bool) -> (ServerSettings, Result<(), String>) {
        let mut vars = EnvVars::from_pairs(pairs.iter().copied());
        let settings = ServerSettings::from_vars(&mut vars, is_postgres);
        (settings, vars.into_result().map_err(|faults| faults.to_string()))
    }

    #[test]
    fn five_processes_with_default_pools_fit_into_postgres_default_of_100() {
        let (settings, faults) = read(&[], true);
        assert_eq!(faults, Ok(()));
        let flush_and_listen = 2;
        let reserved_for_superusers = 3;
        assert!(
            5 * (settings.write_connections + settings.read_connections + flush_and_listen)
                <= 100 - reserved_for_superusers
        );
    }

    #[test]
    fn pool_size_outside_its_bounds_is_a_fault_of_its_variable() {
        for (name, value) in [
            ("DATABASE_WRITE_CONNECTIONS", "3"),
            ("DATABASE_WRITE_CONNECTIONS", "201"),
            ("DATABASE_READ_CONNECTIONS", "1"),
            ("DATABASE_READ_CONNECTIONS", "many"),
        ] {
            let (_, faults) = read(&[(name, value)], true);
            assert!(faults.clone().is_err_and(|why| why.contains(name) && why.contains("200")), "{name}: {faults:?}");
        }
        let (settings, faults) =
            read(&[("DATABASE_WRITE_CONNECTIONS", "40"), ("DATABASE_READ_CONNECTIONS", "20")], true);
        assert_eq!((settings.write_connections, settings.read_connections, faults), (40, 20, Ok(())));
    }

    #[test]
    fn pooler_needs_postgres_and_an_address_for_listen() {
        let listen = ("DATABASE_LISTEN_URL", "postgres://toolbox@server/toolbox");
        let pooler = ("DATABASE_POOLER", "transaction");
        let (settings, faults) = read(&[pooler, listen], true);
        assert_eq!((settings.pooler, faults), (Pooler::Transaction, Ok(())));
        assert!(read(&[pooler], true).1.is_err_and(|why| why.contains("DATABASE_LISTEN_URL must be set")));
        assert!(read(&[pooler, listen], false).1.is_err_and(|why| why.contains("DATABASE_POOLER")));
        assert!(read(&[("DATABASE_POOLER", "statement")], true).1.is_err_and(|why| why.contains("statement mode")));
        assert!(read(&[("DATABASE_REPORTS_URL", "sqlite://x.db")], true).1.is_err_and(|why| why.contains("REPORTS")));
    }
}
