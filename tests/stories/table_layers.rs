//! SQL texts keep to the layers, as imports do: a layer names no table of one above it, and a domain reads those of
//! earlier domains by their functions. The exceptions are counted, and can only shrink.
//!
//! `views` and `ops` read what is below them. Not covered are texts whose tables are named at run time.

use std::collections::BTreeMap;

use crate::{
    layers::DOMAINS,
    table_owners::owner_of,
    tenancy::{
        source::{Statement, statements},
        sql::named_tables,
    },
};

/// A reason, and the files with the number of tables that they name, each as often as it is named.
type UpwardFiles = (&'static str, &'static [(&'static str, usize)]);

/// Files that name tables of a higher layer or a later domain.
const UPWARD: [UpwardFiles; 14] = [
    (
        "what a crew sees follows from its jobs, and old events are removed business by business",
        &[("platform/src/live.rs", 3)],
    ),
    (
        "a crash is charged to a task by the state of the message that it sends, and a frozen install claims only \
         tasks that speak to nobody",
        &[("platform/src/tasks/claim.rs", 1), ("platform/src/tasks/queue.rs", 3)],
    ),
    (
        "the older keys are stored, and are read before anything that they encrypted",
        &[("platform/src/encryption/retired.rs", 1)],
    ),
    (
        "who joins or leaves a team joins or leaves its crews and conversations",
        &[
            ("shared/src/domain/tenancy/account/invite.rs", 1),
            ("shared/src/domain/tenancy/account/invite/join.rs", 2),
            ("shared/src/domain/tenancy/account/team.rs", 6),
        ],
    ),
    (
        "proof of an address ends or resets what a stranger may have set up, in later domains too",
        &[
            ("shared/src/domain/tenancy/account/proof.rs", 1),
            ("shared/src/domain/tenancy/trust_level/inherited.rs", 13),
        ],
    ),
    (
        "one query answers for a whole page of the settings: business, clients, devices, security",
        &[
            ("shared/src/domain/tenancy/account/client.rs", 1),
            ("shared/src/domain/tenancy/org/keys.rs", 1),
            ("shared/src/domain/tenancy/org/profile.rs", 2),
            ("shared/src/domain/tenancy/push_device.rs", 2),
            ("shared/src/domain/tenancy/security/facts.rs", 2),
        ],
    ),
    (
        "what a business may send follows from its subscription, and when from the sign of life of the worker",
        &[
            ("shared/src/domain/tenancy/trust_level.rs", 1),
            ("shared/src/domain/messaging/message/outlook.rs", 1),
            ("shared/src/domain/messaging/message/send_readiness.rs", 2),
        ],
    ),
    (
        "what an address proves is weighed by the messages, calls and papers that reached the customer at it",
        &[
            ("shared/src/domain/intake/contact_point/link_proof.rs", 5),
            ("shared/src/domain/intake/contact_point/sent_papers.rs", 4),
            ("shared/src/domain/intake/contact_point/set_aside.rs", 2),
            ("shared/src/domain/intake/contact_point/typed_contacts.rs", 3),
            ("shared/src/domain/intake/contact_point/visit_recipient.rs", 3),
            ("shared/src/domain/intake/lead/consent.rs", 1),
            ("shared/src/domain/intake/lead/consent/confirmation.rs", 4),
            ("shared/src/domain/intake/lead/consent/typed_name.rs", 1),
        ],
    ),
    (
        "an imported customer or a place is removed only while nothing refers to it",
        &[
            ("shared/src/domain/intake/customer/import/undo.rs", 11),
            ("shared/src/domain/intake/customer/property.rs", 1),
        ],
    ),
    (
        "the lists and the search of leads and customers show what became of them",
        &[
            ("shared/src/domain/intake/customer/edit.rs", 1),
            ("shared/src/domain/intake/customer/merged_customers.rs", 1),
            ("shared/src/domain/intake/lead/active_job.rs", 6),
            ("shared/src/domain/intake/lead/projection.rs", 2),
        ],
    ),
    (
        "a request for a demonstration is kept with the subscription that came of it",
        &[("shared/src/domain/intake/demo_request.rs", 6)],
    ),
    (
        "a message is checked by the paper or the visit that it is about",
        &[
            ("shared/src/domain/messaging/alert/today_visit.rs", 3),
            ("shared/src/domain/messaging/lead_response/decide.rs", 2),
            ("shared/src/domain/messaging/message/email_attachment.rs", 1),
            ("shared/src/domain/messaging/message/send/load.rs", 4),
            ("shared/src/domain/messaging/message/sms_link.rs", 4),
        ],
    ),
    (
        "a file that a paper shows is listed with the paper, and cannot be removed",
        &[("shared/src/domain/work/file/list.rs", 7), ("shared/src/domain/work/file/remove.rs", 3)],
    ),
    (
        "a job's price and its lead's stage follow from the estimates",
        &[("shared/src/domain/work/job.rs", 2), ("shared/src/domain/work/job/lead_projection.rs", 1)],
    ),
];

/// How many tables of an earlier domain the texts of a domain name, each as often as it is named.
const EARLIER_DOMAINS: [(&str, &str, usize); 15] = [
    ("intake", "tenancy", 7),
    ("messaging", "tenancy", 42),
    ("messaging", "intake", 69),
    ("work", "tenancy", 30),
    ("work", "intake", 33),
    ("work", "messaging", 17),
    ("money", "tenancy", 13),
    ("money", "intake", 18),
    ("money", "messaging", 12),
    ("money", "work", 10),
    ("growth", "tenancy", 14),
    ("growth", "intake", 52),
    ("growth", "messaging", 34),
    ("growth", "work", 27),
    ("growth", "money", 22),
];

/// A table that a text names.
struct NamedTable {
    file: String,
    reader: String,
    table: String,
    owner: String,
}

/// `intake` of `shared/src/domain/intake/lead.rs` and of `domain/intake/lead`, `platform` of `platform/src/live.rs`.
fn area_of(path: &str) -> String {
    let path = path.strip_prefix("shared/src/").unwrap_or(path);
    let path = path.strip_prefix("domain/").unwrap_or(path);
    path.split(['/', '.']).next().unwrap().to_owned()
}

/// From below; programs, which are above all of these, have no rank.
fn rank(area: &str) -> Option<usize> {
    match area {
        "platform" => Some(0),
        "documents" | "providers" => Some(1),
        "views" => Some(DOMAINS.len() + 2),
        "ops" => Some(DOMAINS.len() + 3),
        domain => DOMAINS.iter().position(|one| *one == domain).map(|place| place + 2),
    }
}

/// The tables that the texts of layers and domains name, without their own.
fn foreign_tables() -> Vec<NamedTable> {
    let mut found = Vec::new();
    for Statement { place, text, .. } in statements() {
        let file = place.split("::").next().unwrap();
        let reader = area_of(file);
        if rank(&reader).is_none() {
            continue;
        }
        for table in named_tables(&text) {
            let Some(owner) = owner_of(&table).map(area_of).filter(|owner| *owner != reader) else { continue };
            found.push(NamedTable { file: file.to_owned(), reader: reader.clone(), table, owner });
        }
    }
    assert!(found.len() > 500, "{} tables: the reader is blind", found.len());
    found
}

#[test]
fn sql_texts_name_tables_of_lower_layers_only() {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for NamedTable { file, table, .. } in
        foreign_tables().into_iter().filter(|one| rank(&one.owner) > rank(&one.reader))
    {
        found.entry(file).or_default().push(table);
    }
    let listed: BTreeMap<&str, usize> = UPWARD.iter().flat_map(|(_, files)| files.iter().copied()).collect();
    let allowed = |file: &str| listed.get(file).copied().unwrap_or_default();
    let beyond: Vec<_> = found.iter().filter(|(file, tables)| tables.len() > allowed(file)).collect();
    assert!(beyond.is_empty(), "let the owner hand this in, or list the number of tables: {beyond:#?}");
    let count = |file: &str| found.get(file).map_or(0, Vec::len);
    let stale: Vec<_> = listed.keys().filter(|file| count(file) < allowed(file)).map(|f| (f, count(f))).collect();
    assert!(stale.is_empty(), "lower these figures: {stale:?}");
    assert!(UPWARD.iter().all(|(why, files)| !why.is_empty() && !files.is_empty()));
}

#[test]
fn domains_name_few_tables_of_earlier_domains() {
    let mut found: BTreeMap<(String, String), usize> = BTreeMap::new();
    let is_domain = |area: &String| DOMAINS.contains(&area.as_str());
    for one in foreign_tables() {
        if is_domain(&one.reader) && is_domain(&one.owner) && rank(&one.owner) < rank(&one.reader) {
            *found.entry((one.reader, one.owner)).or_default() += 1;
        }
    }
    let listed: BTreeMap<(String, String), usize> =
        EARLIER_DOMAINS.iter().map(|(own, other, count)| (((*own).into(), (*other).into()), *count)).collect();
    let allowed = |pair: &(String, String)| listed.get(pair).copied().unwrap_or_default();
    let beyond: Vec<_> = found.iter().filter(|(pair, count)| **count > allowed(pair)).collect();
    assert!(beyond.is_empty(), "call a function of the other domain instead: {beyond:?}");
    let count = |pair: &(String, String)| found.get(pair).copied().unwrap_or_default();
    let stale: Vec<_> = listed.keys().filter(|pair| count(pair) < allowed(pair)).map(|p| (p, count(p))).collect();
    assert!(stale.is_empty(), "lower these figures: {stale:?}");
}
