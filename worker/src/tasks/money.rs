//! Task handlers of money.

pub mod bill_job;
pub mod check_connected_account;
pub mod expire_checkout;
pub mod finalize_document;
pub mod reconcile_payments;
pub mod refund_card;
pub mod send_receipt;
pub mod send_signed_copy;
pub mod settle_checkout;
