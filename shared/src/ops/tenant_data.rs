//! Catalogue of all tables: whose rows each has, and whether they are exported with a business.
//!
//! A story compares it with the schema, on both databases: an unlisted table fails it. Parents come before children,
//! so rows are written in the order of the list and removed in reverse.

use crate::platform::{
    db::{
        AsConn,
        rows::{self, Cell, TableShape},
    },
    error::Result,
};

pub mod archive;
pub mod digest;
pub mod export;
pub mod former_names;
pub mod import;
pub mod removal;
pub mod sender_opt_outs;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableOwner {
    /// A business's, and exported.
    Business,
    /// A business's, but useless elsewhere; with the reason.
    NotExported(&'static str),
    /// The install's; with the purpose.
    Install(&'static str),
}

#[derive(Clone, Copy, Debug)]
pub struct TableSpec {
    pub table: &'static str,
    pub whose: TableOwner,
    /// Columns that are not exported, and their values in the new install.
    pub kept_back: &'static [(&'static str, ColumnReplacement)],
    /// Whether it is exported as a spreadsheet too.
    pub has_sheet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnReplacement {
    /// A hash that no password matches: the person chooses a new one there.
    NoPassword,
    /// No second factor: its secret is sealed with the old install's key.
    False,
    /// It has not happened there: one install's observations of a person prove nothing to another.
    NullInstant,
    NullText,
}

impl ColumnReplacement {
    #[must_use]
    pub fn to_cell(self) -> Cell {
        match self {
            Self::NoPassword => Cell::Text(Some(crate::domain::tenancy::account::password::NOBODY.to_owned())),
            Self::False => Cell::Flag(Some(false)),
            Self::NullInstant => Cell::Instant(None),
            Self::NullText => Cell::Text(None),
        }
    }
}

const fn exported_table(table: &'static str) -> TableSpec {
    TableSpec { table, whose: TableOwner::Business, kept_back: &[], has_sheet: false }
}

const fn spreadsheet_table(table: &'static str) -> TableSpec {
    TableSpec { has_sheet: true, ..exported_table(table) }
}

const fn local_table(table: &'static str, why: &'static str) -> TableSpec {
    TableSpec { whose: TableOwner::NotExported(why), ..exported_table(table) }
}

const fn install_table(table: &'static str, what: &'static str) -> TableSpec {
    TableSpec { whose: TableOwner::Install(what), ..exported_table(table) }
}

/// Accounts, without credentials.
const ACCOUNT: TableSpec = TableSpec {
    kept_back: &[
        ("password_hash", ColumnReplacement::NoPassword),
        ("two_factor_enabled", ColumnReplacement::False),
        ("email_proved_at", ColumnReplacement::NullInstant),
    ],
    ..exported_table("account")
};

/// Without its senders, which belong to the install's account at Twilio.
const ORG: TableSpec = TableSpec {
    kept_back: &[("sms_number", ColumnReplacement::NullText), ("messaging_service", ColumnReplacement::NullText)],
    ..exported_table("org")
};

const COUNTED: &str = "counted again from the records";
const SIGNED_IN: &str = "people sign in again";
const SEALED: &str = "sealed with the key of the install it was made on";
const BROWSER: &str = "a browser allows one address to notify it";
const MOMENT: &str = "useful for minutes only";
const KNOWN_HERE: &str = "what one install has seen of a business proves nothing to another";
const PAID_HERE: &str = "what is paid is between the business and the person who runs the install";

pub static ALL_TABLES: [TableSpec; 140] = [
    // The business and its people.
    ORG,
    exported_table("automation_switch"),
    exported_table("template_switch"),
    exported_table("recipient"),
    ACCOUNT,
    exported_table("org_setting"),
    exported_table("template_text"),
    exported_table("canned_reply"),
    exported_table("number_sequence"),
    exported_table("storage_usage"),
    exported_table("incident"),
    spreadsheet_table("price_item"),
    exported_table("crew"),
    exported_table("crew_member"),
    exported_table("invite"),
    // Customers.
    spreadsheet_table("customer"),
    exported_table("customer_key"),
    exported_table("customer_merge"),
    exported_table("customer_import"),
    exported_table("customer_import_row"),
    spreadsheet_table("property"),
    spreadsheet_table("lead"),
    exported_table("lead_inquiry"),
    exported_table("contact_proposal"),
    local_table("booking_request", MOMENT),
    spreadsheet_table("consent"),
    spreadsheet_table("opt_out"),
    spreadsheet_table("call"),
    exported_table("conversation"),
    exported_table("control_group_assignment"),
    exported_table("out_of_area"),
    exported_table("saved_card"),
    exported_table("erasure"),
    exported_table("retention"),
    local_table("retention_run", "nights of one install"),
    local_table("retention_mark", "a new install looks at all of it once"),
    local_table("file_to_delete", "files of one install"),
    local_table("erased_opt_out", SEALED),
    // The work.
    spreadsheet_table("job"),
    exported_table("job_check"),
    spreadsheet_table("job_note"),
    spreadsheet_table("job_cost"),
    exported_table("pending_crew_notice"),
    spreadsheet_table("file"),
    spreadsheet_table("photo"),
    local_table(
        "photo_upload",
        "bytes as a phone sent them, which say where it was; they become photos within moments",
    ),
    local_table("photo_backlog", "the total of what stays in photo_upload"),
    exported_table("access_link"),
    exported_table("access_link_copy"),
    // The money.
    spreadsheet_table("estimate"),
    spreadsheet_table("approval"),
    spreadsheet_table("invoice"),
    spreadsheet_table("payment"),
    spreadsheet_table("payment_allocation"),
    exported_table("checkout"),
    exported_table("stripe_payout"),
    exported_table("stripe_transaction"),
    exported_table("money_difference"),
    exported_table("stripe_event"),
    // Messages and plans.
    spreadsheet_table("message"),
    exported_table("message_attempt"),
    exported_table("message_file"),
    exported_table("automation_decision"),
    exported_table("sla"),
    exported_table("follow_up"),
    exported_table("sms_daily_usage"),
    exported_table("sms_recipient_window"),
    exported_table("review_request"),
    exported_table("review_request_lock"),
    spreadsheet_table("review"),
    exported_table("work_item_mark"),
    exported_table("pulse"),
    exported_table("pulse_plan"),
    // Events.
    exported_table("work_event"),
    exported_table("alert"),
    spreadsheet_table("audit_event"),
    exported_table("audit_head"),
    exported_table("security_alert"),
    // Of a business, and not exported.
    local_table("session", SIGNED_IN),
    local_table("reconciliation", "Stripe's books are checked again"),
    local_table("offline_store_key", SEALED),
    local_table("known_device", SIGNED_IN),
    local_table("one_time_token", MOMENT),
    local_table("address_proof", MOMENT),
    local_table("org_trust", KNOWN_HERE),
    local_table("trust_usage", KNOWN_HERE),
    local_table("second_factor", SEALED),
    local_table("recovery_code", SEALED),
    local_table("passkey", "bound to the address of the install it was made for"),
    local_table("audit_anchor", "proved by the key of the install that mailed it"),
    local_table("audit_check", "the log is checked again"),
    local_table("security_counter", MOMENT),
    local_table("sending_number", "a number belongs to the account at Twilio of the install it was assigned on"),
    local_table("number_claim", MOMENT),
    local_table("number_order", "a number belongs to the account at Twilio of the install it was bought for"),
    local_table("texting_registration", "a registration belongs to a number of that install"),
    local_table("sending_contact", "what left from a number of that install"),
    local_table("org_webhook_health", "how providers' calls are doing at the install's own address"),
    local_table("api_key", "only its hash is known; programs are given a new one"),
    local_table("webhook", SEALED),
    local_table("webhook_delivery", SEALED),
    local_table("webhook_attempt", SEALED),
    local_table("demo_request", PAID_HERE),
    local_table("subscription", PAID_HERE),
    local_table("push_device", BROWSER),
    local_table("alert_push", BROWSER),
    local_table("org_secret", SEALED),
    local_table("connected_account", "connected to the platform of the install it was made on"),
    local_table("review_key", "only its hash is known; a new one is made in the settings"),
    local_table("idempotency", MOMENT),
    local_table("live_event", MOMENT),
    local_table("slot_hold", MOMENT),
    local_table("task", "a wake-up; what is to be done is in the rows it wakes"),
    local_table("demo_seed", "the demonstration is seeded on each install"),
    local_table("metric_fact", COUNTED),
    local_table("metric_day", COUNTED),
    local_table("metric_source_day", COUNTED),
    local_table("metric_answer", COUNTED),
    local_table("metric_row", COUNTED),
    local_table("metric_check", COUNTED),
    local_table("metric_recount", COUNTED),
    // Of the install.
    install_table("channel_pause", "a provider that asked for silence"),
    install_table("unmatched_delivery_report", "reports that came before what they are about"),
    install_table("inbound_sync_cursor", "since when a number's calls are looked for"),
    install_table("install_sender", "which senders went to the first business"),
    install_table("held_number", "which numbers a business has or had"),
    install_table("send_rate", "how many texts a number may send"),
    install_table("sign_in_throttle", "who has tried too often"),
    install_table("network_sign_in", "which accounts failed from which network"),
    install_table("passkey_challenge", "sign-ins with a passkey that were begun"),
    install_table("billing_event", "what Stripe told of the install's own account"),
    install_table("install_mail", "letters about no business"),
    install_table("webhook_health", "how providers' calls are doing"),
    install_table("worker_heartbeat", "which workers live"),
    install_table("write_probe", "which processes could write"),
    install_table("retired_key", "keys of this install that were in force before, and the mark of the one in force"),
    install_table("send_freeze", "whether anything may be sent"),
    install_table("backup", "which backups there are"),
    install_table("removed_org", "that there was a business"),
    install_table("suppression_hash", "who must not be written to, as a keyed hash"),
];

/// Parents before children.
#[must_use]
pub fn all_tables() -> impl DoubleEndedIterator<Item = &'static TableSpec> {
    ALL_TABLES.iter()
}

#[must_use]
pub fn exported_tables() -> impl DoubleEndedIterator<Item = &'static TableSpec> {
    all_tables().filter(|one| one.whose == TableOwner::Business)
}

#[must_use]
pub fn tenant_tables() -> impl DoubleEndedIterator<Item = &'static TableSpec> {
    all_tables().filter(|one| !matches!(one.whose, TableOwner::Install(_)))
}

impl TableSpec {
    pub async fn exported_shape(&self, conn: &mut dyn AsConn) -> Result<TableShape> {
        let whole = rows::load_table_shape(conn, self.table).await?;
        let is_kept_back = |name: &String| self.kept_back.iter().any(|(column, _)| column == name);
        let names: Vec<String> = whole.column_names().into_iter().filter(|name| !is_kept_back(name)).collect();
        Ok(whole.select_columns(&names).unwrap_or(whole))
    }
}
