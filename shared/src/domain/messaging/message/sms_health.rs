//! Notices to the owners when texting does not work for a business: by email and on devices, once a day for each cause.

use serde::Serialize;

use super::{
    Draft, MessageChannel, MessageKind, NewMessage,
    provider_trouble::{self, TroubleCause},
    queue_messages,
};
use crate::{
    documents::template::EmailPage,
    domain::{messaging::alert, tenancy::trust_level},
    platform::{
        clock::ClockRng,
        db::{Tx, q},
        email_address::EmailAddress,
        error::Result,
        id::{AccountId, MessageId, OrgId},
        text_enum::display_serialized,
    },
    providers::RefusalReason,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SmsHealthProblem {
    Account,
    /// The carriers do not know this business.
    Unregistered,
    DailyLimit,
    Filtered,
    SetUp,
}

display_serialized!(SmsHealthProblem);

/// Codes about one receiver, which say nothing of the set-up as a whole.
const ABOUT_ONE_RECEIVER: [i32; 2] = [21408, 21612];

impl SmsHealthProblem {
    /// None when it is about one message or one person.
    pub(super) fn from_refusal(code: Option<i32>, kind: RefusalReason) -> Option<Self> {
        match (kind, code) {
            (RefusalReason::ChannelBroken, Some(30034)) => Some(Self::Unregistered),
            (RefusalReason::ChannelBroken, _) => Some(Self::Account),
            (RefusalReason::SetUp, Some(code)) if ABOUT_ONE_RECEIVER.contains(&code) => None,
            (RefusalReason::SetUp, _) => Some(Self::SetUp),
            _ => None,
        }
    }

    /// Trouble of the install, which only its operators can end.
    fn install_cause(self, code: Option<i32>) -> Option<TroubleCause> {
        match self {
            Self::Account | Self::DailyLimit => Some(TroubleCause::from_account_code(code)),
            Self::SetUp => Some(TroubleCause::Service),
            Self::Unregistered | Self::Filtered => None,
        }
    }

    fn advice(self) -> &'static str {
        match self {
            Self::Account => {
                "Texts wait and are tried again every quarter of an hour. What is older than a day is left for you to send again. Check the account at Twilio: its balance, its standing, and the credentials."
            }
            Self::Unregistered => {
                "No text is sent until the number is registered. Register the business and the number in the Twilio Console under Trust Hub, A2P 10DLC; then set the registration to approved under Settings, Automation, Sending."
            }
            Self::DailyLimit => {
                "Texts wait and are tried again every hour. Raise the limit with Twilio if this happens often."
            }
            Self::Filtered => {
                "Three or more texts were blocked within 24 hours. Look at the wording: links, capital letters and offers are filtered most. Check that the number is registered."
            }
            Self::SetUp => {
                "Texts fail until this is corrected in the Twilio Console or in the settings of this install."
            }
        }
    }
}

const OWNER_TITLE: &str = "Texts are not going out right now";
const OWNER_BODY: &str =
    "The people who run your Toolbox have been told. Email still works. Text urgent customers from your own phone.";

/// What the owners read. Provider and set-up are the operators' words.
struct OwnerNotice {
    title: &'static str,
    mail: String,
    alert: String,
}

impl OwnerNotice {
    fn for_operator(trouble: SmsHealthProblem, reason: &str) -> Self {
        let advice = trouble.advice();
        Self {
            title: "Your texts are not getting through",
            mail: format!("Texts to your customers are not getting through: {reason}.\n\n{advice}"),
            alert: format!("The reason: {reason}. {advice}"),
        }
    }

    fn for_tenant() -> Self {
        Self { title: OWNER_TITLE, mail: format!("{OWNER_TITLE}. {OWNER_BODY}"), alert: OWNER_BODY.to_owned() }
    }
}

pub(super) async fn notify_owners(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    (trouble, code): (SmsHealthProblem, Option<i32>),
    reason: &str,
) -> Result<()> {
    let cause = trouble.install_cause(code);
    if let Some(cause) = cause {
        provider_trouble::record_trouble(&mut *tx, origin.now(), (MessageChannel::Sms, cause), reason).await?;
    }
    let is_tenant = cause.is_some() && !trust_level::is_only_org(&mut *tx, org).await?;
    let notice = if is_tenant { OwnerNotice::for_tenant() } else { OwnerNotice::for_operator(trouble, reason) };
    let owners = q!(
        &mut *tx,
        fetch_all as (AccountId, EmailAddress),
        "SELECT id, email FROM account WHERE org_id = $1 AND role = 'owner' AND is_active",
        org
    )?;
    let notices: Vec<NewMessage> = owners
        .into_iter()
        .map(|(account, email)| build_owner_email(origin, account, email, trouble, &notice))
        .collect();
    queue_messages(tx, origin, org, &notices).await?;
    let key = format!("trouble:{trouble}:{}", utc_day(origin));
    alert::alert_channel_trouble(tx, origin, org, key, (notice.title, &notice.alert)).await
}

fn utc_day(origin: &ClockRng) -> String {
    origin.now().format("%Y-%m-%d").to_string()
}

fn build_owner_email(
    origin: &ClockRng,
    account: AccountId,
    email: EmailAddress,
    trouble: SmsHealthProblem,
    notice: &OwnerNotice,
) -> NewMessage {
    let body = notice.mail.clone();
    let page = EmailPage {
        text: Some(body.clone()),
        footer: "You get this mail because you own the business.".to_owned(),
        ..EmailPage::default()
    };
    let key = format!("trouble:{trouble}:{account}:{}", utc_day(origin));
    let draft = Draft {
        subject: Some(notice.title.to_owned()),
        page: Some(page),
        ..Draft::new(MessageKind::AccountNotice, email, body, key)
    };
    draft.with_id(MessageId(origin.uuid_v7()))
}
