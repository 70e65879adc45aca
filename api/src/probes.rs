//! Live checks whether providers accept our credentials. Cached, so that they are rare however many ask.

use std::time::Duration;

use chrono::{DateTime, Utc};
use shared::{
    ops::{
        settings::InstallSettings,
        system_status::{ProbeResult, ProviderProbes},
    },
    providers::{
        self, SendError,
        mail::MailProvider,
        sms::{SmsAccountState, SmsProvider},
    },
};
use tokio::sync::Mutex;

/// How long an answer is reused.
const FRESH: chrono::Duration = chrono::Duration::seconds(30);
/// Timeout of one provider.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
pub struct ProbeCache(Mutex<Option<(DateTime<Utc>, ProviderProbes)>>);

impl ProbeCache {
    /// Of concurrent callers one asks the providers and the others wait for its answer.
    pub async fn probe_providers(&self, settings: &InstallSettings, now: DateTime<Utc>) -> ProviderProbes {
        let mut last = self.0.lock().await;
        if let Some((at, probes)) = &*last
            && now - *at < FRESH
        {
            return probes.clone();
        }
        let (texts, email) = tokio::join!(probe_sms(settings), probe_email(settings));
        let probes = ProviderProbes { texts, email };
        *last = Some((now, probes.clone()));
        probes
    }
}

async fn probe_sms(settings: &InstallSettings) -> ProbeResult {
    let client = match providers::http_client() {
        Ok(client) => client,
        Err(e) => return probe_failed(format!("no provider can be reached: {e}")),
    };
    let sms = SmsProvider::from_config(&settings.sms, &client);
    match with_timeout(sms.fetch_account()).await {
        Ok(account) if account.is_trial => probe_failed("Twilio's trial account sends only to numbers it has verified"),
        Ok(account) => match account.state {
            SmsAccountState::Active => probe_ok("Twilio answers, and the account is active"),
            SmsAccountState::NotTold => probe_ok("Twilio answers, and takes our key"),
            SmsAccountState::Suspended => probe_failed("Twilio has suspended the account"),
            SmsAccountState::Closed => probe_failed("the account at Twilio is closed"),
        },
        Err(why) => probe_failed(why),
    }
}

async fn probe_email(settings: &InstallSettings) -> ProbeResult {
    let mail = MailProvider::from_config(&settings.mail);
    if !mail.is_set_up() {
        return probe_failed("email is not set up, so no email leaves");
    }
    match with_timeout(Box::pin(mail.check_connection())).await {
        Ok(()) => probe_ok("the mail server answers, and takes our credentials"),
        Err(why) => probe_failed(why),
    }
}

async fn with_timeout<T>(question: impl Future<Output = Result<T, SendError>>) -> Result<T, String> {
    match tokio::time::timeout(PATIENCE, question).await {
        Ok(answer) => answer.map_err(|e| e.reason().to_owned()),
        Err(_) => Err("there was no answer within 5 seconds".to_owned()),
    }
}

fn probe_ok(detail: &str) -> ProbeResult {
    ProbeResult { ok: true, detail: detail.to_owned() }
}

fn probe_failed(detail: impl Into<String>) -> ProbeResult {
    ProbeResult { ok: false, detail: detail.into() }
}
