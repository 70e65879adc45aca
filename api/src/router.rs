//! Every route of the API description, with its body limit.

use std::sync::LazyLock;

use axum::{Router, extract::DefaultBodyLimit};
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::{openapi, routes, state::AppState};

mod money;
mod route_list;

use money::{billing_routes, estimate_routes, invoice_routes, price_routes};
use route_list::{Operations, RouteList, routes};

/// Built once: it takes longer than most answers.
pub static ROUTER: LazyLock<Router<AppState>> = LazyLock::new(|| {
    all_routes().0.into_iter().fold(Router::new(), |router, Operations { paths, handlers, .. }| {
        paths.iter().fold(router, |router, path| router.route(path, handlers.clone()))
    })
});

/// Not cached: it takes 15 MB and is rarely asked for.
pub fn openapi_document() -> OpenApi {
    let base = OpenApiRouter::with_openapi(openapi::base_document());
    all_routes().0.into_iter().fold(base, |document, operations| (operations.describe)(document)).into_openapi()
}

/// The description in parts of one path each.
pub fn path_descriptions() -> impl Iterator<Item = OpenApi> {
    all_routes().0.into_iter().map(|operations| (operations.describe)(OpenApiRouter::new()).into_openapi())
}

/// Public routes come first.
fn all_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(routes::health::check_liveness))
        .with_routes(routes!(routes::health::check_readiness))
        .with_routes(routes!(routes::form::public_form))
        .with_routes(
            routes!(routes::lead::create_lead).with_body_limit(DefaultBodyLimit::max(routes::lead::upload::LIMIT)),
        )
        .with_routes(routes!(routes::quote::create_quote))
        .with_routes(routes!(routes::booking::public_slots))
        .with_routes(routes!(routes::booking::hold_slot))
        .with_routes(routes!(routes::booking::book_visit))
        .with_routes(routes!(routes::booking::shown::get_booking))
        .with_routes(routes!(routes::session::register_business))
        .with_routes(routes!(routes::session::login))
        .with_routes(routes!(routes::session::logout))
        .with_routes(routes!(routes::session::get_current_user))
        .with_routes(routes!(routes::lead::get_leads))
        .with_routes(routes!(routes::lead::export_leads))
        .with_routes(routes!(routes::lead::lead_photo))
        .with_routes(routes!(routes::lead::release_lead))
        .with_routes(routes!(routes::lead::quarantine_lead_again))
        .with_routes(routes!(routes::lead::answered::record_manual_answer))
        .with_routes(routes!(routes::lead::owner::set_lead_owner))
        .with_routes(routes!(routes::pipeline::get_pipeline))
        .with_routes(routes!(routes::pipeline::move_lead))
        .with_routes(routes!(routes::pipeline::preview_reminder))
        .with_routes(routes!(routes::pipeline::send_reminder))
        .with_routes(routes!(routes::task::list_tasks))
        .with_routes(routes!(routes::task::retry_task))
        .with_routes(routes!(routes::task::retry_tasks))
        .merge_routes(account_routes())
        .merge_routes(messaging_routes())
        .merge_routes(settings_routes())
        .merge_routes(integration_routes())
        .merge_routes(job_routes())
        .merge_routes(team_routes())
        .merge_routes(file_routes())
        .merge_routes(estimate_routes())
        .merge_routes(price_routes())
        .merge_routes(customer_routes())
        .merge_routes(invoice_routes())
        .merge_routes(metrics_routes())
        .merge_routes(review_routes())
        .merge_routes(security_routes())
        .merge_routes(sending_number_routes())
        .merge_routes(billing_routes())
        .with_routes(routes!(routes::events::stream_events))
        .merge_routes(webhook_routes())
}

fn sending_number_routes() -> RouteList {
    use routes::sending_number::{self, operator};
    RouteList::default()
        .with_routes(routes!(sending_number::get_sending_number))
        .with_routes(routes!(sending_number::claim_sending_number))
        .with_routes(routes!(sending_number::confirm_sending_number))
        .with_routes(routes!(sending_number::release_sending_number))
        .with_routes(routes!(operator::list_sending_numbers))
        .with_routes(routes!(operator::assign_sending_number))
        .with_routes(routes!(operator::share_sending_service))
}

