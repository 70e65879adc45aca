//! Operations open to API keys, with their scope. All others are closed to keys: sign-in, people, settings, keys
//! themselves, and every new operation by default.
//!
//! The list is written into the API description, and requests are checked against that description.

use std::{collections::BTreeMap, sync::LazyLock};

use axum::http::Method;
use shared::domain::tenancy::api_key::ApiScope;
use utoipa::openapi::{
    OpenApi,
    path::{Operation, PathItem},
    security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme},
};

use crate::router;

pub const SCHEME: &str = "key";

const SCOPES_BY_OPERATION: [(&str, ApiScope); 69] = [
    ("getLeads", ApiScope::LeadsRead),
    ("exportLeads", ApiScope::LeadsRead),
    ("leadPhoto", ApiScope::LeadsRead),
    ("getPipeline", ApiScope::LeadsRead),
    ("listLeadFiles", ApiScope::LeadsRead),
    ("getFile", ApiScope::LeadsRead),
    ("moveLead", ApiScope::LeadsWrite),
    ("noteAnswer", ApiScope::LeadsWrite),
    ("setLeadOwner", ApiScope::LeadsWrite),
    ("holdLead", ApiScope::LeadsWrite),
    ("releaseLead", ApiScope::LeadsWrite),
    ("addLeadFiles", ApiScope::LeadsWrite),
    ("listCustomers", ApiScope::CustomersRead),
    ("getCustomer", ApiScope::CustomersRead),
    ("changeCustomer", ApiScope::CustomersWrite),
    ("addProperty", ApiScope::CustomersWrite),
    ("changeProperty", ApiScope::CustomersWrite),
    ("removeProperty", ApiScope::CustomersWrite),
    ("listJobs", ApiScope::JobsRead),
    ("jobTiles", ApiScope::JobsRead),
    ("exportJobs", ApiScope::JobsRead),
    ("getJob", ApiScope::JobsRead),
    ("getSchedule", ApiScope::JobsRead),
    ("listCrews", ApiScope::JobsRead),
    ("getJobCosts", ApiScope::JobsRead),
    ("listChangeOrders", ApiScope::JobsRead),
    ("downloadJobFiles", ApiScope::JobsRead),
    ("createJob", ApiScope::JobsWrite),
    ("changeJob", ApiScope::JobsWrite),
    ("scheduleJob", ApiScope::JobsWrite),
    ("changeJobStatus", ApiScope::JobsWrite),
    ("addJobNote", ApiScope::JobsWrite),
    ("tickJobCheck", ApiScope::JobsWrite),
    ("addJobCost", ApiScope::JobsWrite),
    ("removeJobCost", ApiScope::JobsWrite),
    ("addJobFiles", ApiScope::JobsWrite),
    ("listEstimates", ApiScope::EstimatesRead),
    ("estimatePdf", ApiScope::EstimatesRead),
    ("listPriceItems", ApiScope::EstimatesRead),
    ("makeEstimate", ApiScope::EstimatesWrite),
    ("sendEstimate", ApiScope::EstimatesWrite),
    ("reviseEstimate", ApiScope::EstimatesWrite),
    ("withdrawEstimate", ApiScope::EstimatesWrite),
    ("addPriceItem", ApiScope::EstimatesWrite),
    ("changePriceItem", ApiScope::EstimatesWrite),
    ("listInvoices", ApiScope::InvoicesRead),
    ("exportInvoices", ApiScope::InvoicesRead),
    ("getInvoice", ApiScope::InvoicesRead),
    ("invoicePdf", ApiScope::InvoicesRead),
    ("listPayments", ApiScope::InvoicesRead),
    ("exportPayments", ApiScope::InvoicesRead),
    ("getLeadMoney", ApiScope::InvoicesRead),
    ("makeInvoice", ApiScope::InvoicesWrite),
    ("changeInvoice", ApiScope::InvoicesWrite),
    ("sendInvoice", ApiScope::InvoicesWrite),
    ("markPaid", ApiScope::InvoicesWrite),
    ("listThreads", ApiScope::MessagesRead),
    ("getConversation", ApiScope::MessagesRead),
    ("writeMessage", ApiScope::MessagesWrite),
    ("listReviews", ApiScope::ReviewsRead),
    ("reviewSummary", ApiScope::ReviewsRead),
    ("exportReviews", ApiScope::ReviewsRead),
    ("getReview", ApiScope::ReviewsRead),
    ("addReview", ApiScope::ReviewsWrite),
    ("replyToReview", ApiScope::ReviewsWrite),
    ("requestLeadReview", ApiScope::ReviewsWrite),
    ("getKpis", ApiScope::FiguresRead),
    ("getDailyMetrics", ApiScope::FiguresRead),
    ("getRecovered", ApiScope::FiguresRead),
];

