//! Tests of the API description: every operation, its authorization, and that all answer alike.

use axum::{
    body::Body,
    http::{Method, Request, header},
};
use tower::ServiceExt;

use super::{PROTECTING, test_install};
use crate::{build_openapi, build_router};

const OPERATIONS: [&str; 310] = [
    "acceptInvite",
    "addCannedReply",
    "addCrew",
    "addJobCost",
    "addJobFiles",
    "addJobNote",
    "addLead",
    "addLeadFiles",
    "addPasskey",
    "addPriceItem",
    "addProperty",
    "addPushDevice",
    "addRecipient",
    "addReview",
    "addWebhook",
    "alertWays",
    "askForReset",
    "assignSendingNumber",
    "assignWorkItem",
    "beginPasskey",
    "beginPasskeyProof",
    "beginPasskeySignIn",
    "beginSecondFactor",
    "beginStripeConnection",
    "bookVisit",
    "bringReview",
    "cancelMessage",
    "cancelSubscription",
    "changeCrew",
    "changeCustomer",
    "changeInvoice",
    "changeJob",
    "changeJobStatus",
    "changeOrganization",
    "changePassword",
    "changePriceItem",
    "changeProperty",
    "changeSettings",
    "changeTeamMember",
    "changeTemplate",
    "changeThread",
    "changeWebhook",
    "changeWebhookSecret",
    "claimSendingNumber",
    "claimSubscription",
    "confirmAtSignIn",
    "confirmSecondFactor",
    "confirmSendingNumber",
    "countWorklist",
    "createJob",
    "createLead",
    "createPortalSession",
    "createQuote",
    "createSubscription",
    "decideOptOut",
    "dismissContactProposal",
    "disownAddress",
    "disputeInvoice",
    "downloadJobFiles",
    "downloadSubscriptionInvoices",
    "eraseCustomer",
    "estimatePdf",
    "events",
    "exportAuditLog",
    "exportBusiness",
    "exportInvoices",
    "exportJobs",
    "exportLeads",
    "exportPayments",
    "exportPersonalData",
    "exportRecovered",
    "exportReviews",
    "finishWorkItem",
    "forgetSecondFactor",
    "getAccount",
    "getAuditLog",
    "getBooking",
    "getCardPayments",
    "getCheckout",
    "getComplianceReport",
    "getConversation",
    "getCustomer",
    "getDailyMetrics",
    "getFile",
    "getFileAddress",
    "getFormAddress",
    "getInvite",
    "getInvoice",
    "getJob",
    "getJobCosts",
    "getKpiPulse",
    "getKpis",
    "getLeadMoney",
    "getLeads",
    "getLogo",
    "getNumberOffer",
    "getOrganization",
    "getOutbox",
    "getPersonalData",
    "getPipeline",
    "getPushKey",
    "getReceipt",
    "getRecovered",
    "getRegistration",
    "getRetention",
    "getReview",
    "getReviewWebhook",
    "getSchedule",
    "getSecurityReport",
    "getSecurityStatus",
    "getSendingNumber",
    "getSettings",
    "getSubscription",
    "getTextingRegistration",
    "getTrust",
    "giveOfflineKeys",
    "giveUpSendingNumber",
    "healthz",
    "holdLead",
    "holdSlot",
    "importCustomers",
    "importPriceItems",
    "importReviews",
    "inviteBusiness",
    "inviteDemoRequest",
    "inviteMember",
    "invoicePdf",
    "jobTiles",
    "keepCustomer",
    "keepInheritedSetup",
    "keepSubscription",
    "leadPhoto",
    "letBusinessThrough",
    "listAccountNumbers",
    "listAlerts",
    "listApiKeys",
    "listCannedReplies",
    "listChangeOrders",
    "listClients",
    "listCrews",
    "listCustomerImports",
    "listCustomers",
    "listDemoRequests",
    "listEstimates",
    "listInvites",
    "listInvoices",
    "listJobs",
    "listLeadFiles",
    "listPasskeys",
    "listPayments",
    "listPriceItems",
    "listPushDevices",
    "listRecoveredChains",
    "listReviewAsks",
    "listReviews",
    "listSecurityAlerts",
    "listSendingNumbers",
    "listSetupSteps",
    "listSignedInDevices",
    "listSubscriptionInvoices",
    "listTasks",
    "listTeam",
    "listTemplateVersions",
    "listTemplates",
    "listThreads",
    "listWebhookCalls",
    "listWebhooks",
    "listWorklist",
    "login",
    "logout",
    "lookAtProof",
    "lookAtRetry",
    "makeApiKey",
    "makeChangeOrder",
    "makeEstimate",
    "makeInvoice",
    "makeReviewWebhookKey",
    "markPaid",
    "matchReview",
    "me",
    "mergeCustomers",
    "moveLead",
    "noteAnswer",
    "orderNumber",
    "previewChangeOrder",
    "previewEstimate",
    "previewInvoiceReminders",
    "previewJobReview",
    "previewLeadReview",
    "previewMerge",
    "previewReminder",
    "previewRetention",
    "previewSwitch",
    "previewTemplate",
    "promiseInvoice",
    "proveAddress",
    "proveByPasskey",
    "proveIdentity",
    "publicForm",
    "publicSlots",
    "publicTimes",
    "readThread",
    "readyz",
    "refundPayment",
    "register",
    "releaseLead",
    "removeCannedReply",
    "removeFile",
    "removeInvoice",
    "removeJobCost",
    "removeLogo",
    "removePasskey",
    "removePriceItem",
    "removeProperty",
    "removePushDevice",
    "removeRecipient",
    "removeReview",
    "removeReviewWebhookKey",
    "removeSecondFactor",
    "removeStripeKeys",
    "removeWebhook",
    "renamePasskey",
    "renewEstimateLink",
    "renewInvoiceLink",
    "renewRecoveryCodes",
    "reopenDifference",
    "replyToReview",
    "requestJobReview",
    "requestLeadReview",
    "requireSecondFactor",
    "resendRegistrationText",
    "resetClientPassword",
    "resetInheritedSetup",
    "resetPassword",
    "retryMessage",
    "retryTask",
    "retryTasks",
    "retryWebhookCall",
    "returnFromStripe",
    "reviewReport",
    "reviewSummary",
    "reviseEstimate",
    "revokeApiKey",
    "revokeInvite",
    "rotateCrewFeed",
    "sayLate",
    "sayOnMyWay",
    "scheduleJob",
    "searchNumbers",
    "searchRecords",
    "seeAlert",
    "seeAlerts",
    "seePushTest",
    "sendAddressProof",
    "sendEstimate",
    "sendInvoice",
    "sendKpiPulse",
    "sendReceipt",
    "sendReminder",
    "setLanguage",
    "setLeadOwner",
    "setLogo",
    "setRetention",
    "setStripeKeys",
    "setUpAtSignIn",
    "settleDifference",
    "settleRefund",
    "shareSendingService",
    "signInWithCode",
    "signInWithPasskey",
    "signOutDevice",
    "signOutOtherDevices",
    "snoozeWorkItem",
    "stopReviewAsk",
    "submitTextingRegistration",
    "switchSecurityAlert",
    "systemStatus",
    "takeBillingEvent",
    "takeConnectEvent",
    "takeOverNumber",
    "takeStripeEvent",
    "testEmail",
    "testPushDevice",
    "testRecipient",
    "testSms",
    "testWebhook",
    "tickInvoiceReminders",
    "tickJobCheck",
    "twilioAnyMessageStatus",
    "twilioCall",
    "twilioCallAccept",
    "twilioCallStatus",
    "twilioCallWhisper",
    "twilioMessageStatus",
    "twilioText",
    "undoContactProposal",
    "undoCustomerImport",
    "undoLetBusinessThrough",
    "undoMerge",
    "undoPayment",
    "undoRetention",
    "undoWork",
    "undoWorkItem",
    "useContactProposal",
    "verifyAuditLog",
    "verifyEstimate",
    "voidInvoice",
    "webhookStatus",
    "withdrawEstimate",
    "writeMessage",
];

