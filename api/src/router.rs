//! Every route that the API's description names, with what each may be sent at most.

use std::{collections::BTreeMap, sync::LazyLock};

use axum::{Router, extract::DefaultBodyLimit};
use utoipa::openapi::OpenApi;
use utoipa_axum::{
    router::{OpenApiRouter, UtoipaMethodRouterExt},
    routes,
};

use shared::domain::tenancy::api_key::Scope;

use crate::{openapi, routes, scopes, state::AppState};

/// A public form with five photos of 5 MB and its text.
const FORM_LIMIT: usize = 26 * 1024 * 1024;
/// One picture of 5 MB and the form around it.
const LOGO_LIMIT: usize = 6 * 1024 * 1024;

/// The routes, and what of them is open to keys. Made once: it takes longer than most answers.
pub static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let (router, description) = described().split_for_parts();
    Table { router, scopes: scopes::by_route(description) }
});

/// See [`TABLE`].
pub struct Table {
    pub router: Router<AppState>,
    /// By method and path, as the router matches them.
    pub scopes: BTreeMap<(String, String), Scope>,
}

/// The description of the routes. It is not kept: it takes 15 MB, and is asked for seldom.
pub fn description() -> OpenApi {
    described().into_openapi()
}

/// Every route that the description names, the public ones first.
fn described() -> OpenApiRouter<AppState> {
    OpenApiRouter::with_openapi(openapi::base())
        .routes(routes!(routes::health::healthz))
        .routes(routes!(routes::health::readyz))
        .routes(routes!(routes::form::public_form))
        .routes(routes!(routes::lead::create_lead).layer(DefaultBodyLimit::max(FORM_LIMIT)))
        .routes(routes!(routes::quote::create_quote))
        .routes(routes!(routes::booking::public_slots))
        .routes(routes!(routes::booking::hold_slot))
        .routes(routes!(routes::booking::book_visit))
        .routes(routes!(routes::booking::shown::get_booking))
        .routes(routes!(routes::session::register))
        .routes(routes!(routes::session::login))
        .routes(routes!(routes::session::logout))
        .routes(routes!(routes::session::me))
        .routes(routes!(routes::lead::get_leads))
        .routes(routes!(routes::lead::export_leads))
        .routes(routes!(routes::lead::lead_photo))
        .routes(routes!(routes::lead::release_lead))
        .routes(routes!(routes::lead::hold_lead))
        .routes(routes!(routes::lead::answered::note_answer))
        .routes(routes!(routes::lead::owner::set_lead_owner))
        .routes(routes!(routes::pipeline::get_pipeline))
        .routes(routes!(routes::pipeline::move_lead))
        .routes(routes!(routes::pipeline::preview_reminder))
        .routes(routes!(routes::pipeline::send_reminder))
        .routes(routes!(routes::task::list_tasks))
        .routes(routes!(routes::task::retry_task))
        .routes(routes!(routes::task::retry_tasks))
        .merge(accounts())
        .merge(talk())
        .merge(settings())
        .merge(doors())
        .merge(jobs())
        .merge(team())
        .merge(files())
        .merge(papers())
        .merge(prices())
        .merge(customers())
        .merge(invoices())
        .merge(figures())
        .merge(reviews())
        .merge(security())
        .merge(sending_numbers())
        .merge(billing())
        .routes(routes!(routes::events::events))
        .merge(webhooks())
}

/// The routes of sending numbers.
fn sending_numbers() -> OpenApiRouter<AppState> {
    use routes::sending_number::{self, operator};
    OpenApiRouter::new()
        .routes(routes!(sending_number::get_sending_number))
        .routes(routes!(sending_number::claim_sending_number))
        .routes(routes!(sending_number::confirm_sending_number))
        .routes(routes!(sending_number::give_up_sending_number))
        .routes(routes!(operator::list_sending_numbers))
        .routes(routes!(operator::assign_sending_number))
        .routes(routes!(operator::share_sending_service))
}

