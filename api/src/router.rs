//! Every route of the API description, with its body limit.

use std::{collections::BTreeSet, sync::LazyLock};

use axum::{
    Router,
    extract::DefaultBodyLimit,
    routing::{MethodFilter, MethodRouter},
};
use utoipa::openapi::{HttpMethod, OpenApi};
use utoipa_axum::{PathItemExt, router::OpenApiRouter};

use crate::{openapi, routes, state::AppState};

const FORM_LIMIT: usize = 26 * 1024 * 1024;
/// One picture of 5 MB and its form.
const LOGO_LIMIT: usize = 6 * 1024 * 1024;

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

/// Operations of one path. Routing does not build their description, which takes more time and memory than all else
/// at start.
struct Operations {
    paths: BTreeSet<String>,
    handlers: MethodRouter<AppState>,
    describe: fn(OpenApiRouter<AppState>) -> OpenApiRouter<AppState>,
}

impl Operations {
    fn layer(self, limit: DefaultBodyLimit) -> Self {
        Self { handlers: self.handlers.layer(limit), ..self }
    }
}

/// As `utoipa_axum::routes`, which builds the description at once.
macro_rules! routes {
    ($($handler:path),+ $(,)?) => {{
        let mut paths = BTreeSet::new();
        let handlers = MethodRouter::new();
        $(
            let (path, methods) = utoipa_axum::paste! {
                (utoipa_axum::routes!(@path [path()] of $handler), utoipa_axum::routes!(@path [methods()] of $handler))
            };
            paths.insert(path);
            let handlers = handlers.on(method_filter(&methods), $handler);
        )+
        Operations { paths, handlers, describe: |document| document.routes(utoipa_axum::routes!($($handler),+)) }
    }};
}

/// An operation has at least one method.
fn method_filter(methods: &[HttpMethod]) -> MethodFilter {
    let mut filters = methods.iter().map(PathItemExt::to_method_filter);
    let first = filters.next().unwrap_or(MethodFilter::GET);
    filters.fold(first, MethodFilter::or)
}

#[derive(Default)]
struct RouteList(Vec<Operations>);

impl RouteList {
    fn routes(mut self, operations: Operations) -> Self {
        self.0.push(operations);
        self
    }

    fn merge(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }
}

/// Public routes come first.
fn all_routes() -> RouteList {
    RouteList::default()
        .routes(routes!(routes::health::check_liveness))
        .routes(routes!(routes::health::check_readiness))
        .routes(routes!(routes::form::public_form))
        .routes(routes!(routes::lead::create_lead).layer(DefaultBodyLimit::max(FORM_LIMIT)))
        .routes(routes!(routes::quote::create_quote))
        .routes(routes!(routes::booking::public_slots))
        .routes(routes!(routes::booking::hold_slot))
        .routes(routes!(routes::booking::book_visit))
        .routes(routes!(routes::booking::shown::get_booking))
        .routes(routes!(routes::session::register_business))
        .routes(routes!(routes::session::login))
        .routes(routes!(routes::session::logout))
        .routes(routes!(routes::session::get_current_user))
        .routes(routes!(routes::lead::get_leads))
        .routes(routes!(routes::lead::export_leads))
        .routes(routes!(routes::lead::lead_photo))
        .routes(routes!(routes::lead::release_lead))
        .routes(routes!(routes::lead::hold_lead))
        .routes(routes!(routes::lead::answered::record_manual_answer))
        .routes(routes!(routes::lead::owner::set_lead_owner))
        .routes(routes!(routes::pipeline::get_pipeline))
        .routes(routes!(routes::pipeline::move_lead))
        .routes(routes!(routes::pipeline::preview_reminder))
        .routes(routes!(routes::pipeline::send_reminder))
        .routes(routes!(routes::task::list_tasks))
        .routes(routes!(routes::task::retry_task))
        .routes(routes!(routes::task::retry_tasks))
        .merge(account_routes())
        .merge(messaging_routes())
        .merge(settings_routes())
        .merge(integration_routes())
        .merge(job_routes())
        .merge(team_routes())
        .merge(file_routes())
        .merge(estimate_routes())
        .merge(price_routes())
        .merge(customer_routes())
        .merge(invoice_routes())
        .merge(metrics_routes())
        .merge(review_routes())
        .merge(security_routes())
        .merge(sending_number_routes())
        .merge(billing_routes())
        .routes(routes!(routes::events::stream_events))
        .merge(webhook_routes())
}