fn security_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(routes::security::get_security_status))
        .with_routes(routes!(routes::security::get_security_report))
        .with_routes(routes!(routes::security::get_compliance_report))
        .with_routes(routes!(routes::security::list_security_alerts))
        .with_routes(routes!(routes::security::switch_security_alert))
        .with_routes(routes!(routes::security::audit_log::get_audit_log))
        .with_routes(routes!(routes::security::audit_log::export_audit_log))
        .with_routes(routes!(routes::security::audit_log::verify_audit_log))
        .with_routes(routes!(routes::security::client::list_clients))
        .with_routes(routes!(routes::security::client::reset_client_password))
}

fn metrics_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(routes::metrics::get_kpis))
        .with_routes(routes!(routes::metrics::get_daily_metrics))
        .with_routes(routes!(routes::recovered::get_recovered))
        .with_routes(routes!(routes::recovered::list_recovered_chains))
        .with_routes(routes!(routes::recovered::export_recovered))
        .with_routes(routes!(routes::pulse::get_kpi_pulse, routes::pulse::send_kpi_pulse))
        .with_routes(routes!(routes::cost::get_job_costs, routes::cost::add_job_cost))
        .with_routes(routes!(routes::cost::remove_job_cost))
}

fn customer_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(routes::customer::list_customers))
        .with_routes(routes!(routes::customer::get_customer))
        .with_routes(routes!(routes::customer::change_customer))
        .with_routes(routes!(routes::customer::add_property))
        .with_routes(routes!(routes::customer::change_property))
        .with_routes(routes!(routes::customer::remove_property))
        .with_routes(routes!(routes::customer::preview_merge))
        .with_routes(routes!(routes::customer::merge_customers))
        .with_routes(routes!(routes::customer::undo_merge))
        .with_routes(routes!(routes::customer::proposal::use_contact_proposal))
        .with_routes(routes!(routes::customer::proposal::dismiss_contact_proposal))
        .with_routes(routes!(routes::customer::proposal::undo_contact_proposal))
        .with_routes(
            routes!(routes::customer::import::import_customers)
                .with_body_limit(DefaultBodyLimit::max(routes::price::LIMIT)),
        )
        .with_routes(routes!(routes::customer::import::list_customer_imports))
        .with_routes(routes!(routes::customer::import::undo_customer_import))
        .with_routes(routes!(routes::customer::personal_data::get_personal_data))
        .with_routes(routes!(routes::customer::personal_data::export_personal_data))
        .with_routes(routes!(routes::customer::personal_data::erase_customer))
        .with_routes(routes!(routes::customer::personal_data::keep_customer))
}

fn review_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(routes::review::list_reviews, routes::review::change::add_review))
        .with_routes(routes!(routes::review::review_summary))
        .with_routes(routes!(routes::review::export_reviews))
        .with_routes(
            routes!(routes::review::change::import_reviews)
                .with_body_limit(DefaultBodyLimit::max(routes::price::LIMIT)),
        )
        .with_routes(routes!(routes::review::report::review_report))
        .with_routes(routes!(routes::review::ask::list_review_requests))
        .with_routes(routes!(routes::review::ask::stop_review_request))
        .with_routes(routes!(routes::review::get_review, routes::review::change::remove_review))
        .with_routes(routes!(routes::review::change::match_review))
        .with_routes(routes!(routes::review::change::reply_to_review))
        .with_routes(routes!(routes::review::ask::preview_lead_review, routes::review::ask::request_lead_review))
        .with_routes(routes!(routes::review::ask::preview_job_review, routes::review::ask::request_job_review))
        .with_routes(routes!(
            routes::review::webhook::get_webhook,
            routes::review::webhook::create_key,
            routes::review::webhook::remove_key
        ))
}

fn file_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(routes::file::add_job_files).with_body_limit(DefaultBodyLimit::max(routes::file::LIMIT)))
        .with_routes(routes!(routes::file::list_lead_files))
        .with_routes(routes!(routes::file::add_lead_files).with_body_limit(DefaultBodyLimit::max(routes::file::LIMIT)))
        .with_routes(routes!(routes::file::download_job_files))
        .with_routes(routes!(routes::file::get_file))
        .with_routes(routes!(routes::file::get_file_address))
        .with_routes(routes!(routes::file::remove_file))
}