/// The routes of security administration.
fn security() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(routes::security::get_security_status))
        .routes(routes!(routes::security::get_security_report))
        .routes(routes!(routes::security::get_compliance_report))
        .routes(routes!(routes::security::list_security_alerts))
        .routes(routes!(routes::security::switch_security_alert))
        .routes(routes!(routes::security::audit_log::get_audit_log))
        .routes(routes!(routes::security::audit_log::export_audit_log))
        .routes(routes!(routes::security::audit_log::verify_audit_log))
        .routes(routes!(routes::security::client::list_clients))
        .routes(routes!(routes::security::client::reset_client_password))
}

/// The routes of estimates and of what is paid.
fn papers() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(routes::estimate::make_estimate))
        .routes(routes!(routes::estimate::preview_estimate))
        .routes(routes!(routes::estimate::list_estimates))
        .routes(routes!(routes::estimate::estimate_pdf))
        .routes(routes!(routes::estimate::change::send_estimate))
        .routes(routes!(routes::estimate::change::revise_estimate))
        .routes(routes!(routes::estimate::change::withdraw_estimate))
        .routes(routes!(routes::estimate::change::renew_estimate_link))
        .routes(routes!(routes::payment::mark_paid))
        .routes(routes!(routes::payment::get_lead_money))
        .routes(routes!(routes::payment::list::list_payments))
        .routes(routes!(routes::payment::list::export_payments))
        .routes(routes!(routes::payment::undo_payment))
        .routes(routes!(routes::payment::refund_payment))
        .routes(routes!(routes::payment::settle::settle_refund))
        .routes(routes!(routes::payment::get_receipt))
        .routes(routes!(routes::payment::send_receipt))
}

/// The routes of the owner's figures, and of what jobs have cost.
fn figures() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(routes::metrics::get_kpis))
        .routes(routes!(routes::metrics::get_daily_metrics))
        .routes(routes!(routes::recovered::get_recovered))
        .routes(routes!(routes::recovered::list_recovered_chains))
        .routes(routes!(routes::recovered::export_recovered))
        .routes(routes!(routes::pulse::get_kpi_pulse, routes::pulse::send_kpi_pulse))
        .routes(routes!(routes::cost::get_job_costs, routes::cost::add_job_cost))
        .routes(routes!(routes::cost::remove_job_cost))
}

/// The routes of what businesses pay for the product.
fn billing() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(routes::billing::begin::get_checkout))
        .routes(routes!(routes::billing::begin::create_subscription))
        .routes(routes!(routes::billing::requests::list_demo_requests))
        .routes(routes!(routes::billing::requests::invite_demo_request))
        .routes(routes!(routes::billing::get_subscription))
        .routes(routes!(routes::billing::create_portal_session))
        .routes(routes!(routes::billing::claim_subscription))
        .routes(routes!(routes::billing::cancel_subscription, routes::billing::keep_subscription))
        .routes(routes!(routes::billing::invoices::list_subscription_invoices))
        .routes(routes!(routes::billing::invoices::download_subscription_invoices))
}

/// The routes of invoices.
fn invoices() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(routes::invoice::list::list_invoices))
        .routes(routes!(routes::invoice::send::make_invoice))
        .routes(routes!(routes::invoice::list::export_invoices))
        .routes(routes!(routes::invoice::remind::preview_invoice_reminders))
        .routes(routes!(routes::invoice::remind::tick_invoice_reminders))
        .routes(routes!(routes::invoice::get_invoice))
        .routes(routes!(routes::invoice::change::change_invoice))
        .routes(routes!(routes::invoice::change::remove_invoice))
        .routes(routes!(routes::invoice::send::send_invoice))
        .routes(routes!(routes::invoice::invoice_pdf))
        .routes(routes!(routes::invoice::change::void_invoice))
        .routes(routes!(routes::invoice::change::promise_invoice))
        .routes(routes!(routes::invoice::change::dispute_invoice))
        .routes(routes!(routes::invoice::change::renew_invoice_link))
}

