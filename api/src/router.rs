//! The router of all routes of the API description, and the description itself.

use std::sync::LazyLock;

use axum::Router;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::{
    openapi,
    routes::{all_routes, route_list::Operations},
    state::AppState,
};

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
