//! Stories of processes that are killed: no accepted request is lost and no message is sent twice. The ledgers of the
//! fakes hold what arrived.

#[cfg(test)]
mod backups;
#[cfg(test)]
mod kills;
#[cfg(test)]
mod ledger;
#[cfg(test)]
mod machines;
#[cfg(test)]
mod mornings;
#[cfg(test)]
mod photos;
#[cfg(test)]
mod pooler;
#[cfg(test)]
mod postgres_faults;
#[cfg(test)]
mod replicas;
#[cfg(test)]
mod rights;
#[cfg(test)]
mod server;
#[cfg(test)]
mod stops;
