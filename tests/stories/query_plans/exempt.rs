//! Exemptions from the rule against full scans, with reasons.

/// Tables that do not grow with the work, by group.
pub const SMALL: [(&str, &[&str]); 5] = [
    (
        "one row for each business, or a few",
        &[
            "org",
            "audit_head",
            "audit_check",
            "pulse_plan",
            "incident",
            "reconciliation",
            "org_secret",
            "subscription",
            "sending_number",
            "demo_request",
            "channel_pause",
        ],
    ),
    (
        "a few rows for each person who signs in",
        &["account", "session", "one_time_token", "known_device", "push_device"],
    ),
    (
        "a few rows for the install",
        &[
            "worker_heartbeat",
            "write_probe",
            "webhook_health",
            "retired_key",
            "held_number",
            "backup",
            "send_freeze",
            "suppression_hash",
        ],
    ),
    (
        "emptied within hours or days: what is on its way, and counters of a window",
        &[
            "unmatched_delivery_report",
            "send_rate",
            "sign_in_throttle",
            "network_sign_in",
            "install_mail",
            "pending_crew_notice",
            "photo_upload",
            "photo_backlog",
        ],
    ),
    ("one row for each business and day, removed after days", &["trust_usage"]),
];

/// Partial indexes of pending work: a row leaves them when its work is done.
pub const SHORT: [&str; 15] = [
    "alert_unsent",
    "follow_up_due",
    "message_unconfirmed",
    "message_unsettled",
    "message_waiting_about",
    "pending_crew_notice_unsent",
    "review_request_planned",
    "task_dead",
    "task_due",
    "task_due_by_lane",
    "task_live_by_subject",
    "task_parked",
    "task_running",
    "task_scheduled",
    "webhook_delivery_waiting",
];

/// Functions, or whole files, that scan a growing table.
pub const EXCUSED: [(&str, &str); 6] = [
    (
        "shared/src/domain/tenancy/account.rs::insert_owner",
        "SQLite lists the checks of foreign keys that a new row could mend, and makes none while all hold",
    ),
    ("shared/src/domain/tenancy/account/invite/join.rs::accept_invite", "the same"),
    ("shared/src/domain/tenancy/audit/verify.rs::list_orgs", "an operator's command that reads every line afterwards"),
    ("shared/src/ops/send_freeze/pending_work.rs", "asked once, when an install that was restored is let send again"),
    (
        "shared/src/ops/system_status/facts.rs::load_system_facts",
        "the newest task that is done: the first row of the index",
    ),
    (
        "platform/src/tasks/claim.rs::claim_silent",
        "the state is a literal at run time; the index has the same condition",
    ),
];

/// Texts without a plan, by group.
pub const NO_PLAN: [(&str, &[&str]); 4] = [
    ("words of HTTP, not of SQL", &["api/src/metrics.rs::method_name", "api/src/scopes.rs::operations"]),
    (
        "what only PostgreSQL or its catalogue is asked",
        &[
            "api/src/notifier.rs",
            "worker/src/wake.rs",
            "platform/src/db.rs::acquire_advisory_lock",
            "platform/src/db/flush.rs",
            "platform/src/db/pooler.rs",
            "platform/src/db/tenant_scope.rs",
            "platform/src/db/schema.rs",
            "platform/src/db/copy.rs",
            "platform/src/db/rows.rs",
            "shared/src/ops/system_status/clock.rs::measure_server_offset",
        ],
    ),
    ("rows that are written by their key, several tables at a time", &["platform/src/db/batch.rs"]),
    (
        "tables that the erasure catalogue lists, one after the other, for one person",
        &["shared/src/ops/erasure/row_erasure.rs::build_erase_sql"],
    ),
];
