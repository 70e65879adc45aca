//! `/docs/api`: reference of the operations open to API keys, rendered from the API description itself. No scripts,
//! nothing from other sites.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use axum::{extract::State, http::StatusCode, response::Response};
use minijinja::{context, value::Serde};
use serde::Serialize;
use serde_json::{Map, Value};
use shared::ops::webhooks::WebhookEvent;

use super::render::{STYLE_PATH, render_page};
use crate::{api_key_auth, scopes, state::AppState};

const REF: &str = "#/components/schemas/";
const EXAMPLE: &str = "POST /toolbox HTTP/1.1
content-type: application/json
webhook-id: 019ab3f2-7c1e-7d40-9f3a-5b1c0a6f2d11
webhook-timestamp: 1795180800
webhook-signature: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=

{\"type\":\"estimate.approved\",\"timestamp\":\"2026-11-20T12:00:00.000Z\",\"businessId\":\"…\",\"data\":{\"leadId\":\"…\",\"estimateId\":\"…\"}}";

#[derive(Serialize)]
struct TagSection {
    name: String,
    operations: Vec<OperationDoc>,
}

#[derive(Serialize)]
struct OperationDoc {
    id: String,
    method: String,
    path: String,
    summary: String,
    about: String,
    scope: String,
    inputs: Vec<FieldDoc>,
    body: Option<BodyDoc>,
    answers: Vec<ResponseDoc>,
}

#[derive(Serialize)]
struct FieldDoc {
    name: String,
    kind: String,
    is_required: bool,
    about: String,
}

#[derive(Serialize)]
struct BodyDoc {
    media: String,
    kind: String,
    shape: Option<String>,
    example: Option<String>,
}

#[derive(Serialize)]
struct ResponseDoc {
    status: String,
    about: String,
    kind: String,
    shape: Option<String>,
    example: Option<String>,
}

#[derive(Serialize)]
struct SchemaDoc {
    name: String,
    about: String,
    /// Type in words, when it has no fields.
    kind: String,
    fields: Vec<FieldDoc>,
}

#[derive(Serialize)]
struct ApiReference {
    rooms: Vec<TagSection>,
    shapes: Vec<SchemaDoc>,
}

static REFERENCE: LazyLock<ApiReference> =
    LazyLock::new(|| ApiReference::from_openapi(&serde_json::to_value(crate::build_openapi()).unwrap_or_default()));

pub(super) async fn show_api_reference(State(state): State<AppState>) -> Response {
    let events: Vec<&str> = WebhookEvent::ALL.iter().map(|event| event.name()).collect();
    let context = context! {
        style => STYLE_PATH.as_str(), base => state.settings.public_url.join(""), calls => api_key_auth::CALLS,
        rooms => Serde(&REFERENCE.rooms), shapes => Serde(&REFERENCE.shapes), events => events, example => EXAMPLE,
    };
    render_page("reference.html", StatusCode::OK, context)
}

impl ApiReference {
    fn from_openapi(doc: &Value) -> Self {
        let mut rooms: BTreeMap<String, Vec<OperationDoc>> = BTreeMap::new();
        let mut wanted = BTreeSet::new();
        for (path, item) in doc["paths"].as_object().into_iter().flatten() {
            for (method, operation) in item.as_object().into_iter().flatten() {
                let wishes = operation["security"].as_array().map(Vec::as_slice).unwrap_or_default();
                let Some(scope) = wishes.iter().find_map(|wish| wish[scopes::SCHEME][0].as_str()) else { continue };
                let operation = &resolve_parts(doc, operation);
                collect_refs(operation, &mut wanted);
                let room = scope.split(':').next().unwrap_or_default();
                rooms
                    .entry(room.to_owned())
                    .or_default()
                    .push(OperationDoc::from_operation(path, method, operation, scope));
            }
        }
        let rooms = rooms.into_iter().map(|(name, operations)| TagSection { name, operations }).collect();
        Self { rooms, shapes: collect_schemas(&doc["components"]["schemas"], wanted) }
    }
}

impl OperationDoc {
    fn from_operation(path: &str, method: &str, operation: &Value, scope: &str) -> Self {
        Self {
            id: string_value(&operation["operationId"]),
            method: method.to_uppercase(),
            path: path.to_owned(),
            summary: string_value(&operation["summary"]),
            about: string_value(&operation["description"]),
            scope: scope.to_owned(),
            inputs: operation["parameters"].as_array().into_iter().flatten().map(FieldDoc::from_parameter).collect(),
            body: first_content(&operation["requestBody"]).map(|(media, content)| BodyDoc {
                media: media.to_owned(),
                kind: describe_type(&content["schema"]),
                shape: schema_name(&content["schema"]),
                example: format_example(content),
            }),
            answers: operation["responses"].as_object().into_iter().flatten().map(ResponseDoc::from_response).collect(),
        }
    }
}

impl FieldDoc {
    fn from_parameter(parameter: &Value) -> Self {
        Self {
            name: string_value(&parameter["name"]),
            kind: describe_type(&parameter["schema"]),
            is_required: parameter["required"].as_bool().unwrap_or_default(),
            about: string_value(&parameter["description"]),
        }
    }

    fn from_property(name: &str, schema: &Value, required: &[Value]) -> Self {
        Self {
            name: name.to_owned(),
            kind: describe_type(schema),
            is_required: required.iter().any(|one| one == name),
            about: string_value(&schema["description"]),
        }
    }
}

impl ResponseDoc {
    fn from_response((status, response): (&String, &Value)) -> Self {
        let content = first_content(response).map(|(_, content)| content);
        let schema = content.map(|content| &content["schema"]);
        Self {
            status: status.clone(),
            about: string_value(&response["description"]),
            kind: schema.map(describe_type).unwrap_or_default(),
            shape: schema.and_then(schema_name),
            example: content.and_then(format_example),
        }
    }
}

/// Schemas of these names, and of all names they refer to.
fn collect_schemas(schemas: &Value, mut wanted: BTreeSet<String>) -> Vec<SchemaDoc> {
    let mut found = BTreeMap::new();
    while let Some(name) = wanted.pop_first() {
        if found.contains_key(&name) {
            continue;
        }
        let schema = &schemas[&name];
        let mut named = BTreeSet::new();
        collect_refs(schema, &mut named);
        wanted.extend(named.into_iter().filter(|name| !found.contains_key(name)));
        found.insert(name.clone(), SchemaDoc::from_schema(&name, schema));
    }
    found.into_values().collect()
}

impl SchemaDoc {
    fn from_schema(name: &str, schema: &Value) -> Self {
        let mut fields = Vec::new();
        // `allOf`: a schema that includes the fields of others.
        let parts = schema["allOf"].as_array().map_or_else(|| vec![schema], |parts| parts.iter().collect());
        for part in parts {
            let required = part["required"].as_array().map(Vec::as_slice).unwrap_or_default();
            let properties = part["properties"].as_object().into_iter().flatten();
            fields.extend(properties.map(|(name, schema)| FieldDoc::from_property(name, schema, required)));
        }
        let kind = if fields.is_empty() { describe_type(schema) } else { String::new() };
        Self { name: name.to_owned(), about: string_value(&schema["description"]), kind, fields }
    }
}

/// The operation with what it refers to in place: parameters, answers and examples. References to schemas stay.
fn resolve_parts(doc: &Value, part: &Value) -> Value {
    match part {
        Value::Object(all) => match all.get("$ref").and_then(Value::as_str) {
            Some(address) if !address.starts_with(REF) => {
                doc.pointer(address.trim_start_matches('#')).map_or(Value::Null, |found| resolve_parts(doc, found))
            }
            _ => all.iter().map(|(name, one)| (name.clone(), resolve_parts(doc, one))).collect(),
        },
        Value::Array(all) => all.iter().map(|one| resolve_parts(doc, one)).collect(),
        plain => plain.clone(),
    }
}

/// First content type of a body or an answer.
fn first_content(described: &Value) -> Option<(&str, &Value)> {
    described["content"].as_object()?.iter().next().map(|(media, content)| (media.as_str(), content))
}

fn format_example(content: &Value) -> Option<String> {
    match content["examples"].as_object()?.values().next()?.get("value")? {
        Value::String(text) => Some(text.clone()),
        value => serde_json::to_string_pretty(value).ok(),
    }
}

fn string_value(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Name of the schema that is referred to, directly or as the items of a list.
fn schema_name(schema: &Value) -> Option<String> {
    let name = |schema: &Value| schema["$ref"].as_str()?.strip_prefix(REF).map(ToOwned::to_owned);
    name(schema).or_else(|| name(&schema["items"]))
}

fn describe_type(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return name.trim_start_matches(REF).to_owned();
    }
    if let Some(words) = schema["enum"].as_array() {
        return words
            .iter()
            .map(|word| word.as_str().map_or_else(|| word.to_string(), ToOwned::to_owned))
            .collect::<Vec<_>>()
            .join(" | ");
    }
    for (several, joined) in [("oneOf", " or "), ("anyOf", " or "), ("allOf", " with ")] {
        if let Some(all) = schema[several].as_array() {
            return all.iter().map(describe_type).collect::<Vec<_>>().join(joined);
        }
    }
    match &schema["type"] {
        Value::Array(all) => {
            all.iter().map(|one| describe_simple_type(&string_value(one), schema)).collect::<Vec<_>>().join(" or ")
        }
        one => describe_simple_type(&string_value(one), schema),
    }
}

fn describe_simple_type(name: &str, schema: &Value) -> String {
    match (name, schema["format"].as_str()) {
        ("array", _) => format!("list of {}", describe_type(&schema["items"])),
        ("", _) => "anything".to_owned(),
        ("string" | "integer" | "number", Some(format)) => format!("{name} ({format})"),
        _ => name.to_owned(),
    }
}

fn collect_refs(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(all) => {
            found.extend(ref_name(all));
            all.values().for_each(|one| collect_refs(one, found));
        }
        Value::Array(all) => all.iter().for_each(|one| collect_refs(one, found)),
        _ => {}
    }
}

