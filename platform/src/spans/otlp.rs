//! Spans in the JSON encoding of OTLP/HTTP (`ExportTraceServiceRequest`): ids in hexadecimal, 64-bit numbers as texts.

use serde_json::{Value, json};

use super::{
    PROVIDER_CALL, REQUEST, TASK, TRANSACTION,
    layer::FinishedSpan,
    values::{FieldValue, FieldValues},
};

/// `SpanKind` of the protocol.
const INTERNAL: u8 = 1;
const SERVER: u8 = 2;
const CLIENT: u8 = 3;
const CONSUMER: u8 = 5;
/// `StatusCode` of the protocol; 0 is "not set".
const FAILED: u8 = 2;

pub(super) fn encode_export(service: &str, spans: &[FinishedSpan]) -> Value {
    let resource = [("service.name", service), ("service.version", env!("CARGO_PKG_VERSION"))];
    let resource = resource.map(|(name, value)| json!({ "key": name, "value": { "stringValue": value } }));
    json!({ "resourceSpans": [{
        "resource": { "attributes": resource },
        "scopeSpans": [{
            "scope": { "name": "toolbox" },
            "spans": spans.iter().map(encode_span).collect::<Vec<_>>(),
        }],
    }] })
}

fn encode_span(span: &FinishedSpan) -> Value {
    let begin = i128::from(span.began.timestamp_micros()) * 1_000;
    let end = begin + i128::try_from(span.took.as_nanos()).unwrap_or_default();
    let failed = span.fields.find_value("failed") == Some(&FieldValue::Flag(true));
    let mut encoded = json!({
        "traceId": format!("{:032x}", span.ids.trace),
        "spanId": format!("{:016x}", span.ids.span),
        "name": span_title(span.name, &span.fields),
        "kind": span_kind(span.name),
        "startTimeUnixNano": begin.to_string(),
        "endTimeUnixNano": end.to_string(),
        "attributes": encode_attributes(&span.fields),
        "status": if failed { json!({ "code": FAILED }) } else { json!({}) },
    });
    if let Some(parent) = span.ids.parent {
        encoded["parentSpanId"] = format!("{parent:016x}").into();
    }
    encoded
}

/// Name by which a collector groups spans: few different ones.
fn span_title(name: &str, fields: &FieldValues) -> String {
    let text = |field| fields.find_text(field).unwrap_or_default();
    match name {
        REQUEST => format!("{} {}", text("method"), text("route")),
        TASK => format!("task {}", text("kind")),
        PROVIDER_CALL => format!("{} {}", text("provider"), text("operation")),
        _ => name.to_owned(),
    }
}

fn span_kind(name: &str) -> u8 {
    match name {
        REQUEST => SERVER,
        TASK => CONSUMER,
        PROVIDER_CALL | TRANSACTION => CLIENT,
        _ => INTERNAL,
    }
}

fn encode_attributes(fields: &FieldValues) -> Vec<Value> {
    let shown = fields.named_values().filter(|(name, _)| *name != "failed");
    let encode = |(name, value): (&'static str, &FieldValue)| {
        let value = match value {
            FieldValue::Text(text) => json!({ "stringValue": text }),
            FieldValue::Number(number) => json!({ "intValue": number.to_string() }),
            FieldValue::Flag(flag) => json!({ "boolValue": flag }),
        };
        json!({ "key": attribute_name(name), "value": value })
    };
    shown.map(encode).collect()
}

/// By OpenTelemetry's conventions where they have a name for it.
fn attribute_name(field: &str) -> &str {
    match field {
        "method" => "http.request.method",
        "route" => "http.route",
        "status" => "http.response.status_code",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use chrono::DateTime;

    use super::*;
    use crate::spans::layer::SpanIds;

    #[test]
    fn span_without_parent_or_fault_is_encoded_as_the_protocol_says() {
        let span = FinishedSpan {
            name: TRANSACTION,
            ids: SpanIds { trace: 0xa1, span: 0xb2, parent: None },
            began: DateTime::from_timestamp_millis(1_000).unwrap(),
            took: Duration::from_millis(3),
            fields: FieldValues::default(),
        };
        let encoded = encode_span(&span);
        assert_eq!(encoded["traceId"], "000000000000000000000000000000a1");
        assert_eq!((&encoded["spanId"], &encoded["kind"]), (&json!("00000000000000b2"), &json!(CLIENT)));
        assert_eq!(encoded["startTimeUnixNano"], "1000000000");
        assert_eq!(encoded["endTimeUnixNano"], "1003000000");
        assert!(encoded.get("parentSpanId").is_none() && encoded["status"] == json!({}), "{encoded}");
        let export = encode_export("toolbox-api", &[span]);
        assert_eq!(export["resourceSpans"][0]["scopeSpans"][0]["spans"][0], encoded);
    }
}
