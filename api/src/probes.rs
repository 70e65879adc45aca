//! Live questions to the providers: whether they take our credentials now. Asked rarely, whoever looks.

use std::time::Duration;

use chrono::{DateTime, Utc};
use shared::{
    ops::{
        settings::Settings,
        system_status::{Probe, Probes},
    },
    providers::{
        self, SendError,
        mail::Mail,
        sms::{Sms, Standing},
    },
};
use tokio::sync::Mutex;

/// An answer is good for so long.
const FRESH: chrono::Duration = chrono::Duration::seconds(30);
/// A provider that is silent for so long is not answering.
const PATIENCE: Duration = Duration::from_secs(5);

/// The last answers.
#[derive(Debug, Default)]
pub struct Asked(Mutex<Option<(DateTime<Utc>, Probes)>>);

impl Asked {
    /// What the providers say; of those who ask at once one asks and the others wait for it.
    pub async fn ask(&self, settings: &Settings, now: DateTime<Utc>) -> Probes {
        let mut last = self.0.lock().await;
        if let Some((at, probes)) = &*last
            && now - *at < FRESH
        {
            return probes.clone();
        }
        let (texts, email) = tokio::join!(texts(settings), email(settings));
        let probes = Probes { texts, email };
        *last = Some((now, probes.clone()));
        probes
    }
}

async fn texts(settings: &Settings) -> Probe {
    let client = match providers::http_client() {
        Ok(client) => client,
        Err(e) => return no(format!("this server cannot call anybody: {e}")),
    };
    let sms = Sms::from_config(&settings.sms, &client);
    match in_time(sms.account()).await {
        Ok(account) if account.is_trial => no("Twilio's trial account sends only to numbers it has verified"),
        Ok(account) => match account.standing {
            Standing::Active => yes("Twilio answers, and the account is active"),
            Standing::NotTold => yes("Twilio answers, and takes our key"),
            Standing::Suspended => no("Twilio has suspended the account"),
            Standing::Closed => no("the account at Twilio is closed"),
        },
        Err(why) => no(why),
    }
}

async fn email(settings: &Settings) -> Probe {
    let mail = Mail::from_config(&settings.mail);
    if !mail.is_set_up() {
        return no("email is not set up; what is sent is saved as files");
    }
    match in_time(Box::pin(mail.probe())).await {
        Ok(()) => yes("the mail server answers, and takes our credentials"),
        Err(why) => no(why),
    }
}

async fn in_time<T>(question: impl Future<Output = Result<T, SendError>>) -> Result<T, String> {
    match tokio::time::timeout(PATIENCE, question).await {
        Ok(answer) => answer.map_err(|e| e.reason().to_owned()),
        Err(_) => Err("there was no answer within 5 seconds".to_owned()),
    }
}

fn yes(detail: &str) -> Probe {
    Probe { ok: true, detail: detail.to_owned() }
}

fn no(detail: impl Into<String>) -> Probe {
    Probe { ok: false, detail: detail.into() }
}