fn account_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(routes::session::code::sign_in_with_code))
        .with_routes(routes!(routes::session::code::set_up_at_sign_in))
        .with_routes(routes!(routes::session::code::confirm_at_sign_in))
        .with_routes(routes!(routes::session::reset::ask_for_reset))
        .with_routes(routes!(routes::session::reset::reset_password))
        .with_routes(routes!(routes::session::prove::prove_identity))
        .with_routes(routes!(routes::session::prove::begin_passkey_proof))
        .with_routes(routes!(routes::session::prove::prove_by_passkey))
        .with_routes(routes!(routes::session::passkey::begin_passkey_sign_in))
        .with_routes(routes!(routes::session::passkey::sign_in_with_passkey))
        .with_routes(routes!(routes::account::passkeys::list_passkeys, routes::account::passkeys::add_passkey))
        .with_routes(routes!(routes::account::passkeys::begin_passkey))
        .with_routes(routes!(routes::account::passkeys::rename_passkey, routes::account::passkeys::remove_passkey))
        .with_routes(routes!(routes::trust::get_registration))
        .with_routes(routes!(routes::trust::address_proof::prove_address))
        .with_routes(routes!(routes::trust::address_proof::preview_address_proof))
        .with_routes(routes!(routes::trust::address_proof::disown_address))
        .with_routes(routes!(routes::trust::address_proof::send_address_proof))
        .with_routes(routes!(routes::account::get_account))
        .with_routes(routes!(routes::account::list_signed_in_devices, routes::account::sign_out_other_devices))
        .with_routes(routes!(routes::account::sign_out_device))
        .with_routes(routes!(routes::account::offline::give_offline_keys))
        .with_routes(routes!(routes::account::change_password))
        .with_routes(routes!(
            routes::account::second_step::begin_second_factor,
            routes::account::second_step::remove_second_factor
        ))
        .with_routes(routes!(routes::account::second_step::confirm_second_factor))
        .with_routes(routes!(routes::account::second_step::renew_recovery_codes))
}

fn team_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(routes::team::list_team))
        .with_routes(routes!(routes::team::change_team_member))
        .with_routes(routes!(routes::account::second_step::require_second_factor))
        .with_routes(routes!(routes::team::forget_second_factor))
        .with_routes(routes!(routes::team::list_invites))
        .with_routes(routes!(routes::team::invite_member))
        .with_routes(routes!(routes::team::revoke_invite))
        .with_routes(routes!(routes::team::get_invite))
        .with_routes(routes!(routes::team::accept_invite))
}

fn job_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(routes::job::list_jobs))
        .with_routes(routes!(routes::job::job_tiles))
        .with_routes(routes!(routes::job::export_jobs))
        .with_routes(routes!(routes::job::get_job))
        .with_routes(routes!(routes::job::change::create_job))
        .with_routes(routes!(routes::job::change::change_job))
        .with_routes(routes!(routes::job::change::schedule_job))
        .with_routes(routes!(routes::job::change::undo_work))
        .with_routes(routes!(routes::job::field::change_job_status))
        .with_routes(routes!(routes::job::field::add_job_note))
        .with_routes(routes!(routes::job::field::tick_job_check))
        .with_routes(routes!(routes::job::dispatch_notice::send_on_my_way))
        .with_routes(routes!(routes::job::dispatch_notice::send_running_late))
        .with_routes(routes!(routes::change_order::list_change_orders, routes::change_order::create_change_order))
        .with_routes(routes!(routes::change_order::preview_change_order))
        .with_routes(routes!(routes::schedule::get_schedule))
        .with_routes(routes!(routes::crew::list_crews))
        .with_routes(routes!(routes::crew::add_crew))
        .with_routes(routes!(routes::crew::change_crew))
        .with_routes(routes!(routes::feed::rotate_crew_feed))
}

