//! Money: price book, estimates, invoices, ledger, card payments and reconciliation.

pub mod checkout;
pub mod connected_account;
pub mod estimate;
pub mod invoice;
pub mod ledger;
pub mod price_book;
pub mod reconciliation;
