//! What belongs to a business: every table there is, whose rows they are, and whether they go along when it leaves.
//!
//! A story compares this list with the schema, on both databases: a table that is in no line fails it. Parents stand
//! before their children, so whatever writes rows follows the list, and whatever removes them goes backwards.

use crate::platform::{
    db::{
        AsConn,
        rows::{self, Cell, Shape},
    },
    error::Result,
};

pub mod archive;
pub mod digest;
pub mod export;
pub mod import;
pub mod removal;

/// Whose rows a table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// A business's, and it takes them along.
    Business,
    /// A business's, but worth nothing elsewhere; why.
    Stays(&'static str),
    /// The install's; what for.
    Install(&'static str),
}

/// One line of the list.
#[derive(Clone, Copy, Debug)]
pub struct Belonging {
    pub table: &'static str,
    pub whose: Whose,
    /// Columns that stay behind, and what stands there in the new place.
    pub kept_back: &'static [(&'static str, Instead)],
    /// Whether people read it as a spreadsheet.
    pub has_sheet: bool,
}

/// What stands where nothing was taken along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instead {
    /// A hash that no password fits: who signs in there chooses a new one.
    NoPassword,
    /// No second factor: its secret is sealed with the old install's key.
    No,
    /// It has not happened here: what one install has seen of a person proves nothing to another.
    Never,
    /// No text.
    Nothing,
}

impl Instead {
    #[must_use]
    pub fn cell(self) -> Cell {
        match self {
            Self::NoPassword => Cell::Text(Some(crate::domain::tenancy::account::password::NOBODY.to_owned())),
            Self::No => Cell::Flag(Some(false)),
            Self::Never => Cell::Instant(None),
            Self::Nothing => Cell::Text(None),
        }
    }
}

const fn business(table: &'static str) -> Belonging {
    Belonging { table, whose: Whose::Business, kept_back: &[], has_sheet: false }
}

/// One that people read as a spreadsheet too.
const fn sheet(table: &'static str) -> Belonging {
    Belonging { has_sheet: true, ..business(table) }
}

const fn stays(table: &'static str, why: &'static str) -> Belonging {
    Belonging { whose: Whose::Stays(why), ..business(table) }
}

const fn install(table: &'static str, what: &'static str) -> Belonging {
    Belonging { whose: Whose::Install(what), ..business(table) }
}

/// Who signs in, without what they sign in with.
const ACCOUNT: Belonging = Belonging {
    kept_back: &[
        ("password_hash", Instead::NoPassword),
        ("two_factor_enabled", Instead::No),
        ("email_proved_at", Instead::Never),
    ],
    ..business("account")
};

/// Without what it sends from, which belongs to the install's account at Twilio.
const ORG: Belonging = Belonging {
    kept_back: &[("sms_number", Instead::Nothing), ("messaging_service", Instead::Nothing)],
    ..business("org")
};

const COUNTED: &str = "counted anew from the records";
const SIGNED_IN: &str = "people sign in anew";
const SEALED: &str = "sealed with the key of the install it was made on";
const BROWSER: &str = "a browser allows one address to notify it";
const MOMENT: &str = "of use for minutes";
const KNOWN_HERE: &str = "what one install has seen of a business proves nothing to another";
const PAID_HERE: &str = "what is paid is between the business and who runs the install";

