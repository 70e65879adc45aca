//! What of the API is open to keys, and with which scope. What is not in this list no key opens: signing in, people,
//! settings, keys themselves, and whatever is added without a thought of it.
//!
//! The list is written into the API's description, and requests are held to that: what is described is what holds.

use std::collections::BTreeMap;

use axum::http::Method;
use shared::domain::tenancy::api_key::Scope;
use utoipa::openapi::{
    OpenApi,
    path::{Operation, PathItem},
    security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme},
};

use crate::router::TABLE;

/// The name of the scheme in the description.
pub const SCHEME: &str = "key";

/// By operation.
const OPEN: [(&str, Scope); 69] = [
    ("getLeads", Scope::LeadsRead),
    ("exportLeads", Scope::LeadsRead),
    ("leadPhoto", Scope::LeadsRead),
    ("getPipeline", Scope::LeadsRead),
    ("listLeadFiles", Scope::LeadsRead),
    ("getFile", Scope::LeadsRead),
    ("moveLead", Scope::LeadsWrite),
    ("noteAnswer", Scope::LeadsWrite),
    ("setLeadOwner", Scope::LeadsWrite),
    ("holdLead", Scope::LeadsWrite),
    ("releaseLead", Scope::LeadsWrite),
    ("addLeadFiles", Scope::LeadsWrite),
    ("listCustomers", Scope::CustomersRead),
    ("getCustomer", Scope::CustomersRead),
    ("changeCustomer", Scope::CustomersWrite),
    ("addProperty", Scope::CustomersWrite),
    ("changeProperty", Scope::CustomersWrite),
    ("removeProperty", Scope::CustomersWrite),
    ("listJobs", Scope::JobsRead),
    ("jobTiles", Scope::JobsRead),
    ("exportJobs", Scope::JobsRead),
    ("getJob", Scope::JobsRead),
    ("getSchedule", Scope::JobsRead),
    ("listCrews", Scope::JobsRead),
    ("getJobCosts", Scope::JobsRead),
    ("listChangeOrders", Scope::JobsRead),
    ("downloadJobFiles", Scope::JobsRead),
    ("createJob", Scope::JobsWrite),
    ("changeJob", Scope::JobsWrite),
    ("scheduleJob", Scope::JobsWrite),
    ("changeJobStatus", Scope::JobsWrite),
    ("addJobNote", Scope::JobsWrite),
    ("tickJobCheck", Scope::JobsWrite),
    ("addJobCost", Scope::JobsWrite),
    ("removeJobCost", Scope::JobsWrite),
    ("addJobFiles", Scope::JobsWrite),
    ("listEstimates", Scope::EstimatesRead),
    ("estimatePdf", Scope::EstimatesRead),
    ("listPriceItems", Scope::EstimatesRead),
    ("makeEstimate", Scope::EstimatesWrite),
    ("sendEstimate", Scope::EstimatesWrite),
    ("reviseEstimate", Scope::EstimatesWrite),
    ("withdrawEstimate", Scope::EstimatesWrite),
    ("addPriceItem", Scope::EstimatesWrite),
    ("changePriceItem", Scope::EstimatesWrite),
    ("listInvoices", Scope::InvoicesRead),
    ("exportInvoices", Scope::InvoicesRead),
    ("getInvoice", Scope::InvoicesRead),
    ("invoicePdf", Scope::InvoicesRead),
    ("listPayments", Scope::InvoicesRead),
    ("exportPayments", Scope::InvoicesRead),
    ("getLeadMoney", Scope::InvoicesRead),
    ("makeInvoice", Scope::InvoicesWrite),
    ("changeInvoice", Scope::InvoicesWrite),
    ("sendInvoice", Scope::InvoicesWrite),
    ("markPaid", Scope::InvoicesWrite),
    ("listThreads", Scope::MessagesRead),
    ("getConversation", Scope::MessagesRead),
    ("writeMessage", Scope::MessagesWrite),
    ("listReviews", Scope::ReviewsRead),
    ("reviewSummary", Scope::ReviewsRead),
    ("exportReviews", Scope::ReviewsRead),
    ("getReview", Scope::ReviewsRead),
    ("addReview", Scope::ReviewsWrite),
    ("replyToReview", Scope::ReviewsWrite),
    ("requestLeadReview", Scope::ReviewsWrite),
    ("getKpis", Scope::FiguresRead),
    ("getDailyMetrics", Scope::FiguresRead),
    ("getRecovered", Scope::FiguresRead),
];

