//! Every operation that API keys may call has its examples, and every example fits its schema.

use serde_json::{Map, Value};

use super::{CSV, EXAMPLE, JSON, read_examples};

fn document() -> Value {
    serde_json::to_value(crate::build_openapi()).unwrap()
}

/// What does not fit, as "path: reason".
struct SchemaCheck<'a> {
    doc: &'a Value,
    faults: Vec<String>,
}

impl<'a> SchemaCheck<'a> {
    fn resolve(&self, mut schema: &'a Value) -> &'a Value {
        while let Some(address) = schema["$ref"].as_str() {
            schema = self.doc.pointer(address.trim_start_matches('#')).unwrap();
        }
        schema
    }

    fn fits(&self, value: &Value, schema: &'a Value) -> bool {
        let mut check = SchemaCheck { doc: self.doc, faults: Vec::new() };
        check.check(value, schema, "");
        check.faults.is_empty()
    }

    fn check(&mut self, value: &Value, schema: &'a Value, path: &str) {
        let schema = self.resolve(schema);
        for several in ["oneOf", "anyOf"] {
            if let Some(all) = schema[several].as_array()
                && !all.iter().any(|one| self.fits(value, one))
            {
                self.faults.push(format!("{path}: {value} fits none of {several}"));
            }
        }
        if !has_type(value, &schema["type"]) {
            self.faults.push(format!("{path}: {value} is no {}", schema["type"]));
        }
        if schema["enum"].as_array().is_some_and(|words| !value.is_null() && !words.contains(value)) {
            self.faults.push(format!("{path}: {value} is none of the words"));
        }
        self.check_limits(value, schema, path);
        match value {
            Value::Object(fields) => self.check_fields(fields, schema, path),
            Value::Array(items) if schema["items"].is_object() => {
                items
                    .iter()
                    .enumerate()
                    .for_each(|(at, item)| self.check(item, &schema["items"], &format!("{path}/{at}")));
            }
            _ => {}
        }
    }

    fn check_limits(&mut self, value: &Value, schema: &Value, path: &str) {
        let size = match value {
            Value::String(text) => Some((text.chars().count(), "minLength", "maxLength")),
            Value::Array(items) => Some((items.len(), "minItems", "maxItems")),
            _ => None,
        };
        if let Some((size, least, most)) = size {
            let limit = |name: &str| schema[name].as_u64().map(|limit| usize::try_from(limit).unwrap());
            if limit(least).is_some_and(|limit| size < limit) || limit(most).is_some_and(|limit| size > limit) {
                self.faults.push(format!("{path}: {size} is not from {least} to {most}"));
            }
        }
        if let Some(number) = value.as_f64() {
            let limit = |name: &str| schema[name].as_f64();
            if limit("minimum").is_some_and(|limit| number < limit)
                || limit("maximum").is_some_and(|limit| number > limit)
            {
                self.faults.push(format!("{path}: {number} is beyond its limits"));
            }
        }
    }

    /// Required fields are there, and every field is described.
    fn check_fields(&mut self, fields: &Map<String, Value>, schema: &'a Value, path: &str) {
        for part in self.parts(schema) {
            for name in part["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                if !fields.contains_key(name) {
                    self.faults.push(format!("{path}: {name} is missing"));
                }
            }
        }
        let described: Vec<&'a Value> = self.parts(schema);
        if described.iter().all(|part| part["properties"].is_null()) {
            return;
        }
        for (name, value) in fields {
            match described.iter().find_map(|part| part["properties"].get(name)) {
                Some(property) => self.check(value, property, &format!("{path}/{name}")),
                None => self.faults.push(format!("{path}: {name} is not described")),
            }
        }
    }

    /// The schema itself and all that `allOf` includes.
    fn parts(&self, schema: &'a Value) -> Vec<&'a Value> {
        let schema = self.resolve(schema);
        let included = schema["allOf"].as_array().into_iter().flatten().flat_map(|part| self.parts(part));
        std::iter::once(schema).chain(included).collect()
    }
}

fn has_type(value: &Value, named: &Value) -> bool {
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    };
    match named {
        Value::String(name) => is(name),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).any(is),
        _ => true,
    }
}

/// Operations open to keys, each with its request body and its answers of 2xx.
fn key_operations(doc: &Value) -> Vec<(&str, &Value)> {
    let items = doc["paths"].as_object().unwrap().values();
    let all = items.flat_map(|item| item.as_object().unwrap().values());
    let open = all.filter(|operation| operation["security"].to_string().contains("\"key\""));
    open.map(|operation| (operation["operationId"].as_str().unwrap(), operation)).collect()
}

/// Media types of the request and of the answers of 2xx.
fn media_types(operation: &Value) -> Vec<(&str, &Value)> {
    let answers = operation["responses"].as_object().unwrap().iter().filter(|(status, _)| status.starts_with('2'));
    let bodies = std::iter::once(&operation["requestBody"]).chain(answers.map(|(_, answer)| answer));
    bodies
        .flat_map(|body| body["content"].as_object().into_iter().flatten())
        .map(|(kind, media)| (kind.as_str(), media))
        .collect()
}

#[test]
fn every_key_operation_has_an_example_of_its_request_and_answer() {
    let doc = document();
    for (id, operation) in key_operations(&doc) {
        for (kind, media) in media_types(operation) {
            // Pictures, PDF documents and archives have none.
            let is_wanted = kind == JSON || kind == CSV || kind.starts_with("multipart/");
            assert_eq!(media["examples"][EXAMPLE].is_object(), is_wanted, "{id}: {kind}");
        }
    }
}

#[test]
fn every_example_fits_its_schema() {
    let doc = document();
    let mut seen = 0;
    for (id, operation) in key_operations(&doc) {
        for (kind, media) in media_types(operation) {
            let Some(address) = media["examples"][EXAMPLE]["$ref"].as_str() else { continue };
            let value = &doc.pointer(address.trim_start_matches('#')).unwrap_or_else(|| panic!("{address}"))["value"];
            let mut check = SchemaCheck { doc: &doc, faults: Vec::new() };
            check.check(value, &media["schema"], "");
            assert_eq!(check.faults, Vec::<String>::new(), "{id}: {kind}");
            seen += 1;
        }
    }
    assert!(seen > 80, "{seen}");
}

#[test]
fn every_example_belongs_to_an_operation_open_to_keys() {
    let doc = document();
    let open: Vec<&str> = key_operations(&doc).into_iter().map(|(id, _)| id).collect();
    for (id, example) in read_examples().unwrap() {
        assert!(open.contains(&id.as_str()), "{id}");
        assert!(example.answer.is_none() || example.answer_of.is_none(), "{id} has two answers");
    }
}

#[test]
fn example_that_does_not_fit_is_found() {
    let doc = document();
    let schema = serde_json::json!({"$ref": "#/components/schemas/NewJobNote"});
    for (value, fault) in [
        (serde_json::json!({}), "body is missing"),
        (serde_json::json!({"body": 5}), "is no"),
        (serde_json::json!({"body": "x", "more": 1}), "more is not described"),
        (serde_json::json!({"body": ""}), "is not from"),
    ] {
        let mut check = SchemaCheck { doc: &doc, faults: Vec::new() };
        check.check(&value, &schema, "");
        assert!(check.faults.iter().any(|reported| reported.contains(fault)), "{value}: {:?}", check.faults);
    }
}
