//! Routes of work: booking, the pipeline, jobs, crews, files.

use axum::extract::DefaultBodyLimit;

use super::route_list::{RouteList, routes};

pub mod booking;
mod crew;
pub mod crew_calendar_feed;
pub mod file;
mod job;
mod job_cost;
mod pipeline;
mod schedule;

pub fn route_list() -> RouteList {
    RouteList::default()
        .merge_routes(booking_routes())
        .merge_routes(pipeline_routes())
        .merge_routes(job_routes())
        .merge_routes(file_routes())
}

fn booking_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(booking::public_slots))
        .with_routes(routes!(booking::request_times::public_times))
        .with_routes(routes!(booking::hold_slot))
        .with_routes(routes!(booking::book_visit))
        .with_routes(routes!(booking::overview::get_booking))
}

fn pipeline_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(pipeline::get_pipeline))
        .with_routes(routes!(pipeline::move_lead))
        .with_routes(routes!(pipeline::preview_reminder))
        .with_routes(routes!(pipeline::send_reminder))
}

fn job_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(job_cost::get_job_costs, job_cost::add_job_cost))
        .with_routes(routes!(job_cost::remove_job_cost))
        .with_routes(routes!(job::list_jobs))
        .with_routes(routes!(job::job_tiles))
        .with_routes(routes!(job::export_jobs))
        .with_routes(routes!(job::get_job))
        .with_routes(routes!(job::change::create_job))
        .with_routes(routes!(job::change::change_job))
        .with_routes(routes!(job::change::schedule_job))
        .with_routes(routes!(job::change::undo_work))
        .with_routes(routes!(job::field::change_job_status))
        .with_routes(routes!(job::field::add_job_note))
        .with_routes(routes!(job::field::tick_job_check))
        .with_routes(routes!(job::dispatch_notice::send_on_my_way))
        .with_routes(routes!(job::dispatch_notice::send_running_late))
        .with_routes(routes!(schedule::get_schedule))
        .with_routes(routes!(crew::list_crews))
        .with_routes(routes!(crew::add_crew))
        .with_routes(routes!(crew::change_crew))
        .with_routes(routes!(crew_calendar_feed::rotate_crew_feed))
}

fn file_routes() -> RouteList {
    RouteList::default()
        .with_routes(routes!(file::add_job_files).with_body_limit(DefaultBodyLimit::max(file::LIMIT)))
        .with_routes(routes!(file::list_lead_files))
        .with_routes(routes!(file::add_lead_files).with_body_limit(DefaultBodyLimit::max(file::LIMIT)))
        .with_routes(routes!(file::download_job_files))
        .with_routes(routes!(file::get_file))
        .with_routes(routes!(file::get_file_address))
        .with_routes(routes!(file::remove_file))
}