/// The routes of the price book.
fn prices() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(routes::price::list_price_items))
        .routes(routes!(routes::price::add_price_item))
        .routes(routes!(routes::price::change_price_item))
        .routes(routes!(routes::price::remove_price_item))
        .routes(routes!(routes::price::import_price_items).layer(DefaultBodyLimit::max(routes::price::LIMIT)))
        .routes(routes!(routes::proof::verify_estimate))
}

/// The routes of customers.
fn customers() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(routes::customer::list_customers))
        .routes(routes!(routes::customer::get_customer))
        .routes(routes!(routes::customer::change_customer))
        .routes(routes!(routes::customer::add_property))
        .routes(routes!(routes::customer::change_property))
        .routes(routes!(routes::customer::remove_property))
        .routes(routes!(routes::customer::preview_merge))
        .routes(routes!(routes::customer::merge_customers))
        .routes(routes!(routes::customer::undo_merge))
        .routes(routes!(routes::customer::proposal::use_contact_proposal))
        .routes(routes!(routes::customer::proposal::dismiss_contact_proposal))
        .routes(routes!(routes::customer::proposal::undo_contact_proposal))
        .routes(routes!(routes::customer::import::import_customers).layer(DefaultBodyLimit::max(routes::price::LIMIT)))
        .routes(routes!(routes::customer::import::list_customer_imports))
        .routes(routes!(routes::customer::import::undo_customer_import))
        .routes(routes!(routes::customer::personal_data::get_personal_data))
        .routes(routes!(routes::customer::personal_data::export_personal_data))
        .routes(routes!(routes::customer::personal_data::erase_customer))
        .routes(routes!(routes::customer::personal_data::keep_customer))
}

/// The routes of reviews.
fn reviews() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(routes::review::list_reviews, routes::review::change::add_review))
        .routes(routes!(routes::review::review_summary))
        .routes(routes!(routes::review::export_reviews))
        .routes(routes!(routes::review::change::import_reviews).layer(DefaultBodyLimit::max(routes::price::LIMIT)))
        .routes(routes!(routes::review::report::review_report))
        .routes(routes!(routes::review::ask::list_asks))
        .routes(routes!(routes::review::ask::stop_ask))
        .routes(routes!(routes::review::get_review, routes::review::change::remove_review))
        .routes(routes!(routes::review::change::match_review))
        .routes(routes!(routes::review::change::reply_to_review))
        .routes(routes!(routes::review::ask::preview_lead_review, routes::review::ask::request_lead_review))
        .routes(routes!(routes::review::ask::preview_job_review, routes::review::ask::request_job_review))
        .routes(routes!(
            routes::review::webhook::get_webhook,
            routes::review::webhook::make_key,
            routes::review::webhook::remove_key
        ))
}

/// The routes of photos and documents.
fn files() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(routes::file::add_job_files).layer(DefaultBodyLimit::max(routes::file::LIMIT)))
        .routes(routes!(routes::file::list_lead_files))
        .routes(routes!(routes::file::add_lead_files).layer(DefaultBodyLimit::max(routes::file::LIMIT)))
        .routes(routes!(routes::file::download_job_files))
        .routes(routes!(routes::file::get_file))
        .routes(routes!(routes::file::get_file_address))
        .routes(routes!(routes::file::remove_file))
}

