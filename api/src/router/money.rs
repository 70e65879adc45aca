//! Routes of money: estimates, payments, invoices, prices, and the subscription to this install.

use axum::extract::DefaultBodyLimit;

use super::route_list::{RouteList, routes};
use crate::routes::{billing, estimate, invoice, payment, price, proof};

pub(super) fn estimate_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(estimate::create_estimate))
        .with_routes(routes!(estimate::preview_estimate))
        .with_routes(routes!(estimate::list_estimates))
        .with_routes(routes!(estimate::estimate_pdf))
        .with_routes(routes!(estimate::change::send_estimate))
        .with_routes(routes!(estimate::change::revise_estimate))
        .with_routes(routes!(estimate::change::withdraw_estimate))
        .with_routes(routes!(estimate::change::renew_estimate_link))
        .with_routes(routes!(payment::mark_paid))
        .with_routes(routes!(payment::get_lead_money))
        .with_routes(routes!(payment::list::list_payments))
        .with_routes(routes!(payment::list::export_payments))
        .with_routes(routes!(payment::undo_payment))
        .with_routes(routes!(payment::refund_payment))
        .with_routes(routes!(payment::settle::settle_refund))
        .with_routes(routes!(payment::get_receipt))
        .with_routes(routes!(payment::send_receipt))
}

pub(super) fn billing_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(billing::begin::get_checkout))
        .with_routes(routes!(billing::begin::create_subscription))
        .with_routes(routes!(billing::requests::list_demo_requests))
        .with_routes(routes!(billing::requests::invite_demo_request))
        .with_routes(routes!(billing::get_subscription))
        .with_routes(routes!(billing::create_portal_session))
        .with_routes(routes!(billing::claim_subscription))
        .with_routes(routes!(billing::cancel_subscription, billing::keep_subscription))
        .with_routes(routes!(billing::invoices::list_subscription_invoices))
        .with_routes(routes!(billing::invoices::download_subscription_invoices))
}

pub(super) fn invoice_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(invoice::list::list_invoices))
        .with_routes(routes!(invoice::send::create_invoice))
        .with_routes(routes!(invoice::list::export_invoices))
        .with_routes(routes!(invoice::remind::preview_invoice_reminders))
        .with_routes(routes!(invoice::remind::tick_invoice_reminders))
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

pub(super) fn price_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(price::list_price_items))
        .with_routes(routes!(price::add_price_item))
        .with_routes(routes!(price::change_price_item))
        .with_routes(routes!(price::remove_price_item))
        .with_routes(routes!(price::import_price_items).with_body_limit(DefaultBodyLimit::max(price::LIMIT)))
        .with_routes(routes!(proof::verify_estimate))
}
