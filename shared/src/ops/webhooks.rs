//! Webhooks: addresses of a business's choice that are told what happens to its work.
//!
//! In the transaction of what happens, [`tell`] writes one call for each address that listens; a task makes it, signed
//! and to the internet only ([`crate::platform::outbound`]), and again after growing pauses until it is taken. Every try
//! is in the log of its address. An address at which nothing is taken for five days is turned off, and the owner told.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::platform::{
    clock::Origin,
    db::{AsConn, Tx, q},
    encryption::renewal::{Count, Renewed},
    error::{Error, FieldErrors, Result},
    id::{HookId, OrgId},
    outbound::Rules,
    secret::SecretKey,
    text::{given, line},
};

mod call;
mod event;
mod log;
mod plan;
mod sign;
mod tell;

pub use call::{Due, again, due, prune, record, sweep};
pub use event::Event;
pub use log::{CallView, State, TryView, calls};
pub(crate) use tell::{has_news, tell_news};

use sign::Secret;

/// More than a business has programs.
const MOST: i64 = 10;
pub const MAX_URL: usize = 2_048;
pub const MAX_ABOUT: usize = 100;
/// How long the secret before the present one signs beside it.
const BOTH_SIGN: Duration = Duration::hours(24);

/// One address, as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Webhook)]
pub struct Hook {
    pub id: HookId,
    pub url: String,
    pub about: Option<String>,
    pub events: Vec<Event>,
    pub is_on: bool,
    /// Since when nothing was taken there.
    pub failing_since: Option<DateTime<Utc>>,
    /// When and why we turned it off.
    pub stopped_at: Option<DateTime<Utc>>,
    pub stopped_why: Option<String>,
    /// Until when the secret before the present one signs too.
    pub old_secret_until: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}

/// An address with the secret that proves our calls: this once.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = NewWebhook)]
pub struct NewHook {
    /// `whsec_…`
    pub secret: String,
    #[serde(flatten)]
    pub hook: Hook,
}

/// As a person typed it; in a change, what is absent stays as it is.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HookForm {
    pub url: Option<String>,
    #[serde(deserialize_with = "given")]
    pub about: Option<Option<String>>,
    pub events: Option<Vec<Event>>,
    pub is_on: Option<bool>,
}

#[derive(FromRow)]
struct Row {
    id: HookId,
    url: String,
    about: Option<String>,
    events: String,
    is_on: bool,
    failing_since: Option<DateTime<Utc>>,
    stopped_at: Option<DateTime<Utc>>,
    stopped_why: Option<String>,
    old_until: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
}

impl Row {
    fn view(self, now: DateTime<Utc>) -> Hook {
        Hook {
            id: self.id,
            url: self.url,
            about: self.about,
            events: event::read(&self.events),
            is_on: self.is_on,
            failing_since: self.failing_since,
            stopped_at: self.stopped_at,
            stopped_why: self.stopped_why,
            old_secret_until: self.old_until.filter(|until| now < *until),
            created_at: self.created_at,
        }
    }
}

/// What is to stand in the row.
struct Fields {
    url: String,
    about: Option<String>,
    events: String,
}

impl HookForm {
    /// What the row is to hold; `old` is what stands in it.
    fn read(&self, rules: &Rules, old: Option<&Hook>) -> Result<Fields> {
        let mut errors = FieldErrors::default();
        let url = match (&self.url, old) {
            (None, Some(old)) => old.url.clone(),
            (typed, _) => match rules.target(typed.as_deref().unwrap_or_default().trim()) {
                Ok(target) => target.as_str().to_owned(),
                Err(fault) => {
                    errors.add("url", format!("This address {fault}"));
                    String::new()
                }
            },
        };
        let about = match &self.about {
            None => old.and_then(|old| old.about.clone()),
            Some(typed) => line("about", typed.as_deref(), MAX_ABOUT).optional(&mut errors),
        };
        let events = self.events.as_deref().or(old.map(|old| old.events.as_slice())).unwrap_or_default();
        if events.is_empty() {
            errors.add("events", "Choose what it is to be told");
        }
        errors.finish()?;
        Ok(Fields { url, about, events: event::written(events) })
    }
}

