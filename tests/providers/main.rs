//! Stories of the providers: each way a call can end, checked by the ledger of the fake.

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
