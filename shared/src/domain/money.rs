//! Money: price book, estimates, invoices, ledger, card payments and reconciliation.

pub mod card_payments;
pub mod checkout;
pub mod connected_account;
pub mod estimate;
pub mod invoice;
pub(crate) mod job_listener;
pub mod ledger;
pub mod listener;
pub mod own_phone;
pub mod price_book;
pub mod reconciliation;
pub mod reminder;
