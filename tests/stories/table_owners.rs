//! Every table has one module that writes it: all SQL texts are read from the program's sources. The exceptions are
//! listed with their reason, and can only shrink.
//!
//! Not covered are texts whose tables are named at run time, as in `db/rows.rs` and a merge of customers.

use std::collections::BTreeSet;

use shared::ops::tenant_data;

use crate::tenancy::source::{Statement, statements};

type Owner = (&'static str, &'static [&'static str]);
type Exception = (&'static str, &'static [(&'static str, &'static str)]);

/// The tables that each module writes.
const OWNERS: [Owner; 62] = [
    ("domain/growth/kpi_pulse", &["incident", "pulse", "pulse_plan"]),
    (
        "domain/growth/metrics",
        &[
            "metric_answer",
            "metric_check",
            "metric_day",
            "metric_fact",
            "metric_recount",
            "metric_row",
            "metric_source_day",
        ],
    ),
    ("domain/growth/review", &["review", "review_key", "review_request", "review_request_lock"]),
    ("domain/growth/worklist", &["work_item_mark"]),
    ("domain/intake/contact_point", &["contact_proposal", "customer_key"]),
    ("domain/intake/customer", &["customer", "customer_import", "customer_import_row", "property"]),
    ("domain/intake/demo_request", &["demo_request"]),
    ("domain/intake/lead", &["consent", "lead", "lead_inquiry", "photo"]),
    ("domain/intake/photo_upload", &["photo_backlog", "photo_upload"]),
    ("domain/messaging/alert", &["alert", "alert_push"]),
    ("domain/messaging/automation", &["automation_decision", "control_group_assignment"]),
    ("domain/messaging/canned_reply", &["canned_reply"]),
    ("domain/messaging/conversation", &["conversation"]),
    ("domain/messaging/followup", &["follow_up"]),
    ("domain/messaging/inbound", &["inbound_sync_cursor"]),
    (
        "domain/messaging/message",
        &[
            "channel_pause",
            "message",
            "message_attempt",
            "message_file",
            "send_rate",
            "sms_daily_usage",
            "sms_recipient_window",
            "unmatched_delivery_report",
        ],
    ),
    ("domain/messaging/opt_out", &["opt_out"]),
    ("domain/messaging/phone_call", &["call"]),
    ("domain/messaging/response_sla", &["sla"]),
    (
        "domain/messaging/sending_number",
        &["held_number", "install_sender", "number_claim", "number_order", "sending_contact", "sending_number"],
    ),
    ("domain/messaging/texting_registration", &["texting_registration"]),
    ("domain/money/checkout", &["checkout", "saved_card", "stripe_event"]),
    ("domain/money/connected_account", &["connected_account"]),
    ("domain/money/estimate", &["approval", "estimate"]),
    ("domain/money/invoice", &["invoice"]),
    ("domain/money/ledger", &["payment", "payment_allocation"]),
    ("domain/money/price_book", &["price_item"]),
    ("domain/money/reconciliation", &["money_difference", "reconciliation", "stripe_payout", "stripe_transaction"]),
    (
        "domain/tenancy/account",
        &[
            "account",
            "address_proof",
            "invite",
            "one_time_token",
            "passkey",
            "passkey_challenge",
            "recovery_code",
            "second_factor",
        ],
    ),
    ("domain/tenancy/activity_log", &["work_event"]),
    ("domain/tenancy/api_key", &["api_key"]),
    ("domain/tenancy/audit", &["audit_anchor", "audit_check", "audit_event", "audit_head"]),
    ("domain/tenancy/install_mail", &["install_mail"]),
    (
        "domain/tenancy/org",
        &["automation_switch", "org", "org_secret", "org_setting", "recipient", "template_switch", "template_text"],
    ),
    ("domain/tenancy/provider_callbacks", &["org_webhook_health", "webhook_health"]),
    ("domain/tenancy/push_device", &["push_device"]),
    ("domain/tenancy/security", &["known_device", "security_alert", "security_counter"]),
    ("domain/tenancy/session", &["offline_store_key", "session"]),
    ("domain/tenancy/storage_quota", &["storage_usage"]),
    ("domain/tenancy/trust_level", &["org_trust", "trust_usage"]),
    ("domain/work/booking", &["booking_request", "out_of_area", "slot_hold"]),
    ("domain/work/crew", &["crew", "crew_member", "pending_crew_notice"]),
    ("domain/work/file", &["file"]),
    ("domain/work/job", &["job", "job_check", "job_cost", "job_note"]),
    ("ops/backup", &["backup"]),
    ("ops/customer_merge", &["customer_merge"]),
    ("ops/demo_seed", &["demo_seed"]),
    ("ops/erasure", &["erased_opt_out", "erasure"]),
    ("ops/key_rotation", &["retired_key"]),
    ("ops/retention", &["file_to_delete", "retention", "retention_mark", "retention_run"]),
    ("ops/send_freeze", &["send_freeze"]),
    ("ops/subscription", &["billing_event", "subscription"]),
    ("ops/system_status", &["worker_heartbeat"]),
    ("ops/tenant_data", &["removed_org", "suppression_hash"]),
    ("ops/webhooks", &["webhook", "webhook_attempt", "webhook_delivery"]),
    ("platform/access_link", &["access_link", "access_link_copy"]),
    ("platform/db", &["write_probe"]),
    ("platform/idempotency", &["idempotency"]),
    ("platform/live", &["live_event"]),
    ("platform/sequence", &["number_sequence"]),
    ("platform/tasks", &["task"]),
    ("platform/throttle", &["network_sign_in", "sign_in_throttle"]),
];

/// Pairs of a table and another module that writes it, by reason.
const EXCEPTIONS: [Exception; 11] = [
    (
        "a request, its customer and their contact points are written together, by the way the request came in",
        &[
            ("customer", "domain/intake/contact_point"),
            ("lead", "domain/intake/contact_point"),
            ("customer_key", "domain/intake/customer"),
            ("customer", "domain/intake/lead"),
            ("customer_key", "domain/intake/lead"),
            ("customer", "domain/work/booking"),
            ("lead", "domain/messaging/lead_response"),
        ],
    ),
    (
        "a customer's new name, phone or email is copied to their open requests and jobs",
        &[("job", "domain/intake/customer"), ("lead", "domain/intake/customer")],
    ),
    ("the page of a review request stores a refusal as consent", &[("consent", "domain/growth/review")]),
    (
        "proof of an address ends or resets what a stranger may have set up, in later domains too",
        &[
            ("connected_account", "domain/tenancy/account"),
            ("canned_reply", "domain/tenancy/trust_level"),
            ("crew", "domain/tenancy/trust_level"),
            ("retention", "domain/tenancy/trust_level"),
            ("webhook", "domain/tenancy/trust_level"),
            ("access_link", "domain/tenancy/trust_level"),
            ("org", "domain/tenancy/trust_level"),
            ("org_setting", "domain/tenancy/trust_level"),
            ("price_item", "domain/tenancy/trust_level"),
            ("review_key", "domain/tenancy/trust_level"),
            ("template_switch", "domain/tenancy/trust_level"),
            ("template_text", "domain/tenancy/trust_level"),
        ],
    ),
    (
        "who joins or leaves a team joins or leaves its crews and conversations, which are of later domains",
        &[("crew_member", "domain/tenancy/account"), ("conversation", "domain/tenancy/account")],
    ),
    (
        "a text or a question that came in is stored, and then read, as a message",
        &[("message", "domain/messaging/conversation"), ("message", "domain/messaging/inbound")],
    ),
    ("a notice to the team is recorded as a decision", &[("automation_decision", "domain/messaging/alert")]),
    (
        "the number that a business texts from is a column of the business",
        &[("org", "domain/messaging/sending_number")],
    ),
    ("money received is settled on the request that it is for", &[("lead", "domain/money/ledger")]),
    (
        "a booking plans its job, and undo puts one back",
        &[("job", "domain/work/activity"), ("job", "domain/work/booking")],
    ),
    ("an undo marks the event that it takes back", &[("work_event", "domain/work/activity")]),
];

/// Modules that work on the tables of all others.
const ACROSS_MODULES: [(&str, &str); 6] = [
    ("ops/customer_merge", "moves what belongs to one customer to another, and back"),
    ("ops/demo_seed", "stores a business as if its past had happened"),
    ("ops/erasure", "removes what is stored about a person, wherever it is"),
    ("ops/retention", "removes what is older than a business keeps"),
    ("ops/send_freeze", "stops in every table what a restored copy would send again"),
    ("ops/tenant_data", "imports and removes all rows of a business"),
];

/// Tables that no text which is read writes.
const WRITTEN_AT_RUN_TIME: [(&str, &str); 2] = [
    ("metric_day", "its columns are those of the list of measures"),
    ("saved_card", "no longer written; its rows move with a merge of customers"),
];

/// `domain/intake/lead` of `shared/src/domain/intake/lead/store.rs::insert`, `platform/tasks` of
/// `platform/src/tasks/claim.rs::claim`, and `worker` of a file of the worker.
fn module_of(place: &str) -> String {
    let path = place.split("::").next().unwrap().trim_end_matches(".rs");
    let (crate_name, inner) = path.split_once("/src/").unwrap();
    let inner = match crate_name {
        "api" | "worker" => return crate_name.to_owned(),
        "shared" => inner.to_owned(),
        layer => format!("{layer}/{inner}"),
    };
    let depth = if inner.starts_with("domain/") { 3 } else { 2 };
    inner.split('/').take(depth).collect::<Vec<_>>().join("/")
}

/// The words after `INSERT INTO`, `UPDATE` and `DELETE FROM`: tables, or what a builder puts there.
fn written(text: &str) -> Vec<&str> {
    let words: Vec<&str> = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty()).collect();
    let written_at = |at: usize| match words[at] {
        // `INSERT OR IGNORE INTO`.
        "INSERT" => (1..=3).find(|ahead| words.get(at + ahead) == Some(&"INTO")).map(|ahead| at + ahead + 1),
        "DELETE" if words.get(at + 1) == Some(&"FROM") => Some(at + 2),
        // `FOR UPDATE` and `FOR NO KEY UPDATE` lock; `DO UPDATE` is part of an insert.
        "UPDATE" if at == 0 || !["FOR", "DO", "KEY"].contains(&words[at - 1]) => Some(at + 1),
        _ => None,
    };
    (0..words.len()).filter_map(|at| words.get(written_at(at)?).copied()).collect()
}

pub fn owner_of(table: &str) -> Option<&'static str> {
    OWNERS.iter().find(|(_, tables)| tables.contains(&table)).map(|(owner, _)| *owner)
}

