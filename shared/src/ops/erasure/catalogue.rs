//! Catalogue of customer data: every column of a business's tables that can hold text, documents or bytes, with its
//! treatment on erasure. A story compares the list with the schema: a new column fails it until it is listed.

mod not_personal;

pub use not_personal::NOT_PERSONAL;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnErasure {
    Null,
    Empty,
    /// Shown to people in place of a name or text.
    Placeholder,
    /// An empty JSON object.
    EmptyObject,
    Set(&'static str),
}

impl ColumnErasure {
    pub(super) fn as_sql(self) -> &'static str {
        match self {
            Self::Null => "NULL",
            Self::Empty => "''",
            Self::Placeholder => "'Erased'",
            Self::EmptyObject => "'{}'",
            Self::Set(sql) => sql,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub enum ErasureAction {
    DeleteRows,
    ClearColumns(&'static [(&'static str, ColumnErasure)]),
}

/// `$1` is the business, `$2` the customer.
#[derive(Clone, Copy, Debug)]
pub struct ErasureTarget {
    pub table: &'static str,
    pub of: &'static str,
    pub how: ErasureAction,
}

const fn clear_columns(
    table: &'static str,
    of: &'static str,
    columns: &'static [(&'static str, ColumnErasure)],
) -> ErasureTarget {
    ErasureTarget { table, of, how: ErasureAction::ClearColumns(columns) }
}

const fn delete_rows(table: &'static str, of: &'static str) -> ErasureTarget {
    ErasureTarget { table, of, how: ErasureAction::DeleteRows }
}

const CUSTOMER: &str = "customer_id = $2";
const LEAD: &str = "lead_id IN (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2)";
const LEAD_OR_CUSTOMER: &str =
    "(customer_id = $2 OR lead_id IN (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2))";
const JOB: &str = "job_id IN (SELECT id FROM job WHERE org_id = $1 AND lead_id IN
    (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2))";
const ESTIMATE: &str = "estimate_id IN (SELECT id FROM estimate WHERE org_id = $1 AND lead_id IN
    (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2))";
const DRAFT_INVOICE: &str =
    "status = 'draft' AND lead_id IN (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2)";
const MESSAGE: &str = "message_id IN (SELECT id FROM message WHERE org_id = $1 AND (customer_id = $2 OR lead_id IN
    (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2)))";
const PAPERS: &str = "subject_id IN (SELECT id FROM estimate WHERE org_id = $1 AND lead_id IN
        (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2)
    UNION ALL SELECT id FROM invoice WHERE org_id = $1 AND lead_id IN
        (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2)
    UNION ALL SELECT id FROM job WHERE org_id = $1 AND lead_id IN
        (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2)
    UNION ALL SELECT id FROM lead_inquiry WHERE org_id = $1 AND lead_id IN
        (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2)
    UNION ALL SELECT id FROM review_request WHERE org_id = $1 AND customer_id = $2)";

/// Copies sent to any of their addresses, or leading to any of their papers.
const COPIES: &str = "(value IN (SELECT value FROM customer_key WHERE org_id = $1 AND customer_id = $2)
    OR link_id IN (SELECT id FROM access_link WHERE org_id = $1 AND subject_id IN (
        SELECT id FROM estimate WHERE org_id = $1 AND lead_id IN (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2)
    UNION ALL SELECT id FROM invoice WHERE org_id = $1 AND lead_id IN
        (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2)
    UNION ALL SELECT id FROM job WHERE org_id = $1 AND lead_id IN
        (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2)
    UNION ALL SELECT id FROM booking_request WHERE org_id = $1 AND lead_id IN
        (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2)
    UNION ALL SELECT email_ref FROM booking_request WHERE org_id = $1 AND lead_id IN
        (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2)
    UNION ALL SELECT id FROM lead_inquiry WHERE org_id = $1 AND lead_id IN
        (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2)
    UNION ALL SELECT id FROM review_request WHERE org_id = $1 AND customer_id = $2)))";

