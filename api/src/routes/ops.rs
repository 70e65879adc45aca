//! Routes of operation: health and status, queued work, subscriptions, and webhooks of both directions.

use super::route_list::{RouteList, routes};

mod health;
mod live_events;
mod provider_webhooks;
mod queued_tasks;
mod retention;
mod send_freeze;
mod subscription;
mod system_status;
mod tenant_export;
mod webhook_endpoints;

pub fn route_list() -> RouteList {
    RouteList::default()
        .merge_routes(system_routes())
        .merge_routes(subscription_routes())
        .merge_routes(webhook_routes())
}

fn system_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(health::check_liveness))
        .with_routes(routes!(health::check_readiness))
        .with_routes(routes!(queued_tasks::list_tasks))
        .with_routes(routes!(queued_tasks::retry_task))
        .with_routes(routes!(queued_tasks::retry_tasks))
        .with_routes(routes!(live_events::stream_events))
        .with_routes(routes!(retention::get_retention, retention::set_retention))
        .with_routes(routes!(retention::preview_retention))
        .with_routes(routes!(retention::undo_retention))
        .with_routes(routes!(system_status::system_status))
        .with_routes(routes!(system_status::webhook_status))
        .with_routes(routes!(tenant_export::export_business))
        .with_routes(routes!(send_freeze::get_outbox))
}

fn subscription_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(subscription::checkout::get_checkout))
        .with_routes(routes!(subscription::checkout::create_subscription))
        .with_routes(routes!(subscription::demo_requests::list_demo_requests))
        .with_routes(routes!(subscription::demo_requests::invite_demo_request))
        .with_routes(routes!(subscription::get_subscription))
        .with_routes(routes!(subscription::create_portal_session))
        .with_routes(routes!(subscription::claim_subscription))
        .with_routes(routes!(subscription::cancel_subscription, subscription::keep_subscription))
        .with_routes(routes!(subscription::invoices::list_subscription_invoices))
        .with_routes(routes!(subscription::invoices::download_subscription_invoices))
}

fn webhook_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(webhook_endpoints::list_webhooks, webhook_endpoints::add_webhook))
        .with_routes(routes!(webhook_endpoints::change_webhook, webhook_endpoints::remove_webhook))
        .with_routes(routes!(webhook_endpoints::change_webhook_secret))
        .with_routes(routes!(webhook_endpoints::test_webhook))
        .with_routes(routes!(webhook_endpoints::list_webhook_calls))
        .with_routes(routes!(webhook_endpoints::retry_webhook_call))
        .with_routes(routes!(provider_webhooks::twilio::sms::handle_inbound_sms))
        .with_routes(routes!(provider_webhooks::twilio::voice::handle_inbound_call))
        .with_routes(routes!(provider_webhooks::twilio::voice::handle_whisper))
        .with_routes(routes!(provider_webhooks::twilio::voice::handle_call_accept))
        .with_routes(routes!(provider_webhooks::twilio::voice::handle_call_status))
        .with_routes(routes!(provider_webhooks::twilio::report::handle_message_status))
        .with_routes(routes!(provider_webhooks::twilio::report::handle_unnamed_message_status))
        .with_routes(routes!(provider_webhooks::stripe::handle_payment_event))
        .with_routes(routes!(provider_webhooks::stripe_billing::handle_billing_event))
        .with_routes(routes!(provider_webhooks::stripe_connect::handle_connect_event))
}