/// Each table with the modules whose texts write it.
fn writers() -> BTreeSet<(&'static str, String)> {
    let tables: BTreeSet<&'static str> = tenant_data::all_tables().map(|one| one.table).collect();
    let mut found = BTreeSet::new();
    for Statement { place, text, .. } in statements() {
        let of_schema = written(&text).into_iter().filter_map(|word| tables.get(word).copied());
        found.extend(of_schema.map(|table| (table, module_of(&place))));
    }
    assert!(found.len() > 150, "{} writers: the reader is blind", found.len());
    found
}

#[test]
fn every_table_of_the_schema_has_one_owner() {
    let mut listed: Vec<&str> = OWNERS.iter().flat_map(|(_, tables)| *tables).copied().collect();
    listed.sort_unstable();
    let mut there: Vec<&str> = tenant_data::all_tables().map(|one| one.table).collect();
    there.sort_unstable();
    assert_eq!(listed, there, "list each table once, with the module that writes it");
}

#[test]
fn table_owners_are_the_only_writers() {
    let across = |module: &str| ACROSS_MODULES.iter().any(|(listed, _)| *listed == module);
    let listed: BTreeSet<(&str, &str)> = EXCEPTIONS.iter().flat_map(|(_, pairs)| pairs.iter().copied()).collect();
    let writers = writers();
    let foreign: BTreeSet<(&str, &str)> = writers
        .iter()
        .map(|(table, module)| (*table, module.as_str()))
        .filter(|(table, module)| owner_of(table) != Some(module) && !across(module))
        .collect();
    let unlisted: Vec<_> = foreign.difference(&listed).map(|(table, by)| (table, by, owner_of(table))).collect();
    assert!(unlisted.is_empty(), "call a function of the owner instead (table, writer, owner): {unlisted:?}");
    let stale: Vec<_> = listed.difference(&foreign).collect();
    assert!(stale.is_empty(), "take them off the list: {stale:?}");
    assert!(EXCEPTIONS.iter().all(|(why, pairs)| !why.is_empty() && !pairs.is_empty()));
}