/// Routes that take a session but do not require one.
const OPEN_TO_ALL: [&str; 4] = ["/api/auth/logout", "/api/auth/proof", "/api/checkout", "/api/create-subscription"];

#[test]
fn openapi_document_names_every_operation_and_its_access() {
    let doc = serde_json::to_value(build_openapi()).unwrap();
    let mut named = Vec::new();
    for (path, methods) in doc["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            named.push(operation["operationId"].as_str().unwrap_or_default().to_owned());
            assert!(operation["responses"].as_object().is_some_and(|r| !r.is_empty()), "{method} {path}");
            let is_guarded = operation["responses"].get("401").is_some()
                && !["/api/auth/login", "/api/auth/passkey"].contains(&path.as_str());
            assert_eq!(
                is_guarded,
                operation["security"][0]["session"].is_array() && !OPEN_TO_ALL.contains(&path.as_str()),
                "{path}"
            );
        }
    }
    named.sort();
    assert_eq!(named, OPERATIONS);
}

/// Operations that take the raw body and check its signature.
const RAW: [&str; 3] = ["takeBillingEvent", "takeConnectEvent", "takeStripeEvent"];
/// Operations that ignore invalid parameters: a visitor's page must come up all the same.
const LENIENT: [&str; 4] = ["events", "getLogo", "publicForm", "publicTimes"];