/// What of the description is open to keys, by method and path.
pub fn by_route(mut doc: OpenApi) -> BTreeMap<(String, String), Scope> {
    let mut found = BTreeMap::new();
    for (path, item) in &mut doc.paths.paths {
        for (method, operation) in operations(item) {
            if let Some(scope) = of_operation(operation) {
                found.insert((method.to_owned(), path.clone()), scope);
            }
        }
    }
    found
}

/// The scope that a route asks of a key; none when no key opens it. `path` is the route's template.
#[must_use]
pub fn of_route(method: &Method, path: &str) -> Option<Scope> {
    // What answers GET answers HEAD.
    let method = if *method == Method::HEAD { &Method::GET } else { method };
    TABLE.scopes.get(&(method.as_str().to_owned(), path.to_owned())).copied()
}

fn of_operation(operation: &Operation) -> Option<Scope> {
    let id = operation.operation_id.as_deref()?;
    OPEN.iter().find(|(name, _)| *name == id).map(|(_, scope)| *scope)
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

/// The description with what is open to keys written into it.
#[must_use]
pub fn told(mut doc: OpenApi) -> OpenApi {
    for item in doc.paths.paths.values_mut() {
        for (_, operation) in operations(item) {
            if let Some(scope) = of_operation(operation) {
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
    fn the_list_names_operations_that_are_there_each_once_and_open_to_the_office() {
        let doc = serde_json::to_value(crate::openapi()).unwrap();
        let mut open = BTreeSet::new();
        for operation in doc["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap().values())
        {
            let wishes = operation["security"].as_array().cloned().unwrap_or_default();
            let Some(scope) = wishes.iter().find_map(|wish| wish[SCHEME][0].as_str()) else { continue };
            let id = operation["operationId"].as_str().unwrap();
            let roles = wishes[0]["session"].as_array().unwrap();
            assert!(roles.iter().any(|role| role == "office"), "{id}: a key acts as the office");
            assert!(OPEN.iter().any(|(name, wanted)| *name == id && wanted.name() == scope), "{id}");
            open.insert(id.to_owned());
        }
        assert_eq!(open, OPEN.iter().map(|(name, _)| (*name).to_owned()).collect());
        assert_eq!(open.len(), OPEN.len());
    }

    #[test]
    fn what_only_looks_asks_for_a_scope_to_look_and_what_changes_for_one_to_change() {
        for ((method, path), scope) in &TABLE.scopes {
            let looks = method == "GET";
            assert_eq!(scope.name().ends_with(":read"), looks, "{method} {path}");
        }
        assert_eq!(TABLE.scopes.len(), OPEN.len());
    }

    #[test]
    fn nothing_about_people_keys_or_settings_is_open() {
        for (method, path) in &[
            (Method::POST, "/api/auth/logout"),
            (Method::GET, "/api/auth/me"),
            (Method::GET, "/api/team"),
            (Method::GET, "/api/org/{orgId}/settings"),
            (Method::POST, "/api/org/{orgId}/api-keys"),
            (Method::GET, "/api/events"),
            (Method::GET, "/api/none"),
        ] {
            assert_eq!(of_route(method, path), None, "{method} {path}");
        }
        assert_eq!(of_route(&Method::HEAD, "/api/jobs"), of_route(&Method::GET, "/api/jobs"));
        assert!(of_route(&Method::GET, "/api/jobs").is_some());
    }
}
