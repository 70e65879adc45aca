//! What many operations of the description have in common: it is defined once under `components`, and operations refer
//! to it.

use utoipa::{
    IntoParams,
    openapi::{
        Components, Header, OpenApi, Ref, RefOr, Required, Server,
        path::{Operation, Parameter, ParameterBuilder, ParameterIn, PathItem},
        schema::{ObjectBuilder, SchemaType, Type},
    },
};

/// The header by which a repeated request is recognized (`crate::idempotency`).
pub struct IdempotencyKey;

impl IntoParams for IdempotencyKey {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let key = ObjectBuilder::new()
            .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
            .pattern(Some(r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$"))
            .build();
        let words = "The same key and content get the first answer again, the same key and other content a 422";
        vec![
            ParameterBuilder::new()
                .name("Idempotency-Key")
                .parameter_in(ParameterIn::Header)
                .required(Required::False)
                .description(Some(words))
                .schema(Some(key))
                .build(),
        ]
    }
}

/// The component, an operation that has the parameter, and its name there. Every parameter that is alike becomes a
/// reference to the component.
const PARAMETERS: [(&str, &str, &str); 31] = [
    ("OrgId", "getOrganization", "orgId"),
    ("BusinessId", "getKpis", "businessId"),
    ("IdempotencyKey", "createQuote", "Idempotency-Key"),
    ("LeadId", "moveLead", "id"),
    ("CustomerId", "getCustomer", "id"),
    ("PropertyId", "changeProperty", "propertyId"),
    ("ProposalId", "useContactProposal", "id"),
    ("JobId", "getJob", "id"),
    ("CrewId", "changeCrew", "crewId"),
    ("FileId", "getFile", "id"),
    ("EstimateId", "sendEstimate", "id"),
    ("PriceItemId", "changePriceItem", "id"),
    ("InvoiceId", "getInvoice", "id"),
    ("PaymentId", "undoPayment", "id"),
    ("MessageId", "retryMessage", "id"),
    ("ReviewId", "getReview", "id"),
    ("WebhookId", "testWebhook", "id"),
    ("WorkItemKey", "finishWorkItem", "key"),
    ("MemberId", "changeTeamMember", "id"),
    ("PasskeyId", "renamePasskey", "id"),
    ("DeviceId", "seePushTest", "id"),
    ("TemplateKind", "changeTemplate", "kind"),
    ("Cursor", "listJobs", "cursor"),
    ("Limit", "listJobs", "limit"),
    ("SearchText", "getLeads", "q"),
    ("ShortLimit", "listCustomers", "limit"),
    ("TableFormat", "exportJobs", "format"),
    ("ThumbnailSize", "getFile", "size"),
    ("Download", "getFile", "download"),
    ("DryRun", "importCustomers", "dryRun"),
    ("UpToDate", "getAuditLog", "to"),
];

pub(super) fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.put, &mut item.post, &mut item.patch, &mut item.delete].into_iter().flatten()
}

fn find_parameter(doc: &mut OpenApi, operation: &str, name: &str) -> Option<Parameter> {
    let mut all = doc.paths.paths.values_mut().flat_map(operations);
    let found = all.find(|one| one.operation_id.as_deref() == Some(operation))?;
    found.parameters.iter().flatten().find_map(|one| match one {
        RefOr::T(parameter) if parameter.name == name => Some(parameter.clone()),
        _ => None,
    })
}

fn use_component(operation: &mut Operation, component: &str, parameter: &Parameter) {
    for one in operation.parameters.iter_mut().flatten() {
        if matches!(one, RefOr::T(own) if own == parameter) {
            *one = RefOr::Ref(Ref::new(format!("#/components/parameters/{component}")));
        }
    }
}

