//! Examples of the operations that API keys may call: a request and an answer. They lie in `examples/`, one file for
//! each group of scopes, and appear once under `components/examples`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use utoipa::openapi::{Content, OpenApi, Ref, RefOr, example::ExampleBuilder, path::Operation};

use super::components::{components, operations};

const FILES: [&str; 8] = [
    include_str!("examples/customers.json"),
    include_str!("examples/estimates.json"),
    include_str!("examples/figures.json"),
    include_str!("examples/invoices.json"),
    include_str!("examples/jobs.json"),
    include_str!("examples/leads.json"),
    include_str!("examples/messages.json"),
    include_str!("examples/reviews.json"),
];
const JSON: &str = "application/json";
const CSV: &str = "text/csv";
/// Name of the example within a media type.
const EXAMPLE: &str = "example";

/// What a file says of one operation.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OperationExample {
    request: Option<Value>,
    answer: Option<Value>,
    /// The operation whose answer it is as well.
    answer_of: Option<String>,
    /// The answer as a table.
    csv: Option<Value>,
}

fn read_examples() -> serde_json::Result<BTreeMap<String, OperationExample>> {
    let files = FILES.into_iter().map(serde_json::from_str::<BTreeMap<String, OperationExample>>);
    Ok(files.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// Puts the examples under `components`, and references to them where the operations are described.
pub fn add_examples(doc: &mut OpenApi) {
    // A file that cannot be read is found by the tests.
    let examples = read_examples().unwrap_or_default();
    for operation in doc.paths.paths.values_mut().flat_map(operations) {
        let Some(id) = operation.operation_id.clone() else { continue };
        let Some(example) = examples.get(&id) else { continue };
        link_examples(operation, &id, example);
    }
    let all = &mut components(doc).examples;
    for (id, example) in examples {
        let values = [("Request", example.request), ("Answer", example.answer), ("Table", example.csv)];
        for (kind, value) in values.into_iter().filter_map(|(kind, value)| Some((kind, value?))) {
            all.insert(format!("{id}{kind}"), ExampleBuilder::new().value(Some(value)).build().into());
        }
    }
}

fn link_examples(operation: &mut Operation, id: &str, example: &OperationExample) {
    if example.request.is_some()
        && let Some(RefOr::T(body)) = &mut operation.request_body
    {
        body.content.values_mut().for_each(|content| link_example(content, &format!("{id}Request")));
    }
    let answers = operation.responses.responses.iter_mut().filter(|(status, _)| status.starts_with('2'));
    for (_, answer) in answers {
        let RefOr::T(answer) = answer else { continue };
        let answer_id = example.answer_of.as_deref().unwrap_or(id);
        if let Some(content) = answer.content.get_mut(JSON).filter(|_| example.has_answer()) {
            link_example(content, &format!("{answer_id}Answer"));
        }
        if let Some(content) = answer.content.get_mut(CSV).filter(|_| example.csv.is_some()) {
            link_example(content, &format!("{id}Table"));
        }
    }
}

impl OperationExample {
    fn has_answer(&self) -> bool {
        self.answer.is_some() || self.answer_of.is_some()
    }
}

fn link_example(content: &mut RefOr<Content>, component: &str) {
    if let RefOr::T(content) = content {
        let reference = RefOr::Ref(Ref::new(format!("#/components/examples/{component}")));
        content.examples.insert(EXAMPLE.to_owned(), reference);
    }
}

#[cfg(test)]
mod tests;