/// The routes of getting in, and of a person's own account.
fn accounts() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(routes::session::code::sign_in_with_code))
        .routes(routes!(routes::session::code::set_up_at_sign_in))
        .routes(routes!(routes::session::code::confirm_at_sign_in))
        .routes(routes!(routes::session::reset::ask_for_reset))
        .routes(routes!(routes::session::reset::reset_password))
        .routes(routes!(routes::session::prove::prove_identity))
        .routes(routes!(routes::session::prove::begin_passkey_proof))
        .routes(routes!(routes::session::prove::prove_by_passkey))
        .routes(routes!(routes::session::passkey::begin_passkey_sign_in))
        .routes(routes!(routes::session::passkey::sign_in_with_passkey))
        .routes(routes!(routes::account::passkeys::list_passkeys, routes::account::passkeys::add_passkey))
        .routes(routes!(routes::account::passkeys::begin_passkey))
        .routes(routes!(routes::account::passkeys::rename_passkey, routes::account::passkeys::remove_passkey))
        .routes(routes!(routes::trust::get_registration))
        .routes(routes!(routes::trust::prove_address))
        .routes(routes!(routes::trust::look_at_proof))
        .routes(routes!(routes::trust::disown_address))
        .routes(routes!(routes::trust::send_address_proof))
        .routes(routes!(routes::account::get_account))
        .routes(routes!(routes::account::list_signed_in_devices, routes::account::sign_out_other_devices))
        .routes(routes!(routes::account::sign_out_device))
        .routes(routes!(routes::account::offline::give_offline_keys))
        .routes(routes!(routes::account::change_password))
        .routes(routes!(
            routes::account::second_step::begin_second_factor,
            routes::account::second_step::remove_second_factor
        ))
        .routes(routes!(routes::account::second_step::confirm_second_factor))
        .routes(routes!(routes::account::second_step::renew_recovery_codes))
}

/// The routes of the people of a business.
fn team() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(routes::team::list_team))
        .routes(routes!(routes::team::change_team_member))
        .routes(routes!(routes::account::second_step::require_second_factor))
        .routes(routes!(routes::team::forget_second_factor))
        .routes(routes!(routes::team::list_invites))
        .routes(routes!(routes::team::invite_member))
        .routes(routes!(routes::team::revoke_invite))
        .routes(routes!(routes::team::get_invite))
        .routes(routes!(routes::team::accept_invite))
}

/// The routes of booked jobs and crews.
fn jobs() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(routes::job::list_jobs))
        .routes(routes!(routes::job::job_tiles))
        .routes(routes!(routes::job::export_jobs))
        .routes(routes!(routes::job::get_job))
        .routes(routes!(routes::job::change::create_job))
        .routes(routes!(routes::job::change::change_job))
        .routes(routes!(routes::job::change::schedule_job))
        .routes(routes!(routes::job::change::undo_work))
        .routes(routes!(routes::job::field::change_job_status))
        .routes(routes!(routes::job::field::add_job_note))
        .routes(routes!(routes::job::field::tick_job_check))
        .routes(routes!(routes::job::dispatch_notice::say_on_my_way))
        .routes(routes!(routes::job::dispatch_notice::say_late))
        .routes(routes!(routes::change_order::list_change_orders, routes::change_order::make_change_order))
        .routes(routes!(routes::change_order::preview_change_order))
        .routes(routes!(routes::schedule::get_schedule))
        .routes(routes!(routes::crew::list_crews))
        .routes(routes!(routes::crew::add_crew))
        .routes(routes!(routes::crew::change_crew))
        .routes(routes!(routes::feed::rotate_crew_feed))
}

