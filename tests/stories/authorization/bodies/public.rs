//! Bodies of the public forms and of registration.

use serde_json::json;
use tests::http::Multipart;

use super::{Wants, email};
use crate::authorization::{PASSWORD, fixtures::Fixtures};

pub(super) fn of(operation: &str, _: &Fixtures, serial: usize) -> Option<Wants> {
    let email = email(serial);
    Some(Wants::Json(match operation {
        "createLead" => return Some(Wants::Form(Multipart::ann("acme-plumbing"))),
        "createQuote" => {
            json!({"customerName": "Ann", "email": email, "serviceType": "Repairs", "orgId": "acme-plumbing"})
        }
        "register" => json!({"name": "New", "email": email, "password": PASSWORD, "orgName": "New Business"}),
        "login" => json!({"email": "known@acme.example", "password": PASSWORD}),
        _ => return None,
    }))
}
