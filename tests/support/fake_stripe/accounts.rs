//! Stripe Connect: the platform's key, Standard accounts that it made, onboarding pages of their owners, and events.
//! Every object belongs to one account; a disconnected account is out of reach.

use axum::{
    Form,
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{
    Book, FakeStripe, Fields,
    calls::{answer, change, key_of, problem, read_fault, stranger},
};

/// The platform's key in live mode.
pub const PLATFORM: &str = "sk_live_51FakePlatform4242";
/// The key of another platform, which has access to none of these accounts.
pub const OTHER_PLATFORM: &str = "sk_live_51FakeOtherPlatform4242";
/// The secret of the platform's endpoint for events of connected accounts.
pub const CONNECT_ENDPOINT: &str = "whsec_fakeconnectsecret";

#[derive(Clone, Debug)]
pub struct Account {
    pub id: String,
    pub email: String,
    /// `metadata[org]`.
    pub org: String,
    pub charges_enabled: bool,
    pub details_submitted: bool,
    pub due: Vec<String>,
    is_gone: bool,
}

#[derive(Clone, Debug)]
pub struct AccountLink {
    pub account: String,
    pub return_url: String,
    pub refresh_url: String,
}

impl Book {
    fn account_mut(&mut self, id: &str) -> &mut Account {
        self.accounts.iter_mut().find(|one| one.id == id).expect("an account of that id")
    }

    pub(super) fn reaches(&self, id: &str) -> bool {
        self.accounts.iter().any(|one| one.id == id && !one.is_gone)
    }

    /// Whether an account may take payments; unconnected accounts always may.
    pub(super) fn may_charge(&self, id: &str) -> bool {
        self.accounts.iter().find(|one| one.id == id).is_none_or(|one| one.charges_enabled)
    }

    pub(super) fn is_connected(&self, id: &str) -> bool {
        self.accounts.iter().any(|one| one.id == id)
    }
}

impl FakeStripe {
    #[must_use]
    pub fn accounts(&self) -> Vec<Account> {
        self.book().accounts.clone()
    }

    /// Newest last.
    #[must_use]
    pub fn account_links(&self) -> Vec<AccountLink> {
        self.book().links.clone()
    }

    /// Registers an account that was made before.
    pub fn knows_account(&self, id: &str) {
        self.book().accounts.push(Account {
            id: id.into(),
            email: String::new(),
            org: String::new(),
            charges_enabled: false,
            details_submitted: false,
            due: vec!["business_profile.url".into()],
            is_gone: false,
        });
    }

    /// The owner has completed onboarding: the account may take payments.
    pub fn onboards(&self, id: &str) {
        let mut book = self.book();
        let account = book.account_mut(id);
        (account.charges_enabled, account.details_submitted) = (true, true);
        account.due.clear();
    }

    /// The owner has begun onboarding, and these are still required: no payments.
    pub fn needs(&self, id: &str, due: &[&str]) {
        let mut book = self.book();
        let account = book.account_mut(id);
        (account.charges_enabled, account.details_submitted) = (false, true);
        account.due = due.iter().map(|one| (*one).to_owned()).collect();
    }

    /// The owner revokes the platform's access on Stripe's own pages.
    pub fn disconnects(&self, id: &str) {
        self.book().account_mut(id).is_gone = true;
    }

    #[must_use]
    pub fn account_event(&self, kind: &str, id: &str, at: DateTime<Utc>) -> (String, String) {
        let object = match kind {
            "account.application.deauthorized" => json!({"id": "ca_platform", "object": "application", "name": null}),
            _ => drawn(self.book().account_mut(id)),
        };
        self.connect_event(Some(id), kind, &object, at)
    }

    /// An event of any account and object, as sent to the platform's endpoint.
    #[must_use]
    pub fn connect_event(
        &self,
        account: Option<&str>,
        kind: &str,
        object: &Value,
        at: DateTime<Utc>,
    ) -> (String, String) {
        self.signed_with(CONNECT_ENDPOINT, (kind, object), account, at)
    }

    /// Card payments in the account's balance that were not returned, in cents.
    #[must_use]
    pub fn held_by(&self, account: &str) -> i64 {
        let book = self.book();
        let ours = book.transactions.iter().filter(|one| one.account == account && one.payment.is_some());
        ours.map(|one| one.amount).sum()
    }
}

fn drawn(account: &Account) -> Value {
    let disabled = (!account.charges_enabled).then_some("requirements.past_due");
    json!({"id": account.id, "object": "account", "type": "standard", "email": account.email,
        "charges_enabled": account.charges_enabled, "payouts_enabled": account.charges_enabled,
        "details_submitted": account.details_submitted, "metadata": {"org": account.org},
        "requirements": {"currently_due": account.due, "past_due": [], "eventually_due": account.due,
            "disabled_reason": disabled}})
}

/// The answer for an account out of this key's reach (docs.stripe.com/error-codes, `account_invalid`).
pub(super) fn out_of_reach() -> Response {
    answer(problem(StatusCode::FORBIDDEN, "invalid_request_error", "account_invalid"))
}

fn is_platform(headers: &HeaderMap) -> bool {
    key_of(headers) == PLATFORM
}

pub(super) async fn make(State(fake): State<FakeStripe>, headers: HeaderMap, Form(fields): Form<Fields>) -> Response {
    let is_platform = is_platform(&headers);
    change(&fake, &headers, fields, |book, named| {
        if !is_platform || named.get("type").is_none_or(|kind| kind != "standard") {
            return problem(StatusCode::BAD_REQUEST, "invalid_request_error", "");
        }
        let get = |name: &str| named.get(name).cloned().unwrap_or_default();
        let made = Account {
            id: format!("acct_connected{}", book.accounts.len() + 1),
            email: get("email"),
            org: get("metadata[org]"),
            charges_enabled: false,
            details_submitted: false,
            due: vec!["business_profile.url".into(), "external_account".into()],
            is_gone: false,
        };
        book.accounts.push(made.clone());
        (StatusCode::OK, drawn(&made))
    })
}

pub(super) async fn look(State(fake): State<FakeStripe>, headers: HeaderMap, Path(id): Path<String>) -> Response {
    if let Some(refused) = stranger(&headers).or_else(|| read_fault(&fake)) {
        return refused;
    }
    let mut book = fake.book();
    if !is_platform(&headers) || !book.reaches(&id) {
        return out_of_reach();
    }
    answer((StatusCode::OK, drawn(book.account_mut(&id))))
}

pub(super) async fn link(State(fake): State<FakeStripe>, headers: HeaderMap, Form(fields): Form<Fields>) -> Response {
    let is_platform = is_platform(&headers);
    change(&fake, &headers, fields, |book, named| {
        let get = |name: &str| named.get(name).cloned().unwrap_or_default();
        let (account, return_url, refresh_url) = (get("account"), get("return_url"), get("refresh_url"));
        if !is_platform || !book.reaches(&account) {
            return problem(StatusCode::FORBIDDEN, "invalid_request_error", "account_invalid");
        }
        if get("type") != "account_onboarding" || [&return_url, &refresh_url].iter().any(|url| !url.starts_with("http"))
        {
            return problem(StatusCode::BAD_REQUEST, "invalid_request_error", "parameter_missing");
        }
        book.links.push(AccountLink { account, return_url, refresh_url });
        let url = format!("https://connect.stripe.example/setup/s/{}", book.links.len());
        let made = json!({"object": "account_link", "created": book.now(), "expires_at": book.now() + 300, "url": url});
        (StatusCode::OK, made)
    })
}
