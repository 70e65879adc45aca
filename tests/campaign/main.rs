//! Stories of processes that die: nothing accepted is lost, nothing is said twice. The only witnesses are the fakes'
//! ledgers, which hold what truly arrived.

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
mod postgres_faults;
#[cfg(test)]
mod rights;
#[cfg(test)]
mod server;
#[cfg(test)]
mod stops;