fn settings_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(routes::org::get_organization))
        .with_routes(routes!(routes::org::change_organization))
        .with_routes(routes!(routes::card::get_cards, routes::card::set_keys, routes::card::remove_keys))
        .with_routes(routes!(routes::connect::begin_connection))
        .with_routes(routes!(routes::connect::return_from_stripe))
        .with_routes(routes!(routes::org::get_settings))
        .with_routes(routes!(routes::org::change_settings))
        .with_routes(routes!(routes::org::add_recipient))
        .with_routes(routes!(routes::org::remove_recipient))
        .with_routes(routes!(routes::logo::set_logo).with_body_limit(DefaultBodyLimit::max(routes::logo::LIMIT)))
        .with_routes(routes!(routes::logo::remove_logo))
        .with_routes(routes!(routes::logo::get_logo))
        .with_routes(routes!(routes::org::preview_switch))
        .with_routes(routes!(routes::retention::get_retention, routes::retention::set_retention))
        .with_routes(routes!(routes::retention::preview_retention))
        .with_routes(routes!(routes::retention::undo_retention))
        .with_routes(routes!(routes::template::list_templates))
        .with_routes(routes!(routes::template::change_template))
        .with_routes(routes!(routes::template::preview_template))
        .with_routes(routes!(routes::template::list_template_versions))
        .with_routes(routes!(routes::trust::get_trust))
        .with_routes(routes!(routes::trust::reset_inherited_setup))
        .with_routes(routes!(routes::trust::keep_inherited_setup))
        .with_routes(routes!(routes::trust::operator::approve_business, routes::trust::operator::undo_approve_business))
        .with_routes(routes!(routes::trust::operator::invite_business))
        .with_routes(routes!(routes::test_send::test_email))
        .with_routes(routes!(routes::test_send::test_sms))
        .with_routes(routes!(routes::test_send::test_recipient))
        .with_routes(routes!(routes::system::system_status))
        .with_routes(routes!(routes::system::webhook_status))
        .with_routes(routes!(routes::export::export_business))
        .with_routes(routes!(routes::outbox::get_outbox))
}

fn integration_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(routes::api_key::list_api_keys, routes::api_key::create_api_key))
        .with_routes(routes!(routes::api_key::revoke_api_key))
        .with_routes(routes!(routes::hook::list_webhooks, routes::hook::add_webhook))
        .with_routes(routes!(routes::hook::change_webhook, routes::hook::remove_webhook))
        .with_routes(routes!(routes::hook::change_webhook_secret))
        .with_routes(routes!(routes::hook::test_webhook))
        .with_routes(routes!(routes::hook::list_webhook_calls))
        .with_routes(routes!(routes::hook::retry_webhook_call))
}

fn messaging_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(routes::message::preview_message_retry, routes::message::retry_message))
        .with_routes(routes!(routes::message::write_message))
        .with_routes(routes!(routes::message::cancel_message))
        .with_routes(routes!(routes::inbox::list_conversations))
        .with_routes(routes!(routes::inbox::get_conversation))
        .with_routes(routes!(routes::inbox::mark_conversation_read))
        .with_routes(routes!(routes::inbox::update_conversation))
        .with_routes(routes!(routes::inbox::decide_opt_out))
        .with_routes(routes!(routes::canned::list_canned_replies))
        .with_routes(routes!(routes::canned::add_canned_reply))
        .with_routes(routes!(routes::canned::remove_canned_reply))
        .with_routes(routes!(routes::alert::list_alerts))
        .with_routes(routes!(routes::alert::alert_ways))
        .with_routes(routes!(routes::alert::acknowledge_alert))
        .with_routes(routes!(routes::push::get_push_key))
        .with_routes(routes!(routes::push::list_push_devices))
        .with_routes(routes!(routes::push::add_push_device))
        .with_routes(routes!(routes::push::remove_push_device))
        .with_routes(routes!(routes::push::test_push_device))
        .with_routes(routes!(routes::push::see_push_test))
}

fn webhook_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(routes::webhooks::twilio::sms::handle_inbound_sms))
        .with_routes(routes!(routes::webhooks::twilio::voice::handle_inbound_call))
        .with_routes(routes!(routes::webhooks::twilio::voice::handle_whisper))
        .with_routes(routes!(routes::webhooks::twilio::voice::handle_call_accept))
        .with_routes(routes!(routes::webhooks::twilio::voice::handle_call_status))
        .with_routes(routes!(routes::webhooks::twilio::report::handle_message_status))
        .with_routes(routes!(routes::webhooks::twilio::report::handle_unnamed_message_status))
        .with_routes(routes!(routes::webhooks::stripe::handle_payment_event))
        .with_routes(routes!(routes::webhooks::stripe_billing::handle_billing_event))
        .with_routes(routes!(routes::webhooks::stripe_connect::handle_connect_event))
        .with_routes(routes!(routes::review::webhook::receive_review))
}
