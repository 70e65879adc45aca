//! HTTP handlers by domain, one file per noun: parse, begin, business rule, audit line, commit, wake, answer.
//!
//! A domain's routes use those of earlier domains only.

pub mod growth;
pub mod intake;
pub mod messaging;
pub mod money;
pub mod ops;
pub mod route_list;
pub mod tenancy;
pub mod work;

use route_list::RouteList;

pub fn all_routes() -> RouteList {
    RouteList::default()
        .merge_routes(tenancy::route_list())
        .merge_routes(intake::route_list())
        .merge_routes(messaging::route_list())
        .merge_routes(work::route_list())
        .merge_routes(money::route_list())
        .merge_routes(growth::route_list())
        .merge_routes(ops::route_list())
}