/// Puts the parameters that operations share under `components`.
pub fn share_parameters(doc: &mut OpenApi) {
    for (component, operation, name) in PARAMETERS {
        let Some(parameter) = find_parameter(doc, operation, name) else { continue };
        doc.paths.paths.values_mut().flat_map(operations).for_each(|one| use_component(one, component, &parameter));
        components(doc).parameters.insert(component.to_owned(), RefOr::T(parameter));
    }
}

/// The component, an operation whose answer has the header, and the header.
const HEADERS: [(&str, &str, &str); 8] = [
    ("NextPage", "listJobs", "Link"),
    ("TotalCount", "listJobs", "X-Total-Count"),
    ("WaitingMail", "inviteBusiness", "X-Waiting"),
    ("EstimateId", "makeEstimate", "X-Estimate-Id"),
    ("EstimateNumber", "makeEstimate", "X-Estimate-Number"),
    ("SentChannels", "makeEstimate", "X-Sent"),
    ("WaitingChannels", "makeEstimate", "X-Waiting"),
    ("UnsentChannels", "makeEstimate", "X-Not-Sent"),
];

fn response_headers(operation: &mut Operation) -> impl Iterator<Item = (&String, &mut RefOr<Header>)> {
    let answers = operation.responses.responses.values_mut().filter_map(|answer| match answer {
        RefOr::T(answer) => Some(answer),
        RefOr::Ref(_) => None,
    });
    answers.flat_map(|answer| answer.headers.iter_mut())
}

fn find_header(doc: &mut OpenApi, operation: &str, name: &str) -> Option<Header> {
    let mut all = doc.paths.paths.values_mut().flat_map(operations);
    let found = all.find(|one| one.operation_id.as_deref() == Some(operation))?;
    response_headers(found).find_map(|(known_as, one)| match one {
        RefOr::T(header) if known_as == name => Some(header.clone()),
        _ => None,
    })
}

/// Puts the headers of answers that operations share under `components`.
pub fn share_headers(doc: &mut OpenApi) {
    for (component, operation, name) in HEADERS {
        let Some(header) = find_header(doc, operation, name) else { continue };
        for (_, one) in doc.paths.paths.values_mut().flat_map(operations).flat_map(response_headers) {
            if matches!(one, RefOr::T(own) if *own == header) {
                *one = RefOr::Ref(Ref::new(format!("#/components/headers/{component}")));
            }
        }
        components(doc).headers.insert(component.to_owned(), RefOr::T(header));
    }
}

pub(super) fn components(doc: &mut OpenApi) -> &mut Components {
    doc.components.get_or_insert_default()
}

/// Says where the operations are answered, and of each that is open to everybody that it asks for no credential.
pub fn servers_and_public_operations(doc: &mut OpenApi) {
    doc.servers = Some(vec![Server::new("/")]);
    for operation in doc.paths.paths.values_mut().flat_map(operations) {
        operation.security.get_or_insert_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_components_exist_and_are_referenced_at_least_twice() {
        let doc = crate::build_openapi();
        let text = doc.to_json().unwrap();
        let components = doc.components.unwrap();
        let named = PARAMETERS.iter().map(|(component, ..)| ("parameters", component));
        for (kind, component) in named.chain(HEADERS.iter().map(|(component, ..)| ("headers", component))) {
            let is_there = match kind {
                "parameters" => components.parameters.contains_key(*component),
                _ => components.headers.contains_key(*component),
            };
            assert!(is_there, "{component} is not found");
            let uses = text.matches(&format!("\"#/components/{kind}/{component}\"")).count();
            assert!(uses > 1, "{component} is used {uses} times");
        }
    }

    #[test]
    fn shared_parameters_are_not_repeated_in_operations() {
        let doc = serde_json::to_value(crate::build_openapi()).unwrap();
        let operations = doc["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap().values());
        let spelled_out = operations.flat_map(|one| one["parameters"].as_array().cloned().unwrap_or_default());
        assert!(spelled_out.into_iter().all(|one| one["name"] != "Idempotency-Key"));
    }
}
