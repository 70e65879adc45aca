//! Permissions of an old sign-in (trust requirement 54): sixteen minutes later each owner operation either asks for
//! proof again or is in the list of those that need none. A new operation must be added to one of the lists.

use axum::http::Method;
use tests::{both_databases, people::Shop};

use super::{AUDITED_READS, CEREMONIES, Operation, call, fixtures::Fixtures, operations};

/// Operations forbidden to a stolen phone or cookie: their effect outlasts the session, or they export everything.
const ASKS: [&str; 37] = [
    "addPasskey",
    "addRecipient",
    "addWebhook",
    "beginPasskey",
    "beginSecondFactor",
    "beginStripeConnection",
    "cancelSubscription",
    "changePassword",
    "changeWebhook",
    "changeWebhookSecret",
    "claimSendingNumber",
    "claimSubscription",
    "confirmSecondFactor",
    "createPortalSession",
    "eraseCustomer",
    "exportAuditLog",
    "exportBusiness",
    "exportPersonalData",
    "forgetSecondFactor",
    "giveUpSendingNumber",
    "inviteMember",
    "makeApiKey",
    "makeReviewWebhookKey",
    "orderNumber",
    "removePasskey",
    "removeSecondFactor",
    "removeStripeKeys",
    "removeWebhook",
    "renewRecoveryCodes",
    "requireSecondFactor",
    "resetClientPassword",
    "resetInheritedSetup",
    "rotateCrewFeed",
    "setRetention",
    "setStripeKeys",
    "submitTextingRegistration",
    "takeOverNumber",
];
/// Daily work, settings, and what removes access. Two of these ask for proof in other cases than the walk sends:
/// `changeTeamMember` for a change of rights, and `switchSecurityAlert` for turning off.
const PASSES: [&str; 134] = [
    "addCannedReply",
    "addCrew",
    "addJobCost",
    "addJobFiles",
    "addJobNote",
    "addLead",
    "addLeadFiles",
    "addPriceItem",
    "addProperty",
    "addPushDevice",
    "addReview",
    "assignWorkItem",
    "beginPasskeyProof",
    "cancelMessage",
    "changeCrew",
    "changeCustomer",
    "changeInvoice",
    "changeJob",
    "changeJobStatus",
    "changeOrganization",
    "changePriceItem",
    "changeProperty",
    "changeSettings",
    "changeTeamMember",
    "changeTemplate",
    "changeThread",
    "confirmSendingNumber",
    "createJob",
    "decideOptOut",
    "dismissContactProposal",
    "disputeInvoice",
    "downloadJobFiles",
    "downloadSubscriptionInvoices",
    "exportInvoices",
    "exportJobs",
    "exportLeads",
    "exportPayments",
    "exportRecovered",
    "exportReviews",
    "finishWorkItem",
    "getComplianceReport",
    "giveOfflineKeys",
    "holdLead",
    "importCustomers",
    "importPriceItems",
    "importReviews",
    "keepCustomer",
    "keepInheritedSetup",
    "keepSubscription",
    "makeChangeOrder",
    "makeEstimate",
    "makeInvoice",
    "markPaid",
    "matchReview",
    "mergeCustomers",
    "moveLead",
    "noteAnswer",
    "previewChangeOrder",
    "previewEstimate",
    "previewTemplate",
    "promiseInvoice",
    "proveByPasskey",
    "proveIdentity",
    "readThread",
    "refundPayment",
    "releaseLead",
    "removeCannedReply",
    "removeFile",
    "removeInvoice",
    "removeJobCost",
    "removeLogo",
    "removePriceItem",
    "removeProperty",
    "removePushDevice",
    "removeRecipient",
    "removeReview",
    "removeReviewWebhookKey",
    "renamePasskey",
    "renewEstimateLink",
    "renewInvoiceLink",
    "reopenDifference",
    "replyToReview",
    "requestJobReview",
    "requestLeadReview",
    "resendRegistrationText",
    "retryMessage",
    "retryTask",
    "retryTasks",
    "retryWebhookCall",
    "returnFromStripe",
    "reviseEstimate",
    "revokeApiKey",
    "revokeInvite",
    "sayLate",
    "sayOnMyWay",
    "scheduleJob",
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
    "settleDifference",
    "settleRefund",
    "signOutDevice",
    "signOutOtherDevices",
    "snoozeWorkItem",
    "stopReviewAsk",
    "switchSecurityAlert",
    "testEmail",
    "testPushDevice",
    "testRecipient",
    "testSms",
    "testWebhook",
    "tickInvoiceReminders",
    "tickJobCheck",
    "undoContactProposal",
    "undoCustomerImport",
    "undoMerge",
    "undoPayment",
    "undoRetention",
    "undoWork",
    "undoWorkItem",
    "useContactProposal",
    "verifyAuditLog",
    "voidInvoice",
    "withdrawEstimate",
    "writeMessage",
];

fn is_owner_operation(operation: &Operation) -> bool {
    let changes_or_exports = operation.method != Method::GET || AUDITED_READS.contains(&operation.name.as_str());
    changes_or_exports && operation.roles.as_ref().is_some_and(|roles| roles.iter().any(|role| role == "owner"))
}

async fn signed_in_before(app: &tests::app::TestApp, shop: &Shop) -> tests::http::Client {
    let client = app.client().here().signed_in(app, shop.owner()).await;
    let then = app.now() - chrono::Duration::minutes(16);
    let sql = "UPDATE session SET created_at = $2, proved_at = NULL WHERE account_id = $1";
    app.within(async |tx| Ok(shared::q!(tx, execute, sql, shop.owner().id, then)?)).await.unwrap();
    client
}

both_databases! {
    async fn owner_session_without_recent_proof_runs_only_listed_operations(app) {
        let shop = app.org("Acme Plumbing").await;
        let fixtures = Fixtures::of(app, shop.clone()).await;
        let (mut asked, mut passed) = (Vec::new(), Vec::new());
        for (serial, operation) in operations().iter().filter(|o| is_owner_operation(o)).enumerate() {
            fixtures.reset(app, operation, shop.owner().id).await;
            let before = app.count("audit_event").await;
            let stale = signed_in_before(app, &shop).await;
            let answer = call(&stale, operation, &fixtures, &fixtures.path(operation), serial).await;
            if answer.status == 403 && answer.problem().1 == "reauthentication_needed" {
                assert_eq!(app.count("audit_event").await, before, "{} was refused and did nothing", operation.name);
                asked.push(operation.name.clone());
            } else {
                let is_let_in = answer.status.is_success() || CEREMONIES.contains(&operation.name.as_str());
                assert!(is_let_in, "{}: {}", operation.name, answer.status);
                passed.push(operation.name.clone());
            }
            app.run_tasks().await;
        }
        asked.sort();
        passed.sort();
        assert_eq!(asked, ASKS);
        assert_eq!(passed, PASSES);
    }
}
