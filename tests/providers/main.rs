//! Stories of the providers: each way a call can end, told by the far side's own ledger.

#[cfg(test)]
mod mail;
#[cfg(test)]
mod mail_tls;
#[cfg(test)]
mod push;
#[cfg(test)]
mod sms;
#[cfg(test)]
mod storage;