#[test]
fn every_owner_writes_its_tables() {
    let writers = writers();
    let is_idle = |table: &str| !writers.iter().any(|(by, module)| *by == table && owner_of(table) == Some(module));
    let tables = OWNERS.iter().flat_map(|(_, tables)| *tables).copied();
    let idle: BTreeSet<&str> = tables.filter(|table| is_idle(table)).collect();
    let listed: BTreeSet<&str> = WRITTEN_AT_RUN_TIME.iter().map(|(table, _)| *table).collect();
    assert_eq!(idle, listed, "their owners do not write these tables");
    let unneeded: Vec<&str> = ACROSS_MODULES
        .iter()
        .map(|(module, _)| *module)
        .filter(|module| !writers.iter().any(|(table, by)| by == module && owner_of(table) != Some(module)))
        .collect();
    assert!(unneeded.is_empty(), "these write only their own tables: {unneeded:?}");
}

#[test]
fn written_tables_are_found_in_texts() {
    for (text, tables) in [
        ("INSERT INTO lead (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET name = excluded.name", vec!["lead"]),
        (
            "WITH gone AS (DELETE FROM conversation WHERE org_id = $1) UPDATE lead SET stage = $2",
            vec!["conversation", "lead"],
        ),
        ("SELECT id FROM job WHERE org_id = $1 FOR NO KEY UPDATE", vec![]),
        ("INSERT OR IGNORE INTO job SELECT id FROM lead", vec!["job"]),
    ] {
        assert_eq!(written(text), tables, "{text}");
    }
}