/// Every table there is.
pub static ALL: [Belonging; 136] = [
    // The business and its people.
    ORG,
    business("automation_switch"),
    business("template_switch"),
    business("recipient"),
    ACCOUNT,
    business("org_setting"),
    business("wording"),
    business("canned_reply"),
    business("number_series"),
    business("storage_use"),
    business("quiet_failure"),
    sheet("price_item"),
    business("crew"),
    business("crew_member"),
    business("invite"),
    // Whom it works for.
    sheet("customer"),
    business("customer_key"),
    business("customer_merge"),
    business("customer_import"),
    business("customer_import_row"),
    sheet("property"),
    sheet("lead"),
    business("lead_touch"),
    business("contact_proposal"),
    stays("booking_request", MOMENT),
    sheet("consent"),
    sheet("opt_out"),
    sheet("call"),
    business("thread"),
    business("hold_out"),
    business("out_of_area"),
    business("saved_card"),
    business("erasure"),
    business("retention"),
    stays("retention_run", "nights of one install"),
    stays("retention_mark", "a new install looks at all of it once"),
    stays("file_to_delete", "files of one install"),
    stays("erased_opt_out", SEALED),
    // The work.
    sheet("job"),
    business("job_check"),
    sheet("job_note"),
    sheet("job_cost"),
    business("crew_change"),
    sheet("file"),
    sheet("photo"),
    stays("photo_upload", "bytes as a phone sent them, which say where it was; they become photos within moments"),
    stays("photo_waiting", "the total of what stays in photo_upload"),
    business("link"),
    business("link_copy"),
    // The money.
    sheet("estimate"),
    sheet("approval"),
    sheet("invoice"),
    sheet("payment"),
    sheet("allocation"),
    business("checkout"),
    business("stripe_payout"),
    business("stripe_transaction"),
    business("money_difference"),
    business("stripe_event"),
    // What was said, and what is to be said.
    sheet("message"),
    business("message_attempt"),
    business("message_file"),
    business("decision"),
    business("promise"),
    business("follow_up"),
    business("text_count"),
    business("text_reach"),
    business("review_ask"),
    business("review_turn"),
    sheet("review"),
    business("pulse"),
    business("pulse_plan"),
    // What happened.
    business("work_event"),
    business("alert"),
    sheet("audit_event"),
    business("audit_head"),
    business("security_alert"),
    // Of a business, and left where it is.
    stays("session", SIGNED_IN),
    stays("reconciliation", "Stripe's books are looked through anew"),
    stays("unsent_key", SEALED),
    stays("known_device", SIGNED_IN),
    stays("account_ticket", MOMENT),
    stays("address_proof", MOMENT),
    stays("org_trust", KNOWN_HERE),
    stays("trust_usage", KNOWN_HERE),
    stays("second_factor", SEALED),
    stays("recovery_code", SEALED),
    stays("passkey", "bound to the address of the install it was made for"),
    stays("audit_anchor", "proved by the key of the install that mailed it"),
    stays("audit_check", "the log is looked through anew"),
    stays("security_tally", MOMENT),
    stays("sending_number", "a number belongs to the account at Twilio of the install it was assigned on"),
    stays("number_claim", MOMENT),
    stays("sending_contact", "what left from a number of that install"),
    stays("org_webhook_health", "how providers' calls are doing at the install's own address"),
    stays("api_key", "only its hash is known; programs are given a new one"),
    stays("hook", SEALED),
    stays("hook_call", SEALED),
    stays("hook_try", SEALED),
    stays("demo_request", PAID_HERE),
    stays("subscription", PAID_HERE),
    stays("push_device", BROWSER),
    stays("alert_push", BROWSER),
    stays("org_secret", SEALED),
    stays("connected_account", "connected to the platform of the install it was made on"),
    stays("review_key", "only its hash is known; a new one is made in the settings"),
    stays("idempotency", MOMENT),
    stays("live_event", MOMENT),
    stays("slot_hold", MOMENT),
    stays("task", "a wake-up; what is to be done stands in the rows it wakes"),
    stays("demo_seed", "the demonstration is seeded on each install"),
    stays("metric_fact", COUNTED),
    stays("metric_day", COUNTED),
    stays("metric_source_day", COUNTED),
    stays("metric_answer", COUNTED),
    stays("metric_row", COUNTED),
    stays("metric_check", COUNTED),
    stays("metric_recount", COUNTED),
    // Of the install.
    install("channel_pause", "a provider that asked for silence"),
    install("early_report", "reports that came before what they are about"),
    install("number_watch", "since when a number's calls are looked for"),
    install("install_sender", "which senders went to the first business"),
    install("pace", "how many texts a number may send"),
    install("sign_in_throttle", "who has tried too often"),
    install("network_sign_in", "which accounts failed from which network"),
    install("passkey_challenge", "sign-ins with a passkey that were begun"),
    install("billing_event", "what Stripe told of the install's own account"),
    install("install_mail", "letters about no business"),
    install("webhook_health", "how providers' calls are doing"),
    install("worker_sign", "which workers live"),
    install("write_proof", "which processes could write"),
    install("retired_key", "keys of this install that were in force before, and the mark of the one in force"),
    install("outbox_freeze", "whether anything may be sent"),
    install("backup", "which backups there are"),
    install("removed_org", "that there was a business"),
    install("removed_opt_out", "who must not be written to, as a keyed hash"),
];

/// Every table there is, parents before children.
#[must_use]
pub fn all() -> impl DoubleEndedIterator<Item = &'static Belonging> {
    ALL.iter()
}

/// What a business takes along.
#[must_use]
pub fn taken() -> impl DoubleEndedIterator<Item = &'static Belonging> {
    all().filter(|one| one.whose == Whose::Business)
}

/// Whatever is some business's.
#[must_use]
pub fn owned() -> impl DoubleEndedIterator<Item = &'static Belonging> {
    all().filter(|one| !matches!(one.whose, Whose::Install(_)))
}

impl Belonging {
    /// How its rows look when they are taken along.
    pub async fn shape(&self, conn: &mut dyn AsConn) -> Result<Shape> {
        let whole = rows::shape(conn, self.table).await?;
        let is_kept_back = |name: &String| self.kept_back.iter().any(|(column, _)| column == name);
        let names: Vec<String> = whole.names().into_iter().filter(|name| !is_kept_back(name)).collect();
        Ok(whole.only(&names).unwrap_or(whole))
    }
}