/// Statuses an operation can be refused with, by its inputs.
fn refusals(doc: &serde_json::Value, operation: &serde_json::Value) -> Vec<&'static str> {
    let name = operation["operationId"].as_str().unwrap_or_default();
    let resolve = |one: &serde_json::Value| {
        let address = one["$ref"].as_str().map(|address| address.trim_start_matches('#').to_owned());
        address.map_or_else(|| one.clone(), |address| doc.pointer(&address).unwrap().clone())
    };
    let takes = |place: &str| {
        operation["parameters"].as_array().is_some_and(|all| all.iter().any(|one| resolve(one)["in"] == place))
    };
    let has_body = operation.get("requestBody").is_some();
    [
        ("400", has_body || (takes("header") && name != "events")),
        ("404", takes("path")),
        ("413", has_body),
        ("415", has_body && !RAW.contains(&name)),
        ("422", (has_body && !RAW.contains(&name)) || (takes("query") && !LENIENT.contains(&name))),
    ]
    .into_iter()
    .filter_map(|(status, may_be)| may_be.then_some(status))
    .collect()
}

#[test]
fn openapi_document_lists_the_refusal_statuses_of_every_operation() {
    let doc = serde_json::to_value(build_openapi()).unwrap();
    for (path, methods) in doc["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            for status in refusals(&doc, operation) {
                assert!(operation["responses"].get(status).is_some(), "{method} {path} says nothing of {status}");
            }
        }
    }
}

#[tokio::test]
async fn every_documented_operation_answers_with_the_security_headers() {
    let install = test_install("https://toolbox.example.com");
    let doc = serde_json::to_value(build_openapi()).unwrap();
    let app = build_router(install.state.clone());
    let mut asked = 0;
    for (path, methods) in doc["paths"].as_object().unwrap() {
        // Every parameter is the same placeholder: a refusal is also an answer.
        let place: String =
            path.split('/').map(|part| if part.starts_with('{') { "x" } else { part }).collect::<Vec<_>>().join("/");
        for method in methods.as_object().unwrap().keys() {
            let method: Method = method.to_uppercase().parse().unwrap();
            let request =
                Request::builder().method(method.clone()).uri(&place).header(header::CONTENT_TYPE, "application/json");
            let response = app.clone().oneshot(request.body(Body::from("{}")).unwrap()).await.unwrap();
            for name in PROTECTING {
                assert!(response.headers().contains_key(name), "{method} {place} lacks {name}");
            }
            let policy = response.headers()["content-security-policy"].to_str().unwrap();
            assert!(
                !policy.contains("unsafe")
                    && policy.contains("frame-ancestors 'none'")
                    && policy.contains("base-uri 'none'"),
                "{place}: {policy}"
            );
            asked += 1;
        }
    }
    assert!(asked >= OPERATIONS.len(), "{asked}");
}