/// Lines of visitors about the person. The chain covers `origin_hash`; in older lines it covers the columns themselves.
const VISITOR_LINES: &str = "actor_kind = 'visitor' AND origin_hash IS NOT NULL AND (subject_id = $2 OR subject_id IN (
        SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2
    UNION ALL SELECT id FROM message WHERE org_id = $1 AND customer_id = $2
    UNION ALL SELECT id FROM estimate WHERE org_id = $1 AND lead_id IN
        (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2)
    UNION ALL SELECT id FROM invoice WHERE org_id = $1 AND lead_id IN
        (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2)
    UNION ALL SELECT id FROM job WHERE org_id = $1 AND lead_id IN
        (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2)
    UNION ALL SELECT id FROM booking_request WHERE org_id = $1 AND lead_id IN
        (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2)
    UNION ALL SELECT id FROM checkout WHERE org_id = $1 AND lead_id IN
        (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2)
    UNION ALL SELECT id FROM review WHERE org_id = $1 AND customer_id = $2
    UNION ALL SELECT id FROM review_request WHERE org_id = $1 AND customer_id = $2))";

use ColumnErasure::{Empty, EmptyObject, Null, Placeholder, Set};

/// Children before parents. Papers are scrubbed separately (`document_redaction`); opt-outs become hashes; the
/// business's own notices that name several people are emptied (`notices`).
pub static ERASURE_TARGETS: &[ErasureTarget] = &[
    // First: rows that name a line's subject go below.
    clear_columns("audit_event", VISITOR_LINES, &[("ip", Null), ("user_agent", Null), ("origin_salt", Null)]),
    delete_rows("access_link_copy", COPIES),
    clear_columns("access_link", PAPERS, &[("revoked_at", Set("$3"))]),
    clear_columns("message_attempt", MESSAGE, &[("detail", Null)]),
    clear_columns(
        "message",
        LEAD_OR_CUSTOMER,
        &[
            ("status", Set("CASE WHEN status IN ('queued', 'held') THEN 'not_sent' ELSE status END")),
            ("from_address", Null),
            ("to_address", Empty),
            ("subject", Null),
            ("body", Placeholder),
            ("page", Null),
            ("evidence", Null),
            ("media", Null),
            ("sla_text", Null),
            ("stored_as", Null),
        ],
    ),
    // Nobody waits for an answer any more.
    clear_columns(
        "sla",
        LEAD,
        &[
            ("words", Empty),
            ("state", Set("CASE WHEN state = 'open' THEN 'released' ELSE state END")),
            ("settled_by", Set("CASE WHEN state = 'open' THEN 'waived' ELSE settled_by END")),
            ("settled_at", Set("CASE WHEN state = 'open' THEN $3 ELSE settled_at END")),
            ("answered_at", Set("CASE WHEN state = 'open' THEN $3 ELSE answered_at END")),
        ],
    ),
    clear_columns(
        "conversation",
        CUSTOMER,
        &[
            ("last_preview", Empty),
            ("is_closed", Set("TRUE")),
            ("unread", Set("0")),
            ("snoozed_until", Null),
            ("settled_at", Set("last_in_at")),
        ],
    ),
    clear_columns("call", LEAD_OR_CUSTOMER, &[("from_address", Null)]),
    clear_columns("automation_decision", LEAD, &[("evidence", EmptyObject)]),
    clear_columns(
        "alert",
        LEAD,
        &[("title", Placeholder), ("body", Empty), ("text_link", Null), ("seen_at", Set("COALESCE(seen_at, $3)"))],
    ),
    clear_columns(
        "approval",
        ESTIMATE,
        &[("name", Placeholder), ("strokes", Null), ("ip", Null), ("user_agent", Null)],
    ),
    // One that waits for their answer is withdrawn; a signed one stays as signed.
    clear_columns(
        "estimate",
        LEAD_OR_CUSTOMER,
        &[
            ("decline_reason", Null),
            ("status", Set("CASE WHEN status IN ('preparing', 'open') THEN 'withdrawn' ELSE status END")),
            ("settled_at", Set("CASE WHEN status IN ('preparing', 'open') THEN $3 ELSE settled_at END")),
        ],
    ),
    // A draft has no number yet and belongs to no books.
    delete_rows("invoice", DRAFT_INVOICE),
    clear_columns("payment", LEAD_OR_CUSTOMER, &[("reference", Null), ("note", Null)]),
    clear_columns("checkout", LEAD, &[("url", Null)]),
    clear_columns(
        "work_event",
        LEAD,
        &[
            ("detail", EmptyObject),
            ("was", Null),
            ("actor_name", Set("CASE WHEN actor_kind = 'customer' THEN 'Customer' ELSE actor_name END")),
        ],
    ),
    clear_columns("job_note", JOB, &[("body", Placeholder)]),
    clear_columns("job_check", JOB, &[("label", Placeholder)]),
    clear_columns("job_cost", JOB, &[("note", Null)]),
    delete_rows("pending_crew_notice", JOB),
    clear_columns(
        "review",
        LEAD_OR_CUSTOMER,
        &[
            ("customer_name", Null),
            ("body", Null),
            ("reply", Null),
            ("phone_e164", Null),
            ("email", Null),
            ("search", Empty),
        ],
    ),
    clear_columns("review_request", CUSTOMER, &[("detail", Null), ("household", Null)]),
    clear_columns("file", LEAD, &[("name", Placeholder), ("caption", Null), ("removed_at", Set("$3"))]),
    delete_rows("photo", LEAD),
    delete_rows("photo_upload", LEAD),
    clear_columns(
        "job",
        LEAD,
        &[
            ("description", Null),
            ("address", Null),
            ("zip", Null),
            ("special_instructions", Null),
            ("materials", Set("'[]'")),
            ("weather_concerns", Null),
            ("cancel_reason", Null),
            ("search", Empty),
        ],
    ),
    clear_columns(
        "consent",
        LEAD_OR_CUSTOMER,
        &[("page_url", Null), ("ip", Null), ("user_agent", Null), ("phone", Null), ("email", Null)],
    ),
    clear_columns(
        "lead_inquiry",
        LEAD,
        &[("submission", EmptyObject), ("attribution", EmptyObject), ("source_hash", Null)],
    ),
    delete_rows("contact_proposal", CUSTOMER),
    delete_rows("work_item_mark", CUSTOMER),
    delete_rows("saved_card", CUSTOMER),
    delete_rows("booking_request", LEAD),
    clear_columns("property", CUSTOMER, &[("label", Null), ("address", Placeholder), ("zip", Null), ("notes", Null)]),
    clear_columns(
        "lead",
        CUSTOMER,
        &[
            ("name", Placeholder),
            ("phone", Empty),
            ("phone_e164", Null),
            ("email", Null),
            ("zip", Empty),
            ("address", Null),
            ("notes", Null),
            ("timeline", Null),
            ("budget", Null),
            ("attribution", EmptyObject),
            ("photo_count", Set("0")),
            ("needs_attention", Set("FALSE")),
            // What was only quoted is no work done.
            ("quoted_cents", Set("CASE WHEN stage IN ('new', 'quoted', 'scheduled') THEN NULL ELSE quoted_cents END")),
            // No open stage: nothing is left to answer, to quote or to schedule.
            ("stage", Set("CASE WHEN stage IN ('new', 'quoted', 'scheduled') THEN 'done' ELSE stage END")),
            ("search", Empty),
        ],
    ),
    delete_rows("customer_key", CUSTOMER),
    clear_columns(
        "customer",
        "id = $2",
        &[
            ("name", Placeholder),
            ("phone_e164", Null),
            ("email", Null),
            ("language", Null),
            ("search", Empty),
            ("last_word", Empty),
            ("phone_end", Null),
        ],
    ),
];

