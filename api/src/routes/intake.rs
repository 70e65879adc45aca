//! Routes of intake: public forms, leads, customers.

use axum::extract::DefaultBodyLimit;

use super::route_list::{RouteList, routes};
use crate::extract::CSV_LIMIT;

mod customer;
pub mod lead;
pub mod public_form;
mod quote_request;

pub fn route_list() -> RouteList {
    RouteList::default().merge_routes(lead_routes()).merge_routes(customer_routes())
}

fn lead_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(public_form::public_form))
        .with_routes(routes!(lead::create_lead).with_body_limit(DefaultBodyLimit::max(lead::upload::LIMIT)))
        .with_routes(routes!(quote_request::create_quote))
        .with_routes(routes!(lead::typed_lead::add_lead))
        .with_routes(routes!(lead::get_leads))
        .with_routes(routes!(lead::export_leads))
        .with_routes(routes!(lead::lead_photo))
        .with_routes(routes!(lead::release_lead))
        .with_routes(routes!(lead::quarantine_lead_again))
        .with_routes(routes!(lead::manual_answer::record_manual_answer))
        .with_routes(routes!(lead::owner::set_lead_owner))
}

fn customer_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(customer::list_customers))
        .with_routes(routes!(customer::get_customer))
        .with_routes(routes!(customer::change_customer))
        .with_routes(routes!(customer::add_property))
        .with_routes(routes!(customer::change_property))
        .with_routes(routes!(customer::remove_property))
        .with_routes(routes!(customer::preview_merge))
        .with_routes(routes!(customer::merge_customers))
        .with_routes(routes!(customer::undo_merge))
        .with_routes(routes!(customer::proposal::use_contact_proposal))
        .with_routes(routes!(customer::proposal::dismiss_contact_proposal))
        .with_routes(routes!(customer::proposal::undo_contact_proposal))
        .with_routes(routes!(customer::import::import_customers).with_body_limit(DefaultBodyLimit::max(CSV_LIMIT)))
        .with_routes(routes!(customer::import::list_customer_imports))
        .with_routes(routes!(customer::import::undo_customer_import))
        .with_routes(routes!(customer::personal_data::get_personal_data))
        .with_routes(routes!(customer::personal_data::export_personal_data))
        .with_routes(routes!(customer::personal_data::erase_customer))
        .with_routes(routes!(customer::personal_data::keep_customer))
}
