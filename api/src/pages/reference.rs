//! `/docs/api`: the API for other programs, drawn from its own description. It loads nothing from elsewhere and runs
//! nothing, and shows what is open to keys; so it cannot say what is not so.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use axum::{extract::State, http::StatusCode, response::Response};
use minijinja::{context, value::Serde};
use serde::Serialize;
use serde_json::{Map, Value};
use shared::ops::webhooks::Event;

use super::render::{STYLE_PATH, draw};
use crate::{api_key_auth, scopes, state::AppState};

const REF: &str = "#/components/schemas/";
const EXAMPLE: &str = "POST /toolbox HTTP/1.1
content-type: application/json
webhook-id: 019ab3f2-7c1e-7d40-9f3a-5b1c0a6f2d11
webhook-timestamp: 1795180800
webhook-signature: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=

{\"type\":\"estimate.approved\",\"timestamp\":\"2026-11-20T12:00:00.000Z\",\"businessId\":\"…\",\"data\":{\"leadId\":\"…\",\"estimateId\":\"…\"}}";

/// The operations of one tag.
#[derive(Serialize)]
struct Room {
    name: String,
    operations: Vec<Operation>,
}

#[derive(Serialize)]
struct Operation {
    id: String,
    method: String,
    path: String,
    summary: String,
    about: String,
    scope: String,
    inputs: Vec<Field>,
    body: Option<Body>,
    answers: Vec<Answer>,
}

#[derive(Serialize)]
struct Field {
    name: String,
    kind: String,
    is_required: bool,
    about: String,
}

#[derive(Serialize)]
struct Body {
    media: String,
    kind: String,
    shape: Option<String>,
}

#[derive(Serialize)]
struct Answer {
    status: String,
    about: String,
    kind: String,
    shape: Option<String>,
}

#[derive(Serialize)]
struct Shape {
    name: String,
    about: String,
    /// In words, when it has no fields.
    kind: String,
    fields: Vec<Field>,
}

/// All that is drawn.
#[derive(Serialize)]
struct Reference {
    rooms: Vec<Room>,
    shapes: Vec<Shape>,
}

/// Read once: the description does not change while a process lives.
static REFERENCE: LazyLock<Reference> =
    LazyLock::new(|| Reference::of(&serde_json::to_value(crate::openapi()).unwrap_or_default()));

/// The page.
pub(super) async fn show(State(state): State<AppState>) -> Response {
    let events: Vec<&str> = Event::ALL.iter().map(|event| event.name()).collect();
    let context = context! {
        style => STYLE_PATH.as_str(), base => state.settings.public_url.join(""), calls => api_key_auth::CALLS,
        rooms => Serde(&REFERENCE.rooms), shapes => Serde(&REFERENCE.shapes), events => events, example => EXAMPLE,
    };
    draw("reference.html", StatusCode::OK, context)
}

impl Reference {
    fn of(doc: &Value) -> Self {
        let mut rooms: BTreeMap<String, Vec<Operation>> = BTreeMap::new();
        let mut wanted = BTreeSet::new();
        for (path, item) in doc["paths"].as_object().into_iter().flatten() {
            for (method, operation) in item.as_object().into_iter().flatten() {
                let wishes = operation["security"].as_array().map(Vec::as_slice).unwrap_or_default();
                let Some(scope) = wishes.iter().find_map(|wish| wish[scopes::SCHEME][0].as_str()) else { continue };
                refs(operation, &mut wanted);
                let room = scope.split(':').next().unwrap_or_default();
                rooms.entry(room.to_owned()).or_default().push(Operation::of(path, method, operation, scope));
            }
        }
        let rooms = rooms.into_iter().map(|(name, operations)| Room { name, operations }).collect();
        Self { rooms, shapes: shapes(&doc["components"]["schemas"], wanted) }
    }
}

impl Operation {
    fn of(path: &str, method: &str, said: &Value, scope: &str) -> Self {
        Self {
            id: text(&said["operationId"]),
            method: method.to_uppercase(),
            path: path.to_owned(),
            summary: text(&said["summary"]),
            about: text(&said["description"]),
            scope: scope.to_owned(),
            inputs: said["parameters"].as_array().into_iter().flatten().map(Field::of_parameter).collect(),
            body: content(&said["requestBody"]).map(|(media, schema)| Body {
                media: media.to_owned(),
                kind: kind(schema),
                shape: shape(schema),
            }),
            answers: said["responses"].as_object().into_iter().flatten().map(Answer::of).collect(),
        }
    }
}

impl Field {
    fn of_parameter(said: &Value) -> Self {
        Self {
            name: text(&said["name"]),
            kind: kind(&said["schema"]),
            is_required: said["required"].as_bool().unwrap_or_default(),
            about: text(&said["description"]),
        }
    }

    fn of_property(name: &str, schema: &Value, required: &[Value]) -> Self {
        Self {
            name: name.to_owned(),
            kind: kind(schema),
            is_required: required.iter().any(|one| one == name),
            about: text(&schema["description"]),
        }
    }
}

impl Answer {
    fn of((status, said): (&String, &Value)) -> Self {
        let schema = content(said).map(|(_, schema)| schema);
        Self {
            status: status.clone(),
            about: text(&said["description"]),
            kind: schema.map(kind).unwrap_or_default(),
            shape: schema.and_then(shape),
        }
    }
}

/// What is described of these names, and of whatever they name in turn.
fn shapes(schemas: &Value, mut wanted: BTreeSet<String>) -> Vec<Shape> {
    let mut found = BTreeMap::new();
    while let Some(name) = wanted.pop_first() {
        if found.contains_key(&name) {
            continue;
        }
        let schema = &schemas[&name];
        let mut named = BTreeSet::new();
        refs(schema, &mut named);
        wanted.extend(named.into_iter().filter(|name| !found.contains_key(name)));
        found.insert(name.clone(), Shape::of(&name, schema));
    }
    found.into_values().collect()
}

impl Shape {
    fn of(name: &str, schema: &Value) -> Self {
        let mut fields = Vec::new();
        // A shape that holds another one's fields too is described as all of several.
        let parts = schema["allOf"].as_array().map_or_else(|| vec![schema], |parts| parts.iter().collect());
        for part in parts {
            let required = part["required"].as_array().map(Vec::as_slice).unwrap_or_default();
            let properties = part["properties"].as_object().into_iter().flatten();
            fields.extend(properties.map(|(name, schema)| Field::of_property(name, schema, required)));
        }
        let kind = if fields.is_empty() { kind(schema) } else { String::new() };
        Self { name: name.to_owned(), about: text(&schema["description"]), kind, fields }
    }
}

/// The first kind of content of a body or an answer, with its schema.
fn content(said: &Value) -> Option<(&str, &Value)> {
    let (media, content) = said["content"].as_object()?.iter().next()?;
    Some((media, &content["schema"]))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The name of the shape that a schema is, or is a list of.
fn shape(schema: &Value) -> Option<String> {
    let name = |schema: &Value| schema["$ref"].as_str()?.strip_prefix(REF).map(ToOwned::to_owned);
    name(schema).or_else(|| name(&schema["items"]))
}

/// A schema in words.
fn kind(schema: &Value) -> String {
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
            return all.iter().map(kind).collect::<Vec<_>>().join(joined);
        }
    }
    match &schema["type"] {
        Value::Array(all) => all.iter().map(|one| simple(&text(one), schema)).collect::<Vec<_>>().join(" or "),
        one => simple(&text(one), schema),
    }
}

