//! Settings of both processes. Each reads them once at start, and refuses to start with every error named.

use std::{
    io,
    path::{Path, PathBuf},
    slice,
};

use url::Url;

use crate::{
    domain::{
        intake::photo_upload,
        tenancy::{registration::RegistrationMode, storage_quota},
    },
    ops::{backup::BackupConfig, subscription::BillingConfig},
    platform::{
        clock::Entropy, config::EnvVars, db::DbConfig, email_address::EmailAddress, money::Micros, outbound,
        private_file, public_url::PublicUrl, secret::SecretKey, storage::StorageConfig,
    },
    providers::{
        mail::MailConfig,
        payments::{self, connect::ConnectPlatform},
        push::PushConfig,
        sms::SmsConfig,
    },
};

/// Secrets are types that do not print themselves.
#[derive(Clone, Debug)]
pub struct InstallSettings {
    /// `DATA_DIR`, default `var`: database, uploads, generated keys, mail files.
    pub data_dir: PathBuf,
    /// `PUBLIC_URL`, default `http://localhost` with the port of the API: links in messages, cookie security. Never ends in a slash.
    pub public_url: PublicUrl,
    pub db: DbConfig,
    pub sms: SmsConfig,
    /// `SMS_SEGMENT_PRICE`, default 0.0113: US dollars for one part of a text, where the provider does not say.
    pub sms_segment_price: Micros,
    /// `NUMBERS_PER_BUSINESS`, default 1: numbers that a trusted business may get from the account at Twilio.
    pub numbers_per_business: i64,
    pub mail: MailConfig,
    pub push: PushConfig,
    pub storage: StorageConfig,
    pub backup: BackupConfig,
    /// `STORAGE_QUOTA_BYTES`, default 5 GB: the file space of one business.
    pub storage_quota: i64,
    /// `PHOTO_SPOOL_BYTES`, default 2 GB: total size of form photos that wait to be redrawn.
    pub photo_spool: i64,
    pub secret: SecretKey,
    /// `STRIPE_API_URL`, default Stripe's own: where card payments are opened.
    pub stripe_api: Url,
    /// The install's own account at Stripe, where businesses pay for it; none when `STRIPE_SECRET_KEY` is not set.
    pub billing: Option<BillingConfig>,
    /// `STRIPE_CONNECT_WEBHOOK_SECRET` and the platform's key: businesses connect their accounts at Stripe by it.
    pub connect: Option<ConnectPlatform>,
    /// `REGISTRATION`: `open`, `invite` or `closed`. Unset: open where businesses pay, else open for the first one.
    pub registration: Option<RegistrationMode>,
    /// `WEBHOOK_TEST_ENDPOINT`: the one address on this machine that webhooks may call, for tests.
    pub hooks: outbound::OutboundRules,
    /// `DEFAULT_ORG`: slug of the org behind the bare public forms; none means the first registered.
    pub default_org: Option<String>,
    /// `PLATFORM_ADMIN_EMAILS`, comma-separated, lower-cased.
    pub platform_admins: Vec<EmailAddress>,
    /// `SUPPORT_EMAIL`: named in mails to account holders.
    pub support_email: Option<EmailAddress>,
}

