//! Routes of growth: figures, attribution, reports, reviews, the worklist; and the search over all domains.

use axum::extract::DefaultBodyLimit;

use super::route_list::{RouteList, routes};
use crate::extract::CSV_LIMIT;

mod attribution;
mod dashboard_metrics;
mod kpi_pulse;
mod review;
mod search;
mod worklist;

pub fn route_list() -> RouteList {
    RouteList::default()
        .merge_routes(metrics_routes())
        .merge_routes(review_routes())
        .merge_routes(worklist_routes())
        .with_routes(routes!(search::search_records))
}

fn metrics_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(dashboard_metrics::get_kpis))
        .with_routes(routes!(dashboard_metrics::get_daily_metrics))
        .with_routes(routes!(attribution::get_recovered))
        .with_routes(routes!(attribution::list_recovered_chains))
        .with_routes(routes!(attribution::export_recovered))
        .with_routes(routes!(kpi_pulse::get_kpi_pulse, kpi_pulse::send_kpi_pulse))
}

fn review_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(review::list_reviews, review::change::add_review))
        .with_routes(routes!(review::review_summary))
        .with_routes(routes!(review::export_reviews))
        .with_routes(routes!(review::change::import_reviews).with_body_limit(DefaultBodyLimit::max(CSV_LIMIT)))
        .with_routes(routes!(review::report::review_report))
        .with_routes(routes!(review::review_request::list_review_requests))
        .with_routes(routes!(review::review_request::stop_review_request))
        .with_routes(routes!(review::get_review, review::change::remove_review))
        .with_routes(routes!(review::change::match_review))
        .with_routes(routes!(review::change::reply_to_review))
        .with_routes(routes!(review::review_request::preview_lead_review, review::review_request::request_lead_review))
        .with_routes(routes!(review::review_request::preview_job_review, review::review_request::request_job_review))
        .with_routes(routes!(
            review::inbound_webhook::get_webhook,
            review::inbound_webhook::create_key,
            review::inbound_webhook::remove_key
        ))
        .with_routes(routes!(review::inbound_webhook::receive_review))
}

fn worklist_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(worklist::list_worklist))
        .with_routes(routes!(worklist::count_worklist))
        .with_routes(routes!(worklist::finish_work_item))
        .with_routes(routes!(worklist::snooze_work_item))
        .with_routes(routes!(worklist::assign_work_item))
        .with_routes(routes!(worklist::undo_work_item))
}