/// Columns with customer data that are handled by code of their own, or kept, with the reason.
pub static BY_HAND: &[(&str, &str, &str)] = &[
    ("estimate", "content", "document_redaction.rs: the addressee goes, number, lines and sums stay"),
    ("invoice", "content", "document_redaction.rs: the addressee goes, number, lines and sums stay"),
    ("property", "address_key", "erasure.rs: becomes the id of the place"),
    ("opt_out", "address", "erasure.rs: the row becomes a keyed hash in erased_opt_out"),
    ("opt_out", "matched", "goes with the row"),
    ("sending_contact", "address", "addresses.rs: the rows of the person's addresses are deleted"),
    ("sending_contact", "sender", "goes with the row"),
    ("customer_merge", "moved", "erasure.rs: the record of a merge goes with the person"),
    ("idempotency", "answer", "pruned after a day, of jobs after seven"),
    ("sms_recipient_window", "number", "erasure.rs: becomes a random id; the counts are pruned after two days"),
    ("slot_hold", "source_hash", "pruned an hour after its end"),
    ("slot_hold", "surrounding_hash", "pruned an hour after its end"),
    ("file", "full_key", "an id; the file behind it is removed"),
    ("file", "thumb_key", "an id; the file behind it is removed"),
    ("file", "sha256", "of a file that is gone"),
    ("approval", "pdf_sha256", "proof of which paper was signed"),
    ("approval", "wording", "the business's words that were agreed to"),
    ("approval", "manner", "typed or drawn"),
    ("consent", "wording", "the business's words that were agreed to"),
];