/// The addresses of a business, oldest first.
pub async fn list(conn: &mut dyn AsConn, now: DateTime<Utc>, org: OrgId) -> Result<Vec<Hook>> {
    let sql = "SELECT id, url, about, events, is_on, failing_since, stopped_at, stopped_why, old_until, created_at
         FROM hook WHERE org_id = $1 ORDER BY created_at, id";
    Ok(q!(conn, fetch_all as Row, sql, org)?.into_iter().map(|row| row.view(now)).collect())
}

/// One of them.
///
/// # Errors
/// [`Error::NotFound`] when the business has no such address.
pub async fn get(conn: &mut dyn AsConn, now: DateTime<Utc>, org: OrgId, id: HookId) -> Result<Hook> {
    let sql = "SELECT id, url, about, events, is_on, failing_since, stopped_at, stopped_why, old_until, created_at
         FROM hook WHERE org_id = $1 AND id = $2";
    Ok(q!(conn, fetch_optional as Row, sql, org, id)?.ok_or(Error::NotFound)?.view(now))
}

/// Adds an address; it is told from now on, unless the form says that it is off.
///
/// # Errors
/// [`Error::Invalid`] on the fields that do not fit, [`Error::Conflict`] when there are ten already.
pub async fn add(
    tx: &mut Tx,
    origin: &Origin,
    key: &SecretKey,
    rules: &Rules,
    org: OrgId,
    form: &HookForm,
) -> Result<NewHook> {
    tx.guard_writable(org);
    let Fields { url, about, events } = form.read(rules, None)?;
    let count = q!(&mut *tx, fetch_one scalar i64, "SELECT COUNT(*) FROM hook WHERE org_id = $1", org)?;
    if count >= MOST {
        return Err(Error::Conflict("There are ten webhooks already. Please remove one first."));
    }
    let (id, now) = (HookId(origin.uuid()), origin.now());
    let secret = Secret::new(&origin.entropy);
    q!(
        &mut *tx,
        execute,
        "INSERT INTO hook (org_id, id, url, about, events, secret, is_on, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        org,
        id,
        url,
        about,
        events,
        secret.sealed(key, &origin.entropy, org, id),
        form.is_on.unwrap_or(true),
        now
    )?;
    Ok(NewHook { secret: secret.shown(), hook: get(tx, now, org, id).await? })
}

/// An address with its secret, to whoever asks a second time for the same one because the answer was lost.
///
/// # Errors
/// [`Error::Conflict`] when it was removed or its secret changed meanwhile: a newer one is not shown for an older request.
pub async fn shown_again(
    conn: &mut dyn AsConn,
    now: DateTime<Utc>,
    key: &SecretKey,
    org: OrgId,
    id: HookId,
) -> Result<NewHook> {
    const OVER: Error = Error::Conflict("This webhook was removed, or its secret changed, meanwhile.");
    let sql = "SELECT secret FROM hook WHERE org_id = $1 AND id = $2 AND old_until IS NULL";
    let sealed = q!(&mut *conn, fetch_optional scalar Vec<u8>, sql, org, id)?.ok_or(OVER)?;
    let secret = Secret::open(key, org, id, &sealed).ok_or(OVER)?;
    Ok(NewHook { secret: secret.shown(), hook: get(conn, now, org, id).await? })
}

