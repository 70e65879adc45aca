//! Routes of messaging: messages and their templates, numbers, the inbox, alerts.

use super::route_list::{RouteList, routes};

mod alert;
mod canned_reply;
mod inbox;
mod message;
mod message_template;
mod sending_number;
mod test_message;
mod texting_registration;

pub fn route_list() -> RouteList {
    RouteList::default().merge_routes(message_routes()).merge_routes(inbox_routes())
}

fn message_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(sending_number::get_sending_number))
        .with_routes(routes!(sending_number::claim_sending_number))
        .with_routes(routes!(sending_number::confirm_sending_number))
        .with_routes(routes!(sending_number::release_sending_number))
        .with_routes(routes!(sending_number::purchase::get_number_offer))
        .with_routes(routes!(sending_number::purchase::search_numbers))
        .with_routes(routes!(sending_number::purchase::order_number))
        .with_routes(routes!(sending_number::takeover::list_account_numbers))
        .with_routes(routes!(sending_number::takeover::take_over_number))
        .with_routes(routes!(texting_registration::get_texting_registration))
        .with_routes(routes!(texting_registration::submit_texting_registration))
        .with_routes(routes!(texting_registration::resend_registration_text))
        .with_routes(routes!(sending_number::operator::list_sending_numbers))
        .with_routes(routes!(sending_number::operator::assign_sending_number))
        .with_routes(routes!(sending_number::operator::share_sending_service))
        .with_routes(routes!(message_template::list_templates))
        .with_routes(routes!(message_template::change_template))
        .with_routes(routes!(message_template::preview_template))
        .with_routes(routes!(message_template::list_template_versions))
        .with_routes(routes!(test_message::test_email))
        .with_routes(routes!(test_message::test_sms))
        .with_routes(routes!(test_message::test_recipient))
        .with_routes(routes!(message::preview_message_retry, message::retry_message))
        .with_routes(routes!(message::write_message))
        .with_routes(routes!(message::cancel_message))
}

fn inbox_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(inbox::list_conversations))
        .with_routes(routes!(inbox::get_conversation))
        .with_routes(routes!(inbox::mark_conversation_read))
        .with_routes(routes!(inbox::update_conversation))
        .with_routes(routes!(inbox::decide_opt_out))
        .with_routes(routes!(canned_reply::list_canned_replies))
        .with_routes(routes!(canned_reply::add_canned_reply))
        .with_routes(routes!(canned_reply::remove_canned_reply))
        .with_routes(routes!(alert::list_alerts))
        .with_routes(routes!(alert::alert_ways))
        .with_routes(routes!(alert::acknowledge_alert))
        .with_routes(routes!(alert::acknowledge_alerts))
}
