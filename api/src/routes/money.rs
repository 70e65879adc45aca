//! Routes of money: estimates, change orders, prices, invoices, payments, and the Stripe account of the business.

use axum::extract::DefaultBodyLimit;

use super::route_list::{RouteList, routes};
use crate::extract::CSV_LIMIT;

mod change_order;
mod estimate;
mod estimate_verification;
mod invoice;
mod money_differences;
mod payment;
mod price_book;
mod stripe_keys;
mod stripe_onboarding;

pub fn route_list() -> RouteList {
    RouteList::default().merge_routes(estimate_routes()).merge_routes(invoice_routes()).merge_routes(payment_routes())
}

fn estimate_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(change_order::list_change_orders, change_order::create_change_order))
        .with_routes(routes!(change_order::preview_change_order))
        .with_routes(routes!(estimate::create_estimate))
        .with_routes(routes!(estimate::preview_estimate))
        .with_routes(routes!(estimate::list_estimates))
        .with_routes(routes!(estimate::estimate_pdf))
        .with_routes(routes!(estimate::change::send_estimate))
        .with_routes(routes!(estimate::change::revise_estimate))
        .with_routes(routes!(estimate::change::withdraw_estimate))
        .with_routes(routes!(estimate::change::renew_estimate_link))
        .with_routes(routes!(price_book::list_price_items))
        .with_routes(routes!(price_book::add_price_item))
        .with_routes(routes!(price_book::change_price_item))
        .with_routes(routes!(price_book::remove_price_item))
        .with_routes(routes!(price_book::import_price_items).with_body_limit(DefaultBodyLimit::max(CSV_LIMIT)))
        .with_routes(routes!(estimate_verification::verify_estimate))
}

fn invoice_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(invoice::list::list_invoices))
        .with_routes(routes!(invoice::send::create_invoice))
        .with_routes(routes!(invoice::list::export_invoices))
        .with_routes(routes!(invoice::reminders::preview_invoice_reminders))
        .with_routes(routes!(invoice::reminders::tick_invoice_reminders))
        .with_routes(routes!(invoice::get_invoice))
        .with_routes(routes!(invoice::change::change_invoice))
        .with_routes(routes!(invoice::change::remove_invoice))
        .with_routes(routes!(invoice::send::send_invoice))
        .with_routes(routes!(invoice::invoice_pdf))
        .with_routes(routes!(invoice::change::void_invoice))
        .with_routes(routes!(invoice::change::promise_invoice))
        .with_routes(routes!(invoice::change::dispute_invoice))
        .with_routes(routes!(invoice::change::renew_invoice_link))
}

fn payment_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(stripe_keys::get_cards, stripe_keys::set_keys, stripe_keys::remove_keys))
        .with_routes(routes!(money_differences::settle_difference))
        .with_routes(routes!(money_differences::reopen_difference))
        .with_routes(routes!(stripe_onboarding::begin_connection))
        .with_routes(routes!(stripe_onboarding::return_from_stripe))
        .with_routes(routes!(payment::mark_paid))
        .with_routes(routes!(payment::get_lead_money))
        .with_routes(routes!(payment::list::list_payments))
        .with_routes(routes!(payment::list::export_payments))
        .with_routes(routes!(payment::undo_payment))
        .with_routes(routes!(payment::refund_payment))
        .with_routes(routes!(payment::refund_resolution::settle_refund))
        .with_routes(routes!(payment::get_receipt))
        .with_routes(routes!(payment::send_receipt))
}
