//! A list of routes: the operations of each path, with their handlers and their description.

use std::collections::BTreeSet;

use axum::{
    extract::DefaultBodyLimit,
    routing::{MethodFilter, MethodRouter},
};
use utoipa::openapi::HttpMethod;
use utoipa_axum::{PathItemExt, router::OpenApiRouter};

use crate::state::AppState;

/// Operations of one path. Routing does not build their description, which takes more time and memory than all else
/// at start.
pub struct Operations {
    pub paths: BTreeSet<String>,
    pub handlers: MethodRouter<AppState>,
    pub describe: fn(OpenApiRouter<AppState>) -> OpenApiRouter<AppState>,
}

impl Operations {
    pub fn with_body_limit(self, limit: DefaultBodyLimit) -> Self {
        Self { handlers: self.handlers.layer(limit), ..self }
    }
}

/// As `utoipa_axum::routes`, which builds the description at once.
macro_rules! routes {
    ($($handler:path),+ $(,)?) => {{
        let mut paths = ::std::collections::BTreeSet::new();
        let handlers = ::axum::routing::MethodRouter::new();
        $(
            let (path, methods) = utoipa_axum::paste! {
                (utoipa_axum::routes!(@path [path()] of $handler), utoipa_axum::routes!(@path [methods()] of $handler))
            };
            paths.insert(path);
            let handlers = handlers.on($crate::routes::route_list::method_filter(&methods), $handler);
        )+
        $crate::routes::route_list::Operations {
            paths,
            handlers,
            describe: |document| document.routes(utoipa_axum::routes!($($handler),+)),
        }
    }};
}
pub(crate) use routes;

/// An operation has at least one method.
pub fn method_filter(methods: &[HttpMethod]) -> MethodFilter {
    let mut filters = methods.iter().map(PathItemExt::to_method_filter);
    let first = filters.next().unwrap_or(MethodFilter::GET);
    filters.fold(first, MethodFilter::or)
}

#[derive(Default)]
pub struct RouteList(pub Vec<Operations>);

impl RouteList {
    pub fn with_routes(mut self, operations: Operations) -> Self {
        self.0.push(operations);
        self
    }

    pub fn merge_routes(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }
}