fn simple(name: &str, schema: &Value) -> String {
    match (name, schema["format"].as_str()) {
        ("array", _) => format!("list of {}", kind(&schema["items"])),
        ("", _) => "anything".to_owned(),
        ("string" | "integer" | "number", Some(format)) => format!("{name} ({format})"),
        _ => name.to_owned(),
    }
}

/// Every shape that is named anywhere below.
fn refs(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(all) => {
            found.extend(named(all));
            all.values().for_each(|one| refs(one, found));
        }
        Value::Array(all) => all.iter().for_each(|one| refs(one, found)),
        _ => {}
    }
}

fn named(all: &Map<String, Value>) -> Option<String> {
    all.get("$ref")?.as_str()?.strip_prefix(REF).map(ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_open_to_keys_is_shown_and_every_link_leads_somewhere() {
        let doc = serde_json::to_value(crate::openapi()).unwrap();
        let reference = Reference::of(&doc);
        let shown: usize = reference.rooms.iter().map(|room| room.operations.len()).sum();
        let open = doc["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap().values());
        let is_open = |said: &&Value| said["security"].to_string().contains("\"key\"");
        assert_eq!(shown, open.filter(is_open).count());
        assert!(shown > 60, "{shown}");
        let names: BTreeSet<&str> = reference.shapes.iter().map(|shape| shape.name.as_str()).collect();
        for operation in reference.rooms.iter().flat_map(|room| &room.operations) {
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
    fn a_schema_is_said_in_words() {
        for (schema, words) in [
            (serde_json::json!({"$ref": "#/components/schemas/Job"}), "Job"),
            (serde_json::json!({"type": "array", "items": {"$ref": "#/components/schemas/Job"}}), "list of Job"),
            (serde_json::json!({"type": ["string", "null"], "format": "date-time"}), "string (date-time) or null"),
            (serde_json::json!({"type": "string", "enum": ["sms", "email"]}), "sms | email"),
            (serde_json::json!({"oneOf": [{"type": "null"}, {"type": "boolean"}]}), "null or boolean"),
            (serde_json::json!({}), "anything"),
        ] {
            assert_eq!(kind(&schema), words);
        }
    }
}
