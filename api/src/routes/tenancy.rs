//! Routes of tenants: registration and sign-in, accounts, teams, the business and its settings, security.

use axum::extract::DefaultBodyLimit;

use super::route_list::{RouteList, routes};

mod account;
pub mod account_mail_status;
mod api_key;
pub mod org;
mod org_logo;
mod push_device;
mod security;
mod session;
mod setup;
mod team;
mod trust_level;

pub fn route_list() -> RouteList {
    RouteList::default()
        .merge_routes(session_routes())
        .merge_routes(account_routes())
        .merge_routes(org_routes())
        .merge_routes(security_routes())
}

fn session_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(session::account_registration::register_business))
        .with_routes(routes!(session::login))
        .with_routes(routes!(session::logout))
        .with_routes(routes!(session::get_current_user))
        .with_routes(routes!(session::second_factor_sign_in::sign_in_with_code))
        .with_routes(routes!(session::second_factor_sign_in::set_up_at_sign_in))
        .with_routes(routes!(session::second_factor_sign_in::confirm_at_sign_in))
        .with_routes(routes!(session::password_reset::ask_for_reset))
        .with_routes(routes!(session::password_reset::reset_password))
        .with_routes(routes!(session::reauthentication::prove_identity))
        .with_routes(routes!(session::reauthentication::begin_passkey_proof))
        .with_routes(routes!(session::reauthentication::prove_by_passkey))
        .with_routes(routes!(session::passkey::begin_passkey_sign_in))
        .with_routes(routes!(session::passkey::sign_in_with_passkey))
        .with_routes(routes!(trust_level::get_registration))
        .with_routes(routes!(trust_level::address_proof::prove_address))
        .with_routes(routes!(trust_level::address_proof::preview_address_proof))
        .with_routes(routes!(trust_level::address_proof::disown_address))
        .with_routes(routes!(trust_level::address_proof::send_address_proof))
        .with_routes(routes!(trust_level::get_trust))
        .with_routes(routes!(trust_level::reset_inherited_setup))
        .with_routes(routes!(trust_level::keep_inherited_setup))
        .with_routes(routes!(trust_level::operator::approve_business, trust_level::operator::undo_approve_business))
        .with_routes(routes!(trust_level::operator::invite_business))
}

fn account_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(account::passkeys::list_passkeys, account::passkeys::add_passkey))
        .with_routes(routes!(account::passkeys::begin_passkey))
        .with_routes(routes!(account::passkeys::rename_passkey, account::passkeys::remove_passkey))
        .with_routes(routes!(account::get_account))
        .with_routes(routes!(account::list_signed_in_devices, account::sign_out_other_devices))
        .with_routes(routes!(account::sign_out_device))
        .with_routes(routes!(account::set_language))
        .with_routes(routes!(account::offline::give_offline_keys))
        .with_routes(routes!(account::change_password))
        .with_routes(routes!(
            account::second_factor_setup::begin_second_factor,
            account::second_factor_setup::remove_second_factor
        ))
        .with_routes(routes!(account::second_factor_setup::confirm_second_factor))
        .with_routes(routes!(account::second_factor_setup::renew_recovery_codes))
        .with_routes(routes!(team::list_team))
        .with_routes(routes!(team::change_team_member))
        .with_routes(routes!(account::second_factor_setup::require_second_factor))
        .with_routes(routes!(team::forget_second_factor))
        .with_routes(routes!(team::list_invites))
        .with_routes(routes!(team::invite_member))
        .with_routes(routes!(team::revoke_invite))
        .with_routes(routes!(team::invitation_link::get_invite))
        .with_routes(routes!(team::invitation_link::accept_invite))
        .with_routes(routes!(push_device::get_push_key))
        .with_routes(routes!(push_device::list_push_devices))
        .with_routes(routes!(push_device::add_push_device))
        .with_routes(routes!(push_device::remove_push_device))
        .with_routes(routes!(push_device::test_push_device))
        .with_routes(routes!(push_device::see_push_test))
}

fn org_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(org::get_organization))
        .with_routes(routes!(org::change_organization))
        .with_routes(routes!(org::get_settings))
        .with_routes(routes!(org::change_settings))
        .with_routes(routes!(org::add_recipient))
        .with_routes(routes!(org::remove_recipient))
        .with_routes(routes!(org_logo::set_logo).with_body_limit(DefaultBodyLimit::max(org_logo::LIMIT)))
        .with_routes(routes!(org_logo::remove_logo))
        .with_routes(routes!(org_logo::get_logo))
        .with_routes(routes!(org::preview_switch))
        .with_routes(routes!(setup::list_setup_steps))
        .with_routes(routes!(setup::get_form_address))
        .with_routes(routes!(api_key::list_api_keys, api_key::create_api_key))
        .with_routes(routes!(api_key::revoke_api_key))
}

fn security_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(security::get_security_status))
        .with_routes(routes!(security::get_security_report))
        .with_routes(routes!(security::get_compliance_report))
        .with_routes(routes!(security::list_security_alerts))
        .with_routes(routes!(security::switch_security_alert))
        .with_routes(routes!(security::audit_log::get_audit_log))
        .with_routes(routes!(security::audit_log::export_audit_log))
        .with_routes(routes!(security::audit_log::verify_audit_log))
        .with_routes(routes!(security::client_management::list_clients))
        .with_routes(routes!(security::client_management::reset_client_password))
}