impl InstallSettings {
    /// Errors are recorded in `vars` under the variable's name.
    pub fn from_vars(vars: &mut EnvVars, entropy: &Entropy) -> Self {
        let data_dir = PathBuf::from(vars.get("DATA_DIR").unwrap_or_else(|| "var".to_owned()));
        if let Err(e) = private_file::protect_data_dir(&data_dir) {
            let is_anothers = e.kind() == io::ErrorKind::PermissionDenied;
            let advice = if is_anothers { "; it must belong to the user that runs Toolbox" } else { "" };
            vars.record_invalid("DATA_DIR", format!("{} cannot be made private: {e}{advice}", data_dir.display()));
        }
        let public_url = PublicUrl::from_vars(vars);
        let support_email = parse_emails(vars, "SUPPORT_EMAIL").into_iter().next();
        Self {
            push: PushConfig::from_vars(
                vars,
                &data_dir,
                entropy,
                &public_url,
                support_email.as_ref().map(EmailAddress::as_str),
            ),
            public_url,
            support_email,
            db: DbConfig::from_vars(vars, &data_dir),
            sms: SmsConfig::from_vars(vars),
            sms_segment_price: parse_segment_price(vars),
            numbers_per_business: parse_number_limit(vars),
            mail: MailConfig::from_vars(vars, &data_dir),
            storage: StorageConfig::from_vars(vars, &data_dir),
            backup: BackupConfig::from_vars(vars, &data_dir),
            storage_quota: parse_byte_count(vars, "STORAGE_QUOTA_BYTES", storage_quota::DEFAULT_QUOTA_BYTES),
            photo_spool: parse_byte_count(vars, "PHOTO_SPOOL_BYTES", photo_upload::DEFAULT_SPOOL_BYTES),
            secret: SecretKey::from_vars(vars, &data_dir, entropy),
            stripe_api: payments::stripe_api_url(vars),
            billing: BillingConfig::from_vars(vars),
            connect: ConnectPlatform::from_vars(vars),
            registration: RegistrationMode::from_vars(vars),
            hooks: outbound::OutboundRules::from_vars(vars),
            default_org: vars.get("DEFAULT_ORG"),
            platform_admins: parse_emails(vars, "PLATFORM_ADMIN_EMAILS"),
            data_dir,
        }
    }

    /// Recipients of messages about the install: its operators, else the support address.
    #[must_use]
    pub fn operator_emails(&self) -> &[EmailAddress] {
        match &self.support_email {
            Some(email) if self.platform_admins.is_empty() => slice::from_ref(email),
            _ => &self.platform_admins,
        }
    }

    /// Socket on which the API wakes a worker on the same machine.
    #[must_use]
    pub fn worker_socket_path(&self) -> PathBuf {
        worker_socket_path(&self.data_dir)
    }
}

#[must_use]
pub fn worker_socket_path(data_dir: &Path) -> PathBuf {
    data_dir.join("worker.sock")
}

/// Twilio's list price for a text in the United States (0.0083) plus carrier fees on a registered long code (about
/// 0.003).
const DEFAULT_SEGMENT_PRICE: Micros = Micros(11_300);

fn parse_segment_price(vars: &mut EnvVars) -> Micros {
    let Some(given) = vars.get("SMS_SEGMENT_PRICE") else { return DEFAULT_SEGMENT_PRICE };
    Micros::parse(&given).filter(|price| (0..=MAX_SEGMENT_PRICE.0).contains(&price.0)).unwrap_or_else(|| {
        vars.record_invalid("SMS_SEGMENT_PRICE", "must be US dollars such as 0.0113, from 0 to 1");
        DEFAULT_SEGMENT_PRICE
    })
}

fn parse_byte_count(vars: &mut EnvVars, name: &'static str, usual: i64) -> i64 {
    let bytes = vars.parse_or(name, usual, "a whole number of bytes");
    if bytes < 0 {
        vars.record_invalid(name, "must not be negative");
    }
    bytes
}

fn parse_number_limit(vars: &mut EnvVars) -> i64 {
    let limit = vars.parse_or("NUMBERS_PER_BUSINESS", 1, "a whole number from 0 to 100");
    if (0..=100).contains(&limit) {
        return limit;
    }
    vars.record_invalid("NUMBERS_PER_BUSINESS", "must be a whole number from 0 to 100");
    1
}

/// A check against a misplaced decimal point.
const MAX_SEGMENT_PRICE: Micros = Micros(1_000_000);

fn parse_emails(vars: &mut EnvVars, name: &str) -> Vec<EmailAddress> {
    let given = vars.get(name).unwrap_or_default();
    let mut found = Vec::new();
    for one in given.split(',').map(str::trim).filter(|one| !one.is_empty()) {
        match EmailAddress::parse(one) {
            Some(email) => found.push(email),
            None => vars.record_invalid(name, "must hold email addresses, parted by commas"),
        }
    }
    found
}