fn ref_name(all: &Map<String, Value>) -> Option<String> {
    all.get("$ref")?.as_str()?.strip_prefix(REF).map(ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference_shows_every_key_operation_and_every_link_resolves() {
        let doc = serde_json::to_value(crate::build_openapi()).unwrap();
        let reference = ApiReference::from_openapi(&doc);
        let shown: usize = reference.rooms.iter().map(|room| room.operations.len()).sum();
        let open = doc["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap().values());
        let is_open = |operation: &&Value| operation["security"].to_string().contains("\"key\"");
        assert_eq!(shown, open.filter(is_open).count());
        assert!(shown > 60, "{shown}");
        let names: BTreeSet<&str> = reference.shapes.iter().map(|shape| shape.name.as_str()).collect();
        for operation in reference.rooms.iter().flat_map(|room| &room.operations) {
            assert!(operation.inputs.iter().all(|field| !field.name.is_empty()), "{}", operation.id);
            assert!(operation.answers.iter().all(|answer| !answer.about.is_empty()), "{}", operation.id);
            assert!(!operation.summary.is_empty() && !operation.answers.is_empty(), "{}", operation.id);
            let linked = operation.answers.iter().map(|answer| &answer.shape);
            for shape in linked.chain(operation.body.as_ref().map(|body| &body.shape)).flatten() {
                assert!(names.contains(shape.as_str()), "{}: {shape}", operation.id);
            }
        }
        for shape in &reference.shapes {
            assert!(!shape.fields.is_empty() || !shape.kind.is_empty(), "{}", shape.name);
        }
    }

    #[test]
    fn schema_is_described_in_words() {
        for (schema, words) in [
            (serde_json::json!({"$ref": "#/components/schemas/Job"}), "Job"),
            (serde_json::json!({"type": "array", "items": {"$ref": "#/components/schemas/Job"}}), "list of Job"),
            (serde_json::json!({"type": ["string", "null"], "format": "date-time"}), "string (date-time) or null"),
            (serde_json::json!({"type": "string", "enum": ["sms", "email"]}), "sms | email"),
            (serde_json::json!({"oneOf": [{"type": "null"}, {"type": "boolean"}]}), "null or boolean"),
            (serde_json::json!({}), "anything"),
        ] {
            assert_eq!(describe_type(&schema), words);
        }
    }
}