/// By method and route template. Read at the first request with a key.
static SCOPES_BY_ROUTE: LazyLock<BTreeMap<(String, String), ApiScope>> = LazyLock::new(|| {
    let mut found = BTreeMap::new();
    for mut description in router::path_descriptions() {
        for (path, item) in &mut description.paths.paths {
            for (method, operation) in operations(item) {
                if let Some(scope) = scope_of_operation(operation) {
                    found.insert((method.to_owned(), path.clone()), scope);
                }
            }
        }
    }
    found
});

/// Scope that a route requires of a key; `None` when no key opens it. `path` is the route's template.
#[must_use]
pub fn scope_of_route(method: &Method, path: &str) -> Option<ApiScope> {
    // HEAD has the scope of GET.
    let method = if *method == Method::HEAD { &Method::GET } else { method };
    SCOPES_BY_ROUTE.get(&(method.as_str().to_owned(), path.to_owned())).copied()
}

fn scope_of_operation(operation: &Operation) -> Option<ApiScope> {
    let id = operation.operation_id.as_deref()?;
    SCOPES_BY_OPERATION.iter().find(|(name, _)| *name == id).map(|(_, scope)| *scope)
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    [
        ("GET", item.get.as_mut()),
        ("PUT", item.put.as_mut()),
        ("POST", item.post.as_mut()),
        ("PATCH", item.patch.as_mut()),
        ("DELETE", item.delete.as_mut()),
    ]
    .into_iter()
    .filter_map(|(method, operation)| Some((method, operation?)))
}

#[must_use]
pub fn document_scopes(mut doc: OpenApi) -> OpenApi {
    for item in doc.paths.paths.values_mut() {
        for (_, operation) in operations(item) {
            if let Some(scope) = scope_of_operation(operation) {
                operation.security.get_or_insert_default().push(SecurityRequirement::new(SCHEME, [scope.name()]));
            }
        }
    }
    let mut bearer = Http::new(HttpAuthScheme::Bearer);
    bearer.description = Some(
        "A key made in the settings, as `Authorization: Bearer tbk_…`. A scope to write opens reading of the same room. \
         A key may ask 300 times a minute."
            .to_owned(),
    );
    doc.components.get_or_insert_default().add_security_scheme(SCHEME, SecurityScheme::Http(bearer));
    doc
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn open_list_equals_the_documented_key_operations_open_to_the_office() {
        let doc = serde_json::to_value(crate::build_openapi()).unwrap();
        let mut open = BTreeSet::new();
        for operation in doc["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap().values())
        {
            let wishes = operation["security"].as_array().cloned().unwrap_or_default();
            let Some(scope) = wishes.iter().find_map(|wish| wish[SCHEME][0].as_str()) else { continue };
            let id = operation["operationId"].as_str().unwrap();
            let roles = wishes[0]["session"].as_array().unwrap();
            assert!(roles.iter().any(|role| role == "office"), "{id}: a key acts as the office");
            assert!(SCOPES_BY_OPERATION.iter().any(|(name, wanted)| *name == id && wanted.name() == scope), "{id}");
            open.insert(id.to_owned());
        }
        assert_eq!(open, SCOPES_BY_OPERATION.iter().map(|(name, _)| (*name).to_owned()).collect());
        assert_eq!(open.len(), SCOPES_BY_OPERATION.len());
    }

    #[test]
    fn read_scope_is_required_for_get_and_write_scope_for_changes() {
        for ((method, path), scope) in &*SCOPES_BY_ROUTE {
            let looks = method == "GET";
            assert_eq!(scope.name().ends_with(":read"), looks, "{method} {path}");
        }
        assert_eq!(SCOPES_BY_ROUTE.len(), SCOPES_BY_OPERATION.len());
    }

    #[test]
    fn team_key_and_settings_routes_are_closed_to_api_keys() {
        for (method, path) in &[
            (Method::POST, "/api/auth/logout"),
            (Method::GET, "/api/auth/me"),
            (Method::GET, "/api/team"),
            (Method::GET, "/api/org/{orgId}/settings"),
            (Method::POST, "/api/org/{orgId}/api-keys"),
            (Method::GET, "/api/events"),
            (Method::GET, "/api/none"),
        ] {
            assert_eq!(scope_of_route(method, path), None, "{method} {path}");
        }
        assert_eq!(scope_of_route(&Method::HEAD, "/api/jobs"), scope_of_route(&Method::GET, "/api/jobs"));
        assert!(scope_of_route(&Method::GET, "/api/jobs").is_some());
    }
}