/// The routes of the settings screen.
fn settings() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(routes::org::get_organization))
        .routes(routes!(routes::org::change_organization))
        .routes(routes!(routes::card::get_cards, routes::card::set_keys, routes::card::remove_keys))
        .routes(routes!(routes::connect::begin_connection))
        .routes(routes!(routes::connect::return_from_stripe))
        .routes(routes!(routes::org::get_settings))
        .routes(routes!(routes::org::change_settings))
        .routes(routes!(routes::org::add_recipient))
        .routes(routes!(routes::org::remove_recipient))
        .routes(routes!(routes::logo::set_logo).layer(DefaultBodyLimit::max(LOGO_LIMIT)))
        .routes(routes!(routes::logo::remove_logo))
        .routes(routes!(routes::logo::get_logo))
        .routes(routes!(routes::org::preview_switch))
        .routes(routes!(routes::retention::get_retention, routes::retention::set_retention))
        .routes(routes!(routes::retention::preview_retention))
        .routes(routes!(routes::retention::undo_retention))
        .routes(routes!(routes::template::list_templates))
        .routes(routes!(routes::template::change_template))
        .routes(routes!(routes::template::preview_template))
        .routes(routes!(routes::template::list_template_versions))
        .routes(routes!(routes::trust::get_trust))
        .routes(routes!(routes::trust::reset_inherited_setup))
        .routes(routes!(routes::trust::keep_inherited_setup))
        .routes(routes!(routes::trust::let_business_through, routes::trust::undo_let_business_through))
        .routes(routes!(routes::trust::invite_business))
        .routes(routes!(routes::test_send::test_email))
        .routes(routes!(routes::test_send::test_sms))
        .routes(routes!(routes::test_send::test_recipient))
        .routes(routes!(routes::system::system_status))
        .routes(routes!(routes::system::webhook_status))
        .routes(routes!(routes::export::export_business))
        .routes(routes!(routes::outbox::get_outbox))
}

/// The routes of what other programs have to do with the business: their keys, and the webhooks that tell them.
fn doors() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(routes::api_key::list_api_keys, routes::api_key::make_api_key))
        .routes(routes!(routes::api_key::revoke_api_key))
        .routes(routes!(routes::hook::list_webhooks, routes::hook::add_webhook))
        .routes(routes!(routes::hook::change_webhook, routes::hook::remove_webhook))
        .routes(routes!(routes::hook::change_webhook_secret))
        .routes(routes!(routes::hook::test_webhook))
        .routes(routes!(routes::hook::list_webhook_calls))
        .routes(routes!(routes::hook::retry_webhook_call))
}

/// The routes of what is said and told: conversations, alerts, devices.
fn talk() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(routes::message::look_at_retry, routes::message::retry_message))
        .routes(routes!(routes::message::write_message))
        .routes(routes!(routes::message::cancel_message))
        .routes(routes!(routes::inbox::list_threads))
        .routes(routes!(routes::inbox::get_conversation))
        .routes(routes!(routes::inbox::read_thread))
        .routes(routes!(routes::inbox::change_thread))
        .routes(routes!(routes::inbox::decide_opt_out))
        .routes(routes!(routes::canned::list_canned_replies))
        .routes(routes!(routes::canned::add_canned_reply))
        .routes(routes!(routes::canned::remove_canned_reply))
        .routes(routes!(routes::alert::list_alerts))
        .routes(routes!(routes::alert::alert_ways))
        .routes(routes!(routes::alert::see_alert))
        .routes(routes!(routes::push::get_push_key))
        .routes(routes!(routes::push::list_push_devices))
        .routes(routes!(routes::push::add_push_device))
        .routes(routes!(routes::push::remove_push_device))
        .routes(routes!(routes::push::test_push_device))
        .routes(routes!(routes::push::see_push_test))
}

/// The routes of what providers tell us.
fn webhooks() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(routes::webhooks::twilio::sms::text))
        .routes(routes!(routes::webhooks::twilio::voice::call))
        .routes(routes!(routes::webhooks::twilio::voice::whisper))
        .routes(routes!(routes::webhooks::twilio::voice::accept))
        .routes(routes!(routes::webhooks::twilio::voice::status))
        .routes(routes!(routes::webhooks::twilio::report::message_status))
        .routes(routes!(routes::webhooks::twilio::report::any_message_status))
        .routes(routes!(routes::webhooks::stripe::event))
        .routes(routes!(routes::webhooks::stripe_billing::event))
        .routes(routes!(routes::webhooks::stripe_connect::event))
        .routes(routes!(routes::review::webhook::bring))
}