/// Changes an address. Turned on, it starts anew; turned off, what waits for it is over.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Invalid`] on the fields that do not fit.
pub async fn change(
    tx: &mut Tx,
    origin: &Origin,
    rules: &Rules,
    org: OrgId,
    id: HookId,
    form: &HookForm,
) -> Result<Hook> {
    tx.guard_writable(org);
    let now = origin.now();
    let old = get(&mut *tx, now, org, id).await?;
    let Fields { url, about, events } = form.read(rules, Some(&old))?;
    let is_on = form.is_on.unwrap_or(old.is_on);
    q!(
        &mut *tx,
        execute,
        "UPDATE hook SET url = $3, about = $4, events = $5, is_on = $6 WHERE org_id = $1 AND id = $2",
        org,
        id,
        url,
        about,
        events,
        is_on
    )?;
    if is_on && !old.is_on {
        let anew = "UPDATE hook SET failing_since = NULL, stopped_at = NULL, stopped_why = NULL
             WHERE org_id = $1 AND id = $2";
        q!(&mut *tx, execute, anew, org, id)?;
    } else if !is_on {
        call::end_waiting(tx, origin, org, id).await?;
    }
    get(tx, now, org, id).await
}

/// Removes an address with its log.
///
/// # Errors
/// [`Error::NotFound`] when the business has no such address.
pub async fn remove(tx: &mut Tx, org: OrgId, id: HookId) -> Result<()> {
    tx.guard_writable(org);
    let sql = "DELETE FROM hook WHERE org_id = $1 AND id = $2";
    if q!(tx, execute, sql, org, id)? == 0 { Err(Error::NotFound) } else { Ok(()) }
}

/// Puts a new secret in the place of the present one, which signs beside it for a day.
///
/// # Errors
/// [`Error::NotFound`] when the business has no such address.
pub async fn change_secret(tx: &mut Tx, origin: &Origin, key: &SecretKey, org: OrgId, id: HookId) -> Result<NewHook> {
    tx.guard_writable(org);
    let (now, secret) = (origin.now(), Secret::new(&origin.entropy));
    q!(
        &mut *tx,
        execute,
        "UPDATE hook SET old_secret = secret, old_until = $4, secret = $3 WHERE org_id = $1 AND id = $2",
        org,
        id,
        secret.sealed(key, &origin.entropy, org, id),
        now + BOTH_SIGN
    )?;
    Ok(NewHook { secret: secret.shown(), hook: get(tx, now, org, id).await? })
}

/// Seals the secrets of a business's addresses anew with the key in force.
pub(crate) async fn renew_secrets(tx: &mut Tx, origin: &Origin, ring: &SecretKey, org: OrgId) -> Result<Count> {
    let mut count = Count::default();
    for (select, update) in RENEWALS {
        for (id, sealed) in q!(&mut *tx, fetch_all as (HookId, Vec<u8>), select, org)? {
            let renewed = sign::renew(ring, &origin.entropy, org, id, &sealed);
            count.add(&renewed);
            if let Renewed::Anew(new) = renewed {
                // One that was changed meanwhile stays.
                q!(&mut *tx, execute, update, org, id, new, sealed)?;
            }
        }
    }
    Ok(count)
}

/// Where the secrets stand: the one in force, and the one before it.
const RENEWALS: [(&str, &str); 2] = [
    (
        "SELECT id, secret FROM hook WHERE org_id = $1",
        "UPDATE hook SET secret = $3 WHERE org_id = $1 AND id = $2 AND secret = $4",
    ),
    (
        "SELECT id, old_secret FROM hook WHERE org_id = $1 AND old_secret IS NOT NULL",
        "UPDATE hook SET old_secret = $3 WHERE org_id = $1 AND id = $2 AND old_secret = $4",
    ),
];

/// Calls an address once with nothing but the word that it works, on or off.
///
/// # Errors
/// [`Error::NotFound`] when the business has no such address.
pub async fn test(tx: &mut Tx, origin: &Origin, org: OrgId, id: HookId) -> Result<CallView> {
    get(&mut *tx, origin.now(), org, id).await?;
    let made = tell::test(tx, origin, org, id).await?;
    log::get(tx, org, id, made).await
}