fn sending_number_routes() -> RouteList {
    use routes::sending_number::{self, operator};
    RouteList::default()
        .routes(routes!(sending_number::get_sending_number))
        .routes(routes!(sending_number::claim_sending_number))
        .routes(routes!(sending_number::confirm_sending_number))
        .routes(routes!(sending_number::release_sending_number))
        .routes(routes!(operator::list_sending_numbers))
        .routes(routes!(operator::assign_sending_number))
        .routes(routes!(operator::share_sending_service))
}

fn security_routes() -> RouteList {
    RouteList::default()
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

fn estimate_routes() -> RouteList {
    RouteList::default()
        .routes(routes!(routes::estimate::create_estimate))
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

fn metrics_routes() -> RouteList {
    RouteList::default()
        .routes(routes!(routes::metrics::get_kpis))
        .routes(routes!(routes::metrics::get_daily_metrics))
        .routes(routes!(routes::recovered::get_recovered))
        .routes(routes!(routes::recovered::list_recovered_chains))
        .routes(routes!(routes::recovered::export_recovered))
        .routes(routes!(routes::pulse::get_kpi_pulse, routes::pulse::send_kpi_pulse))
        .routes(routes!(routes::cost::get_job_costs, routes::cost::add_job_cost))
        .routes(routes!(routes::cost::remove_job_cost))
}

fn billing_routes() -> RouteList {
    RouteList::default()
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

fn invoice_routes() -> RouteList {
    RouteList::default()
        .routes(routes!(routes::invoice::list::list_invoices))
        .routes(routes!(routes::invoice::send::create_invoice))
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

fn price_routes() -> RouteList {
    RouteList::default()
        .routes(routes!(routes::price::list_price_items))
        .routes(routes!(routes::price::add_price_item))
        .routes(routes!(routes::price::change_price_item))
        .routes(routes!(routes::price::remove_price_item))
        .routes(routes!(routes::price::import_price_items).layer(DefaultBodyLimit::max(routes::price::LIMIT)))
        .routes(routes!(routes::proof::verify_estimate))
}

fn customer_routes() -> RouteList {
    RouteList::default()
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

fn review_routes() -> RouteList {
    RouteList::default()
        .routes(routes!(routes::review::list_reviews, routes::review::change::add_review))
        .routes(routes!(routes::review::review_summary))
        .routes(routes!(routes::review::export_reviews))
        .routes(routes!(routes::review::change::import_reviews).layer(DefaultBodyLimit::max(routes::price::LIMIT)))
        .routes(routes!(routes::review::report::review_report))
        .routes(routes!(routes::review::ask::list_review_requests))
        .routes(routes!(routes::review::ask::stop_review_request))
        .routes(routes!(routes::review::get_review, routes::review::change::remove_review))
        .routes(routes!(routes::review::change::match_review))
        .routes(routes!(routes::review::change::reply_to_review))
        .routes(routes!(routes::review::ask::preview_lead_review, routes::review::ask::request_lead_review))
        .routes(routes!(routes::review::ask::preview_job_review, routes::review::ask::request_job_review))
        .routes(routes!(
            routes::review::webhook::get_webhook,
            routes::review::webhook::create_key,
            routes::review::webhook::remove_key
        ))
}

fn file_routes() -> RouteList {
    RouteList::default()
        .routes(routes!(routes::file::add_job_files).layer(DefaultBodyLimit::max(routes::file::LIMIT)))
        .routes(routes!(routes::file::list_lead_files))
        .routes(routes!(routes::file::add_lead_files).layer(DefaultBodyLimit::max(routes::file::LIMIT)))
        .routes(routes!(routes::file::download_job_files))
        .routes(routes!(routes::file::get_file))
        .routes(routes!(routes::file::get_file_address))
        .routes(routes!(routes::file::remove_file))
}

fn account_routes() -> RouteList {
    RouteList::default()
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
        .routes(routes!(routes::trust::preview_address_proof))
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

fn team_routes() -> RouteList {
    RouteList::default()
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

fn job_routes() -> RouteList {
    RouteList::default()
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
        .routes(routes!(routes::job::dispatch_notice::send_on_my_way))
        .routes(routes!(routes::job::dispatch_notice::send_running_late))
        .routes(routes!(routes::change_order::list_change_orders, routes::change_order::create_change_order))
        .routes(routes!(routes::change_order::preview_change_order))
        .routes(routes!(routes::schedule::get_schedule))
        .routes(routes!(routes::crew::list_crews))
        .routes(routes!(routes::crew::add_crew))
        .routes(routes!(routes::crew::change_crew))
        .routes(routes!(routes::feed::rotate_crew_feed))
}

fn settings_routes() -> RouteList {
    RouteList::default()
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
        .routes(routes!(routes::trust::approve_business, routes::trust::undo_approve_business))
        .routes(routes!(routes::trust::invite_business))
        .routes(routes!(routes::test_send::test_email))
        .routes(routes!(routes::test_send::test_sms))
        .routes(routes!(routes::test_send::test_recipient))
        .routes(routes!(routes::system::system_status))
        .routes(routes!(routes::system::webhook_status))
        .routes(routes!(routes::export::export_business))
        .routes(routes!(routes::outbox::get_outbox))
}

fn integration_routes() -> RouteList {
    RouteList::default()
        .routes(routes!(routes::api_key::list_api_keys, routes::api_key::create_api_key))
        .routes(routes!(routes::api_key::revoke_api_key))
        .routes(routes!(routes::hook::list_webhooks, routes::hook::add_webhook))
        .routes(routes!(routes::hook::change_webhook, routes::hook::remove_webhook))
        .routes(routes!(routes::hook::change_webhook_secret))
        .routes(routes!(routes::hook::test_webhook))
        .routes(routes!(routes::hook::list_webhook_calls))
        .routes(routes!(routes::hook::retry_webhook_call))
}

fn messaging_routes() -> RouteList {
    RouteList::default()
        .routes(routes!(routes::message::preview_message_retry, routes::message::retry_message))
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
        .routes(routes!(routes::alert::acknowledge_alert))
        .routes(routes!(routes::push::get_push_key))
        .routes(routes!(routes::push::list_push_devices))
        .routes(routes!(routes::push::add_push_device))
        .routes(routes!(routes::push::remove_push_device))
        .routes(routes!(routes::push::test_push_device))
        .routes(routes!(routes::push::see_push_test))
}

fn webhook_routes() -> RouteList {
    RouteList::default()
        .routes(routes!(routes::webhooks::twilio::sms::handle_inbound_sms))
        .routes(routes!(routes::webhooks::twilio::voice::handle_inbound_call))
        .routes(routes!(routes::webhooks::twilio::voice::handle_whisper))
        .routes(routes!(routes::webhooks::twilio::voice::handle_call_accept))
        .routes(routes!(routes::webhooks::twilio::voice::handle_call_status))
        .routes(routes!(routes::webhooks::twilio::report::handle_message_status))
        .routes(routes!(routes::webhooks::twilio::report::handle_unnamed_message_status))
        .routes(routes!(routes::webhooks::stripe::handle_payment_event))
        .routes(routes!(routes::webhooks::stripe_billing::handle_billing_event))
        .routes(routes!(routes::webhooks::stripe_connect::handle_connect_event))
        .routes(routes!(routes::review::webhook::receive_review))
}
